"""Rows that are so densely tied that their ties can be told, and how to hide them.

A table hides who of a row is who, not how dense two rows are tied: if all of one are tied to all of the
other, everybody of both is known to be. A larger k does not mend that, as cliques are larger. Rows that are
merged with sparser ones do. Only a table and a network drawn from it are seen here, so that the guarantee of
the table holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from netveil.network import Network
from netveil.synthetic.row_table import Counts, RowTable

DENSE = 0.5  # of all pairs of two rows: so many tied, and both are merged with others
WEIGHTS = (1.0, 0.5, 0.5)  # of degree, inside and triangles, as logarithms, when rows are compared


class TiedRows(NamedTuple):
    """Pairs of rows that have ties, by ascending keys: one * rows + other."""

    keys: Counts  # (t)
    ties: Counts  # (t)
    pairs: Counts  # (t): of people


def tied_rows(network: Network, row_of_node: Counts) -> TiedRows:
    """Count ties and pairs of people for each pair of rows that has ties."""
    people = np.bincount(row_of_node)
    ends = np.sort(row_of_node[network.edges], axis=1).astype(np.int64)
    keys, ties = np.unique(ends[:, 0] * len(people) + ends[:, 1], return_counts=True)
    one, other = np.divmod(keys, max(len(people), 1))
    pairs = np.where(one == other, people[one] * (people[one] - 1) // 2, people[one] * people[other])
    return TiedRows(keys, ties, pairs)


def hide_dense(table: RowTable, drawn: Network, dense: float = DENSE) -> tuple[RowTable, Counts]:
    """Merge rows that are densely tied in a network drawn from the table with the nearest sparser ones.

    Returns the table, and the new row of each row; the network is to be drawn anew. Rows merge inside their
    communities: one that is a single clique stays as it is.
    """
    tied = tied_rows(drawn, table.row_of_node)
    found = np.concatenate(np.divmod(tied.keys[tied.ties >= dense * tied.pairs], max(table.row_count, 1)))
    is_dense = np.zeros(table.row_count, dtype=bool)
    is_dense[found] = True
    group = _merged_with(table, is_dense)
    states = np.column_stack((table.degree, table.inside, table.triangles))
    size = np.bincount(group, table.people, table.row_count)
    sums = [np.bincount(group, column * table.people, table.row_count) for column in states.T]
    degree, inside, triangles = (
        np.rint(total / np.maximum(size, 1)).astype(np.int64)[group] for total in sums
    )
    inside = np.minimum(inside, degree)
    triangles = np.minimum(triangles, degree * (degree - 1) // 2)
    keys, row_of_row = np.unique(
        np.column_stack((table.community, degree, inside, triangles)), axis=0, return_inverse=True
    )
    row_of_row = row_of_row.ravel()
    community, degree, inside, triangles = np.ascontiguousarray(keys.T)
    bins, mixing = _bins_again(table, degree)
    people = np.bincount(row_of_row, table.people, len(keys)).astype(np.int64)
    merged = replace(table, community=community, people=people, degree=degree, inside=inside)
    return replace(merged, triangles=triangles, bin=bins, mixing=mixing), row_of_row


def _merged_with(table: RowTable, is_dense: np.ndarray) -> Counts:
    """Group of each row: a dense one has the number of the sparse row of its community that is nearest."""
    places = np.log1p(np.column_stack((table.degree, table.inside, table.triangles))) * WEIGHTS
    group = np.arange(table.row_count)
    for row in np.flatnonzero(is_dense):
        sparse = np.flatnonzero((table.community == table.community[row]) & ~is_dense)
        if len(sparse):
            group[row] = sparse[((places[sparse] - places[row]) ** 2).sum(axis=1).argmin()]
    return group


def _bins_again(table: RowTable, degree: Counts) -> tuple[Counts, Counts]:
    """Bin of each row by its new degree, and edges between bins; a bin that is empty now joins the next."""
    order = np.argsort(table.degree, kind="stable")
    place = np.searchsorted(table.degree[order], degree)
    bins = table.bin[order][np.minimum(place, max(len(order) - 1, 0))]
    left, new = np.unique(bins, return_inverse=True)
    into = np.minimum(np.searchsorted(left, np.arange(len(table.mixing))), max(len(left) - 1, 0))
    mixing = np.zeros((len(left), len(left)), np.int64)
    one, other = np.nonzero(table.mixing)
    np.add.at(mixing, (into[one], into[other]), table.mixing[one, other])
    return new.ravel(), mixing
