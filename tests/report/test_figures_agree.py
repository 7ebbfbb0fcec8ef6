"""One figure, one text: terminal, report, page to sign, JSON and about.json agree to the digit shown."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import netveil as nv
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.score import CONSEQUENCE, Matching, Score, Trial
from netveil.cli import main
from netveil.formatting import PeopleFound, change, figure, percentage
from netveil.report.page import templates
from netveil.utility import communities
from netveil.web.judging import audit_in


class Told(NamedTuple):
    """Everything that is told of one real run."""

    summary: str  # what anonymize prints
    document: dict[str, Any]  # run.json
    about: dict[str, Any]
    report: str
    to_sign: str
    measured: str  # what measure prints
    compared: str
    compared_json: dict[str, Any]
    audited: str
    audited_json: dict[str, Any]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A release of the karate club, and what all commands say of it."""
    folder = tmp_path_factory.mktemp("agree")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(communities, "RUNS", 10)
        said = [
            _said(folder, *command.split())
            for command in (
                "anonymize karate --budget 20% --keep clustering=20% --keep lcc=50% --seed 1 --out r",
                "measure karate",
                "compare karate r",
                "compare karate r --json",
                "audit karate r",
                "audit karate r --json",
            )
        ]
    summary, measured, compared, compared_json, audited, audited_json = said
    files = {
        name: (folder / "r" / name).read_text(encoding="utf-8")
        for name in ("private/run.json", "public/about.json", "private/report.html", "private/sign-off.html")
    }
    return Told(
        summary,
        json.loads(files["private/run.json"]),
        json.loads(files["public/about.json"]),
        _as_read(files["private/report.html"]),
        _as_read(files["private/sign-off.html"]),
        measured,
        compared,
        json.loads(compared_json),
        audited,
        json.loads(audited_json),
    )


def _said(folder: Path, *arguments: str) -> str:
    """What a command prints; the fixture is older than capsys."""
    from contextlib import redirect_stdout

    with (folder / "said.txt").open("w+", encoding="utf-8") as opened:
        with redirect_stdout(opened):
            assert main(list(arguments)) == 0
        opened.seek(0)
        return opened.read()


def _as_read(html: str) -> str:
    """A page without markup: cells are parted by a bar."""
    body = re.split("<body[^>]*>", html)[1]
    text = re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL)
    text = re.sub(r"</?(td|th|tr)\b[^>]*>", "|", text)
    text = unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"[|\s]*\|[|\s]*", "|", " ".join(text.split()))


def test_people_at_risk_agree(told: Told) -> None:
    figures, nodes = told.about["anonymity"], told.about["anonymity"]["nodes"]
    before, after = told.document["at_risk_before"], told.document["at_risk_after"]

    assert figures == {"nodes": nodes, "at_risk_after": after, "unique_after": told.document["unique_after"]}
    assert f"Of {nodes} people, {before} were unique: nobody else is like them. Now {after} " in told.summary
    assert f"{before} of {nodes} people ({percentage(before, nodes)}) have" in told.measured
    assert f"{before} of {nodes} people could be singled out" in told.report
    assert f"In the release {after} can ({percentage(after, nodes)})." in told.report
    assert f"|2 (asked for)|{before}|{after}|{percentage(after, nodes)}|" in told.report
    assert f"{before} of {nodes} people were at risk ({percentage(before, nodes)}); {after} " in told.to_sign


def test_edges_deleted_agree(told: Told) -> None:
    deleted, edges = told.document["deleted"], told.document["edges"]
    share = percentage(told.compared_json["edges_deleted"])

    assert share == percentage(deleted, edges)
    assert told.about["utility"]["edges_deleted"] == told.about["budget_share"] == 0.2
    assert 0.1 < deleted / edges <= 0.2
    assert f"{deleted} of {edges} edges deleted ({share}; the budget is" in told.summary
    assert f"{deleted} of {edges} edges deleted ({share}); 34 nodes." in told.compared
    assert f"{deleted} of {edges} edges are deleted ({share}; the budget was" in told.report
    assert f"|edges|{edges}|{edges - deleted}|-{share}|" in told.to_sign
    assert told.about["utility"]["edges_published"] == edges - deleted
    assert told.document["report"]["audit"]["released_edges"] == edges - deleted


