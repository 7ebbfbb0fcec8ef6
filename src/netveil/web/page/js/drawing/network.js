// A network drawn on a canvas: people at risk as red diamonds, all others as blue circles, ties as lines.
//
// Nodes are `{x, y, atRisk}` with places from 0 to 1, edges `[one, other, deleted]` by the numbers of the nodes.

import { h, oncePerFrame } from "../dom.js";
import { painted } from "./paint.js";

const MARGIN = 24;
const TOOLS = 36; // pixels at the right that belong to the buttons
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** An element with the drawing; `picked(node)` is told whom one clicks or reaches by keys, null for nobody. */
export function drawnNetwork({ nodes, edges, eye, label, deletedAs = null, picked = () => {}, small = false }) {
  const canvas = h("canvas", {
    tabindex: "0",
    role: "application",
    "aria-label": label,
    "aria-roledescription": "drawn network",
  });
  const paint = painted(canvas, nodes, edges, deletedAs);
  let selected = null;
  let size = { width: 0, height: 0 };
  const placed = () => placing(size, eye.view);
  const redraw = oncePerFrame(() => {
    if (size.width) paint(placed(), size, selected);
  });
  const select = (index, tell = true) => {
    selected = index;
    if (index !== null) eye.show(nodes[index].x, nodes[index].y);
    redraw();
    if (tell) picked(index);
  };
  eye.listen(redraw);
  new ResizeObserver(([entry]) => {
    size = { width: entry.contentRect.width, height: entry.contentRect.height };
    redraw();
  }).observe(canvas);
  listenToColours(canvas, redraw);
  listenToPointer(
    canvas,
    eye,
    placed,
    () => size,
    (x, y) => select(closest(nodes, placed(), x, y)),
  );
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in STEPS) select(neighbour(nodes, selected, STEPS[event.key]));
    else if (event.key === "+" || event.key === "=") eye.magnify(1.4);
    else if (event.key === "-") eye.magnify(1 / 1.4);
    else if (event.key === "0") eye.whole();
    else if (event.key === "Escape") select(null);
    else return;
    event.preventDefault();
  });
  const tools = h(
    "div.drawn-tools",
    h("button.button", { "aria-label": "Magnify", title: "Magnify", onclick: () => eye.magnify(1.5) }, "+"),
    h("button.button", { "aria-label": "Show more", title: "Show more", onclick: () => eye.magnify(1 / 1.5) }, "−"),
    h("button.button", { "aria-label": "Show all", title: "Show all", onclick: () => eye.whole() }, "⤢"),
  );
  return { place: h("div", { class: small ? "drawn small" : "drawn" }, canvas, tools), select, redraw };
}

/** Where a place of the drawing comes to lie on the canvas, and back. */
function placing(size, view) {
  const wide = size.width - TOOLS;
  const side = Math.min(wide, size.height) - 2 * MARGIN;
  // The drawing fills its canvas: wider than high where that is.
  const across = Math.max(side, Math.min(wide - 2 * MARGIN, side * 1.7)) * view.zoom;
  const down = side * view.zoom;
  const left = wide / 2 - view.x * across;
  const top = size.height / 2 - view.y * down;
  return {
    across,
    down,
    left,
    top,
    zoom: view.zoom,
    x: (x) => left + x * across,
    y: (y) => top + y * down,
    back: (x, y) => ({ x: (x - left) / across, y: (y - top) / down }),
  };
}

function closest(nodes, place, x, y) {
  let best = null;
  let least = 18 ** 2;
  nodes.forEach((node, index) => {
    const distance = (place.x(node.x) - x) ** 2 + (place.y(node.y) - y) ** 2;
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/** Whoever is nearest in a direction; at first, somebody at risk. */
function neighbour(nodes, from, [dx, dy]) {
  if (from === null)
    return Math.max(
      0,
      nodes.findIndex((node) => node.atRisk),
    );
  let best = from;
  let least = Infinity;
  nodes.forEach((node, index) => {
    const along = (node.x - nodes[from].x) * dx + (node.y - nodes[from].y) * dy;
    const aside = Math.abs((node.x - nodes[from].x) * dy) + Math.abs((node.y - nodes[from].y) * dx);
    if (index === from || along <= 0 || along + 2 * aside >= least) return;
    [best, least] = [index, along + 2 * aside];
  });
  return best;
}

/** Paints anew in other colours, as long as the canvas is in the page. */
function listenToColours(canvas, redraw) {
  const ending = new AbortController();
  const repaint = () => (canvas.isConnected ? redraw() : ending.abort());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint, { signal: ending.signal });
  addEventListener("netveil-colours", repaint, { signal: ending.signal });
}

function listenToPointer(canvas, eye, placed, sizeOf, click) {
  let last = null;
  let moved = 0;
  const at = (event) => {
    const frame = canvas.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    last = at(event);
    moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!last) return;
    const here = at(event);
    moved += Math.abs(here.x - last.x) + Math.abs(here.y - last.y);
    const place = placed();
    if (moved > 4) {
      canvas.classList.add("moving");
      eye.move(((last.x - here.x) / place.across) * eye.view.zoom, ((last.y - here.y) / place.down) * eye.view.zoom);
    }
    last = here;
  });
  const end = (event) => {
    canvas.classList.remove("moving");
    if (last && moved <= 4 && event.type === "pointerup") click(last.x, last.y);
    last = null;
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  // The wheel scrolls the page as everywhere, and magnifies once the drawing is in use or with Ctrl.
  canvas.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const here = at(event);
      eye.magnify(Math.exp(-event.deltaY * 0.0015), placed().back(here.x, here.y));
    },
    { passive: false },
  );
}
