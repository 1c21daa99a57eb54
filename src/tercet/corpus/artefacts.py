"""What is no part of a text but was left in it, such as HTML entities: found where one side alone has it.

A text with an artefact scores lower than what it says, and the number does not show why. Nothing is removed here.
A metric warns of them, by :func:`warn_of_texts`, as it does of references that are the tokens of one text. A
comparison says of all its systems in one warning what is found here, and warns of what else is odd in a test set,
such as empty texts, repeats and copies: `test_sets/text_warnings.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.errors import shorten, warn

from .corpus import Corpus, sampled, some_of
from .normalizers import FULL_WIDTH, INVISIBLE, NO_WIDTH, SPECIAL_TOKENS, THINKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A side has an artefact alone where the other side has it in less than one item for so many of its own.
_MUCH_MORE = 4
#: What fewer than one item in so many has changes no score that anyone reports, and is not warned of.
RARE = 500
#: Of a larger corpus, 1 to 2 times as many items, evenly spread, are looked at first: all of them are counted only if
#: one of these has an artefact, so that no call takes much longer. What one item in a hundred has is noticed.
_SAMPLED_ITEMS = 1_000
#: Up to so many characters, one regular expression is faster than a search for each mark.
_SHORT = 1_000
#: Between texts that are joined.
_END = "\0"


class Kind(NamedTuple):
    """An artefact: a text has it if it holds one of the marks (characters) and `find` finds what to show of it."""

    name: str
    marks: str
    find: Callable[[str], str | None]
    advice: str
    #: The value of ``normalize`` that mends it on both sides, if there is one.
    normalize: str = ""


def _by(pattern: str, flags: int = 0) -> Callable[[str], str | None]:
    def find(text: str) -> str | None:
        match = re.search(pattern, text, flags)  # compiled when a mark is there
        return None if match is None else match[0]

    return find


def _span(first: str, last: str) -> str:
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


#: Accents that follow their letter, the marks of voiced kana, and the letters that make a syllable of Hangul.
_ACCENTS = _span("\u0300", "\u036f") + "\u3099\u309a" + _span("\u1161", "\u11c2")


def _decomposed_word(text: str) -> str | None:
    """Return the first word that NFC writes with fewer characters."""
    if unicodedata.is_normalized("NFC", text):
        return None
    return next((word for word in text.split() if len(unicodedata.normalize("NFC", word)) < len(word)), None)


def _special_token(text: str) -> str | None:
    """Return the first token that steers a model; those of channels are thinking, which is warned of as such."""
    if "<|channel|>" in text:
        return None
    return _by(SPECIAL_TOKENS)(text)


def _joined_words(text: str) -> str | None:
    """Return the first two words that ||| joins; tried within a word too, a long one would take its square."""
    if "|||" not in text:
        return None
    return _by(r"(?<!\S)\S+\s*\|\|\|\s*\S+")(text)


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

#: Every artefact that is searched for; a new one is one entry more. In long texts, `re` finds at once where a pattern
#: may begin if each of its branches begins with a character.
KINDS = (
    Kind(
        "a model's thinking", "<[", _by(THINKING),
        "Cut what a model thinks before it answers.",
        "think",
    ),
    Kind(
        "special tokens", "<", _special_token,
        "Decode with skip_special_tokens=True, or replace them by nothing.",
        "special_tokens",
    ),
    Kind(
        "HTML entities", "&", _by(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,8}[0-9]{0,2});"),
        "Of BLEU's tokenizers, 13a decodes &quot;, &amp;, &lt; and &gt; itself. Decode them on both sides, as "
        "html.unescape(text) does.",
        "html",
    ),
    Kind(
        "Markdown code fences", "`", _by("```|~~~"),
        "Score what is between the fences, or fence both sides.",
        "code_fence",
    ),
    Kind(
        "promptfoo's verdicts", "[", _by(r"\A\[(?:PASS|FAIL)\]"),
        "Score its results in JSON (promptfoo eval -o results.json), where they stand apart.",
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
        "accents apart from their letters (NFD)", _ACCENTS, _decomposed_word,
        "Bring both sides to one form, as unicodedata.normalize('NFC', text) does.",
        "nfc",
    ),
    Kind(
        "invisible characters", f"\u200d{NO_WIDTH}",
        _by(INVISIBLE),
        "Remove them; a file that begins with U+FEFF is read as utf-8-sig.",
        "zero_width",
    ),
    Kind(
        "full-width letters or digits",
        FULL_WIDTH,
        _by("[０-９Ａ-Ｚａ-ｚ]+"),
        "Bring both sides to one form, as unicodedata.normalize('NFKC', text) does.",
        "full_width",
    ),
    Kind(
        "lists written as text", "[", _by(r"\A\s*\[\s*(['\"]).*\1\s*\]\s*\Z", re.DOTALL),
        "A list is scored as one text: give several references in columns of their own, or as lists in JSON Lines or "
        "Parquet.",
    ),
    Kind(
        "texts joined by |||", "|", _joined_words,
        "Give several references in columns of their own, or as lists in JSON Lines or Parquet.",
    ),
    Kind(
        "marks of subwords", "@▁￭Ġ#", _by(r"@@(?=\s|\Z)|▁(?<!\S▁)|￭|Ġ\w|##(?<!\S##)\w"),
        "Join the subwords first, as tokenizer.decode(ids), or text.replace('@@ ', '') for BPE, does.",
        "detokenize",
    ),
)  # fmt: skip

_MARKS = "".join({mark: None for kind in KINDS for mark in kind.marks})
_ASCII_MARKS = "".join(filter(str.isascii, _MARKS))
#: Characters of ASCII of which every artefact in ASCII has one.
MARKS_OF_ASCII = _ASCII_MARKS.encode()


@cache
def _every_mark() -> re.Pattern[str]:
    """Return a pattern of the marks, which is made when a text is not in ASCII."""
    return re.compile(f"[{re.escape(_MARKS)}]")


@cache
def _is_mark() -> NDArray[np.bool_]:
    """Return whether each unit of UTF-16 is a mark: none of the marks takes two."""
    is_mark = np.zeros(1 << 16, np.bool_)
    is_mark[list(map(ord, _MARKS))] = True
    return is_mark


class Items(NamedTuple):
    """How many items of a side have an artefact, the number of the first one, and what it has."""

    number: int = 0
    first: int = 0
    example: str = ""

    def plus(self, other: Items) -> Items:
        """Return the items of both."""
        if not self.number:
            return other
        if not other.number:
            return self
        return min(self, other, key=lambda items: items.first)._replace(number=self.number + other.number)


@dataclass(slots=True)
class Artefacts:
    """The items of a side with each artefact, by its name; those of parts of a corpus add up."""

    n_items: int = 0
    predictions: dict[str, Items] = field(default_factory=dict)
    references: dict[str, Items] = field(default_factory=dict)

    def __add__(self, other: Artefacts) -> Artefacts:
        return Artefacts(
            self.n_items + other.n_items,
            _add(self.predictions, other.predictions),
            _add(self.references, other.references),
        )

    def numbered(self, first_item: int, step: int = 1) -> Artefacts:
        """Return these artefacts as those of items that are every so many from a first one on."""

        def numbered(side: dict[str, Items]) -> dict[str, Items]:
            return {name: items._replace(first=first_item + items.first * step) for name, items in side.items()}

        return Artefacts(self.n_items, numbered(self.predictions), numbered(self.references))

    def plain(self) -> list[Any]:
        """Return the artefacts as data that JSON can hold."""
        return [self.n_items, self.predictions, self.references]

    @classmethod
    def of_plain(cls, plain: Sequence[Any]) -> Artefacts:
        """Return the artefacts from :meth:`plain`."""
        n_items, predictions, references = plain
        return cls(n_items, _items_of_plain(predictions), _items_of_plain(references))

    def names(self) -> list[str]:
        """Return the artefacts, in the order of the table."""
        return [kind.name for kind in KINDS if kind.name in self.predictions or kind.name in self.references]

    def alone(self, name: str) -> str | None:
        """Return the side that has an artefact alone: "predictions", "references" or neither (None)."""
        predictions = self.predictions.get(name, Items()).number
        references = self.references.get(name, Items()).number
        if RARE * max(predictions, references) < self.n_items:
            return None
        if predictions > _MUCH_MORE * references:
            return "predictions"
        if references > _MUCH_MORE * predictions:
            return "references"
        return None

    def messages(self, owner: str = "the predictions have", item: str = "item") -> dict[str, str]:
        """Return what to warn of, by the name of the artefact: what one side has alone."""
        messages = {}
        for name in self.names():
            predictions = self.predictions.get(name, Items())
            references = self.references.get(name, Items())
            side = self.alone(name)
            if side == "predictions":
                contrast = none_or_some("no reference has", "the references have", references)
                messages[name] = self.message(name, [predictions], owner, contrast, item)
            elif side == "references":
                contrast = none_or_some("no prediction has", owner, predictions)
                messages[name] = self.message(name, [references], "the references have", contrast, item)
        return messages

    def message(self, name: str, sides: Sequence[Items], owner: str, contrast: str, item: str = "item") -> str:
        """Return the warning of what one or more sides have in some items; `contrast` says what the other has."""
        items = min(sides, key=lambda side: side.first)
        numbers = span_in_words([side.number for side in sides])
        several = f"{numbers} of {self.n_items:,} {item}s, the first in {item} {items.first:,}"
        kind = next(kind for kind in KINDS if kind.name == name)
        advice = f"{kind.advice} normalize={kind.normalize!r} does that." if kind.normalize else kind.advice
        example = shorten(items.example, 40)
        return f"{owner} {name} in {several} ({example}), {contrast}: they are scored as text. {advice}"


def _add(items: Mapping[str, Items], others: Mapping[str, Items]) -> dict[str, Items]:
    return {name: items.get(name, Items()).plus(others.get(name, Items())) for name in {**items, **others}}


def _items_of_plain(side: Mapping[str, Sequence[Any]]) -> dict[str, Items]:
    return {name: Items(*values) for name, values in side.items()}


def span_in_words(numbers: Sequence[int]) -> str:
    """Return the least and the greatest number, such as "2 to 1,000"; one if all are equal."""
    low = min(numbers)
    high = max(numbers)
    if low == high:
        return f"{low:,}"
    return f"{low:,} to {high:,}"


def none_or_some(none: str, some: str, items: Items) -> str:
    """Return what a message says of the side that has an artefact in none or a few of its items."""
    if items.number:
        return f"which {some} in {items.number:,} only"
    return f"which {none}"


def _sample(corpus: Corpus) -> str:
    """Return the texts of a corpus, or of a large one some of each side, in one string; "" where none has a mark."""
    if corpus.strings is None:
        return _joined_sample(corpus)
    predictions = some_of(corpus.strings[0], _SAMPLED_ITEMS)
    references = some_of(corpus.strings[1], _SAMPLED_ITEMS)
    # The commonest texts.
    if engine.is_plain(predictions, MARKS_OF_ASCII) and engine.is_plain(references, MARKS_OF_ASCII):
        return ""
    return _END.join([*predictions, *references])


def _joined_sample(corpus: Corpus) -> str:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in (corpus.predictions, corpus.references):
        # Half as many, as decoding takes time.
        is_large = len(column) >= _SAMPLED_ITEMS
        columns.append(column.take(sampled(len(column), _SAMPLED_ITEMS // 2)) if is_large else column)
    texts = pa.concat_arrays(columns)
    whole = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    joined: str = pc.binary_join(whole, pa.scalar(_END, texts.type))[0].as_py()
    return joined


def kinds_in(joined: str) -> list[Kind]:
    """Return the kinds that a text has, of texts in one string."""
    if joined.isascii():
        present = set(filter(joined.__contains__, _ASCII_MARKS))
    elif len(joined) < _SHORT:
        present = set(_every_mark().findall(joined))
    else:
        units = np.frombuffer(joined.encode("utf-16-le", "surrogatepass"), np.uint16)
        present = set(map(chr, np.flatnonzero(np.bincount(units[_is_mark().take(units)])).tolist()))
    if not present:
        return []
    kinds = []
    for kind in KINDS:
        marks = [mark for mark in present if mark in kind.marks]
        if any(map(kind.find, _texts_with(marks, joined))):
            kinds.append(kind)
    return kinds


def _texts_with(marks: Iterable[str], joined: str) -> Iterator[str]:
    """Yield the texts that hold one of the marks."""
    for mark in marks:
        position = joined.find(mark)
        while position >= 0:
            start = joined.rfind(_END, 0, position) + 1
            end = joined.find(_END, position)
            if end < 0:
                end = len(joined)
            yield joined[start:end]
            position = joined.find(mark, end)


def count(
    kinds: Sequence[Kind], predictions: Sequence[str], references: Sequence[Sequence[str]], first_item: int = 0
) -> Artefacts:
    """Return the items with artefacts of some kinds, of predictions and the lists of their references."""
    artefacts = Artefacts(len(predictions))
    for kind in kinds:
        of_predictions = _items((_example(kind, [text]) for text in predictions), first_item)
        of_references = _items((_example(kind, texts) for texts in references), first_item)
        if of_predictions.number:
            artefacts.predictions[kind.name] = of_predictions
        if of_references.number:
            artefacts.references[kind.name] = of_references
    return artefacts


def _example(kind: Kind, texts: Iterable[str]) -> str | None:
    """Return the first artefact of a kind in the texts, as a message shows it."""
    for text in texts:
        # The marks are looked for first, as `find` may be a regular expression.
        if any(mark in text for mark in kind.marks):
            example = kind.find(text)
            if example is not None:
                return example
    return None


def _items(examples: Iterable[str | None], first_item: int) -> Items:
    """Return how many items have an example, and the number and the example of the first."""
    numbered = [(number, example) for number, example in enumerate(examples, first_item) if example is not None]
    if not numbered:
        return Items()
    first, example = numbered[0]
    return Items(len(numbered), first, example)


def artefacts_of(corpus: Corpus) -> list[Artefacts]:
    """Return the artefacts of each system of a corpus; empty where there are none."""
    if not corpus.has_references:
        return []
    kinds = kinds_in(_sample(corpus))
    if not kinds:
        return []
    references = corpus.reference_lists()
    systems = map(corpus.texts_of, range(corpus.n_systems))
    return [count(kinds, texts, references, corpus.first_item) for texts in systems]


def warn_of_texts(corpus: Corpus) -> None:
    """Warn of what one side of a corpus has alone, and of references that are the tokens of one text.

    Systems without names are called "predictions of system 1" and so on.
    """
    corpus.warned.add_form(corpus.normalizer)
    by_system = artefacts_of(corpus)
    if by_system:
        _warn_of_artefacts(corpus, by_system)
    tokens = None if corpus.one_each else token_list_warning(corpus)
    if tokens is not None:
        corpus.warned.say([tokens])


def _warn_of_artefacts(corpus: Corpus, by_system: Sequence[Artefacts]) -> None:
    names: Sequence[str] = corpus.names
    if len(set(names)) != len(by_system):
        names = [f"predictions of system {number}" for number in range(1, len(by_system) + 1)]
    for name, artefacts in zip(names, by_system, strict=True):
        corpus.warned.say(artefacts.messages(f"the {name} have").values())


# References that are the tokens of one text: they score as that many references of one token.

#: So many items, evenly spread, are looked at.
_SAMPLED_LISTS = 50
#: An item with fewer references than this shows nothing: two translations may be one word each.
FEWEST_TOKENS = 3


def token_list_warning(corpus: Corpus) -> str | None:
    """Return what to say where the references of most items are words that their predictions consist of."""
    if corpus.one_each or not corpus.has_references:
        return None
    items = [corpus.item(segment) for segment in sampled(corpus.n_segments, min(_SAMPLED_LISTS, corpus.n_segments))]
    several = [(texts[0], references) for texts, references in items if len(references) >= FEWEST_TOKENS]
    if not several or 2 * sum(map(_are_tokens, *zip(*several, strict=True))) <= len(several):
        return None
    return (
        f"the references look like the tokens of one text, as in {shorten(several[0][1])}: they are scored as "
        'several references of a token each. If they are one text, join them, as by " ".join(tokens).'
    )


def _are_tokens(prediction: str, references: list[str]) -> bool:
    """Return whether no reference has a blank, and most of what the prediction consists of is among them."""
    if any(len(text.split()) != 1 for text in references):
        return False
    tokens = list(prediction) if max(map(len, references)) == 1 else prediction.split()
    return len(tokens) >= FEWEST_TOKENS and 2 * sum(token in references for token in tokens) > len(tokens)


class Watch:
    """Warns once of each artefact, and of references that are tokens, for texts that arrive in parts."""

    __slots__ = ("_all", "_warned")

    def __init__(self, warned: set[str] | None = None) -> None:
        #: Other watches of the same texts, normalized otherwise, may share what was warned of.
        self._warned = set[str]() if warned is None else warned
        self._all = Artefacts()

    def pass_over(self, n_items: int) -> None:
        """Count items that are known to have nothing to warn of."""
        self._all.n_items += n_items

    def see(self, corpus: Corpus) -> None:
        """Warn of what one side of the parts so far has alone, unless it was warned of before."""
        tokens = token_list_warning(corpus)
        if tokens is not None and "tokens" not in self._warned:
            self._warned.add("tokens")
            warn(tokens)
        by_system = artefacts_of(corpus)
        first = self._all.n_items
        if not by_system:
            self.pass_over(corpus.n_items)
            return
        # Of groups of predictions, a trainer passes the items one after the other.
        for system, artefacts in enumerate(by_system):
            self._all += artefacts.numbered(first + system, len(by_system))
        for name, message in self._all.messages().items():
            if name not in self._warned:
                self._warned.add(name)
                warn(message)
