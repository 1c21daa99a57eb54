"""Why a prediction has its translation edit rate: the shifts, and the alignment with the reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from tercet.corpus.corpus import Corpus
from tercet.engine.chosen import engine
from tercet.metric.drawing.edits import Edits, steps_of, words_in
from tercet.metric.drawing.parts import Line, Part, Table

if TYPE_CHECKING:
    from .metric import Ter


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


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TerEdits(Edits):
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

    called = "Translation edit rate"
    levels: ClassVar[tuple[str, ...]] = ("same word", "same word after a shift")
    num_edits: int
    ref_length: float
    shifts: list[Shift]

    def counted(self) -> str:
        """Return edits and words."""
        where = "reference" if self.n_references == 1 else "references, on average"
        return f"edits: {self.num_edits:,} (shifts: {len(self.shifts):,}); words in the {where}: {self.ref_length:g}"

    def shifted(self) -> tuple[list[Part], list[Part]]:
        """Return the prediction after its shifts, and their table."""
        if not self.shifts:
            return [], []
        rows = [(number, each.words, each.start + 1, each.to + 1) for number, each in enumerate(self.shifts, 1)]
        table = Table("shifts", ("shift", "words", "from place", "to place"), rows)
        return [Line("after shifts", words_in(self.steps, "prediction"), "same word")], [table]


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

    steps = steps_of(made_steps, words, references[best].split(), places, moved)
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
