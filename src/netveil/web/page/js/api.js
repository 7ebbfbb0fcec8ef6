// Requests to the server on this machine. What goes wrong is a Problem: a sentence to show, and what kind it is.

/** Why a request did not do what it should; `lines` are the first lines of a file, `field` what it is about. */
export class Problem extends Error {
  constructor(kind, message, lines = [], field = null) {
    super(message);
    this.kind = kind;
    this.lines = lines;
    this.field = field;
  }
}

const SILENT =
  "netveil does not answer. If it was ended, start it again with `netveil web` and open the address that it prints.";

export async function get(path, signal = undefined) {
  return answer(path, { signal });
}

export async function post(path, body = {}) {
  return answer(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

export async function remove(path) {
  return answer(path, { method: "DELETE" });
}

/** Sends files as they are, with their names and sizes in a header; `told(share)` hears how much has gone. */
export function send(path, files, told = () => {}) {
  const names = files.map((file) => ({ name: file.path ?? file.name, size: file.size }));
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(); // fetch cannot tell how much has been sent
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("X-Netveil-Files", encodeURIComponent(JSON.stringify(names)));
    request.upload.onprogress = (event) => told(event.lengthComputable ? event.loaded / event.total : null);
    request.onload = () => {
      const found = parsed(request.responseText);
      if (request.status < 400 && found) resolve(found);
      else reject(problemOf(request.status, found));
    };
    request.onerror = () => reject(new Problem("silent", SILENT));
    request.send(new Blob(files.map((file) => file.blob ?? file)));
  });
}

async function answer(path, settings) {
  let response;
  try {
    response = await fetch(path, { ...settings, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("silent", SILENT);
  }
  const found = parsed(await response.text());
  if (response.ok && found !== null) return found;
  throw problemOf(response.status, found);
}

function problemOf(status, found) {
  const error = found?.error;
  if (error) return new Problem(error.kind, error.message, error.lines ?? [], error.field ?? null);
  return new Problem(status === 403 ? "refused" : "defect", `netveil answered with ${status}.`);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The query for the eyes with which one looks: which attackers, how many must look alike. */
export function eyes(looking) {
  return new URLSearchParams({ attackers: JSON.stringify(looking) }).toString();
}
