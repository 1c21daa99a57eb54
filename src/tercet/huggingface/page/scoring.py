"""What the page does, without the page: texts or a file -> result, explanation, table, code to copy."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.api import make_scorer
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_items, read_texts
from tercet.errors import InputError
from tercet.files.limits import Limits
from tercet.files.read import SUFFIXES, items, read_table, table_format
from tercet.files.roles import guess_roles
from tercet.files.table import Roles, Table
from tercet.metric.metric import Metric
from tercet.metric.scoring import score_batch
from tercet.registry import metric_class

from .controls import COMMON, DEPENDS, FOR_PROGRAMS, controls, given_options, without_defaults
from .limits import MOST_BYTES, MOST_DRAWN, MOST_UNPACKED, TEXT_CHARACTERS, check_size, most_systems
from .notes import dropped_letters, segment_note
from .program import Given, file_given, program

CONFIDENCE = 0.95

#: Formats of programs, not of visitors: what they unpack to is not bounded as tightly as a public page needs.
_NOT_TAKEN = ("parquet", "arrow")


@dataclass(frozen=True, slots=True)
class Scored:
    """A result, and what the metric warned of; it can be pickled."""

    result: dict[str, Any]
    notes: list[str]
    options: dict[str, Any]
    primary: tuple[str, str]  # the names of the score to sort by, of a corpus and of an item
    titles: dict[str, str]  # what people call the scores, by their names of a corpus and of an item
    only_of_items: frozenset[str]  # names of scores that a corpus has otherwise, such as the mean
    scale: int
    in_percent: bool


class Example(NamedTuple):
    """Texts with the options that they are for."""

    title: str
    options: str  # those that it sets, as text
    prediction: str
    references: str
    shown: list[Any]  # what the controls hold


class Demo:
    """A metric as the page offers it."""

    def __init__(self, metric: str, cases: Mapping[str, Any], address: str) -> None:
        self.metric = metric
        self.address = address
        kind = metric_class(metric)
        self.loads_model = kind.loads_model
        self.takes_references = kind.takes_references
        self.title = kind.title or kind.name
        self._is_share = kind.is_share
        offered = {**cases["DEMO_OPTIONS"], **(COMMON if kind.has_scale else {})}
        begun = given_options(controls(metric, offered), {})
        self.controls = controls(metric, offered, make_scorer(metric, begun).segment_options)
        own = [replace(each, value=each.default) if each.name in COMMON else each for each in self.controls]
        self._of_programs = [*own, *controls(metric, FOR_PROGRAMS)]
        self.most_items: int = cases["DEMO_ITEMS"]
        self._cases: Sequence[Mapping[str, Any]] = cases["CASES"]

    @property
    def examples(self) -> list[Example]:
        """The items of the cases: each sets its own options, and all others to what the page begins with."""
        found = []
        for case in self._cases:
            values = {each.name: case["options"].get(each.name, each.value) for each in self.controls}
            shown = [each.shown(values[each.name]) for each in self.controls]
            changed = [each for each in self.controls if values[each.name] != each.value]
            options = " · ".join(f"{each.name}={each.in_words(values[each.name])}" for each in changed)
            n_items = len(case["predictions"])
            references = case.get("references", [[]] * n_items)
            pairs = zip(case["predictions"], references, strict=True)
            for number, (prediction, references) in enumerate(pairs, 1):
                title = f"{case['description']} ({number} of {n_items})" if n_items > 1 else case["description"]
                found.append(Example(title, options, prediction, joined(references), shown))
        return found

    @property
    def begun(self) -> list[Any]:
        """What the controls hold as the page begins."""
        return [each.shown(each.value) for each in self.controls]

    def page_options(self, contents: Sequence[Any]) -> dict[str, Any]:
        """Return the options that the page's controls hold; those at their default are left out."""
        return without_defaults(self.controls, self._values(contents))

    def _values(self, contents: Sequence[Any]) -> dict[str, Any]:
        return {c.name: c.read(content) for c, content in zip(self.controls, contents, strict=True)}

    def chosen(self, contents: Sequence[Any]) -> list[str]:
        """Return what is to be said of options that are not as the page began: an example may have set them."""
        values = self._values(contents)
        own = [each for each in self.controls if values[each.name] != each.value]
        options = ", ".join(f"{each.name}={values[each.name]!r}" for each in own if values[each.name] is not DEPENDS)
        return [f"Options: {options}."] if options else []

    def text_options(self, contents: Sequence[Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the options of a single text, and what is to be said of those that nobody chose.

        A single text is scored as the metric scores a segment, but for options that a visitor set.
        """
        options = self.page_options(contents)
        left = [name for name, value in self._values(contents).items() if value is DEPENDS]
        if not left:
            return options, []
        own = make_scorer(self.metric, options).segment_options
        of_one = {name: value for name, value in own.items() if name in left}
        return {**options, **of_one}, [segment_note(of_one)] if of_one else []

    def score(
        self, predictions: Sequence[str], references: Any, options: Mapping[str, Any]
    ) -> tuple[Scored, Metric, Corpus]:
        """Score texts that are not too many or too long for a page; references are left alone where none are taken.

        Returns the scorer and the texts that it read, too.
        """
        scorer = make_scorer(self.metric, options)
        texts = read_items(predictions, references) if self.takes_references else read_texts(predictions)
        columns = texts.columns()
        self.check_size(columns["predictions"], columns["references"], options)
        batch = texts.batch()
        with warnings.catch_warnings(record=True) as caught:  # a process has one call at a time
            warnings.simplefilter("always")
            result = score_batch(scorer, batch)
        own = [str(warning.message) for warning in caught if warning.category is UserWarning]
        notes = [note.removeprefix(f"{self.metric}: ") for note in own]
        notes += dropped_letters(scorer, batch)
        if result.empty_predictions and self.takes_references:  # the others say it themselves
            notes.append(f"Empty predictions: {result.empty_predictions}, which score 0.")
        of_items = dict(zip(scorer.score_names, scorer.segment_names, strict=True))
        primary = scorer.primary, of_items[scorer.primary]
        scored = Scored(
            result.to_dict(full=True), notes, dict(options), primary, score_titles(scorer),
            frozenset(scorer.segment_names) - {*scorer.score_names}, scorer.scale,
            scorer.has_scale and scorer.scale == 100,
        )  # fmt: skip
        return scored, scorer, batch

    def check_size(
        self, predictions: Sequence[str], references: Sequence[Sequence[str]], options: Mapping[str, Any]
    ) -> None:
        """Raise an InputError for more texts than the page takes."""
        targets = references if self.takes_references else None
        check_size(predictions, targets, options, self.most_items)

    def compute(
        self, predictions: Sequence[str], references: Any, options: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Score a program's texts: what ``compute`` of the loaded metric returns, for options of the page.

        Without options it is what the page begins with; intervals and segments are options too.
        """
        given = given_options(self._of_programs, {} if options is None else options)
        result = self.score(predictions, references, given)[0].result
        return {key: self._without_folders(value) for key, value in result.items()}

    def _without_folders(self, entry: Any) -> Any:
        """Return an entry of a result with the names of encoders for their folders, which are the server's."""
        names = {choice: name for control in self.controls for name, choice in control.renamed.items()}
        for place, name in names.items():
            if isinstance(entry, str) and os.path.isabs(place):  # no name of the Hub
                entry = entry.replace(place, name)
        return entry

    def score_text(self, prediction: str, references: str, options: Mapping[str, Any]) -> tuple[Scored, str]:
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
        scored, scorer, batch = self.score([prediction], [targets], options)
        with warnings.catch_warnings():  # said above
            warnings.simplefilter("ignore")
            try:
                shares = scorer.with_options({"scale": 1}, idle=True)  # which are shown in percent where scores are
                why = shares.explained(batch, scorer.fit(batch))
            except InputError as error:  # too much to draw, though not to score
                scored.notes.append(str(error))
                return scored, ""
        html = why.to_html(scorer.scale if scorer.has_scale else 1)
        if len(html) > MOST_DRAWN:
            scored.notes.append(
                f"The picture would be {len(html) >> 20} MB, too large to show. Give a shorter text to see it."
            )
            return scored, ""
        return scored, html

    def read_file(self, path: str) -> tuple[Table, Roles]:
        """Read a visitor's file, and guess which column is what."""
        with open(path, "rb") as file:
            text = file.read(MOST_BYTES + 1)
        if len(text) > MOST_BYTES:
            raise InputError(f"The file has more than {MOST_BYTES >> 20} MB: larger files are not accepted.")
        n_lines = text.count(b"\n")
        if n_lines > 20 * self.most_items + 1000:  # read as a table, it would take memory first
            raise InputError(f"The file has {n_lines:,} lines; the page takes {self.most_items:,} rows.")
        if table_format(path) in _NOT_TAKEN:
            raise InputError(f"Files of this kind are not accepted here; give one of {', '.join(known_formats())}.")
        table = read_table(path, limits=Limits(n_bytes=MOST_UNPACKED))
        n_rows = len(table.lines)
        if n_rows > self.most_items:
            raise InputError(f"The file has {n_rows:,} rows; the page takes {self.most_items:,} for this metric.")
        return table, guess_roles(table)

    def sure_systems(self, table: Table, roles: Roles) -> list[str]:
        """Return the columns of predictions, if recognized by name: as many as the page compares.

        They are where one is called a reference, or a single one is left: languages are not, nor two unknown names.
        """
        known = len(roles.systems) == 1 or (self.takes_references and roles.references)
        return list(roles.systems[: most_systems(len(table.lines), self.most_items)]) if known else []

    def choice_of_columns(self, table: Table) -> str:
        """Return instructions for a visitor if no column was recognized by name."""
        languages = table.name.lower().endswith(".tmx")
        why = "Each column is a language of the file." if languages else "No columns were recognized by name."
        compared = f", and references{' in the same language' if languages else ''}" if self.takes_references else ""
        return f"{why} Choose the predictions{compared}."

    def texts_of_file(
        self, path: str, systems: Sequence[str], references: Sequence[str]
    ) -> tuple[Table, dict[str, list[str]], list[list[str]]]:
        """Return a file's table, with the texts of the chosen systems and their references."""
        table, _ = self.read_file(path)
        if not systems or (self.takes_references and not references):
            more = ", and at least one of references" if self.takes_references else ""
            raise InputError(f"Choose the column of the predictions{more}.")
        if both := [system for system in systems if self.takes_references and system in references]:
            raise InputError(
                f"The column {both[0]!r} is chosen for the predictions and as a reference: choose another."
            )
        targets = items(table, systems[0], references)[1]
        return table, {system: items(table, system, [])[0] for system in systems}, targets

    def score_file(
        self, path: str, systems: Sequence[str], references: Sequence[str], options: Mapping[str, Any]
    ) -> tuple[Scored, dict[str, list[Any]], str]:
        """Return the result of the one column chosen, with intervals, the table of its items, and the program."""
        table, texts, targets = self.texts_of_file(path, systems, references)
        (predictions,) = texts.values()
        asked = {**options, "segments": True, "confidence_level": CONFIDENCE}
        scored, _, _ = self.score(predictions, targets, asked)
        segments = scored.result["segments"]
        rows = {"line": table.lines, **segments, "prediction": predictions, **self.joined_references(targets)}
        given = file_given(path, table, systems, references if self.takes_references else [])
        return scored, rows, self.code(given, scored.options)

    def joined_references(self, targets: Sequence[Sequence[str]]) -> dict[str, list[str]]:
        """Return the last column of the table of a file's items, where there are references."""
        return {"references": [" | ".join(texts) for texts in targets]} if self.takes_references else {}

    def code(self, given: Given, options: Mapping[str, Any]) -> str:
        """Return the program that computes the same, for lines that give it texts."""
        return program(self.address, given, options, self.takes_references)

    def histogram(self, values: Sequence[float | None], scale: int) -> list[tuple[str, int]]:
        """Return how many values of a score lie in each of twenty ranges."""
        return histogram(values, scale if self._is_share else 0.0)


def score_titles(scorer: Metric) -> dict[str, str]:
    """Return what people call the scores of a metric, by their names of a corpus and of an item."""
    titles = {name: scorer.score_title(name) for name in scorer.score_names}
    for name, of_item in zip(scorer.score_names, scorer.segment_names, strict=True):
        titles.setdefault(of_item, titles[name])
    return titles


def split_references(text: str) -> list[str]:
    r"""Return the references of a box: one a line, or, where a line is empty, one a paragraph."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = re.split(r"\n[ \t]*\n", text) if re.search(r"\n[ \t]*\n", text) else text.split("\n")
    return [part.strip("\n") for part in parts if part.strip()]


def joined(references: str | Sequence[str]) -> str:
    """Return references as the page's box holds them."""
    texts = [references] if isinstance(references, str) else list(references)
    return "".join(f"{text}\n\n" for text in texts) if any("\n" in text for text in texts) else "\n".join(texts)


def known_formats() -> list[str]:
    """Return the names of the formats that are read."""
    return [format.upper() for format in dict.fromkeys(SUFFIXES.values()) if format not in _NOT_TAKEN]


def histogram(values: Sequence[float | None], scale: float) -> list[tuple[str, int]]:
    """Return how many values lie in each twentieth between 0 (or the least) and `scale` (or the greatest).

    Values that are no shares have the scale 0; a few that are much greater than all others share the last range.
    """
    known = np.array([value for value in values if value is not None], float)
    low, high = min(0.0, known.min(initial=0.0)), max(scale, known.max(initial=0.0))
    if not scale:
        high = min(high, 3 * float(np.percentile(known, 90))) if len(known) else 1.0
    counts, edges = np.histogram(np.minimum(known, high), bins=20, range=(low, high))
    digits = 0 if high >= 100 else 2
    return [
        (f"{start:.{digits}f} – {stop:.{digits}f}", int(count))
        for start, stop, count in zip(edges, edges[1:], counts, strict=False)
    ]
