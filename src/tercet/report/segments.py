"""The segments of a report: where two systems differ most, and one segment under all systems."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import unescape
from itertools import chain, islice, pairwise
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
    from tercet.comparison.scores import ScoreTable, SystemScore
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
    groups: dict[str, list[T]]  # by the system that scores or matches more: where, greatest difference first


def compared_pairs(comparison: Comparison, table: ScoreTable) -> list[tuple[str, str]]:
    """Return the baseline beside the best system, and beside those whose scores differ most from its score."""

    def best_first(row: SystemScore) -> tuple[bool, float]:
        return not row.best, -abs(row.difference or 0.0)

    # only the baseline has no difference to itself
    rows = [row for row in table.rows if row.difference is not None]
    return [(comparison.baseline, row.system) for row in sorted(rows, key=best_first)[:_PAIRS]]


def which_pairs(table: ScoreTable) -> str:
    """Return which pairs of systems are shown, and why these."""
    n_others = len(table.rows) - 1
    if n_others < 2:
        return ""
    if n_others <= _PAIRS:
        return "Each other system is shown beside the baseline."
    pairs = f"the baseline with those whose {table.title} differs most from its"
    if any(row.best and row.difference is not None for row in table.rows):
        pairs = f"the baseline with the best system, and with those whose {table.title} differs most from its"
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
        first, second = self.example.outputs
        if first.system == self.better:
            return [first, second]
        return [second, first]


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
    if higher not in pair.groups:
        return None
    example = pair.groups[higher][0]
    if table.higher_is_better:
        return Telling(better=higher, other=lower, example=example)
    return Telling(better=lower, other=higher, example=example)


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
        """Return the segment whose scores lie furthest apart, with every system: best first, without a score last."""
        systems = list(self.table.segments)
        # of two systems, the segments of their pair show the same
        if len(systems) < 3:
            return None
        spread_of: dict[int, float] = {}
        for index, scores_or_none in enumerate(zip(*self.table.segments.values(), strict=True)):
            scores = [score for score in scores_or_none if score is not None]
            if scores:
                spread_of[index] = max(scores) - min(scores)
        # the first of several that are as wide
        widest = max(spread_of, key=spread_of.__getitem__, default=None)
        if widest is None or spread_of[widest] <= 0:
            return None
        score_of = {}
        for system, scores_of_system in self.table.segments.items():
            score = scores_of_system[widest]
            if score is not None:
                score_of[system] = score
        without_score = [system for system in systems if system not in score_of]
        systems = sorted(score_of, key=score_of.__getitem__, reverse=self.table.higher_is_better) + without_score
        self.colour(systems, [widest])
        return self._example(widest, systems)

    def colour(self, systems: Iterable[str], indices: Collection[int]) -> None:
        """Find the matches of all these outputs in one go."""
        test_set = self.comparison.test_set
        outputs = []
        for name in systems:
            texts = test_set.systems[name]
            outputs += [(texts[index], test_set.references[index]) for index in indices]
        self.colours.read(outputs)

    def _pair(self, baseline: str, system: str) -> Pair[Example]:
        scores = zip(self.table.segments[baseline], self.table.segments[system], strict=True)
        gains: dict[int, float] = {}
        losses: dict[int, float] = {}
        for index, (score_of_baseline, score) in enumerate(scores):
            if score_of_baseline is None or score is None:
                continue
            if score > score_of_baseline:
                gains[index] = score - score_of_baseline
            elif score < score_of_baseline:
                losses[index] = score_of_baseline - score
        greatest_gains = _greatest(gains)
        greatest_losses = _greatest(losses)
        self.colour((baseline, system), [*greatest_gains, *greatest_losses])
        groups = {}
        for name, segments in ((system, greatest_gains), (baseline, greatest_losses)):
            if segments:
                groups[name] = [self._example(index, (baseline, system)) for index in segments]
        return Pair(baseline, system, groups)

    def _example(self, index: int, systems: Sequence[str]) -> Example:
        test_set = self.comparison.test_set
        scores = self.table.segments
        references = test_set.references[index]
        outputs = []
        for name in systems:
            text = self.colours.text(test_set.systems[name][index], references)
            outputs.append(Output(name, scores[name][index], text))
        source = None
        if test_set.source is not None:
            source = plain(test_set.source[index])
        return Example(
            number=index + 1,
            source=source,
            references=list(map(plain, references[:MOST_REFERENCES])),
            more_references=max(0, len(references) - MOST_REFERENCES),
            outputs=outputs,
        )


def _greatest(difference_of: Mapping[int, float]) -> list[int]:
    """Return the segments with the greatest differences, of equal ones the first."""
    return sorted(difference_of, key=difference_of.__getitem__, reverse=True)[:_EACH_WAY]


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
    measured: str


def browse(
    metrics: Sequence[Segments], titles: Sequence[str], names: dict[str, str], buckets: Buckets | None
) -> Browse:
    """Return all segments, with all scores: those first whose first score differs most between the systems.

    Texts beyond 40 million characters are left out, and matches are in colour for 1,000 outputs or so: those whose
    scores differ most, by each metric's primary score in turn. The matches are those of the first metric that has
    any.
    """
    comparison = metrics[0].comparison
    test_set = comparison.test_set
    first = comparison.tables[0]
    systems = [first.rows[index].system for index in first.order]
    indices = _fitting(comparison, _by_difference(metrics[0].table))
    coloured_by = _first_with_colours(metrics)
    coloured: set[int] = set()
    if coloured_by.legend:
        orders = [_by_difference(segments.table) for segments in metrics]
        coloured = _first_of(orders, max(1, _COLOURED // len(systems))).intersection(indices)
    coloured_by.colour(systems, coloured)
    unit = ""
    measured = ""
    lengths = None
    if buckets is not None:
        unit = buckets.called
        measured = buckets.of
        lengths = [buckets.lengths.get(index) for index in indices]
    scores = []
    for table, title in zip(comparison.tables, titles, strict=True):
        # Segment by segment, in the order of the systems.
        values = [table.segments[name][index] for index in indices for name in systems]
        entry = {"title": title, "higher": table.higher_is_better, "digits": table.digits}
        scores.append({**entry, **_numbered(values, table)})
    data = {
        "systems": [names[name] for name in systems],
        "baseline": systems.index(comparison.baseline),
        "numbers": [index + 1 for index in indices],
        "has_source": test_set.source is not None,
        "more": [max(0, len(test_set.references[index]) - MOST_REFERENCES) for index in indices],
        "coloured": [index in coloured for index in indices],
        "lengths": lengths,
        "slices": [slices.numbers[indices].tolist() for slices in comparison.slices],
        # By segment, since the texts of one segment are alike: so they take a third of the room.
        "texts": [_texts(coloured_by, index, systems, in_colour=index in coloured) for index in indices],
        "scores": scores,
    }
    return Browse(
        data=Packed.of(data),
        systems=systems,
        n_segments=len(indices),
        n_all=len(test_set.references),
        legend=coloured_by.legend,
        coloured_by=coloured_by.table.title,
        n_coloured=len(coloured),
        unit=unit,
        measured=measured,
    )


def _first_with_colours(metrics: Sequence[Segments]) -> Segments:
    """Return the first metric whose matches have colours; the first one if none has."""
    for segments in metrics:
        if segments.legend:
            return segments
    return metrics[0]


def _texts(segments: Segments, index: int, systems: Sequence[str], *, in_colour: bool) -> list[Any]:
    """Return the texts of a segment in pieces: its source, its references, and the outputs of systems."""
    test_set = segments.comparison.test_set
    references = test_set.references[index]
    texts = [plain(reference) for reference in references[:MOST_REFERENCES]]
    if test_set.source is not None:
        texts.insert(0, plain(test_set.source[index]))
    for system in systems:
        output = test_set.systems[system][index]
        if in_colour:
            texts.append(segments.colours.text(output, references))
        else:
            texts.append(plain(output))
    return list(map(_pieces, texts))


def _by_difference(table: ScoreTable) -> list[int]:
    """Return all segments, those first whose scores differ most between systems; of one system the worst."""
    # None becomes NaN
    scores = np.array(list(table.segments.values()), np.float64)
    if len(scores) > 1:
        # of a segment without any score, -inf: `initial` keeps numpy from warning of it
        order = np.nanmax(scores, axis=0, initial=-np.inf) - np.nanmin(scores, axis=0, initial=np.inf)
    else:
        order = -scores[0] if table.higher_is_better else scores[0]
    in_order: list[int] = np.argsort(-np.nan_to_num(order, nan=-np.inf), kind="stable").tolist()
    return in_order


def _first_of(orders: Sequence[Sequence[int]], most: int) -> set[int]:
    """Return as many segments as `most`, from all orders in turn."""
    chosen: set[int] = set()
    for segments in zip(*orders, strict=True):
        for index in segments:
            if len(chosen) == most:
                return chosen
            chosen.add(index)
    return chosen


def _fitting(comparison: Comparison, order: Sequence[int]) -> list[int]:
    """Return the segments whose texts fit into a page, in the order of the test set."""
    test_set = comparison.test_set
    room = _CHARACTERS
    fitting = list[int]()
    for index in order:
        outputs = [texts_of_system[index] for texts_of_system in test_set.systems.values()]
        room -= sum(map(len, test_set.references[index][:MOST_REFERENCES])) + sum(map(len, outputs))
        # the first segment is shown, however long it is
        if room < 0 and fitting:
            break
        fitting.append(index)
    return sorted(fitting)


def _pieces(text: Text) -> Any:
    """Return a text, or its pieces with their levels and the number of characters that were cut."""
    if text.left_out or any(level for level, _ in text.pieces):
        return [text.pieces, text.left_out]
    return "".join(part for _, part in text.pieces)


def _numbered(scores: Sequence[float | None], table: ScoreTable) -> dict[str, Any]:
    """Return the distinct scores as steps from one to the next, and which of them each score is, in two texts.

    A page needs two digits more than it shows, for differences. The first is that of segments without a score.
    """
    digits = table.digits + 2
    rounded: list[int | None] = []
    for score in scores:
        if score is None:
            rounded.append(None)
        else:
            # rounded, so that ties are equal
            rounded.append(round(round(score, digits) * 10**digits))
    distinct = sorted({number for number in rounded if number is not None})
    steps = [number - before for before, number in pairwise([0, *distinct])]
    index_of = {None: 0} | {number: index for index, number in enumerate(distinct, 1)}
    indices = [index_of[number] for number in rounded]
    # In two halves, as a text has no letter for each number: those from U+D800 to U+DFFF are none.
    high = "".join(chr(index // _HALF) for index in indices)
    low = "".join(chr(index % _HALF) for index in indices)
    return {"steps": steps, "high": high, "low": low}


# Scores by the length of the reference: the score of each bucket.

EXACT = "The score of a group is computed from the statistics of its segments, like that of the test set."
MEAN = "The score of a group is the mean of its segments' scores, as it is for the whole test set."


def bucket_scores(table: ScoreTable, buckets: Buckets) -> tuple[list[list[float]], str]:
    """Return a row per system with a score per bucket, and a sentence on how they are computed."""
    segments = [np.array(scores, dtype=np.float64) for scores in table.segments.values()]
    inside = np.concatenate(buckets.members)
    means = [float(scores[inside].mean()) for scores in segments]
    # Whether a score is the mean of its segments is seen from the numbers; one segment cannot show it.
    is_mean = len(inside) > 1 and np.allclose(means, [row.value for row in table.rows], rtol=1e-7, atol=1e-9)
    rows = []
    if is_mean:
        for scores in segments:
            rows.append([float(scores[members].mean()) for members in buckets.members])
        return rows, MEAN
    for system in table.stats:
        rows.append([table.score_of(system, members) for members in buckets.members])
    return rows, EXACT


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
            is_close = self.unit == "characters" and not (spelling[0].isascii() or text[-1:].isascii())
            if text and not is_close:
                text += " "
            text += spelling
        return text


def read_words(corpus: Corpus, systems: Sequence[str]) -> Words:
    """Split all texts of a corpus; time is linear in their bytes."""
    n = corpus.n_segments
    tokens, spelled = tokenize(corpus, "unicode")
    segments = np.repeat(np.arange(n), np.diff(corpus.reference_offsets))
    counted = corpus
    if not len(segments):
        # without references, the words of the predictions
        counted = read_texts([]).with_texts(corpus.texts)
    letters = count_letters(counted)
    owners = np.append(np.tile(np.arange(n), len(systems)), segments)
    return Words(
        systems=list(systems),
        unit="characters" if letters.mostly_without_blanks else "words",
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
    if not text:
        return Text([])
    return Text([(0, text[:_LONGEST])], max(0, len(text) - _LONGEST))


class Colours:
    """Colours outputs by the matches of a metric; without token matches, they stay plain."""

    def __init__(self, table: ScoreTable) -> None:
        tokenizer = next(iter(table.stats.values())).signature.get("tok")
        self._ascii_only = tokenizer == "rouge"
        self._matched = None
        self.legend: tuple[str, ...] = ()
        if isinstance(table.scorer, Metric):
            self._matched = table.scorer.matched(table.name, tokenizer)
        if self._matched is not None:
            self.legend = self._matched.levels
        self._known: dict[tuple[str, ...], Text] = {}

    def text(self, prediction: str, references: Sequence[str]) -> Text:
        """Return an output with its matches in colour."""
        item = prediction, *references
        if item not in self._known:
            self.read([(prediction, references)])
        return self._known[item]

    def read(self, outputs: Iterable[tuple[str, Sequence[str]]]) -> None:
        """Find the matches of outputs, each of them once; of many in one go, in less time than one by one."""
        to_explain = []
        for prediction, references in outputs:
            item = prediction, *references
            if item not in self._known:
                self._known[item] = plain(prediction)
                if prediction and references:
                    to_explain.append(item)
        self._explain(to_explain)

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
            if len(items) > 1:
                for item in items:
                    self._explain([item])
            return
        for item, words in zip(items, words_of_items, strict=True):
            self._known[item] = in_colour(item[0], words, self.legend, ascii_only=self._ascii_only)


def in_colour(prediction: str, words: Sequence[Word], legend: Sequence[str], *, ascii_only: bool) -> Text:
    """Return a text with its tokens in the colours of their levels, which the legend names from 1 on."""
    pieces = text_in_pieces(prediction, words, ascii_only=ascii_only)
    if pieces is None:
        pieces = tokens_in_pieces(words)
    pieces = [(min(level, len(legend)), part) for level, part in pieces]
    has_ngrams = tuple(legend[:1]) in (NGRAM_LEVELS[:1], CHARACTER_LEVELS[:1])
    return _cut(_joined(pieces, has_ngrams=has_ngrams))


def text_in_pieces(text: str, words: Sequence[Word], *, ascii_only: bool = False) -> list[tuple[int, str]] | None:
    """Return the text itself in pieces with the levels of its tokens.

    None if the tokens do not follow one another with only spaces and punctuation between:
    :func:`tokens_in_pieces` then shows the tokens. With `ascii_only` there may be other letters between, which the
    tokenizer of ROUGE drops.
    """
    pieces = _pieces_in_any_case(text, words, ascii_only=ascii_only)
    if pieces is not None:
        return pieces
    # Tokenizer 13a of BLEU reads an entity as its character.
    signs = _SIGNS.findall(text)
    decoded = "".join(map(unescape, signs))
    if len(signs) == len(text) or len(decoded) != len(signs):
        return None
    # it may read one within another: &amp;lt; is <
    decoded_pieces = text_in_pieces(decoded, words, ascii_only=ascii_only)
    if decoded_pieces is None:
        return None
    remaining_signs = iter(signs)
    return [(level, "".join(islice(remaining_signs, len(part)))) for level, part in decoded_pieces]


def _pieces_in_any_case(text: str, words: Sequence[Word], *, ascii_only: bool) -> list[tuple[int, str]] | None:
    """Return the text in pieces, of tokens as they are written or in lower case; None if they are not in it."""
    pieces = _pieces_by_tokens(text, text, words, ascii_only=ascii_only)
    lowered = text.lower()
    # a letter may be two in lower case: then tokens stand elsewhere
    if pieces is None and len(lowered) == len(text):
        pieces = _pieces_by_tokens(text, lowered, words, ascii_only=ascii_only)
    return pieces


def tokens_in_pieces(words: Sequence[Word]) -> list[tuple[int, str]]:
    """Return the tokens as they are compared, with their levels, and blanks between."""
    pieces: list[tuple[int, str]] = []
    for word in words:
        if pieces:
            pieces.append((0, " "))
        pieces.append((word.level, word.text))
    return pieces


def _pieces_by_tokens(
    text: str, folded: str, words: Sequence[Word], *, ascii_only: bool
) -> list[tuple[int, str]] | None:
    """Return the text in pieces where the tokens stand in `folded`; None if they are not in it."""
    pieces = list[tuple[int, str]]()
    end = 0
    for word in words:
        written = word.text if word.written is None else word.written
        start = folded.find(written, end)
        if start < 0:
            return None
        if start > end:
            if _has_letters(text[end:start], ascii_only):
                return None
            pieces.append((0, text[end:start]))
        end = start + len(written)
        if written:
            pieces.append((word.level, text[start:end]))
    behind = text[end:]
    if _has_letters(behind, ascii_only):
        return None
    if behind:
        pieces.append((0, behind))
    return pieces


def _has_letters(text: str, ascii_only: bool) -> bool:
    if text.isspace():
        return False
    if ascii_only:
        return any(letter.isalnum() and letter.isascii() for letter in text)
    return any(map(str.isalnum, text))


def _joined(pieces: Sequence[tuple[int, str]], *, has_ngrams: bool) -> list[tuple[int, str]]:
    """Join neighbours of one level, and blanks to what they are within; 1-grams in a row are no longer n-gram."""
    levels = [level for level, _ in pieces]
    joined: list[tuple[int, str]] = []
    run_level = 0
    run = ""
    # the first piece has none before it, and the last one none behind it
    for (level, part), before, after in zip(pieces, [-1, *levels], [*levels[1:], -2], strict=False):
        is_blank = not part.strip()
        is_gap = before == after != level
        joins_one_grams = has_ngrams and before == 1
        joined_level = level
        if is_gap and is_blank and not joins_one_grams:
            joined_level = before
        if joined_level == run_level:
            run += part
        else:
            joined.append((run_level, run))
            run_level = joined_level
            run = part
    joined.append((run_level, run))
    return [(level, run) for level, run in joined if run]


def _cut(pieces: list[tuple[int, str]]) -> Text:
    left_out = sum(len(part) for _, part in pieces) - _LONGEST
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
    """An n-gram that one of two systems matches more often than the other."""

    text: str
    matches: dict[str, int]  # by system
    share: float  # share of the system with more matches, with 1 added to both (compare-mt's score)


def ngram_pairs(words: Words, pairs: Sequence[tuple[str, str]]) -> list[Pair[Ngram]]:
    """Return the n-grams of 1 to 4 words that the systems of each pair match more often than each other.

    An n-gram of a prediction matches as often as it occurs in the prediction, but not more often than in the
    reference of the segment that has most of it. N-grams are sorted by (a + 1) / (a + b + 2) of the numbers of
    matches; of equal ones those with most matches come first, then the longest. A part of one that is listed, or the
    same moved by a word, is left out where it has the same numbers, as is an n-gram with a single match more. Time is
    linear in the words of the systems of the pairs and of the references, but for sorting.
    """
    counts = _count_ngrams(words, list(dict.fromkeys(chain.from_iterable(pairs))))
    ngrams_of_pairs = []
    for baseline, system in pairs:
        groups = {system: counts.more_often(system, baseline), baseline: counts.more_often(baseline, system)}
        ngrams_of_pairs.append(Pair(baseline, system, groups))
    return ngrams_of_pairs


@dataclass(frozen=True, slots=True, eq=False)
class _NgramCounts:
    """The n-grams of some systems and of the references, and how often each system matches them."""

    words: Words
    values: NDArray[Any]  # the words of all texts
    orders: Array  # of each n-gram
    starts: Array  # where each n-gram stands first among the words
    matches: dict[str, Array]  # of each n-gram, by system

    def more_often(self, system: str, rival: str) -> list[Ngram]:
        """Return the n-grams that a system matches more often than its rival does, as `ngram_pairs` says."""
        matches = self.matches[system]
        rival_matches = self.matches[rival]
        shares = (matches + 1) / (matches + rival_matches + 2)
        chosen = np.flatnonzero(matches >= rival_matches + _LEAST)
        # the last key counts first
        keys = (self.starts[chosen], -self.orders[chosen], -matches[chosen], -shares[chosen])
        ngrams: list[Ngram] = []
        listed: dict[tuple[int, int], list[tuple[int, ...]]] = {}  # by their numbers of matches
        for index in chosen[np.lexsort(keys)].tolist():
            start = self.starts[index]
            ids = tuple(self.values[start : start + self.orders[index]].tolist())
            numbers = int(matches[index]), int(rival_matches[index])
            with_same_numbers = listed.setdefault(numbers, [])
            if any(_covers(earlier, ids) for earlier in with_same_numbers):
                continue
            with_same_numbers.append(ids)
            n_matches, n_rival_matches = numbers
            by_system = {system: n_matches, rival: n_rival_matches}
            ngrams.append(Ngram(self.words.read(ids), by_system, float(shares[index])))
            if len(ngrams) == _MOST:
                break
        return ngrams


def _count_ngrams(words: Words, systems: Sequence[str]) -> _NgramCounts:
    rows = np.concatenate([*map(words.rows, systems), words.references])
    owners = words.owners[rows]
    n = words.n_segments
    lengths = words.tokens.lengths[rows]
    values = words.tokens.values[ranges(words.tokens.offsets[:-1][rows], lengths)]
    tokens = Ragged(values, np.append(0, np.cumsum(lengths)))
    references = np.arange(len(systems) * n, len(rows))
    matches: dict[str, list[Array]] = {name: [] for name in systems}  # of each order
    starts = []
    for order in range(1, _LONGEST_NGRAM + 1):
        units, n_types = ngram_ids(tokens, order, words.n_types)
        reference_tally = tally(units, references, owners, n_types)
        for number, name in enumerate(systems):
            prediction_tally = tally(units, np.arange(n) + number * n, owners, n_types)
            keys, matches_by_key = matched(prediction_tally, reference_tally)
            matches[name].append(np.bincount(keys % n_types, matches_by_key, minlength=n_types).astype(np.int64))
        # Where each n-gram starts first: written from the end, so that its first start is written last.
        first_starts = np.zeros(n_types, np.int64)
        first_starts[units.values[::-1]] = ranges(tokens.offsets[:-1], units.lengths)[::-1]
        starts.append(first_starts)
    return _NgramCounts(
        words=words,
        values=values,
        orders=np.repeat(np.arange(1, _LONGEST_NGRAM + 1), list(map(len, starts))),
        starts=np.concatenate(starts),
        matches={name: np.concatenate(matches_by_order) for name, matches_by_order in matches.items()},
    )


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
    n_buckets = len(_EDGES) + 1
    n_types = np.bincount(buckets, minlength=n_buckets)
    buckets_with_words = [bucket for bucket in range(1, n_buckets) if n_types[bucket]]

    def in_buckets(word_tally: tuple[Array, Array]) -> Array:
        """Return how many words of a tally are in each bucket."""
        keys, counts = word_tally
        return np.bincount(buckets[keys % words.n_types], counts, minlength=n_buckets).astype(np.int64)

    values = {}
    unknown = {}
    for system in words.systems:
        predictions, references = _held_against(words, words.rows(system))
        prediction_tally = tally(words.tokens, predictions, words.owners, words.n_types)
        reference_tally = tally(words.tokens, references, words.owners, words.n_types)
        matches = in_buckets(matched(prediction_tally, reference_tally))
        predicted = in_buckets(prediction_tally)
        expected = in_buckets(reference_tally)
        with np.errstate(invalid="ignore"):
            values[system] = (200.0 * matches / (predicted + expected))[buckets_with_words].tolist()
        unknown[system] = 100.0 * float(predicted[0]) / max(1, int(predicted.sum()))
    return Frequencies(
        labels=[_label(bucket) for bucket in buckets_with_words],
        n_types=n_types[buckets_with_words].tolist(),
        values=values,
        unknown=unknown,
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
