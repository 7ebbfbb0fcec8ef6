"""What single lines of a kernel cost to compile, in CPU seconds, beside a kernel that does nothing.

    python benchmarks/lines.py

Each line is compiled in a process of its own, in a function that does nothing else. docs/decisions.md says
what follows for kernels.
"""

from __future__ import annotations

import subprocess
import sys

LINES = {
    "nothing": "pass",
    "copy by a loop": "for i in range(n): a[i] = b[i]",
    "copy to a slice": "a[:n] = b[:n]",
    "largest difference": "n += np.max(np.diff(a))",
    "sort of numba": "a[:n].sort()",
    "stable argsort of numba": "n += np.argsort(a, kind='mergesort')[0]",
    "our sort": "sort_part(a, n, n, None, b)",
    "binary search of numba": "n += np.searchsorted(a, n)",
}

SCRIPT = """
import sys, time
import numba
import numpy as np
from netveil.kernels.sorting import sort_part

numba.njit(lambda a: a[0])(np.arange(3))  # what every first kernel pays for
exec("def kernel(a, b, n):\\n    " + sys.argv[1] + "\\n    return n")
began = time.process_time()
numba.njit(kernel)(np.arange(3), np.arange(3), 2)
print(time.process_time() - began)
"""


def main() -> None:
    """Print the table."""
    print("| what | line | CPU s to compile |\n|---|---|---|")
    for what, line in LINES.items():
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, line], check=True, capture_output=True, text=True
        )
        print(f"| {what} | `{line}` | {float(done.stdout):.2f} |", flush=True)


if __name__ == "__main__":
    main()
