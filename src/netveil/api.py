"""The public calls, such as `measure`, `anonymize` and `save`; they take graphs of any kind, and files."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
from netveil.auditing import Audit, auditing
from netveil.auditing.leaks import identify
from netveil.auditing.together import Audits, PublishedRelease, laid_together
from netveil.errors import (
    AttributesWarning,
    NetworkError,
    NoEffectWarning,
    SettingError,
    check_kinds,
    either_way,
    shown_value,
    unknown_name,
    warn_caller,
)
from netveil.fetching import CATALOGUE
from netveil.files import Protect
from netveil.files.storage import free_memory
from netveil.formatting import Share, memory_size
from netveil.job import Anonymization, Synthesis
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.opening import BUILTIN, Released, kind_given, open_all, open_network
from netveil.progress import AnyProgress, Watcher, finished, retold, watched_by
from netveil.registries import ALGORITHMS, FORMATS, GENERATORS, LIMITS, MEASURES, METRICS
from netveil.release.claims import Verification, verify_release
from netveil.release.release import ParetoFront, Release, SearchRuns, rank_of
from netveil.release.synthetic_release import SyntheticRelease
from netveil.search import DEFAULT_ALGORITHM, Control, Underway
from netveil.search.algorithm import Algorithm
from netveil.search.budget import edges_allowed, without_effect
from netveil.search.control import Shown
from netveil.search.run_search import random_seed
from netveil.utility import Comparison, compare as compare_networks, comparing
from netveil.utility.comparison import AnyMetrics, chosen_metrics
from netveil.workflow import anonymizing, attributes_to_keep, synthesizing

if TYPE_CHECKING:
    from netveil.opening import AnyNetwork, AnyReleased


INTERRUPTS = ("return", "raise")
MOST_RUNS = 100_000
LARGE = 1_000_000  # edges; below, everything fits and nearly everything is quick
BYTES_TO_COUNT, BYTES_TO_COMPARE = (6, 130), (64, 80)
"""Memory an edge and a node beside the network, at least: of sums over counts, and of all other states."""


def check_memory(network: Network, attackers: Sequence[Attacker]) -> None:
    """Raise if there is less memory than states of a large network take at least; say what to do instead."""
    for attacker in attackers if network.edge_count >= LARGE else ():
        is_sum = all(part.weights is not None for part in attacker.measure.parts(attacker.distance))
        an_edge, a_node = BYTES_TO_COUNT if is_sum else BYTES_TO_COMPARE
        needed, free = an_edge * network.edge_count + a_node * network.node_count, free_memory()
        if needed > free:
            raise NetworkError(
                f"{attacker.name} of a network with {network.edge_count:,} edges needs at least "
                f"{memory_size(needed)} of memory, and {memory_size(free)} are free. Take a machine with "
                f"more, or count degree, count, edge-count or degree-distribution in blocks: `netveil blocks`"
                f", then {either_way('netveil.blocks.measure_blocks', 'netveil measure --blocks DIR')}.",
                about="memory",
            )


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
        A name of `nv.measures()`, `module:function`, or a function from a Network to one state a node. A
        list of them is as many attackers: at risk is who is so to any of them.
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
    check_memory(given, attackers.each)
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
    algorithm: str | Algorithm = DEFAULT_ALGORITHM,
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
    keep: Mapping[Any, Share] | None = None,
    protect: Protect | None = None,
    curve: bool = False,
    keep_labels: bool = False,
    keep_attributes: Iterable[str] | None = None,
    start: IntVector | None = None,
    runs: int = 1,
    progress: AnyProgress = None,
    on_interrupt: str = "return",
    control: Control | None = None,
) -> Release:
    """Search for edges to delete within the budget, so that as few nodes as possible are at risk.

    Parameters
    ----------
    network
        A Network, a networkx or igraph graph, a file, or the name of a built-in network.
    budget
        Edges to delete at most: a share as '5%' or 0.05 (rounded down), or a whole number of edges. Without
        one, 5%, or all edges where there is a target. 1 is one edge and 1.0 all of them.
    target
        The share of k-anonymous people to reach, as '95%' or 0.95, with as few deletions as possible.
    algorithm
        A name of `nv.algorithms()`, `module:object`, or an `Algorithm` of your own.
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
        How much may be lost of what must be kept, by the names of `nv.limits()`:
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
    runs
        Search so often, with seeds that follow from `seed`, and return the best: `Release.runs` has them all.
    progress
        True shows a bar, False nothing; by default a bar is shown in a terminal and in a notebook. A function
        is called with a `netveil.progress.ProgressReport` now and then.
    on_interrupt
        'return': Ctrl-C, and a KeyboardInterrupt of your `progress`, end the search, and the best so far is
        returned, `stopped_by` "interrupted"; a second Ctrl-C is raised. 'raise': the first one is raised.
    control
        Stops the search from outside, as from another thread.

    Examples
    --------
    >>> import netveil as nv
    >>> release = nv.anonymize(nv.load("karate"), budget="10%", seed=1)
    >>> release.outcome.at_risk_before, release.outcome.at_risk_after
    (15, 1)
    >>> nv.anonymize(nv.load("karate"), budget="10%", algorithm="ua", seed=1, runs=5).runs
    SearchRuns(5 runs, 9 to 12 at risk, 10.2 ± 1.3)
    """
    asked = locals()  # every option of the job is an argument here: tests/test_job.py compares the two
    asked |= {"settings": {} if settings is None else settings, "keep": {} if keep is None else keep}
    asked["keep_attributes"] = None  # those that the network has are known once it is open
    if isinstance(protect, Iterator):
        asked["protect"] = list(protect)
    elif isinstance(protect, np.ndarray):  # of labels; in a job, an array holds numbers of edges
        asked["protect"] = [tuple(each) if isinstance(each, list) else each for each in protect.tolist()]
    options = Anonymization.declared()
    job = Anonymization(
        **{name: asked[each.argument] for name, each in options.items() if each.argument in asked}
    )
    check_kinds({"keep_attributes": keep_attributes}, keep_attributes="names?")
    job.check()  # before a large file is read
    control = Control() if control is None else control
    _check_watching(runs, on_interrupt, control)
    original = open_network(network, original=True)
    attributes, warning = original.attributes.chosen(keep_attributes)
    if warning is not None:
        warn_caller(warning, AttributesWarning)
    if keep_attributes is not None:
        job = replace(job, keep_attributes=attributes.names)
    job = job.knowing(attributes.node)
    for sentence in without_effect(job, original.edge_count):
        warn_caller(sentence, NoEffectWarning)
    kept = replace(original, attributes=attributes)
    allowed = edges_allowed(budget, target is not None, original.edge_count)
    with (
        watched_by(progress, Shown(job.algorithm, allowed, time).on_bar) as watcher,
        stopped_by_interrupts(control, watcher, on_interrupt),
    ):
        release = best_of_runs(
            lambda seed: finished(anonymizing(kept, replace(job, seed=seed), control, start)), job, runs
        )
    return replace(release, given_as=kind_given(network))


def _check_watching(runs: int, on_interrupt: str, control: Control) -> None:
    """Raise SettingError for wrong values of `runs`, `on_interrupt` or `control`."""
    check_kinds(locals(), runs="whole", on_interrupt="text")
    if not 1 <= runs <= MOST_RUNS:
        raise SettingError(f"runs {runs}: give a whole number from 1 to {MOST_RUNS:,}.")
    if on_interrupt not in INTERRUPTS:
        raise unknown_name("on_interrupt", on_interrupt, INTERRUPTS)
    if not isinstance(control, Control):
        raise SettingError(f"control {shown_value(control)}: give a netveil.search.Control, or leave it out.")


class Interruptible(Watcher):
    """Tells several watchers of a search, and stops it when one of them raises KeyboardInterrupt."""

    def __init__(self, control: Control, watchers: Sequence[Watcher], on_interrupt: str) -> None:
        self._control, self._watchers, self._raises = control, watchers, on_interrupt == "raise"

    def prepare(self, doing: str, share: float) -> None:
        """Tell what is set up."""
        self._tell("prepare", doing, share)

    def step(self, progress: Underway) -> None:
        """Tell how far the search is."""
        self._tell("step", progress)

    def _tell(self, what: str, *news: Any) -> None:
        try:
            for watcher in self._watchers:
                getattr(watcher, what)(*news)
        except KeyboardInterrupt:
            if self._raises:
                raise
            self._control.interrupt()


@contextmanager
def stopped_by_interrupts(control: Control, watcher: Watcher, on_interrupt: str) -> Iterator[None]:
    """Let a first interruption stop the search, unless it is to be raised; the watcher hears of the search.

    In other threads than the main one, and where somebody else handles Ctrl-C, only the watcher interrupts.
    """

    def stop(number: int, frame: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        control.interrupt()

    before = control.watcher
    control.watcher = Interruptible(control, (before, watcher), on_interrupt)
    ours = on_interrupt == "return" and threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        control.watcher = before
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def best_of_runs(search: Callable[[int], Release], job: Anonymization, runs: int) -> Release:
    """Search with one seed after the other, and give the best release, which knows all of them."""
    first = random_seed() if job.seed is None else int(job.seed)
    further = np.random.SeedSequence(first).generate_state(runs - 1, np.uint64) >> 11
    releases: list[Release] = []
    for seed in [first, *further.tolist()]:
        releases.append(search(seed))
        if releases[-1].outcome.stopped_by == "interrupted":
            break
    outcomes = [each.outcome for each in releases]
    best = min(releases, key=lambda each: rank_of(each.outcome))
    if runs == 1:
        return best
    cut_off = outcomes[-1].stopped_by == "interrupted"
    outcome = replace(best.outcome, stopped_by="interrupted") if cut_off else best.outcome
    return replace(best, outcome=outcome, runs=SearchRuns.of(outcomes))


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
    progress: AnyProgress = None,
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
    progress
        Who watches: see `anonymize`.

    Examples
    --------
    >>> import netveil as nv
    >>> release = nv.synthesize(nv.load("karate"), k=3, seed=1)
    >>> release.rows, release.smallest_row, release.network.node_count
    (6, 3, 34)
    """
    check_kinds(locals(), keep="pairs?", keep_attributes="names?", within="names?", diverse="pairs?")
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
    with watched_by(progress) as watcher:
        return finished(
            synthesizing(original, job), lambda share: watcher.prepare("drawing the network", share)
        )


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    """Split a text at its commas; a list of names stays."""
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
    metrics: AnyMetrics = None,
    threads: int | None = None,
    progress: AnyProgress = None,
) -> Comparison:
    """Compare a network with its release.

    Nodes are matched by label; through `labels` (original → published) where the release has fresh ones. A
    `Release` and a release folder bring their labels along.

    Parameters
    ----------
    original, released
        Graphs, files or names as in `measure`; a release or its folder for the second.
    labels
        Original label → published label. Labels are compared as text.
    seed
        Decides what is random: communities, and the sources where paths are sampled.
    exact
        Insist on exact paths and on all runs of community detection, however large the network is.
    top
        How many central nodes to compare; 100 by default, or a fifth of the nodes if that is less.
    clustering
        'paper' leaves nodes with fewer than two neighbours out of the average, 'textbook' counts them as 0.
    metrics
        Metrics to compute, by name or of your own; all of `nv.metrics()` by default.
    threads
        Threads to compute with, all cores by default; no figure depends on it.
    progress
        Who watches: see `anonymize`.

    Examples
    --------
    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> comparison = nv.compare(karate, nv.anonymize(karate, "10%", seed=1))
    >>> comparison.edges, comparison.deleted
    (78, 7)
    >>> list(nv.compare(karate, karate, metrics=["lcc", "clustering"]).metrics)
    ['clustering', 'lcc']
    """
    before, (given,) = open_all(original, [released], labels)
    steps = comparing(
        before,
        given.network,
        labels=given.labels,
        synthetic=given.synthetic,
        seed=seed,
        exact=exact,
        top=top,
        clustering=clustering,
        metrics=metrics,
        threads=threads,
    )
    with watched_by(progress) as watcher, watcher.report("comparing") as hears:
        return finished(retold(steps, lambda name: METRICS[name].title), hears)
    raise KeyboardInterrupt  # a watcher may let its parts be interrupted


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
    progress: AnyProgress = None,
) -> Audit:
    """Audit what an attacker who knows the original could still find.

    A `Release` and a release folder bring their labels along, and a folder its file, to be looked through.
    Labels only score the attack, which does without.

    Parameters
    ----------
    original, released
        Graphs, files or names as in `measure`; a release or its folder for the second.
    labels
        Original label → published label, to score the attacks. Without it nodes with equal labels are the
        same person; where there are none, the audit tells how many candidates there are, and no success.
    measure, distance, fuzzy, deletions
        What attackers know, one or several each: all of `nv.measures()` by default, how far it reaches (1 and
        2), by which shares numbers may be off, and by which they may have fallen.
    file, format
        The file that is to be published, to be looked through, and its format where its suffix does not say.
    matching
        How much is tried of attackers who match the whole network: 'none', 'brief', 'usual' or 'all'.
    seed
        Decides what those attackers know, and what they draw: same seed, same result.
    threads
        Threads for those attackers, all cores by default; the result does not depend on it.
    progress
        Who watches: see `anonymize`.

    Examples
    --------
    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> audit = nv.audit(karate, nv.anonymize(karate, "10%", seed=1), measure="count")
    >>> audit.matching[0].release.found, audit.matching[0].release.people
    (18.0, 34.0)
    """
    if isinstance(released, list | tuple):
        raise SettingError("released: several releases are given; use audit_together(original, releases).")
    kinds = {"labels": "pairs?", "file": "file?", "format": "text?", "matching": "text"}
    check_kinds(locals(), **kinds, seed="whole", threads="whole?")
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
    with watched_by(progress) as watcher, watcher.report("trying attacks") as hears:
        return finished(retold(steps, lambda attack: attack.name), hears)
    raise KeyboardInterrupt  # a watcher may let its parts be interrupted


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
    one = isinstance(releases, str | os.PathLike | Release | Released) or not isinstance(releases, Sequence)
    if one or len(releases) < 2:
        raise SettingError("releases: give a list of two or more releases of the network; for one use audit.")
    check_kinds(locals(), names="names?")
    called = [f"release {number + 1}" for number in range(len(releases))] if names is None else _names(names)
    if len(called) != len(releases):
        raise SettingError(f"names: {len(called):,} for {len(releases):,} releases; give one for each.")
    if isinstance(distance, np.ndarray):
        distance = distance.tolist()
    network, given = open_all(original, releases)
    if measure is None:
        against = tuple(dict.fromkeys(attacker for each in given for attacker in each.attackers))
    else:
        against = attackers_of(
            measure, next(iter(distance), 1) if isinstance(distance, Sequence) else distance or 1
        )
    audits = [audit(network, each, measure=measure, distance=distance, **options) for each in given]
    sides = [
        PublishedRelease(name, each.network, identify(network, each.network, each.labels))
        for name, each in zip(called, given, strict=True)
    ]
    attackers = against or attackers_of("count")
    pairs = [laid_together(network, one, other, attackers) for one, other in combinations(sides, 2)]
    return Audits(tuple(audits), tuple(pairs))


