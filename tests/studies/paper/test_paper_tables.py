"""Every number of the tables against slow, straightforward computation from made-up runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from paper_rows import NETWORKS, made_up_rows, made_up_runs
from scipy import stats

from netveil.experiments import planned_network
from netveil.opening import load
from netveil.studies.paper.figures import runtime_table, utility_table
from netveil.studies.paper.published import (
    CONFIGURATIONS,
    FINAL,
    GENETIC,
    PAIRS,
    PAPER_ALGORITHMS,
    PROPERTIES,
    REDUCTIONS,
)
from netveil.studies.paper.runs import PaperRuns, Table
from netveil.studies.paper.tables import (
    about_test,
    configurations_table,
    differences,
    properties_of,
    properties_table,
    reductions_table,
    statements_table,
)
from netveil.studies.study import Spread

ROWS = made_up_rows()


def reductions(network: str, name: str) -> list[int]:
    """Of the runs of an algorithm, by its name in the plan."""
    return [
        row["unique_before"] - row["unique_after"]
        for row in ROWS
        if (row["network"], row["algorithm"]) == (network, name)
    ]


def best_name(network: str, algorithm: str) -> str:
    """The name of the configuration with the largest mean reduction."""
    if algorithm not in GENETIC:
        return algorithm
    names = [f"{algorithm}-{configuration}" for configuration in CONFIGURATIONS]
    return max(names, key=lambda name: float(np.mean(reductions(network, name))))


def shown(table: Table, *labels: str) -> dict[str, str]:
    """The texts of the row that begins with these labels, by column."""
    rows = [row for row in table.rows if tuple(cell.text for cell in row[: len(labels)]) == labels]
    assert len(rows) == 1
    return {column: cell.text for column, cell in zip(table.columns, rows[0], strict=True)}


def test_reductions_factors_and_marks() -> None:
    """Means of the best configuration, ratios of means, and scipy's p."""
    table = reductions_table(made_up_runs(), 5, "scope")
    records: dict[Any, Any] = {(record["network"], record["source"]): record for record in table.records}

    for network in NETWORKS:
        record = records[network, "netveil"]
        best = {
            algorithm: reductions(network, best_name(network, algorithm)) for algorithm in PAPER_ALGORITHMS
        }
        for algorithm, found in best.items():
            assert record[f"{algorithm}_reduction"] == pytest.approx(np.mean(found))
            assert record[f"{algorithm}_deviation"] == pytest.approx(np.std(found, ddof=1))
            assert record[f"{algorithm}_runs"] == 5
        for first, second in PAIRS:
            ratio = np.mean(best[second]) / np.mean(best[first])
            assert record[f"{first}_{second}_factor"] == pytest.approx(ratio)
            if len({*best[first], *best[second]}) == 10:  # scipy has no exact test with ties
                p = stats.mannwhitneyu(best[first], best[second], method="exact").pvalue
                assert record[f"{first}_{second}_p"] == pytest.approx(float(p))
            assert record[f"{first}_{second}_significant"] == (record[f"{first}_{second}_p"] < 0.05)
        published = records[network, "published"]
        assert [published[f"{each}_reduction"] for each in PAPER_ALGORITHMS] == list(
            REDUCTIONS[network].by.values()
        )
        assert published.keys() == record.keys()


def test_what_table_one_shows() -> None:
    """Rounded, with the configuration, and † where the difference may be chance; ours above the published."""
    table = reductions_table(made_up_runs(), 5, "scope")
    ours = shown(table, "GRQC collab.", "netveil")
    published = shown(table, "GRQC collab.", "published")

    name = best_name("grqc", "ga")
    found = reductions("grqc", name)
    assert ours["GA"] == f"{np.mean(found):.0f} ± {np.std(found, ddof=1):.0f} ({name[3:]})"
    assert "†" not in ours["ES vs. GA"] and "†" in ours["GA vs. UGA"]
    assert published == {
        "network": "GRQC collab.",
        "source": "published",
        "ES": "2",
        "UA": "0",
        "GA": "192",
        "UGA": "204",
        "ES vs. GA": "100.84",
        "ES vs. UGA": "107.16",
        "UA vs. GA": "–",
        "UA vs. UGA": "–",
        "GA vs. UGA": "1.06 †",
    }


