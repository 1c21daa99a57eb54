"""Checked texts: predictions of systems for the same segments, and the references, read and encoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tercet import numpy_later as np
from tercet.engine.chosen import engine
from tercet.engine.plain_text import strings
from tercet.engine.ragged import pairs_of
from tercet.errors import InputError, warn

from .normalizers import change_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Multiples of it, less their whole parts, lie evenly and never come back.
_GOLDEN = (5**0.5 - 1) / 2
Offsets: TypeAlias = "NDArray[np.int64]"


class Warned:
    """What users were told of texts, or are not to be: once, not for each metric, and each form of the texts apart.

    Metrics that normalize see what others do not, such as the text within an object of JSON.
    """

    __slots__ = ("_forms", "_messages", "is_silent")

    def __init__(self) -> None:
        #: Whether nothing is to be said of the texts in any form.
        self.is_silent = False
        #: By what the texts were normalized that were searched.
        self._forms: list[object] = []
        self._messages: set[str] = set()

    def copy(self) -> Warned:
        """Return what further texts begin with of which the same was said."""
        copied = Warned()
        copied.is_silent = self.is_silent
        copied._forms += self._forms
        copied._messages |= self._messages
        return copied

    def add_form(self, normalizer: object) -> None:
        """Take note that the texts were searched as this normalizes them."""
        self._forms.append(normalizer)

    def has_form(self, normalizer: object) -> bool:
        """Return whether the texts need no search as this normalizes them."""
        return self.is_silent or normalizer in self._forms

    def say(self, messages: Iterable[str]) -> None:
        """Warn of what was not said before."""
        for message in messages:
            if message not in self._messages:
                self._messages.add(message)
                warn(message)


class Corpus:
    """S systems' predictions for the same n segments, system by system, then all references, segment by segment."""

    __slots__ = (
        "_normalized",
        "_offsets",
        "_predictions",
        "_references",
        "_texts",
        "first_item",
        "n_items",
        "n_segments",
        "n_systems",
        "names",
        "normalizer",
        "one_each",
        "strings",
        "warned",
    )

    def __init__(
        self, predictions: Any, references: Any, offsets: Offsets | None = None,
        names: tuple[str, ...] = ("predictions",), first_item: int = 0,
    ) -> None:  # fmt: skip
        self._predictions = predictions
        self._references = references
        self._offsets = offsets
        self.names = names
        self.n_systems = len(names)
        self.first_item = first_item
        #: Number of predictions, of all systems, and of each.
        self.n_items = len(predictions)
        self.n_segments = self.n_items // self.n_systems
        #: Whether every segment has exactly one reference.
        self.one_each = offsets is None or _is_one_each(offsets)
        #: Predictions and references as Python strings, where they came so: the engine reads them as they are.
        self.strings: tuple[list[str], list[str]] | None = (
            (predictions, references) if type(predictions) is list else None
        )
        #: All texts in one array, once they are encoded.
        self._texts: Any = None
        #: Shared with the same texts normalized or numbered otherwise.
        self.warned = Warned()
        #: By what these texts were normalized, and the same segments normalized, by what that was.
        self.normalizer: object = None
        self._normalized: list[Corpus] = []

    @property
    def searched(self) -> bool:
        """Whether it is known what is odd in these texts, as they are normalized, or nobody asks."""
        return self.warned.has_form(self.normalizer)

    # -- texts

    @property
    def texts(self) -> Any:
        """All texts in UTF-8, in one pyarrow.LargeStringArray; InputError names the first that cannot be encoded."""
        if self._texts is None:
            self._texts = self._encoded()
        return self._texts

    def _encoded(self) -> Any:
        if not isinstance(self._predictions, list):
            return _concatenate([self._predictions, self._references])
        try:
            return encode([*self._predictions, *self._references])
        except UnicodeEncodeError:
            raise self._encoding_error() from None

    def encoded(self) -> Corpus:
        """Return this corpus, with its texts encoded; InputError as for `texts`."""
        _ = self.texts
        return self

    def checked(self) -> Corpus:
        """Return this corpus, whose texts can be encoded; InputError as for `texts`."""
        if self._texts is None and self.strings is not None:
            try:
                "".join([*self._predictions, *self._references]).encode()
            except UnicodeEncodeError:
                raise self._encoding_error() from None
        return self

    @property
    def predictions(self) -> Any:
        """The predictions, in Arrow's memory."""
        return self._column(self._predictions, 0)

    @property
    def references(self) -> Any:
        """The references, in Arrow's memory."""
        return self._column(self._references, self.n_items)

    def _column(self, texts: Any, start: int) -> Any:
        """Return the predictions or the references, without those of the other side in one memory if they came so."""
        if self._texts is None and not isinstance(texts, list):
            return _concatenate([texts])
        return self.texts.slice(start, len(texts))

    def texts_of(self, system: int) -> Sequence[str]:
        """Return the predictions of a system as strings."""
        if self.n_systems == 1:
            return _strings(self._predictions)
        n = self.n_segments
        return _strings(self._predictions[system * n : (system + 1) * n])

    def reference_lists(self) -> list[list[str]]:
        """Return the references as strings, a list for each segment."""
        references = _strings(self._references)
        return [references[start:stop] for start, stop in pairwise(self.reference_offsets.tolist())]

    def item(self, segment: int) -> tuple[list[str], list[str]]:
        """Return the predictions of a segment, of all systems, and its references, as strings."""
        return self.items([segment])[0]

    def items(self, segments: Sequence[int]) -> list[tuple[list[str], list[str]]]:
        """Return the predictions and the references of several segments."""
        predictions, references = self.strings or (self.predictions, self.references)
        offsets = self._offsets
        n_items = self.n_items
        n_segments = self.n_segments
        items = []
        for segment in segments:
            start = segment
            stop = segment + 1
            if offsets is not None:
                start = int(offsets[start])
                stop = int(offsets[stop])
            texts = [str(predictions[row]) for row in range(segment, n_items, n_segments)]
            items.append((texts, [str(text) for text in references[start:stop]]))
        return items

    def columns(self) -> dict[str, list[Any]]:
        """Return the texts of each system by its name, and lists of references, as strings."""
        columns: dict[str, list[Any]] = {}
        for system, name in enumerate(self.names):
            columns[name] = list(self.texts_of(system))
        columns["references"] = self.reference_lists()
        return columns

    def arrays(self) -> tuple[Any, Any]:
        """Return predictions, and a list of references per segment, in Arrow's memory; texts are not copied."""
        import pyarrow as pa

        return self.predictions, pa.LargeListArray.from_arrays(pa.array(self.reference_offsets), self.references)

    # -- which references a segment has

    @property
    def reference_offsets(self) -> Offsets:
        """Where the references of each segment begin, shape (n + 1,)."""
        if self._offsets is None:
            self._offsets = np.arange(self.n_segments + 1)
        return self._offsets

    @property
    def reference_counts(self) -> NDArray[np.int64]:
        """How many references each prediction has, shape (S n,)."""
        return np.tile(np.diff(self.reference_offsets), self.n_systems)

    @property
    def has_references(self) -> bool:
        """Whether any segment has a reference."""
        return len(self._references) > 0

    @property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Indices in `texts` of each prediction and each of its references, shape (S m,) each."""
        return pairs_of(self.reference_offsets, self.n_systems)

    @property
    def missing(self) -> list[int]:
        """The segments without a reference."""
        return [] if self.one_each else np.flatnonzero(np.diff(self.reference_offsets) == 0).tolist()

    def name_of(self, document: int) -> str:
        """Return what messages call a document, counted over predictions and then references."""
        if document < self.n_items:
            system, segment = divmod(document, self.n_segments)
            return f"item {self.first_item + segment} of {self.names[system]}"
        item = int(np.searchsorted(self.reference_offsets, document - self.n_items, side="right")) - 1
        return f"item {self.first_item + item} of references"

    # -- other corpora made of this one; nothing is encoded

    def part(self, start: int, stop: int) -> Corpus:
        """Return the segments `start` to `stop`, or to the last one."""
        n = self.n_segments
        if start <= 0 and stop >= n:
            return self
        stop = min(stop, n)
        predictions, references = self._columns
        of_systems = [predictions[first + start : first + stop] for first in range(0, n * self.n_systems, n)]
        offsets = self._offsets
        first = start
        last = stop
        if offsets is not None:
            first = int(offsets[start])
            last = int(offsets[stop])
            offsets = offsets[start : stop + 1] - first
        texts = of_systems[0] if len(of_systems) == 1 else _concatenate(of_systems)
        # Each part is searched by itself.
        return self._like(texts, references[first:last], offsets, first_item=self.first_item + start)

    def system(self, number: int) -> Corpus:
        """Return the predictions of one system, with the references."""
        if self.n_systems == 1:
            return self
        predictions, references = self._columns
        n = self.n_segments
        texts = predictions[number * n : (number + 1) * n]
        corpus = self._like(texts, references, self._offsets, names=self.names[number : number + 1])
        corpus.warned = self.warned.copy()
        return corpus

    @property
    def _columns(self) -> tuple[Any, Any]:
        """Predictions and references, encoded if they have been."""
        if self._texts is None:
            return self._predictions, self._references
        return self.predictions, self.references

    def with_texts(self, texts: Any) -> Corpus:
        """Return a corpus of other texts, an array of Arrow, for the same segments."""
        n = self.n_items
        corpus = self._like(texts[:n], texts[n:], self._offsets)
        corpus._texts = texts
        # They were not normalized.
        corpus.normalizer = None
        return corpus

    def numbered(self, first_item: int) -> Corpus:
        """Return a corpus of these texts as segments from another number on."""
        corpus = self._like(self._predictions, self._references, self._offsets, first_item=first_item)
        corpus._texts = self._texts
        corpus.warned = self.warned
        return corpus

    def normalized(self, normalize: Any) -> Corpus:
        """Return these segments as the option ``normalize`` changes their texts: once for all metrics."""
        if self.normalizer == normalize:
            return self
        for corpus in self._normalized:
            if corpus.normalizer == normalize:
                return corpus
        self.checked()
        change = change_of(normalize)
        predictions, references = self._columns
        texts = [*_strings(predictions), *_strings(references)]
        changed = [change(text, partial(self.name_of, row)) for row, text in enumerate(texts)]
        n = self.n_items
        corpus = self._like(changed[:n], changed[n:], self._offsets)
        corpus.normalizer = normalize
        corpus.warned = self.warned
        self._normalized.append(corpus)
        return corpus

    def _like(
        self, predictions: Any, references: Any, offsets: Offsets | None, names: tuple[str, ...] | None = None,
        first_item: int | None = None,
    ) -> Corpus:  # fmt: skip
        """Return a corpus of other texts, which is named, numbered and normalized as this one."""
        corpus = Corpus(predictions, references, offsets, names or self.names)
        corpus.first_item = self.first_item if first_item is None else first_item
        corpus.normalizer = self.normalizer
        return corpus

    # -- errors

    def _encoding_error(self) -> InputError:
        """Return the error for the first text that cannot be encoded."""
        for name, text in self._named_texts():
            error = surrogate_error(name, text)
            if error is not None:
                return error
        raise AssertionError("each text can be encoded")

    def _named_texts(self) -> Iterator[tuple[str, str]]:
        """Yield each text after what messages call it."""
        for row, text in enumerate(self._predictions):
            yield self.name_of(row), text
        for item, texts in enumerate(self.reference_lists(), self.first_item):
            for text in texts:
                yield f"a reference of item {item}", text


def _is_one_each(offsets: Offsets) -> bool:
    """Return whether every segment has exactly one reference, given where the references of each begin."""
    n = len(offsets) - 1
    # Most corpora with several references, or none, are known by their number.
    return bool(offsets[n] == n and (n <= 1 or (np.diff(offsets) == 1).all()))


def _strings(column: Any) -> list[str]:
    """Return a column of strings, or of Arrow, as strings."""
    return column if isinstance(column, list) else column.to_pylist()


def encode(texts: list[str]) -> Any:
    """Return strings as UTF-8, in Arrow's memory; UnicodeEncodeError for a lone surrogate."""
    # Imported where texts become Arrow's, which most scores of lists need not.
    import pyarrow as pa

    return pa.array(texts, pa.large_string())


