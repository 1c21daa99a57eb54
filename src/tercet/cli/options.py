"""The options for what is read and how it is scored, in groups that commands take; of output: output_options.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial, wraps
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from tercet.base.options import Value
from tercet.comparison.inputs.settings import Adjust, CompareSettings, Interval, Test
from tercet.errors import OptionError, argument
from tercet.files.missing_option import LEAVE_OUT
from tercet.option_checks import Check, Integer, RefusedError

from .completion import metrics_like
from .input import files_of_metrics, read_metrics, report_on

if TYPE_CHECKING:
    from tercet.base.metric import Metric
    from tercet.test_sets.test_set import TestSet

#: The epilogue of the help.
HOW_METRICS_ARE_WRITTEN = "\b\n" + "\n".join((
    "How a metric is written:",
    "  -m bleu chrf                            by name; several",
    "  -m bleu:lowercase=true,tokenizer=zh     with options",
    "  -m rouge:rouge_types=rouge1+rougeL      a list of words or numbers",
    "  -m 'bleu:weights=[0.5,0.5]'             another list: JSON, in quotes",
    "  -m my_metrics:Overlap                   your own class; runs its module",
    "'tercet metrics' lists the metrics, 'tercet metrics bleu' the options of BLEU.",
))  # fmt: skip

#: Headings of the help.
reading = partial(typer.Option, rich_help_panel="Input")
scoring = partial(typer.Option, rich_help_panel="Metrics and tests")
grouping = partial(typer.Option, rich_help_panel="Runs, slices and test sets")
writing = partial(typer.Option, rich_help_panel="Output")
gating = partial(typer.Option, rich_help_panel="Gates")


def metric_option(default: list[str] | None, **shown: Any) -> Any:
    """Return the option ``--metric``."""
    return scoring(default, "--metric", "-m", metavar="METRIC", autocompletion=metrics_like, **shown)


def scores_option(**shown: Any) -> Any:
    """Return the option ``--scores``."""
    return scoring(None, "--scores", metavar="NAME", show_default=False, **shown)


def setting(settings: type[Value], name: str, *names: str, **shown: Any) -> Any:
    """Return the option for a setting of a function: its default, its least and greatest number, its help."""
    declared = settings.options()[name]
    check = declared.check
    if isinstance(check, Integer):
        shown |= {"metavar": "N", "min": check.minimum, "max": check.maximum}
    elif check is not None and isinstance(declared.default, float):
        shown["callback"] = _checked_number(name, check)
    return scoring(declared.default, *names, help=declared.doc, **shown)


def _checked_number(name: str, check: Check) -> Callable[[float], float]:
    """Return the check of a setting as the command line is read: the function makes it after files are read."""

    def checked(value: float) -> float:
        try:
            return float(check(value))
        except RefusedError as refused:
            raise OptionError(f"{argument(name)} must be {refused.expected}. Got {value:g} instead.") from None

    return checked


References = Annotated[
    list[str] | None,
    reading(
        "--references",
        "-r",
        metavar="FILE",
        help="File of references; repeatable. For systems in text files, a text file, one segment per line: an empty "
        "line is an empty reference, as in sacrebleu; or the table whose rows they were written for, where an empty "
        "cell is none. For systems in files of translators, subtitles or transcripts (.tmx, .xlf, .po, .srt, .stm), "
        "such a file: they are joined by source text, time or id; for .xlf and .po also a table with sources or ids. "
        "For systems in tables with ids, a table with these ids. For output of batches, a table with the "
        "custom_id of each request.",
    ),
]
_GUESSED = "Default: guessed from the column names."
Systems = Annotated[
    list[str] | None, reading("--system", "-s", metavar="COLUMN", help=f"Column of a system; repeatable. {_GUESSED}")
]
ReferenceColumns = Annotated[
    list[str] | None,
    reading("--reference-column", metavar="COLUMN", help=f"Column of references; repeatable. {_GUESSED}"),
]
SourceColumn = Annotated[str | None, reading(metavar="COLUMN", help=f"Column of sources. {_GUESSED}")]
SystemColumn = Annotated[
    str | None,
    reading(
        metavar="COLUMN",
        help="Column that names the system of each row. In a table with a row for each item and system; --system is "
        "then the column of their texts. Default: one called system, model, engine or the like.",
    ),
]
DecimalSign = Annotated[
    Literal[",", "."] | None,
    reading(
        "--decimal",
        metavar="SIGN",
        help="What stands before decimals in numbers of tables: a comma or a point. Default: what the numbers of the "
        "table show.",
    ),
]
Encoding = Annotated[
    str | None,
    reading(
        "--encoding",
        metavar="NAME",
        help="Encoding of text files, TSV and CSV, such as cp1252, gb18030 or shift_jis. Default: UTF-8, or UTF-16 "
        "where the bytes show it.",
    ),
]
Sheet = Annotated[
    str | None,
    reading(
        "--sheet",
        metavar="SHEET",
        help="Sheet of workbooks (.xlsx), by name or by number from 1. Default: the first that is not hidden.",
    ),
]
Missing = Annotated[
    Literal["leave-out", "empty", "error"],
    reading(
        "--missing",
        metavar="HOW",
        help="Segments that a system lacks where texts are joined by ids, samples or source texts: leave-out (for "
        "every system), empty (its text there), or error.",
    ),
]
ClusterColumn = Annotated[
    str | None,
    reading(
        "--cluster",
        metavar="COLUMN",
        help="Column that says which rows belong together, such as those of a document. Intervals and tests resample "
        "these clusters. Default: samples that a harness repeated.",
    ),
]
LEVEL = setting(CompareSettings, "confidence_level", metavar="X", min=0.01, max=0.9999)


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer each field of the dataclasses that a command takes as a separate option."""
    groups = [hint for name, hint in get_type_hints(command).items() if name != "return"]
    hints: dict[str, Any] = {}
    parameters = []
    for group in groups:
        hints |= get_type_hints(group, include_extras=True)
        for option in fields(group):
            parameters.append(
                Parameter(option.name, Parameter.KEYWORD_ONLY, default=option.default, annotation=hints[option.name])
            )

    @wraps(command)
    def run(**values: Any) -> None:
        filled_groups = []
        for group in groups:
            of_group = {option.name: values[option.name] for option in fields(group)}
            filled_groups.append(group(**of_group))
        command(*filled_groups)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = hints
    return run


