"""One tidy table of all finished runs: a row a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from netveil.errors import FileError, needing
from netveil.experiments.store import FinishedRun, Store, csv_text
from netveil.experiments.task import FIGURES
from netveil.files.storage import store
from netveil.utility import METRICS


def results_table(folder: str | Path) -> list[dict[str, Any]]:
    """A row for each finished run of an experiment, sorted by its settings; what is not known is None."""
    runs = list(Store(folder).finished().values())
    measured = [name for name in METRICS if any(name in run.result.get("metrics", {}) for run in runs)]
    return sorted((_row(run, measured) for run in runs), key=_place)


def damaged_runs(folder: str | Path) -> list[str]:
    """A warning for each folder among the runs that is not a whole record, and so in no table."""
    store = Store(folder)
    return [
        f"warning: {store.runs / name} is damaged or a copy, and not in the table; delete it, or run the "
        f"plan again."
        for name in store.damaged(store.finished())
    ]


def collect(folder: str | Path, parquet: bool = False) -> list[Path]:
    """Write the table as results.csv, and as results.parquet if asked, into the experiment's folder."""
    rows = results_table(folder)
    if not rows:
        damaged = Store(folder).damaged({})
        beside = f" (damaged: {', '.join(damaged)})" if damaged else ""
        raise FileError(f"{folder}: no run is finished yet{beside}. Run the plan first.")
    written = [Path(folder) / "results.csv"]
    if parquet:
        written.append(_write_parquet(rows, Path(folder) / "results.parquet"))
    store(
        csv_text(rows[0], (row.values() for row in rows)).encode(errors="backslashreplace"), str(written[0])
    )
    return written


def _write_parquet(rows: list[dict[str, Any]], file: Path) -> Path:
    with needing("pyarrow", "a Parquet table", extra="parquet"):
        import pyarrow
        from pyarrow import parquet
    stream = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.Table.from_pylist(rows), stream)
    store(stream.getvalue().to_pybytes(), str(file))
    return file


def _row(run: FinishedRun, measured: list[str]) -> dict[str, Any]:
    settings, result = run.settings, run.result
    algorithm, attacker = settings["algorithm"], settings["attacker"]
    at_risk_before, at_risk_after = result["at_risk_before"], result["at_risk_after"]
    row = {
        "network": settings["network"],
        "nodes": result["nodes"],
        "edges": result["edges"],
        "algorithm": algorithm["name"],
        "config": algorithm["config"],
        "budget": settings["budget"],
        "measure": " + ".join(attacker["measures"]),
        "distance": attacker["distance"],
        "fuzzy": attacker["fuzzy"],
        "twins": attacker["twins"],
        "k": settings["k"],
        "seed": settings["seed"],
        "at_risk_before": at_risk_before,
        "at_risk_after": at_risk_after,
        "reduction": (at_risk_before - at_risk_after) / at_risk_before if at_risk_before else None,
        "unique_before": result["unique_before"],
        "unique_after": result["unique_after"],
        "deleted": result["deleted"],
        "deleted_share": result["deleted"] / result["edges"] if result["edges"] else 0.0,
        "evaluations": result["evaluations"],
        "generations": result["generations"],
        "seconds": result["seconds"],
        "stopped_by": result["stopped_by"],
    }
    for metric in measured:
        figures = result["metrics"].get(metric, {})
        row |= {f"{metric}_{figure}": figures.get(figure) for figure in FIGURES}
    return row | {
        "search": algorithm["algorithm"],
        "time_limit": algorithm["time"],
        "budget_edges": result["budget"],
        "run_seconds": result["run_seconds"],
        "version": settings["version"],
        "run": run.folder,
    }


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    """Where a row stands: networks and algorithms by name, the rest by size where it has one."""
    attacker = (row["measure"], row["distance"], row["fuzzy"] or "", row["twins"])
    return (row["network"], row["algorithm"], row["budget_edges"], attacker, row["k"], row["seed"])
