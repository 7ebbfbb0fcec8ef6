"""`netveil anonymize` with --target, --effort, --curve and --from-curve, as a user meets them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import PEOPLE, mistake, netveil, write

import netveil as nv
from releases import leave_out_report

KARATE = ("anonymize", "karate", "--seed", "3", "--effort", "0.05", "--no-utility", "--quiet")
CURVE = (*KARATE, "--curve", "--budget", "10%")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path


@pytest.fixture(scope="module")
def written_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the karate club with its curve."""
    release = nv.anonymize(nv.load("karate"), "10%", seed=3, effort=0.05, curve=True)
    return nv.save(release, tmp_path_factory.mktemp("curve") / "whole", utility=False)


@pytest.fixture
def whole(written_once: Path, folder: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(written_once, folder / "whole"))


def points_of(release: Path) -> list[dict[str, Any]]:
    """The solutions of its curve."""
    points: list[dict[str, Any]] = json.loads((release / "private" / "curve.json").read_text())["points"]
    return points


def test_a_target_is_told_to_be_reached_or_not_with_what_to_do(folder: Path) -> None:
    """Of 34 people three may be at risk; a budget that is too small is no error, and all edges no advice."""
    said = netveil(*KARATE, "--target", "90%")
    document = netveil(*KARATE, "--target", "90%", "--overwrite", "--json").json
    at_risk = document["at_risk_after"]
    assert f"Target 90%: reached, 3 people may be at risk, {at_risk} are." in said.out.splitlines()
    assert (document["target"], document["enough"], document["reached"]) == ("90%", 3, True)
    assert at_risk <= 3 and document["budget"] == 78 and document["deleted"] < 10

    short = (*KARATE, "--target", "0.9", "--budget", "1", "--overwrite")
    said, document = netveil(*short), netveil(*short, "--json").json
    counts = f"3 people may be at risk, {document['at_risk_after']} are"
    remedy = "give a larger --budget or more --time."
    assert f"Target 90% was not reached within the budget: {counts}; {remedy}" in said.out.splitlines()
    assert (said.code, document["budget"], document["reached"]) == (0, 1, False)

    write(folder / "people.csv", PEOPLE)
    write(folder / "all.csv", "anna\nbob\ncleo\ndan\n")
    said = netveil("anonymize", "people.csv", "--protect", "all.csv", "--target", "100%")
    assert "Target 100% was not reached: 0 people may be at risk, 3 are; give more --time." in said.out


def test_a_curve_is_shown_as_a_table() -> None:
    """A line a point: budget, edges deleted, people at risk; and how to release one."""
    said = netveil(*CURVE, "--out", "whole")
    document = netveil(*CURVE, "--out", "whole", "--overwrite", "--json").json

    header, *rows, advice = said.out.split("\n\n")[2].splitlines()
    shown = [[float(row.split()[0].rstrip("%")), *map(int, row.split()[1:])] for row in rows]
    assert header.split() == ["budget", "edges", "deleted", "at", "risk"]
    assert shown == [
        [round(100 * point["share"], 2), point["deleted"], point["at_risk"]] for point in document["curve"]
    ]
    assert advice == "To release a point: netveil anonymize karate --from-curve whole --budget B --out DIR"
    last = document["curve"][-1]
    assert (last["budget"], last["deleted"]) == (document["budget"], document["deleted"])
    assert [point["budget"] for point in document["curve"]] == [1, 2, 3, 5, 7]


def test_every_point_can_be_released_and_measures_as_it_says(whole: Path) -> None:
    """Without a search: the same as it was found, counted again, in a whole release; every other one."""
    for point in points_of(whole)[::2]:
        out = f"point{point['budget']}"
        command = ("anonymize", "karate", "--from-curve", whole, "--budget", str(point["budget"]))
        document = netveil(*command, "--out", out, "--no-utility", "--json").json
        measured = netveil("measure", f"{out}/public/network.txt", "--json").json

        assert document["at_risk_after"] == measured["at_risk"] == point["at_risk"]
        assert document["deleted"] == 78 - measured["edges"] == len(point["deleted_edges"])
        assert (document["budget"], document["seed"], document["k"]) == (point["budget"], 3, 2)
        deleted = Path(out, "private", "deleted_edges.csv").read_text().splitlines()[1:]
        assert deleted == [",".join(edge) for edge in point["deleted_edges"]]
        assert points_of(Path(out)) == points_of(whole)


