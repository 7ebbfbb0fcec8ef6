"""Attackers who match a whole network with the release: one a file, listed in `matchers`."""
