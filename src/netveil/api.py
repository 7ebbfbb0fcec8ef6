"""The public calls, such as `measure`, `anonymize` and `save`; they take graphs of any kind, and files."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from netveil.anonymity import (
    DEFAULT_MEASURE,
    Anonymity,
    AnyMeasure,
    Attacker,
    Attackers,
    Cascade,
    anonymity_of,
    attackers_of,
    cascade as cascade_from,
    find_measure,
)
from netveil.anonymity.measure import cost_of
from netveil.auditing import Audit, auditing
from netveil.auditing.leaks import identify
from netveil.auditing.together import Audits, PublishedRelease, laid_together
from netveil.errors import AttributesWarning, NetworkError, SettingError, either_way, warn_caller
from netveil.files import Protect
from netveil.files.storage import free_memory
from netveil.formatting import Share, duration, memory_size
from netveil.job import Anonymization, Synthesis
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.opening import Released, kind_given, open_all, open_network
from netveil.progress import finished, retold
from netveil.release.claims import Verification, verify_release
from netveil.release.release import Release
from netveil.release.synthetic_release import SyntheticRelease
from netveil.search import DEFAULT_ALGORITHM, Control
from netveil.search.budget import tell_if_ambiguous
from netveil.utility import Comparison, compare as compare_networks
from netveil.workflow import anonymizing, attributes_to_keep, synthesizing

if TYPE_CHECKING:
    from netveil.opening import AnyNetwork, AnyReleased


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
        least, needed = "at least " if cost.is_least else "about ", memory_size(cost.memory)
        if cost.memory > (there := free()):
            raise NetworkError(
                f"{attacker.name} of a network with {network.edge_count:,} edges needs {least}"
                f"{needed} of memory, and {memory_size(there)} are free. Take a machine with "
                f"more, or count degree, count, edge-count or degree-distribution in blocks: `netveil blocks`"
                f", then {either_way('netveil.blocks.measure_blocks', 'netveil measure --blocks DIR')}."
            )
        log.info("%s: %s%s and %s …", attacker.name, least, duration(cost.seconds()), needed)


def measure(
    network: AnyReleased,
    measure: AnyMeasure | Sequence[AnyMeasure] | Attackers = DEFAULT_MEASURE,
    k: int = 2,
    distance: int = 1,
    *,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
    known: Iterable[str] | None = None,
) -> Anonymity:
    """Measure who can be singled out by an attacker who knows what `measure` tells: fewer than k are alike.

    Parameters
    ----------
    network
        A Network, a networkx or igraph graph, a file (`nv.read` takes options for files that need some), the
        name of a built-in network; or a release or its folder, for the network in it that is published.
    measure
        A name in `netveil.anonymity.MEASURES`, `module:function`, or a function from a Network to one state a
        node. A list of them is as many attackers: at risk is who is so to any of them.
    k
        People whom fewer than k look like, themselves included, are at risk.
    distance
        How far around a person the attacker's knowledge reaches.
    fuzzy
        By which share the numbers that she knows may be off, as '5%' or 0.05; for measures of numbers.
    twins
        Count people who have the same contacts as one lookalike: they hide nothing from each other's friends.
    known
        Attributes of a person that she knows too, numbers in bands if wanted: ['department', 'age:10'].

    Examples
    --------
    >>> import netveil as nv
    >>> nv.measure(nv.load("karate"), k=2).at_risk
    15
    >>> nv.measure(nv.load("karate"), ["count", "vertex-refinement"]).at_risk
    23
    """
    attackers = Attackers.of(measure, distance, fuzzy, twins, k, known)
    given = open_network(network, counted=True)
    tell_cost(given, attackers.each)
    return anonymity_of(given, attackers.each, attackers.k)


def cascade(network: AnyReleased, measure: AnyMeasure = DEFAULT_MEASURE, distance: int = 1) -> Cascade:
    """Find whom an attacker can identify who starts from unique people and goes on among their contacts.

    A contact of somebody identified is identified too if no other contact of that person has its state.

    >>> import netveil as nv
    >>> nv.cascade(nv.load("karate")).total
    22
    """
    given = open_network(network, counted=True)
    return cascade_from(given, Attacker(find_measure(measure), distance).states(given))


def anonymize(
    network: AnyNetwork,
    budget: str | int | float | None = None,
    *,
    target: str | int | float | None = None,
    algorithm: str = DEFAULT_ALGORITHM,
    measure: AnyMeasure | Sequence[AnyMeasure] | Attackers = DEFAULT_MEASURE,
    distance: int = 1,
    fuzzy: str | int | float | None = None,
    twins: bool = False,
    known: Iterable[str] | None = None,
    k: int = 2,
    seed: int | None = None,
    time: float | None = None,
    effort: float | None = None,
    threads: int | None = None,
    config: str | Path | None = None,
    settings: Mapping[str, Any] | None = None,
    keep: Mapping[str, Share] | None = None,
    protect: Protect | None = None,
    curve: bool = False,
    keep_labels: bool = False,
    keep_attributes: Iterable[str] | None = None,
    start: IntVector | None = None,
    control: Control | None = None,
) -> Release:
    """Search for edges to delete within the budget, so that as few nodes as possible are at risk.

    Parameters
    ----------
    network
        A Network, a networkx or igraph graph, a file, or the name of a built-in network.
    budget
        Edges to delete at most: a share as '5%' or 0.05 (rounded down), or a whole number of edges. Without
        one, 5%, or all edges where there is a target. 1 is one edge and 1.0 all of them: a line says so.
    target
        The share of k-anonymous people to reach, as '95%' or 0.95, with as few deletions as possible.
    algorithm
        A name in `netveil.search.ALGORITHMS`.
    measure, distance, fuzzy, twins, k
        Whom to protect from: see `measure`.
    known
        Attributes of a person that the attacker knows: a part of `keep_attributes`, by default all of them.
    seed
        Same seed, same deletions, under other published numbers. Drawn and recorded if not given.
    time
        Seconds after which the search stops with the best found so far.
    effort
        How long to search where `time` is not given: 2 is twice as long as 1. A setting of annealing.
    threads
        Threads to search with, all cores by default; the result does not depend on it.
    config
        A preset (for ga and uga 'conf1' to 'conf4', 'faithful') or a TOML file with settings.
    settings
        Single settings by name, which win over `config`.
    keep
        How much may be lost of what must be kept, by the names in `netveil.search.LIMITS`:
        `{"clustering": "1%", "lcc": 0}`.
    protect
        Edges that must stay: a file with a label or two a line, or an iterable of labels (a node with all its
        edges) and pairs of labels (an edge).
    curve
        Find a solution for each of several parts of the budget too: `Release.at` gives the release of one.
    keep_labels
        Publish the original labels, people and ties in their order.
    keep_attributes
        Names of attributes of nodes and edges to publish, after a warning: attributes identify people. Others
        are left out, with a warning unless this is given; an empty list says that none is wanted.
    start
        Numbers of edges whose deletion is known to be good, to go on from.
    control
        Stops the search from outside and hears its progress.

    Examples
    --------
    >>> import netveil as nv
    >>> release = nv.anonymize(nv.load("karate"), budget="10%", seed=1)
    >>> release.outcome.at_risk_before, release.outcome.at_risk_after
    (15, 1)
    """
    asked = locals()  # every option of the job is an argument here: tests/test_job.py compares the two
    asked |= {"settings": settings or {}, "keep": keep or {}, "keep_attributes": None}
    if isinstance(protect, Iterator):
        asked["protect"] = list(protect)
    options = Anonymization.declared()
    job = Anonymization(
        **{name: asked[each.argument] for name, each in options.items() if each.argument in asked}
    )
    job.check()  # before a large file is read
    control = Control() if control is None else control
    original = open_network(network, original=True)
    attributes, warning = original.attributes.chosen(keep_attributes)
    if warning is not None:
        warn_caller(warning, AttributesWarning)
    if keep_attributes is not None:
        job = replace(job, keep_attributes=attributes.names)
    job = job.knowing(attributes.node)
    tell_if_ambiguous(budget, original.edge_count)
    steps = anonymizing(replace(original, attributes=attributes), job, control, start)
    return replace(finished(steps, control.listener), given_as=kind_given(network))


def synthesize(
    network: AnyNetwork,
    k: int = 5,
    *,
    copies: int = 1,
    seed: int | None = None,
    keep: Mapping[str, Any] | None = None,
    keep_attributes: Iterable[str] | None = None,
    within: Iterable[str] | None = None,
    diverse: Mapping[str, int] | None = None,
    hide_dense: bool = False,
    listener: Callable[[float], None] | None = None,
) -> SyntheticRelease:
    """Draw a network whose ties are all made up, in which nobody is found with a chance above 1/k.

    A table is made whose rows each stand for at least k people with similar contacts, and networks are drawn
    from that table alone (docs/synthetic.md has the proof). Statistics of the whole network are kept, single
    ties are not.

    Parameters
    ----------
    network
        A Network, a networkx or igraph graph, a file, or the name of a built-in network.
    k
        Each row of the table stands for so many people or more.
    copies
        Networks to draw from the table, each with other ties.
    seed
        Same seed, same networks, under other published numbers. Drawn and recorded if not given.
    keep
        Figures of the whole network that must be kept, such as `{"clustering": "5%"}`; also `path_length`,
        `lcc` and `assortativity`. A SettingError says what cannot be kept, with the best figures reached.
    keep_attributes
        Attributes of people that the networks carry, numbers in bands if wanted (`"age:10"`). A node has
        those of a random person of its row; they count as known to the attacker.
    within
        Those of them inside equal values of which groups are made: knowing them tells nothing more then.
    diverse
        How many values each row has at least of those that the attacker does not know: `{"illness": 2}`.
    hide_dense
        Merge rows that are densely tied with sparser ones: such ties could be told. It costs hubs.
    listener
        Hears the share of the work that is done.

    Examples
    --------
    >>> import netveil as nv
    >>> release = nv.synthesize(nv.load("karate"), k=3, seed=1)
    >>> release.rows, release.smallest_row, release.network.node_count
    (6, 3, 34)
    """
    carried, inside = (names if names is None else _names(names) for names in (keep_attributes, within))
    job = Synthesis(
        k=k,
        copies=copies,
        seed=seed,
        hide_dense=hide_dense,
        keep=dict(keep or {}),
        keep_attributes=carried,
        within=inside,
        diverse=dict(diverse or {}),
    )
    job.check()
    original = open_network(network, original=True)
    _, warning = attributes_to_keep(original, job)
    if warning is not None:
        warn_caller(warning, AttributesWarning)
    return finished(synthesizing(original, job), listener)


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Names that are given one by one, or as a text with commas between them."""
    if isinstance(given, str):
        return tuple(each.strip() for each in given.split(",") if each.strip())
    return tuple(given)


