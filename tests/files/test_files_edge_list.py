"""Edge lists: how a text becomes ties, what makes one doubt it, and in which encoding it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_tables import Shape, shapes
from hypothesis import given, strategies as st
from test_files_formats import by_label

import netveil as nv
from netveil.cli import main
from netveil.errors import FileError
from netveil.files import edge_list
from netveil.files.edge_list import read, write
from netveil.files.encodings import ALPHABETS, decoded, text_and_encoding
from netveil.files.labels import CompactLabels
from netveil.files.tables.people import HEADERS
from netveil.network import Network, Reading


def network_of(text: str) -> Network:
    """The network in the text of an edge list."""
    return read(text.encode(), "contacts.txt")


def reading_of(network: Network) -> Reading:
    """How a network was read."""
    assert network.reading is not None
    return network.reading


A_B_C = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(("text", "edges"), [
    # Blanks, tabs and commas separate labels.
    *((text, A_B_C) for text in ("a b\nb c\n", "a\tb\nb\tc\n", "a,b\nb,c\n", "a  b \n  b   c\n")),
    ("a, b\nb ,c\n", A_B_C),
    # A tab wins over marks and a mark over blanks, which are in labels of .csv and .tsv files.
    ("Bell,Anna\tCarr,Bob\n", [("Bell,Anna", "Carr,Bob")]),
    ("Anna Bell,Bob Carr\n", [("Anna Bell", "Bob Carr")]),
    ("Anna Bell\tBob Carr\n", [("Anna Bell", "Bob Carr")]),
    # No number has a separator inside, so mixed ones are no riddle.
    *((f"{line}\n", [("1", "2")]) for line in ("1 2\t0.5", "1 2,0.5", "1\t2,0.5", "1 2 0,5", "1, 2")),
    ("  1 2\t\n", [("1", "2")]),
    # Quoted labels may hold separators and doubled quotes; a quote inside a label means nothing.
    ('"Bell, Anna","the ""boss"""\n', [("Bell, Anna", 'the "boss"')]),
    ('"Anna Bell" " Bob "\n', [("Anna Bell", " Bob ")]),
    ('"1" ,"2"\n', [("1", "2")]),
    ('5" disk,6" disk\nthe "big" one,5" disk\n', [('5" disk', '6" disk'), ('5" disk', 'the "big" one')]),
    # Byte order mark, ends of lines and empty lines do not matter.
    *((text, A_B_C) for text in ("\ufeffa b\nb c", "a b\r\nb c\r\n", "a b\rb c\r", "a b\n\rb c")),
    ("\n\na b\n \t\nb c\n\n", A_B_C),
    # Every well-known header is skipped, in upper case as well.
    *((f"{' '.join(pair).upper()}\nanna bob\n", [("anna", "bob")]) for pair in HEADERS),
])  # fmt: skip
def test_edges_are_read_however_they_are_written(text: str, edges: list[tuple[str, str]]) -> None:
    assert network_of(text).to_edges() == edges


@pytest.mark.parametrize(("text", "rule"), [
    # The weight after a missing label is no label.
    *((f"1,2\n{line}\n", "line 2: expected two node labels, found one")
      for line in ("1,,5", "1\t\t5", ",1", "\t1 2", '"",1')),
    # A quote that does not close must not swallow what follows.
    *((f"{line}\nc,d\n", "contacts.txt, line 1: a quote is opened and never closed")
      for line in ('"Anna,Bob', 'Anna,"Bob', '"Anna"x,Bob')),
    ("# nodes: 4\n0 1\n# nodes: 5\n", "contacts.txt, line 3: a second comment"),
    # A slip of the hand would fill the memory.
    *((f"# nodes: {count}\n0 1\n", "announces more nodes than the 2,147,483,647 that are possible")
      for count in ("2147483648", "9" * 5000)),
    # It names file and line, rule and remedy, and not the label.
    *((f"# nodes: 4\n0 1\n1 {label}\n",
       "contacts.txt, line 3: a label is not a whole number from 0 to 3, which the comment `# nodes: 4` asks "
       "for. Correct either of the two.")
      for label in ("4", "-1", "x", "01", "+1", "1.0", "1_0", "²", "9" * 5000)),
])  # fmt: skip
def test_what_cannot_be_read_is_told(text: str, rule: str) -> None:
    with pytest.raises(FileError) as caught:
        network_of(text)
    told = str(caught.value)
    assert rule in told and told.startswith("contacts.txt, line ") and "Anna" not in told
    assert told == rule or not rule.endswith(".")


