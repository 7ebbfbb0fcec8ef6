// The form of a search: how much may change, whom to protect from, how long to search, what must stay.

import { post } from "../api.js";
import { announce, h, say } from "../dom.js";
import { know, note, runsInOrder, isActive, store } from "../store.js";
import { textField } from "./fields.js";
import { problemPlace } from "./notes.js";
import { further, howLong, howMuch, whatStays, whom } from "./protect-parts.js";

/** The form for a network, filled with what is `wanted`; its `onstart(run)` hears of a search in the queue. */
export function protectForm(network, wanted) {
  const given = { ...store.about.defaults, ...wanted };
  const problems = problemPlace();
  const parts = [
    howMuch(network, given),
    whom(given),
    howLong(given),
    whatStays(network, given),
    further(network, given),
  ];
  const remark = textField({
    label: "A name for it (optional)",
    value: "",
    hint: "Only for you, to tell releases apart.",
    maxlength: 80,
  });
  const button = h("button", { class: "button main", type: "submit" });
  const relabel = () => say(button, runsInOrder().some(isActive) ? "Add to the queue" : "Start the search");
  const form = h(
    "form",
    { class: "panel", "aria-labelledby": "form-title", novalidate: true },
    h("h2", { id: "form-title" }, "What to search for"),
    parts.map((part) => part.place),
    remark.place,
    problems.place,
    h("div", { class: "row" }, button),
  );
  relabel();
  form.addEventListener("focusin", relabel);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problems.clear();
    parts.forEach((part) => part.clear?.());
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    try {
      const options = Object.assign({}, ...parts.map((part) => part.value()));
      note(`form ${network.id}`, options);
      const run = know(
        "runs",
        await post("api/runs", { network: network.id, options, note: remark.value() }),
      );
      announce("The search is in the queue");
      made.onstart?.(run);
    } catch (problem) {
      if (!problem.kind) throw problem;
      if (!parts.some((part) => part.fails?.(problem))) problems.show(problem);
    } finally {
      button.removeAttribute("aria-disabled");
      relabel();
    }
  });
  const made = { place: form, update: relabel, onstart: null };
  return made;
}
