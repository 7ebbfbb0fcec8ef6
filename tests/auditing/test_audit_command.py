"""`netveil audit` and `nv.audit`: table, document, paragraph, and the mistakes that people make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from audits import shuffled

import netveil as nv
from graphs import clustered
from netveil.anonymity import MEASURES
from netveil.anonymity.circles import edges_around
from netveil.auditing import run_audit
from netveil.cli import main
from netveil.network import Network
from netveil.report.page import templates

KARATE = nv.load("karate")
KEYS = {"original", "released", "nodes", "edges", "scored", "attacks", "leaks", "notes"}
ATTACK_KEYS = {
    *["attacker", "measure", "distance", "fuzzy", "deletions", "release", "original", "guessing", "at_risk"]
}
TALLY_KEYS = {"found", "among_few", "among_many", "misled", "not_found", "success", "interval"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the karate club, as netveil makes it."""
    release = nv.anonymize(KARATE, "10%", seed=1, effort=0.05)
    place = tmp_path_factory.mktemp("audit") / "release"
    return nv.save(release, place, utility=False, audit=False, baselines=False)


def test_a_release_of_netveil_is_audited(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every measure at both distances, exact and fuzzy, scored through the release's own table; no leak."""
    assert main(["audit", "karate", str(folder), "--json"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)

    assert said.err == "" and document.keys() >= KEYS
    assert (document["original"], document["released"]) == ("karate", str(folder))
    assert (document["nodes"], document["edges"], document["scored"]) == (34, 78, True)
    assert document["leaks"] == document["notes"] == []
    tried = [(each["measure"], each["distance"], each["fuzzy"]) for each in document["attacks"]]
    falls = [each["deletions"] for each in document["attacks"]]
    numbers = ("degree", "count", "edge-count")
    assert [each for each, fallen in zip(tried, falls, strict=True) if fallen] == [
        (name, d, f) for name in numbers for d in (1, 2) for f in (0.05, 0.1, 0.2)
    ]
    assert {("count", d, f) for d in (1, 2) for f in (None, 0.05, 0.1)} <= set(tried)
    assert {(name, d, None) for name in MEASURES for d in (1, 2)} <= set(tried) and len(tried) == 44
    for attack in document["attacks"]:
        assert attack.keys() >= ATTACK_KEYS and attack["guessing"] == 1 / 34
        # Who allows for deletions looks from the original to the release, not inside the release.
        assert attack["at_risk"].keys() == (set() if attack["deletions"] else {"2", "3", "5", "10"})
        for tally in (attack["release"], attack["original"]):
            assert tally.keys() >= TALLY_KEYS
            assert sum(tally[key] for key in TALLY_KEYS - {"success", "interval"}) == 34
            assert tally["interval"][0] <= tally["success"] <= tally["interval"][1]


def test_the_public_part_alone_is_audited_without_a_score(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A warning says so; --labels brings the score back."""
    network = tmp_path / "network.txt"
    network.write_bytes((folder / "public" / "network.txt").read_bytes())
    arguments = ["audit", "karate", str(network), "--json"]

    assert main(arguments) == 0
    said = capsys.readouterr()
    alone = json.loads(said.out)
    assert said.err.startswith("warning: no score, because it is not known who is who")
    assert (alone["scored"], alone["attacks"][0]["release"]["success"]) == (False, None)

    assert main([*arguments, "--labels", str(folder / "private" / "labels.csv")]) == 0
    with_table = json.loads(capsys.readouterr().out)
    assert with_table["scored"]
    assert [attack["release"]["candidates"] for attack in with_table["attacks"]] == [
        attack["release"]["candidates"] for attack in alone["attacks"]
    ]


def test_the_terminal_shows_table_findings_and_paragraph(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table within 100 columns; --quiet leaves the paragraph out."""
    assert main(["audit", "karate", str(folder)]) == 0
    text = capsys.readouterr().out
    matching, table, at_risk, findings, paragraph, named = text.rstrip("\n").split("\n\n")

    assert max(map(len, f"{matching}\n{table}\n{at_risk}".splitlines())) <= 100
    assert matching.split()[:6] == ["attacker", "ties", "seeds", "people", "found", "range"]
    assert table.split()[:6] == ["attacker", "found", "few", "many", "misled", "none"]
    assert at_risk.startswith("attacker") and "k = 10" in at_risk
    assert findings.startswith("No leak found. Looked for labels")
    assert paragraph.count("\n") == 0 and paragraph.startswith("Somebody who has the original network itself")
    questions = [line for line in named.splitlines() if not line.startswith("  ")]
    assert questions == ["Who is the attacker?", "What authorities ask:"]

    assert main(["audit", "karate", str(folder), "--quiet"]) == 0
    assert capsys.readouterr().out == f"{matching}\n\n{table}\n\n{at_risk}\n\n{findings}\n"


def test_leaks_are_told_with_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "karate", "karate"]) == 0
    text = capsys.readouterr().out

    order = "The published numbers follow the order of nodes in the original (rank correlation +1.00)"
    assert f"leak: {order}" in text and "Number the nodes in random order" in text
    assert "Apart from its edges the release gives people away: 1 leak found." in text


def test_measures_distances_and_shares_are_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """Each may be given several times. Exact knowledge is tried in any case; of shares, those named alone."""
    one = "--measure degree --distance 1"
    tried = {
        "--measure degree --measure ego --distance 1 --distance 3 --fuzzy 7%": "degree; degree, fuzzy 7%; "
        "degree, distance 3; degree, distance 3, fuzzy 7%; ego; ego, distance 3",
        f"{one} --deletions 7%": "degree; degree, deletions 7%",
        f"{one} --deletions 7% --deletions 0.3 --fuzzy 5%": "degree; degree, fuzzy 5%; degree, deletions 7%; "
        "degree, deletions 30%",
    }
    for options, names in tried.items():
        assert main(["audit", "karate", "karate", "--matching", "none", "--json", *options.split()]) == 0
        attacks = json.loads(capsys.readouterr().out)["attacks"]
        assert "; ".join(attack["attacker"] for attack in attacks) == names
    assert main(["audit", "karate", "karate", *one.split(), "--deletions", "7%"]) == 0
    assert "\ndegree 1 −7% " in capsys.readouterr().out


def test_a_distance_that_would_take_long_must_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    network = clustered()
    assert edges_around(network, 2).sum() > 100
    assert (edges_around(network, 9) == network.edge_count).all()
    released = network.without_edges(range(network.edge_count // 2))
    both = sum(edges_around(each, 2).sum() for each in (network, released))
    for most, tried in ((both, {1, 2}), (both - 1, {1})):
        monkeypatch.setattr(run_audit, "MOST_EDGES_AROUND", most)
        attacks = nv.audit(network, released, measure=["degree"], fuzzy=[], matching="none").attacks
        assert {attack.to_dict()["distance"] for attack in attacks} == tried
    monkeypatch.setattr(run_audit, "MOST_EDGES_AROUND", 100)

    default = nv.audit(network, network, measure=["count"], fuzzy=[])
    asked = nv.audit(network, network, measure=["count"], fuzzy=[], distance=[1, 2])

    assert [attack.to_dict()["distance"] for attack in default.attacks] == [1]
    assert default.notes[0].startswith("distance 2 is left out") and "distance 2 to have" in default.notes[0]
    assert [attack.to_dict()["distance"] for attack in asked.attacks] == [1, 2]
    assert asked.notes == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["karate", "no-such-file.txt"], "there is no such file"),
        (["karate", "karate", "--measure", "cuont"], "did you mean count?"),
        (["karate", "karate", "--distance", "0"], "distance 0: give a whole number from 1 to 100"),
        (["karate", "karate", "--fuzzy", "120%"], "fuzzy 120% is not a share; give a share from 0% to 100%"),
        (["karate", "karate", "--fuzzy", "-1"], "fuzzy -1 is not a share; give a share from 0% to 100%"),
        (["karate", "karate", "--measure", "ego", "--fuzzy", "5%"], "measure ego cannot be fuzzy"),
        (["karate", "karate", "--deletions", "120%"], "deletions 120% is not a share; give a share from 0%"),
        (
            ["karate", "karate", "--measure", "ego", "--deletions", "5%"],
            "measure ego cannot allow for deletions: its states are not known to be numbers that only fall "
            "by them; leave --deletions out, or choose degree, count or edge-count.",
        ),
        (["karate", "karate", "--matching", "al"], "unknown extent of matching 'al': did you mean all?"),
        (["karate", "karate", "--seed", "-1"], "seed -1: give a whole number, 0 or more"),
        (["karate", "karate", "--threads", "0"], "threads 0: give a whole number, 1 or more"),
        (["karate", "karate", "--labels", "no-such-table.csv"], "cannot be read as a table of labels"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *arguments]) == 2
    said = capsys.readouterr()

    assert said.out == ""
    assert message in said.err and said.err.count("\n") == 1


def test_a_network_of_nobody_is_a_mistake() -> None:
    with pytest.raises(nv.NetworkError, match="has no nodes, so there is nobody to look for"):
        nv.audit(KARATE, Network.from_numbered_edges([], 0))
    with pytest.raises(nv.SettingError, match="nothing to try"):
        nv.audit(KARATE, KARATE, measure=[])


def test_a_release_brings_its_labels_along_and_graphs_of_other_libraries_are_taken() -> None:
    release = nv.anonymize(KARATE, "10%", seed=1, effort=0.05)
    found = nv.audit(KARATE.to_networkx(), release, measure=["count"])

    assert found.scored
    assert found.strongest.to_dict()["measure"] == "count"
    assert repr(found) == "Audit('network', 12 attackers, 0 findings)"
    assert nv.audit(KARATE, release.network.to_networkx(), labels=release.labels, measure=["count"]).scored


# The section of the report: rendered from the document alone, everything escaped.


def section(document: dict[str, Any]) -> str:
    """The section, as the report includes it."""
    return templates().get_template("audit.html").render(audit=json.loads(json.dumps(document)))


@pytest.mark.parametrize("scored", [True, False])
def test_the_section_tells_paragraph_and_figures(scored: bool) -> None:
    """A row an attacker in both tables; without a score, how many matches there are.

    Who allows for deletions does not look inside the release, so she has no row in the second.
    """
    released, table = shuffled(KARATE, deleted=5)
    found = nv.audit(KARATE, released, labels=table if scored else None)

    page = section(found.to_dict())

    assert found.paragraph().split("(")[0] in page.replace("&#39;", "'")
    inside = [attack for attack in found.attacks if attack.at_risk]
    assert len(inside) == 26
    assert page.count('<th scope="row">') == len(found.matching) + len(found.attacks) + len(inside)
    assert ("misled" in page) == scored
    assert ("Note: no score" in page) != scored


def test_findings_are_listed_and_escaped() -> None:
    document = nv.audit(KARATE, KARATE, measure=["degree"]).to_dict()
    document["notes"] = ["<script>"]

    page = section(document)

    assert "<strong>Leak.</strong> The published numbers follow" in page
    assert "<script>" not in page