def test_what_is_dropped_is_counted_and_labels_stay_as_written() -> None:
    """Comments, self-loops, repeats in either direction; 01 is not 1, and neither is 1.0."""
    marked = network_of("# one\n% two\n  # three\na# b%\nb% #c\n")
    assert marked.to_edges() == [("a#", "b%"), ("b%", "#c")]
    assert reading_of(marked).dropped == ("3 comment lines",)

    numbers = network_of("01 1\n1.0 +1\n1 01\n")
    assert (numbers.labels, numbers.dropped.duplicates) == (("01", "1", "1.0", "+1"), 1)

    loops = network_of("a b\nb a\na b 7\nc c\n")
    assert (loops.labels, loops.to_edges()) == (("a", "b", "c"), [("a", "b")])
    assert (loops.dropped.self_loops, loops.dropped.duplicates) == (1, 2)

    reading = reading_of(network_of("# c\nfrom,to,w,t\n\n1,2,3,4\n2,3\n"))
    assert reading.sentence() == (
        "read as edge-list: separator comma, people in columns from and to, header, UTF-8, "
        "dropped: 1 comment line, 1 empty line, 2 further columns"
    )
    assert reading.first == (("1", "2"), ("2", "3"))


@pytest.mark.parametrize(("text", "edge_count", "header"), [
    ("# c\nperson friend\n1 2\n3 4\n", 2, True),  # every other line is numeric
    ("# c\nSource,Target\nanna,bob\n", 1, True),  # well known
    ("# c\nFromNodeId ToNodeId\nanna bob\n", 1, True),
    ('# c\n"node_1","node_2"\nanna,bob\n', 1, True),
    ("# c\nich du gewicht\nanna bob 1\nbob dan 2.5\n", 2, True),  # third column is numeric but here
    ("anna bob\n1 2\n3 anna\n", 3, False),  # a label that comes again is a person
    ("anna bob\ncleo dan\nbob dan\n", 3, False),
    ("anna 1\n1 2\n", 2, False),  # a header names both columns
    ("1 2 friend\n2 4 foe\n", 2, False),  # numbers name no columns
    ("n1 n2\nn3 n4\n", 2, False),  # of the same form as all others
    ("anna bob 7\nbob dan\neve fay 1\n", 3, False),  # a weight that is not everywhere
    ("anna bob\n", 1, False),
])  # fmt: skip
def test_a_header_is_told_from_an_edge(text: str, edge_count: int, header: bool) -> None:
    """Three ways to know one; where a label comes again, or looks like all others, nothing is skipped."""
    network = network_of(text)

    assert (network.edge_count, reading_of(network).header) == (edge_count, header)
    assert not {"person", "Source", "FromNodeId", "node_1", "ich"} & set(network.labels)


@pytest.mark.parametrize(("comment", "labels"), [
    # Blanks do not matter, nor the line, nor saying it twice.
    *((comment, range(4)) for comment in ("# nodes: 4", "#nodes:4", "#  nodes:  4  ", "# c\n# nodes: 4")),
    ("# nodes: 4\n# nodes: 4", range(4)),
    # Other comments declare nothing; the head of a SNAP file is among them.
    *((comment, ("3", "1")) for comment in ("# Nodes: 4 Edges: 1", "# Nodes: 4", "% nodes: 4", "# nodes:")),
    ("# nodes: 4 or 5", ("3", "1")),
])  # fmt: skip
def test_a_nodes_comment_makes_all_its_labels_exist(comment: str, labels: object) -> None:
    network = network_of(f"{comment}\n3 1\n")
    assert network.labels == labels
    assert network.to_edges() == ([(1, 3)] if isinstance(labels, range) else [("3", "1")])
    million = network_of("# nodes: 1000000\n")
    assert (million.node_count, million.edge_count, million.labels) == (1_000_000, 0, range(1_000_000))


