// Experiments: folders of `netveil experiment`, to be watched and nothing more.

import { get } from "../api.js";
import { fill, h } from "../dom.js";
import { counted, figure, moment, whole } from "../numbers.js";
import { emptyState, showsIn, figures, panel } from "../parts/notes.js";
import { addressOf } from "../route.js";
import { store } from "../store.js";
import { dataTable } from "../parts/tables.js";

const MOST_ROWS = 200;

export const experiments = {
  name: "experiments",
  step: "Experiments",
  title: "Experiments",
  shows: "experiments",
  apart: true,
  isOpen: () => store.experiments.size > 0,
  open(main, id) {
    main.append(h("h1", "Experiments"));
    if (!store.experiments.size) {
      main.append(
        emptyState(
          "No experiment to watch",
          "Experiments are run in a terminal. To watch one here, name its folder when you start the page:",
          h("code", "netveil web FOLDER"),
        ),
      );
      return {};
    }
    const list = h("ul.list");
    const place = h("div");
    main.append(
      h("p.lead", "Watched only: they are started and stopped in a terminal, with netveil experiment."),
      panel("Folders", list),
      place,
    );
    const ending = new AbortController();
    const update = () => {
      if (!list.contains(document.activeElement))
        fill(
          list,
          [...store.experiments.values()].map((row) => listed(row, id)),
        );
      if (!id) return;
      get(`api/experiments/${id}`, ending.signal)
        .then((found) => fill(place, watched(found)))
        .catch(showsIn(place));
    };
    update();
    return { close: () => ending.abort(), update: (what) => what.has("experiments") && update() };
  },
};

function listed(row, id) {
  const bar = row.total
    ? h("progress", { max: row.total, value: row.finished, "aria-label": `${row.name}: runs finished` })
    : null;
  const told = `${whole(row.finished)}${row.total ? ` of ${whole(row.total)}` : ""} runs finished${row.failed ? `, ${whole(row.failed)} failed` : ""}${row.changed ? `, last on ${moment(row.changed)}` : ""}`;
  return h(
    "li.listed",
    h(
      "div",
      h("a", { href: addressOf("experiments", row.id), "aria-current": row.id === id ? "true" : null }, row.name),
      h("span.aside-line", told),
      bar,
    ),
  );
}

function watched(found) {
  return [
    figures([
      ["Finished", whole(found.finished), found.total ? `of ${whole(found.total)}` : null],
      ["Failed", whole(found.failed), null, found.failed ? "risk" : ""],
      ["Damaged", whole(found.damaged), found.damaged ? "run again to repair" : null, found.damaged ? "risk" : ""],
    ]),
    panel(`Runs of ${found.name}`, found.rows.length ? runsTable(found) : h("p.soft", "None is finished yet.")),
    found.failures?.length
      ? panel(
          "What failed",
          h(
            "ul",
            found.failures.map((each) => h("li", h("strong", `${each.run}: `), each.error)),
          ),
        )
      : null,
  ];
}

/** The last runs; what is the same in all of them is told once, above. */
function runsTable({ columns, rows }) {
  const last = rows.slice(-MOST_ROWS);
  const differ = columns.map((_, place) => rows.some((row) => row[place] !== rows[0][place]));
  const same = columns
    .map((name, place) =>
      differ[place] || isMissing(rows[0][place]) ? null : `${words(name)} ${cell(rows[0][place])}`,
    )
    .filter(Boolean);
  const shown = columns.map((_, place) => place).filter((place) => differ[place] || rows.length === 1);
  const isNumber = (place) => last.some((row) => typeof row[place] === "number");
  const told = rows.length > last.length ? `The last ${whole(last.length)} of ${counted(rows.length, "run")}.` : "";
  return [
    rows.length > 1 && same.length ? h("p.soft.small", `The same in all runs: ${same.join(", ")}.`) : null,
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Finished runs" },
      dataTable(
        shown.map((place) => words(columns[place])),
        last.map((row) => shown.map((place) => cell(row[place]))),
        { caption: told || counted(last.length, "run"), look: "results", isNumber: (turn) => isNumber(shown[turn]) },
      ),
    ),
  ];
}

function words(name) {
  return name.replaceAll("_", " ");
}

function isMissing(value) {
  return value === null || value === "";
}

function cell(value) {
  if (isMissing(value)) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? figure(value) : String(value);
}
