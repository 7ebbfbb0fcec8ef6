"""Why a run failed, in one line."""

from __future__ import annotations

from asyncio import CancelledError as Unscheduled
from concurrent.futures import CancelledError

from netveil._version import __version__
from netveil.errors import NetveilError

DIED_TWICE = "its process died, and again when it ran alone; it may lack memory for this network."


class LostCluster(Exception):  # noqa: N818  # neither a user's mistake nor a defect
    """The machines that an experiment ran on do not answer any more; what is finished stays."""


def explained(error: BaseException) -> str:
    """One line on an error that a worker sent back; lost workers and missing packages in plain words."""
    if isinstance(error, NetveilError):
        return in_one_line(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] == "netveil":
        return f"a worker has no netveil; install it there (pip install 'netveil=={__version__}')."
    if type(error).__name__ == "KilledWorker":  # of Dask, which need not be installed
        return "its workers died, several times; they may lack memory for this network."
    return f"{type(error).__name__}: {in_one_line(error)}".rstrip(": ")


def is_loss(error: BaseException) -> bool:
    """Whether this is what becomes of a run when the cluster is lost, which is not the run's fault."""
    # A lost connection is an error of Dask, which need not be installed.
    return isinstance(error, (CancelledError, Unscheduled)) or type(error).__name__ == "CommClosedError"


def in_one_line(error: BaseException) -> str:
    """What an error says, without line ends."""
    return " ".join(str(error).split())
