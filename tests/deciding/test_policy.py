"""Policies: each rule decides by itself, and what was not measured is not met."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.cli import main
from netveil.deciding import Facts, NamedAttackers, Policy, decide, read_policy
from netveil.deciding.facts import KNOWING, Question, losses_of, shares_at_risk
from netveil.deciding.policy import PRESETS
from netveil.errors import FileError, SettingError
from netveil.registries import METRICS

ALL = {
    "policy": {
        "k": 5,
        "attackers": ["degree", "count"],
        "at_risk": "1%",
        "found_with_network": "20%",
        "found_with_group": 0.2,
        "found_with_half": "10%",
        "inferred_ties": 0.9,
        "loss": {"clustering": "10%", "communities": "30%"},
        "attributes": ["age"],
        "second_release": False,
        "review_months": 24,
    },
    "decision": {"purpose": "teaching", "licence": "CC-BY-4.0", "review": date(2030, 1, 31)},
}


def inferring(area: float) -> NamedAttackers:
    """Somebody who infers ties with this area under the curve."""
    return NamedAttackers(questions=(Question("inference", "Adamic-Adar", area, ""),))


GOOD = Facts(
    people=200,
    named=inferring(0.9),
    k=5,
    at_risk={"degree": 0.0, "count": 0.01},
    found={"found_with_network": 0.2, "found_with_group": 0.1, "found_with_half": 0.0},
    losses={"clustering": 0.1, "communities": 0.3},
    attributes=("age",),
    leaks=0,
    second_release=False,
    made_on=date(2030, 1, 31),
)


@pytest.fixture
def policy() -> Policy:
    """One that has every rule."""
    return Policy.from_document(ALL, "policy.toml", "ours")


def test_a_release_at_every_limit_meets_the_policy(policy: Policy) -> None:
    judged = decide({}, GOOD, policy)

    assert judged.met and all(rule.met for rule in judged.rules)
    assert [rule.rule for rule in judged.rules] == [
        *KNOWING,
        "inferred_ties",
        "k",
        *("at_risk.degree", "at_risk.count", "leaks", "attributes"),
        *("loss.clustering", "loss.communities", "second_release", "review"),
    ]
    assert judged.verdict.startswith(
        "Meets policy ours: 13 rules, all met; the closest is: found by somebody"
    )


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        ("k", {"k": 4}),
        ("at_risk.degree", {"at_risk": {"degree": 0.0101, "count": 0}}),
        ("at_risk.count", {"at_risk": {"degree": 0, "count": 0.5}}),
        ("found_with_network", {"found": {**GOOD.found, "found_with_network": 0.201}}),
        ("found_with_group", {"found": {**GOOD.found, "found_with_group": 1.0}}),
        ("found_with_half", {"found": {**GOOD.found, "found_with_half": 0.11}}),
        ("inferred_ties", {"named": inferring(0.91)}),
        ("loss.clustering", {"losses": {"clustering": 0.11, "communities": 0}}),
        ("loss.communities", {"losses": {"clustering": 0, "communities": 0.31}}),
        ("attributes", {"attributes": ("age", "postcode")}),
        ("leaks", {"leaks": 1}),
        ("second_release", {"second_release": True}),
        ("review", {"made_on": date(2030, 2, 1)}),
    ],
)
def test_each_rule_decides_by_itself(policy: Policy, rule: str, changes: dict[str, Any]) -> None:
    judged = decide({}, replace(GOOD, **changes), policy)

    (unmet,) = (each for each in judged.rules if not each.met)
    assert unmet.rule == rule and not judged.met and judged.helps
    assert judged.verdict == f"Does not meet policy ours: {unmet.sentence}."


def test_what_was_not_measured_is_not_met(policy: Policy) -> None:
    """Nothing is known but the number of people: only that no attribute is published is met."""
    judged = decide({}, Facts(people=200), policy)

    assert [rule.rule for rule in judged.rules if rule.met] == ["attributes"]
    assert "not measured" in judged.verdict and "(and 11 more rules)" in judged.verdict


def test_presets_have_reasons_and_differ_in_k() -> None:
    policies = [read_policy(name) for name in PRESETS]

    assert {each.k for each in policies} == {2, 5, 10, 11}
    assert all(len(each.reason) > 60 and each.review_months for each in policies)
    assert [each.name for each in policies] == list(PRESETS)
    assert all(Policy.from_document(each.to_dict(), "again") == each for each in policies)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[policy]\nk = 1", "k cannot be as it is: Expected a whole number >= 2"),
        ("[policy]\nk = '5'", "k cannot be as it is: Expected a whole number, got text"),
        ("[policy]\nkk = 5", "unknown entry 'kk': did you mean k?"),
        ("[policy]\nattackers = ['counts']", "unknown measure 'counts': did you mean count?"),
        ("[policy]\nattackers = ['os:system']", "unknown measure 'os:system'"),
        ("[policy]\nat_risk = '101%'", "at_risk 101% is not a share"),
        ("[policy.loss]\nclusterings = '1%'", "unknown metric 'clusterings': did you mean clustering?"),
        ("[policy.loss]\nclustering = '-1%'", "loss.clustering -1% is not a share"),
        ("[policy]\nreview_months = 0", "review_months cannot be as it is: Expected a whole number >= 1"),
        ("[policy]\ninferred_ties = 0.4", "inferred_ties cannot be as it is"),
        ("[policy]\ngrounds = {}", "unknown entry 'grounds'"),
        ("[policy]\n[decision]\nreview = 'soon'", "review cannot be as it is"),
        ("[policy]\n[rules]", "below [policy], such as k = 5"),
        ("[decision]", "below [policy], such as k = 5"),
        ("k = ", "not a TOML file"),
    ],
)
def test_mistakes_in_a_policy_are_told_in_a_line(text: str, told: str, tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)

    with pytest.raises((SettingError, FileError)) as error:
        read_policy(str(file))
    assert told in str(error.value) and str(file) in str(error.value) and "\n" not in str(error.value)


def test_a_policy_that_is_not_there_is_told_before_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["anonymize", "karate", "--policy", "strict"]) == 2
    assert "strict: no such file, and no policy of this name; give a TOML file" in capsys.readouterr().err


def test_shares_at_risk_are_those_of_the_published_network_for_the_policys_k() -> None:
    """Whatever k the release was made for."""
    karate = nv.load("karate")

    assert shares_at_risk(karate, ["count", "degree"], 5) == {
        name: nv.measure(karate, name, k=5).at_risk / 34 for name in ("count", "degree")
    }


def test_losses_are_shares_of_what_was() -> None:
    """Of similarities what is missing to 1; a figure that was 0 and still is has lost nothing."""
    karate = nv.load("karate")
    found = nv.compare(karate, karate.without_edges([0, 1, 2]), metrics=["edges", "centrality", "isolated"])
    losses, score = losses_of(found), found.metrics["centrality"].score

    assert score is not None and losses["centrality"] == pytest.approx(1 - score) and score > 0.6
    assert losses["edges"] == pytest.approx(3 / 78) and losses["isolated"] == 0


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with a policy that karate meets, and one of every metric that it does not."""
    folder = tmp_path_factory.mktemp("policies")
    (folder / "low.toml").write_text("[policy]\nk = 2\nat_risk = '50%'\nattackers = ['count']")
    metrics = "\n".join(f"{name} = '0%'" for name in METRICS)
    (folder / "no-loss.toml").write_text(f"[policy]\nk = 2\n[policy.loss]\n{metrics}")
    return folder


