"""What large networks cost, an edge: to read and to measure (CPU, memory), and to count beside other engines.

    python -m benchmarks scale                 # 10^5 and 10^6 edges
    python -m benchmarks scale --large         # and 10^7
    python -m benchmarks scale --huge          # 10^8 alone, in Parquet
    python -m benchmarks scale --count 10_000_000 --engines netveil,netveil-1,networkit

A process reads and measures a small network first, so that all is compiled and loaded, then a large one: time
is that of reading (the least of three times) and of measuring (`count`) alone, memory the most that the
process held, less what it held before. The last column compares the time to read what `netveil convert` made
of the CSV file with that of the CSV file itself. With `--count`, degrees and triangles are counted: each
engine counts in a process of its own, on a graph that it holds already: CPU and all seconds are those of
counting alone, memory is the most of the process beyond what it held with the graph. Counts must be equal.
Engines that are not installed are left out.

The tables have nine ties a person, half of them with heavy-tailed ends and half inside groups of 40, in an
order that means nothing. People are called by numbers from 1,000,000 on.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import header, listed, parser_of, row
from netveil.network import Network
from netveil.threads import available_cores

GROUP = 40  # people who know many of each other
TIES_A_PERSON = 9
TIES_AT_ONCE = 1 << 20
LINES_AT_ONCE = 100_000
LINES = {"numbers": "%d,%d\n", "names": "person%d,person%d\n"}
Counting = Callable[[], NDArray[Any]]


def parts_of(edges: int) -> Iterator[NDArray[np.int64]]:
    """The ends of so many ties (ties, 2), a million at a time."""
    people = edges // TIES_A_PERSON
    for start in range(0, edges, TIES_AT_ONCE):
        draw = np.random.default_rng([1, start])
        count = min(TIES_AT_ONCE, edges - start)
        half = count // 2
        tails = np.column_stack((people * draw.random(half) ** 3, people * draw.random(half) ** 2))
        groups = draw.integers(0, people // GROUP, count - half)[:, None] * GROUP
        inside = groups + draw.integers(0, GROUP, (count - half, 2))
        yield draw.permutation(np.concatenate((tails.astype(np.int64), inside)) + 1_000_000)


def write_csv(file: Path, edges: int, line: str) -> None:
    """A table in text, whose lines look like that."""
    with file.open("w", encoding="ascii") as stream:
        stream.write("source,target\n")
        for part in parts_of(edges):
            for start in range(0, len(part), LINES_AT_ONCE):
                some = part[start : start + LINES_AT_ONCE]
                stream.write(line * len(some) % tuple(some.ravel().tolist()))


def write_parquet(file: Path, edges: int, bits: int = 32) -> None:
    """A Parquet file of whole numbers, a row group for each part."""
    import pyarrow
    import pyarrow.parquet

    kind = pyarrow.int32() if bits == 32 else pyarrow.int64()
    schema = pyarrow.schema({"source": kind, "target": kind})
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        for part in parts_of(edges):
            columns = [pyarrow.array(column, type=kind) for column in part.T]
            writer.write_table(pyarrow.table(columns, schema=schema))


MEASURING = """
import sys, time
import netveil as nv

def most():
    with open("/proc/self/status", encoding="ascii") as status:
        return int(status.read().partition("VmHWM:")[2].split()[0]) * 1024

def timed(work, *given):
    began = time.process_time()
    found = work(*given)
    return found, time.process_time() - began

nv.measure(nv.read(sys.argv[2]))
before = most()
network, reading = timed(nv.read, sys.argv[1])
after_reading = most()
measuring = timed(nv.measure, network)[1]
after_both, edges = most(), network.edge_count
for _ in range(2):
    del network
    network, again = timed(nv.read, sys.argv[1])
    reading = min(reading, again)
