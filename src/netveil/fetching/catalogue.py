"""Networks that others publish: where each is, how to read it, and what it must be. `CATALOGUE` lists them.

Counts are those of the simple undirected network: every node that the file names, self-loops and repeated
edges dropped. A new network is one more entry; `docs/networks.md` says where the counts come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urlsplit


@dataclass(frozen=True, kw_only=True)
class FetchableNetwork:
    """A network at its public home."""

    name: str
    title: str  # one sentence on nodes and edges
    address: str
    nodes: int
    edges: int
    citation: str
    unique: int | None = None  # nodes alone in their class by measure count, where the paper has the number
    member: str | None = None  # the file inside the archive at the address, if it is one
    format: str = "edge-list"
    sha256: str | None = None  # of the file, unpacked, where somebody who can download it has told

    @property
    def file_name(self) -> str:
        """The file's name at its address."""
        return PurePosixPath(urlsplit(self.address).path).name

    @property
    def by_hand(self) -> str:
        """What to do where it cannot be downloaded."""
        return f"put {self.file_name} into a folder and set NETVEIL_DATA to that folder"


SNAP = "https://snap.stanford.edu/data"
KONECT = "https://konect.cc/files/download.tsv"
NETWORK_REPOSITORY = "https://nrvis.com/download/data"

_DENSIFICATION = (
    "Leskovec, Kleinberg and Faloutsos, Graph evolution: densification and shrinking diameters (2007)"
)
_FACEBOOK = "Traud, Mucha and Porter, Social structure of Facebook networks (2012)"
_BITCOIN = (
    "Kumar, Spezzano, Subrahmanian and Faloutsos, Edge weight prediction in weighted signed networks (2016)"
)
_FEATHER = "Rozemberczki and Sarkar, Characteristic functions on graphs: birds of a feather (2020)"

PAPER = (
    FetchableNetwork(
        name="fb-reed98",
        title="Friendships on Facebook among members of Reed College, 2005.",
        address=f"{NETWORK_REPOSITORY}/socfb/socfb-Reed98.zip",
        member="socfb-Reed98.mtx",
        format="matrix-market",
        nodes=962,
        edges=18_812,
        unique=748,
        citation=f"{_FACEBOOK}; Rossi and Ahmed, The network data repository (2015)",
    ),
    FetchableNetwork(
        name="blogs",
        title="Links between blogs on the election of 2004 in the United States.",
        address=f"{KONECT}.moreno_blogs.tar.bz2",
        member="out.moreno_blogs",
        nodes=1_224,
        edges=16_715,
        unique=598,
        citation="Adamic and Glance, The political blogosphere and the 2004 U.S. election (2005)",
    ),
    FetchableNetwork(
        name="fb-simmons",
        title="Friendships on Facebook among members of Simmons College, 2005.",
        address=f"{NETWORK_REPOSITORY}/socfb/socfb-Simmons81.zip",
        member="socfb-Simmons81.mtx",
        format="matrix-market",
        nodes=1_518,
        edges=32_988,
        unique=1_192,
        citation=f"{_FACEBOOK}; Rossi and Ahmed, The network data repository (2015)",
    ),
    FetchableNetwork(
        name="college-msg",
        title="Private messages among students at the University of California, Irvine.",
        address=f"{SNAP}/CollegeMsg.txt.gz",
        nodes=1_899,
        edges=13_838,
        unique=454,
        citation="Panzarasa, Opsahl and Carley, Patterns and dynamics of users' behavior (2009)",
    ),
    FetchableNetwork(
        name="grqc",
        title="Authors of papers on general relativity who wrote one together.",
        address=f"{SNAP}/ca-GrQc.txt.gz",
        nodes=5_242,
        edges=14_484,
        unique=285,
        citation=_DENSIFICATION,
    ),
)
"""The five of the paper, in the order of its Table 1."""

