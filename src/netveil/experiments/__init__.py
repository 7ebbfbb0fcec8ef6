"""Experiments: plans of many runs, resumable, on this machine or a cluster.

plan.toml → `read_plan` → Plan → tasks → `execute` on workers → `Store`, a folder a run → `results_table`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.experiments.failure import LostCluster as LostCluster
    from netveil.experiments.plan import (
        Plan as Plan,
        TaskShare as TaskShare,
        planned_algorithm as planned_algorithm,
        planned_attacker as planned_attacker,
        planned_network as planned_network,
    )
    from netveil.experiments.plan_errors import PlanError as PlanError
    from netveil.experiments.plan_file import read_plan as read_plan
    from netveil.experiments.results import (
        collect as collect,
        damaged_runs as damaged_runs,
        results_table as results_table,
    )
    from netveil.experiments.run_experiment import (
        ExperimentListener as ExperimentListener,
        ExperimentStatus as ExperimentStatus,
        Summary as Summary,
        run_plan as run_plan,
    )
    from netveil.experiments.run_task import execute as execute
    from netveil.experiments.store import Store as Store
    from netveil.experiments.task import (
        AlgorithmSpec as AlgorithmSpec,
        AttackerSpec as AttackerSpec,
        NetworkSpec as NetworkSpec,
        Task as Task,
        TaskResult as TaskResult,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
