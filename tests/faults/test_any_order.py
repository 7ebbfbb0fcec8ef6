"""Commands on one folder in any order, with kills among them: what is there is always whole and closed."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from injection import KILL, KILLED
from scenarios import ANONYMIZE, OVERWRITE, SCENARIOS, release_state
from sweep import faulty, in_child, open_to_others

from netveil.cli import main
from releases import leave_out_report

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the harness looks into /proc")

AUDIT = ("audit", "karate", "release", "--measure", "degree", "--distance", "1", "--matching", "none")
FRESH, REPLACED = SCENARIOS[0], SCENARIOS[1]
LAST_OPERATION = 100  # of a command: some are killed later than that, and some are not killed at all


class AnyOrder(RuleBasedStateMachine):
    """One folder, and whoever works on it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.patch = pytest.MonkeyPatch()
        leave_out_report(self.patch)
        self.may_be_there = {"none"}  # states of the release that the last command allows

    def command(self, *arguments: str) -> int:
        """The exit code of a command, in this process."""
        here = Path.cwd()
        os.chdir(self.folder)
        try:
            return main(arguments)
        finally:
            os.chdir(here)

    @property
    def state(self) -> str:
        """What is there."""
        return release_state(self.folder)

    @property
    def is_cut_off(self) -> bool:
        """Whether a search has left something to go on from."""
        return (self.folder / ".release.unfinished" / "best.json").exists()

    @rule()
    def measure(self) -> None:
        """Of what is published, if anything is."""
        code = self.command("measure", "release/public/network.txt", "--quiet")
        assert code == (2 if self.state == "none" else 0)

    @rule()
    def anonymize(self) -> None:
        """A new release, where there is none and nothing was cut off."""
        expected = 0 if self.state == "none" and not self.is_cut_off else 2
        assert self.command(*ANONYMIZE) == expected
        self.may_be_there = {"new"} if expected == 0 else self.may_be_there

    @rule()
    def resume(self) -> None:
        """A release, where there is none; whatever was cut off."""
        expected = 0 if self.state == "none" else 2
        assert self.command(*ANONYMIZE, "--resume") == expected
        self.may_be_there = {"new"} if expected == 0 else self.may_be_there

    @rule()
    def overwrite(self) -> None:
        """Always possible, and nothing else is left."""
        assert self.command(*OVERWRITE) == 0
        assert [path.name for path in self.folder.iterdir()] == ["release"]
        self.may_be_there = {"new"}

    @rule(number=st.integers(1, LAST_OPERATION), replaces=st.booleans())
    def kill(self, number: int, replaces: bool) -> None:
        """A command that is killed at one of its file operations."""
        before = self.state
        code, _ = in_child(self.folder, faulty(REPLACED if replaces else FRESH, self.folder, number, KILL))
        if code == KILLED or (code != 2 and replaces):
            self.may_be_there = {before, "new"}
        elif code != 2:
            self.may_be_there = {"new"}

    @rule()
    def report(self) -> None:
        """Rendered again, if there is a release."""
        assert self.command("report", "release") == (2 if self.state == "none" else 0)

    @rule()
    def audit(self) -> None:
        """Of the release, if there is one."""
        assert self.command(*AUDIT, "--quiet") == (2 if self.state == "none" else 0)

    @invariant()
    def what_is_there_is_whole(self) -> None:
        """The release is what the last command left, never a part of it."""
        assert self.state in self.may_be_there
        if self.state == "new":
            self.may_be_there = {"new"}

    @invariant()
    def nothing_private_is_open(self) -> None:
        """To anybody else on the machine."""
        assert open_to_others(self.folder) == []

    def teardown(self) -> None:
        """Remove the folder."""
        self.patch.undo()
        shutil.rmtree(self.folder)


TestAnyOrder = pytest.mark.thorough(AnyOrder.TestCase)
TestAnyOrder.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)
