"""A generation of the genetic algorithm."""
