"""Every result as a table of pandas, and as notebooks show it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import netveil as nv
from netveil.formatting import MOST_ROWS, html_view
from netveil.network import Network

KARATE = nv.load("karate")


@cache
def release() -> nv.Release:
    """Of two attackers, with a curve."""
    return nv.anonymize(KARATE, "10%", effort=0.05, seed=1, curve=True, measure=["count", "degree"])


@cache
def audit() -> nv.Audit:
    """Of that release."""
    return nv.audit(KARATE, release(), measure=["count", "degree"], distance=1)


# One of each, made when a test asks: every worker of a test run collects all tests, and searches for none.
RESULTS: dict[str, Callable[[], Any]] = {
    "network": lambda: KARATE,
    "anonymity": lambda: nv.measure(KARATE),
    "cascade": lambda: nv.cascade(KARATE),
    "release": release,
    "curve": lambda: release().curve,
    "comparison": lambda: nv.compare(KARATE, release()),
    "audit": audit,
}


def test_attackers_are_the_rows_of_an_audit() -> None:
    """With what each achieves; without a score there is nothing in its columns."""
    table = audit().to_pandas()
    unscored = nv.audit(KARATE, Network.from_numbered_edges([(0, 1)], 5), measure="degree", distance=1)

    assert list(table.index) == [attack.name for attack in audit().attacks]
    assert table["found"].tolist() == [attack.release.found for attack in audit().attacks]
    assert table["original_success"].tolist() == [attack.original.success for attack in audit().attacks]
    assert unscored.to_pandas()["success"].isna().all()


def test_no_view_shows_a_label(tmp_path: Path) -> None:
    """Notebooks are handed on; a network's view tells its size and how it was read."""
    file = tmp_path / "people.csv"
    file.write_text("anna <b>,bob\nbob,cleo\n", encoding="utf-8")
    network = nv.read(file)
    published = nv.anonymize(network, 1, seed=1)

    results = (network, nv.measure(network), published, nv.compare(network, published))
    views = [each._repr_html_() for each in results]

    assert "3 nodes, 2 edges" in views[0] and "read as edge-list" in views[0]
    assert not any(label in view for view in views for label in ("anna", "bob", "cleo"))


def test_names_are_escaped_and_long_tables_cut() -> None:
    """What a user wrote is never HTML; what is left out is told."""
    html = html_view("<x>", ["<h>"], [["<c>"]] * (MOST_ROWS + 2), ["<r>"])

    for given in ("x", "h", "c", "r"):
        assert f"<{given}>" not in html and f"&lt;{given}&gt;" in html
    assert html.count("&lt;c&gt;") == MOST_ROWS and "and 2 more rows" in html


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_shows_itself_in_a_notebook_and_an_interpreter(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As HTML that is whole, and as one line; a table needs pandas, with what to install."""
    result = RESULTS[name]()
    html = result._repr_html_()

    assert html.startswith("<") and html.count("<table>") == html.count("</table>") <= 1
    assert html.count("<tr>") == html.count("</tr>") <= MOST_ROWS + 1
    assert len(repr(result)) < 110 and "\n" not in repr(result)
    monkeypatch.setitem(sys.modules, "pandas", None)
    install = r"a table needs pandas, .* pip install 'netveil\[pandas\]'"
    with pytest.raises(nv.MissingPackageError, match=install):
        result.to_pandas()


def test_people_and_rounds_are_the_rows_of_a_measurement_and_of_a_cascade() -> None:
    """By number, with class, lookalikes and risk; 15 are unique, 7 more are found among their contacts."""
    anonymity, cascade = nv.measure(KARATE, k=3), nv.cascade(KARATE)
    table = anonymity.to_pandas()

    assert list(table.columns) == ["class", "lookalikes", "at_risk"] and len(table) == 34
    assert table["at_risk"].sum() == anonymity.at_risk == (table["lookalikes"] < 3).sum()
    assert table.groupby("class").size().loc[table["class"]].tolist() == table["lookalikes"].tolist()
    assert cascade.to_pandas().to_dict("list") == {"identified": [15, 7], "total": [15, 22]}
    assert repr(cascade) == "Cascade(22 of 34 nodes identified, 1 round)"


def test_before_and_after_are_the_rows_of_a_release_and_points_those_of_a_curve() -> None:
    """With a column for each of several attackers; a release without a curve has no points."""
    table, figures, curve = release().to_pandas(), release().figures(), release().curve
    of_degree, alone = figures["attackers"][1], nv.anonymize(KARATE, 1, seed=1)

    assert list(table.index) == ["before", "after"]
    assert table["edges"].tolist() == [78, 78 - figures["deleted"]]
    assert table["at_risk"].tolist() == [figures["at_risk_before"], figures["at_risk_after"]]
    to_degree = table["at_risk to degree"].tolist()
    assert to_degree == [of_degree["at_risk_before"], of_degree["at_risk_after"]]
    assert curve.to_pandas().to_dict("records") == figures["curve"]
    assert len(curve) == len(release().outcome.curve) > 1
    assert len(alone.curve) == 0 and alone.curve.to_pandas().empty
