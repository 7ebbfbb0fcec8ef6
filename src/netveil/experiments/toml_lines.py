"""On which line of a TOML file each key and each value of a list stands: `tomllib` does not tell."""

from __future__ import annotations

import re
import tomllib

TomlPath = tuple[str | int, ...]
"""Where a value is: keys, and places in lists. ("networks", 2, "name") is the name of the third network."""

_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'", re.DOTALL
)
_OTHER_VALUE = re.compile(r"[^,\]}#\n]*")


def lines_of(text: str) -> dict[TomlPath, int]:
    """The line, from 1, on which each value of a TOML document begins to be given.

    >>> lines_of("seeds = 3\\nnetworks = [\\n  'demo',\\n  {name = 'b'},\\n]\\n")[("networks", 1, "name")]
    4
    """
    walker = _Walker(text)
    walker.document()
    return walker.lines


class _Walker:
    """Walks over a document that `tomllib` has found to be valid, so it need not look out for errors."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[TomlPath, int] = {}
        self.tables: dict[TomlPath, int] = {}  # of each [[list of tables]], how many there are so far

    def document(self) -> None:
        """Headers and pairs to the end."""
        table: TomlPath = ()
        self._skip()
        while self.at < len(self.text):
            if self._takes("["):
                is_in_list = self._takes("[")
                line = self._line()
                table = self._within_lists(self._key())
                if is_in_list:
                    place = self.tables.get(table, 0)
                    self.tables[table] = place + 1
                    table = (*table, place)
                self._note(table, line)
                self._takes("]]" if is_in_list else "]")
            else:
                self._pair(table)
            self._skip()

    def _within_lists(self, keys: TomlPath) -> TomlPath:
        """The path of a header: below a list of tables it means the last of them."""
        path: TomlPath = ()
        for place, key in enumerate(keys):
            path = (*path, key)
            if path in self.tables and place < len(keys) - 1:
                path = (*path, self.tables[path] - 1)
        return path

    def _pair(self, table: TomlPath) -> None:
        line = self._line()
        path = table
        for key in self._key():
            path = (*path, key)
            self._note(path, line)
        self._takes("=")
        self._value(path)

    def _key(self) -> TomlPath:
        keys: list[str] = []
        while not keys or self._takes("."):
            self._skip()
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE_KEY.match(self.text, self.at)
            assert found is not None, "tomllib has read this key"
            self.at = found.end()
            keys.append(tomllib.loads(f"key = {found[0]}")["key"] if quoted else found[0])
            self._skip()
        return tuple(keys)

    def _value(self, path: TomlPath) -> None:
        self._skip()
        if self._takes("["):
            place = 0
            while not self._takes("]"):
                self._note((*path, place), self._line())
                self._value((*path, place))
                self._takes(",")
                place += 1
        elif self._takes("{"):
            while not self._takes("}"):
                self._pair(path)
                self._takes(",")
        else:
            found = _STRING.match(self.text, self.at) or _OTHER_VALUE.match(self.text, self.at)
            assert found is not None, "tomllib has read this value"
            self.at = found.end()
        self._skip()

    def _note(self, path: TomlPath, line: int) -> None:
        self.lines.setdefault(path, line)

    def _line(self) -> int:
        return self.text.count("\n", 0, self.at) + 1

    def _skip(self) -> None:
        """Over blanks, line ends and comments."""
        found = _SPACE.match(self.text, self.at)
        assert found is not None, "it matches nothing, too"
        self.at = found.end()

    def _takes(self, mark: str) -> bool:
        """Go over the mark and what is blank around it, if it comes next."""
        self._skip()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        self._skip()
        return True
