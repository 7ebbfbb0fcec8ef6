"""What there is to choose from: measures, algorithms, limits, formats. Read from the registries."""

from __future__ import annotations

from typing import Any

from netveil._version import __version__
from netveil.anonymity import DEFAULT_MEASURE, MEASURES
from netveil.anonymity.measure import title_of
from netveil.builtin import BUILTIN
from netveil.cores import available_cores
from netveil.files import FORMATS
from netveil.files.storage import COMPRESSIONS
from netveil.files.tables.one_line import SEPARATORS
from netveil.search import ALGORITHMS, DEFAULT_ALGORITHM, LIMITS
from netveil.web.options import DEFAULTS
from netveil.web.work.looking import DEAR


def choices() -> dict[str, Any]:
    """All of it, for the page."""
    return {
        "version": __version__,
        "cores": available_cores(),
        "measures": [
            {
                "name": name,
                "title": title_of(measure),
                "knowledge": measure.attacker,
                "numeric": measure.numeric,
                "dear": name in DEAR,
            }
            for name, measure in MEASURES.items()
        ],
        "default_measure": DEFAULT_MEASURE,
        "algorithms": [
            {
                "name": name,
                "description": ALGORITHMS.descriptions[name],
                "effort": hasattr(algorithm.default, "effort"),
                "curve": algorithm.curve is not None,
            }
            for name, algorithm in ALGORITHMS.items()
        ],
        "default_algorithm": DEFAULT_ALGORITHM,
        "limits": [
            {"name": name, "description": description} for name, description in LIMITS.descriptions.items()
        ],
        "formats": [
            {
                "name": name,
                "description": each.description,
                "suffixes": list(each.suffixes),
                "options": sorted(each.options),
            }
            for name, each in FORMATS.items()
        ],
        "separators": list(SEPARATORS.values()),
        "compressions": list(COMPRESSIONS),
        "builtin": [
            {
                "name": name,
                "description": each.description,
                "source": each.source,
                "available": each.available(),
            }
            for name, each in BUILTIN.items()
        ],
        "defaults": DEFAULTS,
    }
