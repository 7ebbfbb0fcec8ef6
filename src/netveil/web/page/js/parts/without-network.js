// Where a step needs a network that was read, or a release, and there is none: what to do, until there is one.

import { h } from "../dom.js";
import { addressOf } from "../route.js";
import { store } from "../store.js";
import { nameOf } from "./context.js";
import { emptyState, notHere } from "./notes.js";

/** The network of an id as far as a step can use it: null while it is not read. */
export function networkRead(id) {
  const network = id ? store.networks.get(id) : null;
  return network?.state === "read" ? network : null;
}

/** What stands in `main` meanwhile; `then` is what the step does with a network, `again` opens it anew. */
export function withoutNetwork(main, id, then, again) {
  const network = id ? store.networks.get(id) : null;
  main.append(network ? notRead(network) : none(then));
  const before = network?.state;
  return { update: () => store.networks.get(id)?.state !== before && again() };
}

/** What stands there instead of a release. */
export function withoutRelease(text, ...links) {
  return store.releases.size ? notHere("release") : emptyState("No release yet", text, ...links);
}

function none(then) {
  if ([...store.networks.values()].some((network) => network.state === "read")) return notHere("network");
  return emptyState(
    "No network yet",
    `Bring a network first; ${then}`,
    h("a.button.main", { href: "#/bring" }, "Bring a network"),
  );
}

function notRead(network) {
  const name = nameOf(network, "networks");
  if (network.state === "reading") return emptyState(`Reading ${name} …`, "This goes on as soon as it is read.");
  return emptyState(
    `${name} has not been read yet`,
    "Say first how netveil shall read it.",
    h("a.button.main", { href: addressOf("bring", network.id) }, "See what is asked"),
  );
}
