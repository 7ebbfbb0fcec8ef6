// The drawn network and the people in it: whom one clicks, finds or reaches by keys, and why they are at risk.

import { get } from "../api.js";
import { legend } from "../charts/frame.js";
import { announce, fill, h, newId } from "../dom.js";
import { camera } from "../drawing/camera.js";
import { drawnNetwork } from "../drawing/network.js";
import { counted, people, whole } from "../numbers.js";
import { loading, showsIn } from "./notes.js";
import { dataTable } from "./tables.js";

/** The panel for people; `query` says through whose eyes, `entry` what is known and found. */
export function peoplePanel(network, query, entry, signal) {
  const drawn = h("div", loading("Drawing the network …"));
  const card = h("div.person");
  const list = h("div");
  const state = { drawing: null, places: new Map() };
  const ask = (path) => get(`api/networks/${network.id}/${path}`, signal);
  let asked = 0; // answers of older questions are not shown
  const choose = async (node, draws = true) => {
    asked += 1;
    const mine = asked;
    if (node === null) {
      showNobody(card);
      return;
    }
    if (draws && state.places.has(node)) state.drawing.select(state.places.get(node), false);
    const person = await ask(`people/${node}?${query}`);
    if (mine !== asked) return;
    fill(
      card,
      personCard(person, (other) => choose(other).catch(showsIn(card))),
    );
    announce(`${person.label}: ${counted(person.contacts, "contact")}, ${person.at_risk ? "at risk" : "not at risk"}`);
  };
  showNobody(card);
  ask(`drawing?${query}`)
    .then((found) => {
      const nodes = found.nodes.map(([x, y, atRisk, , , node]) => ({ x, y, atRisk, node }));
      found.nodes.forEach((node, place) => state.places.set(node[5], place));
      state.drawing = drawnNetwork({
        nodes,
        edges: found.edges,
        eye: camera(),
        label: `Drawing of ${people(found.shown)}. Arrow keys go from person to person, plus and minus magnify, 0 shows all. The list below has the same people.`,
        picked: (place) => choose(place === null ? null : nodes[place].node, false).catch(showsIn(card)),
      });
      fill(
        drawn,
        legend([
          ["safe", "has lookalikes"],
          ["at-risk", "at risk"],
        ]),
        state.drawing.place,
        h(
          "p.hint",
          found.note ? `${found.note} ` : "",
          "Click a person, drag to move, + and − to magnify; or focus it and use the arrow keys.",
        ),
      );
    })
    .catch(showsIn(drawn));
  fill(
    list,
    peopleList(ask, query, entry, (node) =>
      choose(node)
        .then(() => card.scrollIntoView({ block: "nearest" }))
        .catch(showsIn(card)),
    ),
  );
  return h(
    "section.panel",
    { "aria-labelledby": "people-title" },
    h("h2", { id: "people-title" }, "The people"),
    h("p.soft", `Seen by somebody who ${entry.knowledge}.`),
    h("div.columns.aside", drawn, card),
    list,
  );
}

function showNobody(card) {
  fill(
    card,
    h("h3", "Choose a person"),
    h(
      "p.soft",
      "In the drawing or in the list below: you see their contacts, who looks like them, and why they are at risk.",
    ),
  );
}

function personCard(person, choose) {
  const names = (rows, total, none) => {
    if (!rows.length) return h("p.soft", none);
    const buttons = rows.map((row) =>
      h(
        "li",
        h("button.link", { onclick: () => choose(row.node) }, row.label),
        row.at_risk ? [h("i.swatch.at-risk", { "aria-hidden": "true" }), h("span.unseen", "at risk")] : null,
      ),
    );
    return [
      h("ul.names", buttons),
      total > rows.length ? h("p.soft.small", `and ${whole(total - rows.length)} more`) : null,
    ];
  };
  const states = person.attackers.filter((each) => each.state).map((each) => each.state);
  return [
    h("p.soft.small.person-word", "Person"),
    h("h3.person-name", person.label),
    h(
      "p",
      person.at_risk ? h("span.tag.risk", "at risk") : h("span.tag.fine", "has lookalikes"),
      ` ${states.join("; ")}`,
    ),
    person.why ? h("p", person.why) : null,
    h(
      "h4",
      `Looks like ${person.lookalikes_total ? counted(person.lookalikes_total, "other person", "other people") : "nobody else"}`,
    ),
    person.lookalikes_total ? names(person.lookalikes, person.lookalikes_total, "") : null,
    h("h4", counted(person.contacts, "contact")),
    names(person.among, person.contacts, "None."),
  ];
}

/** Those at risk, the riskiest first, and anybody by a part of their name. */
function peopleList(ask, query, entry, choose) {
  const id = newId("find");
  const input = h("input", { id, type: "search", autocomplete: "off", spellcheck: "false" });
  const place = h("div");
  let asked = 0;
  const show = async () => {
    asked += 1;
    const mine = asked;
    const find = input.value.trim();
    const found = await ask(`people?${query}&limit=50${find ? `&find=${encodeURIComponent(find)}` : ""}`);
    if (mine !== asked) return;
    const caption = find
      ? `${people(found.total)} whose name contains “${find}”.`
      : found.total > found.rows.length
        ? `The ${whole(found.rows.length)} riskiest of ${people(found.total)} at risk.`
        : `${people(found.total)} at risk, the riskiest first.`;
    fill(
      place,
      found.rows.length
        ? table(found.rows, caption, choose)
        : h("p.soft", find ? `Nobody’s name contains “${find}”.` : "Nobody is at risk to this attacker."),
    );
  };
  const fails = showsIn(place);
  let typing = 0;
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => show().catch(fails), 150);
  });
  show().catch(fails);
  return h(
    "details",
    { open: entry.figures.at_risk <= 12 },
    h("summary", "List of people"),
    h("div.field", h("label", { for: id }, "Find somebody by name"), input),
    place,
  );
}

function table(rows, caption, choose) {
  const name = (row) => [
    h("button.link", { onclick: () => choose(row.node) }, row.label),
    row.at_risk ? null : h("span.tag.fine", "has lookalikes"),
  ];
  return dataTable(
    ["person", "contacts", "known of them", "look alike"],
    rows.map((row) => [name(row), whole(row.contacts), row.state, whole(row.class_size)]),
    { caption, look: "stacked", isNumber: (place) => place % 2 === 1 },
  );
}
