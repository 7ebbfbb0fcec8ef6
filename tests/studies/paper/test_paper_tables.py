"""Every number of the paper's tables against slow, straightforward computation from made-up runs.

The rank-sum test is held against scipy where there are no ties, and against all ways to deal values out.
Formats: Markdown keeps its columns, LaTeX is balanced, CSV has all digits.
"""

from __future__ import annotations

import csv
import io
import math
import re
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st
from paper_rows import NETWORKS, made_up_rows, made_up_runs

from netveil.opening import load
from netveil.studies import planned_network
from netveil.studies.paper import paper_tables as made, published
from netveil.studies.paper.reproduction import Section, rendered
from netveil.studies.tables import Cell, Table, comma_separated, latex, markdown

ROWS = made_up_rows()


def reductions(network: str, name: str) -> list[int]:
    """Of the runs of an algorithm, by its name in the plan."""
    return [
        row["unique_before"] - row["unique_after"]
        for row in ROWS
        if (row["network"], row["algorithm"]) == (network, name)
    ]


def best_name(network: str, algorithm: str, source: str = published.OURS) -> str:
    """The name of the configuration with the largest mean reduction."""
    if algorithm not in published.GENETIC:
        return algorithm
    names = [f"{algorithm}-{published.SOURCES[source]}{each}" for each in published.CONFIGURATIONS]
    return max(names, key=lambda name: float(np.mean(reductions(network, name))))


def shown(table: Table, *labels: str) -> dict[str, str]:
    """The texts of the row that begins with these labels, by column."""
    rows = [row for row in table.rows if tuple(cell.text for cell in row[: len(labels)]) == labels]
    assert len(rows) == 1
    return {column: cell.text for column, cell in zip(table.columns, rows[0], strict=True)}


@pytest.mark.thorough
def test_reductions_factors_and_marks() -> None:
    """Means of the best configuration, ratios of means, and scipy's p."""
    table = made.reductions_table(made_up_runs(), 5, "scope")
    records: dict[Any, Any] = {(record["network"], record["source"]): record for record in table.records}

    for network, source in product(NETWORKS, published.SOURCES):
        record = records[network, source]
        best = {
            algorithm: reductions(network, best_name(network, algorithm, source))
            for algorithm in published.PAPER_ALGORITHMS
        }
        for algorithm, found in best.items():
            assert record[f"{algorithm}_reduction"] == pytest.approx(np.mean(found))
            assert record[f"{algorithm}_deviation"] == pytest.approx(np.std(found, ddof=1))
            assert record[f"{algorithm}_runs"] == 5
        for first, second in published.PAIRS:
            ratio = np.mean(best[second]) / np.mean(best[first])
            assert record[f"{first}_{second}_factor"] == pytest.approx(ratio)
            if len({*best[first], *best[second]}) == 10:  # scipy has no exact test with ties
                p = scipy.stats.mannwhitneyu(best[first], best[second], method="exact").pvalue
                assert record[f"{first}_{second}_p"] == pytest.approx(float(p))
            assert record[f"{first}_{second}_significant"] == (record[f"{first}_{second}_p"] < 0.05)
        theirs = records[network, "published"]
        assert [theirs[f"{each}_reduction"] for each in published.PAPER_ALGORITHMS] == list(
            published.REDUCTIONS[network].by.values()
        )
        assert theirs.keys() == record.keys()


def test_what_table_one_shows() -> None:
    """Rounded, with the configuration, and † where the difference may be chance; ours above the published."""
    table = made.reductions_table(made_up_runs(), 5, "scope")
    ours = shown(table, "GRQC collab.", "netveil")
    theirs = shown(table, "GRQC collab.", "published")

    name = best_name("grqc", "ga")
    found = reductions("grqc", name)
    assert ours["GA"] == f"{np.mean(found):.0f} ± {np.std(found, ddof=1):.0f} ({name[3:]})"
    assert "†" not in ours["ES vs. GA"] and "†" in ours["GA vs. UGA"]
    assert theirs == {
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
        made.reductions_table(made.PaperRuns(rows, ("grqc",), published.CONFIGURATIONS), 5, "scope"),
        "GRQC collab.",
        "netveil",
    )

    assert (ours["ES"], ours["ES vs. GA"], ours["UA"], ours["UA vs. GA"]) == ("–", "–", "0 ± 0", "–")


