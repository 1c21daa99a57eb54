"""Folders of mt-metrics-eval: texts, human scores and scores of metrics of a language pair, at one level.

``system-outputs/PAIR/SYSTEM.txt``, ``references/PAIR.REFERENCE.txt``, ``sources/PAIR.txt``, ``documents/PAIR.docs``,
``human-scores/PAIR.NAME.LEVEL.score`` and ``metric-scores/PAIR/NAME-REFERENCES.LEVEL.score``. Texts may be in
``.jsonl`` instead. A level says of what there is a score: segments, documents, or all that a system wrote.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, argument_set, did_you_mean, shorten, warn
from tercet.names_as_shown import MOST_NAMED, joined

from .json_tables import object_in
from .text import read_lines
from .wmt_annotations import chosen_pair

Array = NDArray[np.float64]

#: Levels that are read, from the finest, by the end of a file's name, and what they score. Others are left out.
LEVELS = {"seg": "segments", "doc": "documents", "sys": "systems"}
#: The line of a text file that stands for a missing translation.
NO_TRANSLATION = "[No translation supplied]"
#: In the note, behind what was not asked for, but is all that there is.
_ONLY_ONE = " (the only one)"


@dataclass(frozen=True, slots=True)
class FolderRequest:
    """What a user says of a folder; empty where nothing is said."""

    pair: str | None = None
    references: Sequence[str] = ()
    systems: Sequence[str] = ()
    dimensions: Sequence[str] = ()
    scores: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class MetricsFolder:
    """A language pair of a folder, at one level."""

    #: The test set and the pair, such as ``wmt24 en-de``.
    name: str
    #: What has scores: segments, documents or systems.
    scored: str
    #: The texts of each system, by segment.
    systems: dict[str, list[str]]
    #: The references of each segment, without missing ones.
    references: list[list[str]]
    source: list[str] | None
    #: The document of each segment; None where nothing says it.
    documents: list[str] | None
    n_items: int
    #: By the name of the human score, NaN where there is none. (dict of str to ndarray, shape (systems, items))
    grades: dict[str, Array] = field(repr=False)
    #: Of metrics, in the same form.
    scores: dict[str, Array] = field(repr=False)
    #: What was taken as what, and why.
    note: str = ""


def is_metrics_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder has the shape of one of mt-metrics-eval."""
    folder = Path(path)
    return (folder / "system-outputs").is_dir() and (folder / "human-scores").is_dir()


def read_metrics_folder(path: str | os.PathLike[str], asked: FolderRequest) -> MetricsFolder:
    """Read a language pair of a folder, at the level of the human scores that are asked for.

    Systems are all outputs with a human score but those of the references in use: other references among them are
    human systems, as in mt-metrics-eval. Scores of metrics are those that use no other references.
    """
    folder = Path(path)
    if not is_metrics_folder(folder):
        raise InputError(_without_shape(folder))
    pair = _LanguagePair.of(folder, asked.pair)
    references = pair.chosen_references(asked.references)
    outputs = pair.chosen_outputs(references, asked.systems)
    dimensions = pair.chosen_dimensions(asked.dimensions, asked.scores)
    level = pair.human[dimensions[0]].level
    texts = _FolderTexts.like(next(iter(outputs.values())))
    documents = texts.documents(pair.file("documents", ".docs"))

    n_items = {"seg": texts.n_segments, "doc": len(set(documents or ())), "sys": 1}[level]
    items = _ScoredItems(list(pair.outputs), n_items, LEVELS[level])
    human = {name: items.read(pair.human[name].path) for name in dimensions}
    systems = []
    for name in outputs:
        if any(_has_score(scores, name) for scores in human.values()):
            systems.append(name)
    if not systems:
        raise InputError(f"{pair}: no system has a human score in {joined(dimensions, MOST_NAMED, 'or')}.")
    metrics = _MetricScores.read(pair, level, items, systems, references, asked.scores)

    notes = [
        *_notes_of_choice(pair, references, asked),
        f"systems: {_quote(systems)}",
        _note("of these references", [name for name in systems if name in pair.references]),
        f"grades of {LEVELS[level]}: {_quote(dimensions)}",
        _note("scores", list(metrics.scores)),
        _note("systems without grades, left out", [name for name in outputs if name not in systems]),
        _note_of_grades([name for name in pair.human if name not in dimensions]),
        _note("scores that lack some of these systems, left out", metrics.incomplete),
        _note("scores with other references, left out", metrics.of_other_references),
    ]
    return MetricsFolder(
        name=f"{folder.resolve().name} {pair.name}",
        scored=LEVELS[level],
        systems={name: texts.of_system(outputs[name]) for name in systems},
        references=texts.by_segment([pair.references[name] for name in references]),
        source=texts.source(pair.file("sources", ".txt", ".jsonl")),
        documents=documents,
        n_items=n_items,
        grades={name: items.table(scores, systems) for name, scores in human.items()},
        scores={name: items.table(scores, systems) for name, scores in metrics.scores.items()},
        note="; ".join(note for note in notes if note) + ".",
    )


