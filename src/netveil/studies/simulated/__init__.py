"""The study of simulated networks: what drives uniqueness, and what GA and UGA achieve then."""
