"""The one workflow of each kind of job, whoever asks for it: command line, Python, page, experiments.

    read → search → baselines, comparison, audit → records → folder

`anonymizing` searches and returns a release; `make_release` does all of it into a folder, which keeps what
was found if it is cut off; `save` writes a release that is there. `synthesizing` and `make_synthetic` do so
for synthetic networks, which are drawn instead of searched for. Fronts only show what their `Watcher` hears.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from netveil.auditing import Audit
from netveil.deciding import Decided, Policy, decide, read_policy
from netveil.deciding.facts import facts_of_published
from netveil.deciding.policy import warning_before
from netveil.errors import (
    SecondReleaseWarning,
    SettingError,
    check_kinds,
    on_command_line,
    shown_value,
    warn_caller,
)
from netveil.files import FORMATS, format_to_write
from netveil.files.labels import check_labels
from netveil.files.read_write import cannot_hold_attributes
from netveil.job import Anonymization, Synthesis
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.opening import Released
from netveil.progress import AnyProgress, Watcher, finished, watched_by
from netveil.release.folder import ReleaseFolder
from netveil.release.gather import gather, with_verdict
from netveil.release.records import Clock, local_time
from netveil.release.register import (
    Registered,
    enter,
    others_than,
    refuse_second,
    registered,
    releases_beside,
    warning_of_others,
)
from netveil.release.release import Release
from netveil.release.synthetic_release import SyntheticRelease, drawing_copies, load_drawn
from netveil.report import Evidence
from netveil.search import Control, Underway, searching
from netveil.search.budget import without_effect
from netveil.search.run_search import random_seed
from netveil.synthetic import KeptAttributes, drawing, hide_dense, kept_attributes, make_table
from netveil.utility import compare


def anonymizing(
    network: Network, job: Anonymization, control: Control, start: IntVector | None = None
) -> Generator[Underway, None, Release]:
    """Search for edges to delete; yields how far the search has come, and returns the release."""
    check_labels(network)
    outcome = yield from searching(network, job, control, start)
    return Release(network, outcome, job.keep_labels)


@dataclass(frozen=True)
class Made:
    """A release that was written, with what was found out about it."""

    release: Release
    evidence: Evidence

    @property
    def is_cut_short(self) -> bool:
        """Whether somebody stopped the search or a part of the report."""
        return self.release.outcome.stopped_by == "interrupted" or bool(self.evidence.skipped)


def make_release(
    job: Anonymization,
    network: Network,
    folder: ReleaseFolder,
    watcher: Watcher,
    control: Control,
    *,
    resume: bool = False,
    point: Callable[[Network], Release] | None = None,
    extension: str = "txt",
    command: str = "",
    clock: Clock = local_time,
) -> Made:
    """Do a job from network to folder: search, find out what its report shows, write.

    While it searches the folder keeps the best so far, and at the end all that was found; with `resume` a
    search that was cut off goes on. With `point`, the release is taken from a curve instead of searched for.
    `extension` is that of the published network, `command` what made the release, `clock` tells when.
    """
    attributes, warning = network.attributes.chosen(job.keep_attributes)
    network, job = replace(network, attributes=attributes), job.knowing(attributes.node)
    if warning is not None:
        watcher.warn(warning)
    _warn_of_policy(job, watcher)
    earlier = _releases_before(network.fingerprint_by_labels, job.policy, folder.path, watcher.warn)
    start = folder.where_to_go_on(network, resume=resume)
    with folder.claimed():
        if point is not None:
            release = replace(point(network), original=network, keep_labels=job.keep_labels)
            wanted = job
        else:
            release = _searched(job, network, folder, watcher, control, start, resume)
            stopped = release.outcome.stopped_by == "interrupted" and not watcher.wants_report_of_stopped
            wanted = replace(job, utility=False, audit=False, baselines=False) if stopped else job
        watcher.end_search()
        for sentence in () if point is not None else without_effect(job, network.edge_count):
            watcher.warn(sentence)  # not before: what fails says one line
        if resume and start is None:
            watcher.warn(f"nothing was cut off at {folder.path}; this was a new search.")
        if job.keep_labels:
            watcher.warn(f"the release carries the original labels{on_command_line(' (--keep-labels)')}.")
        evidence = _write(release, wanted, folder, watcher, earlier, extension, command, clock)
    _register(release, evidence, folder.path, clock, earlier, watcher.warn)
    return Made(release, evidence)


def _write(
    release: Release | SyntheticRelease,
    job: Anonymization | Synthesis,
    folder: ReleaseFolder,
    watcher: Watcher,
    earlier: Sequence[Registered],
    extension: str,
    command: str = "",
    clock: Clock = local_time,
) -> Evidence:
    """Find out what the report of a release shows, hold its policy against that, and write the folder."""
    found = gather(release, job, watcher)
    evidence = with_verdict(release, found, job.policy, folder.path, clock, earlier)
    folder.save(release, extension, evidence, command, clock)
    return evidence


def _warn_of_policy(job: Anonymization | Synthesis, watcher: Watcher) -> None:
    """Warn before the work, where what is asked for cannot meet the policy."""
    k = job.attackers.k if isinstance(job, Anonymization) else job.k
    if job.policy is not None and (warning := warning_before(read_policy(job.policy), k)) is not None:
        watcher.warn(warning)


def _releases_before(
    fingerprint: str, policy: Any, folder: Path, tell: Callable[[str], None]
) -> tuple[Registered, ...]:
    """Releases of a network that the register knows; raises if the policy allows no second one."""
    earlier = registered(fingerprint, tell)
    if policy is not None and not (asked := read_policy(policy)).second_release:
        refuse_second(asked.name, folder, earlier)
    return earlier


def _register(
    release: Release | SyntheticRelease,
    evidence: Evidence,
    folder: Path,
    clock: Clock,
    earlier: Sequence[Registered],
    tell: Callable[[str], None],
) -> None:
    """Enter a written release into the register, and warn if there is another one of its network."""
    (fingerprint, content), decided = release.identity, evidence.decided
    entry = Registered(
        fingerprint,
        content,
        str(folder.resolve()),
        release.kind,
        release.k,
        clock().isoformat(timespec="seconds"),
        decided.verdict,
        decided.met,
    )
    enter(entry, tell)
    if (second := warning_of_others(folder, others_than(folder, content, earlier))) is not None:
        tell(second)


def _searched(
    job: Anonymization,
    network: Network,
    folder: ReleaseFolder,
    watcher: Watcher,
    control: Control,
    start: IntVector | None,
    resume: bool,
) -> Release:
    """Search, unless the search that is resumed had come to its end; the folder keeps what is found."""
    control.watcher = watcher
    control.keeper = lambda edges, at_risk: folder.keep_best(network, edges, at_risk)
    found = folder.found_by_unfinished(network, job) if resume else None
    if found is not None:
        watcher.announce("The search that was cut off had come to its end; nothing is searched for anew.")
        return replace(found, keep_labels=job.keep_labels)
    release = finished(anonymizing(network, job, control, start))
    folder.keep_found(release, job)
    return release


def attributes_to_keep(network: Network, job: Synthesis) -> tuple[KeptAttributes, str | None]:
    """Attributes of people that a synthetic network is to carry, and a warning or None."""
    return kept_attributes(network.attributes, job.keep_attributes, job.within, job.diverse)


def synthesizing(network: Network, job: Synthesis) -> Generator[float, None, SyntheticRelease]:
    """Make a table and draw from it; yields the share that is done, and returns the release."""
    check_labels(network)
    kept, _ = attributes_to_keep(network, job)
    table, row_of_person = make_table(network, job.k, kept=kept, keep=job.keep)
    labels, seed = tuple(network.labels), random_seed() if job.seed is None else job.seed
    if job.hide_dense:
        first = yield from drawing(table, seed)  # tells which rows are densely tied, as the network would
        table, row_of_row = hide_dense(table, first)
        row_of_person = row_of_row[row_of_person]
    bare = SyntheticRelease(network.name, table, labels, row_of_person, seed, (), network, kept=kept)
    return (yield from timed_copies(bare, job.copies))


def timed_copies(release: SyntheticRelease, copies: int) -> Generator[float, None, SyntheticRelease]:
    """Draw networks from the table of a release, with the seconds that it took."""
    begun = perf_counter()
    drawn = yield from drawing_copies(release, copies)
    return replace(drawn, seconds=perf_counter() - begun)


def make_synthetic(
    job: Synthesis,
    given: Network | SyntheticRelease,
    folder: ReleaseFolder,
    watcher: Watcher,
    *,
    extension: str = "txt",
    command: str = "",
    clock: Clock = local_time,
) -> tuple[SyntheticRelease, Evidence]:
    """Do a job from network, or from the table of a release, to folder: draw, find out, write."""
    _warn_of_policy(replace(job, k=given.k) if isinstance(given, SyntheticRelease) else job, watcher)
    if isinstance(given, SyntheticRelease):
        kept, warning, steps = given.kept, None, timed_copies(given, job.copies)
    else:
        (kept, warning), steps = attributes_to_keep(given, job), synthesizing(given, job)
    if warning is not None:
        watcher.warn(warning)
    if kept.columns:
        _check_attributes_fit(extension)
    fingerprint = given.identity[0] if isinstance(given, SyntheticRelease) else given.fingerprint_by_labels
    earlier = _releases_before(fingerprint, job.policy, folder.path, watcher.warn)
    with folder.claimed():
        release = finished(steps, lambda share: watcher.prepare("drawing the network", share))
        watcher.end_search()
        evidence = _write(release, job, folder, watcher, earlier, extension, command, clock)
    _register(release, evidence, folder.path, clock, earlier, watcher.warn)
    return release, evidence


def judge_released(
    original: Network, given: Released, audit: Audit, policy: Policy, *, is_one_of_several: bool = False
) -> Decided:
    """Check an existing, audited release against a policy; measures its loss if the policy limits that.

    Of a release folder, about.json says the k that it was made for, and folders beside it are looked into.
    """
    folder = None if given.file is None else given.file.resolve().parent.parent
    comparison = None
    if policy.loss and given.labels is not None:
        comparison = compare(original, given.network, labels=given.labels, synthetic=given.synthetic)
    second = is_one_of_several or (None if folder is None else any(releases_beside(folder)))
    if given.synthetic and folder is not None:
        release = replace(load_drawn(folder), original=original)
        facts = release.facts(Evidence(comparison=comparison), policy)
    else:
        found = facts_of_published(given.network, audit, comparison, policy)
        facts = replace(found, k=given.k)
    known = replace(facts, second_release=second, made_on=local_time().date())
    return decide({}, known, policy, original)


def save(
    release: Release | SyntheticRelease,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    extension: str = "txt",
    utility: bool = True,
    audit: bool = True,
    matching: str = "brief",
    baselines: bool = False,
    policy: str | os.PathLike[str] | None = None,
    progress: AnyProgress = None,
) -> Path:
    """Write a release folder, whole or not at all; the network is published as `network.<extension>`.

    The report tells what the deletion cost (`utility`), what attackers could still do (`audit`; `matching`
    says how much is tried of those who match the whole network) and, if asked for, what other algorithms find
    with the same budget (`baselines`): seconds of work on thousands of nodes. `policy` is a TOML file, or the
    name of a preset, with what the release must meet: private/decision.json says whether it does.
    A `SecondReleaseWarning` tells where another release of the network is: beside the folder, or elsewhere if
    the register of releases knows it (`NETVEIL_REGISTER`, see docs/deciding.md). `progress` is who watches:
    see `anonymize`.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     release = nv.anonymize("karate", "10%", algorithm="es", seed=1)
    ...     folder = nv.save(release, f"{place}/release", utility=False, audit=False)
    ...     sorted(path.name for path in folder.iterdir())
    ['private', 'public']
    """
    check_kinds(locals(), folder="file", overwrite="flag", extension="text")
    if not isinstance(release, Release | SyntheticRelease):
        raise SettingError(f"release {shown_value(release)}: give what anonymize or synthesize returned.")
    target = ReleaseFolder(folder, overwrite=overwrite)
    extension = extension.removeprefix(".")
    known = [suffix[1:] for each in FORMATS.values() if each.is_written for suffix in each.suffixes]
    if extension.partition(".")[0] not in known:
        raise SettingError(f"extension {extension!r}: give one that is written, of {', '.join(known)}.")
    if release.network.attributes.names:
        _check_attributes_fit(extension)
    report: dict[str, Any] = {"utility": utility, "audit": audit, "policy": policy}

    def tell(message: str) -> None:
        warn_caller(message, SecondReleaseWarning)

    earlier = _releases_before(release.identity[0], policy, target.path, tell)
    job: Anonymization | Synthesis = Synthesis(**report)
    if isinstance(release, Release):
        job = Anonymization(**report, matching=matching, baselines=baselines)
    with watched_by(progress) as watcher:
        job.check()
        evidence = _write(release, job, target, watcher, earlier, extension)
    _register(release, evidence, target.path, local_time, earlier, tell)
    return target.path


def _check_attributes_fit(extension: str) -> None:
    chosen = format_to_write(f"network.{extension}")
    if not chosen.holds_attributes:
        raise cannot_hold_attributes(f"network.{extension}", chosen)
