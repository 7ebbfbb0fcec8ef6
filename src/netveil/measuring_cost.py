"""Say what measuring a large network will cost, before it is done; refuse what does not fit into memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from netveil.anonymity import Attacker
from netveil.anonymity.measure import cost_of
from netveil.errors import NetworkError, either_way
from netveil.files.bounds import free_memory
from netveil.network import Network
from netveil.words import duration

LARGE = 1_000_000  # edges; below, everything fits and nearly everything is quick

log = logging.getLogger("netveil")


def tell_cost(network: Network, attackers: Sequence[Attacker], free: Callable[[], int] = free_memory) -> None:
    """Log about how long each attacker's measure takes, and how much memory, if the network is large.

    NetworkError if there is less memory, with what to do instead. Measures that do not say are passed over.
    """
    if network.edge_count < LARGE:
        return
    for attacker in attackers:
        cost = cost_of(attacker.measure, network, attacker.distance)
        if cost is None:
            continue
        least = "at least " if cost.is_least else "about "
        if cost.memory > (there := free()):
            raise NetworkError(
                f"{attacker.name} of a network with {network.edge_count:,} edges needs {least}"
                f"{_in_words(cost.memory)} of memory, and {_in_words(there)} are free. Take a machine with "
                f"more, or count degree, count, edge-count or degree-distribution in blocks: `netveil blocks`"
                f", then {either_way('netveil.blocks.measure_blocks', 'netveil measure --blocks DIR')}."
            )
        log.info("%s: %s%s and %s …", attacker.name, least, duration(cost.seconds()), _in_words(cost.memory))


def _in_words(size: int) -> str:
    """A size as people say it.

    >>> _in_words(31_400_000_000), _in_words(240_000_000)
    ('31.4 GB', '240 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"
