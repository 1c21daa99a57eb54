"""What a metric defines: rows of numbers, scores from the sums of rows, and what is said of them."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tercet import numpy_later as np
from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_texts
from tercet.corpus.normalizers import label_of_normalizers
from tercet.corpus.reading import Crossing, read_corpus
from tercet.engine.planned import Entry, SumsAndScores, TextPlan
from tercet.errors import OptionError
from tercet.signature import Signature
from tercet.statistics.stats import Scores, SegmentStats

from .about import About
from .configured import Configured
from .rows import BASE_COLUMNS, PairRows, rows_of_items

if TYPE_CHECKING:
    from typing_extensions import Self

    from tercet.explanation.explanation import Matched


class MetricDefinition(Configured, metaclass=ABCMeta):
    """What each metric defines; `Metric`, with what a user calls, is made of it.

    The functions that score texts (`scoring.py`, `short_road.py`, `pieces.py`, `pairwise.py`) take any definition.
    """

    # What people call it.

    about: ClassVar[About]
    title: ClassVar[str] = ""  #: What people call the metric, such as BLEU.
    #: The extras of the package that its options may need.
    extras: ClassVar[tuple[str, ...]] = ()

    # Private, as `_plan` is.
    @property
    def _given_name(self) -> str:
        """The name by which a user gives it."""
        return self.name

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

    # Names and rows of numbers, and scores from the sums of rows.

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

    @property
    def waits_for_corpus(self) -> bool:
        """Whether parts are not even tried before the whole corpus is known: their signature would not tell."""
        return self.needs_corpus not in (False, "signed")

    def corpus_warning(self, context: Any, corpus: Corpus | None = None) -> str | None:
        """Return a warning about the texts, raised once per call, or None; of sums, the context alone is known."""
        return None

    def score_warning(self, totals: Any) -> str | None:
        """Return a warning about the sums of the rows, raised once per call, or None."""
        return None

    def why_worst(self, totals: Any, corpus: Corpus) -> str:
        """Return in a few words why a corpus may have the worst score whatever its texts; "" where it may not."""
        return ""

    def pair_rows(self, crossing: Crossing, context: Any) -> PairRows:
        """Return what makes rows of pairs, each an item of its own; of them only the primary score is used.

        What a text takes is done here, once, and not in each block. Threads share what is returned.
        """
        return rows_of_items(crossing.strings, lambda batch: self.segment_stats(batch, context).rows)

    def corpus_totals(self, stats: SegmentStats) -> Any:
        """Return the sums for the score of the corpus, shape (k,)."""
        return stats.total()

    @property
    def segment_metric(self) -> Self:
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

    def new_plan(self) -> TextPlan | None:
        """Return what the engine does in one step (`engine/plain_plan.py`); None where Python has a part in it.

        Its first scores are those of `score_names`. `score_warning` is asked where texts are unusual, or one of the
        columns is 0 that its rules name as `watched`.
        """
        return None

    @cached_property
    def _keys(self) -> list[Entry]:
        """What `report` returns, of the sums of the rows and what the plan makes of them."""
        return self._score_keys()

    # A method, for subclasses whose `_keys` begin with these: `super()._keys` would keep the parent's list under the
    # same name, and another thread could read that.
    def _score_keys(self) -> list[Entry]:
        """Return the keys of the scores."""
        return [Entry(name, "score", number) for number, name in enumerate(self.score_names)]

    def _entries(self, scores: list[float], sums: list[float]) -> dict[str, Any]:
        """Return the entries of a result, of these scores and sums."""
        entries: dict[str, Any] = {}
        SumsAndScores(sums, scores).enter(entries, self._keys)
        return entries

    # Private, as users name options and attributes of their own metrics.
    @cached_property
    def _plan(self) -> TextPlan | None:
        """The plan of `new_plan`, made when it is first asked for; None also where texts are normalized.

        A subclass may count otherwise, and has the plan that it defines itself.
        """
        defines_its_plan = "new_plan" in vars(type(self))
        if self.normalize is None and defines_its_plan:
            return self.new_plan()
        return None

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return further attributes of the result, when they are read; `entries` are what `report` returned.

        `stats` are None unless the metric keeps its rows.
        """
        return {}

    def facts_in_a_line(self, report: Mapping[str, Any]) -> str:
        """Return the `facts` of a result, whose keys and attributes are given; "" where there are none."""
        entries = []
        for name in self.facts:
            value = report[name]
            values = value if isinstance(value, list) else [value]
            entries.append(f"{name} = {'/'.join(f'{number:g}' for number in values)}")
        return ", ".join(entries)

    def score_title(self, score: str) -> str:
        """Return what people call one of the scores, such as ROUGE-L."""
        title = score
        if self.title and score.startswith(self.primary):
            title = self.title + score.removeprefix(self.primary)
        return title.replace("_", " ")

    def notes(self, n_references: str, *, segments: bool = False) -> dict[str, str]:
        """Return further entries of a result's signature, and for `segments` how these are scored."""
        notes = {"refs": n_references} if self.takes_references else {}
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


def is_higher_better(metric: MetricDefinition, score: str) -> bool:
    """Return whether higher is better, for one of the scores of a metric."""
    is_contrary = score.startswith(tuple(metric.contrary_scores))
    if is_contrary:
        return not metric.higher_is_better
    return metric.higher_is_better
