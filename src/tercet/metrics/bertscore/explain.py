"""Why a pair has its BERTScore: every token with its match, weight and contribution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, check_texts, read_items
from tercet.encoders.embeddings import windows_of
from tercet.encoders.subwords import Subwords
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, OptionError
from tercet.metric.drawing.alignment_html import alignment_html, alignment_svg
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.heat_map import heat_map
from tercet.metric.drawing.parts import (
    Heading,
    Legend,
    Line,
    Part,
    Share,
    Table,
    graded,
    quarters,
    spaced_words,
)
from tercet.metric.drawing.places import Word
from tercet.metric.drawing.token import Token
from tercet.metric.scoring import warn

from .messages import texts_warning

if TYPE_CHECKING:
    from .metric import BertScore


#: Options that one pair has no use for.
_OF_A_CORPUS = {
    *("all_layers", "rescale_with_baseline", "baseline_path", "scale", "idf_documents", "multi_ref"),
    *("missing_references", "segments", "confidence_level", "n_resamples", "seed", "n_jobs"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Alignment(Explanation):
    """The matching behind a score, as a table, a matrix and pictures.

    Attributes
    ----------
    prediction, reference : str
        The texts, stripped.
    precision, recall, f1 : float
        As ``bertscore_idf`` gives them; the contributions of the prediction's tokens sum to the precision, those of
        the reference's to the recall.
    prediction_tokens, reference_tokens : list of Token
    similarity : ndarray of float32, shape (a, b)
        Cosine of each token of the prediction with each of the reference.
    signature : str
    reference_index : int
        Which of several references this is.
    """

    prediction: str
    reference: str
    precision: float
    recall: float
    f1: float
    prediction_tokens: list[Token]
    reference_tokens: list[Token]
    similarity: NDArray[np.float32]
    signature: str
    reference_index: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python."""
        return {**asdict(self), "similarity": self.similarity.tolist()}

    def plot(self) -> Any:
        """Return a heat map of the matrix as a matplotlib figure: best matches outlined, weights at the sides."""
        return heat_map(self.prediction_tokens, self.reference_tokens, self.similarity, str(self.title))

    def to_svg(self) -> str:
        """Return the matches as lines between two columns of tokens, an SVG document."""
        return alignment_svg(self.prediction_tokens, self.reference_tokens)

    def to_html(self, scale: float = 1) -> str:
        """Return the texts coloured by what each token loses, the matches, the heat map and the table as HTML.

        The scores are multiplied by `scale`: 100 is for percent.
        """
        tokens = self.prediction_tokens, self.reference_tokens
        return alignment_html(self.title.text(scale), self.signature, *tokens, self.similarity)

    @property
    def title(self) -> Heading:
        """The scores of the pair."""
        scores = {"precision": self.precision, "recall": self.recall, "F": self.f1}
        return Heading("", {name: Share(score) for name, score in scores.items()})

    def parts(self) -> list[Part]:
        """Return both texts by what each token loses, and the tokens that lose most."""
        sides = {"prediction": self.prediction_tokens, "reference": self.reference_tokens}
        return [
            Legend(quarters("loss"), losses=True),
            *(_line(name, tokens) for name, tokens in sides.items()),
            *(_losses(name, tokens) for name, tokens in sides.items()),
        ]


def _line(name: str, tokens: list[Token]) -> Line:
    shown = [token for token in tokens if not token.special]
    levels = graded([token.loss for token in shown])
    words = [(token.span, Word(token.text, level)) for token, level in zip(shown, levels, strict=True)]
    return Line(name, spaced_words(words), spaced=False, losses=True)


def _losses(name: str, tokens: list[Token]) -> Table:
    """Return the tokens of a text with their matches, the greatest loss first."""
    ordered = sorted(tokens, key=lambda token: -token.loss)
    rows = [(each.text, each.match_text, each.cosine, Share(each.weight), Share(each.loss)) for each in ordered]
    return Table(f"what the tokens of the {name} lose", ("token", "best match", "cosine", "weight", "loss"), rows)


def explain_pair(metric: BertScore, prediction: str, references: Any, corpus: Iterable[str] | None) -> Alignment:
    """Explain a prediction; `corpus` has the texts in which ``idf=True`` counts document frequencies."""
    items = read_items([prediction], [references])
    check_missing(items.missing, "error", at_zero="")
    check_texts([prediction, *items.reference_lists()[0]], "the pair")
    if corpus is None and metric.idf is True:
        raise OptionError(
            "explain needs the texts in which idf=True counts document frequencies: give corpus=references, or set "
            "'idf' to a table, a mapping or False."
        )
    for name in {**metric.given, **metric.asked.given}:
        if name in _OF_A_CORPUS:
            raise OptionError(
                f"explain shows how one pair matches in one layer, unscaled: it does not take {name!r}."
            )
    context = None
    if corpus is not None:
        texts = [corpus] if isinstance(corpus, str) else list(corpus)
        if metric.idf is not True or isinstance(corpus, str) or not texts:
            raise OptionError("corpus must be a list of texts, in which idf=True counts document frequencies.")
        check_texts(texts, "corpus")
        context = metric.count_documents(texts, np.arange(len(texts)))
    return explain_batch(metric, items.batch(), context)


