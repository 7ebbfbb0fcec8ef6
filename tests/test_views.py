"""Every result as a table of pandas, as notebooks show it, and plotted with the numbers that reports show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes

import netveil as nv
from netveil.formatting import MOST_ROWS, html_view
from netveil.network import Network
from netveil.plotting import PICTURES, plot_points
from netveil.release.records import run_record
from netveil.report import Evidence

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


@pytest.fixture(autouse=True)
def _no_window() -> Iterator[None]:
    before = mpl.get_backend()
    mpl.use("agg")
    yield
    pyplot.close("all")
    mpl.use(before)


@cache
def tuning() -> nv.TuningResult:
    """Of two configurations."""
    return nv.tune(KARATE, grid={"patience": [1, 2]}, seed=1)


PLOTTED: dict[str, Callable[[], Any]] = {
    "release": release,
    "curve": lambda: release().curve,
    "history": lambda: release().history,
    "anonymity": lambda: nv.measure(KARATE),
    "comparison": lambda: nv.compare(KARATE, release(), metrics=["edges", "lcc"]),
    "synthetic release": lambda: nv.synthesize(KARATE, seed=1),
    "runs": lambda: nv.anonymize(KARATE, 5, algorithm="ua", seed=1, runs=4).runs,
    "front": lambda: nv.pareto_front(release()),
    "tuning": tuning,
}


def heights(axes: Axes) -> list[float]:
    """Of all bars."""
    return [bar.get_height() for bar in axes.patches]  # type: ignore[attr-defined]


def points(axes: Axes, label: str) -> Any:
    """Of the line with this label, one number after the other."""
    (line,) = (line for line in axes.lines if line.get_label() == label)
    return np.asarray(line.get_xydata()).ravel().tolist()


def near(pairs: Any) -> Any:
    """Pairs of numbers, one number after the other, as far as floating point tells them apart."""
    return pytest.approx(np.asarray(pairs).ravel().tolist())


@pytest.mark.parametrize("name", PLOTTED)
def test_axes_that_are_given_are_drawn_on_and_returned(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any, there are new ones; without matplotlib, an error says what to install."""
    result, axes = PLOTTED[name](), pyplot.figure().add_subplot()

    assert result.plot(ax=axes) is axes and axes.get_xlabel() and axes.has_data()
    assert isinstance(result.plot(), Axes) and result.plot() is not axes
    with pytest.raises(nv.SettingError, match="ax: give axes of matplotlib"):
        result.plot(ax="here")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(
        nv.MissingPackageError, match=r"a plot needs matplotlib, .* pip install 'netveil\[plot\]'"
    ):
        result.plot(ax=axes)


def test_every_picture_of_the_report_can_be_plotted() -> None:
    """From the record of the run, as the report has it; what has no numbers is told."""
    run = run_record(release(), Evidence())
    for name, picture in PICTURES.items():
        if picture.is_shown(run):
            drawn = release().plot(name)
            assert len(drawn if isinstance(drawn, list) else [drawn]) == len(picture.charts(run))
        else:
            with pytest.raises(nv.SettingError, match=f"^picture {name}: this release has no numbers for it"):
                release().plot(name)
    with pytest.raises(nv.SettingError, match="unknown picture 'curves': did you mean curve"):
        release().plot("curves")


def test_plots_on_axes_in_use_keep_their_title_and_show_both() -> None:
    """A second release beside the first, with more people and more deletions."""
    axes = pyplot.figure().add_subplot(title="both")
    plot_points({"first": [(1, 2)]}, ax=axes)
    plot_points({"second": [(9, 20)]}, ax=axes)

    assert axes.get_title() == "both"
    assert axes.get_xlim()[1] > 9 and axes.get_ylim()[0] == 0 and axes.get_ylim()[1] > 20


def test_plots_show_the_numbers_of_the_results() -> None:
    """People by lookalikes, points of the curve, changes of metrics, runs, points of the front."""
    before, after = release().before.class_sizes, release().after.class_sizes
    assert heights(nv.measure(KARATE).plot())[:2] == [before[1], before.get(2, 0)]
    assert heights(release().plot("class_sizes"))[0::6] == [before[1], after.get(1, 0)]
    rows = release().curve.rows
    on_curve = [(100 * row["share"], row["at_risk"]) for row in rows]
    assert points(release().curve.plot(), "curve") == near(on_curve)
    ends = points(release().plot(), "this release (annealing)")
    deleted = len(release().deleted_edges)
    assert ends == near([100 * deleted / 78, release().outcome.at_risk_after])
    comparison = nv.compare(KARATE, release(), metrics=["edges", "lcc"])
    widths = [bar.get_width() for bar in comparison.plot().patches]  # type: ignore[attr-defined]
    changes = [each.relative_change for each in comparison.metrics.values()]
    assert widths == pytest.approx([100 * (change or 0.0) for change in changes])
    drawn = nv.synthesize(KARATE, seed=1)
    assert sum(heights(drawn.plot())) == 34 and heights(drawn.plot())[:3] == [0, 0, 0]


def test_an_audit_plots_who_is_found_by_matching() -> None:
    """By the share of ties that the attacker knows; an audit without such attackers says so."""
    audit = nv.audit(KARATE, release(), measure="degree", distance=1, matching="brief")
    rows = [row for row in audit.to_dict()["matching"] if not row["seeds"] and row["ties"] == "random"]
    expected = sorted((100 * row["known"], 100 * row["found"] / row["people"]) for row in rows)

    assert points(audit.plot(), "this release") == near(expected)
    without = nv.audit(KARATE, release(), measure="degree", distance=1, matching="none")
    with pytest.raises(nv.SettingError, match="audit with matching='usual'"):
        without.plot()


def test_a_study_plots_a_point_a_run_and_tells_them_in_a_table(tmp_path: Path) -> None:
    """An algorithm a colour; histories, runs, fronts and tunings are tables too."""
    plan = tmp_path / "plan.toml"
    plan.write_text("networks = ['karate']\nalgorithms = ['es', 'ua']\nseeds = 2\n", encoding="utf-8")
    study = nv.experiment(plan, tmp_path / "runs", workers=1)
    table = study.to_pandas()

    assert table["algorithm"].tolist() == ["es", "es", "ua", "ua"]
    for name in ("es", "ua"):
        mine = table[table["algorithm"] == name]
        left = list(zip(100 * mine["deleted_share"], 100 * (1 - mine["reduction"]), strict=True))
        assert points(study.plot(), name) == near(left)
    history = release().history.to_pandas()
    assert history["at_risk"].tolist() == [row.at_risk for row in release().outcome.history]
    assert tuning().to_pandas()["number"].tolist() == list(tuning().ranking)
