"""`python -m benchmarks NAME [options]`: run a benchmark; without a name, list them."""

from __future__ import annotations

import ast
import sys
from importlib import import_module
from pathlib import Path


def about() -> dict[str, str]:
    """First line of each benchmark's docstring by its name; nothing is imported."""
    files = sorted(Path(__file__).parent.glob("[!_]*.py"))
    docs = {file.stem: ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) for file in files}
    return {name: (doc or "").partition("\n")[0] for name, doc in docs.items()}


def main(argv: list[str]) -> int:
    """Run the benchmark that is named first, or list all; 2 if there is none of that name."""
    known = about()
    if not argv or argv[0] in ("-h", "--help"):
        print("usage: python -m benchmarks NAME [options]; NAME --help tells the options\n")
        print("\n".join(f"  {name:<12} {line}" for name, line in known.items()))
        return 0
    name, *options = argv
    if name not in known:
        print(f"benchmark '{name}' is not known; choose one of: {', '.join(known)}.", file=sys.stderr)
        return 2
    import_module(f"benchmarks.{name}").main(options)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
