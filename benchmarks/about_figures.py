"""How much about.json tells of the deletions: sets of missing ties that would give the very same one.

    python benchmarks/about_figures.py [--releases 8] [--sets 50]

For each network and number of deletions: random deletions (several releases) and a release that netveil
searched for; for each of these the share of random sets of as many missing ties that give the same
about.json, all figures together. The least and the mean are printed.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

import netveil as nv
from netveil.anonymity import anonymity_of
from netveil.auditing.figure_leaks import AddedTies
from netveil.network import Network
from netveil.release.records import public_record
from netveil.release.release import Release
from netveil.utility import compare


def counted(release: Release, original: Network, deleted: np.ndarray) -> Release:
    """The release of an original, less some edges, counted from scratch."""
    attackers = release.outcome.attackers.each
    before, after = (anonymity_of(each, attackers, 2) for each in (original, original.without_edges(deleted)))
    outcome = replace(
        release.outcome,
        deleted_edges=deleted,
        at_risk_before=before.at_risk,
        unique_before=before.unique,
        at_risk_after=after.at_risk,
        unique_after=after.unique,
    )
    return Release(original, outcome)


def record_of(release: Release) -> dict[str, object]:
    """Its about.json."""
    return public_record(release, compare(release.original, release.remaining))


def share_alike(release: Release, sets: int, rng: np.random.Generator) -> float:
    """Of random sets of missing ties, how many give the same about.json."""
    added, published = AddedTies(release.remaining), record_of(release)
    same = tried = 0
    for ties in added.random_sets(len(release.outcome.deleted_edges), 4 * sets, rng)[:sets]:
        candidate = added.with_ties(ties)
        number = {tuple(edge): place for place, edge in enumerate(candidate.edges.tolist())}
        deleted = np.array(sorted(number[tuple(tie)] for tie in ties.tolist()))
        same += record_of(counted(release, candidate, deleted)) == published
        tried += 1
    return same / tried


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--releases", type=int, default=8)
    parser.add_argument("--sets", type=int, default=50)
    asked = parser.parse_args()
    rng = np.random.default_rng(1)
    print("| network | deletions | random deletions: least | mean | searched for |\n|---|---|---|---|---|")
    for name, numbers in (("karate", (1, 2, 3)), ("demo", (1,))):
        network = nv.load(name)
        releases, sets = (asked.releases, asked.sets) if name == "karate" else (2, asked.sets // 5)
        for number in numbers:
            searched = nv.anonymize(network, number, seed=1, effort=0.05)
            shares = [
                share_alike(
                    counted(
                        searched, network, np.sort(rng.choice(network.edge_count, number, replace=False))
                    ),
                    sets,
                    rng,
                )
                for _ in range(releases)
            ]
            own = share_alike(searched, sets, rng)
            print(
                f"| {name} | {number} | {min(shares):.0%} | {np.mean(shares):.0%} | {own:.0%} |", flush=True
            )


if __name__ == "__main__":
    main()
