"""Tables of synthetic networks: every row stands for k people, and numbers of nodes decide nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from graphs import clustered, networks
from naive import triangles_by_networkx
from netveil.errors import FileError, SettingError
from netveil.network import Network
from netveil.progress import finished
from netveil.synthetic import RowTable, ceilings, drawing, make_table, read_table
from netveil.synthetic.grouping import _groups
from netveil.synthetic.row_table import table_texts

RING = clustered(nodes=120, edges=500)
BLOCKS = [node // 30 for node in range(120)]


def of(graph: nx.Graph[int]) -> Network:
    return Network.from_networkx(graph)


def check(network: Network, table: RowTable, row: np.ndarray[tuple[int], np.dtype[np.int64]]) -> None:
    """Compare a table with the network that it was made of, by slow and obvious means."""
    graph = network.to_networkx()
    assert table.people.min() >= table.k
    assert np.bincount(table.bin, table.people).min() >= table.k
    assert table.people.tolist() == np.bincount(row, minlength=table.row_count).tolist()
    assert table.node_count == network.node_count
    assert table.largest == max(len(part) for part in nx.connected_components(graph))
    communities = table.community[row]
    bins = table.bin[row]
    between, mixing = np.zeros_like(table.between), np.zeros_like(table.mixing)
    for u, v in network.edges.tolist():
        one, other = sorted((communities[u], communities[v]))
        between[one, other] += one != other
        one, other = sorted((bins[u], bins[v]))
        mixing[one, other] += 1
    assert np.array_equal(between, table.between)
    assert np.array_equal(mixing, table.mixing)
    assert (table.inside <= table.degree).all()
    assert (table.triangles <= table.degree * (table.degree - 1) // 2).all()


@given(networks(min_nodes=4, max_nodes=24), st.integers(2, 5), st.data())
@settings(max_examples=40)
def test_rows_are_of_k_and_equal_states_share_one(network: Network, k: int, data: st.DataObject) -> None:
    k = min(k, network.node_count // 2)
    given_communities = data.draw(
        st.lists(st.integers(0, 2), min_size=network.node_count, max_size=network.node_count)
    )
    table, row = make_table(network, k, communities=given_communities)

    check(network, table, row)
    community = table.community[row]
    triangles = triangles_by_networkx(network.to_networkx())
    row_of_state: dict[tuple[int, int, int, int], int] = {}
    for node in range(network.node_count):
        inside = int((community[network.neighbours(node)] == community[node]).sum())
        state = (int(community[node]), int(network.degrees[node]), inside, triangles[node])
        assert row_of_state.setdefault(state, int(row[node])) == row[node]


@given(st.permutations(range(120)))
@settings(max_examples=5)
def test_renumbering_changes_nothing(order: list[int]) -> None:
    """With communities given, a network with other numbers has an equal table and the rows go with people."""
    number = np.array(order)
    table, row = make_table(RING, 3, communities=BLOCKS)
    communities = np.empty(120, np.int64)
    communities[number] = BLOCKS

    other, other_row = make_table(RING.relabelled(number), 3, communities=communities)

    assert other == table
    assert other_row[number].tolist() == row.tolist()


def test_order_in_a_file_changes_nothing() -> None:
    """The same labels and ties in another order have the same communities, so the same table."""
    pairs = [(f"p{u}", f"p{v}") for u, v in RING.edges.tolist()]
    people = [f"p{node}" for node in range(120)]
    table, row = make_table(Network.from_edges(pairs, people), 4)
    turned = Network.from_edges([pair[::-1] for pair in reversed(pairs)], reversed(people))

    other, other_row = make_table(turned, 4)

    assert other == table
    assert dict(zip(turned.labels, other_row, strict=True)) == dict(zip(people, row, strict=True))
    assert len(table.between) > 1  # else Leiden would not have been asked


def test_sums_stay_near_those_of_the_network() -> None:
    """Rounding is made up for: sums of degrees and triangles are off by less than half a row a community."""
    table, _ = make_table(RING, 5)
    for values, rounded in (
        (RING.degrees, table.degree),
        (np.array(list(triangles_by_networkx(RING.to_networkx()).values())), table.triangles),
    ):
        off = abs(int(values.sum()) - int((rounded * table.people).sum()))
        assert off <= len(table.between) * (table.people.max() / 2)


def test_people_outside_the_largest_component_are_a_community() -> None:
    """They have no ties to others, so all of their ties are inside; the largest component is told."""
    graph = nx.disjoint_union_all([nx.karate_club_graph(), *(nx.complete_graph(3) for _ in range(4))])
    table, row = make_table(of(graph), 4)

    apart = table.community[row[34:]]
    assert len(set(apart.tolist())) == 1
    assert apart[0] not in table.community[row[:34]]
    assert table.largest == 34
    own = table.community == apart[0]
    assert (table.degree[own], table.inside[own], table.triangles[own]) == ([2], [2], [1])


def test_large_communities_are_cut_in_halves_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of k come out whether MDAV sees everybody or pieces; the pieces change some."""
    states = np.unique(np.random.default_rng(1).integers(0, 60, (400, 3)), axis=0)
    people = np.where(np.arange(len(states)) % 7 == 0, 4, 1)
    whole = _groups(states, people, 3)
    monkeypatch.setattr("netveil.synthetic.grouping.MOST_IN_MDAV", 20)

    cut = _groups(states, people, 3)

    for groups in (whole, cut):
        assert np.bincount(groups, people).min() >= 3
    assert whole.tolist() != cut.tolist()


