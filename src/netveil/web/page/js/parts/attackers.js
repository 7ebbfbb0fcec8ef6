// The table of attackers: what each knows, whom the attacker can single out; dear ones on request, with what they cost.

import { eyes, get, post } from "../api.js";
import { shareBar } from "../charts/bars.js";
import { announce, fill, h, newId } from "../dom.js";
import { capital, people, percentage, whole } from "../numbers.js";
import { failure, loading } from "./notes.js";
import { tableHead } from "./tables.js";

export function attackersTable({ entries, dear, network, chosen, choose, measured, signal }) {
  const group = newId("eyes");
  const rows = [...entries]
    .sort((one, other) => one.figures.at_risk - other.figures.at_risk)
    .map((entry) => measuredRow(entry, group, chosen, choose));
  return h(
    "table.stacked.attackers",
    h(
      "caption",
      "What an attacker knows, and how many people it tells apart. Choose one to see below what the attacker sees.",
    ),
    tableHead(["attacker", "at risk", "share of the people", ""], (place) => place === 1 || place === 2),
    h(
      "tbody",
      rows,
      dear.map((each) => dearRow(each, network, chosen, measured, signal)),
    ),
  );
}

function named({ knowledge, name }) {
  return h("span", h("strong", capital(knowledge)), h("span.aside-line", name));
}

function measuredRow(entry, group, chosen, choose) {
  const { at_risk: atRisk, nodes } = entry.figures;
  const input = h("input", { type: "radio", name: group, value: entry.name, checked: entry.name === chosen.measure });
  const row = h(
    "tr",
    { class: entry.name === chosen.measure ? "chosen" : "" },
    h("th", { scope: "row" }, h("label.choice", input, named(entry))),
    h("td.number", { data: { label: "at risk" } }, whole(atRisk)),
    h("td.number", { data: { label: "share of the people" } }, percentage(atRisk, nodes)),
    h("td.bar-cell", shareBar(atRisk / (nodes || 1))),
  );
  input.addEventListener("change", () => {
    row.parentNode.querySelectorAll("tr.chosen").forEach((other) => other.classList.remove("chosen"));
    row.classList.add("chosen");
    choose(entry.name);
    announce(`${people(atRisk)} at risk to somebody who ${entry.knowledge}`);
  });
  return row;
}

function dearRow(each, network, chosen, measured, signal) {
  const place = h("td", { colspan: 3, class: "dear" });
  const query = { measures: [each.name], k: chosen.k };
  const offer = (problem = null) => {
    const button = h("button.button.small", { onclick: count }, `Count (${each.cost})`);
    button.setAttribute("aria-label", `Count who is at risk to somebody who ${each.knowledge}: takes ${each.cost}`);
    fill(place, button, problem ? failure(problem) : null);
  };
  const count = async () => {
    const cancel = h(
      "button.button.small",
      { onclick: () => post(`api/networks/${network.id}/measure/cancel`, { measures: [each.name], k: chosen.k }) },
      "Cancel",
    );
    fill(place, loading(`Counting, ${each.cost} …`, each.seconds), cancel);
    cancel.focus();
    try {
      const entry = await get(`api/networks/${network.id}/measure?${eyes(query)}`, signal);
      announce(`${people(entry.figures.at_risk)} at risk to somebody who ${each.knowledge}`);
      measured(entry);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      if (!problem.kind) throw problem;
      offer(problem.kind === "busy" ? null : problem);
    }
  };
  offer();
  return h("tr", h("th", { scope: "row" }, h("span.choice.without", named(each))), place);
}
