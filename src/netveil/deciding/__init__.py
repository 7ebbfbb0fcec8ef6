"""May a release be published? A policy says beforehand what it must meet; a verdict says whether it does.

facts      what was found out about a release, and attackers as the person who signs knows them
policy     what it must meet, from a TOML file or a preset; the one sentence that comes first, and its record
"""

from netveil.deciding.facts import Facts, NamedAttackers, named_attackers
from netveil.deciding.policy import UNDECIDED, Decided, Policy, decide, judge, read_policy, verdict
