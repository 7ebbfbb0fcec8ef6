"""Attackers other than the default, as a user of `measure` and `anonymize` meets them; code of a user."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import PEOPLE, mistake, netveil, write

import netveil as nv
from netveil import extensions
from netveil.anonymity import MEASURES
from netveil.extensions import user_code_refused
from releases import leave_out_report

OWN = '''
"""Measures of ours, good and bad."""

import numpy


def contacts(network):
    return network.degrees


def raising(network):
    raise RuntimeError("no such\\nperson")


def talking(network):
    print("let me see")
    return network.degrees


def leaving(network):
    raise SystemExit(3)


def short(network):
    return [1]


def nan(network):
    return numpy.full(network.node_count, numpy.nan)


def lists(network):
    return [[1]] * network.node_count


number = 3
'''
BOTH = ("--measure", "count", "--measure", "vertex-refinement")
SEARCH = ("--budget", "10%", "--seed", "1", "--effort", "0.02", "--no-utility", "--no-audit")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a network and a module of one's own."""
    write(tmp_path / "people.csv", PEOPLE)
    write(tmp_path / "ours.py", OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "ours", raising=False)
    return tmp_path


def record(file: str) -> Any:
    """A JSON document in the current folder."""
    return json.loads(Path(file).read_text(encoding="utf-8"))


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_says_who_the_attacker_is(measure: str) -> None:
    """In one sentence, at any distance, and the document has the same number."""
    arguments = ("measure", "karate", "--measure", measure, "--distance", "2")
    found = nv.measure(nv.load("karate"), measure, distance=2)
    document = netveil(*arguments, "--json").json

    assert netveil(*arguments, "--quiet").out == (
        f"{found.at_risk} of 34 people ({found.uniqueness:.1%}) have surroundings that nobody else has: "
        f"an attacker who {MEASURES[measure].attacker}, up to distance 2, can single them out.\n"
    )
    told = [document[key] for key in ("measure", "distance", "at_risk", "classes")]
    assert told == [measure, 2, found.at_risk, found.classes]


def test_doubts_and_twins_are_part_of_the_sentence() -> None:
    for words, said in {
        "--fuzzy 20%": "have surroundings like nobody else's: an attacker who has counted a person's ",
        "--fuzzy 20% --k 3": "have surroundings like those of fewer than 2 others: an attacker ",
        "--fuzzy 20% --k 2": " among those contacts, each number to within 20%, can single them out.",
        "--twins": "have surroundings that nobody else has, people with the same contacts counted as one: ",
    }.items():
        assert said in netveil("measure", "karate", *words.split()).out


def test_several_attackers_are_told_one_by_one() -> None:
    """At risk is who is so to any of them; each has a line, and an object in the document."""
    lines = netveil("measure", "karate", *BOTH, "--quiet").out.splitlines()
    document = netveil("measure", "karate", *BOTH, "--json").json

    assert lines[0] == "23 of 34 people (67.6%) can be singled out by one attacker or another:"
    assert lines[1].startswith("  15 (44.1%) by an attacker who has counted a person's contacts and the ties")
    assert lines[2].startswith(
        "  23 (67.6%) by an attacker who has counted a person's contacts and, for each"
    )
    assert len(lines) == 3
    assert document["measure"] == "count + vertex-refinement"
    assert [alone["at_risk"] for alone in document["attackers"]] == [15, 23]
    assert (
        "can each be narrowed down to fewer than 3 people by one"
        in netveil("measure", "karate", *BOTH, "--k", "3").out
    )


def test_a_cascade_starts_from_unique_people_whatever_k_is(folder: Path) -> None:
    """In a triangle all are alike, and the leaves of a star are alike to its hub: it may end at once."""
    for k in ("2", "5"):
        said = netveil("measure", "karate", "--cascade", "--k", k).out
        document = netveil("measure", "karate", "--cascade", "--k", k, "--json").json

        assert (
            "From the 15 who are unique an attacker can go on to others among their contacts: 22 people "
            "(64.7%)" in said
        )
        assert document["cascade"] == {"identified": 22, "rounds": [15, 7]}
    for edges, said in {
        "a b\nb c\nc a\n": "Nobody is unique, so there is nobody to go on from.",
        "a b\nb c\nb d\n": "From the one who is unique nobody else can be found among their contacts.",
    }.items():
        assert said in netveil("measure", write(folder / "small.txt", edges), "--cascade").out
    for words in (BOTH, ("--fuzzy", "5%"), ("--twins",)):
        said = mistake(folder, "measure", "people.csv", "--cascade", *words)
        assert "--cascade follows one attacker with exact knowledge" in said


