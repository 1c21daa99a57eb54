"""The command ``tercet``. A command is imported when it runs, and imports the scoring code then: help is fast."""

from __future__ import annotations

import atexit
import gc
import sys
import warnings
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.main import get_group

from tercet.errors import TercetError, as_settings, for_command_line
from tercet.registry import SHORT_NAMES
from tercet.signature import __version__

from .help import CommandGroup
from .streams import drop, standard_streams


class ListedCommand(NamedTuple):
    """A command as help lists it: its file, and what it does, as its docstring begins."""

    file: str
    does: str


#: The commands, in the order of help.
COMMANDS = {
    "score": ListedCommand("score_command", "Score systems: each score with its interval and signature."),
    "compare": ListedCommand(
        "compare_command",
        "Compare systems: their scores with intervals, and which differences are significant.",
    ),
    "plan": ListedCommand(
        "plan_command", "Plan a test set: how many segments show a difference, before any system is trained."
    ),
    "correlate": ListedCommand(
        "correlate_command",
        "Correlate metrics with human grades: which metric to trust, with intervals and tests.",
    ),
    "explain": ListedCommand(
        "explain_command",
        "Show why a segment scores as it does: its matches, and the numbers behind the score.",
    ),
    "mbr": ListedCommand(
        "mbr_command",
        "Choose in each group of candidates the one that agrees best with all of them: minimum Bayes risk.",
    ),
    "read": ListedCommand(
        "read_command", "Read files, and show what would be compared: the role of each column, and why."
    ),
    "metrics": ListedCommand(
        "metrics_command", "List the metrics, or the options of one: values, default and description."
    ),
    "idf": ListedCommand("bertscore_commands", "Make files of document frequencies for bertscore_idf."),
    "bertscore-baseline": ListedCommand(
        "bertscore_commands",
        "Make a file of baselines, the scores of unrelated texts; pass it as baseline_path= in Python.",
    ),
}


class _Commands(CommandGroup):
    """Lists the commands without their files; one is imported when it runs, is completed or shows its help."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the name of a command, the command, and its arguments."""
        name, listed, arguments = super().resolve_command(ctx, args)
        if name is None or listed is None:
            return name, listed, arguments
        module = import_module(f".{COMMANDS[name].file}", __package__)
        command = get_group(module.app).commands[name]
        return name, command, arguments


app = typer.Typer(
    cls=_Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _listed in COMMANDS.items():
    app.command(_name, help=_listed.does)(lambda: None)

_LONGEST_MESSAGE = 5_000

#: How many lists, classes and the like are made before Python looks for garbage: more than a command imports.
_MADE_BEFORE_COLLECTION = 100_000
_VERSION = f"tercet {__version__}"


@for_command_line()
def main() -> None:
    """Run the command; invalid input ends it with a message and exit code 2."""
    # What is imported lives until the end: to look for garbage in it, then and while it is imported, took 50 ms.
    gc.set_threshold(_MADE_BEFORE_COLLECTION)
    atexit.register(gc.freeze)
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
        _print_error(error)
        sys.exit(2)


def _print_error(error: BaseException) -> None:
    try:
        from rich.console import Console
        from rich.markup import escape

        from tercet.names_as_shown import visible

        message = escape(visible(_for_command(_message(error))))
        Console(stderr=True, soft_wrap=True).print(f"[bold red]error:[/] {message}", highlight=False)
    # The standard error may be closed, or nobody reads it: rich would end with another code.
    except (OSError, SystemExit):
        drop(sys.stderr)


def _for_command(message: str) -> str:
    """Return a message with settings as the command takes them, cut where it is very long."""
    if len(message) > _LONGEST_MESSAGE:
        return as_settings(f"{message[:_LONGEST_MESSAGE]}…")
    return as_settings(message)


def _message(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        reason = ""
        if str(error):
            reason = f": {error}"
        return f"This machine does not have enough memory{reason}. Give fewer texts at a time."
    if isinstance(error, FileNotFoundError) and error.filename is None:
        return "The folder in which the command was started no longer exists."
    if isinstance(error, OSError) and error.strerror:
        if error.filename:
            return f"{error.filename}: {error.strerror}."
        return f"{error.strerror}."
    return str(error)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    from tercet.names_as_shown import visible

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
