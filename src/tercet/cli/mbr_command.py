"""``tercet mbr``: of many candidates for each source, the one that agrees best with the others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from tercet.errors import InputError, OptionError, shorten
from tercet.files.writing import check_different, check_file, check_outputs
from tercet.names_as_shown import visible

from .input import files_of_metrics
from .metric_arguments import MetricCommand
from .options import Encoding, OptionGroup, Sheet, metric_option, reading, takes_groups, writing
from .output_options import Out, Progress

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.bayes_risk import Choices
    from tercet.files.candidates import CandidateGroups
    from tercet.files.read import Opening

#: Ends of names under which neither lines of text nor JSON Lines are expected.
_OTHER_FORMS = (
    ".json", ".tsv", ".csv", ".html", ".htm", ".md", ".tex", ".parquet", ".pq", ".arrow", ".feather", ".gz",
    ".zip", ".xlsx", ".xls", ".ods", ".pdf", ".doc", ".docx", ".odt", ".rtf", ".xml", ".tmx", ".png", ".svg",
)  # fmt: skip


@dataclass(init=False, eq=False, repr=False)
class CandidateOptions(OptionGroup):
    """Files of candidates."""

    files: list[str] = typer.Argument(
        show_default=False,
        help="A table with a list of texts per row (.jsonl, .parquet, .arrow), or with a column of texts for each "
        "candidate (also .tsv, .csv, .xlsx); samples that lm-evaluation-harness logged (samples_*.jsonl); n-best "
        "lists, as Moses and Marian write them; or several text files, whose same line is a group. Any of them may "
        "be gzipped (.gz).",
    )
    column: list[str] | None = reading(
        None,
        metavar="COLUMN",
        help="Column of the lists; or, repeated, the columns of texts. Default: the only one that holds lists, or "
        "those that their names make systems.",
    )
    weights: str | None = reading(
        None,
        metavar="COLUMN",
        help="Column of lists of weights, beside lists of texts: how much each candidate counts as a reference, a "
        "probability or a count.",
    )
    candidates: int | None = reading(
        None, "--candidates", "-n", min=1, metavar="N", help="Of one text file, each N lines are a group."
    )

    encoding: Encoding = None
    sheet: Sheet = None

    def groups(self) -> CandidateGroups:
        """Read the groups of all files."""
        from tercet.files.formats import check_no_workbook, table_format
        from tercet.files.read import Opening

        for path in self.files:
            check_no_workbook(path)
        opening = Opening(self.encoding or "", self.sheet or "")
        opening.check(self.files)
        tables = [path for path in self.files if table_format(path)]
        if tables and len(self.files) > 1:
            raise InputError(
                f"{tables[0]!r} is a table; expected it alone, or text files. Got {len(self.files)} files."
            )
        check_different(self.files, role="a candidate")
        if tables:
            return self._groups_of_table(tables[0], opening)
        return self._groups_of_text_files()

    def _groups_of_table(self, path: str, opening: Opening) -> CandidateGroups:
        from tercet.files.candidates import CandidateGroups, read_lists
        from tercet.test_sets.checks import check_has_texts
        from tercet.test_sets.read import read_test_sets

        if self.candidates is not None:
            raise OptionError(f"--candidates is for lines of a text file, and {path!r} is a table.")
        columns = self.column or []
        if len(columns) <= 1:
            column_of_lists = next(iter(columns), None)
            lists = read_lists(path, column_of_lists, self.weights, opening)
            if lists is not None:
                return lists
        (test_set,) = read_test_sets(
            path, systems=columns, need_references=False, encoding=opening.encoding, sheet=opening.sheet
        )
        check_has_texts(test_set, "mbr")
        if self.weights is not None or len(test_set.systems) < 2:
            column_names = ", ".join(map(repr, test_set.systems))
            raise InputError(
                f"{path!r} has no column of lists of texts, and these of texts: {column_names}; expected a list per "
                "row, or several columns, without --weights."
            )
        texts = [list(candidates) for candidates in zip(*test_set.systems.values(), strict=True)]
        names = [f"{path}, row {number}" for number in range(1, len(texts) + 1)]
        # The name of the file may hold any words, too.
        file = Path(path).name
        fields = test_set.fields.replace(f"{file}: systems: ", f"{file}: candidates: ", 1)
        return CandidateGroups(texts, None, names, fields)

    def _groups_of_text_files(self) -> CandidateGroups:
        from tercet.files.candidates import is_ranked, parallel_groups, ranked_groups, successive_groups
        from tercet.files.fairseq import is_generated
        from tercet.files.lines import STDIN, read_lines

        for name, value in {"--column": self.column, "--weights": self.weights}.items():
            if value:
                raise OptionError(f"{name} names a column, and {self.files[0]!r} is a text file, by its extension.")
        if self.files.count(STDIN) > 1:
            raise InputError("Standard input (-) can be read only once; give files for the others.")
        lines = {path: read_lines(path, encoding=self.encoding or "") for path in self.files}
        first_path = self.files[0]
        if not lines[first_path]:
            raise InputError(f"{first_path!r} is empty; expected a candidate per line.")
        for path, lines_of_file in lines.items():
            if is_generated(lines_of_file):
                raise InputError(
                    f"{path!r} is the output of fairseq-generate, which is not read for candidates; expected one per "
                    "line, or a table with a list of texts for each sample (.jsonl)."
                )
        if self.candidates is not None:
            if len(self.files) > 1:
                raise OptionError(f"--candidates is for one text file; got {len(self.files)} files.")
            return successive_groups(first_path, lines[first_path], self.candidates)
        if is_ranked(lines[first_path]):
            return ranked_groups(lines)
        if len(self.files) <= 1:
            raise InputError(
                f"{first_path!r} is a text file, by its extension, and has one text per line; give several such "
                "files, or --candidates N if each N lines are a group."
            )
        return parallel_groups(lines)


@dataclass(init=False, eq=False, repr=False)
class _UtilityOptions(OptionGroup):
    """What candidates are compared by."""

    metric: list[str] = metric_option(
        ["chrf"],
        help="A metric that compares with references, with any options after a colon, as in bleu:lowercase=true. "
        "Scores are in percent unless scale=1 is given. 'tercet metrics' lists the metrics.",
    )

    def chosen_metric(self) -> Metric:
        """Return the metric, its options checked before any file is read."""
        from tercet.comparison.specs.metric_specs import is_mean, parse_metric

        metric_names: list[str] = []
        for text in self.metric:
            # Several may be given behind one -m too, as bleu,chrf: the commas of options stand behind a colon.
            names, _, _ = text.partition(":")
            metric_names += names.split(",")
        if len(metric_names) > 1:
            raise OptionError(
                f"tercet mbr takes one metric, got {len(metric_names)}: {', '.join(map(shorten, metric_names))}."
            )
        (text,) = self.metric
        if is_mean(text):
            raise OptionError(f"{shorten(text)} is a mean of metrics; tercet mbr takes one of the suite.")
        return parse_metric(text, imports=True).with_defaults(scale=100)


@dataclass(init=False, eq=False, repr=False)
class _ChosenOutput(Progress):
    """Destination and format of the choices."""

    format: Literal["text", "jsonl"] | None = writing(
        None,
        "--format",
        "-f",
        metavar="FORMAT",
        help="text: a chosen text per line; or jsonl: also its expected score, the runner-up, the margin and all "
        "scores. Default: by the extension of --out (.jsonl, .txt or the like), else text.",
    )
    out: Out = None

    def chosen_format(self) -> Literal["text", "jsonl"]:
        """Return the given format, or that of the file's extension, which of text may be any, such as a language."""
        if self.format is not None:
            return self.format
        if self.out is None:
            return "text"
        suffix = self.out.suffix.lower()
        if suffix in _OTHER_FORMS:
            raise OptionError(f"--out {shorten(str(self.out))}: expected .jsonl, .txt or the like, or --format.")
        if suffix in (".jsonl", ".ndjson"):
            return "jsonl"
        return "text"


