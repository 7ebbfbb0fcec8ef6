// Whoever uses the keyboard can scroll wide tables and commands, and tells the two lists of links apart.
function reachScrollable() {
  for (const part of document.querySelectorAll("pre, .table-wrapper")) {
    if (part.scrollWidth > part.clientWidth) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  reachScrollable();
});
addEventListener("load", reachScrollable);
addEventListener("resize", reachScrollable);
