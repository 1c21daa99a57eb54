"""The decision: every candidate is scored against all of its group, and the best mean is chosen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import fsum
from statistics import fmean, median
from typing import Any

import numpy as np

from tercet.base.configured import refuse_all_but_n_jobs
from tercet.base.metric import Metric
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import as_list, check_texts, read_texts
from tercet.statistics.progress import bar_of
from tercet.table_formats import Column, Table, to_notebook

from .api import make_scorer
from .errors import InputError, OptionError, shorten
from .option_checks import finite
from .signature import Signature
from .specs import take_options


def mbr(groups: Any, metric: str | Metric, weights: Any = None, **options: Any) -> Choices:
    """Choose in each group the candidate that agrees best with all of them: minimum Bayes risk.

    Parameters
    ----------
    groups : sequence of sequences of str
        For each source or prompt the texts that a model, or several, gave for it: any number, one at least.
    metric : str or Metric
        A metric that compares with references, as :func:`tercet.score` takes it.
    weights : sequence of sequences of float, optional
        For each group how much each candidate counts as a reference: probabilities or counts, in any unit. Those of
        equal candidates add up. One of weight 0 may be chosen, and is no reference.
    **options
        The metric's options, and ``n_jobs``, the threads that score a large group.

    Returns
    -------
    Choices
        A :class:`Choice` per group, which has the text, its expected score, the runner-up and the margin.

    Raises
    ------
    InputError
        For a group without candidates, what is no text, and wrong weights; names the group.
    OptionError
        For an unknown metric or option, and a metric without references.

    Notes
    -----
    The expected score of a candidate is the weighted mean of its scores against all candidates as references, itself
    included: the Monte Carlo estimate of Eikema and Aziz (2020, 2022), as in mbrs and mbr-nmt. Where lower is better
    (TER), the lowest is chosen (Kumar and Byrne, 2004). Of equal means the first is chosen. Candidates with the same
    text are scored once and count as often as they occur; what a metric takes from a corpus, such as ROUGE's choice
    of a tokenizer, it takes from the different texts of a group. Sums are exact: the order of the candidates changes
    no mean.
    A group of n different texts takes n * n scores, by :meth:`tercet.Metric.pairwise`, and memory for these.

    Examples
    --------
    >>> found = mbr([["the cat sat", "a cat sat", "the cat sat down"], ["a dog", "the dog", "the dog"]], "chrf")
    >>> found.texts
    ['the cat sat down', 'the dog']
    >>> found[0].runner_up_text, round(found[0].margin, 2)
    ('the cat sat', 4.45)
    """
    value_or_name, all_options = take_options(metric, options)
    refuse_all_but_n_jobs(all_options, "tercet.mbr")
    configured_metric = make_scorer(value_or_name, all_options)
    group_list = as_list(groups, "groups", "one list of texts per group", 2)
    names = [f"group {number}" for number in range(len(group_list))]
    if weights is None:
        return decide(group_list, configured_metric, None, names)
    weights_list = as_list(weights, "weights", "one list of numbers per group", 2)
    if len(weights_list) != len(group_list):
        raise InputError(
            f"weights must have one list per group, got {len(weights_list)} for {len(group_list)} groups."
        )
    return decide(group_list, configured_metric, weights_list, names)


def decide(groups: Sequence[Any], metric: Metric, weights: Sequence[Any] | None, names: Sequence[str]) -> Choices:
    """Return the choice in each group, which has a name for messages."""
    if not metric.takes_references:
        raise OptionError(f"{metric.name} scores texts without references: there are no pairs to compare.")
    if not groups:
        raise InputError("There is no group: expected at least one list of candidates.")
    texts = [_read_group(group, name) for group, name in zip(groups, names, strict=True)]
    weights_of_groups: Sequence[list[float] | None] = [None] * len(texts)
    if weights is not None:
        weights_of_groups = [
            _read_weights(group_weights, len(candidates), name)
            for group_weights, candidates, name in zip(weights, texts, names, strict=True)
        ]
    choices: list[Choice] = []
    signature: Signature | None = None
    with bar_of(metric.name, "groups", len(texts)) as bar:
        for candidates, group_weights in zip(texts, weights_of_groups, strict=True):
            # A metric that sees the corpus may choose its rules anew for each group, such as the tokenizer.
            if signature is None or metric.needs_corpus:
                distinct_texts = list(dict.fromkeys(candidates))
                signature = _common(signature, metric.signature(metric.fit(Corpus(distinct_texts, distinct_texts))))
            choices.append(_choice(candidates, group_weights, metric))
            bar.update()
    assert signature is not None
    # Every candidate is a reference by itself, so that each pair has one.
    notes = metric.notes("1", segments=True)
    notes["mbr"] = "self,uniform" if weights is None else "self,weighted"
    return Choices(
        metric=metric.name,
        score=metric.primary,
        higher_is_better=metric.higher_is_better,
        signature=str(signature.extended(notes)),
        groups=choices,
    )


def _choice(candidates: list[str], weights: list[float] | None, metric: Metric) -> Choice:
    """Return the candidate of a group with the best expected score, and the runner-up; equal texts are one."""
    indices_of_text: dict[str, list[int]] = {}
    for index, text in enumerate(candidates):
        indices_of_text.setdefault(text, []).append(index)
    texts = list(indices_of_text)
    # The largest share is 1, so that counts and probabilities in the same ratio become the same numbers, to the bit.
    totals: list[float] = [len(indices) for indices in indices_of_text.values()]
    if weights:
        totals = [fsum(weights[index] for index in indices) for indices in indices_of_text.values()]
    shares = np.array(totals) / max(totals)
    total_share = fsum(shares)
    # Sums are exact: the same scores in another order are a tie, which no rounding decides.
    means = [fsum((row * shares).tolist()) / total_share for row in metric.pairwise(texts)]
    ranked = sorted(range(len(texts)), key=means.__getitem__, reverse=metric.higher_is_better)
    best = ranked[0]
    runner_up: int | None = None
    runner_up_text: str | None = None
    margin: float | None = None
    if len(ranked) > 1:
        second = ranked[1]
        runner_up = indices_of_text[texts[second]][0]
        runner_up_text = texts[second]
        margin = abs(means[best] - means[second])
    expected_scores = dict(zip(texts, means, strict=True))
    return Choice(
        index=indices_of_text[texts[best]][0],
        text=texts[best],
        score=means[best],
        runner_up=runner_up,
        runner_up_text=runner_up_text,
        margin=margin,
        scores=tuple(expected_scores[text] for text in candidates),
    )


def _common(earlier: Signature | None, signature: Signature) -> Signature:
    """Return the signature of groups that were scored by rules of their own, such as a tokenizer for their script."""
    if earlier is None or earlier == signature:
        return signature
    return Signature.of(
        signature.metric,
        {key: value if earlier.get(key) == value else "by-group" for key, value in signature.items()},
    )


def _read_group(group: Any, name: str) -> list[str]:
    corpus = read_texts(group, name)
    assert corpus.strings is not None
    texts = corpus.strings[0]
    if not texts:
        raise InputError(f"{name} has no candidate; expected a list of texts.")
    check_texts(texts, name)
    return texts


def _read_weights(weights: Any, n_candidates: int, name: str) -> list[float]:
    """Return weights as shares of the largest, so that no sum of them overflows."""
    values = as_list(weights, f"the weights of {name}", "one number per candidate", 1)
    if len(values) != n_candidates:
        raise InputError(f"{name} must have one weight per candidate, got {len(values)} for {n_candidates}.")
    numbers = []
    for index, value in enumerate(values):
        number = finite(value)
        if number is None or number < 0:
            raise InputError(
                f"weight {index} of {name} must be a probability or a count, a finite number of at least 0 (no "
                f"logarithm), got {shorten(value)}."
            )
        numbers.append(number)
    if not any(numbers):
        raise InputError(f"the weights of {name} are all 0; expected at least one above 0.")
    return [number / max(numbers) for number in numbers]


# What minimum Bayes risk chose: a candidate per group, the runner-up, and the margin between them.

#: Groups that a notebook shows.
_MOST_SHOWN = 20
#: A margin below this share of the score is called small.
_SMALL = 0.01


@dataclass(frozen=True, slots=True)
class Choice:
    """The candidate that was chosen in a group.

    Attributes
    ----------
    index : int
        Its index in the group, from 0; of candidates that are equal, that of the first.
    text : str
    score : float
        Its expected score.
    runner_up : int or None
        The index of the best candidate with another text; None where there is none.
    runner_up_text : str or None
    margin : float or None
        How much better the choice is than the runner-up: at least 0, also where lower scores are better.
    scores : tuple of float
        The expected score of each candidate.
    """

    index: int
    text: str
    score: float
    runner_up: int | None
    runner_up_text: str | None
    margin: float | None
    scores: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain Python."""
        return {**asdict(self), "scores": list(self.scores)}


