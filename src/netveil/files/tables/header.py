"""Header lines: whether the first line of a table names its columns, and what names tell.

A first line is compared with the columns below it. It is no header if one of its people comes again below. It
is one if it has well-known names, or is a text above numbers or dates, or does not look like what is below,
or is the only one of many lines that has nothing in common with others. Where nothing tells, netveil asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from netveil.files.tables.cells import (
    VALUES,
    distinct,
    each_row_comes_again,
    is_missing,
    kind_of,
    kind_of_all,
)

_PAIRS = """
    source target, source destination, src dst, src dest, src trg, src tgt, from to, sender receiver,
    sender recipient, caller callee, caller called, follower followee, follower followed, ego alter,
    tail head, head tail, start end, u v, sourceid targetid, sourcenode targetnode, sourcename targetname,
    srcid dstid, fromid toid, fromnode tonode, fromnodeid tonodeid, startnode endnode, startid endid,
    fromuser touser, fromname toname, senderid receiverid, senderid recipientid, callerid calleeid,
    egoid alterid, person contact, person friend, person otherperson, personid contactid, user friend,
    userid friendid, user contact, name contact, name friend, respondent alter, nominator nominee,
    nominator nominated, mentor mentee, parent child, follower following, employee manager,
    employee supervisor, patient contact, case contact, giver taker, lender borrower, buyer seller,
    author coauthor, actor partner, respondent contact,
    employeename reportsto, employee reportsto, nom contact, kunde freund, mitarbeiterin vorgesetzte,
    absender empfänger, sender empfänger, von nach, von an, von zu, quelle ziel, anrufer angerufener,
    anrufer angerufene, person kontakt, person kontaktperson, start ziel, mitarbeiter vorgesetzter,
    expéditeur destinataire, source cible, origine destination, de à, de vers, appelant appelé,
    personne contact, émetteur récepteur, emetteur recepteur,
    remitente destinatario, origen destino, de a, desde hasta, emisor receptor, persona contacto,
    mittente destinatario, origine destinazione, da a, persona contatto, sorgente destinazione,
    remetente destinatário, origem destino, de para, pessoa contato, pessoa contacto,
    afzender ontvanger, bron doel, van naar, van aan, beller gebelde, persoon contact, persoon contactpersoon,
    avsändare mottagare, från till, fra til, afsender modtager, avsender mottaker, lähettäjä vastaanottaja,
    nadawca odbiorca, od do, źródło cel, osoba kontakt, odesílatel příjemce, zdroj cíl, feladó címzett,
    отправитель получатель, от кому, откуда куда, источник цель, gönderen alıcı, gönderen alici, kaynak hedef
"""
_NUMBERED = """
    node id nodeid person personid user userid name vertex actor individual contact friend entity member
    employee people student patient household account party partner knoten personne persona persoon pessoa
    individu nom nombre naam nome utilisateur benutzer gebruiker mitarbeiter osoba
"""

HEADERS = [
    *(tuple(pair.split()) for pair in _PAIRS.split(",")),
    *(
        (f"{noun}{one}", f"{noun}{two}")
        for noun in _NUMBERED.split()
        for one, two in ("12", "ab", "xy", "ij")
    ),
    *(
        (f"{one}{noun}", f"{two}{noun}")
        for noun in ("person", "name", "node", "user")
        for one, two in (("first", "second"),)
    ),
]
"""Well-known names of the two columns of people, in lower case and without blanks or marks such as _."""

ABOUT_TIES = frozenset(
    """
    weight weights timestamp time times date datetime day year month type kind label labels since start end
    begin duration count number n w t value strength score frequency sign relation relationship tie tieid edge
    edgeid comment comments note notes text message body subject content place location city country wave
    layer direction directed timeset interval channel medium category remark remarks probability distance
    gewicht datum zeit uhrzeit zeitstempel dauer art typ anzahl seit ort bemerkung betreff nachricht jahr
    poids date heure horodatage durée duree depuis lieu remarque objet année annee nombre
    peso fecha hora duración duracion tipo desde lugar comentario asunto año data tempo durata durée luogo
    gewicht tijd tijdstip tijdstempel duur soort sinds plaats opmerking onderwerp jaar
    age sex gender born birthday birthdate birthyear email mail phone address street zip postcode salary
    department team group role until to_date hasta bis jusque tot geschlecht geburtsdatum adresse sexe genre
    âge edad sexo leeftijd geslacht
    vikt tid datum typ waga czas data typ вес дата время тип tarih zaman ağırlık
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
"""Well-known names of columns about ties: none of them holds people."""

