"""The one list of studies that come with netveil; a new one is a module with a `STUDY`, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.studies.study import Study

STUDIES: Registry[Study] = Registry(
    "netveil.studies",
    {
        "paper": "paper.study:STUDY",
        "simulated": "simulated.study:STUDY",
    },
)
"""Every study by its name, for `netveil experiment NAME`."""
