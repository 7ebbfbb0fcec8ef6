"""The files around the code agree with each other: versions, checks, what CI runs; site and benchmarks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
import yaml

from browsers import CHROMIUM, WITHOUT, started
from netveil._version import __version__

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "netveil"
FOLDERS = "|".join(
    ["src", "tests", "scripts", "benchmarks", *(file.parent.name for file in PACKAGE.glob("*/__init__.py"))]
)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def yaml_file(name: str) -> dict[Any, Any]:
    """What a YAML file of the project holds."""
    held: dict[Any, Any] = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
    return held


def commands(target: str) -> list[str]:
    """The commands of a target of the Makefile."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, flags=re.MULTILINE)
    assert recipe is not None, f"the Makefile has no {target}"
    return recipe.group(1).split("\n\t")


def versions_tested() -> list[str]:
    """The combinations of Python and dependencies that scripts/test_versions.sh goes through."""
    script = (ROOT / "scripts" / "test_versions.sh").read_text(encoding="utf-8")
    (rows,) = re.findall(r"rows=\((newest[^)]*)\)", script)
    return list(rows.split())


def test_the_citation_is_of_this_version() -> None:
    """It also tells the year of the software and of the paper, and where the paper is."""
    citation = yaml_file("CITATION.cff")

    assert citation["version"] == __version__
    assert citation["date-released"].year >= 2026
    assert citation["preferred-citation"]["year"] == 2025
    assert citation["preferred-citation"]["url"] == PROJECT["urls"]["Paper"]


def test_other_records_of_the_project_tell_the_same() -> None:
    """codemeta.json has version and dependencies, the conda recipe dependencies with lowest versions."""
    codemeta = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    other_names = {"igraph": "python-igraph", "matplotlib": "matplotlib-base"}
    needed = dict(each.split(">=") for each in PROJECT["dependencies"])
    of_page = dict(each.split(">=") for each in PROJECT["optional-dependencies"]["web"])
    _, _, run = recipe.partition("  run:\n")
    listed = dict(re.findall(r"^    - ([\w-]+) >=([\d.]+)$", run, flags=re.MULTILINE))

    assert codemeta["version"] == __version__
    assert codemeta["softwareRequirements"] == list(needed)
    assert listed == {
        "python": PROJECT["requires-python"].removeprefix(">="),
        **{other_names.get(name, name): lowest for name, lowest in {**needed, **of_page}.items()},
    }


