"""What an annealing walk is to do next."""

from __future__ import annotations

from typing import NamedTuple


class Leg(NamedTuple):
    """What to do until the caller looks again. Temperature and smoothing go from one value to another."""

    proposals: int
    budget: int
    enough: int  # nodes at risk below which fewer are not better
    worth: float  # what a deleted edge is worth while too many are at risk, in nodes at risk
    price: float  # what it costs once few enough are
    temperature: tuple[float, float]
    picky: bool  # whether edges on few triangles are much preferred, or only somewhat
    smoothing: tuple[float, float]  # what being alone at all coarser levels counts, in nodes at risk
