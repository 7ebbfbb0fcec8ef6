"""GML and GraphML as igraph reads them: nodes, edges, labels and attributes."""

from __future__ import annotations

import math
import re
import tempfile
import warnings
from collections.abc import Hashable, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from netveil.attributes import DIRECTIONS_IGNORED, LABEL_ATTRIBUTES, Attributes, of_igraph
from netveil.errors import FileError, option
from netveil.files.encodings import at_line
from netveil.files.labels import NO_TEXT, NUMBERED_IN_ORDER
from netveil.formatting import counted
from netveil.network import Network

if TYPE_CHECKING:
    import igraph


# Values of attributes as they are written to files: truth values, numbers or text, a kind a column.


ValueType = Literal["boolean", "int", "double", "string"]


def type_of_values(
    name: str, values: Sequence[Any], file: str, unfit: re.Pattern[str] | None = None
) -> ValueType:
    """Type of the values of an attribute, missing ones apart; FileError if they cannot be written.

    `unfit` finds what the format cannot hold in a text.
    """
    present = [value for value in values if not has_no_value(value)]
    if all(isinstance(value, bool | np.bool_) for value in present):
        return "boolean"
    if all(isinstance(value, str) for value in present):
        if any(NO_TEXT.search(text) or (unfit and unfit.search(text)) for text in present):
            raise FileError(
                f"{file}: attribute '{name}' holds a character that this format cannot hold. Leave it out, "
                f"or write another format."
            )
        return "string"
    are_numbers = all(isinstance(value, Real) and not isinstance(value, bool | np.bool_) for value in present)
    if not are_numbers or not all(map(math.isfinite, present)):
        raise FileError(
            f"{file}: attribute '{name}' holds something else than finite numbers, texts or truth values, or "
            f"several of these. Make them texts, or leave it out."
        )
    return "int" if all(isinstance(value, Integral) for value in present) else "double"


def has_no_value(value: Any) -> bool:
    """Whether a value of an attribute is missing."""
    return value is None or (isinstance(value, Real) and math.isnan(value))


def number_text(value: Any, kind: ValueType) -> str:
    """A number as text that reads back the same."""
    return str(int(value)) if kind == "int" else repr(float(value))


MOST_ATTRIBUTES = 10_000
MOST_VALUES_ANYWAY = 1_000_000
MOST_VALUES_PER_BYTE = 4
"""Values of attributes that a file may have: one for each name and each node, be it written or not."""


def read_with_igraph(content: bytes, file: str, kind: Literal["GraphML", "GML"]) -> Network:
    """Network from the content of a file, without bytes that make igraph abort (see `decoded`)."""
    import igraph

    # igraph reads real files only. This one has no name and is gone when closed, even if we are killed.
    with tempfile.TemporaryFile() as copy, warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always")
        copy.write(content)
        copy.seek(0)
        try:
            graph = getattr(igraph.Graph, f"Read_{kind}")(copy)
        except (igraph.InternalError, ValueError, OverflowError, MemoryError, SystemError) as error:
            raise _malformed(file, kind, str(error)) from None
    labels, labels_from = _labels(graph)
    origin = f"labels from vertex attribute {labels_from}" if labels_from else NUMBERED_IN_ORDER
    notes = [f"{kind}: {counted(graph.vcount(), 'node')}, {origin}", *_ignored(graph)]
    if remarks:  # not their text, which may quote the file
        skipped = "igraph skipped parts that it did not understand"
        notes.append(f"{skipped}, with {counted(len(remarks), 'warning')}")
    found = of_igraph(graph, ("id", labels_from))
    columns = ({name: _as_written(each[name]) for name in sorted(each)} for each in (found.node, found.edge))
    return Network.from_numbered_edges(
        graph.get_edgelist(),
        graph.vcount(),
        labels,
        notes=tuple(notes),
        each_way=graph.is_directed(),
        attributes=Attributes(*columns),
    )


def check_attributes(names: int, owners: int, size: int, file: str) -> None:
    """Raise where igraph would fill the memory: each of the owners gets a value of each attribute.

    `size` is that of the file. More names than are ever used would take igraph very long.
    """
    if names * owners > max(MOST_VALUES_ANYWAY, MOST_VALUES_PER_BYTE * size) or names > MOST_ATTRIBUTES:
        rule = f"has {names:,} names of attributes for {owners:,} nodes or edges, far more than values"
        raise FileError(f"{file} {rule}. Leave attributes out, or write another format.")


def _as_written(values: Sequence[Any]) -> list[Any]:
    # igraph has floating point numbers only, and says NaN or an empty text where there is nothing.
    present = [None if value == "" or value != value else value for value in values]
    if all(value is None or (isinstance(value, float) and value.is_integer()) for value in present):
        return [None if value is None else int(value) for value in present]
    return present


def _malformed(file: str, kind: str, message: str) -> FileError:
    # Only the line number is taken from the message: the rest may quote the file, and so name a person.
    line = re.search(r"\bline (\d++)", message, re.IGNORECASE)
    rule = f"not valid {kind}. Write the file again, or name its format with {option('format')}."
    return at_line(file, int(line.group(1)), rule) if line else FileError(f"{file}: {rule}")


def _labels(graph: igraph.Graph) -> tuple[Sequence[Hashable], str]:
    """Labels from the best attribute that tells nodes apart, and its name; else numbers, and no name."""
    numbers = range(graph.vcount())
    for attribute in LABEL_ATTRIBUTES:
        if attribute not in graph.vs.attributes():
            continue
        texts = [_text(value) for value in graph.vs[attribute]]
        if attribute == "id":  # igraph leaves every & of a GraphML identifier in this form
            texts = [text.replace("&#38;", "&") for text in texts]
        if not all(texts) or len(set(texts)) < len(texts):
            continue
        if attribute == "id" and texts == list(map(str, numbers)):
            break
        return tuple(texts), attribute
    return numbers, ""


def _text(value: Any) -> str:
    """Value of an attribute as a label; empty if it is missing."""
    if has_no_value(value):
        return ""
    # igraph has no whole numbers: the id 7 of a GML file comes as 7.0.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _ignored(graph: igraph.Graph) -> list[str]:
    of_vertices = set(graph.vs.attributes()) - set(LABEL_ATTRIBUTES)
    counts = {"vertex attribute": len(of_vertices), "edge attribute": len(graph.es.attributes())}
    notes = [f"{counted(count, noun)}, published only if named" for noun, count in counts.items() if count]
    notes += [f"{counted(len(graph.attributes()), 'graph attribute')} ignored"] * bool(graph.attributes())
    return [DIRECTIONS_IGNORED] * graph.is_directed() + notes
