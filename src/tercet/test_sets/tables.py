"""Tables -> test sets: a column for each system, by names that a user gives or that suggest a role."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, TypeVar

from tercet.errors import InputError, argument, argument_set, arguments_set, did_you_mean, shorten, warn
from tercet.files.endings import ENDING_COLUMNS, wrong_ends
from tercet.files.join import NOTHING_LOST
from tercet.files.memories import columns_of, complete
from tercet.files.numbers import WRITTEN_AS_MISSING
from tercet.files.read import MEMORIES, TRANSLATIONS, items, table_format
from tercet.files.roles import CODES, clear_role, document_column, guess_roles, lack, role_of
from tercet.files.score_columns import (
    columns_beside,
    directions_of,
    score_columns,
    scored_systems,
    systems_of,
    without_scores,
)
from tercet.files.table import SOURCE_TEXT, Memory, Roles, Table, TableWithRoles
from tercet.files.vocabulary import ITEM
from tercet.markup import joined
from tercet.statistics.clusters import Clusters

from .labels import column_and_pattern, slices_of_columns
from .long_tables import called, lost_by_system, own_columns_of_long, readings_of_long, warn_pooled, wide
from .misread_tables import check_no_marked_errors, check_rows, column_apart
from .reading import HOW_READ, readings
from .roles import (
    MOST_NAMED,
    Columns,
    columns_by_role,
    columns_in_words,
    named,
    warn_left_out,
    warn_swapped,
    warn_unlike,
    warn_unused,
)
from .tables_with_roles import rows_of_all
from .test_set import TestSet, without_texts

_T = TypeVar("_T")
#: The alternative for translation memories.
_JOINED = " Or give a {} for each system, and one with the references ({})."
#: The same for files of WMT that have one side each.
_BESIDE = " Or give the file of the references, too ({})."


def table_set(table: Table, path: str, name: str, columns: Columns) -> TestSet:
    """Return the texts of a table; columns that are not named have the role that their name suggests."""
    lost = NOTHING_LOST
    if isinstance(table, Memory):
        systems, references, source = columns_of(table, columns.systems, columns.references, columns.source)
        table, lost = complete(table, systems, references, columns.missing)
        columns = replace(columns, systems=systems, references=references, source=source)
    # In a long table, the system that is named is the column of the systems' texts.
    asked = list(filter(None, [*columns.systems, columns.system_column]))
    note = ""
    if isinstance(table, TableWithRoles):
        table, lost = rows_of_all(table, columns)
    else:
        long = table
        check_no_marked_errors(table, columns)
        table, columns, note = wide(table, columns)
        if table is long:
            check_rows(table, columns)
        else:
            lost = lost_by_system(table)
    slices = slices_of_columns(table, columns.slices)
    pooled = warn_pooled(table, columns)
    test_set = _texts_or_scores(table, path, name, columns, pooled)
    fields = " ".join(filter(None, [test_set.fields, note]))
    test_set = replace(test_set, wrong_ends=_wrong_ends(table, list(test_set.systems), columns.scores))
    slice_columns = [column_and_pattern(spec, table.columns)[0] for spec in columns.slices]
    unread = [name for name in table.columns if name in {*test_set.left_out, columns.cluster, *slice_columns}]
    own_columns = own_columns_of_long(table, unread)
    return replace(
        _with_clusters(test_set, table, columns, is_pooled=pooled is not None),
        slices=slices,
        fields=fields,
        columns=readings_of_long(table, test_set.columns, asked),
        lost=lost.by_system,
        n_all=lost.n_all,
        own_columns=own_columns.of_items,
        own_columns_by_system=own_columns.by_system,
    )


def _texts_or_scores(table: Table, path: str, name: str, columns: Columns, names: str | None) -> TestSet:
    """Return what a table has; the column of names of systems, if there is one, has no texts."""
    guessed = without_scores(table, columns.scores)
    columns_of_scores = [column for column in table.columns if column not in guessed.columns]
    slice_columns = [column_and_pattern(spec, table.columns)[0] for spec in columns.slices]
    labelling = _labelling_columns(columns, slice_columns, names)
    unlabelled = {name: cells for name, cells in guessed.columns.items() if name not in labelling}
    guessed = replace(guessed, columns=unlabelled)
    roles = guess_roles(guessed, [column for column in columns.references if column in table.columns])
    if columns.scores and not columns.need_references and not _has_texts_of_scored(table, columns, roles):
        return _scores_alone(table, name, columns, [*guessed.columns], roles.reasons)
    ids = None
    if isinstance(table, Memory):
        # The columns are languages, whose codes suggest no role.
        roles = Roles(None, (), ())
        ids = table.labels.get("id")
    _check_columns(table, columns)
    if not columns.systems and not columns.references:
        check_clear(table, roles)
    named_columns = [*columns.systems, *columns.references, *filter(None, [columns.source, columns.cluster])]
    chosen = _with_roles(columns, roles)
    systems = chosen.systems
    references = chosen.references
    source = chosen.source
    check_roles(table, table_format(path), systems, references, columns.need_references)
    if not columns.references:
        warn_unlike(table, roles)
    # Who names the systems leaves the other columns out on purpose.
    if not columns.systems and not isinstance(table, TableWithRoles):
        warn_left_out(table, roles)
        with_role = {*roles.systems, *roles.left_out, *roles.references, *references, roles.source, source}
        warn_unused(table, [column for column in table.columns if column not in with_role | labelling])
    reference_lists = items(table, systems[0], references)[1]
    texts = {column: items(table, column, [])[0] for column in systems}
    warn_swapped(table.name, systems, references, source)
    _warn_of_written_missing(table, systems, references)
    by_role = columns_by_role(chosen, columns_of_scores, slice_columns)
    fields, left_out = columns_in_words(table, by_role)
    directions = directions_of(columns.scores)
    return TestSet(
        name,
        texts,
        reference_lists,
        None if source is None else _sources(table, source),
        fields=fields,
        columns=readings(table, by_role, roles.reasons, [*named_columns, *columns_of_scores, *slice_columns]),
        left_out=left_out,
        scores={score: score_columns(table, systems, score) for score in columns.scores},
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
        ids=ids,
    )


def _with_roles(columns: Columns, roles: Roles) -> Columns:
    """Return the columns that are named for each role, or else those that have it; a named one has no other role."""
    source = columns.source or roles.source
    references = columns.references
    if not references:
        references = [column for column in roles.references if column not in {*columns.systems, source}]
    systems = columns.systems
    if not systems:
        systems = [column for column in roles.systems if column not in {*references, source}]
    return replace(columns, systems=systems, references=references, source=source)


def _labelling_columns(columns: Columns, slice_columns: Sequence[str], names: str | None) -> set[str]:
    """Return the columns that label segments: they are no outputs and no references, unless their names say so."""
    labelling = {name for name in slice_columns if role_of(name) != "source" and not clear_role(name)}
    if names is not None:
        labelling.add(names)
    return labelling - {*columns.systems, *columns.references, columns.source}


def _has_texts_of_scored(table: Table, columns: Columns, roles: Roles) -> bool:
    """Return whether there are texts of systems: those that are named, or those that the scores are of."""
    if columns.systems:
        return any(column in table.columns for column in columns.systems)
    if not roles.systems:
        return False
    # "task" with "a.score" and "b.score" is no system.
    scored = scored_systems(table, columns.scores[0])
    return not scored or not {*scored}.isdisjoint(roles.systems)


def check_clear(table: Table, roles: Roles) -> None:
    """Raise an InputError where columns are as likely systems as references, with both ways to say it."""
    if not roles.doubtful:
        return
    doubtful = list(roles.doubtful)
    certain = [name for name in roles.references if name not in doubtful]
    systems = [name for name in roles.systems if name not in doubtful]
    ways = []
    for role, of_systems, of_references in (
        ("systems", [*systems, *doubtful], certain),
        ("references", systems, [*certain, *doubtful]),
    ):
        options = [arguments_set("systems", of_systems), arguments_set("reference_columns", of_references)]
        ways.append(f"As {role}: {' '.join(filter(None, options))}")
    question = "is a system or has" if len(doubtful) == 1 else "are systems or have"
    raise InputError(
        f"{table.name}: it is not clear whether {joined(list(map(repr, doubtful)), MOST_NAMED)} {question} "
        f"references. {'. '.join(ways)}.{HOW_READ}"
    )


def _scores_alone(
    table: Table, name: str, columns: Columns, other_columns: list[str], reasons: Mapping[str, str]
) -> TestSet:
    """Return the scores in a table that has no texts of systems; its other columns are left out."""
    scores = columns.scores
    systems = columns.systems or systems_of(table, scores[0])
    if not systems:
        hint = ", or texts of a system beside it."
        if scores[0] not in table.columns:
            hint = f". {did_you_mean(scores[0], table.columns)}"
        raise InputError(
            f"{table.name} has no scores {shorten(scores[0])} of a system; expected columns such as "
            f"{f'base.{scores[0]}'!r} or {f'{scores[0]}_base'!r}{hint}"
        )
    if not columns.systems:
        _check_not_numbered(table, systems, scores[0], [*guess_roles(without_scores(table, scores)).systems])
    numbers = {score: score_columns(table, systems, score) for score in scores}
    left_out = [column for column in other_columns if column not in {*systems, columns.cluster}]
    fields = f"{table.name}: no texts; scores of {named(systems)}: {named(scores)}"
    fields += f"; left out: {named(left_out)}." if left_out else "."
    of_scores = [column for column in table.columns if column not in other_columns or column in systems]
    clusters = [] if columns.cluster is None else [columns.cluster]
    columns_read = readings(table, {"scores": of_scores, "clusters": clusters}, reasons, [*of_scores, *clusters])
    alone = without_texts(name, systems, len(table.lines))
    lower, higher = directions_of(scores)
    return replace(
        alone, fields=fields, columns=columns_read, scores=numbers, lower_is_better=lower, higher_is_better=higher
    )


def _check_not_numbered(table: Table, systems: Sequence[str], score: str, texts: Sequence[str]) -> None:
    """Raise an InputError for systems that are numbers: ``score_1`` and ``score_2`` may be of two raters."""
    if len(systems) < 2 or not all(map(str.isdecimal, systems)):
        return
    names = [*columns_beside(table, systems, score).values()]
    as_systems = f"{arguments_set('systems', systems)} {argument_set('scores', score)}"
    # Scores without texts are of a system that is to be called something.
    as_scores = f"{arguments_set('systems', texts or ['model'])} {arguments_set('scores', names)}"
    raise InputError(
        f"{table.name}: it is not clear whether {named(names)} are of {len(systems)} systems, or scores of one, as "
        f"of {len(systems)} raters. As systems: {as_systems}. As scores of one: {as_scores}.{HOW_READ}"
    )


def _wrong_ends(table: Table, systems: list[str], scores: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return by system what is wrong with answers, as columns such as ``status`` say that are no scores."""
    problems: dict[str, dict[int, str]] = {system: {} for system in systems}
    for name in ENDING_COLUMNS:
        if name in scores:
            continue
        for system, column in columns_beside(table, systems, name).items():
            for row, kind in wrong_ends(name, table.columns[column]).items():
                problems[system].setdefault(row, kind)
    return problems


