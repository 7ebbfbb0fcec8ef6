"""May a release be published? A policy says beforehand what it must meet; a verdict says whether it does.

facts      what was found out about a release, and attackers as the person who signs knows them
policy     what it must meet, from a TOML file or a preset; judge holds one against the other
verdict    the one sentence that comes first, what would help, and the record of the decision
"""

from netveil.deciding.facts import Facts, NamedAttackers, named_attackers
from netveil.deciding.policy import Policy, judge, read_policy
from netveil.deciding.verdict import Decided, decide, verdict
