"""How quick the page of `netveil web` is, in a real Chromium on this machine.

    python -m benchmarks web
    python -m benchmarks web --ties 300000 --repeats 5

Each figure is the least of several rounds: what else the machine does only adds to it. Long tasks are those
of Chromium's own `longtask` observer, which tells of every task that keeps the page from answering for 50 ms
or more; a search runs while the server's answers and the messages of the event stream are timed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import header, parser_of, row

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from browsers import served

PEOPLE_TO_TIES = 5  # ties for each person, in the network that is brought
ASKED = 200  # times for the state, while a search runs
SECONDS_HEARD = 5
OBSERVER = """
window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask", buffered: true });
"""
ASKING = """async (times) => {
    const found = [];
    for (let turn = 0; turn < times; turn += 1) {
        const began = performance.now();
        await (await fetch("/api/state")).text();
        found.push(performance.now() - began);
    }
    return found;
}"""
HEARING = """(seconds) => new Promise((resolve) => {
    const stream = new EventSource("/api/events");
    let [messages, inFrame, most] = [0, 0, 0];
    stream.addEventListener("progress", () => {
        messages += 1;
        inFrame += 1;
        most = Math.max(most, inFrame);
    });
    const frame = () => {
        inFrame = 0;
        requestAnimationFrame(frame);
    };
    frame();
    setTimeout(() => {
        stream.close();
        resolve([messages / seconds, most]);
    }, 1000 * seconds);
})"""
Row = dict[str, float]


def contacts(ties: int) -> bytes:
    """A network as a table: few people with many contacts, many with few."""
    draw, people = Random(1), ties // PEOPLE_TO_TIES
    found: set[tuple[int, int]] = set()
    while len(found) < ties:
        one, other = int(people * draw.random() ** 2), draw.randrange(people)
        if one != other:
            found.add((min(one, other), max(one, other)))
    return "".join(["person,friend\n", *(f"p{one},p{other}\n" for one, other in sorted(found))]).encode()


def longest_task(page: Page, work: Callable[[], object]) -> float:
    """Milliseconds for which the page could not answer, at the longest, while something is done."""
    page.evaluate("window.longTasks.length = 0")
    work()
    page.wait_for_timeout(300)
    return float(page.evaluate("Math.max(0, ...window.longTasks)"))


def first_paint(page: Page, base: str) -> Row:
    """From the request to what one sees first, and until everything can be used."""
    page.goto("about:blank")
    page.goto(base)
    page.wait_for_selector("main[data-ready]")
    paint, ready = page.evaluate(
        "[performance.getEntriesByName('first-contentful-paint')[0].startTime, performance.now()]"
    )
    return {"first paint, ms": paint, "page usable, ms": ready}


def large_network(page: Page, base: str, file: Path) -> Row:
    """The longest task in each step with a large network."""

    def bring() -> None:
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose a file").click()
        chooser.value.set_files(file)
        page.wait_for_selector("text=How large.csv was read")

    def look() -> None:
        page.get_by_role("link", name="That is right: look at it").click()
        page.wait_for_selector(".drawn canvas")

    def person() -> None:
        page.focus(".drawn canvas")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".person-name")

    def move() -> None:
        for key in "+++0":
            page.keyboard.press(key)
            page.wait_for_timeout(200)

    page.goto(f"{base}/#/bring")
    page.wait_for_selector("main[data-ready]")
    steps = {"brought and read": bring, "looked at and drawn": look, "a person": person, "magnified": move}
    return {f"longest task, {name}, ms": longest_task(page, work) for name, work in steps.items()}


def while_it_searches(page: Page, base: str) -> Row:
    """How quickly the server answers while a search takes all cores, and how often it tells of progress."""
    idle = page.evaluate(ASKING, ASKED)
    page.get_by_role("link", name="Protect").click()
    page.get_by_text("A given time", exact=True).click()
    page.get_by_label("Seconds").fill("900")
    page.get_by_role("button", name="Start the search").click()
    page.wait_for_selector(".run[data-state=searching] .live")
    page.wait_for_timeout(1000)
    busy = page.evaluate(ASKING, ASKED)
    heard: list[Any] = []
    longest = longest_task(page, lambda: heard.append(page.evaluate(HEARING, SECONDS_HEARD)))
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Cancel the search").click()
    page.wait_for_selector(".run[data-state=cancelled]")
    return {
        "an answer while idle, median ms": median(idle),
        "an answer while searching, median ms": median(busy),
        "an answer while searching, slowest of 200, ms": max(busy),
        "progress messages a second": heard[0][0],
        "progress messages in one frame, at most": heard[0][1],
        "longest task while searching, ms": longest,
    }


def measured(browser: Browser, file: Path, repeats: int) -> list[Row]:
    """All figures, a row a round; each with a fresh server, a warm one before."""
    rows = []
    for turn in range(repeats + 1):
        with served() as address:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(600_000)
            page.add_init_script(OBSERVER)
            page.goto(address)
            page.wait_for_selector("main[data-ready]")
            base = address.partition("/?")[0]
            figures = first_paint(page, base) | large_network(page, base, file)
            if turn:  # the first compiles, and fills the caches
                rows.append(figures | while_it_searches(page, base))
            page.close()
    return rows


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("--ties", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args(argv)
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("no Chromium on this machine; install Debian's package chromium")
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "large.csv"
        file.write_bytes(contacts(asked.ties))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        rows = measured(browser, file, asked.repeats)
        browser.close()
    print(f"{asked.ties:,} ties, least of {asked.repeats} rounds, {time.perf_counter() - began:.0f} s\n")
    header("what", "figure")
    for name in rows[0]:
        row(name, f"{min(each[name] for each in rows):.3g}")
