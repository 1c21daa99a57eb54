"""Why a pair of texts has its cosine: the contribution of each token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged
from tercet.explanation.explanation import Explanation
from tercet.explanation.parts import Heading, Legend, Sentence, Share, Table, graded_line, quarters
from tercet.explanation.parts import Part as PartOfPage
from tercet.explanation.pictures import Part, contributions_html
from tercet.networks.encoder import Encoder
from tercet.networks.long_texts import windows_of
from tercet.networks.subwords import Subwords
from tercet.networks.torch_settings import own_settings

from .pooling import Pooling, token_weights
from .vectors import Vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Contributions(Explanation):
    """The tokens of both texts, with their contributions to the cosine.

    Attributes
    ----------
    prediction, reference : str
        The texts, stripped, with their prompts.
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
        prediction = _graded_by_contribution("prediction", self.prediction_tokens)
        reference = _graded_by_contribution("reference", self.reference_tokens)
        if not self.decomposes:
            return [prediction, reference, Sentence(f"{self._undivided()}.")]
        return [
            Legend(quarters("contribution")),
            prediction,
            reference,
            _greatest_first("prediction", self.prediction_tokens),
            _greatest_first("reference", self.reference_tokens),
        ]

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


def contributions_to_pair(
    encoder: Encoder,
    pooling: Pooling,
    rows: Ragged,
    vectors: Vectors,
    pair: NDArray[np.int64],
    *,
    limit: int | None,
    batch_size: int,
) -> list[NDArray[np.float64] | None]:
    """Return what the tokens of each of two texts add to their cosine; `pair` has the rows of the two texts."""
    prediction, reference = (vectors[row].astype(np.float64) for row in pair)
    product = float(np.linalg.norm(prediction) * np.linalg.norm(reference))
    tokens = _weighted_tokens(encoder, pooling, rows, limit, batch_size)
    contributions: list[NDArray[np.float64] | None] = []
    for row, opposite in zip(pair, (reference, prediction), strict=True):
        tokens_of_text = tokens[rows.offsets[row] : rows.offsets[row + 1], : vectors.shape[1]]
        contributions.append(tokens_of_text @ opposite / product)
    return contributions


def explained_tokens(
    text: str,
    ids: NDArray[np.int64],
    subwords: Subwords,
    positions: NDArray[np.int64],
    contributions: NDArray[np.float64] | None,
) -> list[Part]:
    """Return the tokens of a text with their contributions; `positions` are those of its ids in the whole text."""
    spans = subwords.spans(text)
    last = len(subwords.whole([text]).values) - len(subwords.tail)
    parts = []
    for index, (spelling, position) in enumerate(zip(subwords.tokens(ids.tolist()), positions.tolist(), strict=True)):
        span = spans[position] if spans else None
        parts.append(
            Part(
                token=spelling,
                text=spelling if span is None else text[slice(*span)],
                span=span,
                special=not len(subwords.head) <= position < last,
                contribution=None if contributions is None else float(contributions[index]),
            )
        )
    return parts


def _weighted_tokens(
    encoder: Encoder, pooling: Pooling, rows: Ragged, limit: int | None, batch_size: int
) -> NDArray[np.float64]:
    """Return every token's share of its text's embedding, shape (tokens, d): the shares of a text sum to it."""
    import torch

    windows = windows_of(rows, limit, encoder.subwords)
    shares = np.zeros((len(rows.values), encoder.dimensions))
    with own_settings(), torch.inference_mode():
        for chosen, states, is_taken in encoder.states(windows, batch_size):
            weights = token_weights(pooling.name, windows, chosen, is_taken, rows)
            target = (windows.target[chosen] - windows.first[chosen])[:, None] + np.arange(is_taken.shape[1])[None, :]
            weighted = states.cpu().numpy().astype(np.float64) * weights[:, :, None]
            shares[target[is_taken]] = weighted[is_taken]
    return shares


def _graded_by_contribution(name: str, tokens: list[Part]) -> PartOfPage:
    """Return a text by what each token adds, special tokens left out."""
    contributions = [(token.span, token.text, token.contribution or 0.0) for token in tokens if not token.special]
    return graded_line(name, contributions)


def _greatest_first(name: str, tokens: list[Part]) -> Table:
    """Return the tokens of a text with their contributions, the greatest first."""
    ordered = sorted(tokens, key=lambda token: -(token.contribution or 0.0))
    rows = [(token.text, Share(token.contribution or 0.0)) for token in ordered]
    return Table(f"what the tokens of the {name} add", ("token", "contribution"), rows)
