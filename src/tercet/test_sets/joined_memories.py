"""Translation memories, subtitles and transcripts, one of each system, joined with those of the references."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from tercet.errors import InputError, argument, shorten
from tercet.files.formats import BILINGUAL, MEMORIES, TRANSLATIONS, table_format, unpacked
from tercet.files.table import SOURCE_TEXT
from tercet.files.translation.joining import join_memories
from tercet.files.writing import check_different

from .input_files import InputFiles, check_no_scores_beside
from .memories_and_tables import memories_beside_tables
from .named_columns import NamedColumns
from .names_from_paths import name_of, names_of
from .test_set import TestSet

#: By format that is joined with references: the files that can be, and by what.
_JOINED = {
    **dict.fromkeys(TRANSLATIONS, ("TMX, XLIFF or PO files", SOURCE_TEXT)),
    "subtitles": ("SRT, WebVTT or SSA files", "time"),
    **dict.fromkeys(
        ("ctm", "stm", "seglst", "trn", "kaldi"),
        ("CTM, STM, SegLST (.seglst.json) or TRN files or files called 'text'", "id"),
    ),
}
_TEXTS = ("text files", "line")


def joined_memories(files: InputFiles, named: NamedColumns) -> TestSet:
    """Join a translation memory for each system with those of the references."""
    paths = files.paths
    references = files.references
    joined_as = {path: _JOINED.get(table_format(path), _TEXTS) for path in [*paths, *references]}
    _check_one_kind(paths, joined_as)
    _, joined_by = joined_as[paths[0]]
    kind = unpacked(os.path.basename(paths[0])).rpartition(".")[2].upper()
    if table_format(paths[0]) == "seglst":
        kind = "SegLST"
    if files.sources:
        raise InputError(f"{kind} files take no file of sources ({argument('source')}); got {files.sources[0]!r}.")
    are_tables = all(table_format(path) and table_format(path) not in MEMORIES for path in references)
    beside_tables = are_tables and all(table_format(path) in BILINGUAL for path in paths)
    if not beside_tables:
        _check_kind_of_references(kind, paths[0], references, joined_as)
    _check_no_labels(kind, joined_by, named)
    if joined_by != SOURCE_TEXT:
        _check_no_columns(kind, named)
    if named.systems or (len(named.references) > 1 and not beside_tables):
        raise InputError(
            f"{paths[0]!r} is a system and {references[0]!r} holds references: name at most one language of the "
            f"references ({argument('reference_columns')}), and none of a system."
        )
    check_different(paths, references)
    check_no_scores_beside(files, f"{kind} files")
    memories = dict(zip(names_of(paths, files.called), paths, strict=True))
    if beside_tables:
        return memories_beside_tables(memories, files, named)
    target = None
    if named.references:
        target = named.references[0]
    joined = join_memories(memories, references, target, named.source, named.missing)
    return TestSet(
        name=name_of(references[0]),
        systems=joined.systems,
        references=joined.references,
        source=joined.source,
        ids=joined.ids,
        lost=joined.lost.by_system,
        n_all=joined.lost.n_all,
    )


def _check_one_kind(paths: Sequence[str], joined_as: Mapping[str, tuple[str, str]]) -> None:
    """Raise an InputError for systems in files of different kinds, which are not joined with each other."""
    for path in paths:
        if joined_as[path] != joined_as[paths[0]]:
            all_kinds = dict.fromkeys([*_JOINED.values(), _TEXTS])
            expected = "; ".join(f"{files}, joined by {joined_by}" for files, joined_by in all_kinds)
            raise InputError(
                f"{paths[0]!r} and {path!r} are systems in files of different kinds; expected all of one kind: "
                f"{expected}."
            )


def _check_kind_of_references(
    kind: str, path: str, references: Sequence[str], joined_as: Mapping[str, tuple[str, str]]
) -> None:
    """Raise an InputError for references in files of another kind than those of systems, such as `path`."""
    files, joined_by = joined_as[path]
    misplaced = [reference for reference in references if joined_as[reference] != joined_as[path]]
    if not misplaced:
        return
    problem = (
        f"Systems in {kind} files need references in {files}, because they are joined by {joined_by}; "
        f"{misplaced[0]!r} is not one."
    )
    if table_format(path) == "tmx":
        problem += " Or give one TMX file with the references as one of its languages or authors."
    if table_format(path) in BILINGUAL:
        problem += " Or give a table with a column of sources, or of the ids of units."
    raise InputError(problem)


def _check_no_labels(kind: str, joined_by: str, named: NamedColumns) -> None:
    """Raise an InputError for columns that label segments, which these files do not have."""
    labels = [(named.cluster, "cluster"), (named.system_column, "system_column")]
    labels += [(spec, "by") for spec in named.slices]
    for name, option in labels:
        if name is not None:
            owner = f"{kind} files"
            if joined_by == SOURCE_TEXT:
                owner = f"Units of {kind} files"
            raise InputError(f"{owner} have no column {shorten(name)} for {argument(option)}.")


def _check_no_columns(kind: str, named: NamedColumns) -> None:
    """Raise an InputError for columns of files that have none to choose: texts by their time or id."""
    chosen = {"systems": named.systems, "reference_columns": named.references}
    if named.source:
        chosen["source_column"] = [named.source]
    for option, names in chosen.items():
        if names:
            raise InputError(
                f"{kind} files have no columns, and so none is called {shorten(names[0])}: leave out "
                f"{argument(option)}."
            )
