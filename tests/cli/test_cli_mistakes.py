"""The user's mistakes: one line that says what is wrong, exit code 2, no traceback, and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import PEOPLE, mistake, netveil, write

from releases import leave_out_report

TOO_LONG = "x" * 300
UGA = "--algorithm uga"
FILES = {
    "people.csv": PEOPLE,
    "empty.csv": "",
    "one-column.csv": "anna\nbob\n",
    "comments.csv": "# nobody\n% here\n",
    "one-node.txt": "# nodes: 1\n",
    "broken.toml": "patience = = 3\n",
    "unknown-key.toml": "patiense = 3\n",
    "infinite.toml": "patience = inf\n",
    "nested.toml": "[ga]\npatience = 3\n",
    "words.toml": "population = 'many'\n",
    "strangers.txt": "anna\n# and\nanna zoe\n",
    "no-edge.txt": "anna dan\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with files good and bad, a folder and a site that is no release."""
    for name, text in FILES.items():
        write(tmp_path / name, text)
    (tmp_path / "rubbish.csv").write_bytes(bytes(range(255, 0, -1)) * 20)
    (tmp_path / "zeros.csv").write_bytes(b"\x7fELF\0\0\0\1 2 3 4")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\0")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "site" / "public").mkdir(parents=True)
    write(tmp_path / "site" / "public" / "index.html", "my pages")
    (tmp_path / "linked").symlink_to("site")
    monkeypatch.chdir(tmp_path)
    leave_out_report(monkeypatch)
    return tmp_path


NO_NETWORKS = {
    "empty.csv": "empty.csv: the file is empty. Give one",
    "comments.csv": "comments.csv holds no edges",
    "one-column.csv": "one-column.csv, line 1: expected two node labels, found one",
    "rubbish.csv": "rubbish.csv, line 1: byte 33 is not UTF-16 text",
    "zeros.csv": "zeros.csv, line 1: not a text file",
    "folder.csv": "folder.csv is a folder. Give a file in it.",
    "missing.csv": "missing.csv: there is no such file",
    "people.csv/missing.csv": "people.csv/missing.csv cannot be read: Not a directory",
    "people.xyz": "people.xyz: the suffix .xyz belongs to no format",
    TOO_LONG: "it has no suffix that names a format",
    f"{TOO_LONG}.csv": "cannot be read: File name too long",
    "dmo": "dmo: there is no such file. As a built-in: unknown network 'dmo': did you mean demo?",
    "": "is a folder",
    "one-node.txt": "a network of 1 node has nobody to hide among",
}
NO_ATTACKERS = {
    "--k 1": "k = 1 protects nobody",
    "--json --k -3": "k = -3 protects nobody",
    "--k 6": "k = 6 is more than the network's 5 nodes; give a k of at most 5.",
    "--k 2.5": "'--k': '2.5' is not a valid integer",
    "--measure conut": "unknown measure 'conut': did you mean count?",
    "--measure=": "unknown measure ''",
    "--measure nowhere:f": "nowhere",
    "--distance 0": "distance 0: give a whole number from 1 to 100.",
    "--distance 2.5": "'--distance': '2.5' is not a valid integer",
    "--fuzzy -5%": "fuzzy -5% is not a share; give a share from 0% to 100%",
    "--fuzzy some": "fuzzy 'some' is not a number; give a share",
    "--measure ego --fuzzy 5%": "measure ego cannot be fuzzy: its states are not numbers",
    "--format gmll": "unknown format 'gmll': did you mean gml?",
    "--format pajek": "people.csv, line 1: expected `*Vertices`",
    "--masure count": "--measure",
    "more.csv": "Got unexpected extra argument (more.csv)",
}
NO_SEARCHES = {
    "--budget -0.5": "budget -0.5 is negative; give a share up to 100% (5% or 0.05) or a number",
    "--budget 500%": "budget 500% is more than all edges",
    "--budget 1e999999999": "budget '1e999999999' is not a number",
    "--budget 5": "budget 5 is more than the network's 4 edges",
    "--budget=": "budget '' is not a number",
    "--bugdet 5%": "--budget",
    "--algorithm ugaa": "unknown algorithm 'ugaa': did you mean uga?",
    "--algorithm=": "unknown algorithm ''",
    "--seed -1": "seed -1: give a whole number, 0 or more.",
    "--seed abc": "'--seed': 'abc' is not a valid integer",
    "--threads 0": "threads 0: give a whole number, 1 or more.",
    "--time 0": "time 0.0: give the seconds that the search may take, more than 0 and at most 1",
    "--time nan": "time nan: give the seconds",
    "--time soon": "'--time': 'soon' is not a valid float",
    "--set patience": "--set patience: give NAME=VALUE, such as --set effort=2.",
    f"{UGA} --set patience=abc": "patience = 'abc': Expected `int`",
    f"{UGA} --set patience=2.5": "patience = '2.5': Expected `int`",
    f"{UGA} --set patiense=3": "unknown setting 'patiense': did you mean patience?",
    "--set nonsense=1": "unknown setting 'nonsense': The choice is chains, effort.",
    "--effort 0": "setting effort = 0.0: it must be more than 0 and at most 1,000,000.",
    "--effort nan": "setting effort = nan: it must be more than 0",
    "--effort long": "'--effort': 'long' is not a valid float",
    f"--effort 2 {UGA}": "algorithm uga has no effort; leave out the effort, or choose annealing.",
    "--effort 2 --set effort=3": "effort is given twice",
    "--target 0": "target 0 is not a share; give a share of the people, more than 0% and up to",
    "--target most": "target 'most' is not a number; give a share of the people",
    f"--curve {UGA}": "algorithm uga has no curve; leave out the curve, or choose annealing.",
    "--from-curve site --budget 1": "site is not a release: it has no private/run.json.",
    "--from-curve site": "--from-curve needs the budget of a point; give it, such as --budget 1%.",
    f"{UGA} --set mutation_rate=2": "setting mutation_rate = 2.0: it must be between 0 and 1.",
    f"{UGA} --set mutation_rate=nan": "setting mutation_rate = nan: it must be between 0 and 1.",
    f"{UGA} --set crossover=both": "crossover = 'both': Invalid enum value",
    f"{UGA} --set crossover=0": "setting crossover = 0: it must be uniform, or 1 or more.",
    f"{UGA} --set parental_selection=best": "it must be one of roulette, tournament.",
    "--algorithm es --config conf1": "conf1: no such file, and no preset of this algorithm",
    "--config broken.toml": "broken.toml: not a TOML file",
    "--config binary.toml": "binary.toml: cannot be read",
    "--config site": "site: cannot be read",
    f"{UGA} --config unknown-key.toml": "unknown-key.toml: unknown setting 'patiense': did you mean",
    f"{UGA} --config nested.toml": "nested.toml: settings stand at the top level, not in a table [ga].",
    f"{UGA} --config words.toml": "words.toml: population = 'many': Expected `int`",
    f"{UGA} --config infinite.toml": "infinite.toml: patience = inf: Expected `int`",
    "--keep clustering": "--keep clustering: give METRIC=SHARE, such as --keep clustering=1%.",
    "--keep clustring=1%": "unknown limit 'clustring': did you mean clustering? The choice is",
    "--keep =1%": "unknown limit ''",
    "--keep lcc=5": "keep lcc: 5 is not a share; give a share from 0% to 100%, such as",
    "--keep lcc=all": "keep lcc: 'all' is not a number; give a share",
    "--keep lcc=1% --keep lcc=2%": "--keep lcc=2%: lcc=1% is given already; give each limit once.",
    "--protect missing.txt": "missing.txt: there is no such file. Check the name and the folder.",
    "--protect strangers.txt": "strangers.txt, line 3: the network has no node with that label.",
    "--protect no-edge.txt": "no-edge.txt, line 1: the network has no edge between these two.",
}
NO_RELEASES = {
    "people.csv": "people.csv exists and is not a release; it is not overwritten. Choose another (--out).",
    "site": "site exists and is not a release; it is not overwritten. Choose another (--out).",
    "folder.csv": "folder.csv exists already. Choose another folder (--out), or overwrite it (--overwrite).",
    "people.csv --overwrite": "people.csv exists and is not a release",
    "folder.csv/.. --overwrite": "exists and is not a release",
    "site --overwrite": "site exists and is not a release; it is not overwritten.",
    "linked --overwrite": "linked exists and is not a release",
    "people.csv/release": "people.csv/release cannot be written: Not a directory",
    "/proc/release": "/proc/release cannot be written",
    "/proc/new/release": "/proc/new/release cannot be written",
    ".": "'.' is not a folder that can be made",
    "/": "'/' is not a folder that can be made",
    TOO_LONG: "cannot be written: File name too long",
    "x" * 250: "cannot be written: File name too long",
    f"new/{TOO_LONG}": "cannot be written: File name too long",
    "new/deep/release --budget abc": "budget 'abc' is not a number",
    "new/deep/release --set patience": "give NAME=VALUE",
}
NO_COMMANDS = {
    "measur people.csv": "No such command 'measur'.",
    "--verbose": "--verbose",
    "measure": "Missing argument 'NETWORK'.",
    "anonymize": "Missing argument 'NETWORK'.",
    "report": "Missing argument 'RELEASE'.",
    "report site": "site is not a release: it has no private/run.json. Give a release folder.",
    "report people.csv": "people.csv is not a release",
    "report missing": "missing is not a release",
    "networks now": "No such command 'now'.",
}


