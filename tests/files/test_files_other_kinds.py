"""Files that hold no network are called what they are, whatever their names are."""

from __future__ import annotations

import io
from pathlib import Path
from zipfile import ZipFile

import pytest
from test_files_xlsx import WHOLE

import netveil as nv
from netveil.errors import FileError
from netveil.files.other_kinds import BEGINNINGS


def archive(*names: str) -> bytes:
    """A zip archive of files of these names."""
    written = io.BytesIO()
    with ZipFile(written, "w") as opened:
        for name in names:
            opened.writestr(name, "text")
    return written.getvalue()


KINDS = [
    (b"%PDF-1.7\n%\xe2\xe3", ".pdf", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n\0\0", ".png", "a picture (PNG)"),
    (b"\xff\xd8\xff\xe0\0\x10JFIF", ".jpg", "a picture (JPEG)"),
    (b"RIFF\x24\0\0\0WEBPVP8 ", ".webp", "a picture (WebP)"),
    (b"\0\0\0\x18ftypheic", ".heic", "a picture (HEIC)"),
    (b'<svg xmlns="x">', ".svg", "a web page (HTML or SVG)"),
    (b"\n<!DOCTYPE html><html>", ".html", "a web page (HTML or SVG)"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls", "an old Office document (.xls, .doc), or one locked"),
    (b"{\\rtf1 anna", ".rtf", "a text document (RTF)"),
    (b"SQLite format 3\0", ".db", "an SQLite database"),
    (b"$FL2@(#) SPSS", ".sav", "an SPSS file"),
    (b"7z\xbc\xaf\x27\x1c", ".7z", "a 7z archive"),
    (bytes(257) + b"ustar\0", ".tar", "a tar archive"),
    (archive("word/document.xml"), ".docx", "a Word document"),
    (archive("ppt/presentation.xml"), ".pptx", "a PowerPoint document"),
    (archive("mimetype", "content.xml"), ".ods", "a document of OpenOffice or LibreOffice"),
    (archive("ties.csv"), ".zip", "a zip archive"),
    (WHOLE, ".zip", "an Excel workbook"),
]


@pytest.mark.parametrize(("content", "suffix", "kind"), KINDS)
def test_a_file_without_a_network_is_called_what_it_is(
    tmp_path: Path, content: bytes, suffix: str, kind: str
) -> None:
    """Under its own suffix and under that of a table."""
    for name in (f"mine{suffix}", "mine.csv", "mine.xlsx"):
        file = tmp_path / name
        file.write_bytes(content)
        if name == "mine.xlsx" and content in (WHOLE, KINDS[8][0]):  # which its reader knows
            continue
        with pytest.raises(FileError) as caught:
            nv.read(file)
        told = str(caught.value)
        assert told.startswith(f"{file} is {kind}") and told.endswith(".") and "\n" not in told


def test_no_beginning_is_that_of_a_format() -> None:
    """Else a network would be refused."""
    starts = [start for place, starts, *_ in BEGINNINGS if not place for start in starts]
    for format_ in nv.files.FORMATS.values():
        for magic in format_.magic:
            assert not any(magic.startswith(start) or start.startswith(magic) for start in starts)
