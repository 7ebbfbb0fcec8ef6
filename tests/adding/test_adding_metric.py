"""A utility metric is one file and one line, as docs/utility.md says: all that lists metrics then has it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from recipes import Copy

import netveil as nv

pytestmark = pytest.mark.thorough  # commands in a copy of netveil that is changed

PLAN = """\
networks = ["karate"]
algorithms = ["es"]
seeds = 1
metrics = {metrics}
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """netveil with the metric of the page, and a release made by it."""
    with Copy.made_in(tmp_path_factory.mktemp("copy")) as copy:
        copy.add("utility/one_contact.py", "utility.md", "Add a metric to netveil", "METRICS")
        brief = "--no-audit --quiet"
        copy.netveil(f"anonymize karate --algorithm es --seed 1 {brief} --out release")
        yield copy


def people_with_one_contact(network: nv.Network) -> int:
    """What the metric of the page counts."""
    return sum(degree == 1 for degree in network.degrees.tolist())


def test_it_is_compared(copy: Copy) -> None:
    """In the table, with its figures; in JSON and in pandas under its name."""
    table, document = copy.netveil("compare karate release", "compare karate release --json")
    released = nv.read(copy.folder / "release" / "public" / "network.txt")
    found = json.loads(document)["metrics"]["one_contact"]
    (row,) = (line.split() for line in table.splitlines() if line.startswith("people with one contact "))

    assert found["title"] == "people with one contact"
    assert found["before"] == people_with_one_contact(nv.load("karate"))
    assert found["after"] == people_with_one_contact(released)
    assert row[4:6] == [str(found["before"]), str(found["after"])]


def test_it_is_in_the_report_and_the_records_of_a_release(copy: Copy) -> None:
    """With its meaning in the report, and as figures in what is published and what is kept."""
    report = (copy.folder / "release" / "private" / "report.html").read_text(encoding="utf-8")
    run = copy.document("release/private/run.json")

    assert "people with one contact" in report
    assert "How many people are known by a single contact." in report
    assert run["report"]["utility"][-1]["title"] == "people with one contact"
    assert "one_contact" in copy.document("release/public/about.json")["utility"]


@pytest.mark.parametrize(
    ("metrics", "workers"),
    [pytest.param('["one_contact", "lcc"]', 2, marks=pytest.mark.thorough), ('"all"', 1)],
)
def test_plans_measure_it(copy: Copy, metrics: str, workers: int, tmp_path: Path) -> None:
    """By its name or among all, also in processes beside the first one, and in the table of results."""
    (tmp_path / "plan.toml").write_text(PLAN.format(metrics=metrics), encoding="utf-8")
    runs = tmp_path / "runs"
    copy.netveil(f"experiment '{tmp_path}/plan.toml' --out '{runs}' --workers {workers} --collect --quiet")
    with (runs / "results.csv").open(encoding="utf-8") as opened:
        (row,) = csv.DictReader(opened)

    assert int(row["one_contact_before"]) == people_with_one_contact(nv.load("karate"))
    assert int(row["one_contact_after"]) >= 0
    assert row["lcc_before"] == "1.0"
