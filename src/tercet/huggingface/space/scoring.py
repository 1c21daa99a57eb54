"""What the page does, without the page: texts or a file -> result, explanation, table, code to copy."""

from __future__ import annotations

import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tercet.api import make_scorer
from tercet.base.definition import is_higher_better
from tercet.base.metric import Metric
from tercet.base.scoring import score_batch
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_items, read_texts
from tercet.corpus.normalizers import change_of
from tercet.errors import InputError, shorten
from tercet.files.columns.roles import guess_roles
from tercet.files.formats import MEMORIES, SUFFIXES, table_format
from tercet.files.limits import Limits
from tercet.files.read import predictions_in, read_table, references_in
from tercet.files.table import Roles, Table
from tercet.registry import metric_class

from .controls import COMMON, DEPENDS, FOR_PROGRAMS, controls, given_options, without_defaults
from .dropped_letters import dropped_letters
from .limits import KEPT_SECONDS, MOST_BYTES, MOST_DRAWN, MOST_SYSTEMS, MOST_UNPACKED, TEXT_CHARACTERS, check_size
from .programs import Source, program, source_of_file

CONFIDENCE = 0.95

#: Formats of programs, not of visitors: what they unpack to is not bounded as tightly as a public page needs; and
#: those whose texts are joined with those of other files.
_NOT_TAKEN = ("parquet", "arrow", "wmt", *(format for format in MEMORIES if format != "tmx"))

#: Formats that are text; a workbook is compressed, and any of its bytes may look like the end of a line.
_OF_LINES = ("tsv", "csv", "jsonl", "tmx")


@dataclass(frozen=True, slots=True)
class PageResult:
    """A result, and what the metric warned of; it can be pickled."""

    result: dict[str, Any]
    notes: list[str]
    options: dict[str, Any]
    primary: str  # the name of the score to sort by
    primary_of_items: str  # its name where it is that of an item
    titles: dict[str, str]  # what people call the scores, by their names of a corpus and of an item
    only_of_items: frozenset[str]  # names of scores that a corpus has otherwise, such as the mean
    scale: int
    in_percent: bool
    meaning: str  # of the primary score, in a sentence


class FileScores(NamedTuple):
    """The result of one column of a file, the table of its items, and the program; it can be pickled."""

    page_result: PageResult
    rows: dict[str, list[Any]]
    program: str


class ScoredTexts(NamedTuple):
    """The result of texts, the metric, and the texts that it read."""

    page_result: PageResult
    metric: Metric
    batch: Corpus


class ReadFile(NamedTuple):
    """A visitor's file, and what its columns seem to be."""

    table: Table
    roles: Roles


class FileTexts(NamedTuple):
    """A visitor's file, and the texts of the columns that were chosen."""

    table: Table
    systems: dict[str, list[str]]
    references: list[list[str]]


class PageExample(NamedTuple):
    """Texts with the options that they are for."""

    title: str
    options: str  # those that it sets, as text
    prediction: str
    references: str
    contents: list[Any]  # what the controls hold


