"""Logs of harnesses -> a test set for each task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tercet.errors import argument_set, shorten, warn
from tercet.files.columns.scores import directions_of
from tercet.files.columns.words import words_of
from tercet.files.logs.runs import Runs, join_logs
from tercet.files.table import Log
from tercet.statistics.clusters import Clusters

from .labels import slices_of_columns
from .named_columns import NamedColumns
from .test_set import TestSet

# Words in the names of scores of answers that are right or wrong as a whole, and of scores of texts.
_EXACT = frozenset({"exact", "em", "acc", "accuracy", "match", "includes", "choice", "pass", "correct", "pattern"})
_OF_TEXTS = frozenset({"bleu", "chrf", "ter", "rouge", "rougel", "bertscore", "bert", "meteor", "comet", "bleurt"})


def log_sets(logs: list[Log], named: NamedColumns, others: Sequence[TestSet] = ()) -> list[TestSet]:
    """Return a test set for each task that logs are of; those without the scores that are named are left out.

    A task of several harnesses, or with the name of one of the other test sets, has its harness behind its name.
    """
    joined = join_logs(
        logs,
        systems=named.systems,
        references=named.references,
        source=named.source,
        cluster=named.cluster,
        missing=named.missing,
    )
    test_sets = []
    harnesses = []
    for runs in joined:
        slices = slices_of_columns(runs.first, named.slices, runs.order)
        test_sets.append(_log_set(runs, slices))
        harnesses.append(runs.first.harness)
    test_sets = _named_apart(test_sets, harnesses, others)
    having = [test_set for test_set in test_sets if set(named.scores).issubset(test_set.scores)]
    if not having:
        # The error comes from who reads the scores.
        return test_sets
    for test_set in test_sets:
        lacking = [name for name in named.scores if name not in test_set.scores]
        if lacking:
            warn(f"{test_set.name} is left out: it has no scores {shorten(lacking[0])}.")
    return having


def _named_apart(test_sets: Sequence[TestSet], harnesses: Sequence[str], others: Sequence[TestSet]) -> list[TestSet]:
    """Return the test sets of tasks, those of one name with their harnesses: each has one test set of a task."""
    counts = Counter(test_set.name for test_set in (*test_sets, *others))
    named = []
    for test_set, harness in zip(test_sets, harnesses, strict=True):
        if counts[test_set.name] > 1:
            named.append(replace(test_set, name=f"{test_set.name} ({harness})"))
        else:
            named.append(test_set)
    return named


def _log_set(runs: Runs, slices: dict[str, list[str]]) -> TestSet:
    """Return the runs of a task, with the scores of their logs and the slices of its segments."""
    scores: dict[str, dict[str, NDArray[np.float64]]] = {}
    for name, by_system in runs.scores.items():
        scores[name] = {system: np.array(numbers) for system, numbers in by_system.items()}
    directions = directions_of(scores, runs.first.higher_is_better)
    clusters = None
    if runs.cluster is not None:
        clusters = Clusters.of(runs.labels, len(runs.references), runs.cluster)
    no_texts = runs.no_texts
    if no_texts:
        no_texts += f"; compare its scores: {argument_set('scores', next(iter(scores)))}"
    return TestSet(
        runs.task,
        runs.systems,
        runs.references,
        runs.source,
        fields=runs.fields,
        clusters=clusters,
        slices=slices,
        scores=scores,
        lower_is_better=directions.lower,
        higher_is_better=directions.higher,
        lost=runs.lost,
        n_all=runs.n_all,
        no_texts=no_texts,
        exact_task=_exact_task(runs.first),
    )


def _exact_task(log: Log) -> str:
    """Return why metrics of texts say little of a task whose answers are right or wrong as a whole; else ""."""
    words = set(words_of(" ".join(log.scores)))
    if words.isdisjoint(_EXACT) or not words.isdisjoint(_OF_TEXTS):
        return ""
    return (
        f"{log.task}: this task is scored by {', '.join(log.scores)}, in the log of {log.harness}: whether an "
        "answer is right as a whole. Metrics of texts compare the words of whole responses with those of the "
        "right answer, and say little of it."
    )