ANONYMIZE = ("anonymize", "karate", "--seed", "1", "--effort", "0.1", "--json", "--quiet", "--overwrite")


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON document of a command."""
    code = main([str(each) for each in arguments])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def test_a_release_that_meets_its_policy_exits_with_0(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, out = str(released / "low.toml"), str(released / "met")
    code, told = document(capsys, *ANONYMIZE, "--policy", policy, "--out", out, "--matching", "none")
    run = json.loads((released / "met" / "private" / "run.json").read_text())

    assert code == 0 and told["policy"]["met"]
    assert {"rule": "k", "limit": 2, "found": 2, "met": True}.items() <= told["policy"]["rules"][0].items()
    assert told["verdict"].startswith("Meets policy low: 3 rules, all met")
    assert (run["policy"], run["verdict"]) == (told["policy"], told["verdict"])


def test_rules_that_need_an_audit_are_not_met_without_one(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, out = str(released / "low.toml"), str(released / "unmeasured")
    code, told = document(capsys, *ANONYMIZE, "--policy", policy, "--out", out, "--no-audit", "--no-utility")
    unmet = [rule["rule"] for rule in told["policy"]["rules"] if not rule["met"]]

    assert code == 3 and unmet == ["leaks"] and not told["policy"]["met"]
    assert (released / "unmeasured" / "public" / "network.txt").is_file()
    assert any("Have the attacks tried" in sentence for sentence in told["policy"]["helps"])


def test_an_audit_holds_a_policy_against_a_release_that_is_there(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its loss too; a bare file does not say for which k it was made."""
    out = released / "audited"
    assert main([*ANONYMIZE, "--no-audit", "--no-utility", "--out", str(out)]) == 0
    capsys.readouterr()
    quick = ("--measure", "degree", "--distance", "1", "--matching", "none", "--json")
    strict = str(released / "no-loss.toml")
    code, told = document(capsys, "audit", "karate", str(out), *quick, "--policy", strict)
    rules = {rule["rule"]: rule for rule in told["policy"]["rules"]}
    (released / "bare.txt").write_bytes((out / "public" / "network.txt").read_bytes())
    _, bare = document(capsys, "audit", "karate", str(released / "bare.txt"), *quick, "--policy", strict)

    assert code == 3 and rules["k"]["met"] and rules["leaks"]["met"]
    assert rules["loss.edges"]["found"] == pytest.approx(3 / 78) and not rules["loss.edges"]["met"]
    assert rules["loss.lcc"]["met"]
    assert bare["policy"]["rules"][0]["found"] is None and not bare["policy"]["met"]


