"""Claims of a release, recomputed: what its records say, what is found, and whether the two agree.

Of the public part alone, figures of the published network and hashes can be recomputed; with the private part
also its tables; with the original all: figures before, the cost, the attacks, the verdict.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property, reduce
from math import isclose
from operator import attrgetter, getitem
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from netveil.anonymity import MEASURES, Anonymity, Attackers, anonymity_of, recorded_attackers
from netveil.deciding import Policy, decide
from netveil.errors import FileError, NetveilError, NetworkError
from netveil.files import find_release, read
from netveil.files.read_write import check_plain, read_labels, read_pairs
from netveil.files.storage import bounded_bytes
from netveil.formatting import html_view, in_columns
from netveil.job import Anonymization, Synthesis
from netveil.network import Network
from netveil.release.deposit import sha256_of
from netveil.release.folder import load_deletion, rendered
from netveil.release.gather import gather
from netveil.release.records import AGAIN, DAMAGE, record_in, share_bound
from netveil.release.synthetic_release import SyntheticRelease, load_drawn
from netveil.report import Evidence
from netveil.report.summary import utility_rows
from netveil.synthetic import make_table
from netveil.utility import Comparison, compare
from netveil.utility.metric import Finding

Verdict = Literal["agrees", "differs", "cannot be checked"]
_PICTURE = re.compile(r"<svg.*?</svg>", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """A claim of a release, what was found instead, and whether they agree."""

    claim: str
    said: Any
    found: Any
    verdict: Verdict


@dataclass(frozen=True, repr=False)
class Verification:
    """Every claim of a release, held against what was found.

    >>> import netveil as nv
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     release = nv.anonymize("karate", "10%", algorithm="ua", seed=1)
    ...     nv.verify(nv.save(release, f"{place}/release", audit=False)).differs
    False
    """

    claims: tuple[Claim, ...]

    @property
    def differs(self) -> bool:
        """Whether a claim differs from what was found."""
        return any(claim.verdict == "differs" for claim in self.claims)

    def to_dict(self) -> dict[str, Any]:
        """The document."""
        return {"claims": [asdict(claim) for claim in self.claims]}

    def table(self) -> str:
        """A line a claim, and how many agree."""
        rows = [[each.verdict, each.claim, _short(each.said), _short(each.found)] for each in self.claims]
        return "\n".join([*in_columns([["", "claim", "said", "found"], *rows], left=4), self.summary()])

    def summary(self) -> str:
        """How many claims agree, differ, and cannot be checked, in a sentence."""
        verdicts = [claim.verdict for claim in self.claims]
        agree, differ = verdicts.count("agrees"), verdicts.count("differs")
        left = len(verdicts) - agree - differ
        return f"{agree:,} claims agree, {differ:,} differ, {left:,} cannot be checked."

    def __repr__(self) -> str:
        return f"Verification({self.summary()})"

    def _repr_html_(self) -> str:
        rows = [[each.claim, _short(each.said), _short(each.found), each.verdict] for each in self.claims]
        return html_view(self.summary(), ["claim", "said", "found", "verdict"], rows)


def verify_release(folder: str | Path, original: Network | None = None) -> Verification:
    """Recompute every claim of the release in a folder, as far as it can be."""
    check_plain(folder)
    if find_release(folder) is None:
        raise FileError(f"{folder} is not a release folder. Give the folder that netveil wrote.")
    claims = _Claims(Path(folder), original)
    found: list[Claim] = []
    parts = [claims.of_public]
    if claims.has_private:
        about = claims.of_synthetic if claims.is_synthetic else claims.of_deletion
        parts += [claims.of_files, about, claims.of_cost, claims.of_decision, claims.of_pages]
    for part in parts:
        try:
            found += [each.checked() for each in part()]
        except DAMAGE:  # a record that was changed by hand may lack anything
            found.append(Claim(f"records ({part.__name__[3:]})", "whole", "damaged", "differs"))
    if not claims.has_private:
        for name in ("hashes", "labels", "figures before", "verdict"):
            found.append(Claim(name, None, "no private part", "cannot be checked"))
    return Verification(tuple(found))


class CannotBeCheckedError(Exception):
    """What a claim is about is not at hand: why."""


class Row(NamedTuple):
    """A claim of a record, with how to recompute it from the arguments `given`."""

    claim: str
    said: Any
    compute: Callable[..., Any]
    given: tuple[Any, ...] = ()
    tolerance: float = 0.0  # for estimates

    def checked(self) -> Claim:
        """Hold what is said against what is computed; a folder that is damaged agrees with nothing."""
        try:
            found = self.compute(*self.given)
        except CannotBeCheckedError as why:
            return Claim(self.claim, self.said, str(why), "cannot be checked")
        except (NetveilError, OSError, AssertionError, *DAMAGE) as error:
            found = f"damaged: {str(error).splitlines()[0][:120]}" if str(error) else "damaged"
        verdict: Verdict = "agrees" if _same(self.said, found, self.tolerance) else "differs"
        return Claim(self.claim, self.said, found, verdict)


class _Claims:
    """Claims of one release folder, and what they are recomputed from."""

    def __init__(self, folder: Path, original: Network | None) -> None:
        self._original = original
        self.public = folder.resolve() if (folder / "about.json").is_file() else folder / "public"
        self.folder = self.public.parent
        self.private = self.folder / "private"
        self.about = record_in(self.public / "about.json")
        self.run = record_in(self.private / "run.json")
        self.has_private = self.private.is_dir()
        self.decision = record_in(self.private / "decision.json")
        self.is_synthetic = self.about.get("kind") == "synthetic"

    # What is recomputed once.

    @property
    def original(self) -> Network:
        """The original, if it was given."""
        if self._original is None:
            raise CannotBeCheckedError("needs the original")
        return self._original

    @cached_property
    def network(self) -> Network:
        """The published network, the first of several."""
        files = find_release(self.folder)
        assert files is not None, "a folder is a release, or that is an error"
        return read(files.network)

    @cached_property
    def table(self) -> dict[str, str]:
        """Original label → published label, as text."""
        return read_labels(self.private / "labels.csv")

    @cached_property
    def deleted(self) -> list[tuple[str, str]]:
        """The deleted edges, by original labels."""
        return read_pairs(self.private / "deleted_edges.csv", ("source", "target"), "edges", AGAIN)

    @cached_property
    def metrics(self) -> Mapping[str, Finding]:
        """Metrics of the published network, computed again."""
        return compare(self.network, self.network).metrics

    @cached_property
    def attackers(self) -> Attackers:
        """Attackers that the release was made against."""
        if self.has_private:
            return Attackers(recorded_attackers(self.run["attackers"], {}), self.run["k"])
        about, names = self.about, self.about["measure"].split(" + ")
        if not all(name in MEASURES for name in names):
            raise NetworkError("a measure of somebody's own")
        known = tuple(self.network.attributes.node) or None
        fuzzy, twins = about.get("fuzzy"), bool(about.get("twins"))
        return Attackers.of(names, about["distance"], fuzzy, twins, about["k"], known)

    @cached_property
    def after(self) -> Anonymity:
        """Who is at risk in the published network."""
        return anonymity_of(self.network, self.attackers.each, self.attackers.k)

    @cached_property
    def before(self) -> Anonymity:
        """Who is at risk in the original, which carries the published attributes as known."""
        original = self.original
        if self.attackers.known:
            original = replace(original, attributes=load_deletion(self.folder).original.attributes)
        return anonymity_of(original, self.attackers.each, self.attackers.k)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each published file."""
        return sha256_of(self.public)

    @cached_property
    def costs(self) -> list[dict[str, Any]]:
        """What the original and the published network have in common, a row a metric."""
        return utility_rows(self.comparison)

    @cached_property
    def comparison(self) -> Comparison:
        """What the original and the published network have in common."""
        return compare(self.original, self.network, labels=self.table, synthetic=self.is_synthetic)

    @cached_property
    def drawn(self) -> SyntheticRelease:
        """The synthetic release of the folder, without the original."""
        return load_drawn(self.folder)

    @cached_property
    def release(self) -> Any:
        """The release of the folder, about the original that was given."""
        original = self.original
        if self.is_synthetic:
            return replace(self.drawn, original=original)
        release = load_deletion(self.folder)
        if original.fingerprint != release.original.fingerprint:
            raise NetworkError("the original is another network")
        return replace(release, original=replace(original, attributes=release.original.attributes))

    @cached_property
    def evidence(self) -> Evidence:
        """Comparison and attacks made again, as far as they were made for the release."""
        report, release = self.run["report"], self.release
        if self.is_synthetic:
            found = gather(release, Synthesis(utility=False, audit=bool(report["attacks"])))
        else:
            extent = str(self.run["asked"]["matching"])
            found = gather(
                release, Anonymization(utility=False, audit=bool(report["audit"]), matching=extent)
            )
        return replace(found, comparison=self.comparison if report["utility"] else None)

    @cached_property
    def audit(self) -> dict[str, Any]:
        """The audit made again, as a record."""
        return {} if self.evidence.audit is None else self.evidence.audit.to_dict()

    @cached_property
    def decided(self) -> dict[str, Any]:
        """The decision made again, from the policy that it was made with: its part of JSON documents."""
        told, policy = self.decision, None
        rules = {rule["rule"]: rule for rule in told["rules"]}
        if told["policy"] is not None:
            grounds = told["grounds"] if "review" in rules else {**told["grounds"], "review": None}
            policy = Policy.from_document({"policy": told["policy"], "decision": grounds}, "decision.json")
        second = rules["second_release"]["found"] if "second_release" in rules else None
        made_on = datetime.fromisoformat(told["made_at"]).date()
        facts = self.release.facts(self.evidence, policy)
        known = replace(facts, second_release=second, made_on=made_on)
        return decide(self.release.figures(), known, policy).to_dict()

    # Claims, in the order in which they are told.

    def of_public(self) -> Iterator[Row]:
        """Figures in about.json, hashes in datapackage.json."""
        anonymity, utility = self.about["anonymity"], self.about["utility"]
        yield Row("about.json: people", anonymity["nodes"], self._of, ("network.node_count",))
        yield Row("about.json: ties", utility["edges_published"], self._of, ("network.edge_count",))
        if self.is_synthetic:
            copies = len(list(self.public.glob("network*.*")))
            yield Row("about.json: copies", self.about["copies"], lambda: copies)
        else:
            yield from self._at_risk("about.json", anonymity, "after")
        for name, each in utility.items():
            if isinstance(each, dict):
                error = 4 * float(each.get("standard_error") or 0)
                yield Row(
                    f"about.json: {name}",
                    each["after"],
                    lambda name: self.metrics[name].after,
                    (name,),
                    error,
                )
        for resource in record_in(self.public / "datapackage.json").get("resources", ()):
            if "hash" in resource:
                name, said = resource["path"], resource["hash"].removeprefix("sha256:")
                yield Row(f"datapackage.json: SHA-256 of {name}", said, self.hashes.get, (name,))

    def _of(self, figure: str) -> Any:
        """A figure of the original, the release or the published network, such as `after.at_risk`."""
        return attrgetter(figure)(self)

    def _again(self, record: str, *steps: Any) -> Any:
        """The entry at the end of these steps in a record that was made again."""
        return reduce(getitem, steps, getattr(self, record))

    def _at_risk(self, where: str, said: Mapping[str, Any], when: str) -> Iterator[Row]:
        """Numbers of people at risk, and unique, before or after."""
        for figure in ("at_risk", "unique"):
            name = f"{figure}_{when}"
            yield Row(f"{where}: {name}", said[name], self._of, (f"{when}.{figure}",))

    def of_files(self) -> Iterator[Row]:
        """SHA-256 of every published file; the table of labels leads each person to a person of their own."""
        run, people, files = self.run, self.run["nodes"], self.run["published_files"]
        yield Row("files in public/", sorted(files), lambda: sorted(self.hashes))
        for name, digest in files.items():
            yield Row(f"SHA-256 of public/{name}", digest, self.hashes.get, (name,))
        yield Row("run.json: nodes", people, self._of, ("network.node_count",))
        yield Row("labels.csv: people of the original", people, lambda: len(self.table))
        labels = "labels.csv: published people, each once"
        yield Row(labels, True, lambda: sorted(self.table.values()) == _labels(self.network))
        labels = "labels.csv: labels of the original"
        yield Row(labels, True, lambda: sorted(self.table) == _labels(self.original))
        for name in ("fingerprint", "fingerprint_by_labels"):
            yield Row(f"run.json: {name}", run[name], self._of, (f"original.{name}",))
        if said := run["original_sha256"]:
            yield Row("run.json: original_sha256", said, self._of, ("original.sha256",))

    def of_deletion(self) -> Iterator[Row]:
        """People at risk before and after, deleted ties, who remains, the attacks."""
        run, about, report = self.run, self.about, self.run["report"]
        for name in ("k", "distance"):
            yield Row(f"about.json: {name}", about[name], run.get, (name,))
        yield from self._at_risk("run.json", run, "after")
        yield from self._at_risk("run.json", run, "before")
        for place, each in enumerate(run["attackers"]):
            claim = f"run.json: at_risk_after to {each['measure']}"
            yield Row(claim, each["at_risk_after"], self._risk_to_one, (place,))
        for row in report["at_risk_by_k"]:
            yield Row(f"at risk for k = {row['k']}", row["after"], self._risk_for, (row["k"],))
        if run["target"] is not None:
            yield Row("run.json: reached", run["reached"], lambda: self.after.at_risk <= run["enough"])
        yield Row("run.json: deleted", run["deleted"], lambda: len(self.deleted))
        yield Row("run.json: edges", run["edges"], lambda: self.network.edge_count + len(self.deleted))
        yield Row("edges of the original", run["edges"], self._of, ("original.edge_count",))
        said = about["utility"]["edges_deleted"]
        yield Row("about.json: edges_deleted", said, lambda: self._bound(len(self.deleted)))
        yield Row("about.json: budget_share", about["budget_share"], self._bound, (run["budget"],))
        yield Row("deleted_edges.csv", True, self._are_missing)
        yield Row("people_at_risk.csv", True, self._are_at_risk)
        audit = report["audit"] or {"matching": (), "attacks": ()}
        for place, row in enumerate(audit["matching"]):
            who = f"{row['attack']}, {row['known']:.0%} of the ties ({row['ties']}), {row['seeds']} seeds"
            yield Row(
                f"audit: found by {who}", row["found"], self._again, ("audit", "matching", place, "found")
            )
        for place, row in enumerate(audit["attacks"]):
            way = ("audit", "attacks", place, "release", "found")
            yield Row(f"audit: found by {row['attacker']}", row["release"]["found"], self._again, way)

    def _risk_to_one(self, place: int) -> int:
        return (self.after.each or (self.after,))[place].at_risk

    def _risk_for(self, k: int) -> int:
        return int(np.count_nonzero(self.after.lookalikes < k))

    def _bound(self, part: int) -> float:
        """Upper bound on a share of the original's edges, as it is published."""
        published = self.network.edge_count
        return share_bound(part, published + len(self.deleted), published)

    def _are_missing(self) -> bool:
        """Whether the deleted edges are those of the original that are not published."""
        old = {new: label for label, new in self.table.items()}
        published = {frozenset((old[str(u)], old[str(v)])) for u, v in self.network.to_edges()}
        edges = {frozenset((str(u), str(v))) for u, v in self.original.to_edges()}
        return published <= edges and edges - published == set(map(frozenset, self.deleted))

    def _are_at_risk(self) -> bool:
        """Whether the private table has the people who are at risk in the published network."""
        with (self.private / "people_at_risk.csv").open(encoding="utf-8", newline="") as file:
            said = [row["published"] for row in csv.DictReader(file) if row["at_risk_after"] == "yes"]
        found = np.flatnonzero(self.after.nodes_at_risk).tolist()
        return sorted(said) == sorted(str(self.network.labels[node]) for node in found)

    def of_synthetic(self) -> Iterator[Row]:
        """Rows of the table, the ceiling, and who is in which row."""
        run = self.run
        yield Row("about.json: k", self.about["k"], self._of, ("drawn.k",))
        least = "every row of table.csv stands for k people"
        yield Row(least, True, lambda: self.drawn.smallest_row >= run["k"])
        for name in ("k", "rows", "smallest_row", "ceiling"):
            yield Row(f"run.json: {name}", run[name], self._of, (f"drawn.{name}",))
        yield Row("run.json: copies", run["copies"], lambda: len(self.drawn.drawn))
        own_row = "labels.csv: everybody is a node of the own row"
        yield Row(own_row, True, lambda: {str(a): str(b) for a, b in self.drawn.labels.items()} == self.table)
        yield Row("run.json: edges", run["edges"], self._of, ("original.edge_count",))
        if run["true_ties"] is not None:
            yield Row("run.json: true_ties", run["true_ties"], self._of, ("release.true_ties",))
        yield Row("table.csv is made of the original", True, self._is_of)

    def _is_of(self) -> bool:
        """Whether each row that a table of the original has lies within one row: dense ones are merged."""
        _, row = make_table(self.original, self.release.k, kept=self.release.kept)
        pairs = np.unique(np.column_stack((row, self.release.row_of_person)), axis=0)
        return bool(len(pairs) == row.max() + 1)

    def of_cost(self) -> Iterator[Row]:
        """Every metric before and after, as the report has it."""
        for place, row in enumerate(self.run["report"]["utility"]):
            error = 8 * float(max(row.get("standard_error", {}).values(), default=0))
            for when in ("before", "after", "change"):
                yield Row(f"{row['title']}, {when}", row[when], self._again, ("costs", place, when), error)

    def of_decision(self) -> Iterator[Row]:
        """Verdict, attackers by name and rules, from what was recomputed."""
        run, told = self.run, self.decision
        yield Row("decision.json is that of run.json", True, lambda: told == run["decision"])
        yield Row("verdict", told.get("verdict"), self._again, ("decided", "verdict"))
        yield Row("run.json: verdict", run["verdict"], lambda: told["verdict"])
        for kind, name in (("scenarios", "name"), ("questions", "question")):
            for place, row in enumerate(run[kind]):
                for figure in ("found", "sentence"):
                    way = ("decided", kind, place, figure)
                    yield Row(f"{kind}, {row[name]}: {figure}", row[figure], self._again, way)
        for place, rule in enumerate(told.get("rules", ())):
            for name in ("found", "met"):
                yield Row(f"policy, {rule['rule']}: {name}", rule[name], self._judged, (place, name))

    def _judged(self, place: int, name: str) -> Any:
        """An entry of a rule of the policy, unless it is about the day on which the release was made."""
        rule = self.decided["policy"]["rules"][place]
        if rule["rule"] in ("second_release", "review"):
            raise CannotBeCheckedError("was so when it was made")
        return rule[name]

    def of_pages(self) -> Iterator[Row]:
        """Report, page to sign and decision show the record."""
        for name in ("report.html", "sign-off.html", "decision.md"):
            yield Row(f"{name} shows run.json", True, self._shows, (name,))

    def _shows(self, name: str) -> bool:
        pages = bounded_bytes(self.private / name).decode(), rendered(self.folder)[name]
        written, again = (_PICTURE.sub("", page) for page in pages)  # how coordinates are drawn may differ
        return written == again


def _labels(network: Network) -> list[str]:
    return sorted(map(str, network.labels))


def _same(said: Any, found: Any, tolerance: float) -> bool:
    """Whether two values agree; numbers up to rounding, estimates up to their tolerance."""
    if isinstance(said, bool) or isinstance(found, bool):
        return said is found
    if isinstance(said, int | float) and isinstance(found, int | float):
        return isclose(said, found, rel_tol=1e-9, abs_tol=max(tolerance, 1e-12))
    return type(said) is type(found) and said == found


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}…"
