// Step 4, Judge: the verdict, what strong attackers could still do, before and after side by side, what it cost; several in one table.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { percentage, whole } from "../numbers.js";
import { auditPanel, namedAttackers } from "../parts/audit.js";
import { comparePanel } from "../parts/compare.js";
import { figures, loading, noteBox, panel, showsIn } from "../parts/notes.js";
import { charts, drawings, kTable, remaining, utilityTable } from "../parts/before-after.js";
import { tradeOffPanel } from "../parts/trade-off.js";
import { verdictPanel } from "../parts/verdict.js";
import { withoutRelease } from "../parts/without-network.js";
import { isActive, runsInOrder, store } from "../store.js";

export const judge = {
  name: "judge",
  step: "Judge",
  title: "Judge the release",
  shows: "releases",
  isOpen: () => store.releases.size > 0,
  open(main, id) {
    main.append(h("h1", "May it be published?"));
    if (!id) {
      const [text, link] = runsInOrder().some(isActive)
        ? ["A search is still at work. Its release shows here when it is done.", "See how it gets on"]
        : ["Start a search first, or bring a release folder.", "Protect a network"];
      main.append(
        withoutRelease(
          text,
          h("a.button.main", { href: "#/protect" }, link),
          h("a.button", { href: "#/bring" }, "Bring a release folder"),
        ),
      );
      return {};
    }
    const ending = new AbortController();
    const place = h("div", loading("Opening the release …"));
    const compare = h("div");
    main.append(place, compare);
    get(`api/releases/${id}`, ending.signal)
      .then((release) => fill(place, judged(id, release, ending.signal)))
      .catch(showsIn(place));
    const others = comparePanel(id);
    compare.append(others.place);
    return { close: () => ending.abort(), update: (what) => what.has("releases") && others.update() };
  },
};

function judged(id, release, signal) {
  const { record, curve } = release;
  const { report } = record;
  if (record.kind === "synthetic") return judgedSynthetic(id, release);
  const of = (part) => `${percentage(part, record.nodes)} of ${whole(record.nodes)} people`;
  return [
    verdictPanel(id, release),
    namedAttackers(record),
    (release.warnings ?? []).map((text) => noteBox("warn", h("p", text))),
    figures([
      ["At risk before", whole(record.at_risk_before), of(record.at_risk_before)],
      [
        "At risk after",
        whole(record.at_risk_after),
        `${of(record.at_risk_after)}, to the attacker asked about`,
        record.at_risk_after ? "risk" : "",
      ],
      ["Found by whoever has the network", ...foundWithNetwork(record)],
      [
        "Ties deleted",
        whole(record.deleted),
        `${percentage(record.deleted, record.edges)} of ${whole(record.edges)}; the budget was ${whole(record.budget)}`,
      ],
      ...(record.target
        ? [["Target", record.target, record.reached ? "reached" : "not reached", record.reached ? "" : "risk"]]
        : []),
    ]),
    h(
      "div.columns",
      panel("Before and after, by how many must look alike", kTable(record)),
      panel("Who remains", remaining(record, report)),
    ),
    panel("Before and after", drawings(id, signal), charts(record)),
    curve.length ? panel("The trade-off", tradeOffPanel(id, release)) : null,
    panel("What analysts can still learn", utilityTable(release)),
    auditPanel(release),
    h("div.gap"),
  ];
}

/** Value, aside and look of the figure that must stand beside those at risk: who has the network finds others. */
function foundWithNetwork({ scenarios }) {
  const { found = null, of } = (scenarios ?? []).find((each) => each.name === "partner") ?? {};
  if (found === null) return ["not tried", "usually nearly everybody", "risk"];
  return [percentage(found, of), `${whole(found)} of ${whole(of)} people looked for`, found ? "risk" : ""];
}

const NOT_TRIED = "No attack was tried; the bound above holds against all of them.";
const NOT_PROTECTED =
  "Not protected: ties that density tells, and what a second table gives away. The report says more.";

/** What may be claimed comes first; who looks unique in made-up ties tells nothing, and is not shown. */
function judgedSynthetic(id, release) {
  const { record } = release;
  const { sentences, attacks, found } = record.report;
  return [
    verdictPanel(id, release),
    namedAttackers(record),
    [...sentences, ...(attacks ? [] : [NOT_TRIED])].map((text) => h("p", text)),
    h("p.soft", NOT_PROTECTED),
    [...(attacks?.warnings ?? []), ...(release.warnings ?? [])].map((text) => noteBox("warn", h("p", text))),
    figures([
      ["Found on average, at most", percentage(...found), `${whole(found[0])} of ${whole(found[1])} people`],
      ["Chance of anybody, at most", `1 in ${whole(record.smallest_row)}`, `k = ${record.k} was asked for`],
      ["Ties published", whole(record.published_edges[0]), `the original has ${whole(record.edges)}`],
      ["True by chance", percentage(record.true_ties), "of the published ties"],
    ]),
    panel("What analysts can still learn", utilityTable(release, "Measure what the network still tells")),
    h("div.gap"),
  ];
}
