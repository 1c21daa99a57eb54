"""Drop-in for the package ``rouge`` (PyPI, by pltrdy)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count, product
from os import PathLike
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tercet.errors import InputError, OptionError, did_you_mean, shorten
from tercet.explanation.matches import lcs_positions, ngrams
from tercet.metrics.rouge.counts import EPSILON, PACKAGES, PairCounts, pair_scores, union_words

Sentences = list[list[int]]


class Rouge:
    """ROUGE of single texts or of lists of them, as ``rouge`` gives it.

    Parameters
    ----------
    metrics : sequence of str, optional
        ``rouge-1`` to ``rouge-5`` and ``rouge-l``; by default the first two and the last.
    stats : sequence of str, optional
        Any of ``r``, ``p`` and ``f``: recall, precision and F.
    return_lengths : bool
        Add the numbers of words.
    raw_results : bool
        Return the counts ``hyp``, ``ref`` and ``overlap`` instead of scores.
    exclusive : bool
        Count different n-grams and words; otherwise count repeated ones as often as they occur.

    Examples
    --------
    >>> Rouge(["rouge-1"]).get_scores("the cat sat", "the cat ran", avg=True)
    {'rouge-1': {'r': 0.6666666666666666, 'p': 0.6666666666666666, 'f': 0.6666666616666668}}
    """

    DEFAULT_METRICS: ClassVar[list[str]] = ["rouge-1", "rouge-2", "rouge-l"]
    #: The order of n-grams; 0 for subsequences.
    AVAILABLE_METRICS: ClassVar[dict[str, int]] = {
        "rouge-1": 1,
        "rouge-2": 2,
        "rouge-3": 3,
        "rouge-4": 4,
        "rouge-5": 5,
        "rouge-l": 0,
    }
    DEFAULT_STATS: ClassVar[list[str]] = ["r", "p", "f"]
    AVAILABLE_STATS: ClassVar[list[str]] = ["r", "p", "f"]

    def __init__(
        self,
        metrics: Sequence[str] | None = None,
        stats: Sequence[str] | None = None,
        return_lengths: bool = False,
        raw_results: bool = False,
        exclusive: bool = True,
    ) -> None:
        self.return_lengths = return_lengths
        self.raw_results = raw_results
        self.exclusive = exclusive
        self.metrics = _checked_names("metric", metrics, self.DEFAULT_METRICS, self.AVAILABLE_METRICS)
        if raw_results:
            self.stats = ["hyp", "ref", "overlap"]
        else:
            self.stats = _checked_names("stat", stats, self.DEFAULT_STATS, self.AVAILABLE_STATS)

    def get_scores(
        self, hyps: str | Sequence[str], refs: str | Sequence[str], avg: bool = False, ignore_empty: bool = False
    ) -> Any:
        """Return the scores of each hypothesis, a list of dicts, or their averages, one dict.

        Parameters
        ----------
        hyps, refs : str or sequence of str
            Two texts, or as many of one as of the other.
        avg : bool
            Return averages.
        ignore_empty : bool
            Leave out pairs of which one text is empty.

        Raises
        ------
        AssertionError
            For unequal numbers of hypotheses and references, and for a string beside a list.
        InputError
            For a text that is not a string or has no sentence, and where no pair is left to average.
        """
        hypotheses = hyps
        references = refs
        if isinstance(hyps, str) and isinstance(refs, str):
            hypotheses = [hyps]
            references = [refs]
        elif isinstance(hyps, str) or isinstance(refs, str) or len(hyps) != len(refs):
            raise AssertionError(
                f"Expected two texts, or one reference for each hypothesis, got {shorten(hyps)} and {shorten(refs)}."
            )
        _check_strings("hyps", hypotheses)
        _check_strings("refs", references)
        pairs = []
        for item, (hyp, ref) in enumerate(zip(hypotheses, references, strict=True)):
            if (hyp and ref) or not ignore_empty:
                pairs.append(_TextPair(item, hyp, ref))
        scores = []
        if pairs:
            scores = self._scores(pairs)
        if avg:
            return self._averages(scores)
        return scores

    def _averages(self, scores: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
        if not scores:
            raise InputError("There is no pair of texts to average.")
        averages: dict[str, dict[str, float]] = {}
        for name, stats in scores[0].items():
            averages[name] = {}
            for stat in stats:
                total = 0.0
                # Not by `sum`, which rounds otherwise from Python 3.12 on.
                for item_scores in scores:
                    total += item_scores[name][stat]
                averages[name][stat] = total / len(scores)
        return averages

    def _scores(self, pairs: Sequence[_TextPair]) -> list[dict[str, dict[str, float]]]:
        counts: list[tuple[int, int, int]] = []
        for pair in pairs:
            hyp, ref = _lines(pair)
            counts += [self._counts(self.AVAILABLE_METRICS[metric], hyp, ref) for metric in self.metrics]
        stats: list[dict[str, Any]]
        if self.raw_results:
            stats = [dict(zip(("overlap", "hyp", "ref"), row, strict=True)) for row in counts]
        else:
            pair_counts = PairCounts(*np.array(counts, np.float64).reshape(-1, 3).T)
            scores = pair_scores(pair_counts, beta=1.0, epsilon=EPSILON)
            stats = [dict(zip("prf", row, strict=True)) for row in scores.tolist()]
        # Those of all metrics of the first pair, then of the second, and so on.
        next_stats = iter(stats)
        results = []
        for pair in pairs:
            pair_result = {}
            for metric in self.metrics:
                values = next(next_stats)
                pair_result[metric] = {stat: values[stat] for stat in self.stats}
            if self.return_lengths:
                pair_result["lengths"] = {"hyp": _n_words(pair.hyp), "ref": _n_words(pair.ref)}
            results.append(pair_result)
        return results

    def _counts(self, order: int, hyp: Sentences, ref: Sentences) -> tuple[int, int, int]:
        """Return what both share, and what each has."""
        hyp_ngrams = ngrams(list(chain.from_iterable(hyp)), order or 1)
        ref_ngrams = ngrams(list(chain.from_iterable(ref)), order or 1)
        if self.exclusive:
            hyp_set = set(hyp_ngrams)
            ref_set = set(ref_ngrams)
            shared = hyp_set & ref_set if order else union_words(hyp, ref)
            return len(shared), len(hyp_set), len(ref_set)
        hyp_counts = Counter(hyp_ngrams)
        ref_counts = Counter(ref_ngrams)
        if order:
            n_shared = (hyp_counts & ref_counts).total()
        else:
            n_shared = 0
            for ref_line, hyp_line in product(ref, hyp):
                ref_positions, _ = lcs_positions(ref_line, hyp_line)
                n_shared += len(ref_positions)
        return n_shared, hyp_counts.total(), ref_counts.total()


class FilesRouge:
    """ROUGE of two files, whose lines are the texts; parameters are those of :class:`Rouge`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.rouge = Rouge(*args, **kwargs)

    def get_scores(
        self,
        hyp_path: str | PathLike[str],
        ref_path: str | PathLike[str],
        avg: bool = False,
        ignore_empty: bool = False,
    ) -> Any:
        """Return the scores of each line, or their averages; errors as :meth:`Rouge.get_scores`."""
        with open(hyp_path, encoding="utf-8") as hyp_file, open(ref_path, encoding="utf-8") as ref_file:
            hyps = [line.removesuffix("\n") for line in hyp_file]
            refs = [line.removesuffix("\n") for line in ref_file]
        return self.rouge.get_scores(hyps, refs, avg, ignore_empty)