@pytest.mark.parametrize(
    ("seeds", "said"),
    [
        (1, "With 1 run a side its p is always 1, so that nothing can be significant: ask for 4 seeds"),
        (2, "With 2 runs a side its p cannot be less than 0.33, so that nothing can be significant"),
        (3, "With 3 runs a side its p cannot be less than 0.1, so that nothing can be significant"),
        (4, "With 4 runs a side its p cannot be less than 0.029."),
        (5, "With 5 runs a side its p cannot be less than 0.0079."),
    ],
)
def test_the_note_says_what_the_test_can_show(seeds: int, said: str) -> None:
    """With three seeds nothing can be significant, and the note says so and what to do."""
    assert said in made.about_test(seeds) and "rank-sum" in made.about_test(seeds)
    assert ("nothing can be significant" in made.about_test(seeds)) is (seeds < 4)


def test_configurations() -> None:
    """Means and deviations of each, the lowest in bold, the published ones below."""
    table = made.configurations_table(made_up_runs(), "scope")

    assert len(table.rows) == 2 * 3 * 5
    for row, labels in ((row, tuple(cell.text for cell in row[:3])) for row in table.rows):
        network = next(name for name in NETWORKS if labels[1].startswith(published.title_of(name)))
        if labels[2] == "published":
            values = [float(mean) for mean, _ in published.FINAL[labels[0].lower(), network]]
        else:
            before = published.PROPERTIES[network].unique
            prefix = f"{labels[0].lower()}-{published.SOURCES[labels[2]]}"
            names = [prefix + each for each in published.CONFIGURATIONS]
            values = [before - float(np.mean(reductions(network, name))) for name in names]
        assert [cell.text.split(" ± ")[0] for cell in row[3:]] == [f"{value:,.0f}" for value in values]
        assert [cell.bold for cell in row[3:]] == [math.isclose(value, min(values)) for value in values]


def test_differences_beyond_two_deviations() -> None:
    """Exactly those, and the sentence says which way."""
    runs = made_up_runs()
    found = {what: rest for what, _, rest in (each.partition(": ") for each in made.differences(runs, []))}

    expected = 0
    sources = ((runs, ""), (runs.faithful, "faithful-"))
    for ((algorithm, network), values), (of, prefix) in product(published.FINAL.items(), sources):
        for name, (mean, deviation) in zip(published.CONFIGURATIONS, values, strict=True):
            left, configuration = of.group(network, algorithm, name).left, prefix + name
            far = bool(abs(np.mean(left) - mean) > 2 * max(float(np.std(left, ddof=1)), deviation))
            what = f"{algorithm.upper()} {configuration} on {published.title_of(network)}, unique nodes left"
            assert (what in found) == far
            if far:
                expected += 1
                word = "better" if np.mean(left) < mean else "worse"
                assert f"published: {word} by " in found[what]
    assert len(found) == expected > 0


def test_utility_and_runtime() -> None:
    """Means and deviations over the runs of Table 1's configuration, relative where the paper has it so."""
    runs = made_up_runs()
    utility: dict[Any, Any] = {
        (record["network"], record["algorithm"], record["source"], record["metric"]): record
        for record in made.utility_table(runs, "scope").records
    }
    seconds: dict[Any, Any] = {
        (record["network"], record["algorithm"], record["source"]): record
        for record in made.runtime_table(runs, "scope").records
    }

    contenders = [(each, "netveil") for each in published.PAPER_ALGORITHMS]
    contenders += [(each, "faithful") for each in published.GENETIC]
    assert len(utility) == 5 * 6 * 6 and len(seconds) == 5 * 6
    for network in NETWORKS:
        for algorithm, source in contenders:
            name = best_name(network, algorithm, source)
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
                record = utility[network, algorithm, source, metric]
                assert record["mean"] == pytest.approx(np.mean(values))
                assert record["deviation"] == pytest.approx(np.std(values, ddof=1))
            times = [row["seconds"] for row in rows]
            record = seconds[network, algorithm, source]
            assert record["mean_seconds"] == pytest.approx(np.mean(times))
            assert record["deviation"] == pytest.approx(np.std(times, ddof=1))


