"""From the states of parts to classes of nodes: a task for each partition of the states.

Equal states are in the same partition, whatever part they are from, so that a partition says by itself how
many nodes look alike. `figures` then tells each part about its nodes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from netveil.anonymity.fuzzy import bounds
from netveil.blocks.states import Part, put_states, rows_of_columns
from netveil.blocks.tasks import Place

CLASSES_OF_A_PARTITION = 1 << 32  # at most: classes of all partitions have numbers of their own


def find_classes(
    place: Place, attacker: str, parts: int, partition: int, width: int, threads: int = 1
) -> int:
    """How many classes the states of a partition make; one thread is enough.

    Puts `classes-…` and `sizes-…`, of each state, one part after the other, and `begins-…` (parts + 1), where
    those of each part begin. With `width`, all states are so long, and `all-…` are those of the partition,
    each once, with how many nodes have it behind.
    """
    from netveil.kernels.counting.multisets import classes_of_rows

    lengths, often, states, begins = [], [], [], [0]
    for part in range(parts):
        name = f"{attacker}-{part}"
        (first, last), (begin, end) = place.get(f"bounds-{name}")[:, partition : partition + 2].tolist()
        begins.append(begins[-1] + last - first)
        if first < last:
            lengths.append(np.array(place.get(f"lengths-{name}")[first:last], np.int64))
            often.append(np.array(place.get(f"often-{name}")[first:last], np.int64))
            states.append(np.array(place.get(f"states-{name}")[begin:end], np.int64))
    offsets = np.concatenate(([0], np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))))
    values = np.concatenate([np.zeros(0, np.int64), *states])
    del states
    class_of, classes = classes_of_rows(offsets, values)
    sizes = np.zeros(classes, np.int64)
    np.add.at(sizes, class_of, np.concatenate([np.zeros(0, np.int64), *often]))
    name = f"{attacker}-{partition}"
    place.put(f"begins-{name}", np.array(begins))
    place.put(f"classes-{name}", class_of)
    place.put(f"sizes-{name}", sizes[class_of])
    if width:
        distinct = np.empty((classes, width + 1), np.int64)
        distinct[class_of, :width] = values.reshape(-1, width)
        distinct[:, width] = sizes
        place.put(f"all-{name}", distinct)
    return classes


def sort_states(place: Place, attacker: str, partitions: int, width: int, threads: int = 1) -> None:
    """Put the states of all partitions, in ascending order, with how many nodes have each: `all-…`."""
    found = [np.array(place.get(f"all-{attacker}-{partition}"), np.int64) for partition in range(partitions)]
    every = np.concatenate(found)
    place.put(f"all-{attacker}", every[np.lexsort(every[:, width - 1 :: -1].T)])


def find_states_to_all(place: Place, part: Part, attackers: int, partitions: int, threads: int = 1) -> None:
    """Put the states of a part to all attackers together: to which class each of them assigns a node."""
    columns = []
    for attacker in map(str, range(attackers)):
        numbers = np.concatenate(
            [
                classes.astype(np.int64) + CLASSES_OF_A_PARTITION * partition
                for partition, classes in enumerate(_of_part(place, "classes", attacker, part, partitions))
            ]
        )
        columns.append(numbers[place.get(f"state-of-{attacker}-{part.number}")])
    put_states(place, "all", part, rows_of_columns(columns), partitions)


def lookalikes_in(
    place: Place, attacker: str, part: Part, partitions: int, fuzzy: Fraction | None, width: int
) -> NDArray[np.int64]:
    """How many look like each node of a part to an attacker, itself included."""
    state_of = place.get(f"state-of-{attacker}-{part.number}")
    if fuzzy is None:
        sizes = np.concatenate(_of_part(place, "sizes", attacker, part, partitions))
        alike: NDArray[np.int64] = sizes[state_of].astype(np.int64)
        return alike
    from netveil.kernels.counting.range_counts import counts_within

    states = np.array(place.get(f"states-{attacker}-{part.number}"), np.int64).reshape(-1, width)
    every = np.array(place.get(f"all-{attacker}"), np.int64)
    lowest, highest = bounds(_two_columns(states), fuzzy)
    counts = counts_within(lowest, highest, _two_columns(every[:, :width]), every[:, width].copy())
    similar: NDArray[np.int64] = counts[state_of]
    return similar


def _two_columns(states: NDArray[np.int64]) -> NDArray[np.int64]:
    """States with a second number, 0, where there is only one."""
    if states.shape[1] > 1:
        return np.ascontiguousarray(states)
    return np.column_stack((states[:, 0], np.zeros(len(states), np.int64)))


def _of_part(place: Place, what: str, attacker: str, part: Part, partitions: int) -> list[NDArray[Any]]:
    """What the partitions have found about the states of a part, in the order of these."""
    found = []
    for partition in range(partitions):
        name = f"{attacker}-{partition}"
        first, last = place.get(f"begins-{name}")[part.number : part.number + 2].tolist()
        found.append(place.get(f"{what}-{name}")[first:last])
    return found
