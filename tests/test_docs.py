"""README, docs, stories and docstrings keep their word: what they show is run, in order, and compared."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import netveil
import netveil as nv
from netveil.anonymity import MEASURES, Reach
from netveil.cli import main, netveil as root_command
from netveil.search.annealing import annealing
from netveil.studies.plan import read_plan
from pages import PAGES, READ, ROOT, RUN, Block, Command, blocks_of, commands_of, is_as_shown

WHY_NOT = {
    "creates an environment",
    "downloads from the internet",
    "downloads from the internet, and takes minutes",
    "needs a cluster",
    "needs to be root",
    "needs two machines",
    "serves until it is ended",
    "takes minutes",
}
"""The only reasons not to run a block."""

PAGES_THAT_RUN = [page for page in PAGES if any(block.is_run for block in blocks_of(page))]
WHATEVER_THE_EFFORT = ("measures.md", "experiments.md", "tuning.md")
LONG = (
    "README.md",
    "guide.md",
    "utility.md",
    "audit.md",
    "measures.md",
    "experiments.md",
    "synthetic.md",
    "simulated.md",
    "tuning.md",
    "paper.md",
    "deciding.md",
    "extending.md",
)  # searches and audits as readers have them


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty, on a machine that has fetched no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delenv("NETVEIL_DATA", raising=False)
    monkeypatch.setenv("NETVEIL_CACHE", str(tmp_path / ".fetched"))
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.thorough if page in LONG else ()) for page in PAGES_THAT_RUN],
)
def test_what_a_page_shows_is_what_happens(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    """Commands, Python and sessions, from the first block to the last, in one folder that was empty.

    Searches take as long as a reader's do, but where a page shows nothing that depends on it.
    """
    if page not in WHATEVER_THE_EFFORT:
        request.getfixturevalue("standard_effort")
    names: dict[str, Any] = {"__name__": page}
    for block in blocks_of(page):
        if block.file is not None:
            save(block, folder)
        elif block.is_run and block.language == "console":
            for command in commands_of(block):
                check(command, capsys)
        elif block.is_run and block.language == "python":
            exec(compile(block.text, block.place, "exec"), names)
        elif block.is_run:
            answer(block, names)


def save(block: Block, folder: Path) -> None:
    """Add a block to its file; a module is read again by the next command, as by a new process."""
    assert block.file is not None
    file = folder / block.file
    with file.open("a", encoding="utf-8") as opened:
        opened.write(block.text)
    sys.modules.pop(file.stem, None)


def check(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a command; compare standard output, or the error where the page shows one, with what is shown."""
    program, *arguments = shlex.split(command.line, comments=True)
    assert program == "netveil", f"{command.place}: only commands of netveil can be run here"
    capsys.readouterr()
    code = main(arguments)
    out, err = capsys.readouterr()
    fails = command.shown.startswith("netveil: ")
    said = err if fails else out

    assert code == (2 if fails else 0), f"{command.place}: {command.line}\n{out}{err}"
    if command.shown:
        assert is_as_shown(said, command.shown), f"{command.place}: {command.line}\nprints\n{said}"


def answer(block: Block, names: dict[str, Any]) -> None:
    """Run a session, and compare each answer; how many blanks there are does not count."""
    session = doctest.DocTestParser().get_doctest(block.text, names, block.page, block.page, block.line)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    failed = runner.run(session, out=said.append, clear_globs=False).failed
    names.update(session.globs)

    assert not failed, "".join(said)


def test_a_plan_with_all_keys_is_a_plan(folder: Path) -> None:
    """The one in docs/experiments.md can be read where the files are that it names."""
    for block in blocks_of("experiments.md"):
        if block.file == "all-keys.toml":
            save(block, folder)
    (folder / "data").mkdir()
    for file in ("people.csv", "data/2024.dat"):
        (folder / file).write_text("".join(f"{node},{node + 1}\n" for node in range(50)), encoding="utf-8")
    messages = [f"{node},{node + 1},{node + 2},hello" for node in range(50)]
    (folder / "messages.csv").write_text(
        "\n".join(["time,sender,receiver,text", *messages]), encoding="utf-8"
    )
    (folder / "mine.toml").write_text("population = 50\n", encoding="utf-8")
    plan = read_plan(folder / "all-keys.toml")

    # 5 networks, 4 algorithms, 2 budgets, 4 sets of attackers, 2 values of k and 5 seeds;
    # and 5 networks, 3 values of k of synthetic networks and 5 seeds.
    assert len(plan.tasks()) == 5 * 4 * 2 * 4 * 2 * 5 + 5 * 3 * 5


