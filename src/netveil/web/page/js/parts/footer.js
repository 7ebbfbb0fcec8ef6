// The foot of the page: that nothing leaves this machine, where things are kept, and how to end or delete all of it.

import { post } from "../api.js";
import { fill, h } from "../dom.js";
import { counted } from "../numbers.js";
import { store } from "../store.js";
import { actionButton, confirmed, noteBox, problemPlace } from "./notes.js";

export function footer(place) {
  const problems = problemPlace();
  const kept = store.about.temporary
    ? "What you bring is deleted when netveil ends."
    : "What you bring stays in a private folder until you delete it: ";
  const told = h("div", { "aria-live": "polite" });
  const row = h(
    "div.row",
    actionButton("Open in another browser", "small", () => otherBrowser(told), problems),
    actionButton("Delete everything", "small", () => forgetAll(told), problems),
    actionButton("End netveil", "small", quit, problems),
  );
  fill(
    place,
    `netveil ${store.about.version} runs on this machine only. This page loads nothing from elsewhere and works offline. `,
    kept,
    store.about.temporary ? null : h("code", store.about.folder),
  );
  place.after(row, told, problems.place);
}

async function otherBrowser(told) {
  const { address } = await post("api/address");
  fill(told, noteBox("", h("p", "Open this address once, on this machine: ", h("code", address))));
}

async function forgetAll(told) {
  const go = await confirmed({
    title: "Delete everything?",
    text: "All networks, runs and releases of this page are deleted from this machine: also the private files, which you need to tell who is who. Take away first what you want to keep.",
    yes: "Delete everything",
  });
  if (!go) return;
  const { forgotten } = await post("api/forget", { confirm: true });
  fill(told, h("p", `${counted(forgotten, "thing")} deleted.`));
  location.hash = "#/bring";
}

async function quit() {
  const go = await confirmed({
    title: "End netveil?",
    text: "A search that is running keeps its best, and can go on when you start netveil again.",
    yes: "End netveil",
    risky: false,
  });
  if (go) await post("api/quit");
}