def _with_clusters(test_set: TestSet, table: Table, columns: Columns, *, is_pooled: bool) -> TestSet:
    """Return the test set of a table with the clusters of a column; without one, name a column of documents."""
    if columns.cluster is not None:
        return replace(test_set, clusters=_clusters_of(table, columns.cluster))
    if not is_pooled:
        _warn_repeated_ids(table)
    column_of_documents = document_column(table)
    if column_of_documents is None:
        return test_set
    n_documents = len(set(table.columns[column_of_documents]))
    hint = (
        f"{table.name}: {shorten(column_of_documents)} names {n_documents:,} documents of {len(table.lines):,} "
        "segments. Segments of a document are not independent: "
        f"{argument_set('cluster', column_of_documents)} resamples documents."
    )
    return replace(test_set, hint=hint)


def _clusters_of(table: Table, column: str) -> Clusters:
    """Return the clusters that a column of a table names."""
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
            raise InputError(
                f"{table.location(row, column)}: expected the name of the row's cluster, a text or an integer, got "
                f"{shorten(cell)}."
            )
    return Clusters.of(cells, len(cells), column)


def _sources(table: Table, column: str) -> list[str]:
    cells = table.column(column)
    for row, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise InputError(f"{table.location(row, column)}: expected a text, got {shorten(cell)}.")
    return [cell or "" for cell in cells]