def test_an_own_measure_is_found_in_the_current_folder() -> None:
    """It counts contacts, so it is as strong as degree; a search, the record and the report know its name."""
    document = netveil("measure", "karate", "--measure", "ours:contacts", "--json").json
    arguments = ("--measure", "ours:contacts", "--algorithm", "es", *SEARCH[:4], *SEARCH[6:])
    said = netveil("anonymize", "karate", *arguments, "--out", "release")
    run, about = record("release/private/run.json"), record("release/public/about.json")

    assert (document["measure"], document["at_risk"]) == ("ours:contacts", 6)
    assert said.code == 0
    assert (run["measure"], run["at_risk_before"]) == ("ours:contacts", 6)
    assert about["measure"] == "contacts"
    assert "(measure ours:contacts)" in Path("release/private/report.html").read_text(encoding="utf-8")


def test_a_release_against_several_attackers_shows_each_alone() -> None:
    arguments = ("--measure", "count", "--measure", "degree", "--fuzzy", "5%", "--twins", *SEARCH)
    said = netveil("anonymize", "karate", *arguments, "--out", "release")
    run, about = record("release/private/run.json"), record("release/public/about.json")
    published = nv.read("release/public/network.txt")
    count, degree = (
        nv.measure(published, name, fuzzy="5%", twins=True).at_risk for name in ("count", "degree")
    )

    assert said.code == 0
    assert f", each number to within 5% (count, fuzzy 5%, twin classes)  15 → {count}\n" in said.out
    assert "\n  counts contacts, each number to within 5% (degree, fuzzy 5%, twin classes) " in said.out
    assert f" 6 → {degree}\n" in said.out
    assert run["attackers"][1] == {
        "measure": "degree",
        "distance": 1,
        "fuzzy": "1/20",
        "twins": True,
        "at_risk_before": 6,
        "at_risk_after": degree,
    }
    assert (about["measure"], about["fuzzy"], about["twins"]) == ("count + degree", 0.05, True)
    page = Path("release/private/report.html").read_text(encoding="utf-8")
    assert "Each attacker alone (k = 2)" in page


