"""Attributes that synthetic networks carry: who has which, what is promised, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

import netveil as nv
from graphs import clustered, networks
from netveil.cli import netveil as root_command
from netveil.errors import AttributesWarning, SettingError
from netveil.network import Network
from netveil.release.synthetic_release import load_drawn, load_synthetic
from netveil.synthetic import KeptAttributes, ceilings, kept_attributes, make_table

PEOPLE = 120
COLUMNS: dict[str, list[Any]] = {
    "age": [20 + node * 7 % 50 for node in range(PEOPLE)],
    "illness": [("flu", "none", "none", "cold")[node * 11 % 4] for node in range(PEOPLE)],
    "sex": ["f" if node % 3 else "m" for node in range(PEOPLE)],
}


def graph_with_attributes() -> nx.Graph[int]:
    """A clustered network of people with an age, an illness and a sex; ties have a weight."""
    graph = clustered(nodes=PEOPLE, edges=500).to_networkx()
    for name, values in COLUMNS.items():
        nx.set_node_attributes(graph, dict(enumerate(values)), name)
    nx.set_edge_attributes(graph, dict.fromkeys(graph.edges, 1), "weight")
    return graph


GRAPH = graph_with_attributes()


def synthesized(keep: list[str], **others: Any) -> Any:
    """A release of the network that carries attributes, which is warned of."""
    with pytest.warns(AttributesWarning, match="carries the attributes"):
        return nv.synthesize(GRAPH, k=3, seed=1, keep_attributes=keep, **others)


def cells(row: Any, *columns: Any) -> Counter[tuple[Any, ...]]:
    """People of each row and each combination of values, counted slowly."""
    return Counter(zip(np.asarray(row).tolist(), *columns, strict=True))


@given(networks(min_nodes=12, max_nodes=30), st.integers(2, 3), st.data())
@settings(max_examples=40)
def test_groups_within_values_have_k_of_each(network: Network, k: int, data: st.DataObject) -> None:
    n = network.node_count
    values = [node % data.draw(st.integers(1, n // k // 2), label="values") for node in range(n)]
    fewest = min(Counter(values).values())
    kept = KeptAttributes({"colour": values}, ("colour",))
    if fewest < k:
        with pytest.raises(SettingError, match="groups are of"):
            make_table(network, k, kept=kept)
        return
    table, row = make_table(network, k, kept=kept)

    assert min(cells(row, values).values()) >= k
    assert table.people.tolist() == np.bincount(row).tolist()


@given(st.permutations(range(PEOPLE)))
@settings(max_examples=5)
def test_numbers_of_nodes_decide_nothing(order: list[int]) -> None:
    network, number = clustered(nodes=PEOPLE, edges=500), np.array(order)
    rules: dict[str, Any] = {"within": ("sex",), "diverse": {"illness": 2}}
    blocks = np.arange(PEOPLE) // 30
    back = np.argsort(number).tolist()
    moved = {name: [values[node] for node in back] for name, values in COLUMNS.items()}

    table, row = make_table(network, 3, communities=blocks, kept=KeptAttributes(COLUMNS, **rules))
    other, other_row = make_table(
        network.relabelled(number), 3, communities=blocks[back], kept=KeptAttributes(moved, **rules)
    )

    assert other == table
    assert other_row[number].tolist() == row.tolist()


def test_rows_have_several_values_of_what_is_to_be_diverse() -> None:
    network = clustered(nodes=PEOPLE, edges=500)
    _, plain = make_table(network, 3)
    table, row = make_table(network, 3, kept=KeptAttributes(COLUMNS, diverse={"illness": 3}))

    def fewest(rows: Any) -> int:
        pairs = set(zip(rows.tolist(), COLUMNS["illness"], strict=True))
        return min(Counter(number for number, _ in pairs).values())

    assert fewest(row) >= 3 > fewest(plain)
    assert table.people.min() >= 3


def test_a_node_has_the_values_of_the_person_who_was_assigned_to_it() -> None:
    release = synthesized(["age:10", "sex"], copies=2)
    for copy, network in enumerate(release.networks):
        number = release._number_of_node(copy)[release.node_of_person(copy)].tolist()
        ages = network.attributes.node["age"]
        assert [ages[published] for published in number] == [
            f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in COLUMNS["age"]
        ]
        sexes = network.attributes.node["sex"]
        assert [sexes[published] for published in number] == COLUMNS["sex"]
    one, other = (each.attributes.node["age"] for each in release.networks)
    assert one != other and sorted(one) == sorted(other)


def test_what_is_promised_counts_values_as_known() -> None:
    """Rows / people is no ceiling any more where values split rows: cells are, and the sentences say so."""
    release = synthesized(["age", "sex"])
    counts = cells(release.row_of_person, COLUMNS["age"], COLUMNS["sex"])

    assert release.ceiling == len(counts) / PEOPLE > release.rows / PEOPLE
    assert release.smallest_cell == min(counts.values()) < release.smallest_row
    said = " ".join(release.sentences())
    assert f"finds {len(counts)} of {PEOPLE} people" in said
    assert f"a chance above one in {release.smallest_cell}, whatever" in said
    assert "Whoever knows age and sex of somebody looks among fewer people" in said
    assert release.figures()["kept_attributes"] == ["age", "sex"]


def test_what_is_diverse_is_unknown_and_that_is_said() -> None:
    release = synthesized(["illness", "sex"], within=["sex"], diverse={"illness": 2})

    assert release.ceiling == len(cells(release.row_of_person, COLUMNS["sex"])) / PEOPLE
    said = " ".join(release.sentences())
    assert "whatever else is known to them, but for illness." in said
    fewest = Counter(
        key[:2] for key in cells(release.row_of_person, COLUMNS["sex"], COLUMNS["illness"])
    ).most_common()[-1][1]
    assert f"have 2 or more values of illness between them; among those with equal sex it is {fewest}" in said


def test_ceilings_count_values_as_known() -> None:
    network = Network.from_networkx(GRAPH)
    kept, _ = kept_attributes(network.attributes, ["age:10", "sex"], ["sex"])

    found = {each.k: each for each in ceilings(network, (3, 41), kept=kept)}

    release = synthesized(["age:10", "sex"], within=["sex"])
    assert list(found) == [3]  # 40 people are m
    assert (found[3].ceiling, found[3].smallest_row) == (release.ceiling, release.smallest_cell)


REFUSALS: dict[str, tuple[dict[str, Any], str]] = {
    "too few people": (
        {"keep_attributes": ["age"], "within": ["age"]},
        r"of a value of age there are 2 people only, and groups are of 3; put numbers into bands",
    ),
    "not kept": ({"keep_attributes": ["age"], "within": ["sex"]}, r"sex: only attributes that are kept"),
    "nothing kept": ({"diverse": {"sex": 2}}, r"are looked at \(none\)"),
    "both": (
        {"keep_attributes": ["sex"], "within": ["sex"], "diverse": {"sex": 2}},
        "cannot have one value and several of sex",
    ),
    "too many values": (
        {"keep_attributes": ["sex"], "diverse": {"sex": 3}},
        r"people of a community have 2 values of sex; give at most sex=2",
    ),
    "no number": (
        {"keep_attributes": ["sex"], "diverse": {"sex": "x"}},
        r"diverse sex=x: give a whole number",
    ),
    "one value": ({"keep_attributes": ["sex"], "diverse": {"sex": 1}}, "2 or more, such as sex=2"),
    "of ties": ({"keep_attributes": ["weight"]}, "ties of a synthetic network are made up"),
    "unknown": ({"keep_attributes": ["shoe"]}, "there is no attribute 'shoe'"),
}


@pytest.mark.filterwarnings("ignore::netveil.errors.AttributesWarning")
@pytest.mark.parametrize(("asked", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_name_the_attribute(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message) as error:
        nv.synthesize(GRAPH, k=3, seed=1, **asked)

    assert "\n" not in str(error.value)


def test_the_command_publishes_attributes_and_draws_further_networks_with_them(tmp_path: Path) -> None:
    file, first, second = tmp_path / "people.graphml", tmp_path / "first", tmp_path / "second"
    nx.write_graphml(GRAPH, file)
    run = CliRunner().invoke
    brief = ["--no-utility", "--no-audit", "--quiet", "--json"]
    asked = ["--keep-attributes", "age:10,sex,illness", "--within", "sex", "--diverse", "illness=2"]
    made = run(root_command, ["synthesize", str(file), "--k", "3", *asked, "--out", str(first), *brief])
    assert made.exit_code == 0, made.output
    again = run(root_command, ["synthesize", "--from", str(first), "--out", str(second), *brief])
    assert again.exit_code == 0, again.output

    loaded = load_synthetic(first)
    assert loaded.kept.columns["sex"] == [
        COLUMNS["sex"][int(str(label))] for label in loaded.labels_of_people
    ]
    assert (loaded.kept.within, loaded.kept.diverse) == (("sex",), {"illness": 2})
    drawn = load_drawn(second)
    assert drawn.network == nv.read(second / "public" / "network.graphml")
    assert drawn.kept == loaded.kept
    about = json.loads((first / "public" / "about.json").read_text())["about"]
    assert "Its nodes carry age, illness, sex" in about
    refused = run(root_command, ["synthesize", "--from", str(first), "--within", "sex", "--out", str(second)])
    assert isinstance(refused.exception, SettingError)
    assert "--within is of no use with --from" in str(refused.exception)


def test_a_format_without_attributes_is_refused(tmp_path: Path) -> None:
    release = synthesized(["sex"])

    with pytest.raises(nv.NetveilError, match="no place for attributes"):
        nv.save(release, tmp_path / "out", utility=False, audit=False)
    assert not (tmp_path / "out").exists()
