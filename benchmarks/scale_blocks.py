"""A network in blocks on disk: CPU seconds to cut it and to count in it, and the memory that counting takes.

    python benchmarks/scale_blocks.py 1_000_000 --numbers 1,4,8

The network is that of `scale_counting.py`. Blocks are counted in a process of its own, one task after the
other, with all cores; memory is the most of that process beyond what it held before. Beside it, what the
largest task is said to take, and the bytes that all tasks would send to the scheduler of a cluster.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from pathlib import Path
from typing import Any

from netveil.anonymity import Attackers
from netveil.blocks import cut_network, measure_blocks, open_blocks
from scale_counting import most_memory, population


def count(small: str, large: str, answers: Any) -> None:
    """Count in small blocks first, so that all is compiled and loaded; then in the large ones."""
    attackers = Attackers.of("count")
    measure_blocks(open_blocks(small), attackers)
    before = most_memory()
    cpu = time.process_time()
    found = measure_blocks(open_blocks(large), attackers)
    cpu = time.process_time() - cpu
    answers.put((cpu, most_memory() - before, found.at_risk))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("edges", type=int, nargs="?", default=1_000_000)
    parser.add_argument("--numbers", default="1,4,8")
    options = parser.parse_args()
    network, tiny = population(options.edges), population(1000)
    context = multiprocessing.get_context("spawn")
    print(f"{network.node_count:,} nodes, {network.edge_count:,} edges")
    print("| blocks | tasks | cutting, CPU s | counting, CPU s | MB more | task, MB | MB sent | at risk |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for number in map(int, options.numbers.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            small, large = str(Path(folder, "small")), str(Path(folder, "large"))
            cut_network(tiny, small, number)
            cpu = time.process_time()
            blocks = cut_network(network, large, number)
            cutting = time.process_time() - cpu
            answers: Any = context.Queue()
            process = context.Process(target=count, args=(small, large, answers))
            process.start()
            counting, more, at_risk = answers.get()
            process.join()
            triples = blocks.triples()
            sent = sum(4 * blocks.size(block) for triple in triples for block in triple)
            sizes = [more, max(map(blocks.bytes_of, triples)), sent]
            seconds = [f"{cutting:.2f}", f"{counting:.2f}"]
            row = [str(number), str(len(triples)), *seconds, *(f"{size / 1e6:.1f}" for size in sizes)]
            print(f"| {' | '.join(row)} | {at_risk:,} |", flush=True)


if __name__ == "__main__":
    main()
