"""Releases of a small network of recognisable people: what their tests share."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import networkx
import pytest

import netveil as nv
from netveil.cli import main
from netveil.report import Evidence

SEED = 918273645
FILES = {
    "public/about.json",
    "public/network.csv",
    "public/nodes.csv",
    "public/README.md",
    "public/datapackage.json",
    "public/datacite.json",
    "private/report.html",
    "private/sign-off.html",
    "private/people_at_risk.csv",
    "private/labels.csv",
    "private/deleted_edges.csv",
    "private/run.json",
    "private/decision.json",
    "private/decision.md",
}


def write_contacts(folder: Path) -> Path:
    """Forty people with recognisable addresses, three of them without a contact, in a recognisable place."""
    names = ["alice", "bob", "carol", "dave", *(f"person{number}" for number in range(36))]
    addresses = [f"{name}@example.org" for name in names]
    graph = networkx.gnm_random_graph(37, 120, seed=5)
    lines = [f"{addresses[u]},{addresses[v]}" for u, v in graph.edges]
    lines += [f"{address},{address}" for address in addresses[37:]]
    file = folder / "ward-seven" / "clinic-contacts.csv"
    file.parent.mkdir()
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def leave_out_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report has tests of its own, and what it shows takes longer than all the rest."""
    monkeypatch.setattr("netveil.workflow.gather", lambda *given: Evidence())
    monkeypatch.setattr("netveil.release.folder.render", lambda run: "a report")


def anonymize(file: Path, out: Path, *arguments: str, seed: int = SEED) -> int:
    """Run the command."""
    fixed = ("--seed", str(seed), "--budget", "10%", "--algorithm", "uga", "--no-utility", "--quiet")
    return main(["anonymize", str(file), "--out", str(out), *fixed, *arguments])


def everything_below(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden or not, with what it holds; folders end in a stroke."""
    return {
        f"{path.relative_to(folder)}{'/' if path.is_dir() else ''}": b""
        if path.is_dir()
        else path.read_bytes()
        for path in folder.rglob("*")
    }


def rows(file: Path) -> list[tuple[str, str]]:
    """The lines of a table below its header."""
    with file.open(encoding="utf-8", newline="") as stream:
        first, *others = csv.reader(stream)
    assert len(first) == 2
    return [(one, other) for one, other in others]


def edge_set(network: nv.Network) -> set[frozenset[Any]]:
    """Edges by label."""
    return {frozenset(edge) for edge in network.to_edges()}
