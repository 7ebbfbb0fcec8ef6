"""What makes one doubt that a file was read as it was meant: said as warnings, never a reason to refuse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from netveil.files.tables.coded_column import are_disjoint, are_known_digits, distinct
from netveil.files.tables.kinds import LOOKED_AT_FIRST, is_missing, kind_of_all
from netveil.files.tables.people import FIRST_SECOND_OF_TIMES
from netveil.network import Network
from netveil.reading import Reading
from netveil.words import counted

FEWEST_LINES = 20  # of a network in which these are odd at all
MANY_TIES = 1000  # for one person, where everybody else has one
MOST_REPEATS = 0.9  # of all lines
SHORTEST_TIME = len(str(FIRST_SECOND_OF_TIMES))


def odd_columns(columns: Sequence[Sequence[str]], names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """What is odd about columns that were taken for people; `labels` are those in them, each once."""
    # Labels are fewer than cells, and mostly of one kind.
    all_whole = all(map(are_known_digits, columns)) or kind_of_all(labels) == "whole number"
    kinds = ["whole number"] * 2 if all_whole else [kind_of_all(column) for column in columns]
    odd = [
        f"column {name} holds {kind}s, which were taken for people"
        for name, kind in zip(names, kinds, strict=True)
        if kind in ("date", "number")
    ]
    apart = len(labels) > FEWEST_LINES and are_disjoint(columns[0], columns[1])
    if not odd and apart and kinds[0] == kinds[1]:
        odd.append(
            f"nobody stands in both columns, {names[0]} and {names[1]}, as if they held different things"
        )
    if not odd and len(set(kinds)) > 1:
        told = " and ".join(f"column {name} {kind}s" for name, kind in zip(names, kinds, strict=True))
        odd.append(f"{told} hold different things, and both were taken for people")
    odd += [
        f"column {name} may hold times: nearly all its numbers are large and different"
        for name, column, kind in zip(names, columns, kinds, strict=True)
        if kind == "whole number" and _may_be_times(column)
    ]
    return odd


def _may_be_times(column: Sequence[str]) -> bool:
    if any(len(label) < SHORTEST_TIME for label in column[:LOOKED_AT_FIRST]):
        return False
    labels = distinct(column)
    if len(labels) <= FEWEST_LINES or len(labels) < MOST_REPEATS * len(column):
        return False
    return all(
        len(label) < 19 and not is_missing(label) and int(label) >= FIRST_SECOND_OF_TIMES for label in labels
    )


def odd_network(network: Network) -> list[str]:
    """What is odd about a network, whatever it was read from."""
    dropped = network.dropped
    lines = network.edge_count + dropped.self_loops + dropped.duplicates
    if lines < FEWEST_LINES:
        return []
    odd = []
    if network.node_count > lines:
        people = counted(network.node_count, "person", "people")
        odd.append(f"there are more people than ties: {people} in {counted(lines, 'line')}")
    if dropped.duplicates >= MOST_REPEATS * lines:
        odd.append(f"{counted(dropped.duplicates, 'tie')} of {lines:,} are repeats of others")
    ties = network.edge_count
    # Degrees take long to count, and a star has fewer ties than people.
    if MANY_TIES <= ties < network.node_count and int(network.degrees.max()) == ties:
        odd.append(f"one person has {ties:,} ties, and everybody else one or none")
    return odd


def accounted(network: Network, reading: Reading) -> Reading:
    """A reading with all that was dropped and all that is odd."""
    dropped = network.dropped
    left_out = {"self-loop": dropped.self_loops, "repeated tie": dropped.duplicates}
    return replace(
        reading,
        dropped=(*reading.dropped, *(counted(count, noun) for noun, count in left_out.items() if count)),
        oddities=(*reading.oddities, *odd_network(network)),
    )
