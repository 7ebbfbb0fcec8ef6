"""Numbers in words that fit one and many, and durations, as messages and pages say them."""

from __future__ import annotations


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number of things.

    >>> counted(1, "run"), counted(2000, "edge line"), counted(0, "match", "matches")
    ('1 run', '2,000 edge lines', '0 matches')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def are(count: int) -> str:
    """The verb that follows a number of things.

    >>> [f"{counted(runs, 'run')} {are(runs)} missing" for runs in (1, 2)]
    ['1 run is missing', '2 runs are missing']
    """
    return "is" if count == 1 else "are"


def duration(seconds: float) -> str:
    """A time that something takes, as exactly as people want to know it.

    >>> duration(0.00002), duration(0.03), duration(3.2), duration(200), duration(10_000)
    ('20 µs', '30 ms', '3 s', '3 min', '2 h 47 min')
    """
    if seconds < 1:
        return f"{1e6 * seconds:.0f} µs" if seconds < 0.001 else f"{1e3 * seconds:.0f} ms"
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
