"""What is brought: never too much, readable by nobody else, and under names of our own."""

from __future__ import annotations

import asyncio
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from over_http import announced, client_of, hall_in, mode_of
from starlette.requests import Request

from netveil.errors import SettingError
from netveil.web.hall import Hall
from netveil.web.keeping.networks import safe_name
from netveil.web.keeping.place import Place
from netveil.web.keeping.releases import place_of_upload
from netveil.web.uploads import FAR_TOO_MUCH, Announced, _content_length
from netveil.web.zips import zip_of


@pytest.fixture
def hall(tmp_path: Path) -> Hall:
    """A server that takes a thousand bytes, and whose reader says nothing."""
    hall = hall_in(tmp_path / "kept", largest_upload=1000)

    async def ask(do: str, **order: object) -> object:
        await asyncio.sleep(0)
        return {"problem": None, "name": "contacts"}

    hall.looker.ask = ask  # type: ignore[method-assign]
    return hall


def kept_files(hall: Hall) -> list[Path]:
    """All files that came."""
    return [path for path in hall.place.path.rglob("*") if path.name.startswith(("content", "network."))]


def test_a_file_is_kept_for_its_owner_only(hall: Hall) -> None:
    """Under a name of our own; of the user's, the suffixes tell how to read it."""
    answer = client_of(hall).post(
        "/api/networks", content=b"a,b\n", headers=announced(("../../x/Contacts 1.CSV", 4))
    )
    (file,) = kept_files(hall)

    assert answer.status_code == 201
    assert answer.json()["file"] == "Contacts 1.CSV"
    assert (file.name, file.parent.parent) == ("content.csv", hall.place.path / "networks")
    assert mode_of(file) == 0o600
    assert all(
        mode_of(path) == (0o700 if path.is_dir() else 0o600) for path in (file.parent, *file.parent.iterdir())
    )
    assert mode_of(hall.place.path) == 0o700


@pytest.mark.parametrize("size", [1001, 200 << 20])
def test_what_is_too_large_is_refused_at_once(hall: Hall, size: int) -> None:
    """By what it says of itself: nothing of it is written."""
    answer = client_of(hall).post("/api/networks", content=b"x" * 1001, headers=announced(("a.csv", size)))

    assert (answer.status_code, answer.json()["error"]["kind"]) == (413, "too-large")
    assert not kept_files(hall) and not hall.networks.all()


@pytest.mark.parametrize("length", ["9" * 5000, "-1", "many", "٣"])
def test_an_odd_length_is_no_defect(length: str) -> None:
    """What it says of itself is too large, or says nothing."""
    request = Request({"type": "http", "headers": [(b"content-length", length.encode())]})

    assert _content_length(request) in (0, FAR_TOO_MUCH)


def test_what_turns_out_too_large_is_refused_on_the_way(hall: Hall) -> None:
    """A request need not say how long it is."""

    def endless() -> Iterator[bytes]:
        yield from (b"x" * 100 for _ in range(100))

    answer = client_of(hall).post("/api/networks", content=endless(), headers=announced(("a.csv", 900)))

    assert answer.status_code in (413, 422)
    assert not kept_files(hall) and not hall.networks.all()


@pytest.mark.parametrize(
    "files",
    [(("a.csv", 3),), (("a.csv", 5),), (("a.csv", -4),), (("a", 2), ("b", 2)), (("", 4),), ()],
    ids=["more came", "less came", "negative", "two files", "no name", "none"],
)
def test_what_does_not_add_up_is_refused(hall: Hall, files: tuple[tuple[str, int], ...]) -> None:
    """Nothing of it stays."""
    answer = client_of(hall).post("/api/networks", content=b"a,b\n", headers=announced(*files))

    assert answer.status_code == 422
    assert not kept_files(hall) and not hall.networks.all()


def test_documents_are_bounded_too(hall: Hall) -> None:
    """And must be objects with known keys."""
    client = client_of(hall)

    assert client.post("/api/runs", content=b'"' + b"x" * (9 << 20) + b'"').status_code == 413
    for content in (b"{", b"[]", b'{"unknown": 1}', b"[" * 100_000):
        assert client.post("/api/runs", content=content).status_code == 422


def test_of_a_release_only_its_own_files_are_kept() -> None:
    """Whatever a name pretends, its place is below the folder."""
    folder = Path("/kept")
    for name in (
        "x/public/../../../etc/cron.d/network.csv",
        "public/network.csv/../../x",
        "private/.ssh",
        "about.json",
        "public/evil.sh",
        "private/report.html",
        "c:\\private\\..\\run.json",
    ):
        place = place_of_upload(folder, Announced(name, 1))
        assert place is None or place.parent in (folder / "public", folder / "private")
    assert place_of_upload(folder, Announced("r\\private\\run.json", 1)) == folder / "private" / "run.json"


def test_names_lose_their_folders_and_marks() -> None:
    """What remains is shown to people, and put into commands for them."""
    assert safe_name("C:\\data\\a\x00b\n.csv") == "ab.csv"
    assert safe_name("../../") == "network"
    assert len(safe_name("x" * 999 + ".csv")) == 120


@pytest.mark.parametrize(
    "header", ['[{"name": "a.csv", "size": Infinity}]', "[" * 9000, "5", '[{"size": 1}]', '[{"name": "a"}]']
)
def test_a_strange_announcement_is_a_mistake(hall: Hall, header: str) -> None:
    """And no defect of ours."""
    answer = client_of(hall).post("/api/networks", content=b"a,b\n", headers={"X-Netveil-Files": header})

    assert (answer.status_code, answer.json()["error"]["kind"]) == (422, "mistake")
    assert kept_files(hall) == []


def test_a_folder_with_other_things_is_not_taken(tmp_path: Path) -> None:
    """It would be closed to everybody who uses them; one of ours is taken again."""
    (tmp_path / "thesis.txt").write_text("mine")
    before = mode_of(tmp_path)
    with pytest.raises(SettingError, match="holds other things"):
        Place(tmp_path)
    assert mode_of(tmp_path) == before and [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    Place(tmp_path / "new")
    (tmp_path / "new" / "notes.txt").write_text("mine")
    Place(tmp_path / "new")


def test_what_cannot_be_deleted_is_not_said_to_be(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stays in the list, and the message says where it is."""
    client = client_of(hall)
    record = client.post("/api/networks", content=b"a,b\n", headers=announced(("a.csv", 4))).json()
    with monkeypatch.context() as stuck:
        stuck.setattr(shutil, "rmtree", lambda *_, **__: None)
        answer = client.delete(f"/api/networks/{record['id']}")

    assert answer.status_code == 409 and record["id"] in answer.json()["error"]["message"]
    assert client.get(f"/api/networks/{record['id']}").status_code == 200
    assert client.delete(f"/api/networks/{record['id']}").status_code == 200
    assert client.get(f"/api/networks/{record['id']}").status_code == 404


@pytest.mark.skipif(os.name != "posix", reason="needs symbolic links")
def test_a_link_is_not_zipped(tmp_path: Path) -> None:
    """A release folder that somebody sent must not bring a file of the user's into what is published."""
    public = tmp_path / "public"
    public.mkdir()
    (public / "network.txt").write_text("0 1\n")
    (tmp_path / "secret").write_text("a key")
    (public / "about.json").symlink_to(tmp_path / "secret")
    with zip_of(public, {}, tmp_path) as file, zipfile.ZipFile(file) as archive:
        assert archive.namelist() == ["public/network.txt"]
