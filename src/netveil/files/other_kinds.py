"""Files that hold no network: told by their first bytes, so that an error calls them what they are."""

from __future__ import annotations

import io
from zipfile import BadZipFile, ZipFile

from netveil.errors import FileError, option

_EXPORT = "Write the ties into a table, such as a .csv or .xlsx file, and give that"
_SAVE = "Save its table as a .csv or .xlsx file, and give that"
_UNPACK = "Unpack it, and give the file with the network"

BEGINNINGS: tuple[tuple[bytes, str, str], ...] = (
    (b"%PDF-", "a PDF document", _EXPORT),
    (b"{\\rtf", "a text document (RTF)", _EXPORT),
    (b"\x89PNG\r\n", "a picture (PNG)", _EXPORT),
    (b"\xff\xd8\xff", "a picture (JPEG)", _EXPORT),
    (b"GIF87a", "a picture (GIF)", _EXPORT),
    (b"GIF89a", "a picture (GIF)", _EXPORT),
    (b"II*\0", "a picture (TIFF)", _EXPORT),
    (b"MM\0*", "a picture (TIFF)", _EXPORT),
    (b"\xd0\xcf\x11\xe0", "an old Office document (.xls, .doc), or one locked by a password", _SAVE),
    (b"SQLite format 3\0", "an SQLite database", "Export the table of ties as a .csv file, and give that"),
    (b"$FL2", "an SPSS file", "Save it as a .csv file, and give that"),
    (b"$FL3", "an SPSS file", "Save it as a .csv file, and give that"),
    (b"<stata_dta>", "a Stata file", "Save it as a .csv file, and give that"),
    (b"RDX2\n", "an R workspace", "Save its table with write.csv, and give that"),
    (b"RDX3\n", "an R workspace", "Save its table with write.csv, and give that"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    (b"PK\x05\x06", "an empty zip archive", _UNPACK),
)

_IN_ZIPS = (
    ("word/", "a Word document", _EXPORT),
    ("ppt/", "a PowerPoint document", _EXPORT),
    ("content.xml", "a document of OpenOffice or LibreOffice", _SAVE),
    ("Index/", "a document of Numbers or Pages", _SAVE),
    ("", "a zip archive", _UNPACK),
)
"""What a zip archive is, by how the name of a file in it begins."""

LOOKED_AT = 512
_TAR = slice(257, 262)


def check_kind(content: bytes, file: str, format_name: str | None = None) -> None:
    """Raise if content is of a kind that holds no network; a workbook must be read as one."""
    told = _kind(content, format_name)
    if told is not None:
        kind, remedy = told
        raise FileError(f"{file} is {kind}, which holds no network that netveil can read. {remedy}.")


def _kind(content: bytes, format_name: str | None) -> tuple[str, str] | None:
    for beginning, kind, remedy in BEGINNINGS:
        if content.startswith(beginning):
            return kind, remedy
    start = content[:LOOKED_AT]
    if start.startswith(b"RIFF") and start[8:12] == b"WEBP":
        return "a picture (WebP)", _EXPORT
    if start[4:12] in (b"ftypheic", b"ftypheix", b"ftypmif1", b"ftypavif"):
        return "a picture (HEIC)", _EXPORT
    if start.startswith(b"BM") and start[6:10] == bytes(4):
        return "a picture (BMP)", _EXPORT
    if start[_TAR] == b"ustar":
        return "a tar archive", _UNPACK
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if text.startswith((b"<!doctype html", b"<html")):
        return "a web page (HTML)", "Download the file itself, and give that"
    if text.startswith(b"<svg"):
        return "a picture (SVG)", _EXPORT
    return _kind_of_zip(content, format_name) if content.startswith(b"PK\x03\x04") else None


def _kind_of_zip(content: bytes, format_name: str | None) -> tuple[str, str] | None:
    """What a zip archive is; None for a workbook that is read as one, and for a damaged archive."""
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
