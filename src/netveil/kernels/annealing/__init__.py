"""Proposals of the annealing: drawn, judged, accepted or undone."""
