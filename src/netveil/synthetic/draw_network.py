"""Draw a network from a table, and from nothing else.

A simple network with the table's degrees, neighbours inside and edges between communities is made at random,
but for cliques of people nearly all of whose neighbours know each other. Small components are joined until
the largest is as large as the table says. Then swaps that keep all of that are annealed, until triangles and
mixing by degree are near the table's. A network that does not keep the figures of the whole which the table
has bounds on is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from netveil.kernels.arrays import Words
from netveil.kernels.swaps import Aim, HalfEdges, anneal_swaps, spanning_forest, swap_away_repeats
from netveil.kernels.triangles import triangles_per_node
from netveil.network import Network
from netveil.progress import retold
from netveil.synthetic.kept_figures import excess, figure_of, not_kept
from netveil.synthetic.row_table import UNIT, Counts, RowTable

HOT, COLD = 0.5, 0.02  # heat of the first and of the last proposals; a hotter start makes other communities
POWER = 0.65  # a triangle weighs less where more are wanted: by this power of their number
IN_CLIQUE = 0.8  # clustering of people whose edges are drawn as cliques at first
SHARE = 0.3  # weight of an edge too many between bins; a triangle too many weighs 1 on average
BATCH = 20_000  # proposals at one heat
FIRST_PROPOSALS = 40  # an edge; enough for networks whose triangles are near the table's after that
NEAR = 0.025  # share of the triangles that may be too many or too few then
FEWEST_PROPOSALS = 85  # an edge, of others
MORE_PROPOSALS = 5000  # times clustering over mean degree: an edge more
REACH = 1000  # nodes that are looked at from each end before a swap is taken not to cut the largest component
MOST_DRAWINGS = 5  # of a network that must keep figures
FITTING = 200  # rounds in which edges between communities are fitted to the ends that rows leave for them

Random = np.random.Generator
Pairs = NDArray[np.int64]


def drawing(table: RowTable, seed: int, copy: int = 0) -> Generator[float, None, Network]:
    """Draw a network whose nodes are numbered row by row; yields the share of the work that is done.

    Each copy has random numbers of its own.
    If the table has bounds, it draws until they are kept, each time with other random numbers. A drawing that
    is short of clustering is followed by one that aims at as many triangles more.
    """
    if not table.bounds:
        return (yield from _one_drawing(table, np.random.default_rng([seed, copy])))
    tried: list[dict[str, float]] = []
    lift = 1.0
    while len(tried) < MOST_DRAWINGS:
        rng = np.random.default_rng([seed, copy, *([len(tried)] if tried else [])])
        shares = _one_drawing(table, rng, lift)
        network = yield from retold(shares, lambda share: (len(tried) + share) / MOST_DRAWINGS)
        figures = {name: figure_of(network, name) for name in table.bounds}
        if excess(table.bounds, figures) == 0:
            return network
        tried.append(figures)
        if figures.get("clustering"):
            lift *= sum(table.bounds["clustering"]) / 2 / UNIT / figures["clustering"]
    best = min(tried, key=lambda figures: excess(table.bounds, figures))
    raise not_kept(table.bounds, best, len(tried))


def _one_drawing(table: RowTable, rng: Random, lift: float = 1.0) -> Generator[float, None, Network]:
    """Draw once; `lift` times the table's triangles are aimed at."""
    row = table.row_of_node
    community = table.community[row]
    edges = _random_edges(table, rng)
    edges = _joined(edges, community, table, rng)
    yield 0.0
    halves = half_edges(edges, community)
    aim = _aim(table, edges, lift)
    state = rng.integers(2**64, size=1, dtype=np.uint64)
    first, most = FIRST_PROPOSALS * len(edges), proposals_per_edge(table) * len(edges)
    for done in _annealed(halves, aim, first, state):
        yield done / most
    if abs(aim.triangles - aim.wanted).sum() > NEAR * aim.wanted.sum():
        for done in _annealed(halves, aim, most - first, state):
            yield (first + done) / most
    yield 1.0
    return Network.from_numbered_edges(edges_of(halves), table.node_count, name="synthetic")


