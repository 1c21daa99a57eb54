"""The packages that ROUGE is explained against, and their rules without an option."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.base.peers import Lists, Peer, Peers, Rule, UnavailableError
from tercet.corpus.sentences import truncate_words
from tercet.engine.ragged import TokenBatch

from .counts import EPSILON, PackageCounter, PairCounter, PairCounts, pair_scores
from .metric import Rouge
from .options import BY_LINE, MEASURES, RougeType
from .perl import Triple, first_words, recall_rank, script_scores
from .perl import stemmer as script_stemmer

Array = NDArray[np.float64]


def _by_rouge_score(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    from rouge_score.rouge_scorer import RougeScorer as Original  # type: ignore[import-untyped]

    names = [rouge_type.name for rouge_type in metric.types]
    original = Original(names, use_stemmer=metric.porter)
    items = [original.score_multi(texts, text) for text, texts in zip(predictions, references, strict=True)]
    return _means({name: [item[name] for item in items] for name in names}, metric.output)


def _by_package(package: str) -> Callable[[Sequence[str], Lists, Any], dict[str, float]]:
    """Return how ``rouge`` or ``rouge_chinese`` is called: on each prediction with each of its references."""

    def scores(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
        names = {rouge_type.name: f"rouge-{rouge_type.order or 'l'}" for rouge_type in metric.types}
        original = import_module(package).Rouge(metrics=list(names.values()))

        def of_pair(text: str, reference: str) -> dict[str, Triple]:
            try:
                (triples,) = original.get_scores(text, reference)
            except ValueError:  # raised for a text without a word
                return dict.fromkeys(names, (0.0, 0.0, 0.0))
            except RecursionError as error:
                raise UnavailableError(
                    f"{package} recurses once for each word, too deeply for these texts"
                ) from error
            return {name: (triples[key]["p"], triples[key]["r"], triples[key]["f"]) for name, key in names.items()}

        best: dict[str, list[Triple]] = {name: [] for name in names}
        for text, texts in zip(predictions, references, strict=True):
            pairs = [of_pair(text, reference) for reference in texts]
            # The packages take one reference: of several, the one with the best F counts.
            for name in names:
                best[name].append(max((pair[name] for pair in pairs), key=itemgetter(2)))
        return _means(best, metric.output)

    return scores


def _by_script(predictions: Sequence[str], references: Lists, metric: Any) -> dict[str, float]:
    figures = script_scores(
        predictions,
        references,
        metric.types,
        use_stemmer=metric.use_stemmer,
        stopwords=metric.stopwords,
        beta=metric.beta,
        alpha=metric.alpha,
        multi_ref=metric.multi_ref,
        max_words=metric.max_words,
        max_bytes=metric.max_bytes,
    )
    return _means(figures, metric.output)


def _means(figures: Mapping[str, Sequence[Any]], output: str) -> dict[str, float]:
    """Return the means of items' (precision, recall, F) by the names that our scores have."""
    scores: dict[str, float] = {}
    for name, triples in figures.items():
        means = [sum(values) / len(triples) for values in zip(*triples, strict=True)]
        by_measure = dict(zip(MEASURES, means, strict=True))
        scores[name] = by_measure["fmeasure" if output == "all" else output]
        if output == "all":
            scores |= {f"{name}_{measure}": by_measure[measure] for measure in ("precision", "recall")}
    return scores


class _Part(Rouge):
    """ROUGE as another package counts it, without some of its rules."""

    _off: ClassVar[Collection[str]] = ()

    @classmethod
    def _without(cls, options: Mapping[str, Any], off: Collection[str]) -> Any:
        part = cls.build(options, may_be_idle=True)
        # Not assigned to the attribute: for type checkers, a ClassVar belongs to the class.
        part.__dict__["_off"] = off
        part.check()
        return part