def surrogate_error(name: str, text: str) -> InputError | None:
    """Return the error for a text that cannot be encoded; None for all others."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        problem = f"the lone surrogate {text[error.start]!r} is at position {error.start}."
        return InputError(f"{name} is not valid Unicode text: {problem}")
    return None


def join_batches(corpora: Sequence[Corpus]) -> Corpus:
    """Return the segments of one or more corpora of the same systems, one after the other."""
    first = corpora[0]
    if len(corpora) == 1:
        return first
    columns = []
    for system in range(first.n_systems):
        columns += [corpus.system(system).predictions for corpus in corpora]
    predictions = _concatenate(columns)
    references = _concatenate([corpus.references for corpus in corpora])
    sizes = np.concatenate([np.diff(corpus.reference_offsets) for corpus in corpora])
    return Corpus(predictions, references, np.append(0, np.cumsum(sizes)), first.names)


def _concatenate(columns: Sequence[Any]) -> Any:
    """Return the texts of several columns of one kind in one."""
    if isinstance(columns[0], list):
        return list(chain.from_iterable(columns))
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in getattr(column, "chunks", [column])]
    if len(chunks) == 1:
        return chunks[0]
    return pa.concat_arrays(chunks) if chunks else encode([])


@lru_cache
def sampled(n: int, number: int) -> list[int]:
    """Return the indices of so many of n, or of up to twice as many; all where n is less than twice the number.

    They are one of each stretch of the same length, each time another one: texts of systems or languages that take
    turns are all among them.
    """
    step = max(1, n // number)
    indices = []
    for turn, start in enumerate(range(0, n - step + 1, step)):
        indices.append(start + int(turn * _GOLDEN % 1 * step))
    return indices


def some_of(texts: Sequence[str], number: int) -> list[str]:
    """Return the texts that are `sampled`: a list also of texts that are read when they are needed."""
    if len(texts) >= 2 * number:
        return list(map(texts.__getitem__, sampled(len(texts), number)))
    return texts if type(texts) is list else list(texts)


# A column of texts -> token ids, one id for each different token.


class Interned(NamedTuple):
    """Token ids of documents, as :func:`tercet.engine.plain_text.intern` returns them."""

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    line_starts: NDArray[np.int64]
    line_offsets: NDArray[np.int64]
    #: Number of different tokens.
    n_types: int
    #: Returns the list of the different tokens, by id (made on demand: most scores do not need it).
    words: Callable[[], list[str]]


def intern_texts(texts: Any, reading: str) -> Interned:
    """Split the texts of an Arrow column as :func:`tercet.engine.plain_text.intern` does; time is linear."""
    ids, offsets, line_starts, line_offsets, words, bounds = engine.intern(bytes_of(texts), reading)
    return Interned(ids, offsets, line_starts, line_offsets, len(bounds) - 1, lambda: strings((words, bounds)))


def bytes_of(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of an Arrow column of texts (not a copy), and where each text begins."""
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int64, len(texts) + 1, texts.offset * 8)
    return np.frombuffer(data if data is not None else b"", np.uint8), starts


def bytes_used(texts: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 bytes of a slice of an Arrow column, without the texts outside, and where each text begins."""
    data, starts = bytes_of(texts)
    return data[starts[0] : starts[-1]], starts - starts[0]
