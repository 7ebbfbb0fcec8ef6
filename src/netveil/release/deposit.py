"""Files that a repository asks for beside a published network: README.md, datapackage.json, datacite.json.

They are made of what is in public/ already, the names of published attributes and the licence, so nothing in
them tells of the original. FILL_IN stands where only people know what to write.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from netveil.attributes import Attributes
from netveil.errors import FileError, on_command_line
from netveil.files import find_release, format_of
from netveil.files.read_write import check_plain
from netveil.files.storage import bounded_bytes, write_new, write_whole
from netveil.release.records import DAMAGE, damaged
from netveil.report.page import render_text

DEPOSIT = ("README.md", "datapackage.json", "datacite.json")
FILL_IN = "(fill in)"
Codebook = Mapping[str, Sequence[tuple[str, str]]]
"""Columns of each published file, or what stands for them in its format, with what they mean."""


def write_deposit(public: Path, about: Mapping[str, Any], attributes: Attributes, licence: str = "") -> None:
    """Write the three files beside the published networks that are in a folder."""
    columns = [
        ("source", "a person, by published number"),
        ("target", "another person, tied to the first"),
        *((name, "attribute of a person, as published") for name in attributes.node),
        *((name, "attribute of a tie, as published") for name in attributes.edge),
    ]
    networks = sorted(public.glob("network*.*"), key=lambda file: (len(file.stem), file.name))
    codebook: Codebook = {file.name: columns for file in networks} | {
        file.name: [("node", "published number of a person, each once")] for file in public.glob("nodes.*")
    }
    formats = {
        file: "table of people" if file.startswith("nodes.") else format_of(file).name for file in codebook
    }
    readme = render_text(
        "readme.md", about=about, codebook=codebook, formats=formats, licence=licence, fill_in=FILL_IN
    )
    records = datapackage(public, codebook, licence), datacite(about, licence)
    texts = [readme, *(json.dumps(each, indent=2, ensure_ascii=False) + "\n" for each in records)]
    for name, text in zip(DEPOSIT, texts, strict=True):
        write_new(text.encode(errors="backslashreplace"), public / name, private=False)


def sha256_of(public: Path) -> dict[str, str]:
    """SHA-256 of each file in a public folder, by name."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(public.iterdir())}


def datapackage(public: Path, codebook: Codebook, licence: str) -> dict[str, Any]:
    """Frictionless data package of the published files."""
    digests = sha256_of(public)
    resources = [
        {
            "name": file.partition(".")[0],
            "path": file,
            "format": Path(file).suffix[1:],
            "bytes": (public / file).stat().st_size,
            "hash": f"sha256:{digests[file]}",
            **({"profile": "tabular-data-resource"} if file.endswith((".csv", ".tsv")) else {}),
            "schema": {"fields": [{"name": name, "description": meaning} for name, meaning in columns]},
        }
        for file, columns in codebook.items()
    ]
    return {
        "profile": "data-package",
        "name": "network",
        "title": FILL_IN,
        "description": "See README.md.",
        "licenses": [{"name": licence or FILL_IN}],
        "contributors": [{"title": FILL_IN}],
        "resources": [*resources, {"name": "about", "path": "about.json", "format": "json"}],
    }


def datacite(about: Mapping[str, Any], licence: str) -> dict[str, Any]:
    """Metadata as DataCite asks for, with the fields that people fill in."""
    made = "drawn from a table; all ties are made up" if about["kind"] == "synthetic" else "ties were deleted"
    return {
        "titles": [{"title": FILL_IN}],
        "creators": [{"name": FILL_IN}],
        "publisher": FILL_IN,
        "publicationYear": FILL_IN,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Social network"},
        "rightsList": [{"rights": licence or FILL_IN}],
        "descriptions": [
            {"description": f"Anonymized with netveil: {made}.", "descriptionType": "Methods"},
            {"description": FILL_IN, "descriptionType": "Abstract"},
        ],
    }


# A zip as export desks want it: all that is public, and a checklist.


NOON = (1980, 1, 1, 12, 0, 0)  # of every file: when it was written is nobody's business


def write_zip(target: IO[bytes], files: Iterable[tuple[str, bytes]]) -> None:
    """Write files by their names to a zip that tells nothing else: no times, no owner."""
    from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, content in files:
            entry = ZipInfo(name, NOON)
            entry.create_system, entry.external_attr = 3, 0o600 << 16
            archive.writestr(entry, content, ZIP_DEFLATED)


def zip_deposit(folder: str | Path, file: str | Path) -> Path:
    """Write public/ of a release and a checklist to a new zip; the same files make the same zip."""
    from jinja2 import TemplateError

    if (found := find_release(folder)) is None:
        raise FileError(f"{folder} is not a release folder. Give the folder that netveil wrote.")
    target, public, packed = Path(file), found.network.parent, io.BytesIO()
    check_plain(public.parent, [public.name])
    contents = {each.name: bounded_bytes(each) for each in sorted(public.iterdir()) if each.is_file()}
    try:
        checklist = _checklist(contents)
    except (*DAMAGE, TemplateError):
        raise damaged(public / "about.json", "it lacks what a release says") from None
    files = {"CHECKLIST.md": checklist.encode(), **contents}
    write_zip(packed, ((f"public/{name}", content) for name, content in files.items()))
    try:
        write_whole(packed.getvalue(), target, new=True)
    except OSError as error:
        exists = isinstance(error, FileExistsError)
        why = "exists already" if exists else f"cannot be written: {error.strerror}"
        raise FileError(f"{target} {why}. Give another name or place{on_command_line(' (--zip)')}.") from None
    return target


def _checklist(contents: Mapping[str, bytes]) -> str:
    """Checklist of published files for whoever lets them out: what is in them, and what is left to do."""
    return render_text(
        "checklist.md",
        about=json.loads(contents["about.json"]),
        unfilled={name: contents.get(name, b"").count(FILL_IN.encode()) for name in DEPOSIT},
        files=[
            (name, len(content), hashlib.sha256(content).hexdigest()) for name, content in contents.items()
        ],
    )