def _check_columns(table: Table, columns: Columns) -> None:
    """Raise an InputError for a column that is not there, or is named twice or in two roles."""
    systems = columns.systems
    references = columns.references
    for column in [*systems, *references, *([] if columns.source is None else [columns.source])]:
        table.column(column)
    for role, names in (("a system", systems), ("references", references)):
        repeated = [column for column, times in Counter(names).items() if times > 1]
        if repeated:
            raise InputError(f"{table.name}: the column {repeated[0]!r} is named twice as {role}; name it once.")
    in_two_roles = [column for column in systems if column in references]
    if in_two_roles:
        raise InputError(f"{table.name}: the column {in_two_roles[0]!r} is named both as a system and as references.")


def check_roles(table: Table, format: str, systems: list[str], references: list[str], need_references: bool) -> None:
    """Raise an InputError for a table without a column of a system, or of references."""
    missing = []
    if not systems:
        missing.append(f"predictions of a system (choose with {argument('systems')})")
    if not references and need_references:
        missing.append(f"references (choose with {argument('reference_columns')})")
    if not missing:
        return
    if isinstance(table, Memory) and table.joined_by != SOURCE_TEXT:
        raise InputError(
            f"{table.name} has the texts of one side, which are joined with those of other files by "
            f"{table.joined_by}: give a file for each system, and one with the references ({argument('references')})."
        )
    kind = "language" if format in TRANSLATIONS else "column"
    problem = f"no {kind}"
    if kind == "column":
        # A column that is called so, but has other cells than texts, is what the user looks for.
        looked_for = {role for role, columns in (("system", systems), ("reference", references)) if not columns}
        called_so = [name for name in table.columns if role_of(name) in looked_for]
        lacks = {name: lack(table.columns[name]) for name in called_so}
        reasons = [f"{name!r} {reason}" for name, reason in lacks.items() if reason]
        if reasons:
            problem += f" ({', '.join(reasons[:MOST_NAMED])})"
    advice = _of_numbers(table) + HOW_READ
    if format in MEMORIES:
        file = "TMX file" if format == "tmx" else "file"
        advice = _JOINED.format(file, argument("references"))
    elif format == "wmt" and systems:
        advice = _BESIDE.format(argument("references"))
    verb = "is" if len(table.columns) == 1 else "are"
    plural = "s" if len(table.columns) > 1 else ""
    raise InputError(
        f"{table.name}: {problem} was recognized as {', or '.join(missing)}; "
        f"there {verb} the {kind}{plural} {joined([*map(repr, table.columns)], MOST_NAMED)}.{advice}"
    )


