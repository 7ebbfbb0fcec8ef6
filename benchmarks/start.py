"""What it costs to begin: CPU of first runs (cold), later runs (warm), help and tests, beside another commit.

    python -m benchmarks start 505a8b8
    python -m benchmarks start 505a8b8 --only cold,warm --repeats 3
    python -m benchmarks start 505a8b8 --only test

The other commit is checked out into a temporary folder, with an environment that shares the packages of this
one; the last column is ours over theirs. Cold means that nothing is compiled: each first run has an empty
NUMBA_CACHE_DIR, and the run after it is the warm one. Counted are CPU seconds of a command and all processes
that it starts, the least of the repeats, both commits in turn. `test` is `make test` with an empty
NUMBA_CACHE_DIR, once: half an hour or more, so it runs only where it is asked for.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from compileall import compile_dir
from contextlib import contextmanager, nullcontext
from pathlib import Path

from benchmarks import header, listed, parser_of, row

HERE = Path(__file__).parents[1]
GROUPS = ("cold", "warm", "help", "test")
PEOPLE, TIES = 400, 1600  # of the file: too many solutions to look through completely

BARE = ["--seed", "1", "--time", "1", "--threads", "1", "--no-utility", "--no-audit", "--out", "release"]
COMMANDS = {
    "measure karate": ["measure", "karate"],
    "anonymize karate, bare": ["anonymize", "karate", *BARE],
    "anonymize people.csv, bare": ["anonymize", "people.csv", *BARE],
    "anonymize karate, bare, by uga": ["anonymize", "karate", *BARE, "--algorithm", "uga"],
    "measure demo": ["measure", "demo"],
    "anonymize demo": ["anonymize", "demo", "--seed", "1", "--out", "release"],
    "anonymize demo --time 2": ["anonymize", "demo", "--seed", "1", "--time", "2", "--out", "release"],
}
HELP = {
    "import click": ["-c", "import click"],
    "import netveil": ["-c", "import netveil"],
    **{
        f"netveil {words} --help".replace("  ", " "): ["-m", "netveil", *words.split(), "--help"]
        for words in ("", "measure", "anonymize", "audit", "experiment")
    },
}


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("commit", nargs="?", help="to compare with; without it, there are no ratios")
    parser.add_argument("--only", type=listed, default=GROUPS[:-1], help=f"some of {','.join(GROUPS)}")
    parser.add_argument(
        "--repeats", type=int, default=1, help="of cold and warm runs; help has ten times as many"
    )
    options = parser.parse_args(argv)
    if unknown := set(options.only) - set(GROUPS):
        parser.error(f"--only {','.join(sorted(unknown))}: choose some of {','.join(GROUPS)}.")
    beside = nullcontext(None) if options.commit is None else checked_out(options.commit)
    with beside as other:
        trees = [HERE] if other is None else [HERE, other]
        for tree in trees:  # as after the first start, wherever Python may keep bytecode
            compile_dir(tree / "src", quiet=1)
        header("", "what", "CPU s", *(["CPU s there", "ratio"] * (len(trees) - 1)))
        if {"cold", "warm"} & set(options.only):
            for what, command in COMMANDS.items():
                rounds = [[cold_and_warm(tree, command) for tree in trees] for _ in range(options.repeats)]
                for place, group in enumerate(("cold", "warm")):
                    if group in options.only:
                        tell(group, what, [[pair[place] for pair in each] for each in rounds])
        if "help" in options.only:
            for what, words in HELP.items():
                tell(
                    "help",
                    what,
                    [[cpu_of(tree, words) for tree in trees] for _ in range(10 * options.repeats)],
                )
        if "test" in options.only:
            tell("test", "make test", [[tested(tree) for tree in trees]])


def tell(group: str, what: str, rounds: Sequence[Sequence[float]]) -> None:
    """Print a row: the least of the rounds, by tree."""
    ours, *theirs = map(min, zip(*rounds, strict=True))
    row(
        group,
        what,
        f"{ours:.2f}",
        *(cell for each in theirs for cell in (f"{each:.2f}", f"{ours / each:.2f}")),
    )


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """Worktree of a commit in a temporary folder, with an environment of its own; gone in the end."""
    with tempfile.TemporaryDirectory(prefix="netveil-start-") as folder:
        tree = Path(folder, "tree")
        git = ["git", "-C", str(HERE), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), commit], check=True)
        try:
            make_environment(tree)
            yield tree
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def make_environment(tree: Path) -> None:
    """Make `.venv` in a tree: its own netveil, the packages and scripts of the Python that runs this."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tree / ".venv")], check=True)
    (site,) = (tree / ".venv" / "lib").glob("python*/site-packages")
    shared = [path for path in sys.path if Path(path).name == "site-packages"]
    (site / "paths.pth").write_text("\n".join([str(tree / "src"), *shared]) + "\n", encoding="utf-8")
    own = tree / ".venv" / "bin"
    for script in Path(sys.executable).parent.iterdir():
        if not script.is_file() or (own / script.name).exists():
            continue
        content = script.read_bytes()
        if content.startswith(b"#!"):
            content = f"#!{own / 'python'}\n".encode() + content.partition(b"\n")[2]
        (own / script.name).write_bytes(content)
        shutil.copymode(script, own / script.name)
    for mark in ("created", "installed", "installed-dev"):  # so that make installs nothing
        (tree / ".venv" / mark).touch()


def cold_and_warm(tree: Path, command: list[str]) -> tuple[float, float]:
    """CPU seconds of a command that finds nothing compiled, and of the same once more."""
    with tempfile.TemporaryDirectory() as folder:
        draw = random.Random(1)
        ties = sorted({tuple(sorted(draw.sample(range(PEOPLE), 2))) for _ in range(TIES)})
        text = "".join(f"p{one},p{other}\n" for one, other in ties)
        Path(folder, "people.csv").write_text(text, encoding="utf-8")
        words = ["-m", "netveil", *command, "--quiet", *(["--overwrite"] if "--out" in command else [])]
        first, second = (cpu_of(tree, words, folder) for _ in range(2))
        return first, second


def cpu_of(tree: Path, words: list[str], folder: str | None = None) -> float:
    """CPU seconds of the Python of a tree with these words; what it compiles is in the folder."""
    compiled = {} if folder is None else {"NUMBA_CACHE_DIR": str(Path(folder, "compiled"))}
    return cpu_seconds([str(tree / ".venv" / "bin" / "python"), *words], folder, compiled)


def tested(tree: Path) -> float:
    """CPU seconds of `make test` in a tree, everything compiled anew; a test that fails is told."""
    with tempfile.TemporaryDirectory() as folder:
        return cpu_seconds(["make", "test"], tree, {"NUMBA_CACHE_DIR": folder}, may_fail=True)


def cpu_seconds(
    command: list[str], folder: str | Path | None, more: dict[str, str], *, may_fail: bool = False
) -> float:
    """CPU seconds of a command and of all processes that it waits for; what it prints is dropped."""
    left_out = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | more
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode and not may_fail:
        raise SystemExit(f"{' '.join(command)} failed")
    if process.returncode:
        print(
            f"{' '.join(command)} failed in {folder}: its seconds are not those of a whole run",
            file=sys.stderr,
        )
    return used.ru_utime + used.ru_stime
