"""The help of the command as plain text: rich takes longer to import than the help takes to write.

``--help`` begins with examples and shows what most need; ``--help-all`` shows all options, and all of their help.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import copy
from textwrap import fill, indent
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

#: The examples of each command: what is wanted, and the line that does it.
EXAMPLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "score": (
        ("A text file of outputs, against one of references:", "tercet score outputs.txt -r reference.txt"),
        ("By several metrics:", "tercet score outputs.txt -r reference.txt -m bleu chrf ter"),
        ("The outputs and references in a table:", "tercet score outputs.csv -o scores.json"),
    ),
    "compare": (
        ("Text files, against one of references:", "tercet compare base.txt tuned.txt -r reference.txt -m bleu chrf"),
        ("All texts in a table, the result in the browser:", "tercet compare outputs.csv -o report.html --open"),
        (
            "A gate: end with code 1 if tuned is significantly worse than base:",
            "tercet compare base.txt tuned.txt -r reference.txt --fail-if-worse chrf",
        ),
    ),
    "plan": (
        (
            "How many segments show a difference of one point of chrF?",
            "tercet plan base.txt tuned.txt -r reference.txt -m chrf --difference 1",
        ),
        ("The same of accuracies that a harness logged:", "tercet plan logs/base logs/tuned --difference 2"),
    ),
    "correlate": (
        ("The usual metrics, by the grades in a table:", "tercet correlate graded.csv"),
        (
            "Metrics of your choice, as a page in the browser:",
            "tercet correlate graded.csv -m chrf rouge -o trust.html --open",
        ),
        ("Scores in the table, such as those of COMET:", "tercet correlate graded.csv -m chrf --scores COMET"),
    ),
    "explain": (
        ("The segment that tells two systems apart best:", "tercet explain chrf base.txt tuned.txt -r reference.txt"),
        ("Segment 12, as a page in the browser:", "tercet explain bleu outputs.csv --segment 12 -o why.html --open"),
        (
            "Why does another package give another score?",
            "tercet explain bleu outputs.txt -r reference.txt --against nltk",
        ),
    ),
    "mbr": (
        ('Lists of texts, {"candidates": ["...", "..."]}:', "tercet mbr samples.jsonl"),
        ("A candidate per file and line:", "tercet mbr run1.txt run2.txt run3.txt"),
        ("64 lines for each source:", "tercet mbr samples.txt -n 64"),
        ("n-best lists, 0 ||| a text ||| scores:", "tercet mbr nbest.txt -m bleu -o best.txt"),
        ("By chrF++, and with all scores:", "tercet mbr samples.jsonl -m chrf:word_order=2 -o chosen.jsonl"),
    ),
    "read": (
        ("What would be compared in a table?", "tercet read outputs.csv"),
        ("In text files, or in logs of a harness?", "tercet read base.txt tuned.txt -r reference.txt"),
    ),
}

#: The options that few need, in any command.
RARE = frozenset({
    "--source-column", "--decimal", "--encoding", "--sheet", "--missing", "--engine", "--id-column", "--on-bad-file",
    "--confidence-level", "--interval", "--seed", "--test", "--adjust", "--n-resamples", "--alpha", "--weight",
    "--power", "--unit", "--n-permutations", "--ties", "--standardize", "--lp", "--mean", "--mean-folds",
    "--bom", "--worst-first", "--export", "--dataset", "--task", "--max-missing", "--their-option", "--items",
})  # fmt: skip
#: Those that few need in one command, and most in another.
RARE_IN: Mapping[str, frozenset[str]] = {"compare": frozenset({"--segment"})}

#: The heading of options that have none, and come last.
_OTHER = "Options"

#: Where the help of this call shows all options.
_SHOWS_ALL = "tercet.cli.help: all options"

_END_OF_SENTENCE = re.compile(r"(?<=[.:]) (?=[A-Z])")


class CommandGroup(TyperGroup):
    """A group of commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help at once, as typer does by rich: also where nothing was given, it goes to standard output."""
        super(TyperGroup, self).format_help(ctx, formatter)
        typer.echo("".join(formatter.buffer).rstrip("\n"))
        formatter.buffer.clear()

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its whole first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(1_000)) for name, command in self.commands.items()])


class Command(TyperCommand):
    """A command whose help begins with examples, and whose options are under headings."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        if any(self._is_rare(parameter) for parameter in self.params):
            self.params.append(_help_all())

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments; without any, show how the command is written."""
        needs_some = any(parameter.required for parameter in self.params)
        if not args and needs_some and not ctx.resilient_parsing:
            typer.echo(self._first_steps(ctx), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write what the command does, and its examples."""
        super().format_help_text(ctx, formatter)
        self._write_examples(formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under their headings: all that is said of all, or the first sentence of those in use."""
        shows_all = _SHOWS_ALL in ctx.meta
        shown = []
        left_out = []
        for parameter in self.get_params(ctx):
            if shows_all or not self._is_rare(parameter):
                shown.append(_shortened(parameter, shows_all))
            else:
                left_out.append(parameter.opts[0])
        for heading, records in _records_by_heading(shown, ctx).items():
            if records:
                with formatter.section(heading):
                    formatter.write_dl(records)
        if left_out:
            with formatter.section(f"Also, under {ctx.command_path} --help-all"):
                # The names of options are not broken at their hyphens.
                names = fill(", ".join(left_out), formatter.width - 2, break_on_hyphens=False)
                formatter.write(indent(f"{names}\n", "  "))

    def _is_rare(self, parameter: Any) -> bool:
        """Return whether few need an option of this command."""
        rare = RARE | RARE_IN.get(self.name or "", frozenset())
        return not rare.isdisjoint(parameter.opts)

    def _first_steps(self, ctx: Any) -> str:
        """Return how the command is written, for one who gave nothing."""
        formatter = ctx.make_formatter()
        self.format_usage(ctx, formatter)
        self._write_examples(formatter)
        formatter.write_paragraph()
        formatter.write_text(f"{ctx.command_path} --help shows its options.")
        return str(formatter.getvalue()).rstrip("\n")

    def _write_examples(self, formatter: Any) -> None:
        """Write the examples, each line as it can be copied."""
        examples = EXAMPLES.get(self.name or "", ())
        if not examples:
            return
        with formatter.section("Examples"):
            for wanted, line in examples:
                formatter.write(f"  {wanted}\n    {line}\n")


def _records_by_heading(parameters: Sequence[Any], ctx: Any) -> dict[str, list[Any]]:
    """Return what help says of each parameter, by its heading: arguments first, last what every command has."""
    sections: dict[str, list[Any]] = {"Arguments": []}
    for parameter in parameters:
        heading = getattr(parameter, "rich_help_panel", None) or _OTHER
        if parameter.param_type_name == "argument":
            heading = "Arguments"
        record = parameter.get_help_record(ctx)
        if record is not None:
            sections.setdefault(heading, []).append(record)
    # A command's own options are more than those that every command has.
    sections[_OTHER] = sections.pop(_OTHER, [])
    return sections


def _shortened(parameter: Any, shows_all: bool) -> Any:
    """Return a parameter with the first sentence of its help, unless all is shown."""
    text = getattr(parameter, "help", None)
    if shows_all or not text:
        return parameter
    shortened = copy(parameter)
    shortened.help = _END_OF_SENTENCE.split(text)[0]
    return shortened


def _help_all() -> Any:
    """Return the option that shows all options."""
    return TyperOption(
        param_decls=["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_all,
        help="Show all options, and all that is said of them, and exit.",
    )


def _show_all(ctx: Any, _: Any, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        ctx.meta[_SHOWS_ALL] = True
        typer.echo(ctx.get_help())
        ctx.exit()
