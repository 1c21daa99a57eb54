"""Drop-in for ``jiwer``: its error rates and alignments, counted by the suite's ``wer``.

Transforms, and what shows alignments, are jiwer's own, where that is installed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.base.pieces import corpus_stats
from tercet.base.scoring import batch_stats
from tercet.base.short_road import scored_by_plan, warn_of_lists
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_texts
from tercet.corpus.tokenizers import tokenize
from tercet.engine.chosen import engine
from tercet.engine.plain_ter import DELETION, INSERTION, MATCH, SUBSTITUTION
from tercet.engine.planned import TextPlan
from tercet.errors import InputError, OptionError, shorten, word_after
from tercet.metrics.wer import Wer

from .originals import original_of
from .tokens import token_texts

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "AlignmentChunk",
    "CharacterOutput",
    "WordOutput",
    "cer",
    "collect_error_counts",
    "compute_measures",
    "mer",
    "process_characters",
    "process_words",
    "visualize_alignment",
    "visualize_error_counts",
    "wer",
    "wil",
    "wip",
]

#: jiwer's transforms, or any function from texts to lists of tokens; None stands for jiwer's default.
Transform = Callable[[Any], Any] | None

_TYPES = {MATCH: "equal", SUBSTITUTION: "substitute", INSERTION: "insert", DELETION: "delete"}


class _WordErrors(Wer):
    """Counts the edits of words alone, in a fraction of the time: those of characters are for `cer`."""

    counts_characters = False

    def new_plan(self) -> TextPlan | None:
        """Return the plan of :class:`Wer`, said again: a class has the plan alone that it defines itself."""
        return super().new_plan()


_METRIC = Wer()
_METRIC_OF_WORDS = _WordErrors()


@dataclass
class AlignmentChunk:
    """A stretch of both sides that matches, or one of edits of a kind.

    Attributes
    ----------
    type : {"equal", "substitute", "insert", "delete"}
    ref_start_idx, ref_end_idx, hyp_start_idx, hyp_end_idx : int
        Where it begins and ends.
    """

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int

    def __post_init__(self) -> None:
        if self.type == "replace":
            self.type = "substitute"
        if self.type not in _TYPES.values():
            raise ValueError(f"type must be one of {', '.join(_TYPES.values())}, got {shorten(self.type)}.")
        _check_range("ref", self.ref_start_idx, self.ref_end_idx)
        _check_range("hyp", self.hyp_start_idx, self.hyp_end_idx)


def _check_range(side: str, start: int, end: int) -> None:
    if start > end:
        raise ValueError(f"{side}_start_idx={start} is larger than {side}_end_idx={end}")


class _AlignedLater:
    """What texts were counted as; they are aligned when the alignments are first read."""

    @classmethod
    def of(cls, corpus: Corpus, **entries: Any) -> Self:
        """Return an output with all entries but the alignments, which are those of a corpus."""
        output = cls.__new__(cls)
        vars(output).update(entries, _corpus=corpus)
        return output

    def __getattr__(self, name: str) -> Any:
        # Python asks for what is absent alone.
        if name != "alignments" or "_corpus" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        alignments = _alignments(vars(self)["_corpus"])
        self.alignments = alignments
        return alignments

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass
class WordOutput(_AlignedLater):
    """Words of both sides, their alignments, rates and counts, as jiwer's class of this name."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