def pareto_front(
    releases: Release | Sequence[Release], metrics: AnyMetrics = (), *, progress: AnyProgress = None
) -> ParetoFront:
    """Find the releases that no other betters: none has fewer at risk, fewer deletions and smaller changes.

    Parameters
    ----------
    releases
        One release or several of one network. Of each, the points of its curve (`curve=True`) and all of its
        runs (`runs=…`) are looked at too.
    metrics
        Metrics whose change counts as well: 'clustering', … of `nv.metrics()`, or your own.
    progress
        Who watches: see `anonymize`.

    Examples
    --------
    >>> import netveil as nv
    >>> release = nv.anonymize("karate", "10%", seed=1, curve=True)
    >>> front = nv.pareto_front(release)
    >>> [(row["deleted"], row["at_risk"]) for row in front.rows][-2:]
    [(5, 3), (7, 1)]
    """
    given = [releases] if isinstance(releases, Release) else releases
    if not isinstance(given, Sequence) or not all(isinstance(each, Release) for each in given) or not given:
        raise SettingError("releases: give what anonymize returned, once or in a list.")
    if len({each.original.fingerprint for each in given}) > 1:
        raise NetworkError(
            "releases: these are of several networks, which cannot be compared; give those of one."
        )
    none = metrics is None or (isinstance(metrics, Sized) and len(metrics) == 0)
    chosen = [] if none else chosen_metrics(_names(metrics) if isinstance(metrics, str) else metrics)
    points = [point for each in given for point in each.points()]
    with watched_by(progress) as watcher, watcher.report("comparing releases") as hears:
        rows = []
        for number, point in enumerate(points, start=1):
            rows.append(_aims(point, chosen))
            if hears is not None:
                hears(f"{number:,} of {len(points):,}")
    return ParetoFront.of(rows, points)


