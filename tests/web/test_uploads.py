"""What is brought: never too much, readable by nobody else, and under names of our own."""

from __future__ import annotations

import asyncio
import io
import os
import shlex
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from over_http import announced, bring, bring_folder, client_of, files_in, mode_of, state_in

import netveil as nv
from netveil.cli import main
from netveil.errors import FileError, SettingError
from netveil.web.data_folder import DataFolder, Run, new_id, place_of_upload, safe_name
from netveil.web.forms import source_of
from netveil.web.requests import WebError, zip_of
from netveil.web.server import told_apart
from netveil.web.state import PageState
from netveil.web.worker import WORK


@pytest.fixture
def state(tmp_path: Path) -> PageState:
    """A server that takes a thousand bytes, and whose reader says nothing."""
    state = state_in(tmp_path / "kept", largest_upload=1000)

    async def ask(do: str, **order: object) -> object:
        await asyncio.sleep(0)
        return {"problem": None, "name": "contacts"}

    state.workers.ask = ask  # type: ignore[method-assign]
    return state


def kept_files(state: PageState) -> list[Path]:
    """All files that came."""
    return [path for path in state.data.path.rglob("*") if path.name.startswith(("content", "network."))]


def test_a_file_is_kept_for_its_owner_only(state: PageState) -> None:
    """Under a name of our own; of the user's, the suffixes tell how to read it."""
    answer = bring(client_of(state), "../../x/Contacts 1.CSV", b"a,b\n")
    (file,) = kept_files(state)

    assert answer.status_code == 201
    assert answer.json()["file"] == "Contacts 1.CSV"
    assert (file.name, file.parent.parent) == ("content.csv", state.data.path / "networks")
    assert mode_of(file) == 0o600
    assert all(
        mode_of(path) == (0o700 if path.is_dir() else 0o600) for path in (file.parent, *file.parent.iterdir())
    )
    assert mode_of(state.data.path) == 0o700


def in_parts() -> Iterator[bytes]:
    """A body that does not say how long it is."""
    yield from (b"x" * 100 for _ in range(100))


FOUR, MUCH = b"a,b\n", b"x" * 1001


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (MUCH, announced(("a.csv", 1001)), 413),
        (MUCH, announced(("a.csv", 200 << 20)), 413),
        (in_parts, announced(("a.csv", 900)), 422),
        (in_parts, announced(("a.csv", 10_000)), 413),
        (FOUR, announced(("more came.csv", 3)), 422),
        (FOUR, announced(("less came.csv", 5)), 422),
        (FOUR, announced(("negative.csv", -4)), 422),
        (FOUR, announced(("two", 2), ("files", 2)), 422),
        (FOUR, announced(("", 4)), 422),
        (FOUR, announced(), 422),
        (FOUR, {}, 422),
        *(
            (FOUR, {"X-Netveil-Files": header}, 422)
            for header in ('[{"name": "a.csv", "size": Infinity}]', "[" * 9000, "5", '[{"size": 1}]')
        ),
    ],
)
def test_what_does_not_add_up_or_is_too_large_is_refused(
    state: PageState, content: Any, headers: dict[str, str], status: int
) -> None:
    """By what it says of itself, or on the way; nothing of it stays, and it is no defect of ours."""
    body = content() if callable(content) else content
    answer = client_of(state).post("/api/networks", content=body, headers=headers)

    assert answer.status_code == status
    assert answer.json()["error"]["kind"] == {413: "too-large", 422: "mistake"}[status]
    assert not kept_files(state) and not state.networks.all()


def test_documents_are_bounded_too(state: PageState) -> None:
    client = client_of(state)

    assert client.post("/api/runs", content=b'"' + b"x" * (9 << 20) + b'"').status_code == 413
    for content in (b"{", b"[]", b'{"unknown": 1}', b"[" * 100_000):
        assert client.post("/api/runs", content=content).status_code == 422


def test_names_lose_their_folders_and_marks() -> None:
    """What remains is shown to people; a file of a release stays below its folder, whatever it pretends."""
    assert safe_name("C:\\data\\a\x00b\n.csv") == "ab.csv"
    assert safe_name("../../") == "network"
    assert len(safe_name("x" * 999 + ".csv")) == 120
    folder, inside = Path("/kept"), {Path("/kept/public"), Path("/kept/private"), None}
    climbing = ("x/public/../../../etc/cron.d/network.csv", "public/network.csv/../../x", "private/.ssh")
    for name in (
        *climbing,
        "about.json",
        "public/evil.sh",
        "private/report.html",
        "c:\\private\\..\\run.json",
    ):
        place = place_of_upload(folder, name)
        assert (place and place.parent) in inside
    assert place_of_upload(folder, "r\\private\\run.json") == folder / "private" / "run.json"