@dataclass(frozen=True, slots=True, repr=False)
class Choices:
    """The choice in each group, and how it was made: a sequence of :class:`Choice`.

    Attributes
    ----------
    metric, score : str
        The metric, and its score that is expected to be best.
    higher_is_better : bool
    signature : str
        The metric's, and what was done with its scores. An entry that groups differ in is ``by-group``.
    groups : list of Choice
    """

    metric: str
    score: str
    higher_is_better: bool
    signature: str
    groups: list[Choice]

    @property
    def texts(self) -> list[str]:
        """The chosen text of each group."""
        return [choice.text for choice in self.groups]

    def __len__(self) -> int:
        return len(self.groups)

    def __iter__(self) -> Iterator[Choice]:
        return iter(self.groups)

    def __getitem__(self, index: int) -> Choice:
        return self.groups[index]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python."""
        attributes = {name: getattr(self, name) for name in ("metric", "score", "higher_is_better", "signature")}
        return {**attributes, "groups": [choice.to_dict() for choice in self.groups]}

    def summary(self) -> list[str]:
        """Return in words: how many groups, their mean expected score, and how clear the choices are."""
        sizes = [len(choice.scores) for choice in self.groups]
        span = f"{min(sizes):,}"
        if min(sizes) != max(sizes):
            span += f" to {max(sizes):,}"
        lower = "" if self.higher_is_better else " (lower is better)"
        lines = [
            f"{_group_count(len(self))} of {span} candidate{'s' * (max(sizes) > 1)}. Expected {self.score} of the "
            f"chosen, on average: {self._mean:.4g}{lower}."
        ]
        margins = [(choice.margin, abs(choice.score)) for choice in self.groups if choice.margin is not None]
        if margins:
            n_small = sum(margin < _SMALL * score for margin, score in margins)
            lines.append(
                f"Margin to the runner-up: median {median(margin for margin, _ in margins):.3g}; below {_SMALL:.0%} "
                f"of the score in {n_small:,} of {_group_count(len(margins))}."
            )
        n_alone = len(self) - len(margins)
        if n_alone:
            lines.append(f"Without a runner-up, as there is one text only: {_group_count(n_alone)}.")
        return lines

    def __repr__(self) -> str:
        groups = _group_count(len(self))
        return f"<Choices in {groups} by {self.metric}: expected {self.score} {self._mean:.4g} on average>"

    @property
    def _mean(self) -> float:
        return fmean(choice.score for choice in self.groups)

    def _repr_html_(self) -> str:
        """Show the first groups as a table in a notebook, the signature below."""
        rows = [
            [
                str(number),
                choice.text,
                f"{choice.score:.4f}",
                choice.runner_up_text or "",
                "" if choice.margin is None else f"{choice.margin:.4f}",
            ]
            for number, choice in enumerate(self.groups[:_MOST_SHOWN])
        ]
        hidden_groups = [f"{len(self) - _MOST_SHOWN:,} more"] if len(self) > _MOST_SHOWN else []
        columns = [Column(name) for name in ("group", "chosen", f"expected {self.score}", "runner-up", "margin")]
        return to_notebook(
            Table("", columns, rows, notes=[*hidden_groups, *self.summary()], signatures=[self.signature])
        )


def _group_count(n_groups: int) -> str:
    return f"{n_groups:,} group{'s' * (n_groups != 1)}"