def _aims(release: Release, metrics: Sequence[str]) -> dict[str, float]:
    """Values of a release to minimize: deletions, people at risk, the change of each metric."""
    outcome = release.outcome
    aims: dict[str, float] = {"deleted": len(outcome.deleted_edges), "at_risk": outcome.at_risk_after}
    if metrics:
        found = compare_networks(release.original, release.remaining, metrics=metrics).metrics
        aims |= {name: found[name].size_of_change for name in metrics}
    return aims


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
    check_kinds(locals(), release="file")
    given = None if original is None else open_network(original, original=True)
    return verify_release(os.fspath(release), given)


# All there is to choose from, by name.


def _told(registry: Mapping[str, Any], attribute: str) -> dict[str, str]:
    return {name: getattr(entry, attribute) for name, entry in registry.items()}


def measures() -> dict[str, str]:
    """Names of measures, each with what the attacker knows: for `measure=` everywhere.

    >>> import netveil as nv
    >>> list(nv.measures())[:2]
    ['degree', 'count']
    """
    return _told(MEASURES, "attacker")


def algorithms() -> dict[str, str]:
    """Names of algorithms, each with a sentence: for `anonymize(algorithm=…)` and `tune`.

    >>> import netveil as nv
    >>> nv.algorithms()["ga"]
    "the paper's genetic algorithm"
    """
    return {name: ALGORITHMS.describe(name) for name in ALGORITHMS}


