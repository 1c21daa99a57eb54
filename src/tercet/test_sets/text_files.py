"""Text files, a segment per line -> a test set."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from tercet.errors import InputError, argument, shorten, warn
from tercet.files.candidates import first_candidates
from tercet.files.fairseq import Generated, generated
from tercet.files.read import MEMORIES, SUFFIXES, read_file, references_in, table_format
from tercet.files.roles import guess_roles
from tercet.files.text import STDIN, read_lines
from tercet.files.writing import check_different

from .generated import generated_set, warn_of_mixed_kinds
from .names import names_of
from .roles import Columns, warn_swapped
from .tables import check_roles
from .test_set import TestSet


def text_set(paths: list[str], reference_paths: list[str], source: str | None, columns: Columns) -> TestSet:
    """Read systems, references and the source from text files with the same number of lines.

    References may also be those of a table: the data set for which a script wrote the predictions. Output of
    fairseq-generate has its own, where no others are given.
    """
    if not reference_paths:
        test_set = generated_set(paths, source, columns)
        if test_set is not None:
            return test_set
    if not reference_paths and columns.need_references:
        check_texts(paths, columns)
        raise InputError(
            f"{paths[0]!r} is a text file, judging by its extension, and needs references: give a text file with a "
            f"reference per line ({argument('references')}). A table must be named as one, {' '.join(SUFFIXES)}: "
            "rename it if it has columns."
        )
    all_paths = [*paths, *reference_paths, *([] if source is None else [source])]
    for path in all_paths[len(paths) :]:
        if table_format(path) in MEMORIES or (table_format(path) and path == source):
            raise InputError(
                f"{path!r} is a table, and {paths[0]!r} is a text file; expected sources as a text file too, a "
                "segment per line, and references as such or in a column; or all texts in columns of one table."
            )
    if all_paths.count(STDIN) > 1:
        raise InputError("Standard input (-) can be read only once; give files for the others.")
    # The test set is called as this file, and all others have as many lines.
    first_path = [*reference_paths, *paths][0]
    tables = {path: _references(path, columns) for path in reference_paths if table_format(path)}
    lines: dict[str, list[str]] = {}
    outputs: list[Generated] = []
    for path in all_paths:
        if path in tables:
            continue
        lines[path] = first_candidates(path, read_lines(path, encoding=columns.opening.encoding))
        output = generated(path, lines[path])
        if output is not None and path not in paths:
            raise InputError(
                f"{path!r} is the output of fairseq-generate; expected references and sources in other files. "
                f"Without {argument('references')}, a system in such a file has those that it repeats."
            )
        if output is not None:
            lines[path] = output.in_order()
            outputs.append(output)
    warn_of_mixed_kinds(outputs)
    n_lines = {path: len(tables[path] if path in tables else lines[path]) for path in all_paths}
    if not n_lines[first_path]:
        raise InputError(
            f"{first_path!r} is empty; expected a {'reference' if reference_paths else 'text'} per line."
        )
    for path in all_paths:
        if n_lines[path] != n_lines[first_path]:
            unit = f"{'row' if path in tables else 'line'}{'s' * (n_lines[path] != 1)}"
            raise InputError(
                f"{path!r} has {n_lines[path]} {unit} and {first_path!r} has {n_lines[first_path]}; expected a line "
                "per segment in each."
            )
    check_different(paths, reference_paths)
    systems = {name: lines[path] for path, name in zip(paths, names_of(paths, columns.called), strict=True)}
    # Folders say nothing of a file's role.
    warn_swapped(
        names_of([first_path])[0],
        [os.path.basename(path) for path in paths],
        [os.path.basename(path) for path in reference_paths],
        None if source is None else os.path.basename(source),
    )
    reference_lists = [
        tables[path] if path in tables else [[line] for line in lines[path]] for path in reference_paths
    ]
    references = [
        [text for file_references in reference_lists for text in file_references[row]]
        for row in range(n_lines[first_path])
    ]
    _warn_of_utterance_ids(paths[0], lines[paths[0]], references)
    fields = "; ".join(output.note for output in outputs)
    return TestSet(
        names_of([first_path])[0],
        systems,
        references,
        None if source is None else lines[source],
        fields=f"{fields}." if fields else "",
    )


def _references(path: str, columns: Columns) -> list[list[str]]:
    table = read_file(path, columns.opening)
    references = columns.references or list(guess_roles(table).references)
    check_roles(table, table_format(path), [""], references, need_references=True)
    return references_in(table, references)


def _warn_of_utterance_ids(path: str, predictions: Sequence[str], references: Sequence[Sequence[str]]) -> None:
    """Warn where each line begins with an id that its references begin with, too: it is no word to be scored."""
    first_words = [line.partition(" ")[0] for line in predictions]
    if len({*first_words}) < len(first_words) or len(first_words) == 1 or not all(references):
        return
    # A word is no id, but in a file that is named as Kaldi names them.
    is_transcript = os.path.basename(path).startswith("text")
    if all(
        (is_transcript or re.search(r"\d", word)) and all(text.partition(" ")[0] == word for text in texts)
        for word, texts in zip(first_words, references, strict=True)
    ):
        warn(
            f"{path}: every line begins with what looks like an utterance's id, {shorten(first_words[0])}, and so "
            "do the references: it counts as a word that matches. Files called 'text', as Kaldi's, are joined by ids."
        )


def check_texts(paths: Sequence[str], columns: Columns) -> None:
    """Raise an InputError for a file that is no text: what it is explains more than its extension."""
    for path in paths:
        if path != STDIN:
            read_lines(path, encoding=columns.opening.encoding)
