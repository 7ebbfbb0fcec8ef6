"""Figures of the whole network that a synthetic one must keep: bounds in the table, and what drawings reach.

Bounds are made of the original once. Drawings are compared with the bounds alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, inf, nan

from netveil.errors import SettingError, option, unknown_name
from netveil.formatting import Share, parsed_share
from netveil.network import Network
from netveil.synthetic.row_table import FIGURES, UNIT, Bounds


def parsed_figures(keep: Mapping[str, Share]) -> dict[str, Fraction]:
    """The share by which each figure may change.

    >>> parsed_figures({"clustering": "5%"})
    {'clustering': Fraction(1, 20)}
    """
    for name in keep:
        if name not in FIGURES:
            raise unknown_name("figure", str(name), FIGURES)
    rule = "give a share from 0% to 100%, such as 5% or 0.05."
    return {name: parsed_share(given, f"keep {name}:", rule) for name, given in keep.items()}


def bounds_of(network: Network, keep: Mapping[str, Share]) -> Bounds:
    """Bounds around figures of a network, in millionths: by a share of the figure, for assortativity of 1."""
    bounds = {}
    for name, share in parsed_figures(keep).items():
        figure = figure_of(network, name)
        if figure != figure:
            raise SettingError(
                f"{option('keep')} {name}: this network has none, so that nothing can be kept; leave it out."
            )
        width = float(share) * (1.0 if name == "assortativity" else figure)
        bounds[name] = (floor((figure - width) * UNIT), ceil((figure + width) * UNIT))
    return bounds


def figure_of(network: Network, name: str) -> float:
    """The figure as `compare` shows it; not a number where a network has none."""
    from netveil.utility import METRICS, MetricSettings, Side
    from netveil.utility.metric import Property, Undefined

    metric = METRICS[name]
    assert isinstance(metric, Property)
    try:
        return float(metric.value(Side(network, MetricSettings())))
    except Undefined:
        return nan


def excess(bounds: Bounds, figures: Mapping[str, float]) -> float:
    """Largest distance of a figure from its bounds; 0 if all are kept."""
    outside = [0.0]
    for name, (least, most) in bounds.items():
        figure = figures[name] * UNIT
        outside.append(inf if figure != figure else max(least - figure, figure - most) / UNIT)
    return max(outside)


def not_kept(bounds: Bounds, figures: Mapping[str, float], drawings: int) -> SettingError:
    """Error for bounds that no drawing kept, with the figures of the best one."""
    told = []
    for name, (least, most) in bounds.items():
        if excess({name: (least, most)}, figures) > 0:
            told.append(f"{name} is {figures[name]:.4f}, not {least / UNIT:.4f} to {most / UNIT:.4f}")
    return SettingError(
        f"{option('keep')}: the best of {drawings} drawings does not keep all that was asked for: "
        f"{'; '.join(told)}. Allow more, or leave it out."
    )
