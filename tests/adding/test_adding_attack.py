"""An attack of the audit is one file and one registry line: all that lists attacks takes a new one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from recipes import added

import netveil as nv
from netveil.auditing import ATTACKS
from netveil.cli import main

KARATE = nv.load("karate")
NAME, KNOWLEDGE = "ranks", "knows who has more contacts than whom"


@pytest.fixture(autouse=True)
def _added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack of the recipe; the current folder is empty."""
    monkeypatch.chdir(tmp_path)
    assert added("An attack of the audit", ATTACKS, tmp_path, monkeypatch) == NAME


def test_it_is_tried_and_told_beside_the_others() -> None:
    """In the table, in the document, and as the strongest where it finds most people."""
    audit = nv.audit(KARATE, KARATE.without_edges([0]), measures="degree", distances=1, fuzzy=[])
    told = {attack["attacker"]: attack for attack in audit.to_dict()["attacks"]}

    assert [attack.name for attack in audit.attacks] == ["degree", NAME]
    assert told[NAME]["knowledge"] == KNOWLEDGE and told[NAME]["measure"] is None
    assert told[NAME]["release"]["found"] > told["degree"]["release"]["found"]
    assert any(line.startswith(NAME) for line in audit.table().splitlines())
    assert KNOWLEDGE in audit.paragraph() and audit.strongest.name == NAME


def test_it_does_not_need_to_know_who_is_who() -> None:
    """Without a score it tells how many matches there are."""
    unknown = KARATE.relabelled(np.arange(34)[::-1])
    audit = nv.audit(KARATE, unknown, measures="degree", distances=1)

    assert not audit.scored
    assert audit.attacks[-1].to_dict()["release"]["candidates"]["one"] == 34
    assert any(line.startswith(NAME) for line in audit.table().splitlines())


def test_it_can_be_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody at risk inside the release is told then: that is about states."""
    monkeypatch.delitem(ATTACKS, "surroundings")
    audit = nv.audit(KARATE, KARATE)

    assert [attack.name for attack in audit.attacks] == [NAME]
    assert "k = 2" not in audit.table()
    assert audit.attacks[0].release.found == 34


def test_the_report_and_the_command_show_it(capsys: pytest.CaptureFixture[str]) -> None:
    """In the release's own record, on its page, and by `netveil audit`."""
    assert main(["anonymize", "karate", "--algorithm", "es", "--seed", "1", "--no-utility", "--quiet"]) == 0
    run = json.loads(Path("karate-release/private/run.json").read_text(encoding="utf-8"))
    page = Path("karate-release/private/report.html").read_text(encoding="utf-8")
    capsys.readouterr()
    assert main(["audit", "karate", "karate-release", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)

    assert run["report"]["audit"]["attacks"][-1]["attacker"] == NAME
    assert document["attacks"][-1]["attacker"] == NAME
    assert f'<th scope="row">{KNOWLEDGE} <span class="measure">({NAME})</span></th>' in page