def test_statements() -> None:
    """The numbers of the paper's text, by hand."""
    runs = made_up_runs()
    said = {row[0].text: row[2].text for row in made.statements_table(runs, "scope").rows}
    most = max(float(np.mean(reductions(network, each))) for network in NETWORKS for each in ("es", "ua"))
    factors = {
        (network, each): np.mean(reductions(network, best_name(network, each)))
        / np.mean(reductions(network, "ua"))
        for network in NETWORKS
        for each in published.GENETIC
    }
    as_there = [times for (network, _), times in factors.items() if network != "grqc"]
    everywhere = list(factors.values())

    assert said["Most unique nodes that a baseline anonymizes, on any network"] == f"{most:,.0f}"
    assert {what.split(" than UA, ")[1]: text for what, text in said.items() if " than UA, " in what} == {
        "on average, without GRQC collab., as in the paper": f"{np.mean(as_there):,.1f} times",
        "on average over all networks where UA anonymizes any": f"{np.mean(everywhere):,.1f} times",
    }


def test_properties_of_a_network_known_by_hand() -> None:
    """The karate club: 34 people, 78 ties; a table without published figures has our row only."""
    found = made.properties_of(planned_network("karate", load("karate")))
    table = made.properties_table({"karate": found, "grqc": published.PROPERTIES["grqc"]}, "scope")

    assert (found.nodes, found.edges, found.diameter, found.lcc) == (34, 78, 5, 1.0)
    assert found.average_degree == pytest.approx(2 * 78 / 34)
    assert found.path_length == pytest.approx(2.4082, abs=1e-4)
    assert found.uniqueness == found.unique / 34
    assert [row[1].text for row in table.rows] == ["netveil", "netveil", "published"]


def two_runs_of_es(folder: Path) -> made.PaperRuns:
    """Two runs of ES on GRQC with their traces; the lowest values lie at different steps."""
    rows = [row for row in made_up_rows(2, ("grqc",)) if row["algorithm"] == "es"]
    for row, trace, lowest in zip(rows, ([285, 270, 280], [285, 282, 268]), (270, 268), strict=True):
        row["unique_after"] = lowest
        place = folder / "runs" / row["run"]
        place.mkdir(parents=True)
        lines = ["seconds,step,evaluations,objective,at_risk,deleted"]
        lines += [f"0.1,{step},{step},0,{at_risk},0" for step, at_risk in enumerate(trace)]
        (place / "trace.csv").write_text("\n".join(lines) + "\n")
    return made.PaperRuns(rows, ("grqc",), published.CONFIGURATIONS)


def test_baselines_in_two_ways(tmp_path: Path) -> None:
    """The mean of each run's lowest value, and the lowest mean over steps."""
    table = made.baselines_table(made.baselines_of(two_runs_of_es(tmp_path), tmp_path), "scope")

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
    found = made.baselines_of(runs, tmp_path)

    assert found[0].lowest_of_means is None
    assert [cell.text for cell in made.baselines_table(found, "scope").rows[0]][2:] == [
        "16.0 ± 1.4",
        "–",
        "2",
    ]


values = st.lists(st.integers(0, 6), min_size=1, max_size=5)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=40, unique=True), st.data())
def test_without_ties_it_is_scipys_exact_test(numbers: list[int], data: st.DataObject) -> None:
    """For any two groups, of different sizes too."""
    cut = data.draw(st.integers(1, len(numbers) - 1))
    first, second = numbers[:cut], numbers[cut:]

    expected = scipy.stats.mannwhitneyu(first, second, method="exact").pvalue

    assert made.rank_sum_p(first, second) == pytest.approx(float(expected), rel=1e-9)


