"""Comparison of two networks: who is who, every metric before and after, notes if they do not fit."""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from netveil.attributes import Attributes
from netveil.errors import NetworkError, SettingError, check_kinds, option
from netveil.formatting import are, change, counted, figure, html_view, in_columns, percentage, table_of
from netveil.kernels.arrays import IntVector
from netveil.network import Network, in_label_order
from netveil.plotting import plot_changes
from netveil.progress import finished
from netveil.registries import METRICS
from netveil.threads import available_cores, threads_for
from netveil.utility.metric import Finding, Metric, MetricSettings, Side
from netveil.utility.structure import size_of_top

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

AnyMetrics: TypeAlias = str | Metric | type[Metric] | Iterable[str | Metric | type[Metric]] | None
"""Metrics by name, by `module:object` or as objects; None for all of `METRICS`."""

HEADER = ("", "before", "after", "change", "better")
COLUMNS = ("title", "before", "after", "change", "relative_change", "score", "better", "note")
UNKNOWN_PEOPLE = (
    "who is who in the synthetic network is not known here: true ties, centrality and communities mean "
    "nothing. Give its release folder or its table of labels."
)
FRESH_LABELS = (
    "If the release has fresh labels, give its release folder or its table of labels (private/labels.csv)."
)
OTHER_TABLE = "Give the table of labels that belongs to this release."


def _cells(finding: Finding) -> tuple[str, ...]:
    which_way = finding.better.split()[0]  # 'higher is better': the header says the rest
    changed = change(finding.change, finding.relative_change)
    return finding.title, figure(finding.before), figure(finding.after), changed, which_way


def people_of(original: Network, released: Network, labels: Mapping[Any, Hashable] | None) -> IntVector:
    """Find the number in the original of each released node.

    Labels are compared as text, because a file holds text where a program may hold numbers. `labels` maps
    those of the original to those of the released network.
    """
    if labels is None and original.labels == released.labels:
        return np.arange(original.node_count)
    published: Sequence[Hashable] = original.labels
    if labels is not None:
        table = {str(old): new for old, new in labels.items()}
        found = [str(label) for label in original.labels if str(label) in table]
        if len(found) < original.node_count:
            raise NetworkError(
                f"the table of labels has {len(found):,} of the original's {original.node_count:,} nodes; "
                f"give the table (original, published) that belongs to this original."
            )
        published = [table[label] for label in found]
    number_of = _numbers(published, "original")
    _numbers(released.labels, "released network")
    numbers = [number_of.get(str(label), -1) for label in released.labels]
    shared = sum(number >= 0 for number in numbers)
    if shared < max(len(numbers), original.node_count):
        remedy = FRESH_LABELS if labels is None else OTHER_TABLE
        if shared == released.node_count and labels is None:
            remedy = "Nodes without edges must be in the released file too."
        raise NetworkError(
            f"the networks do not have the same nodes: {original.node_count:,} in the original, "
            f"{released.node_count:,} in the released network, {shared:,} in both by label. {remedy}"
        )
    return np.array(numbers, dtype=np.int64)


def renumbered(original: Network, released: Network, people: IntVector) -> Network:
    """Give released nodes numbers and labels of the original, by `people_of`; their attributes stay."""
    attributes = Attributes(released.attributes.node).of_nodes(np.argsort(people))
    edges, nodes = people[released.edges], original.node_count
    return Network.from_numbered_edges(
        edges, nodes, original.labels, name=released.name, attributes=attributes
    )


def _numbers(labels: Iterable[Hashable], whose: str) -> dict[str, int]:
    texts = [str(label) for label in labels]
    numbers = {text: number for number, text in enumerate(texts)}
    shared = len(texts) - len(numbers)
    if shared:
        raise NetworkError(
            f"{counted(shared, 'label')} of the {whose} {are(shared)} not unique when written as text; "
            f"give each node a label of its own."
        )
    return numbers


