// Notes in the page: what one should know, what went wrong and what to do about it, and where nothing is yet.

import { h, say } from "../dom.js";
import { duration } from "../numbers.js";

/** A note; `loud` for what nobody may miss. */
export function noteBox(look, ...children) {
  return h("div", { class: `note ${look}` }, children);
}

/** What went wrong, in netveil's words. */
export function failure(problem) {
  const lines = problem.lines?.length ? h("pre.mono", problem.lines.join("\n")) : null;
  return h("div.note.warn", { role: "alert" }, h("p", problem.message), lines);
}

/** What to do with the problem of a request: shown in a place, unless it was given up. */
export function showsIn(place) {
  return (problem) => {
    if (problem.name === "AbortError") return;
    if (!problem.kind) throw problem;
    place.replaceChildren(failure(problem));
  };
}

/** What is shown while something is waited for: a bar, and how long it has taken; `about` is how long it will, in seconds. */
export function loading(text, about = null) {
  const bar = h("progress", { max: 1, "aria-label": text });
  const time = h("span.small", { hidden: true });
  const begun = Date.now();
  const tick = setInterval(() => {
    if (!place.isConnected) return clearInterval(tick);
    const seconds = (Date.now() - begun) / 1000;
    time.hidden = seconds < 2;
    say(time, ` ${duration(seconds)}`);
    if (about) bar.value = Math.min(0.95, seconds / about);
  }, 500);
  const place = h("div.loading", h("p", { role: "status" }, text, time), bar);
  return place;
}

/** A place for problems beside what causes them; `show(problem)` fills it, `clear()` empties it. */
export function problemPlace() {
  const place = h("div.problem-place");
  return { place, show: (problem) => place.replaceChildren(failure(problem)), clear: () => place.replaceChildren() };
}

/** What to do where there is nothing yet. */
export function emptyState(title, text, ...actions) {
  return h("section.panel.empty", h("h2", title), h("p", text), actions.length ? h("div.row", actions) : null);
}

/** The same where there is something, but not what was asked for. */
export function notHere(what) {
  return emptyState(
    `This ${what} is not here`,
    "It may have been deleted.",
    h("a.button.main", { href: "#/bring" }, "See what is here"),
  );
}

/** A panel with a heading. */
export function panel(title, ...children) {
  return h("section.panel", title ? h("h2", title) : null, children);
}

/** Figures in large letters: `[name, value, aside, look]`. */
export function figures(entries) {
  return h(
    "dl.figures",
    entries.map(([name, value, aside = null, look = ""]) =>
      h("div", { class: look }, h("dt", name), h("dd", value, aside ? h("span.aside-figure", aside) : null)),
    ),
  );
}

/** A button that is busy while its work goes on; problems go to `problems`. */
export function actionButton(text, look, work, problems = null) {
  const button = h("button", { class: `button ${look}` }, text);
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    problems?.clear();
    try {
      await work();
    } catch (problem) {
      if (!problems || !problem.kind) throw problem;
      problems.show(problem);
    } finally {
      button.removeAttribute("aria-disabled");
    }
  });
  return button;
}

/** Asks before something that cannot be undone; the promise tells whether to go on. */
export function confirmed({ title, text, yes, no = "Cancel", risky = true }) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
    const end = (answer) => {
      dialog.close();
      dialog.remove();
      resolve(answer);
    };
    dialog.append(
      h("h2", { id: "dialog-title" }, title),
      ...[text].flat().map((paragraph) => h("p", paragraph)),
      h(
        "div.row.end",
        h("button.button", { onclick: () => end(false) }, no),
        h("button", { class: `button ${risky ? "risky" : "main"}`, onclick: () => end(true) }, yes),
      ),
    );
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      end(false);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
