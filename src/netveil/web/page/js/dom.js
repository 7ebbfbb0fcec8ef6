// Elements from data. Text is always set as text, never as markup: labels and file names come from strangers.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element, such as `h("p.hint", "text")`. A plain object as first child has its settings: attributes, `on…`
 *  listeners, `class`, `data` and properties such as `value`. */
export function h(tag, ...children) {
  return filled(document.createElement(tag.split(".", 1)[0]), tag, children);
}

/** An SVG element. */
export function s(tag, ...children) {
  return filled(document.createElementNS(SVG, tag.split(".", 1)[0]), tag, children);
}

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "selected"]);

function filled(element, tag, children) {
  const classes = tag.split(".").slice(1).join(" ");
  if (classes) element.setAttribute("class", classes);
  if (element.localName === "button") element.type = "button"; // unless its settings say "submit"
  const settings = children[0]?.constructor === Object ? children.shift() : {};
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (PROPERTIES.has(name)) element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...flat(children));
  return element;
}

/** Children without those that are missing; numbers and texts become text. */
function flat(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : String(child)));
}

/** Puts other children into an element. */
export function fill(element, ...children) {
  element.replaceChildren(...flat(children));
  return element;
}

/** Sets an element's text where it differs, so that screen readers hear only what is new. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

let numbers = 0;

/** An id that no other element has. */
export function newId(stem) {
  numbers += 1;
  return `${stem}-${numbers}`;
}

/** Runs `draw` in the next frame, however often it is asked for before. */
export function oncePerFrame(draw) {
  let waiting = 0;
  return () => {
    if (waiting) return;
    waiting = requestAnimationFrame(() => {
      waiting = 0;
      draw();
    });
  };
}

/** Speaks to screen readers, and shows nothing. */
export function announce(text) {
  say(document.getElementById("announcer"), text);
}