@dataclass(frozen=True)
class Comparison:
    """Figures before and after of a network and its release; no labels.

    >>> import netveil as nv
    >>> karate = nv.load("karate")
    >>> comparison = nv.compare(karate, nv.anonymize(karate, "10%", algorithm="es", seed=1))
    >>> print(comparison.sentence())
    7 of 78 edges deleted (8.97%)
    """

    original: str  # name of the network
    released: str
    nodes: int
    edges: int  # of the original
    deleted: int  # edges of the original that the release lacks
    new: int  # edges of the release that the original lacks; none if edges were only deleted
    seed: int
    metrics: Mapping[str, Finding]
    notes: tuple[str, ...] = ()
    kind: str = "deletion"  # or "synthetic": all edges of the release are made up

    @property
    def true_ties(self) -> float:
        """Edges of the release that the original has too, as a share of the release's."""
        shared = self.edges - self.deleted
        return shared / (shared + self.new) if shared else 0.0

    @property
    def edges_deleted(self) -> float:
        """Deleted edges as a share of the original's."""
        return self.deleted / self.edges if self.edges else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Document of the contract: plain numbers, texts and None."""
        return {
            **vars(self),
            "edges_deleted": self.edges_deleted,
            "true_ties": self.true_ties,
            "notes": list(self.notes),
            "metrics": {name: finding.to_dict() for name, finding in self.metrics.items()},
        }

    def sentence(self) -> str:
        """Sentence on deleted and added edges, for a terminal."""
        shared = self.edges - self.deleted
        if self.kind == "synthetic":
            share = percentage(self.true_ties)
            return f"all {shared + self.new:,} edges made up, {shared:,} of them ({share}) as in the original"
        return f"{self.deleted:,} of {self.edges:,} edges deleted ({percentage(self.edges_deleted)})"

    def to_pandas(self) -> pandas.DataFrame:
        """One row a metric, by name."""
        rows = [
            {"metric": name, **{column: getattr(finding, column) for column in COLUMNS}}
            for name, finding in self.metrics.items()
        ]
        return table_of(rows, ["metric", *COLUMNS]).set_index("metric")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Change of each metric in percent, on axes of matplotlib that are returned."""
        return plot_changes({each.title: each.relative_change for each in self.metrics.values()}, ax)

    def table(self, notes: bool = True) -> str:
        """Table for a terminal, with remarks on how figures came about below it."""
        return side_by_side([self], ["after"], notes)

    def _repr_html_(self) -> str:
        return html_view("", HEADER, map(_cells, self.metrics.values()), self.remarks())

    def remarks(self) -> list[str]:
        """Notes on estimates, definitions and doubtful figures."""
        about_metrics = [f"{name}: {finding.note}" for name, finding in self.metrics.items() if finding.note]
        return [*self.notes, *about_metrics]

    def __repr__(self) -> str:
        said = self.sentence().partition(" (")[0] if self.kind == "deletion" else self.sentence()
        return f"Comparison({self.original!r}, {said})"


def side_by_side(comparisons: Sequence[Comparison], names: Sequence[str], notes: bool = True) -> str:
    """Table for a terminal: figures of one original, and of each release under its name; remarks below."""
    cells = [[_cells(each.metrics[name]) for each in comparisons] for name in comparisons[0].metrics]
    head = [HEADER[0], HEADER[1], *(cell for name in names for cell in (name, "change")), HEADER[-1]]
    rows = [[*row[0][:2], *(cell for each in row for cell in each[2:4]), row[0][-1]] for row in cells]
    remarks = list(dict.fromkeys(note for each in comparisons for note in each.remarks())) if notes else []
    return "\n".join([*in_columns([head, *rows]), *([""] if remarks else []), *remarks])


def compare(original: Network, released: Network, **options: Any) -> Comparison:
    """Compare two networks with the same nodes; see `comparing`.

    >>> from netveil import load
    >>> karate = load("karate")
    >>> comparison = compare(karate, karate.without_edges([0, 1, 2]))
    >>> comparison.deleted, comparison.metrics["average_degree"].after
    (3, 4.411764705882353)
    """
    return finished(comparing(original, released, **options))


