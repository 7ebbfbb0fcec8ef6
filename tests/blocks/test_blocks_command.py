"""`netveil blocks`, and `netveil measure --blocks`: the document of the network itself."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import pytest

from netveil.cli import main
from netveil.studies import LostCluster

TIES = "anna,bob\nbob,cleo\ncleo,anna\ncleo,dan\ndan,eve\neve,eve\nanna,bob\n"


@pytest.fixture
def contacts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A file, in the folder in which we are, with its blocks beside it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "contacts.csv").write_text(TIES, encoding="utf-8")
    assert main(["blocks", "contacts.csv", "--out", "blocks", "--number", "2"]) == 0
    assert "2 blocks in blocks: keep it private. Counting takes" in capsys.readouterr().out
    return "contacts.csv"


@pytest.mark.quick(2)
@pytest.mark.parametrize("options", [["--json"], ["--json", "--quiet"], [], ["--quiet"]])
@pytest.mark.parametrize("named", [True, False])
def test_blocks_print_what_the_network_prints(
    contacts: str, capsys: pytest.CaptureFixture[str], options: list[str], named: bool
) -> None:
    """Whether or not the network is named, which is then not read."""
    asked = ["--measure", "count", "--measure", "degree", "--k", "3", *options]
    assert main(["measure", contacts, *asked]) == 0
    expected = capsys.readouterr().out
    assert main(["measure", *[contacts] * named, "--blocks", "blocks", *asked]) == 0

    assert capsys.readouterr().out == expected


def test_the_command_says_what_it_made(contacts: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As JSON; in words, what could not be streamed and what could be."""
    assert main(["blocks", contacts, "--out", "more", "--number", "3", "--json"]) == 0
    made = json.loads(capsys.readouterr().out)

    assert (made["nodes"], made["edges"], made["blocks"], made["folder"]) == (5, 5, 3, "more")
    assert 0 < made["largest_task_bytes"] < 1000 and made["streamed"]
    assert main(["convert", contacts, "--out", "contacts.gml", "--quiet"]) == 0
    for network, is_whole in (("contacts.gml", True), (contacts, False)):
        assert main(["blocks", network, "--out", f"of-{network}", "--number", "3"]) == 0
        assert ("read whole, not streamed as plain tables" in capsys.readouterr().out) == is_whole


def test_a_lost_cluster_is_told_in_one_line(
    contacts: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 1: it is nobody's mistake."""
    gone = LostCluster("the Dask scheduler tcp://127.0.0.1:1 is gone")
    monkeypatch.setattr("netveil.blocks.measuring.measure_blocks", Mock(side_effect=gone))

    assert main(["measure", "--blocks", "blocks", "--dask", "127.0.0.1:1"]) == 1
    assert "is gone; start it and its workers, and measure again." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["measure", "karate", "--blocks", "blocks"], "blocks holds blocks of another network than karate"),
        (["measure", "other.csv", "--blocks", "blocks"], "blocks holds blocks of another network than other"),
        (["measure", "--blocks", "."], ". is no folder of blocks: it has no blocks.json"),
        (["measure", "--blocks", "blocks", "--people", "p.csv"], "--people needs the network itself"),
        (["measure", "--blocks", "blocks", "--cascade"], "--cascade needs the network itself"),
        (["measure", "--blocks", "blocks", "--dask", "x"], "--dask x: this is no address"),
        (["measure", "contacts.csv", "--dask", "x"], "--dask x: a cluster counts in blocks; cut the network"),
        (["blocks", "contacts.csv"], "give a new folder for the blocks: --out DIR."),
        (["blocks", "contacts.csv", "--out", "blocks"], "blocks exists already."),
        (["blocks", "contacts.csv", "--out", "new", "--number", "0"], "--number 0: give a whole number"),
    ],
)
def test_mistakes_are_told_in_one_line(
    contacts: str, capsys: pytest.CaptureFixture[str], command: list[str], told: str
) -> None:
    """With exit code 2, and nothing on standard output."""
    Path("other.csv").write_text(TIES.replace("dan,eve", "dan,anna"), encoding="utf-8")

    assert main(command) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1) and told in err