def _without_shape(folder: Path) -> str:
    """Return what is said of a folder that is none of mt-metrics-eval, or that has such folders."""
    inner = [each.name for each in sorted(folder.iterdir()) if is_metrics_folder(each)]
    if inner:
        return (
            f"{folder} holds test sets of mt-metrics-eval, {joined(inner, MOST_NAMED)}: give one of them, such as "
            f"{str(folder / inner[0])!r}."
        )
    return (
        f"{folder} is a folder without system-outputs and human-scores: expected a folder in the shape of "
        "mt-metrics-eval, or a table of texts and grades."
    )


def _notes_of_choice(pair: _LanguagePair, references: Sequence[str], asked: FolderRequest) -> list[str]:
    """Return which language pair and references are in use, and which of them were the only ones."""
    note_of_pair = f"{pair.folder}: language pair: {pair.name}"
    if not asked.pair:
        note_of_pair += _ONLY_ONE
    note_of_references = "no references"
    if references:
        note_of_references = f"reference: {_quote(references)}"
        if not asked.references:
            note_of_references += _ONLY_ONE
    return [note_of_pair, note_of_references]


def _note(what: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    return f"{what}: {_quote(names)}"


def _note_of_grades(names: Sequence[str]) -> str:
    """Return which human scores are not in use, and how to ask for one."""
    if not names:
        return ""
    return _note(f"other grades, left out ({argument_set('dimension', names[0])} reads them)", names)


def _quote(names: Sequence[str]) -> str:
    return joined(list(map(repr, names)), MOST_NAMED)


@dataclass(frozen=True, slots=True)
class _ScoreFile:
    """A file of human scores."""

    path: Path
    level: str


@dataclass(frozen=True, slots=True)
class _LanguagePair:
    """The files of a language pair, by what they are called, and which of them are in use."""

    folder: Path
    name: str
    outputs: Mapping[str, Path]
    references: Mapping[str, Path]
    #: ``mqm`` of segments, ``mqm.doc`` of documents, ``mqm.sys`` of systems.
    human: Mapping[str, _ScoreFile]

    @classmethod
    def of(cls, folder: Path, asked: str | None) -> _LanguagePair:
        """Return the pair that is asked for, or the only one."""
        names = sorted(each.name for each in (folder / "system-outputs").iterdir() if each.is_dir())
        if not names:
            raise InputError(f"{folder / 'system-outputs'} has no folder of a language pair, such as en-de.")
        name = chosen_pair(str(folder), names, asked)
        outputs = _files_of_texts(folder / "system-outputs" / name, "")
        if not outputs:
            raise InputError(f"{folder / 'system-outputs' / name} has no texts of a system (.txt or .jsonl).")
        references = _files_of_texts(folder / "references", f"{name}.")
        human = _human_files(folder / "human-scores", name)
        if not human:
            raise InputError(
                f"{folder / 'human-scores'} has no scores of {name}: expected files called {name}.NAME.LEVEL.score, "
                f"whose level is {joined(list(LEVELS), word='or')}."
            )
        return cls(folder, name, outputs, references, human)

    def __str__(self) -> str:
        """Return how messages call the pair."""
        return f"{self.folder} {self.name}"

    def file(self, folder: str, *ends: str) -> Path | None:
        """Return the file of the pair in a folder, by the end of its name; None without one."""
        for end in ends:
            path = self.folder / folder / f"{self.name}{end}"
            if path.is_file():
                return path
        return None

    def chosen_references(self, asked: Sequence[str]) -> list[str]:
        """Return the names of the references that are asked for, or the only one."""
        names = list(self.references)
        for name in asked:
            if name not in names:
                raise OptionError(f"{self} has no reference {shorten(name)}. {did_you_mean(name, names)}")
        if not asked and len(names) > 1:
            ways = joined([argument_set("reference_columns", name) for name in names], word="or")
            raise OptionError(
                f"{self} has {len(names)} references: {', '.join(names)}. Choose the one that metrics compare with: "
                f"{ways}. Others that are among the outputs are systems then."
            )
        return list(asked) or names

    def chosen_outputs(self, references: Sequence[str], asked: Sequence[str]) -> dict[str, Path]:
        """Return the files of the systems that are asked for, or of all but the references in use."""
        outputs = {name: path for name, path in self.outputs.items() if name not in references}
        for name in asked:
            if name not in outputs:
                raise OptionError(f"{self} has no system {shorten(name)}. {did_you_mean(name, outputs)}")
        if not outputs:
            raise InputError(f"{self} has no system beside the references.")
        return {name: outputs[name] for name in asked or outputs}

    def chosen_dimensions(self, asked: Sequence[str], scores: Sequence[str]) -> list[str]:
        """Return the names of human scores, of one level: those that are asked for, or all of the finest level.

        `scores` may be people's too, which are then compared as those of a metric.
        """
        # A name with options, such as mqm:better=lower, is given without them too.
        names = [name for name in asked if name in self.human or ":" not in name]
        for name in names:
            if name not in self.human:
                raise OptionError(f"{self} has no human scores {shorten(name)}. {did_you_mean(name, self.human)}")
        if names:
            names += [name for name in scores if name in self.human and name not in names]
        by_level: dict[str, list[str]] = {}
        for name in names or self.human:
            by_level.setdefault(self.human[name].level, []).append(name)
        if names and len(by_level) > 1:
            (level, (first, *_)), (other_level, (second, *_)), *_ = by_level.items()
            raise OptionError(
                f"{first} has scores of {LEVELS[level]}, {second} of {LEVELS[other_level]}: give "
                f"{argument_set('dimension', first)} or {argument_set('dimension', second)}."
            )
        return next(by_level[level] for level in LEVELS if level in by_level)

    def uses_only(self, metric: str, references: Sequence[str]) -> bool:
        """Return whether a metric, as its name says, uses no other references: none, some of these, or all."""
        suffix = metric.rpartition("-")[2]
        if suffix == "src":
            return True
        used = suffix.split(".")
        if suffix == "all":
            used = list(self.references)
        return set(used) <= set(references)


@dataclass(frozen=True, slots=True)
class _MetricScores:
    """Scores of metrics, as files have them, and which of them are left out."""

    #: By metric and system.
    scores: dict[str, dict[str, list[float]]]
    incomplete: list[str]
    of_other_references: list[str]

    @classmethod
    def read(
        cls,
        pair: _LanguagePair,
        level: str,
        items: _ScoredItems,
        systems: Sequence[str],
        references: Sequence[str],
        asked: Sequence[str],
    ) -> _MetricScores:
        """Return the scores of a level that use no other references: of all metrics, or of those asked for."""
        end = f".{level}.score"
        paths = sorted((pair.folder / "metric-scores" / pair.name).glob(f"*{end}"))
        files = {path.name.removesuffix(end): path for path in paths}
        usable = [name for name in files if pair.uses_only(name, references)]
        for name in asked:
            if name not in usable and name not in pair.human:
                raise OptionError(
                    f"{pair} has no scores {shorten(name)} of these references. {did_you_mean(name, usable)}"
                )
        scores: dict[str, dict[str, list[float]]] = {}
        incomplete = []
        for name in usable:
            if asked and name not in asked:
                continue
            by_system = items.read(files[name])
            lacking = [system for system in systems if not _is_complete(by_system, system)]
            if lacking and asked:
                raise InputError(f"{files[name]} lacks scores of {_quote(lacking)}.")
            if lacking:
                incomplete.append(name)
            else:
                scores[name] = by_system
        return cls(scores, incomplete, [name for name in files if name not in usable])


def _files_of_texts(folder: Path, start: str) -> dict[str, Path]:
    """Return the files of texts by their names, without how they start and end."""
    files: dict[str, Path] = {}
    if not folder.is_dir():
        return {}
    for path in sorted(folder.iterdir()):
        if path.suffix not in (".txt", ".jsonl") or not path.name.startswith(start):
            continue
        name = path.name[len(start) : -len(path.suffix)]
        if name in files:
            raise InputError(f"{files[name]} and {path.name} are both texts of {name!r}: expected one of them.")
        files[name] = path
    return files


def _human_files(folder: Path, pair: str) -> dict[str, _ScoreFile]:
    files = {}
    for path in sorted(folder.glob(f"{pair}.*.score")):
        *parts, level = path.name.removeprefix(f"{pair}.").removesuffix(".score").split(".")
        name = ".".join(parts)
        if not name or level not in LEVELS:
            continue
        if level != "seg":
            name += f".{level}"
        files[name] = _ScoreFile(path, level)
    return files


# Files of scores: a line for each item of each system.


@dataclass(frozen=True, slots=True)
class _ScoredItems:
    """What has scores."""

    #: Of all outputs, also of those that are not compared.
    systems: Sequence[str]
    n_items: int
    #: Segments, documents or systems.
    scored: str

    def read(self, path: Path) -> dict[str, list[float]]:
        """Return the scores of each system in a file, NaN where it says None."""
        by_system: dict[str, list[float]] = {}
        for number, line in enumerate(read_lines(str(path)), 1):
            fields = line.split()
            if len(fields) != 2:
                raise InputError(f"{path}, line {number}: expected a system and a score, got {shorten(line)}.")
            system, text = fields
            if system not in self.systems:
                raise InputError(
                    f"{path}, line {number}: there are no outputs of {shorten(system)}. "
                    f"{did_you_mean(system, self.systems)}"
                )
            by_system.setdefault(system, []).append(_parse_score(text, path, number))
        for system, numbers in by_system.items():
            if len(numbers) != self.n_items:
                expected = f"{self.n_items:,}, one for each of its {self.scored}"
                if self.scored == "systems":
                    expected = "1"
                raise InputError(
                    f"{path}: the number of scores of {shorten(system)} is {len(numbers):,}; expected {expected}."
                )
        return by_system

    def table(self, by_system: Mapping[str, Sequence[float]], systems: Sequence[str]) -> Array:
        """Return the scores of some systems, shape (systems, items): NaN where there are none."""
        missing = [math.nan] * self.n_items
        return np.array([by_system.get(system, missing) for system in systems], np.float64)


def _parse_score(text: str, path: Path, number: int) -> float:
    if text == "None":
        return math.nan
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(f"{path}, line {number}: expected a finite number or None, got {shorten(text)}.")
    return score


def _has_score(by_system: Mapping[str, Sequence[float]], system: str) -> bool:
    return any(not math.isnan(score) for score in by_system.get(system, ()))


def _is_complete(by_system: Mapping[str, Sequence[float]], system: str) -> bool:
    return system in by_system and not any(map(math.isnan, by_system[system]))


# Files of texts: a line for each segment.


@dataclass(frozen=True, slots=True)
class _FolderTexts:
    """How many segments each file must have, and the file that says so."""

    n_segments: int
    first: Path

    @classmethod
    def like(cls, path: Path) -> _FolderTexts:
        """Return what holds for all files: as many segments as in one."""
        return cls(len(read_lines(str(path))), path)

    def of_system(self, path: Path) -> list[str]:
        """Return the texts of a system: a missing one is empty, which is warned of."""
        texts = self._read(path, "hypothesis")
        n_missing = texts.count(None)
        if n_missing:
            outputs = "1 missing output counts" if n_missing == 1 else f"{n_missing:,} missing outputs count"
            warn(f"{path}: {outputs} as empty.")
        return [text or "" for text in texts]

    def by_segment(self, paths: Sequence[Path]) -> list[list[str]]:
        """Return the references of each segment; missing and empty ones are none."""
        lists: list[list[str]] = [[] for _ in range(self.n_segments)]
        for path in paths:
            for segment, text in enumerate(self._read(path, "target")):
                if text:
                    lists[segment].append(text)
        return lists

    def source(self, path: Path | None) -> list[str] | None:
        """Return the sources; None without a file."""
        if path is None:
            return None
        return [text or "" for text in self._read(path, "source")]

    def documents(self, path: Path | None) -> list[str] | None:
        """Return the document of each segment, which its line names behind the domain; None without a file."""
        if path is None:
            return None
        names = []
        for number, line in enumerate(self._lines(path), 1):
            fields = line.split()
            if len(fields) < 2:
                raise InputError(f"{path}, line {number}: expected a domain and a document, got {shorten(line)}.")
            names.append(fields[1])
        return names

    def _read(self, path: Path, key: str) -> list[str | None]:
        """Return lines, or what JSON objects have under a key; None where a text is missing."""
        lines = self._lines(path)
        if path.suffix == ".txt":
            return [None if line.rstrip() == NO_TRANSLATION else line for line in lines]
        texts: list[str | None] = []
        for number, line in enumerate(lines, 1):
            text = object_in(line, f"{path}, line {number}").get(key)
            if text is not None and not isinstance(text, str):
                raise InputError(f"{path}, line {number}: expected a text under {key!r}, got {shorten(text)}.")
            texts.append(text)
        return texts

    def _lines(self, path: Path) -> list[str]:
        lines = read_lines(str(path))
        if len(lines) != self.n_segments:
            raise InputError(
                f"{path} has {len(lines):,} lines, {self.first} {self.n_segments:,}: expected one for each segment."
            )
        return lines
