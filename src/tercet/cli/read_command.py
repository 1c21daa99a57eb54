"""``tercet read``: the role of each column of a file, and why; and the command that says it all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import typer

from tercet.errors import InputError
from tercet.files.missing_option import LEAVE_OUT
from tercet.names_as_shown import counted, joined, one_cell

from .help import Command
from .options import OptionGroup, TextOptions, scores_option, takes_groups, writing

if TYPE_CHECKING:
    from tercet.test_sets.test_set import TestSet

#: Lines without a reference that are named.
_MOST_LINES = 3

#: What can be done with texts that have none.
_WITHOUT_REFERENCES = (
    "To choose references: --reference-column NAME, or -r FILE. To compare numbers that came with the texts: "
    "--scores NAME."
)

app = typer.Typer(rich_markup_mode=None)


@dataclass(init=False, eq=False, repr=False)
class _ReadOptions(OptionGroup):
    """What is read beside the texts, and how it is shown."""

    scores: list[str] | None = scores_option(help="Scores that came with the texts, by name; repeatable.")
    format: Literal["text", "json"] = writing(
        "text", "--format", "-f", metavar="FORMAT", help="Format of the output: text or json."
    )


@app.command("read", cls=Command)
@takes_groups
def read_command(texts: TextOptions, read: _ReadOptions) -> None:
    """Read files, and show what would be compared: the role of each column, and why."""
    from tercet.comparison.specs.metric_specs import parse_column
    from tercet.table_formats import json_text
    from tercet.test_sets.column_readings import HOW_READ, command_of, options_of

    files = texts.files
    try:
        scores = [parse_column(name).name for name in read.scores or ()]
        test_sets = texts.read(need_references=False, scores=scores)
    except InputError as error:
        _show_names(files, texts)
        raise InputError(str(error).removesuffix(HOW_READ)) from None
    # Of several files, or with references in others, no column of one file says what all have.
    is_one_table = len(test_sets) == 1 and len(files) == 1 and not texts.references
    columns = _columns_given(texts)
    if is_one_table:
        columns = [*options_of(test_sets[0].columns), *_systems_as_references(texts, test_sets[0])]
    arguments = [*columns, *_options_beside_columns(texts, read)]
    if read.format == "json":
        entries = []
        for test_set in test_sets:
            entries.append(_to_dict(test_set, command_of(files, len(test_set.systems), arguments)))
        typer.echo(json_text({"test_sets": entries}), nl=False)
        return
    for test_set in test_sets:
        _show(test_set)
    # One command reads all test sets: those with several systems decide what it is.
    most_systems = max(len(test_set.systems) for test_set in test_sets)
    said = f"To say it all: {command_of(files, most_systems, arguments)}"
    if _lacks_references(test_sets[0]) and not read.scores:
        said += " -r FILE"
    typer.echo(said)


def _columns_given(texts: TextOptions) -> list[str]:
    """Return the options that name columns, as they were given."""
    return _arguments(
        {
            "--system": texts.system,
            "--reference-column": texts.reference_column,
            "--source-column": texts.source_column,
            "--system-column": texts.system_column,
            "--cluster": texts.cluster,
        }
    )


def _systems_as_references(texts: TextOptions, test_set: TestSet) -> list[str]:
    """Return the options of references that are no column: a system of a long table, such as a human translation."""
    columns = {reading.column for reading in test_set.columns}
    names = [name for name in texts.reference_column or () if name not in columns]
    return _arguments({"--reference-column": names})


def _options_beside_columns(texts: TextOptions, read: _ReadOptions) -> list[str]:
    """Return the options that were given and that no column stands for, as arguments."""
    options = {
        "--references": texts.references,
        "--scores": read.scores,
        "--source": texts.source,
        "--decimal": texts.decimal,
        "--encoding": texts.encoding,
        "--sheet": texts.sheet,
    }
    if texts.missing != LEAVE_OUT:
        options["--missing"] = texts.missing
    return _arguments(options)


def _arguments(options: Mapping[str, str | Sequence[str] | None]) -> list[str]:
    """Return options with their values, as they are written: an option for each of several, and none without any."""
    arguments = []
    for option, value in options.items():
        if isinstance(value, str):
            arguments += [option, value]
        else:
            for one in value or ():
                arguments += [option, one]
    return arguments


def _to_dict(test_set: TestSet, command: str) -> dict[str, Any]:
    """Return what is read of a test set, and the command that says it all."""
    return {
        "name": test_set.name,
        "systems": list(test_set.systems),
        "n_segments": test_set.n_segments,
        "n_references": _n_references(test_set),
        "columns": [reading.to_dict() for reading in test_set.columns],
        "fields": test_set.fields,
        "hint": test_set.hint,
        "command": command,
    }


def _show(test_set: TestSet) -> None:
    """Print the columns of a test set, and what would be compared with what."""
    from tercet.test_sets.column_readings import shown_readings

    if test_set.columns:
        _print(shown_readings(test_set.name, test_set.columns))
    elif test_set.fields:
        typer.echo(one_cell(test_set.fields))
    names = [one_cell(name) for name in test_set.systems]
    numbers_of_references = {len(texts) for texts in test_set.references if texts}
    beside = "no references"
    if numbers_of_references:
        beside = _references_in_words(min(numbers_of_references), max(numbers_of_references))
    elif test_set.no_texts:
        beside = "no texts"
    n_segments = counted(test_set.n_segments, "segment")
    typer.echo(f"{one_cell(test_set.name)}: {n_segments} of {joined(names)}; {beside}.")
    n_lacking = sum(not texts for texts in test_set.references)
    if numbers_of_references and n_lacking:
        typer.echo(one_cell(_lacking_in_words(test_set, n_lacking)))
    if _lacks_references(test_set):
        typer.echo(_WITHOUT_REFERENCES)
    if test_set.hint:
        typer.echo(one_cell(test_set.hint))


def _lacks_references(test_set: TestSet) -> bool:
    """Return whether there are texts, and no references to compare them with."""
    return not test_set.no_texts and _n_references(test_set) == 0


def _n_references(test_set: TestSet) -> int:
    """Return the most references that a segment has."""
    return max(map(len, test_set.references), default=0)


def _references_in_words(fewest: int, most: int) -> str:
    """Return how many references segments have that have any."""
    if fewest == most:
        return f"{counted(most, 'reference')} each"
    return f"{fewest} to {most} references each"


def _lacking_in_words(test_set: TestSet, n_lacking: int) -> str:
    """Return how many segments have no reference, and where the first of them are, in words."""
    sentence = f"But {counted(n_lacking, 'segment has', 'segments have')} no reference"
    positions = list(test_set.without_reference.values())
    if not positions:
        return f"{sentence}."
    further = ""
    if len(positions) > _MOST_LINES:
        further = f" and {len(positions) - _MOST_LINES:,} more"
    return f"{sentence}: {'; '.join(positions[:_MOST_LINES])}{further}."


def _show_names(files: Sequence[str], texts: TextOptions) -> None:
    """Print what files hold by themselves, where they cannot be read as a test set."""
    from tercet.files.formats import table_format
    from tercet.files.read import Opening, read_file
    from tercet.files.table import Log, Memory
    from tercet.test_sets.column_readings import readings_of_names, shown_readings
    from tercet.test_sets.input_files import paths_of

    for path in paths_of(files):
        if not table_format(path):
            continue
        try:
            table = read_file(path, Opening(texts.encoding or "", texts.sheet or ""))
        except InputError:
            # Why it cannot be read is said once, by who asked.
            continue
        if isinstance(table, Memory):
            n_texts = counted(len(table.lines), "text")
            typer.echo(f"{one_cell(path)}: {n_texts}, joined with other files by {table.joined_by}.")
        elif not isinstance(table, Log):
            _print(shown_readings(path, readings_of_names(table)))


def _print(shown: Any) -> None:
    """Print a table for people, whose cells may fold."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*(column.title for column in shown.columns), title=Text(shown.title), box=box.SIMPLE_HEAD)
    table.title_justify = "left"
    for row in shown.rows:
        table.add_row(*(Text(one_cell(cell), overflow="fold") for cell in row))
    Console(highlight=False).print(table)
