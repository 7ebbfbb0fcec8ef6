"""Attackers who have the network, or allow for deletions: whom they find in a release, and what it costs.

    python -m benchmarks matching ../shared/networks/fb-reed98.txt ../shared/networks/grqc.txt
    python -m benchmarks matching ../shared/networks/fb-reed98.txt --budgets 1 5 10 20 40
    python -m benchmarks matching --large 100000
    python -m benchmarks matching ../shared/networks/fb-reed98.txt --release reed
    python -m benchmarks matching ../shared/networks/*.txt --audit

The first makes a release of each network (5%, `--time` seconds, seed 1) and prints a row for each attacker
and what she knows. The second prints people found by somebody who has the whole network, in netveil's release
and if the whole budget is spent at random. The third prints what one attack on a network with ten times as
many edges as nodes costs: as a ratio to measuring `count` there, and in memory. The fourth takes a release
folder (`netveil anonymize … --out reed`) and attackers who know surroundings: for each measure of numbers and
each distance, people found with certainty and how often a guess is right, for numbers off by a share both
ways (±), fallen by a share (−), and fallen by a share and one more (−, 1). The last prints CPU seconds of the
default search and of the audit of its release, which is bounded by counted work: their ratio is to stay below
1 where a search takes its usual time.
"""

from __future__ import annotations

import resource
import time
from fractions import Fraction

import numpy as np

import netveil as nv
from benchmarks import header, opened, parser_of, row
from netveil.anonymity import MEASURES
from netveil.anonymity.attackers import bounds
from netveil.auditing.attack import Tally, side_by_side, tally_of
from netveil.auditing.leaks import identify
from netveil.auditing.matching.matcher import Knowledge
from netveil.auditing.matching.run_matching import REPEATS, Case, match_all, seeds_for
from netveil.auditing.matching.score import Matching, Score
from netveil.formatting import percentage
from netveil.job import Anonymization
from netveil.kernels.arrays import IntMatrix
from netveil.opening import open_released
from netveil.progress import finished
from netveil.registries import MATCHERS, STRONGEST
from netveil.release.gather import audit_for
from netveil.studies.generators.base import generate

SHARES = (3, 5, 10, 15, 20, 30)


