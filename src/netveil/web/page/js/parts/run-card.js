// A search in the queue: how it gets on while it runs, what may be done with it, what came of it.

import { post, remove } from "../api.js";
import { fallingCurve } from "../charts/falling.js";
import { announce, fill, h, say } from "../dom.js";
import { capital, counted, duration, moment, percentage, ties, whole } from "../numbers.js";
import { addressOf } from "../route.js";
import { forget, know, store } from "../store.js";
import { actionButton, confirmed, problemPlace } from "./notes.js";
import { verdictTag } from "./verdict.js";

const STATES = {
  queued: ["waiting", ""],
  starting: ["starting", "accent"],
  searching: ["searching", "accent"],
  paused: ["paused", ""],
  reporting: ["writing the report", "accent"],
  done: ["done", "fine"],
  failed: ["failed", "risk"],
  cancelled: ["cancelled", ""],
  "cut-off": ["cut off", "risk"],
};
const DEEDS = {
  pause: ["Pause", "small"],
  continue: ["Go on", "small main"],
  resume: ["Go on from its best", "small main"],
  stop: ["Stop and keep the best", "small"],
  cancel: ["Cancel", "small"],
};
const DRAWING = { searching: "drawing", resume: "Draw it again" }; // what is said of a synthetic network instead
const CUT_OFF = "netveil ended while this search ran. It can go on from the best it had found.";
const DRAWING_CUT_OFF = "netveil ended meanwhile. It can be drawn again: the same seed gives the same ties.";

/** The card; `update(run)` draws what changed, and nothing else. */
export function runCard(run) {
  const id = run.id;
  const drawn = run.kind === "synthetic";
  const tag = h("span.tag");
  const title = h("h4", run.note || moment(run.created));
  const asked = h("p.soft.small.asked", askedOf(run), run.note ? ` · ${moment(run.created)}` : "");
  const message = h("div");
  const live = liveFigures();
  const problems = problemPlace();
  const deeds = Object.fromEntries(
    Object.entries(DEEDS).map(([name, [text, look]]) => [
      name,
      actionButton((drawn && DRAWING[name]) || text, look, () => act(id, name), problems),
    ]),
  );
  const drop = actionButton("Delete", "small", () => discard(id), problems);
  const onward = [
    h("a.button.small.main", { href: addressOf("judge", id) }, "Judge it"),
    h("a.button.small", { href: addressOf("take", id) }, "Take it away"),
  ];
  const row = h("div.row.deeds", onward, Object.values(deeds), drop);
  const place = h(
    "article.panel.run",
    { data: { run: id } },
    h("div.panel-head", title, tag),
    asked,
    message,
    live.place,
    row,
    problems.place,
  );
  let state = null;
  return {
    place,
    update(now) {
      live.show(now);
      if (now.state === state && !["queued", "reporting"].includes(state)) return;
      const was = state;
      state = now.state;
      const [usual, look] = STATES[state] ?? [state, ""];
      const word = (drawn && DRAWING[state]) || usual;
      say(tag, state === "queued" && now.queue ? `waiting, number ${now.queue}` : word);
      tag.className = `tag ${look}`;
      place.dataset.state = state;
      fill(message, messageOf(now));
      say(deeds.stop, state === "reporting" ? "Leave out the rest of the report" : DEEDS.stop[0]);
      for (const [name, button] of Object.entries(deeds)) button.hidden = !now.can.includes(name);
      drop.hidden = ["queued", "starting", "searching", "paused", "reporting"].includes(state);
      onward.forEach(
        (link, place) => (link.hidden = state !== "done" || (place > 0 && now.figures?.policy?.met === false)),
      );
      if (was && was !== state) announce(`${now.note || now.name}: ${word}`);
    },
  };
}

function askedOf(run) {
  const { options } = run;
  if (run.kind === "synthetic") return `synthetic · k = ${options.k} · ${counted(options.copies, "network")}`;
  if (run.kind === "point") return `A point of a trade-off, at most ${ties(run.budget)} deleted.`;
  const much = options.target ? `target ${options.target}` : `budget ${options.budget ?? "5%"}`;
  const long = options.time ? duration(options.time) : options.effort && `effort ${options.effort}`;
  return [
    much,
    options.measures.join(" + "),
    `k = ${options.k}`,
    options.distance > 1 ? `distance ${options.distance}` : null,
    long,
  ]
    .filter(Boolean)
    .join(" · ");
}

