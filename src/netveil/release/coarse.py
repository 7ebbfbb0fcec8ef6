"""How coarsely a release may speak of its original: the one rule for all figures in about.json.

Whoever holds the published network can add ties to it until a figure of the original comes out. So a figure
of the original is only given to a step that depends on what is published anyway, and is about what twenty
deletions change. It is the *released* figure, rounded to that step, wherever this is true of the original
as well, to within a step: then nobody learns more than that. docs/decisions.md says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

FINEST = Fraction(1, 20)  # of a figure's size: no step is smaller
DELETIONS_HIDDEN = 20  # a step is at least what so many deletions change, as a share of the edges
COARSEST = Fraction(1, 2)  # of a figure's size: beyond, a figure says nothing and is left out
TWICE = 2  # as coarse: people at risk, whom the search moves most, and similarities, which are partly chance
FINEST_WHOLE = 5  # a diameter or a number of components

LADDER = tuple(Fraction(each, 100) for each in (1, 2, 5, 10, 20, 50, 100))
NUMBERS_ON_A_RUNG = 3  # so many numbers of deletions fit below each step of the ladder, at least
MOST_DIGITS = 3


@dataclass(frozen=True)
class Told:
    """A figure as it is published, and how far the true one may be from it; None where it is left out."""

    figure: float | None
    within: float | None


LEFT_OUT = Told(None, None)


@dataclass(frozen=True)
class Coarseness:
    """How coarsely a release with so many published edges speaks of its original."""

    edges: int

    def share(self, times: int = 1) -> Fraction | None:
        """The step as a share of a figure's size; None if the network is too small to say anything."""
        if self.edges == 0:
            return None
        share = times * max(FINEST, Fraction(DELETIONS_HIDDEN, self.edges))
        return None if share > COARSEST else share

    def tell(self, hidden: float | None, known: float | None) -> Told:
        """A figure of the original; `known` is the same of the release.

        >>> Coarseness(15_849).tell(hidden=0.3535, known=0.3722)
        Told(figure=0.35, within=0.05)
        """
        return self._tell(hidden, known, self.share())

    def tell_of_both(self, hidden: float | None, if_equal: float | None) -> Told:
        """A figure of the two networks together, such as a similarity; `if_equal` is that of equal ones."""
        return self._tell(hidden, if_equal, self.share(TWICE))

    def _tell(self, hidden: float | None, known: float | None, share: Fraction | None) -> Told:
        if share is None or known is None:
            return LEFT_OUT
        step = step_above(share * max(Fraction(abs(known)), Fraction(1)))
        return _told(hidden, known, max(step, Decimal(FINEST_WHOLE)) if isinstance(known, int) else step)

    def tell_people(self, hidden: int, known: int, nodes: int) -> Told:
        """A number of people at risk in the original, of all its nodes."""
        share = self.share(TWICE)
        if share is None or nodes == 0:
            return LEFT_OUT
        step = step_above(share * nodes)
        return _told(hidden, known, max(step, Decimal(FINEST_WHOLE)))

    def bound(self, part: int) -> float:
        """An upper bound on deletions (or on a budget) as a share of the original's edges; 0 for none.

        >>> Coarseness(75).bound(3), Coarseness(75).bound(1), Coarseness(16_653).bound(1)
        (0.05, 0.05, 0.01)
        """
        if part == 0:
            return 0.0
        return self.bound_of(Fraction(part, self.edges + part))

    def bound_of(self, share: Fraction) -> float:
        """The lowest rung of the ladder that is not below a share and has room for several numbers."""
        return float(next(rung for rung in LADDER if rung >= max(share, self.least_share)))

    @property
    def least_share(self) -> Fraction:
        """The least share of the original's edges that is several numbers of them."""
        return Fraction(NUMBERS_ON_A_RUNG, self.edges + NUMBERS_ON_A_RUNG)


def step_above(size: Fraction) -> Decimal:
    """The smallest of 1, 2 and 5 times a power of ten that is not below a positive number.

    >>> step_above(Fraction(3, 100)), step_above(Fraction(40)), step_above(Fraction(1, 2))
    (Decimal('0.05'), Decimal('5E+1'), Decimal('0.5'))
    """
    exponent = Decimal(size.numerator / size.denominator).adjusted() - 1
    while True:
        for digit in (1, 2, 5):
            step = Decimal(digit).scaleb(exponent)
            if Fraction(step) >= size:
                return step
        exponent += 1


def is_setting(share: Fraction) -> bool:
    """Whether a share has few enough digits to be what a user typed, and not made from a number of edges.

    >>> is_setting(Fraction("0.05")), is_setting(Fraction("12.5") / 100), is_setting(Fraction(3, 78))
    (True, True, False)
    """
    return share == Fraction(f"{float(share):.{MOST_DIGITS}g}")


def _told(hidden: float | None, known: float, step: Decimal) -> Told:
    """The known figure, rounded, if the hidden one is no more than a step from it; else that one, rounded.

    A hidden figure that does not exist is within any step: that it does not exist would tell, too.
    """
    published = _rounded(known, step)
    if hidden is not None and abs(Fraction(hidden) - Fraction(published)) > Fraction(step):
        step = max(step, step_above(FINEST * Fraction(abs(hidden)))) if hidden else step  # few digits
        published = _rounded(hidden, step)
    if published == 0 and known != 0:
        return LEFT_OUT  # no digit is left
    if isinstance(known, int):
        return Told(int(published), int(step))
    return Told(float(published), float(step))


def _rounded(value: float, step: Decimal) -> Decimal:
    """The nearest multiple of a step."""
    return (Decimal(value) / step).quantize(Decimal(1), ROUND_HALF_EVEN) * step + 0  # + 0: never -0
