"""Packages that only some formats need: they come with an extra of netveil."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from netveil.errors import needing


def imported(module: str, extra: str, file: str) -> Any:
    """A module of such a package; MissingPackageError, with what to install, if the package is missing."""
    with needing(module.partition(".")[0], f"{file}: such a file", extra):
        return import_module(module)
