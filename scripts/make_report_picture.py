"""Makes docs/report.png, the picture in the README: whether a release of the demo network is safe.

    python scripts/make_report_picture.py

Needs Chromium on the machine (Debian's package chromium) and the development extras.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import FloatRect, ViewportSize, sync_playwright

import netveil as nv

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "report.png"
SIZE = ViewportSize(width=860, height=1260)
MARGIN = 20  # above the heading


def main() -> None:
    """Anonymize the demo network, open its report, take a picture of the section."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("no Chromium on this machine; install Debian's package chromium")
    release = nv.anonymize(nv.load("demo"), budget=0.05, seed=1)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        report.write_text(release.report().html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(report.as_uri())
        begin, end = (
            page.locator(name).evaluate("heading => heading.offsetTop") for name in ("#safe", "#cost")
        )
        clip = FloatRect(x=0, y=begin - MARGIN, width=SIZE["width"], height=end - begin)
        page.screenshot(path=PICTURE, full_page=True, clip=clip)
        browser.close()
    print(PICTURE)


if __name__ == "__main__":
    main()
