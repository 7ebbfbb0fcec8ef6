"""The one place that formats numbers and words: counts, durations, figures, shares, tables, cells, HTML.

A figure that stands in two places must read the same in both (terminal, report, page to sign, notebook), so
nobody else decides about digits. The page of `netveil web` has its own copy (`web/page/js/numbers.js`); a
test holds the two together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from html import escape
from math import isfinite
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

from netveil.errors import SettingError, needing

if TYPE_CHECKING:
    import pandas


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Say how many things there are.

    >>> counted(1, "run"), counted(2000, "edge line"), counted(0, "match", "matches")
    ('1 run', '2,000 edge lines', '0 matches')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def are(count: int) -> str:
    """Verb that follows a number of things.

    >>> [f"{counted(runs, 'run')} {are(runs)} missing" for runs in (1, 2)]
    ['1 run is missing', '2 runs are missing']
    """
    return "is" if count == 1 else "are"


def duration(seconds: float) -> str:
    """Say how long something takes, as exactly as people want to know it.

    >>> duration(0.00002), duration(0.03), duration(3.2), duration(200), duration(10_000)
    ('20 µs', '30 ms', '3 s', '3 min', '2 h 47 min')
    """
    if seconds < 1:
        return f"{1e6 * seconds:.0f} µs" if seconds < 0.001 else f"{1e3 * seconds:.0f} ms"
    minutes = round(seconds / 60)
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def memory_size(size: int) -> str:
    """Format a number of bytes.

    >>> memory_size(31_400_000_000), memory_size(240_000_000)
    ('31.4 GB', '240 MB')
    """
    return f"{size / 1e9:.1f} GB" if size >= 10**9 else f"{size / 1e6:.0f} MB"


MISSING = "–"  # for a figure that does not exist
ALL_DIGITS = Context(prec=400, rounding=ROUND_HALF_UP)  # enough for every float


class PeopleFound(NamedTuple):
    """People found of the people looked for, in whole people; every front shows these figures.

    Attackers are tried several times, so counts are means. Whatever is shown is derived from the rounded
    counts, so that everybody who divides one by the other gets the percentage beside them.
    """

    found: int
    people: int  # looked for

    @classmethod
    def of_means(cls, found: float, people: float) -> PeopleFound:
        """Round two means; nobody and everybody are said only where it is always so.

        >>> [str(PeopleFound.of_means(found, 400)) for found in (237.667, 399.667, 400, 0.333, 0)]
        ['238 of 400', '399 of 400', '400 of 400', '1 of 400', '0 of 400']
        """
        whole, all_people = round(found), round(people)
        if 0 < found < people:
            whole = max(1, min(whole, all_people - 1))
        return cls(whole, all_people)

    @property
    def fraction(self) -> float:
        """The share as a number; 0 where nobody is looked for."""
        return self.found / self.people if self.people else 0.0

    @property
    def share(self) -> str:
        """The share in per cent, as text."""
        return percentage(self.found, self.people)

    def __str__(self) -> str:
        return f"{self.found:,} of {self.people:,}"


def percentage(part: float | None, whole: float = 1, *, signed: bool = False) -> str:
    """Format a part of a whole in per cent: two decimals, one from 10% on, and never 0% for what is more.

    >>> percentage(741, 1000), percentage(0.0483), percentage(0.001), percentage(3, 1_000_000)
    ('74.1%', '4.83%', '0.10%', '0.0003%')
    >>> percentage(1), percentage(0), percentage(-0.0647, signed=True), percentage(1, 0), percentage(113, 400)
    ('100.0%', '0.00%', '-6.47%', '–', '28.3%')
    """
    if part is None or not whole:
        return MISSING
    share = 100 * part / whole
    if 0 < abs(share) < 0.005:
        text = _in_full(share, digits=1)
    else:
        text = str(_rounded(share, 1 if abs(share) >= 9.995 else 2))
    return f"{'+' if signed and share > 0 else ''}{text}%"


def figure(value: float | None, *, signed: bool = False) -> str:
    """Format a figure: whole numbers in full, others to four decimals, small ones to three digits.

    >>> figure(16654), figure(2.47661), figure(1.0), figure(0.0000312), figure(None)
    ('16,654', '2.4766', '1.0000', '0.0000312', '–')
    >>> figure(3, signed=True), figure(-0.0588, signed=True)
    ('+3', '-0.0588')
    """
    if value is None:
        return MISSING
    if isinstance(value, int):
        text = f"{value:,}"
    else:
        text = _in_full(value, digits=3) if 0 < abs(value) < 0.001 else f"{_rounded(value, 4):,}"
    return f"+{text}" if signed and value > 0 else text


def change(difference: float | None, relative: float | None = None) -> str:
    """Format a change: as a share of the figure before, unless that is 0 or the share is above 100%.

    >>> change(-805, -0.0483), change(3, 3.0), change(0.0588), change(0), change(None)
    ('-4.83%', '+3', '+0.0588', 'same', '–')
    """
    if difference is None:
        return MISSING
    if difference == 0:
        return "same"
    if relative is not None and abs(relative) <= 1:
        return percentage(relative, signed=True)
    return figure(difference, signed=True)


def seconds(duration: float) -> str:
    """Format how long a search took: the same text from the search and, to a millisecond, from a file.

    >>> seconds(12.345), seconds(0.2500004), seconds(0.25)
    ('12.3 s', '0.2 s', '0.2 s')
    """
    return f"{round(duration, 3):,.1f} s"


def _rounded(value: float, decimals: int) -> Decimal | float:
    """Round to so many decimals, halves away from zero, which is how browsers round.

    Python's own format takes halves to the even digit: the report would say 28.2% and the page 28.3%.
    """
    if not isfinite(value):
        return value
    return Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=ALL_DIGITS)


def _in_full(value: float, digits: int) -> str:
    """Format a small number to so many significant digits, as a decimal: not everybody knows e-05."""
    return format(Decimal(f"{value:.{digits}g}"), "f")


def in_columns(rows: Sequence[Sequence[str]], left: int = 1, gap: str = "  ") -> list[str]:
    """Align cells for a terminal, a line a row: the first `left` columns flush left, others flush right.

    >>> in_columns([["", "before", "after"], ["edges", "78", "75"], ["nodes", "34", "34"]])
    ['       before  after', 'edges      78     75', 'nodes      34     34']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