OTHERS = (
    FetchableNetwork(
        name="arenas-email",
        title="E-mails among members of the University Rovira i Virgili.",
        address=f"{KONECT}.arenas-email.tar.bz2",
        member="out.arenas-email",
        nodes=1_133,
        edges=5_451,
        citation="Guimerà et al., Self-similar community structure in a network of human interactions (2003)",
    ),
    FetchableNetwork(
        name="netscience",
        title="Authors of papers on networks who wrote one together.",
        address=f"{KONECT}.dimacs10-netscience.tar.bz2",
        member="out.dimacs10-netscience",
        nodes=1_461,
        edges=2_742,
        citation="Newman, Finding community structure in networks using the eigenvectors of matrices (2006)",
    ),
    FetchableNetwork(
        name="email-eu-core",
        title="E-mails among members of a European research institution.",
        address=f"{SNAP}/email-Eu-core.txt.gz",
        nodes=1_005,
        edges=16_064,
        citation="Yin, Benson, Leskovec and Gleich, Local higher-order graph clustering (2017)",
    ),
    FetchableNetwork(
        name="bitcoin-alpha",
        title="Ratings of trust among traders on Bitcoin Alpha.",
        address=f"{SNAP}/soc-sign-bitcoinalpha.csv.gz",
        nodes=3_783,
        edges=14_124,
        citation=_BITCOIN,
    ),
    FetchableNetwork(
        name="bitcoin-otc",
        title="Ratings of trust among traders on Bitcoin OTC.",
        address=f"{SNAP}/soc-sign-bitcoinotc.csv.gz",
        nodes=5_881,
        edges=21_492,
        citation=_BITCOIN,
    ),
    FetchableNetwork(
        name="ego-facebook",
        title="Friendships on Facebook around ten people.",
        address=f"{SNAP}/facebook_combined.txt.gz",
        nodes=4_039,
        edges=88_234,
        citation="McAuley and Leskovec, Learning to discover social circles in ego networks (2012)",
    ),
    FetchableNetwork(
        name="wiki-vote",
        title="Votes of Wikipedia's users on who becomes an administrator.",
        address=f"{SNAP}/wiki-Vote.txt.gz",
        nodes=7_115,
        edges=100_762,
        citation="Leskovec, Huttenlocher and Kleinberg, Signed networks in social media (2010)",
    ),
    FetchableNetwork(
        name="lastfm-asia",
        title="Users of LastFM in Asia who follow each other.",
        address=f"{SNAP}/lastfm_asia.zip",
        member="lastfm_asia_edges.csv",
        nodes=7_624,
        edges=27_806,
        citation=_FEATHER,
    ),
    FetchableNetwork(
        name="ca-hepth",
        title="Authors of papers on the theory of high energy physics who wrote one together.",
        address=f"{SNAP}/ca-HepTh.txt.gz",
        nodes=9_877,
        edges=25_973,
        citation=_DENSIFICATION,
    ),
    FetchableNetwork(
        name="ca-hepph",
        title="Authors of papers on the phenomenology of high energy physics who wrote one together.",
        address=f"{SNAP}/ca-HepPh.txt.gz",
        nodes=12_008,
        edges=118_489,
        citation=_DENSIFICATION,
    ),
    FetchableNetwork(
        name="ca-astroph",
        title="Authors of papers on astrophysics who wrote one together.",
        address=f"{SNAP}/ca-AstroPh.txt.gz",
        nodes=18_772,
        edges=198_050,
        citation=_DENSIFICATION,
    ),
    FetchableNetwork(
        name="facebook-pages",
        title="Official pages on Facebook that like each other.",
        address=f"{SNAP}/facebook_large.zip",
        member="musae_facebook_edges.csv",
        nodes=22_470,
        edges=170_823,
        citation="Rozemberczki, Allen and Sarkar, Multi-scale attributed node embedding (2021)",
    ),
    FetchableNetwork(
        name="ca-condmat",
        title="Authors of papers on condensed matter who wrote one together.",
        address=f"{SNAP}/ca-CondMat.txt.gz",
        nodes=23_133,
        edges=93_439,
        citation=_DENSIFICATION,
    ),
    FetchableNetwork(
        name="deezer-europe",
        title="Users of Deezer in Europe who follow each other.",
        address=f"{SNAP}/deezer_europe.zip",
        member="deezer_europe_edges.csv",
        nodes=28_281,
        edges=92_752,
        citation=_FEATHER,
    ),
    FetchableNetwork(
        name="email-enron",
        title="E-mails of the company Enron.",
        address=f"{SNAP}/email-Enron.txt.gz",
        nodes=36_692,
        edges=183_831,
        citation="Klimt and Yang, Introducing the Enron corpus (2004)",
    ),
    FetchableNetwork(
        name="epinions",
        title="Members of Epinions who trust each other's reviews.",
        address=f"{SNAP}/soc-Epinions1.txt.gz",
        nodes=75_879,
        edges=405_740,
        citation="Richardson, Agrawal and Domingos, Trust management for the semantic web (2003)",
    ),
)
"""Well-known others, from small to large."""

CATALOGUE = {network.name: network for network in (*PAPER, *OTHERS)}
"""Every network that can be fetched, by its name."""
