// How a file was read: the sentence, its first lines as a table, and fields to correct it.

import { Problem, post } from "../api.js";
import { h } from "../dom.js";
import { capital, counted, people, ties } from "../numbers.js";
import { addressOf } from "../route.js";
import { know, store } from "../store.js";
import { selectField, textField } from "./fields.js";
import { loading, noteBox, problemPlace } from "./notes.js";
import { personsPart } from "./persons.js";
import { dataTable } from "./tables.js";

const ENCODINGS = "UTF-8 cp1252 UTF-16 latin-1 cp1250 cp1251 cp437 Shift_JIS GB18030".split(" ");
const SEPARATORS = { comma: "comma ,", semicolon: "semicolon ;", tab: "tab", bar: "bar |", blank: "blank" };

/** The panel for one network that was brought. */
export function readingPanel(network) {
  const read = network.state === "read";
  const titles = {
    read: `How ${network.file} was read`,
    question: `A question about ${network.file}`,
    refused: `${network.file} could not be read`,
    reading: `Reading ${network.file} …`,
  };
  const onward = h("a.button.main", { href: addressOf("look", network.id) }, "That is right: look at it");
  const body = h(
    "section.panel.reading",
    { "aria-labelledby": "reading-title" },
    h("h2", { id: "reading-title" }, titles[network.state]),
    read ? asRead(network) : network.state === "reading" ? loading("Reading it …") : asked(network),
    network.table?.rows.length ? cellsTable(network.table, read) : firstTies(network),
    corrections(network),
    personsPart(network),
    read ? h("div.row", onward) : null,
  );
  return body;
}

function asRead(network) {
  const { reading, dropped } = network;
  const left = [
    dropped.self_loops
      ? counted(dropped.self_loops, "tie of somebody with themselves", "ties of people with themselves")
      : null,
    dropped.duplicates ? counted(dropped.duplicates, "repeated tie") : null,
  ].filter(Boolean);
  return [
    h(
      "p",
      h("strong", `${people(network.nodes)}, ${ties(network.edges)}.`),
      reading ? ` ${sentence(reading.sentence)}` : "",
    ),
    left.length && !reading ? h("p.soft", `Left out: ${left.join(", ")}.`) : null,
    (reading?.oddities ?? []).map((oddity) => noteBox("warn", h("p", h("strong", "Odd: "), oddity))),
    (network.notes ?? []).map((text) => noteBox("", h("p", text))),
  ];
}

function asked(network) {
  const { problem } = network;
  const lines = !network.table && problem.lines?.length ? h("pre.mono", problem.lines.join("\n")) : null;
  const text = h("p", problem.message);
  return network.state === "question"
    ? noteBox("", text, h("p", "Choose below and read it again."), lines)
    : h("div.note.warn", { role: "alert" }, text, lines);
}

/** The first lines as cells; the two columns with the people are marked. */
function cellsTable(table, read) {
  const people = new Set(table.people ?? []);
  const mark = (place) => (people.has(place) ? "cell people" : "cell");
  const [first, ...rest] = table.rows;
  const names = table.header ? first : first?.map((_, place) => `column ${place + 1}`);
  const body = table.header ? rest : table.rows;
  return h(
    "div.scroll",
    { tabindex: "0", role: "region", "aria-label": "First lines of the file" },
    h(
      "table.cells",
      h("caption", read ? "The first lines; the people are in the marked columns." : "The first lines of the file."),
      h(
        "thead",
        h(
          "tr",
          (names ?? []).map((name, place) =>
            h("th", { scope: "col", class: people.has(place) ? "people" : null }, name),
          ),
        ),
      ),
      h(
        "tbody",
        body.map((row) =>
          h(
            "tr",
            row.map((cell, place) => h("td", { class: mark(place) }, cell)),
          ),
        ),
      ),
    ),
  );
}

function firstTies(network) {
  const first = network.reading?.first ?? [];
  if (!first.length) return null;
  return dataTable(["person", "knows"], first, {
    caption: "The first ties as read.",
    look: "cells",
    isNumber: () => false,
  });
}

/** Fields for what netveil found out, or could not. */
function corrections(network) {
  if (network.source !== "upload") return null;
  const problems = problemPlace();
  const { asked: given, table, reading } = network;
  const width = table?.width ?? 0;
  const header = given.header ?? table?.header ?? reading?.header ?? null;
  const names = Array.from(
    { length: width },
    (_, place) => (header && table.rows[0]?.[place]) || `column ${place + 1}`,
  );
  const detected = (label, options, value) => selectField(label, [["", "Detect automatically"], ...options], value);
  const yesOrNo = (value) => (value === null ? "" : value ? "yes" : "no");
  const same = (all) => all.map((name) => [name, name]);
  const columns = names.map((name, place) => [String(place + 1), `${place + 1}: ${name}`]);
  const chosen = given.columns ? (table?.people ?? []) : [];
  const one = detected("First person in", columns, chosen.length ? String(chosen[0] + 1) : "");
  const other = detected("Second person in", columns, chosen.length ? String(chosen[1] + 1) : "");
  const separators = store.about.separators.map((name) => [name, SEPARATORS[name] ?? name]);
  const separator = detected("Column separator", separators, given.separator ?? "");
  const head = detected(
    "First line",
    [
      ["yes", "names the columns"],
      ["no", "is already data"],
    ],
    yesOrNo(given.header),
  );
  const lines = [
    ["yes", "a person and named contacts"],
    ["no", "a tie"],
  ];
  const nominations = detected("A line is", lines, yesOrNo(given.nominations));
  const sheet = textField({
    label: "Sheet with the ties",
    value: given.sheet ?? "",
    hint: "Its name, if there are several.",
  });
  const isWorkbook = /\.xlsx$/i.test(network.file);
  const encoding = detected("Encoding", same(ENCODINGS), given.encoding ?? "");
  const format = detected("Kind of file", same(store.about.formats), given.format ?? "");
  const form = h(
    "form",
    { "aria-label": "How to read the file" },
    h(
      "div.fields",
      width > 1 ? [one.place, other.place] : null,
      separator.place,
      head.place,
      nominations.place,
      isWorkbook ? sheet.place : null,
      encoding.place,
      format.place,
    ),
    h(
      "div.row",
      h("button", { class: network.state === "read" ? "button" : "button main", type: "submit" }, "Read it again"),
    ),
    problems.place,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problems.clear();
    if (Boolean(one.value()) !== Boolean(other.value())) {
      problems.show(new Problem("mistake", "Choose both columns of people, or let netveil detect both."));
      return;
    }
    const people = one.value() && other.value() ? [one.value(), other.value()] : null;
    const wanted = {
      columns: nominations.value() === "yes" ? null : people,
      separator: separator.value() || null,
      header: head.value() ? head.value() === "yes" : null,
      nominations: nominations.value() ? nominations.value() === "yes" : null,
      sheet: sheet.value().trim() || null,
      encoding: encoding.value() || null,
      format: format.value() || null,
    };
    try {
      know("networks", await post(`api/networks/${network.id}/reading`, wanted));
    } catch (problem) {
      if (!problem.kind) throw problem;
      problems.show(problem);
    }
  });
  if (network.state !== "read") return form;
  const isCorrected = Object.values(given).some((value) => value !== null);
  return h("details", { open: isCorrected }, h("summary", "Not right? Say how to read it"), form);
}

/** A sentence of its own, of what begins small and has no full stop. */
function sentence(text) {
  return text ? `${capital(text)}${text.endsWith(".") ? "" : "."}` : "";
}