def _of_numbers(table: Table) -> str:
    """Return how numbers are compared, where a table has no texts."""
    are_numbers = [lack(cells) == CODES for cells in table.columns.values()]
    has_texts = any(not lack(cells) for cells in table.columns.values())
    if sum(are_numbers) < 2 or has_texts:
        return ""
    return f" Numbers that came without texts are compared by {argument('scores')}."


def _warn_of_written_missing(table: Table, systems: list[str], references: list[str]) -> None:
    """Warn of texts such as "nan" that systems or references alone have: a program wrote a missing cell so."""
    spellings = frozenset(WRITTEN_AS_MISSING)
    rows = {
        column: [row for row, cell in enumerate(table.column(column)) if isinstance(cell, str) and cell in spellings]
        for column in [*systems, *references]
    }
    # An answer may be "None", as that of a reference is.
    sides = [{table.column(column)[row] for column in side for row in rows[column]} for side in (systems, references)]
    for column, missing in rows.items():
        missing = [row for row in missing if table.column(column)[row] not in sides[0] & sides[1]]
        if missing:
            subject = "1 text is" if len(missing) == 1 else f"{len(missing):,} texts are"
            warn(
                f"{table.location(missing[0], column)}: the text is {shorten(table.column(column)[missing[0]])}, as "
                f"programs write a missing cell; {subject} so in this column, and scored as words. Write missing "
                "cells as empty ones."
            )


