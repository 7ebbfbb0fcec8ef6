"""A network in blocks on disk: CPU seconds to cut it and to count in it, memory, and bytes that go around.

    python -m benchmarks blocks 1_000_000 --numbers 4,8            # on this machine, task after task
    python -m benchmarks blocks 10_000_000 --numbers 12 --dask     # on two workers with little memory
    python -m benchmarks blocks 10_000_000 --cutting               # from files, streamed and read whole

The network is that of `scale --count`. Counting runs in a process of its own; memory is the most of that
process beyond what it held before. `put` are bytes that tasks write beside the blocks, for other tasks;
`sent` are those that come back to the command.

With --dask, each worker may take less memory than the ties, each once in 32 bits (RLIMIT_DATA, beyond what it
holds after counting in small blocks): to hold all ties fails there, and is tried first.
"""

from __future__ import annotations

import multiprocessing
import pickle
import re
import resource
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import header, listed, parser_of, row
from benchmarks.scale import TABLES, most_memory, parts_of, population
from netveil.anonymity import Attackers, anonymity_of
from netveil.blocks import cut_network, measure_blocks, measuring, open_blocks
from netveil.blocks.measuring import Task, TaskFolders, here
from netveil.network import Network

MEASURES = ("count", "degree-distribution")
CUTTING = ("Parquet, whole numbers", "Parquet, names", "CSV, whole numbers")


def around_a_hub(edges: int) -> Network:
    """Somebody knows everybody, with three quarters of all edges; the others have heavy-tailed ends."""
    rng, others = np.random.default_rng(1), 3 * edges // 4
    hub = np.column_stack((np.full(others, others), np.arange(others)))
    ends = (others * rng.random((edges - others, 2)) ** 2).astype(np.int64)
    return Network.from_numbered_edges(np.concatenate((hub, ends)), others + 1)


