"""A synthetic release: networks drawn from a table whose rows stand for k people each or more; its folder.

    RELEASE/public/   network.<ext>, network-2.<ext> … for further copies, about.json, and the deposit's files
    RELEASE/private/  table.csv  table-ties.csv  labels.csv  run.json  decision.json  report.html
                      sign-off.html

Every tie is made up. Which person of a row is which node of it is drawn from a secret: `labels.csv` tells, so
that attacks can be scored, and nothing else knows.
"""

from __future__ import annotations

import hmac
import os
from collections import Counter
from collections.abc import Generator, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, cast

import numpy as np

from netveil._version import __version__
from netveil.attributes import Attributes
from netveil.auditing.leaks import attribute_leaks, label_leaks
from netveil.deciding import Facts, Policy
from netveil.deciding.facts import KNOWING, losses_of, named_attackers_of_synthetic
from netveil.errors import FileError
from netveil.files import read
from netveil.files.read_write import read_pairs
from netveil.formatting import PeopleFound, csv_table, html_view
from netveil.kernels.arrays import IntVector
from netveil.network import Network
from netveil.plotting import plot_class_sizes
from netveil.progress import retold
from netveil.release.records import (
    AGAIN,
    DAMAGE,
    content_digest,
    damaged,
    keyed_permutation,
    new_secret,
    published_figures,
    read_run,
    record_in,
    record_of_original,
    recorded_secret,
    run_record,
)
from netveil.report import Evidence, Report, render_synthetic
from netveil.report.summary import utility_rows
from netveil.synthetic import KeptAttributes, RowTable, drawing, read_table
from netveil.synthetic.grouping import parsed_diverse
from netveil.synthetic.row_table import TABLE, TIES, table_texts
from netveil.utility import METRICS, MetricSettings, Side
from netveil.utility.metric import Property

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MADE_UP = (
    "All ties of this network are made up: it was drawn from a table in which each row stands for at least "
    "{k} people, and from nothing else."
)
GOOD_FOR = (
    "It is good for statistics of the whole network, such as clustering, distances, epidemics and "
    "communities; it says nothing about who knows whom."
)

CARRIES = "Its nodes carry {names}: each has the values of a random person of its row of the table."


class OriginalRecord(TypedDict):
    """What run.json tells of the original, which a loaded release does not hold. Private."""

    edges: int
    fingerprint: str
    fingerprint_by_labels: str
    input: str | None
    original_sha256: str
    reading: dict[str, Any] | None
    true_ties: float | None  # None where nothing is drawn yet


