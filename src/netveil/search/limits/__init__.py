"""Limits on what a deletion may cost (`--keep METRIC=SHARE`): one a file, all of them in `LIMITS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.search.limits.keep_limits import kept_limits, kernel_limits, parsed_limits
    from netveil.search.limits.limit import Limit, LimitBroken, LimitKept
    from netveil.search.limits.registry import LIMITS
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "keep_limits": ["kernel_limits", "kept_limits", "parsed_limits"],
            "limit": ["Limit", "LimitBroken", "LimitKept"],
            "registry": ["LIMITS"],
        },
    )

__all__ = [
    "LIMITS",
    "Limit",
    "LimitBroken",
    "LimitKept",
    "kept_limits",
    "kernel_limits",
    "parsed_limits",
]
