"""ES and UA in two averages: the table, what is worth a sentence, and traces that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from paper_rows import made_up_rows

from netveil.studies.paper.published import CONFIGURATIONS
from netveil.studies.paper.runs import PaperRuns
from netveil.studies.paper.tables import Baseline, baselines_of, baselines_table
from netveil.studies.study import Spread


def two_runs_of_es(folder: Path) -> PaperRuns:
    """Two runs of ES on GRQC with their traces; the lowest values lie at different steps."""
    rows = [row for row in made_up_rows(2, ("grqc",)) if row["algorithm"] == "es"]
    for row, trace, lowest in zip(rows, ([285, 270, 280], [285, 282, 268]), (270, 268), strict=True):
        row["unique_after"] = lowest
        place = folder / "runs" / row["run"]
        place.mkdir(parents=True)
        lines = ["seconds,step,evaluations,objective,at_risk,deleted"]
        lines += [f"0.1,{step},{step},0,{at_risk},0" for step, at_risk in enumerate(trace)]
        (place / "trace.csv").write_text("\n".join(lines) + "\n")
    return PaperRuns(rows, ("grqc",), CONFIGURATIONS)


def test_baselines_in_two_ways(tmp_path: Path) -> None:
    """The mean of each run's lowest value, and the lowest mean over steps."""
    table = baselines_table(baselines_of(two_runs_of_es(tmp_path), tmp_path), "scope")

    assert table.records[0]["mean_of_lowest"] == 285 - (270 + 268) / 2
    assert table.records[0]["lowest_of_means"] == 285 - min(285, (270 + 282) / 2, (280 + 268) / 2)
    assert [cell.text for cell in table.rows[0]] == ["GRQC collab.", "ES", "16.0 ± 1.4", "11.0", "2"]
    assert [cell.text for cell in table.rows[1]] == ["GRQC collab.", "UA", "–", "–", "0"]
    assert "The paper probably averages" in table.note


@pytest.mark.parametrize("damage", [None, "", "step\n", "step,at_risk\n1\n", "step,at_risk\nx,y\n", "\0"])
def test_a_missing_or_damaged_trace_is_a_dash(tmp_path: Path, damage: str | None) -> None:
    """The mean of the other runs would be another figure; the rest of the row stays."""
    runs = two_runs_of_es(tmp_path)
    trace = tmp_path / "runs" / runs.rows[1]["run"] / "trace.csv"
    trace.unlink()
    if damage is not None:
        trace.write_text(damage)
    found = baselines_of(runs, tmp_path)

    assert found[0].lowest_of_means is None
    assert [cell.text for cell in baselines_table(found, "scope").rows[0]][2:] == ["16.0 ± 1.4", "–", "2"]
    assert found[0].is_far and "a trace.csv is missing" in found[0].sentence


def test_sentences_on_baselines_have_both_averages() -> None:
    """Each by its name, with its own verdict; which of them the paper took is probable only."""
    found = Baseline("fb-reed98", "es", Spread(39.8, 3.8, 5), 26.2, 34)

    assert found.sentence == (
        "ES on FB Reed98, reduction of unique nodes: 34 published, probably as the lowest of the means over "
        "runs. Here 39.8 ± 3.8 as the mean of each run's lowest, better by 5.8; 26.2 as the lowest of the "
        "means, worse by 7.8."
    )


@pytest.mark.parametrize(
    ("own", "lowest_of_means", "published", "far"),
    [
        (Spread(39.8, 3.8, 5), 26.2, 34, True),  # the second reading is
        (Spread(39.8, 3.8, 5), 30.0, 34, False),
        (Spread(39.8, 3.8, 5), 30.0, 31, True),  # the first reading is
        (Spread(39.8, None, 1), 39.8, 39, True),  # one run: no deviation
        (Spread(2.0, None, 1), 2.0, 2, False),
        (Spread(39.8, 3.8, 5), 26.2, None, False),
        (None, None, 34, False),
    ],
)
def test_when_a_baseline_is_far(
    own: Spread | None, lowest_of_means: float | None, published: int | None, far: bool
) -> None:
    """Either reading may be; without runs or a published figure there is nothing to compare."""
    assert Baseline("fb-reed98", "es", own, lowest_of_means, published).is_far is far
