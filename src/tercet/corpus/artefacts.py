"""What is no part of a text but was left in it, such as HTML entities: found where one side alone has it.

A text with an artefact scores lower than what it says, and the number does not show why. Nothing is removed here.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tercet.errors import level_of_caller, shorten

from .corpus import Corpus, places

#: A side has an artefact alone where the other side has it in less than one item for so many of its own.
MUCH_MORE = 4
#: What fewer than one item in so many has changes no score that anyone reports, and is not warned of.
RARE = 500
#: Of a larger corpus, 1 to 2 times as many items, evenly spread, are looked at first: all of them are counted only if
#: one of these has an artefact, so that no call takes much longer. What one item in a hundred has is noticed.
SAMPLED = 1_000
#: Up to so many characters, one regular expression is faster than a search for each mark.
_SHORT = 1_000
_END = "\0"  # between texts that are joined


class Kind(NamedTuple):
    """An artefact: a text has it if it holds one of the marks (characters) and `find` finds what to show of it."""

    name: str
    marks: str
    find: Callable[[str], str | None]
    advice: str


def _by(pattern: str, flags: int = 0) -> Callable[[str], str | None]:
    search = re.compile(pattern, flags).search

    def find(text: str) -> str | None:
        found = search(text)
        return None if found is None else found[0]

    return find


def _span(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


#: Accents that follow their letter, the marks of voiced kana, and the letters that make a syllable of Hangul.
_ACCENTS = _span("\u0300", "\u036f") + "\u3099\u309a" + _span("\u1161", "\u11c2")


def _decomposed(text: str) -> str | None:
    """Return the first word that NFC writes with fewer characters."""
    if unicodedata.is_normalized("NFC", text):
        return None
    return next((word for word in text.split() if len(unicodedata.normalize("NFC", word)) < len(word)), None)


#: What the bytes 80 to BF are in Latin-1, or in Windows-1252.
_TAIL = f"[\x80-\xbf{bytes(range(0x80, 0xC0)).decode('cp1252', 'ignore')}]"
_NAMES = (
    "answer|translation|summary|output|response|result|paraphrase|antwort|übersetzung|zusammenfassung|réponse|"
    "traduction|résumé|respuesta|traducción|resumen|risposta|traduzione|resposta|tradução|ответ|перевод|答案|翻译|"
    "译文|回答|翻訳|訳|답변|번역"
)
_POLITE = "sure|certainly|of course|absolutely|okay|ok|great|natürlich|bien sûr|claro|por supuesto|конечно|当然"
_PREFIX = (
    rf"\A[\s*#]*(?:(?:(?:the|final|my|your|english|german|french) )*(?:{_NAMES})|"
    rf"(?:(?:{_POLITE})[,.!，！][^\n:：]{{0,80}}|"
    r"here(?:'s|’s| is| are) (?:the|a|an|your|my)\b[^\n:：]{0,60}))[ *\xa0]*[:：]"
)

#: Every artefact that is searched for; a new one is one entry more.
KINDS = (
    Kind(
        "<think> blocks", "<", _by(r"</?think(?:ing)?>"),
        "Cut what a model thinks before it answers, as re.sub(r'(?s).*</think(ing)?>', '', text) does where that "
        "ends.",
    ),
    Kind(
        "special tokens", "<", _by(r"<[|｜][\w▁]{1,40}[|｜]>|</?s>|<(?:pad|bos|eos|start_of_turn|end_of_turn)>"),
        "Decode with skip_special_tokens=True, or replace them by nothing.",
    ),
    Kind(
        "HTML entities", "&", _by(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});"),
        "Decode them on both sides, as html.unescape(text) does.",
    ),
    Kind(
        "Markdown code fences", "`", _by("```|~~~"),
        "Score what is between the fences, or fence both sides.",
    ),
    Kind(
        "prefixes of an answer", ":：", _by(_PREFIX, re.IGNORECASE),
        "Remove what a model says before its answer.",
    ),
    Kind(
        "characters decoded wrongly (mojibake)", "Ã€\x80ÂÐ", _by(rf"(?:[ÃÂÐ]|â[€\x80]){_TAIL}"),
        "Read the file as UTF-8; ftfy.fix_text(text) repairs texts whose file is lost.",
    ),
    Kind(
        "accents apart from their letters (NFD)", _ACCENTS, _decomposed,
        "Bring both sides to one form, as unicodedata.normalize('NFC', text) does.",
    ),
    Kind(
        "invisible characters", "\u200b\u200d\u2060\ufeff\u00ad",
        # U+200D joins emoji, and shapes the letters of Arabic and of the scripts of India
        _by("[\u200b\u2060\ufeff\u00ad]|(?:\\A|[\0-\u058f\u1e00-\u200a\u2010-\u2027\u3000-\u9fff])\u200d"),
        "Remove them, as re.sub('[\\u200b\\u200d\\u2060\\ufeff\\xad]', '', text) does; a file that begins "
        "with U+FEFF is read as utf-8-sig.",
    ),
    Kind(
        "full-width letters or digits",
        _span("０", "９") + _span("Ａ", "Ｚ") + _span("ａ", "ｚ"),
        _by("[０-９Ａ-Ｚａ-ｚ]+"),
        "Bring both sides to one form, as unicodedata.normalize('NFKC', text) does.",
    ),
)  # fmt: skip

_MARKS = "".join({mark: None for kind in KINDS for mark in kind.marks})
_EVERY_MARK = re.compile(f"[{re.escape(_MARKS)}]").findall
_FIRST, _SECOND, _THIRD, _FOURTH = filter(str.isascii, _MARKS)
_IS_MARK = np.zeros(1 << 16, np.bool_)
_IS_MARK[[*map(ord, _MARKS)]] = True


class Items(NamedTuple):
    """How many items of a side have an artefact, the number of the first one, and what it has."""

    number: int = 0
    first: int = 0
    shown: str = ""

    def plus(self, other: Items) -> Items:
        """Return the items of both."""
        if not self.number or not other.number:
            return other if other.number else self
        return min(self, other, key=lambda each: each.first)._replace(number=self.number + other.number)


@dataclass(slots=True)
class Artefacts:
    """The items of a side with each artefact, by its name; those of parts of a corpus add up."""

    n_items: int = 0
    predictions: dict[str, Items] = field(default_factory=dict)
    references: dict[str, Items] = field(default_factory=dict)

    def __add__(self, other: Artefacts) -> Artefacts:
        sides = ((self.predictions, other.predictions), (self.references, other.references))
        added = ({name: a.get(name, Items()).plus(b.get(name, Items())) for name in {**a, **b}} for a, b in sides)
        return Artefacts(self.n_items + other.n_items, *added)

    def numbered(self, first_item: int, step: int = 1) -> Artefacts:
        """Return the same for items that are every so many from a first one on."""
        moved = [
            {name: items._replace(first=first_item + items.first * step) for name, items in side.items()}
            for side in (self.predictions, self.references)
        ]
        return Artefacts(self.n_items, *moved)

    def plain(self) -> list[Any]:
        """Return the same as data that JSON can hold."""
        return [self.n_items, self.predictions, self.references]

    @classmethod
    def of_plain(cls, plain: Sequence[Any]) -> Artefacts:
        """Return the artefacts from :meth:`plain`."""
        n_items, *sides = plain
        return cls(n_items, *({name: Items(*each) for name, each in side.items()} for side in sides))

    def names(self) -> list[str]:
        """Return the artefacts, in the order of the table."""
        return [kind.name for kind in KINDS if kind.name in self.predictions or kind.name in self.references]

    def alone(self, name: str) -> str | None:
        """Return the side that has an artefact alone: "predictions", "references" or neither (None)."""
        own, other = self.predictions.get(name, Items()).number, self.references.get(name, Items()).number
        if RARE * max(own, other) < self.n_items:
            return None
        return "predictions" if own > MUCH_MORE * other else "references" if other > MUCH_MORE * own else None

    def messages(self, owner: str = "the predictions have", item: str = "item") -> dict[str, str]:
        """Return what to warn of, by the name of the artefact: what one side has alone."""
        said = {}
        for name in self.names():
            own, other = self.predictions.get(name, Items()), self.references.get(name, Items())
            side = self.alone(name)
            if side == "predictions":
                rest = none_or_some("no reference has", "the references have", other)
                said[name] = self.message(name, own, owner, rest, item)
            elif side == "references":
                rest = none_or_some("no prediction has", owner, own)
                said[name] = self.message(name, other, "the references have", rest, item)
        return said

    def message(self, name: str, items: Items, owner: str, rest: str, item: str = "item") -> str:
        """Return the warning of what a side has in some items; `rest` says what the other side has."""
        several = f"{items.number:,} of {self.n_items:,} {item}s, the first in {item} {items.first:,}"
        advice = next(kind.advice for kind in KINDS if kind.name == name)
        return f"{owner} {name} in {several} ({shorten(items.shown, 40)}), {rest}: they are scored as text. {advice}"


def none_or_some(none: str, some: str, items: Items) -> str:
    """Return what a message says of the side that has an artefact in none or a few of its items."""
    return f"which {some} in {items.number:,} only" if items.number else f"which {none}"


def marked(corpus: Corpus) -> list[Kind]:
    """Return the kinds that a text of a corpus has, or for a large one a text of the sample, on any side."""
    joined = _sample(corpus)
    if joined.isascii():  # the commonest call: four tests take a tenth of a microsecond
        if not (_FIRST in joined or _SECOND in joined or _THIRD in joined or _FOURTH in joined):
            return []
        present = {*filter(joined.__contains__, (_FIRST, _SECOND, _THIRD, _FOURTH))}
    elif len(joined) < _SHORT:
        present = {*_EVERY_MARK(joined)}
    else:
        units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), np.uint16)
        present = {*map(chr, np.flatnonzero(np.bincount(units[_IS_MARK.take(units)])).tolist())}
    if not present:
        return []
    own = [(kind, [mark for mark in present if mark in kind.marks]) for kind in KINDS]
    return [kind for kind, marks in own if marks and any(map(kind.find, _texts_with(marks, joined)))]


def _sample(corpus: Corpus) -> str:
    """Return the texts of a corpus, or some of each side, in one string."""
    if corpus.strings is not None:
        sides: Any = corpus.strings
        return _END.join([*_some(sides[0]), *_some(sides[1])])
    texts = pa.concat_arrays([_some(corpus.predictions), _some(corpus.references)])
    whole = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    joined: str = pc.binary_join(whole, pa.scalar(_END, texts.type))[0].as_py()
    return joined


def _some(texts: Any) -> Any:
    n = len(texts)
    if isinstance(texts, list):
        return texts if n < 2 * SAMPLED else itemgetter(*places(n, SAMPLED))(texts)
    # half as many, as decoding takes time
    return texts if n < SAMPLED else texts.take(pa.array(places(n, SAMPLED // 2)))


def _texts_with(marks: Iterable[str], joined: str) -> Iterator[str]:
    """Yield the texts that hold one of the marks."""
    for mark in marks:
        place = joined.find(mark)
        while place >= 0:
            end = joined.find(_END, place)
            end = len(joined) if end < 0 else end
            yield joined[joined.rfind(_END, 0, place) + 1 : end]
            place = joined.find(mark, end)


def count(
    kinds: Sequence[Kind], predictions: Sequence[str], references: Sequence[Sequence[str]], first_item: int = 0
) -> Artefacts:
    """Return the items with artefacts of some kinds, of predictions and the lists of their references."""
    found = Artefacts(len(predictions))
    for kind in kinds:
        own = _items((_shown(kind, text) for text in predictions), first_item)
        others = _items(
            (next(filter(None, (_shown(kind, text) for text in texts)), None) for texts in references), first_item
        )
        found.predictions |= {kind.name: own} if own.number else {}
        found.references |= {kind.name: others} if others.number else {}
    return found


def _shown(kind: Kind, text: str) -> str | None:
    return kind.find(text) if any(mark in text for mark in kind.marks) else None


def _items(shown: Iterator[str | None], first_item: int) -> Items:
    there = [(number, each) for number, each in enumerate(shown, first_item) if each is not None]
    return Items(len(there), *there[0]) if there else Items()


def artefacts_of(corpus: Corpus) -> list[Artefacts]:
    """Return the artefacts of each system of a corpus, which is then `searched`; empty where there are none."""
    corpus.searched = True
    kinds = marked(corpus)
    if not kinds or not corpus.has_references:
        return []
    n, references = corpus.n_segments, corpus.reference_lists()
    texts = corpus.predictions.to_pylist() if corpus.strings is None else corpus.strings[0]
    return [count(kinds, texts[at : at + n], references, corpus.first_item) for at in range(0, corpus.n_items, n)]


def warn_of_artefacts(corpus: Corpus) -> None:
    """Warn of what one side of a corpus has alone, in a call that is not about systems with names."""
    found = artefacts_of(corpus)
    if not found:
        return
    names = (
        corpus.names
        if len({*corpus.names}) == len(found)
        else [f"predictions of system {i}" for i in range(1, len(found) + 1)]
    )
    for name, own in zip(names, found, strict=True):
        for message in own.messages(f"the {name} have").values():
            warn_of(message)


def warn_of(message: str) -> None:
    """Warn at the line that called tercet or evaluate."""
    warnings.warn(message, UserWarning, stacklevel=level_of_caller())
