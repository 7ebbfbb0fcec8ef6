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
from netveil.formatting import counted, percentage

DEPOSIT = ("README.md", "datapackage.json", "datacite.json")
FILL_IN = "(fill in)"

ABOUT_KEYS = {
    "netveil": "version of netveil that made the files",
    "kind": "deletion: ties were deleted on purpose; synthetic: all ties are made up",
    "about": "what was done, in words",
    "measure": "what the attacker is taken to know of a person",
    "distance": "how far around a person this knowledge reaches",
    "fuzzy": "share by which numbers that the attacker knows may be off",
    "twins": "whether people with the same contacts count as one lookalike",
    "k": "people with fewer than k lookalikes, themselves included, count as at risk",
    "budget_share": "upper bound on the share of ties that might be deleted",
    "anonymity": "people in the network; how many of them are at risk, and unique, in the published network",
    "copies": "networks that were drawn",
    "utility": "figures of the published network; edges_deleted is an upper bound",
}
"""What the entries of about.json mean."""

DELETED = (
    "Ties were **deleted on purpose**, at most {share} of them, so that few people can be told apart by "
    "their contacts. Which ones is not published: a tie that is missing here may exist."
)
MADE_UP = (
    "**All ties are made up.** They were drawn from a table in which each row stands for at least {k} "
    "people. Statistics of the whole network are kept; a tie that is here need not exist, and says nothing "
    "about two people."
)
NOT_TO_DO = (
    "Do not try to find out who somebody is, and do not link the files with other data about people.",
    "Do not take two releases of this network together: what one hides, the other may tell.",
    "Do not read a single tie, or a tie that is missing, as a fact about two people.",
)


def write_deposit(public: Path, about: Mapping[str, Any], attributes: Attributes, licence: str = "") -> None:
    """Write the three files beside the published networks that are in a folder."""
    networks = sorted(public.glob("network*.*"), key=lambda file: (len(file.stem), file.name))
    codebook = {file.name: columns_of(file, attributes) for file in networks}
    if nodes := sorted(public.glob("nodes.*")):
        codebook |= {file.name: [("node", "published number of a person, each once")] for file in nodes}
    texts = (
        readme(about, codebook, licence),
        _json(datapackage(public, codebook, licence)),
        _json(datacite(about, licence)),
    )
    for name, text in zip(DEPOSIT, texts, strict=True):
        write_new(text.encode(errors="backslashreplace"), public / name, private=False)