def _warn_repeated_ids(table: Table) -> None:
    """Warn of the first id in several rows: a copied segment counts twice."""
    column = _column_of_ids(table)
    if column is None:
        return
    rows: dict[str, list[int]] = {}
    for line, cell in zip(table.lines, table.columns[column], strict=True):
        if cell is not None and str(cell).strip():
            rows.setdefault(str(cell), []).append(line)
    repeated = [(cell, lines) for cell, lines in rows.items() if len(lines) > 1]
    if not repeated:
        return
    cell, lines = repeated[0]
    further = ""
    if len(repeated) == 2:
        further = "; 1 more id is repeated"
    elif len(repeated) > 2:
        further = f"; {len(repeated) - 1:,} more ids are repeated"
    called_so = "" if _is_id(column) else f" of {column!r}"
    warn(
        f"{table.name}: the id {shorten(cell)}{called_so} occurs {len(lines):,} times, first on {table.unit}s "
        f"{lines[0]:,} and {lines[1]:,}{further}. Each row is scored as a separate segment; "
        f"{argument_set('cluster', column)} resamples those of an id together.{_apart_in_words(table, column)}",
    )


def _column_of_ids(table: Table) -> str | None:
    """Return the column that should have another id in each row; None where a row's id has several parts."""
    ids = list(called(table, ITEM))
    plain = [name for name in ids if _is_id(name)]
    if plain:
        return plain[0]
    # A document has several segments, which may be numbered in each.
    document = document_column(table)
    of_segments = [name for name in ids if name != document]
    if not of_segments:
        return None
    parts = [*ids, *([] if document is None else [document])]
    keys = list(zip(*(map(repr, table.columns[name]) for name in parts), strict=True))
    return of_segments[0] if len({*keys}) < len(keys) else None


def _is_id(column: str) -> bool:
    return column.strip().lower() == "id"


def _apart_in_words(table: Table, column: str) -> str:
    """Return which column tells the rows of an id apart, as the end of a message; "" where none does."""
    apart = column_apart(table, [column])
    if apart is None:
        return ""
    values = list(dict.fromkeys(map(str, table.columns[apart])))
    return (
        f" There is one row for each {apart!r} ({named(values)}); if these are systems: "
        f"{argument_set('system_column', apart)}."
    )


# Tables of a system each.


def check_one_system(path: str, systems: Sequence[str], name: str) -> None:
    """Raise an InputError for a table with several systems that is given one name."""
    if len(systems) > 1:
        raise InputError(
            f"{path} has {len(systems)} systems ({named(systems)}), and the name {shorten(name)} is for one: "
            f"give the file without a name, or choose the system: {argument_set('systems', systems[0])}."
        )


