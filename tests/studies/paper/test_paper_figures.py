"""The figures: files that stand by themselves, the same every time, with every algorithm in them."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from paper_rows import NETWORKS, made_up_runs

from netveil.opening import load
from netveil.search import Control
from netveil.studies import planned_network
from netveil.studies.paper.paper_figures import (
    FINALISTS,
    PaperFigure,
    runtime_figure,
    top_table,
    tuned,
    utility_figure,
)
from netveil.studies.paper.paper_tables import PANELS
from netveil.studies.paper.published import TOP, title_of
from netveil.studies.study import RunOptions
from netveil.studies.tuning import TuningResult


@pytest.fixture(scope="module")
def tunings(tmp_path_factory: pytest.TempPathFactory) -> list[TuningResult]:
    """GA and UGA tuned on the karate club, ten configurations, two runs of each finalist."""
    options = RunOptions(folder=tmp_path_factory.mktemp("tuning"), workers=1)
    return tuned([planned_network("karate", load("karate"))], options, 2, configurations=10)


def texts(picture: PaperFigure) -> str:
    """All that is written in a picture."""
    return " ".join(ElementTree.fromstring(picture.svg).itertext())


def check(picture: PaperFigure, scope: str) -> None:
    """It is SVG and PNG, calls nobody, and says what was run."""
    width, height = struct.unpack(">II", picture.png[16:24])

    assert picture.png.startswith(b"\x89PNG") and width > 600 and height > 400
    assert scope in texts(picture) and scope in picture.caption
    assert "currentColor" in picture.svg and "<image" not in picture.svg
    assert 'href="http' not in picture.svg and "url(http" not in picture.svg


@pytest.mark.thorough
def test_utility() -> None:
    """Six panels with their titles, networks and algorithms named."""
    picture = utility_figure(made_up_runs(), "5 seeds of nothing")

    check(picture, "5 seeds of nothing")
    for name in (*(panel.title for panel in PANELS), *map(title_of, NETWORKS), "ES", "UA", "GA", "UGA"):
        assert name in texts(picture)


@pytest.mark.thorough
def test_runtime_is_the_same_every_time() -> None:
    """Same runs, same bytes."""
    one, other = (runtime_figure(made_up_runs(), "5 seeds of nothing") for _ in range(2))

    check(one, "5 seeds of nothing")
    assert (one.svg, one.png) == (other.svg, other.png)
    check(runtime_figure(made_up_runs(seeds=1), "1 seed"), "1 seed")  # without a deviation


@pytest.mark.thorough
def test_top_configurations(tunings: list[TuningResult]) -> None:
    """Three of each, the best first, with the mean of their further runs."""
    table = top_table(tunings, "some scope")

    assert len(table.rows) == len(table.records) == 6
    for result, records in zip(tunings, (table.records[:3], table.records[3:]), strict=True):
        assert [record["number"] for record in records] == list(result.ranking[:3])
        curves = {curve.number: curve for curve in result.curves}
        for record in records:
            further = curves[record["number"]].further_at_risk
            assert len(further) == record["runs"] == 2
            assert record["mean_unique"] == sum(further) / 2
    assert "each run 2 times more with other seeds" in table.note


def test_published_top_configurations_stand_below_ours(tunings: list[TuningResult]) -> None:
    """As the paper prints them: rates in percent, RW and TS."""
    renamed = [replace(result, network="grqc") for result in tunings]
    rows = [tuple(cell.text for cell in row) for row in top_table(renamed, "some scope").rows]
    published = [row for row in rows if row[2] == "published"]

    assert [row[3] for row in published] == [str(each.number) for each in TOP if each.network == "grqc"]
    assert published[0][3:] == ("3", "0.25%", "uniform", "0.05%", "0.0025%", "RW", "(μ + λ)", "94 ± 7")


@pytest.mark.thorough
def test_tuning_is_kept_and_not_done_again(tmp_path: Path) -> None:
    """The second time it is read; with other wishes, or a damaged file, it is done again."""
    networks = [planned_network("karate", load("karate"))]
    lines: list[str] = []
    options = RunOptions(folder=tmp_path, workers=1, tell=lines.append)
    first = tuned(networks, options, 1, FINALISTS)
    again = tuned(networks, options, 1, FINALISTS)
    (tmp_path / "tuning" / "ga-karate.json").write_text("{")
    damaged = tuned(networks, options, 1, FINALISTS)

    (tmp_path / "tuning" / "uga-karate.json").unlink()
    only_read = tuned(networks, replace(options, run=False), 1, FINALISTS)

    assert lines == ["tuning GA on karate", "tuning UGA on karate", "tuning GA on karate"]
    assert [each.algorithm for each in only_read] == ["ga"]
    assert [each.to_dict()["ranking"] for each in first] == [each.to_dict()["ranking"] for each in again]
    assert [each.ranking for each in damaged] == [each.ranking for each in first]
    # With one run there is no further one, and the note of the table does not speak of any.
    table = top_table(first, "some scope")
    assert "by the run that left them" in table.note and "times more" not in table.note
    assert {record["runs"] for record in table.records} == {1}


def test_tuning_stops_when_asked(tmp_path: Path) -> None:
    """Nothing is begun, and nothing half is written."""
    stop = Control()
    stop.interrupt()

    assert tuned([planned_network("karate", load("karate"))], RunOptions(folder=tmp_path, stop=stop), 1) == []
    assert list(tmp_path.iterdir()) == []
