"""Claims of a release, recomputed: what its records say, what is found, and whether the two agree.

Of the public part alone, figures of the published network and hashes can be recomputed; with the private part
also its tables; with the original all: figures before, the cost, the attacks, the verdict.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import cached_property
from math import isclose
from pathlib import Path
from typing import Any, Literal

import numpy as np

from netveil.anonymity import MEASURES, Anonymity, Attackers, anonymity_of, recorded_attackers
from netveil.auditing import Audit
from netveil.deciding import Decided, Policy
from netveil.errors import FileError, NetveilError, NetworkError
from netveil.files import find_release, read
from netveil.files.read_write import check_plain, read_labels, read_pairs
from netveil.files.storage import bounded_bytes
from netveil.formatting import PeopleFound, html_view, in_columns
from netveil.job import Anonymization, Synthesis
from netveil.network import Network
from netveil.progress import Watcher, finished
from netveil.release.decision import decide, facts_of_deletion, facts_of_synthetic
from netveil.release.deposit import sha256_of
from netveil.release.folder import load_deletion, rendered
from netveil.release.gather import audit_for, gather_of_synthetic
from netveil.release.records import DAMAGE, share_bound
from netveil.release.synthetic_release import SyntheticRelease, load_drawn
from netveil.report import Evidence
from netveil.report.summary import utility_rows
from netveil.synthetic import make_table
from netveil.utility import Comparison, compare
from netveil.utility.metric import Finding

Verdict = Literal["agrees", "differs", "cannot be checked"]
NO_ORIGINAL = "needs the original"
OF_RUN = ("at_risk_after", "unique_after")
BEFORE = ("at_risk_before", "unique_before")
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
    claims.of_public()
    if claims.run is None:
        for name in ("hashes", "labels", "figures before", "verdict"):
            claims.cannot(name, "no private part")
        return Verification(tuple(claims.found))
    about = claims.of_synthetic if claims.is_synthetic else claims.of_deletion
    for part in (
        claims.of_hashes,
        claims.of_labels,
        about,
        claims.of_cost,
        claims.of_decision,
        claims.of_pages,
    ):
        try:
            part()
        except DAMAGE:  # a record that was changed by hand may lack anything
            claims.found.append(Claim(f"records ({part.__name__[3:]})", "whole", "damaged", "differs"))
    return Verification(tuple(claims.found))


class _Claims:
    """Claims of one release folder, as they are collected."""

    def __init__(self, folder: Path, original: Network | None) -> None:
        self.original = original
        self.public = folder.resolve() if (folder / "about.json").is_file() else folder / "public"
        self.folder = self.public.parent
        self.private = self.folder / "private"
        self.found: list[Claim] = []
        self.about = _record(self.public / "about.json") or {}
        self.run = _record(self.private / "run.json")
        self.is_synthetic = self.about.get("kind") == "synthetic"

    # How a claim is added.

    def add(
        self, claim: str, said: Any, compute: Callable[..., Any], *given: Any, tolerance: float = 0.0
    ) -> None:
        """Hold what is said against what is computed; a folder that is damaged agrees with nothing."""
        try:
            found = compute(*given)
        except (NetveilError, OSError, AssertionError, *DAMAGE) as error:
            found = f"damaged: {str(error).splitlines()[0][:120]}" if str(error) else "damaged"
        self.found.append(Claim(claim, said, found, "agrees" if _same(said, found, tolerance) else "differs"))

    def cannot(self, claim: str, why: str, said: Any = None) -> None:
        """Add a claim that cannot be checked."""
        self.found.append(Claim(claim, said, why, "cannot be checked"))

    def with_original(
        self, claim: str, said: Any, compute: Callable[..., Any], *given: Any, tolerance: float = 0.0
    ) -> None:
        """Hold what is said against what the original shows, where it is given."""
        if self.original is None:
            self.cannot(claim, NO_ORIGINAL, said)
        else:
            self.add(claim, said, compute, *given, tolerance=tolerance)

    @property
    def given(self) -> Network:
        """The original, for what is only computed where it is given."""
        assert self.original is not None, "the original is given"
        return self.original

    # What is recomputed once.

    @cached_property
    def network(self) -> Network:
        """The published network, the first of several."""
        files = find_release(self.folder)
        assert files is not None, "a folder is a release, or that is an error"
        return read(files.network)

    @cached_property
    def table(self) -> dict[str, str]:
        """Original label → published label, as text."""
        return {str(old): str(new) for old, new in read_labels(self.private / "labels.csv").items()}

    @cached_property
    def deleted(self) -> list[tuple[str, str]]:
        """The deleted edges, by original labels."""
        file = self.private / "deleted_edges.csv"
        return read_pairs(file, ("source", "target"), "edges", "Make the release again.")

    @cached_property
    def metrics(self) -> Mapping[str, Finding]:
        """Metrics of the published network, computed again."""
        return compare(self.network, self.network).metrics

    @cached_property
    def attackers(self) -> Attackers:
        """Attackers that the release was made against."""
        if self.run is not None:
            return Attackers(recorded_attackers(self.run["attackers"], {}), self.run["k"])
        about = self.about
        known = tuple(self.network.attributes.node) or None
        names = about["measure"].split(" + ")
        if not all(name in MEASURES for name in names):
            raise NetworkError("a measure of somebody's own")
        fuzzy, twins = about.get("fuzzy"), bool(about.get("twins"))
        return Attackers.of(names, about["distance"], fuzzy, twins, about["k"], known)

    @cached_property
    def after(self) -> Anonymity:
        """Who is at risk in the published network."""
        return anonymity_of(self.network, self.attackers.each, self.attackers.k)

    @cached_property
    def before(self) -> Anonymity:
        """Who is at risk in the original, which carries the published attributes as known."""
        assert self.original is not None
        original = self.original
        if self.attackers.known:
            original = replace(original, attributes=load_deletion(self.folder).original.attributes)
        return anonymity_of(original, self.attackers.each, self.attackers.k)

    @cached_property
    def comparison(self) -> Comparison:
        """What the original and the published network have in common."""
        assert self.original is not None
        return compare(self.original, self.network, labels=self.table, synthetic=self.is_synthetic)

    @cached_property
    def drawn(self) -> SyntheticRelease:
        """The synthetic release of the folder."""
        return replace(load_drawn(self.folder), original=self.original)

    @cached_property
    def audit(self) -> Audit | None:
        """The audit made again, where the release was audited."""
        assert self.run is not None
        if self.is_synthetic or not self.run["report"]["audit"]:
            return None
        job = Anonymization(matching=str(self.run["asked"]["matching"]))
        return finished(audit_for(self._release(), job))

    def _release(self) -> Any:
        """The release by deletion, about the original that was given."""
        release = load_deletion(self.folder)
        return release if self.original is None else replace(release, original=self._original_as(release))

    def _original_as(self, release: Any) -> Network:
        """The original that was given, with the attributes that were kept; fails if it is another network."""
        assert self.original is not None
        if self.original.fingerprint != release.original.fingerprint:
            raise NetworkError("the original is another network")
        return replace(self.original, attributes=release.original.attributes)

    # Claims, in the order in which they are told.

    def of_public(self) -> None:
        """Figures in about.json, hashes in datapackage.json."""
        about, utility = self.about, self.about.get("utility", {})
        self.add(
            "about.json: people", about.get("anonymity", {}).get("nodes"), lambda: self.network.node_count
        )
        self.add("about.json: ties", utility.get("edges_published"), lambda: self.network.edge_count)
        if self.is_synthetic:
            copies = len(list(self.public.glob("network*.*")))
            self.add("about.json: copies", about.get("copies"), lambda: copies)
        else:
            self._at_risk("about.json", about.get("anonymity", {}), OF_RUN)
        figures = {name: each for name, each in utility.items() if isinstance(each, dict)}
        for name, each in figures.items():
            error = 4 * float(each.get("standard_error") or 0)
            self.add(f"about.json: {name}", each.get("after"), self._metric, name, tolerance=error)
        package = _record(self.public / "datapackage.json") or {}
        for resource in package.get("resources", ()):
            if isinstance(resource, dict) and "hash" in resource:
                name = str(resource.get("path"))
                self.add(f"datapackage.json: SHA-256 of {name}", resource["hash"], self._digest, name)

    def _metric(self, name: str) -> float | None:
        return self.metrics[name].after

    def _digest(self, name: str) -> str:
        return f"sha256:{sha256_of(self.public)[name]}"

    def _risk(self, when: str, figure: str) -> int:
        """People at risk, or unique, before or after."""
        return int(getattr(self.before if when == "before" else self.after, figure))

    def _risk_to_one(self, place: int) -> int:
        """People at risk in the published network to one of the attackers alone."""
        return anonymity_of(self.network, self.attackers.each[place : place + 1], self.attackers.k).at_risk

    def _risk_for(self, k: int) -> int:
        """People at risk in the published network for another k."""
        return int(np.count_nonzero(self.after.lookalikes < k))

    def _bound(self, part: int) -> float:
        """Upper bound on a share of the original's edges, as it is published."""
        published = self.network.edge_count
        return share_bound(part, published + len(self.deleted), published)

    def _of_table(self, name: str) -> Any:
        return getattr(self.drawn, name)

    def _at_risk(self, where: str, said: Mapping[str, Any], names: Iterable[str]) -> None:
        """Numbers of people at risk, and unique, in the published network."""
        for name in names:
            figure = name.removesuffix("_after")
            self.add(f"{where}: {name}", said.get(name), self._risk, "after", figure)

    def of_hashes(self) -> None:
        """SHA-256 of every published file, as the private record has it."""
        assert self.run is not None
        said, found = dict(self.run.get("published_files") or {}), sha256_of(self.public)
        self.add("files in public/", sorted(said), lambda: sorted(found))
        for name, digest in said.items():
            self.add(f"SHA-256 of public/{name}", digest, found.get, name, "missing")

    def of_labels(self) -> None:
        """The table of labels leads each person to a person of their own."""
        assert self.run is not None
        people = self.run.get("nodes")
        self.add("run.json: nodes", people, lambda: self.network.node_count)
        self.add("labels.csv: people of the original", people, lambda: len(self.table))
        self.add("labels.csv: published people", people, lambda: len(set(self.table.values())))
        self.add(
            "labels.csv: published labels",
            True,
            lambda: set(self.table.values()) == {str(label) for label in self.network.labels},
        )
        self.with_original(
            "labels.csv: labels of the original",
            True,
            lambda: self.table.keys() == {str(label) for label in self.given.labels},
        )
        self.with_original(
            "run.json: fingerprint", self.run.get("fingerprint"), lambda: self.given.fingerprint
        )
        self.with_original(
            "run.json: fingerprint_by_labels",
            self.run.get("fingerprint_by_labels"),
            lambda: self.given.fingerprint_by_labels,
        )
        if self.run.get("original_sha256"):
            self.with_original(
                "run.json: original_sha256", self.run["original_sha256"], lambda: self.given.sha256
            )

    def of_deletion(self) -> None:
        """People at risk before and after, deleted ties, who remains."""
        run = self.run or {}
        for name in ("k", "distance"):
            self.add(f"about.json: {name}", self.about.get(name), run.get, name)
        self._at_risk("run.json", run, OF_RUN)
        for name in BEFORE:
            figure = name.removesuffix("_before")
            self.with_original(f"run.json: {name}", run.get(name), self._risk, "before", figure)
        for place, each in enumerate(run.get("attackers", ())):
            name = str(each.get("measure"))
            self.add(
                f"run.json: at_risk_after to {name}", each.get("at_risk_after"), self._risk_to_one, place
            )
        for row in run.get("report", {}).get("at_risk_by_k", ()):
            self.add(f"at risk for k = {row['k']}", row["after"], self._risk_for, row["k"])
        if run.get("target") is not None:
            self.add("run.json: reached", run.get("reached"), lambda: self.after.at_risk <= run["enough"])
        self.add("run.json: deleted", run.get("deleted"), lambda: len(self.deleted))
        self.add("run.json: edges", run.get("edges"), lambda: self.network.edge_count + len(self.deleted))
        self.with_original("edges of the original", run.get("edges"), lambda: self.given.edge_count)
        said = self.about.get("utility", {}).get("edges_deleted")
        self.add("about.json: edges_deleted", said, lambda: self._bound(len(self.deleted)))
        self.add(
            "about.json: budget_share", self.about.get("budget_share"), lambda: self._bound(run["budget"])
        )
        self.with_original(
            "deleted_edges.csv", True, lambda: self._missing() == set(map(frozenset, self.deleted))
        )
        self.add("people_at_risk.csv", True, lambda: self._remaining() == self._still_at_risk())
        audit = run.get("report", {}).get("audit")
        for place, row in enumerate(audit["matching"] if audit else ()):
            said = str(PeopleFound.of_means(row["found"], row["people"]))
            who = f"{row['attack']}, {row['known']:.0%} of the ties ({row['ties']}), {row['seeds']} seeds"
            self.with_original(f"audit: found by {who}", said, self._matched, place)
        for place, row in enumerate(audit["attacks"] if audit else ()):
            said = row["release"]["found"]
            self.with_original(f"audit: found by {row['attacker']}", said, self._attacked, place)

    def _matched(self, place: int) -> str:
        assert self.audit is not None
        return str(self.audit.matching[place].release.shown)

    def _attacked(self, place: int) -> int | None:
        assert self.audit is not None
        return self.audit.attacks[place].release.found

    def _missing(self) -> set[frozenset[str]]:
        """Edges of the original that are not published, by label; fails if others are published."""
        old = {new: label for label, new in self.table.items()}
        published = {frozenset((old[str(u)], old[str(v)])) for u, v in self.network.to_edges()}
        edges = {frozenset((str(u), str(v))) for u, v in self.given.to_edges()}
        if published - edges:
            raise NetworkError("ties are published that the original lacks")
        return edges - published

    def _remaining(self) -> set[str]:
        """Published labels of people who are at risk in the published network."""
        return {str(self.network.labels[node]) for node in np.flatnonzero(self.after.nodes_at_risk).tolist()}

    def _still_at_risk(self) -> set[str]:
        """Published labels of people who are at risk, as the private table says."""
        with (self.private / "people_at_risk.csv").open(encoding="utf-8", newline="") as file:
            return {row["published"] for row in csv.DictReader(file) if row["at_risk_after"] == "yes"}

    def of_synthetic(self) -> None:
        """Rows of the table, the ceiling, and who is in which row."""
        run = self.run or {}
        self.add("about.json: k", self.about.get("k"), lambda: self.drawn.k)
        self.add("run.json: k", run.get("k"), lambda: self.drawn.k)
        self.add(
            "every row of table.csv stands for k people", True, lambda: self.drawn.smallest_row >= run["k"]
        )
        for name in ("rows", "smallest_row", "ceiling"):
            self.add(f"run.json: {name}", run.get(name), self._of_table, name)
        self.add("run.json: copies", run.get("copies"), lambda: len(self.drawn.drawn))
        self.add(
            "labels.csv: everybody is a node of the own row",
            True,
            lambda: {str(old): str(new) for old, new in self.drawn.labels.items()} == self.table,
        )
        self.with_original("run.json: edges", run.get("edges"), lambda: self.given.edge_count)
        self.with_original("run.json: true_ties", run.get("true_ties"), lambda: self.drawn.true_ties)
        self.with_original("table.csv is made of the original", True, self._is_of)

    def _is_of(self) -> bool:
        table, row_of_person = make_table(self.given, self.drawn.k)
        same_rows = np.array_equal(row_of_person, self.drawn.row_of_person)
        return same_rows and np.array_equal(table.people, self.drawn.table.people)

    def of_cost(self) -> None:
        """Every metric before and after, as the report has it."""
        assert self.run is not None
        for row in self.run.get("report", {}).get("utility", ()):
            for when in ("before", "after", "change"):
                error = 8 * float(max(row.get("standard_error", {}).values(), default=0))
                self.with_original(
                    f"{row['title']}, {when}", row[when], self._cost, row["title"], when, tolerance=error
                )

    def _cost(self, title: str, when: str) -> Any:
        return next(row[when] for row in utility_rows(self.comparison) if row["title"] == title)

    def of_decision(self) -> None:
        """Verdict and rules, from what was recomputed."""
        assert self.run is not None
        run, told = self.run, _record(self.private / "decision.json") or {}
        self.add("decision.json is that of run.json", True, lambda: told == run["decision"])
        self.with_original("verdict", told.get("verdict"), lambda: self.decided.verdict)
        self.add("run.json: verdict", run.get("verdict"), lambda: told["verdict"])
        for kind, name in (("scenarios", "name"), ("questions", "question")):
            for place, row in enumerate(run.get(kind, ())):
                for figure in ("found", "sentence"):
                    claim = f"{kind}, {row[name]}: {figure}"
                    self.with_original(claim, row[figure], self._named, kind, place, figure)
        for place, rule in enumerate(told.get("rules", ())):
            for name in ("found", "met"):
                if rule["rule"] in ("second_release", "review"):  # what was beside it then, and the day
                    self.cannot(f"policy, {rule['rule']}: {name}", "was so when it was made", rule[name])
                    continue
                self.with_original(f"policy, {rule['rule']}: {name}", rule[name], self._rule, place, name)

    def _named(self, kind: str, place: int, name: str) -> Any:
        return self.decided.named.to_dict()[kind][place][name]

    def _rule(self, place: int, name: str) -> Any:
        return self.decided.to_dict()["policy"]["rules"][place][name]

    @cached_property
    def decided(self) -> Decided:
        """The decision made again, from the policy that it was made with."""
        run, told = self.run or {}, _record(self.private / "decision.json") or {}
        policy = None
        if told.get("policy") is not None:
            grounds = told["grounds"]
            stated = any(rule["rule"] == "review" for rule in told["rules"])
            grounds = grounds if stated else {**grounds, "review": None}
            policy = Policy.from_document({"policy": told["policy"], "decision": grounds}, "decision.json")
        second = next((rule["found"] for rule in told["rules"] if rule["rule"] == "second_release"), None)
        made_on = datetime.fromisoformat(told["made_at"]).date()
        comparison = self.comparison if run["report"]["utility"] else None
        evidence = Evidence(comparison=comparison, audit=self.audit)
        if self.is_synthetic:
            if run["report"]["attacks"]:
                again = gather_of_synthetic(self.drawn, Synthesis(utility=False), Watcher())
                evidence = replace(evidence, attacks=again.attacks)
            facts = facts_of_synthetic(self.drawn, evidence, policy, second, made_on)
            return decide(self.drawn.figures(), facts, policy, None)
        release = self._release()
        facts = facts_of_deletion(release, evidence, policy, second, made_on)
        return decide(release.figures(), facts, policy, None)

    def of_pages(self) -> None:
        """Report, page to sign and decision show the record."""
        for name in ("report.html", "sign-off.html", "decision.md"):
            self.add(f"{name} shows run.json", True, self._shows, name)

    def _shows(self, name: str) -> bool:
        return _text(bounded_bytes(self.private / name).decode()) == _text(rendered(self.folder)[name])


def _record(file: Path) -> Any:
    """What a JSON file holds; None where there is none, or none that can be read."""
    try:
        return json.loads(bounded_bytes(file)) if file.is_file() else None
    except (OSError, ValueError, RecursionError):
        return None


def _same(said: Any, found: Any, tolerance: float) -> bool:
    """Whether two values agree; numbers up to rounding, estimates up to their tolerance."""
    if isinstance(said, bool) or isinstance(found, bool):
        return said is found
    if isinstance(said, int | float) and isinstance(found, int | float):
        return isclose(said, found, rel_tol=1e-9, abs_tol=max(tolerance, 1e-12))
    return type(said) is type(found) and said == found


def _text(page: str) -> str:
    """A page without its pictures, whose coordinates depend on the library that draws."""
    return _PICTURE.sub("", page)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:37]}…"
