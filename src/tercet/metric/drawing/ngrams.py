"""The n-grams that a prediction shares with its references, for metrics that count them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar

from .explanation import Explanation
from .parts import Heading, Line, Part, Share, Table, counted, order_names, orders_legend
from .places import Count, Ids, Word, ngram_counts, ngram_levels, ngram_limits, words_of
from .words_html import reference_label


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
                counted(f"all {name}s of the prediction", each)
                for name, each in zip(orders, self.ngrams, strict=True)
            ),
        ]


def compared(
    documents: Sequence[Ids],
    spelling: Sequence[str],
    orders: range,
    as_written: Sequence[Sequence[str]] = (),
) -> dict[str, Any]:
    """Return the first fields of `NgramTexts` for a prediction and its references, as ids of words."""
    text, *targets = documents
    of_references, of_text = ngram_limits(targets, orders), ngram_limits([text], orders)
    words = [[spelling[token] for token in ids] for ids in documents]
    limits = [of_references, *[of_text] * len(targets)]
    levels = [ngram_levels(*each) for each in zip(documents, limits, strict=True)]
    prediction, *references = map(words_of, words, levels, as_written or words)
    ngrams = [ngram_counts(of_text[order], of_references[order], spelling) for order in orders]
    ngrams[:0] = [[] for _ in range(1, orders.start)]  # which do not count
    return {"prediction": prediction, "references": references, "ngrams": ngrams}
