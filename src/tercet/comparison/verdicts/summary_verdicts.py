"""What a comparison by several scores shows: who is best by all, or by which, and what the tests add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tercet.comparison.values.scores import ScoreTable, row_of
from tercet.comparison.wording.clauses import Clause, few_named, sentence
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, all_of, joined, listed

_UNTESTED = "These differences were not tested: they may be due to chance."


class TitledTable(NamedTuple):
    """A score's table, and what people call the score."""

    title: str
    table: ScoreTable


class Findings(NamedTuple):
    """The scores that a verdict sums up, and what systems are called in it."""

    scores: Sequence[TitledTable]
    names: Mapping[str, str]

    @property
    def tables(self) -> list[ScoreTable]:
        """The tables of the scores."""
        return [score.table for score in self.scores]

    @property
    def titles(self) -> list[str]:
        """What people call the scores."""
        return [score.title for score in self.scores]


def summary_verdict(findings: Findings) -> list[Sentence]:
    """Return whether all scores have the same best system, or which is best by which, and what the tests add.

    Of each score some system is the best, and no value is NaN.
    """
    tops: dict[tuple[str, ...], list[str]] = {}
    for title, table in findings.scores:
        tops.setdefault(tuple(row.system for row in table.rows if row.best), []).append(title)
    if len(tops) > 1:
        return _of_rivals(findings, {system for best in tops for system in best})
    (best,) = tops
    by_all = _metrics_in_words(findings.tables)
    if len(best) == len(findings.tables[0].rows):
        return [(f"{all_of(len(best)).capitalize()} systems have the same scores in {by_all}.",)]
    verb = "is" if len(best) == 1 else "are"
    first = (*listed([findings.names[system] for system in best]), f" {verb} best in {by_all}.")
    return [first, *_apart_from_best(findings, n_best=len(best))]


# One system is best by all scores.


def _apart_from_best(findings: Findings, *, n_best: int) -> list[Sentence]:
    """Return which systems the tests tell apart from the one that is best in all scores, and in which."""
    others = [row.system for row in findings.tables[0].rows if not row.best]
    too_few = [table.too_few for table in findings.tables if table.too_few is not None]
    if len(too_few) == len(findings.tables):
        return [(too_few[0],)]
    worse_by = {system: _scores_where(findings, system, as_good=False) for system in others}
    unclear_by = {system: _scores_where(findings, system, as_good=True) for system in others}
    if not any(worse_by.values()) and not any(unclear_by.values()):
        return [(_UNTESTED,)]
    if n_best > 1:
        # The scores' own verdicts say it of each of them.
        return []
    undecided = [system for system in others if len(worse_by[system]) < len(findings.titles)]
    if not undecided:
        all_others: Sentence = (Name(findings.names[others[0]]),)
        if len(others) > 1:
            all_others = (f"{all_of(len(others))} others",)
        return [("It is significantly better than ", *all_others, " in each of them.")]
    if len(undecided) > MOST_NAMED:
        return _counted_undecided(findings.titles, others, worse_by, unclear_by)
    return [sentence(("It",), " is ", _clauses_on_best(findings.titles, findings.names, worse_by, unclear_by))]


def _scores_where(findings: Findings, system: str, *, as_good: bool) -> tuple[str, ...]:
    """Return the scores by which a system is as good as the best, as far as a test shows, or is not."""
    titles_of_scores = []
    for title, table in findings.scores:
        if row_of(table, system).as_good is as_good:
            titles_of_scores.append(title)
    return tuple(titles_of_scores)


def _counted_undecided(
    titles: Sequence[str],
    others: Sequence[str],
    worse_by: Mapping[str, Sequence[str]],
    unclear_by: Mapping[str, Sequence[str]],
) -> list[Sentence]:
    """Return from how many systems the best one is not told apart, by which scores."""
    are_all_tested = all(len(worse_by[system]) + len(unclear_by[system]) == len(titles) for system in others)
    note: list[Sentence] = []
    if not are_all_tested:
        note.append(("Not all of these differences were tested.",))
    numbers = [sum(title in unclear_by[system] for system in others) for title in titles]
    if min(numbers) == len(others):
        return [(f"By no score do the tests tell it apart from any of the {len(others)} others.",), *note]
    by = [f"{number} by {title}" for number, title in zip(numbers, titles, strict=True) if number]
    if len(by) > MOST_NAMED:
        by = [f"up to {max(numbers)} by one score"]
    return [(f"Of the {len(others)} others, the tests do not tell it apart from {joined(by)}.",), *note]


def _clauses_on_best(
    titles: Sequence[str],
    names: Mapping[str, str],
    worse_by: Mapping[str, tuple[str, ...]],
    unclear_by: Mapping[str, tuple[str, ...]],
) -> list[Clause]:
    """Return which others the best system is significantly better than, and from which it is not told apart."""
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for system, worse in worse_by.items():
        alike.setdefault((worse, unclear_by[system]), []).append(names[system])
    better_by_all = []
    better_by_some = []
    unclear = []
    untested = []
    for (titles_worse, titles_unclear), systems in alike.items():
        others = tuple(systems)
        titles_untested = [title for title in titles if title not in titles_worse and title not in titles_unclear]
        if titles_worse:
            clause = Clause("significantly better than", others, scores=_by_titles(titles_worse, titles))
            if len(titles_worse) == len(titles):
                better_by_all.append(clause)
            else:
                better_by_some.append(clause)
        if titles_unclear:
            by = _by_titles(titles_unclear, titles)
            if len(titles_unclear) == len(titles):
                by = "by either" if len(titles) == 2 else "by any score"
            unclear.append(Clause("not told apart from", others, scores=by))
        if titles_untested:
            untested.append(Clause("not tested against", others, scores=_by_titles(titles_untested, titles)))
    return [*better_by_all, *better_by_some, *unclear, *untested]


