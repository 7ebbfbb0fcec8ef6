"""`netveil compare`, and the release folders it finds its way in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import netveil as nv
from netveil.cli import main
from netveil.errors import FileError
from netveil.files import find_release, read_labels
from netveil.utility import communities

PEOPLE = "anna,bob\nbob,cleo\ncleo,anna\ncleo,dan\n"
RELEASED = "# nodes: 4\n0 1\n1 3\n0 3\n"  # without cleo - dan
FILES = ("public/network.txt", "private/labels.csv")
LABELS = "original,published\nanna,3\nbob,1\ncleo,0\ndan,2\n"


@pytest.fixture(autouse=True)
def few_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten runs of Louvain tell as much here as a hundred."""
    monkeypatch.setattr(communities, "RUNS", 10)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    file = tmp_path / "people.csv"
    file.write_text(PEOPLE)
    return file


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release folder of them."""
    folder = tmp_path / "release"
    for name, text in zip(FILES, (RELEASED, LABELS), strict=True):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("part", ["", "public", "public/network.txt"])
def test_a_release_folder_is_compared_through_its_table(
    original: Path, release: Path, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also if its public part is named: the labels are fresh, so nothing else would be right."""
    assert main(["compare", str(original), str(release / part), "--json"]) == 0

    said = capsys.readouterr()
    document = json.loads(said.out)
    assert said.err == ""
    assert (document["original"], document["released"]) == (str(original), str(release / part))
    assert (document["edges_deleted"], document["new"]) == (0.25, 0)
    assert document["metrics"]["edges"]["after"] == 3
    assert document["metrics"]["clustering"] == {
        "title": "average clustering coefficient",
        "before": pytest.approx(7 / 9),
        "after": 1.0,
        "change": pytest.approx(2 / 9),
        "relative_change": pytest.approx(2 / 7),
        "better": "closer to before is better",
        "note": "over nodes with at least two neighbours, as in the paper",
    }


def test_two_files_are_matched_by_label(
    original: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "copy.csv").write_text("dan,cleo\ncleo,bob\nbob,anna\n")
    assert main(["compare", str(original), str(tmp_path / "copy.csv")]) == 0
    assert capsys.readouterr().out.startswith("1 of 4 edges deleted (25.0%); 4 nodes.\n\n")

    fresh, table = ((release / name).rename(tmp_path / Path(name).name) for name in FILES)
    assert main(["compare", str(original), str(fresh), "--json", "--labels", str(table)]) == 0
    assert json.loads(capsys.readouterr().out)["deleted"] == 1


@pytest.mark.parametrize("option", ["--quiet", "--json", "--exact"])
def test_new_edges_are_told_on_standard_error_in_any_case(
    option: str, original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Figures about the wrong nodes look like any others."""
    (tmp_path / "other.csv").write_text("anna,bob\nbob,cleo\ncleo,anna\nanna,dan\n")

    assert main(["compare", str(original), str(tmp_path / "other.csv"), option]) == 0
    said = capsys.readouterr()
    assert said.err.startswith("warning: 1 edge of the released network is not in the original")
    assert said.err.count("\n") == 1
    assert option != "--json" or json.loads(said.out)["new"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("karate", "demo"), "the networks do not have the same nodes: 34 in the original, 1,000 in the rel"),
        (("karate", "nowhere"), "nowhere: there is no such file"),
        (("karate", "karate", "--top", "99"), "top 99: the network has 34 nodes"),
        (("karate", "karate", "--clustering", "x"), "unknown clustering 'x'"),
        (("karate", "karate", "--labels", "nowhere.csv"), "nowhere.csv cannot be read as a table of labels"),
        (("karate", "."), "is a folder without public/network.*"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and message in said.err and said.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected the columns original,published"),
        ("anna,1\n", "line 1: expected the columns original,published"),
        ("original,published\nanna,1\nbob\n", "line 3: expected two labels, found 1"),
    ],
)
def test_a_file_that_is_no_table_of_labels_is_a_mistake(tmp_path: Path, text: str, message: str) -> None:
    """The line is named, the label is not."""
    file = tmp_path / "labels.csv"
    file.write_text(text)

    with pytest.raises(FileError, match=message):
        read_labels(file)
    file.write_text('\ufefforiginal,published\n"Doe, ""J""",0\n', encoding="utf-8")
    assert read_labels(file) == {'Doe, "J"': "0"}  # as spreadsheets write them


def test_a_release_made_by_netveil_is_compared_by_its_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From its folder; copied away from its labels it is a mistake: they fit, to the wrong people."""
    folder = tmp_path / "release"
    made = nv.anonymize(nv.load("karate"), budget="10%", seed=1, effort=0.05)
    nv.save(made, folder, utility=False, audit=False)

    assert main(["compare", "karate", str(folder), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["deleted"], document["new"]) == (len(made.deleted_edges), 0)
    copy = (folder / "public" / "network.txt").rename(tmp_path / "copy.txt")
    assert main(["compare", "karate", str(copy)]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "the networks do not belong together" in said.err and "--labels" in said.err
    assert main(["compare", "karate", str(copy), "--labels", str(folder / "private" / "labels.csv")]) == 0


def test_options_reach_the_comparison(
    original: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each changes what is printed; a format named for the original is not imposed on the release."""

    def said(*options: str) -> str:
        assert main(["compare", *options]) == 0
        return capsys.readouterr().out

    usual = json.loads(said("karate", "karate", "--json"))
    for name, value, metric in (("clustering", "textbook", "clustering"), ("top", "3", "centrality")):
        found = json.loads(said("karate", "karate", "--json", f"--{name}", value))
        assert found["metrics"][metric] != usual["metrics"][metric]
    assert json.loads(said("karate", "karate", "--json", "--seed", "4"))["seed"] != usual["seed"]
    some = json.loads(said("karate", "karate", "--json", "--metric", "lcc", "--metric", "edges"))["metrics"]
    assert some == {name: usual["metrics"][name] for name in ("edges", "lcc")}
    quiet = said("karate", "karate", "--quiet").splitlines()
    assert quiet[0].split() == ["before", "after", "change", "better"]
    assert quiet[-1].startswith("isolated nodes")
    renamed = str(original.rename(original.with_suffix(".people")))
    exact = said(renamed, str(release), "--format", "edge-list", "--exact", "--threads", "1")
    assert "1 of 4 edges deleted" in exact


def test_the_files_of_a_release_are_found(original: Path, release: Path) -> None:
    """As others get it, it has no table; a file elsewhere is of no release; two networks are one too many."""
    (release / "private" / "labels.csv").unlink()
    found = find_release(release)

    assert found is not None
    assert (found.network, found.labels) == (release / "public" / "network.txt", None)
    assert find_release(original) is None
    assert find_release(original.parent / "public" / "network.txt") is None
    (release / "public" / "network.gml").write_text("")
    with pytest.raises(FileError, match=r"has 2 files network\.\*\. Name the one to compare"):
        find_release(release)
