"""The wheel holds everything that netveil needs: installed elsewhere, it makes a release."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

import netveil as nv
from netveil.release.records import read_run

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "netveil"

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not (find_spec("pip") and find_spec("flit_core")), reason="to build a wheel takes pip and flit_core"
    ),
]


def pip(*arguments: str) -> None:
    """Run pip without the internet."""
    options = ["--disable-pip-version-check", "--no-input", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", *options, *arguments, "--no-deps", "--no-index"], check=True)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this tree, in which nothing is left behind."""
    built = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", str(built), str(ROOT))
    (file,) = built.glob("netveil-*.whl")
    return file


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    """Modules, data, templates and plans of studies, and nothing that is no part of it."""
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}

    assert held == {path.relative_to(PACKAGE.parent).as_posix() for path in files}
    assert {Path(name).suffix for name in held} >= {".py", ".npy", ".html", ".css", ".toml", ".typed"}


def test_netveil_runs_where_the_wheel_is_installed(wheel: Path, tmp_path: Path) -> None:
    """In an environment of its own, with the dependencies of this one, and far from the sources."""
    elsewhere = tmp_path / "elsewhere"
    venv.create(elsewhere, with_pip=False)
    names = {"base": str(elsewhere), "platbase": str(elsewhere)}
    programs, packages = (Path(sysconfig.get_path(kind, "venv", names)) for kind in ("scripts", "purelib"))
    pip("--python", str(programs / "python"), "install", str(wheel))
    # Only the folders are added, behind the new environment's own: the way to these sources is not followed.
    here = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (packages / "dependencies.pth").write_text("\n".join(here), encoding="utf-8")

    where = [str(programs / "python"), "-c", "import netveil; print(netveil.__file__)"]
    found = subprocess.run(where, check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    brief = ["--effort", "0.1", "--no-audit"]
    command = ["anonymize", "karate", *brief, "--seed", "1", "--out", "release"]
    as_users_have_it = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(programs / "netveil"), *command], check=True, cwd=tmp_path, env=as_users_have_it)
    release = tmp_path / "release"
    run = read_run(release)

    assert Path(found.strip()).is_relative_to(packages)
    assert run["at_risk_before"] == nv.measure(nv.load("karate")).at_risk
    assert run["at_risk_after"] == nv.measure(nv.read(release / "public" / "network.txt")).at_risk
    assert "<svg" in (release / "private" / "report.html").read_text(encoding="utf-8")
