// Light or dark, as chosen before: a script of its own ahead of the page, so that it never flashes in the other colours.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("netveil-colours");
  } catch {
    // Without storage the page follows the system.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