def joined_tables(test_sets: list[TestSet], called: Mapping[str, str]) -> list[TestSet]:
    """Return the test sets; of tables with one system each for the same references and sources, one.

    `called` has the names that the user gives to the only systems of test sets.
    """
    alike: dict[Any, list[TestSet]] = {}
    for number, test_set in enumerate(test_sets):
        segments = _identity(test_set)
        # The number keeps a table apart from all others.
        key = number if segments is None else segments
        alike.setdefault(key, []).append(test_set)
    _warn_of_near_misses([tables[0] for tables in alike.values() if len(tables) == 1])
    joined_sets: list[TestSet] = []
    for tables in alike.values():
        first = tables[0]
        if len(tables) > 1:
            taken = {test_set.name for test_set in joined_sets}
            joined_sets.append(_as_one(tables, called, taken))
        elif called.get(first.name):
            joined_sets.append(_renamed(first, called[first.name]))
        else:
            joined_sets.append(first)
    return joined_sets


def _as_one(tables: Sequence[TestSet], called: Mapping[str, str], taken: Collection[str]) -> TestSet:
    """Return tables of a system each as one test set, with a name that is not taken."""
    name, systems = _apart([table.name for table in tables])
    columns = [column for table in tables for column in table.systems]
    if len({*columns}) == len(columns):
        systems = columns
    systems = [called.get(table.name, system) for table, system in zip(tables, systems, strict=True)]
    _check_names_differ(tables, systems)
    if name in taken:
        name = ", ".join(systems)
    first = tables[0]
    for table in tables:
        if table.slices != first.slices:
            warn(f"{table.name} has other slices than {first.name}: those of {first.name} are taken.")
    table_of = dict(zip(systems, tables, strict=True))
    shared = "references" if any(first.references) else "sources"
    note = f"{named(systems)} are read as systems of one test set: the tables have the same {shared}."
    return replace(
        first,
        name=name,
        systems=_of_only_systems({system: table.systems for system, table in table_of.items()}),
        fields=" ".join([*(table.fields for table in tables), note]),
        own_columns={},
        own_columns_by_system=_own_columns_by_system(table_of),
        warnings=tuple(message for table in tables for message in table.warnings),
        wrong_ends=_of_only_systems({system: table.wrong_ends for system, table in table_of.items()}),
        scores={
            score: _of_only_systems({system: table.scores[score] for system, table in table_of.items()})
            for score in first.scores
        },
    )


def _of_only_systems(by_table: Mapping[str, Mapping[str, _T]]) -> dict[str, _T]:
    """Return what tables have of their only systems, by the names that these have among all; some may have none."""
    by_system: dict[str, _T] = {}
    for system, of_table in by_table.items():
        for value in of_table.values():
            by_system[system] = value
    return by_system


def _own_columns_by_system(tables: Mapping[str, TestSet]) -> dict[str, dict[str, list[Any]]]:
    """Return the own columns of tables of a system each: a comment on one's texts says nothing of the others'."""
    by_column: dict[str, dict[str, list[Any]]] = {}
    for system, table in tables.items():
        for column, cells in table.own_columns.items():
            by_column.setdefault(column, {})[system] = cells
        # The only system is called otherwise among several.
        for column, by_system in table.own_columns_by_system.items():
            by_column.setdefault(column, {})[system] = next(iter(by_system.values()))
    return by_column


def _check_names_differ(tables: Sequence[TestSet], systems: Sequence[str]) -> None:
    """Raise an InputError for a name that is given to a table, and is that of another one's system."""
    for number, (table, system) in enumerate(zip(tables, systems, strict=True)):
        if system in systems[:number]:
            earlier = tables[systems.index(system)]
            raise InputError(
                f"The systems of {earlier.name} and {table.name} are both called {shorten(system)}; name both, as "
                "NAME=PATH."
            )


def _renamed(test_set: TestSet, name: str) -> TestSet:
    """Return a test set whose only system has another name."""
    (system,) = test_set.systems
    lost = {}
    if system in test_set.lost:
        lost[name] = test_set.lost[system]
    scores = {}
    for score, by_system in test_set.scores.items():
        scores[score] = {name: by_system[system]}
    return replace(
        test_set,
        systems={name: test_set.systems[system]},
        fields=f"{test_set.fields} {shorten(system)} is called {shorten(name)}.",
        wrong_ends={name: test_set.wrong_ends[system]},
        lost=lost,
        scores=scores,
    )


