"""Drop-in for ``rouge_score.rouge_scorer``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal

import numpy as np

from tercet.corpus.corpus import Corpus
from tercet.corpus.letters import LetterCounts, equal_words
from tercet.engine.chosen import engine
from tercet.engine.plain_text import LoneSurrogateError
from tercet.errors import InputError, OptionError, needs, shorten, warn
from tercet.metrics.rouge.counts import types_for_engine
from tercet.metrics.rouge.metric import Rouge
from tercet.metrics.rouge.options import parse_types

from . import scoring, tokenizers
from .tokens import token_texts

_BY_LINE = "rougeLsum"


class RougeScorer(scoring.BaseScorer):
    """ROUGE of single texts, as ``rouge_score`` gives it.

    Parameters
    ----------
    rouge_types : sequence of str
        ``rouge1`` to ``rouge9``, ``rougeL`` and ``rougeLsum``.
    use_stemmer : bool
        Stem the words of the default tokenizer.
    split_summaries : bool
        Find the sentences of ``rougeLsum`` by NLTK's ``sent_tokenize``, not at line ends.
    tokenizer : object, optional
        Its method ``tokenize`` splits a text into tokens.

    Warns
    -----
    UserWarning
        If the default tokenizer drops most letters of a target, as of Chinese or Thai; the score is as there.

    Examples
    --------
    >>> scorer = RougeScorer(["rouge1", "rougeL"], use_stemmer=True)
    >>> scorer.score("the cats sat", "the cat ran")["rougeL"]
    Score(precision=0.6666666666666666, recall=0.6666666666666666, fmeasure=0.6666666666666666)
    """

    def __init__(
        self,
        rouge_types: Sequence[str],
        use_stemmer: bool = False,
        split_summaries: bool = False,
        tokenizer: Any = None,
    ) -> None:
        self.rouge_types = rouge_types
        self._tokenizer = tokenizer or tokenizers.DefaultTokenizer(use_stemmer)
        self._split_summaries = split_summaries

    def score_multi(self, targets: Sequence[str], prediction: str) -> dict[str, scoring.Score]:
        """Return the scores of a prediction against the target with the best F, chosen for each type.

        Raises
        ------
        InputError
            For a string instead of a list of targets, and for no target.
        """
        texts = [] if isinstance(targets, str) else list(targets)
        if not texts:
            raise InputError(f"targets must be a list of at least one text, got {shorten(targets)}.")
        if self._is_read and getattr(self.score, "__func__", None) is RougeScorer.score:
            return self._read(texts, prediction)
        scores = [self.score(target, prediction) for target in texts]
        best_scores = {}
        for name in self.rouge_types:
            type_scores = [target_scores[name] for target_scores in scores]
            best_scores[name] = max(type_scores, key=attrgetter("fmeasure"))
        return best_scores

    def score(self, target: str, prediction: str) -> dict[str, scoring.Score]:
        """Return the scores of a prediction by their type.

        Raises
        ------
        InputError
            For a text that is not a string.
        OptionError
            For an unknown type.
        """
        if self._is_read:
            return self._read([target], prediction)
        names = tuple(self.rouge_types)
        if type(self._tokenizer) is tokenizers.DefaultTokenizer:
            _check_texts(target, prediction)
        tokenize = self._tokenizer.tokenize
        scores: dict[str, scoring.Score] = {}
        whole_types = tuple(name for name in names if name != _BY_LINE)
        if whole_types:
            target_text, prediction_text = token_texts([tokenize(target), tokenize(prediction)])
            scores = _scores(_types(whole_types), [prediction_text, target_text], "none")
        if _BY_LINE in names:
            target_lines = [tokenize(sentence) for sentence in self._sentences(target)]
            prediction_lines = [tokenize(sentence) for sentence in self._sentences(prediction)]
            texts = token_texts(target_lines + prediction_lines)
            target_text = "\n".join(texts[: len(target_lines)])
            prediction_text = "\n".join(texts[len(target_lines) :])
            scores |= _scores(_types((_BY_LINE,)), [prediction_text, target_text], "none")
        return {name: scores[name] for name in names}

    @property
    def _is_read(self) -> bool:
        """Whether the engine finds words and lines by itself."""
        return type(self._tokenizer) is tokenizers.DefaultTokenizer and not self._split_summaries

    def _read(self, targets: list[str], prediction: str) -> dict[str, scoring.Score]:
        """Return the scores of texts as they are, for each type the best."""
        _check_texts(targets[0], prediction)
        types = _types(tuple(self.rouge_types))
        for target in targets[1:]:
            _check_texts(target, prediction)
        return _scores(types, [prediction, *targets], "rouge", self._tokenizer._use_stemmer)

    def _sentences(self, text: str) -> Iterable[str]:
        if not self._split_summaries:
            return filter(None, text.split("\n"))
        needs("split_summaries=True", "languages", "nltk")
        from nltk import sent_tokenize

        sentences: list[str] = sent_tokenize(text)
        return sentences


def _check_texts(target: Any, prediction: Any) -> None:
    if not isinstance(target, str):
        raise InputError(f"target must be a string, got {shorten(target)}; score_multi takes a list of them.")
    if not isinstance(prediction, str):
        raise InputError(f"prediction must be a string, got {shorten(prediction)}.")
    if target.isascii():
        return
    # Half characters, which cannot be encoded, become question marks.
    encodable = target.encode(errors="replace").decode()
    if LetterCounts(*engine.letters([encodable]), references=1).mostly_dropped:
        problem = "drops most letters of this target"
    else:
        words = equal_words(prediction, [target])
        if words is None:
            return
        problem = f"drops the rest: {words}"
    warn(
        f"rouge_score's tokenizer keeps a-z and 0-9 only and {problem}. Give RougeScorer "
        "a tokenizer for its language, or use tercet.score('rouge', ...), which reads every script."
    )


#: Where precision, recall and F of each type stand in a row, and how the engine calls the types.
_Types = tuple[dict[str, slice], tuple[tuple[str, float], ...]]


def _scores(
    types: _Types, texts: list[str], reading: Literal["rouge", "none"], porter: bool = False
) -> dict[str, scoring.Score]:
    """Return the scores of the first text against the others, for each type the best."""
    columns, kinds = types
    if not kinds:
        return {}
    offsets = None if len(texts) == 2 else np.array([0, len(texts) - 1])
    try:
        rows, _, uncounted = engine.rouge_rows(texts, 1, offsets, reading, kinds, 1.0, False, 1, porter)
    except LoneSurrogateError:
        # Half characters separate words, as the question marks do that replace them.
        return _scores(types, [text.encode(errors="replace").decode() for text in texts], reading, porter)
    if uncounted:  # too long, as the error says
        metric = Rouge(rouge_types=list(columns), tokenizer=reading, use_stemmer=porter)
        rows = metric.segment_stats(Corpus(texts[:1], texts[1:], offsets), None).rows
    (row,) = rows.tolist()
    # By `tuple.__new__`: the constructor of a named tuple takes four times as long.
    return {name: tuple.__new__(scoring.Score, row[measures]) for name, measures in columns.items()}


@lru_cache
def _types(names: tuple[str, ...]) -> _Types:
    for name in names:
        if not re.fullmatch("rouge([1-9]|L|Lsum)", str(name)):
            raise OptionError(f"Invalid rouge type: {name}. Known: rouge1 to rouge9, rougeL, rougeLsum.")
    different_names = list(dict.fromkeys(names))
    columns = {}
    start = len(Rouge.base_columns)
    for name in different_names:
        columns[name] = slice(start, start + 3)
        start += 3
    kinds = types_for_engine(parse_types(different_names)) if names else None
    return columns, kinds or ()
