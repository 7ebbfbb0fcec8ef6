// What all charts share: an SVG that follows the width of its place, ticks at round numbers, axes with titles.

import { h, newId, oncePerFrame, s } from "../dom.js";
import { whole } from "../numbers.js";

/** An SVG of the given height that `draw(svg, width, height)` fills, again whenever its place changes its width. */
export function picture(label, height, draw) {
  const svg = s("svg", { role: "img", "aria-label": label, class: "chart", height });
  const place = h("div.chart-place", svg);
  let width = 0;
  const redraw = oncePerFrame(() => {
    if (!width) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    draw(svg, width, height);
  });
  new ResizeObserver(([entry]) => {
    const found = Math.round(entry.contentRect.width);
    if (found === width) return;
    width = found;
    redraw();
  }).observe(place);
  return { place, svg, redraw, label: (text) => svg.setAttribute("aria-label", text) };
}

/** A chart with its title, what it shows in words, and the same figures as a table. */
export function captioned(title, chart, caption, table) {
  const id = newId("chart");
  const below = table ? h("details", h("summary", "The same as a table"), table) : null;
  return h("figure.charted", { "aria-labelledby": id }, h("h3", { id }, title), chart, h("figcaption", caption), below);
}

/** About `wanted` round numbers from 0 to at least `most`. */
export function ticks(most, wanted = 4, onlyWhole = true) {
  if (!(most > 0)) return [0, 1];
  const rough = most / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough - 1e-12);
  const used = onlyWhole ? Math.max(1, Math.ceil(step)) : step;
  const found = [];
  for (let value = 0; value < most + used * 0.999; value += used) found.push(Number(value.toPrecision(12)));
  return found;
}

/** The inner box of a chart, and functions from values to places in it. */
export function inside(width, height, xMost, yMost, yTicks) {
  const left = 12 + 7.5 * Math.max(...yTicks.map((tick) => whole(tick).length));
  const box = { left: left + 18, right: width - 12, top: 20, bottom: height - 46 };
  return {
    ...box,
    x: (value) => box.left + ((box.right - box.left) * value) / (xMost || 1),
    y: (value) => box.bottom - ((box.bottom - box.top) * value) / (yMost || 1),
  };
}

/** Lines and numbers at the ticks of the left axis, and the titles of both axes. */
export function drawAxes(svg, box, yTicks, xTitle, yTitle) {
  for (const tick of yTicks) {
    const y = box.y(tick);
    svg.append(
      s("line", { class: tick ? "grid" : "axis", x1: box.left, x2: box.right, y1: y, y2: y }),
      s("text.tick", { x: box.left - 8, y: y + 4, "text-anchor": "end" }, whole(tick)),
    );
  }
  const middle = (box.top + box.bottom) / 2;
  svg.append(
    s("text.axis-title", { x: (box.left + box.right) / 2, y: box.bottom + 42, "text-anchor": "middle" }, xTitle),
    s("text.axis-title", { x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, yTitle),
  );
}

/** Texts below the bottom axis, at given places; in two rows where they would touch in one. */
export function drawNames(svg, box, names, place) {
  const slot = (box.right - box.left) / names.length;
  const touching = names.some((name) => 7.7 * name.length > slot - 4); // as wide as digits of 12 pixels can be
  names.forEach((name, index) => {
    const y = box.bottom + (touching ? 15 + 12 * (index % 2) : 19);
    svg.append(s("text.tick", { x: place(index), y, "text-anchor": "middle" }, name));
  });
}

/** What the colours mean. */
export function legend(entries) {
  return h(
    "p.legend",
    entries.map(([look, name]) => h("span", h("i", { class: `swatch ${look}`, "aria-hidden": "true" }), name)),
  );
}
