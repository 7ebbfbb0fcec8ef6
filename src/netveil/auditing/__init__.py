"""Audit: what an attacker who knows the original could still find, and what else the release gives away.

two networks → `identity` (who is who, to keep the score) → `attacks` (one a file)       ┐
published file → `label_leaks`, `order_leaks`, `file_leaks`, `folder_leaks`              ├→ `Audit`
"""

from __future__ import annotations

from netveil.auditing.attack import Attack, Tally
from netveil.auditing.audit_result import Audit
from netveil.auditing.leaks import Leak
from netveil.auditing.run_audit import audit, auditing
from netveil.auditing.together import Audits
from netveil.registries import ATTACKS

__all__ = ["ATTACKS", "Attack", "Audit", "Audits", "Leak", "Tally", "audit", "auditing"]
