"""De-anonymizing social networks: Narayanan and Shmatikov (2009).

From people who are recognised beforehand to their contacts: a pair of people scores 1/√degree for each
contact that is matched to a contact. It is matched if the best score is far ahead of the second best, and
the same match comes out when both networks are exchanged. Matches are looked at again in every round.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netveil.auditing.matching.matcher import Claims, Situation
from netveil.auditing.matching.seeded import Rule, propagated

RULE = Rule(theta=0.5, by_degree=True)


class NarayananShmatikov:
    """Goes from contact to contact, where the best match is far ahead of the second best."""

    name = "narayanan-shmatikov"
    title = "goes from people she recognises to contacts who fit far better than others"
    paper = "Narayanan and Shmatikov (2009)"
    needs_seeds = True

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Match from the seeds on, in rounds."""
        return propagated(situation, RULE, go_on)
