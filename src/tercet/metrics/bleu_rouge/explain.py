"""Why a prediction has its F of BLEU and ROUGE: the n-grams of each order, for precision and for recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.matched import NGRAM_LEVELS, Matched
from tercet.metric.drawing.parts import Heading, Line, Part, Share, Table, counted, order_names, orders_legend
from tercet.metric.drawing.places import Count, Word, ngram_counts, ngram_levels, ngram_limits, words_of
from tercet.metric.drawing.words_html import reference_label

if TYPE_CHECKING:
    from .metric import BleuRouge


@dataclass(frozen=True, slots=True)
class OrderMatches:
    """Both sides of one order.

    Attributes
    ----------
    order : int
    matches, total : int
        Clipped matches against all references, and n-grams of the prediction: precision divides them.
    reference : int or None
        Index of the reference that recall uses; None with ``multi_ref="average"``, which uses all together.
    hits, reference_total : float
        Clipped matches with that reference, and its n-grams: recall divides them.
    precision, recall, fmeasure : float
        From 0 to 1.
    ngrams : list of Count
        The different n-grams of the prediction, by their first place.
    """

    order: int
    matches: int
    total: int
    reference: int | None
    hits: float
    reference_total: float
    precision: float
    recall: float
    fmeasure: float
    ngrams: list[Count]


@dataclass(frozen=True, slots=True, eq=False)
class BleuRougeMatches(Explanation):
    """The matching behind the F of BLEU and ROUGE of one prediction.

    Attributes
    ----------
    prediction : list of Word
        The tokens; their level is the longest counted n-gram through them.
    references : list of list of Word
        Likewise for each reference: n-grams that it shares with the prediction.
    orders : list of OrderMatches
    score, precision, recall : float
        The F of all orders and its two sides, from 0 to 1.
    signature : str
    """

    prediction: list[Word]
    references: list[list[Word]]
    orders: list[OrderMatches]
    score: float
    precision: float
    recall: float
    signature: str

    @property
    def title(self) -> Heading:
        """The F of all orders and its two sides."""
        sides = {"F": self.score, "precision (BLEU)": self.precision, "recall (ROUGE)": self.recall}
        return Heading("", {name: Share(value) for name, value in sides.items()})

    def parts(self) -> list[Part]:
        """Return the texts with matched n-grams coloured by order, and both sides."""
        names = order_names(len(self.orders))
        labels = [reference_label(index, len(self.references)) for index in range(len(self.references))]
        lines = [("prediction", self.prediction), *zip(labels, self.references, strict=True)]
        head = ("order", "matches", "of", "precision", "reference", "hits", "of", "recall", "F")
        rows = [self._row(name, each) for name, each in zip(names, self.orders, strict=True)]
        return [
            orders_legend(len(names)),
            *(Line(label, words, "{}-gram") for label, words in lines),
            Table("clipped matches", head, rows),
            *(
                counted(f"all {name}s of the prediction", each.ngrams)
                for name, each in zip(names, self.orders, strict=True)
            ),
        ]

    def _row(self, name: str, each: OrderMatches) -> tuple[object, ...]:
        whose = "all" if each.reference is None else str(each.reference + 1)
        recalled = (int(n) if n.is_integer() else n for n in (each.hits, each.reference_total))
        precision, recall, fmeasure = map(Share, (each.precision, each.recall, each.fmeasure))
        return (name, each.matches, each.total, precision, whose, *recalled, recall, fmeasure)


def explain_batch(scorer: BleuRouge, batch: Corpus, context: Any = None) -> BleuRougeMatches:
    """Explain a batch of one item."""
    tokens, words = scorer.tokens(batch)
    plain, plain_words = scorer.tokens(batch, as_written=True)
    spelling, written, orders = words(), plain_words(), range(1, scorer.max_order + 1)
    documents = zip(tokens.tokens.lists(), plain.tokens.lists(), strict=True)
    (text, _), *targets = pairs = list(documents)
    of_references, of_text = ngram_limits([ids for ids, _ in targets], orders), ngram_limits([text], orders)

    def marked(ids: list[int], as_written: list[int], limits: Any) -> list[Word]:
        return words_of([spelling[i] for i in ids], ngram_levels(ids, limits), [written[i] for i in as_written])

    scale = scorer.scale
    row = scorer.segment_stats(batch).rows[0]
    scores = {name: value / scale for name, value in scorer.finalize(row).items()}
    best = None
    if scorer.multi_ref == "best":
        best = scorer.best_references(scorer.counts(tokens), tokens.pair_offsets)[0].tolist()
    columns = dict(zip(scorer.columns, row.tolist(), strict=True))
    return BleuRougeMatches(
        prediction=marked(*pairs[0], of_references),
        references=[marked(*each, of_text) for each in targets],
        orders=[
            OrderMatches(
                order=n,
                matches=int(columns[f"match{n}"]),
                total=int(columns[f"total{n}"]),
                reference=None if best is None else best[n - 1],
                hits=columns[f"hit{n}"],
                reference_total=columns[f"reference_total{n}"],
                precision=float(scores["bleu_rouge_precisions"][n - 1]),
                recall=float(scores["bleu_rouge_recalls"][n - 1]),
                fmeasure=float(scores[f"bleu_rouge_f_{n}"]),
                ngrams=ngram_counts(of_text[n], of_references[n], spelling),
            )
            for n in orders
        ],
        score=float(scores["bleu_rouge_f"]),
        precision=float(scores["bleu_rouge_precision"]),
        recall=float(scores["bleu_rouge_recall"]),
        signature=str(scorer.signature()),
    )


def matched(scorer: BleuRouge, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds matched tokens: by their longest matched n-gram."""
    return Matched(scorer, NGRAM_LEVELS[: scorer.max_order], lambda found: found.prediction)
