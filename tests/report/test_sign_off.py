"""The page to sign, and what the report tells of attackers."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from graphs import with_attributes
from netveil.anonymity import MEASURES
from netveil.auditing.leaks import DEPOSIT_FILES
from netveil.deciding import named_attackers
from netveil.job import Anonymization
from netveil.network import Reading
from netveil.release.gather import gather, with_verdict
from netveil.release.records import run_record
from netveil.report import Evidence, render, render_sign_off
from netveil.report.page import COST_SHOWN, python_call
from netveil.utility import METRICS, communities


@pytest.fixture(scope="module")
def made_once() -> dict[str, Any]:
    """The record of a release of the karate club, with everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(communities, "RUNS", 10)
        release = nv.anonymize(nv.load("karate"), "5%", effort=0.02, seed=1, keep={"lcc": "5%"})
        record = run_record(
            release, gather(release, Anonymization(baselines=False)), "", {"network.csv": "c0ffee"}
        )
    plain: dict[str, Any] = json.loads(json.dumps(record))
    return plain


@pytest.fixture
def run(made_once: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(made_once)


def text_of(run: dict[str, Any]) -> str:
    """The page with single blanks, as it reads."""
    return " ".join(render_sign_off(run).replace("&#39;", "'").replace("&gt;", ">").split())


def test_it_has_all_that_the_contract_lists_in_order(run: dict[str, Any]) -> None:
    page = text_of(run)
    headings = [part.split("</h2>")[0] for part in page.split("<h2>")[1:]]

    assert headings == [
        *("Verdict", "Input", "Protects from", "Result", "Who remains", "Attackers", "Cost"),
        *("Decision", "To repeat it"),
    ]
    signed = page.split("<footer>")[1]
    assert signed.count("<p>Date</p>") == signed.count("<p>Signature</p>") == 2
    assert "<p>Name</p>" in signed and "<p>Second person</p>" in signed
    for field in ("Purpose: ___", "Legal basis or reference: ___", "Conditions: ___", "reviewed by: ___"):
        assert field in page
    assert f"netveil {run['version']}" in page
    assert "counts contacts and the ties among them (count)" in page
    assert "<code>c0ffee</code>" in page


def test_the_verdict_comes_first_with_the_rules_that_are_not_met(run: dict[str, Any]) -> None:
    release = nv.anonymize(nv.load("karate"), "5%", effort=0.02, seed=1)
    evidence = with_verdict(release, Evidence(), "registered-users")
    record = json.loads(json.dumps(run_record(release, evidence)))
    run.update({name: record[name] for name in ("policy", "verdict", "decision")})
    run["decision"]["grounds"].update(purpose="Research on wards", decided_by="Dr. A. Smith")
    page, report = text_of(run), " ".join(render(run).split())
    unmet = [rule["sentence"] for rule in run["policy"]["rules"] if not rule["met"]]

    assert run["verdict"].startswith("Does not meet policy registered-users: found by somebody who")
    for shown in (page, report):
        assert run["verdict"] in shown.split("</section>")[0]
        assert unmet[1][1:] in shown.split("</section>")[0]
    for rule in run["policy"]["rules"]:
        assert rule["sentence"][1:] in report
    assert all(sentence in report for sentence in run["policy"]["helps"]) and run["policy"]["helps"]
    assert f"(and {len(unmet) - 3} more in the report)" in page and unmet[2] in page and unmet[3] not in page
    assert "Purpose: Research on wards" in page and "Name: Dr. A. Smith" in page
    assert "To be reviewed by: 20" in page and "Conditions: Access after registration" in page


def test_a_verdict_is_cut_only_where_a_page_is_full(run: dict[str, Any]) -> None:
    """Two attackers fit into it; a page with long texts everywhere leaves its end to the report."""
    run["verdict"] = "Somebody finds people. " * 15
    assert run["verdict"].strip() in text_of(run)

    run["report"]["consequence"] = ["So publish nothing. " * 100]
    assert run["verdict"].strip() not in (page := text_of(run)) and run["verdict"][:200] in page


def test_the_result_is_that_of_the_run(run: dict[str, Any]) -> None:
    run.update(at_risk_before=15, at_risk_after=1, nodes=34, target="95%", enough=1, reached=True)
    page = text_of(run)

    assert (
        "<strong>15</strong> of 34 people were at risk (44.1%); <strong>1</strong> is in the release (2.94%)"
        in page
    )
    assert "The target, 95% of the people with lookalikes, is reached: 1 may be at risk." in page


def test_published_labels_and_attributes_stand_in_bold_in_the_result(run: dict[str, Any]) -> None:
    plain, plain_report = text_of(run), render(run)
    run.update(keep_labels=True, kept_attributes=["age", "postcode", "weight"])
    finding = "34 of 34 labels (100%) repeat those of the original."
    run["report"]["audit"]["leaks"] = [
        {"severity": "leak", "kind": "labels", "finding": finding, "remedy": "Publish fresh numbers."},
        {"severity": "warning", "kind": "order", "finding": "Perhaps.", "remedy": "Look."},
    ]
    result = text_of(run).split("<h2>Result</h2>")[1].split("</section>")[0]

    named = "<strong>Published with the original labels: everybody is named.</strong>"
    carried = "<strong>Published with attributes: age, postcode, weight; attributes identify people.</strong>"
    for page in (result, render(run)):
        assert named in page and carried in page
    assert f"<strong>Leak:</strong> {finding}" in result and "Perhaps." not in result
    assert "Published with" not in plain + plain_report and "<strong>Leak" not in plain


def test_the_cost_is_told_in_three_figures(run: dict[str, Any]) -> None:
    page = text_of(run)
    without = {**run, "report": {**run["report"], "utility": []}}

    assert page.split("<h2>Cost</h2>")[1].count('<th scope="row">') == 3
    assert set(COST_SHOWN) <= set(METRICS)
    for name in COST_SHOWN:
        assert f'<th scope="row">{METRICS[name].title}</th>' in page
    assert text_of(without).split("<h2>Cost</h2>")[1].count('<th scope="row">') == 1
    assert "was not measured" in text_of(without) and "was not measured" not in page
    assert "Kept: lcc 1.0000 → 1.0000 (at most 5%)." in page


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"stopped_by": "time", "deleted": 2, "budget": 3}, "The time for the search was over"),
        ({"stopped_by": "time", "deleted": 3, "budget": 3}, "The budget of 3 edges is spent"),
        ({"stopped_by": "interrupted"}, "The search was interrupted"),
        ({"stopped_by": "converged", "deleted": 3, "budget": 3}, "The budget of 3 edges is spent"),
        ({"stopped_by": "budget", "deleted": 1, "budget": 1}, "The budget of 1 edge is spent"),
        ({"stopped_by": "converged", "deleted": 2, "budget": 3}, "found no further deletion that helps"),
        ({"budget": 0, "deleted": 0}, "The budget is less than one edge"),
        ({"target": "90%", "enough": 3, "reached": True}, "The target allows for them"),
        ({"protected": 4}, "Within the limits and the protected edges"),
        ({"least": True}, "Every deletion within the budget was tried, and none that is allowed"),
    ],
)
def test_it_says_why_people_remain(run: dict[str, Any], changes: dict[str, Any], why: str) -> None:
    run.update({"at_risk_after": 2, "least": False, **changes})
    run["report"]["remaining"] = {"people": 2, "contacts": [9, 17], "contacts_of_all": 3.0, "riskiest": []}
    page = text_of(run)

    assert why in page
    assert "They have 9 to 17 contacts in the original, where half of the people have 3 or fewer." in page
    assert "private/people_at_risk.csv" in page


