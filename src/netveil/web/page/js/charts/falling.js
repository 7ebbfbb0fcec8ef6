// The curve of those at risk while a search runs: falling with time, drawn at most once a frame.

import { s } from "../dom.js";
import { duration, people, whole } from "../numbers.js";
import { drawAxes, inside, picture, ticks } from "./frame.js";

const HEIGHT = 230;

/** A curve that grows; `add` takes points `[seconds, at risk]`, `before` is how many were at risk at first. */
export function fallingCurve(before, enough = null) {
  let points = [];
  let seconds = 1;
  const yTicks = ticks(before);
  const chart = picture("People still at risk, against time.", HEIGHT, (svg, width, height) => {
    const xTicks = ticks(seconds, width < 420 ? 3 : 6, seconds > 8);
    const box = inside(width, height, Math.max(seconds, xTicks[1] ?? 1), yTicks.at(-1), yTicks);
    drawAxes(svg, box, yTicks, "seconds of search", "people at risk");
    for (const tick of xTicks.filter((value) => value <= seconds)) {
      svg.append(
        s("text.tick", { x: box.x(tick), y: box.bottom + 19, "text-anchor": "middle" }, tick.toLocaleString("en-US")),
      );
    }
    if (enough !== null)
      svg.append(s("line.target-line", { x1: box.left, x2: box.right, y1: box.y(enough), y2: box.y(enough) }));
    if (!points.length) return;
    const steps = points.map(([when, atRisk], index) =>
      index ? `H${box.x(when)}V${box.y(atRisk)}` : `M${box.x(when)} ${box.y(atRisk)}`,
    );
    const line = `${steps.join("")}H${box.x(seconds)}`;
    svg.append(
      s("path.area", { d: `${line}V${box.bottom}H${box.x(points[0][0])}Z` }),
      s("path.line", { d: line }),
      s("circle.dot", { cx: box.x(seconds), cy: box.y(points.at(-1)[1]), r: 4.5 }),
    );
  });
  return {
    place: chart.place,
    /** All points so far, and how long the search has run. */
    show(known, running) {
      points = thinned(known);
      seconds = Math.max(running, points.at(-1)?.[0] ?? 0, 0.001);
      if (points.length)
        chart.label(
          `Curve: of ${people(before)} at risk ${whole(points.at(-1)[1])} are left after ${duration(seconds)}.`,
        );
      chart.redraw();
    },
  };
}

/** Only the points where the curve falls. */
function thinned(points) {
  return points.filter((point, index) => index === 0 || point[1] !== points[index - 1][1]);
}
