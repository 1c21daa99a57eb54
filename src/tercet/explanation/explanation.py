"""What the explanations of all metrics can do."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar

from tercet.engine.plain_edits import DELETION, INSERTION, MATCH, SUBSTITUTION

from .levels import levels_of_predictions, ngram_levels
from .parts import (
    Heading,
    Legend,
    Line,
    Part,
    Sentence,
    Share,
    Table,
    counted,
    order_names,
    orders_legend,
    page_html,
    reference_label,
)
from .places import Count, Ids, Word, ngram_counts, ngram_limits, words_of

if TYPE_CHECKING:
    from tercet.corpus.corpus import Corpus
    from tercet.engine.ragged import TokenBatch


class Explanation:
    """Why a prediction has its score: a dataclass that notebooks show as its HTML."""

    __slots__ = ()

    signature: str

    @property
    @abstractmethod
    def title(self) -> Heading:
        """The score, and the numbers that it is made of."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Return the texts in tokens and the numbers, as a page or a terminal draws them."""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        instance: Any = self  # for type checkers: this class is no dataclass, but every subclass is
        return asdict(instance)

    def to_html(self, scale: float = 1) -> str:
        """Return a fragment of HTML: the texts with their matches coloured, and the numbers; 100 is for percent."""
        return page_html(self.title.text(scale), [part.html(scale) for part in self.parts()], self.signature)

    def _repr_html_(self) -> str:
        return self.to_html()


# How the tokens of an output that match are found for a report, and the meaning of the colours.

#: Levels of the n-grams: beyond the fourth they share a colour.
NGRAM_LEVELS = ("1-gram", "2-gram", "3-gram", "4-gram or longer")
#: The one level of tokens that match or do not.
MATCH_LEVELS = ("match",)


@dataclass(frozen=True, slots=True)
class Matched:
    """How the tokens that match are found, for one score of a metric."""

    levels: tuple[str, ...]  # meaning of the levels, from 1 on
    words: Callable[[Corpus], list[list[Word]]]  # the tokens of each output of a batch


# The n-grams that a prediction shares with its references, for metrics that count them.


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NgramTexts(Explanation):
    """The matching n-grams behind the score of one prediction.

    Attributes
    ----------
    prediction : list of Word
        The tokens; their level is the longest counted n-gram through them.
    references : list of list of Word
        Likewise for each reference: n-grams that it shares with the prediction.
    ngrams : list of list of Count
        For each order from 1 on the different n-grams of the prediction, by their first place.
    score : float
        Of this prediction alone, from 0 to 1; what else is a float here belongs to it.
    signature : str
    """

    called: ClassVar[str]
    prediction: list[Word]
    references: list[list[Word]]
    ngrams: list[list[Count]]
    score: float
    signature: str

    @property
    def counts(self) -> list[int]:
        """Clipped matches of each order: those of the score."""
        return [sum(count.counted for count in counts) for counts in self.ngrams]

    @property
    def totals(self) -> list[int]:
        """The prediction's n-grams of each order."""
        return [sum(count.prediction for count in counts) for counts in self.ngrams]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        ngrams = [[asdict(count) | {"counted": count.counted} for count in counts] for counts in self.ngrams]
        return {**asdict(self), "ngrams": ngrams, "counts": self.counts, "totals": self.totals}

    @property
    def title(self) -> Heading:
        """The score, and what else is a float."""
        numbers = {field.name.replace("_", " "): getattr(self, field.name) for field in fields(self)}
        shares = {name: Share(value) for name, value in numbers.items() if isinstance(value, float)}
        return Heading("", {self.called if name == "score" else name: value for name, value in shares.items()})

    def precisions_table(self) -> Table:
        """Return the matches of each order."""
        shares = [Share(hits / total if total else 0.0) for hits, total in zip(self.counts, self.totals, strict=True)]
        rows = list(zip(order_names(len(self.ngrams)), self.counts, self.totals, shares, strict=True))
        return Table("clipped matches", ("order", "matches", "of", "precision"), rows)

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and the counts."""
        orders = order_names(len(self.ngrams))
        labels = [reference_label(index, len(self.references)) for index in range(len(self.references))]
        lines = [("prediction", self.prediction), *zip(labels, self.references, strict=True)]
        return [
            orders_legend(len(orders)),
            *(Line(label, words, "{}-gram") for label, words in lines),
            self.precisions_table(),
            *(
                counted(f"all {name}s of the prediction", counts)
                for name, counts in zip(orders, self.ngrams, strict=True)
            ),
        ]


def compared(
    documents: Sequence[Ids],
    spelling: Sequence[str],
    orders: range,
    as_written: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    """Return the first fields of `NgramTexts` for a prediction and its references, as ids of words."""
    prediction_ids, *references_ids = documents
    limits_of_references = ngram_limits(references_ids, orders)
    limits_of_text = ngram_limits([prediction_ids], orders)
    # The prediction is compared with its references, each reference with the prediction.
    limits = [limits_of_references, *[limits_of_text] * len(references_ids)]
    prediction, *references = map(partial(_words, spelling), documents, limits, as_written or [()] * len(documents))
    ngrams = [ngram_counts(limits_of_text[order], limits_of_references[order], spelling) for order in orders]
    # Shorter orders do not count, but `NgramTexts.ngrams` begins with order 1.
    ngrams[:0] = [[] for _ in range(1, orders.start)]
    return {"prediction": prediction, "references": references, "ngrams": ngrams}


def predicted(
    tokens: TokenBatch, spelling: Sequence[str], orders: range, as_written: Sequence[Sequence[str]]
) -> list[list[Word]]:
    """Return the tokens of each prediction of a batch, as `compared` does."""
    levels = levels_of_predictions(tokens, orders)
    word = cache(Word)  # one that is found again need not be made again
    return [
        [
            word(spelling[i], level, None if spelling[i] == text else text)
            for i, level, text in zip(*item, strict=True)
        ]
        for item in zip(tokens.tokens.lists()[: tokens.n_items], levels, as_written[: tokens.n_items], strict=True)
    ]


def _words(
    spelling: Sequence[str], ids: Ids, limits: Mapping[int, Counter[tuple[int, ...]]], written: Sequence[str]
) -> list[Word]:
    words = [spelling[token] for token in ids]
    return words_of(words, ngram_levels(ids, limits), written or words)


# The edits between a prediction and its nearest reference, for metrics that count them.

_KINDS = {MATCH: "match", SUBSTITUTION: "substitution", INSERTION: "insertion", DELETION: "deletion"}


@dataclass(frozen=True, slots=True)
class Step:
    """A place of the alignment of the prediction, with its shifts made, and the reference.

    Attributes
    ----------
    kind : str
        ``match``, ``substitution``, ``insertion`` (a word of the prediction alone) or ``deletion`` (one of the
        reference alone).
    prediction, reference : str or None
        The words.
    place : int or None
        Where the word was in the prediction as it was given.
    shifted : bool
        Whether a shift moved it.
    """

    kind: str
    prediction: str | None
    reference: str | None
    place: int | None
    shifted: bool = False


def steps_of(
    kinds: Iterable[int],
    words: Sequence[str],
    reference_words: Iterable[str],
    places: Sequence[int] | None = None,
    moved: Collection[int] = (),
) -> list[Step]:
    """Return the steps of the engine's alignment; words may have moved, and then stand in the order of `places`."""
    remaining_places = iter(range(len(words)) if places is None else places)
    remaining_reference = iter(reference_words)
    steps: list[Step] = []
    for kind in kinds:
        place = next(remaining_places) if kind != DELETION else None
        steps.append(
            Step(
                kind=_KINDS[kind],
                prediction=None if place is None else words[place],
                reference=next(remaining_reference) if kind != INSERTION else None,
                place=place,
                shifted=place in moved,
            )
        )
    return steps


