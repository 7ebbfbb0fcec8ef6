"""Examples in docstrings are run: every module of the package that has any, with what they show."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import netveil

PACKAGE = Path(netveil.__file__).parent
SEARCHING = {  # as long as readers do, or saving whole releases
    *("netveil.api", "netveil.opening", "netveil.workflow", "netveil.auditing.together"),
    *("netveil.release.claims", "netveil.release.folder", "netveil.release.release"),
}
EXTRAS = {"networkx", "pandas", "dask", "distributed", "pyarrow"}  # may be missing where netveil is installed


def modules_with_examples() -> list[str]:
    """Names of the modules whose text has a prompt; only these are imported."""
    files = (file for file in PACKAGE.rglob("*.py") if ">>> " in file.read_text(encoding="utf-8"))
    names = (".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files)
    return sorted(name.removesuffix(".__init__") for name in names)


@pytest.mark.usefixtures("standard_effort")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.thorough if name in SEARCHING else ())
        for name in modules_with_examples()
    ],
)
def test_examples_in_docstrings_give_what_they_show(name: str) -> None:
    """Each as a session of its own; one that needs an extra is left out where that is not installed."""
    tests = [test for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]
    assert tests
    for test in tests:
        try:
            doctest.DebugRunner().run(test)
        except doctest.DocTestFailure as failure:
            pytest.fail(f"{failure.example.source}gives\n{failure.got}and not\n{failure.example.want}")
        except doctest.UnexpectedException as raised:
            cause = raised.exc_info[1]
            if isinstance(cause, ModuleNotFoundError) and cause.name in EXTRAS:
                pytest.skip(f"needs {cause.name}")
            raise cause from None


def test_every_public_name_has_an_example() -> None:
    """The reference on the site shows it, and the tests above run it."""
    without = [
        name for name in vars(netveil)["__all__"] if ">>> " not in (getattr(netveil, name).__doc__ or "")
    ]

    assert without == ["__version__"]
