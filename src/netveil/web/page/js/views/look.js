// Step 2, Look: who is at risk, to which attacker, where they sit, and a guide to what to do about it.

import { eyes, get } from "../api.js";
import { bars } from "../charts/bars.js";
import { fill, h } from "../dom.js";
import { people, percentage, whole } from "../numbers.js";
import { attackersTable } from "../parts/attackers.js";
import { bands } from "../parts/bands.js";
import { selectField } from "../parts/fields.js";
import { guide } from "../parts/guide.js";
import { figures, loading, panel, showsIn } from "../parts/notes.js";
import { peoplePanel } from "../parts/people.js";
import { networkRead, withoutNetwork } from "../parts/without-network.js";
import { noted, store } from "../store.js";

export const look = {
  name: "look",
  step: "Look",
  title: "Look at the network",
  shows: "networks",
  isOpen: () => [...store.networks.values()].some((network) => network.state === "read"),
  open(main, id, again) {
    const network = networkRead(id);
    main.append(h("h1", "Who can be found?"));
    if (!network) return withoutNetwork(main, id, "then you see here who in it can be singled out.", again);
    const ending = new AbortController();
    new Looking(main, network, ending.signal).start();
    return {
      close: () => ending.abort(),
      update() {
        const now = store.networks.get(id);
        if (now.state !== network.state || now.nodes !== network.nodes || now.edges !== network.edges) again();
      },
    };
  },
};

/** What is shown of one network, through the eyes of one attacker. */
class Looking {
  constructor(main, network, signal) {
    this.network = network;
    this.signal = signal;
    this.chosen = noted(`eyes ${network.id}`, () => ({ k: 2, measure: store.about.default_measure }));
    this.summary = h("div");
    this.table = h("section.panel", { "aria-busy": "true" }, loading("Counting lookalikes …"));
    this.charts = h("div.columns");
    this.who = h("div");
    main.append(
      h(
        "p.lead",
        "A person whose surroundings look like nobody else’s can be singled out, even when all names are gone. Whom an attacker can find depends on what the attacker knows.",
      ),
      this.summary,
      this.table,
      this.charts,
      this.who,
      guide(network),
    );
  }

  start() {
    this.measure().catch(showsIn(this.table));
  }

  /** All measures that do not take long, for the k that was chosen. */
  async measure() {
    const k = this.chosen.k;
    const found = await get(`api/networks/${this.network.id}/look?k=${k}`, this.signal);
    if (k !== this.chosen.k) return; // another was chosen meanwhile
    this.found = found;
    const known = noted(`dear ${this.network.id} ${this.chosen.k}`, () => new Map());
    this.entries = [...this.found.measures, ...known.values()];
    if (!this.entry()) this.chosen.measure = this.entries[0].name;
    this.showTable(known);
    this.showChosen();
  }

  entry() {
    return this.entries.find((entry) => entry.name === this.chosen.measure);
  }

  showTable(known) {
    const dear = this.found.dear.filter((each) => !known.has(each.name));
    this.table.removeAttribute("aria-busy");
    fill(
      this.table,
      h("div.panel-head", h("h2", "At risk, by what an attacker knows"), this.kChoice()),
      attackersTable({
        entries: this.entries,
        dear,
        network: this.network,
        chosen: this.chosen,
        signal: this.signal,
        choose: (name) => {
          this.chosen.measure = name;
          this.showChosen();
        },
        measured: (entry) => {
          known.set(entry.name, entry);
          this.entries.push(entry);
          this.showTable(known);
        },
      }),
    );
  }

  kChoice() {
    const sizes = [2, 3, 4, 5, 10, 20].map((k) => [String(k), k]);
    const { place, input } = selectField("How many must look alike", sizes, String(this.chosen.k));
    input.addEventListener("change", () => {
      this.chosen.k = Number(input.value);
      this.start();
    });
    return place;
  }

  /** Everything that depends on whose eyes one looks through. */
  showChosen() {
    const entry = this.entry();
    const found = entry.figures;
    const k = this.chosen.k;
    fill(
      this.summary,
      figures([
        ["People", whole(found.nodes)],
        ["Ties", whole(found.edges)],
        [
          "At risk",
          whole(found.at_risk),
          `${percentage(found.at_risk, found.nodes)} of the people`,
          found.at_risk ? "risk" : "",
        ],
        ["Groups of lookalikes", whole(found.classes), `${people(found.unique)} like nobody else`],
      ]),
    );
    const sizes = bands(found.class_sizes);
    fill(
      this.charts,
      panel(
        null,
        bars({
          title: "How many people look alike",
          caption: "People by how many look like them, themselves included. Those on the left are easily singled out.",
          names: sizes.names,
          series: [{ name: "people", look: "after", values: sizes.values }],
          xTitle: "people who look alike",
          yTitle: "people",
        }),
      ),
      panel(
        null,
        bars({
          title: "Where those at risk sit",
          caption: "People at risk by how many contacts they have. Those with many are hardest to hide.",
          names: entry.by_degree.map((row) => row.degree),
          series: [{ name: "at risk", look: "risk", values: entry.by_degree.map((row) => row.at_risk) }],
          xTitle: "contacts",
          yTitle: "people at risk",
        }),
      ),
    );
    const query = eyes({ measures: [entry.name], k });
    fill(this.who, peoplePanel(this.network, query, entry, this.signal));
  }
}
