"""What every command has in common, and the small ones: version, start-up, `networks`, `report`."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command_line import COMMAND, PEOPLE, Said, listing, netveil, netveil_process, write

import netveil as nv
from netveil.cli import netveil as root_command
from netveil.opening import BUILTIN


def test_version_is_the_packages() -> None:
    """The name and the number, as bug reports need them."""
    assert netveil("--version") == Said(0, f"netveil {nv.__version__}\n", "")


def test_the_shared_options_are_spelled_as_in_the_contract() -> None:
    """Scripts rely on these names."""
    options = {
        command: {name for parameter in root_command.commands[command].params for name in parameter.opts}
        for command in ("measure", "anonymize")
    }
    shared = {"--measure", "--distance", "--k", "--format", "--json", "--quiet"}

    assert options["measure"] >= shared
    assert options["anonymize"] >= shared | {
        *("--budget", "--algorithm", "--seed", "--time", "--threads", "--out", "--config", "--keep"),
        *("--protect", "--target", "--curve", "--effort", "--from-curve", "--keep-labels"),
        *("--overwrite",),
    }


def test_no_command_at_all_shows_the_help() -> None:
    """With exit code 2: nothing was done."""
    said = netveil()

    assert said.code == 2
    assert said.out.startswith("Usage: netveil ")


def test_the_module_is_the_command(tmp_path: Path) -> None:
    """`python -m netveil` measures as `netveil` does, with its exit codes."""
    done = netveil_process("measure", write(tmp_path / "people.csv", PEOPLE), "--json", "--quiet")
    failed = netveil_process("measure", tmp_path / "nothing.csv")

    assert (done.code, done.err, done.json["unique"]) == (0, "", 3)
    assert (failed.code, failed.out) == (2, "")
    assert failed.err.startswith("netveil: ") and failed.err.count("\n") == 1


def test_quiet_does_not_even_say_that_it_compiles(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What kernels report on a machine's first run passes only without --quiet."""
    file, measure = write(tmp_path / "people.csv", PEOPLE), nv.measure

    def measure_on_first_run(*arguments: Any, **options: Any) -> nv.Anonymity:
        logging.getLogger("netveil").info("compiling for this machine")
        return measure(*arguments, **options)

    monkeypatch.setattr("netveil.api.measure", measure_on_first_run)

    netveil("measure", file, "--quiet")
    assert caplog.messages == []
    netveil("measure", file)
    assert caplog.messages == ["compiling for this machine"]


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    """`netveil … | head -1`: no traceback when nobody reads on."""
    reading, writing = os.pipe()
    os.close(reading)  # before there is anything to read
    done = subprocess.run([*COMMAND, "networks"], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")


def test_networks_lists_the_built_in_ones() -> None:
    """Each with its name, what it is and where it comes from."""
    said = netveil("networks")

    assert (said.code, said.err) == (0, "")
    for each in BUILTIN.values():
        assert f"{each.name:<16}{each.description}" in said.out
        assert each.source in said.out


def test_networks_as_json_is_one_document() -> None:
    """With `demo`, which is always available."""
    rows = netveil("networks", "--json").json["networks"]

    assert [row["name"] for row in rows] == list(BUILTIN)
    assert {row["name"]: row["available"] for row in rows}["demo"] is True


@pytest.fixture(scope="module")
def written_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the people, with its report."""
    folder = tmp_path_factory.mktemp("written")
    people = nv.read(write(folder / "people.csv", PEOPLE))
    return nv.save(nv.anonymize(people, budget=1, seed=1), folder / "release")


@pytest.fixture
def release(written_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(written_once, tmp_path / "release"))


def test_report_renders_a_lost_report_again(release: Path) -> None:
    """And the page to sign, from the private record alone, to the same bytes; all else stays as it was."""
    before = listing(release)
    report, to_sign = release / "private" / "report.html", release / "private" / "sign-off.html"
    report.unlink()
    to_sign.unlink()

    said = netveil("report", release)

    assert said == Said(0, f"{report}\n{to_sign}\n", "")
    assert listing(release) == before


@pytest.mark.parametrize(
    ("record", "what"),
    [
        (None, "is not a release: it has no private/run.json"),
        ("", "is damaged: it is not JSON"),
        ("{", "is damaged: it is not JSON"),
        ("[]", "is damaged: it is not the record of a run. Make the release again."),
        ('{"network": "x"}', "is damaged: it is not the record of a run (history is missing)."),
    ],
)
def test_report_needs_the_record_of_a_release(release: Path, record: str | None, what: str) -> None:
    """Without it, or with a damaged one, one line says so and the old report stays."""
    run = release / "private" / "run.json"
    run.unlink()
    if record is not None:
        write(run, record)
    before = listing(release)

    said = netveil("report", release)

    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("netveil: ") and said.err.count("\n") == 1 and what in said.err
    assert listing(release) == before


def test_a_report_that_cannot_be_written_is_told_in_one_line(release: Path) -> None:
    """Here because a folder is in its place; no half of it stays behind."""
    report = release / "private" / "report.html"
    report.unlink()
    report.mkdir()
    before = listing(release)

    said = netveil("report", release)

    assert said.code == 2
    assert said.err.startswith(f"netveil: {report} cannot be written")
    assert listing(release) == before