def compare(
    original: AnyNetwork,
    released: AnyReleased | Released,
    *,
    labels: Mapping[Any, Hashable] | None = None,
    seed: int = 0,
    exact: bool = False,
    top: int | None = None,
    clustering: str = "paper",
    threads: int | None = None,
) -> Comparison:
    """Compare a network with its release: see `netveil.utility.comparing` for the parameters.

    Nodes are matched by label; through `labels` (original → published) where the release has fresh ones. A
    `Release` and a release folder bring their labels along.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> comparison = nv.compare(karate, nv.anonymize(karate, "10%", seed=1))
    >>> comparison.edges, comparison.deleted
    (78, 7)
    """
    before, (given,) = open_all(original, [released], labels)
    return compare_networks(
        before,
        given.network,
        labels=given.labels,
        synthetic=given.synthetic,
        seed=seed,
        exact=exact,
        top=top,
        clustering=clustering,
        threads=threads,
    )


def audit(
    original: AnyNetwork,
    released: AnyReleased | Released,
    *,
    labels: Mapping[Any, Hashable] | None = None,
    measure: AnyMeasure | Sequence[AnyMeasure] | None = None,
    distance: int | Sequence[int] | None = None,
    fuzzy: str | float | Sequence[str | int | float] | None = None,
    deletions: str | float | Sequence[str | int | float] | None = None,
    file: str | os.PathLike[str] | None = None,
    format: str | None = None,  # noqa: A002
    matching: str = "usual",
    seed: int = 0,
    threads: int | None = None,
    listener: Callable[[str], None] | None = None,
) -> Audit:
    """Audit what an attacker who knows the original could still find; parameters as in `auditing.auditing`.

    `measure`, `distance`, `fuzzy` and `deletions` are one or several each. A `Release` and a release folder
    bring their labels along, and a folder its file, to be looked through. Labels only score the attack, which
    does without. `listener` hears the name of each attack that was tried.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> audit = nv.audit(karate, nv.anonymize(karate, "10%", seed=1), measure="count")
    >>> audit.matching[0].release.found, audit.matching[0].release.people
    (18.0, 34.0)
    """
    if isinstance(released, list | tuple):
        raise SettingError("released: several releases are given; use audit_together(original, releases).")
    before, (given,) = open_all(original, [released], labels)
    if given.synthetic:
        raise NetworkError(
            "the ties of a synthetic release are all made up, and the attackers of the audit look for "
            "deleted ones. Its report tells what attackers find at most, whatever they know."
        )
    steps = auditing(
        before,
        given.network,
        labels=given.labels,
        measures=measure,
        distances=distance,
        fuzzy=fuzzy,
        deletions=deletions,
        file=given.file if file is None else file,
        format_name=given.format_name if format is None else format,
        matching=matching,
        seed=seed,
        threads=threads,
    )
    return finished(retold(steps, lambda attack: attack.name), listener)


