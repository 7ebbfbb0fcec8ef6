"""A release: the anonymized network and how it was made.

`network` and the public record are all that a published folder may hold; everything else is private.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from netveil._version import __version__
from netveil.anonymity import Anonymity, Attacker, People, anonymity_of
from netveil.anonymity.attackers import singled_out_by
from netveil.anonymity.partition import attackers_by_name, riskiest_first, states_in_words
from netveil.deciding import Facts, Policy
from netveil.deciding.facts import facts_of_published
from netveil.errors import SettingError, needing
from netveil.formatting import counted, csv_table, html_view, percentage, table_of
from netveil.job import Anonymization
from netveil.kernels.arrays import IntVector
from netveil.network import Network, in_label_order, losses
from netveil.plotting import plot_history, plot_picture, plot_points
from netveil.release.records import (
    ROWS_OF_HISTORY,
    content_digest,
    edges_as_text,
    keyed_permutation,
    new_secret,
    plain_fields,
    published_figures,
    record_of_original,
    run_record,
    share_bound,
)
from netveil.report import Evidence, Report, render, summarize, thinned
from netveil.search import CurvePoint, Outcome, Progress
from netveil.search.budget import budget_in_edges
from netveil.search.limit import kept_limits, parsed_limits

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

REMAINING_SHOWN = 20  # people still at risk whom the report lists


# Who was at risk, and who still is: a row a person, those first who remain. Private: it holds labels.


@dataclass(frozen=True, slots=True)
class PersonOfRelease:
    """Somebody who was at risk in the original, or is in the release. Private.

    Class numbers, in states that are no numbers, are those of one network: they tell nothing across two.
    """

    label: Hashable
    published: Hashable  # the label in the published network
    contacts: int  # in the original
    state_before: str
    state_after: str
    class_size_before: int  # people who look like them, themselves included
    class_size_after: int
    at_risk_before: bool
    at_risk_after: bool
    attackers: str  # to whom they are at risk; if they no longer are, to whom they were


# Tables of a release, for pandas, matplotlib and notebooks.


class ReleaseTable:
    """Table of a release that knows its length; `noun` says what a row is."""

    rows: tuple[Any, ...]
    noun: ClassVar[str]
    columns: ClassVar[list[str] | None] = None  # needed where there may be no row

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the rows."""
        return table_of((row if isinstance(row, Mapping) else vars(row) for row in self.rows), self.columns)

    def plot(self, ax: Axes | None = None) -> Axes:
        """People at risk against edges deleted, a point a row, on axes of matplotlib that are returned."""
        points = [(row["deleted"], row["at_risk"]) for row in self.rows]
        return plot_points({self.noun: points}, "edges deleted", ax=ax)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({counted(len(self.rows), self.noun)})"


@dataclass(frozen=True, repr=False)
class ReleaseCurve(ReleaseTable):
    """A row for each point: `budget` in edges and its `share`, edges `deleted`, people `at_risk`.

    >>> import netveil as nv
    >>> nv.anonymize("karate", "5%", seed=1, curve=True).curve.rows[0]["deleted"]
    1
    """

    rows: tuple[Mapping[str, Any], ...]
    noun, columns = "point", ["budget", "share", "deleted", "at_risk"]

    def plot(self, ax: Axes | None = None) -> Axes:
        """People at risk against the budget, on axes of matplotlib that are returned."""
        points = [(100 * row["share"], row["at_risk"]) for row in self.rows]
        return plot_points({"curve": points}, "budget (% of the edges)", joined=True, ax=ax)

    def cells(self) -> list[list[str]]:
        """The header and the points as texts, for people to read."""
        points = [
            [percentage(row["share"]), f"{row['deleted']:,}", f"{row['at_risk']:,}"] for row in self.rows
        ]
        return [["budget", "edges deleted", "at risk"], *points]

    def _repr_html_(self) -> str:
        header, *points = self.cells()
        return html_view("", header, points)


