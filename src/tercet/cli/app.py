"""The command ``tercet``. Commands import the scoring code when they run, so that help is fast."""

from __future__ import annotations

import sys
import warnings
from contextlib import suppress
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from tercet.errors import TercetError, as_settings, for_command_line
from tercet.explanation.places import visible
from tercet.registry import SHORT_NAMES
from tercet.signature import __version__

from .bertscore_commands import bertscore_baseline, idf
from .correlate_command import correlate_command
from .explain_command import ExplainCommand, explain
from .mbr_command import EXAMPLES, mbr_command
from .metrics_command import metrics
from .options import HOW_METRICS_ARE_WRITTEN, standard_streams
from .score_command import MetricCommand, compare_command, score_command

app = typer.Typer(
    no_args_is_help=True, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
)

_LONGEST_MESSAGE = 5_000
_VERSION = f"tercet {__version__}"

app.command("score", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(score_command)
app.command("compare", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(compare_command)
app.command("correlate", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)(correlate_command)
app.command("explain", cls=ExplainCommand, epilog=HOW_METRICS_ARE_WRITTEN)(explain)
app.command("mbr", cls=MetricCommand, epilog=EXAMPLES)(mbr_command)
app.command("metrics")(metrics)
app.add_typer(idf, name="idf")
app.command("bertscore-baseline")(bertscore_baseline)


@for_command_line()
def main() -> None:
    """Run the command; invalid input ends it with a message and exit code 2."""
    warnings.showwarning = _show_warning
    try:
        with standard_streams():
            # Answered here, the version does not wait for the options of all commands.
            if sys.argv[1:] == ["--version"]:
                typer.echo(_VERSION)
            else:
                app()
    # Under -W error, warnings are raised.
    except (TercetError, OSError, MemoryError, Warning) as error:
        # The standard error may be closed.
        with suppress(OSError):
            console = Console(stderr=True, soft_wrap=True)
            console.print(f"[bold red]error:[/] {escape(visible(_for_command(_message(error))))}", highlight=False)
        sys.exit(2)


def _for_command(message: str) -> str:
    """Return a message with settings as the command takes them, cut where it is very long."""
    return as_settings(message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}…")


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        reason = f": {error}" if str(error) else ""
        return f"This machine does not have enough memory{reason}. Give fewer texts at a time."
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "The folder in which the command was started no longer exists."
    if isinstance(error, OSError) and error.strerror:
        return f"{f'{error.filename}: ' if error.filename else ''}{error.strerror}."
    return str(error)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    typer.echo(f"warning: {visible(_for_command(str(message)))}", err=True)


@app.callback(
    invoke_without_command=True,
    help=f"Score generated texts by {', '.join(SHORT_NAMES)}: the same numbers as the reference implementations.",
)
def version(show: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    """Print the version if requested."""
    if show:
        typer.echo(_VERSION)
        raise typer.Exit
