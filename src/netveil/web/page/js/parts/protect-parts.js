// The parts of the form of a search. Each has a place, a value, and shows what is wrong at its own fields.

import { Problem } from "../api.js";
import { h, say } from "../dom.js";
import { capital, edgesOf, percentage, ties, whole } from "../numbers.js";
import { store } from "../store.js";
import { checkbox, optionField, radios, textField } from "./fields.js";

const EFFORTS = [
  ["0.1", "Quick", "a tenth as long as usual: for a first look"],
  ["1", "Usual", "a good release"],
  ["10", "Thorough", "ten times as long: somewhat fewer people at risk"],
];

const LIMITS = {
  clustering: "Clustering, at most changed by",
  lcc: "People cut off from the main group",
  degree: "Contacts lost by anybody",
};

/** Budget or target. */
export function howMuch(network, given) {
  const budget = textField({
    label: "Maximum share of ties to delete",
    value: given.budget ?? "5%",
    hint: "A share such as 5%, or a number of ties.",
  });
  const target = textField({
    label: "People who must have lookalikes",
    value: given.target ?? "95%",
    hint: "A share such as 95%.",
  });
  const preview = h("p.hint", { role: "status" });
  const count = () => {
    const allowed = edgesOf(budget.value(), network.edges);
    say(
      preview,
      allowed === null
        ? ""
        : `That is ${ties(allowed)} of ${whole(network.edges)} (${percentage(allowed, network.edges)}).`,
    );
  };
  budget.input.addEventListener("input", count);
  count();
  budget.place.append(preview);
  const choice = radios({
    legend: "How much may change?",
    options: [
      ["budget", "Spend a budget", "as few people at risk as possible"],
      ["target", "Reach a target", "as few deletions as possible, within the maximum"],
    ],
    value: given.target ? "target" : "budget",
    changed: (name) => {
      target.place.hidden = name !== "target";
      if (name === "target" && budget.value() === "5%") budget.input.value = "20%";
      count();
    },
  });
  choice.place.append(target.place, budget.place);
  const enough = () => required(target, "Say how many people must have lookalikes, such as 95%.");
  return part(choice.place, { budget, target }, () => ({
    budget: required(budget, "Say how many ties may go, such as 5%."),
    target: choice.value() === "target" ? enough() : null,
  }));
}

/** Attackers, how far they see, and how many must look alike. */
export function whom(given) {
  const boxes = store.about.measures.map((measure) => ({
    name: measure.name,
    ...checkbox({
      label: capital(measure.knowledge),
      aside: measure.dear ? `${measure.name}; searching takes longer` : measure.name,
      checked: given.measures.includes(measure.name),
    }),
  }));
  const k = textField({
    label: "How many alike (k)",
    value: given.k,
    hint: "2: nobody is the only one of their kind. 5 or 10 where it matters more.",
    type: "number",
    min: 2,
  });
  const distance = textField({
    label: "How far the attacker sees",
    value: given.distance,
    hint: "1: a person’s contacts. 2: their contacts’ contacts as well.",
    type: "number",
    min: 1,
    max: 100,
  });
  const fuzzy = textField({
    label: "The attacker’s numbers may be off by",
    value: given.fuzzy ?? "",
    hint: "A share such as 5%; leave empty if they are known exactly.",
    placeholder: "0%",
  });
  const twins = checkbox({
    label: "People with the same contacts count as one lookalike",
    aside: "they hide nothing of each other",
    checked: given.twins,
  });
  const wrong = h("p.error", { role: "alert", hidden: true });
  const place = h(
    "fieldset",
    h("legend", "Who could attack?"),
    h("p.hint", "Tick one or more; people are protected against each."),
    placesOf(boxes),
    wrong,
    h("div.fields", k.place, distance.place),
    h("details", h("summary", "Advanced: imprecise knowledge, identical contacts"), fuzzy.place, twins.place),
  );
  const form = part(place, { k, distance, fuzzy }, () => {
    const measures = boxes.filter((box) => box.value()).map((box) => box.name);
    if (!measures.length) {
      wrong.hidden = false;
      say(wrong, "Choose at least one attacker.");
      boxes[0].input.focus();
      throw new Problem("shown", "Choose at least one attacker.");
    }
    const far = Number(distance.value());
    return { measures, k: Number(k.value()), distance: far, fuzzy: fuzzy.value() || null, twins: twins.value() };
  });
  return {
    ...form,
    /** Asks for no less than a policy does. */
    meet(policy) {
      for (const box of boxes) box.input.checked ||= policy.attackers.includes(box.name);
      k.input.value = Math.max(Number(k.value()), policy.k);
    },
    clear() {
      wrong.hidden = true;
      form.clear();
    },
  };
}

