"""What makes one doubt that a file was read as it was meant is said, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from netveil.files import read

PEOPLE = [f"p{u},p{v}" for u in range(12) for v in range(u + 1, 12)]


@pytest.mark.parametrize(
    ("lines", "oddity"),
    [
        (PEOPLE, None),
        (["name,born", *(f"p{u},19{u:02}-01-31" for u in range(30))], "column born holds dates"),
        (["name,height", *(f"p{u},1.{u:02}" for u in range(30))], "column height holds numbers"),
        (
            ["name,age", *(f"p{u},{u}" for u in range(30))],
            "column name texts and column age whole numbers hold",
        ),
        ([f"hub,p{u}" for u in range(1200)], "one person has 1,200 ties, and everybody else one or none"),
        (
            [f"p{2 * u},p{2 * u + 1}" for u in range(30)],
            "there are more people than ties: 60 people in 30 lines",
        ),
        ([*PEOPLE[:3], *["p1,p2"] * 40], "39 ties of 43 are repeats of others"),
        ([*PEOPLE, "#p1,p3"], "1 line that starts with # or % was taken for comments, and may be ties"),
        ([f"{1_700_000_000 + n},{n % 7}" for n in range(30)], "column 1 may hold times"),
    ],
)
def test_oddities_are_told(lines: list[str], oddity: str | None, tmp_path: Path) -> None:
    """One for each file of these, and none for an ordinary one."""
    file = tmp_path / "contacts.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    reading = read(file).reading

    assert reading is not None
    assert bool(reading.oddities) == (oddity is not None)
    assert oddity is None or any(told.startswith(oddity) for told in reading.oddities)
