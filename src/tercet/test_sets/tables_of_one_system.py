"""Tables of one system each -> a test set of all that have the same segments, whose systems can be compared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple, TypeVar

from tercet.errors import InputError, argument_set, shorten, warn
from tercet.files.columns.words import n_first_shared

from .named_columns import listing
from .test_set import TestSet

_T = TypeVar("_T")


def check_one_system(path: str, systems: Sequence[str], name: str) -> None:
    """Raise an InputError for a table with several systems that is given one name."""
    if len(systems) > 1:
        raise InputError(
            f"{path} has {len(systems)} systems ({listing(systems)}), and the name {shorten(name)} is for one: "
            f"give the file without a name, or choose the system: {argument_set('systems', systems[0])}."
        )


def join_tables(tables: Sequence[TestSet], called: Mapping[str, str]) -> list[TestSet]:
    """Return the test sets of tables: one of those with a system each for the same segments.

    `called` has the names that the user gives to the only systems of tables.
    """
    groups = _groups(tables)
    tables_alone = [group[0] for group in groups if len(group) == 1]
    _warn_of_near_misses(tables_alone, [group[0] for group in groups if len(group) > 1])
    names_of_tables = {table.name for table in tables_alone}
    test_sets: list[TestSet] = []
    for group in groups:
        first = group[0]
        if len(group) > 1:
            taken = names_of_tables.union(test_set.name for test_set in test_sets)
            test_sets.append(_as_one(group, called, taken))
        elif called.get(first.name):
            test_sets.append(_renamed_by_user(first, called[first.name]))
        else:
            test_sets.append(first)
    return test_sets


class _Segments(NamedTuple):
    """What the segments of a table are: systems of tables in which all of this is equal can be compared."""

    #: References, or else sources: what tells one segment from another.
    texts: tuple[Any, ...]
    source: tuple[str, ...] | None
    #: The number of each segment's cluster, as bytes.
    clusters: bytes | None

    @classmethod
    def of_one_system(cls, table: TestSet) -> _Segments | None:
        """Return the segments of a table; None of several systems, and where all are "yes" and so not told apart."""
        if len(table.systems) != 1:
            return None
        source = None
        if table.source is not None:
            source = tuple(table.source)
        texts: tuple[Any, ...] | None = source
        if any(table.references):
            texts = tuple(map(tuple, table.references))
        if texts is None or (len(texts) > 1 and len(set(texts)) == 1):
            return None
        clusters = None
        if table.clusters is not None:
            clusters = table.clusters.numbers.tobytes()
        return cls(texts, source, clusters)


def _groups(tables: Sequence[TestSet]) -> list[list[TestSet]]:
    """Return the tables of each test set: those with a system each for the same segments, and any other alone."""
    group_of: dict[_Segments | int, list[TestSet]] = {}
    for number, table in enumerate(tables):
        # No other table has its number.
        key: _Segments | int = number
        segments = _Segments.of_one_system(table)
        if segments is not None:
            key = segments
        group_of.setdefault(key, []).append(table)
    return list(group_of.values())


def _as_one(tables: Sequence[TestSet], called: Mapping[str, str], taken: Collection[str]) -> TestSet:
    """Return tables of a system each as one test set, with a name that is not taken."""
    file_names = _FileNames.of([table.name for table in tables])
    systems = _names_of_only_systems(tables, file_names, called)
    _check_only_systems_differ(tables, systems)
    name = file_names.shared
    if name in taken:
        name = ", ".join(systems)
    first = tables[0]
    for table in tables:
        if table.slices != first.slices:
            warn(f"{table.name} has other slices than {first.name}: those of {first.name} are taken.")
    renamed = [_rename(table, system) for table, system in zip(tables, systems, strict=True)]
    scores = {}
    for score in first.scores:
        scores[score] = _of_all(table.scores[score] for table in renamed)
    shared = "references" if any(first.references) else "sources"
    note = f"{listing(systems)} are read as systems of one test set: the tables have the same {shared}."
    return replace(
        first,
        name=name,
        systems=_of_all(table.systems for table in renamed),
        fields=" ".join([*(table.fields for table in tables), note]),
        columns=tuple(dict.fromkeys(reading for table in tables for reading in table.columns)),
        left_out=tuple(dict.fromkeys(column for table in tables for column in table.left_out)),
        lost=_of_all(table.lost for table in renamed),
        n_all=max(table.n_all for table in tables),
        own_columns={},
        own_columns_by_system=_own_columns_by_system(systems, renamed),
        warnings=tuple(message for table in tables for message in table.warnings),
        wrong_ends=_of_all(table.wrong_ends for table in renamed),
        scores=scores,
    )


def _names_of_only_systems(tables: Sequence[TestSet], file_names: _FileNames, called: Mapping[str, str]) -> list[str]:
    """Return the names of the tables' only systems: what the user calls them, or their columns, or their files."""
    names = [column for table in tables for column in table.systems]
    if len(set(names)) < len(names):
        names = file_names.parts
    return [called.get(table.name, name) for table, name in zip(tables, names, strict=True)]


