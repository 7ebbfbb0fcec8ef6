"""A comparison as people see it: on a terminal, in a notebook, in pandas, in a prompt."""

from __future__ import annotations

import pytest
from utility_graphs import BARBELL, BRIDGE

from graphs import SQUARE
from netveil.utility import METRICS, Comparison, Finding, communities, compare
from netveil.utility.metric import LOWER


@pytest.fixture(autouse=True)
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of Louvain tell as much here as a hundred."""
    monkeypatch.setattr(communities, "RUNS", 10)


def _halved_barbell() -> Comparison:
    return compare(BARBELL, BARBELL.without_edges([BRIDGE]))


def test_a_comparison_reads_as_a_table_on_a_terminal() -> None:
    """Figures under each other, shares where they make sense, remarks below."""
    lines = _halved_barbell().table().splitlines()

    assert lines[0].split() == ["before", "after", "change", "better"]
    assert lines[1].split() == ["edges", "14", "13", "-7.14%", "closer"]
    assert ["connected", "components", "2", "3", "+50.0%", "closer"] in [line.split() for line in lines]
    assert "clustering: over nodes with at least two neighbours, as in the paper" in lines
    assert len({len(line) for line in lines[: len(METRICS) + 1]}) == 1
    assert _halved_barbell().table(notes=False).splitlines() == lines[: len(METRICS) + 1]


def test_a_change_of_more_than_all_or_of_nothing_is_no_share() -> None:
    """From 1 to 4 components is +3; from 0 to 4 isolated nodes +4."""
    table = compare(SQUARE, SQUARE.without_edges([0, 1, 2, 3])).table()

    assert "connected components" in table and " +3" in table and " +4" in table


def test_a_comparison_reads_as_a_table_in_a_notebook() -> None:
    """A row a metric and a header; nothing in it is taken for a tag."""
    found = Comparison("a", "b", 1, 1, 0, 0, 0, {"x": Finding("<b>", 1, 2.5, LOWER, note="1 < 2")})
    html = found._repr_html_()

    assert html.count("<tr>") == 2 and html.count("<li>") == 1
    assert "&lt;b&gt;" in html and "1 &lt; 2" in html and "<b>" not in html


def test_a_comparison_is_a_table_for_pandas() -> None:
    """By the names of the metrics."""
    table = _halved_barbell().to_pandas()

    assert list(table.index) == list(METRICS)
    assert table.loc["edges", "change"] == -1
    assert table.loc["communities", "score"] == 1.0
    assert table["better"].to_list() == [metric.better for metric in METRICS.values()]


def test_a_comparison_is_short_in_a_prompt() -> None:
    """Name and edges."""
    assert repr(_halved_barbell()) == "Comparison('network', 1 of 14 edges deleted)"