def files_argument(further: str = "") -> Any:
    """Return the argument for files; `further` says which ones a command takes besides."""
    return typer.Argument(
        show_default=False,
        help="Tables with named columns, text files with one segment per line, files of translators, subtitles or "
        "transcripts, or logs of a harness, as files or folders. Tables: .tsv, .csv, .jsonl, .json, .xlsx, "
        ".parquet, .arrow; each is a test set, or, with one system and the same references as others, a system. "
        "Each text file, or output of fairseq-generate, is a system. Files of translators: .tmx, .xlf, .sdlxliff, "
        ".po; subtitles: .srt, .vtt; transcripts: .ctm, .stm, .seglst.json, .trn; test sets of WMT: .xml, .sgm. Any "
        "of them may be gzipped (.gz). Logs of lm-evaluation-harness (samples_*.jsonl), lighteval "
        "(details_*.parquet) or inspect-ai (.eval, .json), results of deepeval, ragas, MLflow, promptfoo, "
        "OpenCompass, COMET or MT-Bench, output of OpenAI's batches, or folders with such: each task is a test set, "
        "each run a system. NAME=PATH names the system of a file or the run in a folder: old=runs/a new=runs/b."
        f"{further}",
    )


class OptionGroup:
    """Options that commands take together: each is a field of a dataclass."""

    def __init__(self, **values: Any) -> None:
        # One for all groups: dataclass would compile one for each, in every process.
        vars(self).update(values)


