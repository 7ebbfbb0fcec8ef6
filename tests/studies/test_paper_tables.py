"""Every number of the paper's tables against slow, straightforward computation from made-up runs.

The rank-sum test is held against scipy where there are no ties, and against all ways to deal values out.
Formats: Markdown keeps its columns, LaTeX is balanced, CSV has all digits. Published figures are those of the
paper's LaTeX.
"""

from __future__ import annotations

import csv
import io
import math
import re
from itertools import combinations, product
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st
from paper_rows import NETWORKS, SHARED_PAPER, made_up_rows, made_up_runs

from netveil.opening import load
from netveil.studies import paper_tables as made, planned_network
from netveil.studies.paper import rendered
from netveil.studies.tables import Cell, Table

ROWS = made_up_rows()
RUNS = made_up_runs()


def runs_of(network: str, algorithm: str, source: str = made.OURS) -> tuple[str, list[dict[str, Any]]]:
    """Name and runs of the configuration with the fewest unique nodes left."""
    names = [algorithm]
    if algorithm in made.GENETIC:
        names = [f"{algorithm}-{made.SOURCES[source]}{each}" for each in made.CONFIGURATIONS]
    found = {
        name: [row for row in ROWS if (row["network"], row["algorithm"]) == (network, name)] for name in names
    }
    best = min(found, key=lambda name: float(np.mean([row["unique_after"] for row in found[name]])))
    return best, found[best]


def reductions(network: str, algorithm: str, source: str = made.OURS) -> list[int]:
    """Fewer unique nodes by each of these runs."""
    return [row["unique_before"] - row["unique_after"] for row in runs_of(network, algorithm, source)[1]]


def record_of(table: Table, *labels: str) -> dict[str, Any]:
    """The numbers of the row that begins with these labels."""
    (found,) = [each for each in table.records() if tuple(each.values())[: len(labels)] == labels]
    return found


def shown(table: Table, *labels: str) -> dict[str, str]:
    """The texts of the row that begins with these labels, by column."""
    (row,) = [row for row in table.rows if tuple(cell.text for cell in row[: len(labels)]) == labels]
    return {column: cell.text for column, cell in zip(table.columns, row, strict=True)}


def test_reductions_factors_and_marks() -> None:
    """Means of the best configuration, ratios of means, and scipy's p."""
    table = made.reductions_table(RUNS, 5, "scope")
    for network, source in product(NETWORKS, made.SOURCES):
        record = record_of(table, made.title_of(network), source)
        best = {each: reductions(network, each, source) for each in made.PAPER_ALGORITHMS}
        for algorithm, found in best.items():
            assert record[algorithm.upper()] == pytest.approx(np.mean(found))
            assert record[f"{algorithm.upper()} sd"] == pytest.approx(np.std(found, ddof=1))
            assert record[f"{algorithm.upper()} runs"] == 5
        for first, second in made.PAIRS:
            column = f"{first.upper()} vs. {second.upper()}"
            assert record[column] == pytest.approx(np.mean(best[second]) / np.mean(best[first]))
            p = record[f"{column} p"]
            if len({*best[first], *best[second]}) == 10:  # scipy's own exact test knows no ties
                exact = scipy.stats.mannwhitneyu(best[first], best[second], method="exact").pvalue
                assert p == pytest.approx(float(exact))
            assert ("†" in shown(table, made.title_of(network), source)[column]) == (p >= 0.05)


def test_what_table_one_shows() -> None:
    """Rounded, with the configuration, and † where the difference may be chance; ours above the published."""
    table = made.reductions_table(RUNS, 5, "scope")
    ours = shown(table, "GRQC collab.", "netveil")
    theirs = shown(table, "GRQC collab.", "published")

    name, found = runs_of("grqc", "ga")[0], reductions("grqc", "ga")
    assert ours["GA"] == f"{np.mean(found):.0f} ± {np.std(found, ddof=1):.0f} ({name[3:]})"
    assert "†" not in ours["ES vs. GA"] and "†" in ours["GA vs. UGA"]
    assert list(theirs.values())[2:] == [*("2", "0", "192", "204"), *("100.84", "107.16", "–", "–", "1.06 †")]


def test_a_divisor_of_zero_and_missing_runs_are_dashes() -> None:
    """A baseline that anonymizes nobody has no factor; an algorithm without runs has no figure at all."""
    rows = [row for row in made_up_rows(5, ("grqc",)) if row["algorithm"] != "es"]
    for row in rows:
        if row["algorithm"] == "ua":
            row["unique_after"] = row["unique_before"]
    runs = made.PaperRuns(rows, ("grqc",), made.CONFIGURATIONS)
    ours = shown(made.reductions_table(runs, 5, "scope"), "GRQC collab.", "netveil")

    assert (ours["ES"], ours["ES vs. GA"], ours["UA"], ours["UA vs. GA"]) == ("–", "–", "0 ± 0", "–")