@dataclass
class CharacterOutput(_AlignedLater):
    """Characters of both sides, their alignments, rate and counts, as jiwer's class of this name."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    cer: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


def process_words(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> WordOutput:
    """Return the words of both sides, the rates and counts, and the alignments.

    Parameters
    ----------
    reference, hypothesis : str or list of str
        Texts in pairs.
    reference_transform, hypothesis_transform : callable, optional
        From the texts of a side to a list of the words of each, such as jiwer's transforms. By default blanks
        separate words.

    Raises
    ------
    InputError, which is a ValueError
        For sides of unequal length, items that are no texts, and transforms that return something else.

    Notes
    -----
    As in jiwer, an empty list is a list of one empty text.

    Examples
    --------
    >>> output = process_words("a cat sat", "the cat sat down")
    >>> output.wer, output.hits, [chunk.type for chunk in output.alignments[0]]
    (0.6666666666666666, 2, ['substitute', 'equal', 'insert'])
    """
    if reference_transform is None and hypothesis_transform is None:
        corpus = _texts(reference, hypothesis)
        assert corpus.strings is not None
        hypotheses, references = corpus.strings
        tokens = _TokensOfSides(_words(references), _words(hypotheses))
    else:
        tokens = _TokensOfSides(
            _tokens_of(reference, "reference", reference_transform, _words),
            _tokens_of(hypothesis, "hypothesis", hypothesis_transform, _words),
        )
        corpus = tokens.as_texts()
    return WordOutput.of(corpus, **_counted_entries(tokens, corpus, wer="wer", mer="mer", wil="wil", wip="wip"))


def process_characters(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> CharacterOutput:
    """Return the characters of both sides, their rates, counts and alignments.

    Parameters are those of :func:`process_words`; by default blanks at both ends of a text do not count.

    Examples
    --------
    >>> process_characters("猫が寝た", "犬が寝た").cer
    0.25
    """
    tokens = _TokensOfSides(
        _tokens_of(reference, "reference", reference_transform, _characters),
        _tokens_of(hypothesis, "hypothesis", hypothesis_transform, _characters),
    )
    corpus = tokens.as_texts()
    # Characters are counted as words are.
    return CharacterOutput.of(corpus, **_counted_entries(tokens, corpus, cer="wer"))


def wer(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> float:
    """Return the word error rate, edits per word of the references; parameters as of :func:`process_words`.

    Examples
    --------
    >>> wer(["a cat sat", "hello"], ["the cat sat", "hello"])
    0.25
    """
    return _rate("wer", reference, hypothesis, reference_transform, hypothesis_transform)


def mer(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> float:
    """Return the match error rate, the share of hits and edits that are edits."""
    return _rate("mer", reference, hypothesis, reference_transform, hypothesis_transform)


def wil(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> float:
    """Return the word information lost, 1 less what is preserved."""
    return _rate("wil", reference, hypothesis, reference_transform, hypothesis_transform)


def wip(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> float:
    """Return the word information preserved, the product of the shares of both sides that match."""
    return _rate("wip", reference, hypothesis, reference_transform, hypothesis_transform)


def cer(
    reference: str | list[str],
    hypothesis: str | list[str],
    reference_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> float:
    """Return the character error rate; parameters as of :func:`process_characters`."""
    if reference_transform is hypothesis_transform is None:
        entries = _rates_in_one_step(_METRIC, reference, hypothesis)
        if entries is None:
            stats, _ = corpus_stats(_METRIC, _texts(reference, hypothesis))
            entries = _METRIC.report(stats.total(), None)
        return float(entries["cer"])
    return process_characters(reference, hypothesis, reference_transform, hypothesis_transform).cer


def compute_measures(
    truth: str | list[str],
    hypothesis: str | list[str],
    truth_transform: Transform = None,
    hypothesis_transform: Transform = None,
) -> dict[str, Any]:
    """Return rates and counts of words in a dict, as jiwer did before version 4."""
    output = process_words(truth, hypothesis, truth_transform, hypothesis_transform)
    names = ("wer", "mer", "wil", "wip", "hits", "substitutions", "deletions", "insertions")
    entries = {name: getattr(output, name) for name in names}
    return {**entries, "ops": output.alignments, "truth": output.references, "hypothesis": output.hypotheses}


def visualize_alignment(output: WordOutput | CharacterOutput, *args: Any, **kwargs: Any) -> str:
    """Return the alignments as lines of text, by jiwer's function of this name."""
    return str(_shown_by_jiwer("visualize_alignment", output, args, kwargs))


def collect_error_counts(output: WordOutput | CharacterOutput) -> Any:
    """Return how often which words, or characters, were replaced, inserted and deleted, by jiwer's function."""
    return _shown_by_jiwer("collect_error_counts", output, (), {})


def visualize_error_counts(output: WordOutput | CharacterOutput, *args: Any, **kwargs: Any) -> str:
    """Return these counts as lines of text, by jiwer's function of this name."""
    return str(_shown_by_jiwer("visualize_error_counts", output, args, kwargs))


def _shown_by_jiwer(function: str, output: Any, args: Any, kwargs: Any) -> Any:
    """Return what a function of jiwer makes of an output, which it knows by its class."""
    show = getattr(_original(function), function)
    # The class of this name in the function's own file: jiwer's, or ours where the drop-ins are installed.
    name = "CharacterOutput" if hasattr(output, "cer") else "WordOutput"
    kind = show.__globals__[name]
    if isinstance(output, kind):
        return show(output, *args, **kwargs)
    entries = {field.name: getattr(output, field.name) for field in fields(kind)}
    return show(kind(**entries), *args, **kwargs)


def _original(name: str) -> Any:
    jiwer = original_of("jiwer")
    if jiwer is None:
        raise OptionError(
            f"tercet.compat.jiwer.{name} needs the package 'jiwer', which is not installed: pip install jiwer"
        )
    return jiwer


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_original(name), name)


# Texts, or lists of tokens, in pairs -> counts and alignments.


def _rate(name: str, reference: Any, hypothesis: Any, *transforms: Transform) -> float:
    if transforms == (None, None):
        entries = _rates_in_one_step(_METRIC_OF_WORDS, reference, hypothesis)
        if entries is None:
            entries = _rates_and_counts(_texts(reference, hypothesis))
        return float(entries[name])
    return float(getattr(process_words(reference, hypothesis, *transforms), name))


def _rates_in_one_step(metric: Wer, reference: Any, hypothesis: Any) -> dict[str, Any] | None:
    """Return rates and counts of a pair of texts, or of two lists of strings; None for all else."""
    references = [reference] if isinstance(reference, str) else reference
    hypotheses = [hypothesis] if isinstance(hypothesis, str) else hypothesis
    # Lists of references for a text are no texts to jiwer.
    if type(references) is not list or not engine.all_strings(references):
        return None
    scored = scored_by_plan(metric, hypotheses, references)
    if scored is None:
        return None
    if scored.needs_look and metric is _METRIC_OF_WORDS:
        warn_of_lists(metric, scored)
    return metric._entries(scored.scores, scored.sums)