def test_a_synthetic_network_is_judged_by_its_table(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = ("synthesize", "karate", "--seed", "1", "--json", "--quiet")
    code, told = document(
        capsys, *drawn, "--k", "6", "--out", str(released / "a" / "k6"), "--policy", "registered-users"
    )
    _, low = document(
        capsys, *drawn, "--k", "3", "--out", str(released / "b" / "k3"), "--policy", "registered-users"
    )
    rules, of_low = ({rule["rule"]: rule for rule in each["policy"]["rules"]} for each in (told, low))

    assert {rules[name]["found"] for name in KNOWING} == {told["ceiling"]}
    assert rules["at_risk.count"]["found"] == 0 and rules["k"]["found"] == told["smallest_row"]
    assert code == (0 if told["policy"]["met"] else 3)
    assert of_low["at_risk.count"]["found"] > 0 and not of_low["k"]["met"] and not low["policy"]["met"]


def test_a_second_release_is_refused_if_the_policy_says_so(
    released: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (released / "one.toml").write_text("[policy]\nsecond_release = false")
    fast = (*ANONYMIZE, "--no-audit", "--no-utility", "--policy", str(released / "one.toml"))
    rules = []
    for out, budget in (("first", "3"), ("copy", "3"), ("second", "2")):
        _, told = document(capsys, *fast, "--out", str(released / "beside" / out), "--budget", budget)
        rules.append(next(rule for rule in told["policy"]["rules"] if rule["rule"] == "second_release"))

    assert [rule["met"] for rule in rules] == [True, True, False]
    assert rules[2]["limit"] is False and rules[2]["found"] is True
