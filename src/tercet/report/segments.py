"""The segments of a report: where two systems differ most, and one segment under all systems."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.base.metric import Metric
from tercet.comparison.lengths import Buckets
from tercet.corpus.artefacts import count_letters
from tercet.corpus.items import read_texts
from tercet.corpus.reading import read_batch
from tercet.corpus.tokenizers import tokenize
from tercet.engine.counting import ngram_ids, overlaps
from tercet.engine.ragged import Ragged, first_greatest, ranges
from tercet.errors import TercetError
from tercet.explanation.explanation import CHARACTER_LEVELS, NGRAM_LEVELS
from tercet.explanation.levels import tally
from tercet.explanation.matches import Word

from .rendering import Packed

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison
    from tercet.comparison.scores import ScoreTable
    from tercet.corpus.corpus import Corpus

T = TypeVar("T")

_PAIRS = 3  # of systems
_EACH_WAY = 5
#: References of a segment that are shown.
MOST_REFERENCES = 8


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a system for a segment."""

    system: str
    score: float | None  # None if left out
    text: Text


@dataclass(frozen=True, slots=True)
class Example:
    """A segment with outputs."""

    number: int  # from 1
    source: Text | None
    references: list[Text]
    more_references: int  # not shown
    outputs: list[Output]


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """The baseline and a system beside it, and where they differ most."""

    one: str
    other: str
    groups: list[tuple[str, list[T]]]  # the system that scores or matches more, and where, greatest difference first


