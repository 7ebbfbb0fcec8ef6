"""Files that hold no network: one line that names file and line, rule and remedy, and nobody."""

from __future__ import annotations

import pytest

from netveil.errors import FileError
from netveil.files import FORMATS

GRAPHML = b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="Anna"/>\n'
BANNER = b"%%MatrixMarket matrix coordinate pattern symmetric\n"


def error_of(name: str, content: bytes) -> str:
    """The message on reading a file that must fail."""
    with pytest.raises(FileError) as caught:
        FORMATS[name].read(content, "contacts.x")
    return caught.value.for_command_line()


@pytest.mark.parametrize(("name", "content", "message"), [
    ("edge-list", b"", "contacts.x holds no edges"),
    ("edge-list", b"# Anna\n\n% Bob\n", "contacts.x holds no edges"),
    ("edge-list", b"source,target\n", "contacts.x holds no edges"),
    (
        "edge-list",
        b"a b\nAnna\n",
        "contacts.x, line 2: expected two node labels, found one. "
        "Separate them by a comma, a semicolon, a tab or a blank (--separator).",
    ),
    ("edge-list", b"Anna/Bob\n", "contacts.x, line 1: expected two node labels"),
    ("edge-list", b"Anna,Bob\nCarl,Dora\n", "contacts.x: it is not clear whether its first line names"),
    ("edge-list", b"a,Anna,Bob\nb,Bob,Carl\n", "it is not clear which two of its 3 columns are the people"),
    ("edge-list", b"Anna;Bob,a\nBob;Carl,a\n", "can be split at each of semicolon and comma"),
    ("edge-list", b"a b\nAnna \0\n", "contacts.x, line 2: not a text file, it holds a zero byte"),
    ("edge-list", b"a b\r\nAnn\xb7\xb3 Bob\n", "contacts.x, line 2: byte 9 is not UTF-8 text"),
    ("edge-list", "André;Hélène\n".encode("cp1252"), "its letters could be cp1252 or cp1250"),
    ("edge-list", GRAPHML, "it looks like graphml. Read it with --format graphml"),
    ("edge-list", b'Creator "x"\ngraph\n[ node [ id 1 ] ]', "--format gml"),
    ("edge-list", b"*Vertices 3\n1 Anna\n", "--format pajek"),
    ("edge-list", BANNER + b"3 3 1\n2 1\n", "--format matrix-market"),
    ("edge-list", b"!n=3\n0: 1;\n", "--format nauty"),
    ("graphml", b"", "not valid GraphML"),
    ("graphml", b"Anna Bob\n", "contacts.x, line 1: not valid GraphML"),
    ("graphml", GRAPHML, "contacts.x, line 2: not valid GraphML"),
    ("graphml", GRAPHML + b'<edge source="Anna"/></graph></graphml>', "x, line 2: not valid GraphML"),
    ("graphml", b"<html></html>", "contacts.x, line 1: not valid GraphML"),
    ("graphml", b"<graphml>Ann\xe9</graphml>", "not valid GraphML"),
    ("graphml", GRAPHML + b'<node id="\0"/></graph></graphml>', "not valid GraphML"),
    ("gml", b"", "contacts.x, line 1: not valid GML"),
    ("gml", b'graph [\nnode [ id 0 label "Anna" ]\n', "contacts.x, line 3: not valid GML"),
    ("gml", b"graph [ node [ id 0 ]\n edge [ source 0 target 5 ] ]", "contacts.x, line 2: not valid GML"),
    ("gml", b'graph [ node [ id 0 label "Ann\xb7\xb3" ] ]', "contacts.x, line 1: byte 31 is not UTF-8"),
    ("gml", b'graph [ node [ id 0 label "\0" ] ]', "contacts.x, line 1: not a text file"),
    ("pajek", b"", "contacts.x holds no network: there is no line `*Vertices`"),
    ("pajek", b"Anna Bob\n", "contacts.x, line 1: expected `*Vertices` and the number of nodes"),
    ("pajek", b"*Vertices\n", "contacts.x, line 1: expected the number of nodes"),
    ("pajek", b"*Vertices 9999999999\n", "contacts.x, line 1: announces more nodes"),
    ("pajek", b'*Vertices 2\n1 "Anna\n', "contacts.x, line 2: expected the number of a node and its label"),
    ("pajek", b"*Vertices 2\n3 Anna\n", "contacts.x, line 2: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 3\n",
     "contacts.x, line 3: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 0\n",
     "contacts.x, line 3: expected the number of a node, from 1 to 2"),
    ("pajek", b"*Vertices 2\n*Edges\n1 Anna\n", "contacts.x, line 3: expected the number of a node"),
    ("pajek", b"*Vertices 2\n*Edges\n1\n",
     "contacts.x, line 3: expected the numbers of two nodes, found one"),
    ("pajek", b"*Vertices 2\n*Matrix\n0 1\n", "contacts.x, line 3: a matrix of Pajek is not read"),
    ("matrix-market", b"", "contacts.x holds no edges"),
    ("matrix-market", b"%%MatrixMarket tensor\n1 1 0\n",
     "contacts.x, line 1: expected `%%MatrixMarket matrix"),
    ("matrix-market", BANNER, "contacts.x: the line with the sizes of the matrix is missing"),
    ("matrix-market", BANNER + b"3 4 1\n2 1\n", "contacts.x, line 2: the matrix is 3 by 4"),
    ("matrix-market", BANNER + b"9999999999 9999999999 0\n", "contacts.x, line 2: announces more nodes"),
    ("matrix-market", BANNER + b"3 3 2\n2 1\n",
     "contacts.x, line 2: expected 2 entry lines to follow, found 1"),
    ("matrix-market", BANNER + b"3 3 1\n4 1\n",
     "contacts.x, line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", BANNER + b"3 3 1\n0 1\n",
     "contacts.x, line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", b"% c\n3 3 1\n1 4\n", "contacts.x, line 3: a label is not a whole number from 1 to 3"),
    ("matrix-market", b"3 3 2\n1 2\n", "contacts.x, line 1: expected 2 entry lines to follow, found 1"),
    ("nauty", b"", "contacts.x holds no network: a line `!n=` with the number of nodes is missing"),
    ("nauty", b"0: 1;\n", "contacts.x, line 1: a line `!n=` with the number of nodes must come first"),
    ("nauty", b"!n=3\n0 1;\n", "contacts.x, line 2: expected `node: neighbours;`, with numbers"),
    ("nauty", b"!n=3\n0: Anna;\n", "contacts.x, line 2: expected `node: neighbours;`, with numbers"),
    ("nauty", b"!n=3\n0: 3;\n", "contacts.x, line 2: a node number is too large, as `!n=` announces 3 nodes"),
    ("nauty", b"!n=3\n3: 0;\n", "contacts.x, line 2: a node number is too large"),
    ("nauty", b"!n=3\n0: " + b"9" * 5000 + b";\n", "contacts.x, line 2: a node number is too large"),
    ("nauty", b"!n=3\n!m=4\n0: 1;\n", "contacts.x: expected 4 neighbours, as `!m=` says, found 1"),
    ("nauty", b"!n=5\n4: 3;\n!n=2\n", "contacts.x, line 3: a second line `!n=`"),
    ("nauty", b"!n=9999999999\n", "contacts.x, line 1: announces more nodes"),
    ("adjacency-list", b"", "contacts.x holds no lists of contacts"),
    ("adjacency-list", b"# Anna: Bob\n", "contacts.x holds no lists of contacts"),
    ("adjacency-list", b"Anna: Bob\nBob\n",
     "contacts.x, line 2: expected `label:` with a blank behind the colon"),
    ("adjacency-list", b": Bob\n", "contacts.x, line 1: expected `label:`"),
    ("adjacency-list", b"Anna:Bob,Carl\n", "contacts.x, line 1: a comma or semicolon in a list whose labels"),
    ("adjacency-list", b"Anna:Bob\n",
     "contacts.x, line 1: a colon in a list whose labels are separated by blanks"),
    ("adjacency-list", b"x y\n12:30 Anna\n", "contacts.x, line 2: a colon in a list"),
    ("adjacency-list", b"Anna, Bob\n", "contacts.x, line 1: a comma or semicolon in a list"),
    ("adjacency-list", b"Anna: Bob, Carl; Dan\n",
     "commas or by semicolons: there are both. Say which with --separator"),
    ("adjacency-list", b"x: y\nAnna: Bob,, Carl\n", "contacts.x, line 2: a label is empty"),
    ("adjacency-list", b'Anna: "Bob\n',
     "contacts.x, line 1: a label is empty, or a quote in it is never closed"),
    ("adjacency-list", b'Anna: "", Bob\n', "contacts.x, line 1: a label is empty"),
    ("matrix", b"", "contacts.x holds no matrix"),
    ("matrix", b"# Anna\n", "contacts.x holds no matrix"),
    ("matrix", b"0,1,0\n1,0,1\n", "contacts.x: 2 rows of 3 cells are not a matrix"),
    ("matrix", b"1 2 5\n1 3 2\n2 3 1\n3 4 7\n", "contacts.x: 4 rows of 3 cells are not a matrix"),
    ("matrix", b"0,1,0\n1,0\n0,1,0\n", "contacts.x, line 2: the row has 2 cells and others have 3"),
    ("matrix", b"0,1\n\n1\n0,1", "contacts.x, line 3: the row has 1 cells and others have 2"),
    ("matrix", b",Anna,Bob\nAnna,0,1\nCarl,1,0\n",
     "contacts.x, line 3: the name of a row is not that of the column"),
    ("matrix", b",Anna,Bob\nAnna,0,1\nBob,Anna,0\n",
     "contacts.x, line 3: a cell of the matrix is not a number"),
    ("matrix", b"0 1 0\n1 0 1\n0 Anna 0\n", "contacts.x, line 3: a cell of the matrix is not a number"),
    ("matrix", b"Anna,Anna\n0,1\n1,0\n", "contacts.x, line 1: names 1 and 2 agree"),
    ("matrix", b"Anna,0,1\n,1,0\n", "contacts.x, line 2: name 2 is empty"),
    ("matrix", b'"' + b"x" * 200_000 + b"\n0,1\n", "a quote is opened and never closed"),
])  # fmt: skip
def test_a_malformed_file_is_told_in_one_line(
    name: str, content: bytes, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """With its name and line where there is one, and a remedy; not with a label, and nothing is printed."""
    error = error_of(name, content)

    assert message in error
    assert error.endswith(".") and "\n" not in error
    assert "Anna" not in error and "Bob" not in error
    assert capfd.readouterr() == ("", "")