@dataclass(init=False, eq=False, repr=False)
class _FileOptions(OptionGroup):
    """The files that are read."""

    files: list[str] = files_argument()
    references: References = None
    source: str | None = reading(
        None,
        metavar="FILE",
        help="Text file of sources, for systems in text files. For output of batches, their input.",
    )


@dataclass(init=False, eq=False, repr=False)
class ColumnOptions(OptionGroup):
    """What the columns of tables are, and how files are written: for texts, and for texts with grades."""

    system: Systems = None
    reference_column: ReferenceColumns = None
    source_column: SourceColumn = None
    system_column: SystemColumn = None
    cluster: ClusterColumn = None
    decimal: DecimalSign = None
    encoding: Encoding = None
    sheet: Sheet = None

    @property
    def of_columns(self) -> dict[str, Any]:
        """These options, as functions that read files take them."""
        return {
            "systems": self.system or (),
            "reference_columns": self.reference_column or (),
            "source_column": self.source_column,
            "system_column": self.system_column,
            "cluster": self.cluster,
            "decimal": self.decimal or "",
            "encoding": self.encoding or "",
            "sheet": self.sheet or "",
        }


# Help lists the fields of the last base first.
@dataclass(init=False, eq=False, repr=False)
class TextOptions(ColumnOptions, _FileOptions):
    """The texts that are scored."""

    missing: Missing = LEAVE_OUT

    def test_sets(
        self, metrics: Sequence[Metric], by: Sequence[str] = (), *, in_pieces: bool = False
    ) -> list[TestSet]:
        """Read what the metrics and slices need, and warn of problems in it.

        With `in_pieces`, large text files are read piece by piece, as their texts and rows need not be kept.
        """
        from tercet.metrics.column import Column

        if in_pieces and not self._says_more_than_files:
            from tercet.test_sets.read import read_large_texts

            large_set = read_large_texts(self.files, self.references or ())
            if large_set is not None:
                return [report_on(large_set)]
        test_sets = self.read(
            need_references=not metrics or any(metric.takes_references for metric in metrics),
            need_texts=any(not isinstance(metric, Column) for metric in metrics),
            scores=[metric.name for metric in metrics if isinstance(metric, Column)],
            by=by,
        )
        return [report_on(test_set) for test_set in test_sets]

    @property
    def _says_more_than_files(self) -> bool:
        """Whether anything is said of files beside which are systems and which have references."""
        values = (getattr(self, field.name) for field in fields(ColumnOptions))
        return self.source is not None or any(value is not None for value in values)

    def read(self, **needed: Any) -> list[TestSet]:
        """Read the files by these options; `needed` is what :func:`read_test_sets` takes beside them."""
        from tercet.test_sets.read import read_test_sets

        return read_test_sets(
            self.files,
            references=self.references or (),
            source=self.source,
            missing=self.missing,
            **self.of_columns,
            **needed,
        )

    def inputs(self, metrics: Sequence[Metric]) -> list[str]:
        """Return all input files, those that metrics and their options name included."""
        from tercet.test_sets.input_files import paths_of

        inputs = [*paths_of(self.files), *(self.references or ())]
        if self.source:
            inputs.append(self.source)
        return [*inputs, *files_of_metrics(metrics)]


@dataclass(init=False, eq=False, repr=False)
class TextOrParquetOptions(TextOptions):
    """Texts in memory, or in files of any size, which Ray's workers read."""

    files: list[str] = files_argument(" With --engine ray also folders of tables, and patterns.")
    engine: Literal["memory", "ray"] = reading(
        "memory",
        metavar="ENGINE",
        help="memory, or ray: all files, also of Parquet (.parquet), are parts of one test set of any size, which "
        "Ray's workers score: on this machine, or on the cluster in RAY_ADDRESS.",
    )
    id_column: str | None = reading(
        None,
        metavar="COLUMN",
        help="With --engine ray: the column of the items' ids, by which they are resampled. Default: their texts "
        "identify them.",
    )
    on_bad_file: Literal["error", "skip"] = reading(
        "error",
        metavar="HOW",
        help="With --engine ray: stop at a file that cannot be read (error), or leave it out with a warning (skip).",
    )


