// The line below the steps: which network or release one is looking at, and a choice where there are several.

import { h, newId } from "../dom.js";
import { moment, people, percentage, ties, whole } from "../numbers.js";
import { addressOf, go } from "../route.js";
import { networksInOrder, releasesInOrder, store } from "../store.js";

export function context(view, id) {
  if (!id || !["networks", "releases"].includes(view.shows) || view.onlyAsked) return null;
  if (view.shows === "networks" && store.networks.get(id)?.state !== "read") return null;
  const all =
    view.shows === "networks" ? networksInOrder().filter((network) => network.state === "read") : releasesInOrder();
  const line = view.shows === "networks" ? networkLine(store.networks.get(id)) : releaseLine(store.releases.get(id));
  const field = newId("chosen");
  const word = view.shows === "networks" ? "Network" : "Release";
  const choice =
    all.length > 1
      ? [
          h("label", { for: field }, `${word} `),
          h(
            "select",
            { id: field, onchange: (event) => go(view.name, event.target.value) },
            all.map((thing) => h("option", { value: thing.id, selected: thing.id === id }, nameOf(thing, view.shows))),
          ),
        ]
      : [`${word} `, h("strong", nameOf(all[0], view.shows))];
  return h(
    "div.context",
    { role: "region", "aria-label": `${word} in use` },
    h("div.context-line", h("p", choice), line),
  );
}

export function nameOf(thing, kind) {
  if (kind === "networks") return thing.file || thing.name;
  const figures = thing.figures ?? {};
  const note = thing.note ? ` “${thing.note}”` : "";
  if (figures.kind === "synthetic") return `${thing.name}${note}: ${drawnOf(figures)}`;
  return `${thing.name}${note}: ${whole(figures.deleted)} deleted, ${whole(figures.at_risk_after)} at risk to ${figures.measure}`;
}

/** A synthetic release in a few words. */
function drawnOf(figures) {
  return `synthetic, k = ${figures.k}, at most ${percentage(figures.rows, figures.nodes)} found on average`;
}

function networkLine(network) {
  return h(
    "p.soft",
    `${people(network.nodes)}, ${ties(network.edges)} · `,
    network.source === "upload" ? h("a", { href: addressOf("bring", network.id) }, "how it was read") : "built in",
  );
}

function releaseLine(release) {
  return h("p.soft", `made on ${moment(release.made_at)}`);
}