def test_a_divisor_of_zero_and_missing_runs_are_dashes() -> None:
    """A baseline that anonymizes nobody has no factor; an algorithm without runs has no figure at all."""
    rows = [row for row in made_up_rows(5, ("grqc",)) if row["algorithm"] != "es"]
    for row in rows:
        if row["algorithm"] == "ua":
            row["unique_after"] = row["unique_before"]
    ours = shown(
        reductions_table(PaperRuns(rows, ("grqc",), CONFIGURATIONS), 5, "scope"), "GRQC collab.", "netveil"
    )

    assert (ours["ES"], ours["ES vs. GA"], ours["UA"], ours["UA vs. GA"]) == ("–", "–", "0 ± 0", "–")


@pytest.mark.parametrize(("seeds", "can"), [(2, False), (3, False), (4, True), (5, True)])
def test_the_note_says_what_the_test_can_show(seeds: int, can: bool) -> None:
    """With three seeds nothing can be significant, and the note says so and what to do."""
    assert ("nothing can be significant" in about_test(seeds)) is not can
    assert "rank-sum" in about_test(seeds)


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        (1, "With 1 run a side its p is always 1, so that nothing can be significant"),
        (2, "With 2 runs a side its p cannot be less than 0.33, so that nothing"),
        (5, "With 5 runs a side its p cannot be less than 0.0079."),
    ],
)
def test_how_the_note_puts_it(seeds: int, said: str) -> None:
    """One run is not "1 runs", and a bound from below is not "can be at least"."""
    assert said in about_test(seeds)


def test_configurations() -> None:
    """Means and deviations of each, the lowest in bold, the published ones below."""
    table = configurations_table(made_up_runs(), "scope")

    assert len(table.rows) == 2 * 2 * 5
    for row, labels in ((row, tuple(cell.text for cell in row[:3])) for row in table.rows):
        network = next(name for name in NETWORKS if labels[1].startswith(shown_title(name)))
        if labels[2] == "published":
            values = [float(mean) for mean, _ in FINAL[labels[0].lower(), network]]
        else:
            before = PROPERTIES[network].unique
            names = [f"{labels[0].lower()}-{each}" for each in CONFIGURATIONS]
            values = [before - float(np.mean(reductions(network, name))) for name in names]
        assert [cell.text.split(" ± ")[0] for cell in row[3:]] == [f"{value:,.0f}" for value in values]
        assert [cell.bold for cell in row[3:]] == [math.isclose(value, min(values)) for value in values]


def shown_title(network: str) -> str:
    """The paper's name of a network, as tables show it."""
    from netveil.studies.paper.published import title_of

    return title_of(network)


def test_differences_beyond_two_deviations() -> None:
    """Exactly those, and the sentence says which way."""
    runs = made_up_runs()
    found = {difference.what: difference for difference in differences(runs)}

    expected = 0
    for (algorithm, network), values in FINAL.items():
        for configuration, (mean, deviation) in zip(CONFIGURATIONS, values, strict=True):
            left = runs.group(network, algorithm, configuration).left
            far = bool(abs(np.mean(left) - mean) > 2 * max(float(np.std(left, ddof=1)), deviation))
            what = f"{algorithm.upper()} {configuration} on {shown_title(network)}, unique nodes left"
            assert (what in found) == far
            if far:
                expected += 1
                word = "better" if np.mean(left) < mean else "worse"
                assert f"published: {word} by " in found[what].sentence
    assert len(found) == expected > 0


