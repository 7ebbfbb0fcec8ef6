"""The published figures are transcribed right: every number is compared with the paper's LaTeX."""

from __future__ import annotations

import re

import pytest
from paper_rows import SHARED_PAPER

from netveil.studies.paper_tables import (
    FACTORS,
    FINAL,
    GA_EQUALS_UGA,
    PAIRS,
    PAPER_ALGORITHMS,
    PROPERTIES,
    REDUCTIONS,
    TITLES,
)

needs_paper = pytest.mark.skipif(
    not SHARED_PAPER.is_dir(), reason="reads ../shared/paper, on the project's machines only"
)

Body = list[list[str]]


def body_of(label: str) -> Body:
    """The rows of the table with this label that hold cells, split into cells, commands apart."""
    text = next(SHARED_PAPER.glob("*.txt")).read_text(encoding="utf-8")
    rest = text[text.index(f"\\label{{{label}}}") :]
    inside = rest[: rest.index("\\end{table")]
    return [[cell.strip() for cell in line.split("&")] for line in inside.split("\\\\") if "&" in line]


def rows_of_networks(label: str) -> list[tuple[str, list[str]]]:
    """(our name of the network, cells) for each row that begins with a network of the paper."""
    found = []
    for cells in body_of(label):
        names = [name for name, title in TITLES.items() if f"{title}~" in cells[0] or f"{title} " in cells[0]]
        if names:
            found.append((names[0], cells[1:]))
    return found


def number(cell: str) -> float:
    """The number in a cell, whatever commands stand around it."""
    found = re.search(r"\d[\d,]*(\.\d+)?", cell)
    assert found, cell
    return float(found[0].replace(",", ""))


@needs_paper
def test_table_one() -> None:
    """Nodes to unique nodes, reductions, factors and marks of all five networks."""
    rows = rows_of_networks("tab:combined")

    assert [name for name, _ in rows] == list(PROPERTIES) == list(REDUCTIONS) == list(TITLES)
    for name, cells in rows:
        assert tuple(map(number, cells[:9])) == PROPERTIES[name]
        assert tuple(map(number, cells[9:13])) == REDUCTIONS[name]
        assert tuple(None if cell == "-" else number(cell) for cell in cells[13:]) == FACTORS[name]
        marked = [pair for pair, cell in zip(PAIRS, cells[13:], strict=True) if "dag" in cell]
        assert marked == list(PAIRS[-1:]) * (name in GA_EQUALS_UGA)


@needs_paper
def test_the_four_configurations() -> None:
    """Means and deviations of GA, then of UGA, and the bold ones are the lowest."""
    rows = rows_of_networks("tab:top4")

    assert [name for name, _ in rows] == [network for _, network in FINAL]
    for (name, cells), (key, published) in zip(rows, FINAL.items(), strict=True):
        assert name == key[1]
        numbers = [number(cell) for cell in cells]
        assert list(zip(numbers[::2], numbers[1::2], strict=True)) == [
            (float(mean), float(deviation)) for mean, deviation in published
        ]
        bold = [number(cell) for cell in cells if "textbf" in cell]
        assert bold == [min(mean for mean, _ in published)]


def test_published_factors_are_ratios_of_published_reductions() -> None:
    """Up to rounding: reductions are printed as whole numbers. One factor is printed as 0.9, not 0.99."""
    for network, printed in REDUCTIONS.items():
        by = dict(zip(PAPER_ALGORITHMS, printed, strict=True))
        for (first, second), times in zip(PAIRS, FACTORS[network], strict=True):
            if (network, first, second) == ("blogs", "ga", "uga"):
                assert (times, round(by[second] / by[first], 2)) == (0.9, 0.99)
            elif times is None:
                assert by[first] == 0
            elif by[first] > 5:
                assert times == pytest.approx(by[second] / by[first], rel=0.06)


def test_published_reductions_are_those_of_the_best_configuration() -> None:
    """What Table 1 reports of GA and UGA is the lowest mean of the appendix, up to rounding."""
    for (algorithm, network), values in FINAL.items():
        best = min(mean for mean, _ in values)
        reduction = REDUCTIONS[network][PAPER_ALGORITHMS.index(algorithm)]
        assert abs(PROPERTIES[network][-1] - best - reduction) <= 1
