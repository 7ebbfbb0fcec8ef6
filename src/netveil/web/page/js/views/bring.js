// Step 1, Bring: a file, a built-in network or a release folder, and how netveil read it.

import { Problem, post, remove, send } from "../api.js";
import { announce, fill, h, newId, s, say } from "../dom.js";
import { bytes, moment, people, ties } from "../numbers.js";
import { isReleaseFolder, takesDrops } from "../parts/dropped.js";
import { actionButton, confirmed, panel, problemPlace } from "../parts/notes.js";
import { readingPanel } from "../parts/reading.js";
import { addressOf, go } from "../route.js";
import { forget, know, networksInOrder, releasesInOrder, store } from "../store.js";
import { nameOf } from "../parts/context.js";
import { verdictTag } from "../parts/verdict.js";

export const bring = {
  name: "bring",
  step: "Bring",
  title: "Bring a network",
  shows: "networks",
  onlyAsked: true,
  isOpen: () => true,
  open(main, id) {
    const here = h("div");
    const reading = h("div");
    const listed = () => {
      const focused = here.contains(document.activeElement) ? nameOfFocus(document.activeElement) : null;
      fill(here, alreadyHere());
      if (focused) [...here.querySelectorAll("a, button")].find((each) => nameOfFocus(each) === focused)?.focus();
    };
    const network = id ? store.networks.get(id) : null;
    let shown = network;
    const showReading = () => fill(reading, shown ? readingPanel(shown) : null);
    main.append(
      h("h1", "Bring a network"),
      h(
        "p.lead",
        "A file that says who knows whom. netveil shows how it read the file before anything else happens; the file itself never leaves this machine.",
      ),
      reading,
      dropZone(Boolean(network)),
      h("div.columns", builtIn(), here),
    );
    showReading();
    listed();
    return {
      update(what) {
        if (what.has("networks") || what.has("releases")) listed();
        const now = id ? store.networks.get(id) : null;
        if (now !== shown) {
          shown = now;
          showReading();
        }
      },
    };
  },
};

/** What a link or button of the list is about: the list is made anew when something changes. */
function nameOfFocus(element) {
  return element.getAttribute("href") ?? element.getAttribute("aria-label");
}

/** Where a file is dropped; smaller once there is one. */
function dropZone(again) {
  const problems = problemPlace();
  const progress = h("progress", { max: 1, hidden: true, "aria-label": "Sending the file to netveil" });
  const status = h("p.hint", { role: "status" });
  const file = h("input", {
    type: "file",
    class: "unseen",
    id: newId("file"),
    tabindex: "-1",
    "aria-label": "A file with a network",
  });
  const folder = h("input", {
    type: "file",
    class: "unseen",
    id: newId("folder"),
    webkitdirectory: true,
    tabindex: "-1",
    "aria-label": "A release folder",
  });
  const take = async (files) => {
    problems.clear();
    try {
      await upload(files, (share) => {
        progress.hidden = false;
        if (share === null || share >= 1) progress.removeAttribute("value");
        else progress.value = share;
        say(status, share >= 1 ? "Reading it …" : "Sending it to netveil on this machine …");
      });
    } catch (problem) {
      if (!problem.kind) throw problem;
      problems.show(problem);
    } finally {
      progress.hidden = true;
      say(status, "");
      file.value = "";
      folder.value = "";
    }
  };
  file.addEventListener("change", () => take([...file.files]));
  folder.addEventListener("change", () =>
    take([...folder.files].map((each) => ({ path: each.webkitRelativePath, size: each.size, blob: each }))),
  );
  const zone = h(
    "section",
    { class: again ? "drop again" : "drop", "aria-labelledby": "drop-title" },
    dropMark(),
    h("h2", { id: "drop-title" }, again ? "Or drop another file here" : "Drop a file here"),
    h(
      "div.row.centred",
      h("button", { class: again ? "button" : "button main", onclick: () => file.click() }, "Choose a file"),
      h("button.button", { onclick: () => folder.click() }, "Choose a release folder"),
      file,
      folder,
    ),
    h(
      "p.hint",
      `Tables of ties (CSV, text, Excel, Parquet, JSON), matrices, adjacency lists, GraphML, GML, Pajek and more; compressed or not; up to ${bytes(store.about.largest_upload)}.`,
    ),
    progress,
    status,
    problems.place,
  );
  return takesDrops(zone, take);
}

function dropMark() {
  return s(
    "svg",
    { viewBox: "0 0 48 48", class: "drop-mark", "aria-hidden": "true" },
    s("path", { d: "M24 6v24M15 21l9 9 9-9M8 32v8h32v-8" }),
  );
}

