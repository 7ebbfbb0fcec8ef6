"""Public names of packages, imported when they are first used.

So `netveil --help` and `import netveil` cost next to nothing (docs/decisions.md); `registries.py` does so
for entries of registries.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

_IMPORT = re.compile(r"from (?!__future__|typing|netveil\.lazy)([\w.]+) import (\([^)]*\)|.*)")
_NAME = re.compile(r"\w+")


def lazy_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Make `__getattr__`, `__dir__` (PEP 562) and `__all__` of a package.

    Its names are those that its source imports, mostly for type checkers only: `from a.b import c` says that
    `c` is in `a.b`, which is imported when `c` is first asked for. Modules of the package are found
    without being imported before, too: `netveil.search.ALGORITHMS` works after `import netveil`; `__dir__`
    does not list them. No name may be that of a module: whichever is imported last would be meant.
    """
    module = sys.modules[package]
    source = Path(module.__file__ or "").read_text(encoding="utf-8")
    module_of = {name: place for place, names in _IMPORT.findall(source) for name in _NAME.findall(names)}

    def find(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(module_of[name]), name)
        missing = AttributeError(f"module {package!r} has no attribute {name!r}")
        if name.startswith("_"):  # what Python and tools ask every module for; `__main__` would run
            raise missing
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name == f"{package}.{name}":
                raise missing from None
            raise

    def listed() -> list[str]:
        of_others = {"annotations", "TYPE_CHECKING", "lazy_names"}
        own = {name for name, value in vars(module).items() if not isinstance(value, ModuleType)}
        return sorted({*own - of_others, *module_of})

    return find, listed, sorted(module_of)