ENOUGH_LABELS = 6  # that look like each other, for a first line to look unlike them
ENOUGH_LINES = 100  # for a first line that is unlike all others to be so by chance in 1 of 100 files at most

_DIGITS = re.compile(r"\d++")


def normalized(name: str) -> str:
    """A column's name as the lists above have it.

    >>> normalized("From_Node ID"), normalized("Person A")
    ('fromnodeid', 'persona')
    """
    return re.sub(r"\W|_", "", name).casefold()


def named_pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    """Places of two columns whose names say that they are people."""
    known = [normalized(name) for name in names]
    pairs = {
        (min(places), max(places))
        for places in (
            (known.index(one), known.index(two)) for one, two in HEADERS if one in known and two in known
        )
        if places[0] != places[1]
    }
    return sorted(pairs)


def is_header(
    first: Sequence[str], people: tuple[int, int] | None, columns: Sequence[Sequence[str]]
) -> bool | None:
    """Whether the first line names the columns; None where it cannot be told.

    `columns` has the cells below it, column by column. `people` are the places of the people's columns, if
    they are known already; else the first line is compared with all columns that hold no numbers or dates.
    """
    if not columns or not columns[0]:
        return bool(named_pairs(first)) and len(first) > 1
    named = named_pairs(first)
    if not named and any(kind_of(cell) in VALUES for cell in first):
        return False
    kinds = [kind_of_all(column) for column in columns]
    if people is None:
        people = named[0] if named else None
    looked_at = people or [place for place, kind in enumerate(kinds) if kind == "text"]
    above_them = {first[place] for place in looked_at}
    comes_again = any(_has_one_of(columns[place], above_them) for place in looked_at)
    if named:
        return None if comes_again else True
    if comes_again:
        return False
    if len(first) == 2 and first[0] == first[1]:  # two columns of one name, or a tie of somebody to herself
        return False
    above = [_stands_above_values(cell, kind) for cell, kind in zip(first, kinds, strict=True)]
    about_ties = [place for place in range(len(first)) if people is None or place not in people]
    if any(above[place] for place in about_ties) or (people and all(above[place] for place in people)):
        return True
    if len(first) > 2 and any(normalized(cell) in ABOUT_TIES for cell in first):
        return True
    labels = set().union(*(distinct(columns[place]) for place in looked_at))
    told = _by_looks([first[place] for place in looked_at], labels)
    return True if told is None and _is_only_stray([columns[place] for place in looked_at]) else told


def _has_one_of(column: Sequence[str], cells: set[str]) -> bool:
    """Whether a column has one of these cells; the shorter of the two is walked through."""
    if len(column) < len(cells):
        return not cells.isdisjoint(column)
    return any(cell in column for cell in cells)


def _stands_above_values(cell: str, kind: str) -> bool:
    return kind in VALUES and not is_missing(cell)


def _by_looks(first: Sequence[str], below: set[str]) -> bool | None:
    """Whether a first line of labels looks like the labels below it (no header), unlike them, or neither.

    >>> _by_looks(["employee", "boss"], {f"P{n}" for n in range(9)}), _by_looks(["n1", "n2"], {"n3"})
    (True, False)
    >>> _by_looks(["Employee", "Boss"], {"Anna", "Bob", "Carl", "Dora", "Eve", "Finn"}) is None
    True
    """
    if _all_alike(first, below):
        return False
    if len(below) < ENOUGH_LABELS or any(map(is_missing, first)):
        return None
    for look in (_has_digit, _has_address):
        if all(map(look, below)) and not any(map(look, first)):
            return True
    return None


def _is_only_stray(columns: Sequence[Sequence[str]]) -> bool:
    """Whether, in a long table, each line has a label that comes again elsewhere.

    The first line, whose labels come nowhere else, would then be the only tie apart from all others, and by
    chance the first of many.
    """
    if len(columns) != 2 or len(columns[0]) < ENOUGH_LINES:
        return False
    return each_row_comes_again(*columns)


def _all_alike(first: Sequence[str], below: set[str]) -> bool:
    """Whether all labels have one form with a digit in it, such as n1 or P001, which no header has."""
    forms = {_DIGITS.sub("9", label) for label in (*first, *below)}
    return len(forms) == 1 and any(map(_has_digit, first))


def _has_digit(label: str) -> bool:
    return bool(_DIGITS.search(label))


def _has_address(label: str) -> bool:
    return "@" in label


def header_apart_from(labels: Iterable[str]) -> tuple[str, ...] | None:
    """Well-known names of columns that are not among these labels; None if all of them are."""
    taken = set(labels)
    return next((pair for pair in HEADERS if taken.isdisjoint(pair)), None)
