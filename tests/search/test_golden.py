"""Golden runs: the edges that seeded searches delete, frozen, so that no change to a kernel goes unnoticed.

A digest may change when a search is meant to change, and never otherwise: a faster kernel, another layout of
arrays or a newer numba finds the very same edges. It stands for whole searches, hundreds of thousands of
random decisions each, so one bit that is off anywhere shows. A decision compares floating-point numbers, with
the logarithm of the system's library in one of them: on a platform whose logarithm rounds otherwise a digest
may differ though nothing is wrong. None that we tried does.

After a change that is meant, run `PYTHONPATH=tests:tests/in_children python tests/search/test_golden.py`
and put its output in place of GOLDEN.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest

import netveil as nv
from netveil.search import ALGORITHMS
from searches import COMPARED_WITH, outcome_of

OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "k = 3": {"k": 3},
    "limits": {"keep": {"clustering": "2%", "lcc": "1%"}},
    "curve": {"curve": True},
    **{
        name: {"attacker": {"measures": name}}
        for name in ("degree", "degree-distribution", "vertex-refinement", "ego")
    },
    "target": {"target": "99%", "budget": None},
    "start": {"start": np.arange(40)},
    "protected": {"protect": np.arange(0, 3000, 2)},
    "degree limit": {"keep": {"degree": "20%"}},
    "loose limits": {
        "attacker": {"measures": "degree-distribution"},
        "keep": {"clustering": "20%", "lcc": "5%"},
    },
    "count at distance 2": {"attacker": {"distance": 2}},
    "fuzzy": {"attacker": {"fuzzy": "10%"}},
    "twins": {"attacker": {"twins": True}},
    "faithful": {"config": "faithful"},
    "two attackers": {"attacker": {"measures": ["count", "vertex-refinement"]}},
}
"""What differs from a quick search for k = 2 against `count`, by the end of a run's name."""

