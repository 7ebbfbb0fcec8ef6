// What attackers who know the original could still do: the strongest first, and as plain as in the report.

import { shareBar } from "../charts/bars.js";
import { h } from "../dom.js";
import { whole } from "../numbers.js";
import { noteBox, panel } from "./notes.js";
import { dataTable, withAside } from "./tables.js";

const NOT_TRIED =
  "Somebody who has the network itself, or most of it, usually finds nearly everybody in a release. Publish only if nobody who could attack has it.";

/** Attackers as the person who signs knows them, and what authorities ask; what all of them find is told once. */
export function namedAttackers({ scenarios = [], questions = [], kind }) {
  if (!scenarios.length)
    return kind === "synthetic"
      ? null
      : noteBox("warn", h("h2", "No attacks were tried on this release"), h("p", NOT_TRIED));
  const list = (rows) =>
    h(
      "ul",
      rows.map((text) => h("li", text)),
    );
  const ends = new Set(scenarios.map((each) => each.sentence.replace(each.who, "")));
  return panel(
    "Who is the attacker?",
    ends.size === 1 ? h("p", `Whoever it is${[...ends][0]}`) : list(scenarios.map((each) => each.sentence)),
    h("h3", "What authorities ask"),
    list(questions.map((each) => each.sentence)),
  );
}

/** Every attacker that was tried. */
export function auditPanel(release) {
  const { audit } = release;
  if (!audit)
    return panel(
      "What could an attacker still do?",
      h("p.soft", "No attacks were tried. Tick “Try attacks on the release” in step 3, or use netveil audit."),
    );
  const shown = audit.attackers.filter((each) => each.at_once);
  const more = audit.attackers.filter((each) => !each.at_once);
  return panel(
    "What could an attacker still do?",
    attackersTable(
      shown,
      "The strongest attackers for each share of the original’s ties that they know, and of those who know surroundings only.",
    ),
    more.length
      ? h(
          "details",
          h("summary", `${whole(more.length)} further attackers`),
          attackersTable(more, "Further attackers, the strongest first."),
        )
      : null,
    leaks(audit.leaks ?? []),
    (audit.notes ?? []).map((text) => h("p.soft.small", `Note: ${text}`)),
  );
}

function attackersTable(attackers, caption) {
  return dataTable(
    ["attacker", "finds", "share", "", "in the original", "after random deletion"],
    attackers.map((each) => [
      withAside(each.title, [each.knows, each.name].filter(Boolean).join(" · ")),
      each.shown.found,
      each.shown.share,
      shareBar(each.bar),
      each.shown.original,
      each.shown.random,
    ]),
    { caption, look: "stacked" },
  );
}

function leaks(found) {
  if (!found.length) return null;
  return [
    h("h3", "What else the release gives away"),
    h(
      "ul",
      found.map((leak) => h("li", h("strong", `${leak.severity}. `), `${leak.finding ?? ""} ${leak.remedy ?? ""}`)),
    ),
  ];
}