def test_where_nobody_remains_it_says_so(run: dict[str, Any]) -> None:
    run.update(at_risk_after=0)
    run["report"]["remaining"] = {"people": 0, "contacts": None, "contacts_of_all": 3.0, "riskiest": []}

    nobody = "Nobody: to this attacker everybody is one of at least 2 people who look alike (k = 2)."
    assert f"<h2>Who remains</h2> <p>{nobody}</p>" in text_of(run)


def test_attackers_are_those_of_the_audit_by_name(run: dict[str, Any]) -> None:
    audit = nv.audit(nv.load("karate"), nv.load("karate").without_edges([0, 1]), measure=["degree"])
    run.update(named_attackers(audit).to_dict())
    told = text_of(run)
    sentences = [each["sentence"] for each in (*run["scenarios"], *run["questions"])]
    run.update(scenarios=[], questions=[])

    assert len(sentences) == 8 and all(sentence in told for sentence in sentences)
    assert "Not tried. <code>netveil audit ORIGINAL RELEASE</code>" in text_of(run)


def test_a_paragraph_without_a_score_claims_nothing() -> None:
    karate = nv.load("karate")
    audit = nv.audit(
        karate, karate.relabelled(karate.degrees.argsort().argsort()), measure="degree", fuzzy=[]
    )

    assert not audit.scored
    assert "there is a single match for" in audit.paragraph() and "single out" not in audit.paragraph()


