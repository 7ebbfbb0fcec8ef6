"""Counting in a network that stays as it is: triangles, surroundings, paths, rows that are equal."""
