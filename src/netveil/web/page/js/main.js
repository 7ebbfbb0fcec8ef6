// The page: the path of steps, the view that the address names, and whether the server is heard.

import { announce, fill, h, say } from "./dom.js";
import { footer } from "./parts/footer.js";
import { context } from "./parts/context.js";
import { failure } from "./parts/notes.js";
import { current, parseRoute } from "./route.js";
import { listen, start, store } from "./store.js";
import { bring } from "./views/bring.js";
import { experiments } from "./views/experiments.js";
import { judge } from "./views/judge.js";
import { look } from "./views/look.js";
import { protect } from "./views/protect.js";
import { takeAway } from "./views/take.js";

const VIEWS = [bring, look, protect, judge, takeAway, experiments];
const CONNECTIONS = {
  heard: "",
  silent: "netveil does not answer; trying again …",
  refused: "netveil was started anew: open the address that it printed in the terminal.",
  ended: "netveil has ended. Start it again with: netveil web",
};

const main = document.getElementById("main");
let opened = null; // the view that is shown: {name, id, update, close}

function show(byUser) {
  const route = parseRoute(location.hash);
  const view = VIEWS.find((each) => each.name === route.view) ?? bring;
  if (!location.hash || view.name !== route.view) {
    history.replaceState(null, "", `#/${view.name}`);
    route.id = null;
  }
  const id = current(view, route.id);
  opened?.close?.();
  main.replaceChildren();
  document.title = `${view.title} · netveil`;
  opened = { name: view.name, id, asked: route.id, ...view.open(main, id, () => show(false)) };
  drawSteps();
  fill(document.getElementById("context"), context(view, id));
  if (!byUser) return;
  scrollTo(0, 0);
  const heading = main.querySelector("h1");
  heading?.setAttribute("tabindex", "-1");
  heading?.focus({ preventScroll: true });
}

function drawSteps() {
  const steps = VIEWS.map((view, index) => {
    const here = view.name === opened.name;
    const number = view.apart ? null : h("span.step-number", { "aria-hidden": "true" }, index + 1);
    const link = h(
      "a",
      { class: view.isOpen() ? "step open" : "step", href: `#/${view.name}`, "aria-current": here ? "step" : null },
      number,
      view.step,
    );
    return h("li", { class: view.apart ? "apart" : null }, link);
  });
  fill(document.getElementById("steps"), steps);
}

function heard(what) {
  say(document.getElementById("connection"), CONNECTIONS[store.connection]);
  const id = current(
    VIEWS.find((view) => view.name === opened.name),
    opened.asked,
  );
  if (id !== opened.id) {
    show(false);
    return;
  }
  opened.update?.(what);
  if (what.has("networks") || what.has("releases") || what.has("experiments")) {
    const focused = document.activeElement?.closest?.("#steps, #context");
    if (!focused) {
      drawSteps();
      fill(
        document.getElementById("context"),
        context(
          VIEWS.find((view) => view.name === opened.name),
          id,
        ),
      );
    }
  }
}

function chooseColours() {
  const choice = document.getElementById("theme");
  choice.value = document.documentElement.dataset.theme ?? "system";
  choice.addEventListener("change", () => {
    if (choice.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice.value;
    try {
      localStorage.setItem("netveil-colours", choice.value);
    } catch {
      // Without storage the choice holds until the page is closed.
    }
    dispatchEvent(new Event("netveil-colours"));
  });
}

chooseColours();
for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault()); // a file beside its place must not replace the page
try {
  await start();
  footer(document.getElementById("about"));
  show(false);
  addEventListener("hashchange", () => show(true));
  listen(heard);
  main.dataset.ready = "yes";
} catch (problem) {
  fill(main, h("h1", "netveil cannot be reached"), failure(problem));
  announce("netveil cannot be reached");
  if (!problem.kind) throw problem;
}
