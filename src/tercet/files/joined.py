"""Translation memories -> the same segments in all of them: systems and references, joined by their source texts."""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tercet.errors import InputError, argument, shorten

from .lines import open_binary
from .table import Table
from .tmx import Memory, pick_language, read_memory


class Joined(NamedTuple):
    """The predictions of systems for the source texts of the first memory of references, and the references."""

    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str]


class _Unit(NamedTuple):
    """A source text and its translations, as they are in a file; None where a column has none."""

    line: int
    source: str
    texts: tuple[str | None, ...]


class _Side(NamedTuple):
    """A memory, read: the columns of the target language, and the units by their source texts.

    `variants` has the source texts of units in a regional variant of a language alone, and in which.
    """

    path: str
    source: str
    target: str
    columns: list[str]
    units: dict[str, list[_Unit]]
    variants: dict[str, str]


def columns_of(
    table: Table, systems: Sequence[str], references: Sequence[str], source: str | None
) -> tuple[list[str], list[str], str | None]:
    """Return the columns of codes of languages; systems are by default all others of the references' language."""

    def pick(code: str) -> str:
        try:
            return pick_language(table.columns, code)
        except InputError as error:
            raise InputError(f"{table.name}: {error}") from None

    chosen = [pick(code) for code in references]
    languages = {_language(column) for column in chosen}
    others = [column for column in table.columns if _language(column) in languages and column not in chosen]
    return [pick(code) for code in systems] or others, chosen, None if source is None else pick(source)


def join_memories(
    systems: Mapping[str, str], references: Sequence[str], target: str | None, source: str | None
) -> Joined:
    """Read a memory for each system and for each set of references, and join them by source text.

    A segment is a unit of the first memory of references. Source texts that differ in white space, or in how Unicode
    composes a letter, are the same; those that differ in case are not. Where a source text occurs several times, its
    translations are taken in the order of the files if there are as many as references, or once for all if neither
    side's differ. What cannot be joined is left out for every system; a warning counts it and names the first.
    """
    paths = list(systems.values())
    memories = {path: _read(path) for path in [*references, *paths]}
    source, target = _languages(memories[references[0]], source, target)
    expected, *others = (_side(path, memory.table, source, target) for path, memory in memories.items())
    units = [unit for each in expected.units.values() for unit in each]
    units.sort(key=lambda unit: unit.line)
    aligned = {side.path: _aligned(side, expected, units, side.path in paths) for side in others}
    kept = [row for row in range(len(units)) if all(aligned[path][row] is not None for path in paths)]
    if not kept:
        raise InputError(
            f"No source text in {expected.source!r} of {references[0]!r}, such as {shorten(units[0].source)}, can be "
            f"joined with one of {' and of '.join(map(repr, paths))}; expected translations of the same texts."
        )
    texts: dict[str, list[str]] = {}
    columns = {side.path: side.columns for side in others}
    for name, path in systems.items():
        found = [unit for row in kept if (unit := aligned[path][row]) is not None]
        for place, column in enumerate(columns[path]):
            several = f"{name} {column}" if columns[path][1:] else name
            texts[several] = [unit.texts[place] or "" for unit in found]
    lists: list[list[str]] = []
    for row in kept:
        of_segment = [units[row], *(aligned[path][row] for path in references[1:])]
        lists.append([text for unit in of_segment if unit is not None for text in unit.texts if text])
    return Joined(texts, lists, [units[row].source for row in kept])


def _read(path: str) -> Memory:
    with open_binary(path) as stream:
        return read_memory(stream, path)


