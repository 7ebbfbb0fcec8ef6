// Step 3, Protect: what to ask of the search, the queue, and how the searches get on.

import { fill, h } from "../dom.js";
import { protectForm } from "../parts/protect-form.js";
import { actionButton, problemPlace } from "../parts/notes.js";
import { runCard, throwAway } from "../parts/run-card.js";
import { networkRead, withoutNetwork } from "../parts/without-network.js";
import { noted, runsInOrder, store } from "../store.js";

export const protect = {
  name: "protect",
  step: "Protect",
  title: "Protect the people",
  shows: "networks",
  isOpen: () => [...store.networks.values()].some((network) => network.state === "read") || store.runs.size > 0,
  open(main, id, again) {
    const network = networkRead(id);
    main.append(h("h1", "Protect the people in it"));
    if (!network && (id || !store.runs.size))
      return withoutNetwork(main, id, "then say here whom to protect from, and how much may change.", again);
    main.append(
      h(
        "p.lead",
        "netveil looks for a few ties to delete so that nearly everybody has lookalikes, or draws a new network that only resembles this one. Both wait in a queue, and go on when you close this page.",
      ),
    );
    const runs = runList();
    const form = network ? keptForm(network) : null;
    if (form) form.onstart = (run) => runs.reveal(run.id);
    main.append(h("div.columns.protect", form?.place, runs.place));
    return {
      update(what) {
        if (!what.has("runs")) return;
        runs.update();
        form?.update();
      },
    };
  },
};

let kept = { form: null }; // what one has filled in stays while one looks at other steps

/** The form for a network: the one that was begun, unless the guide or a search has filled it anew. */
function keptForm(network) {
  const given = noted(`form ${network.id}`, () => ({}));
  if (kept.network !== network || kept.given !== given) kept = { network, given, form: protectForm(network, given) };
  kept.form.update();
  return kept.form;
}

/** The searches, one card each; a card stays the same element while its search goes on. */
function runList() {
  const cards = new Map();
  const titles = new Map();
  const list = h("div.runs");
  const problems = problemPlace();
  const failed = () => runsInOrder().filter((run) => ["failed", "cancelled"].includes(run.state));
  const away = actionButton(
    "Throw away what failed",
    "small",
    () => Promise.all(failed().map(({ id }) => throwAway(id))),
    problems,
  );
  const nothing = h("p.soft", "Nothing yet. What you start shows here how it gets on.");
  const place = h(
    "section",
    { "aria-labelledby": "runs-title" },
    h("div.panel-head", h("h2", { id: "runs-title" }, "What was asked for"), away),
    problems.place,
    nothing,
    list,
  );
  const update = () => {
    const order = runsInOrder();
    for (const run of order) {
      if (!cards.has(run.id)) cards.set(run.id, runCard(run));
      cards.get(run.id).update(store.runs.get(run.id));
    }
    for (const [id, card] of cards) {
      if (store.runs.has(id)) continue;
      card.place.remove();
      cards.delete(id);
    }
    nothing.hidden = order.length > 0;
    away.hidden = !failed().length;
    const wanted = [...new Set(order.map((run) => run.name))].flatMap((name) => {
      if (!titles.has(name)) titles.set(name, h("h3.project", name));
      return [titles.get(name), ...order.filter((run) => run.name === name).map((run) => cards.get(run.id).place)];
    });
    const isOther =
      wanted.length !== list.children.length || wanted.some((card, index) => list.children[index] !== card);
    if (isOther && !list.contains(document.activeElement)) fill(list, wanted);
    else for (const card of wanted) if (!card.isConnected) list.prepend(card);
  };
  update();
  return {
    place,
    update,
    reveal(id) {
      update();
      const card = cards.get(id)?.place;
      card?.scrollIntoView({
        block: "nearest",
        behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
      });
    },
  };
}