def compared_pairs(comparison: Comparison, table: ScoreTable) -> list[tuple[str, str]]:
    """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
    # only the baseline has no difference to itself
    rows = [row for row in table.rows if row.difference is not None]
    rows.sort(key=lambda row: (not row.best, -abs(row.difference or 0.0)))
    return [(comparison.baseline, row.system) for row in rows[:_PAIRS]]


def which_pairs(table: ScoreTable) -> str:
    """Return which pairs of systems are shown, and why these."""
    n_others = len(table.rows) - 1
    if n_others < 2:
        return ""
    names_best = any(row.best for row in table.rows if row.difference is not None)
    if n_others <= _PAIRS:
        return "Each other system is shown beside the baseline."
    also = "with the best system, and " if names_best else ""
    pairs = f"the baseline {also}with those whose {table.title} differs most from its"
    return f"Shown: {pairs} ({_PAIRS} of {n_others} pairs); the list of segments below has every pair."


@dataclass(frozen=True, slots=True)
class Telling:
    """The segment on which the better of two systems gains most, to stand beside the verdict."""

    better: str
    other: str
    example: Example

    @property
    def outputs(self) -> list[Output]:
        """The output of the better system, and that of the other."""
        return sorted(self.example.outputs, key=lambda output: output.system != self.better)


def telling(table: ScoreTable, pairs: Sequence[Pair[Example]]) -> Telling | None:
    """Return the segment that shows best how the first pair of systems differs; None where neither is better."""
    if not pairs:
        return None
    pair = pairs[0]
    values = {row.system: row.value for row in table.rows}
    if values[pair.one] > values[pair.other]:
        higher = pair.one
        lower = pair.other
    elif values[pair.one] < values[pair.other]:
        higher = pair.other
        lower = pair.one
    else:
        return None
    # Groups are of the system with the higher score, also where lower is better: there it is the one that loses.
    groups = dict(pair.groups)
    if higher not in groups:
        return None
    better, other = (higher, lower) if table.higher_is_better else (lower, higher)
    return Telling(better, other, groups[higher][0])


class Segments:
    """Chooses the segments of a score and colours the outputs."""

    def __init__(self, comparison: Comparison, table: ScoreTable) -> None:
        self.comparison = comparison
        self.table = table
        self.colours = Colours(table)
        self.legend = self.colours.legend

    def pairs(self) -> list[Pair[Example]]:
        """Return the baseline beside the best system, and beside those whose scores differ most from its score."""
        return [self._pair(baseline, system) for baseline, system in compared_pairs(self.comparison, self.table)]

    def spread(self) -> Example | None:
        """Return the segment whose scores lie furthest apart, with every system, best first."""
        systems = list(self.table.segments)
        columns = zip(*self.table.segments.values(), strict=True)
        scores_by_segment = ([score for score in scores if score is not None] for scores in columns)
        # with negative indices, so that the maximum of equal spreads is the first segment
        spreads = [(max(scores) - min(scores), -index) for index, scores in enumerate(scores_by_segment) if scores]
        # of two systems, the segments of their pair show the same
        if len(systems) < 3 or not spreads or max(spreads)[0] <= 0:
            return None
        index = -max(spreads)[1]
        sign = -1 if self.table.higher_is_better else 1
        ordered = sorted(systems, key=lambda name: sign * (self.table.segments[name][index] or 0.0))
        self.colour(ordered, [index])
        return self._example(index, ordered)

    def colour(self, systems: Iterable[str], indices: Collection[int]) -> None:
        """Find the matches of all these outputs in one go."""
        test_set = self.comparison.test_set
        self.colours.read(
            (test_set.systems[name][index], test_set.references[index]) for name in systems for index in indices
        )

    def _pair(self, baseline: str, system: str) -> Pair[Example]:
        scores = zip(self.table.segments[baseline], self.table.segments[system], strict=True)
        differences = [(b - a, index) for index, (a, b) in enumerate(scores) if a is not None and b is not None]
        up = sorted((pair for pair in differences if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))
        down = sorted(pair for pair in differences if pair[0] < 0)
        segments_up = [index for _, index in up[:_EACH_WAY]]
        segments_down = [index for _, index in down[:_EACH_WAY]]
        self.colour((baseline, system), [*segments_up, *segments_down])
        groups = []
        for name, segments in ((system, segments_up), (baseline, segments_down)):
            if segments:
                groups.append((name, [self._example(index, (baseline, system)) for index in segments]))
        return Pair(baseline, system, groups)

    def _example(self, index: int, systems: Sequence[str]) -> Example:
        test_set = self.comparison.test_set
        scores = self.table.segments
        references = test_set.references[index]
        texts = {name: self.colours.of(test_set.systems[name][index], references) for name in systems}
        source = None if test_set.source is None else plain(test_set.source[index])
        return Example(
            number=index + 1,
            source=source,
            references=list(map(plain, references[:MOST_REFERENCES])),
            more_references=max(0, len(references) - MOST_REFERENCES),
            outputs=[Output(name, scores[name][index], text) for name, text in texts.items()],
        )


# Every segment of a test set, packed into a report for its script: sorted and filtered there, a page at a time.

#: Characters of all texts, at most, and outputs whose matches are in colour: each takes .05 ms, or 1 ms by ROUGE.
_CHARACTERS, _COLOURED = 40_000_000, 1_000
#: Numbers that a letter stands for.
_HALF = 1 << 15


@dataclass(frozen=True, slots=True)
class Browse:
    """The segments to browse, and what a page says of them."""

    data: Packed
    systems: Sequence[str]  # as they stand in each segment: the best of the whole set first
    n_segments: int
    n_all: int
    legend: Sequence[str]
    coloured_by: str
    n_coloured: int  # segments
    unit: str  # what lengths count, and of what; empty where they are not known
    of: str


def browse(
    metrics: Sequence[Segments], titles: Sequence[str], names: dict[str, str], buckets: Buckets | None
) -> Browse:
    """Return all segments, with all scores: those first whose first score differs most between the systems.

    Texts beyond 40 million characters are left out, and matches are in colour for 1,000 outputs or so: those whose
    scores differ most, by each metric's primary score in turn. The matches are those of the first metric that has
    any.
    """
    comparison = metrics[0].comparison
    coloured_by = next((segments for segments in metrics if segments.legend), metrics[0])
    test_set = comparison.test_set
    first = comparison.tables[0]
    systems = [first.rows[index].system for index in first.order]
    indices = _fitting(comparison, _by_difference(metrics[0].table))
    most = max(1, _COLOURED // len(systems)) if coloured_by.legend else 0
    coloured = set(_first_of([_by_difference(segments.table) for segments in metrics], most)) & set(indices)
    coloured_by.colour(systems, coloured)

    def around(index: int) -> Iterator[Any]:
        texts = test_set.references[index][:MOST_REFERENCES]
        if test_set.source is not None:
            texts = [test_set.source[index], *texts]
        return map(_pieces, map(plain, texts))

    def output(name: str, index: int) -> Any:
        text = test_set.systems[name][index]
        if index not in coloured:
            return _pieces(plain(text))
        return _pieces(coloured_by.colours.of(text, test_set.references[index]))

    scores = []
    for table, title in zip(comparison.tables, titles, strict=True):
        # Segment by segment, in the order of the systems.
        values = [table.segments[name][index] for index in indices for name in systems]
        entry = {"title": title, "higher": table.higher_is_better, "digits": table.rows[0].digits}
        scores.append({**entry, **_numbered(values, table)})
    data = {
        "systems": [names[name] for name in systems],
        "baseline": systems.index(comparison.baseline),
        "numbers": [index + 1 for index in indices],
        "has_source": test_set.source is not None,
        "more": [max(0, len(test_set.references[index]) - MOST_REFERENCES) for index in indices],
        "coloured": [index in coloured for index in indices],
        "lengths": None if buckets is None else [buckets.lengths.get(index) for index in indices],
        "slices": [slices.numbers[indices].tolist() for slices in comparison.slices],
        # By segment, since the texts of one segment are alike: so they take a third of the room.
        "texts": [[*around(index), *(output(name, index) for name in systems)] for index in indices],
        "scores": scores,
    }
    unit, of = ("", "") if buckets is None else (buckets.called, buckets.of)
    return Browse(
        data=Packed.of(data),
        systems=systems,
        n_segments=len(indices),
        n_all=len(test_set.references),
        legend=coloured_by.legend,
        coloured_by=coloured_by.table.title,
        n_coloured=len(coloured),
        unit=unit,
        of=of,
    )


def _by_difference(table: ScoreTable) -> list[int]:
    """Return all segments, those first whose scores differ most between systems; of one system the worst."""
    # None becomes NaN
    scores = np.array(list(table.segments.values()), np.float64)
    if len(scores) > 1:
        # of a segment without any score, -inf: `initial` keeps numpy from warning of it
        order = np.nanmax(scores, axis=0, initial=-np.inf) - np.nanmin(scores, axis=0, initial=np.inf)
    else:
        order = -scores[0] if table.higher_is_better else scores[0]
    return [int(index) for index in np.argsort(-np.nan_to_num(order, nan=-np.inf), kind="stable")]


def _first_of(orders: Sequence[Sequence[int]], most: int) -> Iterator[int]:
    """Yield as many segments as `most`, from all orders in turn."""
    chosen: dict[int, None] = {}
    for segments in zip(*orders, strict=True):
        chosen.update(dict.fromkeys(segments))
        if len(chosen) >= most:
            break
    yield from list(chosen)[:most]


def _fitting(comparison: Comparison, order: Sequence[int]) -> list[int]:
    """Return the segments whose texts fit into a page, in the order of the test set."""
    test_set = comparison.test_set
    room = _CHARACTERS
    fitting = list[int]()
    for index in order:
        texts = [
            *test_set.references[index][:MOST_REFERENCES],
            *(texts_of_system[index] for texts_of_system in test_set.systems.values()),
        ]
        room -= sum(map(len, texts))
        # the first segment is shown, however long it is
        if room < 0 and fitting:
            break
        fitting.append(index)
    return sorted(fitting)


def _pieces(text: Text) -> Any:
    """Return a text, or its pieces with their levels and the number of characters that were cut."""
    if text.left_out or any(level for level, _ in text.pieces):
        return [[[level, part] for level, part in text.pieces], text.left_out]
    return "".join(part for _, part in text.pieces)


def _numbered(scores: Sequence[float | None], table: ScoreTable) -> dict[str, Any]:
    """Return the distinct scores as steps from one to the next, and which of them each score is, in two texts.

    A page needs two digits more than it shows, for differences. The first is that of segments without a score.
    """
    digits = table.rows[0].digits + 2
    # rounded, so that ties are equal
    rounded = [None if score is None else round(round(score, digits) * 10**digits) for score in scores]
    distinct = sorted({number for number in rounded if number is not None})
    index_of = {None: 0} | {number: index for index, number in enumerate(distinct, 1)}
    # In two halves, as a text has no letter for each number: those from U+D800 to U+DFFF are none.
    high, low = zip(*(divmod(index_of[number], _HALF) for number in rounded), strict=True)
    steps = [number - before for before, number in zip([0, *distinct], distinct, strict=False)]
    return {"steps": steps, "high": "".join(map(chr, high)), "low": "".join(map(chr, low))}


# Scores by the length of the reference: the score of each bucket.

EXACT = "The score of a group is computed from the statistics of its segments, like that of the test set."
MEAN = "The score of a group is the mean of its segments' scores, as it is for the whole test set."


def bucket_scores(table: ScoreTable, buckets: Buckets) -> tuple[list[list[float]], str]:
    """Return a row per system with a score per bucket, and a sentence on how they are computed."""
    segments = [np.array(scores, dtype=np.float64) for scores in table.segments.values()]
    inside = np.concatenate(buckets.members)
    # Whether a score is the mean of its segments is seen from the numbers; one segment cannot show it.
    means = [float(scores[inside].mean()) for scores in segments]
    if len(inside) > 1 and np.allclose(means, [row.value for row in table.rows], rtol=1e-7, atol=1e-9):
        return [[float(scores[members].mean()) for members in buckets.members] for scores in segments], MEAN
    return [[table.score_of(system, members) for members in buckets.members] for system in table.stats], EXACT


# The words of a test set as integers, and how many match the references.

Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Words of a corpus: letters and digits of any script; scripts without blanks character by character."""

    systems: list[str]
    unit: str  # unit of most: words, or characters
    tokens: Ragged  # predictions system by system, then all references
    n_types: int  # the word ids are below this
    spelled: Callable[[], list[str]] = field(repr=False)  # returns the distinct words, by id
    owners: Array  # the segment of each row
    n_segments: int

    def rows(self, system: str) -> Array:
        """Return the rows of a system's predictions."""
        return np.arange(self.n_segments) + self.systems.index(system) * self.n_segments

    @property
    def references(self) -> Array:
        """The rows of the references."""
        return np.arange(len(self.systems) * self.n_segments, len(self.owners))

    def length_ratio(self, system: str) -> tuple[int, float]:
        """Return the number of words in a system's predictions, and their ratio to the references'.

        Of several references the mean length counts; segments without a reference, only in the first number. NaN
        without any word in the references.
        """
        lengths = self.tokens.lengths
        prediction_lengths = lengths[self.rows(system)]
        n_references = np.bincount(self.owners[self.references], minlength=self.n_segments)
        sums = np.bincount(self.owners[self.references], lengths[self.references], minlength=self.n_segments)
        expected = (sums / np.maximum(n_references, 1)).sum()
        n_words = int(prediction_lengths.sum())
        if not expected:
            return n_words, float("nan")
        return n_words, float(prediction_lengths[n_references > 0].sum() / expected)

    def read(self, words: Sequence[int]) -> str:
        """Return words joined by spaces; without spaces in scripts without them, except next to a to z."""
        spelled = self.spelled()
        text = ""
        for word in words:
            spelling = spelled[word]
            close = self.unit == "characters" and not (spelling[0].isascii() or text[-1:].isascii())
            text += spelling if close or not text else f" {spelling}"
        return text


