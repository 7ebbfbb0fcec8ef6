// The guide: three questions in plain words, and what netveil proposes, with its reasons.

import { get, post } from "../api.js";
import { fill, h, newId } from "../dom.js";
import { go } from "../route.js";
import { note, noted } from "../store.js";
import { failure } from "./notes.js";

/** The panel; what it proposes goes into the form of the next step. */
export function guide(network) {
  const place = h("div", {}, h("p", { class: "loading" }, "Three questions are coming …"));
  get("api/guide")
    .then(({ questions }) => fill(place, asking(questions, network)))
    .catch((problem) => fill(place, failure(problem)));
  return h(
    "section",
    { class: "panel guide", "aria-labelledby": "guide-title" },
    h(
      "div",
      { class: "panel-head" },
      h("h2", { id: "guide-title" }, "What should I choose?"),
      h("a", { class: "small", href: `#/protect/${network.id}` }, "I know already: go to the form"),
    ),
    h(
      "p",
      { class: "soft" },
      "Answer three questions, and netveil proposes what to protect against and how much to change.",
    ),
    place,
  );
}

function asking(questions, network) {
  const answers = noted(`guide ${network.id}`, () => ({}));
  const proposal = h("div", { "aria-live": "polite" });
  const propose = async () => {
    if (questions.some((question) => !answers[question.name])) return;
    try {
      fill(proposal, proposed(await post("api/guide", { ...answers, network: network.id }), network));
    } catch (problem) {
      if (!problem.kind) throw problem;
      fill(proposal, failure(problem));
    }
  };
  const sets = questions.map((question, turn) => {
    const name = newId("question");
    return h(
      "fieldset",
      {},
      h("legend", {}, `${turn + 1}. ${question.question}`),
      h(
        "div",
        { class: "cards two" },
        question.answers.map((answer) => {
          const input = h("input", {
            type: "radio",
            name,
            value: answer.name,
            checked: answers[question.name] === answer.name,
          });
          input.addEventListener("change", () => {
            answers[question.name] = answer.name;
            propose();
          });
          return h(
            "label",
            { class: "card-choice" },
            input,
            h(
              "span",
              {},
              h("strong", {}, answer.answer),
              h("span", { class: "aside-line" }, answer.explains),
            ),
          );
        }),
      ),
    );
  });
  propose();
  return [sets, proposal];
}

function proposed({ options, reasons }, network) {
  const names = {
    measures: "Attackers",
    k: "How many alike",
    budget: "Budget",
    target: "Target",
    distance: "Distance",
  };
  const values = {
    measures: options.measures?.join(" and "),
    k: `k = ${options.k}`,
    budget: options.budget ?? `until ${options.target} are safe`,
    target: options.target,
    distance: options.distance,
  };
  const use = h(
    "button",
    {
      class: "button main",
      type: "button",
      onclick: () => {
        note(`form ${network.id}`, { ...options });
        go("protect", network.id);
      },
    },
    "Fill the form with this",
  );
  return h(
    "div",
    { class: "note" },
    h("h3", {}, "netveil proposes"),
    h(
      "dl",
      { class: "proposal" },
      reasons.map(({ about, reason }) =>
        h(
          "div",
          {},
          h("dt", {}, names[about] ?? about, values[about] ? h("strong", {}, values[about]) : null),
          h("dd", {}, reason),
        ),
      ),
    ),
    h("div", { class: "row" }, use),
  );
}
