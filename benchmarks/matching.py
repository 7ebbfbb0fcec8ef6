"""Attackers who match the whole network: whom they find, how that falls with the budget, what it costs.

    python benchmarks/matching.py ../shared/networks/fb-reed98.txt ../shared/networks/grqc.txt
    python benchmarks/matching.py ../shared/networks/fb-reed98.txt --budgets 1 5 10 20 40
    python benchmarks/matching.py --large 100000

The first makes a release of each network (5%, `--time` seconds, seed 1) and prints a row for each attacker
and what she knows. The second prints people found by somebody who has the whole network, in netveil's release
and if the whole budget is spent at random. The third prints what one attack on a network with ten times as
many edges as nodes costs: as a ratio to measuring `count` there, and in memory.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

import netveil as nv
from netveil.auditing.matching.knowledge import Knowledge
from netveil.auditing.matching.run_matching import REPEATS, Case, match_all, seeds_for
from netveil.auditing.matching.score import Matching, Score
from netveil.formatting import percentage
from netveil.registries import MATCHERS, STRONGEST
from netveil.studies.generators.base import generate


def main() -> None:
    """Print what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--budgets", type=int, nargs="+", metavar="PERCENT")
    parser.add_argument("--large", type=int, metavar="NODES")
    parser.add_argument("--time", type=float, default=10)
    arguments = parser.parse_args()
    if arguments.large:
        large(arguments.large)
    for path in arguments.networks:
        original = nv.read(path)
        if arguments.budgets:
            by_budget(original, arguments.budgets, arguments.time)
        else:
            by_knowledge(original, arguments.time)


def by_knowledge(original: nv.Network, seconds: float) -> None:
    """A row for each attacker and what she knows."""
    release = nv.anonymize(original, "5%", time=seconds, seed=1)
    print(f"\n{original.name}: {original.node_count:,} people, {release.outcome.at_risk_after:,} at risk")
    print(
        "| attacker | knows | found | range | wrong | original | random deletion |"
        "\n|---|---|---|---|---|---|---|"
    )
    known = [Knowledge(known) for known in (1.0, 0.9, 0.75, 0.5, 0.25)]
    known += [Knowledge(known, "community") for known in (0.5, 0.25)]
    cases = [Case("weighing", each, REPEATS, 1) for each in known]
    for name in ("narayanan-shmatikov", "bumblebee", "percolation"):
        cases += [Case(name, Knowledge(seeds=seeds), REPEATS, 1) for seeds in seeds_for(original)]
        cases.append(Case(name, Knowledge(seeds=20, chosen="best-connected"), REPEATS, 1))
    cases += [Case(name, Knowledge(0.25, seeds=20), REPEATS, 1) for name in MATCHERS]
    for row in match_all(original, release.remaining, cases):
        print(shown(row), flush=True)
    whole = Case(STRONGEST, Knowledge(), 1, 0)
    started = time.process_time()
    list(match_all(original, release.remaining, [whole], threads=1))
    print(f"\nOne attack with all ties: {time.process_time() - started:.1f} CPU seconds")


def shown(row: Matching) -> str:
    """A row of the table."""
    low, high = row.release.found_range
    people = max(row.release.people, 1)
    cells = [
        row.attack,
        str(row.knowledge),
        found(row.release),
        f"{percentage(low, people)}–{percentage(high, people)}",
        row.release.shown_wrong.share,
        found(row.original),
        found(row.random_deletion),
    ]
    return f"| {' | '.join(cells)} |"


def found(score: Score) -> str:
    """The share of the people found."""
    return percentage(score.share_found)


def by_budget(original: nv.Network, budgets: list[int], seconds: float) -> None:
    """How many somebody finds who has the whole network, by the share of edges that may be deleted."""
    columns = ("budget", "deleted", "at risk", "found in the release", "found if all is spent at random")
    print(f"\n| {original.name}: {' | '.join(columns)} |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for percent in budgets:
        release = nv.anonymize(original, f"{percent}%", time=seconds, seed=1)
        chosen = rng.choice(original.edge_count, release.outcome.budget, replace=False)
        case = Case("weighing", Knowledge(), REPEATS, 0)
        (row,) = match_all(original, release.remaining, [case])
        (at_random,) = match_all(original, original.without_edges(chosen), [case])
        cells = [
            f"{percent}%",
            percentage(len(release.outcome.deleted_edges), original.edge_count),
            f"{release.outcome.at_risk_after:,}",
            found(row.release),
            found(at_random.release),
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


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
    (row,) = match_all(original, remaining, [Case("weighing", Knowledge(), 1, 0)], threads=1)
    matched = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(
        f"{original.node_count:,} nodes, {original.edge_count:,} edges: found {found(row.release)}, wrong "
        f"{row.release.shown_wrong.share}; {matched:.0f} CPU seconds, {matched / measured:.0f} times "
        f"measuring count; at most {memory:.1f} GB in memory"
    )


if __name__ == "__main__":
    main()
