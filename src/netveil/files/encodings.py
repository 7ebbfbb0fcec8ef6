"""Bytes to text: UTF-8, UTF-16, or the one Windows code page whose letters fit. All else is asked about.

A byte above 127 is another letter in each of the old encodings. Which one was meant is clear where only one
of them gives words of a language: letters of one alphabet, capitals in front. Encodings that no Windows
program writes are tried as well, but only to be named in the question.

Also what all readers of texts share: comments, announced numbers of nodes, errors about a line.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Iterable, Sequence
from importlib.resources import files
from itertools import combinations, islice

from netveil.errors import FileError, SettingError, option
from netveil.formatting import counted

MOST_NODES = 2**31 - 1
"""Largest number of nodes that a file may announce; more is a slip, and would fill the memory."""

MOST_NODES_ANYWAY = 1_000_000
MOST_NODES_PER_BYTE = 10
"""So many may be announced by any file, and so many by each byte of a larger one: most without a tie then."""

COMMENT_LINE = re.compile(r"^[ \t]*+[#%].*+$", re.MULTILINE)
_NODES_COMMENT = re.compile(r"#\s*+nodes:\s*+(\d++)\s*+", re.ASCII)


def at_line(file: str, line: int, rule: str) -> FileError:
    """Error about one line of a file."""
    return FileError(f"{file}, line {line}: {rule}")


def announced_nodes(digits: str, file: str, line: int, size: int) -> int:
    """Number of nodes that a line announces; FileError if it is too large for a file of `size` bytes."""
    count = int(digits) if len(digits) < 19 else MOST_NODES + 1  # Python refuses to read thousands of digits
    if count > MOST_NODES:
        rule = f"announces more nodes than the {MOST_NODES:,} that are possible"
        raise at_line(file, line, f"{rule}. Correct it.")
    if count > most_announced(size):
        most = f"{most_announced(size):,} are the most"
        rule = f"announces {count:,} nodes, and the file is so small that {most}"
        raise at_line(file, line, f"{rule}. Correct it, or name all nodes in the file.")
    return count


def most_announced(size: int) -> int:
    """Largest number of nodes that a file of this size may announce."""
    return max(MOST_NODES_ANYWAY, MOST_NODES_PER_BYTE * size)


def declared_nodes(text: str, file: str, size: int | None = None) -> int | None:
    """N of the comment `# nodes: N`, None without one; `size` of the whole file where `text` is a part."""
    size = len(text) if size is None else size
    declared: int | None = None
    line = place = 0
    for comment in COMMENT_LINE.finditer(text) if "#" in text else ():
        match = _NODES_COMMENT.fullmatch(comment.group().strip())
        if match is None:
            continue
        line, place = line + text.count("\n", place, comment.start()), comment.start()
        count = announced_nodes(match.group(1), file, line + 1, size)
        if declared not in (None, count):
            rule = "a second comment `# nodes: N` with another number"
            raise at_line(file, line + 1, f"{rule}. Keep the right one.")
        declared = count
    return declared


def comments_in(text: str) -> tuple[str, ...]:
    """Clause on the comments of a text, `# nodes: N` apart, which our own writer puts there; none without."""
    comments = (comment.strip() for comment in COMMENT_LINE.findall(text))
    count = sum(not _NODES_COMMENT.fullmatch(comment) for comment in comments)
    return (counted(count, "comment line"),) if count else ()


_MARKS = {codecs.BOM_UTF8: "UTF-8", codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}

WORDS = tomllib.loads((files("netveil") / "data" / "words.toml").read_text(encoding="utf-8"))
"""Words and letters by which files are told."""

ALPHABETS = {encoding: WORDS["letters"][alphabet] for encoding, alphabet in WORDS["encodings"].items()}
"""Encodings with one byte a letter: the letters beyond a to z of each language that is written in them."""

WINDOWS = "cp125"  # begins the names of code pages that are read unasked
RARE = ("mac-roman", "cp850")

_WORD = re.compile(rb"[A-Za-z\x80-\xff'-]++")
_AROUND_WORDS = "’‘“”„«»–—…€°§·\xa0"
_CASING = re.compile(r"[^\W\d_]++")
_VOWELS = "аеёиоуыэюяіїєαεηιουωάέήίόύώϊϋΐΰ"
_UNSPEAKABLE = re.compile(rf"[a-z]|[^{_VOWELS}]{{5}}|ς.|[άέήίόύώΐΰ][^άέήίόύώΐΰ]*+[άέήίόύώΐΰ]|^[ъыь]")
ENOUGH_WORDS = 30  # to say how rare accents are
RARE_ACCENTS = 0.1  # of all different words: fewer than that is rare
WORDS_READ = 20_000  # of a large file; more tell nothing new


def text_and_encoding(content: bytes, file: str, asked: str | None = None) -> tuple[str, str]:
    r"""Text of a file with `\n` as line end, and the name of its encoding."""
    name = _encoding(content, file) if asked is None else _known(asked)
    try:
        text = content.decode(name)
    except UnicodeDecodeError as error:
        line, rule = content.count(b"\n", 0, error.start) + 1, f"byte {error.start + 1} is not {name} text"
        raise at_line(file, line, f"{rule}. Give another {option('encoding')}.") from None
    except ValueError:  # of the codecs that turn bytes into something else than text
        rule = f"encoding {asked}: it does not give a text"
        raise SettingError(f"{rule}; give another, such as cp1252.") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        remedy = f"Save it as UTF-8 text, or give its {option('encoding')}"
        raise at_line(file, line, f"not a text file, it holds a zero byte. {remedy}.")
    text = text.removeprefix("\ufeff").rstrip("\x1a\x0c")  # marks of the end of a file and of a page
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text, name


def decoded(content: bytes, file: str, asked: str | None = None) -> str:
    """Text of a file, its encoding found out or asked about."""
    return text_and_encoding(content, file, asked)[0]


def _known(asked: str) -> str:
    """Python's name of an encoding that a user asked for."""
    try:
        name = codecs.lookup(asked).name
        "a".encode(name)
    except (LookupError, ValueError, TypeError):
        known = "utf-8, cp1252 or utf-16"
        raise SettingError(f"unknown encoding '{asked}': give its name, such as {known}.") from None
    return {"utf-8": "UTF-8", "utf-8-sig": "UTF-8", "utf-16": "UTF-16"}.get(name, name)