def test_an_ellipsis_stands_for_what_varies() -> None:
    """Within its line, or for lines; everything else must be there to the letter."""
    for said, shown, same in (
        ("9 of 10\n", "9 of 10\n", True),
        ("9 of 10\n", "8 of 10\n", False),
        ("9 of 10 in 3.1 s\n", "9 of 10 in … s\n", True),
        ("9 of 10\nin 3.1 s\n", "9 of … s\n", False),
        ("a\nb\nc\nd\n", "a\n…\nd\n", True),
        ("a\nd\n", "a\n…\nd\n", True),
        ("a\nb\n", "a\n", False),
        ("a long line\n", "a long\nline\n", True),
        ("a (b) c\n", "a (b) c\n", True),
        ("", "", True),
        ("a\n", "", False),
    ):
        assert is_as_shown(said, shown) is same


TEXT = PAGES["measures.md"].read_text(encoding="utf-8")
TOUCHED = {
    Reach(0, both=False): "both ends",
    Reach(1, both=True): "both ends and their common neighbours",
    Reach(1, both=False): "both ends and all their neighbours",
}


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below this heading row, less the backquotes around a cell."""
    lines = TEXT.split(f"\n{heading}\n")[1].split("\n\n")[0].splitlines()[1:]
    return [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in lines]


def test_the_table_of_measures_is_that_of_the_registry() -> None:
    """Names in order, what the attacker knows and whom a deletion touches."""
    table = rows(next(line for line in TEXT.splitlines() if line.startswith("| measure | the attacker")))

    assert [row[0] for row in table] == list(MEASURES)
    for name, knows, _state, _literature, touched in table:
        assert knows == MEASURES[name].attacker
        assert touched == TOUCHED[MEASURES[name].reach(1)]


@pytest.mark.thorough
def test_figures_of_the_demo_network_are_right() -> None:
    demo = nv.load("demo")
    table = rows("| measure | distance 1 | distance 2 |")
    variants = {row[0]: int(row[1]) for row in rows("| variant of `count` | people | command |")}

    assert [row[0] for row in table] == list(MEASURES)
    for name, *figures in table:
        assert [nv.measure(demo, name, distance=distance).at_risk for distance in (1, 2)] == [
            int(figure) for figure in figures
        ]
    assert variants == {
        "fuzzy 5%": nv.measure(demo, fuzzy="5%").at_risk,
        "fuzzy 10%": nv.measure(demo, fuzzy="10%").at_risk,
        "twin classes": nv.measure(demo, twins=True).at_risk,
        "cascade": nv.cascade(demo).total,
    }


def test_the_page_on_the_search_tells_how_many_proposals_there_are() -> None:
    """As parts of those for degree and triangles, in the order of their table."""
    page = PAGES["search.md"].read_text(encoding="utf-8")
    told = [int(part) for part in re.findall(r"\| 1/(\d+) \|", page)]

    assert told == list(annealing.COST_OF_PROPOSAL[1:])


LINK = re.compile(r"\]\((?!https?:)([^()#\s]*)#?([\w-]*)\)")


def headings(page: Path) -> set[str]:
    """Anchors of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        for file, heading in LINK.findall(page.read_text(encoding="utf-8")):
            target = (
                ROOT / "docs" / file[1:] if file.startswith("/") else page.parent / file if file else page
            )

            assert target.exists(), f"{page}: {file}"
            assert not heading or heading in headings(target), f"{page}: {file}#{heading}"