def words_in(steps: Iterable[Step], side: str) -> list[Word]:
    """Return the words of the ``prediction`` or the ``reference`` in the order of the steps."""
    words = []
    for step in steps:
        text = getattr(step, side)
        if text is not None:
            level = 1 + step.shifted if step.kind == "match" else 0
            words.append(Word(text, level))
    return words


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Edits(Explanation):
    """The edits behind the score of one prediction.

    Attributes
    ----------
    score : float
        As the metric gives it, with the options of the call.
    reference : int
        Index of the reference that needs the fewest edits; the first of them on ties.
    n_references : int
    steps : list of Step
        The alignment.
    signature : str
    """

    called: ClassVar[str]
    levels: ClassVar[tuple[str, ...]] = ("same word",)
    score: float
    reference: int
    n_references: int
    steps: list[Step]
    signature: str

    @property
    def prediction(self) -> list[Word]:
        """The words of the prediction as it was given; level 1 for a match, 2 for one after a shift."""
        # steps follow the alignment, in which a shift has moved words
        steps_by_place = [(step.place, step) for step in self.steps if step.place is not None]
        return words_in((step for _, step in sorted(steps_by_place, key=lambda pair: pair[0])), "prediction")

    @property
    def title(self) -> Heading:
        """The score."""
        return Heading(self.called, {"": Share(self.score)})

    def counted(self) -> str:
        """Return what was counted, on one line."""
        kinds = [step.kind for step in self.steps]
        names = {"match": "matches"} | {kind: f"{kind}s" for kind in ("substitution", "deletion", "insertion")}
        return ", ".join(f"{name}: {kinds.count(kind):,}" for kind, name in names.items())

    def shifted(self) -> tuple[list[Part], list[Part]]:
        """Return what stands below the prediction, and below the reference, where words were shifted."""
        return [], []

    def parts(self) -> list[Part]:
        """Return the texts in colour, the edits and the alignment."""
        below_prediction, below_reference = self.shifted()
        head = ("prediction", "reference", "edit")
        steps = [
            (step.prediction or "", step.reference or "", f"{step.kind}{', shifted' if step.shifted else ''}")
            for step in self.steps
        ]
        edits = [row for row, step in zip(steps, self.steps, strict=True) if step.kind != "match"]
        label = reference_label(self.reference, self.n_references)
        return [
            Sentence(self.counted()),
            Legend(self.levels),
            Line("prediction", self.prediction, "same word"),
            *below_prediction,
            Line(label, words_in(self.steps, "reference"), "same word"),
            *below_reference,
            *([Table("edits", head, edits)] if edits else []),
            Table("alignment", head, steps, folded=True),
        ]
