"""What BLEU, CHRF and TER of sacrebleu share: streams of references, checked, turned to items, and scored."""

from __future__ import annotations

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from types import MethodType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from tercet.corpus.items import read_items
from tercet.errors import InputError, OptionError
from tercet.metric.metric import Metric as Suite
from tercet.metric.scoring import batch_stats
from tercet.statistics.resampled import resampled_totals
from tercet.statistics.stats import SegmentStats

from .installing import original_of
from .sacrebleu_scores import Score, Signature

#: sacrebleu's: what silences that goes on to silence this.
LOGGER = logging.getLogger("sacrebleu")

Streams = Sequence[Sequence[str | None]]

_TOKENIZED = 100  # lines that end in " ."

_NO_REFERENCES = "No references provided and the cache is empty."

#: The methods that classes of programs may change.
_CHANGED = (
    "_preprocess_segment", "_extract_reference_info", "_compute_segment_statistics", "_cache_references",
    "_compute_score_from_stats", "_aggregate_and_compute",
)  # fmt: skip

#: What else a metric of sacrebleu has.
_ATTRIBUTES = (
    "tokenizer", "order", "_get_closest_ref_len", "_get_match_statistics", "_remove_punctuation", "_compute_f_score",
    "_PUNCTS", "_SIGNATURE_TYPE",
)  # fmt: skip

_LET_PASS = "(To score them as sacrebleu does, set check_shapes = False on the metric or its class.)"

S = TypeVar("S", bound=Score)


class References(NamedTuple):
    """References item by item, how many each item has (-1 if that differs), and how long their streams were."""

    items: list[Any]
    number: int
    lengths: list[int]


def by_item(streams: Streams) -> References:
    """Return the references of each item; None in a stream stands for no reference."""
    lengths = [len(stream) for stream in streams]
    holes = any(None in list(stream) for stream in streams)
    if len(streams) == 1 and not holes:
        return References(list(streams[0]), 1, lengths)
    items: list[tuple[Any, ...]] = list(zip(*streams, strict=False))
    if not holes:
        return References(items, len(streams), lengths)
    items = [tuple([text for text in item if text is not None]) for item in items]
    numbers = set(map(len, items))
    return References(items, numbers.pop() if len(numbers) == 1 else -1, lengths)


def check_sentence(metric: str, hypothesis: Any, references: Any) -> None:
    """Raise sacrebleu's errors for a sentence and its references."""
    if not isinstance(hypothesis, str):
        raise TypeError(f"{metric}: The argument `hyp` should be a string.")
    if isinstance(references, str) or not isinstance(references, Sequence):
        raise TypeError(f"{metric}: The argument `refs` should be a sequence of strings.")
    _check_filled(metric, references, "refs")
    if not _is_text(references[0]):
        raise TypeError(f"{metric}: Each element of `refs` should be a string.")


def check_hypotheses(metric: str, hypotheses: Any, shape: bool) -> None:
    """Raise sacrebleu's errors for hypotheses; with `shape`, an InputError for a text, of which it scores letters."""
    if not isinstance(hypotheses, Sequence):
        raise TypeError(f"{metric}: `hyps` should be a sequence of strings.")
    if shape and isinstance(hypotheses, str):
        raise InputError(
            f"{metric}: hypotheses are one text, but must be a list: give [hypothesis], or call sentence_score. "
            f"{_LET_PASS}"
        )
    _check_filled(metric, hypotheses, "hyps")
    if not isinstance(hypotheses[0], str):
        raise TypeError(f"{metric}: Each element of `hyps` should be a string.")
    if None in list(hypotheses):
        raise TypeError(f"{metric}: Undefined line in hypotheses stream!")


def check_streams(metric: str, references: Any, shape: bool) -> None:
    """Raise sacrebleu's errors for references; with `shape`, an InputError for texts in place of streams."""
    if not isinstance(references, Sequence):
        raise TypeError(f"{metric}: `refs` should be a sequence of sequence of strings.")
    _check_filled(metric, references, "refs")
    if not isinstance(references[0], Sequence):
        raise TypeError(f"{metric}: Each element of `refs` should be a sequence of strings.")
    if shape and any(isinstance(stream, str) for stream in references):
        raise InputError(
            f"{metric}: references are texts, but must be streams, which are lists with one text for each "
            f"hypothesis. For one reference each, give [references]. {_LET_PASS}"
        )
    if len(references[0]) and not _is_text(references[0][0]):
        raise TypeError(f"{metric}: `refs` should be a sequence of sequence of strings.")


