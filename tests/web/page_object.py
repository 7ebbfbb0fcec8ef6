"""The page of `netveil web` as somebody in front of a browser meets it: steps, panels, buttons."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

import pytest
from over_http import Served

import netveil as nv
from browsers import CHROMIUM, WITHOUT
from waiting import HANG

pytest.importorskip("playwright")
if CHROMIUM is None:
    pytest.skip(WITHOUT, allow_module_level=True)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Download, Locator

TABS = 150  # that one presses at most to reach something
NAME_OF_FOCUS = """(() => {
    const at = document.activeElement;
    return at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText;
})()"""

# The page stands before its stream has told anything: what comes then takes the place of what a test has put
# into the store, and is one request more.
MARK_WHAT_WAS_HEARD = """
window.EventSource = class extends EventSource {
    constructor(...given) {
        super(...given);
        this.addEventListener("snapshot", () => { document.documentElement.dataset.heard = "yes"; });
    }
};
"""

# In place of a network that it does not know yet, the page shows another.
STORE = "async () => (await import('/page/js/store.js')).store"
KNOWS = "([store, name]) => ['networks', 'releases', 'experiments'].some((kind) => store[kind].has(name))"

# The page hears of an address a little later than it has it: then, its own listener comes before ours.
GO = """(address) => location.hash === address || new Promise((resolve) => {
    addEventListener("hashchange", () => resolve(true), { once: true });
    location.hash = address;
})"""


def friends_file() -> bytes:
    """The karate club as a table with semicolons, a header and names."""
    lines = [f"member {one};member {other}" for one, other in nv.load("karate").to_edges()]
    return "\n".join(["person;friend", *lines, ""]).encode()


class Visit:
    """A browser window with the page, and what went on in it."""

    def __init__(self, context: BrowserContext, server: Served) -> None:
        self.context, self.server = context, server
        context.set_default_timeout(1000 * HANG)
        context.add_init_script(MARK_WHAT_WAS_HEARD)
        self.page = context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.dialogs: list[str] = []
        self.page.on("console", lambda told: self.errors.append(told.text) if told.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._dialog)

    def _dialog(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def enter(self) -> Visit:
        """Open the page with a fresh address, as printed; wait until it stands."""
        self.page.goto(self.server.post("/api/address")["address"])
        return self.ready()

    def ready(self) -> Visit:
        """Wait until the page knows what the server has, and has heard its stream."""
        self.page.wait_for_selector("html[data-heard] main[data-ready]")
        return self

    def go(self, view: str, name: str = "") -> Visit:
        """Go to a view by its address, once the page knows what it names; the view is there then."""
        if name:
            self.page.wait_for_function(KNOWS, arg=[self.page.evaluate_handle(STORE), name])
        self.page.evaluate(GO, f"#/{view}{'/' if name else ''}{name}")
        return self

    def know(self, kind: str, row: Any, **changed: Any) -> None:
        """Have the page hear of a network, a release or an experiment, as from its stream."""
        heard = "async ([kind, row]) => (await import('/page/js/store.js')).know(kind, row)"
        self.page.evaluate(heard, [kind, {**row, **changed}])

    def says(self, call: str, given: Any) -> Any:
        """What a function of the page's modules returns, such as `numbers.js: percentage(...given)`."""
        module, _, call = call.partition(": ")
        code = f"async (given) => {{ const found = await import('/page/js/{module}'); return found.{call}; }}"
        return self.page.evaluate(code, given)

    def button(self, name: str, *, inside: str = "body") -> Locator:
        """A button by what it says."""
        return self.page.locator(inside).get_by_role("button", name=name, exact=True)

    def wait_for_title(self, title: str) -> None:
        """Wait for a panel of this title; its words may be announced to screen readers before it is there."""
        self.page.get_by_role("heading", name=title, exact=True).wait_for()

    def text(self, selector: str = "main") -> str:
        """What can be read in a part of the page, in one line."""
        return " ".join(self.page.inner_text(selector).split())

    def drop(self, name: str, content: bytes, *, zone: str = ".drop:not(.persons)") -> None:
        """Drop a file on the page."""
        self.page.evaluate(
            """([name, bytes, zone]) => {
                const dataTransfer = new DataTransfer();
                dataTransfer.items.add(new File([Uint8Array.from(bytes, each => each.charCodeAt(0))], name));
                const drop = new DragEvent("drop", {dataTransfer, bubbles: true, cancelable: true});
                document.querySelector(zone).dispatchEvent(drop);
            }""",
            [name, content.decode("latin-1"), zone],
        )

    def choose(self, name: str, content: bytes) -> None:
        """Choose a file in the dialog that the button opens."""
        with self.page.expect_file_chooser() as chooser:
            self.button("Choose a file").click()
        chooser.value.set_files({"name": name, "mimeType": "text/csv", "buffer": content})

    def tick(self, label: str, *, on: bool = True) -> None:
        """Tick a box, or do not; whatever it is folded into is opened."""
        box = self.page.locator("label.choice", has_text=label)
        box.evaluate("each => each.closest('details')?.setAttribute('open', '')")
        box.locator("input").set_checked(on)

    def start_search(self, **fields: str) -> Locator:
        """Fill fields of the form by their labels, and start; the card of this search."""
        known = self.page.locator(".run").evaluate_all("all => all.map(each => each.dataset.run)")
        for label, value in fields.items():
            self.page.get_by_label(label.replace("_", " "), exact=False).first.fill(value)
        self.page.locator("form.panel button[type=submit]").click()
        new = self.page.locator(".run" + "".join(f":not([data-run='{each}'])" for each in known))
        return self.page.locator(f".run[data-run='{new.get_attribute('data-run')}']")

    def wait_for_run(self, state: str, card: Locator | None = None) -> None:
        """Wait until a search is in a state: that of a card, or any."""
        in_state = self.page.locator(f".run[data-state={state}]")
        (in_state.first if card is None else card.and_(in_state)).wait_for()

    def download(self, press: Locator) -> Download:
        """What is downloaded when a button is pressed."""
        with self.page.expect_download() as download:
            press.click()
        return download.value

    def tab_to(self, name: str) -> None:
        """Press Tab until the focus is on what is called so."""
        for _ in range(TABS):
            self.page.keyboard.press("Tab")
            focused = self.page.evaluate(NAME_OF_FOCUS)
            if focused is not None and focused.strip().startswith(name):
                return
        raise AssertionError(f"no way by Tab to {name!r}")

    def too_wide(self) -> int:
        """By how many pixels the page is wider than its window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))

    def axe(self, *rules: str) -> list[str]:
        """What axe finds that is serious or critical; with rules, of these alone."""
        from axe_playwright_python.sync_playwright import Axe

        options: dict[str, Any] = {"resultTypes": ["violations"]}
        if rules:
            options["runOnly"] = list(rules)
        found = Axe().run(self.page, options=options).response
        assert found["passes"], "axe has looked at nothing"
        return [
            f"{each['id']}: {json.dumps([node['html'][:120] for node in each['nodes'][:3]])}"
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        ]


@contextmanager
def visiting(
    browser: Browser, server: Served, *, width: int = 1280, scheme: Literal["light", "dark"] = "light"
) -> Iterator[Visit]:
    """A window on the page for a while; nothing in it may have gone wrong, or have asked anybody else."""
    from playwright.sync_api import Error

    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        accept_downloads=True,
        reduced_motion="reduce",
    )
    visit = Visit(context, server)
    try:
        yield visit
        assert visit.errors == []
        assert visit.dialogs == []
        foreign = [url for url in visit.requests if not url.startswith((f"{server.base}/", "data:", "blob:"))]
        assert foreign == []
    finally:
        with suppress(Error):  # of a browser that was lost
            context.close()