app = typer.Typer(rich_markup_mode=None)


@app.command("mbr", cls=MetricCommand)
@takes_groups
def mbr_command(candidates: CandidateOptions, utility: _UtilityOptions, output: _ChosenOutput) -> None:
    """Choose in each group of candidates the one that agrees best with all of them: minimum Bayes risk."""
    from tercet.bayes_risk import decide
    from tercet.statistics.progress import bars_within

    from .output import in_terminal, write

    metric = utility.chosen_metric()
    form = output.chosen_format()
    if output.out is not None:
        check_file(output.out)
    check_outputs({"--out": output.out}, [*candidates.files, *files_of_metrics([metric])])
    groups = candidates.groups()
    with bars_within(output.progress):
        choices = decide(groups.texts, metric, groups.weights, groups.names)
    lines = _lines_of(choices, form)
    if in_terminal(output.out):
        lines = list(map(visible, lines))
    # "json" is any format for programs: it is written in UTF-8, whatever the locale.
    write("".join(f"{line}\n" for line in lines), output.out, "json")
    if groups.fields:
        typer.echo(visible(f"note: {groups.fields}"), err=True)
    for line in [*choices.summary(), choices.signature]:
        typer.echo(visible(line), err=True)


def _lines_of(choices: Choices, form: str) -> list[str]:
    """Return a line for each group, in this format."""
    from tercet.table_formats import json_line

    if form == "jsonl":
        return [json_line(choice.to_dict()) for choice in choices]
    # A line is a group: a text with line ends would count as several.
    lines = [_on_one_line(text) for text in choices.texts]
    n_changed = sum(line != text for line, text in zip(lines, choices.texts, strict=True))
    if n_changed:
        typer.echo(
            f"warning: line ends within {n_changed:,} of the chosen texts are written as spaces; --format jsonl "
            "keeps them.",
            err=True,
        )
    return lines


def _on_one_line(text: str) -> str:
    """Return a text with blanks for its line ends; other signs at which lines split stay where it has none."""
    if "\n" in text or "\r" in text:
        return " ".join(text.splitlines())
    return text
