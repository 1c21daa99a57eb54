"""Why a prediction has its ROUGE: the n-grams, subsequences or skip-bigrams that it shares with a reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from itertools import chain
from operator import and_
from typing import Any

from tercet.columns.batch import Batch
from tercet.columns.items import check_missing, read_items
from tercet.columns.ragged import TokenBatch
from tercet.core.options import build_options
from tercet.display.matched import MATCH_LEVELS, Matched
from tercet.display.places import Count, Word
from tercet.display.words_html import counts_html, legend, page_html, words_html

from .options import RougeOptions
from .places import PairOfTexts, Places
from .scorer import RougeScorer
from .types import BY_LINE, RougeType

#: What the levels of the words stand for, by kind.
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
        As asked for, such as ``rougeSU4``; n, L, Lsum, W, S or SU.
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
class RougeMatches:
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

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        return asdict(self)

    def to_html(self) -> str:
        """Return the texts with their matches coloured, a fragment of HTML; a section per type."""
        return page_html("", [self._section(each) for each in self.types], self.signature)

    def _repr_html_(self) -> str:
        return self.to_html()

    def _section(self, each: TypeMatches) -> str:
        which = "" if self.n_references == 1 else f" with reference {each.reference + 1} of {self.n_references}"
        title = f"{each.name}{which}: precision {each.precision:.4f}, recall {each.recall:.4f}, F {each.fmeasure:.4f}"
        hint = _HINTS[each.kind]
        names = [hint] if "{}" not in hint else [hint.format(number) for number in ("1", "2", "3", "4 or more")]
        parts = [
            f"<p><b>{title}</b></p><p>{each.hits:g} of {each.prediction_total:g} in the prediction, "
            f"of {each.reference_total:g} in the reference</p>",
            legend(names),
            words_html("prediction", each.prediction_words, hint),
            words_html("reference", each.reference_words, hint),
        ]
        if each.counts:
            unit = "n-grams of the prediction" if each.kind == "n" else "matched skip-bigrams"
            parts.append(counts_html(f"all {unit}", each.counts))
        return "".join(parts)


def explain(prediction: str, references: str | Sequence[str], **options: Any) -> RougeMatches:
    """Explain the ROUGE of one prediction.

    Parameters
    ----------
    prediction : str
    references : str or sequence of str
    **options
        Those of ``rouge_nlws``. Those of a corpus (intervals, segments, missing references) change nothing here.

    Returns
    -------
    RougeMatches
        Of each type with its best reference, also where ``multi_ref`` takes an average of all.

    Raises
    ------
    InputError
        For what is not text, for a prediction without reference, for more than 1,000,000 skip-bigrams, and for lines,
        or in ROUGE-W tokens, that would be compared for minutes.
    OptionError
        For an option or a value that ``rouge_nlws`` does not know.

    Notes
    -----
    Time and memory, in plain Python: linear in the tokens for n-grams, the product of the lengths / 64 for
    subsequences, the product for ROUGE-W, and the number of skip-bigrams for ROUGE-S.

    Examples
    --------
    >>> why = explain("the cat sat", ["a dog", "the black cat"], rouge_types=["rougeL"]).types[0]
    >>> why.reference, [(word.text, word.level) for word in why.reference_words]
    (1, [('the', 1), ('black', 0), ('cat', 1)])
    """
    scorer = RougeScorer(build_options(RougeOptions, options, RougeScorer.name, RougeScorer.presets))
    items = read_items([prediction], [references])
    check_missing(items.missing, "error", at_zero="")
    batch = items.batch()
    return explain_batch(scorer, batch, scorer.fit(batch))


def explain_batch(scorer: RougeScorer, batch: Batch, context: Any) -> RougeMatches:
    """Explain a batch of one item."""
    tokens, words = scorer.tokens(batch, context)
    plain, plain_words = scorer.tokens(batch, context, as_written=True)
    counter, spelling, written = scorer.counter(tokens), words(), plain_words()
    cut = _shown(tokens, plain, written)
    by_line = cut
    if tokens.cut_by_line is not None and plain.cut_by_line is not None:
        by_line = _shown(tokens.cut_by_line, plain.cut_by_line, written)

    def matches(kind: RougeType) -> TypeMatches:
        counts = counter.count(kind)
        scores, rank = scorer.pair_scores(kind, counts)
        best = int(rank.argmax())
        lines, as_written = by_line if kind.kind in BY_LINE else cut
        left = None
        if lines is not cut[0]:  # a word counts as often as it stands in the texts that are cut as a whole
            left = reduce(and_, (Counter(chain.from_iterable(cut[0][text])) for text in (0, 1 + best)))
        pair = PairOfTexts(lines[0], lines[1 + best], spelling, left)
        places: Places = pair.places(kind, scorer.options.compat)
        precision, recall, fmeasure = scores[best].tolist()
        return TypeMatches(
            name=kind.name, kind=kind.kind, reference=best,
            precision=precision, recall=recall, fmeasure=fmeasure,
            hits=float(counts.hits[best]),
            prediction_total=float(counts.text_totals[best]), reference_total=float(counts.reference_totals[best]),
            prediction_words=pair.prediction_words(places, as_written[0]),
            reference_words=pair.reference_words(places, as_written[1 + best]),
            counts=places.counts,
        )  # fmt: skip

    return RougeMatches(
        [matches(kind) for kind in scorer.options.rouge_types], len(cut[0]) - 1, str(scorer.signature(context))
    )


def _shown(
    tokens: TokenBatch, plain: TokenBatch, written: list[str]
) -> tuple[list[list[list[int]]], list[list[str]]]:
    """Return the documents as lines of ids, and the words of each as they were written."""
    return tokens.line_lists(), [[written[i] for i in ids] for ids in plain.tokens.lists()]


def matched(scorer: RougeScorer, score: str, tokenizer: str | None) -> Matched:
    """Return how a report finds the tokens that match: those of the score's own type.

    How long their runs are, or how many skip-bigrams they are in, is told by the score.
    """
    name = score.removesuffix("_precision").removesuffix("_recall")
    own = replace(scorer.options, rouge_types=tuple(each for each in scorer.options.rouge_types if each.name == name))
    if tokenizer is not None and own.tokenizer == "auto":  # as chosen for all texts, not for each by itself
        own = replace(own, tokenizer=tokenizer)
    return Matched(RougeScorer(own), MATCH_LEVELS, lambda found: found.types[0].prediction_words)