def test_every_metric_agrees(told: Told) -> None:
    rows = {line[:40].strip(): line[40:].split() for line in told.compared.splitlines()[2:] if line}

    for name, metric in told.compared_json["metrics"].items():
        changed = change(metric["change"], metric["relative_change"])
        shown = [figure(metric["before"]), figure(metric["after"]), changed]
        assert rows[metric["title"]][:3] == shown
        if "score" in metric:
            assert name not in told.about["utility"]
            score = rf"\|similarity {shown[1]}(?!\d)[^|]*\|{re.escape(changed)}"
            assert re.search(rf"\|{re.escape(metric['title'])}[^|]*{score}", told.report)
        else:
            if name not in ("edges", "degree_distribution"):
                assert told.about["utility"][name] == {"after": metric["after"]}
            cells = r"\|".join(map(re.escape, shown))
            assert re.search(rf"\|{re.escape(metric['title'])}[^|]*\|{cells}\|", told.report)
        if name in ("edges", "clustering", "path_length"):
            assert f"|{metric['title']}|{'|'.join(shown)}|" in told.to_sign


def test_what_attackers_achieve_agrees(told: Told) -> None:
    assert told.audited_json["paragraph"] in told.report
    assert told.audited_json["paragraph"] in told.audited.replace("\n", " ")
    by_certainty = [
        (attack["release"]["found"], attack["release"]["success"]) for attack in told.audited_json["attacks"]
    ]
    strongest = percentage(max(by_certainty)[1])
    assert f"A guess among the matches is right {strongest} of the time" in told.report
    whole = told.audited_json["matching"][0]
    shown = PeopleFound.of_means(whole["found"], whole["people"])
    for text in (told.summary, told.to_sign, told.report, told.audited):
        assert f"{shown} people ({shown.share})" in text and CONSEQUENCE in text.replace("\n", " ")
    for attack in told.audited_json["attacks"]:
        success, original = (percentage(attack[which]["success"]) for which in ("release", "original"))
        low, high = map(percentage, attack["release"]["interval"])
        assert f"|{success}{low} to {high}|{original}|" in told.report
        assert f"  {success}  " in told.audited


def score(*attempts: tuple[int, int]) -> Score:
    """Of attempts (found, people looked for) by somebody who names everybody."""
    trials = []
    for found, people in attempts:
        right, everybody = np.arange(people) < found, np.ones(people, dtype=bool)
        trials.append(Trial(right, everybody, everybody.astype(float)))
    return Score.of(trials)


def test_people_found_by_matching_agree_on_every_front() -> None:
    """Means of several attempts, groups of other sizes in each: one count, one whole and one share of them.

    They were 400 of 400 (99.9%), 235 to 240 of 239, and 98.7% on the page where the report has 100.0%.
    """
    everybody, group = Knowledge(), Knowledge(0.5, "community")
    rows = [
        Matching(
            "weighing",
            "weighs",
            everybody,
            score((399, 400), (400, 400), (400, 400)),
            score((400, 400)),
            score((113, 400)),
            curve=(),
        ),
        Matching(
            "weighing",
            "weighs",
            group,
            score((235, 236), (240, 240), (238, 241)),
            score((236, 236)),
            score((121, 236)),
            curve=(),
        ),
    ]
    small = nv.audit("karate", "karate", measure="degree", distance=1, matching="none")
    audit = replace(small, nodes=400, matching=tuple(rows))
    document = json.loads(json.dumps(audit.to_dict()))
    section = _as_read("<body>" + templates().get_template("audit.html").render(audit=document))
    judged = audit_in({"report": {"audit": document}})
    assert judged is not None
    lines = [line.split() for line in audit.table().splitlines()[1:3]]

    wanted = [
        ("399 of 400", "99.8%", "99.8% to 100.0%", "100.0%", "28.3%"),
        ("238 of 239", "99.6%", "98.8% to 100.0%", "100.0%", "51.3%"),
    ]
    for (found, share, attempts, original, at_random), line, on_page in zip(
        wanted, lines, judged["attackers"], strict=False
    ):
        assert f"{found} people ({share})" in audit.paragraph()
        assert f"|{share}{found}; {attempts} in single attempts|" in section
        assert f"|{original}|{at_random}|" in section
        count, people = found.split(" of ")
        between = attempts.replace("% to ", "–")
        wrong = str(int(people) - int(count))
        assert line[-7:] == [people, count, between, wrong, share, original, at_random]
        shown = {"found": found, "share": share, "original": original, "random": at_random}
        assert on_page["shown"] == shown
    for count, people in re.findall(r"(\d+) of (\d+)", f"{audit.paragraph()} {section}"):
        assert int(count) <= int(people)


