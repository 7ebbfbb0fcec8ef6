// The head of a table: names of columns, those of figures above their figures.

import { h } from "../dom.js";

/** `isNumber(place)` tells which columns hold figures; a column without a name has bars. */
export function tableHead(names, isNumber) {
  const cells = names.map((name, place) =>
    h(
      "th",
      { scope: "col", class: name && isNumber(place) ? "number" : null },
      name || h("span", { class: "unseen" }, "share as a bar"),
    ),
  );
  return h("thead", {}, h("tr", {}, cells));
}
