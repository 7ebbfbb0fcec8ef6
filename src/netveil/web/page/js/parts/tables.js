// Tables: names of columns above, the first cell of each row its name.

import { h } from "../dom.js";

/** `isNumber(place)` tells which columns hold figures; a column without a name has bars. */
export function tableHead(names, isNumber) {
  const cells = names.map((name, place) =>
    h(
      "th",
      { scope: "col", class: name && isNumber(place) ? "number" : null },
      name || h("span.unseen", "share as a bar"),
    ),
  );
  return h("thead", h("tr", cells));
}

/** A table of rows of cells; with the look `stacked`, a row is a few lines in a narrow window. */
export function dataTable(names, rows, { caption = null, look = null, isNumber = (place) => place > 0 } = {}) {
  const cell = (content, place) => {
    if (!place) return h("th", { scope: "row" }, content);
    if (!names[place]) return h("td.bar-cell", content);
    return h("td", { class: isNumber(place) ? "number" : null, data: { label: names[place] } }, content);
  };
  return h(
    "table",
    { class: look },
    caption ? h("caption", caption) : null,
    tableHead(names, isNumber),
    h(
      "tbody",
      rows.map((row) => h("tr", row.map(cell))),
    ),
  );
}

/** A name with something smaller below it. */
export function withAside(name, aside) {
  return [name, aside ? h("span.aside-line", aside) : null];
}