def test_a_release_made_in_python_can_be_made_again_by_the_call_shown(run: dict[str, Any]) -> None:
    assert python_call(run) in text_of(run)
    again = eval(python_call(run), {"nv": nv, "network": nv.load("karate")})
    run["command"] = "netveil anonymize 'my file.csv'"

    assert again.outcome.at_risk_after == run["at_risk_after"]
    assert len(again.outcome.deleted_edges) == run["deleted"]
    assert "<code>netveil anonymize 'my file.csv'</code>" in text_of(run)


@pytest.mark.parametrize(("fuzzy", "budget"), [(None, 7), ("5%", 7), (None, 30)])
def test_a_point_of_a_curve_is_made_again_by_the_call_shown(fuzzy: str | None, budget: int) -> None:
    """A search within the budget of the point alone, or of the last point, would find another release."""
    release = nv.anonymize(
        nv.load("karate"), budget, seed=7, effort=0.05, fuzzy=fuzzy, curve=True, keep_labels=True
    )
    assert release.outcome.curve[-1].budget == min(budget, 15)  # with which nobody is at risk
    point = release.at(5).at("3%")
    call = python_call(json.loads(json.dumps(run_record(point, Evidence()))))
    again = eval(call, {"nv": nv, "network": nv.load("karate")})

    assert call.startswith(f"nv.anonymize(network, {budget}, ") and call.endswith(").at(2)")
    assert again.deleted_edges == point.deleted_edges
    assert again.network == point.network and again.keep_labels
    assert ".at(" not in python_call(json.loads(json.dumps(run_record(release, Evidence()))))


def test_what_is_to_be_checked_is_not_cut_away(run: dict[str, Any]) -> None:
    columns = (f"who calls {'x' * 300} calls", f"who is called {'x' * 300} called")
    first = ((f"anna {'of the same family ' * 9}", f"bob {'of the same family ' * 9}"),)
    reading = Reading("edge-list", "semicolon", columns, True, "UTF-8", first, ("2 further columns",))
    run.update(reading=reading.to_dict(), input="calls.csv")
    page = text_of(run)

    assert "people in columns who calls xxxx" in page and "x calls and who is called xxx" in page
    assert "x called, header, UTF-8, dropped: 2 further columns." in page
    assert "anna" not in page


def test_a_long_command_leads_to_the_whole_of_it(run: dict[str, Any]) -> None:
    run["command"] = "netveil anonymize contacts.csv " + "--protect somebody.txt " * 50
    cut = text_of(run)
    run.update(command="", whole_budget=run["budget"] + 1)
    run["asked"]["settings"] = {f"setting_{number}": number for number in range(90)}
    call = text_of(run)

    assert "<code>netveil anonymize contacts.csv --protect" in cut
    assert "… (whole command in private/run.json)</code>" in cut
    assert "settings=…, keep=" in call and f").at({run['budget']})</code>" in call


def test_labels_and_names_cannot_break_the_page(run: dict[str, Any]) -> None:
    run.update(network="<script>" + "x" * 500, input="<b>" * 100)
    page = render_sign_off(run)

    assert "<script>" not in page + render(run) and "<b>" not in page and "x" * 60 not in page


