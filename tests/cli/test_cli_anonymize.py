"""`netveil anonymize` as a user meets it: budgets, limits, attributes, and what is at the edge of sense."""

from __future__ import annotations

from pathlib import Path

import networkx
import numpy as np
import pytest
from command_line import mistake, netveil, write

import netveil as nv
from graphs import with_attributes
from netveil.release.deposit import DEPOSIT
from netveil.release.folder import ReleaseFolder
from netveil.search import ALGORITHMS
from searches import QUICK

pytestmark = pytest.mark.usefixtures("folder")

KEYS = {
    *("network", "nodes", "edges", "measure", "distance", "k", "algorithm", "seed", "budget"),
    *("deleted", "at_risk_before", "at_risk_after", "unique_before", "unique_after", "objective"),
    *("generations", "evaluations", "seconds", "stopped_by", "release"),
}

# The GA finds the one edge whatever the seed; the UGA can end where only Eve, who has no edge, is at risk.
PROTECT_ALL = ("anonymize", "people.csv", "--algorithm", "ga", "--budget", "1")


def test_it_tells_what_changed_and_where_the_release_is(folder: Path) -> None:
    """One edge protects everybody; the folder is named after the network, and no hidden one stays."""
    said = netveil(*PROTECT_ALL, "--seed", "5")
    verdict, blank, read, ties, at_risk, deleted, search, least, *places = said.out.splitlines()

    assert said.code == 0
    assert (
        verdict.startswith("No policy was set. It may be claimed that nobody is at risk to count")
        and not blank
    )
    assert read.startswith(
        "read as edge-list: separator comma, people in columns 1 and 2, no header, UTF-8, "
    )
    assert ties == "first ties: anna – bob; bob – cleo; cleo – anna"
    assert at_risk == "Of 5 people, 3 were unique: nobody else is like them. Now 0 are (to count, k = 2)."
    assert deleted == "1 of 4 edges deleted (25.0%; the budget is 1)."
    assert search.startswith("ga, seed 5: ") and search.endswith("stopped by: solved.")
    assert least.startswith("Shown to be the least: ")
    parts = ("public", "private", "private/report.html", "private/sign-off.html")
    assert [place.split()[-1] for place in places] == [f"people-release/{part}" for part in parts]
    assert sorted(path.name for path in folder.iterdir()) == ["people-release", "people.csv"]


def test_json_is_one_document_with_every_key_of_the_contract() -> None:
    """Progress goes to standard error only; with --quiet there is none."""
    said = netveil(*PROTECT_ALL, "--seed", "5", "--out", "r", "--json")
    quiet = netveil(*PROTECT_ALL, "--out", "q", "--json", "--quiet")

    document = said.json
    assert said.code == 0
    assert "0 of 3 still at risk · 1 of 1 edges deleted · 0 s" in said.err
    assert document.keys() >= KEYS
    known = {"network": "people.csv", "nodes": 5, "edges": 4, "measure": "count", "distance": 1, "k": 2}
    known |= {"algorithm": "ga", "seed": 5, "budget": 1, "deleted": 1, "at_risk_before": 3}
    known |= {"unique_before": 3, "unique_after": 0, "objective": 0, "stopped_by": "solved", "release": "r"}
    known |= {"at_risk_after": 0}
    assert {key: document[key] for key in known} == known
    assert document["evaluations"] >= 100 and document["generations"] >= 0 and document["seconds"] >= 0
    assert (quiet.err, quiet.json["deleted"]) == ("", 1)


@pytest.mark.quick(2)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_has_every_key(algorithm: str) -> None:
    """Those without generations say null; a seed is drawn and told where none is given."""
    words = [word for name, value in QUICK[algorithm].items() for word in ("--set", f"{name}={value}")]
    one, other = (
        netveil("anonymize", "karate", "--algorithm", algorithm, *words, "--json", "--out", out).json
        for out in ("one", "other")
    )

    assert one.keys() >= KEYS and one["seed"] != other["seed"]
    assert one["algorithm"] == algorithm
    assert (one["generations"] is None) == (algorithm not in {"ga", "uga"})
    assert one["deleted"] <= one["budget"] == 3
    assert one["at_risk_after"] <= one["at_risk_before"] == 15


