"""Why a pair of texts has its cosine: the contribution of each token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts
from tercet.encoders.embeddings import windows_of
from tercet.encoders.encoder import Encoder
from tercet.encoders.messages import cut_texts, cut_warning
from tercet.encoders.subwords import Subwords
from tercet.engine.ragged import Ragged, different_rows
from tercet.metric.drawing.contributions_html import Part, contributions_html
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.parts import (
    Heading,
    Legend,
    Line,
    Sentence,
    Share,
    Table,
    graded,
    quarters,
    spaced_words,
)
from tercet.metric.drawing.parts import Part as PartOfPage
from tercet.metric.drawing.places import Word
from tercet.metric.scoring import warn

from .pooling import SUMS_OF_ALL, Pooling, token_weights
from .vectors import cosines, embed

if TYPE_CHECKING:
    from .metric import Cosine


@dataclass(frozen=True, slots=True)
class Contributions(Explanation):
    """The tokens of both texts, with their contributions to the cosine.

    Attributes
    ----------
    prediction, reference : str
        The texts, stripped; with the prompt that the encoder's folder declares.
    cosine : float
        As ``embedding_cosine`` gives it.
    prediction_tokens, reference_tokens : list of Part
        The contributions of each side sum to the cosine, where the pooling allows them; None where it does not.
    decomposes : bool
        Whether the pooling allows it: where an embedding is a weighted sum over its tokens (mean, weightedmean and
        mean_sqrt_len_tokens, without dense layers), and neither text is empty.
    pooling : str
    signature : str
    reference_index : int
        Which of several references this is: the nearest.
    """

    prediction: str
    reference: str
    cosine: float
    prediction_tokens: list[Part]
    reference_tokens: list[Part]
    decomposes: bool
    pooling: str
    signature: str
    reference_index: int = 0

    def to_html(self, scale: float = 1) -> str:
        """Return the texts coloured by the tokens' contributions, and the table, a fragment of HTML.

        The score is multiplied by `scale`: 100 is for percent.
        """
        sides = (("prediction", self.prediction_tokens), ("reference", self.reference_tokens))
        bluer = "the bluer a token, the more it adds to the cosine; the redder, the more it takes away"
        legend = self._undivided() or bluer
        return contributions_html(self.title.text(scale), legend, sides, self.signature)

    @property
    def title(self) -> Heading:
        """The score of the pair."""
        return Heading("", {"cosine": Share(self.cosine)})

    def parts(self) -> list[PartOfPage]:
        """Return both texts by what each token adds, and the tokens that add most."""
        sides = {"prediction": self.prediction_tokens, "reference": self.reference_tokens}
        lines = [_line(name, tokens) for name, tokens in sides.items()]
        if not self.decomposes:
            return [*lines, Sentence(f"{self._undivided()}.")]
        tables = [_added(name, tokens) for name, tokens in sides.items()]
        return [Legend(quarters("contribution")), *lines, *tables]

    def _undivided(self) -> str:
        """Return why no token has a contribution."""
        if self.decomposes:
            return ""
        if self.cosine == 0.0:
            return "the cosine with an empty text is 0"
        return (
            f"with the pooling {self.pooling!r}, or a dense layer after it, the embedding is not a sum over the "
            "tokens, so the cosine cannot be divided among them"
        )


def _line(name: str, tokens: list[Part]) -> Line:
    shown = [token for token in tokens if not token.special]
    levels = graded([token.contribution or 0.0 for token in shown])
    words = [(token.span, Word(token.text, level)) for token, level in zip(shown, levels, strict=True)]
    return Line(name, spaced_words(words), spaced=False)


def _added(name: str, tokens: list[Part]) -> Table:
    """Return the tokens of a text with their contributions, the greatest first."""
    added = sorted(((each.contribution or 0.0, each.text) for each in tokens), key=lambda each: -each[0])
    rows = [(text, Share(contribution)) for contribution, text in added]
    return Table(f"what the tokens of the {name} add", ("token", "contribution"), rows)


def explain_batch(scorer: Cosine, batch: Corpus, context: None = None) -> Contributions:
    """Explain a batch of one item: the pair with the greatest cosine."""
    check_texts(batch.texts.to_pylist(), "the pair")
    texts = [(scorer.declared.prompt + text).strip() for text in batch.texts.to_pylist()]
    encoder, pooling = scorer.encoder(), scorer.text_pooling
    limit = scorer.limit(encoder.subwords)
    whole, documents = scorer.prepare(batch.texts.to_pylist(), encoder.subwords)
    cut_texts(whole, batch, limit, scorer.long_text)
    empty = scorer.is_empty(whole, encoder.subwords)
    rows, which = different_rows(documents)
    none, batch_size = np.zeros(len(rows.lengths), bool), scorer.batch_size
    vectors = embed(encoder, pooling, rows, none, limit=limit, batch_size=batch_size)
    found = cosines(vectors, np.repeat(which[:1], len(which) - 1), which[1:])
    found[empty[0] | empty[1:]] = 0.0
    nearest = int(found.argmax())
    chosen = [0, nearest + 1]
    cut = int((documents.lengths < whole.lengths)[chosen].sum())
    warn(scorer, cut_warning(cut, limit) if cut else None)
    decomposes = pooling.name in SUMS_OF_ALL and pooling.digest is None and not empty[chosen].any()
    contributions: list[NDArray[np.float64] | None] = [None, None]
    if decomposes:
        pair = [vectors[which[each]].astype(np.float64) for each in chosen]
        product = float(np.linalg.norm(pair[0]) * np.linalg.norm(pair[1]))
        tokens = _weighted_tokens(encoder, pooling, rows, limit, batch_size)
        bounds = [slice(*rows.offsets[which[each] : which[each] + 2]) for each in chosen]
        contributions = [tokens[bounds[side], : vectors.shape[1]] @ pair[1 - side] / product for side in (0, 1)]
    sides = [
        _parts(texts[each], documents, each, encoder.subwords, _positions(scorer, whole)[each], contributions[side])
        for side, each in enumerate(chosen)
    ]
    return Contributions(
        texts[0], texts[chosen[1]], float(found[nearest]), sides[0], sides[1], decomposes, pooling.name,
        str(scorer.signature()), nearest,
    )  # fmt: skip


def _weighted_tokens(
    encoder: Encoder, pooling: Pooling, rows: Ragged, limit: int | None, batch_size: int
) -> NDArray[np.float64]:
    """Return every token's share of its text's embedding, shape (tokens, d): the shares of a text sum to it."""
    import torch

    windows = windows_of(rows, limit, encoder.subwords)
    shares = np.zeros((len(rows.values), encoder.dimensions))
    with torch.inference_mode():
        for chosen, states, taken in encoder.states(windows, batch_size):
            weights = token_weights(pooling.name, windows, chosen, taken, rows)
            target = (windows.target[chosen] - windows.first[chosen])[:, None] + np.arange(taken.shape[1])[None, :]
            weighted = states.cpu().numpy().astype(np.float64) * weights[:, :, None]
            shares[target[taken]] = weighted[taken]
    return shares


def _positions(scorer: Cosine, whole: Ragged) -> list[NDArray[np.int64]]:
    """Return which tokens of each whole text are embedded."""
    places = Ragged(np.concatenate([np.arange(length) for length in whole.lengths]), whole.offsets)
    if scorer.long_text == "truncate":
        subwords = scorer.subwords()
        places = subwords.truncate(places, scorer.limit(subwords))
    return places.pieces()


def _parts(
    text: str,
    documents: Ragged,
    document: int,
    subwords: Subwords,
    positions: NDArray[np.int64],
    contributions: NDArray[np.float64] | None,
) -> list[Part]:
    """Return the tokens of a text with their contributions."""
    ids = documents.values[slice(*documents.offsets[document : document + 2])]
    spans = subwords.spans(text)
    last = len(subwords.whole([text]).values) - len(subwords.tail)
    parts = []
    for index, (spelling, place) in enumerate(zip(subwords.tokens(ids.tolist()), positions.tolist(), strict=True)):
        span = spans[place] if spans else None
        parts.append(
            Part(
                token=spelling,
                text=spelling if span is None else text[slice(*span)],
                span=span,
                special=not len(subwords.head) <= place < last,
                contribution=None if contributions is None else float(contributions[index]),
            )
        )
    return parts