def test_utility_and_runtime() -> None:
    """Means and deviations over the runs of Table 1's configuration, relative where the paper has it so."""
    runs = made_up_runs()
    utility: dict[Any, Any] = {
        (record["network"], record["algorithm"], record["metric"]): record
        for record in utility_table(runs, "scope").records
    }
    seconds: dict[Any, Any] = {
        (record["network"], record["algorithm"]): record for record in runtime_table(runs, "scope").records
    }

    assert len(utility) == 5 * 4 * 6 and len(seconds) == 5 * 4
    for network in NETWORKS:
        for algorithm in PAPER_ALGORITHMS:
            name = best_name(network, algorithm)
            rows = [row for row in ROWS if (row["network"], row["algorithm"]) == (network, name)]
            by_hand = {
                "edges_deleted": [100 * row["deleted_share"] for row in rows],
                "clustering": [100 * row["clustering_change"] / row["clustering_before"] for row in rows],
                "path_length": [100 * row["path_length_change"] / row["path_length_before"] for row in rows],
                "lcc": [100 * row["lcc_change"] for row in rows],
                "centrality": [row["centrality_score"] for row in rows],
                "communities": [row["communities_score"] for row in rows],
            }
            for metric, values in by_hand.items():
                record = utility[network, algorithm, metric]
                assert record["mean"] == pytest.approx(np.mean(values))
                assert record["deviation"] == pytest.approx(np.std(values, ddof=1))
            times = [row["seconds"] for row in rows]
            assert seconds[network, algorithm]["mean_seconds"] == pytest.approx(np.mean(times))
            assert seconds[network, algorithm]["deviation"] == pytest.approx(np.std(times, ddof=1))


def test_statements() -> None:
    """The numbers of the paper's text, by hand."""
    runs = made_up_runs()
    said = {row[0].text: row[2].text for row in statements_table(runs, "scope").rows}
    most = max(float(np.mean(reductions(network, each))) for network in NETWORKS for each in ("es", "ua"))
    factors = {
        (network, each): np.mean(reductions(network, best_name(network, each)))
        / np.mean(reductions(network, "ua"))
        for network in NETWORKS
        for each in GENETIC
    }
    as_there = [times for (network, _), times in factors.items() if network != "grqc"]
    everywhere = list(factors.values())

    assert said["Most unique nodes that a baseline anonymizes, on any network"] == f"{most:,.0f}"
    assert {what.split(" than UA, ")[1]: text for what, text in said.items() if " than UA, " in what} == {
        "on average, without GRQC collab., as in the paper": f"{np.mean(as_there):,.1f} times",
        "on average over all networks where UA anonymizes any": f"{np.mean(everywhere):,.1f} times",
    }


def test_statements_on_grqc_alone() -> None:
    """What the paper leaves out is not compared with it, and no network is left."""
    rows = statements_table(made_up_runs(networks=("grqc",)), "scope").rows
    there, everywhere = ([cell.text for cell in row[1:]] for row in rows if "than UA" in row[0].text)

    assert there == ["over 14", "–"]
    assert everywhere[0] == "–" and everywhere[1].endswith(" times")


def test_properties_of_a_network_known_by_hand() -> None:
    """The karate club: 34 people, 78 ties; a table without published figures has our row only."""
    found = properties_of(planned_network("karate", load("karate")))
    table = properties_table({"karate": found, "grqc": PROPERTIES["grqc"]}, "scope")

    assert (found.nodes, found.edges, found.diameter, found.lcc) == (34, 78, 5, 1.0)
    assert found.average_degree == pytest.approx(2 * 78 / 34)
    assert found.path_length == pytest.approx(2.4082, abs=1e-4)
    assert found.uniqueness == found.unique / 34
    assert [row[1].text for row in table.rows] == ["netveil", "netveil", "published"]


def test_spread_of_one_and_of_none() -> None:
    """One run has a mean and no deviation; none has neither."""
    assert Spread.of([]) is None and Spread.of([None]) is None
    one = Spread.of([3.0, None])
    assert one is not None and (one.text(), one.deviation) == ("3", None)
