// Before and after side by side: by k, class sizes, contacts, the drawn network with its deleted ties, and the cost.

import { get } from "../api.js";
import { bars } from "../charts/bars.js";
import { legend } from "../charts/frame.js";
import { fill, h } from "../dom.js";
import { camera } from "../drawing/camera.js";
import { drawnNetwork } from "../drawing/network.js";
import { people, percentage, ties, whole } from "../numbers.js";
import { bands } from "./bands.js";
import { loading, noteBox, showsIn } from "./notes.js";
import { dataTable, withAside } from "./tables.js";

/** People at risk for several k, and a warning where deletions made it worse. */
export function kTable(record) {
  const rows = record.report.at_risk_by_k;
  const table = dataTable(
    ["k", "before", "after", "share after"],
    rows.map((row) => [
      row.k === record.k ? `${row.k} (asked for)` : String(row.k),
      whole(row.before),
      whole(row.after),
      percentage(row.after, record.nodes),
    ]),
    { caption: "A person is at risk if fewer than k people, including themselves, look the same to the attacker." },
  );
  [...table.tBodies[0].rows].forEach((row, index) => row.classList.toggle("chosen", rows[index].k === record.k));
  const worse = rows.filter((row) => row.after > row.before && row.k !== record.k).map((row) => row.k);
  const warning = worse.length
    ? noteBox(
        "warn",
        h(
          "p",
          `For k = ${spoken(worse)} `,
          h("strong", "more"),
          ` people are at risk after than before: the search was for k = ${record.k} only. If you need k = ${worse[0]}, search with it.`,
        ),
      )
    : null;
  return [table, warning];
}

/** Who is still at risk, by their published numbers: this names nobody. */
export function remaining(record, report) {
  const rest = report.remaining;
  if (!record.at_risk_after)
    return h(
      "p",
      `Nobody: to an attacker who ${record.report.attacker}, everybody is one of at least ${record.k} people who look alike (k = ${record.k}).`,
    );
  if (!rest) return h("p", `${people(record.at_risk_after)}.`);
  const rows = rest.riskiest.slice(0, 8);
  const table = dataTable(
    ["number", "contacts in the original", "known of them in the release"],
    rows.map((row) => [whole(row.published), whole(row.contacts), row.state]),
    {
      caption:
        rest.people > rows.length
          ? `The riskiest ${whole(rows.length)}, by published number.`
          : "By published number, the riskiest first.",
      isNumber: (place) => place === 1,
    },
  );
  const [low, high] = rest.contacts;
  return [
    h(
      "p",
      `${people(rest.people)}. They have ${low === high ? whole(low) : `${whole(low)} to ${whole(high)}`} contacts in the original, where half of the people have ${rest.contacts_of_all} or fewer. ${report.least ?? ""}`,
    ),
    table,
    h("p.soft.small", "Who they are is in people_at_risk.csv of the private files."),
  ];
}

/** Class sizes and contacts, before and after. */
export function charts(record) {
  const { report } = record;
  const before = bands(report.class_sizes.before);
  const after = bands(report.class_sizes.after);
  const pair = (one, other) => [
    { name: "before", look: "before", values: one },
    { name: "after", look: "after", values: other },
  ];
  return h(
    "div.columns",
    bars({
      title: "How many people look alike",
      caption: "People by how many look like them, themselves included.",
      names: before.names,
      series: pair(before.values, after.values),
      xTitle: "people who look alike",
      yTitle: "people",
    }),
    bars({
      title: "Where those at risk sit",
      caption: "People at risk by how many contacts they had.",
      names: report.by_degree.map((row) => row.degree),
      series: pair(
        report.by_degree.map((row) => row.before),
        report.by_degree.map((row) => row.after),
      ),
      xTitle: "contacts in the original",
      yTitle: "people at risk",
    }),
  );
}

/** Two drawings that move together. */
export function drawings(id, signal) {
  const place = h("div", loading("Drawing both networks …"));
  get(`api/releases/${id}/drawing`, signal)
    .then((found) => {
      const eye = camera();
      const side = (when, risk, deletedAs) => {
        const nodes = found.nodes.map((node) => ({ x: node[0], y: node[1], atRisk: node[risk] }));
        const atRisk = nodes.filter((node) => node.atRisk).length;
        const label = `Drawing of ${people(found.shown)} ${when}: ${whole(atRisk)} at risk. Plus and minus magnify, 0 shows all.`;
        const drawing = drawnNetwork({ nodes, edges: found.edges, eye, label, deletedAs, small: true });
        return h("div", h("h3", when === "before" ? "Before" : "After"), drawing.place);
      };
      const deleted = found.edges.filter((edge) => edge[2]).length;
      fill(
        place,
        legend([
          ["safe", "has lookalikes"],
          ["at-risk", "at risk"],
          ["deleted", "deleted tie"],
        ]),
        h("div.columns", side("before", 2, "solid"), side("after", 3, "dashed")),
        h(
          "p.hint",
          `${found.note ? `${found.note} ` : ""}${ties(deleted)} of those drawn ${deleted === 1 ? "is" : "are"} deleted: red on the left, dashed on the right. Both sides move together.`,
        ),
      );
    })
    .catch(showsIn(place));
  return place;
}

/** What changed in the figures that scientists compute. */
export function utilityTable(release, option = "Measure what the deletion cost") {
  const rows = release.utility ?? [];
  if (!rows.length) return h("p.soft", `Not measured for this release. Tick “${option}” in step 3.`);
  return dataTable(
    ["figure", "before", "after", "change"],
    rows.map((row) => [withAside(row.title, row.meaning), row.before, row.after, row.change]),
    { caption: "What analysts can still learn, before and after.", look: "stacked" },
  );
}

function spoken(numbers) {
  return numbers.length < 2 ? numbers.join("") : `${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1)}`;
}