def _languages(first: Memory, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the languages of the sources and of the translations."""
    name = first.table.name
    languages = list(dict.fromkeys(_language(column) for column in first.table.columns))
    source, target = (None if given is None else _pick(name, languages, given) for given in (source, target))
    if source is None and first.source_language:
        source = _pick(name, languages, first.source_language)
    if len(languages) == 2 and (source is None) != (target is None):
        (other,) = (language for language in languages if language not in (source, target))
        source, target = source or other, target or other
    if source is None or target is None or source == target:
        options = [] if target else [f"the translations' ({argument('reference_columns')})"]
        options += [] if source and source != target else [f"the sources' ({argument('source_column')})"]
        raise InputError(
            f"{name} has texts in {', '.join(map(repr, languages))}; name the language, {' and '.join(options)}."
        )
    return source, target


def _pick(name: str, languages: Sequence[str], wanted: str) -> str:
    """Return the language that is wanted, or else the only one that differs from it in region or script alone."""
    try:
        return pick_language(languages, wanted)
    except InputError as error:
        try:
            return pick_language(languages, _general(wanted))
        except InputError:
            raise InputError(f"{name}: {error}") from None


def _side(path: str, table: Table, source: str, target: str) -> _Side:
    languages = list(dict.fromkeys(_language(column) for column in table.columns))
    source, target = _pick(path, languages, source), _pick(path, languages, target)
    columns = [column for column in table.columns if _language(column) == target]
    if columns[1:] and columns[1] == f"{target} 2":
        row = next(row for row, text in enumerate(table.columns[columns[1]]) if text is not None)
        raise InputError(
            f"{path}, line {table.lines[row]}: two translations in {target!r}; expected one in a unit, or a "
            "different author (creationid, changeid) for each."
        )
    units: dict[str, list[_Unit]] = {}
    variants: dict[str, str] = {}
    of_source, of_target = (_variants(table, language) for language in (source, target))
    for row, (line, text, *texts) in enumerate(
        zip(table.lines, table.columns[source], *(table.columns[column] for column in columns), strict=True)
    ):
        if text is not None and text.strip() and any(each is not None for each in texts):
            units.setdefault(_key(text), []).append(_Unit(line, text, tuple(texts)))
            continue
        there, translated = (
            next((column for column in among if table.columns[column][row]), "") for among in (of_source, of_target)
        )
        if there and translated and there != translated:
            variants[_key(table.columns[there][row])] = _language(there if there != source else translated)
    if not units:
        raise InputError(f"{path} has no unit with texts in both {source!r} and {target!r}.")
    return _Side(path, source, target, columns, units, variants)


def _variants(table: Table, language: str) -> list[str]:
    """Return the columns of a language and of those that differ from it in region or script alone, its own first."""
    general = _general(language)
    found = [column for column in table.columns if _general(_language(column)) == general]
    return sorted(found, key=lambda column: _language(column) != language)


def _general(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].casefold()


def _language(column: str) -> str:
    return column.partition(" ")[0]


def _key(source: str) -> str:
    return " ".join(unicodedata.normalize("NFC", source).split())


def _aligned(side: _Side, expected: _Side, wanted: Sequence[_Unit], is_system: bool) -> list[_Unit | None]:
    """Return the unit of each segment, and warn of segments without one."""
    found: list[_Unit | None] = []
    missing: list[_Unit] = []
    ambiguous: list[_Unit] = []
    times: Counter[str] = Counter()
    for unit in wanted:
        key = _key(unit.source)
        units, place = side.units.get(key, []), times[key]
        times[key] += 1
        if not units:
            missing.append(unit)
        elif len(units) == len(expected.units[key]):
            found.append(units[place])
            continue
        elif all(len({each.texts for each in several}) == 1 for several in (units, expected.units[key])):
            found.append(units[0])
            continue
        else:
            ambiguous.append(units[0])
        found.append(None)
    then = "left out for every system" if is_system else "these segments have one reference fewer"
    total = f"of the {len(wanted):,} source texts of {expected.path}"
    if missing:
        folded = {key.casefold() for key in side.units}
        but_case = sum(_key(unit.source).casefold() in folded for unit in missing)
        cased = f" ({but_case:,} of them it has in other upper and lower case)" if but_case else ""
        counted = f"{len(missing):,} {total}{cased}{_in_variants(missing, side)}"
        _warn(
            f"{side.path} has no unit in {_pair(side)} for {counted}, the first on its {_place(missing[0])}: {then}."
        )
    if ambiguous:
        occur = "occurs" if len(ambiguous) == 1 else "occur"
        counted = f"{len(ambiguous):,} {total} {occur} here a different number of times, with different translations"
        _warn(f"{side.path}: {counted}, the first on {_place(ambiguous[0])}: {then}.")
    further = [units[0] for key, units in side.units.items() if key not in expected.units]
    if further:
        counted = f"{len(further):,} source text{'s have' if further[1:] else ' has'}"
        none = f"no unit in {_pair(expected)} in {expected.path}{_in_variants(further, expected)}"
        _warn(f"{side.path}: {counted} {none}, the first on {_place(further[0])}: not scored.")
    return found


def _pair(side: _Side) -> str:
    return f"{side.source!r} and {side.target!r}"


def _in_variants(units: Sequence[_Unit], side: _Side) -> str:
    """Say how many of the source texts, of which a side has no unit, it has in variants that are not read."""
    found = [side.variants[key] for unit in units if (key := _key(unit.source)) in side.variants]
    return f" ({len(found):,} of them it has in a variant that is not read, such as {found[0]!r})" if found else ""


def _place(unit: _Unit) -> str:
    return f"line {unit.line}, {shorten(unit.source)}"


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=6)