class _FileNames(NamedTuple):
    """What the names of files share, as the name of a test set, and what tells them apart."""

    shared: str
    parts: list[str]

    @classmethod
    def of(cls, names: Sequence[str]) -> _FileNames:
        """Return the shared and the different words of names; the names whole where no letters tell them apart.

        >>> _FileNames.of(["news.base", "news.tuned"])
        _FileNames(shared='news', parts=['base', 'tuned'])
        >>> _FileNames.of(["main", "pr"])
        _FileNames(shared='test set', parts=['main', 'pr'])
        >>> _FileNames.of(["seed-1", "seed-2"])
        _FileNames(shared='test set', parts=['seed-1', 'seed-2'])
        """
        words = [re.split(r"([._/ -]+)", name) for name in names]
        start = n_first_shared(words)
        end = n_first_shared([name_words[start:][::-1] for name_words in words])
        parts = ["".join(name_words[start : len(name_words) - end]) for name_words in words]
        have_letters = all(any(map(str.isalpha, part)) for part in parts)
        if not have_letters or len(set(parts)) < len(parts):
            return cls("test set", list(names))
        shared = words[0][:start] + words[0][len(words[0]) - end :]
        return cls("".join(shared).strip("._/ -") or "test set", parts)


def _of_all(tables: Iterable[Mapping[str, _T]]) -> dict[str, _T]:
    """Return what each of several tables has by system, in one mapping."""
    by_system: dict[str, _T] = {}
    for table in tables:
        by_system |= table
    return by_system


def _own_columns_by_system(systems: Sequence[str], tables: Sequence[TestSet]) -> dict[str, dict[str, list[Any]]]:
    """Return the own columns of tables of a system each: a comment on one's texts says nothing of the others'."""
    by_column: dict[str, dict[str, list[Any]]] = {}
    for system, table in zip(systems, tables, strict=True):
        for column, cells in table.own_columns.items():
            by_column.setdefault(column, {})[system] = cells
        for column, by_system in table.own_columns_by_system.items():
            by_column.setdefault(column, {}).update(by_system)
    return by_column


def _check_only_systems_differ(tables: Sequence[TestSet], systems: Sequence[str]) -> None:
    """Raise an InputError for a name that is given to a table, and is that of another one's system."""
    for number, (table, system) in enumerate(zip(tables, systems, strict=True)):
        if system in systems[:number]:
            earlier = tables[systems.index(system)]
            raise InputError(
                f"The systems of {earlier.name} and {table.name} are both called {shorten(system)}; name both, as "
                "NAME=PATH."
            )


def _renamed_by_user(test_set: TestSet, name: str) -> TestSet:
    """Return a test set whose only system has another name, and which says so."""
    (system,) = test_set.systems
    fields = f"{test_set.fields} {shorten(system)} is called {shorten(name)}."
    return replace(_rename(test_set, name), fields=fields)


