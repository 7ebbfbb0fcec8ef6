"""Stories of the site run from first to last line; `make docs` runs them as notebooks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages import ROOT

STORIES = sorted(path for path in (ROOT / "docs" / "tutorials").glob("*.md") if path.stem != "index")
_CELL = re.compile(r"^```\{code-cell\} python\n(?:---\n(?:.*\n)*?---\n)?((?:.*\n)*?)```$", flags=re.MULTILINE)


def code_of(story: Path) -> str:
    """Cells of a story, one below the other; those that only the site needs are left out."""
    cells = _CELL.findall(story.read_text(encoding="utf-8"))
    return "\n".join(cell for cell in cells if ":tags: [remove-cell]" not in cell)


def test_there_are_six_stories_and_the_gallery_shows_each() -> None:
    """With its picture, which has a text for those who do not see it."""
    gallery = (ROOT / "docs" / "tutorials" / "index.md").read_text(encoding="utf-8")

    assert len(STORIES) == 6
    for story in STORIES:
        assert f"{{glue}} {story.stem}\n:doc: {story.name}\n" in gallery
        assert "    alt: " in story.read_text(encoding="utf-8")
        compile(code_of(story), story.name, "exec")


@pytest.mark.thorough
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.stem)
def test_a_story_runs(story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty folder, with as long a search as the tests have."""
    matplotlib = pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    exec(compile(code_of(story), story.name, "exec"), {"__name__": story.stem})
