"""Shared by the tests of reports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from as_in_all_tests import whole_pictures


@pytest.fixture(scope="module", autouse=True)
def as_users_see_them() -> Iterator[None]:
    """Pictures are laid out, as nowhere else: before any fixture of a file makes a release."""
    with whole_pictures():
        yield
