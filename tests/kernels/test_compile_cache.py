"""Compiled kernels on disk: found by the next process, never stale, and never a reason to fail."""

from __future__ import annotations

import errno
import json
import logging
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from netveil.kernels import compile_cache, compiled
from netveil.kernels.compile_cache import CompiledFiles, KernelCache
from netveil.kernels.compile_cache_folder import folder_name, kept_folder, possible_roots

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

CALLER = """
from netveil.kernels.compiled import compiled
from netveil.kernels.called import called, copied

@compiled
def caller(number):
    return copied(called(number))
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
        for file in ("__init__.py", "compiled.py", "compile_cache.py", "compile_cache_folder.py"):
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
    out, err = process.communicate(timeout=600)
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


def test_numbas_own_setting_holds(copy: Copy, tmp_path: Path) -> None:
    """NUMBA_CACHE_DIR moves the cache, beneath a folder of ours, also if it is not there yet."""
    told = copy.run(1, NUMBA_CACHE_DIR=str(tmp_path / "chosen" / "deep"))

    assert Path(told["folder"]).parent == tmp_path / "chosen" / "deep" / "netveil-kernels"
    assert list(Path(told["folder"]).glob("caller.caller-*.nbc"))
    assert not copy.home.exists()


def test_without_a_home_the_cache_is_a_private_folder_among_temporary_ones(copy: Copy) -> None:
    """A file stands where the home should be, which stops root as well."""
    copy.home.write_text("")
    first, second = copy.run(1), copy.run(1)

    assert Path(first["folder"]).parent.parent == Path(copy.environment["TMPDIR"])
    assert (first["misses"], second["hits"]) == (1, 1)
    assert str(copy.home) in first["log"][0]


def test_without_any_place_kernels_work_all_the_same(copy: Copy) -> None:
    """Neither home nor temporary folder can be had: one line says that nothing is kept."""
    copy.home.write_text("")
    user = f"-{os.geteuid()}" if sys.platform != "win32" else ""
    (Path(copy.environment["TMPDIR"]) / f"netveil-kernels{user}").write_text("")
    told = copy.run(1)

    assert told["results"] == [2]
    assert told["folder"] is None
    assert [line for line in told["log"] if "is not kept" in line] == told["log"][:1]


def test_processes_that_compile_at_the_same_time_find_their_own_code(copy: Copy) -> None:
    """One begins with integers, one with floats; later ones find both, and nothing unfinished is left."""
    numbers = ([1, 0.5], [0.5, 1], [1], [0.5])
    processes = [copy.start(*some) for some in numbers]
    told = [told_by(process) for process in processes]
    later = copy.run(1, 0.5)

    assert [run["results"] for run in told] == [[number + 1 for number in some] for some in numbers]
    assert (later["results"], later["hits"], later["misses"]) == ([2, 1.5], 2, 0)
    assert {file.suffix for file in Path(later["folder"]).iterdir()} == {".nbc"}


def square(number: Any) -> Any:
    """A kernel for the tests below, which give it a cache of its own."""
    return number * number


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder for compiled code."""
    made = tmp_path / folder_name()
    made.mkdir(mode=0o700)
    return made


def kept(folder: Path) -> Any:
    """The kernel, not compiled yet in this process."""
    dispatcher = numba.njit(square)
    dispatcher._cache = KernelCache(square, folder)
    return dispatcher


def misses(dispatcher: Any) -> int:
    """How many signatures it had to compile."""
    return sum(dispatcher.stats.cache_misses.values())


def test_a_signature_is_found_again(folder: Path) -> None:
    """Each under its own types."""
    first = kept(folder)
    assert (first(3), first(0.5), misses(first)) == (9, 0.25, 2)
    again = kept(folder)
    assert (again(3), again(0.5), misses(again)) == (9, 0.25, 0)
    assert (again(np.arange(3)).tolist(), misses(again)) == ([0, 1, 4], 1)


@pytest.mark.parametrize("damage", ["empty", "cut", "changed", "no code", "folder"])
def test_a_damaged_file_is_compiled_anew(folder: Path, damage: str) -> None:
    """A full disk or a crash may leave one; it is replaced where that can be done."""
    kept(folder)(3)
    (file,) = folder.iterdir()
    content = file.read_bytes()
    file.unlink()
    if damage == "folder":
        file.mkdir()
    elif damage == "no code":
        files = CompiledFiles(folder, "x")
        files.save("key", "no code")
        files.path("key").rename(file)
    else:
        damaged = {"empty": b"", "cut": content[:-1], "changed": content[:-1] + b"x"}
        file.write_bytes(damaged[damage])
        file.chmod(0o600)
    again, then = kept(folder), kept(folder)

    assert (again(3), misses(again)) == (9, 1)
    assert (then(3), misses(then)) == (9, 1 if damage == "folder" else 0)


