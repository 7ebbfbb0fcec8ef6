"""Matching the people of two networks: candidates by features, and by the candidates of contacts."""
