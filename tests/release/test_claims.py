"""`verify` recomputes every claim of a release: an error that is planted in any of them is found."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.release.claims import Verification

KARATE = nv.load("karate")


@pytest.fixture(scope="module")
def deleted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release by deletion, with policy, cost and audit."""
    folder = tmp_path_factory.mktemp("deleted") / "release"
    release = nv.anonymize(KARATE, "10%", seed=1, effort=0.1, target="90%", measure=["count", "degree"])
    return nv.save(release, folder, extension="csv", policy="registered-users")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic release with two copies and a policy."""
    folder = tmp_path_factory.mktemp("drawn") / "release"
    return nv.save(nv.synthesize(KARATE, k=5, copies=2, seed=1), folder, policy="registered-users")


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[Path], Path]:
    """Make a copy of a release, to be damaged."""
    return lambda folder: Path(shutil.copytree(folder, tmp_path / "release"))


def verdicts(found: Verification) -> dict[str, str]:
    """Verdict of each claim, by its name."""
    assert len({claim.claim for claim in found.claims}) == len(found.claims)
    return {claim.claim: claim.verdict for claim in found.claims}


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return f"{value}7"
    return 0.125 if value is None else value + 1


def edit(file: Path, change: Callable[[Any], None]) -> None:
    record = json.loads(file.read_text(encoding="utf-8"))
    change(record)
    file.write_text(json.dumps(record), encoding="utf-8")


def plant(file: Path, way: str) -> None:
    """Change the entry of a JSON file to which a way leads; of another file, one line."""
    if not way:
        lines = file.read_text(encoding="utf-8").splitlines()
        lines[1], lines[2] = lines[2].replace(lines[2].split(",")[-1], lines[1].split(",")[-1]), lines[1]
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return

    def change(record: Any) -> None:
        *steps, last = (int(step) if step.isdigit() else step for step in way.split("."))
        for step in steps:
            record = record[step]
        record[last] = other(record[last])

    edit(file, change)


@pytest.mark.parametrize("kind", ["deleted", "drawn"])
def test_all_claims_of_a_sound_release_agree(kind: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(kind)
    whole, private = nv.verify(folder, KARATE), nv.verify(folder)

    unchecked = {"policy, second_release: found", "policy, second_release: met"}
    assert {name for name, each in verdicts(whole).items() if each != "agrees"} == unchecked
    assert set(verdicts(private).values()) == {"agrees", "cannot be checked"}
    assert verdicts(private).keys() == verdicts(whole).keys()
    assert verdicts(private)["verdict"] == verdicts(private)["run.json: fingerprint"] == "cannot be checked"
    assert not whole.differs and not private.differs
    assert whole.to_dict()["claims"][0] == {
        "claim": "about.json: people", "said": 34, "found": 34, "verdict": "agrees",
    }  # fmt: skip


def test_a_public_part_alone_is_checked(deleted: Path, tmp_path: Path) -> None:
    shutil.copytree(deleted / "public", tmp_path / "public")
    found = verdicts(nv.verify(tmp_path / "public"))

    assert found["about.json: at_risk_after"] == "agrees" and found["verdict"] == "cannot be checked"
    assert found["datapackage.json: SHA-256 of network.csv"] == "agrees"


PLANTED = [
    ("deleted_edges.csv", "private/deleted_edges.csv", ""),
    ("about.json: people", "public/about.json", "anonymity.nodes"),
    ("about.json: ties", "public/about.json", "utility.edges_published"),
    ("about.json: edges_deleted", "public/about.json", "utility.edges_deleted"),
    *(
        (f"about.json: {name}", "public/about.json", f"anonymity.{name}")
        for name in ("at_risk_after", "unique_after")
    ),
    *((f"about.json: {name}", "public/about.json", name) for name in ("budget_share", "k", "distance")),
    *(
        (f"about.json: {name}", "public/about.json", f"utility.{name}.after")
        for name in ("clustering", "path_length", "isolated")
    ),
    *(
        (f"run.json: {name}", "private/run.json", name)
        for name in ("at_risk_after", "unique_after", "reached")
    ),
    ("run.json: at_risk_after to degree", "private/run.json", "attackers.1.at_risk_after"),
    ("labels.csv: published people, each once", "private/labels.csv", ""),
    ("SHA-256 of public/network.csv", "public/network.csv", ""),
    ("SHA-256 of public/README.md", "public/README.md", ""),
    ("sign-off.html shows run.json", "private/sign-off.html", ""),
    ("report.html shows run.json", "private/report.html", ""),
    ("labels.csv: everybody is a node of the own row", "private/labels.csv", ""),
    ("every row of table.csv stands for k people", "private/table.csv", ""),
    ("SHA-256 of public/network-2.txt", "public/network-2.txt", ""),
]
"""Claims, with an error that makes each differ: by deletion, and the last three of the drawn release."""


@pytest.mark.quick(10)
@pytest.mark.parametrize(("claim", "file", "way"), PLANTED)
def test_an_error_is_found(
    claim: str, file: str, way: str, deleted: Path, drawn: Path, copy: Callable[[Path], Path]
) -> None:
    """By its claim; in about.json also by the hash of the file, and by nothing else."""
    folder = copy(drawn if (claim, file, way) in PLANTED[-3:] else deleted)
    plant(folder / file, way)
    needs_original = claim == "deleted_edges.csv"
    found = verdicts(nv.verify(folder, KARATE if needs_original else None))

    assert found[claim] == "differs"
    if file == "public/about.json":
        differs = {name for name, verdict in found.items() if verdict == "differs"}
        assert differs == {claim, "SHA-256 of public/about.json"}


def plant_everywhere(run: dict[str, Any]) -> None:
    """Change every figure of a private record that a claim is about."""
    names = {
        "nodes",
        "edges",
        "fingerprint",
        "fingerprint_by_labels",
        "verdict",
        "at_risk_before",
        "unique_before",
        "deleted",
    }
    names |= {"rows", "smallest_row", "ceiling", "true_ties"}
    for name in names & run.keys():
        run[name] = other(run[name])
    for row in run["report"]["utility"]:
        row.update({name: other(row[name]) for name in ("before", "after", "change")})
    for row in run["report"].get("at_risk_by_k", ()):
        row["after"] += 1
    audit = run["report"].get("audit") or {"matching": [], "attacks": []}
    for row in audit["matching"]:
        row["found"] = row["found"] + 1 if row["found"] < row["people"] else 0
    for row in audit["attacks"]:
        row["release"]["found"] += 1
    for row in [*run["scenarios"], *run["questions"]]:
        row.update(found=other(row["found"]), sentence=other(row["sentence"]))
    run["published_files"] = {name: other(digest) for name, digest in run["published_files"].items()}


@pytest.mark.parametrize("kind", ["deleted", "drawn"])
def test_errors_in_the_private_record_are_found(
    kind: str, copy: Callable[[Path], Path], request: pytest.FixtureRequest
) -> None:
    folder = copy(request.getfixturevalue(kind))
    edit(folder / "private" / "run.json", plant_everywhere)
    found = nv.verify(folder, KARATE)

    planted = (
        "run.json",
        "audit",
        "SHA-256 of public",
        "at risk for",
        "average",
        "overlap",
        "similarity",
        "scenarios",
        "questions",
    )
    sound = ("run.json: k", "run.json: copies", "run.json: reached")
    for claim in found.claims:
        is_sound = claim.claim in sound or "_after" in claim.claim
        if claim.claim.startswith(planted) and not is_sound:
            assert claim.verdict == "differs", claim
    assert verdicts(found)["decision.json is that of run.json"] == "agrees"
    assert verdicts(found)["sign-off.html shows run.json"] == "differs"


def test_errors_in_the_decision_are_found(deleted: Path, copy: Callable[[Path], Path]) -> None:
    folder = copy(deleted)

    def change(told: dict[str, Any]) -> None:
        told["verdict"] = "Meets policy registered-users: 10 rules, all met."
        for rule in told["rules"]:
            rule.update(found=other(rule["found"]), met=not rule["met"])

    edit(folder / "private" / "decision.json", change)
    found = nv.verify(folder, KARATE)

    assert verdicts(found)["verdict"] == verdicts(found)["run.json: verdict"] == "differs"
    about_rules = [claim for claim in found.claims if claim.claim.startswith("policy, ")]
    assert len(about_rules) > 10
    for claim in about_rules:  # nobody can look again at what was beside it then
        is_past = claim.claim.startswith("policy, second_release")
        assert claim.verdict == ("cannot be checked" if is_past else "differs"), claim


def test_files_that_were_added_or_taken_away_are_found(deleted: Path, copy: Callable[[Path], Path]) -> None:
    folder = copy(deleted)
    (folder / "public" / "notes.txt").write_text("Anna is person 7.")
    (folder / "public" / "README.md").unlink()
    found = verdicts(nv.verify(folder))

    assert found["files in public/"] == found["SHA-256 of public/README.md"] == "differs"


def test_another_original_is_found(deleted: Path, drawn: Path) -> None:
    """With as many people and ties."""
    edges = [(node, (node + step) % 34) for step in (1, 2) for node in range(34)][:78]
    other = nv.Network.from_edges([*edges, *((node, node + 9) for node in range(10))], range(34))
    of_deleted, of_drawn = (verdicts(nv.verify(folder, other)) for folder in (deleted, drawn))

    assert of_deleted["run.json: fingerprint"] == of_deleted["deleted_edges.csv"] == "differs"
    assert of_drawn["run.json: fingerprint"] == of_drawn["table.csv is made of the original"] == "differs"


def test_merged_rows_and_further_draws_are_sound(drawn: Path, tmp_path: Path) -> None:
    """Their tables are not made of the original alone, or it is not known how many ties are true."""
    release, brief = nv.synthesize(KARATE, k=3, seed=1, hide_dense=True), ["--no-utility", "--no-audit"]
    folders = tmp_path / "merged", tmp_path / "further"
    nv.save(release, folders[0], utility=False, audit=False)
    assert main(["synthesize", "--from", str(drawn), "--out", str(folders[1]), "--quiet", *brief]) == 0

    assert release.rows < nv.synthesize(KARATE, k=3, seed=1).rows
    assert not any(nv.verify(folder, KARATE).differs for folder in folders)


def test_the_command_prints_a_line_a_claim(
    deleted: Path, copy: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(deleted)]) == 0
    out = capsys.readouterr().out
    folder = copy(deleted)
    (folder / "private" / "labels.csv").write_text("original,published\n1,2\n")
    assert main(["verify", str(folder), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)

    assert "agrees" in out and out.rstrip().endswith("cannot be checked.")
    assert {"release", "original", "claims"} == told.keys()
    assert any(claim["claim"].startswith("labels.csv") for claim in told["claims"])
    assert main(["verify", str(folder / "private")]) == 2


def test_a_record_that_lacks_entries_differs(deleted: Path, copy: Callable[[Path], Path]) -> None:
    folder = copy(deleted)
    edit(folder / "private" / "run.json", lambda run: run["report"]["at_risk_by_k"][0].clear())
    (folder / "private" / "decision.json").write_text("[]")

    assert nv.verify(folder, KARATE).differs


def test_people_who_are_left_out_of_the_table_of_those_at_risk_are_found(
    deleted: Path, copy: Callable[[Path], Path]
) -> None:
    folder = copy(deleted)
    file = folder / "private" / "people_at_risk.csv"
    file.write_text("\n".join(file.read_text(encoding="utf-8").splitlines()[:1]) + "\n", encoding="utf-8")

    assert verdicts(nv.verify(folder))["people_at_risk.csv"] == "differs"
