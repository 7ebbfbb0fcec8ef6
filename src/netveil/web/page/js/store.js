// What the server has, as this page knows it. One stream of events keeps it new; views hear of changes once a frame.

import { get } from "./api.js";
import { oncePerFrame } from "./dom.js";

const MOST_POINTS = 1200; // of a search that runs for hours; the server keeps 600
const RETRY = 2000; // milliseconds until the server is asked again
const PATIENCE = 3000; // milliseconds until the page is shown though the stream is silent: browsers limit their number

export const store = {
  about: null,
  networks: new Map(),
  runs: new Map(),
  releases: new Map(),
  experiments: new Map(),
  /** Whether the server is heard: `heard`, `silent`, `refused` or `ended`. */
  connection: "heard",
};

const listeners = new Set();
let changed = new Set();

const tellAll = oncePerFrame(() => {
  const what = changed;
  changed = new Set();
  for (const listener of [...listeners]) listener(what);
});

/** Calls `listener(what)` after changes, at most once a frame; returns a function that ends it. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(what) {
  changed.add(what);
  tellAll();
}

/** A thing as the server tells it: the one that is known, if nothing is new, so that nobody draws a form anew.
 *  An answer and the stream come by two connections: what was told first may arrive last, and is passed over. */
function known(kind, thing) {
  const before = store[kind].get(thing.id);
  if (!before || thing.revision > before.revision) return thing;
  const isOlder = thing.revision < before.revision;
  return isOlder || JSON.stringify(before) === JSON.stringify(thing) ? before : thing;
}

/** Takes up what an answer of the server holds before the stream tells it. */
export function know(kind, thing) {
  const now = known(kind, thing);
  store[kind].set(now.id, now);
  tell(kind);
  return now;
}

/** Forgets a thing that is gone. */
export function forget(kind, id) {
  store[kind].delete(id);
  tell(kind);
}

const KINDS = { network: "networks", run: "runs", release: "releases", experiment: "experiments" };

let stream = null; // while this page is seen: browsers allow six connections to a server, for all their tabs

/** Follows what changes; the promise ends when the stream has told how everything stands, or does not work. */
function connect() {
  stream?.close();
  stream = new EventSource("api/events");
  const heard = new Promise((resolve) => {
    for (const name of ["snapshot", "error"]) stream.addEventListener(name, resolve, { once: true });
  });
  const on = (name, take) => stream.addEventListener(name, (event) => take(JSON.parse(event.data)));
  on("snapshot", (state) => {
    for (const kind of Object.values(KINDS)) {
      store[kind] = new Map((state[kind] ?? []).map((thing) => [thing.id, known(kind, thing)]));
      tell(kind);
    }
    setConnection("heard");
  });
  for (const [name, kind] of Object.entries(KINDS)) {
    on(name, (thing) => know(kind, thing));
    on(`${name}-gone`, ({ id }) => forget(kind, id));
  }
  on("progress", ({ id, progress, point }) => {
    const run = store.runs.get(id);
    if (!run) return;
    run.progress = progress;
    if (point) run.history.push(point);
    if (run.history.length > MOST_POINTS)
      run.history = run.history.filter((_, place) => place % 2 === 0 || place === run.history.length - 1);
    tell("runs");
  });
  on("ending", () => setConnection("ended"));
  stream.onerror = () => {
    disconnect();
    reconnect();
  };
  return heard;
}

function disconnect() {
  stream?.close();
  stream = null;
}

/** Asks until the server answers again: it may have been ended, or started anew with another address. */
async function reconnect() {
  if (document.hidden) return;
  try {
    await get("api/state");
    connect();
  } catch (problem) {
    setConnection(problem.kind === "refused" ? "refused" : store.connection === "ended" ? "ended" : "silent");
    if (problem.kind !== "refused") setTimeout(reconnect, RETRY);
  }
}

function setConnection(connection) {
  if (store.connection === connection) return;
  store.connection = connection;
  tell("connection");
}

/** Learns what netveil can do and what is there, then follows what changes. */
export async function start() {
  const [about, state] = await Promise.all([get("api/about"), get("api/state")]);
  store.about = about;
  for (const kind of Object.values(KINDS)) {
    store[kind] = new Map((state[kind] ?? []).map((thing) => [thing.id, thing]));
  }
  // Before anything is brought: what the stream tells first must not take its place.
  await Promise.race([connect(), new Promise((resolve) => setTimeout(resolve, PATIENCE))]);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) disconnect();
    else if (!stream) reconnect();
  });
}

/** Runs of a network, or all; those that are active first, then the newest. */
export function runsInOrder() {
  const rank = (run) => (isActive(run) ? (run.state === "queued" ? 1 + run.queue : 0) : 1e9);
  return [...store.runs.values()].sort(
    (one, other) => rank(one) - rank(other) || other.created.localeCompare(one.created),
  );
}

/** Whether a run is waiting or at work. */
export function isActive(run) {
  return ["queued", "starting", "searching", "paused", "reporting"].includes(run.state);
}

/** Releases, the newest first. */
export function releasesInOrder() {
  return [...store.releases.values()].sort((one, other) => (other.made_at ?? "").localeCompare(one.made_at ?? ""));
}

/** Networks, the newest first. */
export function networksInOrder() {
  return [...store.networks.values()].sort((one, other) => other.added.localeCompare(one.added));
}

/** The eyes with which one looks at a network, and what one has filled in to protect it: kept while the page is open. */
const notes = new Map();

export function noted(key, fresh) {
  if (!notes.has(key)) notes.set(key, fresh());
  return notes.get(key);
}

export function note(key, value) {
  notes.set(key, value);
}
