"""An attacker: a measure, how far it reaches, and how exact her knowledge is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from netveil.anonymity.fuzzy import similar_counts
from netveil.anonymity.measure import Measure, title_of
from netveil.anonymity.own import OwnMeasure
from netveil.anonymity.twins import one_of_each_twin_class
from netveil.errors import SettingError, is_whole, option
from netveil.kernels.arrays import IntMatrix, IntVector
from netveil.network import Network
from netveil.share import percent

if TYPE_CHECKING:
    from netveil.anonymity.partition import Sized

MOST_DISTANCE = 100  # in networks of people, everybody who is connected is nearer than that


@dataclass(frozen=True)
class Attacker:
    """Somebody who wants to find a person in a published network, and what she knows."""

    measure: Measure
    distance: int = 1  # how far around the person her knowledge reaches
    fuzzy: Fraction | None = None  # φ: by which share the numbers that she knows may be off
    twins: bool = False  # whether people who have the same contacts count as one lookalike

    def __post_init__(self) -> None:
        if not is_whole(self.distance) or not 1 <= self.distance <= MOST_DISTANCE:
            raise SettingError(f"distance {self.distance}: give a whole number from 1 to {MOST_DISTANCE}.")
        if not isinstance(self.twins, bool | np.bool_):
            raise SettingError(f"twins {self.twins!r}: give True or False.")
        object.__setattr__(self, "distance", int(self.distance))  # JSON does not take numpy's numbers
        object.__setattr__(self, "twins", bool(self.twins))
        if isinstance(self.measure, OwnMeasure) and self.fuzzy is not None and self.twins:
            raise SettingError(
                f"measure {self.measure.name} is your own and may tell twins apart: leave fuzzy or twins out."
            )
        if self.fuzzy is not None and not self.measure.numeric:
            raise SettingError(
                f"measure {self.measure.name} cannot be fuzzy: its states are not numbers; leave fuzzy out, "
                f"or choose degree, count or edge-count."
            )

    @property
    def name(self) -> str:
        """The measure, and what is special about this attacker."""
        parts = [self.measure.name]
        if self.distance != 1:
            parts.append(f"distance {self.distance}")
        if self.fuzzy is not None:
            parts.append(f"fuzzy {percent(self.fuzzy)}")
        if self.twins:
            parts.append("twin classes")
        return ", ".join(parts)

    @property
    def knowledge(self) -> str:
        """What she knows, as the end of "an attacker who …"."""
        return f"{self.measure.attacker}{self._how_far_and_how_exact}"

    @property
    def title(self) -> str:
        """A name that people understand, as the end of "somebody who …"; `name` is for those who know."""
        return f"{title_of(self.measure)}{self._how_far_and_how_exact}"

    @property
    def _how_far_and_how_exact(self) -> str:
        farther = "" if self.distance == 1 else f", up to distance {self.distance}"
        return farther + ("" if self.fuzzy is None else f", each number to within {percent(self.fuzzy)}")

    def states(self, network: Network) -> IntMatrix:
        """One row a node, equal rows exactly for nodes with the same state."""
        return self.measure.states(network, self.distance)

    def lookalikes(self, network: Sized, states: IntMatrix, class_of: IntVector) -> IntVector:
        """How many look like each node (n), itself included: nodes, or classes of twins among them."""
        if not self.twins and self.fuzzy is None:
            return np.bincount(class_of)[class_of]
        if not self.twins:
            return similar_counts(states, states, self.fuzzy)
        if not isinstance(network, Network):
            raise SettingError(f"twins are found in the network itself; leave {option('twins', True)} out.")
        counted = one_of_each_twin_class(network, class_of)
        return similar_counts(states, states[counted], self.fuzzy)

    def to_dict(self) -> dict[str, object]:
        """The attacker as records keep it; `recorded_attackers` reads it back."""
        fuzzy = None if self.fuzzy is None else str(self.fuzzy)
        return {"measure": self.measure.name, "distance": self.distance, "fuzzy": fuzzy, "twins": self.twins}
