"""`netveil audit`: what an attacker who knows the original could still find."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from netveil.cli.options import (
    SEVERAL,
    WHOLE,
    Output,
    opened_with_releases,
    options,
    output_options,
    reading_options,
    user_code_option,
)
from netveil.cli.progress import telling
from netveil.job import POLICY_HELP
from netveil.progress import Watcher

if TYPE_CHECKING:
    from netveil.auditing import Audit
    from netveil.auditing.together import Audits
    from netveil.files import ReadAs


@click.command()
@click.argument("original")
@click.argument("released", nargs=-1, required=True)
@reading_options
@options(
    ("--labels labels_file", "FILE", "Table original,published, to score with. [default: the release's own]"),
    ("--measure", "NAME", "What the attacker knows. [default: all]", SEVERAL),
    ("--distance", "D", "How far it reaches. [default: 1, and 2 unless that takes long]", SEVERAL | WHOLE),
    ("--fuzzy", "SHARE", "How far the attacker's numbers may be off. [default: 5% and 10%]", SEVERAL),
    (
        "--deletions",
        "SHARE",
        "By how much the attacker takes these numbers to have fallen by deletions. Where one of --fuzzy and "
        "--deletions is given, the other is not tried. [default: 5%, 10% and 20%]",
        SEVERAL,
    ),
    (
        "--matching",
        "EXTENT",
        "How much is tried of attackers who match the whole network: none, brief, usual or all.",
        {"default": "usual", "show_default": True},
    ),
    ("--seed", "N", "Decides what those attackers know.", {"default": 0, "show_default": True}),
    ("--threads", "N", "Threads for those attackers. [default: all cores]", WHOLE),
    ("--policy", "FILE", POLICY_HELP),
)
@user_code_option
@output_options
def audit(
    original: str,
    released: tuple[str, ...],
    read_as: ReadAs,
    labels_file: str | None,
    policy: str | None,
    output: Output,
    **wishes: Any,  # called as the parameters of `netveil.audit`
) -> int:
    """What an attacker who knows ORIGINAL could still find in RELEASED.

    ORIGINAL is a file or the name of a built-in network. RELEASED is a release folder or a file. Attackers
    need no table of labels; it only tells whether they are right. --measure, --distance, --fuzzy and
    --deletions may be given several times.

    Several RELEASED are releases of the same network: each is audited, and each two are laid on each other.
    """
    import netveil.api
    from netveil.api import audit_together
    from netveil.deciding import named_attackers, read_policy
    from netveil.workflow import judge_released

    asked = None if policy is None else read_policy(policy)
    options: dict[str, Any] = {name: None if value == () else value for name, value in wishes.items()}
    network, given = opened_with_releases(original, released, read_as, labels_file, output.quiet)
    options["progress"] = AttacksTold(output.quiet or output.as_json)
    if len(released) > 1:
        together = audit_together(network, given, names=released, **options)
        audits = together.releases
    else:
        together, audits = None, (netveil.api.audit(network, given[0], **options),)
    decided = [
        judge_released(network, one, found, asked, is_one_of_several=len(released) > 1)
        for one, found in zip(given, audits, strict=True)
        if asked is not None
    ]
    documents, texts = [], []
    for place, (name, one) in enumerate(zip(released, audits, strict=True)):
        whose = "" if together is None else f"{name}: "
        for note in filter(None, [one.about_added(), *one.notes]):
            click.echo(f"warning: {whose}{note}", err=True)
        who = named_attackers(one).to_dict()
        documents.append({**one.to_dict(), "original": original, "released": name, **who})
        if decided:
            documents[-1] |= decided[place].to_dict()
            texts.append(whose + "\n".join(decided[place].lines()) + "\n")
    if together is None:
        texts.append(_told(audits[0], output.quiet))
        if not output.quiet and not decided:
            texts += ["", *named_attackers(audits[0]).lines()]
        output.tell(documents[0], *texts)
    else:
        for name, one in zip(released, audits, strict=True):
            texts += [f"{name}:\n{one.findings()}", "" if output.quiet else f"{one.paragraph()}\n"]
        document = {"original": original, **together.to_dict(), "releases": documents}
        output.tell(document, *texts, _told(together, output.quiet))
    return 3 if any(each.met is False for each in decided) else 0


class AttacksTold(Watcher):
    """Tells which attack was tried, on a bar or in lines."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def report(self, doing: str) -> AbstractContextManager[Callable[[str], None] | None]:
        """Tell so while attacks are tried."""
        return telling(doing, self.quiet, at_once=False)


def _told(found: Audit | Audits, quiet: bool) -> str:
    """A table, what it means and, unless quiet, the paragraph for a privacy officer."""
    return "\n\n".join(filter(None, [found.table(), found.findings(), "" if quiet else found.paragraph()]))