export function howLong(given) {
  const effort = String(Number(given.effort ?? 1));
  const isListed = EFFORTS.some(([name]) => name === effort);
  const efforts = isListed ? EFFORTS : [...EFFORTS, [effort, `Effort ${effort}`, "as chosen before"]];
  const seconds = textField({
    label: "Seconds",
    value: given.time ?? 60,
    type: "number",
    min: 1,
    hint: "What a clock ends cannot be repeated exactly.",
  });
  const choice = radios({
    legend: "How long to search?",
    options: [...efforts, ["time", "A given time", "the best found by then"]],
    value: given.time ? "time" : effort,
    changed: (name) => {
      seconds.place.hidden = name !== "time";
    },
  });
  const curve = checkbox({
    label: "Find the whole trade-off",
    aside: "solutions for smaller budgets too: move along them, and take the one you like",
    checked: given.curve,
  });
  choice.place.append(seconds.place, curve.place);
  return part(choice.place, { time: seconds }, () => {
    const isTimed = choice.value() === "time";
    const effort = isTimed || choice.value() === "1" ? null : Number(choice.value());
    return { time: isTimed ? Number(seconds.value()) : null, effort, curve: curve.value() };
  });
}

/** Limits on what may be lost, and ties that must stay. */
export function whatStays(network, given) {
  const limits = store.about.limits.map((limit) => ({
    name: limit.name,
    ...textField({
      label: LIMITS[limit.name] ?? capital(limit.name),
      value: given.keep?.[limit.name] ?? "",
      hint: limit.description,
      placeholder: "no limit",
    }),
  }));
  const protectedTies = textField({
    label: "Ties that must stay",
    value: given.protect ?? "",
    area: true,
    hint: "One entry a line: two names are a tie; one name is a person with all their ties.",
  });
  const isUsed = limits.some((limit) => limit.value()) || protectedTies.value();
  const place = h(
    "details",
    { open: Boolean(isUsed) },
    h("summary", "What must be kept"),
    h("div.fields", placesOf(limits)),
    protectedTies.place,
  );
  const fields = { protect: protectedTies, ...Object.fromEntries(limits.map((limit) => [limit.name, limit])) };
  return part(place, fields, () => ({
    keep: Object.fromEntries(limits.filter((limit) => limit.value()).map((limit) => [limit.name, limit.value()])),
    protect: protectedTies.value(),
  }));
}

const ELSEWHERE = new Set(
  "measures k distance fuzzy twins budget target effort time curve keep protect keep_attributes policy".split(" "),
);

/** What few people need: a field for every option that no other part shows. */
export function further(network, given) {
  const fields = Object.fromEntries(
    store.about.options
      .filter(({ name }) => !ELSEWHERE.has(name) && (name !== "known" || network.attributes_of_people?.length))
      .map((option) => [option.name, optionField(option, given[option.name])]),
  );
  const attributes = (network.attributes ?? []).map((name) => ({
    name,
    ...checkbox({
      label: `Publish the attribute ${name}`,
      aside: "unchanged: only what tells nothing about people",
      checked: given.keep_attributes.includes(name),
    }),
  }));
  const all = placesOf([...Object.values(fields), ...attributes]);
  return part(h("details", h("summary", "More: seed, what the report shows"), all), fields, () => ({
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value()])),
    keep_attributes: attributes.filter((box) => box.value()).map((box) => box.name),
  }));
}

const placesOf = (fields) => fields.map((field) => field.place);

/** A part of the form: its place, its value, and fields by the names of their options, which show what is wrong. */
function part(place, fields, value) {
  return {
    place,
    value,
    clear: () => Object.values(fields).forEach((field) => field.clear?.()),
    fails: (problem) => failsIn(problem, fields),
  };
}

function required(field, message) {
  if (field.value()) return field.value();
  field.fails(message);
  throw new Problem("shown", message);
}

/** Shows a problem at the field that it is about, if that is one of these. */
export function failsIn(problem, fields) {
  if (problem.kind === "shown") return true;
  const field = fields[problem.field];
  field?.fails?.(problem.message);
  return Boolean(field?.fails);
}