@pytest.mark.parametrize("command", ["measure", "anonymize"])
def test_what_is_no_network_and_what_no_attacker_can_be(folder: Path, command: str) -> None:
    """Names the file, its line, the value, the rule and, for a slip of the pen, what was probably meant."""
    for network, what in NO_NETWORKS.items():
        assert what in mistake(folder, command, network), network
    for words, what in NO_ATTACKERS.items():
        assert what in mistake(folder, command, "people.csv", *words.split()), words


@pytest.mark.parametrize(
    ("beginning", "mistakes"),
    [("anonymize people.csv", NO_SEARCHES), ("anonymize people.csv --out", NO_RELEASES), ("", NO_COMMANDS)],
    ids=["searches", "releases", "commands"],
)
def test_what_no_search_release_or_command_can_be(
    folder: Path, beginning: str, mistakes: dict[str, str]
) -> None:
    """Names the value or the folder, and the remedy; neither a hidden folder nor a parent stays behind."""
    for words, what in mistakes.items():
        assert what in mistake(folder, *beginning.split(), *words.split()), words


def test_a_defect_of_ours_is_not_blamed_on_the_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 1 and one line that asks to report it; the traceback comes on request."""

    def broken(*arguments: object, **options: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.delenv("NETVEIL_DEBUG", raising=False)
    monkeypatch.setattr("netveil.api.measure", broken)

    said = netveil("measure", "people.csv")

    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert "RuntimeError: out of order" in said.err
    monkeypatch.setenv("NETVEIL_DEBUG", "1")
    with pytest.raises(RuntimeError, match="out of order"):
        netveil("measure", "people.csv")
