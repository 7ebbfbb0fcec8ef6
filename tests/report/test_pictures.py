"""Pictures of the report have the numbers of the record that they are drawn from, and nothing else."""

from __future__ import annotations

from typing import Any

from netveil.charts import RISK, Band, Bars, Chart, Series
from netveil.plotting import PICTURES

SCORE = {"found": 3.0, "people": 4, "found_range": [2, 4]}
RUN: dict[str, Any] = {
    "edges": 200,
    "algorithm": "annealing",
    "at_risk_before": 50,
    "at_risk_after": 8,
    "deleted": 10,
    "target": "90%",
    "enough": 5,
    "curve": [{"deleted": 4, "at_risk": 20}, {"deleted": 10, "at_risk": 8}],
    "history": [{"seconds": 0.0, "objective": 50}, {"seconds": 2.0, "objective": 8}],
    "report": {
        "class_sizes": {"before": {"1": 7, "3": 6, "4": 8, "60": 60}, "after": {"2": 8}},
        "by_degree": [{"degree": "1", "before": 4, "after": 1}, {"degree": "2–3", "before": 9, "after": 0}],
        "states": {"before": [[3, 1, 1], [2, 0, 0]], "after": [[2, 1, 1], [2, 0, 0], [5, 2, 0]]},
        "drawing": {
            "nodes": [[0.0, 0.1, 1, 0], [0.5, 0.6, 1, 1], [1.0, 0.2, 0, 0]],
            "edges": [[0, 1, 0], [1, 2, 1]],
        },
        "search_curve": [[0, 50], [10, 8]],
        "baselines": {"ua": {"curve": [[0, 50], [10, 30]], "deleted": 10, "at_risk": 30}},
        "rivals": {"sana": {"curve": [[0, 50], [6, 40]], "deleted": 6, "at_risk": 40}},
        "audit": {
            "matching": [
                {
                    **SCORE,
                    "known": known,
                    "seeds": seeds,
                    "ties": ties,
                    "original": {"found": 4.0, "people": 4},
                    "random_deletion": {"found": 2.0, "people": 4},
                    "curve": [[0.5, 1.0], [1.0, 0.75]],
                }
                for known, seeds, ties in (
                    (1.0, 0, "random"),
                    (0.5, 0, "random"),
                    (0.5, 0, "community"),
                    (0.5, 9, "random"),
                )
            ]
        },
    },
}


def charts(name: str) -> list[Chart]:
    """The charts of a picture."""
    return PICTURES[name].charts(RUN)


def lines(chart: Chart) -> dict[str, list[Any]]:
    """Points of each labelled line."""
    return {each.label: list(each.points) for each in chart.items if isinstance(each, Series) and each.label}


def heights(chart: Chart) -> dict[str, list[float]]:
    """Heights of the bars of each label."""
    return {each.label: list(each.heights) for each in chart.items if isinstance(each, Bars)}


def test_bars_are_people_by_class_and_by_contacts() -> None:
    """Each size in its band; those at risk before and after."""
    (sizes,), (degrees,) = charts("class_sizes"), charts("by_degree")

    assert heights(sizes) == {"before": [7, 0, 14, 0, 0, 60], "after": [0, 8, 0, 0, 0, 0]}
    assert len(sizes.names) == 6 and sizes.names[2] == "3–4"
    assert heights(degrees) == {"before": [4, 9], "after": [1, 0]} and degrees.names == ["1", "2–3"]


def test_lines_run_from_the_original_to_the_release() -> None:
    """Deletions as a share of all ties; others end at their crosses; a curve has its target."""
    (deal,), (curve,) = charts("trade_off"), charts("curve")

    assert lines(deal)["original"] == [(0, 50)]
    assert lines(deal)["this release (annealing)"] == lines(curve)["this release"] == [(5, 8)]
    assert lines(deal)["UA"] == lines(curve)["UA"] == [(0, 50), (5, 30)] and "SANA" not in lines(deal)
    assert lines(curve)["SANA"] == [(0, 50), (3, 40)]
    assert lines(curve)["annealing"] == [(0, 50), (2, 20), (5, 8)]
    assert lines(curve)["target 90%"] == [(0, 5), (5, 5)]
    crosses = [each.points for each in curve.items if isinstance(each, Series) and each.mark == "x"]
    assert crosses == [[(5, 30)], [(3, 40)]]
    on_the_way = [each.points for each in deal.items if isinstance(each, Series) and each.width == 1]
    assert on_the_way == [[(0, 50), (5, 8)]]


