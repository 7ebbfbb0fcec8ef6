"""Simulated annealing, the default search: `annealing.py` is the algorithm, `chain.py` one of its walks."""