def check_lengths(metric: str, n: int, lengths: list[int]) -> None:
    """Raise an InputError for streams of another length than the hypotheses: sacrebleu drops what is too much."""
    if lengths.count(n) == len(lengths):
        return
    if len(lengths) == n:
        turned = "list(zip(*references))"
        if len(set(lengths)) > 1:
            turned = "list(itertools.zip_longest(*references)), which has None where there is no further reference"
        raise InputError(
            f"{metric}: the references look transposed, with a list for each hypothesis. They must be streams, which "
            f"are lists with one text for each hypothesis: give {turned}. {_LET_PASS}"
        )
    place = next(place for place, length in enumerate(lengths) if length != n)
    raise InputError(
        f"{metric}: each stream of references must have one text for each hypothesis. Got {lengths[place]:,} texts "
        f"in references[{place}], for {n:,} hypotheses. {_LET_PASS}"
    )


def _check_filled(metric: str, given: Sequence[Any], name: str) -> None:
    if not len(given):
        raise IndexError(f"{metric}: `{name}` must have at least one entry.")


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


class Metric(ABC, Generic[S]):
    """What BLEU, CHRF and TER share.

    Attributes
    ----------
    check_shapes : bool
        Whether to refuse references that are not stream by stream, or not as many as the hypotheses. sacrebleu scores
        as many items as the shortest list has, and says nothing. So does an object, a class such as ``BLEU``, or all
        of them with ``Metric``, where this is set to False.
    """

    check_shapes = True
    _force = True

    def __init__(self, references: Streams | None) -> None:
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._ref_cache: References | None = None
        self._streams = references
        _ = self.tercet  # refuses wrong options
        if references is not None:
            self._ref_cache = self._read(references)

    @property
    @abstractmethod
    def tercet(self) -> Suite:
        """The metric of tercet that scores; its signature tells tercet's version."""

    @abstractmethod
    def _score(self, totals: list[float]) -> S:
        """Return the score of sums of the suite's rows."""

    @property
    @abstractmethod
    def _places(self) -> list[int]:
        """The columns of the suite's rows that sacrebleu's have, in its order."""

    @abstractmethod
    def _compute_score_from_stats(self, stats: Any) -> S:
        """Return the score of sums of sacrebleu's rows."""

    @abstractmethod
    def _options(self) -> dict[str, Any]:
        """Return the options as arguments of the class, but for references."""

    @abstractmethod
    def _signed(self) -> dict[str, tuple[str, Any]]:
        """Return the own entries of the signature: short names and values."""

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> S:
        """Score a corpus.

        Parameters
        ----------
        hypotheses : sequence of str
        references : sequence of sequences of str, optional
            Streams: lists with one reference of each hypothesis, and None where it has no further one. None in place
            of them stands for the references that the metric was made with.
        n_bootstrap : int
            If above 1, add the mean and the interval of so many resamples. The draws are sacrebleu's, by the seed in
            ``SACREBLEU_SEED``; it sums them in single precision, so both may differ from the sixth digit on.

        Raises
        ------
        TypeError, IndexError, RuntimeError
            As in sacrebleu.
        InputError
            For texts of another shape (see `check_shapes`), and for an item without reference.
        """
        if self._changed():
            changed = self._extract_corpus_statistics(hypotheses, references)
            score, rows = self._aggregate_and_compute(changed), np.array(changed, np.float64)
        else:
            stats = self._stats(hypotheses, references)
            score, rows = self._score(stats.sums()), stats.rows
        if n_bootstrap > 1:
            self.n_bootstrap, self.seed = n_bootstrap, os.environ.get("SACREBLEU_SEED", "12345").lower()
            seed: Any = np.random.SeedSequence().entropy if self.seed == "none" else int(self.seed)
            [totals] = resampled_totals([rows], n_bootstrap, seed)
            if self._changed():
                scores = np.array([self._compute_score_from_stats(each).score for each in totals])
            else:
                scores = self.tercet.scores_of(totals)[self.tercet.primary]
            score.keep_interval(scores)
        return score

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> S:
        """Score one hypothesis against its references; errors as :meth:`corpus_score`."""
        self._check_sentence_score_args(hypothesis, references)
        if self._changed():
            return self._aggregate_and_compute(self._changed_rows([hypothesis], [[text] for text in references]))
        texts = [text for text in references if text is not None]
        self.num_refs = len(texts)
        items: list[Any] = texts if len(texts) == 1 else [texts]  # a text alone is read faster
        return self._score(self._rows([hypothesis], items).sums())

    def get_signature(self) -> Signature:
        """Return what sacrebleu prints behind the score, with its version; tercet's is in ``tercet.signature()``."""
        return Signature(vars(self), self._signed())

    def _read(self, references: Streams) -> References:
        check_streams(type(self).__name__, references, self.check_shapes)
        read = by_item(references)
        self.num_refs = read.number
        return read

    def _stats(self, hypotheses: Sequence[str], references: Streams | None) -> SegmentStats:
        check_hypotheses(type(self).__name__, hypotheses, self.check_shapes)
        read = self._ref_cache if references is None else self._read(references)
        if read is None:
            raise RuntimeError(_NO_REFERENCES)
        texts, items = list(hypotheses), read.items
        if self.check_shapes:
            check_lengths(type(self).__name__, len(texts), read.lengths)
        elif len(texts) != len(items):
            n = min(len(texts), len(items))
            texts, items = texts[:n], items[:n]
        if not self._force and len(texts) >= _TOKENIZED:
            _warn_of_tokens(texts)
        return self._rows(texts, items)

    def _rows(self, texts: list[str], items: list[Any]) -> SegmentStats:
        corpus = read_items(texts, items, "hypotheses")
        if corpus.missing:
            raise InputError(f"{type(self).__name__}: item {corpus.missing[0]} of references has only None.")
        return batch_stats(self.tercet, corpus)

    # what programs call that resample by themselves, or derive a metric: rows are as in sacrebleu

    def _check_sentence_score_args(self, hyp: Any, refs: Any) -> None:
        check_sentence(type(self).__name__, hyp, refs)

    def _check_corpus_score_args(self, hyps: Any, refs: Any) -> None:
        check_hypotheses(type(self).__name__, hyps, self.check_shapes)
        if refs is not None:
            check_streams(type(self).__name__, refs, self.check_shapes)

    def _extract_corpus_statistics(self, hypotheses: Sequence[str], references: Streams | None) -> list[list[Any]]:
        if self._changed():
            self._check_corpus_score_args(hypotheses, references)
            return self._changed_rows(hypotheses, references)
        return list(map(self._row, self._stats(hypotheses, references).rows[:, self._places].tolist()))

    def _row(self, counts: list[float]) -> list[Any]:
        return list(map(int, counts))

    def _aggregate_and_compute(self, stats: Sequence[Sequence[Any]]) -> S:
        return self._compute_score_from_stats([sum(column) for column in zip(*stats, strict=True)])

    def _preprocess_segment(self, sent: str) -> str:
        return self._as_there("_preprocess_segment", sent)  # type: ignore[no-any-return]

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return self._as_there("_extract_reference_info", refs)  # type: ignore[no-any-return]

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict[str, Any]) -> list[Any]:
        return self._as_there("_compute_segment_statistics", hypothesis, ref_kwargs)  # type: ignore[no-any-return]

    def _cache_references(self, references: Streams) -> list[Any]:
        return self._as_there("_cache_references", references)  # type: ignore[no-any-return]

    def _changed(self) -> bool:
        """Whether a class of a program has methods of its own below a score: they count, as in sacrebleu."""
        return _changes(type(self))

    def _changed_rows(self, hypotheses: Sequence[str], references: Streams | None) -> list[list[Any]]:
        streams = self._streams if references is None else references
        if streams is None:
            raise RuntimeError(_NO_REFERENCES)
        if self.check_shapes:
            check_lengths(type(self).__name__, len(hypotheses), [len(stream) for stream in streams])
        infos = self._cache_references(streams)
        return [
            self._compute_segment_statistics(self._preprocess_segment(text), info)
            for text, info in zip(hypotheses, infos, strict=False)
        ]

    def _as_there(self, method: str, *arguments: Any) -> Any:
        return getattr(type(self._there()), method)(self, *arguments)

    def _there(self) -> Any:
        """Return sacrebleu's metric of the same options."""
        return _metric_there(_drop_in(type(self)).__name__, **self._options())

    def __getattr__(self, name: str) -> Any:
        """Return what only sacrebleu's metric has, such as `tokenizer`."""
        if name not in _ATTRIBUTES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            value = getattr(self._there(), name)
        except OptionError:  # sacrebleu is not installed
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}") from None
        return MethodType(value.__func__, self) if isinstance(value, MethodType) else value


def _drop_in(cls: type) -> type:
    return next(each for each in cls.__mro__ if each.__module__ == f"{__package__}.sacrebleu_metrics")


@lru_cache(maxsize=128)
def _changes(cls: type) -> bool:
    return any(getattr(cls, name) is not getattr(_drop_in(cls), name) for name in _CHANGED)


@lru_cache(maxsize=32, typed=True)
def _metric_there(name: str, **options: Any) -> Any:
    module = original_of("sacrebleu.metrics")
    if module is None:
        raise OptionError(
            f"{name}: methods for single segments, such as _preprocess_segment, are sacrebleu's, which is not "
            'installed: pip install "sacrebleu>=2".'
        )
    return getattr(module, name)(**options)


def _warn_of_tokens(texts: Sequence[str]) -> None:
    if sum([text.endswith(" .") for text in texts]) >= _TOKENIZED:
        LOGGER.warning("That's %d lines that end in a tokenized period ('.')", _TOKENIZED)
        LOGGER.warning("It looks like you forgot to detokenize your test data, which may hurt your score.")
        LOGGER.warning(
            "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` "
            "parameter."
        )
