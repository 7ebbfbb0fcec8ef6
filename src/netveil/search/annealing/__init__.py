"""Simulated annealing, the default search: `annealing.py` is the algorithm, `chains.py` has its walks."""
