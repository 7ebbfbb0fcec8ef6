"""Attacks on a synthetic network by somebody who has the original, and what ties can be told from it.

    ceiling   nobody finds more on average, whatever she knows: rows of the table
    rows      is told the row of everybody and of every node, and guesses inside the row
    table     knows everybody's row, detects communities, and assigns people to nodes by states of rows
    states    has the original alone, detects communities, and assigns people to nodes by states
    weighing  has the original, draws synthetic networks of her own to learn the noise, and weighs

Two checks go with them. The rank test asks whether the network tells people of a row apart, with all others
known: it would if anything but the table had been drawn from. The inference of ties asks which pairs of
people are surely tied, because their rows are: a table hides who is who, not how dense two rows are tied.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from netveil.auditing.inference import Inference, area_under_curve, sampled, untied_pairs
from netveil.auditing.matching.matcher import Situation
from netveil.auditing.matching.noise import detected_communities
from netveil.auditing.matching.weighing import weighed_claims
from netveil.formatting import counted, percentage
from netveil.kernels.arrays import IntVector
from netveil.kernels.matching import Floats
from netveil.network import Network
from netveil.progress import finished
from netveil.synthetic import RowTable, drawing, make_table
from netveil.synthetic.dense_rows import tied_rows
from netveil.synthetic.draw_network import MORE_PROPOSALS

TITLES = {
    "ceiling": "knows all but the secret that shuffles a row: nobody finds more",
    "rows": "is told the row of everybody and of every node",
    "table": "knows everybody's row, and detects communities",
    "states": "has the original, compares states and detects communities",
    "weighing": "has the original, and draws further synthetic networks to weigh contacts",
}
MOST_ASSIGNED = 2_000  # people that are assigned to as many nodes at once: cubic time
MOST_WINDOWS = 4  # so many times, in larger networks, at degrees from low to high
ROUNDS_OF_COMMUNITIES = 3  # communities are matched by who is assigned where, and people are assigned again
OTHER_COMMUNITY = 2.0  # distance of states that another community is as bad as
WEIGHTS = (1.0, 0.5, 0.5)  # of degree, inside and triangles, as logarithms
OWN_DRAWS = 3  # synthetic networks that an attacker draws to learn the noise
MOST_PROPOSED = 400_000_000  # swaps and comparisons of weighing: minutes; it is left out above
MOST_RANKED = 2_000  # people in the rank test
STANDARD_ERRORS = 5.0  # of the mean rank from 1/2: an alarm
GUESSES = 1_000  # of tied pairs
NEARLY = 0.9  # density of a pair of rows that is nearly fully tied
MANY_TRUE = 0.9  # of the guesses: a warning, if degrees alone tell clearly fewer
CLEARLY = 0.1


@dataclass(frozen=True, eq=False)
class _Scene:
    """Original and synthetic network; nodes of the latter are in random order, which tells nothing."""

    original: Network
    table: RowTable
    row_of_person: IntVector  # (n)
    published: Network
    row_of_node: IntVector  # (n): of the published network
    truth: IntVector  # (n): node of each person

    def right(self, people: IntVector, nodes: IntVector) -> int:
        """How many of these people are these nodes."""
        return int((self.truth[people] == nodes).sum())


def attacking_synthetic(
    original: Network,
    table: RowTable,
    row_of_person: IntVector,
    drawn: Network,
    node_of_person: IntVector,
    seed: int,
) -> Generator[str, None, dict[str, Any]]:
    """Attack a synthetic network; yields what is tried next, and returns a record that JSON can hold.

    Nodes of `drawn` are numbered row by row, as drawn from the table; `node_of_person` (n) keeps the score.
    """
    rng = np.random.default_rng(seed)
    number = rng.permutation(drawn.node_count)
    row_of_node = np.empty(drawn.node_count, np.int64)
    row_of_node[number] = table.row_of_node
    scene = _Scene(
        original, table, row_of_person, drawn.relabelled(number), row_of_node, number[node_of_person]
    )
    people = table.node_count
    rows: list[dict[str, Any]] = []

    def add(what: str, found: float, looked_for: int = people) -> None:
        rows.append({"what": what, "title": TITLES[what], "found": float(found), "people": int(looked_for)})

    add("ceiling", table.row_count)
    yield "attacker who is told all rows"
    in_rows = np.lexsort((rng.random(people), row_of_person))  # people at random inside their rows
    add("rows", scene.right(in_rows, np.argsort(row_of_node, kind="stable")))
    yield "attacker who knows the table"
    add("table", *_assigned(scene, True, seed))
    yield "attacker who compares states"
    add("states", *_assigned(scene, False, seed))
    swaps = OWN_DRAWS * MORE_PROPOSALS * original.edge_count // 20
    if swaps + original.node_count**2 <= MOST_PROPOSED:
        yield "attacker who weighs contacts"
        add("weighing", _weighed(scene, seed, rng))
    yield "rank inside rows"
    rank, alarm = rank_in_rows(original, row_of_person, drawn, node_of_person, rng)
    yield "ties that rows tell"
    dense = ties_told(original, table, row_of_person, drawn, rng)
    inferred = infer_from_rows(original, table, row_of_person, drawn, seed)
    return {
        "rows": rows,
        "rank": rank,
        "alarm": alarm,
        "dense": dense,
        "inference": [asdict(each) for each in inferred],
        "warnings": _warnings(rank, alarm, dense),
        "sentences": _sentences(rows, table, rank),
    }


# States and detected communities, assigned so that all distances together are least.


def _assigned(scene: _Scene, by_table: bool, seed: int) -> tuple[int, int]:
    """People found by states and communities, and people looked for; `by_table`, by the states of rows.

    In large networks only people and nodes of several stretches of degrees are assigned to each other, as it
    takes cubic time. Communities are matched by who is assigned where, beyond chance, and people again.
    """
    from scipy.optimize import linear_sum_assignment
    from scipy.spatial.distance import cdist

    from netveil.utility.metric import seeded

    table, row = scene.table, scene.row_of_person
    with seeded(seed):
        there = detected_communities(scene.published)
        here = table.community[row] if by_table else detected_communities(scene.original)
    theirs = _states(scene.published, there)
    of_rows = np.log1p(np.column_stack((table.degree, table.inside, table.triangles))) * WEIGHTS
    hers = of_rows[row] if by_table else _states(scene.original, here)
    orders = [np.lexsort(states.T[::-1]) for states in (hers, theirs)]
    starts = np.unique(np.linspace(0, max(len(hers) - MOST_ASSIGNED, 0), MOST_WINDOWS).astype(np.int64))
    ends = np.minimum(starts + MOST_ASSIGNED, np.append(starts[1:], len(hers)))
    same = np.zeros((int(here.max(initial=0)) + 1, int(there.max(initial=0)) + 1))
    for _ in range(ROUNDS_OF_COMMUNITIES):
        found = []
        for start, end in zip(starts, ends, strict=True):
            people, nodes = (order[start:end] for order in orders)
            costs = cdist(hers[people], theirs[nodes], "cityblock")
            costs -= OTHER_COMMUNITY * same[here[people][:, None], there[nodes]]
            one, other = linear_sum_assignment(costs)
            found.append((people[one], nodes[other]))
        people, nodes = (np.concatenate(side) for side in zip(*found, strict=True))
        together = np.zeros(same.shape)
        np.add.at(together, (here[people], there[nodes]), 1)
        chance = together.sum(axis=1, keepdims=True) * together.sum(axis=0) / max(together.sum(), 1)
        same = np.zeros(same.shape)
        same[linear_sum_assignment(-(together - chance) / np.sqrt(chance + 1))] = 1
    return scene.right(people, nodes), len(people)


def _states(network: Network, community: IntVector) -> Floats:
    """Degree, neighbours inside the community and triangles of each node, as weighted logarithms."""
    from netveil.kernels.triangles import triangles_per_node

    inside = network.edges[community[network.edges[:, 0]] == community[network.edges[:, 1]]]
    columns = (
        network.degrees,
        np.bincount(inside.ravel(), minlength=network.node_count),
        triangles_per_node(network.edges, network.degrees),
    )
    return np.asarray(np.log1p(np.column_stack(columns)) * WEIGHTS)


# Weighing, its noise learnt from synthetic networks of the attacker's own.


def _weighed(scene: _Scene, seed: int, rng: np.random.Generator) -> int:
    """People found by best guesses of somebody who makes the table anew, and draws from it."""
    table, row = make_table(scene.original, scene.table.k)
    hers = rng.permutation(len(row))
    known = scene.original.relabelled(hers)
    pairs = []
    for copy in range(OWN_DRAWS):
        own = finished(drawing(table, seed, copy + 1))
        person = np.lexsort((rng.random(len(row)), row))  # node v, numbered row by row, stands for person[v]
        pairs.append((known, own.relabelled(hers[person])))
    situation = Situation(known, scene.published, added_share=1.0, only_deleted=False)
    claims = weighed_claims(situation, pairs, lambda share=1.0: None)
    return scene.right(np.argsort(hers), claims.nodes)


# The rank test.


def rank_in_rows(
    original: Network,
    row_of_person: IntVector,
    drawn: Network,
    node_of_person: IntVector,
    rng: np.random.Generator,
) -> tuple[float | None, bool]:
    """Mean rank of the right node among nodes of its row, 0 to 1, and whether chance does not explain it.

    Nodes are ranked by contacts in common with the person if everybody of other rows is known. Where nothing
    tells people of a row apart, all ranks are equally likely: the mean is 1/2, and its variance is known.
    """
    size = np.bincount(row_of_person)[row_of_person]
    able = np.flatnonzero((size > 1) & (original.degrees > 0))
    if len(able) == 0:
        return None, False
    people = np.sort(rng.permutation(able)[:MOST_RANKED])
    contacts_of = drawn.relabelled(np.argsort(node_of_person)).to_scipy().astype(np.int64)  # by people
    members = np.argsort(row_of_person, kind="stable")
    first = np.searchsorted(row_of_person[members], np.arange(row_of_person.max() + 2))
    ranks = np.empty(len(people))
    for place, person in enumerate(people.tolist()):
        row = row_of_person[person]
        mates = members[first[row] : first[row + 1]]
        contacts = original.neighbours(person)
        is_contact = np.zeros(original.node_count, dtype=bool)
        is_contact[contacts[row_of_person[contacts] != row]] = True
        common = contacts_of[mates] @ is_contact
        own = common[mates == person]
        ranks[place] = ((common < own).sum() + ((common == own).sum() - 1) / 2) / (len(mates) - 1)
    sizes = size[people]
    # Ranks of a row hang together: it is a permutation. At most, their variance grows by s / (s - 1).
    variance = (sizes * (sizes + 1) / (12.0 * (sizes - 1) ** 2)).sum() / len(people) ** 2
    rank = float(ranks.mean())
    return round(rank, 4), bool(abs(rank - 0.5) > STANDARD_ERRORS * np.sqrt(variance))


# Ties that density tells.


def ties_told(
    original: Network, table: RowTable, row_of_person: IntVector, drawn: Network, rng: np.random.Generator
) -> dict[str, Any]:
    """Precision of the best guesses of tied pairs: by density of rows in the network drawn, and by degrees.

    Whoever knows everybody's row guesses pairs of the densest rows; inside a pair of rows all are equal.
    """
    tied, true = tied_rows(drawn, table.row_of_node), tied_rows(original, row_of_person)
    pairs, density = tied.pairs, tied.ties / np.maximum(tied.pairs, 1)
    _, here, there = np.intersect1d(tied.keys, true.keys, return_indices=True)
    hits = np.zeros(len(pairs), np.int64)
    hits[here] = true.ties[there]
    guesses = min(GUESSES, original.edge_count)
    order = np.lexsort((rng.random(len(pairs)), -density))
    taken = np.diff(np.minimum(np.cumsum(pairs[order]), guesses), prepend=0)
    by_rows = float((hits[order] / np.maximum(pairs[order], 1) * taken).sum())
    fully, nearly = density >= 1, density >= NEARLY
    return {
        "guesses": guesses,
        "true_by_rows": round(by_rows / max(guesses, 1), 4),
        "true_by_degrees": round(_true_by_degrees(original, guesses, rng) / max(guesses, 1), 4),
        "pairs_fully_tied": int(pairs[fully].sum()),
        "pairs_nearly_tied": int(pairs[nearly].sum()),
        "ties_told": int(hits[nearly].sum()),
    }


def infer_from_rows(
    original: Network, table: RowTable, row_of_person: IntVector, drawn: Network, seed: int
) -> Iterator[Inference]:
    """Whether two people are tied, by how densely their rows are: in the network drawn, in the original."""
    rng = np.random.default_rng(seed)
    others, ties = untied_pairs(original, rng), sampled(original.edges, rng)
    if not len(others) or not len(ties):
        return
    areas = []
    for network, row_of_node in ((drawn, table.row_of_node), (original, row_of_person)):
        tied = tied_rows(network, row_of_node)
        density = tied.ties / np.maximum(tied.pairs, 1)
        scores = []
        for pairs in (ties, others):
            rows = np.sort(row_of_person[pairs], axis=1).astype(np.int64)
            keys = rows[:, 0] * table.row_count + rows[:, 1]
            place = np.minimum(np.searchsorted(tied.keys, keys), len(tied.keys) - 1)
            scores.append(np.where(tied.keys[place] == keys, density[place], 0.0))
        areas.append(area_under_curve(*scores))
    yield Inference("tied", "density of rows", len(ties), len(others), *areas)


def _true_by_degrees(original: Network, guesses: int, rng: np.random.Generator) -> int:
    """How many of the pairs with the largest products of degrees are tied."""
    order = np.lexsort((rng.random(original.node_count), -original.degrees))
    # Of people by falling degree, the pair (i, j) has i (j - i) pairs or more before it, counted from 1.
    pairs = np.column_stack(np.triu_indices(min(guesses + 1, len(order)), 1))
    pairs = pairs[(pairs[:, 0] + 1) * (pairs[:, 1] - pairs[:, 0]) <= guesses]
    degrees = original.degrees[order].astype(np.int64)
    best = np.lexsort((rng.random(len(pairs)), -degrees[pairs].prod(axis=1)))[:guesses]
    return int(original.are_edges(order[pairs[best]]).sum())


# Sentences.


def _sentences(rows: list[dict[str, Any]], table: RowTable, rank: float | None) -> list[str]:
    """What attackers found, for people to read."""
    best = max(rows[1:], key=lambda row: row["found"] / max(row["people"], 1))
    unaided = [row for row in rows if row["what"] in ("states", "weighing")]
    strongest = max(unaided, key=lambda row: row["found"] / max(row["people"], 1))
    told = [
        f"Nobody finds more than {table.row_count:,} of {counted(table.node_count, 'person', 'people')} "
        f"({percentage(table.ceiling)}) on average, whatever is known, and nobody with a chance "
        f"above one in {table.smallest_row:,}.",
        f"Of attackers that were tried, the one who {strongest['title']} found {_share(strongest)}; "
        f"the one who {best['title']} {_share(best)}.",
    ]
    if rank is not None:
        told.append(
            f"The right node of a person ranks {rank:.3f} among those of its row (0.5: the network tells "
            "nothing about who is who inside a row)."
        )
    return told


def _share(row: dict[str, Any]) -> str:
    share = percentage(row["found"] / max(row["people"], 1))
    return f"{row['found']:,.0f} of {row['people']:,} people ({share})"


def _warnings(rank: float | None, alarm: bool, dense: dict[str, Any]) -> list[str]:
    """What the person who signs must know."""
    told = []
    if alarm:
        told.append(
            f"People of a row can be told apart (rank {rank:.3f} instead of 0.5): this network was not drawn "
            "from its table alone, and the ceiling does not hold. Do not publish it; draw it anew."
        )
    if dense["true_by_rows"] >= max(MANY_TRUE, dense["true_by_degrees"] + CLEARLY):
        told.append(
            f"Ties inside dense rows can be told: whoever knows everybody's row guesses "
            f"{dense['guesses']:,} tied pairs, of which {percentage(dense['true_by_rows'])} are right "
            f"(by degrees alone {percentage(dense['true_by_degrees'])}); "
            f"{dense['pairs_nearly_tied']:,} pairs of people are in rows that are nearly fully tied. "
            "A larger k does not mend it; hiding dense rows does in part."
        )
    return told