@pytest.mark.parametrize(
    "edges", [[("u", "v")], [("source", "target"), ("a", "b")], [("a", "b"), ("1", "2")]], ids=str
)
def test_a_first_edge_that_looks_like_a_header_gets_one_before_it(edges: list[tuple[str, str]]) -> None:
    network = Network.from_edges(edges)
    found = read(write(network, "a.txt"), "a.txt")

    assert found == network and reading_of(found).header is True
    assert write(Network.from_edges([("anna", "bob")]), "a.txt") == b"anna bob\n"


@pytest.mark.parametrize(("file", "mark"), [("a.csv", ","), ("a.tsv", "\t"), ("A.CSV.gz", ",")])
def test_a_table_is_a_header_and_ties_and_no_comment(file: str, mark: str) -> None:
    network = Network.from_edges([("anna", "bob")], ["anna", "bob", "eve"])
    found = read(write(network, file), file)

    lines = ["source target", "anna bob", "eve eve"]
    assert write(network, file).decode().splitlines() == [line.replace(" ", mark) for line in lines]
    assert found == network and found.dropped.self_loops == 1


def test_the_header_of_a_table_has_no_label_in_it() -> None:
    """Somebody called source or target makes it look like a tie; if all words are labels, none is left."""
    network = Network.from_edges([("source", "anna"), ("anna", "dst")])
    table = write(network, "a.csv")
    assert table.startswith(b"src,dest\n") and read(table, "a.csv") == network

    every = Network.from_edges([("u", "v"), *((first, second) for first, second in HEADERS)])
    for file in ("a.txt", "a.csv"):
        with pytest.raises(FileError, match=rf"{file}: every name that a header may have is a label"):
            write(every, file)


@given(shapes())
def test_a_table_of_any_shape_is_read_right_or_a_question_is_asked(shape: Shape) -> None:
    try:
        found = read(shape.content, "contacts.csv")
    except FileError:
        return
    assert by_label(found) == by_label(Network.from_edges(shape.edges))


@given(shapes())
def test_a_table_of_which_all_is_said_is_read_right(shape: Shape) -> None:
    found = read(shape.content, "contacts.csv", **shape.options)

    assert by_label(found) == by_label(Network.from_edges(shape.edges))
    assert reading_of(found).first == tuple(shape.edges[:3])


# What makes one doubt that a file was read as it was meant is said, and nothing else.


PEOPLE = [f"p{u},p{v}" for u in range(12) for v in range(u + 1, 12)]


@pytest.mark.parametrize(("lines", "oddity"), [
    (PEOPLE, None),
    (["name,born", *(f"p{u},19{u:02}-01-31" for u in range(30))], "column born holds dates"),
    (["name,height", *(f"p{u},1.{u:02}" for u in range(30))], "column height holds numbers"),
    (["name,age", *(f"p{u},{u}" for u in range(30))], "column name texts and column age whole numbers hold"),
    ([f"hub,p{u}" for u in range(1200)], "one person has 1,200 ties, and everybody else one or none"),
    ([f"p{2 * u},p{2 * u + 1}" for u in range(30)], "there are more people than ties: 60 people in 30 lines"),
    ([*PEOPLE[:3], *["p1,p2"] * 40], "39 ties of 43 are repeats of others"),
    ([*PEOPLE, "#p1,p3"], "1 line that starts with # or % was taken for comments, and may be ties"),
    ([f"{1_700_000_000 + n},{n % 7}" for n in range(30)], "column 1 may hold times"),
])  # fmt: skip
def test_oddities_are_told(lines: list[str], oddity: str | None, tmp_path: Path) -> None:
    file = tmp_path / "contacts.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    reading = nv.read(file).reading

    assert reading is not None
    assert bool(reading.oddities) == (oddity is not None)
    assert oddity is None or any(told.startswith(oddity) for told in reading.oddities)


