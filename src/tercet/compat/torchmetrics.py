"""The modules of torchmetrics.text: BLEU, chrF, TER, WER, ROUGE, BERTScore, with the scores of the suite.

Scores are in double precision, rounded to float32 once. Where torchmetrics strays from the packages that it says it
equals, the numbers are theirs; each class says where. Result tensors, arguments and states that grow with the texts
are as there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

from tercet.api import scorer
from tercet.corpus.corpus import Corpus, encode
from tercet.corpus.tokenizers import tokenizer_label
from tercet.errors import needs

needs("tercet.compat.torchmetrics", "torchmetrics", "torch", "torchmetrics")

from .torchmetrics_bert import BERTScore  # noqa: E402
from .torchmetrics_module import SumsModule  # noqa: E402
from .truth_values import truth  # noqa: E402

__all__ = [
    "BERTScore",
    "BLEUScore",
    "CHRFScore",
    "CharErrorRate",
    "MatchErrorRate",
    "ROUGEScore",
    "SacreBLEUScore",
    "TranslationEditRate",
    "WordErrorRate",
    "WordInfoLost",
    "WordInfoPreserved",
]

_ROUGE_KEYS = (*(f"rouge{order}" for order in range(1, 10)), "rougeL", "rougeLsum")
_ACCUMULATED = {"avg": "average", "best": "best"}


class BLEUScore(SumsModule):
    """BLEU of texts split at white space, from 0 to 1, as ``torchmetrics.text.BLEUScore``.

    Parameters
    ----------
    n_gram : int
    smooth : bool
        Add one to the matches and n-grams of orders above the first (Lin and Och 2004).
    weights : sequence of float, optional
        One for each order, uniform by default.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Raises
    ------
    ValueError
        For weights that are not one for each order, and texts of the wrong shape.

    Notes
    -----
    Unlike torchmetrics, and like NLTK and sacrebleu:

    - with ``smooth``, an order without a match does not make the score 0: only there it needs smoothing;
    - an order of weight 0 may be without a match;
    - of two references that are equally near in length, the shorter counts, not the first;
    - a reference may be a text instead of a list of one: torchmetrics takes its letters for references.

    `preds_len`, `target_len`, `numerator` and `denominator` are read as there, but cannot be set; nor can the
    `tokenizer` of :class:`SacreBLEUScore`.

    Examples
    --------
    >>> bleu = BLEUScore()
    >>> bleu(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.7598)
    """

    def __init__(
        self, n_gram: int = 4, smooth: bool = False, weights: Sequence[float] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self._count_words(n_gram, smooth, weights, tokenizer="none")

    def _count_words(self, n_gram: int, smooth: bool, weights: Sequence[float] | None, **options: Any) -> None:
        if weights is not None and len(weights) != n_gram:
            raise ValueError(f"List of weights has different weights than `n_gram`: {len(weights)} != {n_gram}")
        self.n_gram = n_gram
        self.smooth = smooth
        self.weights = [1.0 / n_gram] * n_gram if weights is None else weights
        # With one added to orders above the first, which is sacrebleu's method of this name.
        method = "add-k" if truth(type(self).__name__, "smooth", smooth) else "none"
        metric = scorer(
            "bleu_multi",
            compat="sacrebleu",
            scale=1,
            max_order=n_gram,
            weights=weights,
            smooth_method=method,
            **options,
        )
        self._count(metric)

    @property
    def preds_len(self) -> Any:
        """The words of all predictions so far."""
        return self._sum_of("length")

    @property
    def target_len(self) -> Any:
        """The words of the references that are nearest in length."""
        return self._sum_of("closest")

    @property
    def numerator(self) -> Any:
        """The n-grams that match, of each order."""
        return self._sums_of([f"match{order}" for order in range(1, self.n_gram + 1)])

    @property
    def denominator(self) -> Any:
        """The n-grams of the predictions, of each order."""
        return self._sums_of([f"total{order}" for order in range(1, self.n_gram + 1)])


class SacreBLEUScore(BLEUScore):
    """BLEU as sacrebleu counts it, from 0 to 1, as ``torchmetrics.text.SacreBLEUScore``.

    Parameters
    ----------
    n_gram, smooth, weights, **kwargs
        As for :class:`BLEUScore`. Without `smooth`, sacrebleu's method "none"; with it, its "add-k".
    tokenize : {"none", "13a", "zh", "intl", "char", "ja-mecab", "ko-mecab", "flores101", "flores200"}
        Also any other tokenizer of ``bleu_multi``.
    lowercase : bool

    Notes
    -----
    Unlike torchmetrics: as for :class:`BLEUScore`; and texts are lowercased before they are split, as in sacrebleu.

    Examples
    --------
    >>> bleu = SacreBLEUScore(tokenize="char")
    >>> bleu(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.8857)
    """

    def __init__(
        self,
        n_gram: int = 4,
        smooth: bool = False,
        tokenize: str = "13a",
        lowercase: bool = False,
        weights: Sequence[float] | None = None,
        **kwargs: Any,
    ) -> None:
        # Not that of BLEUScore, which counts words between blanks.
        SumsModule.__init__(self, **kwargs)
        self._tokenize = tokenize
        self._lowercase = truth("SacreBLEUScore", "lowercase", lowercase)
        self._count_words(n_gram, smooth, weights, tokenizer=tokenize, lowercase=self._lowercase)

    @property
    def tokenizer(self) -> Any:
        """What splits a text, for programs that read it: the object of torchmetrics, which scores nothing here."""
        from torchmetrics.functional.text.sacre_bleu import _SacreBLEUTokenizer

        name: Any = self._tokenize
        return _SacreBLEUTokenizer(name, self._lowercase)


class CHRFScore(SumsModule):
    """The chrF of chrF++.py, sacrebleu's with ``eps_smoothing``, from 0 to 1, as ``torchmetrics.text.CHRFScore``.

    Parameters
    ----------
    n_char_order, n_word_order : int
        The longest n-grams of characters and of words.
    beta : float
        How many times as important recall is as precision.
    lowercase, whitespace : bool
        Lowercase texts first; count white space as characters.
    return_sentence_level_score : bool
        Return a pair: the score of the corpus, and a tensor of those of the items.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Notes
    -----
    Unlike torchmetrics, and like sacrebleu:

    - an item that shares nothing with its references counts in the recall of the corpus: torchmetrics leaves the
      n-grams of its references out, and scores the corpus too high;
    - n-grams longer than the reference do not count in the prediction;
    - all white space is left out, not the space alone;
    - a reference may be a text instead of a list of one: torchmetrics takes its letters for references.

    Examples
    --------
    >>> chrf = CHRFScore()
    >>> chrf(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.8640)
    """

    _sentences = "sentence_chrf_score"

    def __init__(
        self,
        n_char_order: int = 6,
        n_word_order: int = 2,
        beta: float = 2.0,
        lowercase: bool = False,
        whitespace: bool = False,
        return_sentence_level_score: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(n_char_order, int) or n_char_order < 1:
            raise ValueError("Expected argument `n_char_order` to be an integer greater than or equal to 1.")
        self.n_char_order = n_char_order
        self.n_word_order = n_word_order
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.n_order = float(n_char_order + n_word_order)
        metric = scorer(
            "chrf_multi",
            compat="sacrebleu",
            char_order=n_char_order,
            word_order=n_word_order,
            beta=beta,
            lowercase=truth("CHRFScore", "lowercase", lowercase),
            whitespace=truth("CHRFScore", "whitespace", whitespace),
            eps_smoothing=True,
            scale=1,
        )
        self._count(metric, return_sentence_level_score)


class TranslationEditRate(SumsModule):
    """TER, edits per word of the references, as ``torchmetrics.text.TranslationEditRate``.

    Parameters
    ----------
    normalize, no_punctuation, lowercase, asian_support : bool
        As sacrebleu's normalized, no_punct, not case_sensitive and asian_support.
    return_sentence_level_score : bool
        Return a pair: the score of the corpus, and a tensor of those of the items.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Notes
    -----
    Unlike torchmetrics, and like sacrebleu:

    - an empty prediction needs an edit for each word of its reference: torchmetrics calls it perfect, 0;
    - words of the prediction are shifted, not those of the reference, which can take another number of edits;
    - a reference may be a text instead of a list of one: torchmetrics takes its letters for references.

    Examples
    --------
    >>> ter = TranslationEditRate()
    >>> ter(["the cat is on the mat"], [["there is a cat on the mat", "a cat is on the mat"]])
    tensor(0.1538)
    """

    higher_is_better = False
    _sentences = "sentence_ter"

    def __init__(
        self,
        normalize: bool = False,
        no_punctuation: bool = False,
        lowercase: bool = True,
        asian_support: bool = False,
        return_sentence_level_score: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        flags = {
            "normalize": normalize,
            "no_punctuation": no_punctuation,
            "lowercase": lowercase,
            "asian_support": asian_support,
        }
        for name, value in flags.items():
            if not isinstance(value, bool):
                raise ValueError(f"Expected argument `{name}` to be of type boolean but got {value}.")
        options = {"normalized": normalize, "no_punct": no_punctuation, "case_sensitive": not lowercase}
        metric = scorer("ter", compat="sacrebleu", scale=1, asian_support=asian_support, **options)
        self._flags = tuple(flags.values())
        self._count(metric, return_sentence_level_score)

    @property
    def tokenizer(self) -> Any:
        """What changes a text, for programs that read it: the object of torchmetrics, which scores nothing here."""
        from torchmetrics.functional.text.ter import _TercomTokenizer

        return _TercomTokenizer(*self._flags)

    @property
    def total_num_edits(self) -> Any:
        """The edits of all items so far."""
        return self._sum_of("num_edits")

    @property
    def total_tgt_len(self) -> Any:
        """The words of their references, the average where an item has several."""
        return self._sum_of("ref_length")


class WordErrorRate(SumsModule):
    """Edits per word of the references, as ``torchmetrics.text.WordErrorRate`` and jiwer.

    Parameters
    ----------
    **kwargs
        Those of ``torchmetrics.Metric``.

    Notes
    -----
    Unlike torchmetrics, and like jiwer: texts are split at blanks, not at all white space.

    `errors` and `total`, in WordInfoLost and WordInfoPreserved `errors`, `target_total` and `preds_total`, are read
    as there, but cannot be set: the score follows from them as it does there.

    Examples
    --------
    >>> wer = WordErrorRate()
    >>> wer(["a cat sat", "hello"], ["the cat sat", "hello"])
    tensor(0.2500)
    """

    higher_is_better = False
    _score_of_nothing = float("nan")
    _rate = "wer"
    #: Before the names of the counts of characters, in rows.
    _column_prefix = ""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._count(scorer("wer"))

    @property
    def errors(self) -> Any:
        """The edits of all items so far."""
        return self._sum_of("substitutions", "deletions", "insertions")

    @property
    def total(self) -> Any:
        """The words, or characters, of the references."""
        return self._sum_of("hits", "substitutions", "deletions")

    def _sum_of(self, *names: str) -> Any:
        return super()._sum_of(*[self._column_prefix + name for name in names])

    def _result(self, scores: dict[str, Any]) -> Any:
        if math.isnan(scores["wer"]):
            return self._tensor(self._score_of_nothing)
        metric: Any = self._metric
        return self._tensor(float(metric.rates(self._totals())[self._rate]))


class CharErrorRate(WordErrorRate):
    """Edits per character of the references, as ``torchmetrics.text.CharErrorRate`` and jiwer.

    Unlike torchmetrics, and like jiwer: blanks at both ends of a text do not count.

    Examples
    --------
    >>> CharErrorRate()(["cat sat"], ["cat sits"])
    tensor(0.2500)
    """

    _rate = "cer"
    _column_prefix = "character_"


class MatchErrorRate(WordErrorRate):
    """The share of aligned words that are edits, as ``torchmetrics.text.MatchErrorRate`` and jiwer.

    Unlike torchmetrics, and like jiwer: the words of both texts are aligned; torchmetrics takes the longer text for
    their number, which is less where words are inserted and others deleted.

    Examples
    --------
    >>> MatchErrorRate()(["a cat sat down"], ["the cat sat"])
    tensor(0.5000)
    """

    _rate = "mer"

    @property
    def total(self) -> Any:
        """The number of hits and edits in the alignments."""
        return self._sum_of("hits", "substitutions", "deletions", "insertions")


class _WordInfo(WordErrorRate):
    """What WordInfoLost and WordInfoPreserved share."""

    @property
    def errors(self) -> Any:
        """Less the words that match, which torchmetrics calls errors."""
        return -self._sum_of("hits")

    @property
    def target_total(self) -> Any:
        """The words of the references."""
        return self._sum_of("hits", "substitutions", "deletions")

    @property
    def preds_total(self) -> Any:
        """The words of the predictions."""
        return self._sum_of("hits", "substitutions", "insertions")


class WordInfoLost(_WordInfo):
    """1 less the information preserved, as ``torchmetrics.text.WordInfoLost`` and jiwer.

    Unlike torchmetrics, and like jiwer, as for :class:`MatchErrorRate`: words that match are counted.

    Examples
    --------
    >>> WordInfoLost()(["a cat sat down"], ["the cat sat"])
    tensor(0.6667)
    """

    _rate = "wil"


class WordInfoPreserved(_WordInfo):
    """The shares of both texts that match, multiplied, as ``torchmetrics.text.WordInfoPreserved`` and jiwer.

    Unlike torchmetrics, and like jiwer, as for :class:`MatchErrorRate`: words that match are counted.

    Examples
    --------
    >>> WordInfoPreserved()(["a cat sat down"], ["the cat sat"])
    tensor(0.3333)
    """

    higher_is_better = True
    _rate = "wip"


class ROUGEScore(SumsModule):
    """ROUGE as rouge_score counts it with ``split_summaries=True``, as ``torchmetrics.text.ROUGEScore``.

    Parameters
    ----------
    use_stemmer : bool
        Stem words of more than three letters.
    normalizer, tokenizer : callable, optional
        From a text to a text, and from that to its tokens: by default everything but a-z and 0-9 separates.
    accumulate : {"best", "avg"}
        Of several references the one with the best F of each type, or the average of all.
    rouge_keys : str or tuple of str
        rouge1 to rouge9, rougeL, rougeLsum. The last needs NLTK and its ``punkt_tab``, which finds sentences.
    **kwargs
        Those of ``torchmetrics.Metric``.

    Returns
    -------
    dict
        For each type `<type>_fmeasure`, `<type>_precision` and `<type>_recall`, means over the items.

    Notes
    -----
    Only sums are kept; torchmetrics keeps three numbers for each item and type. Like rouge_score, the default drops
    every letter of other scripts: give a `tokenizer`, such as ``str.split``, and ``normalizer=str.lower``.

    Examples
    --------
    >>> rouge = ROUGEScore(rouge_keys=("rouge1", "rougeL"))
    >>> scores = rouge("My name is John", "Is your name John")
    >>> scores["rouge1_fmeasure"], scores["rougeL_fmeasure"]
    (tensor(0.7500), tensor(0.5000))
    """

    # The mean over no item is no number.
    _score_of_nothing = float("nan")

    def __init__(
        self,
        use_stemmer: bool = False,
        normalizer: Callable[[str], str] | None = None,
        tokenizer: Callable[[str], Sequence[str]] | None = None,
        accumulate: Literal["avg", "best"] = "best",
        rouge_keys: str | tuple[str, ...] = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.rouge_keys = (rouge_keys,) if isinstance(rouge_keys, str) else tuple(rouge_keys)
        for key in self.rouge_keys:
            if key not in _ROUGE_KEYS:
                raise ValueError(f"Got unknown rouge key {key}. Expected to be one of {_ROUGE_KEYS}")
        if accumulate not in _ACCUMULATED:
            raise ValueError(
                f"Got unknown accumulate value {accumulate}. Expected to be one of {tuple(_ACCUMULATED)}"
            )
        if "rougeLsum" in self.rouge_keys:
            needs("rougeLsum", "languages", "nltk")
        self.accumulate = accumulate
        self.normalizer = normalizer
        self.tokenizer = tokenizer
        # Annotated here and not as an attribute: TorchScript takes no empty list with a type.
        kinds: list[int | str] = []
        for key in self.rouge_keys:
            kind = key.removeprefix("rouge")
            if kind.isdigit():
                kinds.append(int(kind))
            else:
                kinds.append(kind)
        self.rouge_keys_values = kinds
        self._use_stemmer = truth("ROUGEScore", "use_stemmer", use_stemmer)
        split: Any = "rouge"
        if normalizer is not None or tokenizer is not None:
            split = _WordSplitter(normalizer, tokenizer)
        metric = scorer(
            "rouge_nlws",
            rouge_types=self.rouge_keys,
            output="all",
            tokenizer=split,
            use_stemmer=self._use_stemmer,
            multi_ref=_ACCUMULATED[accumulate],
        )
        self._count(metric)

    @property
    def stemmer(self) -> Any:
        """NLTK's, where words are stemmed, for programs that read it: it scores nothing here."""
        if not self._use_stemmer:
            return None
        from nltk.stem.porter import PorterStemmer

        return PorterStemmer()

    def _read(self, preds: Any, target: Any) -> Corpus:
        corpus = super()._read(preds, target)
        if "rougeLsum" not in self.rouge_keys:
            return corpus
        # A line is a sentence to the suite's rougeLsum.
        return corpus.with_texts(encode([_lines(text) for text in corpus.texts.to_pylist()]))

    def _result(self, scores: dict[str, Any]) -> Any:
        measures = {}
        for key in self.rouge_keys:
            measures[f"{key}_fmeasure"] = scores[key]
            measures[f"{key}_precision"] = scores[f"{key}_precision"]
            measures[f"{key}_recall"] = scores[f"{key}_recall"]
        return dict(zip(measures, self._tensor(list(measures.values())).unbind(), strict=True))


class _WordSplitter:
    """The words of a text, found as torchmetrics does with a normalizer or a tokenizer of a user."""

    def __init__(self, normalizer: Callable[[str], str] | None, tokenizer: Callable[[str], Any] | None) -> None:
        self._normalize = normalizer or _lowercased_words
        self._split = tokenizer or str.split
        labels = [tokenizer_label(function) for function in (normalizer, tokenizer) if function]
        self.__qualname__ = "+".join(labels)  # its name in signatures

    def __call__(self, text: str) -> list[str]:
        words = self._split(self._normalize(text))
        return [word for word in words if isinstance(word, str) and word]


def _lowercased_words(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", " ", text.lower())


def _lines(text: str) -> str:
    """Return a text with a line for each sentence that NLTK finds."""
    from nltk import sent_tokenize

    return "\n".join(sentence.replace("\n", " ") for sentence in sent_tokenize(text))