def limits() -> dict[str, str]:
    """Names of what can be kept, each with a sentence: for `anonymize(keep=…)`.

    >>> import netveil as nv
    >>> list(nv.limits())
    ['clustering', 'lcc', 'degree']
    """
    return {name: LIMITS.describe(name) for name in LIMITS}


def metrics() -> dict[str, str]:
    """Names of metrics, each with what it means to people who work with the data: for `compare(metrics=…)`.

    >>> import netveil as nv
    >>> "clustering" in nv.metrics()
    True
    """
    return _told(METRICS, "meaning")


def formats() -> dict[str, str]:
    """Names of file formats, each with a line: for `read(format=…)` and `write`.

    >>> import netveil as nv
    >>> "graphml" in nv.formats()
    True
    """
    return _told(FORMATS, "description")


def generators() -> dict[str, tuple[str, ...]]:
    """Kinds of simulated networks, each with the names of its settings: for `generate`.

    >>> import netveil as nv
    >>> nv.generators()["erdos-renyi"]
    ('degree', 'nodes', 'seed')
    """
    return {kind: found.settings.__struct_fields__ for kind, found in GENERATORS.items()}


def networks() -> dict[str, str]:
    """Names of networks, each with a sentence: built-in ones, and those that can be fetched.

    >>> import netveil as nv
    >>> "karate" in nv.networks()
    True
    """
    return _told(BUILTIN, "description") | _told(CATALOGUE, "title")