def _identity(test_set: TestSet) -> Any:
    """Return what the tables of one test set share; None for one that stays alone.

    References, or else sources, tell segments apart unless all are the same, such as "yes".
    """
    texts = [*map(tuple, test_set.references)] if any(test_set.references) else test_set.source
    if len(test_set.systems) != 1 or texts is None or (len(texts) > 1 and len({*texts}) == 1):
        return None
    clusters = None if test_set.clusters is None else test_set.clusters.numbers.tobytes()
    return tuple(texts), None if test_set.source is None else tuple(test_set.source), clusters


def _warn_of_near_misses(test_sets: Sequence[TestSet]) -> None:
    """Warn of tables of one system each that have nearly the same references: their systems are not compared."""
    alone = [test_set for test_set in test_sets if len(test_set.systems) == 1 and any(test_set.references)]
    first_of: dict[int, TestSet] = {}
    for test_set in alone:
        first = first_of.setdefault(test_set.n_segments, test_set)
        if first is test_set and first is not alone[0]:
            _warn_of_other_length(alone[0], test_set)
        pairs = list(zip(first.references, test_set.references, strict=True))
        differing = [row for row, (one, other) in enumerate(pairs, 1) if one != other]
        if first is test_set or len({*map(tuple, test_set.references)}) == 1:
            continue
        if not differing:
            difference = "the same references, but other sources or clusters"
        elif sorted(first.references) == sorted(test_set.references):
            difference = "the same references in another order"
        elif len(differing) <= len(pairs) // 2:
            difference = (
                f"different references in {len(differing):,} of {len(pairs):,} rows, the first in row "
                f"{differing[0]:,}"
            )
        elif all([*map(str.strip, one)] == [*map(str.strip, other)] for one, other in pairs):
            difference = (
                f"references that differ in {len(differing):,} of {len(pairs):,} rows by blanks at their ends, the "
                f"first in row {differing[0]:,}"
            )
        else:
            continue
        warn(f"{first.name} and {test_set.name} have {difference}: their systems are not compared.")


def _warn_of_other_length(first: TestSet, test_set: TestSet) -> None:
    """Warn of a table that has most of the references of another one, which has more or fewer rows."""
    counts = [Counter(map(tuple, one.references)) for one in (first, test_set)]
    n_shared = (counts[0] & counts[1]).total()
    if len(counts[0]) > 1 and 2 * n_shared > min(first.n_segments, test_set.n_segments):
        warn(
            f"{first.name} has {first.n_segments:,} rows and {test_set.name} {test_set.n_segments:,}, of which "
            f"{n_shared:,} have the same references: their systems are not compared. Give the same rows in both."
        )


def _apart(names: Sequence[str]) -> tuple[str, list[str]]:
    """Return what the names of files share, as the name of a test set, and what tells them apart.

    >>> _apart(["news.base", "news.tuned"]), _apart(["main", "pr"]), _apart(["seed-1", "seed-2"])
    (('news', ['base', 'tuned']), ('test set', ['main', 'pr']), ('test set', ['seed-1', 'seed-2']))
    """
    words = [re.split(r"([._/ -]+)", name) for name in names]
    start = _n_first_equal(words)
    end = _n_first_equal([name_words[start:][::-1] for name_words in words])
    parts = ["".join(name_words[start : len(name_words) - end]) for name_words in words]
    if not all(any(map(str.isalpha, part)) for part in parts) or len({*parts}) < len(parts):
        return "test set", [*names]
    shared = words[0][:start] + words[0][len(words[0]) - end :]
    return "".join(shared).strip("._/ -") or "test set", parts


def _n_first_equal(lists: Sequence[Sequence[str]]) -> int:
    """Return how many first words all lists share."""
    return sum(1 for _ in takewhile(lambda words: len({*words}) == 1, zip(*lists, strict=False)))