def audit_together(
    original: AnyNetwork,
    releases: Sequence[AnyReleased | Released],
    *,
    measure: AnyMeasure | Sequence[AnyMeasure] | None = None,
    distance: int | Sequence[int] | None = None,
    names: Sequence[str] | None = None,
    **options: Any,
) -> Audits:
    """Audit several releases of one network, each by itself, and each two laid on each other.

    Parameters
    ----------
    original
        The network that all of them are releases of.
    releases
        Two or more: releases, their folders, or networks with the labels of the original. A `Release` and a
        release folder bring their labels along.
    measure, distance
        What attackers know, for the audit of each as in `audit`. People are at risk to the first distance of
        all measures; without a measure, to those attackers that the releases were made against.
    names
        What to call the releases.
    options
        Whatever else `audit` takes, for each of them.

    Examples
    --------
    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> both = [nv.anonymize(karate, "10%", algorithm="ua", seed=seed) for seed in (1, 2)]
    >>> pair = nv.audit_together(karate, both, measure="count").compared[0]
    >>> pair.releases[0].deleted, pair.releases[0].at_risk, pair.at_risk_original
    (7, 11, 15)
    """
    if isinstance(releases, str | os.PathLike | Release | Released) or len(releases) < 2:
        raise SettingError("releases: give a list of two or more releases of the network; for one use audit.")
    network, given = open_all(original, releases)
    if measure is None:
        against = tuple(dict.fromkeys(attacker for each in given for attacker in each.attackers))
    else:
        against = attackers_of(
            measure, next(iter(distance), 1) if isinstance(distance, Sequence) else distance or 1
        )
    audits = [audit(network, each, measure=measure, distance=distance, **options) for each in given]
    called = [f"release {number}" for number in range(1, len(given) + 1)] if names is None else list(names)
    sides = [
        PublishedRelease(name, each.network, identify(network, each.network, each.labels))
        for name, each in zip(called, given, strict=True)
    ]
    attackers = against or attackers_of("count")
    pairs = [laid_together(network, one, other, attackers) for one, other in combinations(sides, 2)]
    return Audits(tuple(audits), tuple(pairs))


def verify(release: str | os.PathLike[str], original: AnyNetwork | None = None) -> Verification:
    """Recompute what a release folder claims: each claim agrees, differs or cannot be checked.

    Without the original, what the files of the folder show by themselves.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     release = nv.anonymize(nv.load("karate"), budget=4, seed=1)
    ...     folder = nv.save(release, f"{place}/saved", utility=False, audit=False)
    ...     nv.verify(folder, nv.load("karate")).differs
    False
    """
    given = None if original is None else open_network(original, original=True)
    return verify_release(os.fspath(release), given)