def _rename(test_set: TestSet, name: str) -> TestSet:
    """Return a test set whose only system has another name.

    A table with a row for each item and system has something of others, too, as of a translator whose texts are the
    references: only what these lack is kept, as it is left out for all.
    """
    (system,) = test_set.systems

    def of_system(by_system: Mapping[str, _T]) -> dict[str, _T]:
        return {name: by_system[system]} if system in by_system else {}

    def in_columns(columns: Mapping[str, Mapping[str, _T]]) -> dict[str, dict[str, _T]]:
        return {column: of_system(by_system) for column, by_system in columns.items()}

    lost = {other: counts for other, counts in test_set.lost.items() if other != system}
    return replace(
        test_set,
        systems=of_system(test_set.systems),
        wrong_ends=of_system(test_set.wrong_ends),
        lost=lost | of_system(test_set.lost),
        scores=in_columns(test_set.scores),
        own_columns_by_system=in_columns(test_set.own_columns_by_system),
    )


def _warn_of_near_misses(alone: Sequence[TestSet], firsts_of_groups: Sequence[TestSet]) -> None:
    """Warn of tables alone, of a system each, that have nearly the references of another one or of a group.

    To spare the user a message for each pair of tables alone, each is compared with the first one of as many rows,
    and the first of each length with that of the first length. Groups are not compared with each other: they are
    sets on purpose.
    """
    alone_by_length: dict[int, list[TestSet]] = {}
    for table in alone:
        if len(table.systems) == 1 and any(table.references):
            alone_by_length.setdefault(table.n_segments, []).append(table)
    pairs: list[tuple[TestSet, TestSet]] = []
    for first, *others in alone_by_length.values():
        pairs += [(first, other) for other in others]
    firsts = [alike[0] for alike in alone_by_length.values()]
    pairs += [(firsts[0], other) for other in firsts[1:]]
    for alike in alone_by_length.values():
        pairs += product(firsts_of_groups, alike)
    for first, other in pairs:
        if first.n_segments == other.n_segments:
            _warn_of_difference(first, other)
        else:
            _warn_of_other_length(first, other)


def _warn_of_difference(first: TestSet, other: TestSet) -> None:
    """Warn of tables of as many rows whose references are nearly the same."""
    difference = _difference_in_words(first, other)
    if difference:
        warn(f"{first.name} and {other.name} have {difference}: their systems are not compared.")


def _difference_in_words(first: TestSet, second: TestSet) -> str:
    """Return what keeps two tables of as many rows apart; "" where their references are not nearly the same."""
    if len(set(map(tuple, second.references))) == 1:
        return ""
    pairs = list(zip(first.references, second.references, strict=True))
    differing = [row for row, (one, other) in enumerate(pairs, 1) if one != other]
    if not differing:
        return "the same references, but other sources or clusters"
    if sorted(first.references) == sorted(second.references):
        return "the same references in another order"
    n_differing = f"{len(differing):,} of {len(pairs):,} rows"
    if len(differing) <= len(pairs) // 2:
        return f"different references in {n_differing}, the first in row {differing[0]:,}"
    if all(list(map(str.strip, one)) == list(map(str.strip, other)) for one, other in pairs):
        return f"references that differ in {n_differing} by blanks at their ends, the first in row {differing[0]:,}"
    return ""


def _warn_of_other_length(first: TestSet, other: TestSet) -> None:
    """Warn of a table that has most of the references of another one, which has more or fewer rows."""
    references = Counter(map(tuple, first.references))
    shared = references & Counter(map(tuple, other.references))
    n_shared = shared.total()
    if len(references) > 1 and 2 * n_shared > min(first.n_segments, other.n_segments):
        warn(
            f"{first.name} has {first.n_segments:,} rows and {other.name} {other.n_segments:,}, of which "
            f"{n_shared:,} have the same references: their systems are not compared. Give the same rows in both."
        )
