"""The page to sign: everything that an officer must know, and a place to sign."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import netveil as nv
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
    """A copy of it, to be changed at will."""
    return copy.deepcopy(made_once)


def text_of(run: dict[str, Any]) -> str:
    """The page with single blanks, as it reads."""
    return " ".join(render_sign_off(run).replace("&#39;", "'").replace("&gt;", ">").split())


def test_it_has_all_that_the_contract_lists_in_order(run: dict[str, Any]) -> None:
    """From the input to the signature."""
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
    """In the report all rules and what would help; on the page to sign the grounds, too."""
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
    """Before and after, with shares; whether the target is reached is said too."""
    run.update(at_risk_before=15, at_risk_after=1, nodes=34, target="95%", enough=1, reached=True)
    page = text_of(run)

    assert (
        "<strong>15</strong> of 34 people were at risk (44.1%); <strong>1</strong> is in the release (2.94%)"
        in page
    )
    assert "The target, 95% of the people with lookalikes, is reached: 1 may be at risk." in page


def test_published_labels_and_attributes_stand_in_bold_in_the_result(run: dict[str, Any]) -> None:
    """With what the audit found; the report says so too, and a release without them has no such line."""
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
    """Edges, clustering and path length, as the comparison has them; without one, the edges alone."""
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
    """As far as the search can tell, and with how many contacts they have."""
    run.update({"at_risk_after": 2, "least": False, **changes})
    run["report"]["remaining"] = {"people": 2, "contacts": [9, 17], "contacts_of_all": 3.0, "riskiest": []}
    page = text_of(run)

    assert why in page
    assert "They have 9 to 17 contacts in the original, where half of the people have 3 or fewer." in page
    assert "private/people_at_risk.csv" in page


def test_where_nobody_remains_it_says_so(run: dict[str, Any]) -> None:
    """And nothing of why."""
    run.update(at_risk_after=0)
    run["report"]["remaining"] = {"people": 0, "contacts": None, "contacts_of_all": 3.0, "riskiest": []}

    nobody = "Nobody: to this attacker everybody is one of at least 2 people who look alike (k = 2)."
    assert f"<h2>Who remains</h2> <p>{nobody}</p>" in text_of(run)


def test_attackers_are_those_of_the_audit_by_name(run: dict[str, Any]) -> None:
    """A sentence each, and one for each question; without an audit, how to get one."""
    audit = nv.audit(nv.load("karate"), nv.load("karate").without_edges([0, 1]), measure=["degree"])
    run.update(named_attackers(audit).to_dict())
    told = text_of(run)
    sentences = [each["sentence"] for each in (*run["scenarios"], *run["questions"])]
    run.update(scenarios=[], questions=[])

    assert len(sentences) == 8 and all(sentence in told for sentence in sentences)
    assert "Not tried. <code>netveil audit ORIGINAL RELEASE</code>" in text_of(run)


def test_a_paragraph_without_a_score_claims_nothing() -> None:
    """Where it is not known who is who."""
    karate = nv.load("karate")
    audit = nv.audit(
        karate, karate.relabelled(karate.degrees.argsort().argsort()), measure="degree", fuzzy=[]
    )

    assert not audit.scored
    assert "there is a single match for" in audit.paragraph() and "single out" not in audit.paragraph()


def test_a_release_made_in_python_can_be_made_again_by_the_call_shown(run: dict[str, Any]) -> None:
    """The call is run, and deletes as many edges; a command is shown as it was typed."""
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
    """Both columns of people are in sight; no person of the data is named."""
    columns = (f"who calls {'x' * 300} calls", f"who is called {'x' * 300} called")
    first = ((f"anna {'of the same family ' * 9}", f"bob {'of the same family ' * 9}"),)
    reading = Reading("edge-list", "semicolon", columns, True, "UTF-8", first, ("2 further columns",))
    run.update(reading=reading.to_dict(), input="calls.csv")
    page = text_of(run)

    assert "people in columns who calls xxxx" in page and "x calls and who is called xxx" in page
    assert "x called, header, UTF-8, dropped: 2 further columns." in page
    assert "anna" not in page


def test_a_long_command_leads_to_the_whole_of_it(run: dict[str, Any]) -> None:
    """Its end is left out; of a long call from Python the settings, and never the point of a curve."""
    run["command"] = "netveil anonymize contacts.csv " + "--protect somebody.txt " * 50
    cut = text_of(run)
    run.update(command="", whole_budget=run["budget"] + 1)
    run["asked"]["settings"] = {f"setting_{number}": number for number in range(90)}
    call = text_of(run)

    assert "<code>netveil anonymize contacts.csv --protect" in cut
    assert "… (whole command in private/run.json)</code>" in cut
    assert "settings=…, keep=" in call and f").at({run['budget']})</code>" in call


def test_labels_and_names_cannot_break_the_page(run: dict[str, Any]) -> None:
    """They are text, and long ones are shortened."""
    run.update(network="<script>" + "x" * 500, input="<b>" * 100)
    page = render_sign_off(run)

    assert "<script>" not in page + render(run) and "<b>" not in page and "x" * 60 not in page
