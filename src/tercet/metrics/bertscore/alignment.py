"""Why a pair has its BERTScore: every token with its match, weight and contribution."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from tercet import numpy_later as np
from tercet.explanation.explanation import Explanation
from tercet.explanation.parts import Heading, Legend, Part, Share, Table, graded_line, quarters
from tercet.explanation.pictures import Token, alignment_html, alignment_svg, heat_map
from tercet.networks.subwords import Subwords

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        return [
            Legend(quarters("loss"), losses=True),
            _graded_by_loss("prediction", self.prediction_tokens),
            _graded_by_loss("reference", self.reference_tokens),
            _losses("prediction", self.prediction_tokens),
            _losses("reference", self.reference_tokens),
        ]


def _graded_by_loss(name: str, tokens: list[Token]) -> Part:
    """Return a text by what each token loses, special tokens left out."""
    losses = [(token.span, token.text, token.loss) for token in tokens if not token.special]
    return graded_line(name, losses, losses=True)


def _losses(name: str, tokens: list[Token]) -> Table:
    """Return the tokens of a text with their matches, the greatest loss first."""
    ordered = sorted(tokens, key=lambda token: -token.loss)
    rows = [(token.text, token.match_text, token.cosine, Share(token.weight), Share(token.loss)) for token in ordered]
    return Table(f"what the tokens of the {name} lose", ("token", "best match", "cosine", "weight", "loss"), rows)


class Side:
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
        self.spans: list[tuple[int, int] | None] = [None] * len(positions)
        if spans:
            self.spans = [spans[position] for position in positions.tolist()]
        inside = range(len(subwords.head), n_tokens - len(subwords.tail))
        self.special = [position not in inside for position in positions.tolist()]
        self.texts = list(self.spellings)
        for index, span in enumerate(self.spans):
            if span is not None:
                start, stop = span
                self.texts[index] = text[start:stop]
        self.shares = shares.tolist()

    def tokens(self, similarity: NDArray[np.float32], other: Side) -> list[Token]:
        """Return the rows of the table; similarity has a row per token of this side."""
        tokens = []
        matches: list[int | None] = [None] * len(self.texts)
        if other.texts:
            matches = similarity.argmax(1).tolist()
        for index, match in enumerate(matches):
            share = self.shares[index]
            cosine = 0.0
            if match is not None:
                cosine = float(similarity[index, match])
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
