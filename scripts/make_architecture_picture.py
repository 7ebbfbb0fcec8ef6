"""Draws docs/architecture.svg: the parts of netveil in their order, and which of them import which.

python scripts/make_architecture_picture.py

Parts, order and imports are those of tests/test_imports.py; the sentence in each box is the first of the
part's docstring. An import that others imply (a part imports another one that imports it) is drawn lightly.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "tests"))

from test_imports import LAYERS, LEVEL, MODULES, PACKAGE, part_of, parts_imported, tree_of  # noqa: E402

PICTURE = ROOT / "docs" / "architecture.svg"
LEFT, BOX_WIDTH, WIDTH = 20, 530, 960
BOX_HEIGHT, GAP, LAYER_GAP = 44, 8, 22
STYLE = """\
text { font: 12px sans-serif; fill: #444 }
text.name { font: bold 14px monospace; fill: #111 }
rect.folder { fill: #eef3fa; stroke: #4a6fa5 }
rect.module { fill: #f6f6f6; stroke: #999 }
path { fill: none; stroke: #1f4e8c; stroke-width: 1.3; marker-end: url(#head) }
path.implied { stroke: #c9d3e0; stroke-width: 1; marker-end: url(#light) }
path:hover { stroke: #c0392b; stroke-width: 3 }"""
HEADS = {"head": "#1f4e8c", "light": "#c9d3e0"}  # of arrows, with their colours
HEAD = (
    '<marker id="{name}" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<polygon points="0,0 8,4 0,8" fill="{colour}"/></marker>'
)

Import = tuple[str, str]  # the part that imports, and what it imports


def imports_between_parts() -> set[Import]:
    """All imports between parts but the first row, which serves all and imports others for types only."""
    found = {
        (part_of(module), imported) for module in MODULES for imported in parts_imported(tree_of(module))
    }
    return {pair for pair in found if pair[0] != pair[1] and all(LEVEL[part] > 0 for part in pair)}


def implied(imports: set[Import]) -> set[Import]:
    """The imports for which there is also a way through another part."""
    direct: dict[str, set[str]] = {part: set() for part in LEVEL}
    for part, imported in imports:
        direct[part].add(imported)

    def below(part: str) -> set[str]:
        return direct[part].union(*(below(imported) for imported in direct[part]))

    return {
        (part, imported)
        for part, imported in imports
        if any(imported in below(other) for other in direct[part])
    }


def first_sentence(part: str) -> str:
    """What a part says about itself."""
    file = PACKAGE / part / "__init__.py" if (PACKAGE / part).is_dir() else PACKAGE / f"{part}.py"
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    sentence = re.match(r".*?[.?](?=\s|$)", docstring, flags=re.DOTALL)
    return "" if sentence is None else " ".join(sentence.group().replace("`", "").split())


def tops() -> dict[str, int]:
    """Where the box of each part begins: what imports stands above what is imported."""
    found, top = {}, 20
    for layer in reversed(LAYERS[1:]):
        for part in sorted(layer):
            found[part] = top
            top += BOX_HEIGHT + GAP
        top += LAYER_GAP - GAP
    return found


def box(name: str, sentence: str, top: int, kind: str) -> Iterator[str]:
    """A rectangle with a name and a sentence, in two lines if need be."""
    yield (
        f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"/>'
        f'<text class="name" x="{LEFT + 10}" y="{top + BOX_HEIGHT // 2 + 5}">{escape(name)}</text>'
    )
    lines = textwrap.wrap(sentence, 60)
    first = top + BOX_HEIGHT // 2 + 4 - 8 * (len(lines) - 1)
    for number, line in enumerate(lines):
        yield f'<text x="{LEFT + 145}" y="{first + 16 * number}">{escape(line)}</text>'


def arcs(imports: set[Import], top: dict[str, int]) -> Iterator[str]:
    """A curve for each import, from the lower half of one box to the upper half of another."""
    light = implied(imports)
    out_of: dict[str, list[str]] = {part: [] for part in top}
    into: dict[str, list[str]] = {part: [] for part in top}
    # The nearest leave lowest and arrive lowest, so that curves of one box do not cross.
    for part, imported in sorted(imports, key=lambda pair: top[pair[1]] - top[pair[0]], reverse=True):
        out_of[part].append(imported)
        into[imported].append(part)
    right = LEFT + BOX_WIDTH
    farthest = max(top[imported] - top[part] for part, imported in imports)
    for part, imported in sorted(imports, key=lambda pair: (pair not in light, pair)):
        start = top[part] + _place(out_of[part].index(imported), len(out_of[part]), BOX_HEIGHT // 2)
        end = top[imported] + _place(into[imported].index(part), len(into[imported]), 0)
        # The longer, the farther out; a curve reaches three quarters of the way to its handles.
        handle = right + 4 * (40 + (WIDTH - right - 60) * (end - start) // farthest) // 3
        yield (
            f'<path class="{"implied" if (part, imported) in light else "direct"}" '
            f'd="M{right} {start}C{handle} {start} {handle} {end} {right + 6} {end}">'
            f"<title>{part} imports {imported}</title></path>"
        )


def _place(index: int, count: int, half: int) -> int:
    """Of one of several arrows in a half of a box."""
    return half + (index + 1) * (BOX_HEIGHT // 2) // (count + 1)


def picture() -> str:
    """The whole picture; the same bytes for the same imports."""
    top = tops()
    bottom = max(top.values()) + BOX_HEIGHT + LAYER_GAP
    height = bottom + BOX_HEIGHT + 20
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
        "<title>The parts of netveil, and which of them import which</title>",
        f"<style>\n{STYLE}\n</style>",
        *(HEAD.format(name=name, colour=colour) for name, colour in HEADS.items()),
        '<rect width="100%" height="100%" fill="white"/>',
        *arcs(imports_between_parts(), top),
    ]
    for part, place in top.items():
        is_folder = (PACKAGE / part).is_dir()
        name, kind = (f"{part}/", "folder") if is_folder else (f"{part}.py", "module")
        lines += box(name, first_sentence(part), place, kind)
    lines += box("", f"Used by all of the above: {', '.join(sorted(LAYERS[0]))}", bottom, "module")
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
