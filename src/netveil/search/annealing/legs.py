"""How far a search has come: by proposals made, or by the clock where time is limited."""

from __future__ import annotations

from netveil.search.control import Control

LEGS = 200  # of a walk whose length is fixed: after each, the caller is heard
SHORTEST_LEG, LONGEST_LEG = 5_000, 100_000  # proposals, where the length is fixed
SHORTEST_SLOW_LEG = 5  # where states are slow to follow
SECONDS_OF_LEG = 0.1  # where time is limited
FIRST_GUESS = 200  # proposals a second: a short first leg tells how many there really are
ABOUT_A_SECOND = 1_000_000  # proposals of a chain, on machines of 2024: a schedule must not depend on a clock


class Legs:
    """Cuts a walk into legs. Of fixed length, the legs do not depend on how fast the machine is."""

    def __init__(
        self, proposals: int, control: Control, part: tuple[float, float] = (0.0, 1.0), slow: bool = False
    ) -> None:
        """A walk of so many proposals, or over that part of the time where time is limited."""
        self.control = control
        self.shortest = SHORTEST_SLOW_LEG if slow else SHORTEST_LEG
        self.first_guess = 0 if slow else FIRST_GUESS  # of slow ones the first is a leg of its own
        self.planned = proposals
        self.part = part
        self.made = 0  # proposals
        self.share = 0.0  # of the walk done

    def next_leg(self) -> tuple[int, float, float]:
        """Proposals of the next leg, and the shares of the walk at which it begins and ends."""
        since = self.share
        if self.control.time_limit is None:
            leg = min(max(self.planned // LEGS, self.shortest), LONGEST_LEG)
            proposals = min(leg, self.planned - self.made)
            self.share = (self.made + proposals) / self.planned
        else:
            start, end = (part * self.control.time_limit for part in self.part)
            passed = max(self.control.seconds - start, 0.0)
            length = min(SECONDS_OF_LEG, (end - start) / 20)
            rate = self.made / passed if self.made and passed else self.first_guess
            proposals = max(1, int(rate * length))
            is_over = end <= start  # what came before may have taken all the time
            self.share = 1.0 if is_over else min(1.0, max(since, (passed + length) / (end - start)))
        self.made += proposals
        return proposals, since, self.share

    @property
    def about(self) -> float:
        """About how many proposals the walk makes, also where a clock ends it."""
        if self.control.time_limit is None:
            return self.planned
        start, end = self.part
        return (end - start) * self.control.time_limit * ABOUT_A_SECOND

    @property
    def share_of_search(self) -> float:
        """Share of the whole search that is done, of which this walk is a part."""
        start, end = self.part
        return start + self.share * (end - start)

    @property
    def at_the_end(self) -> bool:
        """Whether the walk is over."""
        if self.control.time_limit is None:
            return self.made >= self.planned
        return self.control.seconds >= self.part[1] * self.control.time_limit


class Allowance:
    """What a search may spend, of which its walks take parts: so many proposals of each chain, or a time."""

    def __init__(self, proposals: int, control: Control, slow: bool) -> None:
        self.proposals, self.control, self.slow = proposals, control, slow
        self.walks: list[Legs] = []

    @property
    def done(self) -> float:
        """Share that is done, from 0 to 1."""
        if self.control.time_limit is not None:
            return min(1.0, self.control.seconds / self.control.time_limit)
        return min(1.0, sum(legs.made for legs in self.walks) / self.proposals)

    @property
    def is_left(self) -> bool:
        """Whether there is anything left to do."""
        return self.done < 1.0

    def share_of(self, proposals: int) -> float:
        """The share that so many proposals of each chain are; about, where a clock ends the search."""
        limit = self.control.time_limit
        return proposals / (self.proposals if limit is None else limit * ABOUT_A_SECOND)

    def walk(self, share: float) -> Legs:
        """The next walk: this share of all work, or what is left of it, if that is less."""
        start = self.done
        end = min(start + share, 1.0)
        legs = Legs(max(1, round((end - start) * self.proposals)), self.control, (start, end), self.slow)
        self.walks.append(legs)
        return legs