def test_the_changelog_has_a_place_for_the_next_entry() -> None:
    """Unreleased comes first, and every version below it has its date."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first, *others = re.findall(r"^## (.*)$", text, flags=re.MULTILINE)

    assert first == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", version) for version in others)
    kinds = re.findall(r"^### (.*)$", text, flags=re.MULTILINE)
    assert kinds and set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_hooks_run_what_make_test_runs() -> None:
    """Format, lint and types before a commit, the tests before a push, by the commands of the Makefile."""
    (repository,) = yaml_file(".pre-commit-config.yaml")["repos"]
    hooks = {tuple(hook["stages"]): hook["entry"] for hook in repository["hooks"]}

    assert repository["repo"] == "local"
    assert hooks == {("pre-commit",): "make check", ("pre-push",): "make test"}
    assert [command.split()[0].removeprefix("$(BIN)/") for command in commands("check")] == [
        *("ruff", "ruff", "mypy")
    ]
    assert " check " in commands("test")[0] and "pytest" in commands("test")[1]


def test_ci_tests_every_version_on_three_systems() -> None:
    """The same combinations as `make test-versions`, each with its Python; and the checks of `make check`."""
    jobs = yaml_file(".github/workflows/test.yml")["jobs"]
    matrix = jobs["test"]["strategy"]["matrix"]

    assert matrix["versions"] == versions_tested()
    assert [system.split("-")[0] for system in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert {row["versions"]: row["python"] for row in matrix["include"]} == {
        versions: versions.split("-python")[1] for versions in versions_tested()
    }
    assert jobs["test"]["steps"][-1]["run"] == "scripts/test_versions.sh ${{ matrix.versions }}"
    assert jobs["check"]["steps"][-1]["run"] == "make check"


def test_every_python_that_is_promised_is_tested() -> None:
    """By the classifiers of the package; the lowest dependencies go with the lowest Python."""
    promised = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))

    assert versions_tested() == [
        *(f"newest-python{version}" for version in promised),
        f"lowest-python{promised[0]}",
    ]
    assert PROJECT["requires-python"] == f">={promised[0]}"


def test_the_source_files_that_a_page_names_exist() -> None:
    """By their path from the project or from the package, but for those that a recipe is about to create."""
    found = 0
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")):
        text = page.read_text(encoding="utf-8")
        to_create = re.findall(r"(?:<!-- file: |Save this as `)([\w/]+\.py)", text)
        named = set(re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w/]+\.(?:py|sh|toml|tsv))\b", text))
        missing = {path for path in named if not any((start / path).is_file() for start in (ROOT, PACKAGE))}
        found += len(named)

        assert missing <= set(to_create), page.name
    assert found > 50


needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str, folder: Path = ROOT) -> str:
    """What make prints in a folder with this Makefile."""
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder).stdout


@needs_make
def test_make_alone_lists_every_target() -> None:
    (targets,) = re.findall(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)
    listed = re.findall(r"^make (\S+) +\S.*$", make(), flags=re.MULTILINE)

    assert make().count("\n") == len(listed)
    assert sorted(listed) == sorted(targets.split()) and {"demo", "test"} <= set(listed)


@needs_make
@pytest.mark.parametrize("name", ["netveil", "my netveil"], ids=["plain", "with a blank"])
def test_the_demo_ends_with_what_to_do_next(tmp_path: Path, name: str) -> None:
    """Which file to open, and a command that works in any folder, whatever the clone is called."""
    clone = tmp_path / name
    clone.mkdir()
    (clone / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (clone / "pyproject.toml").touch()
    for done in ("created", "installed", "bin/netveil"):
        (clone / ".venv" / done).parent.mkdir(parents=True, exist_ok=True)
        (clone / ".venv" / done).write_text("#!/bin/sh\n", encoding="utf-8")
    (clone / ".venv" / "bin" / "netveil").chmod(0o755)

    said = make("demo", folder=clone).split("What to do next\n")[1]

    commands = re.findall(
        r"^    (.*) (?:measure contacts\.csv|anonymize contacts\.csv --out \S+|web)$", said, re.M
    )
    assert f"{clone}/demo-release/private/report.html\n" in said
    assert len(commands) == 3
    for command in commands:
        subprocess.run(f"{command} --help", shell=True, check=True, cwd=tmp_path)


@needs_make
@pytest.mark.parametrize("broken", [None, "ruff", "mypy", "pytest", "compile_kernels"])
def test_all_is_checked_and_what_fails_fails_the_run(tmp_path: Path, broken: str | None) -> None:
    """Format, lint, types, then tests, which are not begun if one of the others fails.

    What only saves time may fail: a test tells why.
    """
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, folder in (("Makefile", tmp_path), ("pyproject.toml", tmp_path)):
        (folder / name).write_text(MAKEFILE if name == "Makefile" else "", encoding="utf-8")
    for done in ("created", "installed-dev"):
        (tmp_path / ".venv" / done).touch()
    for name in ("ruff", "mypy", "python"):
        script = f'#!/bin/sh\necho "{name} $*" >> done\ncase "{name} $*" in *{broken}*) exit 1;; esac\n'
        (programs / name).write_text(script, encoding="utf-8")
        (programs / name).chmod(0o755)

    ended = subprocess.run(["make", "test"], cwd=tmp_path, capture_output=True, text=True)
    done_by = [line.split(" -n ")[0] for line in (tmp_path / "done").read_text().splitlines()]

    assert (ended.returncode == 0) == (broken in (None, "compile_kernels"))
    assert ("python -m pytest" in done_by) == (broken in (None, "compile_kernels", "pytest"))
    if "python -m pytest" in done_by:
        assert done_by[-1] == "python -m pytest"
        assert {line.split(" src")[0] for line in done_by[:-1]} == {
            "ruff format --check",
            "ruff check",
            "mypy",
            "python tests/compile_kernels.py",
        }


def test_files_that_the_makefile_names_exist() -> None:
    """A target that runs what was renamed would run nothing, or fail for whoever needs it once a year."""
    prefixed = re.findall(r"\$\(addprefix (\S+?),([^)]*)\)", MAKEFILE)
    named = {f"{prefix}{name}" for prefix, names in prefixed for name in names.split()}
    named |= set(re.findall(r"(?:tests|benchmarks|scripts)/[\w/]+\.(?:py|sh)\b", MAKEFILE))

    (installed,) = re.findall(r"^\.venv/installed:.*\n\t(.*)$", MAKEFILE, flags=re.MULTILINE)

    assert installed.endswith('--editable ".[web]"')  # whose page the demo names
    assert len(named) > 8 and [name for name in sorted(named) if not (ROOT / name).exists()] == []


NAMES = sorted(file.stem for file in (ROOT / "benchmarks").glob("[!_]*.py"))


def benchmarks(*words: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m benchmarks` with these words."""
    command = [sys.executable, "-m", "benchmarks", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_list_has_a_line_for_each_and_other_names_are_refused() -> None:
    """The list needs no name; a name that is not there ends with 2, and says which there are."""
    listed, refused = benchmarks(), benchmarks("sped")
    assert [line.split()[0] for line in listed.stdout.splitlines()[2:]] == NAMES
    assert listed.returncode == 0 and all(len(line.split()) > 4 for line in listed.stdout.splitlines()[2:])
    assert refused.returncode == 2 and "'sped'" in refused.stderr and "speed" in refused.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_each_has_options_of_its_own(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`main(argv)`, which tells its options and ends where help is asked for."""
    monkeypatch.syspath_prepend(str(ROOT))
    module = import_module(f"benchmarks.{name}")
    assert list(signature(module.main).parameters) == ["argv"]
    with pytest.raises(SystemExit) as end:
        module.main(["--help"])
    assert end.value.code == 0 and "usage" in capsys.readouterr().out


SERIOUS = ("serious", "critical")
PAGES = (
    "index.html",
    "reference/python.html",
    "reference/commands.html",
    "tutorials/class.html",
    "results.html",
)


@pytest.mark.thorough
@pytest.mark.skipif(CHROMIUM is None, reason=WITHOUT)
def test_axe_finds_nothing_serious_on_the_site(tmp_path: Path) -> None:
    """On a first page, references, a story and a page of tables, wide and narrow, light and dark."""
    for package in ("sphinx", "myst_nb", "furo", "playwright"):
        pytest.importorskip(package)
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    build = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-D", "nb_execution_mode=off"]
    subprocess.run([*build, str(ROOT / "docs"), str(tmp_path)], check=True, capture_output=True)

    with started() as chromium:
        for width, colours in ((1200, "light"), (400, "dark")):
            size = {"width": width, "height": 900}
            page = chromium.new_context(viewport=size, color_scheme=colours).new_page()  # type: ignore[arg-type]
            for name in PAGES:
                page.goto((tmp_path / name).as_uri())
                found = axe.run(page).response
                wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")

                assert found["passes"] and not wide, name
                assert [each["id"] for each in found["violations"] if each["impact"] in SERIOUS] == [], name
                assert page.locator("article img:not([alt])").count() == 0, name
