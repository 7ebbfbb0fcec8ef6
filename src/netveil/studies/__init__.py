"""Studies of many searches (§5 of the paper): experiments, tuning, simulated networks, the paper run again.

plan.toml → `read_plan` → Plan → tasks → `execute` on workers → `Store`, a folder a run → `results_table`
`Study` → its plan → `run_study` (what is missing runs) → `conclude` (tables, figures, pages) → what is said
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names
from netveil.registries import Registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from netveil.studies.plan import (
        Plan,
        PlanError,
        TaskShare,
        planned_algorithm,
        planned_attacker,
        planned_network,
        read_plan,
    )
    from netveil.studies.store import Store, collect, results_table
    from netveil.studies.study import ExperimentStatus, RunOptions, Study, run_plan, run_study
    from netveil.studies.task import LostCluster, Task, TaskResult, execute
    from netveil.studies.tuning import RoundStatus, tune
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

FINALISTS = 4  # configurations that run to their end in a tuning, as many as the paper ends with
STUDIES: Registry[Callable[..., Study]] = Registry(
    "netveil.studies",
    {"paper": "paper:planned", "simulated": "simulated:planned", "searches": "searches:planned"},
)
"""Studies by name, for `netveil experiment NAME`; a new one is a module and a line here.

An entry plans the study, given the number of seeds (or None) and whether it is to be quick.
"""
OF_A_FOLDER = ("searches",)
"""Studies that are given a folder of networks, too."""
