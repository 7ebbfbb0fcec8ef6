// Bars side by side: how many people in each of a few groups, once or before and after.

import { h, s } from "../dom.js";
import { whole } from "../numbers.js";
import { dataTable } from "../parts/tables.js";
import { captioned, drawAxes, drawNames, inside, legend, picture, ticks } from "./frame.js";

const HEIGHT = 250;

/** A chart of bars; `series` are `{name, look, values}`, one value a name. */
export function bars({ title, caption, names, series, xTitle, yTitle }) {
  const most = Math.max(1, ...series.flatMap((each) => each.values));
  const yTicks = ticks(most);
  const spoken = names.map(
    (name, index) => `${name}: ${series.map((each) => `${whole(each.values[index])} ${each.name}`).join(", ")}`,
  );
  const { place } = picture(`Bars. ${xTitle}: ${spoken.join("; ")}`, HEIGHT, (svg, width, height) => {
    const box = inside(width, height, names.length, yTicks.at(-1), yTicks);
    drawAxes(svg, box, yTicks, xTitle, yTitle);
    drawNames(svg, box, names, (index) => box.x(index + 0.5));
    const wide = Math.min(64, ((box.right - box.left) / names.length) * 0.8) / series.length;
    series.forEach((each, turn) => {
      each.values.forEach((value, index) => {
        const x = box.x(index + 0.5) + (turn - series.length / 2) * wide;
        const y = box.y(value);
        const bar = s("rect", {
          class: `bar ${each.look}`,
          x,
          y,
          width: Math.max(1, wide - 2),
          height: Math.max(0, box.bottom - y),
          rx: 2,
        });
        svg.append(bar);
        if (value > 0)
          svg.append(s("text.bar-value", { x: x + wide / 2 - 1, y: y - 4, "text-anchor": "middle" }, whole(value)));
      });
    });
  });
  const header = [xTitle, ...series.map((each) => each.name)];
  const rows = names.map((name, index) => [name, ...series.map((each) => whole(each.values[index]))]);
  const key = series.length > 1 ? legend(series.map((each) => [each.look, each.name])) : null;
  return captioned(title, h("div", key, place), caption, dataTable(header, rows));
}

/** A thin bar for a share, to stand in a cell of a table. */
export function shareBar(share, look = "risk") {
  const bar = h("span", { class: `share ${look}`, "aria-hidden": "true" }, h("span"));
  bar.firstChild.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return bar;
}
