"""Make the table of a network: the only module of this package that sees one.

People are put into communities, and inside each into groups of at least k with similar (degree, neighbours
inside, triangles); everybody gets the means of the group. A person's row depends on the own community and
state alone, never on the number of a node: people of equal state are in one row. If attributes are kept,
groups can be made inside equal values of some, and be joined until each has several values of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from netveil.attributes import Attributes
from netveil.errors import SettingError, is_whole, option
from netveil.formatting import Share, counted
from netveil.kernels.arrays import components
from netveil.network import Network, in_label_order, label_order
from netveil.synthetic.kept_figures import bounds_of
from netveil.synthetic.row_table import Counts, RowTable

FEWEST_OF_COMMUNITY = 20  # and at least 4 k: smaller communities join the one they have most ties with
RUNS_OF_LEIDEN = 3  # the best by modularity counts
SIMILAR = 1.3  # largest over smallest degree in a bin
WEIGHTS = (1.0, 0.5, 0.5)  # of degree, inside and triangles, as logarithms, when states are compared
MOST_IN_MDAV = 2000  # states; above, they are cut in halves first, as MDAV takes quadratic time


# Attributes of people that nodes carry. A node carries the values of the person who was assigned to it, a
# random one of the row. Whoever knows somebody's values looks among the people of the row with equal values
# only: a cell. Rows can be made so that each cell has k people (`within`), and so that a value that nobody
# knows cannot be read off a row (`diverse`).


@dataclass(frozen=True)
class KeptAttributes:
    """Columns of values by name, a value a person, and what rows must be like."""

    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    within: tuple[str, ...] = ()  # people of a group have equal values of these
    diverse: Mapping[str, int] = field(default_factory=dict)  # each row has so many values of it or more

    @property
    def known(self) -> tuple[str, ...]:
        """Attributes that count as known to the attacker: all but those that rows are diverse in."""
        return tuple(name for name in self.columns if name not in self.diverse)

    def codes(self, names: Iterable[str], people: int) -> Counts:
        """Number of the combination of values of each person (n), whatever the order of people."""
        columns = [self.columns[name] for name in names]
        if not columns:
            return np.zeros(people, np.int64)
        texts = [repr(values) for values in zip(*columns, strict=True)]
        numbers = {text: number for number, text in enumerate(sorted(set(texts)))}
        return np.array([numbers[text] for text in texts], np.int64)

    def cells(self, row: Counts) -> Counts:
        """Cell of each person (n), numbered from 0: people of one row with equal known values."""
        pairs = np.column_stack((row, self.codes(self.known, len(row))))
        return np.unique(pairs, axis=0, return_inverse=True)[1].ravel()

    def fewest_values(self, name: str, part: Counts) -> int:
        """Different values of an attribute in that part of the people (n) which has fewest."""
        pairs = np.unique(np.column_stack((part, self.codes([name], len(part)))), axis=0)
        return int(np.bincount(pairs[:, 0]).min(initial=len(part)))

    def check(self, k: int, people: int) -> None:
        """Raise SettingError if fewer than k people have equal values of the attributes of `within`."""
        if not self.within:
            return
        fewest = int(np.bincount(self.codes(self.within, people)).min(initial=people))
        if fewest < k:
            names, there = " and ".join(self.within), "is" if fewest == 1 else "are"
            raise SettingError(
                f"{option('within', list(self.within))}: of a value of {names} there {there} "
                f"{counted(fewest, 'person', 'people')} only, and groups are of {k}; put numbers into bands, "
                f"give a smaller k, or leave it out."
            )


NOTHING_KEPT = KeptAttributes()


def kept_attributes(
    attributes: Attributes,
    keep: Iterable[str] | None,
    within: Iterable[str] | None = None,
    diverse: Mapping[str, Any] | None = None,
) -> tuple[KeptAttributes, str | None]:
    """Select attributes of people, numbers in bands if wanted; returns them and a warning or None."""
    names = list(keep) if keep is not None and not isinstance(keep, str) else keep
    asked = names.split(",") if isinstance(names, str) else names or []
    for name in asked:
        if name.strip() in attributes.edge and name.strip() not in attributes.node:
            raise SettingError(
                f"{option('keep-attributes', [name])}: ties of a synthetic network are made up and carry no "
                f"attributes; leave it out."
            )
    chosen, warning = Attributes(attributes.node).chosen(names)
    kept = KeptAttributes(
        dict(sorted(chosen.node.items())), tuple(within or ()), parsed_diverse(diverse or {})
    )
    for given, wanted in (("within", kept.within), ("diverse", tuple(kept.diverse))):
        for name in wanted:
            if name not in kept.columns:
                has = ", ".join(kept.columns) or "none"
                raise SettingError(
                    f"{option(given)} {name}: only attributes that are kept are looked at ({has}); name it "
                    f"in {option('keep-attributes', [name])} too, or leave it out."
                )
    for name in set(kept.within) & set(kept.diverse):
        raise SettingError(
            f"{option('diverse')} {name}: rows cannot have one value and several of {name}; leave it out of "
            f"{option('within')} or of {option('diverse')}."
        )
    return kept, warning


def parsed_diverse(given: Mapping[str, Any]) -> dict[str, int]:
    """How many values each row must have of each attribute.

    >>> parsed_diverse({"illness": "2"})
    {'illness': 2}
    """
    found = {}
    for name, value in given.items():
        text = str(value).strip()
        number = int(text) if text.isascii() and text.isdigit() and not is_whole(value) else value
        if not is_whole(number) or number < 2:
            raise SettingError(
                f"diverse {name}={value}: give a whole number of values, 2 or more, such as {name}=2."
            )
        found[str(name)] = int(number)
    return found


# The table, and what is told before it is drawn from.


class Ceiling(NamedTuple):
    """Upper bounds on people found in a network that is drawn with this k."""

    k: int
    rows: int
    ceiling: float  # share of people found on average: rows / people, or cells / people if values are known
    smallest_row: int  # or cell: nobody is found with a higher probability than one over it


@dataclass(frozen=True)
class _Facts:
    """Facts about a network that all its tables share, whatever their k."""

    network: Network
    communities: Counts  # (n): before small ones are joined; nodes outside the largest component have -1
    triangles: Counts  # (n)
    largest: int  # nodes in the largest component
    kept: KeptAttributes


def make_table(
    network: Network,
    k: int = 5,
    *,
    communities: ArrayLike | None = None,
    kept: KeptAttributes = NOTHING_KEPT,
    keep: Mapping[str, Share] | None = None,
) -> tuple[RowTable, Counts]:
    """Make the table of a network, each row of k people or more, and tell the row of each node (private).

    `communities` (n) may be given, a number a node; else Leiden finds them. Small ones join others. `kept`
    are attributes that the synthetic network is to carry; the table does not have them. `keep` are figures of
    the whole network that drawings must keep: the table has bounds on them.
    """
    check_k(k, network.node_count)
    table, row = _table(_facts(network, communities, kept), k)
    return replace(table, bounds=bounds_of(network, keep or {})), row


def ceilings(
    network: Network, ks: Iterable[int] = (2, 5, 10, 20), kept: KeptAttributes = NOTHING_KEPT
) -> list[Ceiling]:
    """Compute upper bounds on people found, for each possible k; nothing is drawn."""
    facts = _facts(network, None, kept)
    found = []
    for k in ks:
        if 2 * k > network.node_count:
            continue
        try:
            table, row = _table(facts, k)
        except SettingError:  # k is too large for the attributes
            continue
        cells = np.bincount(facts.kept.cells(row))
        found.append(Ceiling(k, table.row_count, len(cells) / network.node_count, int(cells.min())))
    return found


def check_k(k: Any, nodes: int) -> None:
    """Raise SettingError for a k that no table of so many nodes can have."""
    if not is_whole(k) or k < 2:
        raise SettingError(f"{option('k', k)}: give a whole number, 2 or more.")
    if 2 * k > nodes:
        most = nodes // 2
        remedy = f"give at most {most:,}" if most >= 2 else "a network needs four people"
        raise SettingError(
            f"{option('k', k)} is more than half of the {nodes:,} people, so that all would be "
            f"equal; {remedy}."
        )


def _facts(network: Network, communities: ArrayLike | None, kept: KeptAttributes) -> _Facts:
    from netveil.kernels.triangles import triangles_per_node

    if communities is None:
        found = _leiden(network)
    else:
        found = np.unique(np.asarray(communities), return_inverse=True)[1].ravel()
        if len(found) != network.node_count:
            raise SettingError(
                f"communities: {len(found):,} are given for {network.node_count:,} nodes; give one a node."
            )
    component = components(network.edges, network.node_count)
    size = np.bincount(component, minlength=1)[component]
    largest = int(size.max(initial=0))
    # Of several largest components none is preferred: nothing but numbers tells them apart.
    found = np.where((size < largest) | (size == 1), -1, found)
    triangles = triangles_per_node(network.edges, network.degrees)
    return _Facts(network, found, triangles, largest, kept)


def _leiden(network: Network) -> Counts:
    """Find communities by modularity; they depend on labels and ties, not on the order in a file."""
    import igraph

    from netveil.utility.metric import seeded

    ordered = in_label_order(network)
    graph = igraph.Graph(n=ordered.node_count, edges=ordered.edges)
    with seeded(0):
        runs = [graph.community_leiden("modularity", n_iterations=-1) for _ in range(RUNS_OF_LEIDEN)]
    best = max(runs, key=lambda run: run.modularity if ordered.edge_count else 0.0)
    communities = np.empty(network.node_count, np.int64)
    communities[label_order(network.labels)] = best.membership
    return communities


def _table(facts: _Facts, k: int) -> tuple[RowTable, Counts]:
    network, kept = facts.network, facts.kept
    kept.check(k, network.node_count)
    value = kept.codes(kept.within, network.node_count)
    community = _large_communities(network, facts.communities, k)
    community = _with_k_of_each_value(community, value, facts.communities == -1, k)
    ends = community[network.edges]
    inside = np.bincount(network.edges[ends[:, 0] == ends[:, 1]].ravel(), minlength=network.node_count)
    states = np.column_stack((community, value, network.degrees, inside, facts.triangles)).astype(np.int64)
    distinct, state_of, people = np.unique(states, axis=0, return_inverse=True, return_counts=True)
    state_of = state_of.ravel()
    between = np.triu(_ties_between(network, community), 1)
    averages = np.empty((len(distinct), 3), np.int64)
    for number in range(len(between)):
        part = slice(*np.searchsorted(distinct[:, 0], (number, number + 1)))
        own, count = distinct[part, 2:], people[part]
        group_of = _groups_within(distinct[part, 1], own, count, k)
        for name in kept.diverse:
            group_of = _diverse_groups(kept, name, state_of - part.start, distinct[part, 1:], count, group_of)
        has_ties_outside = bool(between[number].any() or between[:, number].any())
        averages[part] = _averages(own, count, group_of, has_ties_outside)
    rows, row_of_state = np.unique(np.column_stack((distinct[:, 0], averages)), axis=0, return_inverse=True)
    row_of_state = row_of_state.ravel()
    size = np.bincount(row_of_state, people, len(rows)).astype(np.int64)
    bins = _bins(rows[:, 1], size, k)
    row_of_node = row_of_state[state_of]
    mixing = _ties_between(network, bins[row_of_node])
    table = RowTable(
        k, rows[:, 0], size, rows[:, 1], rows[:, 2], rows[:, 3], bins, between, mixing, facts.largest
    )
    return table, row_of_node


def _ties_between(network: Network, part: Counts) -> Counts:
    """Edges between each two parts of the nodes, on and above the diagonal."""
    parts = int(part.max(initial=-1)) + 1
    one, other = np.sort(part[network.edges], axis=1).T
    return np.bincount(one * parts + other, minlength=parts * parts).reshape(parts, parts)


def _large_communities(network: Network, communities: Counts, k: int) -> Counts:
    """Join small communities to those with which they have most ties; returns numbers from 0.

    Nodes outside the largest component, which have -1, stay by themselves if there are k of them.
    """
    names, number = np.unique(communities, return_inverse=True)
    number = number.ravel()
    size = dict(enumerate(np.bincount(number).tolist()))
    ties: dict[int, dict[int, int]] = {community: {} for community in size}
    ends = np.sort(number[network.edges], axis=1)
    pairs, counts = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0, return_counts=True)
    for (one, other), count in zip(pairs.tolist(), counts.tolist(), strict=True):
        ties[one][other] = ties[other][one] = count
    home = np.arange(len(names))  # where people of each community are now
    done = {0} if len(names) and names[0] == -1 and size[0] >= k else set()
    fewest = max(4 * k, FEWEST_OF_COMMUNITY)
    while waiting := [(size[each], each) for each in size if size[each] < fewest and each not in done]:
        people, small = min(waiting)
        if ties[small]:
            target = max(ties[small], key=lambda each: (ties[small][each], -each))
        elif people < k and len(size) > 1:
            target = min((size[each], each) for each in size if each != small)[1]
        else:
            done.add(small)
            continue
        home[home == small] = target
        size[target] += size.pop(small)
        for each, count in ties.pop(small).items():
            del ties[each][small]
            if each != target:
                ties[target][each] = ties[each][target] = ties[target].get(each, 0) + count
    return np.unique(home[number], return_inverse=True)[1].ravel()


def _with_k_of_each_value(community: Counts, value: Counts, apart: NDArray[np.bool_], k: int) -> Counts:
    """Move people whose value fewer than k of their community have to where it is most common.

    The community of people who are `apart` from the largest component takes others only if it must: it has
    no ties to the rest.
    """
    moved = community.copy()
    alone = set(community[apart].tolist()) - set(community[~apart].tolist())
    for each in np.unique(value).tolist():
        people = np.bincount(community[value == each], minlength=int(community.max(initial=0)) + 1)
        few = np.flatnonzero((people > 0) & (people < k))
        movers = int(people[few].sum())
        if movers == 0:
            continue
        joined = [
            (place not in alone, many, -place)
            for place, many in enumerate(people.tolist())
            if many and (many >= k or movers >= k)
        ]
        moved[(value == each) & np.isin(community, few)] = -max(joined)[2]
    return np.unique(moved, return_inverse=True)[1].ravel()


# Groups of similar states, each of k people or more: MDAV (Domingo-Ferrer & Mateo-Sanz 2002) on states that
# several people may share. States are different and ascend, so that their order decides only what is equal
# otherwise, and whoever shares a state shares a group.


def _groups(states: Counts, people: Counts, k: int) -> Counts:
    """Group of each state (s, 3), so that each group has k of the `people` (s) or more."""
    places = np.log1p(states) * WEIGHTS
    groups: list[Counts] = [np.array([state]) for state in np.flatnonzero(people >= k)]
    left: list[Counts] = []
    for part in _halves(places, people, np.flatnonzero(people < k), k):
        found, rest = _mdav(places, people, part, k)
        groups += found
        left.append(rest)
    centres = np.array([np.average(places[group], axis=0, weights=people[group]) for group in groups])
    group_of = np.empty(len(states), np.int64)
    for number, group in enumerate(groups):
        group_of[group] = number
    for state in np.concatenate(left) if left else ():
        group_of[state] = _squares(centres, places[state]).argmin()
    return group_of


def _groups_within(value: Counts, states: Counts, people: Counts, k: int) -> Counts:
    """Group of each state (s, 3); states of a group have equal values (s), which ascend."""
    group_of = np.empty(len(states), np.int64)
    groups = 0
    for first, last in pairwise([*np.unique(value, return_index=True)[1].tolist(), len(value)]):
        group_of[first:last] = groups + _groups(states[first:last], people[first:last], k)
        groups = int(group_of[first:last].max()) + 1
    return group_of


def _diverse_groups(
    kept: KeptAttributes, name: str, state_of: Counts, states: Counts, people: Counts, group_of: Counts
) -> Counts:
    """Join groups of a community to their nearest, until each has as many values of an attribute as asked.

    `states` (s, 4) begin with the value inside which groups are made; `state_of` (n) is outside of 0..s-1 for
    people of other communities. Groups are joined only inside equal values.
    """
    least = kept.diverse[name]
    own = (state_of >= 0) & (state_of < len(states))
    codes = kept.codes([name], len(state_of))
    groups = int(group_of.max()) + 1
    has = np.zeros((groups, int(codes.max(initial=0)) + 1), bool)
    has[group_of[state_of[own]], codes[own]] = True
    places = np.log1p(states[:, 1:]) * WEIGHTS
    size = np.bincount(group_of, people, groups)
    centres = np.column_stack([np.bincount(group_of, column * people, groups) for column in places.T])
    inside = np.zeros(groups, np.int64)
    inside[group_of] = states[:, 0]
    into, left = np.arange(groups), np.ones(groups, bool)
    while (lacking := np.flatnonzero(left & (has.sum(axis=1) < least))).size:
        group = int(lacking[0])
        others = left & (inside == inside[group]) & (has & ~has[group]).any(axis=1)
        if not others.any():
            values, many = int(has[group].sum()), int(size[left & (inside == inside[group])].sum())
            alike = f" with equal {' and '.join(kept.within)}" if kept.within else ""
            remedy = f"give at most {name}={values}, or leave it out" if values > 1 else "leave it out"
            raise SettingError(
                f"{option('diverse')} {name}={least}: the {many:,} people of a community{alike} have "
                f"{counted(values, 'value')} of {name}; {remedy}."
            )
        near = np.flatnonzero(others)
        away = _squares(centres[near] / size[near, None], centres[group] / size[group])
        other = int(near[away.argmin()])
        has[other] |= has[group]
        centres[other] += centres[group]
        size[other] += size[group]
        left[group] = False
        into[into == group] = other
    return np.unique(into[group_of], return_inverse=True)[1].ravel()


def _halves(places: NDArray[np.float64], people: Counts, part: Counts, k: int) -> list[Counts]:
    """Cut states at the median of what differs most, again and again, until MDAV is quick on each piece."""
    if len(part) <= MOST_IN_MDAV or people[part].sum() < 4 * k:
        return [part]
    widest = np.ptp(places[part], axis=0).argmax()
    ordered = part[np.argsort(places[part, widest], kind="stable")]
    before = np.cumsum(people[ordered])
    cut = int(np.searchsorted(before, before[-1] // 2)) + 1
    pieces = (np.sort(ordered[:cut]), np.sort(ordered[cut:]))
    return [half for piece in pieces for half in _halves(places, people, piece, k)]


def _mdav(places: NDArray[np.float64], people: Counts, left: Counts, k: int) -> tuple[list[Counts], Counts]:
    """Group the states farthest out with their nearest; returns groups, and states of fewer than k people."""
    groups: list[Counts] = []

    def take(centre: NDArray[np.float64]) -> None:
        nonlocal left
        far = _squares(places[left], centre)
        near = np.flatnonzero(far <= np.partition(far, min(k, len(far)) - 1)[min(k, len(far)) - 1])
        near = near[np.argsort(far[near], kind="stable")]
        near = near[: int(np.searchsorted(np.cumsum(people[left[near]]), k)) + 1]
        groups.append(left[near])
        left = np.delete(left, near)

    def farthest(centre: NDArray[np.float64]) -> NDArray[np.float64]:
        place: NDArray[np.float64] = places[left[_squares(places[left], centre).argmax()]]
        return place

    while people[left].sum() >= 2 * k:
        out = farthest(np.average(places[left], axis=0, weights=people[left]))
        take(out)
        if people[left].sum() >= 2 * k:
            take(farthest(out))
    if people[left].sum() >= k:
        groups.append(left)
        left = left[:0]
    return groups, left


def _squares(places: NDArray[np.float64], centre: NDArray[np.float64]) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = ((places - centre) ** 2).sum(axis=1)
    return squares


def _averages(states: Counts, people: Counts, group_of: Counts, has_ties_outside: bool) -> Counts:
    """Mean degree, inside and triangles of the group of each state, rounded so that sums over all stay.

    What rounding one group adds is taken from the next ones, by rising mean degree. If it leaves nobody a tie
    outside in a community that has some, the group with most of them on average gets one inside less.
    """
    groups = int(group_of.max()) + 1
    size = np.bincount(group_of, people, groups).astype(np.int64)
    sums = np.column_stack([np.bincount(group_of, states[:, column] * people, groups) for column in range(3)])
    sums = np.rint(sums).astype(np.int64)
    means = sums / size[:, None]
    rounded = np.empty_like(sums)
    owed = np.zeros(3, np.int64)
    for group in np.lexsort(means.T[::-1]):
        total, many = sums[group], size[group]
        nearest = (2 * total + many) // (2 * many)
        value = np.where(
            2 * owed > many, -(-total // many), np.where(2 * owed < -many, total // many, nearest)
        )
        value[1] = min(value[1], value[0])
        value[2] = min(value[2], value[0] * (value[0] - 1) // 2)
        owed += total - value * many
        rounded[group] = value
    if not has_ties_outside:
        rounded[:, 1] = rounded[:, 0]
    elif (rounded[:, 0] == rounded[:, 1]).all():
        outside = np.where(rounded[:, 1] > 0, means[:, 0] - means[:, 1], -1.0)
        rounded[np.lexsort((*means.T[::-1], outside))[-1], 1] -= 1
    return rounded[group_of]


def _bins(degree: Counts, people: Counts, k: int) -> Counts:
    """Bin of each row: rows of similar degree, k people or more in each bin; equal degrees are in one."""
    bins, number, first, inside, left = np.empty(len(degree), np.int64), 0, 0, 0, int(people.sum())
    previous = -1
    order: Sequence[int] = np.argsort(degree, kind="stable").tolist()
    for row in order:
        own, many = int(degree[row]), int(people[row])
        if previous < 0:
            first = own
        elif own > first * SIMILAR and own != previous and inside >= k and left >= k:
            number, first, inside = number + 1, own, 0
        bins[row] = number
        previous, inside, left = own, inside + many, left - many
    return bins