@pytest.mark.parametrize(("one", "other", "spellings"), [
    ("José", "Jose\u0301", r"'Jos\xe9' and 'Jose\u0301'"),
    ("anna", "an\u200bna", r"'anna' and 'an\u200bna'"),
    ("paco", "\u0440\u0430\u0441\u043e", r"'paco' and '\u0440\u0430\u0441\u043e'"),
    ("Tom", "\u03a4om", r"'Tom' and '\u03a4om'"),
    ("Anna Bell", "Anna\xa0Bell", r"'Anna Bell' and 'Anna\xa0Bell'"),
    ("\u0451ж", "е\u0308ж", r"'\u0451\u0436' and '\u0435\u0308\u0436'"),
], ids=["accent", "zero width", "Cyrillic", "Greek", "blank", "both Cyrillic"])  # fmt: skip
@pytest.mark.parametrize("large", [False, True], ids=["small", "large"])
def test_labels_that_look_the_same_are_told_with_both_spellings(
    one: str, other: str, spellings: str, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_list, "LARGE", 0 if large else 1 << 30)
    file = tmp_path / "contacts.csv"
    lines = ["source,target", *PEOPLE, f"{one},p1", f"{other},p2", "Zoë,p3"]
    file.write_text("\n".join(lines), encoding="utf-8")
    network = nv.read(file)

    # A blank that breaks no line is unusual, and has a file read at once.
    assert isinstance(network.labels, CompactLabels) == (large and "\xa0" not in other)
    assert {one, other} < set(network.labels)
    assert network.reading is not None
    told = "1 label is spelled in ways that look the same, each taken for another person: "
    assert network.reading.oddities == (told + spellings,)


def test_of_many_labels_that_look_the_same_some_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "contacts.csv"
    pairs = [f"p{number},\u0440{number}" for number in range(5)] + ["p0,\u0440\u200b0"]
    file.write_text("\n".join(["source,target", *pairs, *PEOPLE]), encoding="utf-8")

    assert main(["measure", str(file), "--quiet"]) == 0
    assert capsys.readouterr().err == (
        "warning: 5 labels are spelled in ways that look the same, each taken for another person: "
        r"'p0' and '\u04400' and '\u0440\u200b0'; 'p1' and '\u04401'; 'p2' and '\u04402'; …. "
        "Check that this is the network that was meant.\n"
    )


def test_labels_that_look_different_are_not_told(tmp_path: Path) -> None:
    """Other accents, other letters, another case; and labels of one alphabet that is not Latin."""
    file = tmp_path / "contacts.csv"
    names = [
        "Jose",
        "José",
        "Josè",
        "josé",
        "Müller",
        "Mueller",
        "Анна",
        "Anna",
        "Ольга",
        "Νίκος",
        "l1",
        "11",
    ]
    lines = [f"{one},{other}" for one in names for other in names if one < other]
    file.write_text("\n".join(["source,target", *lines]), encoding="utf-8")
    reading = nv.read(file).reading

    assert reading is not None and reading.oddities == ()


# Texts in every encoding: read right, or asked about.


NAMES = {
    "cp1252": ["Jürgen Groß", "José Peña", "Søren Åkesson", "François Hélène Noël", "Íñigo O’Brien Renée"],
    "cp1250": ["Dvořák Černý", "Łukasz Wałęsa", "Erdős Kőrösi Zsófia Gyűrű", "Žižek Šarić"],
    "cp1251": ["Иван Толстой Яков", "Ольга Йовович", "Їжакевич Юлія"],
    "cp1253": ["Γιώργος Παπαδόπουλος", "Μαρία Ζωή"],
    "cp1254": ["Yılmaz Şahin Çağlar", "İnci Gül"],
    "cp1257": ["Žukauskienė Mindaugas", "Bērziņš Kļaviņš"],
}
OTHERS = {
    "koi8-r": ["Иван Петров", "Мария Сергеевна"],
    "mac-roman": ["José Peña", "François Noël"],
    "cp850": ["Jürgen José"],
    "iso8859-2": ["Šimůnek Žák Lukáš"],
}


