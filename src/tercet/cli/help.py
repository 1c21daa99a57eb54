"""The help of the command as plain text: rich takes longer to import than the help takes to write."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup


class Group(TyperGroup):
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
    """A command whose options are under headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options under their headings."""
        sections: dict[str, list[Any]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                without = "Arguments" if parameter.param_type_name == "argument" else "Options"
                sections.setdefault(getattr(parameter, "rich_help_panel", None) or without, []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)
