"""Measures that are code of a user: said when it first runs, and refused where that is asked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import netveil

import netveil as nv
from netveil import extensions
from netveil.extensions import user_code_refused

OWN = "given_measure:contacts"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a measure, a plan that names it, and nothing said yet."""
    source = (
        "import pathlib\npathlib.Path('ran').touch()\ndef contacts(network):\n    return network.degrees\n"
    )
    (tmp_path / "given_measure.py").write_text(source)
    plan = f'networks = ["karate"]\nalgorithms = ["es"]\nmeasures = ["{OWN}"]\nbudgets = [1]\nseeds = 1\n'
    (tmp_path / "plan.toml").write_text(plan)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "given_measure", raising=False)
    monkeypatch.setattr(extensions, "_said", set())
    return tmp_path


def test_code_of_a_user_is_refused_if_asked(folder: Path) -> None:
    """Before it is imported, by every command: importing runs it already."""
    own = f"--measure {OWN}"
    for command in (
        *(f"measure karate {own}", f"anonymize karate {own}", f"tune karate {own}"),
        *(f"audit karate karate {own}", "experiment plan.toml"),
    ):
        said = netveil(*command.split(), "--no-user-code")

        assert said.code == 2 and f"measure {OWN} is code of a user, which is refused here" in said.err
        assert not (folder / "ran").exists(), command


def test_code_of_a_user_is_said_once(caplog: pytest.LogCaptureFixture, folder: Path) -> None:
    """When it first runs, with its file: a plan may be somebody else's. After a refusal it runs again."""
    netveil("measure", "karate", "--measure", OWN, "--no-user-code")
    for _ in range(2):
        assert netveil("measure", "karate", "--measure", OWN).code == 0

    said = f"measure {OWN} runs code of {folder / 'given_measure.py'}, with your rights: name none that "
    said += "you do not trust"
    assert caplog.messages == [said]


def test_a_record_that_names_code_is_not_loaded_where_it_is_refused(folder: Path) -> None:
    """A release folder that somebody sends names the measure that it was made against."""
    release = nv.anonymize(nv.load("karate"), 2, measure=OWN, algorithm="es", seed=1)
    saved = nv.save(release, folder / "release", utility=False, audit=False, baselines=False)

    with user_code_refused(), pytest.raises(nv.FileError, match="is code of a user"):
        nv.load_release(saved)
    assert nv.load_release(saved).outcome.attackers.measure == OWN
