"""What could an attacker still do who knows the original? And does the release give anything else away?

two networks → `identity` (who is who, to keep the score) → `attack` (who can be found) ┐
published file → `label_leaks`, `order_leaks`, `file_leaks`, `folder_leaks`              ├→ `Audit`
"""

from __future__ import annotations

from netveil.audit.attack import Attack, Tally
from netveil.audit.leak import Leak
from netveil.audit.result import Audit
from netveil.audit.whole import audit

__all__ = ["Attack", "Audit", "Leak", "Tally", "audit"]
