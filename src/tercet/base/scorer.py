"""A metric as the statistics see it: rows of numbers for segments, and scores from their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import chain
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tercet.checks import as_scale
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import check_missing, read_texts
from tercet.corpus.reading import Crossing, Places, read_corpus
from tercet.errors import OptionError, did_you_mean, on_command_line, shorten
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .dialects import Dialect, no_option
from .options import Call, Value, check_value, option

ScorerT = TypeVar("ScorerT", bound="Scorer")


class Scorer(Value, ABC):
    """A metric with its options, as statistics see it.

    Its only state is its options, so threads can share it. What it must know of a corpus before scoring (`fit`) is
    passed along as a context.
    """

    title: ClassVar[str] = ""  #: What people call the metric, such as BLEU.
    #: The primary score, and whether higher is better; of others, `is_higher_better` says it.
    primary: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    #: Whether predictions are compared with references; otherwise references are ignored.
    takes_references: ClassVar[bool] = True
    #: Whether an item may also be a list of texts, a set.
    takes_sets: ClassVar[bool] = False
    #: Whether its scores are shares of 1, which the option ``scale`` turns into percent.
    is_share: ClassVar[bool] = True
    has_scale: ClassVar[bool] = True  # whether that option has an effect
    #: The scale of the package that the scores equal: 1, or 100 for percent.
    original_scale: ClassVar[int] = 1
    #: For values of ``compat``: the interface of that package's evaluate module.
    dialects: ClassVar[Mapping[str, Dialect]] = {}
    #: Whether scoring loads a network.
    loads_model: ClassVar[bool] = False
    #: Whether `segment_stats` takes several systems at once; otherwise it is called once per system.
    takes_systems: ClassVar[bool] = False
    #: Whether `finalize` and other users of the sums also take a list of floats.
    in_floats: ClassVar[bool] = False
    #: How to score a corpus in parts with a metric that needs the whole corpus (`needs_corpus`).
    fit_first: ClassVar[str] = ""
    #: The effect of ``missing_references="zero"``, and the error if every item was left out.
    at_zero: ClassVar[str] = "scores them 0"
    nothing_left: ClassVar[str] = "No item has a reference, so missing_references='skip' left all of them out."
    #: Keys and attributes of the result to report with the score, such as lengths.
    facts: ClassVar[tuple[str, ...]] = ()
    #: Each row begins with 1 (0 if left out), 1 for an empty prediction, 1 without reference, number of references.
    base_columns: ClassVar[tuple[str, ...]] = ("items", "empty", "missing", "references")
    _asked: ClassVar[Call] = Call()

    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc='What to do with an item that has no reference. Refuse the corpus ("error"), leave the item out '
        '("skip"), or score it 0 ("zero"); the result counts such items.',
    )
    scale: Literal[1, 100] = option(default=1, doc="Scores from 0 to 1, or in percent.", check=as_scale)

    @classmethod
    def all_options(cls) -> list[str]:
        """Return the names of the options that a call takes, those of every metric first."""
        return list({**Scorer.options(), **Call.options(), **cls.options()})

    @classmethod
    def from_options(cls: type[ScorerT], given: Mapping[str, Any], *, idle: bool = False) -> ScorerT:
        """Return the metric with these options of its own and of a call; with `idle`, they may be without effect."""
        of_call = {name: each for name, each in given.items() if name in Call.options() and name not in cls._declared}
        made = cls.made({name: value for name, value in given.items() if name not in of_call}, idle=idle)
        made.check()
        return made.asking(Call.made(of_call, called=cls.name, idle=idle)) if of_call else made

    def have_effect(self, names: Container[str]) -> bool:
        """Return whether each of these options has an effect with the others."""
        of_metric = (each for each in self._declared.values() if each.name in names)
        of_call = (each for each in Call.options().values() if each.name in names)
        return all(o.only_with is None or o.only_with.test(self) for o in of_metric) and all(
            o.only_with is None or o.only_with.test(self.asked) for o in of_call
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.given, self.asked.given)

    def __repr__(self) -> str:
        made = super().__repr__()
        asked = "".join(f", {name}={value!r}" for name, value in self.asked.given.items())
        return f"scorer({made}{asked})" if asked else made

    def __eq__(self, other: object) -> bool:
        same = super().__eq__(other)
        return same and self.asked == other.asked if isinstance(other, Scorer) else same

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.asked))

    @property
    def asked(self) -> Call:
        """The options of the call."""
        return self._asked

    def asking(self: ScorerT, call: Call) -> ScorerT:
        """Return the same metric with these options of a call."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__, _asked=call)
        other.check_call()
        return other

    def check_call(self) -> None:
        """Raise an OptionError for options of a call that the metric does not support."""
        if self.asked.confidence_level is not None:
            self.check_resampling()

    def _take(self, given: Mapping[str, Any], called: str = "", idle: bool = False) -> None:
        for name, value in ((name, given[name]) for name in given if name not in self._declared):
            if name not in Call.options():
                known = self._declared if on_command_line() else self.all_options()  # typed for one metric
                raise no_option(called or self.name, name, known, self.dialects)
            check_value(called or self.name, name, Call.options()[name].checked, value)
            raise OptionError(
                f"{name!r} belongs to a call, not to the metric: give it to tercet.score, or to the call of the "
                f"metric, as in {type(self).__name__}()(predictions, references, {name}={shorten(value)})."
            )
        super()._take(given, called, idle)

    @classmethod
    def dialect(cls, configuration: str) -> Dialect:
        """Return the dialect of a configuration of the evaluate module: ``"default"``, or the name of a preset."""
        if configuration == "default":
            return Dialect()
        if not isinstance(configuration, str) or configuration not in cls.presets:
            hint = did_you_mean(str(configuration), ["default", *cls.presets])
            raise OptionError(f"{cls.name} has no configuration {configuration!r}. {hint}")
        return cls.dialects.get(configuration, Dialect(options={"compat": configuration}))

    @classmethod
    def read(cls, predictions: Any, references: Any = None) -> Corpus:
        """Return a user's texts, checked and encoded; errors as :meth:`corpus`."""
        return cls.corpus(predictions, references).encoded()

    @classmethod
    def corpus(cls, predictions: Any, references: Any = None) -> Corpus:
        """Return a user's texts, checked; without references if the metric takes none."""
        return read_corpus(predictions, references) if cls.takes_references else read_texts(predictions)

    def check_missing(self, missing: Sequence[int]) -> None:
        """Raise an InputError for items without reference, unless the options allow them."""
        if self.takes_references:
            check_missing(missing, self.missing_references, self.at_zero)

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of the k columns of a row."""

    @property
    def ascending(self) -> tuple[tuple[str, ...], ...]:
        """Chains of columns: in no row, nor in a sum, is one more than the next. Forged sums are known by them."""
        return ()

    @property
    @abstractmethod
    def score_names(self) -> tuple[str, ...]:
        """The keys of `finalize` that are scores: they get intervals and segment scores."""

    def is_higher_better(self, score: str) -> bool:
        """Return whether higher is better, for one of the scores."""
        return self.higher_is_better

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores, such as ROUGE-L."""
        named = self.title and score.startswith(self.primary)
        return (self.title + score.removeprefix(self.primary) if named else score).replace("_", " ")

    def fit(self, batch: Corpus) -> Any:
        """Return what the scorer must know of the whole corpus before scoring a part; contexts add up."""
        return None

    @property
    def needs_corpus(self) -> bool:
        """Whether the rows of a part depend on the other parts."""
        return False

    @property
    def signature_tells(self) -> bool:
        """Whether equal signatures mean equal rows, whatever the other parts."""
        return not self.needs_corpus

    def check_totals(self) -> None:
        """Raise an OptionError for options that need rows, not sums."""
        if self.asked.segments:
            raise OptionError(
                f"{self.name}: segments=True needs the scores of every item, but only sums are kept here; "
                "tercet.score gives them."
            )
        self.check_resampling()

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning about the texts, raised once per call, or None; of sums, the context alone is known."""
        return None

    def score_warning(self, totals: Any) -> str | None:
        """Return a warning about the sums of the rows, raised once per call, or None."""
        return None

    def notes(self, references: str) -> dict[str, str]:
        """Return further entries of a result's signature, besides those of its rows."""
        notes = {"refs": references} if self.takes_references else {}
        if self.scale != 1 and self.has_scale:
            notes["scale"] = str(self.scale)
        return notes

    @abstractmethod
    def signature(self, context: Any) -> Signature:
        """Return the signature of the statistics."""

    @abstractmethod
    def segment_stats(self, batch: Corpus, context: Any) -> SegmentStats:
        """Return one row of statistics per item."""

    def system_stats(self, batch: Corpus, context: Any) -> SegmentStats:
        """Return the rows of all systems of a batch, system by system."""
        if self.takes_systems or batch.n_systems == 1:
            return self.segment_stats(batch, context)
        each = (batch.system(place) for place in range(batch.n_systems))
        return SegmentStats.concatenate([self.segment_stats(own, context) for own in each])

    def pair_rows(self, crossing: Crossing, context: Any) -> PairRows:
        """Return what makes rows of pairs, each an item of its own; of them only the primary score is used.

        What a text takes is done here, once, and not in each block. Threads share what is returned.
        """
        return rows_of_items(crossing.strings, lambda batch: self.segment_stats(batch, context).rows)

    @abstractmethod
    def finalize(self, totals: Any) -> Scores:
        """Return the scores of sums of rows."""

    def scores_of(self, totals: Any) -> Scores:
        """Return only the scores of `finalize`, for resamples."""
        scores = self.finalize(totals)
        return {name: scores[name] for name in self.score_names}

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The names of `score_names` for a single item, in the same order."""
        return self.score_names

    @property
    def segment_rule(self) -> str | None:
        """How segments are scored, if differently from the corpus; part of the signature."""
        return None

    @property
    def segment_options(self) -> dict[str, Any]:
        """The changed options under which a corpus of one item has that item's segment score."""
        return {}

    def segment_scores(self, rows: Any) -> Scores:
        """Return the scores of single segments, shape (n,), or of one, whose row is a list as `finalize` takes it."""
        return self.finalize(rows)

    def original_scores(self, rows: NDArray[np.float64]) -> Scores:
        """Return the scores of single segments as in that package, bit for bit, at its scale: bits decide ties."""
        return self.segment_scores(rows)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums for the score of the corpus, shape (k,), in the best type for `finalize`."""
        return stats.sums() if self.in_floats else stats.total()

    def check_resampling(self) -> None:
        """Raise an OptionError if the score is not a function of the sum of the rows: it cannot be resampled."""

    def report(self, totals: Any, stats: SegmentStats | None) -> dict[str, Any]:
        """Return the result's keys for a corpus, as plain Python: those of evaluate's module."""
        scores = self.finalize(totals)
        return {name: np.asarray(scores[name]).tolist() for name in self.score_names}

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return further attributes of the result; `entries` are what `report` returned."""
        return {}

    def facts_line(self, known: Mapping[str, Any]) -> str:
        """Return the `facts` on one line."""
        values = {name: known[name] if isinstance(known[name], list) else [known[name]] for name in self.facts}
        return ", ".join(f"{name} = {'/'.join(f'{value:g}' for value in each)}" for name, each in values.items())

    def total_of(self, totals: Any, column: str) -> int:
        """Return the sum of a column of counts."""
        return int(totals[self.columns.index(column)])

    def base_rows(self, batch: Corpus, prediction_lengths: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the base columns of the rows, shape (n, 4)."""
        references = batch.reference_counts if self.takes_references else np.zeros(batch.n_items, np.int64)
        missing = (references == 0) & self.takes_references
        left_out = missing if self.missing_references == "skip" else np.zeros_like(missing)
        empty = (prediction_lengths == 0) & ~left_out
        return np.column_stack([~left_out, empty, missing, references]).astype(np.float64)


def segment_lists(scorer: Scorer, stats: SegmentStats) -> dict[str, list[float | None]]:
    """Return the scores of every item as lists; None for an item left out."""
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


def _restored(cls: type[ScorerT], given: Mapping[str, Any], asked: Mapping[str, Any]) -> ScorerT:
    return cls.from_options({**given, **asked}, idle=True)


# Rows of statistics: of items left out, and of pairs, for many against many.

Rows = NDArray[np.float64]
#: Makes the rows of a block of pairs: each of some texts with each of some references, by their numbers.
PairRows = Callable[[Places, Places], Rows]


def rows_of_items(strings: list[str], rows_of: Callable[[Corpus], Rows]) -> PairRows:
    """Return what makes rows of pairs by writing them as items, given how a metric makes rows of these."""

    def rows(texts: Places, references: Places) -> Rows:
        repeated = list(chain.from_iterable([strings[text]] * len(references) for text in texts.tolist()))
        return rows_of(Corpus(repeated, [strings[text] for text in references.tolist()] * len(texts)))

    return rows


def base_of_pairs(lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the base columns of pairs, shape (n, 4), given the lengths of their predictions."""
    rows = np.zeros((len(lengths), 4))
    rows[:, 0] = rows[:, 3] = 1.0
    rows[:, 1] = lengths == 0
    return rows


def left_out(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which items have no reference, and mark them in their rows as left out."""
    missing: NDArray[np.bool_] = rows[:, 2] > 0
    rows[missing, :2] = 0.0
    return missing