def _by_titles(chosen: Sequence[str], titles: Sequence[str]) -> str:
    if len(chosen) == len(titles):
        return "by both" if len(titles) == 2 else "by each score"
    return f"by {joined(chosen)}"


# Several systems are best, each by some scores.


def _of_rivals(findings: Findings, rivals: set[str]) -> list[Sentence]:
    """Return how each system does that is best by some scores, where others are best by other scores.

    Whoever is nowhere significantly worse stands first, and nothing is said of scores that do not agree where all
    other rivals are significantly worse somewhere: that decides it.
    """
    systems = [row.system for row in findings.tables[0].rows if row.system in rivals]
    is_worse_somewhere = {}
    for system in systems:
        rows = [row_of(table, system) for table in findings.tables]
        is_worse_somewhere[system] = any(row.as_good is False for row in rows)
    systems.sort(key=lambda system: is_worse_somewhere[system])
    sentences = [
        sentence((Name(findings.names[system]),), " is ", _clauses_on_rival(findings, system))
        for system in systems[:MOST_NAMED]
    ]
    n_more = len(systems) - MOST_NAMED
    if n_more > 0:
        sentences.append((f"{n_more} more {'is' if n_more == 1 else 'are'} best by other scores.",))
    n_without_loss = list(is_worse_somewhere.values()).count(False)
    if n_without_loss != 1:
        sentences.insert(0, ("The scores do not agree on the best system.",))
    too_few = [table.too_few for table in findings.tables if table.too_few is not None]
    others_as_good = [row.as_good for table in findings.tables for row in table.rows if not row.best]
    if len(too_few) == len(findings.tables):
        sentences.insert(0, (too_few[0],))
    elif all(as_good is None for as_good in others_as_good):
        sentences.append((_UNTESTED,))
    elif None in others_as_good:
        sentences.append(("Not all of these differences were tested: they may be due to chance.",))
    return sentences


def _clauses_on_rival(findings: Findings, system: str) -> list[Clause]:
    """Return by which scores a system is best, and how it does by those that have another best system."""
    found_by: dict[Clause, list[str]] = {}
    for title, table in findings.scores:
        found_by.setdefault(_finding(table, findings.names, system), []).append(title)
    clauses = [replace(clause, scores=_by(findings, chosen)) for clause, chosen in found_by.items()]
    # First what the system is best by.
    return sorted(clauses, key=lambda clause: bool(clause.others))


def _finding(table: ScoreTable, names: Mapping[str, str], system: str) -> Clause:
    """Return how a system does by one score, without the score."""
    row = row_of(table, system)
    best = tuple(names[other.system] for other in table.rows if other.best)
    if row.best and len(best) > 1:
        return Clause("among the best")
    if row.best:
        unclear = [names[other.system] for other in table.rows if other.as_good and not other.best]
        if len(unclear) > MOST_NAMED:
            return Clause("best, but not significantly,")
        if unclear:
            return Clause("best", note=("not told apart from ", *few_named(unclear)))
        is_tested = all(other.as_good is False for other in table.rows if not other.best)
        return Clause("significantly best" if is_tested else "best")
    if row.as_good is None:
        return Clause("behind", best)
    # Of systems that share the best score, the test is against the first.
    return Clause("not told apart from" if row.as_good else "significantly worse than", best[:1])


def _by(findings: Findings, chosen: Sequence[str]) -> str:
    """Return by which scores something holds: the scores of one metric by their number, where all are chosen."""
    scores_by_metric: dict[str, list[TitledTable]] = {}
    for score in findings.scores:
        scores_by_metric.setdefault(score.table.metric, []).append(score)
    words: list[str] = []
    for scores in scores_by_metric.values():
        chosen_of_metric = [score.title for score in scores if score.title in chosen]
        metric_title = scores[0].table.scorer.title
        if len(chosen_of_metric) == len(scores) > 2 and metric_title:
            words.append(f"all {len(scores)} scores of {metric_title}")
        else:
            words += chosen_of_metric
    return f"by {joined(words)}"


def _metrics_in_words(tables: Sequence[ScoreTable]) -> str:
    """Return how many metrics were asked for, and how many scores they have where these are more.

    A metric with several scores, as ROUGE, is one metric.
    """
    n_metrics = len({table.metric for table in tables})
    n_scores = len(tables)
    if n_metrics == 1:
        return f"{all_of(n_scores)} scores"
    metrics = f"{all_of(n_metrics)} metrics"
    return f"{metrics} ({n_scores} scores)" if n_scores > n_metrics else metrics
