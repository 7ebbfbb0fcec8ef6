"""netveil makes a social network safe to publish.

The folders tell the flow:

    files/ → network.py → anonymity/ → search/ → release/ → utility/ → report/
    a file   a Network    who can be    which     what is    what did  what a person
                          singled out?  edges to  published  it cost?  reads and signs
                                        delete?

>>> import netveil as nv
>>> network = nv.load("karate")
>>> nv.measure(network).unique
15
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from netveil._version import __version__
from netveil.errors import (
    AttributesWarning,
    DirectionsWarning,
    FileError,
    LossWarning,
    MissingPackageError,
    NetveilError,
    NetworkError,
    NoEffectWarning,
    SecondReleaseWarning,
    SettingError,
)
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.anonymity import Anonymity, Cascade
    from netveil.api import (
        algorithms,
        anonymize,
        audit,
        audit_together,
        cascade,
        compare,
        formats,
        generators,
        limits,
        measure,
        measures,
        metrics,
        networks,
        pareto_front,
        synthesize,
        verify,
    )
    from netveil.auditing import Audit, Audits
    from netveil.files import read, write
    from netveil.network import Network
    from netveil.opening import load, load_release
    from netveil.progress import ProgressReport
    from netveil.registries import add
    from netveil.release.claims import Verification
    from netveil.release.release import ParetoFront, Release, ReleaseCurve, SearchHistory, SearchRuns
    from netveil.release.synthetic_release import SyntheticRelease
    from netveil.studies.generators import generate
    from netveil.studies.study import StudyRuns, experiment
    from netveil.studies.tuning import TuningResult, tune
    from netveil.utility import Comparison
    from netveil.workflow import save
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
