"""The files of the page: those that are there when the server starts, and no others."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "page"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}


def page_files(folder: Path = FOLDER) -> dict[str, tuple[Path, str]]:
    """Every file of the page by its path below the folder, with its type."""
    return {
        path.relative_to(folder).as_posix(): (path, TYPES[path.suffix])
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in TYPES and not path.name.startswith(".")
    }