@pytest.mark.parametrize(
    ("encoding", "name"), [(encoding, name) for encoding, names in NAMES.items() for name in names]
)
def test_names_of_a_language_are_read_in_its_old_encoding(encoding: str, name: str) -> None:
    assert decoded(f"anna;{name}\n".encode(encoding), "f") == f"anna;{name}\n"


@pytest.mark.parametrize(
    ("encoding", "name"), [(encoding, name) for encoding, names in OTHERS.items() for name in names]
)
def test_what_no_windows_program_writes_is_asked_about(encoding: str, name: str) -> None:
    content = f"anna;{name}\n".encode(encoding)

    with pytest.raises(FileError, match=rf"its letters could be {encoding}\. Give it, such as encoding="):
        decoded(content, "f")
    assert decoded(content, "f", encoding) == f"anna;{name}\n"


@pytest.mark.parametrize("other", ["cp1252", "cp1250", "iso8859-2", "koi8-r"])
def test_mixed_encodings_are_asked_about(other: str) -> None:
    """Lines of UTF-8 and of an old encoding in one file: no encoding is right for all of it."""
    names = {"cp1252": "josé;elżbiet", "cp1250": "dvořák;łuk", "iso8859-2": "šak;žák", "koi8-r": "мария;иван"}
    lines = [names[other].encode(other, "ignore"), "élan;żaba".encode(), "Müller;josé".encode()]

    with pytest.raises(FileError, match=r"f, line 1: .*: it mixes encodings\. Save all of it as UTF-8, or"):
        decoded(b"\n".join(lines), "f")


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16-LE"), ("utf-16-be", "UTF-16-BE")],
)
def test_encodings_of_several_bytes_are_told_by_their_marks_or_zeros(encoding: str, told: str) -> None:
    """As Windows and spreadsheets write them."""
    assert text_and_encoding("anna;Łukasz\r\nβ;c\r".encode(encoding), "f") == ("anna;Łukasz\nβ;c\n", told)


@pytest.mark.parametrize("name", ["André Hélène", "山田太郎", "王伟", "שרה לוי"])
def test_letters_that_could_be_others_are_asked_about(name: str) -> None:
    """é and è are é and č in central Europe; Hebrew may be Greek; of Asian ones none is known."""
    encoding = {"A": "cp1252", "ש": "cp1255"}.get(name[0], "gb18030")
    content = f"a;b\n{name}\n".encode(encoding)

    with pytest.raises(
        FileError, match=r"f, line 2: byte \d+ is not UTF-8 text, and its letters .* encoding="
    ):
        decoded(content, "f")


VOWELS = "аеиоуαεηιουω"


@given(st.sampled_from(sorted(ALPHABETS)), st.data())
def test_words_of_one_language_are_never_read_as_others(encoding: str, data: st.DataObject) -> None:
    alphabet = data.draw(st.sampled_from(ALPHABETS[encoding]))
    letters = [letter for letter in alphabet if letter.encode(encoding, "ignore")]
    has_vowels = any(vowel in letters for vowel in VOWELS)
    first = st.sampled_from(
        [each for each in letters if each not in VOWELS and each not in "ςъыьΐΰάέήίόύώϊϋ"]
    )
    second = st.sampled_from([each for each in letters if each in VOWELS] or letters)
    if has_vowels:
        syllables = st.lists(st.tuples(first, second).map("".join), min_size=2, max_size=4)
        word = syllables.map("".join)
    elif min(letters) > "\u0590":  # whose words have no letters from a to z, and no vowels
        word = st.text(st.sampled_from(letters), min_size=2, max_size=6)
    else:  # beside the letters from a to z
        word = st.tuples(st.sampled_from("bdglmnr"), second, st.sampled_from("aeio")).map("".join)
    text = " ".join(data.draw(st.lists(word, min_size=30, max_size=40))) + "\n"
    try:
        found = decoded(text.encode(encoding), "f")
    except FileError:
        return

    assert found == text
