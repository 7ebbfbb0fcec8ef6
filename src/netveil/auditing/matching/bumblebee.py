"""Bumblebee: Gulyás, Simon and Imre (2016).

As Narayanan and Shmatikov, with another score: a contact in common is worth the more the more alike two
people are in their number of contacts, (smaller / larger)^0.5. So a lower threshold does, and hubs do not
win everybody.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from netveil.auditing.matching.matcher import Claims, Situation
from netveil.auditing.matching.seeded import Rule, propagated

RULE = Rule(theta=0.01, power=0.5)


class Bumblebee:
    """Goes from contact to contact, and minds that both have about as many contacts."""

    name = "bumblebee"
    title = "goes from people she recognises to contacts with about as many contacts"
    paper = "Gulyás, Simon and Imre (2016)"
    needs_seeds = True

    def claims(self, situation: Situation, rng: np.random.Generator, go_on: Callable[[], None]) -> Claims:
        """Match from the seeds on, in rounds."""
        return propagated(situation, RULE, go_on)
