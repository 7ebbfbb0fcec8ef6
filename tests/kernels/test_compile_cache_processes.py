"""Compiled kernels on disk, process by process: found by the next one, never stale, in their place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from netveil.kernels import compiled
from waiting import HANG

pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled, so nothing is kept"
)

KERNELS = Path(compiled.__file__).parent

CALLED = """
from netveil.kernels.compiled import compiled, inlined

@compiled
def called(number):
    return number + {called}

@inlined
def copied(number):
    return number + {copied}
"""

COMPILING = ("__init__.py", "compiled.py", "compile_cache.py")
"""What kernels are compiled and kept with."""

CALLER = """
from netveil.kernels.compiled import compiled, internal
from netveil.kernels.called import called, copied

@compiled
def caller(number):
    return copied(called(number))

@internal
def between(number):
    return called(number)

@compiled
def caller_of_internal(number):
    return between(number)
"""

CALLED_FIRST = """
from netveil.kernels.called import called
print(called(1))
"""

CALLED_LAST = """
from netveil.kernels.caller import caller_of_internal
from netveil.kernels.called import called
print([caller_of_internal(1), called(1), sum(called.stats.cache_hits.values())])
"""

SCRIPT = """
import json, logging, sys
import numba
logging.basicConfig(level=logging.INFO, format="%(message)s")
import netveil
from netveil.kernels.caller import caller

@numba.njit(cache=True)
def own(number):
    return number

own(1)
results = [caller(number) for number in json.loads(sys.argv[1])]
print(json.dumps({
    "package": netveil.__file__,
    "results": results,
    "hits": sum(caller.stats.cache_hits.values()),
    "misses": sum(caller.stats.cache_misses.values()),
    "folder": caller.stats.cache_path,
    "own": own.stats.cache_path,
    "config": numba.config.CACHE_DIR,
}))
"""


class Copy:
    """Our decorators in a package of kernels of which one calls the others, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.kernels = folder / "package" / "netveil" / "kernels"
        self.kernels.mkdir(parents=True)
        (self.kernels.parent / "__init__.py").write_text("")
        for file in COMPILING:
            shutil.copy(KERNELS / file, self.kernels)
        (self.kernels / "caller.py").write_text(CALLER)
        self.let_them_add(called=1, copied=0)
        self.script = folder / "script.py"
        self.script.write_text(SCRIPT)
        self.home = folder / "home"
        (folder / "temporary").mkdir()
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("NUMBA_", "XDG_", "PYTHON"))
        }
        self.environment = inherited | {
            "PYTHONPATH": str(folder / "package"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(self.home),
            "USERPROFILE": str(self.home),
            "LOCALAPPDATA": str(self.home),
            "TMPDIR": str(folder / "temporary"),
            "TEMP": str(folder / "temporary"),
        }

    def let_them_add(self, *, called: int, copied: int) -> None:
        """Change the source of the kernels that are called: one as it is, one copied into its caller."""
        (self.kernels / "called.py").write_text(CALLED.format(called=called, copied=copied))

    def start(self, *numbers: float, **variables: str) -> subprocess.Popen[str]:
        """A process that calls the kernel with these numbers."""
        return subprocess.Popen(
            [sys.executable, str(self.script), json.dumps(numbers)],
            env=self.environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *numbers: float, **variables: str) -> dict[str, Any]:
        """What such a process tells, and what it logs."""
        return told_by(self.start(*numbers, **variables))


def told_by(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a process tells when it is done."""
    out, err = process.communicate(timeout=HANG)
    assert process.returncode == 0, err
    told: dict[str, Any] = json.loads(out)
    return told | {"log": err.splitlines()}


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    """Kernels that may be changed."""
    return Copy(tmp_path)


def files_below(folder: Path) -> set[Path]:
    """All files and folders in a folder."""
    return set(folder.rglob("*"))


@pytest.mark.thorough
def test_the_second_process_compiles_nothing_until_a_called_kernel_changes(copy: Copy) -> None:
    """The cache of the caller, whose own source stays the same, would be stale."""
    runs = [copy.run(1), copy.run(1)]
    copy.let_them_add(called=2, copied=0)
    runs.append(copy.run(1))
    copy.let_them_add(called=2, copied=10)
    runs.append(copy.run(1))

    assert runs[0]["package"] == str(copy.kernels.parent / "__init__.py")
    assert [run["results"] for run in runs] == [[2], [2], [3], [13]]
    assert [run["misses"] for run in runs] == [1, 0, 1, 1]
    assert [run["hits"] for run in runs] == [0, 1, 0, 0]
    assert runs[0]["folder"] == runs[1]["folder"]
    assert len({run["folder"] for run in runs}) == 3
    assert [len(run["log"]) for run in runs] == [1, 0, 1, 1], "says that it compiles, and nothing else"


@pytest.mark.thorough
def test_a_kernel_found_while_an_internal_one_is_compiled_can_be_called(copy: Copy) -> None:
    """No machine code is made of an internal kernel, but of what it calls from disk there is some."""
    printed = []
    for script in (CALLED_FIRST, CALLED_LAST):
        copy.script.write_text(script)
        out, err = copy.start().communicate(timeout=HANG)
        printed.append(out or err)

    assert printed == ["2\n", "[2, 2, 1]\n"]


@pytest.mark.thorough
def test_nothing_is_written_to_the_package_and_users_own_functions_stay_with_numba(copy: Copy) -> None:
    """The cache is in the user's cache folder, and numba is not told so for the rest of the process."""
    copy.kernels.chmod(0o555)
    before = files_below(copy.kernels.parent)
    told = copy.run(1)
    copy.kernels.chmod(0o755)

    assert files_below(copy.kernels.parent) == before
    assert copy.home in Path(told["folder"]).parents
    assert told["own"] == str(copy.script.parent / "__pycache__")
    assert told["config"] == ""


@pytest.mark.thorough
def test_processes_that_compile_at_the_same_time_find_their_own_code(copy: Copy) -> None:
    """One begins with integers, one with floats; later ones find both, and nothing unfinished is left."""
    numbers = ([1, 0.5], [0.5, 1], [1], [0.5])
    processes = [copy.start(*some) for some in numbers]
    told = [told_by(process) for process in processes]
    later = copy.run(1, 0.5)

    assert [run["results"] for run in told] == [[number + 1 for number in some] for some in numbers]
    assert (later["results"], later["hits"], later["misses"]) == ([2, 1.5], 2, 0)
    assert {file.suffix for file in Path(later["folder"]).iterdir()} == {".nbc"}
