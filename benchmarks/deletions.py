"""Attackers who allow for deletions, beside those whose doubts go both ways: whom they find in a release.

    netveil anonymize ../shared/networks/fb-reed98.txt --time 10 --seed 1 --out reed
    python benchmarks/deletions.py ../shared/networks/fb-reed98.txt reed

For each measure of numbers and each distance, people found with certainty and how often a guess is right:
for numbers off by a share both ways (±), fallen by a share (−), and fallen by a share and one more (−, 1), as
small numbers may that have lost one tie.
"""

from __future__ import annotations

import argparse
from fractions import Fraction

import numpy as np

import netveil as nv
from netveil.anonymity import MEASURES
from netveil.anonymity.attackers import bounds
from netveil.anonymity.measure import only_falls
from netveil.auditing.attack import Tally, tally_of
from netveil.auditing.leaks import identify
from netveil.auditing.surroundings import side_by_side
from netveil.kernels.arrays import IntMatrix
from netveil.opening import open_released

SHARES = (3, 5, 10, 15, 20, 30)


def main() -> None:
    """Print a table for the release."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("original")
    parser.add_argument("released")
    parser.add_argument("--shares", type=int, nargs="+", default=SHARES, metavar="PERCENT")
    arguments = parser.parse_args()
    original, given = nv.read(arguments.original), open_released(arguments.released)
    identity = identify(original, given.network, given.labels)
    if identity.people is None:
        parser.error("it is not known who is who; give a release folder with its private part.")
    both, people = side_by_side(original, identity.released), original.node_count
    deleted = 1 - given.network.edge_count / original.edge_count
    print(f"| {original.name}, {100 * deleted:.1f}% deleted | ± | − | −, 1 |\n|---|---|---|---|")
    for name in (name for name, measure in MEASURES.items() if only_falls(measure)):
        for distance in (1, 2):
            states = MEASURES[name].states(both, distance)
            known, published = states[:people], states[people:]
            for percent in arguments.shares:
                lowest, highest = bounds(known, Fraction(percent, 100))
                cells = [
                    shown(tally(low, high, published))
                    for low, high in ((lowest, highest), (lowest, known), (lowest - 1, known))
                ]
                print(f"| {name} {distance}, {percent}% | {' | '.join(cells)} |", flush=True)


def tally(lowest: IntMatrix, highest: IntMatrix, published: IntMatrix) -> Tally:
    """How an attack went whose candidates are within the bounds; row v is the same person everywhere."""
    within = np.array(
        [
            ((low <= published) & (published <= high)).all(axis=1)
            for low, high in zip(lowest, highest, strict=True)
        ]
    )
    return tally_of(within.sum(axis=1), np.diagonal(within))


def shown(found: Tally) -> str:
    """People found with certainty, and how often a guess is right."""
    return f"{found.found:,} · {100 * (found.success or 0):.1f}%"


if __name__ == "__main__":
    main()
