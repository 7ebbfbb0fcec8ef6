"""Attacks and matchers that were added are tried as netveil's own are."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import numpy as np
import pytest
from recipes import added

import netveil as nv
from netveil.auditing import ATTACKS
from netveil.auditing.matching import run_matching
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.run_matching import Case, cases_for, match_all
from netveil.cli import main
from netveil.network import Network
from netveil.registries import MATCHERS

KARATE = nv.load("karate")
MATCHER, NAME, KNOWLEDGE = "own-degree", "ranks", "knows who has more contacts than whom"


@pytest.fixture(autouse=True)
def _added() -> None:
    """The attack and the matcher of the recipes."""
    assert (added("attack"), added("matcher")) == (NAME, MATCHER)


def test_it_is_tried_and_told_beside_the_others() -> None:
    """In the table, in the document, and as the strongest where it finds most people."""
    audit = nv.audit(KARATE, KARATE.without_edges([0]), measure="degree", distance=1, fuzzy=[])
    told = {attack["attacker"]: attack for attack in audit.to_dict()["attacks"]}

    assert [attack.name for attack in audit.attacks] == ["degree", NAME]
    assert told[NAME]["knowledge"] == KNOWLEDGE and told[NAME]["measure"] is None
    assert told[NAME]["release"]["found"] > told["degree"]["release"]["found"]
    assert any(line.startswith(NAME) for line in audit.table().splitlines())
    assert KNOWLEDGE in audit.paragraph() and audit.strongest.name == NAME


def test_it_needs_neither_a_score_nor_other_attacks(monkeypatch: pytest.MonkeyPatch) -> None:
    audit = nv.audit(KARATE, KARATE.relabelled(np.arange(34)[::-1]), measure="degree", distance=1)
    assert not audit.scored
    assert audit.attacks[-1].to_dict()["release"]["candidates"]["one"] == 34
    assert any(line.startswith(NAME) for line in audit.table().splitlines())

    monkeypatch.delitem(ATTACKS, "surroundings")
    alone = nv.audit(KARATE, KARATE)
    assert [attack.name for attack in alone.attacks] == [NAME] and alone.attacks[0].release.found == 34
    assert "k = 2" not in alone.table()


def test_the_report_and_the_command_show_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["anonymize", "karate", "--algorithm", "es", "--seed", "1", "--no-utility", "--quiet"]) == 0
    run = json.loads(Path("karate-release/private/run.json").read_text(encoding="utf-8"))
    page = Path("karate-release/private/report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["audit", "karate", "karate-release", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)

    assert run["report"]["audit"]["attacks"][-1]["attacker"] == NAME
    assert document["attacks"][-1]["attacker"] == NAME
    assert f'<th scope="row">{KNOWLEDGE} <span class="measure">({NAME})</span></th>' in page


def test_it_is_run_and_scored_like_the_others() -> None:
    """On the release, the original and after random deletions; nobody is claimed who has a double."""
    (row,) = match_all(KARATE, KARATE.without_edges([0]), [Case(MATCHER, Knowledge(), 3, 1)])
    alone = int((np.bincount(KARATE.degrees) == 1).sum())

    assert row.attack == row.to_dict()["attack"] == MATCHER and row.title == MATCHERS[MATCHER].title
    assert (row.original.found, row.original.wrong) == (alone, 0)
    assert row.original.people == 34 and 0 < row.release.found < 34
    assert row.curve[-1][0] == round((row.release.found + row.release.wrong) / 34, 4)
    for graph, found in ((networkx.cycle_graph(9), 0), (networkx.star_graph(9), 1)):
        network = Network.from_networkx(graph)
        (row,) = match_all(network, network, [Case(MATCHER, Knowledge(), 1, 1)])
        assert (row.release.found, row.release.wrong) == (found, 0)


def test_it_is_in_the_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_matching, "MOST_MARKS", dict.fromkeys(run_matching.MOST_MARKS, 10**12))
    usual, everything = (cases_for(KARATE, extent)[0] for extent in ("usual", "all"))

    assert [attempt.knowledge for attempt in usual if attempt.attack == MATCHER] == [Knowledge()]
    assert usual[0].attack != MATCHER
    assert sum(attempt.attack == MATCHER for attempt in everything) == sum(
        attempt.attack == "weighing" for attempt in everything
    )
