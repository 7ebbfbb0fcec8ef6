"""A release that was brought: is it whole, and what does it say of itself?"""

from __future__ import annotations

from typing import Any

from netveil.release.folder import render_again, rendered
from netveil.release.records import read_run
from netveil.web.work.reading import release_of


def take_in(order: dict[str, Any]) -> dict[str, Any]:
    """Check a release that was brought, and render its pages from its record: what came is not trusted."""
    release = release_of(order["release"])
    render_again(order["release"])
    run = read_run(order["release"])
    return {"figures": release.figures(), **told_by(run)}


def pages(order: dict[str, Any]) -> dict[str, str]:
    """Render the pages of a release folder from its record: those in it may be somebody else's work."""
    return rendered(order["release"])


def told_by(run: dict[str, Any]) -> dict[str, Any]:
    """What lists of releases need of a run's record."""
    return {
        "made_at": run.get("made_at"),
        "fingerprint": run.get("fingerprint"),
        "published_sha256": run.get("published_sha256"),
        "input": run.get("input"),
    }