def sha256_of(public: Path) -> dict[str, str]:
    """SHA-256 of each file in a public folder, by name."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(public.iterdir())}


# A zip as export desks want it: all that is public, and a checklist.


NOON = (1980, 1, 1, 12, 0, 0)  # of every file: when it was written is nobody's business
CHECKLIST = "CHECKLIST.md"
TO_CHECK = (
    "A second person has recomputed the claims: `netveil verify RELEASE --original FILE`.",
    "The page to sign is signed by two people, and kept with `private/`.",
    "No other release of this network is published, or will be.",
    "Licence and conditions are those of the decision.",
)
"""What only people can check."""


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
    if (found := find_release(folder)) is None:
        raise FileError(f"{folder} is not a release folder. Give the folder that netveil wrote.")
    target, public = Path(file), found.network.parent
    check_plain(public.parent, [public.name])
    contents = {each.name: bounded_bytes(each) for each in sorted(public.iterdir()) if each.is_file()}
    packed = io.BytesIO()
    try:
        files = {CHECKLIST: checklist(contents).encode(), **contents}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise FileError(f"{public / 'about.json'} is damaged. Make the release again.") from None
    write_zip(packed, ((f"public/{name}", content) for name, content in files.items()))
    try:
        write_whole(packed.getvalue(), target, new=True)
    except FileExistsError:
        raise FileError(
            f"{target} exists already; give the zip another name{on_command_line(' (--zip)')}."
        ) from None
    except OSError as error:
        raise FileError(
            f"{target} cannot be written: {error.strerror}. Give another place{on_command_line(' (--zip)')}."
        ) from None
    return target


def checklist(contents: Mapping[str, bytes]) -> str:
    """Checklist of published files for whoever lets them out: what is in them, and what is left to do."""
    about = json.loads(contents["about.json"])
    people, ties = about["anonymity"]["nodes"], about["utility"]["edges_published"]
    made = "all ties are made up" if about["kind"] == "synthetic" else "ties were deleted on purpose"
    at_risk = about["anonymity"].get("at_risk_after")
    left = "" if at_risk is None else f"; people with fewer than {about['k']} lookalikes: {at_risk:,}"
    unfilled = {name: contents.get(name, b"").count(FILL_IN.encode()) for name in DEPOSIT}
    lines = [
        "# Checklist",
        "",
        f"- [x] {counted(people, 'person', 'people')} and {counted(ties, 'tie')}; {made}, "
        f"k = {about['k']}{left}.",
        f"- [x] {counted(len(contents), 'file')}, all listed below; nothing of `private/`.",
        *(
            f"- [{' ' if left_open else 'x'}] `{name}`: {counted(left_open, 'place')} left to fill in."
            for name, left_open in unfilled.items()
        ),
        *(f"- [ ] {sentence}" for sentence in TO_CHECK),
        "",
        "| file | bytes | SHA-256 |",
        "|---|---|---|",
        *(
            f"| {name} | {len(content):,} | {hashlib.sha256(content).hexdigest()} |"
            for name, content in contents.items()
        ),
    ]
    return "\n".join([*lines, ""])


def columns_of(network: Path, attributes: Attributes) -> list[tuple[str, str]]:
    """Columns of a published network, or what stands for them in its format, with what they mean."""
    ends = [("source", "a person, by published number"), ("target", "another person, tied to the first")]
    people = [(name, "attribute of a person, as published") for name in attributes.node]
    ties = [(name, "attribute of a tie, as published") for name in attributes.edge]
    return [*ends, *people, *ties]


def readme(about: Mapping[str, Any], codebook: Mapping[str, Sequence[tuple[str, str]]], licence: str) -> str:
    """What was done, how to cite it, what not to do with it, and what each file and column is."""
    people, ties = about["anonymity"]["nodes"], about["utility"]["edges_published"]
    if about["kind"] == "synthetic":
        done = MADE_UP.format(k=about["k"])
    else:
        done = DELETED.format(share=percentage(about["utility"]["edges_deleted"]))
    lines = [
        f"# {FILL_IN}: title of the network",
        "",
        f"A network of {counted(people, 'person', 'people')} and {counted(ties, 'tie')}, made safe to "
        f"publish with netveil {about['netveil']}.",
        "",
        "## What was done",
        "",
        done,
        "",
        "Ties have no direction: where the data had one, it was left out. Repeated ties are one tie, "
        "and ties of a person with themselves were left out. Numbers of people are in random order and "
        "mean nothing.",
        "",
        "## How to cite",
        "",
        f"{FILL_IN}: creators, year, title, repository, DOI.",
        "",
        "## What not to do",
        "",
        *(f"- {sentence}" for sentence in NOT_TO_DO),
        "",
        "## Licence",
        "",
        licence or f"{FILL_IN}: licence.",
        "",
        "## Codebook",
        "",
    ]
    for file, columns in codebook.items():
        lines += [f"`{file}` ({_format_name(file)})", "", "| column | meaning |", "|---|---|"]
        lines += [f"| {_cell(name)} | {meaning} |" for name, meaning in columns] + [""]
    lines += ["`about.json`", "", "| entry | meaning |", "|---|---|"]
    lines += [f"| {name} | {meaning} |" for name, meaning in ABOUT_KEYS.items() if name in about]
    return "\n".join([*lines, "", "`datapackage.json`, `datacite.json`: the same for machines.", ""])


def datapackage(
    public: Path, codebook: Mapping[str, Sequence[tuple[str, str]]], licence: str
) -> dict[str, Any]:
    """Frictionless data package of the published files."""
    resources = []
    for file, columns in codebook.items():
        content, suffix = (public / file).read_bytes(), Path(file).suffix[1:]
        is_table = suffix in ("csv", "tsv")
        resources.append(
            {
                "name": file.partition(".")[0],
                "path": file,
                "format": suffix,
                "bytes": len(content),
                "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
                **({"profile": "tabular-data-resource"} if is_table else {}),
                "schema": {"fields": [{"name": name, "description": meaning} for name, meaning in columns]},
            }
        )
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


def _format_name(file: str) -> str:
    return "table of people" if file.startswith("nodes.") else format_of(file).name


def _cell(text: str) -> str:
    """A name in a table of Markdown, whatever it holds."""
    return " ".join(text.replace("|", "\\|").split())


def _json(record: Mapping[str, Any]) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