/** Sends a file or a release folder, and goes on to what came of it. */
async function upload(files, told) {
  if (!files.length) return;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (isReleaseFolder(files)) {
    const release = know("releases", await send("api/releases", files, told));
    announce(`Release ${release.name} opened`);
    go("judge", release.id);
    return;
  }
  if (files.length > 1)
    throw new Problem(
      "mistake",
      "That is more than one file. Bring one file with a network, or a release folder with its parts public and private.",
    );
  if (size > store.about.largest_upload) {
    throw new Problem(
      "too-large",
      `${files[0].name} has ${bytes(size)}, and this page takes files up to ${bytes(store.about.largest_upload)}. Larger networks go through the command line: netveil anonymize FILE.`,
    );
  }
  const network = know("networks", await send("api/networks", files, told));
  announce(
    network.state === "read"
      ? `${network.file} read: ${people(network.nodes)}, ${ties(network.edges)}`
      : `netveil has a question about ${network.file}`,
  );
  go("bring", network.id);
}

function builtIn() {
  const problems = problemPlace();
  const open = async (name) => {
    const network = know("networks", await post("api/networks/builtin", { name }));
    go("look", network.id);
  };
  const rows = store.about.builtin
    .filter((network) => network.available)
    .map((network) => {
      const button = actionButton("Open", "small", () => open(network.name), problems);
      button.setAttribute("aria-label", `Open ${network.name}`);
      return h("li.listed", h("div", h("strong", network.name), h("span.aside-line", network.description)), button);
    });
  return panel("Or try a network that is here already", h("ul.list", rows), problems.place);
}

const COPY = "netveil deletes its copy of the network. Your own file and finished releases stay.";
const FILES =
  "Its public and private files are deleted from this page. Take away first what you want to keep: without the private files nobody can tell who is who.";

/** Networks and releases by project, which is the name of the network; the newest first. */
function alreadyHere() {
  const problems = problemPlace();
  const projects = new Map();
  const add = (name, when, entry) => projects.set(name, [...(projects.get(name) ?? []), [when ?? "", entry]]);
  for (const network of networksInOrder()) {
    const told = {
      read: `${people(network.nodes)}, ${ties(network.edges)}`,
      question: "netveil has a question",
      refused: "could not be read",
      reading: "being read …",
    }[network.state];
    const target = addressOf(network.source === "builtin" ? "look" : "bring", network.id);
    const entry = [
      nameOf(network, "networks"),
      `network · ${told} · ${moment(network.added)}`,
      target,
      () => removed("networks", network, COPY),
    ];
    add(network.name, network.added, listed(...entry, problems));
  }
  for (const release of releasesInOrder()) {
    const { figures, made_at: made } = release;
    const told = [`release · ${moment(made)} `, verdictTag(figures)];
    const deletion = release.can_delete ? () => removed("releases", release, FILES) : null;
    const entry = [nameOf(release, "releases"), told, addressOf("judge", release.id), deletion];
    add(figures?.network ?? release.name, made, listed(...entry, problems));
  }
  const failed = networksInOrder().filter((network) => network.state === "refused");
  const away = actionButton(
    "Throw away what could not be read",
    "small",
    () => Promise.all(failed.map(({ id }) => drop("networks", id))),
    problems,
  );
  const newest = (entries) =>
    entries
      .map(([when]) => when)
      .sort()
      .at(-1);
  const shown = [...projects].sort(([, one], [, other]) => newest(other).localeCompare(newest(one)));
  return panel(
    "Networks and releases of yours",
    shown.length ? null : h("p.soft", "None yet. What you bring and what you make is listed here."),
    failed.length ? h("p", away) : null,
    shown.map(([name, entries]) => [
      h("h3", name),
      h(
        "ul.list",
        entries.map(([, entry]) => entry),
      ),
    ]),
    problems.place,
  );
}

function listed(name, told, target, deletion, problems) {
  const button = deletion ? actionButton("Delete", "small", deletion, problems) : null;
  button?.setAttribute("aria-label", `Delete ${name}`);
  return h("li.listed", h("div", h("a", { href: target }, name), h("span.aside-line", told)), button);
}

/** Deletes a network or a release, if one is sure. */
async function removed(kind, thing, text) {
  const sure = await confirmed({ title: `Delete ${nameOf(thing, kind)}?`, text, yes: "Delete" });
  if (sure) await drop(kind, thing.id);
}

async function drop(kind, id) {
  await remove(`api/${kind}/${id}`);
  forget(kind, id);
}
