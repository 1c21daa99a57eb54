"""The decision: every candidate is scored against all of its group, and the best mean is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import Any

import numpy as np

from tercet.api import make_scorer
from tercet.checks import finite
from tercet.corpus.containers import as_list
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_texts, read_texts
from tercet.errors import InputError, OptionError, shorten
from tercet.metric.call import refuse_all_but_n_jobs
from tercet.metric.metric import Metric
from tercet.signature import Signature
from tercet.statistics.progress import bar_of

from .result import Choice, Choices


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
    refuse_all_but_n_jobs(options, "tercet.mbr")
    scorer = make_scorer(metric, options)
    given = as_list(groups, "groups", "one list of texts per group", 2)
    names = [f"group {number}" for number in range(len(given))]
    if weights is not None:
        weights = as_list(weights, "weights", "one list of numbers per group", 2)
        if len(weights) != len(given):
            raise InputError(f"weights must have one list per group, got {len(weights)} for {len(given)} groups.")
    return decide(given, scorer, weights, names)


def decide(groups: Sequence[Any], scorer: Metric, weights: Sequence[Any] | None, names: Sequence[str]) -> Choices:
    """Return the choice in each group, which has a name for messages."""
    if not scorer.takes_references:
        raise OptionError(f"{scorer.name} scores texts without references: there are no pairs to compare.")
    if not groups:
        raise InputError("There is no group: expected at least one list of candidates.")
    texts = [_read_group(group, name) for group, name in zip(groups, names, strict=True)]
    given: Sequence[list[float] | None] = [None] * len(texts)
    if weights is not None:
        given = [_read_weights(*each) for each in zip(weights, map(len, texts), names, strict=True)]
    choices: list[Choice] = []
    signature: Signature | None = None
    with bar_of(scorer.name, "groups", len(texts)) as bar:
        for candidates, own in zip(texts, given, strict=True):
            if signature is None or scorer.needs_corpus:
                different = list(dict.fromkeys(candidates))
                signature = _common(signature, scorer.signature(scorer.fit(Corpus(different, different))))
            choices.append(_choice(candidates, own, scorer))
            if bar is not None:
                bar.update()
    assert signature is not None
    notes = scorer.notes("1") | ({"seg": scorer.segment_rule} if scorer.segment_rule is not None else {})
    notes["mbr"] = "self,uniform" if weights is None else "self,weighted"
    return Choices(scorer.name, scorer.primary, scorer.higher_is_better, str(signature.extended(notes)), choices)


def _choice(candidates: list[str], weights: list[float] | None, scorer: Metric) -> Choice:
    places: dict[str, list[int]] = {}
    for place, text in enumerate(candidates):
        places.setdefault(text, []).append(place)
    texts = list(places)
    # the largest is 1: counts and probabilities in the same ratio are the same numbers then, to the bit
    totals = [fsum(weights[place] for place in own) if weights else len(own) for own in places.values()]
    shares = np.array(totals) / max(totals)
    whole = fsum(shares)
    # exact sums: equal scores in another order are a tie, and no rounding decides it
    means = [fsum((row * shares).tolist()) / whole for row in scorer.pairwise(texts)]
    ranked = sorted(range(len(texts)), key=means.__getitem__, reverse=scorer.higher_is_better)
    best, second = ranked[0], ranked[1] if ranked[1:] else None
    expected = dict(zip(texts, means, strict=True))
    return Choice(
        index=places[texts[best]][0],
        text=texts[best],
        score=means[best],
        runner_up=None if second is None else places[texts[second]][0],
        runner_up_text=None if second is None else texts[second],
        margin=None if second is None else abs(means[best] - means[second]),
        scores=tuple(expected[text] for text in candidates),
    )


def _common(before: Signature | None, found: Signature) -> Signature:
    """Return the signature of groups that were scored by rules of their own, such as a tokenizer for their script."""
    if before is None or before == found:
        return found
    return Signature.of(
        found.metric, {key: value if before.get(key) == value else "by-group" for key, value in found.items()}
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
    given = as_list(weights, f"the weights of {name}", "one number per candidate", 1)
    if len(given) != n_candidates:
        raise InputError(f"{name} must have one weight per candidate, got {len(given)} for {n_candidates}.")
    numbers = []
    for place, value in enumerate(given):
        number = finite(value)
        if number is None or number < 0:
            raise InputError(
                f"weight {place} of {name} must be a probability or a count, a finite number of at least 0 (no "
                f"logarithm), got {shorten(value)}."
            )
        numbers.append(number)
    if not any(numbers):
        raise InputError(f"the weights of {name} are all 0; expected at least one above 0.")
    return [number / max(numbers) for number in numbers]
