"""What a metric of the suite is: statistics of segments, and scores from their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.columns.batch import Batch, Corpus
from tercet.columns.items import check_missing, read_texts
from tercet.columns.reading import read_corpus
from tercet.errors import OptionError, did_you_mean

from .dialect import Dialect
from .options import Options, build_options
from .signature import Signature
from .stats import SegmentStats

OptionsT = TypeVar("OptionsT", bound=Options)
Scores = dict[str, NDArray[np.float64]]


class Scorer(ABC, Generic[OptionsT]):
    """A metric with its options fixed.

    A scorer has no state but its options (and what follows from them): it can be shared between threads, and what
    it learns from a corpus before it scores it (`fit`) is passed along as a context.

    Attributes
    ----------
    name : str
        Name of the metric.
    primary : str
        The score to sort systems by.
    higher_is_better : bool
        Whether a greater primary score is a better one.
    takes_references : bool
        Whether predictions are compared with references; otherwise those that are given are left alone.
    is_share : bool
        Whether its scores are shares of 1, which the option ``scale`` turns into percent.
    options_type : type
        Dataclass of its options.
    presets : mapping
        For each value of ``compat`` the defaults that it changes.
    dialects : mapping
        For values of ``compat``: how the evaluate module of that package spells arguments and results.
    original_scale : int
        The scale of the package that the scores equal: 1, or 100 for percent.
    loads_model : bool
        Whether scoring loads a network: nothing to do in passing.
    takes_systems : bool
        Whether `segment_stats` takes several systems at once, with their references tokenized once; else it is called
        for each of them.
    in_floats : bool
        Whether `finalize` and what else takes the sums of a corpus takes them as a list of floats, too.
    fit_first : str
        How a metric that must see the whole corpus first is shown a corpus in parts; see `needs_corpus`.
    at_zero : str
        What ``missing_references="zero"`` does with such items, in words.
    nothing_left : str
        What the error says where the options left out every item.
    facts : tuple of str
        Keys and attributes of the result that belong beside the score in an account of a corpus, such as lengths.
    base_columns : tuple of str
        Columns that every scorer's rows begin with: ``items`` (1, or 0 for an item left out), ``empty`` (1 for
        an empty prediction), ``missing`` (1 for an item without reference), ``references`` (their number).
    """

    name: ClassVar[str]
    primary: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    takes_references: ClassVar[bool] = True
    is_share: ClassVar[bool] = True
    options_type: ClassVar[type[Options]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    dialects: ClassVar[Mapping[str, Dialect]] = {}
    original_scale: int = 1
    loads_model: ClassVar[bool] = False
    takes_systems: ClassVar[bool] = False
    in_floats: ClassVar[bool] = False
    fit_first: ClassVar[str] = ""
    at_zero: ClassVar[str] = "scores them 0"
    nothing_left: ClassVar[str] = "No item has a reference, so missing_references='skip' left all of them out."
    facts: ClassVar[tuple[str, ...]] = ()
    base_columns: ClassVar[tuple[str, ...]] = ("items", "empty", "missing", "references")

    def __init__(self, options: OptionsT) -> None:
        self.options = options

    @classmethod
    def from_options(cls, given: Mapping[str, Any], *, idle: bool = False) -> Scorer[Any]:
        """Return a scorer with the options that a user gave, checked, and the defaults for the others.

        With `idle`, options may be given that have no effect with the others.
        """
        options = build_options(cls.options_type, given, cls.name, cls.presets, idle=idle)
        scorer = cls(options)  # type: ignore[arg-type]
        if scorer.options.confidence_level is not None:
            scorer.check_resampling()
        return scorer

    @classmethod
    def dialect(cls, configuration: str) -> Dialect:
        """Return what a configuration of the evaluate module is: ``"default"``, or the name of a preset."""
        if configuration == "default":
            return Dialect()
        if not isinstance(configuration, str) or configuration not in cls.presets:
            hint = did_you_mean(str(configuration), ["default", *cls.presets])
            raise OptionError(f"{cls.name} has no configuration {configuration!r}. {hint}")
        return cls.dialects.get(configuration, Dialect(options={"compat": configuration}))

    @classmethod
    def read(cls, predictions: Any, references: Any = None) -> Batch:
        """Return texts as a user has them, checked and encoded; errors as :meth:`corpus`."""
        return cls.corpus(predictions, references).encoded()

    @classmethod
    def corpus(cls, predictions: Any, references: Any = None) -> Corpus:
        """Return texts as a user has them, checked; without references where the metric takes none."""
        return read_corpus(predictions, references) if cls.takes_references else read_texts(predictions)

    def check_missing(self, missing: Sequence[int]) -> None:
        """Raise an InputError for items without reference, where the metric and its options do not allow them."""
        if self.takes_references:
            check_missing(missing, self.options.missing_references, self.at_zero)

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the k columns of a row."""

    @property
    @abstractmethod
    def score_names(self) -> tuple[str, ...]:
        """The keys of `finalize` that are scores: they get intervals and values a segment."""

    def fit(self, batch: Batch) -> Any:
        """Return what the scorer must know of the whole corpus before it scores a part; contexts add up."""
        return None

    @property
    def needs_corpus(self) -> bool:
        """Whether the rows of a part are others when it is fitted without the other parts."""
        return False

    @property
    def signature_tells(self) -> bool:
        """Whether rows that were fitted with other parts are the same wherever their signature is."""
        return not self.needs_corpus

    def check_totals(self) -> None:
        """Raise an OptionError for what the sums of the rows do not give."""
        if self.options.segments:
            raise OptionError(
                f"{self.name}: segments=True asks for the scores of every item, but only sums are kept here; "
                "tercet.score gives them."
            )
        self.check_resampling()

    def notice(self, context: Any) -> str | None:
        """Return what a user should be told of the context, once per call; None for nothing."""
        return None

    def remark(self, totals: Any) -> str | None:
        """Return what a user should be told of the sums of the rows, once per call; None for nothing."""
        return None

    def notes(self, references: str) -> dict[str, str]:
        """Return what the signature of a result says besides how its rows were made."""
        notes = {"refs": references} if self.takes_references else {}
        if self.options.scale != 1 and self.is_share:
            notes["scale"] = str(self.options.scale)
        return notes

    @abstractmethod
    def signature(self, context: Any) -> Signature:
        """Return how the statistics are made."""

    @abstractmethod
    def segment_stats(self, batch: Batch, context: Any) -> SegmentStats:
        """Return one row of statistics per item."""

    def system_stats(self, batch: Batch, context: Any) -> SegmentStats:
        """Return the rows of all systems of a batch, one system behind the other."""
        if self.takes_systems or batch.n_systems == 1:
            return self.segment_stats(batch, context)
        each = (batch.system(place) for place in range(batch.n_systems))
        return SegmentStats.concatenate([self.segment_stats(own, context) for own in each])

    @abstractmethod
    def finalize(self, totals: Any) -> Scores:
        """Return the scores of sums of rows.

        Parameters
        ----------
        totals : ndarray, shape (..., k), or list of k floats
            A corpus (k,), segments (n, k) or resamples (B, k). Metrics whose formulas hold for floats, too
            (:mod:`.either`), take the list.

        Returns
        -------
        dict of str to ndarray of float64, shape (...), or float
        """

    def scores_of(self, totals: Any) -> Scores:
        """Return what `finalize` gives without its parts that are no scores, for resamples."""
        scores = self.finalize(totals)
        return {name: scores[name] for name in self.score_names}

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The names of `score_names` for a single item, in the same order."""
        return self.score_names

    @property
    def segment_rule(self) -> str | None:
        """How the scores of segments are made, where that differs from the corpus; stands in the signature."""
        return None

    @property
    def segment_options(self) -> dict[str, Any]:
        """The options, other than these, under which a corpus of one item has that item's segment score."""
        return {}

    def segment_scores(self, rows: Any) -> Scores:
        """Return the scores of single segments, shape (n,), or of one, whose row is a list as `finalize` takes it."""
        return self.finalize(rows)

    def original_scores(self, rows: NDArray[np.float64]) -> Scores:
        """Return the scores of single segments to the last bit of that package, at its scale: bits decide ties."""
        return self.segment_scores(rows)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums that the score of the corpus is made from, shape (k,), as `finalize` likes them best."""
        return stats.sums() if self.in_floats else stats.total()

    def check_resampling(self) -> None:
        """Raise an OptionError where the score is no function of the sum of the rows: resamples then have none."""

    def report(self, totals: Any, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the result's keys for a corpus, as plain Python: those of evaluate's module.

        Parameters
        ----------
        totals : ndarray, shape (k,), or list of k floats
            What `corpus_totals` gives.
        stats : SegmentStats or None
            The rows; None where only their sums were kept, and lists of the items' scores cannot be given.
        """
        scores = self.finalize(totals)
        return {name: scores[name].tolist() for name in self.score_names}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return what else the metric says of a corpus: attributes of the result.

        Parameters are as for `report`; `entries` are what that gave.
        """
        return {}

    def facts_line(self, known: Mapping[str, Any]) -> str:
        """Return the `facts`, which are known with the scores, on one line."""
        values = {name: known[name] if isinstance(known[name], list) else [known[name]] for name in self.facts}
        return ", ".join(f"{name} = {'/'.join(f'{value:g}' for value in each)}" for name, each in values.items())

    def total_of(self, totals: Any, column: str) -> int:
        """Return the sum of a column of counts."""
        return int(totals[self.columns.index(column)])

    def base_rows(self, batch: Batch, prediction_lengths: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the columns that every scorer's rows begin with, shape (n, 4)."""
        references = batch.reference_counts if self.takes_references else np.zeros(batch.n_items, np.int64)
        missing = (references == 0) & self.takes_references
        left_out = missing if self.options.missing_references == "skip" else np.zeros_like(missing)
        empty = (prediction_lengths == 0) & ~left_out
        return np.column_stack([~left_out, empty, missing, references]).astype(np.float64)


def left_out(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which items have no reference, and mark them in their rows as left out."""
    missing: NDArray[np.bool_] = rows[:, 2] > 0
    rows[missing, :2] = 0.0
    return missing


def segment_lists(scorer: Scorer[Any], stats: SegmentStats) -> dict[str, list[float | None]]:
    """Return the scores of every item as lists; None for an item that was left out."""
    names = zip(scorer.segment_names, scorer.score_names, strict=True)
    lists: dict[str, list[Any]]
    if scorer.in_floats and len(stats) == 1:  # in half the time of arrays of one number
        one = scorer.segment_scores(stats.rows[0].tolist())
        lists = {name: [one[score]] for name, score in names}
    else:
        values = scorer.segment_scores(stats.rows)
        lists = {name: values[score].tolist() for name, score in names}
    for index in np.flatnonzero(stats.column("items") == 0).tolist():
        for scores in lists.values():
            scores[index] = None
    return lists
