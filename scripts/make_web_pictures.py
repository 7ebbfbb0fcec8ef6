"""Makes docs/web-look.png and docs/web-protect.png, pictures of the page for the README and docs/web.md.

    python scripts/make_web_pictures.py

Serves the page in a temporary folder, opens the built-in demo network and starts a search. Needs Chromium on
the machine (Debian's package chromium) and the development extras.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from browsers import served

DOCS = Path(__file__).resolve().parents[1] / "docs"
SIZE = ViewportSize(width=1120, height=1000)
PATIENCE = 600_000  # milliseconds
SEARCHED = 20  # seconds of search until its picture is taken


def look(page: Page) -> None:
    """Step 2, with the demo network."""
    page.get_by_role("button", name="Open demo").click()
    page.wait_for_selector(".drawn canvas")
    page.wait_for_selector(".charted svg text")
    page.screenshot(path=DOCS / "web-look.png")


def protect(page: Page) -> None:
    """Step 3, with a search at work."""
    page.get_by_role("link", name="Protect").click()
    page.get_by_text("A given time", exact=True).click()
    page.get_by_label("Seconds").fill("60")
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector(".run[data-state=searching] .live")
    page.wait_for_timeout(1000 * SEARCHED)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=DOCS / "web-protect.png")


def main() -> None:
    """Serve, open, take both pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("no Chromium on this machine; install Debian's package chromium")
    with served() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light", reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        look(page)
        protect(page)
        browser.close()
    print(DOCS / "web-look.png", DOCS / "web-protect.png", sep="\n")


if __name__ == "__main__":
    main()
