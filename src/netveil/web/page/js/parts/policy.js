// What a release must meet: a policy that comes with netveil, or one of one's own, filled in or from a TOML file; and its grounds.

import { post } from "../api.js";
import { fill, h, say } from "../dom.js";
import { capital } from "../numbers.js";
import { store } from "../store.js";
import { takesDrops } from "./dropped.js";
import { optionField, selectField } from "./fields.js";
import { failure, problemPlace } from "./notes.js";

const NONE = ["", "None: say what may be claimed"];
const OWN = ["own", "One of my own"];

/** The part of the form; `changed(rules)` hears what another policy asks for. */
export function policyPart(given, changed) {
  const { tables, presets } = store.about.policy;
  const problems = problemPlace();
  const reason = h("p.hint");
  const rules = h("div.fields");
  const grounds = h("div.fields");
  const rulesOf = h("details", h("summary", "Its rules"), rules);
  const more = h("div", rulesOf, h("details", h("summary", "Grounds: purpose, legal basis, licence, names"), grounds));
  const file = h("input", {
    type: "file",
    class: "unseen",
    tabindex: "-1",
    accept: ".toml",
    "aria-label": "A policy file",
  });
  const named = (policy) => presets.find((each) => each.policy.name === policy?.policy.name);
  const menu = [NONE, ...presets.map(({ policy: { name } }) => [name, capital(name.replaceAll("-", " "))]), OWN];
  const choice = selectField("What must the release meet?", menu, given ? (named(given)?.policy.name ?? "own") : "");
  let fields = {};
  const show = (policy) => {
    more.hidden = !policy;
    say(
      reason,
      policy?.policy.reason ?? "A policy that is set beforehand makes the verdict a plain yes or no, with its reasons.",
    );
    if (!policy) return;
    for (const [table, place] of [
      ["policy", rules],
      ["decision", grounds],
    ]) {
      const entries = tables[table].map((entry) => [
        entry.name,
        optionField(
          { ...entry, label: capital(entry.name.replaceAll("_", " ")) },
          policy[table]?.[entry.name] ?? entry.default,
        ),
      ]);
      fields[table] = Object.fromEntries(entries);
      fill(
        place,
        entries.map(([, field]) => field.place),
      );
    }
  };
  const take = async (files) => {
    problems.clear();
    try {
      const policy = await post("api/policy", { text: await (files[0].blob ?? files[0]).text() });
      choice.input.value = named(policy)?.policy.name ?? "own";
      show(policy);
      changed(policy.policy);
    } catch (problem) {
      if (!problem.kind) throw problem;
      problems.show(problem);
    } finally {
      file.value = "";
    }
  };
  const values = (table) =>
    Object.fromEntries(
      Object.entries(fields[table]).flatMap(([name, field]) => (field.value() === null ? [] : [[name, field.value()]])),
    );
  file.addEventListener("change", () => take([...file.files]));
  choice.input.addEventListener("change", () => {
    problems.clear();
    const isOwn = choice.value() === "own";
    const filled = isOwn
      ? { policy: { name: "own", reason: "" }, decision: {} }
      : presets.find(({ policy }) => policy.name === choice.value());
    rulesOf.open = isOwn;
    show(filled);
    if (filled && !isOwn) changed(filled.policy);
  });
  show(given);
  const button = h("button.button.small", { onclick: () => file.click() }, "Choose or drop a policy file (TOML)");
  return {
    place: takesDrops(h("section.policy", choice.place, reason, h("p", button, file), problems.place, more), take),
    value: () => ({ policy: choice.value() ? { policy: values("policy"), decision: values("decision") } : null }),
    clear: problems.clear,
    fails(problem) {
      if (problem.field !== "policy") return false;
      rulesOf.open = true;
      fill(problems.place, failure(problem));
      problems.place.scrollIntoView({ block: "center" });
      return true;
    },
  };
}
