"""Why a prediction has its translation edit rate: the shifts, and the alignment with the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.engine.chosen import engine
from tercet.engine.plain_edits import DELETION, INSERTION, MATCH, SUBSTITUTION
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import MATCH_LEVELS, Matched
from tercet.metric.drawing.places import Word
from tercet.metric.drawing.words_html import legend, page_html, reference_label, table_html, words_html

if TYPE_CHECKING:
    from .metric import Ter


_KINDS = {MATCH: "match", SUBSTITUTION: "substitution", INSERTION: "insertion", DELETION: "deletion"}


@dataclass(frozen=True, slots=True)
class Shift:
    """Words of the prediction that move together, as one edit.

    Attributes
    ----------
    words : str
    start, to : int
        Position of the first of them before and after, from 0.
    length : int
        How many words there are.
    """

    words: str
    start: int
    to: int
    length: int


@dataclass(frozen=True, slots=True)
class Step:
    """A place of the alignment of the shifted prediction and the reference.

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
    shifted: bool


@dataclass(frozen=True, slots=True, eq=False)
class TerEdits(Explanation):
    """The edits behind the translation edit rate of one prediction.

    Attributes
    ----------
    score : float
        As the metric gives it, with the options of the call.
    num_edits : int
        Shifts, and steps that are no match.
    ref_length : float
        Average length of the references.
    reference : int
        Index of the reference that needs the fewest edits; the first of them on ties.
    n_references : int
    shifts : list of Shift
        In their order, each in the text as it then is.
    steps : list of Step
        The alignment after the shifts.
    signature : str
    """

    score: float
    num_edits: int
    ref_length: float
    reference: int
    n_references: int
    shifts: list[Shift]
    steps: list[Step]
    signature: str

    @property
    def prediction(self) -> list[Word]:
        """The words of the prediction as it was given; level 1 for a match, 2 for one after a shift."""
        steps = [(step.place, step) for step in self.steps if step.place is not None]
        return [_word(step, step.prediction) for _, step in sorted(steps, key=lambda each: each[0])]

    def to_html(self) -> str:
        """Return the texts in colour, the shifts and the alignment, a fragment of HTML."""
        of_prediction = [step for step in self.steps if step.prediction is not None]
        of_reference = [step for step in self.steps if step.reference is not None]
        label = reference_label(self.reference, self.n_references)
        parts = [
            f"<p>edits: {self.num_edits:,} (shifts: {len(self.shifts):,}); words in the "
            f"{'reference' if self.n_references == 1 else 'references, on average'}: {self.ref_length:g}</p>",
            legend(["same word", "same word after a shift"]),
            words_html("prediction", self.prediction, "same word"),
        ]
        if self.shifts:
            parts.append(
                words_html("after shifts", [_word(step, step.prediction) for step in of_prediction], "same word")
            )
        parts.append(words_html(label, [_word(step, step.reference) for step in of_reference], "same word"))
        if self.shifts:
            rows = [(number, each.words, each.start + 1, each.to + 1) for number, each in enumerate(self.shifts, 1)]
            parts.append(table_html("shifts", ("shift", "words", "from place", "to place"), rows))
        steps = [(step.prediction or "", step.reference or "", _described(step)) for step in self.steps]
        table = table_html("", ("prediction", "reference", "edit"), steps)
        parts.append(f"<details><summary>alignment</summary>{table}</details>")
        return page_html(f"Translation edit rate: {self.score:.4f}", parts, self.signature)


def explain_batch(scorer: Ter, batch: Corpus, context: Any = None) -> TerEdits:
    """Explain a batch of one item."""
    (prediction,), references = scorer.texts(batch)
    references = references or [""]
    alone = engine.ter_rows([*[prediction] * len(references), *references], len(references), None)
    best = int(alone[:, scorer.columns.index("num_edits")].argmin())
    made_shifts, made_steps = engine.edit_path(prediction, references[best])
    words = prediction.split()

    places = list(range(len(words)))
    shifts: list[Shift] = []
    moved: set[int] = set()
    for start, length, to in made_shifts:
        block = places[start : start + length]
        places[start : start + length] = []
        places[to:to] = block
        moved.update(block)
        shifts.append(Shift(" ".join(words[place] for place in block), start, to, length))

    steps = []
    left, wanted = iter(places), iter(references[best].split())
    for step in made_steps:
        place = next(left) if step != DELETION else None
        word = None if place is None else words[place]
        other = next(wanted) if step != INSERTION else None
        steps.append(Step(_KINDS[step], word, other, place, place in moved))

    rows = scorer.segment_stats(batch, context).rows[0]
    return TerEdits(
        score=float(scorer.finalize(rows)["ter"]),
        num_edits=len(shifts) + sum(step.kind != "match" for step in steps),
        ref_length=float(rows[-1]),
        reference=best,
        n_references=int(batch.reference_counts[0]),
        shifts=shifts,
        steps=steps,
        signature=str(scorer.signature()),
    )


def _word(step: Step, text: str | None) -> Word:
    return Word(text or "", (1 + step.shifted) if step.kind == "match" else 0)


def _described(step: Step) -> str:
    return f"{step.kind}, shifted" if step.shifted else step.kind


def matched(scorer: Ter, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds the tokens that match: those without an edit."""
    return Matched(scorer, MATCH_LEVELS, lambda found: found.prediction)