class _TextPair(NamedTuple):
    """A hypothesis and its reference, with their number among all pairs."""

    item: int
    hyp: str
    ref: str


def _check_strings(name: str, texts: Sequence[Any]) -> None:
    for item, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(f"item {item} of {name} must be a string, got {shorten(text)}.")


def _n_words(text: str) -> int:
    return len(text.replace(".", " ").split())


def _checked_names(
    kind: str, requested: Iterable[str] | None, default: list[str], available: Iterable[str]
) -> list[str]:
    names = default if requested is None else [name.lower() for name in requested]
    for name in names:
        if name not in available:
            raise OptionError(f"Unknown {kind} '{name}'. {did_you_mean(name, available)}")
    return names


def _lines(pair: _TextPair) -> tuple[Sentences, Sentences]:
    """Return the words of each sentence of both texts as numbers."""
    number: defaultdict[str, int] = defaultdict(count().__next__)
    hyp = _numbered_lines(pair.hyp, number)
    ref = _numbered_lines(pair.ref, number)
    if not hyp:
        raise InputError(f"Hypothesis is empty. (item {pair.item})")
    if not ref:
        raise InputError(f"Reference is empty. (item {pair.item})")
    return hyp, ref


def _numbered_lines(text: str, number: Mapping[str, int]) -> Sentences:
    lines = []
    for sentence in PACKAGES["rouge"](text):
        if sentence:
            # A sentence of blanks has one, empty word.
            words = sentence.split() or [""]
            lines.append([number[word] for word in words])
    return lines