def test_a_point_of_a_curve_is_against_the_same_attackers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They need not be told again; others are refused, and so are doubts: the search has settled them."""
    leave_out_report(monkeypatch)
    netveil("anonymize", "karate", *BOTH, *SEARCH, "--curve", "--out", "whole")
    point = ("anonymize", "karate", "--from-curve", "whole", "--budget", "5%", "--no-utility", "--no-audit")
    said = netveil(*point, "--out", "small")
    run = record("small/private/run.json")

    assert said.code == 0
    assert run["measure"] == "count + vertex-refinement"
    assert (
        nv.measure(nv.read("small/public/network.txt"), ["count", "vertex-refinement"]).at_risk
        == (run["at_risk_after"])
    )
    assert netveil(*point, *BOTH, "--out", "again").code == 0
    assert "is for measure count + vertex-refinement" in mistake(
        Path(), *point, "--measure", "count", "--out", "other"
    )
    assert "--fuzzy is of no use with --from-curve" in mistake(Path(), *point, "--fuzzy", "5%")


OWN_MISTAKES = {
    "leaving": "measure ours:leaving failed: SystemExit: 3",
    "raising": "measure ours:raising failed: RuntimeError: no such person",
    "short": "measure ours:short returned 1 states for 5 nodes",
    "nan": "measure ours:nan returned NaN in a state",
    "lists": "measure ours:lists returned a state that cannot be compared, a list",
    "number": "measure ours:number: give a name, a function, or an object of",
    "missing": "measure ours:missing: AttributeError: module 'ours' has no attribute",
    "contacts --distance 2": "distance 2: measure ours:contacts is your own",
    "contacts --fuzzy 5%": "measure ours:contacts cannot be fuzzy",
}
"""About a measure in ours.py, by its name and further options."""


@pytest.mark.parametrize("command", ["measure", "anonymize"])
def test_mistakes_about_the_attacker_are_told_in_a_line(folder: Path, command: str) -> None:
    mistakes = {f"ours:{words}": what for words, what in OWN_MISTAKES.items()} | {
        "theirs:contacts": "measure theirs:contacts: ModuleNotFoundError: No module named 'theirs'; write",
        "count --measure conut": "unknown measure 'conut': did you mean count?",
        "count --measure vertex-refinement --fuzzy 5%": "measure vertex-refinement cannot be fuzzy",
    }
    for words, what in mistakes.items():
        assert what in mistake(folder, command, "people.csv", "--measure", *words.split())


@pytest.mark.parametrize("command", [("measure",), ("anonymize", *SEARCH)], ids=["measure", "anonymize"])
def test_what_an_own_measure_prints_is_no_part_of_the_document(command: tuple[str, ...]) -> None:
    said = netveil(command[0], "people.csv", "--measure", "ours:talking", "--json", *command[1:])

    assert said.json["measure"] == "ours:talking"
    assert "let me see" in said.err


# What is tried beside the search: told, left out, and cut short.


def test_audit_and_baselines_are_tried_as_asked() -> None:
    """It says so while it is at it; they are in the record and in the report."""
    audit, baselines, neither = (
        netveil("anonymize", "people.csv", *SEARCH[:-1], *words, "--out", out)
        for out, words in (
            ("audit", ()),
            ("baselines", ("--no-audit", "--baselines")),
            ("neither", ("--no-audit",)),
        )
    )
    reports = {out: record(f"{out}/private/run.json")["report"] for out in ("audit", "baselines", "neither")}
    pages = [Path(f"{each}/private/report.html").read_text(encoding="utf-8") for each in reports]

    assert (audit.code, baselines.code, neither.code) == (0, 0, 0)
    assert "trying attacks on it (Ctrl-C skips this) …" in audit.err and "attacks" not in neither.err
    said = "trying other algorithms with the same budget (Ctrl-C skips this) …"
    assert [said in each.err for each in (audit, baselines, neither)] == [False, True, False]
    assert reports["audit"]["audit"]["scored"] and reports["neither"]["audit"] is None
    assert [set(report["baselines"]) for report in reports.values()] == [set(), {"es", "ua"}, set()]
    assert ["with the baselines at the same budget" in page for page in pages] == [False, True, False]


@pytest.mark.parametrize(("part", "asked"), [("auditing", ()), ("searching", ("--no-audit", "--baselines"))])
def test_what_is_cut_short_leaves_a_release(
    monkeypatch: pytest.MonkeyPatch, part: str, asked: tuple[str, ...]
) -> None:
    """With exit code 130, and a report without it, which says how to get an audit."""

    def interrupted(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"netveil.release.gather.{part}", interrupted)
    said = netveil("anonymize", "people.csv", *SEARCH[:-1], *asked, "--out", "release")
    report = record("release/private/run.json")["report"]
    page = Path("release/private/report.html").read_text(encoding="utf-8")

    assert (said.code, report["audit"], report["baselines"]) == (130, None, {})
    assert "netveil audit ORIGINAL RELEASE" in page


GIVEN = "given_measure:contacts"


@pytest.fixture(autouse=True)
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A given with a measure, a plan that names it, and nothing said yet."""
    source = (
        "import pathlib\npathlib.Path('ran').touch()\ndef contacts(network):\n    return network.degrees\n"
    )
    (tmp_path / "given_measure.py").write_text(source)
    plan = f'networks = ["karate"]\nalgorithms = ["es"]\nmeasures = ["{GIVEN}"]\nbudgets = [1]\nseeds = 1\n'
    (tmp_path / "plan.toml").write_text(plan)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "given_measure", raising=False)
    monkeypatch.setattr(extensions, "_said", set())
    return tmp_path


def test_code_of_a_user_is_refused_if_asked(given: Path) -> None:
    """Before it is imported, by every command: importing runs it already."""
    own = f"--measure {GIVEN}"
    for command in (
        *(f"measure karate {own}", f"anonymize karate {own}", f"tune karate {own}"),
        *(f"audit karate karate {own}", "experiment plan.toml"),
    ):
        said = netveil(*command.split(), "--no-user-code")

        assert said.code == 2 and f"measure {GIVEN} is code of a user, which is refused here" in said.err
        assert not (given / "ran").exists(), command


def test_code_of_a_user_is_said_once(caplog: pytest.LogCaptureFixture, given: Path) -> None:
    """When it first runs, with its file: a plan may be somebody else's. After a refusal it runs again."""
    netveil("measure", "karate", "--measure", GIVEN, "--no-user-code")
    for _ in range(2):
        assert netveil("measure", "karate", "--measure", GIVEN).code == 0

    said = f"measure {GIVEN} runs code of {given / 'given_measure.py'}, with your rights: name none that "
    said += "you do not trust"
    assert caplog.messages == [said]


def test_a_record_that_names_code_is_not_loaded_where_it_is_refused(given: Path) -> None:
    """A release given that somebody sends names the measure that it was made against."""
    release = nv.anonymize(nv.load("karate"), 2, measure=GIVEN, algorithm="es", seed=1)
    saved = nv.save(release, given / "release", utility=False, audit=False, baselines=False)

    with user_code_refused(), pytest.raises(nv.FileError, match="is code of a user"):
        nv.load_release(saved)
    assert nv.load_release(saved).outcome.attackers.measure == GIVEN
