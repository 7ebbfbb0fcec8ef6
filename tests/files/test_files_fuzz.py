"""Damaged files of every format: a network, or one line for users without anybody's name.

The same ones each time, three times as many in `make test-all`; `make fuzz` goes on with others.
"""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from damaging import NAME, Input, inputs, seeds_of
from fuzzing import TOKEN, wrong_with, wrong_with_message
from netveil.cli import main
from netveil.errors import FileError, NetveilError
from netveil.files import FORMATS
from netveil.network import Network

INPUTS = {"graphml": 4, "gml": 4, "xlsx": 1, "parquet": 2, "arrow": 4}  # for each example of a property
MEMORY_ANYWAY, MEMORY_PER_BYTE = 200_000_000, 2000
MOST_INPUTS = 8  # of formats that are read fast


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", FORMATS)
def test_a_damaged_file_is_a_network_or_one_line(name: str) -> None:
    """Whatever was cut, turned, repeated, moved or put in."""
    found = {
        given.content: wrong
        for given in islice(inputs(name, seed=17), INPUTS.get(name, MOST_INPUTS) * settings().max_examples)
        if (wrong := wrong_with(given)) is not None
    }

    assert not found


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in FORMATS if not FORMATS[name].magic])
def test_memory_is_in_proportion_to_a_damaged_file(name: str) -> None:
    """Beside what any file may take: a million announced nodes, or ten million empty cells."""
    for given in islice(inputs(name, seed=19), 40):
        tracemalloc.start()
        try:
            wrong = wrong_with(given)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert wrong is None
        assert peak < MEMORY_ANYWAY + MEMORY_PER_BYTE * len(given.content), given.content[:200]


@pytest.mark.parametrize("name", FORMATS)
def test_the_files_that_are_damaged_are_valid(name: str) -> None:
    """Each of them is a network, or a question to its user; most have labels that would be found."""
    for seed in seeds_of(name):
        try:
            assert FORMATS[name].read(seed, NAME).node_count > 0
        except FileError as question:
            assert "Give " in str(question)
    assert any(TOKEN.search(content.decode("latin-1")) for content in seeds_of(name)) or name == "nauty"


@pytest.mark.parametrize("name", ["edge-list", "gml", "json", "pajek"])
def test_the_command_ends_with_two(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And one line on standard error, below which only a question shows something."""
    tried = 0
    for given in inputs(name, seed=18):
        try:
            FORMATS[name].read(given.content, NAME)
        except NetveilError:
            (tmp_path / NAME).write_bytes(given.content)
            code = main(["measure", str(tmp_path / NAME), "--format", name])
            out, err = capsys.readouterr()
            first, *shown = err.splitlines()

            assert (code, out) == (2, "") and first.startswith("netveil: ")
            assert "\x1b" not in err and all(line.startswith("  ") for line in shown)
            tried += 1
        if tried == 5:
            break


def test_what_is_wrong_would_be_found() -> None:
    """A defect, a label in a message, and a message of two lines or without end."""
    assert wrong_with_message(FileError("contacts.x, line 1: Qzanna. Correct it.")) == "a label in a message"
    assert wrong_with_message(FileError("contacts.x, line 1: rule. Correct it.")) is None

    class BrokenError(FileError):
        def for_command_line(self) -> str:
            return "two\nlines"

    assert str(wrong_with_message(BrokenError("one"))).startswith("a message of several lines")
    with pytest.MonkeyPatch.context() as patch:
        nothing: dict[str, Network] = {}
        broken = replace(FORMATS["nauty"], read=lambda content, file: nothing["a defect"])
        patch.setattr("fuzzing.FORMATS", {"nauty": broken})
        assert wrong_with(Input("nauty", b"")) == "KeyError instead of an error for users"
