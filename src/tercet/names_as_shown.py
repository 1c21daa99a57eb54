"""Names from user input as they are shown: escaped, shortened, in sentences; and as HTML, with what a notebook shows.

"Did you mean" and other hints of errors: `errors.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

# Names from user input, escaped for terminals and tables.

# Control characters (also those of terminals), Unicode's line ends, marks that turn the direction of the text after
# them, and surrogates. Marks that shape letters or join emoji are left as they are.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: object) -> str:
    """Return a text on one line with escapes for control characters."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape").decode(), str(text))


def one_cell(text: str) -> str:
    """Return a name for a cell of a table: white space becomes a space, the rest visible."""
    return visible(" ".join(text.split()))


# Names of systems, shortened for tables, charts and sentences.

#: Where names are cut.
_JOINTS = "._-/ "
#: The columns of the longest name that stays as it is where all are such.
_SHORT = 18


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Return each name without the beginning and the end that all of them share, cut at joints.

    Names stay unchanged where all are short, or a short name could be mistaken for another.

    >>> short_names(["newstest2017.online-A.en-de", "newstest2017.uedin-nmt.en-de"])
    {'newstest2017.online-A.en-de': 'online-A', 'newstest2017.uedin-nmt.en-de': 'uedin-nmt'}
    """
    if len(names) < 2 or max(map(columns_of, names)) <= _SHORT:
        return {name: name for name in names}
    head = _common(names)
    start = 1 + max(head.rfind(joint) for joint in _JOINTS)
    tail = _common([name[start:][::-1] for name in names])[::-1]
    joints = [tail.find(joint) for joint in _JOINTS if joint in tail]
    n_tail = 0
    if joints:
        n_tail = len(tail) - min(joints)
    if not start and not n_tail:
        return {name: name for name in names}
    short_name_of = {name: name[start : len(name) - n_tail] for name in names}
    # a name that is nothing but shared parts would be empty, and p.a of p.p.a is the name of another
    if not all(short_name_of.values()) or not set(names).isdisjoint(short_name_of.values()):
        return {name: name for name in names}
    return short_name_of


def fitted(name: str, columns: int) -> str:
    """Return a name cut in the middle to so many columns: wide characters take two."""
    if columns_of(name) <= columns:
        return name
    # one column is for the ellipsis; letters come from both ends in turn until there is no room
    room = columns - 1
    head = ""
    tail = ""
    while True:
        for letter in (name[len(head)], name[-1 - len(tail)]):
            room -= _width(letter)
            if room < 0:
                return f"{head}…{tail}"
            if len(head) <= len(tail):
                head += letter
            else:
                tail = letter + tail


def columns_of(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(map(_width, text))


def _common(names: Sequence[str]) -> str:
    """Return what all names begin with."""
    # What the first and the last name in the order of letters share, all names between them share too.
    first = min(names)
    last = max(names)
    for index, letter in enumerate(first):
        if not last.startswith(letter, index):
            return first[:index]
    return first


def _width(letter: str) -> int:
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


# Sentences and HTML.


class Name(str):
    """A name from user input within a sentence, in any script: pages isolate it, terminals escape it."""

    __slots__ = ()


#: Texts and names in the order in which they are read.
Sentence = tuple[str, ...]

#: The most names that a sentence lists.
MOST_NAMED = 4

#: A text, which takes milliseconds to compile: few scores are shown as HTML.
NOT_IN_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def clean(text: str) -> str:
    """Return a text with <, >, & and quotes escaped, and pictures for control characters, such as ␇ for a bell."""
    from html import escape

    return escape(re.sub(f"{NOT_IN_XML}|[\x7f-\x9f]", _picture, text))


def _picture(match: re.Match[str]) -> str:
    """Return the sign of Unicode for a control character; one sign for those that have none, and for surrogates."""
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return "\ufffd"


def listed(names: Sequence[str], most: int | None = None, word: str = "and") -> Sentence:
    """Return names joined by commas and "and".

    Of more names than `most`, the first are listed, and then how many more there are.

    >>> listed(["A", "B", "C"])
    ('A', ', ', 'B', ' and ', 'C')
    >>> "".join(listed(["A", "B", "C"], 2))
    'A, B and 1 more'
    """
    first_names = names[:most]
    n_more = len(names) - len(first_names)
    parts: list[str] = []
    for number, name in enumerate(first_names, 1):
        is_last = number == len(first_names) and not n_more
        if parts:
            parts.append(f" {word} " if is_last else ", ")
        parts.append(Name(name))
    if n_more:
        parts.append(f" {word} {n_more:,} more")
    return tuple(parts)


def joined(names: Sequence[str], most: int | None = None, word: str = "and") -> str:
    """Return names as `listed` joins them."""
    return "".join(listed(names, most, word))


def all_of(count: int) -> str:
    """Return how all of so many things are called."""
    return "both" if count == 2 else f"all {count}"


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and the noun after it; the plural of most is that of one with an s.

    >>> counted(1, "segment"), counted(2000, "segment"), counted(2, "entry", "entries")
    ('1 segment', '2,000 segments', '2 entries')
    """
    if number == 1:
        return f"1 {one}"
    return f"{number:,} {many or f'{one}s'}"


def said(sentence: Sentence, plain: Callable[[str], str] = str) -> str:
    """Return a sentence as a text; `plain` formats its names."""
    return "".join(plain(part) if isinstance(part, Name) else part for part in sentence)


def sentences_html(sentences: Iterable[Sentence]) -> str:
    """Return a paragraph of sentences, whose names may be of any script."""
    paragraph = " ".join(map(_sentence_html, sentences))
    return f"<p>{paragraph}</p>"


def _sentence_html(sentence: Sentence) -> str:
    return "".join(f"<bdi>{clean(part)}</bdi>" if isinstance(part, Name) else clean(part) for part in sentence)


def metric_html(title: str, value: str, description: str, call: str) -> str:
    """Return a fragment of HTML that says what a metric is and how it is called: its first sentence will do."""
    sentence = description.strip().partition(". ")[0].removesuffix(".")
    return (
        '<div style="max-width:60em;overflow-wrap:anywhere">'
        f"<b>{clean(title)}</b> <code>{clean(value)}</code><br>{clean(' '.join(sentence.split()))}.<br>"
        f"<small>Score texts: <code>{clean(call)}</code></small></div>"
    )


def scores_html(head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """Return a fragment of HTML: a table of names and numbers, with lines below."""
    body = ""
    for name, *numbers in rows:
        cells = "".join(f'<td style="text-align:right">{clean(number)}</td>' for number in numbers)
        body += f'<tr><th scope="row" style="text-align:left"><bdi>{clean(name)}</bdi></th>{cells}</tr>'
    return (
        '<div style="max-width:100%;overflow-x:auto">'
        f"<table>{head_html(head)}<tbody>{body}</tbody></table>{notes_html(notes)}</div>"
    )


def head_html(names: Sequence[str]) -> str:
    """Return the head of a table of names and numbers; each stands above the texts of its column."""
    cells = ""
    for column, name in enumerate(names):
        side = "right" if column else "left"
        cells += f'<th scope="col" style="text-align:{side}">{clean(name)}</th>'
    return f"<thead><tr>{cells}</tr></thead>"


def notes_html(notes: Iterable[str]) -> str:
    """Return lines below a table, near each other."""
    return "".join(
        f'<p style="overflow-wrap:anywhere;margin:.3em 0"><small>{clean(note)}</small></p>' for note in notes
    )