DELETION = "anonymize karate --seed 1 --effort 0.05 --budget 10%"
KINDS = {
    "plain": DELETION,
    "policy": f"{DELETION} --k 3 --policy registered-users",
    "unaudited": f"{DELETION} --measure degree --no-audit",
    "synthetic": "synthesize karate --k 5 --seed 1",
    "unmeasured": f"{DELETION} --no-utility --policy secure-environment",
    "named": f"{DELETION} --keep-labels",
    "target": f"{DELETION} --target 90% --measure count --measure degree",
    "curve": f"{DELETION} --curve",
    "fuzzy": f"{DELETION} --fuzzy 5%",
    "drawn": "synthesize karate --k 3 --copies 2 --seed 1 --policy open-repository --no-utility",
}
"""Commands that make releases of different kinds."""


@pytest.mark.quick(3)
@pytest.mark.parametrize("kind", KINDS)
def test_the_decision_agrees_on_every_front(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(communities, "RUNS", 10)
    command = [*KINDS[kind].split(), "--out", "r"]
    unmet = main(command)
    terminal = capsys.readouterr().out
    private = tmp_path / "r" / "private"
    run = json.loads((private / "run.json").read_text(encoding="utf-8"))
    pages = [_as_read((private / f"{name}.html").read_text()) for name in ("report", "sign-off")]
    report, to_sign = (page.replace("|", " ") for page in pages)
    filed = " ".join((private / "decision.md").read_text(encoding="utf-8").split())
    assert main([*command, "--overwrite", "--json"]) == unmet
    document = json.loads(capsys.readouterr().out)
    again = json.loads((private / "run.json").read_text(encoding="utf-8"))  # its nodes are other people

    assert unmet == (3 if "policy" in run and not run["policy"]["met"] else 0)
    for name in ("verdict", "scenarios", "questions", *(["policy"] if "policy" in run else [])):
        assert document[name] == again[name]
    assert run["decision"]["verdict"] == run["verdict"] and run["verdict"][:200] in to_sign
    for text in (terminal, report, filed):
        assert run["verdict"] in text
    for rule in run.get("policy", {"rules": []})["rules"]:
        assert all(rule["sentence"] in text for text in (terminal, filed)) and rule["sentence"][1:] in report
    for question in run["questions"]:
        assert all(question["sentence"] in text for text in (terminal, report, to_sign, filed))
    for each in run["scenarios"]:
        assert each["sentence"] in filed and each["who"] in report
        if each["found"] is None:
            assert "not tried" in each["sentence"]
            continue
        share, shown = percentage(each["found"], each["of"]), f"{each['found']} of {each['of']}"
        assert shown in each["sentence"] and f"({share})" in each["sentence"]
        assert re.search(rf"\|(at most )?{shown}\|{re.escape(share)}\|", pages[0])
        for text in (terminal, to_sign):
            assert each["sentence"].removeprefix(each["who"]) in text
    assert bool(run["scenarios"]) == (kind != "unaudited")
