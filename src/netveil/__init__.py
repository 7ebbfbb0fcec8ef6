"""netveil: make a social network safe to publish."""

from netveil._version import __version__

__all__ = ["__version__"]