@pytest.mark.parametrize(("seeds", "least"), [(1, "1,"), (3, "0.1,"), (4, "0.029."), (5, "0.0079.")])
def test_the_note_says_what_the_test_can_show(seeds: int, least: str) -> None:
    """With three seeds nothing can be significant, and the note says so and what to do."""
    said = made.about_test(seeds)
    apart = made.rank_sum_p(list(range(seeds)), list(range(100, 100 + seeds)))

    assert f"With {seeds} against {seeds} its p cannot be less than {least}" in said
    assert ("nothing can be significant: ask for 4 seeds" in said) is (seeds < 4) is (apart >= made.LEVEL)


def test_configurations() -> None:
    """Means of each, the lowest in bold, the published ones below."""
    table = made.configurations_table(RUNS, "scope")

    assert len(table.rows) == 2 * 3 * 5
    for algorithm, title, source, *cells in table.rows:
        name = algorithm.text.lower()
        network = next(each for each in NETWORKS if made.title_of(each) == title.text)
        if source.text == "published":
            values = [float(mean) for mean, _ in made.FINAL[name, network]]
        else:
            groups = [RUNS.group(network, name, source.text, each) for each in made.CONFIGURATIONS]
            values = [float(np.mean([row["unique_after"] for row in group.rows])) for group in groups]
        assert [cell.text.split(" ± ")[0] for cell in cells] == [f"{value:,.0f}" for value in values]
        assert [cell.bold for cell in cells] == [math.isclose(value, min(values)) for value in values]


def test_utility_and_runtime() -> None:
    """Means and deviations over the runs of Table 1's configuration, relative where the paper has it so."""
    table = made.numbers_table(RUNS, "scope")
    by_hand: list[Any] = [
        lambda row: 100 * row["deleted_share"],
        lambda row: 100 * row["clustering_change"] / row["clustering_before"],
        lambda row: 100 * row["path_length_change"] / row["path_length_before"],
        lambda row: 100 * row["lcc_change"],
        *(itemgetter(name) for name in ("centrality_score", "communities_score", "seconds")),
    ]

    assert len(table.rows) == 5 * 6
    for network, (algorithm, source) in product(NETWORKS, made.CONTENDERS):
        title = RUNS.best(network, algorithm, source).title
        record = record_of(table, made.title_of(network), title)
        for panel, value in zip(made.PANELS, by_hand, strict=True):
            values = list(map(value, runs_of(network, algorithm, source)[1]))
            assert record[panel.title] == pytest.approx(np.mean(values))
            assert record[f"{panel.title} sd"] == pytest.approx(np.std(values, ddof=1))


def test_properties_of_a_network_known_by_hand() -> None:
    """The karate club: 34 people, 78 ties; it has our row only."""
    table = made.properties_table([planned_network("karate", load("karate"))], "scope")
    (row,) = table.rows

    nodes, edges, degree, _, lcc, diameter, distance, uniqueness, unique = (cell.text for cell in row[2:])
    assert (nodes, edges, degree, lcc, diameter, distance) == ("34", "78", "4.59", "1.00", "5", "2.41")
    assert uniqueness == f"{int(unique) / 34:.2f}"


values = st.lists(st.integers(0, 6), min_size=2, max_size=5)


@given(values, values)
def test_the_rank_sum_test_counts_all_ways_to_deal_the_values_out(
    first: list[int], second: list[int]
) -> None:
    """The slow twin: every choice of as many values as the first group has, by its sum of mean ranks."""
    ranks = scipy.stats.rankdata([*first, *second])
    found = sum(ranks[: len(first)])
    sums = [sum(chosen) for chosen in combinations(ranks, len(first))]
    lower = sum(total <= found for total in sums) / len(sums)
    higher = sum(total >= found for total in sums) / len(sums)

    assert made.rank_sum_p(first, second) == pytest.approx(min(1.0, 2 * min(lower, higher)))


def test_many_runs_are_compared_approximately() -> None:
    """Twenty against twenty, which nobody counts through."""
    numbers = [float(each) for each in np.random.default_rng(1).normal(size=40)]
    exact = scipy.stats.mannwhitneyu(numbers[:20], numbers[20:], method="exact").pvalue

    assert made.rank_sum_p(numbers[:20], numbers[20:]) == pytest.approx(float(exact), abs=0.02)


