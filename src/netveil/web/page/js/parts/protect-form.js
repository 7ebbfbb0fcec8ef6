// The form of a release: delete ties (how much, whom to protect from, how long, what stays) or draw a synthetic network.

import { post } from "../api.js";
import { announce, fill, h, say } from "../dom.js";
import { know, note, runsInOrder, isActive, store } from "../store.js";
import { radios, textField } from "./fields.js";
import { problemPlace } from "./notes.js";
import { policyPart } from "./policy.js";
import { further, howLong, howMuch, whatStays, whom } from "./protect-parts.js";
import { drawn } from "./synthetic-part.js";

const KINDS = [
  [
    "search",
    "Delete a few ties",
    "nearly all true ties stay; hides people from whoever knows their surroundings, not from whoever has the network itself",
  ],
  [
    "synthetic",
    "Draw a synthetic network",
    "for statistics of the whole only, as all ties are made up; whoever has the network itself finds nobody with a chance above 1 in k",
  ],
];

/** The form for a network, filled with what is `wanted`; its `onstart(run)` hears of a search in the queue. */
export function protectForm(network, wanted) {
  const given = { ...store.about.defaults, ...wanted };
  const problems = problemPlace();
  const synthetic = drawn(network, { ...store.about.synthetic.defaults, ...wanted.synthetic });
  const search = [
    howMuch(network, given),
    whom(given),
    howLong(given),
    whatStays(network, given),
    further(network, given),
  ];
  const fields = h("div");
  const policy = policyPart(wanted.policy ?? null, (asked) =>
    [synthetic, search[1]].forEach((part) => part.meet(asked)),
  );
  const partsOf = (name) => [policy, ...(name === "synthetic" ? [synthetic] : search)];
  const kind = radios({
    legend: "What shall be published?",
    options: KINDS,
    value: wanted.synthetic ? "synthetic" : "search",
    changed: (name) => {
      if (name === "synthetic") synthetic.show();
      fill(
        fields,
        partsOf(name)
          .slice(1)
          .map((part) => part.place),
      );
    },
  });
  const isDrawn = () => kind.value() === "synthetic";
  const remark = textField({
    label: "A name for it (optional)",
    value: "",
    hint: "Only for you, to tell releases apart.",
    maxlength: 80,
  });
  const button = h("button.button.main", { type: "submit" });
  const relabel = () =>
    say(button, runsInOrder().some(isActive) ? "Add to the queue" : isDrawn() ? "Draw it" : "Start the search");
  const form = h(
    "form.panel",
    { "aria-labelledby": "form-title", novalidate: true },
    h("h2", { id: "form-title" }, "What to make"),
    policy.place,
    kind.place,
    fields,
    remark.place,
    problems.place,
    h("div.row", button),
  );
  relabel();
  for (const event of ["focusin", "change"]) form.addEventListener(event, relabel);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problems.clear();
    const parts = partsOf(kind.value());
    parts.forEach((part) => part.clear?.());
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    try {
      const options = Object.assign({}, ...parts.map((part) => part.value()));
      note(`form ${network.id}`, isDrawn() ? { ...wanted, policy: options.policy, synthetic: options } : options);
      const asked = { network: network.id, kind: kind.value(), options, note: remark.value() };
      const run = know("runs", await post("api/runs", asked));
      announce(`${isDrawn() ? "The drawing" : "The search"} is in the queue`);
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
