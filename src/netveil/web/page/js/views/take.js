// Step 5, Take away: what may be published, what must be kept, and the lines that make it again.

import { get } from "../api.js";
import { announce, fill, h, say } from "../dom.js";
import { confirmed, loading, noteBox, panel, showsIn } from "../parts/notes.js";
import { withoutRelease } from "../parts/without-network.js";
import { addressOf } from "../route.js";
import { store } from "../store.js";

export const takeAway = {
  name: "take",
  step: "Take away",
  title: "Take the release away",
  shows: "releases",
  isOpen: () => store.releases.size > 0,
  open(main, id) {
    main.append(h("h1", "Take it away"));
    if (!id) {
      main.append(
        withoutRelease(
          "When a search is done, its files are here: those to publish, and those to keep.",
          h("a.button.main", { href: "#/protect" }, "Protect a network"),
        ),
      );
      return {};
    }
    const ending = new AbortController();
    const lines = h("div", loading("Writing the lines …"));
    const warnings = h("div");
    const from = `api/releases/${id}`;
    main.append(
      h("p.lead", "Two parts that must not be mixed up: one may be published, the other undoes the protection."),
      warnings,
      panel("To read and to sign", pages(from)),
      panel("Make this release again", lines),
    );
    get(`${from}/lines`, ending.signal)
      .then((found) => fill(lines, codeBoxes(found)))
      .catch(showsIn(lines));
    get(from, ending.signal)
      .then((release) =>
        fill(
          warnings,
          beforePublishing(id, release),
          h("div.columns", publicPart(from, release.record), privatePart(from)),
        ),
      )
      .catch(showsIn(warnings));
    return { close: () => ending.abort() };
  },
};

function beforePublishing(id, release) {
  const { verdict, policy } = release.record;
  return [
    noteBox(
      policy?.met ? "" : "warn",
      h("p", h("strong", verdict)),
      h(
        "p",
        h(
          "a",
          { href: addressOf("judge", id) },
          policy?.met === false ? "See what would help" : "See what it rests on",
        ),
      ),
    ),
    (release.warnings ?? []).map((text) => noteBox("warn", h("p", text))),
  ];
}

function publicPart(from, { policy }) {
  const isUnmet = policy?.met === false;
  const text = isUnmet ? "Download the public files all the same" : "Download the public files";
  return panel(
    "To publish",
    h("p", "The network with fresh numbers instead of names, in random order, and files that say what it is."),
    h("a", { class: `button ${isUnmet ? "risky" : "main"}`, href: `${from}/public.zip`, download: true }, text),
  );
}

const UNDOES = [
  "The private files say which published number is whom, and which ties were deleted or from what table new ones were drawn.",
  "Keep them where only those may look who may see the original. Never publish them, and never send them along with the public ones.",
];

function privatePart(from) {
  const download = async () => {
    const yes = "Download the private files";
    if (!(await confirmed({ title: "These files undo the protection", text: UNDOES, yes }))) return;
    const link = h("a", { href: `${from}/private.zip?confirmed=yes`, download: true });
    document.body.append(link);
    link.click();
    link.remove();
    announce("The private files are being downloaded");
  };
  return panel(
    "To keep, and never to publish",
    h(
      "p",
      "The report, the page to sign, which number is whom, what was deleted or drawn from, and the record of it all.",
    ),
    h("button.button.risky", { onclick: download }, "Download the private files …"),
  );
}

function pages(from) {
  const unseen = () => h("span.unseen", " (in a new tab)");
  const open = (file, text) =>
    h("a.button", { href: `${from}/${file}`, target: "_blank", rel: "noopener" }, text, unseen());
  return [
    h("p", "Both compare with the original, so both are private. The page to sign fits one sheet of paper."),
    h("div.row", open("report.html", "Open the report"), open("sign-off.html", "Open the page to sign")),
  ];
}

function codeBoxes({ command, python, repeats, does, note, needs }) {
  return [
    repeats ? h("p.soft", enough(needs ?? [], does), note ? ` ${note}` : "") : noteBox("", h("p", note)),
    command ? codeBox("In a terminal", command) : null,
    codeBox("In Python", python),
    (needs ?? []).filter((file) => file.text).map((file) => codeBox(`${file.name}: save this beside it`, file.text)),
    (needs ?? []).length
      ? h(
          "p.soft.small",
          "It takes ",
          needs.map((file, index) => [
            index ? ", " : "",
            h("code", file.name),
            file.sha256 ? [" with SHA-256 ", h("code", file.sha256)] : "",
            file.where ? ` (${file.where})` : "",
          ]),
          ".",
        )
      : null,
  ];
}

/** What one needs to delete or draw the same ties again. */
function enough(needs, does) {
  const lines = `These lines${needs.length ? " and the files named below" : ""}`;
  return `${lines} ${does}. Fresh numbers are drawn anew each time; labels.csv has those of this release.`;
}

function codeBox(title, text) {
  const button = h("button.button.small", { "aria-label": `Copy: ${title}` }, "Copy");
  const words = text.split(/( +|\n)/).map((word) => (word.trim() ? h("span.word", word) : word));
  const code = h("pre", { tabindex: "0", role: "region", "aria-label": title }, words);
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copied = false;
      getSelection().selectAllChildren(code); // one can still press Ctrl-C
    }
    say(button, copied ? "Copied" : "Selected: press Ctrl-C");
    announce(copied ? "Copied" : "Selected, press Control C");
    setTimeout(() => say(button, "Copy"), 2500);
  });
  return h("div.code-box", h("div.code-box-head", h("h3", title), button), code);
}
