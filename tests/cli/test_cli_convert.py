"""`netveil convert`: the same network in another file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import PEOPLE, netveil, write
from pyarrow import ipc, parquet

import netveil as nv
from netveil.cli import options


def test_a_network_is_the_same_in_another_file_and_back(tmp_path: Path) -> None:
    """With everybody in it, Eve too, who has no ties; each tie once."""
    people = write(tmp_path / "people.csv", PEOPLE)
    for suffix in ("parquet", "arrow", "csv", "txt.gz", "graphml"):
        other, back = tmp_path / f"a.{suffix}", tmp_path / f"b-{suffix}.csv"
        said = netveil("convert", people, "--out", other, "--json")

        assert (said.code, netveil("convert", other, "--out", back, "--quiet").code) == (0, 0), said.err
        assert said.json["dropped"] == {"self_loops": 1, "duplicates": 1}
        assert (said.json["nodes"], said.json["edges"], said.json["bytes"]) == (5, 4, other.stat().st_size)
        assert nv.read(other) == nv.read(back) == nv.read(people)


def test_a_file_that_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    """And a format that is not written is told, both before the network is read."""
    place = write(tmp_path / "a.csv", "x,y\n")
    there = netveil("convert", tmp_path / "missing.csv", "--out", place)
    unwritten = netveil("convert", tmp_path / "missing.csv", "--out", tmp_path / "a.xlsx")

    assert (there.code, unwritten.code) == (2, 2)
    assert "exists already" in there.err and "--overwrite" in there.err
    assert "does not write them" in unwritten.err
    assert netveil("convert", "karate", "--out", place, "--overwrite").code == 0
    assert nv.read(place).edge_count == 78


@pytest.mark.quick(1)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_whole_numbers_are_stored_as_such_and_are_the_same_labels(tmp_path: Path, suffix: str) -> None:
    """The last of them has no ties."""
    kinds = {"100": "int32", "5000000000": "int64", "007": "string", "9" * 20: "string"}
    for label, kind in kinds.items():
        labels = ["7", label, "-3", "12"]
        network = nv.Network.from_edges([(labels[0], labels[1]), (labels[1], labels[2])], labels)
        file = tmp_path / f"{label}.{suffix}"
        nv.write(network, file)

        schema = parquet.read_schema(file) if suffix == "parquet" else ipc.open_file(file).schema
        in_lists = "dictionary<values=string, indices=int32, ordered=0>"
        assert (
            list(map(str, schema.types)) == [in_lists if (suffix, kind) == ("arrow", "string") else kind] * 2
        )
        assert nv.read(file) == network


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("command", "further"),
    [
        ("measure", ()),
        ("convert", ("--out", "copy.csv")),
        ("anonymize", ("--algorithm", "es", "--budget", "1", "--out", "released", "--overwrite")),
        ("tune", ("--algorithm", "es", "--budget", "1", "--out", "tuned", "--overwrite")),
        ("compare", ("{network}",)),
        ("compare", ("release",)),
        ("audit", ("{network}", "--measure", "degree", "--matching", "none")),
    ],
)
def test_a_large_file_is_read_with_a_bar_by_every_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, further: tuple[str, ...]
) -> None:
    """Only where it is large, and never with --quiet; of a release folder, the network in it counts."""
    shown: list[tuple[str, bool]] = []

    @contextmanager
    def share_on_bar(doing: str, quiet: bool) -> Iterator[None]:
        shown.append((doing, quiet))
        yield

    write(folder / "large.csv", "# the same network\na,b\nb,c\n")
    write(folder / "small.csv", "a,b\nb,c\n")
    if "release" in further:
        nv.save(nv.anonymize("small.csv", 0, seed=1), "release", utility=False, audit=False)
    monkeypatch.setattr(options, "share_on_bar", share_on_bar)
    monkeypatch.setattr(options, "WORTH_A_BAR", 10)
    for network, quiet in (("large.csv", ()), ("small.csv", ()), ("large.csv", ("--quiet",))):
        words = [word.format(network=network) for word in further]
        said = netveil(command, network, *words, *quiet)
        assert said.code == 0, said.err
        Path("copy.csv").unlink(missing_ok=True)

    assert shown == [("reading", False), ("reading", "release" not in further), ("reading", True)]
