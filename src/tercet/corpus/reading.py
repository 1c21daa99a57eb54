"""A user's predictions and references -> a corpus: lists of strings, or columns in Arrow's memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard

from tercet import numpy_later as np
from tercet.engine.plain_text import TooMuchMemoryError

from .arrow_columns import read_arrow
from .corpus import Corpus, bytes_of
from .items import read_items, read_texts, warn_of_order
from .tokenizers import Splitter, changed_strings, lowered_texts, split_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def read_corpus(predictions: object, references: object) -> Corpus:
    """Check predictions and references; columns that are Arrow inside are neither copied nor made Python strings."""
    if type(predictions) is list and type(references) is list:
        return read_items(predictions, references)
    warn_of_order("predictions", predictions, references)
    return read_arrow(predictions, references) or read_items(predictions, references)


def read_batch(predictions: object, references: object) -> Corpus:
    """Check and encode predictions and references."""
    return read_corpus(predictions, references).encoded()


def read_predictions(predictions: object) -> Corpus:
    """Check and encode predictions that have no references."""
    return read_texts(predictions).encoded()


# Hypotheses and references that all meet: each different text once, and where it came from.

Indices: TypeAlias = "NDArray[np.int64]"


class Crossing(NamedTuple):
    """The different texts, and which of them each hypothesis and each reference is."""

    #: The texts, instead of predictions.
    batch: Corpus
    hypotheses: Indices
    references: Indices

    @classmethod
    def of(cls, hypotheses: list[str], references: list[str]) -> Crossing:
        """Return a crossing of texts that are checked."""
        numbers = {text: number for number, text in enumerate(dict.fromkeys([*hypotheses, *references]))}
        sides = (np.array([numbers[text] for text in side], np.int64) for side in (hypotheses, references))
        return cls(read_texts(list(numbers)), *sides)

    @property
    def strings(self) -> list[str]:
        """The different texts."""
        assert self.batch.strings is not None
        return self.batch.strings[0]

    @property
    def texts(self) -> Any:
        """The different texts, in Arrow's memory."""
        return self.batch.texts

    def name_of(self, text: int) -> str:
        """Return what messages call a text."""
        of_hypotheses = np.flatnonzero(self.hypotheses == text)
        if len(of_hypotheses):
            return f"item {of_hypotheses[0]} of hypotheses"
        return f"item {np.flatnonzero(self.references == text)[0]} of references"


# Texts as the engine reads them: Python strings as they are, or the bytes of an Arrow column.

#: The tokenizers that the engine applies itself, to the texts as they are given.
ENGINE_TOKENIZERS = ("rouge", "none", "blanks", "13a", "13a-unstripped", "zh", "unicode", "char")


def rows_by_engine(batch: Corpus, function: Callable[..., Any], texts: Any, *arguments: Any) -> Any:
    """Return ``function(texts, n, reference_offsets, *arguments, n_systems)`` of the engine: a row for each item.

    `texts` are those of a batch, or what was made of them; the rows are in the order of the items, system by system.
    An InputError names the first text that cannot be encoded, a MemoryError the item that takes more than there is.
    """
    offsets = None if batch.one_each else batch.reference_offsets
    try:
        return function(texts, batch.n_segments, offsets, *arguments, batch.n_systems)
    except TooMuchMemoryError as error:
        raise MemoryError(f"item {batch.first_item + error.item} takes more memory than is available") from None
    except ValueError:
        # Encoding the texts raises an error that names the item.
        _ = batch.texts
        raise


def is_read_by_engine(tokenizer: object) -> TypeGuard[str]:
    """Return whether the engine finds the tokens itself."""
    return type(tokenizer) is str and tokenizer in ENGINE_TOKENIZERS


def texts_and_reading(
    batch: Corpus,
    tokenizer: str | Splitter,
    *,
    lowercase: bool = False,
    prepare: Callable[[str], str] | None = None,
    lines: bool = False,
) -> tuple[Any, str]:
    """Return the texts of a batch for :func:`rows_by_engine`, and the reading by which the engine finds their tokens.

    Those of a tokenizer in Python are split by it.
    """
    if is_read_by_engine(tokenizer):
        return changed_texts(batch, lowercase=lowercase, prepare=prepare), tokenizer
    return split_texts(batch, tokenizer, lowercase=lowercase, prepare=prepare, lines=lines)[0], "none"


def changed_texts(batch: Corpus, *, lowercase: bool = False, prepare: Callable[[str], str] | None = None) -> Any:
    """Return the texts of a batch for :func:`rows_by_engine`: strings, or columns where nothing asks for strings.

    Each is changed by `prepare`, and then in lower case (:meth:`str.lower`), if these are asked for.
    """
    if prepare is not None:
        batch.checked()
    if batch.strings is not None or prepare is not None:
        return changed_strings(batch, lowercase=lowercase, prepare=prepare)
    if lowercase:
        return bytes_of(lowered_texts(batch.texts))
    return bytes_of(batch.predictions) + bytes_of(batch.references)
