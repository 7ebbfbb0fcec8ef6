"""Texts in every encoding: read right, or asked about."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from netveil.errors import FileError
from netveil.files.encodings import ALPHABETS, decoded, text_and_encoding

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
    """Without a word about it, from the letters alone."""
    assert decoded(f"anna;{name}\n".encode(encoding), "f") == f"anna;{name}\n"


@pytest.mark.parametrize(
    ("encoding", "name"), [(encoding, name) for encoding, names in OTHERS.items() for name in names]
)
def test_what_no_windows_program_writes_is_asked_about(encoding: str, name: str) -> None:
    """With the encoding that fits; given, it is read."""
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
    """Syllables with the letters of an alphabet: read as they are, or asked about."""
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