class Demo:
    """A metric as the page offers it."""

    def __init__(self, metric: str, cases: Mapping[str, Any], address: str) -> None:
        self.metric = metric
        self.address = address
        kind = metric_class(metric)
        self.loads_model = kind.loads_model
        self.takes_references = kind.takes_references
        self.title = kind.title or kind.name
        self._is_share = kind.unit == "share"
        common = {name: settings for name, settings in COMMON.items() if name != "scale" or kind.unit}
        offered = {**cases["DEMO_OPTIONS"], **common}
        initial_options = given_options(controls(metric, offered), {})
        self.controls = controls(metric, offered, _segment_options(make_scorer(metric, initial_options)))
        self._controls_of_programs = []
        for control in self.controls:
            if control.name in COMMON:
                control = replace(control, value=control.default)
            self._controls_of_programs.append(control)
        self._controls_of_programs += controls(metric, FOR_PROGRAMS)
        self.most_items: int = cases["DEMO_ITEMS"]
        self._cases: Sequence[Mapping[str, Any]] = cases["CASES"]

    @property
    def examples(self) -> list[PageExample]:
        """The items of the cases: each sets its own options, and all others to what the page begins with."""
        examples = []
        for case in self._cases:
            contents = []
            changes = []
            for control in self.controls:
                value = case["options"].get(control.name, control.value)
                contents.append(control.shown(value))
                if value != control.value:
                    changes.append(f"{control.name}={control.in_words(value)}")
            n_items = len(case["predictions"])
            references_of_items = case.get("references", [[]] * n_items)
            for prediction, references in zip(case["predictions"], references_of_items, strict=True):
                title = case["description"]
                if n_items > 1:
                    title += f": {shorten(prediction, 40)}"
                examples.append(
                    PageExample(
                        title=title,
                        options=" · ".join(changes),
                        prediction=prediction,
                        references=joined(references),
                        contents=contents,
                    )
                )
        return examples

    @property
    def initial_contents(self) -> list[Any]:
        """What the controls hold as the page begins."""
        return [control.shown(control.value) for control in self.controls]

    def page_options(self, contents: Sequence[Any]) -> dict[str, Any]:
        """Return the options that the page's controls hold; those at their default are left out."""
        return without_defaults(self.controls, self._values(contents))

    def _values(self, contents: Sequence[Any]) -> dict[str, Any]:
        return {control.name: control.read(content) for control, content in zip(self.controls, contents, strict=True)}

    def changed_options(self, contents: Sequence[Any]) -> list[str]:
        """Return a line on options that differ from what the page begins with: an example may have set them."""
        changes = []
        for control, content in zip(self.controls, contents, strict=True):
            value = control.read(content)
            if value != control.value and value is not DEPENDS:
                changes.append(f"{control.name}={value!r}")
        if not changes:
            return []
        return [f"Options: {', '.join(changes)}."]

    def text_options(self, contents: Sequence[Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the options of a single text, and a note on those that nobody chose.

        A single text is scored as the metric scores a segment, except for options that a visitor set.
        """
        options = self.page_options(contents)
        undecided = [name for name, value in self._values(contents).items() if value is DEPENDS]
        if not undecided:
            return options, []
        option_words = []
        for name, value in _segment_options(make_scorer(self.metric, options)).items():
            if name in undecided:
                options[name] = value
                option_words.append(f"{name}={value!r}")
        if not option_words:
            return options, []
        note = (
            f"Scored as one segment, with {' and '.join(option_words)}. A file is scored as a corpus, without that."
        )
        return options, [note]

    def score(self, predictions: Sequence[str], references: Any, options: Mapping[str, Any]) -> ScoredTexts:
        """Score texts that are not too many or too long for a page; references are ignored where none are taken."""
        metric = make_scorer(self.metric, options)
        texts = read_items(predictions, references) if self.takes_references else read_texts(predictions)
        columns = texts.columns()
        self.check_size(columns["predictions"], columns["references"], options)
        batch = metric.as_scored(texts).encoded()
        # A process has one call at a time: what is caught is of this one.
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = score_batch(metric, batch)
        notes = []
        for warning in caught:
            if warning.category is UserWarning:
                notes.append(str(warning.message).removeprefix(f"{self.metric}: "))
        notes += dropped_letters(metric, batch)
        if result.empty_predictions and self.takes_references:  # the others say it themselves
            notes.append(f"Empty predictions: {result.empty_predictions}, which score 0.")
        segment_names = dict(zip(metric.score_names, metric.segment_names, strict=True))
        titles = {name: metric.score_title(name) for name in metric.score_names}
        for name, segment_name in segment_names.items():
            titles.setdefault(segment_name, titles[name])
        page_result = PageResult(
            result=result.to_dict(full=True),
            notes=notes,
            options=dict(options),
            primary=metric.primary,
            primary_of_items=segment_names[metric.primary],
            titles=titles,
            only_of_items=frozenset(metric.segment_names) - set(metric.score_names),
            scale=metric.scale,
            in_percent=metric.unit is not None and metric.scale == 100,
            meaning=_meaning(metric),
        )
        return ScoredTexts(page_result, metric, batch)

    def check_size(
        self, predictions: Sequence[str], references: Sequence[Sequence[str]], options: Mapping[str, Any]
    ) -> None:
        """Raise an InputError for more texts than the page takes, also of those that ``normalize`` makes longer."""
        targets = references if self.takes_references else None
        check_size(predictions, targets, options, self.most_items)
        if options.get("normalize"):
            change = change_of(options["normalize"])
            changed_predictions = [change(text, str) for text in predictions]
            changed_targets = None
            if targets is not None:
                changed_targets = [[change(text, str) for text in texts] for texts in targets]
            check_size(changed_predictions, changed_targets, options, self.most_items)

    def compute(
        self, predictions: Sequence[str], references: Any, options: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Score a program's texts: what ``compute`` of the loaded metric returns, for options of the page.

        Without options it is what the page begins with; intervals and segments are options too.
        """
        if options is None:
            options = {}
        checked_options = given_options(self._controls_of_programs, options)
        page_result = self.score(predictions, references, checked_options).page_result
        return {key: self._without_folders(value) for key, value in page_result.result.items()}

    def _without_folders(self, entry: Any) -> Any:
        """Return an entry of a result with the names of encoders for their folders, which are the server's."""
        if not isinstance(entry, str):
            return entry
        for control in self.controls:
            for name, folder in control.renamed.items():
                if os.path.isabs(folder):  # no name of the Hub
                    entry = entry.replace(folder, name)
        return entry

    def score_text(self, prediction: str, references: str, options: Mapping[str, Any]) -> tuple[PageResult, str]:
        """Return the result of one text, and the picture of its matches."""
        targets = split_references(references)
        for name, text in (("prediction", prediction), ("box of references", references)):
            if len(text) > TEXT_CHARACTERS:
                raise InputError(
                    f"The {name} has {len(text):,} characters; the page shows matches for up to "
                    f"{TEXT_CHARACTERS:,}. Give long texts as a file."
                )
        if not targets and self.takes_references:
            raise InputError("There is no reference: give at least one, one per line.")
        page_result, metric, batch = self.score([prediction], [targets], options)
        with warnings.catch_warnings():  # self.score has noted them
            warnings.simplefilter("ignore")
            try:
                # As shares: the picture shows them in percent where scores are.
                metric_of_shares = metric.with_options({"scale": 1}, may_be_idle=True)
                explanation = metric_of_shares.explained(batch, metric.fit(batch))
            except InputError as error:
                # Too much to draw, though not to score.
                page_result.notes.append(str(error))
                return page_result, ""
        scale = 1 if metric.unit is None else metric.scale
        html = explanation.to_html(scale)
        if len(html) > MOST_DRAWN:
            page_result.notes.append(
                f"The picture would be {len(html) >> 20} MB, too large to show. Give a shorter text to see it."
            )
            return page_result, ""
        return page_result, html

    def read_file(self, path: str) -> ReadFile:
        """Read a visitor's file, and guess the roles of its columns."""
        try:
            # It is kept for some minutes after its last use.
            os.utime(path)
        except FileNotFoundError:
            raise InputError(
                f"The page keeps a file for {KEPT_SECONDS // 60} minutes after its last use: upload it again."
            ) from None
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(f"The file has more than {MOST_BYTES >> 20} MB: larger files are not accepted.")
        format = table_format(path)
        if format in _NOT_TAKEN:
            raise InputError(f"Files of this kind are not accepted here; give one of {', '.join(known_formats())}.")
        n_lines = content.count(b"\n")
        # Checked before the file is read as a table, which takes memory.
        if format in _OF_LINES and n_lines > 20 * self.most_items + 1000:
            raise InputError(f"The file has {n_lines:,} lines; the page takes {self.most_items:,} rows.")
        table = read_table(path, limits=Limits(n_bytes=MOST_UNPACKED))
        n_rows = len(table.lines)
        if n_rows > self.most_items:
            raise InputError(f"The file has {n_rows:,} rows; the page takes {self.most_items:,} for this metric.")
        return ReadFile(table, guess_roles(table))

    def sure_systems(self, table: Table, roles: Roles) -> list[str]:
        """Return the columns of predictions, if recognized by name: as many as the page compares.

        They are where a column is called a reference, or only one is left; languages and two unknown names are not.
        """
        is_sure = len(roles.systems) == 1 or (self.takes_references and bool(roles.references))
        if not is_sure:
            return []
        # The texts of all systems together are the items that the page takes.
        most = max(1, min(MOST_SYSTEMS, self.most_items // max(len(table.lines), 1)))
        return list(roles.systems[:most])

    def choice_of_columns(self, table: Table) -> str:
        """Return instructions for a visitor if no column was recognized by name."""
        reason = "No columns were recognized by name."
        also = ", and references"
        if table.name.lower().endswith(".tmx"):
            reason = "Each column is a language of the file."
            also = ", and references in the same language"
        if not self.takes_references:
            also = ""
        return f"{reason} Choose the predictions{also}."

    def texts_of_file(self, path: str, systems: Sequence[str], references: Sequence[str]) -> FileTexts:
        """Return a file's table, with the texts of the chosen systems and their references."""
        table = self.read_file(path).table
        if not systems or (self.takes_references and not references):
            also = ", and at least one of references" if self.takes_references else ""
            raise InputError(f"Choose the column of the predictions{also}.")
        for system in systems:
            if self.takes_references and system in references:
                raise InputError(
                    f"The column {system!r} is chosen for the predictions and as a reference: choose another."
                )
        texts = {system: predictions_in(table, system) for system in systems}
        return FileTexts(table, texts, references_in(table, references))

    def score_file(
        self, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
    ) -> FileScores:
        """Return the result of the one column chosen, with intervals."""
        file_texts = self.texts_of_file(path, systems, references)
        (predictions,) = file_texts.systems.values()
        all_options = {**options, "segments": True, "confidence_level": CONFIDENCE}
        page_result = self.score(predictions, file_texts.references, all_options).page_result
        segments = page_result.result["segments"]
        rows = {
            "line": file_texts.table.lines,
            **segments,
            "prediction": predictions,
            **self.joined_references(file_texts.references),
        }
        source = self.source(path, file_texts.table, systems, references)
        return FileScores(page_result, rows, self.code(source, page_result.options))

    def joined_references(self, targets: Sequence[Sequence[str]]) -> dict[str, list[str]]:
        """Return the last column of the table of a file's items, where there are references."""
        if not self.takes_references:
            return {}
        return {"references": [" | ".join(texts) for texts in targets]}

    def source(self, path: str, table: Table, systems: Sequence[str], references: Sequence[str]) -> Source:
        """Return the lines that read the chosen columns of a file: references only where the metric takes any."""
        if not self.takes_references:
            return source_of_file(path, table, systems, references=[])
        return source_of_file(path, table, systems, references)

    def code(self, source: Source, options: Mapping[str, Any]) -> str:
        """Return the program that computes a result without the page, for lines that give it texts."""
        return program(self.address, source, options, self.takes_references)

    def histogram(self, values: Sequence[float | None], scale: int) -> list[tuple[str, int]]:
        """Return how many values of a score lie in each of twenty ranges."""
        return histogram(values, scale if self._is_share else 0.0)


def split_references(text: str) -> list[str]:
    r"""Return the references of a box: one a line, or, where a line is empty, one a paragraph."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = lines.split("\n")
    empty_line = r"\n[ \t]*\n"
    if re.search(empty_line, lines):
        parts = re.split(empty_line, lines)
    return [part.strip("\n") for part in parts if part.strip()]


def joined(references: str | Sequence[str]) -> str:
    """Return references as the page's box holds them."""
    texts = [references] if isinstance(references, str) else list(references)
    if any("\n" in text for text in texts):
        return "".join(f"{text}\n\n" for text in texts)
    return "\n".join(texts)


def known_formats() -> list[str]:
    """Return the names of the formats that are read."""
    return [format.upper() for format in dict.fromkeys(SUFFIXES.values()) if format not in _NOT_TAKEN]


def histogram(values: Sequence[float | None], scale: float) -> list[tuple[str, int]]:
    """Return how many finite values lie in each twentieth between 0 (or the least) and `scale` (or the greatest).

    Values that are no shares have the scale 0; a few that are much greater than all others share the last range.
    """
    numbers = np.array([value for value in values if value is not None and math.isfinite(value)], float)
    low = min(0.0, numbers.min(initial=0.0))
    high = max(scale, numbers.max(initial=0.0))
    if not scale and len(numbers):
        usual = 3 * float(np.percentile(numbers, 90))
        # of scores that are nearly all 0 or less, it is no end of a range
        if usual > 0:
            high = min(high, usual)
    if high == low:
        high = 1.0
    counts, edges = np.histogram(np.minimum(numbers, high), bins=20, range=(low, high))
    digits = 0 if high >= 100 else 2
    bars = []
    for (start, stop), count in zip(pairwise(edges), counts, strict=True):
        bars.append((f"{start:.{digits}f} – {stop:.{digits}f}", int(count)))
    return bars


def _meaning(metric: Metric) -> str:
    """Return what the primary score compares, and which values are good."""
    compares = metric.about.compares
    better = "Lower"
    best = 0
    if is_higher_better(metric, metric.primary):
        better = "Higher"
        best = metric.scale
    at_best = ""
    if metric.unit is not None:
        at_best = f"; {best} is the best"
    return f"{compares[0].upper()}{compares[1:]}. {better} is better{at_best}."


def _segment_options(metric: Metric) -> dict[str, Any]:
    """Return the options by which single segments are scored, where these differ."""
    options = {}
    for name in metric.options():
        value = getattr(metric.segment_metric, name)
        if value != getattr(metric, name):
            options[name] = value
    return options
