"""A metric, or a weighted sum of several, as the reward function of a trainer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.base.configured import refuse_all_but_n_jobs
from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.base.scoring import batch_stats
from tercet.base.short_road import scored_by_plan
from tercet.corpus.artefacts import MARKS_OF_ASCII, Watch
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import as_list, read_items
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.counting import ngram_ids
from tercet.engine.plain_bleu import brevity_penalties
from tercet.errors import InputError, OptionError, did_you_mean, shorten, warn
from tercet.option_checks import finite, flag, number, refuse, spelled
from tercet.specs import take_options

from .texts import TokenStrings, completion_texts, reference_texts


def _column_name(value: Any) -> str:
    if isinstance(value, str) and value:
        return value
    raise refuse("the name of a column")


def _list_of_texts(value: Any) -> list[str]:
    if isinstance(value, (list, tuple)) and all(isinstance(text, str) and text for text in value):
        return list(value)
    raise refuse("a list of texts")


_CHECKS = {
    "references": _column_name,
    "length_penalty": flag,
    "repetition_penalty": flag,
    "max_length_ratio": number("a number of at least 1", lambda value: value >= 1),
    "special_tokens": _list_of_texts,
}


def reward(
    metric: str | Metric | Mapping[str | Metric, float],
    references: str = "references",
    *,
    length_penalty: bool = False,
    repetition_penalty: bool = False,
    max_length_ratio: float = 8,
    special_tokens: Sequence[str] = (),
    token_ids: Any = None,
    **options: Any,
) -> Reward:
    """Return a metric as a reward function for reinforcement learning: of TRL, and of verl and OpenRLHF.

    Parameters
    ----------
    metric : str, Metric or mapping of them to numbers
        A metric of the suite, as :func:`tercet.score` takes it, or several with weights, as in
        ``{"bleu": 0.5, "chrf:word_order=2": 0.5}``. Of each the main score counts.
    references : str
        The column of the data set with the references: each a text, a list of texts, or chat messages.
    length_penalty : bool
        Multiply by BLEU's brevity penalty, of characters, for a completion shorter than its shortest reference, and
        by the mirror image for one longer than the longest.
    repetition_penalty : bool
        Multiply by the share of different 4-grams of words, relative to that of the most repetitive reference.
    max_length_ratio : float
        A completion of more than 1,000 characters, and of more than this many times those of its longest reference,
        is cut there, and its reward multiplied by the share that is left. This bounds the time.
    special_tokens : sequence of str
        Texts to remove from completions, such as ``["<|im_end|>"]``: OpenRLHF leaves them in.
    token_ids : tokenizer of transformers, optional
        With metrics that have a tokenizer, such as BLEU and ROUGE: score the ids that TRL passes as
        ``completion_ids`` against those of the references, without special tokens, as texts of ids between blanks.
        Nothing is decoded, and lengths are in tokens.
    **options
        Of the metric, where it is one, as for :func:`tercet.score`.

    Returns
    -------
    Reward

    Raises
    ------
    OptionError
        For what cannot be a reward.

    Examples
    --------
    >>> chrf = reward("chrf", references="answer")
    >>> chrf(completions=["the cat sat", "a dog", "so what"], answer=["the cat sat", ["the dog", "a cat"], None])
    [1.0, 0.31249999999999994, None]
    >>> chrf.verl(data_source="test", solution_str="the cat sat", ground_truth="the cat sat")
    1.0
    """
    settings = check_values("reward", locals(), _CHECKS)
    column = settings.pop("references")
    special = settings.pop("special_tokens")
    if isinstance(metric, (list, tuple, set)):
        raise OptionError("reward: several metrics are given with their weights, as in {'bleu': 0.5, 'chrf': 0.5}.")
    if isinstance(metric, Mapping) and options:
        raise OptionError(
            f"reward: {shorten(next(iter(options)))} is no option of several metrics. Give it to one of them, as in "
            "{'chrf:word_order=2': 0.5, 'bleu': 0.5}."
        )
    weights = list(metric.items()) if isinstance(metric, Mapping) else [(metric, 1.0)]
    by_token_ids = token_ids is not None
    weighted_metrics = []
    for metric_or_name, weight in weights:
        configured_metric = _metric_of_reward(metric_or_name, options, by_token_ids=by_token_ids)
        share = finite(weight)
        if share is None:
            raise OptionError(
                f"reward: the weight of {configured_metric.name} must be a number, got {shorten(weight)}."
            )
        weighted_metrics.append((configured_metric, share))
    if not weighted_metrics:
        raise OptionError("reward: there must be at least one metric, got none.")
    if not any(share for _, share in weighted_metrics):
        raise OptionError("reward: a weight must differ from 0, got only 0: all rewards would be 0.")
    guards = Guards(**settings, tokenizer="char" if by_token_ids else "unicode")
    tokens = TokenStrings(token_ids) if by_token_ids else None
    return Reward(weighted_metrics, column, guards=guards, special=special, tokens=tokens)


def _metric_of_reward(metric: str | Metric, options: Mapping[str, Any], *, by_token_ids: bool) -> Metric:
    """Return a metric with its options and those of every reward, or raise an OptionError for one that is none."""
    fixed_options: dict[str, Any] = {"scale": 1}
    if by_token_ids:
        fixed_options["tokenizer"] = "char"
    name, metric_options = take_options(metric, options)
    for option in fixed_options.keys() & metric_options.keys():
        reason = "rewards are from 0 to 1" if option == "scale" else "token_ids says what the tokens are"
        raise OptionError(f"reward: {option!r} cannot be given, as {reason}.")
    refuse_all_but_n_jobs(metric_options, "tercet.reward")
    with spelled("reward", options, _CHECKS):
        configured_metric = make_scorer(name, metric_options)
    if not configured_metric.takes_references:
        raise OptionError(f"reward: {configured_metric.name} scores texts without references.")
    if by_token_ids and "tokenizer" not in configured_metric.options():
        raise OptionError(
            f"reward: token_ids is for metrics of tokens, such as bleu or rouge, not {configured_metric.name}."
        )
    if by_token_ids and configured_metric.normalize is not None:
        raise OptionError(
            f"reward: normalize of {configured_metric.name} changes texts, and token_ids decodes none: give one of "
            "them."
        )
    return make_scorer(configured_metric, fixed_options)


class Reward:
    """The scores of completions as rewards; made by :func:`tercet.reward`.

    A reward is the score of a completion by itself, as :meth:`Metric.segments` gives it, on the scale from 0 to 1. An
    error rate r, such as TER, becomes 1 - r, or 0 where that is negative. Of several metrics it is the weighted sum.
    """

    def __init__(
        self,
        weighted_metrics: list[tuple[Metric, float]],
        column: str,
        *,
        guards: Guards,
        special: list[str],
        tokens: TokenStrings | None,
    ) -> None:
        # They last over all calls, of which a trainer makes thousands: it is warned once.
        self._warned: set[str] = set()
        self._readings = _readings(weighted_metrics)
        self._column = column
        self._guards = guards
        self._special = special
        self._tokens = tokens
        guarded = guards.length_penalty or guards.repetition_penalty
        have_plans = all(metric._plan is not None for metric, _ in weighted_metrics)
        self._by_plans = have_plans and tokens is None and not guarded and len(self._readings) == 1
        self._in_groups = all(metric.takes_systems for metric, _ in weighted_metrics)
        # TRL logs the reward under this name.
        self.__name__ = "+".join(metric.primary for metric, _ in weighted_metrics)

    def __repr__(self) -> str:
        return f"<tercet.reward {self.__name__}>"

    def __call__(self, completions: Any = None, *, completion_ids: Any = None, **columns: Any) -> list[float | None]:
        """Return the reward of each completion, None for one without reference: TRL leaves it out.

        Parameters
        ----------
        completions : sequence of str, or of lists of chat messages
            Of messages, the last one of the assistant.
        completion_ids : sequence of lists of int
            With ``token_ids``, in place of the completions.
        **columns
            Of the data set: the references; others are ignored.

        Raises
        ------
        InputError
            Without that column, and for anything that is no text; names the item.
        """
        if self._column not in columns:
            hint = did_you_mean(self._column, columns) if columns else "No column was given."
            raise InputError(f"There is no column {shorten(self._column)} with the references of a reward. {hint}")
        if self._tokens is None:
            return self._rewards(completion_texts(completions), columns[self._column])
        return self._rewards(self._tokens.of_rows(completion_ids), columns[self._column])

    def verl(
        self,
        data_source: Any = None,
        solution_str: Any = None,
        ground_truth: Any = None,
        extra_info: Any = None,
        *,
        data_sources: Any = None,
        solution_strs: Any = None,
        ground_truths: Any = None,
        extra_infos: Any = None,
        **_: Any,
    ) -> float | list[float]:
        """Return the reward of a solution as verl's ``compute_score``, or in a batch the list of several.

        The ground truth is the reference. Without one the reward is 0, and a warning says so.
        """
        if solution_strs is None:
            return self._rewards_without_none([solution_str], [ground_truth])[0]
        return self._rewards_without_none(solution_strs, ground_truths)

    def openrlhf(self, queries: Sequence[str], prompts: Sequence[str], labels: Any, **_: Any) -> dict[str, Any]:
        """Return rewards as OpenRLHF's ``reward_func``, in tensors of shape (n,).

        A completion is what follows the prompt in a query, and the label its reference; without one as for verl.
        """
        import torch

        query_texts = as_list(queries, "queries", "one text per item", 1)
        prompt_texts = as_list(prompts, "prompts", "one text per item", 1)
        if len(query_texts) != len(prompt_texts):
            raise InputError(f"There must be one prompt per query, got {len(prompt_texts)} for {len(query_texts)}.")
        completions = []
        for index, (query, prompt) in enumerate(zip(query_texts, prompt_texts, strict=True)):
            if not isinstance(query, str) or not isinstance(prompt, str) or not query.startswith(prompt):
                raise InputError(
                    f"item {index} of queries must be a text that begins with its prompt, {shorten(prompt)}, got "
                    f"{shorten(query)}."
                )
            completions.append(query[len(prompt) :])
        rewards = torch.tensor(self._rewards_without_none(completions, labels))
        return {"rewards": rewards, "scores": rewards, "extra_logs": {}}

    def _rewards_without_none(self, completions: Any, references: Any) -> list[float]:
        """Return rewards for trainers that pass texts, and take no None."""
        if self._tokens is not None:
            raise OptionError("verl and OpenRLHF pass texts, which a reward with token_ids does not score.")
        rewards = self._rewards(completion_texts(completions), references)
        if None in rewards:
            message = f"item {rewards.index(None)} has no reference: its reward is 0."
            warn(message)
        return [reward or 0.0 for reward in rewards]

    def _rewards(self, texts: list[str], references: Any) -> list[float | None]:
        """Return the reward of each text, None for one without reference."""
        for token in self._special:
            texts = [text.replace(token, "") for text in texts]
        lists: list[Any] = reference_texts(references, len(texts))
        if self._tokens is not None:
            text_of_ids = self._tokens.of_text
            lists = [
                text_of_ids(entry) if isinstance(entry, str) else list(map(text_of_ids, entry)) for entry in lists
            ]
        if [] not in lists:
            return self._scored(texts, lists)
        with_reference = [index for index, entry in enumerate(lists) if entry]
        scores = self._scored([texts[index] for index in with_reference], [lists[index] for index in with_reference])
        rewards: list[float | None] = [None] * len(texts)
        for index, score in zip(with_reference, scores, strict=True):
            rewards[index] = score
        return rewards

    def _scored(self, texts: list[str], lists: list[Any]) -> list[Any]:
        """Return the rewards of texts that have references."""
        if not texts:
            return []
        scores = self._scored_by_plans(texts, lists)
        if scores is not None:
            return scores
        ungrouped = Groups(1, len(texts))
        try:
            return self._scored_in(Groups.of(lists) if self._in_groups else ungrouped, texts, lists)
        except InputError:
            # Scored again without groups, so that the error counts items as the caller does.
            return self._scored_in(ungrouped, texts, lists)

    def _scored_by_plans(self, texts: list[str], lists: list[Any]) -> list[float] | None:
        """Return the rewards of a few texts of ASCII with a reference each; None for all else.

        Nothing is odd about such texts, and they are not cut.
        """
        if not self._by_plans or len(texts) > _FEW or max(map(len, texts)) > _LEAST or not engine.all_strings(lists):
            return None
        if not engine.is_plain(texts, MARKS_OF_ASCII) or not engine.is_plain(lists, MARKS_OF_ASCII):
            return None
        (reading,) = self._readings
        rewards = [0.0] * len(texts)
        for metric, weight in reading.metrics:
            of_segments = metric.segment_metric
            scored = scored_by_plan(of_segments, texts, lists, each=True)
            if scored is None:
                return None
            assert scored.scores_of_items is not None
            scores = scored.scores_of_items[of_segments.score_names.index(metric.primary)]
            for item, score in enumerate(scores):
                if not metric.higher_is_better:
                    score = max(0.0, 1.0 - score)
                rewards[item] += weight * score
        reading.watch.pass_over(len(texts))
        return rewards

    def _scored_in(self, groups: Groups, texts: list[str], lists: list[Any]) -> list[float]:
        all_texts = groups.corpus(texts, lists)
        rewards: Any = 0.0
        for reading in self._readings:
            # Lengths and repetitions are those of what is scored: thinking that is left out is not held against it.
            as_scored = reading.metrics[0][0].as_scored(all_texts)
            if self._tokens is None:
                reading.watch.see(as_scored)
            corpus, factors = self._guards.applied(as_scored)
            # What one side alone has was looked for above, or is not to be: these are ids.
            corpus.warned.is_silent = True
            weighted_sum: Any = 0.0
            for metric, weight in reading.metrics:
                rows = batch_stats(metric, corpus, self._warned).rows
                scores = metric.segment_metric.finalize(rows)[metric.primary]
                if not metric.higher_is_better:
                    scores = np.maximum(0.0, 1.0 - scores)
                weighted_sum = weighted_sum + weight * scores
            rewards = rewards + weighted_sum * factors
        return groups.ungrouped(np.atleast_1d(rewards))


class _Reading(NamedTuple):
    """The metrics that read texts in one way, as ``normalize`` says, with their weights, and what warns of texts."""

    metrics: list[tuple[Metric, float]]
    watch: Watch


def _readings(weighted_metrics: list[tuple[Metric, float]]) -> list[_Reading]:
    readings: list[_Reading] = []
    # What one reading warned of, such as HTML entities, another does not warn of again.
    warned: set[str] = set()
    for metric, weight in weighted_metrics:
        for reading in readings:
            if reading.metrics[0][0].normalize == metric.normalize:
                reading.metrics.append((metric, weight))
                break
        else:
            readings.append(_Reading([(metric, weight)], Watch(warned)))
    return readings


# Groups of completions with the same references, which are then read and counted once for each group.


class Groups(NamedTuple):
    """Groups of one size, one after the other, as trainers pass them."""

    size: int
    number: int

    @classmethod
    def of(cls, lists: list[Any]) -> Groups:
        """Return the groups of references, of size 1 where they have different sizes."""
        n_texts = len(lists)
        starts = [0, *(index for index in range(1, n_texts) if lists[index] != lists[index - 1])]
        size = n_texts // len(starts)
        return cls(size, len(starts)) if starts == list(range(0, n_texts, size)) else cls(1, n_texts)

    def corpus(self, texts: list[str], lists: list[Any]) -> Corpus:
        """Return a corpus whose systems are the first completions of all groups, the second ones, and so on."""
        first_completions = read_items(texts[: self.number], lists[:: self.size], "completions")
        if self.size == 1:
            return first_completions
        assert first_completions.strings is not None
        texts_by_system = texts
        if self.number > 1:
            texts_by_system = list(chain.from_iterable(texts[index :: self.size] for index in range(self.size)))
        offsets = None if first_completions.one_each else first_completions.reference_offsets
        return Corpus(texts_by_system, first_completions.strings[1], offsets, ("completions",) * self.size)

    def ungrouped(self, values: NDArray[np.float64]) -> list[float]:
        """Return values of that corpus in the order of the texts."""
        ordered: list[float] = values.reshape(self.size, self.number).T.ravel().tolist()
        return ordered


# What bounds the time that a degenerate completion takes, and what makes gaming a score worth less.

Array = NDArray[np.float64]

#: No completion is cut to fewer characters: beside a reference of one word, a few sentences are not degenerate.
_LEAST = 1000

#: Completions of which each is scored by itself: of more, those with the same reference are scored together.
_FEW = 16

#: The length of the n-grams whose repetitions count, as in seq-rep-4 (Welleck et al. 2020).
_ORDER = 4


@dataclass(frozen=True)
class Guards:
    """Cuts completions, and says what their scores are multiplied by."""

    max_length_ratio: float
    length_penalty: bool
    repetition_penalty: bool
    #: That of the n-grams.
    tokenizer: str

    def applied(self, corpus: Corpus) -> tuple[Corpus, Array | float]:
        """Return the texts to score, every item of which has a reference, and a factor for each, or for all."""
        assert corpus.strings is not None
        texts, references = corpus.strings
        if not self.length_penalty and not self.repetition_penalty and max(map(len, texts)) <= _LEAST:
            return corpus, 1.0
        lengths = np.array(list(map(len, texts)), float)
        shortest, longest = _least_and_most(np.array(list(map(len, references)), float), corpus)
        # A ratio of 1e9 cuts nothing; a larger one might not fit into an integer.
        limits = np.maximum(_LEAST, min(self.max_length_ratio, 1e9) * longest).astype(np.int64)
        factors = limits / np.maximum(lengths, limits)
        if factors.min() < 1:
            cut_texts = [text[:limit] for text, limit in zip(texts, limits.tolist(), strict=True)]
            offsets = None if corpus.one_each else corpus.reference_offsets
            normalizer = corpus.normalizer
            corpus = Corpus(cut_texts, references, offsets, corpus.names)
            corpus.normalizer = normalizer
        # BLEU's brevity penalty, and its mirror image.
        if self.length_penalty:
            factors = factors * brevity_penalties(lengths, shortest) * brevity_penalties(longest, lengths)
        if self.repetition_penalty:
            factors = factors * _share_of_different(corpus, self.tokenizer)
        return corpus, factors


def _least_and_most(values: Array, corpus: Corpus) -> tuple[Array, Array]:
    """Return the least and the greatest value of the references of each item."""
    starts = corpus.reference_offsets[:-1]
    least, greatest = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    return np.tile(least, corpus.n_systems), np.tile(greatest, corpus.n_systems)


def _share_of_different(corpus: Corpus, tokenizer: str) -> Array:
    """Return the share of different n-grams, relative to that of the most repetitive reference, and at most 1."""
    tokens, _ = tokenize(corpus.encoded(), tokenizer)
    ngrams, n_types = ngram_ids(tokens.tokens, _ORDER, tokens.n_types)
    n_texts, n_ngrams = len(ngrams.lengths), ngrams.lengths
    # A text and an n-gram make one number, text * n_types + n-gram: the different ones are counted by text.
    text_of_type = np.unique(np.repeat(np.arange(n_texts), n_ngrams) * n_types + ngrams.values) // max(n_types, 1)
    shares = np.where(n_ngrams > 0, np.bincount(text_of_type, minlength=n_texts) / np.maximum(n_ngrams, 1), 1.0)
    completion_shares, reference_shares = shares[: corpus.n_items], shares[corpus.n_items :]
    return np.asarray(np.minimum(1.0, completion_shares / _least_and_most(reference_shares, corpus)[0]))
