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

from netveil._version import __version__ as __version__
from netveil.errors import (
    FileError as FileError,
    NetveilError as NetveilError,
    NetworkError as NetworkError,
    SettingError as SettingError,
)
from netveil.lazy import lazy_names

if TYPE_CHECKING:
    from netveil.anonymity import Anonymity as Anonymity, Cascade as Cascade
    from netveil.api import (
        anonymize as anonymize,
        audit as audit,
        cascade as cascade,
        compare as compare,
        measure as measure,
        save as save,
    )
    from netveil.auditing import Audit as Audit
    from netveil.builtin import load as load
    from netveil.files import read as read, write as write
    from netveil.network import Network as Network
    from netveil.release.release import Release as Release
    from netveil.utility import Comparison as Comparison
else:
    __getattr__, __dir__, __all__ = lazy_names(__name__)