@dataclass(frozen=True, eq=False, repr=False)
class SyntheticRelease:
    """Networks drawn from one table; `netveil.save` writes their folder.

    >>> import netveil as nv
    >>> release = nv.synthesize("karate", k=6, seed=1)
    >>> release.rows, round(release.ceiling, 2)
    (5, 0.15)
    """

    kind: ClassVar[str] = "synthetic"

    name: str  # of the network that the table is of
    table: RowTable
    labels_of_people: tuple[Hashable, ...]  # of the original, in the order of its nodes: private
    row_of_person: IntVector  # (n): private
    seed: int
    drawn: tuple[Network, ...]  # a copy each, nodes numbered row by row
    original: Network | None = None  # None where the release was drawn from a table alone, or loaded
    seconds: float = 0.0
    command: str = ""
    secret: bytes = field(default_factory=new_secret)  # who is which node, and its number. Private
    recorded: Mapping[str, Any] = field(default_factory=dict)  # an OriginalRecord, where it is not at hand
    kept: KeptAttributes = field(default_factory=KeptAttributes)  # values in the order of people: private

    def node_of_person(self, copy: int) -> IntVector:
        """Node of each person (n) in a copy as drawn: a random one of the own row, by the secret alone."""
        n = self.table.node_count
        lots = keyed_permutation(hmac.digest(self.secret, b"people %d" % copy, "sha256"), n)
        nodes = np.empty(n, dtype=np.int64)
        nodes[np.lexsort((lots, self.row_of_person))] = np.arange(n)
        return nodes

    def _number_of_node(self, copy: int) -> IntVector:
        """Published number of each node (n) of a copy."""
        key = hmac.digest(self.secret, b"numbers %d" % copy, "sha256")
        return keyed_permutation(key, self.table.node_count)

    @cached_property
    def networks(self) -> tuple[Network, ...]:
        """The networks to publish, a copy each: numbers 0 to n-1 in random order as labels."""
        published = []
        for copy, drawn in enumerate(self.drawn):
            number = self._number_of_node(copy)
            person = np.argsort(number[self.node_of_person(copy)])
            attributes = Attributes(self.kept.columns).of_nodes(person)
            published.append(replace(drawn.relabelled(number), name="network", attributes=attributes))
        return tuple(published)

    @property
    def network(self) -> Network:
        """The network to publish, the first of them if there are several."""
        return self.networks[0]

    @cached_property
    def labels(self) -> dict[Hashable, Hashable]:
        """Original label → published label in the first copy: a random node of the own row. Private."""
        numbers = self._number_of_node(0)[self.node_of_person(0)].tolist()
        return dict(zip(self.labels_of_people, numbers, strict=True))

    @property
    def of_original(self) -> Mapping[str, Any]:
        """What is recorded of the original. Private."""
        return self.recorded if self.original is None else record_of_original(self.original)

    @property
    def extension(self) -> str:
        """Suffix of a file that holds what is published."""
        return "graphml" if self.kept.columns else "txt"

    @property
    def k(self) -> int:
        """Each row stands for so many people or more."""
        return self.table.k

    @property
    def rows(self) -> int:
        """Rows of the table."""
        return self.table.row_count

    @property
    def smallest_row(self) -> int:
        """People of the smallest row: nobody is found with a higher chance than one in so many."""
        return self.table.smallest_row

    @cached_property
    def cells(self) -> IntVector:
        """People of each cell: of one row, with equal values of the kept attributes that may be known."""
        return np.bincount(self.kept.cells(self.row_of_person))

    @property
    def smallest_cell(self) -> int:
        """People of the smallest cell: nobody is found with a higher chance, whatever is known of people."""
        return int(self.cells.min(initial=self.table.node_count))

    @property
    def ceiling(self) -> float:
        """Share of people that an attacker finds on average at most, whatever she knows: cells / people."""
        return len(self.cells) / max(self.table.node_count, 1)

    @cached_property
    def true_ties(self) -> float | None:
        """Share of the published ties that the original has too; None if drawn without the original."""
        if self.original is None:
            return cast(float | None, self.recorded["true_ties"])
        person = np.argsort(self.node_of_person(0))
        edges = person[self.drawn[0].edges]
        return self.original.shared_edges(np.sort(edges, axis=1)) / max(len(edges), 1)

    @property
    def people_found(self) -> PeopleFound:
        """People whom an attacker finds on average at most."""
        return PeopleFound(len(self.cells), self.table.node_count)

    def sentences(self) -> list[str]:
        """What may be claimed, and what the network is good for: first in every front."""
        one_in = f"nobody with a chance above one in {self.smallest_cell:,}"
        found = self.people_found
        but_for = f", but for {' and '.join(self.kept.diverse)}" if self.kept.diverse else ""
        return [
            MADE_UP.format(k=self.k),
            f"Whoever has the original network itself finds {found} people ({found.share}) at most on "
            f"average, {one_in}, whatever else is known to them{but_for}.",
            *self._about_attributes(),
            GOOD_FOR,
        ]

    def _about_attributes(self) -> list[str]:
        """What attributes that the network carries mean for what may be claimed."""
        kept, told = self.kept, []
        if kept.columns:
            told.append(CARRIES.format(names=", ".join(kept.columns)))
        if kept.within:
            told.append(f"Groups were made of people with equal {' and '.join(kept.within)}.")
        if set(kept.known) - set(kept.within):
            told.append(
                f"Whoever knows {' and '.join(kept.known)} of somebody looks among fewer people of the row, "
                f"which these figures count; nobody else finds anybody with a chance above one in "
                f"{self.smallest_row:,}."
            )
        for name, least in kept.diverse.items():
            cells = kept.fewest_values(name, kept.cells(self.row_of_person))
            among = f"; among those with equal {' and '.join(kept.known)} it is {cells}" if kept.known else ""
            told.append(
                f"The people of each row have {least} or more values of {name} between them{among}. {name} "
                f"is taken to be unknown: whoever knows it of somebody looks among fewer people."
            )
        return told

    def figures(self) -> dict[str, Any]:
        """The document of the contract. Private."""
        return {
            "kind": self.kind,
            "network": self.name,
            "nodes": self.table.node_count,
            "edges": self.recorded["edges"] if self.original is None else self.original.edge_count,
            "published_edges": [each.edge_count for each in self.networks],
            "k": self.k,
            "rows": self.rows,
            "smallest_row": self.smallest_row,
            "smallest_cell": self.smallest_cell,
            "kept_attributes": list(self.kept.columns),
            "within": list(self.kept.within),
            "diverse": dict(self.kept.diverse),
            "ceiling": self.ceiling,
            "true_ties": self.true_ties,
            "seed": self.seed,
            "copies": len(self.drawn),
            "seconds": round(self.seconds, 3),
            "version": __version__,
        }

    # What a folder holds: `ReleaseFolder.save` and `run_record` ask every kind of release for these.

    @property
    def identity(self) -> tuple[str, str]:
        """Fingerprint of the original by labels, and digest of what is published but for chance."""
        table = table_texts(self.table)[0].encode()
        return self.of_original["fingerprint_by_labels"], content_digest(table, None, list(self.kept.columns))

    def facts(self, evidence: Evidence, policy: Policy | None = None) -> Facts:
        """Facts that a policy is held against: the table bounds what anybody finds, whatever they know."""
        people, network, n = self.table.people, self.network, self.table.node_count
        small = 0 if policy is None else int(people[people < policy.k].sum())
        leaks = [*label_leaks(self.original or network, network), *attribute_leaks(network)]
        return Facts(
            people=n,
            k=self.smallest_row,
            at_risk={} if policy is None else dict.fromkeys(policy.attackers, small / n),
            found=dict.fromkeys(KNOWING, self.ceiling),
            named=named_attackers_of_synthetic(self.rows, n, self.smallest_row, evidence.attacks),
            losses=losses_of(evidence.comparison),
            attributes=network.attributes.names,
            leaks=sum(leak.severity == "leak" for leak in leaks),
            synthetic=True,
        )

    def public_record(self, evidence: Evidence) -> dict[str, Any]:
        """What may be published: figures of the published network, k and the number of people.

        Figures are computed from the published network alone. Those of the comparison are not taken: whom it
        samples in a large network depends on who is which node.
        """
        side, names = Side(self.network, MetricSettings()), ", ".join(self.kept.columns)
        properties = {name: each for name, each in METRICS.items() if isinstance(each, Property)}
        measured = {} if evidence.comparison is None else properties
        return {
            "netveil": __version__,
            "kind": self.kind,
            "about": " ".join(
                [MADE_UP.format(k=self.k), *([CARRIES.format(names=names)] if names else []), GOOD_FOR]
            ),
            "k": self.k,
            "anonymity": {"nodes": self.table.node_count},
            "copies": len(self.drawn),
            "utility": {
                "edges_published": self.network.edge_count,
                **published_figures({name: each.compare(side, side) for name, each in measured.items()}),
            },
        }

    def private_record(self, evidence: Evidence, published: Mapping[str, str]) -> dict[str, Any]:
        """What run.json has of a synthetic release besides its figures: original, rows, attacks."""
        copies = sorted((name for name in published if name.startswith("network")), key=lambda n: (len(n), n))
        return {
            "published_sha256": [published[name] for name in copies] or [""],
            "row_of_person": self.row_of_person.tolist(),
            "history": [],
            "report": {
                "sentences": self.sentences(),
                "found": list(self.people_found),
                "utility": [] if evidence.comparison is None else utility_rows(evidence.comparison),
                "attacks": evidence.attacks,
            },
        }

    def tables(self) -> dict[str, str]:
        """Private files besides run.json and the pages, by name: the table, and who is which node."""
        table, ties = table_texts(self.table)
        labels = csv_table(("original", "published"), self.labels.items())
        return {TABLE: table, TIES: ties, "labels.csv": labels}

    def plot(self, ax: Axes | None = None) -> Axes:
        """People by how many share their row of the table, on axes of matplotlib that are returned."""
        sizes = Counter(self.cells.tolist())
        return plot_class_sizes({"people": {size: size * cells for size, cells in sizes.items() if size}}, ax)

    def report(self, evidence: Evidence | None = None) -> Report:
        """The report, as `netveil.save` writes it."""
        run = run_record(self, Evidence() if evidence is None else evidence)
        return Report(render_synthetic(run, "report"))

    def __repr__(self) -> str:
        return f"SyntheticRelease({self.name!r}, k = {self.k}, {self.rows:,} rows, {len(self.drawn)} drawn)"

    def _repr_html_(self) -> str:
        rows = [
            [str(copy + 1), f"{each.node_count:,}", f"{each.edge_count:,}"]
            for copy, each in enumerate(self.networks)
        ]
        return html_view(" ".join(self.sentences()), ["copy", "nodes", "edges"], rows)