def test_a_budget_of_nothing_deletes_nothing_and_says_so() -> None:
    said = netveil("anonymize", "people.csv", "--budget", "0")

    assert said.code == 0
    assert "Of 5 people, 3 were unique: nobody else is like them. Now 3 are." in said.out
    assert "The budget is less than one edge, so nothing was deleted. Give more with --budget." in said.out
    assert nv.read("people-release/public/network.csv").edge_count == 4


@pytest.mark.parametrize(
    ("content", "nodes", "edges", "dropped"),
    [
        ("a b\nb a\na b\n", 2, 1, {"self_loops": 0, "duplicates": 2}),
        ("a a\nb b\nb b\n", 2, 0, {"self_loops": 3, "duplicates": 0}),
        ("a b\n", 2, 1, {"self_loops": 0, "duplicates": 0}),
        ("# nodes: 3\n", 3, 0, {"self_loops": 0, "duplicates": 0}),
        ("a b\nb c\nc d\nd a\n", 4, 4, {"self_loops": 0, "duplicates": 0}),
    ],
    ids=["reversed and repeated", "self-loops only", "two people", "no edge", "all alike"],
)
def test_where_nobody_is_at_risk_nothing_is_deleted(
    folder: Path, content: str, nodes: int, edges: int, dropped: dict[str, int]
) -> None:
    file = write(folder / "small.txt", content)

    measured = netveil("measure", file, "--json").json
    document = netveil("anonymize", file, "--budget", "100%", "--json").json

    assert (measured["nodes"], measured["edges"], measured["at_risk"]) == (nodes, edges, 0)
    assert measured["dropped"] == document["dropped"] == dropped
    assert (document["deleted"], document["stopped_by"]) == (0, "solved")
    published = nv.read("small-release/public/network.txt")
    assert (published.node_count, published.edge_count) == (nodes, edges)


def test_settings_come_from_a_preset_a_file_or_a_word(folder: Path) -> None:
    """The word wins over the file, and the record of the run has them all."""
    write(folder / "mine.toml", 'crossover = "uniform"\npatience = 7\ninitial_rate = 1\n')
    told: dict[str, dict[str, object]] = {
        "--algorithm uga": {"crossover": 25, "mutation_decay": 0.000025, "patience": 40},
        "--config conf3": {"crossover": "uniform", "mutation_decay": 0.00001},
        "--set crossover=uniform": {"crossover": "uniform", "mutation_decay": 0.000025},
        "--set mutation-rate=0.01": {"mutation_rate": 0.01},
        "--config mine.toml --set patience=8": {"crossover": "uniform", "patience": 8, "initial_rate": 1.0},
        "--set patience=8 --set patience=9": {"patience": 9},
        "--algorithm es --set steps=5": {"steps": 5},
    }
    for words, settings in told.items():
        document = netveil(*PROTECT_ALL, "--json", "--overwrite", *words.split()).json
        assert document["settings"].items() >= settings.items(), words


def test_the_release_is_in_the_format_of_the_network(folder: Path) -> None:
    for suffix in ("csv", "graphml", "gml", "net", "mtx"):
        nv.write(nv.load("karate"), folder / f"club.{suffix}")
        public = folder / suffix / "public"

        said = netveil("anonymize", f"club.{suffix}", "--algorithm", "es", "--out", suffix, "--json").json
        files = {"about.json", *DEPOSIT, f"network.{suffix}", *(["nodes.csv"] if suffix == "csv" else [])}
        assert {path.name for path in public.iterdir()} == files
        published = nv.read(public / f"network.{suffix}")
        assert (published.node_count, published.edge_count) == (34, 78 - said["deleted"])


@pytest.mark.parametrize(("budget", "edges"), [("1", 1), ("1.0", 4)])
def test_a_whole_number_is_a_budget_of_edges_and_a_point_makes_a_share(budget: str, edges: int) -> None:
    for command in ("anonymize", "tune"):
        said = netveil(
            command, "people.csv", "--budget", budget, "--seed", "1", "--algorithm", "es", "--json"
        )
        assert (said.code, said.json["budget"]) == (0, edges)


DELETE_ONE = ("anonymize", "people.csv", "--algorithm", "ga", "--budget", "1", "--seed", "5")