def _annealed(halves: HalfEdges, aim: Aim, proposals: int, state: Words) -> Iterator[int]:
    """Anneal by `proposals` swaps; yields how many are done. Writes `halves`, `aim` and `state`."""
    size = max(BATCH, len(aim.wanted))
    for done in range(0, proposals, size):
        now = min(size, proposals - done)
        anneal_swaps(halves, aim, now, HOT * (COLD / HOT) ** (done / proposals), state)
        yield done + now


def proposals_per_edge(table: RowTable) -> int:
    """How many swaps are proposed an edge at most: more where clustering is high and degrees are low.

    A neighbour's neighbours are few there, and most of the edges among them must be found.
    """
    able = table.degree > 1
    clustering = np.average(_clustering(table)[able], weights=table.people[able]) if able.any() else 0.0
    mean_degree = np.average(table.degree, weights=table.people) if table.row_count else 0.0
    return round(FEWEST_PROPOSALS + MORE_PROPOSALS * float(clustering) / max(float(mean_degree), 1.0))


def _clustering(table: RowTable) -> NDArray[np.float64]:
    """Clustering of each row; 0 below two neighbours."""
    return np.asarray(table.triangles / np.maximum(table.degree * (table.degree - 1) / 2, 1))


def _random_edges(table: RowTable, rng: Random) -> Pairs:
    """Simple random edges with the degrees, neighbours inside and edges between communities of the table.

    A handful may be missing, or between other communities, where figures that were rounded do not fit.
    """
    row = table.row_of_node
    community, degree, inside = table.community[row], table.degree[row], table.inside[row]
    cliques = _cliques(community, inside, _clustering(table)[row] >= IN_CLIQUE, rng)
    drawn = np.bincount(cliques.ravel(), minlength=len(row))
    pairs = _random_pairs(table.between, community, degree - drawn, inside - drawn, rng)
    halves = half_edges(np.concatenate((cliques, pairs)), community)
    left = swap_away_repeats(halves, rng.integers(2**64, size=1, dtype=np.uint64))
    return _densely_joined(edges_of(halves), community) if left else edges_of(halves)


def _cliques(community: Counts, inside: Counts, chosen: NDArray[np.bool_], rng: Random) -> Pairs:
    """Join chosen nodes of a community with as many neighbours inside to cliques; swaps hardly find these.

    So do dense blocks of similar degree in BTER (Seshadhri, Kolda & Pinar 2012).
    """
    nodes = np.flatnonzero(chosen & (inside > 1))
    nodes = nodes[np.lexsort((rng.random(len(nodes)), inside[nodes], community[nodes]))]
    last = np.searchsorted(community[nodes], community[nodes], side="right")
    pairs = [np.empty((0, 2), np.int64)]
    place = 0
    while place < len(nodes):
        size = int(inside[nodes[place]]) + 1
        if place + size > last[place]:
            place = int(last[place])
            continue
        pairs.append(nodes[place + np.column_stack(np.triu_indices(size, 1))])
        place += size
    return np.concatenate(pairs)


