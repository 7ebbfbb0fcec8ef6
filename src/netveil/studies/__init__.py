"""Studies over experiments: the paper run again, and simulated networks."""
