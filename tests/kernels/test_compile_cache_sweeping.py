"""Old folders of compiled kernels: which are swept, and what never is."""

from __future__ import annotations

import os
from pathlib import Path

from netveil.kernels.compile_cache import IN_USE, NEWEST_KEPT, UNUSED, first_usable, sweep

NOW = 2e9
COMPILER = "cpython-311-numba-0.60.0"
ANOTHER_COMPILER = "cpython-312-numba-0.60.0"


def name(number: int, compiler: str = COMPILER) -> str:
    """Name of the folder of the sources with this number."""
    return f"{compiler}-{number:016x}"


def folder_used(root: Path, folder: str, seconds_ago: float) -> Path:
    """A folder with a file in it, last used so long ago."""
    made = root / folder
    made.mkdir(parents=True)
    made.chmod(0o700)  # whatever the umask
    (made / "f.nbc").write_text("x")
    os.utime(made, (NOW - seconds_ago, NOW - seconds_ago))
    return made


def names_in(root: Path) -> set[str]:
    """What is in a folder."""
    return {entry.name for entry in root.iterdir()}


def test_what_nobody_uses_any_more_is_swept(tmp_path: Path) -> None:
    """Whichever Python and numba it was for; what was used since stays."""
    folder_used(tmp_path, name(1), UNUSED + 1)
    folder_used(tmp_path, name(2, ANOTHER_COMPILER), UNUSED + 1)
    recent = folder_used(tmp_path, name(3), UNUSED - 1)
    other = folder_used(tmp_path, name(4, ANOTHER_COMPILER), UNUSED - 1)
    current = folder_used(tmp_path, name(5), UNUSED + 1)
    sweep(tmp_path, current.name, NOW)

    assert names_in(tmp_path) == {recent.name, other.name, current.name}


def test_of_the_same_compiler_the_newest_few_stay(tmp_path: Path) -> None:
    """A developer makes a folder with each edit; those of other compilers do not count."""
    for number in range(NEWEST_KEPT + 3):
        folder_used(tmp_path, name(number), IN_USE + 1 + number)
        folder_used(tmp_path, name(number, ANOTHER_COMPILER), IN_USE + 1)
    sweep(tmp_path, name(100), NOW)

    same = {entry for entry in names_in(tmp_path) if entry.startswith(COMPILER)}
    assert same == {name(number) for number in range(NEWEST_KEPT)}
    assert len(names_in(tmp_path)) == NEWEST_KEPT + NEWEST_KEPT + 3


def test_what_may_be_in_use_is_not_swept(tmp_path: Path) -> None:
    """Several checkouts that are tested at the same time leave each other's folders alone."""
    for number in range(NEWEST_KEPT + 3):
        folder_used(tmp_path, name(number), IN_USE - 1)
    sweep(tmp_path, name(100), NOW)

    assert len(names_in(tmp_path)) == NEWEST_KEPT + 3


def test_what_is_not_ours_is_not_swept(tmp_path: Path) -> None:
    """Other names, files, and what a link leads to."""
    root = tmp_path / "root"
    for foreign in ("mine", "kernels_0123456789abcdef", name(1) + "0", "x-" + name(1), name(2)[:-1]):
        folder_used(root, foreign, UNUSED + 1)
    (root / name(3)).write_text("a file")
    os.utime(root / name(3), (0, 0))
    target = folder_used(tmp_path, "target", UNUSED + 1)
    (root / name(4)).symlink_to(target)
    os.utime(root / name(4), (0, 0), follow_symlinks=False)
    inside = folder_used(root, name(5), UNUSED + 1)
    (inside / "link").symlink_to(target)
    os.utime(inside, (0, 0))
    before = names_in(root)
    sweep(root, name(100), NOW)

    assert names_in(root) == before - {inside.name}
    assert names_in(target) == {"f.nbc"}


def test_a_new_folder_sweeps_and_a_start_counts_as_use(tmp_path: Path) -> None:
    """Nothing is swept as long as no new folder is made; the one in use gets the time of its last start."""
    old = folder_used(tmp_path / "root", name(1), 0)
    os.utime(old, (0, 0))
    current = folder_used(tmp_path / "root", name(2), 0)
    os.utime(current, (0, 0))
    (tmp_path / "root").chmod(0o700)

    assert first_usable([tmp_path / "root"], current.name) == current
    assert old.exists()
    assert current.stat().st_mtime > 0
    assert first_usable([tmp_path / "root"], name(3))
    assert names_in(tmp_path / "root") == {current.name, name(3)}