@dataclass(frozen=True, repr=False)
class SearchHistory(ReleaseTable):
    """Steps of a search: seconds, step, evaluations, the best objective, people at risk, edges deleted.

    >>> import netveil as nv
    >>> history = nv.anonymize("karate", "10%", algorithm="ga", seed=1).history
    >>> history.rows[0].step, history.rows[-1].at_risk <= history.rows[0].at_risk
    (0, True)
    """

    rows: tuple[Progress, ...]
    noun, columns = "step", [each.name for each in fields(Progress)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """The best objective against time, on axes of matplotlib that are returned."""
        return plot_history([*map(vars, self.rows)], ax)


def rank_of(outcome: Outcome) -> tuple[int, int, int]:
    """Key by which outcomes of one job are better: nodes at risk beyond enough, deletions, nodes at risk."""
    at_risk = outcome.at_risk_after
    return max(at_risk - outcome.enough, 0), len(outcome.deleted_edges), at_risk


@dataclass(frozen=True, repr=False)
class SearchRuns(ReleaseTable):
    """Outcomes of several searches with the same budget, each with another seed, in their order.

    >>> import netveil as nv
    >>> runs = nv.anonymize("karate", 5, algorithm="ua", seed=1, runs=3).runs
    >>> len(runs), runs.outcomes[0].seed
    (3, 1)
    """

    rows: tuple[Mapping[str, Any], ...]  # seed, nodes at risk, edges deleted, seconds and why it stopped
    outcomes: tuple[Outcome, ...]  # a row each
    noun = "run"

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> SearchRuns:
        """Make the rows of these outcomes."""
        rows = (
            {
                "seed": each.seed,
                "at_risk": each.at_risk_after,
                "deleted": len(each.deleted_edges),
                "seconds": each.seconds,
                "stopped_by": each.stopped_by,
            }
            for each in outcomes
        )
        return cls(tuple(rows), tuple(outcomes))

    @property
    def mean(self) -> float:
        """Nodes at risk, on average."""
        return fmean(row["at_risk"] for row in self.rows)

    @property
    def deviation(self) -> float:
        """Standard deviation of the nodes at risk, of a sample; 0 for one run."""
        return stdev(row["at_risk"] for row in self.rows) if len(self) > 1 else 0.0

    def __repr__(self) -> str:
        found = [row["at_risk"] for row in self.rows]
        spread = f"{min(found):,} to {max(found):,} at risk, {self.mean:.1f} ± {self.deviation:.1f}"
        return f"SearchRuns({counted(len(found), 'run')}, {spread})"


@dataclass(frozen=True, eq=False, repr=False)
class ParetoFront(ReleaseTable):
    """Releases of one network of which none is better than another in every respect, by deletions.

    >>> import netveil as nv
    >>> front = nv.pareto_front(nv.anonymize("karate", "10%", algorithm="ua", seed=1, runs=3), ["lcc"])
    >>> list(front.rows[0])
    ['deleted', 'at_risk', 'lcc']
    """

    rows: tuple[Mapping[str, float], ...]  # edges deleted, people at risk, the change of each metric
    releases: tuple[Release, ...]  # a row each
    noun = "release"

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, float]], releases: Sequence[Release]) -> ParetoFront:
        """Those that no other equals or betters in everything; of equals the first."""
        aims = np.array([list(row.values()) for row in rows])
        kept = [
            number
            for number, own in enumerate(aims)
            if not ((aims <= own).all(axis=1) & (aims < own).any(axis=1)).any()
            and not (aims[:number] == own).all(axis=1).any()
        ]
        kept.sort(key=lambda number: tuple(rows[number].values()))
        return cls(tuple(rows[number] for number in kept), tuple(releases[number] for number in kept))


