"""Text files, a segment per line -> a test set."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tercet.corpus.large import SideBySide
from tercet.errors import InputError, argument, shorten, warn
from tercet.files.candidates import first_candidates
from tercet.files.columns.name_roles import role_of
from tercet.files.fairseq import Generated, generated
from tercet.files.formats import MEMORIES, SUFFIXES, table_format
from tercet.files.large_texts import large_lines
from tercet.files.lines import STDIN, read_lines
from tercet.files.read import Opening, read_file, references_in
from tercet.files.writing import check_different
from tercet.names_as_shown import counted

from .column_warnings import warn_swapped
from .generated import generated_set, warn_of_mixed_kinds
from .input_files import InputFiles
from .named_columns import NamedColumns
from .names_from_paths import name_of, names_of
from .test_set import LargeTestSet, TestSet

#: Text files of fewer bytes together are read whole.
_LARGE = 1 << 24


def are_large(paths: Sequence[str]) -> bool:
    """Return whether these are text files that may be read piece by piece, and together are large."""
    for path in paths:
        # Pipes can be read only once, and what is packed only from its beginning.
        if table_format(path) or path.lower().endswith(".gz") or not os.path.isfile(path):
            return False
    return sum(map(os.path.getsize, paths)) >= _LARGE


def text_set(files: InputFiles, named: NamedColumns, *, in_pieces: bool = False) -> TestSet:
    """Read systems, references and the source from text files with the same number of lines.

    References may also be those of a table: the data set for which a script wrote the predictions. Output of
    fairseq-generate has its own, where no others are given. With `in_pieces`, all are text files, and their texts are
    read when they are needed.
    """
    if not files.references:
        test_set = generated_set(files, named)
        if test_set is not None:
            return test_set
    _check_are_texts(files, named)
    contents = _Contents.of(files, named, in_pieces=in_pieces)
    # The test set is called as this file, and all others have as many lines.
    first_path = files.paths[0]
    kind_of_texts = "text"
    if files.references:
        first_path = files.references[0]
        kind_of_texts = "reference"
    contents.check_lengths(first_path, kind_of_texts)
    check_different(files.paths, files.references)
    # Lines that are read when they are needed stand for lists.
    lines: dict[str, Any] = {**contents.lines}
    names = names_of(files.paths, files.called)
    systems = {name: lines[path] for path, name in zip(files.paths, names, strict=True)}
    source_name = None
    source_texts = None
    for path in files.sources:
        source_name = os.path.basename(path)
        source_texts = lines[path]
    test_set_name = name_of(first_path)
    # Folders say nothing of a file's role.
    system_names = list(map(os.path.basename, files.paths))
    warn_swapped(test_set_name, system_names, list(map(os.path.basename, files.references)), source_name)
    kind = TestSet
    references: Any
    if in_pieces:
        kind = LargeTestSet
        references = SideBySide([lines[path] for path in files.references])
    else:
        references = contents.references(files.references, len(lines[files.paths[0]]))
    _warn_of_utterance_ids(files.paths[0], lines[files.paths[0]], references)
    fields = ""
    if contents.outputs:
        fields = f"{'; '.join(output.note for output in contents.outputs)}."
    return kind(test_set_name, systems, references, source_texts, fields=fields)


def _check_are_texts(files: InputFiles, named: NamedColumns) -> None:
    """Raise an InputError for systems without references, and for files that are read as no lines of text."""
    first_path = files.paths[0]
    if not files.references and named.need_references:
        check_texts(files)
        named_as_references = ""
        for path in files.paths:
            if role_of(Path(path).stem) == "reference":
                named_as_references = f" {path!r} is named as references are: is it the one?"
        raise InputError(
            f"{first_path!r} is a text file, judging by its extension, and needs references: give a text file with a "
            f"reference per line ({argument('references')}).{named_as_references} A table must be named as one, "
            f"{' '.join(SUFFIXES)}: rename it if it has columns."
        )
    for path in files.beside:
        if table_format(path) in MEMORIES or (table_format(path) and path in files.sources):
            raise InputError(
                f"{path!r} is a table, and {first_path!r} is a text file; expected sources as a text file too, a "
                "segment per line, and references as such or in a column; or all texts in columns of one table."
            )
    if [*files.paths, *files.beside].count(STDIN) > 1:
        raise InputError("Standard input (-) can be read only once; give files for the others.")


class _Contents(NamedTuple):
    """What files hold, by path: lines, or the references of tables."""

    lines: dict[str, Sequence[str]]
    tables: dict[str, list[list[str]]]
    #: Those of fairseq-generate.
    outputs: list[Generated]

    @classmethod
    def of(cls, files: InputFiles, named: NamedColumns, *, in_pieces: bool) -> _Contents:
        """Read files, or what is needed of them to read their lines piece by piece."""
        contents = cls({}, {}, [])
        for path in [*files.paths, *files.beside]:
            if path in files.beside and table_format(path):
                contents.tables[path] = _references_in_table(path, files.opening, named)
                continue
            candidates = large_lines(path) if in_pieces else read_lines(path, encoding=files.opening.encoding)
            lines = first_candidates(path, candidates)
            output = generated(path, lines)
            if output is None:
                contents.lines[path] = lines
                continue
            if path not in files.paths:
                raise InputError(
                    f"{path!r} is the output of fairseq-generate; expected references and sources in other "
                    f"files. Without {argument('references')}, a system in such a file has those that it repeats."
                )
            contents.lines[path] = output.in_order()
            contents.outputs.append(output)
        warn_of_mixed_kinds(contents.outputs)
        return contents

    def check_lengths(self, first: str, what: str) -> None:
        """Raise an InputError for a file with more or fewer lines than the first, or if that has none."""
        n_lines = {path: len(lines) for path, lines in self.lines.items()}
        n_rows = {path: len(rows) for path, rows in self.tables.items()}
        expected = {**n_lines, **n_rows}[first]
        if not expected:
            raise InputError(f"{first!r} is empty; expected a {what} per line.")
        for counts, unit in ((n_lines, "line"), (n_rows, "row")):
            for path, number in counts.items():
                if number != expected:
                    raise InputError(
                        f"{path!r} has {counted(number, unit)} and {first!r} has {expected:,}; expected a line per "
                        f"segment in each.{self._empty_end(path)}{self._empty_end(first)}"
                    )

    def _empty_end(self, path: str) -> str:
        """Return that the last line of a file is empty, as one is that a blank line too many ends."""
        lines = self.lines.get(path, ())
        if len(lines) == 0 or lines[-1].strip():
            return ""
        return f" The last line of {path!r} is empty."

    def references(self, paths: Sequence[str], n_segments: int) -> list[list[str]]:
        """Return the references of each segment, in the order of the files."""
        references_of_segments: list[list[str]] = [[] for _ in range(n_segments)]
        for path in paths:
            if path in self.tables:
                for references, further in zip(references_of_segments, self.tables[path], strict=True):
                    references.extend(further)
            else:
                for references, text in zip(references_of_segments, self.lines[path], strict=True):
                    references.append(text)
        return references_of_segments


def _references_in_table(path: str, opening: Opening, named: NamedColumns) -> list[list[str]]:
    # Here, as most references are text files, too.
    from tercet.files.columns.roles import guess_roles

    from .column_checks import check_roles

    table = read_file(path, opening)
    references = named.references or list(guess_roles(table).references)
    # Its systems are text files, and no columns.
    named_so = replace(named, systems=["text"], references=references, need_references=True)
    check_roles(table, table_format(path), named_so)
    return references_in(table, references)


def _warn_of_utterance_ids(path: str, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Warn where each line begins with an id that its references begin with, too: it is no word to be scored."""
    if len(predictions) == 1:
        return
    # A word is no id, but in a file that is named as Kaldi names them.
    is_transcript = os.path.basename(path).startswith("text")
    ids = set()
    for line, texts in zip(predictions, references, strict=True):
        id, *_ = line.split(" ", 1)
        if not texts or id in ids or not (is_transcript or re.search(r"\d", id)):
            return
        if any(text.split(" ", 1)[0] != id for text in texts):
            return
        ids.add(id)
    first_id = predictions[0].split(" ", 1)[0]
    warn(
        f"{path}: every line begins with what looks like an utterance's id, {shorten(first_id)}, and so "
        "do the references: it counts as a word that matches. Files called 'text', as Kaldi's, are joined by ids."
    )


def check_texts(files: InputFiles) -> None:
    """Raise an InputError for a file that is no text: what it is explains more than its extension."""
    for path in files.paths:
        if path != STDIN:
            read_lines(path, encoding=files.opening.encoding)
