// The trade-off of a release: move along it, see what each point costs and leaves, take one.

import { get, post } from "../api.js";
import { tradeOff } from "../charts/tradeoff.js";
import { announce, fill, h } from "../dom.js";
import { percentage, whole } from "../numbers.js";
import { go } from "../route.js";
import { know } from "../store.js";
import { actionButton, failure, loading, problemPlace } from "./notes.js";
import { dataTable } from "./tables.js";

/** A place that fills itself with the trade-off of a release. */
export function tradeOffPanel(id, release = null) {
  const place = h("div", loading("Loading the trade-off …"));
  Promise.resolve(release ?? get(`api/releases/${id}`))
    .then((found) => fill(place, shown(id, found)))
    .catch((problem) => fill(place, failure(problem)));
  return place;
}

function shown(id, { curve, record }) {
  if (!curve.length)
    return h(
      "p.soft",
      "This release was made without a trade-off. Tick “Find the whole trade-off” in step 3 to have one.",
    );
  const points = [{ deleted: 0, at_risk: record.at_risk_before, budget: 0 }, ...curve];
  const methods = Object.entries({ ...record.report.baselines, ...record.report.rivals });
  const others = methods.map(([name, other]) => ({ name: name.toUpperCase(), points: reached(other.curve) }));
  const problems = problemPlace();
  const taken = points.findLastIndex((point) => point.deleted <= record.deleted);
  let at = taken;
  const take = actionButton(
    "Take this point",
    "main",
    async () => {
      const run = know("runs", await post(`api/releases/${id}/take`, { budget: points[at].budget, note: "" }));
      announce("The release of this point is being made");
      go("protect", run.network);
    },
    problems,
  );
  const told = h("p.hint");
  const chosen = (index) => {
    at = index;
    const same = points[index].deleted === record.deleted && points[index].at_risk === record.at_risk_after;
    take.hidden = index === 0 || same;
    told.textContent =
      index === 0
        ? "This is the original."
        : same
          ? "This is the release that you have."
          : "netveil makes a release of this point without a new search. Publish one of them only: two can be compared with each other.";
  };
  const chart = tradeOff({ points, others, edges: record.edges, nodes: record.nodes, start: at, chosen });
  chosen(at);
  const rows = points.map((point) => [
    whole(point.deleted),
    percentage(point.deleted, record.edges),
    whole(point.at_risk),
    percentage(point.at_risk, record.nodes),
  ]);
  const table = h(
    "details",
    h("summary", "The same as a table"),
    dataTable(["ties deleted", "share", "people at risk", "share"], rows),
  );
  const about = methods.map(([name, other]) =>
    h("li", h("strong", name.toUpperCase()), ` ${other.description.replace(/^baseline: /, "")}`),
  );
  const beside = h("details", h("summary", "The other methods"), h("ul.small", about));
  return [chart, h("div.row", take), told, problems.place, table, about.length ? beside : null];
}

/** The fewest at risk that a method reached with so many deletions or fewer. */
function reached(curve) {
  let fewest = Infinity;
  return [...curve]
    .sort((one, other) => one[0] - other[0])
    .map(([deleted, atRisk]) => {
      fewest = Math.min(fewest, atRisk);
      return [deleted, fewest];
    });
}
