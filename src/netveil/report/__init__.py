"""The report of a release: numbers first (`summary`), then a page that is rendered from the numbers alone."""

from __future__ import annotations

from netveil.report.page import Report, render, render_decision, render_sign_off, render_synthetic
from netveil.report.summary import Evidence, summarize, thinned