class _PartOfScript(_Part):
    """ROUGE under ``compat="rouge155"`` without some of its rules; figures are never rounded."""

    @classmethod
    def of(cls, metric: Rouge, off: Collection[str]) -> Any:
        """Return the metric without the rules that are off."""
        options = metric.changed_options
        # As a function, because use_stemmer is NLTK's Porter where `_by_script` is off.
        if options.pop("use_stemmer", False):
            options["stemmer"] = script_stemmer()
        return cls._without(options, off)

    # What follows from `compat` in ROUGE follows here from the rules that are off.

    @cached_property
    def _by_script(self) -> bool:
        return "average" not in self._off

    @cached_property
    def _cut_by_line(self) -> bool:
        return super()._cut_by_line and "bytes" not in self._off

    @cached_property
    def _cut_words(self) -> Callable[..., str]:
        return truncate_words if "words" in self._off else first_words

    def counter(self, tokens: TokenBatch) -> PairCounter:
        """Return the counter, with the script's for types whose rule is on."""
        kinds = {kind for rule, kind in (("lines", "L"), ("last word", "SU")) if rule not in self._off}
        return _MixedCounter(tokens, self.types, kinds, PairCounter(tokens, self.types, True))

    def pair_scores(self, rouge_type: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return the scores of each pair, and by what its best reference is chosen."""
        scores = pair_scores(counts, self.beta, alpha=self.alpha)
        if "best reference" in self._off:
            return scores, scores[:, 2]
        return scores, recall_rank(rouge_type.kind, counts)


class _PartOfPackage(_Part):
    """ROUGE under ``compat="rouge"`` or ``"rouge_chinese"`` without some of its rules."""

    @classmethod
    def of(cls, metric: Rouge, off: Collection[str]) -> Any:
        """Return the metric without the rules that are off."""
        return cls._without(metric.changed_options, off)

    def counter(self, tokens: TokenBatch) -> PairCounter:
        """Return the counter, with the package's for types whose rule is on."""
        kinds = {kind for rule, kind in (("repetition", "n"), ("union", "L")) if rule not in self._off}
        return _MixedCounter(tokens, self.types, kinds, super().counter(tokens))

    def pair_scores(self, rouge_type: RougeType, counts: PairCounts) -> tuple[Array, Array]:
        """Return the scores of each pair, and by what its best reference is chosen."""
        scores = pair_scores(counts, self.beta, 0.0 if "1e-8" in self._off else EPSILON)
        return scores, scores[:, 2]


class _MixedCounter(PairCounter):
    """Counts as another implementation for some kinds of types, as Lin 2004 for the others."""

    def __init__(
        self, tokens: TokenBatch, types: tuple[RougeType, ...], kinds: set[str], theirs: PairCounter | PackageCounter
    ) -> None:
        super().__init__(tokens, types, False)
        self._kinds = kinds
        self._theirs = theirs

    def count(self, rouge_type: RougeType) -> PairCounts:
        """Return the counts of one type."""
        if rouge_type.kind in self._kinds:
            return self._theirs.count(rouge_type)
        return super().count(rouge_type)


def _has_kind(*kinds: str) -> Callable[[Rouge], bool]:
    return lambda options: any(rouge_type.kind in kinds for rouge_type in options.types)


_SCRIPT = (
    Rule(
        name="letters",
        description="whether İ and the kelvin sign, which lowercase to i and k, count as letters",
        ours="yes",
        theirs="no",
        # The rule about the stemmer includes this one.
        applies=lambda options: options.tokenizer == "rouge" and not options.use_stemmer,
    ),
    Rule(
        name="stemmer",
        description="which stemmer -m is",
        ours="NLTK's Porter",
        theirs="the script's Porter, irregular forms of WordNet first",
        applies=lambda options: options.use_stemmer,
    ),
    Rule(
        name="words",
        description="which words max_words counts",
        ours="those between any white space",
        theirs="those between white space of ASCII, and an empty one before a blank that begins a line",
        applies=lambda options: options.max_words is not None,
    ),
    Rule(
        name="lines",
        description="what ROUGE-L finds subsequences in",
        ours="the whole text",
        theirs="line by line",
        applies=_has_kind("L"),
    ),
    Rule(
        name="bytes",
        description="what max_bytes limits for ROUGE-L and W",
        ours="the text",
        theirs="each line by itself",
        applies=lambda options: options.max_bytes is not None and _has_kind(*BY_LINE)(options),
    ),
    Rule(
        name="last word",
        description="which words ROUGE-SU adds to the pairs",
        ours="all",
        theirs="all but the last",
        applies=_has_kind("SU"),
    ),
    Rule(
        name="best reference",
        description="which measure selects the best reference",
        ours="F",
        theirs="recall",
        applies=lambda options: options.multi_ref == "best",
    ),
    Rule(
        name="average",
        description="what is averaged over references",
        ours="scores",
        theirs="counts, before the ratios are taken",
        applies=lambda options: options.multi_ref == "average",
    ),
    Rule(
        name="five decimals",
        description="how precision, recall and F are rounded; F is computed from the rounded two",
        ours="unrounded",
        theirs="to five decimals",
        applies=lambda options: options.rounded is not False,
    ),
)


def _package(name: str, ends: str, *subsequence: Rule) -> Peer:
    """Return rouge or rouge_chinese, which share most."""
    rules = (
        Rule(
            name="sentences",
            description="where sentences end (a blank one counts as an empty word)",
            ours="at line ends",
            theirs=ends,
            applies=lambda options: options.tokenizer == "none",
        ),
        Rule(
            name="repetition",
            description="how often ROUGE-N counts a repeated n-gram",
            ours="as often as both have it",
            theirs="once",
            applies=_has_kind("n"),
        ),
        *subsequence,
        Rule(
            name="1e-8",
            description="F's denominator",
            ours="P + R",
            theirs="P + R + 1e-8",
            applies=lambda options: True,
        ),
    )
    warning = "takes one reference: of several, the one with the best F counts; it raises an error at a text without "
    return Peer(_by_package(name), rules, _PartOfPackage.of, warning=f"{name} {warning}a word, which counts 0")


_UNION = Rule(
    name="union",
    description="what ROUGE-L counts",
    ours="the longest common subsequence of the texts",
    theirs="the different words of those of all pairs of sentences",
    applies=_has_kind("L"),
)

PEERS = Peers(
    packages={
        "rouge_score": Peer(
            _by_rouge_score,
            warning="evaluate's rouge prints the median of a random bootstrap of rouge_score's mean, another at each "
            "call",
        ),
        "rouge155": Peer(
            _by_script,
            _SCRIPT,
            _PartOfScript.of,
            warning="the script prints the mean of 1000 random resamples; compared is the mean of its figures (-d)",
        ),
        "rouge": _package("rouge", "at full stops", _UNION),
        "rouge_chinese": _package("rouge_chinese", "at 。！？…… and line ends"),
    },
    decides={
        "use_stemmer": "whether endings matter",
        "tokenizer": "how texts are split into tokens",
        "beta": "the weight of recall in F",
        "alpha": "the weights of precision and recall in F",
        "multi_ref": "how several references are combined into one score",
        "stemmer": "whether endings matter",
        "lemmatizer": "whether inflected forms are different words",
        "stopwords": "which words are left out",
        "max_words": "to how many words texts are truncated",
        "max_bytes": "to how many bytes texts are truncated",
        "sentence_split": "where lines end",
    },
    together=(("use_stemmer", "stemmer", "lemmatizer"), ("max_words", "max_bytes"), ("beta", "alpha")),
    names_scores="rouge_types",
    aside=lambda options: {"use_aggregator": True, "output": options.output},
)
