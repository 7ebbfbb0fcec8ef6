// The guide: three questions in plain words, and what netveil proposes, with its reasons.

import { get, post } from "../api.js";
import { fill, h } from "../dom.js";
import { go } from "../route.js";
import { note, noted } from "../store.js";
import { radios } from "./fields.js";
import { failure, loading } from "./notes.js";

/** The panel; what it proposes goes into the form of the next step. */
export function guide(network) {
  const place = h("div", loading("Three questions are coming …"));
  get("api/guide")
    .then(({ questions }) => fill(place, asking(questions, network)))
    .catch((problem) => fill(place, failure(problem)));
  return h(
    "section.panel.guide",
    { "aria-labelledby": "guide-title" },
    h(
      "div.panel-head",
      h("h2", { id: "guide-title" }, "What should I choose?"),
      h("a.small", { href: `#/protect/${network.id}` }, "I know already: go to the form"),
    ),
    h("p.soft", "Answer three questions, and netveil proposes what to protect against and how much to change."),
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
  let isReady = false;
  const sets = questions.map(({ name, question, answers: offered }, turn) =>
    radios({
      legend: `${turn + 1}. ${question}`,
      options: offered.map((each) => [each.name, each.answer, each.explains]),
      value: answers[name],
      changed(chosen) {
        answers[name] = chosen;
        if (isReady) propose();
      },
    }),
  );
  isReady = true;
  propose();
  return [sets.map((set) => set.place), proposal];
}

const NAMES = { measures: "Attackers", k: "How many alike", budget: "Budget" };

/** What is proposed, and about what it would cost, before anything is searched for. */
function proposed({ options, reasons, from_all: fromAll, policy }, network) {
  const values = {
    measures: fromAll ? "whoever has the network" : options.measures.join(" and "),
    k: `k = ${options.k}`,
    budget: fromAll ? null : `${options.target ? `until ${options.target} are safe, ` : ""}at most ${options.budget}`,
  };
  const way = (text, look, wanted) => {
    const onclick = () => {
      note(`form ${network.id}`, { ...wanted, policy });
      go("protect", network.id);
    };
    return h("button", { class: `button ${look}`, onclick }, text);
  };
  const deleting = (look) => way("Fill the form with this", look, options);
  const drawing = (look, text = "Draw a synthetic network instead") =>
    way(text, look, { ...options, synthetic: { k: options.k } });
  const cost = h("div");
  if (fromAll) fill(cost, drawing("main", "Fill the form with this"));
  else {
    fill(cost, loading("A short trial of what that costs …", 4), deleting("main"));
    post(`api/networks/${network.id}/trial`, { options })
      .then(({ fits, sentence }) =>
        fill(
          cost,
          h("p", { class: fits ? "" : "note warn" }, sentence),
          h("div.row", fits ? deleting("main") : [drawing("main"), deleting("")]),
        ),
      )
      .catch((problem) => fill(cost, failure(problem), deleting("main")));
  }
  return h(
    "div.note",
    h("h3", "netveil proposes"),
    h(
      "dl.proposal",
      reasons
        .filter(({ about }) => !fromAll || about !== "budget")
        .map(({ about, reason }) =>
          h("div", h("dt", NAMES[about], values[about] ? h("strong", values[about]) : null), h("dd", reason)),
        ),
    ),
    cost,
    h("p.hint", "Your answers are kept as the policy that the release is held against."),
  );
}