def read_words(corpus: Corpus, systems: Sequence[str]) -> Words:
    """Split all texts of a corpus; time is linear in their bytes."""
    n = corpus.n_segments
    tokens, spelled = tokenize(corpus, "unicode")
    segments = np.repeat(np.arange(n), np.diff(corpus.reference_offsets))
    letters = count_letters(corpus if len(segments) else read_texts([]).with_texts(corpus.texts))
    unit = "characters" if letters.mostly_without_blanks else "words"
    owners = np.append(np.tile(np.arange(n), len(systems)), segments)
    return Words(
        systems=list(systems),
        unit=unit,
        tokens=tokens.tokens,
        n_types=tokens.n_types,
        spelled=cache(spelled),
        owners=owners,
        n_segments=n,
    )


def matched(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the keys that two tallies share, and the lower count of each."""
    first_keys, first_counts = first
    second_keys, second_counts = second
    keys, in_first, in_second = np.intersect1d(first_keys, second_keys, assume_unique=True, return_indices=True)
    return keys, np.minimum(first_counts[in_first], second_counts[in_second])


# Texts in matching and other pieces, with the colours of tercet's explanations.

_LONGEST = 3_000  # characters of a text that are shown
#: A character, or what 13a reads as one.
_SIGNS = re.compile("(?s)&(?:quot|amp|lt|gt);|.")


@dataclass(frozen=True, slots=True)
class Text:
    """A text in pieces, each with its level: 0 for what does not match."""

    pieces: list[tuple[int, str]]
    left_out: int = 0  # characters


def plain(text: str) -> Text:
    """Return a text without colours."""
    return Text([(0, text[:_LONGEST])] if text else [], max(0, len(text) - _LONGEST))


class Colours:
    """Colours outputs by the matches of a metric; without token matches, they stay plain."""

    def __init__(self, table: ScoreTable) -> None:
        tokenizer = next(iter(table.stats.values())).signature.get("tok")
        self._ascii_only = tokenizer == "rouge"
        scorer = table.scorer
        self._matched = scorer.matched(table.name, tokenizer) if isinstance(scorer, Metric) else None
        self.legend: tuple[str, ...] = () if self._matched is None else self._matched.levels
        self._known: dict[tuple[str, ...], Text] = {}

    def of(self, prediction: str, references: Sequence[str]) -> Text:
        """Return an output with its matches in colour."""
        item = prediction, *references
        if item not in self._known:
            self.read([(prediction, references)])
        return self._known[item]

    def read(self, outputs: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Find the matches of outputs, each of them once; of many in one go, in less time than one by one."""
        items = dict.fromkeys((prediction, *references) for prediction, references in outputs)
        new = [item for item in items if item not in self._known]
        self._known |= {item: plain(item[0]) for item in new}
        self._explain([item for item in new if item[0] and len(item) > 1])

    def _explain(self, items: Sequence[tuple[str, ...]]) -> None:
        if self._matched is None or not items:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                batch = read_batch([item[0] for item in items], [list(item[1:]) for item in items])
                words_of_items = self._matched.words(batch)
        except TercetError:
            # one that cannot be explained, as it is too long, stays plain: the others are explained without it
            for item in items if len(items) > 1 else ():
                self._explain([item])
            return
        for item, words in zip(items, words_of_items, strict=True):
            self._known[item] = in_colour(item[0], words, self.legend, ascii_only=self._ascii_only)


def in_colour(prediction: str, words: Sequence[Word], legend: Sequence[str], *, ascii_only: bool) -> Text:
    """Return a text with its tokens in the colours of their levels, which the legend names from 1 on."""
    pieces = text_in_pieces(prediction, words, ascii_only) or tokens_in_pieces(words)
    pieces = [(min(level, len(legend)), part) for level, part in pieces]
    return _cut(_joined(pieces, tuple(legend[:1]) in (NGRAM_LEVELS[:1], CHARACTER_LEVELS[:1])))


def text_in_pieces(text: str, words: Sequence[Word], ascii_only: bool = False) -> list[tuple[int, str]] | None:
    """Return the text itself in pieces with the levels of its tokens.

    None if the tokens do not follow one another with only spaces and punctuation between:
    :func:`tokens_in_pieces` then shows the tokens. With `ascii_only` there may be other letters between, which the
    tokenizer of ROUGE drops.
    """
    for folded in (text, text.lower()):
        if len(folded) == len(text) and (pieces := _found(text, folded, words, ascii_only)) is not None:
            return pieces
    # Tokenizer 13a of BLEU reads an entity as its character.
    signs = _SIGNS.findall(text)
    decoded = "".join(map(unescape, signs))
    if len(signs) == len(text) or len(decoded) != len(signs):
        return None
    rest = iter(signs)
    pieces = text_in_pieces(decoded, words, ascii_only)
    return pieces and [(level, "".join(islice(rest, len(part)))) for level, part in pieces]


def tokens_in_pieces(words: Sequence[Word]) -> list[tuple[int, str]]:
    """Return the tokens as they are compared, with their levels, and blanks between."""
    pieces: list[tuple[int, str]] = []
    for word in words:
        if pieces:
            pieces.append((0, " "))
        pieces.append((word.level, word.text))
    return pieces


def _found(text: str, folded: str, words: Sequence[Word], ascii_only: bool) -> list[tuple[int, str]] | None:
    pieces = list[tuple[int, str]]()
    end = 0
    for word in words:
        written = word.text if word.written is None else word.written
        start = folded.find(written, end)
        if start != end:
            if start < 0 or _holds_letters(text[end:start], ascii_only):
                return None
            pieces.append((0, text[end:start]))
        end = start + len(written)
        if written:
            pieces.append((word.level, text[start:end]))
    rest = text[end:]
    if _holds_letters(rest, ascii_only):
        return None
    if rest:
        pieces.append((0, rest))
    return pieces


def _holds_letters(text: str, ascii_only: bool) -> bool:
    return not text.isspace() and any(letter.isalnum() and (letter.isascii() or not ascii_only) for letter in text)


def _joined(pieces: Sequence[tuple[int, str]], ngrams: bool) -> list[tuple[int, str]]:
    """Join neighbours of one level, and blanks to what they are within; 1-grams in a row are no longer n-gram."""
    joined: list[tuple[int, str]] = []
    before = -1
    run_level = 0
    run = ""
    # the first piece has none before it, and the last one none behind it
    for (level, part), after in zip_longest(pieces, [level for level, _ in pieces[1:]]):
        within = before == after != level and not (ngrams and before == 1) and not part.strip()
        joined_level = before if within else level
        before = level
        if joined_level == run_level:
            run += part
        else:
            joined.append((run_level, run))
            run_level = joined_level
            run = part
    joined.append((run_level, run))
    return [piece for piece in joined if piece[1]]


def _cut(pieces: list[tuple[int, str]]) -> Text:
    left_out = sum([len(part) for _, part in pieces]) - _LONGEST
    if left_out <= 0:
        return Text(pieces)
    shown_pieces = []
    room = _LONGEST
    for level, part in pieces:
        if room > 0:
            shown_pieces.append((level, part[:room]))
        room -= len(part)
    return Text(shown_pieces, left_out)


# N-grams that one system matches more often than another, as compare-mt finds them (Neubig et al. 2019).

#: Words of an n-gram at most, and n-grams of a list.
_LONGEST_NGRAM, _MOST = 4, 10
#: The least difference in matches: one may be chance.
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Ngram:
    """An n-gram, and how often two systems match it."""

    text: str
    matches: tuple[int, int]
    share: float  # share of the system with more matches, with 1 added to both (compare-mt's score)


def ngram_pairs(words: Words, pairs: Sequence[tuple[str, str]]) -> list[Pair[Ngram]]:
    """Return the n-grams of 1 to 4 words that the systems of each pair match more often than each other.

    An n-gram of a prediction matches as often as it occurs in the prediction, but not more often than in the
    reference of the segment that has most of it. N-grams are sorted by (a + 1) / (a + b + 2) of the numbers of
    matches; of equal ones those with most matches come first, then the longest. A part of one that is listed, or the
    same moved by a word, is left out where it has the same numbers, as is an n-gram with a single match more. Time is
    linear in the words of the systems of the pairs and of the references, but for sorting.
    """
    involved = list(dict.fromkeys(name for pair in pairs for name in pair))
    rows = np.concatenate([*(words.rows(name) for name in involved), words.references])
    owners = words.owners[rows]
    n = words.n_segments
    lengths = words.tokens.lengths[rows]
    values = words.tokens.values[ranges(words.tokens.offsets[:-1][rows], lengths)]
    tokens = Ragged(values, np.append(0, np.cumsum(lengths)))
    references = np.arange(len(involved) * n, len(rows))
    counts: dict[str, list[NDArray[np.int64]]] = {name: [] for name in involved}
    first_starts = []
    for order in range(1, _LONGEST_NGRAM + 1):
        units, n_types = ngram_ids(tokens, order, words.n_types)
        reference_tally = tally(units, references, owners, n_types)
        for number, name in enumerate(involved):
            prediction_tally = tally(units, np.arange(n) + number * n, owners, n_types)
            keys, matches_by_key = matched(prediction_tally, reference_tally)
            counts[name].append(np.bincount(keys % n_types, matches_by_key, minlength=n_types).astype(np.int64))
        # Where each n-gram starts first: written from the end, so that its first start is written last.
        first = np.zeros(n_types, np.int64)
        first[units.values[::-1]] = ranges(tokens.offsets[:-1], units.lengths)[::-1]
        first_starts.append(first)
    orders = np.repeat(np.arange(1, _LONGEST_NGRAM + 1), [len(first) for first in first_starts])
    starts = np.concatenate(first_starts)
    matches_of = {name: np.concatenate(counts_by_order) for name, counts_by_order in counts.items()}

    def listed(system: str, rival: str, swapped: bool) -> list[Ngram]:
        a = matches_of[system]
        b = matches_of[rival]
        share = (a + 1) / (a + b + 2)
        chosen = np.flatnonzero(a >= b + _LEAST)
        chosen = chosen[np.lexsort((starts[chosen], -orders[chosen], -a[chosen], -share[chosen]))]
        entries: list[tuple[tuple[int, ...], tuple[int, int], float]] = []
        for index in chosen.tolist():
            start = starts[index]
            ngram = tuple(values[start : start + orders[index]].tolist())
            matches = int(a[index]), int(b[index])
            if not any(
                matches == earlier_matches and _covers(earlier, ngram) for earlier, earlier_matches, _ in entries
            ):
                entries.append((ngram, matches, float(share[index])))
            if len(entries) == _MOST:
                break
        # of a pair, the baseline's matches come first
        return [
            Ngram(words.read(ngram), matches[::-1] if swapped else matches, ngram_share)
            for ngram, matches, ngram_share in entries
        ]

    return [
        Pair(
            baseline, system, [(system, listed(system, baseline, True)), (baseline, listed(baseline, system, False))]
        )
        for baseline, system in pairs
    ]


def _covers(listed: tuple[int, ...], ngram: tuple[int, ...]) -> bool:
    """Return whether an n-gram is a part of one that is listed, or is it but for a word at either end."""
    size = len(ngram)
    if size == len(listed):
        return size > 1 and (ngram[1:] == listed[:-1] or ngram[:-1] == listed[1:])
    return any(listed[start : start + size] == ngram for start in range(len(listed) - size + 1))


# Accuracy on rare and frequent words: F by frequency in the references (compare-mt).

#: The least frequency of each bucket.
_EDGES = (1, 2, 3, 4, 5, 10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Frequencies:
    """F of words by how often they occur in the references."""

    labels: list[str]
    n_types: list[int]  # different words of each bucket
    values: dict[str, list[float]]  # F of each bucket by system, in percent; NaN without such words
    unknown: dict[str, float]  # words that occur in no reference by system, in percent


def word_frequencies(words: Words) -> Frequencies:
    """Return the F of each system for words of each frequency.

    A word occurs as often as in the references; where a segment has several, as in the one that has it most often. A
    prediction is compared with the reference that shares most words with it (by F). In a bucket, F is twice the words
    that match over the words of the predictions and of those references.
    """
    keys, counts = tally(words.tokens, words.references, words.owners, words.n_types)
    occurrences = np.bincount(keys % words.n_types, counts, minlength=words.n_types).astype(np.int64)
    # the bucket of each word; 0 for words that occur in no reference
    buckets = np.searchsorted(_EDGES, occurrences, "right")
    kinds = np.bincount(buckets, minlength=len(_EDGES) + 1)
    buckets_with_words = [bucket for bucket in range(1, len(_EDGES) + 1) if kinds[bucket]]
    values = {}
    unknown = {}
    for system in words.systems:
        # of each bucket: matches, words of the system, words of the references
        sums = np.zeros((3, len(_EDGES) + 1), np.int64)
        predictions, references = _held_against(words, words.rows(system))
        prediction_tally, reference_tally = (
            tally(words.tokens, rows, words.owners, words.n_types) for rows in (predictions, references)
        )
        tallies = (matched(prediction_tally, reference_tally), prediction_tally, reference_tally)
        for row, (keys, counts) in zip(sums, tallies, strict=True):
            row += np.bincount(buckets[keys % words.n_types], counts, minlength=len(row)).astype(np.int64)
        with np.errstate(invalid="ignore"):
            values[system] = (200.0 * sums[0] / (sums[1] + sums[2]))[buckets_with_words].tolist()
        unknown[system] = 100.0 * float(sums[1][0]) / max(1, int(sums[1].sum()))
    return Frequencies(
        [_label(bucket) for bucket in buckets_with_words],
        [int(kinds[bucket]) for bucket in buckets_with_words],
        values,
        unknown,
    )


def _held_against(words: Words, predictions: Array) -> tuple[Array, Array]:
    """Return the predictions of segments with references, and the row of a reference for each of them."""
    references = words.references
    segments = words.owners[references]
    paired_predictions = predictions[segments]
    shared, either = overlaps(words.tokens, paired_predictions, references, words.n_types, multiset=True)
    starts = np.flatnonzero(np.diff(segments, prepend=-1))
    # F: the lengths of both texts add up to what they share and what either has
    best = first_greatest(2 * shared / np.maximum(shared + either, 1), starts)
    return paired_predictions[best], references[best]


def _label(bucket: int) -> str:
    low = _EDGES[bucket - 1]
    if bucket == len(_EDGES):
        return f"{low:,}+"
    high = _EDGES[bucket] - 1
    return str(low) if low == high else f"{low}–{high}"
