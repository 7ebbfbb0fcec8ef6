"""Imported by Python at the start of each process that tests start: conftest.py puts this on PYTHONPATH."""

from __future__ import annotations

import as_in_all_tests

as_in_all_tests.change_this_process()
