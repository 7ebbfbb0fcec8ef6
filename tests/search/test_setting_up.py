"""How a search is set up: whoever waits hears how far it is, and beforehand how long it takes."""

from __future__ import annotations

import numpy as np
import pytest

from graphs import clustered
from netveil.search import Control, announce_cost
from searches import outcome_of


@pytest.mark.parametrize("groups", [0, 2])
def test_whoever_waits_hears_what_is_set_up(groups: int) -> None:
    """Shares rise from 0 to 1, before the first step of the search."""
    heard: list[tuple[str, float]] = []
    control = Control(
        preparer=lambda doing, share: heard.append((doing, share)),
        listener=lambda progress: heard.append(("searching", 1.0)),
    )
    outcome_of(clustered(), settings={"groups": groups}, control=control)
    doing, shares = zip(*heard, strict=True)
    before = shares[: doing.index("searching")]

    assert len(set(doing)) >= 3 if groups == 0 else len(set(doing)) >= 5
    assert list(before) == sorted(before) and before[0] >= 0 and before[-1] < 1
    assert "searching" not in doing[: len(before)] and set(doing[len(before) :]) == {"searching"}


def test_setting_up_a_large_network_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """With time and memory by its edges; of a small one nothing is said."""
    said: list[str] = []
    network = clustered(2_000, 9_000)
    announce_cost.announce_setting_up(network, Control(announcer=said.append))
    assert said == []
    monkeypatch.setattr(announce_cost, "LARGE", network.edge_count)
    monkeypatch.setattr(announce_cost, "SECONDS_TO_SET_UP", 30 / network.edge_count)
    monkeypatch.setattr(announce_cost, "BYTES_TO_SET_UP", 5e8 / network.edge_count)
    announce_cost.announce_setting_up(network, Control(announcer=said.append))

    assert said == ["Setting up the search: about 30 s and 500 MB …"]


def test_what_bits_stand_for_does_not_change_what_is_found() -> None:
    """An excerpt is taken before edges are put in order: the network's own numbers are what is returned."""
    network = clustered()
    outcome = outcome_of(network, settings={"groups": 1})

    assert (np.diff(outcome.deleted_edges) > 0).all()
    assert outcome.deleted_edges.max() < network.edge_count
