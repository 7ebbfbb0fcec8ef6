"""netveil makes a social network safe to publish.

The folders tell the flow:

    files/ → network.py → anonymity/ → search/ → release.py → report/
    a file   a Network    who can be    which     what is      what a person
                          singled out?  edges to  published    reads and signs
                                        delete?

>>> import netveil as nv
>>> network = nv.load("karate")
>>> nv.measure(network).unique
15
"""

from netveil._version import __version__
from netveil.anonymity import Anonymity
from netveil.api import anonymize, measure, save
from netveil.builtin import load
from netveil.errors import FileError, NetveilError, NetworkError, SettingError
from netveil.files import read, write
from netveil.network import Network
from netveil.release import Release

__all__ = [
    "Anonymity",
    "FileError",
    "NetveilError",
    "Network",
    "NetworkError",
    "Release",
    "SettingError",
    "__version__",
    "anonymize",
    "load",
    "measure",
    "read",
    "save",
    "write",
]