def _encoding(content: bytes, file: str) -> str:
    """Encoding of a text; a question where it is not clear."""
    for mark, name in _MARKS.items():
        if content.startswith(mark):
            return name
    if b"\0" in content[:1000]:
        # UTF-16 without a mark: every other byte of plain letters is zero.
        for name, zeros in (("UTF-16-LE", content[1:1000:2]), ("UTF-16-BE", content[:1000:2])):
            if len(content) % 2 == 0 and zeros.count(0) > 0.6 * len(zeros):
                return name
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if b"\0" not in content:
            return _by_alphabets(content, file, error.start)
    return "UTF-8"


def _by_alphabets(content: bytes, file: str, place: int) -> str:
    """The Windows code page that gives words of fewest languages; a question if that is not one alone."""
    words = _words(content)
    line = content.count(b"\n", 0, place) + 1
    start = f"{file}, line {line}: byte {place + 1} is not UTF-8 text, and"
    if any(word.decode(errors="ignore").encode() == word for word in words):  # old ones hardly ever are
        raise FileError(
            f"{start} other words of the file are: it mixes encodings. Save all of it as UTF-8, or give the "
            f"{option('encoding')} to read all of it in."
        )
    fitting: dict[tuple[str, ...], tuple[int, str]] = {}
    for name, alphabets in ALPHABETS.items():
        try:
            decoded = tuple(word.decode(name) for word in words)
        except UnicodeDecodeError:
            continue
        languages = _languages_needed(decoded, alphabets)
        if languages is not None:
            fitting.setdefault(decoded, (languages, name))
    fewest = min((languages for languages, _ in fitting.values()), default=0)
    best = [name for languages, name in fitting.values() if languages == fewest]
    if "cp1252" in best:  # to which what DOS and old Macs wrote is hardly ever a letter
        best = [name for name in best if name not in RARE]
        every = set(_WORD.findall(content[:1_000_000]))
        if len(every) >= ENOUGH_WORDS and len(words) < RARE_ACCENTS * len(every):
            # Accents are rare, as they are in the west of Europe only.
            best = ["cp1252"]
    if len(best) == 1 and best[0].startswith(WINDOWS):
        return best[0]
    found = "could be " + " or ".join(best) if best else "fit no other encoding that netveil can tell"
    suggested = option("encoding", best[0] if best else "cp1252")
    raise FileError(f"{start} its letters {found}. Give it, such as {suggested}, or save the file as UTF-8.")


def _words(content: bytes) -> Sequence[bytes]:
    """Different words that have a byte above 127, in the order of the file; so many at most."""
    words = dict.fromkeys(word for word in map(re.Match.group, _WORD.finditer(content)) if not word.isascii())
    return list(islice(words, WORDS_READ))


def _languages_needed(words: Iterable[str], alphabets: Sequence[str]) -> int | None:
    """Fewest languages that all words can be of; None if some word is of none."""
    letters: set[str] = set()
    for word in words:
        inner = word.strip(_AROUND_WORDS)
        for part in _CASING.findall(inner):
            has_cases = part.lower() != part.upper()  # Hebrew has none
            if has_cases and not (part.islower() or part.isupper() or part[1:].islower()):
                return None
            own = {letter for letter in part.lower() if letter > "\x7f"}
            if own and min(own) >= "\u0370" and not _can_be_spoken(part.lower()):
                return None
            letters |= own
        if any(mark > "\x7f" and not mark.isalpha() and mark != "’" for mark in inner):
            return None
    for count in range(1, len(alphabets) + 1):
        if any(letters <= set().union(*map(set, chosen)) for chosen in combinations(alphabets, count)):
            return count
    return None


def _can_be_spoken(word: str) -> bool:
    """Whether letters beyond Latin make a word: none from a to z among them, vowels where there are any.

    In Greek, ς ends a word, and one vowel at most has an accent.
    """
    if word >= "\u0530":
        return not any("a" <= letter <= "z" for letter in word)
    return not _UNSPEAKABLE.search(word) and (len(word) < 3 or any(vowel in word for vowel in _VOWELS))
