"""The tests of pages see pictures that would be drawn: those that are remembered are of the same figures."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

import netveil as nv
from drawn_once import drawn_once
from netveil.job import Anonymization
from netveil.plotting import PICTURES, Picture
from netveil.release.gather import gather
from netveil.release.records import run_record


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    """The record of a release with its curve."""
    release = nv.anonymize(nv.load("karate"), "10%", effort=0.02, seed=1, curve=True, target="95%")
    record: dict[str, Any] = json.loads(
        json.dumps(run_record(release, gather(release, Anonymization(utility=False, audit=False))))
    )
    return record


def test_a_picture_is_drawn_again_where_a_figure_differs(run: dict[str, Any]) -> None:
    """And is then what it would have been; words that it does not show make no difference."""
    times = []

    def draw(picture: Picture, record: dict[str, Any]) -> str:
        times.append(picture)
        return f"{record['at_risk_before']} {record['report']['states']}"

    svg, picture, other = drawn_once(draw), PICTURES["states"], copy.deepcopy(run)
    first = svg(picture, run)
    other["network"], other["report"]["paragraph"] = "renamed", "said otherwise"
    assert (svg(picture, other), len(times)) == (first, 1)

    other["report"]["states"] = "another"
    assert (svg(picture, other), len(times)) == (f"{run['at_risk_before']} another", 2)
    other["at_risk_before"] = 1000
    assert (svg(picture, other), len(times)) == ("1000 another", 3)
    assert svg(PICTURES["drawing"], other) == "1000 another" and len(times) == 4
    assert svg(picture, run) == first and len(times) == 4
