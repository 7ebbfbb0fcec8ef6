"""Published figures of the paper (Bonello et al., Table 1 and appendix).

Numbers are as printed, odd ones included (0.9 for what is 0.99 by its own columns); a test reads the paper's
LaTeX and compares every one of them.
"""

from __future__ import annotations

PAPER_ALGORITHMS = ("es", "ua", "ga", "uga")
GENETIC = ("ga", "uga")
PAIRS = (("es", "ga"), ("es", "uga"), ("ua", "ga"), ("ua", "uga"), ("ga", "uga"))
"""Algorithms that Table 1 compares, in the order of its columns: by how much the second is better."""

CONFIGURATIONS = ("conf1", "conf2", "conf3", "conf4")
TUNED_NETWORKS = ("grqc", "college-msg", "blogs")
"""Networks on which the paper tunes hyperparameters, in the order of its figure."""

TITLES = {
    "fb-reed98": "FB Reed98",
    "blogs": "Blogs",
    "fb-simmons": "FB Simmons",
    "college-msg": "College msg.",
    "grqc": "GRQC collab.",
}
"""The networks as the paper calls them, in its order, by the names that they have here."""

PROPERTY_NAMES = (
    *("nodes", "edges", "average degree", "clustering", "largest component", "diameter"),
    *("average distance", "uniqueness", "unique nodes"),
)
WHOLE = {"nodes", "edges", "diameter", "unique nodes"}  # properties that are whole numbers
PROPERTIES: dict[str, tuple[float, ...]] = {
    "fb-reed98": (962, 18_812, 39.11, 0.33, 1.00, 6, 2.46, 0.78, 748),
    "blogs": (1_224, 16_715, 27.31, 0.36, 1.00, 8, 2.74, 0.49, 598),
    "fb-simmons": (1_518, 32_988, 43.46, 0.33, 1.00, 7, 2.57, 0.79, 1_192),
    "college-msg": (1_899, 13_838, 14.57, 0.14, 1.00, 8, 3.06, 0.24, 454),
    "grqc": (5_242, 14_484, 5.53, 0.69, 0.79, 17, 6.05, 0.05, 285),
}
"""Table 1 (tab:combined), left half."""

REDUCTIONS = {
    "fb-reed98": (34, 38, 391, 391),
    "blogs": (11, 13, 313, 310),
    "fb-simmons": (26, 41, 585, 567),
    "college-msg": (31, 38, 308, 318),
    "grqc": (2, 0, 192, 204),
}
"""Table 1 (tab:combined), right half: fewer unique nodes by each algorithm, means of 5 runs."""

FACTORS: dict[str, tuple[float | None, ...]] = {
    "fb-reed98": (11.44, 11.42, 10.43, 10.41, 1.00),
    "blogs": (29.79, 29.50, 23.23, 23.01, 0.9),
    "fb-simmons": (22.35, 21.65, 14.15, 13.71, 0.97),
    "college-msg": (10.10, 10.43, 8.11, 8.38, 1.03),
    "grqc": (100.84, 107.16, None, None, 1.06),
}
"""Improvement factors for each of PAIRS; None where the divisor is 0."""

GA_EQUALS_UGA = ("fb-reed98", "blogs", "fb-simmons", "grqc")
"""Networks where † marks the last pair as not significant; no other pair is ever marked."""

FINAL = {
    ("ga", "fb-reed98"): ((398, 15), (357, 8), (386, 11), (359, 14)),
    ("ga", "blogs"): ((289, 6), (285, 6), (308, 15), (312, 6)),
    ("ga", "fb-simmons"): ((607, 15), (671, 19), (673, 17), (641, 29)),
    ("ga", "college-msg"): ((153, 6), (146, 3), (147, 3), (159, 7)),
    ("ga", "grqc"): ((93, 6), (94, 11), (94, 5), (96, 3)),
    ("uga", "fb-reed98"): ((359, 5), (357, 7), (382, 18), (395, 14)),
    ("uga", "blogs"): ((288, 8), (299, 6), (297, 11), (309, 11)),
    ("uga", "fb-simmons"): ((653, 17), (667, 16), (625, 31), (686, 166)),
    ("uga", "college-msg"): ((144, 4), (136, 7), (145, 12), (146, 12)),
    ("uga", "grqc"): ((88, 6), (88, 3), (86, 3), (81, 6)),
}
"""The appendix's last table (tab:top4): unique nodes left by conf1 to conf4, mean and standard deviation."""
