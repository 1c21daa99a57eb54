"""The edits between a prediction and its nearest reference, for metrics that count them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tercet.engine.plain_ter import DELETION, INSERTION, MATCH, SUBSTITUTION

from .explanation import Explanation
from .matches import Word
from .parts import Heading, Legend, Line, Part, Sentence, Table, reference_label

_KINDS = {MATCH: "match", SUBSTITUTION: "substitution", INSERTION: "insertion", DELETION: "deletion"}


@dataclass(frozen=True, slots=True)
class Step:
    """A pair of words, or a single one, in the alignment of the prediction, with its shifts made, and the reference.

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
    *,
    positions: Sequence[int] | None = None,
    moved: Collection[int] = (),
) -> list[Step]:
    """Return the steps of the engine's alignment; moved words stand in the order of `positions`."""
    if positions is None:
        positions = range(len(words))
    remaining_positions = iter(positions)
    remaining_reference = iter(reference_words)
    steps: list[Step] = []
    for kind in kinds:
        position: int | None = None
        prediction: str | None = None
        reference: str | None = None
        if kind != DELETION:
            position = next(remaining_positions)
            prediction = words[position]
        if kind != INSERTION:
            reference = next(remaining_reference)
        steps.append(Step(_KINDS[kind], prediction, reference, position, shifted=position in moved))
    return steps


def words_in(steps: Iterable[Step], side: str) -> list[Word]:
    """Return the words of the ``prediction`` or the ``reference`` in the order of the steps."""
    words = []
    for step in steps:
        text = getattr(step, side)
        if text is None:
            continue
        level = 0
        if step.kind == "match":
            level = 2 if step.shifted else 1
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
        by_position = {step.place: step for step in self.steps if step.place is not None}
        return words_in([by_position[position] for position in sorted(by_position)], "prediction")

    @property
    def title(self) -> Heading:
        """The score."""
        return Heading(self.called, {"": self.score})

    def counted(self) -> str:
        """Return what was counted, on one line."""
        kinds = [step.kind for step in self.steps]
        counts = [f"matches: {kinds.count('match'):,}"]
        for kind in ("substitution", "deletion", "insertion"):
            counts.append(f"{kind}s: {kinds.count(kind):,}")
        return ", ".join(counts)

    def shifted(self) -> tuple[list[Part], list[Part]]:
        """Return what stands below the prediction, and below the reference, where words were shifted."""
        return [], []

    def parts(self) -> list[Part]:
        """Return the texts in colour, the edits and the alignment."""
        below_prediction, below_reference = self.shifted()
        head = ("prediction", "reference", "edit")
        steps: list[tuple[str, str, str]] = []
        edits: list[tuple[str, str, str]] = []
        for step in self.steps:
            kind = f"{step.kind}, shifted" if step.shifted else step.kind
            row = (step.prediction or "", step.reference or "", kind)
            steps.append(row)
            if step.kind != "match":
                edits.append(row)
        label = reference_label(self.reference, self.n_references)
        parts: list[Part] = [
            Sentence(self.counted()),
            Legend(self.levels),
            Line("prediction", self.prediction, "same word"),
            *below_prediction,
            Line(label, words_in(self.steps, "reference"), "same word"),
            *below_reference,
        ]
        if edits:
            parts.append(Table("edits", head, edits))
        parts.append(Table("alignment", head, steps, folded=True))
        return parts
