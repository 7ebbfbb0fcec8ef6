"""A kind of simulated network is one file and one line, as docs/simulated.md says: plans then take it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields

import pytest
from recipes import Copy

from netveil.studies.generators import GENERATORS
from pages import PAGES

pytestmark = pytest.mark.thorough  # commands in a copy of netveil that is changed

PLAN = """\
networks = [{name = "circles", generate = {kind = "cliques", nodes = 20, size = 4, seed = 3}}]
algorithms = ["es"]
metrics = ["clustering"]
"""
WRONG = """\
algorithms = ["es"]
networks = [
  {name = "a", generate = {kind = "clique", nodes = 20, size = 4}},
  {name = "b", generate = {kind = "cliques", nodes = 20, size = 40}},
  {name = "c", generate = {kind = "cliques", nodes = 20}},
  {name = "d", generate = {nodes = 20}},
]
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """netveil with the kind of the page."""
    with Copy.made_in(tmp_path_factory.mktemp("copy")) as copy:
        copy.add("studies/generators/cliques.py", "simulated.md", "Add a kind to netveil", "GENERATORS")
        (copy.folder / "plan.toml").write_text(PLAN, encoding="utf-8")
        (copy.folder / "wrong.toml").write_text(WRONG, encoding="utf-8")
        yield copy


def test_it_is_generated(copy: Copy) -> None:
    """As asked for: the same for the same seed, and another for another."""
    script = (
        "from netveil.studies.generators import generate\n"
        "spec = {'kind': 'cliques', 'nodes': 22, 'size': 4}\n"
        "first, again, other = (generate({**spec, 'seed': seed}) for seed in (1, 1, 2))\n"
        "print(first.name, first.node_count, sorted(first.degrees.tolist()), again == first != other)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=copy.folder, check=True, capture_output=True, text=True
    )

    assert done.stdout == f"cliques 22 {[1] * 2 + [3] * 20} True\n"


def test_a_plan_is_run_on_it(copy: Copy) -> None:
    """Five circles of four: everybody in them knows everybody."""
    (said,) = copy.netveil("experiment plan.toml --out out --workers 1 --collect --json")
    (run,) = copy.folder.glob("out/runs/*/result.json")
    result = copy.document(str(run))

    assert (json.loads(said)["done"], json.loads(said)["failed"]) == (1, {})
    assert (result["nodes"], result["edges"]) == (20, 5 * 6)
    assert result["metrics"]["clustering"]["before"] == 1.0
    assert "circles" in (copy.folder / "out" / "results.csv").read_text(encoding="utf-8")


def test_what_is_wrong_with_it_is_told_with_its_line(copy: Copy) -> None:
    """By the rules of its settings; and it is among the kinds there are."""
    lines = copy.mistake("experiment wrong.toml").splitlines()

    assert len(lines) == 4
    assert "line 3: unknown kind 'clique': did you mean cliques?" in lines[0]
    assert "line 4: generate, cliques: size = 40: it must be 2 or more, and at most the nodes." in lines[1]
    assert "line 5: generate, cliques: size is missing." in lines[2]
    assert "line 6: " in lines[3] and f"{', '.join(GENERATORS)}, cliques." in lines[3]


def test_the_page_lists_every_kind_with_its_keys() -> None:
    """In the order of the registry; the keys that all kinds have are told above the table."""
    page = PAGES["simulated.md"].read_text(encoding="utf-8")
    table = page.split("| kind | further keys |")[1].split("\n\n")[0]
    cells = [line.strip("|").split(" | ")[:2] for line in table.splitlines()[2:]]
    listed = {kind.strip().strip("`"): set(re.findall(r"`(\w+)`", keys)) for kind, keys in cells}

    assert list(listed) == list(GENERATORS) and "cliques" not in GENERATORS
    for kind, keys in listed.items():
        assert keys == {field.name for field in fields(GENERATORS[kind].settings)} - {"nodes", "seed"}
