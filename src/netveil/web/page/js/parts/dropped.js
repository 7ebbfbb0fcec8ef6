// What somebody dropped: files, and what is inside of folders, each with its path.

/** Files as `{path, name, size, blob}`; folders are looked through. */
async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files];
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

async function walk(entry, found) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ path: entry.fullPath.replace(/^\//, ""), name: file.name, size: file.size, blob: file });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return;
    for (const each of some) await walk(each, found);
  }
}

/** Has an element take the files that are dropped on it. */
export function takesDrops(zone, take) {
  let depth = 0; // of elements that the pointer has entered
  zone.addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth += 1;
    zone.classList.add("over");
  });
  zone.addEventListener("dragover", (event) => event.preventDefault());
  zone.addEventListener("dragleave", () => {
    depth -= 1;
    if (depth <= 0) zone.classList.remove("over");
  });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    zone.classList.remove("over");
    take(await droppedFiles(event.dataTransfer));
  });
  return zone;
}

/** Whether files lie in a folder as those of a release do. */
export function isReleaseFolder(files) {
  return files.some((file) => /(^|\/)(public|private)\/[^/]+$/.test(file.path ?? ""));
}
