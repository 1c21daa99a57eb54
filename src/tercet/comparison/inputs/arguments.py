"""What a user compares: systems in memory, in files or in a frame, numbers, metrics -> a test set and its metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from tercet.base.metric import Metric
from tercet.comparison.specs.metric_specs import distinct, is_mean, metric_of, name_of
from tercet.corpus.corpus import Corpus, surrogate_error
from tercet.corpus.items import read_systems
from tercet.errors import InputError, OptionError, argument, shorten
from tercet.metrics.column import Column
from tercet.names_as_shown import joined
from tercet.option_checks import has_entries
from tercet.statistics.clusters import Clusters
from tercet.test_sets.checks import check_has_texts, check_references
from tercet.test_sets.test_set import TestSet

from .default_metrics import DEFAULT_METRIC, default_metrics, placeholders_left_out
from .files_and_frames import check_no_columns, check_no_splits, is_file_or_frame, read_one
from .given_scores import as_compared, read_columns, scores_alone, with_scores


class Caller(NamedTuple):
    """A function that takes test sets and metrics, as errors show its calls."""

    name: str
    #: What it takes beside a TestSet and the texts of each system.
    alternatives: str = ""
    #: An example of the grades that it takes, "" where it takes none.
    grades: str = ""


class Arguments(NamedTuple):
    """The arguments of :func:`compare`, and of functions that call it, that say what is compared."""

    caller: Caller
    test_set: Any
    metrics: Any
    scores: Any
    references: Any
    cluster: Any
    named_columns: Mapping[str, Any] = MappingProxyType({})
    by: Any = None

    def read(self) -> TestSetAndMetrics:
        """Return what is compared."""
        columns = read_columns(self.scores)
        check_no_splits(self.test_set, self.caller.name)
        if is_file_or_frame(self.test_set):
            return self._of_files_or_frame(columns).prepared(columns)
        check_no_columns(self.named_columns)
        return self._in_memory(columns).prepared(columns)

    def _in_memory(self, columns: Mapping[Column, Any]) -> _Unprepared:
        texts = scores_alone(columns) if self.test_set is None else self.test_set
        test_set = check_test_set(texts, self.caller)
        metrics, placeholders = self._metrics_of(test_set, columns)
        return _Unprepared(test_set, self.references, self.cluster, metrics, placeholders)

    def _of_files_or_frame(self, columns: Mapping[Column, Any]) -> _Unprepared:
        """Return the test set of files or of a data frame: it is read with what metrics and scores need, if named."""
        metrics: list[Metric] | None = None
        placeholders: list[str] = []
        if self.metrics is not None or columns:
            metrics = self._all_metrics(list(columns))
        test_set = read_one(
            self.test_set,
            self.caller.name,
            references=self.references,
            columns=self.named_columns,
            cluster=self.cluster,
            by=self.by,
            scores=[column.name for column, numbers in columns.items() if numbers is None],
            need_references=metrics is None or any(metric.takes_references for metric in metrics),
            need_texts=metrics is not None and any(not isinstance(metric, Column) for metric in metrics),
        )
        if metrics is None:
            metrics, placeholders = self._metrics_of(test_set, columns)
        # Files and frames have their references, and the column of labels that a name stands for.
        labels = None if isinstance(self.cluster, str) else self.cluster
        return _Unprepared(test_set, None, labels, metrics, placeholders)

    def _metrics_of(self, test_set: Any, columns: Mapping[Column, Any]) -> tuple[list[Metric], list[str]]:
        """Return the metrics, by default those of the test set, and what is said of scores that stand for none."""
        if self.metrics is None and self.scores is None and isinstance(test_set, TestSet):
            return default_metrics(test_set), placeholders_left_out(test_set)
        return self._all_metrics(list(columns)), []

    def _all_metrics(self, columns: list[Column]) -> list[Metric]:
        """Return the metrics and columns to compare."""
        metrics = self.metrics
        if not columns:
            return read_metrics(DEFAULT_METRIC if metrics is None else metrics, self.caller)
        if metrics is None or (isinstance(metrics, Sequence) and not metrics):
            return list(columns)
        return distinct([*read_metrics(metrics, self.caller), *columns])


class _Unprepared(NamedTuple):
    """What is compared, once it is in memory."""

    test_set: TestSet | Mapping[str, Any]
    #: Of a mapping of systems; a test set has its own.
    references: Any
    #: A label per segment.
    cluster: Any
    metrics: list[Metric]
    placeholders: list[str]

    def prepared(self, columns: Mapping[Column, Any]) -> TestSetAndMetrics:
        """Return the texts encoded, with the numbers of columns, and the metrics at their scales."""
        metrics = self.metrics
        needed_by = list(dict.fromkeys(name_of(metric) for metric in metrics if metric.takes_references))
        without_scores, corpus = read_test_set(self.test_set, self.references, needed_by)
        test_set = with_scores(without_scores, columns)
        metrics_of_texts = [name_of(metric) for metric in metrics if not isinstance(metric, Column)]
        if metrics_of_texts:
            check_has_texts(test_set, metrics_of_texts[0])
        metrics_as_compared = [as_compared(metric, test_set) for metric in metrics]
        if not corpus.n_segments:
            raise InputError(f"{test_set.name} has no segment to score.")
        if self.cluster is not None:
            test_set = replace(test_set, clusters=Clusters.of(self.cluster, corpus.n_segments))
        return TestSetAndMetrics(test_set, corpus, metrics_as_compared, needed_by, self.placeholders)


class TestSetAndMetrics(NamedTuple):
    """What is compared, and by what: the texts or numbers of systems, and the metrics that score them."""

    test_set: TestSet
    corpus: Corpus
    metrics: list[Metric]
    #: The names of those that compare with references.
    needed_by: list[str]
    #: What is said of scores that came with the texts and stand for none.
    placeholders: list[str]

    def check_metrics(self) -> None:
        """Raise an error for a metric that cannot be resampled, or lacks references."""
        for metric in self.metrics:
            metric.check_call(resampled=True)
            if metric.takes_references:
                check_references(self.test_set, metric, name_of(metric))


def check_test_set(value: Any, caller: Caller) -> TestSet | Mapping[str, Any]:
    """Return a TestSet or mapping, or raise an InputError for all else, with a call that can be copied."""
    if isinstance(value, TestSet | Mapping):
        return value
    # What read_test_sets returns is a list, also of one test set.
    first_values = list(value)[:2] if isinstance(value, list | tuple) else []
    if first_values and isinstance(first_values[0], TestSet):
        raise InputError(
            f"{caller.name} takes one TestSet at a time, got a list of them: "
            f"[tercet.{caller.name}(each) for each in test_sets]."
        )
    arguments = "{'A': predictions, 'B': others}, 'bleu'"
    if caller.grades:
        arguments = f"{arguments}, grades={caller.grades}"
    raise InputError(
        f"{caller.name} takes the texts of each system by its name, as in tercet.{caller.name}({arguments}, "
        f"references=references), or a TestSet of tercet.read_test_sets{caller.alternatives}. Got {shorten(value)} "
        f"({type(value).__name__})."
    )


def read_test_set(
    test_set: TestSet | Mapping[str, Any], references: Any, needed_by: Sequence[str]
) -> tuple[TestSet, Corpus]:
    """Return a TestSet, also of a mapping, and its encoded texts; `needed_by` names metrics that take references."""
    if isinstance(test_set, TestSet):
        if references is not None:
            raise InputError(
                f"A TestSet has references of its own: give {argument('references')} only with a mapping of systems."
            )
        if not test_set.systems:
            raise InputError(f"{test_set.name} has no system to score.")
        return test_set, test_set.corpus()
    if test_set and references is None and needed_by:
        verb = "compare" if len(needed_by) > 1 else "compares"
        raise InputError(
            f"A mapping of systems needs {argument('references')} for {joined(needed_by)}, which {verb} texts with "
            "references."
        )
    if not test_set:
        raise InputError("There is no system to score.")
    for name in test_set:
        if not isinstance(name, str):
            raise InputError(f"The names of systems must be strings, got {shorten(name)}.")
        error = surrogate_error(f"The name of the system {shorten(name)}", name)
        if error is not None:
            raise error
    shown_names = [shorten(name) for name in test_set]
    if len(set(shown_names)) < len(shown_names):
        # Long names may be alike where they are cut.
        shown_names = [repr(name) for name in test_set]
    argument_names = [f"predictions of {name}" for name in shown_names]
    corpus = read_systems(argument_names, list(test_set.values()), references).encoded()
    # As lists: the caller's own may be any container, and change. The references are the last column.
    *predictions, reference_lists = corpus.columns().values()
    systems = dict(zip(test_set, predictions, strict=True))
    return TestSet("test set", systems, reference_lists, source=None), corpus


def read_metrics(metrics: Any, caller: Caller) -> list[Metric]:
    """Return the metrics, one or several, as values; errors name the function that takes them."""
    metric_or_metrics = [metrics] if isinstance(metrics, str | Metric) else metrics
    metric_list = list(metric_or_metrics) if has_entries(metric_or_metrics) else []
    if not metric_list or not all(isinstance(metric, str | Metric) for metric in metric_list):
        raise OptionError(
            f"The 'metrics' option of {caller.name} must be a metric or a list of them, such as ['bleu', "
            f"'rouge:rouge_types=rougeL']. Got {shorten(metrics)} instead."
        )
    for metric in metric_list:
        # No metric has a blank in its name: this is a reference where a metric should be.
        if isinstance(metric, str) and " " in metric.partition(":")[0] and not is_mean(metric):
            grades = "grades, " if caller.grades else ""
            raise OptionError(
                f"{shorten(metric)} is no metric. References are given by name: {caller.name}(systems, 'bleu', "
                f"{grades}references=references)."
            )
    return distinct(metric_of(metric) for metric in metric_list)
