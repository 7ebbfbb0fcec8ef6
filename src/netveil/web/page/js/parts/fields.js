// Fields of forms, each with its label, what it means, and a place for what is wrong with it.

import { h, newId, say } from "../dom.js";
import { capital } from "../numbers.js";

const LABELS = {
  k: "People in each row, at least (k)",
  copies: "Networks to draw",
  known: "Attributes of a person that the attacker knows",
};

/** A line or an area of text; `fails(message)` shows what is wrong and takes one there. */
export function textField({ label, hint, value, type = "text", area = false, ...settings }) {
  const id = newId("field");
  const about = newId("hint");
  const wrong = h("p.error", { id: newId("error"), role: "alert", hidden: true });
  const shared = {
    id,
    "aria-describedby": `${about} ${wrong.id}`,
    value: String(value),
    autocomplete: "off",
    spellcheck: "false",
    ...settings,
  };
  const input = area ? h("textarea", { rows: 4, ...shared }) : h("input", { type, ...shared });
  const place = h("div.field", h("label", { for: id }, label), input, wrong, h("p.hint", { id: about }, hint));
  return {
    place,
    input,
    value: () => (area ? input.value : input.value.trim()),
    fails(message) {
      input.setAttribute("aria-invalid", "true");
      wrong.hidden = false;
      say(wrong, message);
      place.closest("details")?.setAttribute("open", "");
      input.focus();
    },
    clear() {
      input.removeAttribute("aria-invalid");
      wrong.hidden = true;
      say(wrong, "");
    },
  };
}

/** A choice from a menu: `options` are `[name, text]`. */
export function selectField(label, options, value) {
  const id = newId("field");
  const items = options.map(([name, text]) => h("option", { value: name, selected: name === value }, text));
  const input = h("select", { id }, items);
  return { place: h("div.field", h("label", { for: id }, label), input), input, value: () => input.value };
}

/** A box to tick. */
export function checkbox({ label, aside, checked }) {
  const input = h("input", { type: "checkbox", checked });
  return {
    input,
    place: h("label.choice", input, h("span", h("strong", label), h("span.aside-line", aside))),
    value: () => input.checked,
  };
}

/** One of several: `options` are `[name, label, aside]`; `changed(name)` hears of it, at first too. */
export function radios({ legend, options, value, changed }) {
  const group = newId("choice");
  const inputs = options.map(([name]) =>
    h("input", { type: "radio", name: group, value: name, checked: name === value }),
  );
  const cards = options.map(([, label, aside], index) =>
    h("label.card-choice", inputs[index], h("span", h("strong", label), h("span.aside-line", aside))),
  );
  const chosen = () => inputs.find((input) => input.checked)?.value ?? value;
  inputs.forEach((input) => input.addEventListener("change", () => changed(chosen())));
  changed(value);
  return { place: h("fieldset", h("legend", legend), h("div.cards.two", cards)), value: chosen };
}

/** The field of an option by the kind of its value; several values stand between commas, and `none` for an empty list. */
export function optionField({ name, kind, help, default: usual = null, label: given = null }, value) {
  const label = given ?? LABELS[name] ?? capital(name.replaceAll("_", " "));
  if (kind === "flag") return checkbox({ label: help.replace(/\.$/, ""), aside: label, checked: value });
  const isNumber = kind === "whole" || kind === "number";
  const pairs = kind === "pairs" ? Object.entries(value ?? {}).map((pair) => pair.join("=")) : value;
  const isEmpty = kind === "names" && value?.length === 0 && usual === null;
  const field = textField({
    label,
    value: isEmpty ? "none" : (pairs ?? ""),
    hint: help,
    type: isNumber ? "number" : kind === "date" ? "date" : "text",
    step: kind === "number" ? "any" : null,
  });
  const filled = () => {
    const text = field.value();
    const several = text.split(",").flatMap((each) => each.trim() || []);
    if (kind === "pairs") return Object.fromEntries(several.map((each) => each.split("=")));
    if (!text) return null;
    if (kind === "names" && text === "none") return [];
    return isNumber ? Number(text) : kind === "names" ? several : text;
  };
  return { ...field, value: filled };
}
