"""May a release be published? A policy says beforehand what it must meet; a verdict says whether it does.

scenarios  attackers as the person who signs knows them, with whom they find
facts      what was found out about a release
policy     what it must meet, from a TOML file or a preset; judge holds one against the other
verdict    the one sentence that comes first, and what would help
"""

from netveil.deciding.facts import Facts
from netveil.deciding.policy import Judgement, Policy, judge, read_policy
from netveil.deciding.scenarios import NamedAttackers, named_attackers
from netveil.deciding.verdict import Decided, verdict