def _texts(reference: Any, hypothesis: Any) -> Corpus:
    """Return texts in pairs that can be encoded."""
    references = _strings(_side(reference, "reference").encoded())
    hypotheses = _strings(_side(hypothesis, "hypothesis").encoded())
    return _pair_texts(hypotheses, references)


def _side(side: Any, name: str) -> Corpus:
    """Return the texts of a side, checked; none at all are an empty one, as in jiwer."""
    texts = read_texts(_as_list(side), name)
    if not texts.n_items:
        return read_texts([""], name)
    return texts


def _as_list(side: Any) -> Any:
    """Return the texts of a side, which may be a single one."""
    if isinstance(side, str):
        return [side]
    return side


def _strings(side: Corpus) -> list[str]:
    assert side.strings is not None
    texts, _ = side.strings
    return texts


class _TokensOfSides(NamedTuple):
    """The tokens of each reference and each hypothesis."""

    references: list[list[str]]
    hypotheses: list[list[str]]

    def as_texts(self) -> Corpus:
        """Return texts in pairs, with a word for each token."""
        texts = token_texts(self.hypotheses + self.references)
        n_hypotheses = len(self.hypotheses)
        return _pair_texts(texts[:n_hypotheses], texts[n_hypotheses:])


def _pair_texts(hypotheses: list[str], references: list[str]) -> Corpus:
    if len(references) != len(hypotheses):
        n_references = word_after(len(references), "1 reference", f"{len(references)} references")
        n_hypotheses = word_after(len(hypotheses), "1 hypothesis", f"{len(hypotheses)} hypotheses")
        raise InputError(
            "There must be a hypothesis for each reference, after any transforms: got "
            f"{n_references} and {n_hypotheses}."
        )
    return Corpus(hypotheses, references)


def _tokens_of(
    side: Any, name: str, transform: Transform, default: Callable[[list[str]], list[list[str]]]
) -> list[list[str]]:
    """Return the tokens of each text of a side, as a transform gives them, or by default."""
    if transform is None:
        return default(_strings(_side(side, name)))
    token_lists: Any = transform(_as_list(side))
    if not _is_token_lists(token_lists):
        raise InputError(
            f"{name}_transform must return a list with the words, or characters, of each {name}, as "
            f"[['a', 'b'], ['c']]. Got {shorten(token_lists)}."
        )
    return list(token_lists)


def _is_token_lists(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    for tokens in value:
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            return False
    return True


def _words(texts: list[str]) -> list[list[str]]:
    # As the reading "blanks" of the engine finds them.
    words = []
    for text in texts:
        pieces = re.sub(r"\s\s+", " ", text).strip().split(" ")
        words.append([piece for piece in pieces if piece])
    return words


def _characters(texts: list[str]) -> list[list[str]]:
    return [list(text.strip()) for text in texts]


def _rates_and_counts(corpus: Corpus) -> dict[str, Any]:
    """Return rates and counts of words, with a warning where blanks do not separate them."""
    if not corpus.n_items:
        # Transforms that leave nothing: no error, as in jiwer.
        return _METRIC_OF_WORDS.report(np.zeros(len(_METRIC_OF_WORDS.columns)), None)
    return _METRIC_OF_WORDS.report(batch_stats(_METRIC_OF_WORDS, corpus).total(), None)


def _counted_entries(tokens: _TokensOfSides, corpus: Corpus, **rates: str) -> dict[str, Any]:
    """Return the entries of an output besides the alignments: tokens, rates by their names there, and counts."""
    counted = _rates_and_counts(corpus)
    entries = tokens._asdict()
    for name, rate in rates.items():
        entries[name] = counted[rate]
    for name in _METRIC.facts:
        entries[name] = counted[name]
    return entries


def _alignments(corpus: Corpus) -> list[list[AlignmentChunk]]:
    tokens, _ = tokenize(corpus, _METRIC_OF_WORDS.tokenizer)
    documents = tokens.tokens.pieces()
    alignments = []
    for hypothesis, reference in zip(*tokens.pairs, strict=True):
        steps = engine.edit_steps(documents[hypothesis], documents[reference], tokens.n_types)
        alignments.append(_chunks(steps))
    return alignments


def _chunks(steps: Iterable[int]) -> list[AlignmentChunk]:
    chunks = []
    reference = 0
    hypothesis = 0
    for kind, run in groupby(steps):
        n = len(list(run))
        reference_end = reference if kind == INSERTION else reference + n
        hypothesis_end = hypothesis if kind == DELETION else hypothesis + n
        chunks.append(AlignmentChunk(_TYPES[kind], reference, reference_end, hypothesis, hypothesis_end))
        reference = reference_end
        hypothesis = hypothesis_end
    return chunks
