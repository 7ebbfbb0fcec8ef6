"""Packages that only some formats need: they come with an extra of netveil."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from netveil.errors import MissingPackageError


def imported(module: str, extra: str, file: str) -> Any:
    """A module of such a package; MissingPackageError, with what to install, if the package is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.split(".")[0]
        if error.name is None or error.name.split(".")[0] != package:
            raise  # the package is there, and something is wrong with it
        raise MissingPackageError(
            f"{file}: files of this kind need {package}, which is not installed: "
            f"pip install 'netveil[{extra}]'."
        ) from None
