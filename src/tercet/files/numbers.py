"""Numbers as people and programs write them: one notation for a column, found from all of its cells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tercet.errors import InputError, OptionError, argument, argument_set, shorten

#: The sign that stands before decimals; "" where nobody knows.
Sign = Literal[",", ".", ""]

#: The squares of larger numbers, of which variances are made, may be more than a float holds.
LARGEST = 1e100
#: How programs write a missing cell.
WRITTEN_AS_MISSING = ("nan", "NaN", "None", "NULL", "null", "<NA>")
#: Spellings of a missing number.
_MISSING = frozenset({"", "-", "na", "n/a", *map(str.casefold, WRITTEN_AS_MISSING)})
#: Answers that are right or wrong: as Python and JSON write them, and as spreadsheets do in other languages.
_ANSWERS = {
    **dict.fromkeys(("true", "wahr", "vrai", "verdadero", "verdadeiro", "vero", "waar", "prawda", "истина"), 1.0),
    **dict.fromkeys(("doğru", "sant", "sand", "pravda", "真"), 1.0),
    **dict.fromkeys(("false", "falsch", "faux", "falso", "onwaar", "fałsz", "ложь"), 0.0),
    # capital letters without Turkey's rule for I
    **dict.fromkeys(("yanlış", "yanliş", "falskt", "falsk", "nepravda", "假"), 0.0),
}
#: What stands between thousands, besides the sign that does not stand before decimals: blanks, also thin ones and
#: those that break no line, and apostrophes.
_BETWEEN_THOUSANDS = " \u00a0\u2009\u202f'’"
#: Beside numbers such as 1.107, plain ones of this size make it likely that these are thousands.
_LARGE = 100
#: Minus signs besides the hyphen.
_MINUS = str.maketrans({"\u2212": "-", "\ufe63": "-", "\uff0d": "-"})


@dataclass(frozen=True, slots=True)
class Notation:
    """How the numbers of a column are written.

    Attributes
    ----------
    decimal : {",", ".", ""}
        What stands before decimals; "" where nobody knows.
    is_known : bool
        Whether the user or some cell says so; else 1.107 has decimals, and what 1,107 is, is asked.
    """

    decimal: Sign
    is_known: bool = False


#: How programs write numbers.
PLAIN = Notation(".")


def notation_of(
    cells: Iterable[Any],
    meaning: str,
    *,
    said: Sign = "",
    elsewhere: Callable[[], Notation] = lambda: PLAIN,
) -> Notation:
    """Return the notation of a column, from all of its cells: see :func:`notations_of`, of which it is the only."""
    return next(notations_of([(meaning, list(cells))], said=said, elsewhere=elsewhere))


def notations_of(
    columns: Sequence[tuple[str, Sequence[Any]]],
    *,
    said: Sign = "",
    elsewhere: Callable[[], Notation] = lambda: PLAIN,
) -> Iterator[Notation]:
    """Yield the notation of each of some columns, whose numbers are of one size, and with or without percent signs.

    Parameters
    ----------
    columns : sequence of (str, sequence)
        What the numbers of each are, for messages, and all of its cells.
    said : {",", ".", ""}
        What the user says stands before decimals.
    elsewhere : callable
        Returns the notation of the file's other columns; called once at most, where a number of these may be read in
        two ways.

    Raises
    ------
    InputError
        Where cells contradict each other.
    OptionError
        For a sign that is none of these.
    """
    if not columns:
        return
    # Read of all columns, these are the same for each of them.
    of_all = list(chain.from_iterable(cells for _, cells in columns))
    notation_elsewhere = cache(elsewhere)
    some_are_large = cache(lambda: any(map(_is_large, of_all)))
    first_meaning, _ = columns[0]
    _check_percent(of_all, first_meaning)
    if said and said not in (",", "."):
        raise OptionError(f"{argument('decimal')} must be ',' or '.'. Got {shorten(said)} instead.")
    for meaning, cells in columns:
        if said:
            yield Notation(said, is_known=True)
            continue
        notation = _notation_in(cells, meaning)
        if notation is None:
            notation = notation_elsewhere()
            if notation == PLAIN and some_are_large():
                # 1.107 beside 985: thousands are as likely as decimals.
                notation = Notation("")
        yield notation


def _notation_in(cells: Sequence[Any], meaning: str) -> Notation | None:
    """Return the notation that the cells of a column show; None where they may be read in two ways."""
    examples: dict[Sign, str] = {}
    for cell in cells:
        if isinstance(cell, str):
            sign = shown_by(cell)
            if sign:
                examples.setdefault(sign, cell)
    if len(examples) > 1:
        raise InputError(
            f"Numbers as {meaning} are written in two ways: in {shorten(examples[','])} a comma stands before "
            f"decimals, in {shorten(examples['.'])} a point. Write them in one way."
        )
    if examples:
        return Notation(next(iter(examples)), is_known=True)
    if any(isinstance(cell, str) and _parse(cell, ",") != _parse(cell, ".") for cell in cells):
        return None
    return PLAIN


def _is_large(cell: Any) -> bool:
    """Return whether a cell is a number of 100 or more that can be read in one way only."""
    if isinstance(cell, str):
        number = _parse(cell, ".")
        return number is not None and number == _parse(cell, ",") and abs(number) >= _LARGE
    if isinstance(cell, int):
        return not isinstance(cell, bool) and abs(cell) >= _LARGE
    return isinstance(cell, float | Decimal) and abs(float(cell)) >= _LARGE


def notation_of_file(columns: Iterable[Iterable[Any]], otherwise: Notation) -> Notation:
    """Return the notation that the columns of numbers in a file show; ``""`` where they show both.

    Texts and ids show nothing: a number may stand among them in any way.
    """
    signs: dict[Sign, None] = {}
    for column in columns:
        cells = [cell for cell in column if isinstance(cell, str) and not is_missing(cell)]
        if not all(map(is_written_number, cells)):
            continue
        for cell in cells:
            if not _has_groups_alone(cell):
                signs[shown_by(cell)] = None
    signs.pop("", None)
    if not signs:
        return otherwise
    if len(signs) > 1:
        return Notation("")
    return Notation(next(iter(signs)), is_known=True)


def _has_groups_alone(text: str) -> bool:
    """Return whether a number has thousands and no decimals, as ids have that are written so: 1.000.001."""
    signs = re.findall("[.,]", text)
    return len(signs) > 1 and len(set(signs)) == 1


def _check_percent(cells: Sequence[Any], meaning: str) -> None:
    """Raise an InputError where some numbers have a percent sign and others have none; 0 may have none."""
    with_sign = [cell for cell in cells if isinstance(cell, str) and cell.strip().endswith("%")]
    if not with_sign:
        return
    for cell in cells:
        if isinstance(cell, bool):
            continue
        if isinstance(cell, int):
            has_value = cell != 0  # Python writes no integer of more than 4,300 digits
        else:
            text = str(cell).strip()
            if text.endswith("%") or text.casefold() in _MISSING or not is_written_number(text):
                continue
            has_value = bool(_parse(text, ".") or _parse(text, ","))
        if has_value:
            raise InputError(
                f"Some numbers as {meaning} have a percent sign and others have none: {shorten(with_sign[0])} and "
                f"{shorten(cell)}. Write them in one way."
            )


def shown_by(text: str) -> Sign:
    """Return what stands before decimals in a number, where it can be read in one way only; else ""."""
    with_comma = _parse(text, ",")
    with_point = _parse(text, ".")
    if with_comma is None and with_point is not None:
        return "."
    if with_point is None and with_comma is not None:
        return ","
    return ""


def is_written_number(text: str) -> bool:
    """Return whether a text is a number in some notation."""
    return _parse(text, ".") is not None or _parse(text, ",") is not None


def is_missing(text: str) -> bool:
    """Return whether a text says that there is no number: it is empty, or written as a missing cell."""
    return text.strip().casefold() in _MISSING


def read_number(value: Any, meaning: str, notation: Notation = PLAIN) -> float:
    """Return a grade or score as a number, also from text such as ``"4,5"`` or ``"74 %"``; NaN if it is missing.

    Raises
    ------
    InputError
        For what is no number, is infinite or too large, or may be read in two ways.
    """
    # pandas.NA, without importing pandas
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, str) and is_missing(value)):
        return math.nan
    number = None
    if isinstance(value, str):
        number = _read_text(value, meaning, notation)
    elif isinstance(value, int | float | Decimal | np.integer | np.floating) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            # An integer beyond the floats.
            raise _too_large(value, meaning) from None
    if number is None:
        raise InputError(f"Expected a number as {meaning}, got {shorten(value)}.")
    if math.isinf(number):
        raise InputError(f"Expected a finite number as {meaning}, got {shorten(value)}.")
    if abs(number) > LARGEST:
        raise _too_large(value, meaning)
    return number


def _too_large(value: Any, meaning: str) -> InputError:
    return InputError(f"Expected a number of at most {LARGEST:g} as {meaning}, got {shorten(value)}.")


def read_score(value: Any, meaning: str, notation: Notation = PLAIN) -> float:
    """Return a score as a number, 1 for True; else as :func:`read_number`."""
    if isinstance(value, bool | np.bool_ | str):
        answer = _ANSWERS.get(str(value).strip().casefold())
        if answer is not None:
            return answer
    return read_number(value, meaning, notation)


def read_numbers(
    cells: Sequence[Any],
    meaning: str,
    notation: Notation | None = None,
    *,
    location: Callable[[int], str] | None = None,
) -> NDArray[np.float64]:
    """Return the numbers of segments, 1 for True and NaN where one is missing.

    Errors name what they mean, and begin with where the cell stands in its file. Without a notation it is found from
    the cells.
    """
    if set(map(type, cells)) == {float}:
        numbers = np.array(cells)
        if not (np.abs(numbers) > LARGEST).any():
            return numbers
    shared_notation = notation or notation_of(cells, meaning)
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        try:
            numbers[row] = read_score(cell, f"{meaning} in segment {row + 1:,}", shared_notation)
        except InputError as error:
            message = str(error)
            if location:
                message = f"{location(row)}: {message[:1].lower()}{message[1:]}"
            raise InputError(message) from None
    return numbers


#: Most numbers, without a sign between thousands: Python reads them.
_AS_PROGRAMS_WRITE = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def _read_text(text: str, meaning: str, notation: Notation) -> float | None:
    """Return the number that a text is; None if it is none."""
    if notation.is_known:
        return _parse(text, notation.decimal)
    with_comma = _parse(text, ",")
    with_point = _parse(text, ".")
    if notation.decimal == "." and "," not in text and with_point is not None:
        return with_point
    if with_comma is None:
        return with_point
    if with_point is None or with_comma == with_point:
        return with_comma
    # Each with the sign that stands before its decimals.
    if abs(with_comma) <= abs(with_point):
        small, of_small = with_comma, ","
        large, of_large = with_point, "."
    else:
        small, of_small = with_point, "."
        large, of_large = with_comma, ","
    raise InputError(
        f"Expected a number as {meaning}, got {shorten(text)}, which may be {small:.3f} or {large:.0f}: write it "
        f"without a sign between thousands, or, of a file, say what stands before decimals: "
        f"{argument_set('decimal', of_small)} is {small:.3f}, and {argument_set('decimal', of_large)} {large:.0f}."
    )


def _parse(text: str, decimal: str) -> float | None:
    """Return the number that a text is if that sign stands before decimals; None if it is none then."""
    if decimal == "." and _AS_PROGRAMS_WRITE.fullmatch(text):
        return float(text)
    number = text.strip().translate(_MINUS)
    if number.endswith("%"):
        number = number[:-1].rstrip()
    match = _PATTERNS[decimal].fullmatch(number)
    if match is None:
        return _infinite(number)
    if match["power"] and re.search("[.,]", match["whole"]):
        # Nobody groups the thousands of 1.107e2.
        return None
    whole = "".join(character for character in match["whole"] if character.isdigit()) or "0"
    decimals = match["decimals"] or "0"
    power = match["power"] or ""
    return float(f"{match['sign']}{whole}.{decimals}{power}")


def _infinite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isinf(number):
        return None
    return number


def _pattern(decimal: str) -> re.Pattern[str]:
    """Return what a number looks like; thousands are in threes, or as in India in twos before the last three."""
    other_sign = "." if decimal == "," else ","
    between = f"[{re.escape(_BETWEEN_THOUSANDS)}{other_sign}]"
    in_threes = rf"[1-9]\d{{0,2}}(?P<three>{between})\d{{3}}(?:(?P=three)\d{{3}})*"
    in_twos = rf"[1-9]\d?(?P<two>{between})(?:\d{{2}}(?P=two))+\d{{3}}"
    plain = r"\d*(?:(?<=\d)_\d+)*"
    return re.compile(
        rf"(?P<sign>[+-]?)(?={re.escape(decimal)}?\d)(?P<whole>{in_threes}|{in_twos}|{plain})"
        rf"(?:{re.escape(decimal)}(?P<decimals>\d*))?(?P<power>[eE][+-]?\d+)?"
    )


_PATTERNS = {sign: _pattern(sign) for sign in (",", ".")}