Share = str | int | float | Fraction
"""Share as people give it: '1%', '0.01' or 0.01; read exactly, for 0.29 is no floating-point number."""

# 1e999999999 is a number, and takes as long as its digits to write out exactly.
_HUGE_EXPONENT = re.compile(r"e[+-]?\d{4}", re.IGNORECASE)


def parsed_number(given: Share, what: str, rule: str) -> Fraction:
    """Parse a number that a user gave; a SettingError names `what` it is for and tells the `rule`.

    A floating-point number means the shortest decimal that gives it.

    >>> parsed_number(0.07, "budget", "give a share."), parsed_number("0.5%", "budget", "give a share.")
    (Fraction(7, 100), Fraction(1, 200))
    """
    text = str(given).strip()
    try:
        if isinstance(given, bool) or _HUGE_EXPONENT.search(text):
            raise ValueError
        value = Fraction(text.removesuffix("%").strip())
    except (ValueError, ZeroDivisionError):
        raise SettingError(f"{what} '{text}' is not a number; {rule}") from None
    return value / 100 if text.endswith("%") else value


def parsed_share(given: Share, what: str, rule: str, *, above_zero: bool = False) -> Fraction:
    """Parse a share from 0% to 100% that a user gave; with `above_zero`, 0% is not one.

    >>> parsed_share("5%", "fuzzy", "give a share from 0% to 100%.")
    Fraction(1, 20)
    """
    share = parsed_number(given, what, rule)
    if not 0 <= share <= 1 or (above_zero and share == 0):
        raise SettingError(f"{what} {str(given).strip()} is not a share; {rule}")
    return share


def percent(share: Fraction) -> str:
    """Format a share as text that `parsed_number` reads back.

    >>> percent(Fraction(1, 200))
    '0.5%'
    """
    return f"{float(100 * share):.12g}%"


# Private tables as CSV: no spreadsheet takes a name in them for a formula, and every name reads back right.
#
# A cell that begins with = + - @, a tab or a line end is run as a formula by spreadsheets, and it may be
# anybody's name: it gets an apostrophe in front, as spreadsheets themselves mark a text. A number is no
# formula. A name that begins with apostrophes before such a character gets one more, so that taking one
# away gives back all names.


_RUN = re.compile("'*+[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"'*+[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
_TO_QUOTE = re.compile('[,;\t"\r\n]|^ | $')  # some spreadsheets split at semicolons and tabs too


def defused(text: str) -> str:
    """Write a text for a cell.

    >>> [defused(text) for text in ("anna", "=1+1", "-5", "'=x", "'t Hooft")]
    ['anna', "'=1+1", '-5', "''=x", "'t Hooft"]
    """
    return f"'{text}" if _would_run(text) else text


def text_in(cell: str) -> str:
    """Read back the text that `defused` put into a cell.

    >>> [text_in(cell) for cell in ("anna", "'=1+1", "-5", "''=x", "'t Hooft")]
    ['anna', '=1+1', '-5', "'=x", "'t Hooft"]
    """
    return cell[1:] if cell.startswith("'") and _would_run(cell) else cell


def csv_table(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Write a table with a header; None is left empty."""
    return "".join(f"{','.join(map(_cell, row))}\n" for row in (columns, *rows))


def _would_run(text: str) -> bool:
    return _RUN.match(text) is not None and _NUMBER.fullmatch(text) is None


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = str(value) if isinstance(value, Number) else defused(str(value))
    return '"' + text.replace('"', '""') + '"' if _TO_QUOTE.search(text) else text


def table_of(rows: Iterable[Mapping[str, Any]], columns: list[str] | None = None) -> pandas.DataFrame:
    """Table of pandas with these rows."""
    with needing("pandas", "a table"):
        import pandas

    return pandas.DataFrame(list(rows), columns=columns)


MOST_ROWS = 30
"""A notebook is to be read: longer tables are cut, and say so."""


def html_view(
    sentence: str = "",
    header: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
    remarks: Iterable[str] = (),
) -> str:
    """Show a result in a notebook: a sentence, a small table, remarks. Everything is escaped.

    >>> html_view("2 < 3", ["round", "people"], [["1", "15"]], ["so"])
    '<p>2 &lt; 3</p><table><tr><th>round</th><th>people</th></tr><tr><td>1</td><td>15</td></tr></table><ul><li>so</li></ul>'
    """  # noqa: E501
    listed = list(rows)
    lines = [_row(header, "th"), *(_row(row, "td") for row in listed[:MOST_ROWS])]
    more = (
        [f"and {len(listed) - MOST_ROWS:,} more rows; to_pandas() has all"] if len(listed) > MOST_ROWS else []
    )
    items = "".join(f"<li>{escape(remark)}</li>" for remark in [*more, *remarks])
    return (
        (f"<p>{escape(sentence)}</p>" if sentence else "")
        + (f"<table>{''.join(lines)}</table>" if header else "")
        + (f"<ul>{items}</ul>" if items else "")
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