def comparing(
    original: Network,
    released: Network,
    *,
    labels: Mapping[Any, Hashable] | None = None,
    seed: int = 0,
    exact: bool = False,
    top: int | None = None,
    clustering: str = "paper",
    metrics: AnyMetrics = None,
    threads: int | None = None,
    synthetic: bool = False,
) -> Generator[str, None, Comparison]:
    """Compare two networks with the same nodes; yields the name of each metric when it is done.

    Networks of which the released one has mostly edges that the original lacks are refused, unless it is
    `synthetic`.

    Parameters
    ----------
    labels
        Original label → published label, where the release has fresh ones. Labels are compared as text.
    seed
        Decides what is random: communities, and the sources where paths are sampled.
    exact
        Insist on exact paths and on all runs of community detection, however large the network is.
    top
        How many central nodes to compare; 100 by default, or a fifth of the nodes if that is less.
    clustering
        'paper' leaves nodes with fewer than two neighbours out of the average, 'textbook' counts them as 0.
    metrics
        Names of the metrics to compute, by default all of `netveil.utility.METRICS`.
    threads
        Threads to compute with, all cores by default; no figure depends on it.
    """
    check_kinds(locals(), labels="pairs?", threads="whole?", synthetic="flag")
    if threads is not None and threads < 1:
        raise SettingError(f"threads {threads}: give a whole number, 1 or more.")
    chosen = chosen_metrics(metrics)
    settings = MetricSettings(seed=seed, exact=exact, top=top, clustering=clustering)
    size_of_top(original.node_count, top)  # a wrong `top` fails before the work, not after
    released = renumbered(original, released, people_of(original, released, labels))
    # Figures of a release are published: the order of nodes in a file must not decide what is drawn.
    original, released = in_label_order(original), in_label_order(released)
    shared = original.shared_edges(released.edges)
    new = released.edge_count - shared
    if 2 * new > released.edge_count and not synthetic:
        raise NetworkError(
            f"the networks do not belong together: the original lacks {new:,} of the {released.edge_count:,} "
            f"edges of the released network. {OTHER_TABLE if labels is not None else FRESH_LABELS}"
            + (f" {option('labels')} takes the table." if labels is None else "")
        )
    doubts = (UNKNOWN_PEOPLE,) if synthetic and labels is None else ()
    if new and not synthetic:
        doubts = (
            f"{counted(new, 'edge')} of the released network {are(new)} not in the original, though a "
            f"release only lacks edges. {FRESH_LABELS}",
        )
    before = Side(original, settings)
    after = Side(released, settings, like=before)
    findings = yield from _findings(before, after, chosen, threads or available_cores())
    return Comparison(
        original=original.name,
        released=released.name,
        nodes=original.node_count,
        edges=original.edge_count,
        deleted=original.edge_count - shared,
        new=new,
        seed=seed,
        metrics=findings,
        notes=doubts,
        kind="synthetic" if synthetic else "deletion",
    )


def chosen_metrics(metrics: AnyMetrics) -> list[str]:
    """Names of metrics in the order in which people read them; all of them if none are given."""
    given = METRICS if metrics is None else metrics
    given = [given] if isinstance(given, str) or not isinstance(given, Iterable) else list(given)
    wanted = list(dict.fromkeys(map(METRICS.named, given)))
    if not wanted:
        raise SettingError(f"metrics: none is given; leave them out, or name some of {', '.join(METRICS)}.")
    listed = [name for name in METRICS if name in wanted]
    return listed + [name for name in wanted if name not in listed]


def _findings(
    before: Side, after: Side, chosen: Sequence[str], threads: int
) -> Generator[str, None, dict[str, Finding]]:
    """Compute metrics on several cores; yields their names as they are done.

    Metrics that hold Python's interpreter lock start first, in one thread. The compiled path searches run
    beside them in the other threads, then the other metrics follow. A metric only ever waits for path
    searches, and these have all begun by then.
    """
    # Imported in the thread that Ctrl-C reaches: in another, imports would delay the end.
    import igraph  # noqa: F401

    import netveil.kernels.shortest_paths  # noqa: F401

    try:
        with threads_for(threads) as pool:
            findings, found = {}, {}
            for holds_interpreter in (True, False):
                for metric in map(METRICS.__getitem__, chosen):
                    if metric.holds_interpreter == holds_interpreter:
                        findings[pool.submit(metric.compare, before, after)] = metric.name
                if holds_interpreter and any(METRICS[name].needs_paths for name in chosen):
                    before.begin(pool)
                    after.begin(pool)
            for finding in as_completed(findings):
                found[findings[finding]] = finding.result()
                yield findings[finding]
            return {name: found[name] for name in chosen}
    finally:
        # After an error or Ctrl-C, nothing else begins, and nobody waits for what has begun.
        before.abandoned.set()