NASTY = r"50% & more_of #1 {x} $y$ \z ~ ^ | < > ± † – *"
TABLES = [
    Table(
        *("nasty", NASTY, NASTY, "scope", (NASTY, "number")),
        [(Cell(NASTY), Cell("1", {"": 1 / 3, " p": None}, bold=True))],
        labels=1,
    ),
    made.configurations_table(RUNS, "scope"),
    made.reductions_table(RUNS, 5, "scope"),
    made.numbers_table(RUNS, "scope"),
]
every_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)


@every_table
def test_latex_is_balanced_and_every_row_has_its_cells(table: Table) -> None:
    """Braces close, environments end, rows have one & fewer than columns, and nothing is left unescaped."""
    text = table.latex()
    plain = text.replace(r"\{", "").replace(r"\}", "")
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    begun, ended = (re.findall(rf"\\{word}{{([\w*]+)}}", text) for word in ("begin", "end"))

    assert plain.count("{") == plain.count("}")
    assert begun == list(reversed(ended))
    assert len(rows) == 1 + len(table.rows)
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == len(table.columns) - 1
        assert len(re.findall(r"(?<!\\)\$", row)) % 2 == 0
        assert not re.search(r"(?<!\\)[%#_~^|]", row)
    specification = re.search(r"begin{tabular}{@{}(\w+)@{}}", text)
    assert specification and len(specification[1]) == len(table.columns)
    assert not set(text) & set("±†–×|")


@every_table
def test_other_formats_keep_all_cells(table: Table) -> None:
    """Markdown has as many cells a line as columns, HTML all cells, CSV the numbers as Python writes them."""
    lines = [line for line in table.markdown().splitlines() if line.startswith("| ")]
    page = rendered([table], scope="", quick=False, missing="", is_tuned=True, command="", machine="")
    html = page[page.index("<tbody>") :]
    read = list(csv.DictReader(io.StringIO(table.csv())))

    assert len(lines) == 2 + len(table.rows)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(table.columns) + 1}
    assert html.count("<td>") + html.count('<th scope="row">') == len(table.rows) * len(table.columns)
    assert "< " not in html
    for row, record in zip(read, table.records(), strict=True):
        assert {key: value for key, value in row.items() if value} == {
            key: str(value) for key, value in record.items() if value is not None
        }
    if table.name == "nasty":
        assert "**1**" in table.markdown() and "<strong>1</strong>" in html
        assert r"\textbf{1}" in table.latex()


# Published figures.


def printed(label: str) -> list[tuple[str, list[float]]]:
    """Network and numbers of each row of a table in the paper's LaTeX; a dagger is -1."""
    text = next(SHARED_PAPER.glob("*.txt")).read_text(encoding="utf-8").partition(f"\\label{{{label}}}")[2]
    found = []
    for row in text.partition("\\end{table")[0].split("\\\\"):
        first, *cells = row.rpartition("midrule\n")[2].strip().replace(",", "").split("&")
        numbers = [float(each) for cell in cells for each in re.findall(r"\d+\.?\d*", cell)[:1]]
        names = [name for name, title in made.TITLES.items() if first.startswith(title)]
        found += [(name, numbers + [-1] * ("dag" in cells[-1])) for name in names]
    return found


@pytest.mark.skipif(not SHARED_PAPER.is_dir(), reason="reads ../shared/paper, on the project's machines only")
def test_published_figures_are_transcribed_right() -> None:
    """Both halves of Table 1 with its marks, and the means and deviations of the four configurations."""
    dagger = {name: [-1] * (name in made.GA_EQUALS_UGA) for name in NETWORKS}
    assert printed("tab:combined") == [
        (
            name,
            [
                *made.PROPERTIES[name],
                *made.REDUCTIONS[name],
                *filter(None, made.FACTORS[name]),
                *dagger[name],
            ],
        )
        for name in made.TITLES
    ]
    assert printed("tab:top4") == [
        (network, [number for each in figures for number in each])
        for (_, network), figures in made.FINAL.items()
    ]


def test_published_figures_agree_with_each_other() -> None:
    """Up to rounding, factors are ratios of reductions (one is printed as 0.9, not 0.99).

    Reductions of GA and UGA are of the appendix's lowest mean.
    """
    for network, reductions in made.REDUCTIONS.items():
        by = dict(zip(made.PAPER_ALGORITHMS, reductions, strict=True))
        for (first, second), times in zip(made.PAIRS, made.FACTORS[network], strict=True):
            if (network, first, second) == ("blogs", "ga", "uga"):
                assert (times, round(by[second] / by[first], 2)) == (0.9, 0.99)
            elif times is None:
                assert by[first] == 0
            elif by[first] > 5:
                assert times == pytest.approx(by[second] / by[first], rel=0.06)
        for algorithm in made.GENETIC:
            best = min(mean for mean, _ in made.FINAL[algorithm, network])
            assert abs(made.PROPERTIES[network][-1] - best - by[algorithm]) <= 1
