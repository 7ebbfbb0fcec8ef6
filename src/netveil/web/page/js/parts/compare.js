// Two or more releases in one table, with what differs marked, and only that if one likes.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { whole } from "../numbers.js";
import { releasesInOrder } from "../store.js";
import { nameOf } from "./context.js";
import { failure, panel } from "./notes.js";

const TITLE = "Compare with other releases";
const ALONE =
  "Make another release, with another budget or attacker say, or bring a release folder: then both stand here in one table.";
const MOST = 8;
const MOST_ROWS = 16; // of a group, without a click
const FIRST_ROWS = 6; // of one that has more

/** The panel; the release in use is always in the table. */
export function comparePanel(id) {
  const chosen = new Set([id]);
  const boxes = h("div.cards.two");
  const only = h("input", { type: "checkbox" });
  const result = h("div");
  let compared = null;
  const draw = () => fill(result, compared ? table(compared, only.checked) : null);
  const compare = async () => {
    if (chosen.size < 2) {
      compared = null;
      draw();
      return;
    }
    try {
      compared = await post("api/compare", { releases: [...chosen] });
      draw();
    } catch (problem) {
      if (!problem.kind) throw problem;
      fill(result, failure(problem));
    }
  };
  only.addEventListener("change", draw);
  const differing = h("label.choice", only, h("span", "Show only what differs"));
  const place = h("div");
  const update = () => {
    const others = releasesInOrder().filter((release) => release.id !== id);
    for (const each of [...chosen])
      if (each !== id && !others.some((release) => release.id === each)) chosen.delete(each);
    if (!others.length) {
      fill(place, panel(TITLE, h("p.soft", ALONE)));
      return;
    }
    if (boxes.contains(document.activeElement)) return;
    fill(
      boxes,
      others.map((release) => {
        const input = h("input", { type: "checkbox", checked: chosen.has(release.id) });
        input.addEventListener("change", () => {
          if (input.checked && chosen.size < MOST) chosen.add(release.id);
          else chosen.delete(release.id);
          input.checked = chosen.has(release.id);
          compare();
        });
        return h("label.card-choice", input, h("span", nameOf(release, "releases")));
      }),
    );
    if (!boxes.isConnected) fill(place, panel(TITLE, boxes, differing, result));
  };
  update();
  return { place, update };
}

/** A group of rows; of very many, the first, and the others when they are wanted. */
function groupBody({ title, rows }, width) {
  const lines = rows.map((row) =>
    h(
      "tr",
      h("th", { scope: "row" }, row.title),
      row.shown.map((text) => h("td", { class: row.differs ? "number differs" : "number" }, text)),
    ),
  );
  const head = h("tr", h("th", { scope: "rowgroup", colspan: width, class: "group" }, title));
  const body = h("tbody", head, lines);
  const later = lines.length > MOST_ROWS ? lines.slice(FIRST_ROWS) : [];
  if (!later.length) return body;
  const button = h("button.link", `Show the other ${whole(later.length)}`);
  const more = h("tr", h("td", { colspan: width, class: "group" }, button));
  for (const line of later) line.remove();
  body.append(more);
  button.addEventListener("click", () => {
    more.replaceWith(...later);
    const first = later[0].firstChild;
    first.setAttribute("tabindex", "-1");
    first.focus();
  });
  return body;
}

function table({ releases, groups, same_network: same }, onlyDifferences) {
  const shown = groups
    .map((group) => ({ ...group, rows: group.rows.filter((row) => row.differs || !onlyDifferences) }))
    .filter((group) => group.rows.length);
  const warning = h(
    "p.note.warn",
    same
      ? "These are releases of one network. Publish one of them only: whoever has two can lay them on each other."
      : "These are releases of different networks: what differs may be the networks, and not how well they were protected.",
  );
  if (!shown.length) return [warning, h("p.soft", "They do not differ in anything that is shown here.")];
  const head = h(
    "tr",
    h("td"),
    releases.map((release) =>
      h("th", { scope: "col", class: "number" }, `${release.name}${release.note ? ` “${release.note}”` : ""}`),
    ),
  );
  const bodies = shown.map((group) => groupBody(group, releases.length + 1));
  return [
    warning,
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Releases compared" },
      h("table.compared", h("caption", "What differs is marked."), h("thead", head), bodies),
    ),
  ];
}