@given(values, values)
def test_with_ties_it_counts_all_ways_to_deal_the_values_out(first: list[int], second: list[int]) -> None:
    """The slow twin: every choice of as many values as the first group has, by its sum of mean ranks."""
    ranks = scipy.stats.rankdata([*first, *second])
    found = sum(ranks[: len(first)])
    sums = [sum(chosen) for chosen in combinations(ranks, len(first))]
    lower = sum(total <= found for total in sums) / len(sums)
    higher = sum(total >= found for total in sums) / len(sums)

    assert made.rank_sum_p(first, second) == pytest.approx(min(1.0, 2 * min(lower, higher)))
    assert made.rank_sum_p(first, second) == pytest.approx(made.rank_sum_p(second, first))


@pytest.mark.parametrize("runs", range(1, 8))
def test_the_smallest_p_is_that_of_groups_apart(runs: int) -> None:
    """No two groups differ more than those without overlap; it takes four runs to reach 5%."""
    apart = made.rank_sum_p(list(range(runs)), list(range(100, 100 + runs)))

    assert made.smallest_p(runs, runs) == apart
    assert (apart < made.LEVEL) == (runs >= 4)


NASTY = r"50% & more_of #1 {x} $y$ \z ~ ^ | < > ± † – μ + λ *"
RUNS = made_up_runs()
TABLES = [
    Table(
        "nasty",
        NASTY,
        NASTY,
        (NASTY, "number"),
        ((Cell(NASTY), Cell("1", bold=True)),),
        ({"text": NASTY, "number": 1 / 3},),
    ),
    made.configurations_table(RUNS, "scope"),
    made.reductions_table(RUNS, 5, "scope"),
    made.runtime_table(RUNS, "scope"),
    made.statements_table(RUNS, "scope"),
    made.utility_table(RUNS, "scope"),
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


@every_table
def test_latex_is_balanced_and_every_row_has_its_cells(table: Table) -> None:
    """Braces close, environments end, rows have one & fewer than columns, and nothing is left unescaped."""
    text = latex(table)
    plain = text.replace(r"\{", "").replace(r"\}", "")
    depth = 0
    for character in plain:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    begun, ended = (re.findall(rf"\\{word}{{([\w*]+)}}", text) for word in ("begin", "end"))

    assert depth == 0
    assert begun == list(reversed(ended))
    assert len(rows) == 1 + len(table.rows)
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == len(table.columns) - 1
        assert len(re.findall(r"(?<!\\)\$", row)) % 2 == 0
        assert not re.search(r"(?<!\\)[%#_~^|]", row)
    specification = re.search(r"begin{tabular}{@{}(\w+)@{}}", text)
    assert specification and len(specification[1]) == len(table.columns)
    assert text.isascii() or not set(text) & set("±†–×μλ|")


@every_table
def test_other_formats_keep_all_cells(table: Table) -> None:
    """Markdown has as many cells a line as columns, HTML all cells, CSV the numbers as Python writes them."""
    lines = [line for line in markdown(table).splitlines() if line.startswith("| ")]
    shown = rendered([Section("all", [table])], scope="", quick=False, warnings=[], command="", machine="")
    html = shown[shown.index("<tbody>") :]
    read = list(csv.DictReader(io.StringIO(comma_separated(table))))

    assert len(lines) == 2 + len(table.rows)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(table.columns) + 1}
    assert html.count("<td>") + html.count('<th scope="row">') == len(table.rows) * len(table.columns)
    assert "< " not in html
    assert read == [
        {key: "" if value is None else str(value) for key, value in row.items()} for row in table.records
    ]
    if table.name == "nasty":
        assert "**1**" in markdown(table) and "<strong>1</strong>" in html
        assert r"\textbf{1}" in latex(table)
