"""Drop-in for the package ``rouge`` (PyPI, by pltrdy)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain, count
from operator import add
from os import PathLike
from typing import Any, ClassVar

import numpy as np

from tercet.errors import InputError, OptionError, did_you_mean, shorten
from tercet.explanation.matches import lcs_positions, ngrams
from tercet.metrics.rouge.counts import EPSILON, PACKAGES, PairCounts, pair_scores, union_words

Lines = list[list[int]]


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
    AVAILABLE_METRICS: ClassVar[dict[str, int]] = {**{f"rouge-{n}": n for n in range(1, 6)}, "rouge-l": 0}
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
        self.return_lengths, self.raw_results, self.exclusive = return_lengths, raw_results, exclusive
        self.metrics = _checked_names("metric", metrics, self.DEFAULT_METRICS, self.AVAILABLE_METRICS)
        self.stats = _checked_names("stat", None if raw_results else stats, self.DEFAULT_STATS, self.AVAILABLE_STATS)
        if raw_results:
            self.stats = ["hyp", "ref", "overlap"]

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
        if isinstance(hyps, str) and isinstance(refs, str):
            hyps, refs = [hyps], [refs]
        if isinstance(hyps, str) or isinstance(refs, str) or len(hyps) != len(refs):
            raise AssertionError(
                f"Expected two texts, or one reference for each hypothesis, got {shorten(hyps)} and {shorten(refs)}."
            )
        for name, texts in (("hyps", hyps), ("refs", refs)):
            index = next((item for item, text in enumerate(texts) if not isinstance(text, str)), None)
            if index is not None:
                raise InputError(f"item {index} of {name} must be a string, got {shorten(texts[index])}.")
        numbered = zip(range(len(hyps)), hyps, refs, strict=True)
        pairs = [(item, hyp, ref) for item, hyp, ref in numbered if not ignore_empty or (hyp and ref)]
        scores = self._scores(pairs) if pairs else []
        if not avg:
            return scores
        if not scores:
            raise InputError("There is no pair of texts to average.")
        return {
            name: {
                stat: reduce(add, (item_scores[name][stat] for item_scores in scores), 0) / len(scores)
                for stat in stats
            }
            for name, stats in scores[0].items()
        }

    def _scores(self, pairs: Sequence[tuple[int, str, str]]) -> list[dict[str, dict[str, float]]]:
        counts: list[tuple[int, int, int]] = []
        for pair in pairs:
            lines = _lines(*pair)
            counts += [self._counts(self.AVAILABLE_METRICS[metric], *lines) for metric in self.metrics]
        stats: list[dict[str, Any]]
        if self.raw_results:
            stats = [dict(zip(("overlap", "hyp", "ref"), row, strict=True)) for row in counts]
        else:
            scores = pair_scores(
                PairCounts(*np.array(counts, np.float64).reshape(-1, 3).T), beta=1.0, epsilon=EPSILON
            )
            stats = [dict(zip("prf", row, strict=True)) for row in scores.tolist()]
        results, n_metrics = [], len(self.metrics)
        for index, (_, *texts) in enumerate(pairs):
            metric_stats = zip(self.metrics, stats[index * n_metrics : (index + 1) * n_metrics], strict=True)
            pair_result = {metric: {stat: values[stat] for stat in self.stats} for metric, values in metric_stats}
            if self.return_lengths:
                n_words = [len(text.replace(".", " ").split()) for text in texts]
                pair_result["lengths"] = dict(zip(("hyp", "ref"), n_words, strict=True))
            results.append(pair_result)
        return results

    def _counts(self, order: int, hyp: Lines, ref: Lines) -> tuple[int, int, int]:
        """Return what both share, and what each has."""
        texts = [list(chain.from_iterable(lines)) for lines in (hyp, ref)]
        if self.exclusive:
            hyp_ngrams, ref_ngrams = (set(ngrams(text, order or 1)) for text in texts)
            return len(hyp_ngrams & ref_ngrams if order else union_words(hyp, ref)), len(hyp_ngrams), len(ref_ngrams)
        counters = [Counter(ngrams(text, order or 1)) for text in texts]
        if order:
            shared = (counters[0] & counters[1]).total()
        else:
            shared = sum(len(lcs_positions(ref_line, hyp_line)[0]) for ref_line in ref for hyp_line in hyp)
        return shared, counters[0].total(), counters[1].total()


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
        with open(hyp_path, encoding="utf-8") as hyps, open(ref_path, encoding="utf-8") as refs:
            texts = [[line.removesuffix("\n") for line in lines] for lines in (hyps, refs)]
        return self.rouge.get_scores(texts[0], texts[1], avg, ignore_empty)


def _checked_names(
    kind: str, requested: Iterable[str] | None, default: list[str], available: Iterable[str]
) -> list[str]:
    names = default if requested is None else [name.lower() for name in requested]
    for name in names:
        if name not in available:
            raise OptionError(f"Unknown {kind} '{name}'. {did_you_mean(name, available)}")
    return names


def _lines(item: int, hyp: str, ref: str) -> tuple[Lines, Lines]:
    """Return the words of each sentence as numbers; a sentence of blanks has one, empty word."""
    number: defaultdict[str, int] = defaultdict(count().__next__)
    hyp_lines, ref_lines = (
        [[number[word] for word in sentence.split() or [""]] for sentence in PACKAGES["rouge"](text) if sentence]
        for text in (hyp, ref)
    )
    for name, lines in (("Hypothesis", hyp_lines), ("Reference", ref_lines)):
        if not lines:
            raise InputError(f"{name} is empty. (item {item})")
    return hyp_lines, ref_lines
