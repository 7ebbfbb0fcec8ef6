"""From a release folder back to a Release: the original is what is published and what was deleted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from netveil.anonymity import AnyMeasure, Measure, attackers_of
from netveil.attributes import Attributes
from netveil.errors import FileError, NetveilError
from netveil.files import find_release, read
from netveil.files.release_files import read_pairs
from netveil.kernels.arrays import IntVector
from netveil.network import Dropped, Network
from netveil.reading import Reading
from netveil.release.recorded import (
    DAMAGE,
    EdgesByLabel,
    UnknownEdgeError,
    read_curve,
    read_run,
    recorded_curve,
    recorded_outcome,
    recorded_secret,
)
from netveil.release.release import Release

AGAIN = "Make the release again."


def load_release(
    folder: str | os.PathLike[str], *, measure: AnyMeasure | Sequence[AnyMeasure] | None = None
) -> Release:
    """The release in a folder that `netveil.save` or the command line wrote, to go on working with it.

    `measure` has measures of your own that it was made against, where they are functions without a module.
    Labels come back as text, or as numbers if all were whole numbers. Of the deleted edges no attributes are
    kept, of a long search not every step of its history, and `graph` is a Network.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     release = nv.anonymize(nv.load("karate"), budget=4, seed=1)
    ...     folder = nv.save(release, f"{place}/saved", utility=False, audit=False, baselines=False)
    ...     nv.load_release(folder)
    Release('karate', 15 → 5 at risk, 4 of 78 edges deleted)
    """
    run = _private_record(Path(folder))
    own = {} if measure is None else {each.measure.name: each.measure for each in attackers_of(measure)}
    try:
        return _release(Path(folder), run, own)
    except FileError:
        raise
    except NetveilError as error:  # such as a measure of the user's that is not at hand
        raise FileError(
            f"{folder} cannot be loaded: {error} If it was made against a measure of your own, give that: "
            f"load_release(folder, measure=…)."
        ) from None
    except UnknownEdgeError:
        raise _damaged(folder, "its record names edges that are not in its network") from None
    except DAMAGE:
        raise _damaged(folder, "private/run.json does not hold what a release is made of") from None


def _private_record(folder: Path) -> dict[str, Any]:
    """The record of the run; a public part alone is told apart from what is no release at all."""
    try:
        return read_run(folder)
    except FileError:
        public = folder if folder.name == "public" else folder / "public"
        has_private = os.path.isdir(folder / "private")  # noqa: PTH112  # Path.is_dir may raise
        networks = sorted(public.glob("network.*")) if os.path.isdir(public) else []  # noqa: PTH112
        if has_private or not networks:
            raise
        raise FileError(
            f"{folder} is only the public part of a release, which does not tell the original and how the "
            f"release was made. Give the whole folder, or read the published network: "
            f"nv.read({str(networks[0])!r})."
        ) from None


def _release(folder: Path, run: dict[str, Any], own: dict[str, Measure]) -> Release:
    if "fingerprint" not in run and "report" in run:
        raise FileError(
            f"{folder} was written by an older netveil, which did not keep what is needed to load it. "
            f"Make the release again, with the command in private/run.json."
        )
    table = read_pairs(folder / "private" / "labels.csv", ("original", "published"), "labels", AGAIN)
    deleted = read_pairs(folder / "private" / "deleted_edges.csv", ("source", "target"), "edges", AGAIN)
    original = _original(folder, run, table, deleted)
    edges = EdgesByLabel(original)
    keep_labels = bool(run["keep_labels"])
    outcome = recorded_outcome(
        run,
        own,
        deleted_edges=edges.numbers(deleted),
        protected_edges=edges.numbers(run["protected_edges"]),
        curve=recorded_curve(read_curve(folder), edges) if run["curve"] else (),
    )
    return Release(
        original,
        outcome,
        keep_labels,
        published_as=None if keep_labels else _numbers(folder, table),
        command=str(run["command"]),
        secret=recorded_secret(run),
    )


def _original(
    folder: Path, run: dict[str, Any], table: list[tuple[str, str]], deleted: list[tuple[str, str]]
) -> Network:
    """The original, with the node numbers that it had: those of the rows of the table of labels."""
    number_of, published_number_of = (
        {text: number for number, text in enumerate(column)} for column in zip(*table, strict=True)
    )
    if len(number_of) < len(table):
        raise _damaged(folder, "two labels in private/labels.csv are the same as text")
    files = find_release(folder)
    assert files is not None, "a folder is a release, or that is an error"
    public = read(files.network)
    people = np.array([published_number_of[str(label)] for label in public.labels], dtype=np.int64)
    pairs = np.array([(number_of[one], number_of[other]) for one, other in deleted], dtype=np.int64)
    is_numbered = run["labels_are"] == "numbers"
    original = Network.from_numbered_edges(
        np.concatenate((people[public.edges], pairs.reshape(-1, 2))),
        len(table),
        tuple(map(int, number_of)) if is_numbered else tuple(number_of),
        name=str(run["network"]),
        attributes=_attributes(
            public.attributes.only(run["kept_attributes"]), people, len(table), len(pairs)
        ),
    )
    if original.fingerprint != run["fingerprint"]:
        raise _damaged(folder, "its tables and its network do not belong together")
    return replace(
        original,
        dropped=Dropped(**run["dropped"]),
        sha256=str(run["original_sha256"]),
        file=str(run.get("input") or ""),
        reading=None if run["reading"] is None else Reading.of_record(run["reading"]),
    )


def _attributes(published: Attributes, people: IntVector, nodes: int, deleted: int) -> Attributes:
    """Those of the published network for the original; the deleted edges, which come last, have none."""
    node: dict[str, list[Any]] = {name: [None] * nodes for name in published.node}
    for name, values in published.node.items():
        for person, value in zip(people.tolist(), values, strict=True):
            node[name][person] = value
    edge = {name: [*values, *[None] * deleted] for name, values in published.edge.items()}
    return Attributes(node, edge)


def _numbers(folder: Path, table: list[tuple[str, str]]) -> IntVector:
    """The published number of each node of the original."""
    numbers = np.array([int(published) for _, published in table], dtype=np.int64)
    if not np.array_equal(np.sort(numbers), np.arange(len(table))):
        raise _damaged(folder, "the published labels in private/labels.csv are not the numbers from 0")
    return numbers


def _damaged(folder: str | os.PathLike[str], why: str) -> FileError:
    return FileError(f"{folder} is damaged: {why}. {AGAIN}")