def in_process(function: Callable[..., Any], *given: Any) -> Any:
    """What a function returns that runs in a new process."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(function, given)


def count(small: str, large: str, measure: str) -> tuple[float, int, int, int, int, int]:
    """Count in small blocks first, so that all is compiled and loaded; then in the large ones."""
    attackers = Attackers.of(measure)
    measure_blocks(open_blocks(small), attackers)
    put, sent, tasks = 0, 0, 0
    put_found = TaskFolders.put

    def noted(place: TaskFolders, name: str, found: Any) -> None:
        nonlocal put
        put_found(place, name, found)
        put += Path(place.found, f"{name}.npy").stat().st_size

    def noting(given: list[Task]) -> Iterator[tuple[Task, Any]]:
        nonlocal sent, tasks
        for task, result in here(given):
            sent, tasks = sent + len(pickle.dumps(result)), tasks + 1
            yield task, result

    setattr(TaskFolders, "put", noted)  # noqa: B010
    setattr(measuring, "here", noting)  # noqa: B010
    before = most_memory()
    cpu = time.process_time()
    found = measure_blocks(open_blocks(large), attackers)
    cpu = time.process_time() - cpu
    return cpu, most_memory() - before, put, sent, tasks, found.anonymity.at_risk


def print_counting(network: Network, numbers: list[int]) -> None:
    """A row for each number of blocks and measure."""
    sizes = ("MB more", "task, MB", "put, MB", "sent, kB")
    header("blocks", "measure", "tasks", "cutting, CPU s", "counting, CPU s", *sizes)
    tiny = population(1000)
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            small, large = str(Path(folder, "small")), str(Path(folder, "large"))
            cut_network(tiny, small, number)
            cpu = time.process_time()
            blocks = cut_network(network, large, number)
            cutting = time.process_time() - cpu
            task = max(map(blocks.bytes_of, blocks.triples()))
            for measure in MEASURES:
                cpu, more, put, sent, tasks, _ = in_process(count, small, large, measure)
                taken = [f"{size / 1e6:.1f}" for size in (more, task, put)]
                row(number, measure, tasks, f"{cutting:.2f}", f"{cpu:.2f}", *taken, f"{sent / 1e3:.1f}")


def _status(key: str) -> int:
    told = re.search(rf"^{key}:\s+(\d+) kB$", Path("/proc/self/status").read_text("ascii"), re.MULTILINE)
    return 1024 * int(told[1]) if told else 0


def limit_worker(small: str, more: int) -> int:
    """Count in small blocks, and take no more memory from now on than so many bytes; what is held."""
    measure_blocks(open_blocks(small), Attackers.of(MEASURES))
    held = _status("VmData")
    resource.setrlimit(resource.RLIMIT_DATA, (held + more, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    return _status("VmRSS")


def hold_everything(large: str) -> str:
    """Try to hold all ties, each once in 32 bits."""
    blocks = open_blocks(large)
    try:
        held = np.empty(blocks.edge_count, np.int32)
        held[:] = 1
    except MemoryError:
        return "MemoryError"
    return "fits"


def worker_figures() -> tuple[float, int]:
    """CPU seconds, and the most memory, of a worker so far."""
    return time.process_time(), _status("VmHWM")


def print_limited(network: Network, numbers: list[int], share: float) -> None:
    """A row for each number of blocks and measure, on a cluster whose workers have little memory."""
    import distributed

    adjacency = 4 * network.edge_count
    more = int(share * adjacency)
    print(f"ties: {adjacency / 1e6:.1f} MB; each worker may take {more / 1e6:.1f} MB more than it holds")
    figures = ("workers' CPU s", "MB more, of a worker", "as in memory")
    header("blocks", "measure", "to hold all ties", *figures)
    for number in numbers:
        for measure in MEASURES:
            with tempfile.TemporaryDirectory() as folder:
                small, large = str(Path(folder, "small")), str(Path(folder, "large"))
                cut_network(population(1000), small, 4)
                cut_network(network, large, number)
                connect: Any = distributed
                with (
                    connect.LocalCluster(
                        n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None
                    ) as cluster,
                    connect.Client(cluster) as client,
                ):
                    held = client.run(limit_worker, small, more)
                    fits = set(client.run(hold_everything, large).values())
                    before = client.run(worker_figures)
                    found = measure_blocks(
                        open_blocks(large), Attackers.of(measure), dask=cluster.scheduler_address
                    )
                    after = client.run(worker_figures)
                cpu = sum(after[each][0] - before[each][0] for each in after)
                took = max(after[each][1] - held[each] for each in after)
                in_memory = anonymity_of(network, Attackers.of(measure).each, 2)
                said = found.anonymity.to_dict()
                same = said == {**in_memory.to_dict(), "network": said["network"]}
                figures = f"{cpu:.2f}", f"{took / 1e6:.1f}", "yes" if same else "NO"
                row(number, measure, " ".join(fits), *figures)


def cut(file: str, small: str, out: str, streamed: bool) -> tuple[float, int, int]:
    """CPU seconds and memory of cutting a file, after a small one of the same sort."""
    import netveil as nv

    most_before = 0
    for number, each in enumerate((small, file)):
        cpu = time.process_time()
        with most_of_its_own() as most:
            made = cut_network(each if streamed else nv.read(each), Path(out, str(number)))
            assert made.is_streamed == streamed
        figures = time.process_time() - cpu, most[0] - most_before, made.edge_count
        most_before = most[0]
    return figures


@contextmanager
def most_of_its_own() -> Iterator[list[int]]:
    """Most memory of this process while the block lasts, without what is in files and can be let go."""
    most, ended = [0], threading.Event()

    def look() -> None:
        while not ended.wait(0.01):
            most[0] = max(most[0], _status("RssAnon"))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def print_cutting(edges: int, chosen: list[str]) -> None:
    """A row for each sort of file."""
    more = ("MB more", "bytes a tie")
    header("file", "streamed: CPU s", *more, "read whole: CPU s", *more)
    sorts = {**TABLES, "Parquet, names": ("parquet", write_names)}
    for name in chosen:
        suffix, write = sorts[name]
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, f"{size}.{suffix}") for size in ("small", "large")]
            for file, ties in zip(files, (200_000, edges), strict=True):
                write(file, ties)
            cells = []
            for streamed in (True, False):
                out = tempfile.mkdtemp(dir=folder)
                cpu, taken, _ = in_process(cut, str(files[1]), str(files[0]), out, streamed)
                cells += [f"{cpu:.1f}", f"{taken / 1e6:.0f}", f"{taken / edges:.0f}"]
            row(name, *cells)


def write_names(file: Path, edges: int) -> None:
    """A table of ties between people with names."""
    import pyarrow
    import pyarrow.parquet

    pairs = np.concatenate(list(parts_of(edges)))
    texts = [pyarrow.array([f"person{end}" for end in column.tolist()]) for column in pairs.T]
    pyarrow.parquet.write_table(pyarrow.table(texts, names=["source", "target"]), file)


def main(argv: list[str]) -> None:
    """Print the table that is asked for."""
    parser = parser_of(__name__, __doc__)
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--numbers", type=listed, default=["4", "8"], help="of blocks")
    parser.add_argument("--dask", action="store_true", help="on a cluster whose workers have little memory")
    parser.add_argument("--share", type=float, default=0.9, help="of the ties, that a worker may take more")
    parser.add_argument("--hub", action="store_true", help="another network: somebody knows everybody")
    parser.add_argument("--cutting", action="store_true", help="from files")
    parser.add_argument("--file", action="append", choices=CUTTING, help="of --cutting, this sort only")
    options = parser.parse_args(argv)
    if options.cutting:
        print_cutting(options.edges, options.file or list(CUTTING))
        return
    network = (around_a_hub if options.hub else population)(options.edges)
    numbers = list(map(int, options.numbers))
    print(f"{network.node_count:,} nodes, {network.edge_count:,} edges")
    if options.dask:
        print_limited(network, numbers, options.share)
    else:
        print_counting(network, numbers)