print(reading, measuring, after_reading - before, after_both - before, edges)
"""
CONVERTED, CONVERTED_TO = "converted", (".parquet", ".arrow")


class Cost(NamedTuple):
    """Of one process."""

    reading: float  # CPU seconds
    measuring: float
    reading_memory: int  # bytes
    memory: int
    edges: int  # of the network, each once

    def cells(self) -> list[str]:
        """An edge, as a row of the table has it."""
        times = [f"{seconds / self.edges * 1e6:.2f}" for seconds in (self.reading, self.measuring)]
        return times + [f"{size / self.edges:.0f}" for size in (self.reading_memory, self.memory)]


TABLES: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "CSV, whole numbers": ("csv", partial(write_csv, line=LINES["numbers"])),
    "CSV, names": ("csv", partial(write_csv, line=LINES["names"])),
    "Parquet, whole numbers": ("parquet", write_parquet),
}


def cost(file: Path, small: Path) -> Cost:
    """Of a file, after a small one of the same sort."""
    command = [sys.executable, "-c", MEASURING, str(file), str(small)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    reading, measuring, reading_memory, memory, edges = done.stdout.split()[-5:]
    return Cost(float(reading), float(measuring), int(reading_memory), int(memory), int(edges))


def convert(file: Path, small: Path, suffix: str) -> tuple[Path, Path]:
    """Both files as `netveil convert` writes them."""
    made = []
    for each in (file, small):
        other = each.with_name(f"{CONVERTED}-{each.stem}{suffix}")
        command = [sys.executable, "-m", "netveil", "convert", str(each), "--out", str(other), "--overwrite"]
        subprocess.run(command, capture_output=True, check=True)
        made.append(other)
    return made[0], made[1]


def population(edges: int, seed: int = 1) -> Network:
    """Ten edges a person: half with heavy-tailed ends, half inside groups of 40."""
    rng, nodes = np.random.default_rng(seed), max(GROUP, edges // 10)
    half = edges // 2
    hubs = (nodes * rng.random(half) ** 3).astype(np.int64)
    heavy = np.column_stack((rng.permutation(nodes)[hubs], rng.integers(0, nodes, half)))
    first = rng.integers(0, nodes, edges - half)
    group = first // GROUP * GROUP
    second = np.minimum(group + rng.integers(0, GROUP, edges - half), nodes - 1)
    return Network.from_numbered_edges(np.concatenate((heavy, np.column_stack((first, second)))), nodes)


def of_netveil(network: Network, threads: int) -> Counting:
    """Ours."""
    from netveil.kernels.triangles import triangles_per_node

    def count() -> NDArray[Any]:
        fresh = replace(network)  # whose degrees nobody has counted
        return triangles_per_node(fresh.edges, fresh.degrees, threads)

    return count


def _from_shares(shares: NDArray[Any], degrees: NDArray[Any]) -> NDArray[Any]:
    """Triangles by node from the share of pairs of contacts that know each other."""
    triangles: NDArray[Any] = np.rint(shares * (degrees * (degrees - 1) // 2)).astype(np.int64)
    return triangles


def of_igraph(network: Network) -> Counting:
    """igraph has triangles by node only as shares of the pairs of contacts; one thread."""
    graph, degrees = network.to_igraph(), network.degrees

    def count() -> NDArray[Any]:
        shares = np.array(graph.transitivity_local_undirected(mode="zero"))
        return _from_shares(shares, degrees)

    return count


def of_networkit(network: Network) -> Counting:
    """NetworKit's local clustering coefficient, in its quick way, with all threads."""
    import networkit

    first, second = (np.ascontiguousarray(end, dtype=np.uint64) for end in network.edges.T)
    graph = networkit.GraphFromCoo((np.ones(len(first)), (first, second)), n=network.node_count)
    degrees = network.degrees

    def count() -> NDArray[Any]:
        shares = np.array(networkit.centrality.LocalClusteringCoefficient(graph, turbo=True).run().scores())
        return _from_shares(shares, degrees)

    return count


ENGINES: dict[str, Callable[[Network], Counting]] = {
    "netveil": lambda network: of_netveil(network, available_cores()),
    "netveil-1": lambda network: of_netveil(network, 1),
    "igraph": of_igraph,
    "networkit": of_networkit,
}


def most_memory() -> int:
    """Bytes that this process has held at most; `ru_maxrss` has that of its parent, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def run(engine: str, file: str, nodes: int) -> tuple[float, float, int, int]:
    """CPU and all seconds, memory and triangles of counting, after a small network, so that all is loaded."""
    ENGINES[engine](population(1000))()
    network = Network(nodes, np.load(file), range(nodes))
    network.edges.setflags(write=False)
    count = ENGINES[engine](network)
    before = most_memory()
    cpu, began = time.process_time(), time.perf_counter()
    counts = count()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - began
    return cpu, wall, most_memory() - before, int(counts.sum()) // 3


def count_by(engines: list[str], asked: int) -> None:
    """Print a row for each engine that is installed."""
    print(f"{available_cores()} cores, load {os.getloadavg()[0]:.1f} before")
    columns = ("CPU s", "wall s", "million edges a CPU second", "bytes an edge more", "triangles")
    header("engine", "edges", *columns)
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        network, file = population(asked), str(Path(folder, "edges.npy"))
        np.save(file, network.edges)
        nodes, edges = network.node_count, network.edge_count
        del network
        triangles = set()
        for engine in engines:
            if engine in ("igraph", "networkit") and find_spec(engine) is None:
                row(engine, "not installed", *[""] * len(columns))
                continue
            with context.Pool(1) as pool:
                cpu, wall, more, found = pool.apply(run, (engine, file, nodes))
            figures = f"{cpu:.2f}", f"{wall:.2f}", f"{edges / 1e6 / cpu:.1f}", f"{more / edges:.0f}"
            row(engine, f"{edges:,}", *figures, f"{found:,}")
            triangles.add(found)
    if len(triangles) > 1:
        raise SystemExit("engines do not agree")


def main(argv: list[str]) -> None:
    """Print the table."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("--large", action="store_true", help="10^7 edges too")
    parser.add_argument("--huge", action="store_true", help="10^8 edges, in Parquet, and nothing else")
    parser.add_argument("--folder", metavar="DIR", help="for the files; 10^8 edges take a gigabyte")
    parser.add_argument("--count", type=int, metavar="EDGES", help="count triangles of so many edges instead")
    parser.add_argument("--engines", type=listed, default=list(ENGINES), help="of --count")
    asked = parser.parse_args(argv)
    if asked.count:
        count_by(asked.engines, asked.count)
        return
    sizes = [10**8] if asked.huge else [10**5, 10**6, *[10**7] * asked.large]
    tables = {name: made for name, made in TABLES.items() if made[0] == "parquet" or not asked.huge}
    an_edge = ("reading: CPU µs an edge", "measuring", "reading: bytes an edge", "both")
    header("table", "rows", *an_edge, "converted")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        for name, (suffix, write) in tables.items():
            small, file = Path(folder, f"small.{suffix}"), Path(folder, f"large.{suffix}")
            write(small, 200_000)  # enough for the compiled reader
            for rows in sizes:
                write(file, rows)
                ours = cost(file, small)
                row(name, f"{rows:,}", *ours.cells(), "")
                for other in CONVERTED_TO if suffix == "csv" else ():
                    again = cost(*convert(file, small, other))
                    ratio = f"{again.reading / ours.reading:.2f}"
                    row(f"{name}, converted to {other}", f"{rows:,}", *again.cells(), ratio)
