"""Files that hold no network: told by their first bytes, so that an error calls them what they are."""

from __future__ import annotations

import io
from zipfile import BadZipFile, ZipFile

from netveil.errors import FileError, option
from netveil.files.storage import Content, in_memory

_EXPORT = "Write the ties into a table, such as a .csv or .xlsx file, and give that"
_SAVE = "Save its table as a .csv or .xlsx file, and give that"
_UNPACK = "Unpack it, and give the file with the network"
_TO_CSV = "Save its table as a .csv file, and give that"

BEGINNINGS: tuple[tuple[int, tuple[bytes, ...], str, str], ...] = (
    (8, (b"WEBP",), "a picture (WebP)", _EXPORT),
    (0, (b"%PDF-",), "a PDF document", _EXPORT),
    (0, (b"{\\rtf",), "a text document (RTF)", _EXPORT),
    (0, (b"\x89PNG\r\n",), "a picture (PNG)", _EXPORT),
    (0, (b"\xff\xd8\xff",), "a picture (JPEG)", _EXPORT),
    (0, (b"GIF87a", b"GIF89a"), "a picture (GIF)", _EXPORT),
    (0, (b"II*\0", b"MM\0*"), "a picture (TIFF)", _EXPORT),
    (4, (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"), "a picture (HEIC)", _EXPORT),
    (0, (b"\xd0\xcf\x11\xe0",), "an old Office document (.xls, .doc), or one locked by a password", _SAVE),
    (0, (b"SQLite format 3\0",), "an SQLite database", _TO_CSV),
    (0, (b"$FL2", b"$FL3"), "an SPSS file", _TO_CSV),
    (0, (b"<stata_dta>",), "a Stata file", _TO_CSV),
    (0, (b"RDX2\n", b"RDX3\n"), "an R workspace", "Save its table with write.csv, and give that"),
    (0, (b"7z\xbc\xaf\x27\x1c",), "a 7z archive", _UNPACK),
    (0, (b"Rar!\x1a\x07",), "a RAR archive", _UNPACK),
    (0, (b"PK\x05\x06",), "an empty zip archive", _UNPACK),
    (257, (b"ustar",), "a tar archive", _UNPACK),
)
"""Kinds of files: where which bytes stand in them, what they are called, and what to do instead."""

_IN_ZIPS = (
    ("word/", "a Word document", _EXPORT),
    ("ppt/", "a PowerPoint document", _EXPORT),
    ("content.xml", "a document of OpenOffice or LibreOffice", _SAVE),
    ("Index/", "a document of Numbers or Pages", _SAVE),
    ("", "a zip archive", _UNPACK),
)
"""Kinds of zip archives, by how the name of a file in them begins."""

LOOKED_AT = 512


def check_kind(content: Content, file: str, format_name: str | None = None) -> None:
    """Raise if content is of a kind that holds no network; a workbook must be read as one."""
    beginning = content[0:LOOKED_AT]
    if beginning.startswith(b"PK\x03\x04"):
        told = _kind_of_zip(in_memory(content), format_name)
    else:
        told = _kind(beginning)
    if told is not None:
        kind, remedy = told
        raise FileError(f"{file} is {kind}, which holds no network that netveil can read. {remedy}.")


def _kind(beginning: bytes) -> tuple[str, str] | None:
    for place, found, kind, remedy in BEGINNINGS:
        if beginning.startswith(found, place):
            return kind, remedy
    text = beginning.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html", b"<svg")):
        return "a web page (HTML or SVG)", "Download the file itself, and give that"
    return None


def _kind_of_zip(content: bytes, format_name: str | None) -> tuple[str, str] | None:
    """Kind of a zip archive; None for a workbook that is read as one, and for a damaged archive."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return None
    if any(name.startswith("xl/") for name in names):
        told = "an Excel workbook", f"Give {option('format', 'xlsx')}, or call it .xlsx"
        return None if format_name == "xlsx" else told
    return next(
        (kind, remedy) for start, kind, remedy in _IN_ZIPS if any(name.startswith(start) for name in names)
    )
