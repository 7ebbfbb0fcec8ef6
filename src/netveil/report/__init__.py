"""The report of a release: from the private record of a run, as in run.json, to one HTML page."""

from __future__ import annotations

from netveil.report.page import render

__all__ = ["render"]