def _random_pairs(between: Counts, community: Counts, degree: Counts, inside: Counts, rng: Random) -> Pairs:
    """Pair ends of edges: inside a community, between two as the table says, and at random what is left."""
    bounds = np.searchsorted(community, np.arange(len(between) + 1))
    nodes = np.arange(len(degree))
    tied = _tied(between)
    pairs: list[Pairs] = []
    outside: list[Counts] = []
    left: list[Counts] = []
    for number, (first, last) in enumerate(pairwise(bounds.tolist())):
        ends = rng.permutation(np.repeat(nodes[first:last], inside[first:last]))
        even = len(ends) // 2 * 2
        pairs.append(ends[:even].reshape(-1, 2))
        left.append(ends[even:] if tied[number] else ends[:0])
        outside.append(rng.permutation(np.repeat(nodes[first:last], (degree - inside)[first:last])))
    counts = _fitted(between, np.array([len(ends) for ends in outside]), rng)
    used = np.zeros(len(between), np.int64)
    for one, other in rng.permutation(np.argwhere(counts > 0)).tolist():
        many = min(int(counts[one, other]), *(len(outside[part]) - int(used[part]) for part in (one, other)))
        chosen = [outside[part][used[part] : used[part] + many] for part in (one, other)]
        pairs.append(np.column_stack(chosen))
        used[[one, other]] += many
    left += [ends[start:] for ends, start in zip(outside, used.tolist(), strict=True)]
    rest = rng.permutation(np.concatenate([*left, nodes[:0]]))
    pairs.append(rest[: len(rest) // 2 * 2].reshape(-1, 2))
    return np.concatenate(pairs)


def _fitted(between: Counts, ends: Counts, rng: Random) -> Counts:
    """Edges between communities, scaled to the ends that rows leave for them, in whole numbers."""
    scaled = (between + between.T).astype(np.float64)
    for _ in range(FITTING):
        total = scaled.sum(axis=1)
        factor = np.sqrt(np.divide(ends, total, out=np.ones_like(total), where=total > 0))
        scaled *= factor[:, None] * factor
    scaled = np.triu(scaled, 1)
    whole = np.floor(scaled)
    return (whole + (rng.random(scaled.shape) < scaled - whole)).astype(np.int64)


def _densely_joined(edges: Pairs, community: Counts) -> Pairs:
    """Drop loops and repeats; a community that loses edges inside gets new ones, for the largest needs first.

    Swaps find no way where nearly everybody knows everybody. Havel (1955) and Hakimi (1962) do.
    """
    simple = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    needs, has = (
        np.bincount(some[community[some[:, 0]] == community[some[:, 1]]].ravel(), minlength=len(community))
        for some in (edges, simple)
    )
    broken = np.unique(community[needs > has])
    ends = community[simple]
    made = [simple[(ends[:, 0] != ends[:, 1]) | ~np.isin(ends[:, 0], broken)]]
    for number in broken.tolist():
        nodes = np.flatnonzero(community == number)
        made.append(nodes[_havel_hakimi(needs[nodes])])
    return np.concatenate(made)


def _havel_hakimi(degree: Counts) -> Pairs:
    """Edges of a simple network with these degrees, as far as there is one."""
    needs = degree.copy()
    pairs = [np.empty((0, 2), np.int64)]
    for _ in range(len(needs)):
        order = np.argsort(-needs, kind="stable")
        node, others = order[0], order[1:]
        others = others[needs[others] > 0][: needs[node]]
        pairs.append(np.column_stack((np.full(len(others), node), others)))
        needs[others] -= 1
        needs[node] = 0
    return np.concatenate(pairs)


def _joined(edges: Pairs, community: Counts, table: RowTable, rng: Random) -> Pairs:
    """Swap edges of small components with edges of the largest until that is as large as the table says.

    Edges of the largest that are not in its spanning tree can all go without cutting it. Components of
    communities that have no edges to others stay as they are.
    """
    edges = rng.permutation(edges)
    root = np.arange(len(community), dtype=np.int32)
    in_tree = spanning_forest(edges, root)
    size = np.bincount(root, minlength=1)
    giant = int(size.argmax())
    missing = table.largest - int(size[giant])
    if missing <= 0 or len(edges) == 0:
        return edges
    part = root[edges[:, 0]]
    join = _joiner(edges, community, np.flatnonzero((part == giant) & ~in_tree).tolist())
    apart = np.flatnonzero((part != giant) & _in_largest(table)[edges[:, 0]])
    order = apart[np.argsort(part[apart], kind="stable")]
    components = np.split(order, np.flatnonzero(np.diff(part[order])) + 1) if len(order) else []
    for place in rng.permutation(len(components)).tolist():
        own = components[place]
        many = int(size[part[own[0]]])
        if many <= missing and join(own.tolist()):
            missing -= many
    return edges


def _joiner(edges: Pairs, community: Counts, spare: list[int]) -> Callable[[list[int]], bool]:
    """Function that joins a component, given by its edges, by a swap with one of the `spare` edges.

    The swap keeps ties inside and between communities if there is such a spare edge. It writes `edges`, and
    tells whether the component was joined.
    """
    unused, of_kind = set(spare), dict[tuple[bool, int], list[int]]()

    def kinds(edge: int) -> list[tuple[bool, int]]:
        ends = community[edges[edge]].tolist()
        return [(ends[0] == ends[1], end) for end in sorted(set(ends))]

    for edge in spare:
        for kind in kinds(edge):
            of_kind.setdefault(kind, []).append(edge)

    def swap(one: int, spares: list[int], shared: int | None = None) -> bool:
        """Make a-b and a spare c-d into a-d and c-b, so that b and d are of the shared community."""
        while spares and spares[-1] not in unused:
            spares.pop()
        if not spares:
            return False
        other = spares.pop()
        unused.discard(other)
        shared = int(community[edges[other, 1]]) if shared is None else shared
        for edge in (one, other):
            if community[edges[edge, 1]] != shared:
                edges[edge] = edges[edge, ::-1].copy()
        edges[[one, other], 1] = edges[[other, one], 1]
        return True

    def join(component: list[int]) -> bool:
        legal = ((edge, kind) for edge in component for kind in kinds(edge))
        return any(swap(edge, of_kind.get(kind, []), kind[1]) for edge, kind in legal) or swap(
            component[0], sorted(unused)
        )

    return join


def _in_largest(table: RowTable) -> NDArray[np.bool_]:
    """Whether the community of each node has edges to others; if none has, whether it is the largest."""
    tied = _tied(table.between)
    if not tied.any():
        people = np.bincount(table.community, table.people * (table.degree > 0))
        tied = np.asarray(people == people.max(initial=0))
    return tied[table.community[table.row_of_node]]


def _tied(between: Counts) -> NDArray[np.bool_]:
    """Whether each community has edges to others."""
    return np.asarray(between.any(axis=0) | between.any(axis=1))


def half_edges(edges: Pairs, community: Counts) -> HalfEdges:
    """The half-edges of edges (m, 2), which may have loops and repeats."""
    many = len(edges)
    ends = edges.T.ravel()  # the first end of each edge, then the second
    order = np.argsort(ends, kind="stable")
    place = np.empty(2 * many, np.int32)
    place[order] = np.arange(2 * many)
    mate = place[(order + many) % max(2 * many, 1)]
    owner = ends[order].astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=len(community)))))
    kind = 2 * community[owner] + (community[owner] == community[owner[mate]])
    kinds = 2 * (int(community.max(initial=-1)) + 1)
    starts = np.concatenate(([0], np.cumsum(np.bincount(kind, minlength=kinds))))
    of_kind = np.argsort(kind, kind="stable").astype(np.int32)
    return HalfEdges(offsets, owner, owner[mate], mate, community.astype(np.int32), of_kind, starts)