def main(argv: list[str]) -> None:
    """Print what is asked for."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("networks", nargs="*", help="files, or names of built-in networks")
    parser.add_argument("--budgets", type=int, nargs="+", metavar="PERCENT")
    parser.add_argument("--large", type=int, metavar="NODES")
    parser.add_argument("--release", metavar="DIR", help="of the network, with its private part")
    parser.add_argument("--audit", action="store_true", help="its CPU seconds beside those of the search")
    parser.add_argument("--shares", type=int, nargs="+", default=SHARES, metavar="PERCENT")
    parser.add_argument("--time", type=float, default=10)
    asked = parser.parse_args(argv)
    if asked.large:
        large(asked.large)
    if asked.audit:
        audits([opened(each) for each in asked.networks])
        return
    for original in map(opened, asked.networks):
        if asked.release:
            by_deletions(original, asked.release, asked.shares)
        elif asked.budgets:
            by_budget(original, asked.budgets, asked.time)
        else:
            by_knowledge(original, asked.time)


def by_knowledge(original: nv.Network, seconds: float) -> None:
    """A row for each attacker and what she knows."""
    release = nv.anonymize(original, "5%", time=seconds, seed=1)
    print(f"\n{original.name}: {original.node_count:,} people, {release.outcome.at_risk_after:,} at risk")
    header("attacker", "knows", "found", "range", "wrong", "original", "random deletion")
    known = [Knowledge(known) for known in (1.0, 0.9, 0.75, 0.5, 0.25)]
    known += [Knowledge(known, "community") for known in (0.5, 0.25)]
    cases = [Case("weighing", each, REPEATS, 1) for each in known]
    for name in ("narayanan-shmatikov", "bumblebee", "percolation"):
        cases += [Case(name, Knowledge(seeds=seeds), REPEATS, 1) for seeds in seeds_for(original)]
        cases.append(Case(name, Knowledge(seeds=20, chosen="best-connected"), REPEATS, 1))
    cases += [Case(name, Knowledge(0.25, seeds=20), REPEATS, 1) for name in MATCHERS]
    for found in match_all(original, release.remaining, cases):
        row(*shown(found))
    whole = Case(STRONGEST, Knowledge(), 1, 0)
    started = time.process_time()
    list(match_all(original, release.remaining, [whole], threads=1))
    print(f"\nOne attack with all ties: {time.process_time() - started:.1f} CPU seconds")


def shown(matching: Matching) -> list[str]:
    """Cells of a row."""
    low, high = matching.release.found_range
    people = max(matching.release.people, 1)
    return [
        matching.attack,
        str(matching.knowledge),
        share_found(matching.release),
        f"{percentage(low, people)}–{percentage(high, people)}",
        matching.release.shown_wrong.share,
        share_found(matching.original),
        share_found(matching.random_deletion),
    ]


def share_found(score: Score) -> str:
    """The share of the people found."""
    return percentage(score.share_found)


def by_budget(original: nv.Network, budgets: list[int], seconds: float) -> None:
    """How many somebody finds who has the whole network, by the share of edges that may be deleted."""
    columns = ("deleted", "at risk", "found in the release", "found if all is spent at random")
    header(f"{original.name}: budget", *columns)
    rng = np.random.default_rng(1)
    for percent in budgets:
        release = nv.anonymize(original, f"{percent}%", time=seconds, seed=1)
        chosen = rng.choice(original.edge_count, release.outcome.budget, replace=False)
        case = Case("weighing", Knowledge(), REPEATS, 0)
        (found,) = match_all(original, release.remaining, [case])
        (at_random,) = match_all(original, original.without_edges(chosen), [case])
        row(
            f"{percent}%",
            percentage(len(release.outcome.deleted_edges), original.edge_count),
            f"{release.outcome.at_risk_after:,}",
            share_found(found.release),
            share_found(at_random.release),
        )


def large(nodes: int) -> None:
    """One attack by somebody who has the whole network, after 5% random deletions, on one thread."""
    spec = {"kind": "powerlaw-cluster", "nodes": nodes, "edges_per_node": 10, "triangles": 0.3, "seed": 1}
    original = generate(spec)
    rng = np.random.default_rng(1)
    remaining = original.without_edges(
        rng.choice(original.edge_count, original.edge_count // 20, replace=False)
    )
    started = time.process_time()
    nv.measure(original)
    measured = time.process_time() - started
    started = time.process_time()
    (found,) = match_all(original, remaining, [Case("weighing", Knowledge(), 1, 0)], threads=1)
    matched = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    cost = f"{matched:.0f}, {matched / measured:.0f} times measuring count"
    header("nodes", "edges", "found", "wrong", "CPU s", "memory at most, GB")
    size = f"{original.node_count:,}", f"{original.edge_count:,}"
    row(*size, share_found(found.release), found.release.shown_wrong.share, cost, f"{memory:.1f}")


def audits(networks: list[nv.Network]) -> None:
    """A row for each network: the default search and the audit of its release, everything compiled before."""
    header("network", "nodes", "edges", "search, s", "audit, s", "ratio", "attackers", "cases of matching")
    finished(audit_for(nv.anonymize(nv.load("demo"), seed=1, effort=0.01), Anonymization()))
    for network in networks:
        began = time.process_time()
        release = nv.anonymize(network, seed=1)
        searched = time.process_time() - began
        audit = finished(audit_for(release, Anonymization()))
        took = time.process_time() - began - searched
        figures = f"{searched:.1f}", f"{took:.1f}", f"{took / searched:.2f}"
        size = f"{network.node_count:,}", f"{network.edge_count:,}"
        row(network.name, *size, *figures, len(audit.attacks), len(audit.matching))


def by_deletions(original: nv.Network, folder: str, shares: list[int]) -> None:
    """Whom attackers find who know numbers of a person's surroundings, with three kinds of doubt."""
    given = open_released(folder)
    identity = identify(original, given.network, given.labels)
    if identity.people is None:
        raise SystemExit("it is not known who is who; give a release folder with its private part.")
    both, people = side_by_side(original, identity.released), original.node_count
    deleted = 1 - given.network.edge_count / original.edge_count
    header(f"{original.name}, {100 * deleted:.1f}% deleted", "±", "−", "−, 1")
    for name in (name for name, measure in MEASURES.items() if measure.only_falls):
        for distance in (1, 2):
            states = MEASURES[name].states(both, distance)
            known, published = states[:people], states[people:]
            for percent in shares:
                lowest, highest = bounds(known, Fraction(percent, 100))
                doubts = ((lowest, highest), (lowest, known), (lowest - 1, known))
                cells = (certain(tally(low, high, published)) for low, high in doubts)
                row(f"{name} {distance}, {percent}%", *cells)


def tally(lowest: IntMatrix, highest: IntMatrix, published: IntMatrix) -> Tally:
    """How an attack went whose candidates are within the bounds; row v is the same person everywhere."""
    within = np.array(
        [
            ((low <= published) & (published <= high)).all(axis=1)
            for low, high in zip(lowest, highest, strict=True)
        ]
    )
    return tally_of(within.sum(axis=1), np.diagonal(within))


def certain(found: Tally) -> str:
    """People found with certainty, and how often a guess is right."""
    return f"{found.found:,} · {100 * (found.success or 0):.1f}%"