function messageOf(run) {
  const { figures } = run;
  if (run.state === "failed") return h("div.note.warn", { role: "alert" }, h("p", run.error));
  if (run.state === "cut-off") return h("p", run.kind === "synthetic" ? DRAWING_CUT_OFF : CUT_OFF);
  if (run.state === "done" && figures?.kind === "synthetic")
    return h(
      "p.outcome",
      h("strong", `At most ${percentage(figures.rows, figures.nodes)} of people found on average`),
      `, nobody with a chance above 1 in ${whole(figures.smallest_row)}. All ties are made up. `,
      verdictTag(figures),
    );
  if (run.state === "done" && figures) {
    return h(
      "p.outcome",
      h("strong", `${whole(figures.at_risk_before)} → ${whole(figures.at_risk_after)} at risk`),
      ` to ${figures.measure}, ${ties(figures.deleted)} of ${whole(figures.edges)} deleted. `,
      figures.stopped_by === "interrupted" ? "Stopped by hand. " : "",
      verdictTag(figures),
    );
  }
  return (run.announced ?? []).filter(() => run.state !== "cancelled").map((text) => h("p.soft.small", text));
}

/** What moves while a search runs: figures, bar and curve, made when there is something to show. */
function liveFigures() {
  const atRisk = h("dd");
  const spent = h("dd");
  const left = h("dd");
  const list = h(
    "dl.live",
    h("div", h("dt", "still at risk"), atRisk),
    h("div", h("dt", "ties deleted"), spent),
    h("div", h("dt", "time"), left),
  );
  const bar = h("progress", { max: 1, "aria-label": "Share of the work that is done" });
  const doing = h("p.soft.small.doing");
  const curvePlace = h("div");
  const place = h("div.live-figures", { hidden: true }, list, bar, doing, curvePlace);
  let curve = null;
  let since = null; // when this page first saw what is done now
  let shown = null;
  let ticking;
  const tell = () => {
    const seconds = Math.floor((Date.now() - since.at) / 1000);
    say(doing, `${doingOf(shown)}${seconds > 1 && shown.state !== "paused" ? ` · ${duration(seconds)}` : ""}`);
  };
  return {
    place,
    show(run) {
      const { progress } = run;
      const runs = ["starting", "searching", "paused", "reporting"].includes(run.state);
      place.hidden = !runs || (!progress && !run.doing);
      if (place.hidden) return;
      const counts = progress?.at_first !== undefined; // else it is drawn
      list.hidden = !counts;
      since = since?.doing === run.doing ? since : { doing: run.doing, at: Date.now() };
      ticking ??= setInterval(() => (place.hidden ? (ticking = clearInterval(ticking)) : tell()), 1000);
      shown = run;
      tell();
      const share = run.state === "reporting" ? null : progress?.share;
      if (share === null || share === undefined) bar.removeAttribute("value");
      else bar.value = share;
      if (!progress) return;
      if (!counts) return;
      say(atRisk, `${whole(progress.at_risk)} of ${whole(progress.at_first)}`);
      say(spent, `${whole(progress.deleted)} of ${whole(progress.budget)}`);
      say(left, run.state === "searching" ? progress.left || duration(progress.seconds) : duration(progress.seconds));
      if (!curve) {
        curve = fallingCurve(progress.at_first, progress.enough || null);
        fill(curvePlace, curve.place);
      }
      curve.show([[0, progress.at_first, 0], ...run.history], progress.seconds);
    },
  };
}

async function act(id, deed) {
  if (deed === "cancel") {
    const sure = await confirmed({
      title: "Cancel it?",
      text: `Nothing of it is kept.${store.runs.get(id).can.includes("stop") ? " To keep the best found so far, stop it instead." : ""}`,
      yes: "Cancel it",
      no: "Go on",
    });
    if (!sure) return;
  }
  know("runs", await post(`api/runs/${id}/${deed}`));
}

async function discard(id) {
  const run = store.runs.get(id);
  if (run.state === "done") {
    const text = `${run.name}, made on ${moment(run.ended)}: its public and private files are deleted from this page. Take away first what you want to keep.`;
    if (!(await confirmed({ title: "Delete this release?", text, yes: "Delete" }))) return;
  }
  await throwAway(id);
}

/** Deletes a run with all that came of it. */
export async function throwAway(id) {
  await remove(`api/runs/${id}`);
  forget("runs", id);
  forget("releases", id);
}

function doingOf(run) {
  if (run.state === "paused") return run.kind === "synthetic" ? "Paused." : "Paused: the best so far is kept.";
  if (run.state === "starting")
    return "Starting. The very first time, netveil compiles what it needs, for up to a minute.";
  return capital((run.state === "searching" && run.progress?.doing) || run.doing || "");
}
