// The trade-off between ties deleted and people at risk: one moves along it by mouse, touch or arrow keys.

import { h, s, say } from "../dom.js";
import { percentage, people, ties, whole } from "../numbers.js";
import { drawAxes, inside, legend, picture, ticks } from "./frame.js";

const HEIGHT = 300;

/**
 * `points` are `{deleted, at_risk}`, by ties deleted; `others` are `{name, points: [[deleted, at risk]]}`.
 * `chosen(index)` is called when another point is looked at.
 */
export function tradeOff({ points, others, edges, nodes, start, chosen }) {
  let at = start;
  const most = Math.max(...points.map((point) => point.at_risk), 1);
  const widest = Math.max(...points.map((point) => point.deleted), 1);
  const yTicks = ticks(most);
  let box = null;
  const chart = picture("", HEIGHT, (svg, width, height) => {
    const xTicks = ticks((100 * widest) / edges, width < 420 ? 3 : 6, false).filter(
      (tick) => tick <= ((100 * widest) / edges) * 1.02,
    );
    box = inside(width, height, widest * 1.03, yTicks.at(-1), yTicks); // the last point is whole, too
    drawAxes(svg, box, yTicks, "ties deleted", "people at risk");
    for (const tick of xTicks) {
      svg.append(
        s("text.tick", { x: box.x((tick / 100) * edges), y: box.bottom + 19, "text-anchor": "middle" }, `${tick}%`),
      );
    }
    others.forEach((other, turn) => {
      svg.append(s("path", { class: `line other other-${turn % 3}`, d: path(other.points, box) }));
    });
    svg.append(
      s("path.line", {
        d: path(
          points.map((point) => [point.deleted, point.at_risk]),
          box,
        ),
      }),
    );
    const { deleted, at_risk: atRisk } = points[at];
    svg.append(
      s("line.cross", { x1: box.x(deleted), x2: box.x(deleted), y1: box.y(atRisk), y2: box.bottom }),
      s("line.cross", { x1: box.left, x2: box.x(deleted), y1: box.y(atRisk), y2: box.y(atRisk) }),
      ...points.map((point, index) =>
        s("circle", {
          class: index === at ? "dot chosen" : "dot",
          cx: box.x(point.deleted),
          cy: box.y(point.at_risk),
          r: index === at ? 8 : 4,
        }),
      ),
    );
  });
  const { svg } = chart;
  const words = () => {
    const point = points[at];
    return `${ties(point.deleted)} deleted (${percentage(point.deleted, edges)}), ${people(point.at_risk)} at risk (${percentage(point.at_risk, nodes)})`;
  };
  const move = (index) => {
    const next = Math.max(0, Math.min(points.length - 1, index));
    svg.setAttribute("aria-valuenow", next);
    if (next === at) return;
    at = next;
    svg.setAttribute("aria-valuetext", words());
    say(readout, words());
    chart.redraw();
    chosen(at);
  };
  const settings = {
    role: "slider",
    tabindex: "0",
    "aria-label": "Point of the trade-off",
    "aria-valuemin": 0,
    "aria-valuemax": points.length - 1,
    "aria-valuenow": at,
    "aria-valuetext": words(),
  };
  for (const [name, value] of Object.entries(settings)) svg.setAttribute(name, value);
  svg.classList.add("interactive");
  const follow = (event) => {
    if (!box) return;
    const x = event.clientX - svg.getBoundingClientRect().left;
    move(
      nearest(
        points.map((point) => box.x(point.deleted)),
        x,
      ),
    );
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    follow(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.buttons) follow(event);
  });
  const STEPS = {
    ArrowRight: 1,
    ArrowUp: 1,
    ArrowLeft: -1,
    ArrowDown: -1,
    PageUp: 5,
    PageDown: -5,
    Home: -points.length,
    End: points.length,
  };
  svg.addEventListener("keydown", (event) => {
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    move(at + STEPS[event.key]);
  });
  const readout = h("p.readout", { "aria-hidden": "true" }, words());
  const key = others.length
    ? legend([["after", "this search"], ...others.map((other, turn) => [`other other-${turn % 3}`, other.name])])
    : null;
  const hint = h("p.hint", `Click, drag, or use the arrow keys: ${whole(points.length)} points to look at.`);
  return h("div.tradeoff", key, chart.place, readout, hint);
}

function path(points, box) {
  return points.map(([deleted, atRisk], index) => `${index ? "L" : "M"}${box.x(deleted)} ${box.y(atRisk)}`).join("");
}

function nearest(places, x) {
  let best = 0;
  places.forEach((place, index) => {
    if (Math.abs(place - x) < Math.abs(places[best] - x)) best = index;
  });
  return best;
}
