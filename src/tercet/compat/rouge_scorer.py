"""Drop-in for ``rouge_score.rouge_scorer``."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from tercet.corpus.artefacts import LetterCounts, equal_words
from tercet.corpus.corpus import Corpus
from tercet.engine.chosen import engine
from tercet.errors import InputError, OptionError, level_of_caller, needs, shorten
from tercet.metrics.rouge.metric import Rouge

from . import scoring, tokenizers
from .truth import token_texts

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
            For a string in place of a list of targets, and for no target.
        """
        scores = [] if isinstance(targets, str) else [self.score(target, prediction) for target in targets]
        if not scores:
            raise InputError(f"targets must be a list of at least one text, got {shorten(targets)}.")
        return {
            name: max((target_scores[name] for target_scores in scores), key=lambda score: score.fmeasure)
            for name in self.rouge_types
        }

    def score(self, target: str, prediction: str) -> dict[str, scoring.Score]:
        """Return the scores of a prediction by their type.

        Raises
        ------
        InputError
            For a text that is not a string.
        OptionError
            For an unknown type.
        """
        names = tuple(self.rouge_types)
        if type(self._tokenizer) is tokenizers.DefaultTokenizer:
            _check_texts(target, prediction)
        scores: dict[str, scoring.Score] = {}
        whole_types = tuple(name for name in names if name != _BY_LINE)
        if whole_types:
            scores = _scores(whole_types, *token_texts(map(self._tokenizer.tokenize, (target, prediction))))
        if _BY_LINE in names:
            lines = [list(map(self._tokenizer.tokenize, self._sentences(text))) for text in (target, prediction)]
            texts, n_target_lines = token_texts(chain(*lines)), len(lines[0])
            scores |= _scores((_BY_LINE,), "\n".join(texts[:n_target_lines]), "\n".join(texts[n_target_lines:]))
        return {name: scores[name] for name in names}

    def _sentences(self, text: str) -> Iterable[str]:
        if not self._split_summaries:
            return filter(None, text.split("\n"))
        needs("split_summaries=True", "languages", "nltk")
        from nltk import sent_tokenize

        sentences: list[str] = sent_tokenize(text)
        return sentences


def _check_texts(target: Any, prediction: Any) -> None:
    for name, text in (("target", target), ("prediction", prediction)):
        if not isinstance(text, str):
            hint = "" if name == "prediction" else "; score_multi takes a list of them"
            raise InputError(f"{name} must be a string, got {shorten(text)}{hint}.")
    if target.isascii():
        return
    # Half characters, which cannot be encoded, become question marks.
    encodable = target.encode(errors="replace").decode()
    mostly_dropped = LetterCounts(*engine.letters([encodable]), references=1).mostly_dropped
    words = None if mostly_dropped else equal_words(prediction, [target])
    if mostly_dropped or words is not None:
        problem = "drops most letters of this target"
        if words is not None:
            problem = f"drops the rest: {words}"
        warnings.warn(
            f"rouge_score's tokenizer keeps a-z and 0-9 only and {problem}. Give RougeScorer "
            "a tokenizer for its language, or use tercet.score('rouge', ...), which reads every script.",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def _scores(names: tuple[str, ...], target: str, prediction: str) -> dict[str, scoring.Score]:
    (row,) = _metric(names).segment_stats(Corpus([prediction], [target]), None).rows.tolist()
    # Precision, recall and F of each type.
    starts = range(len(Rouge.base_columns), len(row), 3)
    scores = (scoring.Score(*row[start : start + 3]) for start in starts)
    return dict(zip(dict.fromkeys(names), scores, strict=True))


@lru_cache
def _metric(names: tuple[str, ...]) -> Rouge:
    for name in names:
        if not re.fullmatch("rouge([1-9]|L|Lsum)", str(name)):
            raise OptionError(f"Invalid rouge type: {name}. Known: rouge1 to rouge9, rougeL, rougeLsum.")
    return Rouge(rouge_types=list(dict.fromkeys(names)), tokenizer="none")
