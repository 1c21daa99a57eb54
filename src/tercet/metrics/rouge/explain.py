"""Why a prediction has its ROUGE: the n-grams, subsequences or skip-bigrams that it shares with a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet.engine.ragged import TokenBatch
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.parts import Heading, Legend, Line, Part, Sentence, Share, counted
from tercet.metric.drawing.places import Count, Word

if TYPE_CHECKING:
    pass


#: Meaning of the levels of the words, by kind.
_HINTS = {
    "n": "in a matched n-gram",
    "L": "in the longest common subsequence",
    "Lsum": "in a longest common subsequence of lines",
    "W": "run of {}",
    "S": "matched skip-bigrams: {}",
    "SU": "matches: {}",
}


@dataclass(frozen=True, slots=True, eq=False)
class TypeMatches:
    """The matching behind one type of ROUGE.

    Attributes
    ----------
    name, kind : str
        As given, such as ``rougeSU4``; n, L, Lsum, W, S or SU.
    reference : int
        Which reference: the best one (by F; with ``compat="rouge155"`` by recall).
    precision, recall, fmeasure : float
        Of the prediction and this reference, from 0 to 1.
    hits, prediction_total, reference_total : float
        What is divided: n-grams, tokens or skip-bigrams; for ROUGE-W weights.
    prediction_words, reference_words : list of Word
        Their level: 1 for a match, the length of the run for ROUGE-W, the number of matches for skip-bigrams.
    counts : list of Count
        The n-grams of the prediction, or the skip-bigrams that match; none for subsequences.
    """

    name: str
    kind: str
    reference: int
    precision: float
    recall: float
    fmeasure: float
    hits: float
    prediction_total: float
    reference_total: float
    prediction_words: list[Word]
    reference_words: list[Word]
    counts: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class RougeMatches(Explanation):
    """The matching behind the ROUGE of one prediction, type by type.

    Attributes
    ----------
    types : list of TypeMatches
    n_references : int
    signature : str
    """

    types: list[TypeMatches]
    n_references: int
    signature: str

    @property
    def title(self) -> Heading:
        """Nothing: each type has its own."""
        return Heading("", {})

    def parts(self) -> list[Part]:
        """Return the texts with their matches coloured, type by type."""
        return [part for each in self.types for part in self._section(each)]

    def _section(self, each: TypeMatches) -> list[Part]:
        which = "" if self.n_references == 1 else f" with reference {each.reference + 1} of {self.n_references}"
        hint = _HINTS[each.kind]
        names = [hint] if "{}" not in hint else [hint.format(number) for number in ("1", "2", "3", "4 or more")]
        shares = {"precision": each.precision, "recall": each.recall, "F": each.fmeasure}
        unit = "n-grams of the prediction" if each.kind == "n" else "matched skip-bigrams"
        return [
            Heading(f"{each.name}{which}", {name: Share(value) for name, value in shares.items()}),
            Sentence(
                f"{each.hits:g} of {each.prediction_total:g} in the prediction, of {each.reference_total:g} in the "
                "reference"
            ),
            Legend(names),
            Line("prediction", each.prediction_words, hint),
            Line("reference", each.reference_words, hint),
            *([counted(f"all {unit}", each.counts)] if each.counts else []),
        ]


def _shown(
    tokens: TokenBatch, plain: TokenBatch, written: list[str]
) -> tuple[list[list[list[int]]], list[list[str]]]:
    """Return the documents as lines of ids, and the words of each as they were written."""
    return tokens.line_lists(), [[written[i] for i in ids] for ids in plain.tokens.lists()]