def test_a_folder_with_other_things_is_not_taken(tmp_path: Path) -> None:
    """It would be closed to everybody who uses them; one of ours is taken again."""
    (tmp_path / "thesis.txt").write_text("mine")
    before = mode_of(tmp_path)
    with pytest.raises(SettingError, match="holds other things"):
        DataFolder(tmp_path)
    assert mode_of(tmp_path) == before and [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    DataFolder(tmp_path / "new")
    (tmp_path / "new" / "notes.txt").write_text("mine")
    DataFolder(tmp_path / "new")


def test_what_cannot_be_deleted_is_not_said_to_be(state: PageState, monkeypatch: pytest.MonkeyPatch) -> None:
    client = client_of(state)
    record = bring(client, "a.csv", b"a,b\n").json()
    with monkeypatch.context() as stuck:
        stuck.setattr(shutil, "rmtree", lambda *_, **__: None)
        answer = client.delete(f"/api/networks/{record['id']}")

    assert answer.status_code == 409 and record["id"] in answer.json()["error"]["message"]
    assert client.get(f"/api/networks/{record['id']}").status_code == 200
    assert client.delete(f"/api/networks/{record['id']}").status_code == 200
    assert client.get(f"/api/networks/{record['id']}").status_code == 404


needs_links = pytest.mark.skipif(os.name != "posix", reason="needs symbolic links and pipes")


def put(folder: Path, place: str, target: Path | None) -> Path:
    """Put a link to a target into a folder, or a pipe, in the place of what was there; returns the place."""
    path = folder / place
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(exist_ok=True)
    if target is None:
        os.mkfifo(path)
    else:
        path.symlink_to(target)
    return path


@needs_links
@pytest.mark.parametrize(
    ("place", "target"),
    [
        *((each, f"mine/{each}") for each in ("public", "private/run.json")),
        *(
            pytest.param(each, f"mine/{each}", marks=pytest.mark.thorough)
            for each in ("private", "public/network.txt", "private/labels.csv", "private/curve.json")
        ),
        ("public/more/deep", "mine"),
        ("private/report.html", "mine/secret"),
        ("private/more/pipe", None),
    ],
)
def test_a_sent_release_folder_leads_nowhere(
    place: str, target: str | None, karate_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing of it is read, by the page or by a command, though what is linked would do as a release."""
    mine, sent = (Path(shutil.copytree(karate_release, tmp_path / name)) for name in ("mine", "sent"))
    (mine / "secret").write_text("a key")
    path = put(sent, place, None if target is None else tmp_path / target)
    before = sorted(tmp_path.rglob("*"))

    with pytest.raises(FileError) as refused:
        state_in(tmp_path / "kept", releases_given=told_apart([sent])[0])
    assert str(refused.value).startswith(f"{path} is ") and "\n" not in str(refused.value)
    shutil.rmtree(tmp_path / "kept")
    with pytest.raises(FileError, match=r"is a link|neither a file nor a folder"):
        nv.load_release(sent)
    for words in (["report"], ["audit", "karate", "--matching", "none"], ["compare", "karate"]):
        assert main([*words, str(sent)]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and str(path) in said.err
    assert sorted(tmp_path.rglob("*")) == before


@needs_links
def test_a_link_that_the_user_names_is_followed(karate_release: Path, tmp_path: Path) -> None:
    (tmp_path / "latest").symlink_to(karate_release)
    (tmp_path / "published").symlink_to(karate_release / "public")

    assert nv.load_release(tmp_path / "latest").outcome.budget > 0
    assert nv.compare("karate", tmp_path / "published").edges_deleted > 0


@needs_links
def test_a_sent_experiment_leads_nowhere(tmp_path: Path) -> None:
    """A pipe among its records would never let the page start."""
    for place in ("plan.toml", "runs/one/settings.json", "failed/one.json"):
        for target in (None, tmp_path / "secret"):
            sent = tmp_path / "sent"
            (sent / "runs" / "one").mkdir(parents=True)
            path = put(sent, place, target)
            with pytest.raises(FileError) as refused:
                told_apart([sent])
            assert str(refused.value).startswith(f"{path} is ")
            shutil.rmtree(sent)


def worked_here(state: PageState) -> PageState:
    """A server whose orders to workers are carried out in this process."""

    async def ask(do: str, **order: object) -> object:
        await asyncio.sleep(0)
        return WORK[do](order)

    state.workers.ask = ask  # type: ignore[method-assign]
    return state


def test_a_release_folder_is_brought(karate_release: Path, tmp_path: Path) -> None:
    """What it holds is checked, its pages are rendered anew, and its original can be protected again."""
    state, files = worked_here(state_in(tmp_path / "kept")), files_in(karate_release)
    client, pages = client_of(state), ("report.html", "sign-off.html")
    files |= {f"private/{page}": b"<script>alert(1)</script>" for page in pages}
    answer = bring_folder(client, files)
    name = answer.json()["id"]
    place, kept = f"/api/releases/{name}", tmp_path / "kept" / "releases"

    assert (answer.status_code, answer.json()["source"], answer.json()["same_network"]) == (201, "upload", [])
    for page in pages:
        shown = client.get(f"{place}/{page}").content
        assert b"alert(1)" not in shown and b"karate" in shown
        assert shown == (kept / name / "release" / "private" / page).read_bytes()
    assert [each.id for each in state_in(tmp_path / "kept").releases.all()] == [name]
    original = client.post(f"{place}/network", json={}).json()
    assert (original["source"], original["nodes"]) == ("release", 34)
    network = f"/api/networks/{original['id']}"
    assert client.get(f"{network}/measure").json()["figures"]["at_risk"] == 15
    assert [client.delete(each).status_code for each in (place, network, place)] == [409, 200, 200]
    half = bring_folder(client, {"public/network.csv": b"x"})
    assert half.status_code == 422 and "only the public part" in half.json()["error"]["message"]
    assert bring_folder(client, files | {"private/deleted_edges.csv": b"source,target\n"}).status_code >= 400
    assert list(kept.iterdir()) == [], "of what is refused nothing stays"


@pytest.fixture
def given(karate_release: Path, tmp_path: Path) -> PageState:
    """A server that was given a folder with pages of somebody else's; its work is done in this process."""
    sent = Path(shutil.copytree(karate_release, tmp_path / "sent"))
    for name in ("report.html", "sign-off.html"):
        (sent / "private" / name).write_text("<script>alert(1)</script>")
    state = state_in(tmp_path / "kept", releases_given=told_apart([sent])[0])
    return worked_here(state)


@pytest.mark.thorough
def test_the_pages_of_a_given_folder_are_rendered_anew(given: PageState) -> None:
    """From its record, to be looked at and in the archive; the folder itself stays as it is."""
    client, (kept,) = client_of(given), given.releases.all()
    private = client.get(f"/api/releases/{kept.id}/private.zip?confirmed=yes").content
    with zipfile.ZipFile(io.BytesIO(private)) as archive:
        assert len(archive.namelist()) == len(set(archive.namelist())) == 9
        for name in ("report.html", "sign-off.html"):
            shown = client.get(f"/api/releases/{kept.id}/{name}")
            assert shown.status_code == 200 and "karate" in shown.text
            assert shown.headers["content-security-policy"].startswith("sandbox ")
            for page in (shown.content, archive.read(f"private/{name}")):
                assert b"alert(1)" not in page and b"karate" in page
            assert "alert(1)" in (kept.folder / "private" / name).read_text()


@needs_links
@pytest.mark.parametrize("place", ["public", "public/about.json", "private", "private/report.html"])
def test_a_folder_that_becomes_a_link_is_gone(place: str, given: PageState, tmp_path: Path) -> None:
    client, (kept,) = client_of(given), given.releases.all()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "secret").write_text("a key")
    put(kept.folder, place, tmp_path / "mine" / ("secret" if "." in place else ""))
    for path in ("public.zip", "private.zip?confirmed=yes", "report.html", "sign-off.html"):
        answer = client.get(f"/api/releases/{kept.id}/{path}")
        assert answer.status_code != 200 and b"a key" not in answer.content


def test_a_table_of_persons_comes_beside_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told what came of it, kept over a restart, replaced, in the lines to repeat, and taken away."""
    state = worked_here(state_in(tmp_path / "kept", largest_upload=1000))
    client, ties = client_of(state), b"from,to\nanna,bob\nbob,carl\n"
    name = bring(client, "ties.csv", ties).json()["id"]
    place = f"/api/networks/{name}/persons"

    def stored() -> list[Path]:
        return sorted(state.networks.folder(name).glob("persons*"))

    first = bring(client, "../People.csv", b"who,age\nanna,30\nbob,40\ndora,50\n", place)
    (before,) = stored()
    assert first.status_code == 200 and mode_of(before) == 0o600
    assert (first.json()["nodes"], first.json()["attributes_of_people"]) == (4, ["age"])
    assert first.json()["notes"] == [
        "attributes of people from People.csv: age",
        "1 person without ties from People.csv",
    ]
    told = "1 person of the ties is not in People.csv, and without attributes"
    assert told in first.json()["reading"]["oddities"]
    people = b"age;who\n30;anna\n40;bob\n50;carl\n"
    second = bring(client, "b.csv", people, f"{place}?key=who").json()
    assert (second["nodes"], second["persons"]["file"]) == (3, "b.csv") and before not in stored()
    (kept,) = stored()
    again = state_in(tmp_path / "kept")
    assert again.networks.given(again.networks.get(name))["persons"]["path"] == str(kept)
    source = source_of(state.networks.given(state.networks.get(name)))
    assert shlex.join(source.words("measure")) == "netveil measure ties.csv --persons b.csv --persons-key who"
    monkeypatch.chdir(tmp_path)
    Path("ties.csv").write_bytes(ties)
    Path("b.csv").write_bytes(people)
    scope: dict[str, Any] = {"nv": nv}
    exec(source.opened(), scope)
    assert list(scope["network"].attributes.node["age"]) == [30, 40, 50]
    assert main([*source.words("measure")[1:], "--quiet"]) == 0
    without = client.delete(place).json()
    assert (without["persons"], without["attributes_of_people"], without["notes"]) == (None, [], [])
    assert stored() == [] and client.delete(place).status_code == 404


def test_persons_stay_for_a_run_that_was_given_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They cannot be taken from one that is not over; their file stays for points of the curve of another."""
    state = worked_here(state_in(tmp_path / "kept"))
    client, people = client_of(state), b"who,age\nanna,30\n"
    name = bring(client, "t.csv", b"anna,bob\n").json()["id"]
    place = f"/api/networks/{name}/persons"
    bring(client, "p.csv", people, place)
    given = state.networks.given(state.networks.get(name))
    more: dict[str, Any] = {"given": given, "options": {}, "extension": "csv", "command": ""}
    run = Run(id=new_id(), network=name, name="t", state="queued", **more)
    monkeypatch.setattr(state.runs, "all", lambda: [run])

    assert client.delete(place).status_code == bring(client, "p.csv", people, place).status_code == 409
    run.state = "done"
    assert client.delete(place).json()["persons"] is None
    assert Path(given["persons"]["path"]).read_bytes() == people
    assert client.delete(f"/api/networks/{name}").status_code == 200
    assert not Path(given["persons"]["path"]).exists()


@pytest.mark.parametrize(
    ("content", "file", "key", "rule"),
    [
        (b"who,age\nxena,30\n", "p.csv", "", "p.csv: none of its keys is a person of the network."),
        (b"who,age\nanna,30\nanna,31\n", "p.csv", "", "p.csv, line 3: this person stands in line 2 already."),
        (b"who,age\nanna,30\n", "p.csv", "name", "“Column of the people” name: p.csv has no such column"),
        (b"{}", "p.json", "", "p.json: a table of persons is a .csv, .tsv, .xlsx or .parquet file."),
        (b"x" * 1001, "p.csv", "", "This is larger than"),
    ],
)
def test_a_wrong_table_of_persons_leaves_the_network_as_it_was(
    tmp_path: Path, content: bytes, file: str, key: str, rule: str
) -> None:
    """The answer names the file as its owner does, and nothing of it stays."""
    state = worked_here(state_in(tmp_path / "kept", largest_upload=1000))
    client = client_of(state)
    name = bring(client, "t.csv", b"anna,bob\n").json()["id"]
    place = f"/api/networks/{name}"
    before = client.get(place).json()
    answer = bring(client, file, content, f"{place}/persons?key={key}")

    assert answer.status_code in (413, 422) and answer.json()["error"]["message"].startswith(rule)
    assert client.get(place).json() == before and before["state"] == "read"
    assert list(state.networks.folder(name).glob("persons*")) == []


@needs_links
def test_a_link_is_not_zipped(tmp_path: Path) -> None:
    """A sent folder must not bring a file of the user's into what is published, nor be a link itself."""
    public = tmp_path / "public"
    public.mkdir()
    (public / "network.txt").write_text("0 1\n")
    (tmp_path / "secret").write_text("a key")
    put(public, "about.json", tmp_path / "secret")
    put(public, "pipe", None)
    with zip_of(public, {}, tmp_path) as file, zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["public/network.txt"]
    (tmp_path / "linked").symlink_to(public)
    with pytest.raises(WebError, match="no such release"):
        zip_of(tmp_path / "linked", {}, tmp_path)
