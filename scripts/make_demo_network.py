"""Make the built-in network `demo`: writes src/netveil/data/demo.npy, the same bytes each time.

The network is made up, so nobody is in it, but it looks like the friendships at a small college. People live
in houses of different sizes in a unit square, differ widely in how sociable they are, and befriend whom they
live near; some friendships arise by chance, anywhere. (A geometric inhomogeneous random graph, the model of
Bringmann, Keusch and Lengler, 2019, with houses added.) Nearness is what closes triangles.

Constants and seed were chosen to come close to fb-reed98, a real college network [its figures]:

nodes 1,000 [962], edges 16,654 [18,812]; degree: median 24, highest 251, 31 people of 1 to 3;
mean local clustering 0.35 [0.33], transitivity 0.27; mean distance 2.48 [2.46], diameter 5 [6];
one component of 997 people and 3 isolated people; 20 houses of 18 to 178 people, which the Louvain method
sees as about 7 communities (modularity 0.5);
741 people [748 of 962] are unique in (degree, triangles).

Everything is drawn by `Generator.random`, the draw least likely to change between versions of numpy, and the
file is not compressed, as a compressor's bytes depend on its version.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DEMO_FILE = Path(__file__).parents[1] / "src" / "netveil" / "data" / "demo.npy"

SEED = 229
PEOPLE = 1000
HOUSES = 20
HOUSE_RADIUS = 0.15  # how far from the middle of their house people may live along each axis
SOCIABILITY_SPREAD = 0.42  # 0: all equally sociable; the higher, the larger the hubs
REACH = 0.002  # squared distance at which two people of median sociability are friends in half of all cases
CHANCE = 0.0038  # probability that they are friends wherever they live


def sociabilities(rng: np.random.Generator) -> NDArray[np.float64]:
    """How sociable each person is: log-logistic, so heavy-tailed, with median 1."""
    luck = rng.random(PEOPLE)
    return (luck / (1 - luck)) ** SOCIABILITY_SPREAD


def homes(rng: np.random.Generator) -> NDArray[np.float64]:
    """Where each person lives, (PEOPLE, 2): about the middle of a house; house sizes fall with rank."""
    size = 1 / np.arange(2, HOUSES + 2) ** 0.8
    house = np.searchsorted(np.cumsum(size / size.sum())[:-1], rng.random(PEOPLE))
    middle = rng.random((HOUSES, 2))[house]
    return middle + HOUSE_RADIUS * (rng.random((PEOPLE, 2)) - rng.random((PEOPLE, 2)))


def friendships() -> NDArray[np.int64]:
    """The edges of the network, (m, 2): smaller person first, in ascending order."""
    rng = np.random.default_rng(SEED)
    sociability, home = sociabilities(rng), homes(rng)
    first, second = np.triu_indices(PEOPLE, 1)
    attraction = sociability[first] * sociability[second]
    squared_distance = ((home[first] - home[second]) ** 2).sum(axis=1)
    nearness = (REACH * attraction / squared_distance) ** 2
    stay_strangers = 1 / (1 + nearness) * (1 - np.minimum(1, CHANCE * attraction))
    friends = rng.random(len(first)) < 1 - stay_strangers
    return np.column_stack((first[friends], second[friends]))


def write_demo_network(path: Path) -> None:
    """Write the number of nodes n, then the gaps between the ascending keys u * n + v of the edges (u, v)."""
    edges = friendships()
    keys = edges[:, 0] * PEOPLE + edges[:, 1]
    np.save(path, np.concatenate(([PEOPLE], np.diff(keys, prepend=0))).astype("<u2"))


if __name__ == "__main__":
    write_demo_network(DEMO_FILE)