def test_the_search_is_drawn_in_steps() -> None:
    """The best stays as it is until a better one is found."""
    (chart,) = charts("convergence")

    assert [each.points for each in chart.items if isinstance(each, Series)] == [[(0, 50), (2, 50), (2, 8)]]


def test_both_scatters_have_one_scale_and_red_points_for_risk() -> None:
    """So that before and after can be laid beside each other."""
    before, after = charts("states")

    assert lines(before) == {"has lookalikes": [[2, 0]], "at risk": [[3, 1]]}
    assert lines(after) == {"has lookalikes": [[2, 0], [5, 2]], "at risk": [[2, 1]]}
    assert before.ylabel == after.ylabel  # so that their axes are equally wide
    assert (before.x_limits, before.y_limits) == (after.x_limits, after.y_limits) == ((0, 6.0), (0, 2.4))
    assert {each.label for each in after.items if isinstance(each, Series) and each.colour == RISK} == {
        "at risk"
    }


def test_the_drawing_has_every_tie_and_marks_who_is_at_risk_and_what_is_deleted() -> None:
    """Two people are at risk before and one after; the tie that is gone is red, and dotted afterwards."""
    for chart, at_risk, line in zip(charts("drawing"), (2, 1), ("-", ":"), strict=True):
        kept, gone, safe, risky = (each for each in chart.items if isinstance(each, Series))

        assert kept.points == [[0.0, 0.1], [0.5, 0.6], None]
        assert (gone.points, gone.colour, gone.line) == ([[0.5, 0.6], [1.0, 0.2], None], RISK, line)
        assert (len(safe.points), len(risky.points), risky.colour) == (3 - at_risk, at_risk, RISK)


def test_matching_shows_attackers_without_seeds_by_what_they_know() -> None:
    """Whom they find here, in the original and after random deletions; and the surest guesses first."""
    known, sure = charts("matching")
    (band,) = (each for each in known.items if isinstance(each, Band))

    assert lines(known) == {
        "this release": [(50, 75), (100, 75)],
        "random deletion": [(50, 50), (100, 50)],
        "original": [(50, 100), (100, 100)],
    }
    assert (band.lows, band.highs) == ([(50, 50), (100, 50)], [(50, 100), (100, 100)])
    assert lines(sure) == {f"{share}% of the ties": [(50, 100), (100, 75)] for share in (100, 50)}
    assert next(each.colour for each in sure.items if isinstance(each, Series)) == RISK


def test_the_best_of_several_attackers_who_know_as_much_is_shown() -> None:
    """A matcher of somebody's own may find fewer: her line has one point for each share of ties."""
    audit = RUN["report"]["audit"]
    worse = [{**row, "found": 1.0} for row in audit["matching"]]
    run = {**RUN, "report": {**RUN["report"], "audit": {"matching": audit["matching"] + worse}}}

    assert PICTURES["matching"].charts(run) == charts("matching")


def test_pictures_without_numbers_are_left_out() -> None:
    """No curve, no step of the search, nobody to draw, one attacker alone."""
    nothing = {
        **RUN,
        "curve": [],
        "history": RUN["history"][:1],
        "report": {**RUN["report"], "drawing": {"nodes": []}},
    }
    nothing["report"]["audit"] = {"matching": RUN["report"]["audit"]["matching"][:1]}

    assert [name for name, picture in PICTURES.items() if picture.svg(nothing) is None] == [
        *("drawing", "curve", "matching", "convergence")
    ]
    assert all((picture.svg(RUN) or "").startswith("<svg") for picture in PICTURES.values())
