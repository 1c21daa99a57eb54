"""Why a text has its perplexity: how much each part of it surprises the model."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from tercet.corpus.corpus import Corpus
from tercet.metric.drawing.explanation import Explanation
from tercet.metric.drawing.parts import Heading, Legend, Line, Part, Sentence, Table
from tercet.metric.drawing.places import Word
from tercet.metric.drawing.surprise_html import Piece, surprise_html
from tercet.metric.scoring import warn

from .model import LanguageModel

if TYPE_CHECKING:
    from .metric import Perplexity

#: From how many bits on a part of a text has each level.
_BITS = (4, 8, 12, 16)


@dataclass(frozen=True, slots=True, eq=False)
class Surprisals(Explanation):
    """The surprisals behind the perplexity of one text.

    Attributes
    ----------
    prediction : str
    pieces : list of Piece
        The text in parts: single tokens, or the fewest tokens that are valid text together. Their surprisals sum to
        ``bits``.
    perplexity : float
        As ``perplexity_lm`` gives it.
    bits : float
        The surprisal of all tokens that are scored.
    n_tokens : int
        Their number.
    bits_per_byte, bits_per_character : float
    signature : str
    """

    prediction: str
    pieces: list[Piece]
    perplexity: float
    bits: float
    n_tokens: int
    bits_per_byte: float
    bits_per_character: float
    signature: str

    def to_html(self, scale: float = 1) -> str:
        """Return the text coloured by surprise and a bar per piece, a fragment of HTML: no number is in percent."""
        return surprise_html(str(self.title), self.pieces, self.signature)

    @property
    def title(self) -> Heading:
        """The score, and how many bits it stands for."""
        return Heading(
            f"perplexity {self.perplexity:,.2f}, {self.bits:,.1f} bits in {self.n_tokens:,} tokens, "
            f"{self.bits_per_byte:.3f} bits per byte", {},
        )  # fmt: skip

    def parts(self) -> list[Part]:
        """Return the text by surprise, and the parts that surprise most."""
        words = [Word(each.text, bisect_right(_BITS, each.surprisal or 0.0)) for each in self.pieces]
        scored = [each for each in self.pieces if each.surprisal is not None]
        rows = [(each.text, each.surprisal) for each in sorted(scored, key=lambda each: -(each.surprisal or 0.0))]
        return [
            Legend([f"{bits} bits or more" for bits in _BITS], losses=True),
            Line("text", words, spaced=False, losses=True),
            Sentence("n bits: the model gave this part a probability of 1 in 2^n."),
            Table("what surprises the model", ("part", "bits"), rows),
        ]


def explain_batch(scorer: Perplexity, batch: Corpus, context: Any = None) -> Surprisals:
    """Explain a batch of one item."""
    text: str = batch.predictions[0].as_py()
    scored = scorer.surprisals(batch)
    stats = scorer.stats_of(scored, batch)
    warn(scorer, scorer.score_warning(stats.total()))
    scores = scorer.finalize(stats.total())
    bits = [float(value) / log(2) for value in scored.values]
    unread = int(scored.texts.skipped[0]) + (0 if scorer.add_start_token else 1)
    return Surprisals(
        prediction=text,
        pieces=pieces_of(text, [*[None] * unread, *bits], scorer.model()),
        perplexity=float(scores["perplexity"]),
        bits=sum(bits),
        n_tokens=len(bits),
        bits_per_byte=float(scores["bits_per_byte"]),
        bits_per_character=float(scores["bits_per_character"]),
        signature=str(stats.signature),
    )


def pieces_of(text: str, surprisals: Sequence[float | None], model: LanguageModel) -> list[Piece]:
    """Return a text in the smallest pieces between which no token stands for part of a character.

    What the tokenizer leaves out, such as spaces, belongs to the piece after it.
    """
    (ids,) = model.ids([text])
    spelled: list[str] = model.tokenizer.convert_ids_to_tokens(ids)
    spans = model.spans(text)
    values = [*surprisals, *[None] * (len(ids) - len(surprisals))]
    pieces: list[Piece] = []
    first = begin = end = 0
    for number, (_, stop) in enumerate(spans):
        end = max(end, stop)
        last = number == len(spans) - 1
        if not last and (end == begin or spans[number + 1][0] < end):
            continue
        end = len(text) if last else end
        known = [value for value in values[first : number + 1] if value is not None]
        pieces.append(
            Piece(text[begin:end], (begin, end), spelled[first : number + 1], sum(known) if known else None)
        )
        first, begin = number + 1, end
    return pieces
