"""Limits on what a deletion may cost (`--keep METRIC=SHARE`): one a file, all of them in `LIMITS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.search.limits.keep_limits import (
        kept_limits as kept_limits,
        kernel_limits as kernel_limits,
        parsed_limits as parsed_limits,
    )
    from netveil.search.limits.limit import Limit as Limit, LimitBroken as LimitBroken, LimitKept as LimitKept
    from netveil.search.limits.registry import LIMITS as LIMITS
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