def test_a_point_replaces_the_release_it_comes_from_only_if_asked(whole: Path) -> None:
    command = ("anonymize", "karate", "--from-curve", "whole", "--budget", "2", "--out", "whole")

    assert "exists already" in netveil(*command).err
    said = netveil(*command, "--overwrite", "--keep-labels", "--no-utility", "--quiet", "--json")
    assert (said.code, "original labels" in said.err) == (0, True)
    assert 1 <= said.json["deleted"] <= 2
    left = netveil("measure", "whole/public/network.txt", "--json").json["edges"]
    assert left == 78 - said.json["deleted"]


def test_what_does_not_go_with_a_curve(folder: Path, whole: Path) -> None:
    """The curve's own k and measure hold; what only a search could use is a mistake."""
    told = {
        "--k 3": "k 3: the curve of whole is for k 2; leave k out, or search anew (--curve).",
        "--budget 0": "budget 0 is less than the first point of the curve; give 1 edges (1.28%)",
        "--budget 500%": "budget 500% is more than all edges",
        "--budget abc": "budget 'abc' is not a number",
    }
    for words in (
        *(
            "--target 90%",
            "--algorithm uga",
            "--config conf1",
            "--set effort=2",
            "--keep lcc=0",
            "--protect x",
        ),
        *("--seed 1", "--time 1", "--effort 1", "--curve", "--resume"),
    ):
        told[words] = f"{words.split()[0]} is of no use with --from-curve, which does not search"
    for words, what in told.items():
        point = ("anonymize", "karate", "--from-curve", "whole", "--budget", "1")
        assert what in mistake(folder, *point, *words.split())


def test_a_curve_is_about_one_network(folder: Path, whole: Path) -> None:
    """Another one, and one of the same shape under other names, are refused; its own may come from a file."""
    nv.write(nv.load("karate"), folder / "club.txt")
    write(folder / "renamed.txt", "".join(f"{u}x {v}x\n" for u, v in nv.read(folder / "club.txt").to_edges()))
    write(folder / "people.csv", PEOPLE)
    point = ("--from-curve", "whole", "--budget", "3")
    for network in ("people.csv", "renamed.txt"):
        said = mistake(folder, "anonymize", network, *point)
        assert "the curve of whole is about another network. Give that network" in said
    attacker = ("--k", "2", "--measure", "count", "--distance", "1")

    assert netveil("anonymize", "club.txt", *point, *attacker, "--quiet").code == 0


def test_a_damaged_curve_is_told(folder: Path, whole: Path) -> None:
    """One line, whatever it is; what a point claims is counted again."""
    file = whole / "private" / "curve.json"
    record = json.loads(file.read_text())
    damages: list[tuple[Any, str]] = [
        ("", "curve.json is damaged: it is not JSON. Make the release again."),
        ("[]", "curve.json is damaged: it is not a record"),
        ("{}", "curve.json is damaged: points is missing."),
        ({"points": []}, "whole is damaged: its records and its network do not belong together"),
        ({"points": 3}, "curve.json is damaged"),
        ({"points": [{"budget": 1, "at_risk": 0, "deleted_edges": []}]}, "whole is damaged"),
        ({"points": [{"budget": 1, "at_risk": 15, "deleted_edges": [["0"]]}]}, "whole is damaged"),
    ]
    point = ("anonymize", "karate", "--from-curve", "whole", "--budget", "1")
    for damage, what in damages:
        write(file, damage if isinstance(damage, str) else json.dumps({**record, **damage}))
        assert what in mistake(folder, *point)
    run = json.loads((whole / "private" / "run.json").read_text())
    for each in (record["points"], run["curve"]):  # which agree, and are wrong
        each[0]["at_risk"] -= 1
    write(file, json.dumps(record))
    write(whole / "private" / "run.json", json.dumps(run))
    assert "whole is damaged: its curve does not hold what its record tells" in mistake(folder, *point)
    file.unlink()
    lacking = "whole has no curve: there is no private/curve.json in it. Search for one with --curve."
    assert lacking in mistake(folder, *point)


def test_a_point_keeps_what_its_curve_kept(folder: Path) -> None:
    """Limits and protected edges are those of the search, measured again."""
    write(folder / "stay.txt", "0\n")
    limited = netveil(*CURVE, "--keep", "lcc=0%", "--protect", "stay.txt", "--out", "whole", "--json")
    command = ("anonymize", "karate", "--from-curve", "whole", "--budget", "3", "--no-utility", "--out", "r")
    point = netveil(*command, "--json").json

    assert limited.json["protected"] == point["protected"] == 16
    assert point["keep"] == [{"name": "lcc", "share": "0%", "before": 1.0, "after": 1.0}]