def explain_batch(scorer: BertScore, batch: Corpus, context: Any = None) -> Alignment:
    """Explain a batch of one item: the pair with the best F."""
    prediction, *references = batch.texts.to_pylist()
    alignments = (
        _alignment(scorer, prediction.strip(), reference.strip(), index, context)
        for index, reference in enumerate(references)
    )
    return max(alignments, key=lambda alignment: alignment.f1)  # the first of equal ones


def _alignment(scorer: BertScore, prediction: str, reference: str, index: int, context: Any) -> Alignment:
    encoder, both = scorer.encoder(), [prediction, reference]
    whole, documents, texts = scorer.prepare(both, context)
    limit = encoder.subwords.length_limit(scorer.max_length)
    if scorer.long_text == "error" and limit is not None and (whole.lengths > limit).any():
        raise InputError(f"The texts have {whole.lengths.tolist()} tokens, more than the encoder's limit of {limit}.")
    windows = windows_of(texts.rows, limit, encoder.subwords)
    store = encoder.embed(windows, texts.rows, np.zeros(len(texts.rows.lengths), bool), scorer.batch_size)
    bounds = [slice(*store.offsets[text : text + 2]) for text in texts.text]
    vectors = [store.vectors[0, bound] for bound in bounds]
    similarity = (vectors[0] @ vectors[1].T).cpu().numpy()
    official = scorer.compat is not None
    sizes = documents.lengths
    empty = bool((sizes == 2 if official else sizes <= encoder.subwords.n_special).any())
    warn(scorer, texts_warning(int((documents.lengths < whole.lengths).sum()), 0, limit))
    shares = [texts.shares[bound].astype(float) for bound in bounds]
    positions = Ragged(_positions(whole), whole.offsets)
    kept = encoder.subwords.truncate(positions, scorer.cut_at(encoder.subwords)).pieces()
    sides = [
        _Side(text, ids, positions, share, encoder.subwords)
        for text, ids, positions, share in zip(both, documents.pieces(), kept, shares, strict=True)
    ]
    of_prediction = sides[0].tokens(similarity, sides[1])
    of_reference = sides[1].tokens(similarity.T, sides[0])
    precision, recall = (sum(token.contribution for token in tokens) for tokens in (of_prediction, of_reference))
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    f1 = 0.0 if f1 != f1 else f1  # NaN of a measure, with zero_weight="nan"
    if empty:
        precision, recall, f1 = 0.0, 0.0, f1 if official else 0.0  # bert-score leaves its F
        of_prediction, of_reference = (
            [replace(token, weight=0.0, contribution=0.0, loss=0.0) for token in tokens]
            for tokens in (of_prediction, of_reference)
        )
    return Alignment(
        prediction, reference, precision, recall, f1, of_prediction, of_reference, similarity,
        str(scorer.signature(context)), index,
    )  # fmt: skip


class _Side:
    """One text of the pair: its tokens, and where they are in it."""

    def __init__(
        self,
        text: str,
        ids: NDArray[np.int32],
        positions: NDArray[np.int64],
        shares: NDArray[np.float64],
        subwords: Subwords,
    ):
        spans = subwords.spans(text)
        n_tokens = len(subwords.whole([text]).values)
        self.spellings = subwords.tokens(ids.tolist())
        self.spans = [spans[position] if spans else None for position in positions.tolist()]
        inside = range(len(subwords.head), n_tokens - len(subwords.tail))
        self.special = [position not in inside for position in positions.tolist()]
        self.texts = [
            text[slice(*span)] if span is not None else spelling
            for span, spelling in zip(self.spans, self.spellings, strict=True)
        ]
        self.shares = shares.tolist()

    def tokens(self, similarity: NDArray[np.float32], other: _Side) -> list[Token]:
        """Return the rows of the table; similarity has a row per token of this side."""
        tokens = []
        matches: list[int | None] = [None] * len(self.texts)
        if other.texts:
            matches = similarity.argmax(1).tolist()
        for index, match in enumerate(matches):
            share, cosine = self.shares[index], 0.0 if match is None else float(similarity[index, match])
            tokens.append(
                Token(
                    token=self.spellings[index],
                    text=self.texts[index],
                    span=self.spans[index],
                    special=self.special[index],
                    weight=share,
                    cosine=cosine,
                    match=match,
                    match_text="" if match is None else other.texts[match],
                    match_special=match is not None and other.special[match],
                    contribution=share * cosine,
                    loss=share * (1 - cosine),
                )
            )
        return tokens


def _positions(ragged: Ragged) -> NDArray[np.int64]:
    return np.concatenate([np.arange(length) for length in ragged.lengths])