@dataclass(frozen=True, eq=False)
class Release:
    """An anonymized network with how it was made; `netveil.save` writes its folder.

    >>> import netveil as nv
    >>> release = nv.anonymize("karate", "10%", algorithm="es", seed=1)
    >>> release.network.edge_count, len(release.deleted_edges)
    (71, 7)
    """

    kind: ClassVar[str] = "deletion"

    original: Network
    outcome: Outcome
    keep_labels: bool = False
    given_as: Literal["network", "networkx", "igraph"] = "network"
    command: str = ""  # that made the folder that it was loaded from, if one did
    runs: SearchRuns | None = None  # all searches, where several were made
    secret: bytes = field(default_factory=new_secret)  # random: the published numbers follow from it. Private

    @property
    def k(self) -> int:
        """People with fewer lookalikes, themselves included, are at risk."""
        return self.outcome.k

    @property
    def graph(self) -> Any:
        """The network to publish, as the kind of graph that was given to `anonymize`."""
        if self.given_as == "networkx":
            return self.network.to_networkx()
        return self.network.to_igraph() if self.given_as == "igraph" else self.network

    @cached_property
    def remaining(self) -> Network:
        """The original less the deleted edges, with the original labels: private."""
        return self.original.without_edges(self.outcome.deleted_edges)

    @cached_property
    def network(self) -> Network:
        """The network to publish: fresh labels 0..n-1 in random order, or all by label if labels are kept."""
        remaining = self.remaining
        network = in_label_order(remaining) if self.keep_labels else remaining.relabelled(self._new_numbers)
        return replace(network, name="network", attributes=network.attributes.by_name())

    @cached_property
    def _new_numbers(self) -> IntVector:
        """The published number of each node.

        The key is made of the secret, because whoever has the original can guess all else, the seed too; and
        of the deletions, because points of one curve share the secret: with the same numbers, their edges
        could be laid on each other.
        """
        deleted = np.ascontiguousarray(self.outcome.deleted_edges, dtype="<i8").tobytes()
        return keyed_permutation(hmac.digest(self.secret, deleted, "sha256"), self.original.node_count)

    @cached_property
    def before(self) -> Anonymity:
        """Anonymity of the original."""
        return anonymity_of(self.original, self.outcome.attackers.each, self.outcome.k)

    @cached_property
    def after(self) -> Anonymity:
        """Anonymity of the release, by the node numbers of the original: private."""
        return anonymity_of(self.remaining, self.outcome.attackers.each, self.outcome.k)

    @property
    def each_alone(self) -> list[tuple[Attacker, int, int]]:
        """Each attacker, and nodes at risk to her alone, before and after."""
        outcome, attackers = self.outcome, self.outcome.attackers
        if len(attackers.each) == 1:
            return [(attackers.each[0], outcome.at_risk_before, outcome.at_risk_after)]
        before, after = ([alone.at_risk for alone in each.each] for each in (self.before, self.after))
        return list(zip(attackers.each, before, after, strict=True))

    @cached_property
    def people(self) -> People[PersonOfRelease]:
        """Everybody who was or is at risk, by label; those who remain first, the riskiest first. Private.

        >>> import netveil as nv
        >>> release = nv.anonymize(nv.load("karate"), "10%", seed=1)
        >>> [(person.label, person.class_size_after) for person in release.people if person.at_risk_after]
        [(33, 1)]
        """
        original, before, after = self.original, self.before, self.after
        remaining = riskiest_first(np.flatnonzero(after.nodes_at_risk), after, original)
        no_longer = np.flatnonzero(before.nodes_at_risk & ~after.nodes_at_risk)
        nodes = np.concatenate((remaining, riskiest_first(no_longer, before, original)))
        attackers = attackers_by_name(after, remaining) + attackers_by_name(before, nodes[len(remaining) :])
        published = self.published_labels
        columns: tuple[list[Any], ...] = (
            [original.labels[node] for node in nodes.tolist()],
            [published[node] for node in nodes.tolist()],
            original.degrees[nodes].tolist(),
            states_in_words(original, before, nodes),
            states_in_words(self.remaining, after, nodes),
            before.lookalikes[nodes].tolist(),
            after.lookalikes[nodes].tolist(),
            before.nodes_at_risk[nodes].tolist(),
            after.nodes_at_risk[nodes].tolist(),
            attackers,
        )
        return People(PersonOfRelease, [PersonOfRelease(*row) for row in zip(*columns, strict=True)])

    @property
    def published_labels(self) -> Sequence[Hashable]:
        """The published label of each node."""
        if self.keep_labels:
            return self.original.labels
        numbers: list[int] = self._new_numbers.tolist()
        return numbers

    @property
    def labels(self) -> dict[Hashable, Hashable]:
        """Original label → published label: private."""
        return dict(zip(self.original.labels, self.published_labels, strict=True))

    @property
    def deleted_edges(self) -> list[tuple[Hashable, Hashable]]:
        """The deleted edges, by original labels: private."""
        return self.original.edge_labels(self.outcome.deleted_edges)

    def at(self, budget: str | int | float) -> Release:
        """The release of one point of the curve: that of the largest budget not above this one.

        For releases that were made with `curve=True`; `budget` is '1%', 0.01 or a number of edges.

        >>> import netveil as nv
        >>> release = nv.anonymize(nv.load("karate"), "10%", seed=1, curve=True)
        >>> release.at("3%")
        Release('karate', 15 → 9 at risk, 2 of 78 edges deleted)
        """
        edges, points = budget_in_edges(budget, self.original.edge_count), self.outcome.curve
        if not points:
            raise SettingError(
                "this release has no curve; search with a curve, within a budget of an edge or more, "
                "for a network with people at risk."
            )
        reached = [point for point in points if point.budget <= edges]
        if not reached:
            raise SettingError(
                f"budget {budget} is less than the first point of the curve; give {points[0].budget:,} edges "
                f"({percentage(points[0].budget, self.original.edge_count)}) or more."
            )
        outcome = outcome_at(reached[-1], self.original, self.outcome)
        return replace(self, outcome=outcome, command="")

    @property
    def curve(self) -> ReleaseCurve:
        """People at risk for parts of the budget, with `curve=True`; `at` gives the release of each."""
        rows = (
            {
                "budget": point.budget,
                "share": round(point.budget / self.original.edge_count, 6),
                "deleted": len(point.deleted_edges),
                "at_risk": point.at_risk,
            }
            for point in self.outcome.curve
        )
        return ReleaseCurve(tuple(rows))

    def points(self) -> list[Release]:
        """This release, and those of the points of its curve and of its other runs."""
        runs = () if self.runs is None else self.runs.outcomes
        others = [outcome_at(point, self.original, self.outcome) for point in self.outcome.curve]
        bare = replace(self, command="", runs=None)
        return [self, *(replace(bare, outcome=each) for each in (*others, *runs))]

    @property
    def history(self) -> SearchHistory:
        """Steps of the search; of a long one that was loaded, some of them."""
        return SearchHistory(self.outcome.history)

    def plot(self, picture: str = "trade_off", ax: Any = None) -> Any:
        """Draw a picture of the report on axes of matplotlib, which are returned.

        `picture` is 'trade_off', 'class_sizes', 'by_degree', 'convergence', 'curve' (with `curve=True`), or
        one with two axes: 'drawing' (the paper's Figure 1) and 'states'.

        >>> import netveil as nv
        >>> nv.anonymize("karate", "10%", algorithm="ua", seed=1).plot("class_sizes").get_ylabel()
        'people'
        """
        return plot_picture(picture, run_record(self, Evidence()), ax)

    def figures(self) -> dict[str, Any]:
        """The document of the contract, with seed and settings. Private."""
        original, outcome = self.original, self.outcome
        return {
            "network": original.name,
            "nodes": original.node_count,
            "edges": original.edge_count,
            "dropped": asdict(original.dropped),
            "measure": outcome.attackers.measure,
            "distance": outcome.attackers.distance,
            "k": outcome.k,
            "known_attributes": list(outcome.attackers.known),
            "attackers": [
                {**attacker.to_dict(), "at_risk_before": before, "at_risk_after": after}
                for attacker, before, after in self.each_alone
            ],
            **{name: getattr(outcome, name) for name in plain_fields() if name != "history"},
            "deleted": len(outcome.deleted_edges),
            "seconds": round(outcome.seconds, 3),
            "keep": [asdict(limit) for limit in outcome.limits],
            "protected": len(outcome.protected_edges),
            "reached": None if outcome.target is None else outcome.at_risk_after <= outcome.enough,
            "curve": [dict(row) for row in self.curve.rows],
            "keep_labels": self.keep_labels,
            "version": __version__,
            "original_sha256": original.sha256,
            "asked": dict(outcome.asked),
        }

    # What a folder holds: `ReleaseFolder.save` and `run_record` ask every kind of release for these.

    @property
    def networks(self) -> tuple[Network, ...]:
        """The network to publish, as the only one."""
        return (self.network,)

    @property
    def of_original(self) -> dict[str, Any]:
        """What is recorded of the original. Private."""
        return record_of_original(self.original)

    @property
    def identity(self) -> tuple[str, str]:
        """Fingerprint of the original by labels, and digest of what is published but for numbers."""
        deleted, names = self._deleted_table.encode(errors="backslashreplace"), self.original.attributes.names
        return self.original.fingerprint_by_labels, content_digest(deleted, self.keep_labels, list(names))

    @property
    def _deleted_table(self) -> str:
        return csv_table(("source", "target"), self.deleted_edges)

    def facts(self, evidence: Evidence, policy: Policy | None = None) -> Facts:
        """Facts that a policy is held against; the share at risk is counted in the published network."""
        facts = facts_of_published(self.network, evidence.audit, evidence.comparison, policy)
        return replace(facts, k=self.outcome.k)

    def public_record(self, evidence: Evidence) -> dict[str, Any]:
        """The figures that may be published; those of utility as far as the two networks were compared.

        All are of the published network, so that anybody can compute them, but for bounds on two shares. Of a
        user's own measure only the name is told, as its module is private.
        """
        outcome, edges, attackers = self.outcome, self.original.edge_count, self.outcome.attackers
        published = edges - len(outcome.deleted_edges)
        return {
            "netveil": __version__,
            "kind": self.kind,
            "measure": " + ".join(each.measure.name.rpartition(":")[2] for each in attackers.each),
            "distance": attackers.distance,
            **({} if attackers.fuzzy is None else {"fuzzy": float(attackers.fuzzy)}),
            **({"twins": True} if attackers.twins else {}),
            "k": outcome.k,
            "budget_share": share_bound(outcome.budget, edges, published),
            "anonymity": {
                "nodes": self.original.node_count,
                "at_risk_after": outcome.at_risk_after,
                "unique_after": outcome.unique_after,
            },
            "utility": {
                "edges_published": published,
                "edges_deleted": share_bound(edges - published, edges, published),
                **({} if evidence.comparison is None else published_figures(evidence.comparison.metrics)),
            },
        }

    def private_record(self, evidence: Evidence, published: Mapping[str, str]) -> dict[str, Any]:
        """What run.json has of a deletion besides its figures: input, history, numbers of the report."""
        original, outcome = self.original, self.outcome
        known = outcome.attackers.known
        by = singled_out_by(self.remaining, outcome.attackers.each, outcome.k) if known else None
        return {
            "published_sha256": next((published[name] for name in published if name[:7] == "network"), ""),
            "lost": list(losses(original)),
            "kept_attributes": list(original.attributes.names),
            "protected_edges": edges_as_text(original, outcome.protected_edges),
            **({"singled_out_by": by} if known else {}),
            "history": self.thinned_history(),
            "report": {
                **summarize(original, outcome, evidence, self.before, self.after),
                "remaining": self._remaining_record(),
            },
        }

    def thinned_history(self) -> list[dict[str, Any]]:
        """Rows of the history, as many as a record keeps."""
        return [asdict(row) for row in thinned(self.outcome.history, ROWS_OF_HISTORY)]

    def _remaining_record(self) -> dict[str, Any]:
        """Record of people who remain at risk: the riskiest by published number, and contacts of all.

        Without a label, for a report gets passed around: but for the first three ties as read, it names
        nobody. Where labels are published, `line` leads to the person.
        """
        remaining = [person for person in self.people if person.at_risk_after]
        contacts, nodes = [person.contacts for person in remaining], self.original.node_count
        return {
            "people": len(remaining),
            "contacts": [min(contacts), max(contacts)] if contacts else None,
            "contacts_of_all": float(np.median(self.original.degrees)) if nodes else 0.0,
            "riskiest": [
                {
                    "published": None if self.keep_labels else person.published,
                    "line": line,
                    "contacts": person.contacts,
                    "state": person.state_after,
                    "class_size": person.class_size_after,
                    "attackers": person.attackers,
                }
                for line, person in enumerate(remaining[:REMAINING_SHOWN], start=2)
            ],
        }

    def tables(self) -> dict[str, str]:
        """Private files besides run.json and the pages, by name: people, ties, the curve."""
        texts = {
            "labels.csv": csv_table(("original", "published"), self.labels.items()),
            "deleted_edges.csv": self._deleted_table,
            "people_at_risk.csv": self.people.to_csv(),
        }
        if self.outcome.curve:
            points = [
                {**vars(point), "deleted_edges": edges_as_text(self.original, point.deleted_edges)}
                for point in self.outcome.curve
            ]
            protected = edges_as_text(self.original, self.outcome.protected_edges)
            record = {
                "fingerprint": self.original.fingerprint, "protected_edges": protected, "points": points,
            }  # fmt: skip
            texts["curve.json"] = json.dumps(record, ensure_ascii=False) + "\n"
        return texts

    def report(self, utility: bool = True, audit: bool = True, baselines: bool = False) -> Report:
        """The report, as `netveil.save` writes it.

        It shows what the deletion cost, what attackers could still do and, if asked for, what other
        algorithms find with the same budget. Leaving one out saves seconds on thousands of nodes.
        """
        from netveil.release.gather import gather

        wanted = Anonymization(utility=utility, audit=audit, baselines=baselines)
        wanted.check()
        return Report(render(run_record(self, gather(self, wanted))))

    def to_pandas(self) -> pandas.DataFrame:
        """Nodes, edges, unique and at risk before and after; and at risk to each of several attackers."""
        with needing("pandas", "a table"):
            import pandas

        outcome, nodes, edges = self.outcome, self.original.node_count, self.original.edge_count
        columns = {
            "nodes": (nodes, nodes),
            "edges": (edges, edges - len(outcome.deleted_edges)),
            "unique": (outcome.unique_before, outcome.unique_after),
            "at_risk": (outcome.at_risk_before, outcome.at_risk_after),
        }
        if len(self.each_alone) > 1:
            columns |= {f"at_risk to {each.name}": (was, now) for each, was, now in self.each_alone}
        return pandas.DataFrame(columns, index=["before", "after"])

    def _repr_html_(self) -> str:
        outcome = self.outcome
        sentence = (
            f"{self.original.name}: {len(outcome.deleted_edges):,} of "
            f"{counted(self.original.edge_count, 'edge')} deleted; {outcome.at_risk_before:,} of "
            f"{self.original.node_count:,} people at risk before, {outcome.at_risk_after:,} after: fewer "
            f"than {outcome.k} are alike."
        )
        rows = [[each.name, f"{before:,}", f"{after:,}"] for each, before, after in self.each_alone]
        return html_view(sentence, ["attacker", "at risk before", "after"], rows)

    def __repr__(self) -> str:
        outcome = self.outcome
        return (
            f"Release({self.original.name!r}, {outcome.at_risk_before:,} → {outcome.at_risk_after:,} at risk"
            f", {len(outcome.deleted_edges):,} of {self.original.edge_count:,} edges deleted)"
        )


def outcome_at(point: CurvePoint, original: Network, whole: Outcome) -> Outcome:
    """The outcome of a search that had ended at this point of its curve, recounted from scratch."""
    remaining = original.without_edges(point.deleted_edges)
    after = anonymity_of(remaining, whole.attackers.each, whole.k)
    on_the_way = [row for row in whole.history if row.deleted <= point.budget and row.at_risk > after.at_risk]
    end = {"objective": after.at_risk, "at_risk": after.at_risk, "deleted": len(point.deleted_edges)}
    limits = parsed_limits({limit.name: limit.share for limit in whole.limits})
    return replace(
        whole,
        budget=point.budget,
        budget_asked=None,
        whole_budget=whole.budget if whole.whole_budget is None else whole.whole_budget,
        deleted_edges=point.deleted_edges,
        at_risk_after=after.at_risk,
        unique_after=after.unique,
        objective=after.at_risk,
        limits=kept_limits(limits, original, remaining),
        history=(*on_the_way, *(replace(row, **end) for row in on_the_way[-1:])),
        least=False,
    )