@pytest.mark.skipif(sys.platform == "win32", reason="modes tell nothing there")
def test_a_file_that_another_may_have_written_is_not_loaded(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is loaded is executed."""
    kept(folder)(3)
    (file,) = folder.iterdir()
    if os.geteuid() == 0:
        os.chown(file, 4321, 4321)
    else:
        file.chmod(0o620)
    loaded: list[object] = []
    monkeypatch.setattr(pickle, "loads", loaded.append)
    again = kept(folder)

    assert (again(3), misses(again)) == (9, 1)
    assert not loaded


def test_another_key_under_the_same_name_is_not_taken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of files are hashes, and hashes may collide."""
    files = CompiledFiles(folder, "f")
    monkeypatch.setattr(files, "path", lambda key: folder / "one-name-for-all")
    files.save("one", 1)

    assert files.load("one") == 1
    assert files.load("another") is None


def test_what_numba_tells_of_the_processor_is_part_of_the_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a home that is shared by machines each finds its own code."""
    here = kept(folder)
    here(3)
    codegen = type(here.targetctx.codegen())
    monkeypatch.setattr(codegen, "magic_tuple", lambda self: ("triple", "another processor", ""))
    elsewhere = kept(folder)

    assert (elsewhere(3), misses(elsewhere)) == (9, 1)
    assert len(list(folder.iterdir())) == 2


def test_nothing_is_kept_under_a_name_that_is_no_longer_right(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source was edited after the process began: what was imported since is not what the name tells."""
    monkeypatch.setattr(compile_cache, "folder_name", lambda: "another")

    assert kept(folder)(3) == 9
    assert not list(folder.iterdir())


def test_a_folder_that_was_swept_is_made_again(folder: Path) -> None:
    """By another process, while this one runs."""
    dispatcher = kept(folder)
    dispatcher(3)
    shutil.rmtree(folder)

    assert dispatcher(0.5) == 0.25
    assert len(list(folder.iterdir())) == 1


@pytest.fixture
def nothing_told() -> Iterator[None]:
    """As if no failure had been told yet."""
    before, KernelCache.told = KernelCache.told, False
    yield
    KernelCache.told = before


@pytest.mark.usefixtures("nothing_told")
def test_a_full_disk_is_told_once_and_no_reason_to_fail(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is a folder that was filled for others to read."""

    def full(self: Path, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    dispatcher = kept(folder)

    assert (dispatcher(3), dispatcher(0.5)) == (9, 0.25)
    assert not list(folder.iterdir()), "what is unfinished goes"
    (line,) = caplog.messages
    assert "No space left on device" in line and str(folder) in line


def test_recompiling_forgets_what_was_kept(folder: Path) -> None:
    """numba's `recompile` works, and leaves the files of other functions."""
    (folder / "other.f-1.0123456789abcdef.nbc").write_text("x")
    dispatcher = kept(folder)
    dispatcher(3)
    dispatcher(0.5)
    dispatcher._cache.flush()

    assert [file.name for file in folder.iterdir()] == ["other.f-1.0123456789abcdef.nbc"]


def test_another_numba_may_work_differently_inside(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Then its own cache serves, and nobody is bothered."""
    kept_folder()  # decided once a process: not by the setting of this test
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(KernelCache, "__init__", lambda self: None)
    caplog.set_level(logging.INFO, "netveil")
    kernel: Any = compiled.compiled(square)

    assert Path(kernel.stats.cache_path).parent == tmp_path
    assert not caplog.messages


def test_our_kernels_are_kept_in_our_folder() -> None:
    """If this fails, numba's own cache serves instead: a change inside numba, or a slip of ours."""
    kernel: Any = compiled.compiled(square)

    assert isinstance(kernel._cache, KernelCache)
    assert kernel.stats.cache_path == str(kept_folder())
    assert Path(kernel.stats.cache_path).parent in possible_roots(getattr(numba.config, "CACHE_DIR", ""))