def contacts_in_pairs(network: nv.Network) -> list[int]:
    """An own measure: the contacts, counted in pairs."""
    counted: list[int] = (network.degrees // 2).tolist()
    return counted


@pytest.fixture(scope="module")
def attackers_once() -> dict[str, Any]:
    """The record of a release against two attackers with doubts, audited."""
    release = nv.anonymize(
        nv.load("karate"), "10%", measure=["count", "degree"], fuzzy="5%", twins=True, effort=0.02, seed=1
    )
    record: dict[str, Any] = json.loads(
        json.dumps(run_record(release, gather(release, Anonymization(utility=False, baselines=False))))
    )
    return record


@pytest.fixture
def of_attackers(attackers_once: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(attackers_once)


def test_several_attackers_are_named_in_the_verdict_and_counted_one_by_one(
    of_attackers: dict[str, Any],
) -> None:
    page = render(of_attackers)
    rows = of_attackers["report"]["attackers"]

    assert (
        "by an attacker who has counted a person's contacts and the ties among those contacts, each number "
        "to within 5%, or one who has counted a person's contacts, each number to within 5%. In the release"
    ) in page.replace("&#39;", "'")
    assert "People with the same contacts count as one lookalike" in page
    assert "(measure count + degree, fuzzy 5%, twin classes)" in page
    assert [(row["name"], row["before"]) for row in rows] == [
        ("count, fuzzy 5%, twin classes", 15),
        ("degree, fuzzy 5%, twin classes", 6),
    ]
    for row in rows:
        assert f'{row["title"]} <span class="measure">({row["name"]})</span>' in page
        assert f"<td>{row['before']}</td><td>{row['after']}</td>" in page
    assert page.index("People at risk:") < page.index("Each attacker alone") < page.index("Bars: people by")


def test_an_attacker_who_gains_is_explained_below_the_table(of_attackers: dict[str, Any]) -> None:
    """That more are at risk to her alone must not go without a word."""
    for row in of_attackers["report"]["attackers"]:
        row["after"] = row["before"]
    without = render(of_attackers)
    of_attackers["report"]["attackers"][1]["after"] += 12
    below = render(of_attackers).split("Each attacker alone")[1].split("</table>")[1].split("</p>")[0]

    assert "To degree, fuzzy 5%, twin classes alone <strong>more</strong> people are at risk" in below
    assert "any of the attackers together" in below
    assert "any of the attackers together" not in without


@pytest.mark.quick(1)
@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_a_report(measure: str) -> None:
    release = nv.anonymize(nv.load("karate"), 3, measure=measure, distance=2, algorithm="es", seed=1)
    page = release.report(utility=False, audit=False).html

    assert f"(measure {measure}, distance 2)" in page
    assert f"{MEASURES[measure].attacker}, up to distance 2." in page.replace("&#39;", "'")
    assert "Each attacker alone" not in page and "count as one lookalike" not in page
    assert "Contacts against ties among them, whatever the measure is." in page


@pytest.mark.filterwarnings("ignore::netveil.errors.AttributesWarning")
def test_attributes_that_are_published_are_found_by_the_audit() -> None:
    """The report does not say that nothing is given away; those that are left out give nothing away."""
    graph = with_attributes()
    kept, left_out = (
        gather(nv.anonymize(graph, 1, seed=1, keep_attributes=names), Anonymization(utility=False)).audit
        for names in (["age", "weight"], [])
    )
    assert kept is not None and left_out is not None

    assert [(leak.severity, leak.kind) for leak in kept.leaks] == [("leak", "columns")]
    assert "carries attributes (2)" in kept.leaks[0].finding
    assert "1 leak found" in kept.paragraph() and "gives nothing away" not in kept.paragraph()
    assert "netveil, which writes" not in kept.leaks[0].remedy
    assert left_out.leaks == ()


def test_nothing_of_an_own_measure_but_its_name_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ward_seven_measures.py").write_text("def contacts(network):\n    return network.degrees\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    measures = ["ward_seven_measures:contacts", "count"]
    release = nv.anonymize(nv.load("karate"), 3, measure=measures, algorithm="es", seed=1)
    folder = nv.save(release, tmp_path / "release", utility=False)
    published = {file.name: file.read_text(encoding="utf-8") for file in (folder / "public").iterdir()}

    assert set(published) == {*DEPOSIT_FILES, "about.json", "network.txt"}
    assert all("ward" not in text and "audit" not in text for text in published.values())
    assert json.loads(published["about.json"])["measure"] == "contacts + count"
    assert "ward_seven_measures:contacts" in (folder / "private" / "report.html").read_text(encoding="utf-8")
