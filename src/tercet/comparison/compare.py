"""Any number of systems on the same texts: scores, intervals, and which differences are significant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.base.metric import Metric
from tercet.base.options import check_values
from tercet.comparison.inputs.arguments import Arguments, Caller, TestSetAndMetrics
from tercet.comparison.inputs.settings import CompareSettings, usual_resamples
from tercet.comparison.specs.metric_specs import name_of
from tercet.comparison.values.design import Design
from tercet.corpus.corpus import Corpus
from tercet.errors import OptionError, argument, as_settings, warn
from tercet.metrics.column import Column
from tercet.option_checks import known_keywords, read_once
from tercet.statistics.kinds_of_tests import PERMUTATION
from tercet.statistics.progress import bars_within, line_of
from tercet.test_sets.checks import check_baseline
from tercet.test_sets.copied_systems import copy_warnings
from tercet.test_sets.score_warnings import odd_scores
from tercet.test_sets.test_set import TestSet
from tercet.test_sets.text_warnings import empty_references, odd_baseline, odd_segments, warn_of_artefacts

from .metric_tables import MetricFindings, compare_by
from .result import Comparison

if TYPE_CHECKING:
    from tercet.comparison.values.slices import Slices

_COMPARE = Caller("compare", alternatives=", a data frame, or paths of files")


@known_keywords
def compare(
    test_set: TestSet | Mapping[str, Any] | str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Any = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    *,
    scores: Any = None,
    references: Any = None,
    systems: str | Sequence[str] = (),
    reference_columns: str | Sequence[str] = (),
    source_column: str | None = None,
    system_column: str | None = None,
    baseline: str | None = None,
    test: str | None = "permutation",
    n_resamples: int | None = None,
    adjust: str = "step-down",
    confidence_level: float = 0.95,
    interval: str | None = "expanded",
    alpha: float = 0.05,
    seed: int = 12345,
    cluster: Any = None,
    runs: Any = None,
    by: Any = None,
    progress: bool = False,
) -> Comparison:
    """Compare systems on a test set.

    Parameters
    ----------
    test_set : TestSet, mapping of str to sequence of str, data frame, or path or paths, optional
        One of :func:`tercet.read_test_sets`, or the predictions of each system, by its name. Or what that function
        reads: a data frame of pandas or Polars, a ``datasets.Dataset`` or a table of pyarrow, with a column for each
        system and one of references; the path of a file, or paths of several, which hold one test set. How columns
        were read is then in ``comparison.test_set.columns``. Not needed with numbers in `scores`.
    metrics : str, Metric or iterable of them, optional
        Metrics with options, such as ``"bleu:max_order=2"`` or ``tercet.Bleu(max_order=2)``, also of a class of your
        own; in percent unless an option ``scale`` says otherwise. By default none beside `scores`, or the scores that
        came with the TestSet, or else BLEU.
    scores : mapping of str or Column to mapping, or iterable of str or Column, optional
        Scores of another program, each the mean of its segments: for each column the numbers of each system, one per
        segment (None if missing), as ``{"COMET": {"base": [0.7, 0.8], "tuned": [0.9, None]}}``. Or the names of
        columns of the TestSet. ``"TER:better=lower"`` has options of :class:`tercet.Column`.
    references : sequence of str or of sequences of str, optional
        With a mapping of systems; a TestSet has its own. Not needed where no metric compares with references. With
        paths of text files, the path or paths of their references.
    systems, reference_columns : str or sequence of str, optional
        With a data frame or path: columns, where their names do not say their roles.
    source_column, system_column : str, optional
        Columns, too: that of the sources, and that of the system in a table with a row for each item and system.
    baseline : str, optional
        The system that the others are tested against; the first one by default.
    test : {"permutation", "bootstrap"} or None
        Paired test of the differences: permutation or bootstrap. The former is approximate randomization; None, as
        for one system, gives scores only.
    n_resamples : int or None
        Resamples of the test; default: 10,000 permutations (of more than 100 systems fewer, 1,000 at the least) or
        1,000 bootstrap samples. Intervals have 1,000.
    adjust : {"step-down", "holm"}
        How p is adjusted for several systems: step-down (the maximum over all pairs, Romano and Wolf 2005) or holm.
        Exact p of scores that are 0 or 1, and those of runs, are adjusted by Holm's method in any case.
    confidence_level : float
        Confidence level of the bootstrap intervals.
    interval : {"expanded", "percentile", "BCa"} or None
        Kind of the bootstrap intervals: expanded percentile (Hesterberg 2015), percentile or BCa. None leaves them
        out, and what is estimated from the same resamples: how many segments would show a difference.
    alpha : float
        Significance level, above 0 and below 1: differences with a smaller p are significant.
    seed : int
        Seed of all resampling: the same seed gives the same numbers.
    cluster : sequence of str or int, optional
        A label per segment, the same for segments that are not independent: repeats of a sample, or the segments of a
        document. Intervals, tests, wins, ties and losses then go by clusters. A TestSet may have clusters of its own.
        With a data frame or path, also the name of a column.
    runs : str or mapping of str to sequence of str, optional
        Which outputs are runs of one system, such as seeds: ``{"tuned": ["tuned-1", "tuned-2"]}``, or a regular
        expression for their names, whose last group is the run: ``"tuned-([0-9]+)"``. Systems are then compared by
        the mean of their runs, and tested over segments and runs (Welch's t); outputs are not tested.
    by : str, sequence of str or mapping of str to sequence of str, optional
        Slices of the test set, each scored and tested alone; p of a score is adjusted for all slices and systems of a
        kind. A column that was read with the TestSet, such as ``"domain"``; ``"length"``, for five groups of segments
        by the length of their references, or else of their sources; or ``"id~^([a-z]+)"``, for the texts that the
        first group of a regular expression finds in a column (without a group, whether it matches). Or a label for
        each segment, as ``{"domain": ["news", "chat"]}``. With `runs`, slices have the means over the runs of each
        system. None, or what names nothing, such as ``[]``, for none.
    progress : bool
        Show a bar on stderr.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError, OptionError
        For texts that cannot be scored, or an unknown baseline, metric, option or test.

    Notes
    -----
    Each system is scored once, and no text is read or encoded twice. The tests take time in proportion to resamples
    times segments for each system, and to resamples for each pair of systems.

    Examples
    --------
    >>> systems = {"one": ["the cat sat down", "it rains"], "other": ["a cat sat down", "it rains"]}
    >>> found = compare(systems, ["rouge_nlws:rouge_types=rouge1"], references=["a cat sat down", "it rained"])
    >>> [(row.system, round(row.value, 1), row.best) for row in found.tables[0].rows]
    [('one', 62.5, False), ('other', 75.0, True)]

    A data frame has a column for each system:

    >>> import pandas
    >>> frame = pandas.DataFrame({**systems, "reference": ["a cat sat down", "it rained"]})
    >>> [(row.system, round(row.value, 1)) for row in compare(frame, "chrf").tables[0].rows]
    [('one', 76.0), ('other', 86.1)]
    """
    arguments = Arguments(
        caller=_COMPARE,
        test_set=test_set,
        metrics=metrics,
        scores=scores,
        references=references,
        named_columns={
            "systems": systems,
            "reference_columns": reference_columns,
            "source_column": source_column,
            "system_column": system_column,
        },
        cluster=cluster,
        # What is sliced by is read twice where it names columns of files.
        by=read_once(by),
    )
    options = {
        "test": test,
        "n_resamples": n_resamples,
        "adjust": adjust,
        "confidence_level": confidence_level,
        "interval": interval,
        "alpha": alpha,
        "seed": seed,
        "progress": progress,
    }
    # Before texts are read, which may take long.
    settings = check_values("compare", options, CompareSettings.checks())
    show_progress = settings.pop("progress")
    if isinstance(runs, Mapping):
        runs = {system: read_once(outputs) for system, outputs in runs.items()}
    return compare_arguments(arguments, settings, show_progress, baseline=baseline, runs=runs)


def compare_arguments(
    arguments: Arguments,
    settings: Mapping[str, Any],
    show_progress: bool,
    *,
    baseline: str | None = None,
    runs: Any = None,
) -> Comparison:
    """Return the comparison of :func:`compare`, with settings that are checked; `arguments` name the function."""
    inputs = arguments.read()
    outputs = _read_runs(list(inputs.test_set.systems), runs, baseline)
    inputs.check_metrics()
    design = _design(inputs, settings, outputs, arguments.by)
    messages = _messages(design, inputs, has_baseline=baseline is not None, runs=runs)
    found = _compare_by_all(inputs.metrics, design, inputs.corpus, show_progress)
    warnings = list(map(as_settings, dict.fromkeys([*messages, *found.messages])))
    return Comparison(design, found.tables, found.facts, warnings, inputs.corpus)


class _Outputs(NamedTuple):
    """Which outputs are runs of one system, and which is the baseline."""

    #: The runs of each system; empty where each output is a system.
    runs: dict[str, list[str]]
    baseline: str


def _read_runs(names: list[str], runs: Any, baseline: str | None) -> _Outputs:
    """Return which outputs are runs of a system, and which is the baseline, by default the first."""
    runs_of: dict[str, list[str]] = {}
    output = baseline
    if runs is not None:
        # Here, as most comparisons have no runs.
        from tercet.comparison.runs.of_systems import first_output, members

        runs_of = members(names, runs)
        output = first_output(baseline, runs_of)
    check_baseline(output, names)
    return _Outputs(runs_of, names[0] if output is None else output)


def _design(inputs: TestSetAndMetrics, settings: Mapping[str, Any], outputs: _Outputs, by: Any) -> Design:
    """Return what is compared and how, with its slices; an error for settings that runs do not take."""
    names = list(inputs.test_set.systems)
    # Where there are as many systems as outputs, each has one run.
    has_several_runs = 0 < len(outputs.runs) < len(names)
    if outputs.runs and settings["interval"] is None:
        raise _no_intervals_of_runs(has_several_runs)
    slices: list[Slices] = []
    if by is not None:
        from tercet.comparison.values.slices import slices_of

        slices = slices_of(inputs.test_set, by)
    return Design(
        test_set=inputs.test_set,
        baseline=outputs.baseline,
        runs=outputs.runs,
        slices=slices,
        **_settings_of_test(settings, len(names), has_runs=has_several_runs),
    )


def _no_intervals_of_runs(has_several_runs: bool) -> OptionError:
    """Return the error of runs without intervals."""
    advice = f"leave out {argument('interval')} or {argument('runs')}."
    if has_several_runs:
        return OptionError(
            "Intervals cannot be left out where systems have several runs, whose means and tests are made from the "
            f"same resamples: {advice}"
        )
    return OptionError(f"Intervals cannot be left out beside runs, also where each system has one: {advice}")


def _settings_of_test(settings: Mapping[str, Any], n_systems: int, *, has_runs: bool) -> dict[str, Any]:
    """Return the settings with the test and its resamples, none where nothing is resampled for a test."""
    test = settings["test"]
    n_resamples = settings["n_resamples"]
    if has_runs and test not in (None, PERMUTATION.name):
        raise OptionError(
            f"Systems with several runs are tested by Welch's t, not by the {test}: leave out {argument('test')}."
        )
    why_none = ""
    if test is None:
        why_none = "test is None"
    elif n_systems == 1:
        why_none = "there is one system"
    elif has_runs:
        why_none = "systems with several runs are tested by Welch's t"
    if not why_none:
        return {**settings, "n_resamples": n_resamples or usual_resamples(test, n_systems)}
    if n_resamples is not None:
        warn(f"{argument('n_resamples')} has no effect here: it is for the test, and {why_none}.")
    # One system has no other that it could be tested against; runs are no systems.
    return {**settings, "test": None, "n_resamples": None}


def _messages(design: Design, inputs: TestSetAndMetrics, *, has_baseline: bool, runs: Any) -> list[str]:
    """Return what is said of the texts and names, and warn of what was not said where they were read."""
    test_set = inputs.test_set
    oddities = _oddities(design, inputs, has_baseline=has_baseline, runs=runs)
    for oddity in oddities:
        # What is among the warnings was said where the texts were read.
        if oddity not in test_set.warnings:
            warn(oddity)
    messages = list(test_set.warnings)
    if not test_set.is_searched:
        # Not warned of: every format of the result has these beside the scores.
        if inputs.needed_by:
            messages += empty_references(test_set)
        messages += copy_warnings(test_set, with_references=bool(inputs.needed_by))
    messages += oddities
    messages += _hints(design, has_runs=runs is not None)
    messages += warn_of_artefacts(test_set, inputs.corpus, inputs.metrics)
    return messages


def _oddities(design: Design, inputs: TestSetAndMetrics, *, has_baseline: bool, runs: Any) -> list[str]:
    """Return what is odd about the texts, the scores that came with them, the slices and the runs: warnings."""
    test_set = inputs.test_set
    oddities = list(inputs.placeholders)
    if not test_set.is_searched:
        oddities += odd_segments(test_set, with_references=bool(inputs.needed_by))
    if design.test is not None and not has_baseline:
        oddities += odd_baseline(test_set)
    names_of_columns = [metric.name for metric in inputs.metrics if isinstance(metric, Column)]
    oddities += odd_scores(test_set, names_of_columns)
    if design.slices:
        from tercet.comparison.values.slices import slice_warnings

        oddities += slice_warnings(test_set, design.slices)
    if runs is not None:
        from tercet.comparison.runs.run_warnings import reading_warnings

        for message in reading_warnings(list(test_set.systems), runs, design.runs):
            oddities.append(f"{test_set.name}: {message}")
    return oddities


def _hints(design: Design, *, has_runs: bool) -> list[str]:
    """Return which settings the texts suggest: clusters, and which systems are runs."""
    test_set = design.test_set
    hints = []
    if test_set.hint and test_set.clusters is None:
        hints.append(test_set.hint)
    if not has_runs and design.test is not None:
        from tercet.comparison.runs.run_warnings import runs_hint

        hints.append(runs_hint(list(test_set.systems)))
    return [hint for hint in hints if hint]


def _compare_by_all(metrics: Sequence[Metric], design: Design, corpus: Corpus, show_progress: bool) -> MetricFindings:
    """Return what all metrics find."""
    tables = []
    facts = []
    messages = []
    with bars_within(show_progress), line_of("") as show_line:
        for number, metric in enumerate(metrics, 1):
            heading = f"metric {number} of {len(metrics)}, {name_of(metric)}"
            found = compare_by(metric, design, corpus, heading, show_line)
            tables += found.tables
            facts += found.facts
            messages += found.messages
    return MetricFindings(tables, facts, messages)
