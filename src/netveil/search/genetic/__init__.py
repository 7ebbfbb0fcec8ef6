"""The paper's genetic algorithms GA and UGA: `genetic.py` is Algorithm 1, `selection.py` its selections."""