def test_limits_are_used_told_in_one_line_and_in_the_document() -> None:
    """Without the edge from Cleo to Dan nobody is at risk; but it cuts Dan off."""
    said = netveil(*DELETE_ONE, "--keep", "lcc=0%", "--keep", "degree=50%")
    kept = netveil(*DELETE_ONE, "--keep", "lcc = 0.25", "--overwrite", "--json").json
    free = netveil(*DELETE_ONE, "--out", "free", "--json").json
    (line,) = (line for line in said.out.splitlines() if line.startswith("Kept: "))

    assert said.code == 0 and "Protected: " not in said.out and "Now 0 are" not in said.out
    assert line.startswith("Kept: lcc 0.8000 → 0.8000 (at most 0%), degree 0.0000 → ")
    assert line.endswith(" (at most 50%).")
    assert kept["keep"] == [{"name": "lcc", "share": "25%", "before": 0.8, "after": 0.6}]
    assert (kept["protected"], free["protected"], free["keep"], free["at_risk_after"]) == (0, 0, [], 0)


def test_protected_edges_are_told_and_stay(folder: Path) -> None:
    """Dan with all his edges, which is one, and the edge from Anna to Bob."""
    write(folder / "stay.csv", "# staff\ndan\nbob,anna\n")
    said = netveil(*DELETE_ONE, "--protect", "stay.csv")
    document = netveil(*DELETE_ONE, "--protect", "stay.csv", "--overwrite", "--json").json

    assert said.code == 0
    assert "Protected: 2 edges, none of them deleted." in said.out
    assert document["protected"] == 2
    assert nv.read("people-release/public/network.csv").edge_count == 4 - document["deleted"]
    assert "dan" not in (folder / "people-release" / "private" / "deleted_edges.csv").read_text()


def test_to_resume_takes_limits_that_the_solution_keeps(folder: Path) -> None:
    network = nv.read("people.csv")
    cut_off = ReleaseFolder("release")
    cut_off.claim()
    cut_off.keep_best(network, np.array([network.to_edges().index(("cleo", "dan"))]), at_risk=0)
    cut_off.abandon()  # as the end of its process would: nobody holds it any more
    command = (*DELETE_ONE, "--out", "release", "--resume")

    assert "the limit lcc=0% is broken" in netveil(*command, "--keep", "lcc=0%").err
    write(folder / "stay.csv", "dan\n")
    assert "deletes 1 protected edge;" in netveil(*command, "--protect", "stay.csv").err
    assert netveil(*command).code == 0


def test_the_command_line_carries_what_is_named_after_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the option it says what is left out, in its own words; --quiet does not silence it."""
    networkx.write_graphml(with_attributes(), tmp_path / "people.graphml")
    brief = ("--quiet", "--no-utility", "--no-audit", "--no-baselines")
    command = ("anonymize", "people.graphml", "--budget", "2", "--seed", "1", *brief)

    silent = netveil(*command, "--out", "without")
    asked = netveil(*command, "--out", "with", "--keep-attributes", "age, weight", "--curve")
    point = ("anonymize", "people.graphml", "--from-curve", "with", "--budget", "1", *brief)
    again = netveil(*point, "--out", "point", "--keep-attributes", "age")

    assert silent.err.startswith(
        "warning: the release does not carry the attributes age, town, weight, work. "
    )
    assert silent.err.endswith(": --keep-attributes age,town,weight,work.\n")
    assert asked.err.startswith(
        "warning: the release carries the attributes age, weight (--keep-attributes): "
    )
    # Of the attributes, and of the two releases beside it: no second word on attributes that are not carried.
    assert again.err.count("warning") == 2 and again.err.count("holds another release") == 1
    kept = [
        nv.read(f"{folder}/public/network.graphml").attributes.names
        for folder in ("without", "with", "point")
    ]
    assert kept == [(), ("age", "weight"), ("age",)]


def test_further_columns_of_a_file_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text("a,b,3\nb,c,4\n", encoding="utf-8")

    said = mistake(tmp_path, "anonymize", "people.csv", "--keep-attributes", "weight")

    assert "netveil: --keep-attributes weight: this network has no attributes." in said
    assert "further columns of other files cannot" in said


def test_every_command_sees_the_people_without_ties() -> None:
    """measure, compare and audit agree with a release whose people without ties stand in another table."""
    release = netveil(*PROTECT_ALL, "--seed", "1", "--out", "r", "--json").json
    measured = netveil("measure", "r/public/network.csv", "--json").json
    compared = netveil("compare", "people.csv", "r", "--json").json
    audited = netveil("audit", "people.csv", "r", "--measure", "degree", "--json").json

    assert (measured["nodes"], measured["at_risk"]) == (5, release["at_risk_after"])
    assert compared["edges_deleted"] == 0.25
    assert audited["scored"] and audited["leaks"] == []
