// Figures as text, as the reports write them (src/netveil/formatting.py is the original).

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const MISSING = "–";

/** A whole number: 16,654. */
export function whole(value) {
  return value === null || value === undefined ? MISSING : WHOLE.format(value);
}

/** Any figure: whole numbers in full, others to four decimals, small ones to three digits. */
export function figure(value) {
  if (Number.isInteger(value)) return whole(value);
  return Math.abs(value) < 0.001 ? inFull(value, 3) : value.toFixed(4);
}

/** A part of a whole in per cent: two decimals, one from 10% on, and never 0% for what is more. */
export function percentage(part, all = 1, signed = false) {
  if (part === null || part === undefined || !all) return MISSING;
  const share = (100 * part) / all;
  const size = Math.abs(share);
  const text = size > 0 && size < 0.005 ? inFull(share, 1) : share.toFixed(size >= 9.995 ? 1 : 2);
  return `${signed && share > 0 ? "+" : ""}${text}%`;
}

/** A number of things: 1 tie, 2,000 ties. */
export function counted(count, one, many = `${one}s`) {
  return `${whole(count)} ${count === 1 ? one : many}`;
}

/** People, in words. */
export function people(count) {
  return counted(count, "person", "people");
}

/** Ties, in words. */
export function ties(count) {
  return counted(count, "tie");
}

/** A time that something takes, as exactly as people want to know it. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return MISSING;
  if (seconds < 1) return "less than a second";
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The size of a file, in the units that file managers show. */
export function bytes(size) {
  if (size < 1024) return `${size} bytes`;
  const power = Math.min(3, Math.floor(Math.log2(size) / 10));
  const value = size / 1024 ** power;
  return `${value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 })} ${["", "kB", "MB", "GB"][power]}`;
}

/** When something was made, as people here write it. */
export function moment(text) {
  const when = new Date(text);
  if (Number.isNaN(when.getTime())) return MISSING;
  const day = when.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return `${day}, ${when.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`;
}

/** How many ties a budget allows; null where it cannot be told here. */
export function edgesOf(text, edges) {
  const share = /^\s*([0-9.]+)\s*%\s*$/.exec(text);
  if (share) return Math.floor((edges * Number(share[1])) / 100 + 1e-9);
  if (/^\s*[0-9]+\s*$/.test(text)) return Math.min(Number(text), edges);
  if (/^\s*0?\.[0-9]+\s*$/.test(text)) return Math.floor(edges * Number(text) + 1e-9);
  return null;
}

/** A text that begins with a capital letter. */
export function capital(text) {
  return text ? text[0].toUpperCase() + text.slice(1) : "";
}

function inFull(value, digits) {
  const rounded = Number(value.toPrecision(digits));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
  return rounded.toFixed(decimals).replace(/0+$/, "");
}
