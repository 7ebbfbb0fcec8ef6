"""Experiments: plans of many runs, resumable, on this machine or a cluster.

plan.toml → `read_plan` → Plan → tasks → `execute` on workers → `Store`, a folder a run → `results_table`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.experiments.plan import (
        Plan,
        PlanError,
        TaskShare,
        planned_algorithm,
        planned_attacker,
        planned_network,
        read_plan,
    )
    from netveil.experiments.run_experiment import ExperimentListener, ExperimentStatus, Summary, run_plan
    from netveil.experiments.store import Store, collect, damaged_runs, results_table
    from netveil.experiments.task import (
        AlgorithmSpec,
        AttackerSpec,
        LostCluster,
        NetworkSpec,
        Task,
        TaskResult,
        execute,
    )
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