@dataclass(init=False, eq=False, repr=False)
class MetricOptions(OptionGroup):
    """The metrics and other scores."""

    metric: list[str] | None = metric_option(
        None,
        show_default=False,
        help="One metric or several, with options: see below. Repeatable. Scores are in percent unless scale=1 is "
        "given. Default: the scores of --scores, or of logs; bleu where there are none, and chrf where all are "
        "placeholders, the same number in every segment.",
    )
    scores: list[str] | None = scores_option(
        help="Scores that came with the texts, such as COMET; repeatable. They are in columns such as base.COMET and "
        "tuned.COMET, or COMET_base and COMET_tuned, or in a table for each run, by ids: alone, or given with the "
        "NAME of a file of this run. Where lower is better: TER:better=lower. A segment without a number is left "
        "out, or counts as 0: COMET:missing=zero.",
    )

    @property
    def asked(self) -> dict[str, Any]:
        """All options but the metrics, as ``compare`` takes them."""
        return {name: value for name, value in vars(self).items() if name not in ("metric", "scores")}

    def metrics(self) -> list[Metric]:
        """Return the metrics and the columns of scores, their options checked; empty if none is named."""
        from tercet.comparison.specs.metric_specs import distinct, for_tables, parse_column

        metrics = [for_tables(metric) for metric in read_metrics(self.metric or ())]
        return distinct([*metrics, *map(parse_column, self.scores or ())])


@dataclass(init=False, eq=False, repr=False)
class ScoreOptions(MetricOptions):
    """Scores, and their intervals."""

    confidence_level: float = LEVEL
    interval: Interval = setting(CompareSettings, "interval", metavar="KIND", case_sensitive=False)
    no_intervals: bool = scoring(False, "--no-intervals", help="Leave the intervals out.")
    seed: int = setting(CompareSettings, "seed")

    def check(self) -> None:
        """Refuse a kind of intervals where there are to be none."""
        if self.no_intervals and self.interval != CompareSettings.interval:
            raise OptionError("--interval and --no-intervals cannot be given together.")

    @property
    def asked(self) -> dict[str, Any]:
        """All options but the metrics, as ``compare`` takes them."""
        options = super().asked
        if options.pop("no_intervals"):
            options["interval"] = None
        return options


@dataclass(init=False, eq=False, repr=False)
class TestOptions(ScoreOptions):
    """Scores, and the tests of their differences."""

    baseline: str | None = scoring(
        None,
        "--baseline",
        "-b",
        metavar="SYSTEM",
        help="System that the others are tested against. Default: the first.",
    )
    runs: str | None = grouping(
        None,
        "--runs",
        metavar="REGEX",
        help="Regular expression for outputs that are runs of a system, such as seeds: '(base|tuned)-(\\d+)'. Of an "
        "output's name, the last group is the run, those before it are the system. Systems are then compared by the "
        "mean of their runs, over segments and runs.",
    )
    by: list[str] | None = grouping(
        None,
        "--by",
        metavar="COLUMN",
        help="Column of slices, such as domain, each scored and tested alone; repeatable. Or length: five groups by "
        "the length of the references, or else of the sources; or COLUMN~REGEX: the texts that the first group of a "
        "regular expression finds in a column (without a group, whether it matches).",
    )
    weight: Literal["set", "segment"] | None = grouping(
        None,
        "--weight",
        metavar="HOW",
        help="How much a test set weighs over all of them: each the same (set, the default), or by the number of its "
        "segments (segment).",
    )
    test: Test = setting(CompareSettings, "test", metavar="TEST")
    adjust: Adjust = setting(CompareSettings, "adjust", metavar="METHOD", case_sensitive=False)
    n_resamples: int | None = setting(CompareSettings, "n_resamples")
    alpha: float = setting(CompareSettings, "alpha", metavar="X")

    @property
    def asked(self) -> dict[str, Any]:
        """All options but the metrics, as ``compare`` takes them; it has no test sets to weigh."""
        options = super().asked
        del options["weight"]
        return options
