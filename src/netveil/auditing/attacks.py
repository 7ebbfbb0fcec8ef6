"""The one list of attacks, each in a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import Registry

if TYPE_CHECKING:
    from netveil.auditing.attack import AttackKind

ATTACKS: Registry[AttackKind] = Registry(
    "netveil.auditing",
    {
        "surroundings": "surroundings:SurroundingsAttack",
    },
)