def drawing_copies(release: SyntheticRelease, copies: int) -> Generator[float, None, SyntheticRelease]:
    """Draw so many networks from the table of a release; yields the share of the work that is done."""
    drawn = []
    for copy in range(copies):
        done = partial(lambda copy, share: (copy + share) / copies, copy)
        drawn.append((yield from retold(drawing(release.table, release.seed, copy), done)))
    return replace(release, drawn=tuple(drawn))


# From a folder back to a release.


def is_synthetic(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder's about.json says that it holds a synthetic release."""
    records = (record_in(Path(folder, part, "about.json")) for part in ("public", ""))
    return any(about.get("kind") == "synthetic" for about in records)


def load_synthetic(folder: str | os.PathLike[str]) -> SyntheticRelease:
    """The synthetic release in a folder: its table, and who is in which row. Nothing is drawn yet."""
    run = read_run(folder)
    if run.get("kind") != "synthetic":
        raise FileError(
            f"{folder} holds no table: its ties were deleted, not made up. Give a synthetic release."
        )
    private = Path(folder) / "private"
    table = read_table(private)
    pairs = read_pairs(private / "labels.csv", ("original", "published"), "labels", AGAIN)
    try:
        return _recorded(Path(folder), run, table, pairs)
    except DAMAGE:
        raise damaged(folder, "private/run.json does not fit its table and labels") from None


def _recorded(
    folder: Path, run: Mapping[str, Any], table: RowTable, pairs: list[tuple[str, str]]
) -> SyntheticRelease:
    """The release that a run wrote down; raises one of DAMAGE if the record does not hold it."""
    from msgspec import convert

    labels = [original for original, _ in pairs]
    release = SyntheticRelease(
        run["network"],
        table,
        tuple(map(int, labels)) if run["labels_are"] == "numbers" else tuple(labels),
        np.array(convert(run["row_of_person"], list[int]), dtype=np.int64),
        convert(run["seed"], int),
        (),
        seconds=convert(run["seconds"], float),
        command=run["command"],
        secret=recorded_secret(run),
        recorded={**convert(run, OriginalRecord), "true_ties": None},
    )
    if not np.array_equal(np.bincount(release.row_of_person, minlength=table.row_count), table.people):
        raise ValueError
    if [str(published) for published in release.labels.values()] != [published for _, published in pairs]:
        raise ValueError
    if not (names := run["kept_attributes"]):
        return release
    person_to_number = release._number_of_node(0)[release.node_of_person(0)]
    columns = read(_published(folder)[0]).attributes.only(names).of_nodes(person_to_number).node
    if sorted(columns) != sorted(names):
        raise ValueError
    kept = KeptAttributes(columns, tuple(run["within"]), parsed_diverse(run["diverse"]))
    return replace(release, kept=kept)


def _published(folder: Path) -> list[Path]:
    """Published networks of a release, the first copy first."""
    return sorted((folder / "public").glob("network*.*"), key=lambda file: (len(file.stem), file.stem))


def load_drawn(folder: str | os.PathLike[str]) -> SyntheticRelease:
    """The synthetic release in a folder with the networks that are published there."""
    release, run = load_synthetic(folder), read_run(folder)
    drawn = []
    for copy, file in enumerate(_published(Path(folder))):
        network = read(file)
        numbers = np.array([int(label) if label.isdecimal() else -1 for label in map(str, network.labels)])
        if not np.array_equal(np.sort(numbers), np.arange(release.table.node_count)):
            raise damaged(file, "its people are not those of the table")
        drawn.append(network.relabelled(np.argsort(release._number_of_node(copy))[numbers]))
    if not drawn or len(drawn) != run["copies"]:
        raise damaged(folder, f"it has {len(drawn)} of {run['copies']} networks")
    recorded = {**release.recorded, "true_ties": run["true_ties"]}
    return replace(release, drawn=tuple(drawn), recorded=recorded)