SECURITY = PAGES["security.md"].read_text(encoding="utf-8")
PROMISES = re.findall(r"^\| (.+) \| (`tests/.+`) \|$", SECURITY, flags=re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_says_what_it_is_and_could_be_run(page: str) -> None:
    """Or says why it is not, with no made-up reason; no fence is swallowed by another, no command escapes.

    Commands have options that exist, and Python compiles: `make test-all` runs the pages that take long.
    """
    lines, blocks = PAGES[page].read_text(encoding="utf-8").splitlines(), blocks_of(page)

    assert sum(line.lstrip().startswith("```") for line in lines) == 2 * len(blocks)
    for block in blocks:
        assert block.language in RUN | READ, block.place
        assert block.not_run is None or block.not_run in WHY_NOT, block.place
        assert block.language != "bash" or block.not_run is not None, f"{block.place}: why is it not run?"
        if block.language == "text":
            commands = [line for line in block.text.splitlines() if line.startswith(("$ ", "netveil "))]
            assert not commands, block.place
        elif block.is_run and block.language == "python":
            compile(block.text, block.place, "exec")
        elif block.is_run and block.language == "console":
            for command in commands_of(block):
                if not command.shown.startswith("netveil: "):
                    name, *words = shlex.split(command.line, comments=True)[1:]
                    known = {flag for each in root_command.commands[name].params for flag in _flags(each)}
                    used = {word.partition("=")[0] for word in words if word.startswith("--")}
                    assert used <= known | {"--help", "--all"}, command.place


def _flags(parameter: click.Parameter) -> list[str]:
    """Options of a parameter, as they are typed."""
    return [*parameter.opts, *parameter.secondary_opts]


def test_every_page_with_examples_is_run() -> None:
    """All but those about clusters, downloads and experiments of minutes, and those that only tell."""
    told = "architecture cluster decisions index networks results search web-safety web".split()  # noqa: SIM905

    assert set(PAGES_THAT_RUN) == PAGES.keys() - {f"{page}.md" for page in told}


def test_every_promise_of_the_page_on_security_names_a_test_that_exists() -> None:
    table = SECURITY.split("## Promises")[1].split("\n\n")[1]

    assert len(PROMISES) == len(table.splitlines()) - 2 > 10
    for _, tests in PROMISES:
        for file, name in re.findall(r"`([\w/.]+)::(\w+)`", tests):
            source = (ROOT / file).read_text(encoding="utf-8")
            assert re.search(rf"^(def|class) {name}\b", source, flags=re.MULTILINE), f"{file}::{name}"


PACKAGE = Path(netveil.__file__).parent
SEARCHING = {  # as long as readers do, or saving whole releases
    *("netveil.api", "netveil.opening", "netveil.workflow", "netveil.auditing.together"),
    *("netveil.release.claims", "netveil.release.folder", "netveil.release.release"),
}
EXTRAS = {"networkx", "pandas", "dask", "distributed", "pyarrow"}  # may be missing where netveil is installed


def modules_with_examples() -> list[str]:
    """Names of the modules whose text has a prompt; only these are imported."""
    files = (file for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text(encoding="utf-8"))
    names = (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files)
    return sorted(name.removesuffix(".__init__") for name in names)


@pytest.mark.usefixtures("standard_effort")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in SEARCHING else ())
        for name in modules_with_examples()
    ],
)
def test_examples_in_docstrings_give_what_they_show(name: str) -> None:
    """Each as a session of its own; one that needs an extra is left out where that is not installed."""
    tests = [test for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]
    assert tests
    for test in tests:
        try:
            doctest.DebugRunner().run(test)
        except doctest.DocTestFailure as failure:
            pytest.fail(f"{failure.example.source}gives\n{failure.got}and not\n{failure.example.want}")
        except doctest.UnexpectedException as raised:
            cause = raised.exc_info[1]
            if isinstance(cause, ModuleNotFoundError) and cause.name in EXTRAS:
                pytest.skip(f"needs {cause.name}")
            raise cause from None


def test_every_public_name_has_an_example() -> None:
    """The reference on the site shows it, and the tests above run it."""
    without = [
        name for name in vars(netveil)["__all__"] if ">>> " not in (getattr(netveil, name).__doc__ or "")
    ]

    assert without == ["__version__"]


STORIES = sorted(path for path in (ROOT / "docs" / "tutorials").glob("*.md") if path.stem != "index")
_CELL = re.compile(r"^```\{code-cell\} python\n(?:---\n(?:.*\n)*?---\n)?((?:.*\n)*?)```$", flags=re.MULTILINE)


def code_of(story: Path) -> str:
    """Cells of a story, one below the other; those that only the site needs are left out."""
    cells = _CELL.findall(story.read_text(encoding="utf-8"))
    return "\n".join(cell for cell in cells if ":tags: [remove-cell]" not in cell)


def test_there_are_six_stories_and_the_gallery_shows_each() -> None:
    """With its picture, which has a text for those who do not see it."""
    gallery = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")

    assert len(STORIES) == 6
    for story in STORIES:
        assert f"{{glue}} {story.stem}\n:doc: {story.name}\n" in gallery
        assert "    alt: " in story.read_text(encoding="utf-8")
        compile(code_of(story), story.name, "exec")


@pytest.mark.thorough
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_a_story_runs(story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    exec(compile(code_of(story), story.name, "exec"), {"__name__": story.stem})
