// The part of the form that asks for a synthetic network.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { percentage, whole } from "../numbers.js";
import { store } from "../store.js";
import { optionField } from "./fields.js";
import { loading, showsIn } from "./notes.js";
import { failsIn } from "./protect-parts.js";
import { dataTable } from "./tables.js";

/** How to draw a synthetic network: what nobody can exceed for several k, before anything is drawn; then the options. */
export function drawn(network, given) {
  const table = h("div", loading("Grouping people, to tell what nobody can exceed …"));
  const fields = Object.fromEntries(
    store.about.synthetic.options.map((option) => [option.name, optionField(option, given[option.name])]),
  );
  const { k, copies, ...others } = fields;
  let isAsked = false;
  return {
    place: h(
      "div",
      table,
      h("div.fields", k.place, copies.place),
      h(
        "details",
        h("summary", "More: seed, what the report shows"),
        Object.values(others).map(({ place }) => place),
      ),
    ),
    /** Has the table computed once it is looked at. */
    show() {
      if (isAsked) return;
      isAsked = true;
      get(`api/networks/${network.id}/ceilings`)
        .then(({ ceilings }) => fill(table, ceilingsTable(ceilings, network)))
        .catch(showsIn(table));
    },
    /** Asks for no less than a policy does. */
    meet(policy) {
      k.input.value = Math.max(Number(k.value()), policy.k);
    },
    value: () => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value()])),
    clear: () => Object.values(fields).forEach((field) => field.clear?.()),
    fails: (problem) => failsIn(problem, fields),
  };
}

function ceilingsTable(ceilings, network) {
  return dataTable(
    ["k", "people found on average, at most", "chance of anybody, at most"],
    ceilings.map(({ k, rows, smallest_row: least }) => [
      String(k),
      percentage(rows, network.nodes),
      `1 in ${whole(least)}`,
    ]),
    { caption: "What nobody can exceed, even with the original network itself." },
  );
}