EDGE_CASES = {
    "no ties": (nx.empty_graph(12), [(12, 0, 0)]),
    "complete": (nx.complete_graph(40), [(40, 39, 741)]),
    "a component of three": (nx.disjoint_union(nx.complete_graph(3), nx.empty_graph(9)), None),
    "star": (nx.star_graph(11), None),
}


@pytest.mark.parametrize(("graph", "rows"), EDGE_CASES.values(), ids=EDGE_CASES)
def test_edge_cases(graph: nx.Graph[int], rows: list[tuple[int, int, int]] | None) -> None:
    for k in (2, 5):
        table, row = make_table(of(graph), k)
        check(of(graph), table, row)
        network, wanted = finished(drawing(table, 1)), table.degree[table.row_of_node]
        assert network.node_count == len(graph) and (network.degrees <= wanted).all()
        assert wanted.sum() - network.degrees.sum() <= 1
        if rows is not None:
            assert list(zip(table.people, table.degree, table.triangles, strict=True)) == rows
            assert network.edge_count == graph.number_of_edges()


@pytest.mark.parametrize("k", [7, 1, 0, 2.5, True, "5"])
def test_k_has_bounds(k: object) -> None:
    with pytest.raises(SettingError, match=r"give (at most 6|a whole number, 2 or more)\."):
        make_table(of(nx.path_graph(12)), k)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="needs four people"):
        make_table(of(nx.path_graph(3)), 2)
    with pytest.raises(SettingError, match="3 are given for 120 nodes"):
        make_table(RING, 5, communities=[0, 1, 2])


def test_ceilings_are_those_of_the_tables() -> None:
    found = ceilings(RING, (2, 5, 10, 61))

    assert [each.k for each in found] == [2, 5, 10]
    for each in found:
        table, _ = make_table(RING, each.k)
        assert (each.rows, each.ceiling, each.smallest_row) == (
            table.row_count,
            table.ceiling,
            table.smallest_row,
        )
        assert each.ceiling == len(table.people) / 120 <= 1 / each.k


# The two files.


def write(table: RowTable, folder: Path) -> Path:
    for name, text in zip(("table.csv", "table-ties.csv"), table_texts(table), strict=True):
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def test_files_have_everything(tmp_path: Path) -> None:
    """A table that is read again is equal, with bounds below zero too; one that differs is not."""
    table = make_table(RING, 5, keep={"clustering": "5%", "assortativity": "50%"})[0]
    assert table.bounds["assortativity"][0] < 0

    read = read_table(write(table, tmp_path))

    assert read == table
    assert read != replace(table, largest=7) and read != replace(table, bounds={})


DAMAGES = {
    "header": ("table.csv", "community,people", "people,community"),
    "a letter": ("table.csv", "\n0,", "\nx,"),
    "below zero": ("table.csv", "\n0,", "\n-1,"),
    "too large": ("table.csv", "\n0,", "\n12345678901234567890,"),
    "a cell more": ("table.csv", "\n0,", "\n0,0,"),
    "communities": ("table.csv", "\n0,", "\n90,"),
    "a row twice": ("table.csv", "\n0,", "\n0,5,1,1,0,0\n0,5,1,1,0,0\n0,"),
    "what": ("table-ties.csv", "\nbins", "\nbin"),
    "k": ("table-ties.csv", "k,,,5", "k,,,6"),
    "no k": ("table-ties.csv", "k,,,5\n", ""),
    "largest": ("table-ties.csv", "largest,,,1", "largest,,,9991"),
    "no such bin": ("table-ties.csv", "\nbins,0,", "\nbins,77,"),
    "binary": ("table.csv", "\n0,", "\udcff"),
}


@pytest.mark.parametrize(("file", "before", "after"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_told(tmp_path: Path, file: str, before: str, after: str) -> None:
    place = write(make_table(RING, 5)[0], tmp_path) / file
    assert before in place.read_text()
    damaged = place.read_text().replace(before, after)
    place.write_bytes(damaged.encode("utf-8", "surrogateescape"))

    with pytest.raises(FileError, match=r"do not make a table \(.+\)\. Take the files as netveil wrote them"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("column", "value"),
    [("degree", 120), ("inside", 119), ("triangles", 9999), ("people", 2**31), ("bin", 99)],
)
def test_rows_that_cannot_be_are_told(tmp_path: Path, column: str, value: int) -> None:
    table = make_table(RING, 5)[0]
    values = getattr(table, column).copy()
    values[0] = value

    with pytest.raises(FileError, match="do not make a table"):
        read_table(write(replace(table, **{column: values}), tmp_path))


def test_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"table\.csv: No such file or directory\. Give the folder"):
        read_table(tmp_path)