def edges_of(halves: HalfEdges) -> Pairs:
    """Each edge once."""
    once = np.arange(len(halves.mate)) < halves.mate
    return np.column_stack((halves.owner[once], halves.contact[once])).astype(np.int64)


def _aim(table: RowTable, edges: Pairs, lift: float = 1.0) -> Aim:
    """Goals of the table, with `lift` times its triangles, and the values of these edges."""
    row, n = table.row_of_node, table.node_count
    most = table.degree * (table.degree - 1) // 2
    wanted, bins = np.minimum(np.rint(table.triangles * lift).astype(np.int64), most)[row], table.bin[row]
    weight = (1.0 + wanted) ** -POWER
    scale = len(edges) / max(int(table.mixing.sum()), 1)
    one, other = np.sort(bins[edges], axis=1).T
    mixing = np.zeros_like(table.mixing)
    np.add.at(mixing, (one, other), 1)
    return Aim(
        wanted=wanted,
        weight=weight * (n / max(weight.sum(), 1e-9)),
        triangles=triangles_per_node(edges, np.bincount(edges.ravel(), minlength=n)),
        bin=bins.astype(np.int32),
        wanted_mixing=np.rint(table.mixing * scale).astype(np.int64),
        mixing=mixing,
        share=SHARE,
        guarded=_in_largest(table),
        reach=REACH,
        marks=np.zeros(n, np.uint8),
        change=np.zeros(n, np.int64),
        touched=np.zeros(n, np.int32),
        queue=np.zeros((2, n), np.int32),
        lacking=np.zeros(n, np.int32),
    )
