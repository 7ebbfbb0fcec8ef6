"""Studies of many searches (§5 of the paper): experiments, tuning, simulated networks, the paper run again.

plan.toml → `read_plan` → Plan → tasks → `execute` on workers → `Store`, a folder a run → `results_table`
`Study` → its plan → `run_study` (what is missing runs) → `conclude` (tables, figures, pages) → what is said
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names
from netveil.registries import Registry

if TYPE_CHECKING:
    from netveil.studies.plan import (
        Plan,
        PlanError,
        TaskShare,
        planned_algorithm,
        planned_attacker,
        planned_network,
        read_plan,
    )
    from netveil.studies.run_experiment import ExperimentListener, ExperimentStatus, Summary, run_plan
    from netveil.studies.store import Store, collect, results_table
    from netveil.studies.study import (
        Conclusion,
        PlannedStudy,
        RunOptions,
        Study,
        StudyRuns,
        UserPlan,
        run_study,
    )
    from netveil.studies.task import AlgorithmSpec, AttackerSpec, LostCluster, Task, TaskResult, execute
    from netveil.studies.tuning import Curve, Grid, RoundStatus, TuningResult, grid_for, tune
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)

FINALISTS = 4  # configurations that run to their end in a tuning, as many as the paper ends with
STUDIES: Registry[Study] = Registry(
    "netveil.studies",
    {"paper": "paper.reproduction:STUDY", "simulated": "simulated:STUDY", "searches": "searches:STUDY"},
)
"""Studies by name, for `netveil experiment NAME`; a new one is a module with a `STUDY`, and a line here."""
