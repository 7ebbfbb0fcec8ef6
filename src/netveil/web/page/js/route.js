// Addresses of views: #/look/ID. What is looked at is remembered, so that a step without an id goes on with it.

import { networksInOrder, releasesInOrder, store } from "./store.js";

const last = { networks: null, releases: null, experiments: null };

export function parseRoute(hash) {
  const [, view = "", id = null] = hash.replace(/^#/, "").split("/");
  return { view, id: id ? decodeURIComponent(id) : null };
}

export function addressOf(view, id = null) {
  return id ? `#/${view}/${encodeURIComponent(id)}` : `#/${view}`;
}

/** Goes to a view; a second call with the same address does nothing. */
export function go(view, id = null) {
  location.hash = addressOf(view, id);
}

/** The id of what a view shows: the one asked for, or else the last one looked at, or the newest; null where there is
 *  none. What was asked for and is not here is never replaced by another: one would protect the wrong network. */
export function current(view, asked) {
  const kind = view.shows;
  if (!kind) return asked;
  const found = asked ? store[kind].get(asked) : null;
  if (found && isReady(found)) last[kind] = asked;
  if (asked || view.onlyAsked) return found ? asked : null;
  if (last[kind] && store[kind].has(last[kind])) return last[kind];
  const inOrder = {
    networks: networksInOrder,
    releases: releasesInOrder,
    experiments: () => [...store.experiments.values()],
  };
  return inOrder[kind]().find(isReady)?.id ?? null;
}

/** Whether one can go on with a thing: a network that raised a question has none of the next steps. */
function isReady(thing) {
  return thing.state === undefined || thing.state === "read";
}