GOLDEN: dict[str, str] = {
    "annealing on demo": "121 at risk, 1557 deleted, dbe028c774ab19da",
    "ga on demo": "464 at risk, 1046 deleted, 355de42cbbb3ed07",
    "uga on demo": "472 at risk, 1000 deleted, dfd3d6d209a0478d",
    "es on demo": "677 at risk, 1565 deleted, 7d18fabda1ae1050",
    "ua on demo": "680 at risk, 1648 deleted, 8f0c5594a6692ecd",
    "annealing on karate, k = 3": "7 at risk, 5 deleted, 858a779b95e30e4c",
    "ga on karate, k = 3": "9 at risk, 7 deleted, cf63c259258d284c",
    "uga on karate, k = 3": "9 at risk, 7 deleted, cf63c259258d284c",
    "es on karate, k = 3": "13 at risk, 7 deleted, 19d40dc45cc84baf",
    "ua on karate, k = 3": "14 at risk, 5 deleted, 6dbd4ddcbc687de4",
    "annealing on demo, limits": "122 at risk, 1549 deleted, f7784e8970e8b9cc",
    "ga on demo, limits": "625 at risk, 117 deleted, bfcba8652076d717",
    "uga on demo, limits": "633 at risk, 112 deleted, 59a916ada8a61e84",
    "es on demo, limits": "686 at risk, 998 deleted, 6ec4fde378fa51b2",
    "ua on demo, limits": "702 at risk, 1515 deleted, f144bdae5bf9e6c2",
    "annealing on demo, degree": "2 at risk, 365 deleted, b499611cc7738b04",
    "annealing on demo, target": "10 at risk, 8033 deleted, cb0c21a2fdad30c1",
    "annealing on demo, curve": "129 at risk, 1487 deleted, 4028af8e2777f233",
    "annealing on demo, start": "127 at risk, 1581 deleted, 44710d0a2e792106",
    "annealing on demo, protected": "127 at risk, 1534 deleted, 559766eb56627c32",
    "annealing on demo, degree limit": "171 at risk, 1416 deleted, 0606aa7699f02dbb",
    "plain annealing on demo, degree-distribution": "716 at risk, 552 deleted, 8613d1ed4146364c",
    "plain annealing on demo, vertex-refinement": "936 at risk, 322 deleted, b05b9078afa2146a",
    "plain annealing on karate, loose limits": "6 at risk, 6 deleted, f3ac1d6aa49590ec",
    "plain annealing on karate, ego": "8 at risk, 4 deleted, 978e1613dc01765b",
    "plain annealing on karate, count at distance 2": "21 at risk, 1 deleted, c2356069e9d1e79c",
    "plain annealing on karate, fuzzy": "2 at risk, 6 deleted, 67230f34bc47891a",
    "plain annealing on karate, twins": "6 at risk, 5 deleted, 87ef1c991e7abc13",
    "plain annealing on karate, two attackers": "15 at risk, 4 deleted, a6de77029ee16299",
    "uga on karate, faithful": "4 at risk, 7 deleted, 769d3b8737f184e1",
    "uga on karate, two attackers": "15 at risk, 7 deleted, 2d5e0d70a9664951",
    "greedy on demo": "238 at risk, 887 deleted, ed93de5edd6883eb",
    "class-targeted on demo": "227 at risk, 1409 deleted, 1446f530990f65bc",
    "sana on demo": "376 at risk, 726 deleted, 39db139ca479787e",
    "greedy on karate, k = 3": "8 at risk, 5 deleted, 393ebd20b6fa495f",
    "class-targeted on karate, k = 3": "8 at risk, 5 deleted, 3ad0f833a142812a",
    "sana on karate, k = 3": "9 at risk, 7 deleted, cb4f06563163160a",
    "greedy on karate, two attackers": "10 at risk, 7 deleted, 30a30fdd8bd28de4",
    "class-targeted on demo, limits": "240 at risk, 731 deleted, 4e1727b3493f0be3",
    "sana on demo, limits": "376 at risk, 726 deleted, 39db139ca479787e",
    "ua on karate, ego": "13 at risk, 3 deleted, 227ffcc92fc31f56",
}


def digest_of(name: str) -> str:
    """Digest of the edges that a quick search deletes, and of those of every point of its curve."""
    run, _, what = name.partition(", ")
    algorithm, network = run.removeprefix("plain ").split(" on ")
    outcome = outcome_of(nv.load(network), algorithm, **OPTIONS[what])
    found = [outcome.deleted_edges, *(point.deleted_edges for point in outcome.curve)]
    text = " | ".join(",".join(map(str, edges.tolist())) for edges in found)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{outcome.at_risk_after} at risk, {len(outcome.deleted_edges)} deleted, {digest}"


QUICK = {
    "annealing on demo",
    "uga on demo",
    "es on demo",
    "annealing on demo, limits",
    "annealing on demo, degree",
}


def is_quick(name: str) -> bool:
    """Whether it is short and needs no kernel that no other quick test needs."""
    algorithm, _, problem = name.partition(" on ")
    is_short = problem.startswith("karate") and problem != "karate, loose limits"
    return is_short and (algorithm not in COMPARED_WITH or problem == "karate, k = 3")


@pytest.mark.quick(8)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICK or is_quick(name) else pytest.mark.thorough)
        for name in GOLDEN
    ],
)
def test_a_seeded_search_deletes_the_very_same_edges(name: str) -> None:
    assert digest_of(name) == GOLDEN[name]


def test_every_algorithm_has_a_golden_run() -> None:
    assert {name.split(" on ")[0].removeprefix("plain ") for name in GOLDEN} == set(ALGORITHMS)


if __name__ == "__main__":
    import conftest  # noqa: F401 - how long tests search small networks

    print("GOLDEN: dict[str, str] = {")
    for each in GOLDEN:
        print(f'    "{each}": "{digest_of(each)}",')
    print("}")
