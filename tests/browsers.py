"""Chromium, as the tests of pages meet it, and a page for those who look at one outside the tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from waiting import HANG

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WITHOUT = "needs Chromium, such as Debian's package chromium"
QUIET = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update"),
)


@contextmanager
def started(*more: str) -> Iterator[Browser]:
    """Headless Chromium that calls nobody; `more` are further switches of it."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=[*QUIET, *more], timeout=1000 * HANG
        )
        yield chromium
        with suppress(Error):  # it may have been lost
            chromium.close()


@contextmanager
def served() -> Iterator[str]:
    """The address of a page that keeps nothing."""
    command = [sys.executable, "-m", "netveil", "web", "--no-browser", "--temporary"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


def pages_of(pdf: bytes) -> int:
    """How many pages a PDF of Chromium has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))
