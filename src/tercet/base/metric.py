"""The metric: a value with options that scores texts when called; and the way from texts to a result."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from inspect import cleandoc
from itertools import product
from math import ceil, isqrt
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from tercet import numpy_later as np
from tercet.corpus.artefacts import FEWEST_TOKENS, MARKS_OF_ASCII, LetterCounts, warn_of_texts
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_items, read_texts, short_lists
from tercet.corpus.large import LargeCorpus
from tercet.corpus.normalizers import label_of_normalizers
from tercet.corpus.reading import Crossing, Indices, read_corpus, read_predictions
from tercet.corpus.styles import may_have_styles, style_messages
from tercet.engine.planned import Scored, TextRules
from tercet.errors import InputError, OptionError, warn
from tercet.result import Result
from tercet.signature import Signature
from tercet.statistics.progress import bar_of
from tercet.statistics.stats import Scores, SegmentStats, SummedStats, check_alike
from tercet.threads import in_threads

from .about import About
from .options import Call, Configured
from .rows import BASE_COLUMNS, PairRows, rows_of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tercet.explanation.explanation import Matched
    from tercet.statistics.clusters import Clusters

#: The numbers of a call that asks for nothing special.
_USUAL = (Call.n_resamples, Call.seed, Call.n_jobs)

#: Rows of which a result makes its attributes when they are read, and not before.
FEW_ROWS = 64

#: What a user does with a metric; all else is for the code of the package.
PUBLIC = ("__call__", "explain", "pairwise", "segments", "stats")


# The class of metrics' classes: help and completion show the options and what a user calls, not how it is made.
class _Helpful(ABCMeta):
    def __dir__(cls) -> list[str]:
        return list(PUBLIC)

    @property
    def __doc__(cls: type[Metric]) -> str:  # type: ignore[override,misc]  # a property, as `help` asks no other descriptor
        """Return the docstring with the options and the keys of the result; made when it is read."""
        from .docs import parameters

        summary, *examples = cleandoc(vars(cls)["__doc__"] or "").split("\n\nExamples\n")
        about = cls.about if "about" in vars(cls) else None
        description = [about.description, f"The result has {about.returns}"] if about else []
        sections = [parameters(cls), *(f"Examples\n{section}" for section in examples)]
        return "\n\n".join(part.strip() for part in (summary, *description, *sections))


class Metric(Configured, metaclass=_Helpful):
    """A metric with its options, which are attributes: a value that can be called.

    Its only state is its options, so threads can share it. What it must know of a corpus before scoring (`fit`) is
    passed along as a context.

    Examples
    --------
    >>> import tercet
    >>> bleu = tercet.Bleu(max_order=2, lowercase=True)
    >>> bleu(["The cat sat"], [["the cat ran"]])["bleu"]
    0.5773502691896257
    >>> bleu
    Bleu(lowercase=True, max_order=2)
    """

    # What people call it.

    about: ClassVar[About]
    title: ClassVar[str] = ""  #: What people call the metric, such as BLEU.
    #: The extras of the package that its options may need.
    extras: ClassVar[tuple[str, ...]] = ()

    # What its scores are.

    primary: ClassVar[str]
    #: Whether higher is better; the contrary holds of scores whose names begin with one of `contrary_scores`.
    higher_is_better: ClassVar[bool] = True
    contrary_scores: ClassVar[tuple[str, ...]] = ()
    #: What the option ``scale`` turns into percent: a share of 1, a rate, which may be above 1, or nothing.
    unit: ClassVar[Literal["share", "rate", None]] = "share"
    #: The scale of the package that the scores equal: 1, or 100 for percent.
    original_scale: ClassVar[int] = 1
    #: Keys and attributes of the result to report with the score, such as lengths.
    facts: ClassVar[tuple[str, ...]] = ()

    # What it takes, and how it works.

    #: Whether predictions are compared with references; otherwise references are ignored.
    takes_references: ClassVar[bool] = True
    #: Reads and checks a user's predictions, where it takes no references.
    reader: ClassVar[Callable[..., Corpus]] = staticmethod(read_texts)
    #: Whether scoring loads a network.
    loads_model: ClassVar[bool] = False
    #: Whether `segment_stats` takes several systems at once; otherwise it is called once per system.
    takes_systems: ClassVar[bool] = False
    #: How to score a corpus in parts with a metric that needs the whole corpus (`needs_corpus`).
    fit_first: ClassVar[str] = ""
    #: The effect of ``missing_references="zero"``, and the error if every item was left out.
    at_zero: ClassVar[str] = "scores them 0"
    nothing_left: ClassVar[str] = "No item has a reference, so missing_references='skip' left all of them out."
    #: Of a metric with many scores, the options that choose those of a table, where a text names it without these.
    in_tables: ClassVar[Mapping[str, Any]] = {}
    base_columns: ClassVar[tuple[str, ...]] = BASE_COLUMNS
    #: Whether `details` reads the rows of the items, which a result then keeps.
    keeps_rows: ClassVar[bool] = False

    # What a user calls.

    def __call__(
        self,
        predictions: Any,
        references: Any = None,
        *,
        cluster: Any = None,
        segments: bool = False,
        confidence_level: float | None = None,
        signature: bool = False,
        n_resamples: int = 1000,
        seed: int = 12345,
        n_jobs: int = 1,
    ) -> Result:
        """Score predictions, against references where the metric needs them.

        What a call leaves at its default is as it was given to :func:`tercet.scorer`.

        Parameters
        ----------
        predictions : sequence of str
            One text per item.
        references : sequence of str or of sequences of str, optional
            One reference per item, or a list of any number of them per item. Metrics such as ``perplexity_lm`` take
            none.
        cluster : sequence of str or int, optional
            A label per item, by which the intervals resample, as in :func:`tercet.score`.
        segments : bool
            Add the scores of every item to the result.
        confidence_level : float, optional
            Add bootstrap intervals of this level, such as 0.95: expanded percentiles (Hesterberg 2015).
        signature : bool
            Also include the signature as a key of the result.
        n_resamples, seed : int
            Of the bootstrap: the same seed gives the same interval.
        n_jobs : int
            Threads that work on pieces of the corpus; the result is the same.

        Returns
        -------
        Result

        Raises
        ------
        InputError
            For texts that cannot be scored; names the item.
        OptionError
            For a value that an argument does not take.
        """
        metric = self
        adds_to_result = segments or confidence_level is not None or signature
        if not adds_to_result and (n_resamples, seed, n_jobs) == _USUAL:
            result = score_lists(self, predictions, references) if cluster is None else None
            if result is not None:
                return result
        else:
            call = {"segments": segments, "confidence_level": confidence_level, "signature": signature}
            metric = self.calling(call | {"n_resamples": n_resamples, "seed": seed, "n_jobs": n_jobs})
        return score_batch(metric, self.corpus(predictions, references), cluster)

    def segments(self, predictions: Any, references: Any = None) -> dict[str, list[float | None]]:
        """Return the scores of each item, as the key ``segments`` of a result has them.

        Parameters and errors as in a call of the metric. None stands for an item left out.
        """
        lists = segments_of_lists(self, predictions, references)
        if lists is None:
            lists = segment_lists(self, self.stats(predictions, references))
        return lists

    def stats(self, predictions: Any, references: Any = None) -> SegmentStats:
        """Return the statistics of each item: rows that add up, and can be written as an Arrow table."""
        return batch_stats(self, self.corpus(predictions, references))

    def pairwise(self, hypotheses: Any, references: Any = None, *, n_jobs: int = 1) -> NDArray[np.float64]:
        """Return the primary score of each hypothesis against each reference: many against many.

        Each different text is tokenized once; it is embedded once as long as all embeddings fit in 1 GB. What depends
        on a corpus is taken from the references, each as often as it is given: the document frequencies of
        ``idf=True``, and ROUGE's choice of a tokenizer. Memory beyond the result, and the tokens or vectors of the
        texts: 64 MB a thread, or more where a single pair of long texts takes more; a network's is its own.

        Parameters
        ----------
        hypotheses : sequence of str
            h texts.
        references : sequence of str, optional
            r texts; by default the hypotheses, each against all of them.
        n_jobs : int
            Threads that work on blocks of pairs; the result is the same. Networks have threads of their own.

        Returns
        -------
        ndarray of float64, shape (h, r)
            Each as :meth:`segments` scores that pair alone; with a network, but for the last digits of its floats.

        Raises
        ------
        InputError
            For input that is not text; names the item.
        OptionError
            For a metric without references, and a value that an argument does not take.

        Examples
        --------
        >>> import tercet
        >>> tercet.Chrf().pairwise(["a cat", "a dog"], ["a cat", "the dog"]).round(1).tolist()
        [[100.0, 4.5], [6.2, 31.2]]
        """
        metric = self if n_jobs == Call.n_jobs else self.calling({"n_jobs": n_jobs})
        return pair_scores(metric, hypotheses, references)

    def explain(self, prediction: str, references: Any = None) -> Any:
        """Explain the score of one prediction: values to work with, ``to_dict()``, ``to_html()``.

        Parameters
        ----------
        prediction : str
        references : str or sequence of str, optional

        Raises
        ------
        InputError
            For input that is not text, and for a prediction without reference.
        """
        if not self.takes_references:
            return self.explained(self.as_scored(read_predictions([prediction])).encoded())
        items = read_items([prediction], [references])
        check_missing(items.missing, "error", at_zero="")
        return self.explained(self.as_scored(items).encoded())

    # What a metric defines: names and rows of numbers, and scores from the sums of rows.

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the k columns of a row."""

    @property
    @abstractmethod
    def score_names(self) -> tuple[str, ...]:
        """The keys of `finalize` that are scores: they get intervals and segment scores."""

    @abstractmethod
    def signature(self, context: Any) -> Signature:
        """Return the signature of the statistics."""

    @abstractmethod
    def segment_stats(self, batch: Corpus, context: Any) -> SegmentStats:
        """Return one row of statistics per item."""

    @abstractmethod
    def finalize(self, totals: Any) -> Scores:
        """Return the scores of sums of rows."""

    # What a metric may define: by default, nothing special.

    def explained(self, batch: Corpus, context: Any = None) -> Any:
        """Explain a batch of one item, with the context of a corpus, or None; OptionError where there is none."""
        raise OptionError(f"{self.name} has no explanation of its scores.")

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Chains of columns: in no row, nor in a sum, is one more than the next. Forged sums are known by them."""
        return ()

    def fit(self, batch: Corpus) -> Any:
        """Return what the metric must know of the whole corpus before scoring a part; contexts add up."""
        return None

    @property
    def ignores_case(self) -> bool:
        """Whether a capital letter and a small one are the same."""
        return bool(getattr(self, "lowercase", False))

    @property
    def needs_corpus(self) -> bool | Literal["signed"]:
        """Whether the rows of a part depend on the other parts; "signed" if with equal signatures they do not."""
        return False

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning about the texts, raised once per call, or None; of sums, the context alone is known."""
        return None

    def score_warning(self, totals: Any) -> str | None:
        """Return a warning about the sums of the rows, raised once per call, or None."""
        return None

    def pair_rows(self, crossing: Crossing, context: Any) -> PairRows:
        """Return what makes rows of pairs, each an item of its own; of them only the primary score is used.

        What a text takes is done here, once, and not in each block. Threads share what is returned.
        """
        return rows_of_items(crossing.strings, lambda batch: self.segment_stats(batch, context).rows)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums for the score of the corpus, shape (k,)."""
        return stats.total()

    @property
    def segment_metric(self) -> Metric:
        """The metric that scores single items: itself, unless these have rules of their own."""
        return self

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The names of `score_names` for a single item, in the same order."""
        return self.score_names

    def report(self, totals: Any, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the result's keys for a corpus, as plain Python: those of evaluate's module."""
        scores = self.finalize(totals)
        return {name: np.asarray(scores[name]).tolist() for name in self.score_names}

    def new_plan(self) -> Any:
        """Return what the engine does in one step (`engine/plain_plan.py`); None where Python has a part in it."""
        return None

    def _entries(self, scores: list[float], sums: list[float]) -> dict[str, Any]:
        """Return what `report` returns, given the sums of the rows, and as scores what the plan makes of them."""
        raise NotImplementedError

    @property
    def scores_of_plan(self) -> Mapping[str, int]:
        """Which of the plan's scores each of `score_names` is."""
        return {name: number for number, name in enumerate(self.score_names)}

    # Private, as users name options and attributes of their own metrics.
    @cached_property
    def _plan(self) -> Any:
        """What the engine does in one step, made once; None as for `new_plan`, and where texts are normalized.

        A subclass may count otherwise, and has the plan that it defines itself.
        """
        if self.normalize is not None or "new_plan" not in vars(type(self)):
            return None
        return self.new_plan()

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return further attributes of the result, when they are read; `entries` are what `report` returned.

        `stats` are None unless the metric keeps its rows.
        """
        return {}

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores, such as ROUGE-L."""
        title = score
        if self.title and score.startswith(self.primary):
            title = self.title + score.removeprefix(self.primary)
        return title.replace("_", " ")

    def notes(self, references: str, *, segments: bool = False) -> dict[str, str]:
        """Return further entries of a result's signature, and for `segments` how these are scored."""
        notes = {"refs": references} if self.takes_references else {}
        if self.normalize is not None:  # of a user's metric, whose own signature may leave it out
            notes["normalize"] = str(label_of_normalizers(self.normalize))
        if self.scale != 1 and self.unit is not None:
            notes["scale"] = str(self.scale)
        return notes

    def matched(self, score: str, tokenizer: str | None) -> Matched | None:
        """Return how a report finds the matched tokens of the prediction, or None."""
        return None

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options to explain one prediction, given those of a call."""
        return dict(given)

    # Texts -> rows.

    @classmethod
    def corpus(cls, predictions: Any, references: Any = None) -> Corpus:
        """Return a user's texts, checked; without references if the metric takes none."""
        return read_corpus(predictions, references) if cls.takes_references else cls.reader(predictions)

    def as_scored(self, corpus: Corpus) -> Corpus:
        """Return a corpus with its texts as ``normalize`` changes them, which all else takes for the texts."""
        return corpus if self.normalize is None else corpus.normalized(self.normalize)

    def total_of(self, totals: Any, column: str) -> int:
        """Return the sum of a column of counts."""
        return int(totals[self.columns.index(column)])

    def __dir__(self) -> list[str]:
        return [*PUBLIC, "name", *self.options()]

    def _repr_html_(self) -> str:
        """Show in a notebook what the metric is, with its options, and how it is called."""
        texts = "predictions, references" if self.takes_references else "predictions"
        description = self.about.description if hasattr(self, "about") else ""
        from tercet.names_and_sentences import metric_html

        return metric_html(self.title or self.name, repr(self), description, f"metric({texts})")


def is_higher_better(metric: Metric, score: str) -> bool:
    """Return whether higher is better, for one of the scores of a metric."""
    is_contrary = score.startswith(tuple(metric.contrary_scores))
    if is_contrary:
        return not metric.higher_is_better
    return metric.higher_is_better


# From checked texts to a result, for every metric: rows, then scores, intervals and scores of segments.


def score_batch(metric: Metric, corpus: Corpus, cluster: Any = None) -> Result:
    """Score checked texts; intervals resample the clusters that are given by a label for each item."""
    clusters = None
    if cluster is not None:
        from tercet.statistics.clusters import Clusters

        clusters = Clusters.of(cluster, corpus.n_items)
        if metric.asked.confidence_level is None:
            warn_of(metric, "cluster= has no effect without confidence_level=: it says what the intervals resample.")
    stats = batch_stats(metric, corpus, heeds_style=True)
    message = metric.score_warning(stats.total())
    if message is not None:
        warn_of(metric, message)
    return summarize(metric, stats, clusters)


def batch_stats(
    metric: Metric, corpus: Corpus, warned: set[str] | None = None, *, heeds_style: bool = False
) -> SegmentStats:
    """Return the statistics of checked texts, made in pieces: memory stays near the size of the texts.

    Of texts that arrive in parts, `warned` has the names of the metrics that have warned of earlier ones. With
    `heeds_style`, systems that write otherwise than the references are warned of: drop-ins do as their originals.
    """
    if not corpus.n_items:
        needed = "predictions and references" if metric.takes_references else "predictions"
        raise InputError(f"The corpus is empty: {needed} must have at least one item.")
    if metric.takes_references and not corpus.one_each:
        refuse_missing(metric, corpus.missing)
    corpus = metric.as_scored(corpus)
    stats, context = corpus_stats(metric, corpus)
    warn_of_corpus(metric, corpus, context, warned, heeds_style=heeds_style)
    return stats


def warn_of_corpus(
    metric: Metric, corpus: Corpus, context: Any, warned: set[str] | None = None, *, heeds_style: bool = False
) -> None:
    """Warn of texts that the metric is not made for, and that are odd; as :func:`batch_stats` does."""
    if warned is None or metric.name not in warned:
        message = metric.corpus_warning(context, corpus)
        if message is not None:
            warn_of(metric, message)
            if warned is not None:
                warned.add(metric.name)
    if not corpus.searched and metric.takes_references:
        warn_of_texts(corpus)
        if heeds_style:
            for message in style_messages(corpus, ignores_case=metric.ignores_case):
                warn(message)


def refuse_missing(metric: Metric, missing: Sequence[int]) -> None:
    """Raise an InputError for items without reference, unless the metric's options allow them."""
    if metric.takes_references:
        check_missing(missing, metric.missing_references, metric.at_zero)


def summarize(metric: Metric, stats: SegmentStats, clusters: Clusters | None = None) -> Result:
    """Return the result that statistics give: scores, and on request intervals and the scores of segments."""
    call = metric.asked
    totals = stats.total()
    n_scored = totals.item(0)
    if not n_scored:
        raise InputError(metric.nothing_left)
    scored_stats = stats
    if n_scored != len(stats.rows):
        scored_stats = stats.selected(stats.column("items") > 0)
    entries = metric.report(metric.corpus_totals(stats), stats)
    notes: dict[str, str] = {}
    requested: dict[str, Any] = {}
    if call.segments:
        requested["segments"] = segment_lists(metric, stats)
    if call.confidence_level is not None:
        from tercet.statistics.intervals import FEWEST_UNITS, MOST_UNITS, bootstrap, too_few_units

        units = scored_stats
        if clusters is not None:
            clusters = clusters.selected(stats.column("items") > 0)
            units = clusters.stats(scored_stats)
            requested["n_clusters"] = len(clusters)
            notes["clusters"] = str(len(clusters))
        bootstrapped = bootstrap(
            metric, units, n_resamples=call.n_resamples, confidence_level=call.confidence_level, seed=call.seed
        )
        requested["intervals"] = {name: list(result.confidence_interval) for name, result in bootstrapped.items()}
        notes["ci"] = f"{call.confidence_level!r},{call.n_resamples},{call.seed},expanded"
        if len(units) > MOST_UNITS:
            notes["ci"] += f",{MOST_UNITS} groups"
        if len(units) < FEWEST_UNITS:
            warn_of(metric, too_few_units(len(units), "item" if clusters is None else "cluster"))
    # A result keeps few rows, until its attributes are made; many only where the metric's `details` read them.
    references: str | SegmentStats = scored_stats
    if n_scored > FEW_ROWS:
        references = scored_stats.span("references")
    rows = stats if metric.keeps_rows else None
    details = partial(_details, metric, stats.signature, references, notes, totals, rows, entries, requested)
    result = Result._lazy(entries, metric.name, details)
    for name in ("segments", "intervals"):
        if name in requested:
            result[name] = requested[name]
    if call.signature:
        result["signature"] = result.signature
    return result


def _details(
    metric: Metric,
    rows_signature: Signature,
    references: str | SegmentStats,
    notes: Mapping[str, str],
    totals: Any,
    stats: SegmentStats | None,
    entries: Mapping[str, Any],
    requested: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the attributes of a result; `references` are how many there are, or the rows that say so."""
    if not isinstance(references, str):
        references = references.span("references")
    further = metric.notes(references) | dict(notes)
    # Last, how segments are scored; what is there keeps its place.
    further |= metric.notes(references, segments=metric.asked.segments)
    return {
        "signature": str(rows_signature.extended(further)),
        "n_segments": int(totals[0]),
        "empty_predictions": int(totals[1]),
        "missing_references": int(totals[2]),
        "intervals": None,
        "segments": None,
        **requested,
        **metric.details(totals, stats, entries),
    }


# The short road, for lists and tuples of strings, and short columns of Arrow: one call of the engine counts, adds up
# and applies the formula. What is odd about them is seen from what it returns, and then asked and said as on the
# other road.


def rules_of_plan(*, lowercase: bool = False, count_letters: bool = False, one_each: bool = False) -> TextRules:
    """Return how a plan reads texts."""
    return TextRules(PIECE, MARKS_OF_ASCII, lowercase, count_letters, one_each)


def score_lists(metric: Metric, predictions: Any, references: Any) -> Result | None:
    """Return the result of a user's columns; None where they, or what is asked of them, need the other road."""
    # The cheap test: a call whose defaults are written out takes the long road, to the same result.
    if metric.asked is not Metric.asked:
        return None
    scored = scored_by_plan(metric, predictions, references)
    if scored is None:
        return None
    context = warn_of_lists(metric, scored, heeds_style=True)
    message = metric.score_warning(scored.sums)
    if message is not None:
        warn_of(metric, message)
    entries = metric._entries(scored.scores, scored.sums)
    details = partial(_details_of_lists, metric, context, scored.fewest, scored.most, scored.sums, entries)
    return Result._lazy(entries, metric.name, details)


def segments_of_lists(metric: Metric, predictions: Any, references: Any) -> dict[str, list[float | None]] | None:
    """Return the scores of each item of a user's lists, or None, as :func:`score_lists`."""
    # A user's metric without a plan may make rows of its own, of which `segment_metric` makes scores.
    if metric._plan is None:
        return None
    scored = scored_by_plan(metric.segment_metric, predictions, references, each=True)
    if scored is None:
        return None
    warn_of_lists(metric.segment_metric, scored)
    assert scored.scores_of_items is not None
    lists: dict[str, list[float | None]] = {}
    for name, number in zip(metric.segment_names, metric.scores_of_plan.values(), strict=True):
        lists[name] = list(scored.scores_of_items[number])
    return lists


def scored_by_plan(metric: Metric, predictions: Any, references: Any, *, each: bool = False) -> Scored | None:
    """Return what the plan makes of a user's lists, with `each` of every item too; None where the other road does."""
    plan = metric._plan
    if plan is None:
        return None
    scored: Scored | None = plan.score(predictions, references, each)
    if scored is None:
        lists = short_lists(predictions, references)
        if lists is not None:
            scored = plan.score(*lists, each)
    return scored


def warn_of_lists(metric: Metric, scored: Scored, name: str = "predictions", *, heeds_style: bool = False) -> Any:
    """Warn of texts as :func:`batch_stats` does; return the context of the metric, None where it changes nothing.

    Messages call the predictions by the name.
    """
    # What is odd about texts is an unusual character, or shows in several references of an item, or in several items.
    is_usual = scored.plain and scored.most < FEWEST_TOKENS
    if is_usual and not (heeds_style and may_have_styles(scored.predictions, scored.references)):
        return None
    context = None
    if scored.letters is not None:
        context = LetterCounts(*scored.letters, len(scored.references))
    ends = None if scored.ends is None else np.array(scored.ends)
    corpus = Corpus(scored.predictions, scored.references, ends, (name,))
    warn_of_corpus(metric, corpus, context, heeds_style=heeds_style)
    return context


def _details_of_lists(
    metric: Metric, context: Any, fewest: int, most: int, sums: list[float], entries: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the attributes of a result; an item has from the fewest to the most references."""
    references = str(fewest) if fewest == most else f"{fewest}-{most}"
    return _details(metric, metric.signature(context), references, {}, sums, None, entries, {})


def segment_lists(metric: Metric, stats: SegmentStats) -> dict[str, list[float | None]]:
    """Return the scores of every item as lists, None for an item left out; empty ones of rows that were not kept."""
    if isinstance(stats, SummedStats):
        return {name: [] for name in metric.segment_names}
    scores_of_rows = metric.segment_metric.finalize(stats.rows)
    lists: dict[str, list[Any]] = {}
    for name, score in zip(metric.segment_names, metric.score_names, strict=True):
        lists[name] = scores_of_rows[score].tolist()
    for index in np.flatnonzero(stats.column("items") == 0).tolist():
        for scores in lists.values():
            scores[index] = None
    return lists


def warn_of(metric: Metric, message: str | None) -> None:
    """Warn, in the metric's name, at the line that called tercet or evaluate; None warns of nothing."""
    if message is not None:
        warn(f"{metric.name}: {message}")


# From a corpus to statistics of its segments, piece by piece: a piece fits in the processor's cache.

#: Items that are encoded, tokenized and counted at a time.
PIECE = 1 << 13
#: The same if a network embeds texts: among many, neighbours have similar lengths.
PIECE_OF_NETWORKS = 1 << 16

T = TypeVar("T")


def each_piece(metric: Metric, n_segments: int, work: Callable[[int, int], T], n_systems: int = 1) -> Iterator[T]:
    """Return what `work` makes of each piece, given where it starts and stops, in order; ``n_jobs`` threads work."""
    n_jobs = metric.asked.n_jobs
    share_of_thread = ceil(n_segments / n_jobs)
    size = max(1, min(_largest_piece(metric, n_systems), share_of_thread))
    starts = range(0, max(1, n_segments), size)
    # The last one may stop beyond the end, where a part of a corpus stops by itself.
    return in_threads(lambda start: work(start, start + size), starts, n_jobs)


def corpus_stats(metric: Metric, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the rows of a corpus, as scored, system by system, and the context that the metric fitted to it.

    Of a large corpus, the sums of the rows stand for them.
    """
    n = corpus.n_segments
    if isinstance(corpus, LargeCorpus):
        return _sums_in_pieces(metric, corpus) or _stats_in_pieces(metric, corpus)
    if n > 1 and (metric.asked.n_jobs > 1 or n > _largest_piece(metric, corpus.n_systems)):
        return _stats_in_pieces(metric, corpus)
    context = metric.fit(corpus)
    return stats_of_systems(metric, corpus, context), context


def _stats_in_pieces(metric: Metric, corpus: Corpus) -> tuple[SegmentStats, Any]:
    """Return the same, piece by piece.

    Each piece is counted in its own context, and again where the context of the whole corpus gives another signature.
    A metric whose signature cannot show that is fitted to the whole corpus first.
    """
    n = corpus.n_segments
    n_systems = corpus.n_systems
    size = _largest_piece(metric, n_systems)
    rows = np.empty((n_systems, n, len(metric.columns)))

    def counted(batch: Corpus, start: int, context: Any) -> SegmentStats:
        stats = stats_of_systems(metric, batch, context)
        of_piece = rows[:, start : start + batch.n_segments]
        of_piece[:] = stats.rows.reshape(of_piece.shape)
        if bar is not None:
            bar.total = max(bar.total, bar.n + batch.n_segments)  # of those that are counted again too
            bar.update(batch.n_segments)
        # All rows are in `rows`; of a piece, its signature and columns are kept.
        return replace(stats, rows=of_piece[0])

    contexts: list[Any]
    pieces: dict[int, SegmentStats] = {}

    def fitted_and_counted(start: int, stop: int) -> Any:
        batch = corpus.part(start, stop)
        context = metric.fit(batch)
        pieces[start] = counted(batch, start, context)
        return context

    def settled(start: int, stop: int) -> SegmentStats:
        stats = pieces.get(start)
        if stats is not None and stats.signature == signature:
            return stats
        return counted(corpus.part(start, stop), start, context)

    with bar_of("scoring", "segments", n) as bar:
        if metric.needs_corpus not in (False, "signed"):
            contexts = [metric.fit(corpus.part(start, start + size)) for start in range(0, n, size)]
        else:
            contexts = list(each_piece(metric, n, fitted_and_counted, n_systems))
        context = joined_context(contexts)
        signature = metric.signature(context)
        parts = list(pieces.values())
        if not parts or any(stats.signature != signature for stats in parts):
            parts = list(each_piece(metric, n, settled, n_systems))
    check_alike(parts)
    return replace(parts[0], rows=rows.reshape(n_systems * n, rows.shape[2])), context


def _sums_in_pieces(metric: Metric, corpus: LargeCorpus) -> tuple[SegmentStats, Any] | None:
    """Return the sums of the rows instead; None where no sum says what is asked: of segments that are left out."""
    if metric.needs_corpus not in (False, "signed"):
        return None
    n = corpus.n_segments
    contexts: list[Any] = []

    def added_up(context: Any) -> SummedStats | None:
        """Return the sums; None where pieces that are counted in their own contexts have several signatures."""
        sums: SummedStats | None = None
        are_alike = True
        for batch in corpus.parts(_largest_piece(metric, corpus.n_systems)):
            context_of_piece = context
            if context is None:
                context_of_piece = metric.fit(batch)
                contexts.append(context_of_piece)
            stats = stats_of_systems(metric, batch, context_of_piece)
            if sums is None:
                nothing = np.zeros((corpus.n_systems, len(stats.columns)))
                sums = SummedStats(stats.signature, stats.columns, nothing)
            are_alike = are_alike and stats.signature == sums.signature
            sums = sums.plus(stats)
            if bar is not None:
                bar.total = max(bar.total, bar.n + batch.n_segments)
                bar.update(batch.n_segments)
        return sums if are_alike else None

    with bar_of("scoring", "segments", n) as bar:
        sums = added_up(None)
        context = joined_context(contexts)
        if sums is None or sums.signature != metric.signature(context):
            sums = added_up(context)
    if sums is None:
        return None
    leaves_items_out = (sums.column("items") != n).any()
    # Only rows say which.
    return None if leaves_items_out else (sums, context)


def stats_of_systems(metric: Metric, batch: Corpus, context: Any) -> SegmentStats:
    """Return the rows of all systems of a batch, as scored; OptionError if there are fewer or more."""
    if metric.takes_systems or batch.n_systems == 1:
        stats = metric.segment_stats(batch, context)
    else:
        of_systems = [metric.segment_stats(batch.system(number), context) for number in range(batch.n_systems)]
        stats = SegmentStats.concatenate(of_systems)
    # A user's own metric may be wrong: a row too few would be a segment that silently does not count.
    if stats.rows.shape != (batch.n_items, len(stats.columns)):
        raise OptionError(
            f"{metric.name}: segment_stats must return {batch.n_items:,} rows of {len(stats.columns)} numbers, "
            f"one row per item. Got an array of shape {stats.rows.shape}."
        )
    return stats


def joined_context(contexts: Sequence[Any]) -> Any:
    """Return the context of a corpus from those of its parts; None where the metric has none."""
    return None if contexts[0] is None else reduce(add, contexts)


def _largest_piece(metric: Metric, n_systems: int) -> int:
    return PIECE_OF_NETWORKS if metric.loads_model else max(1, PIECE // n_systems)


# Many against many: the score of each hypothesis against each reference, in blocks that bound the memory.

#: Of a block: most pairs, and most texts and characters of a side (but one text at least).
PAIRS, TEXTS, CHARACTERS = 1 << 15, 1 << 10, 1 << 17


def pair_scores(metric: Metric, hypotheses: Any, references: Any) -> NDArray[np.float64]:
    """Return the primary score of each hypothesis against each reference, shape (h, r)."""
    if not metric.takes_references:
        raise OptionError(f"{metric.name} scores texts without references: there are no pairs to compare.")
    hypothesis_texts = _encoded_texts(metric, hypotheses, "hypotheses")
    reference_texts = hypothesis_texts if references is None else _encoded_texts(metric, references, "references")
    if not hypothesis_texts or not reference_texts:
        return np.zeros((len(hypothesis_texts), len(reference_texts)))
    context = metric.fit(Corpus(hypothesis_texts[:1] * len(reference_texts), reference_texts))
    warn_of(metric, metric.corpus_warning(context))
    crossing = Crossing.of(hypothesis_texts, reference_texts)
    rows_of = metric.pair_rows(crossing, context)
    scores_of = metric.segment_metric.finalize
    # repeats are scored once: candidates that a model samples are often equal
    distinct_texts, row_of = _different(crossing.hypotheses)
    distinct_references, column_of = _different(crossing.references)
    scores = np.empty((len(distinct_texts), len(distinct_references)))

    def fill(block: tuple[slice, slice]) -> None:
        of_texts, of_references = block
        rows = rows_of(distinct_texts[of_texts], distinct_references[of_references])
        primary_scores = np.asarray(scores_of(rows)[metric.primary])
        scores[block] = primary_scores.reshape(scores[block].shape)

    n_jobs = 1 if metric.loads_model else metric.asked.n_jobs  # a network has threads of its own
    blocks = list(_blocks(crossing.strings, distinct_texts, distinct_references, n_jobs))
    for _ in in_threads(fill, blocks, n_jobs):
        pass
    if scores.shape == (len(hypothesis_texts), len(reference_texts)):
        return scores
    return scores[np.ix_(row_of, column_of)]


def _different(texts: Indices) -> tuple[Indices, Indices]:
    """Return the different ones in the order in which they first come, and which of them each is."""
    numbers = {text: number for number, text in enumerate(dict.fromkeys(texts.tolist()))}
    return np.array(list(numbers), np.int64), np.array([numbers[text] for text in texts.tolist()], np.int64)


def _encoded_texts(metric: Metric, values: Any, name: str) -> list[str]:
    """Return a user's texts, as scored; InputError names the first that is none, or cannot be encoded."""
    strings = metric.as_scored(read_texts(values, name)).encoded().strings
    assert strings is not None
    return strings[0]


def _blocks(strings: list[str], texts: Indices, references: Indices, n_jobs: int) -> Iterable[tuple[slice, slice]]:
    """Return blocks of pairs, as square as can be: there the work that each text takes is shared by most pairs."""
    # Where there are few rows, a block has more columns than a square has.
    most_columns = min(TEXTS, max(isqrt(PAIRS), PAIRS // len(texts)))
    columns_used = min(most_columns, len(references))
    share_of_thread = ceil(len(texts) / n_jobs)
    most_rows = min(TEXTS, PAIRS // columns_used, share_of_thread)
    rows = _spans([len(strings[text]) for text in texts.tolist()], most_rows)
    columns = _spans([len(strings[text]) for text in references.tolist()], most_columns)
    return product(rows, columns)


def _spans(sizes: list[int], most: int) -> Iterator[slice]:
    """Yield slices of at most so many texts, of `CHARACTERS` together (but one text at least)."""
    start, total = 0, 0
    for text, size in enumerate(sizes):
        if text > start and (text - start == most or total + size > CHARACTERS):
            yield slice(start, text)
            start, total = text, 0
        total += size
    yield slice(start, len(sizes))
