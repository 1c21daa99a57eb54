"""What a comparison shows, in plain sentences that claim no more than its tests show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tercet.comparison.result import Comparison
from tercet.comparison.runs.means import as_systems, runs_in_words
from tercet.comparison.values.scores import ScoreTable, SystemScore
from tercet.comparison.values.sections import Section
from tercet.comparison.wording.clauses import Clause, few_named, sentence
from tercet.comparison.wording.decimals import percent
from tercet.names_as_shown import MOST_NAMED, Name, Sentence, all_of, counted, joined, listed, said
from tercet.statistics.rounding import apart
from tercet.table_formats import decimals, pvalue_text

from .left_out import what_is_left_out
from .summary_verdicts import Findings, TitledTable, summary_verdict

_UNTESTED = "This was not tested: the difference may be due to chance."

# Why a verdict on several scores leaves one out.
_NOT_ALL_HAVE_IT = "which not every system has (NaN)"
_NONE_IS_BEST = "by which no system is the best"


def verdict_of(comparison: Comparison, names: Mapping[str, str]) -> list[Sentence]:
    """Return the verdict on a comparison, of one score or of all of them, and what it leaves out.

    Systems are called as `names` has them.
    """
    sentences = _verdict_on_scores(comparison, names)
    if not sentences:
        return []
    return [*sentences, *what_is_left_out(comparison, names)]


def verdict_in_words(comparison: Comparison, names: Mapping[str, str]) -> str:
    """Return what a comparison shows in sentences; "" of a single system."""
    if not comparison.design.has_others:
        return ""
    return " ".join(map(said, verdict_of(comparison, names)))


def _verdict_on_scores(comparison: Comparison, names: Mapping[str, str]) -> list[Sentence]:
    if comparison.joins_runs:
        comparison_of_systems = as_systems(comparison)
        sentences = _verdict_on_scores(comparison_of_systems, _names_of_systems(names, comparison_of_systems))
        return [*sentences, (runs_in_words(comparison),)]
    first_table = comparison.tables[0]
    if len(comparison.tables) == 1:
        return score_verdict(comparison, first_table, names)
    if len(first_table.rows) < 2:
        return []
    scores: list[TitledTable] = []
    titles_left_out: dict[str, list[str]] = {}
    for table, title in zip(comparison.tables, comparison.titles(), strict=True):
        reason = _why_left_out(table)
        if reason:
            titles_left_out.setdefault(reason, []).append(title)
        else:
            scores.append(TitledTable(title, table))
    if not scores:
        return [part for table in comparison.tables for part in score_verdict(comparison, table, names)]
    if len(scores) == 1:
        sentences = score_verdict(comparison, scores[0].table, names)
    else:
        sentences = summary_verdict(Findings(scores, names))
        test = comparison.inference.test
        if test is not None and test.errs_more:
            sentences.append((f"The {test.title} errs two to four times as often as alpha says.",))
    # What no system is the best by comes last, what not every system has first.
    reasons = sorted(titles_left_out, key=lambda reason: (reason == _NONE_IS_BEST, reason != _NOT_ALL_HAVE_IT))
    for reason in reasons:
        sentences.append((f"Left out here: {joined(titles_left_out[reason])}, {reason}.",))
    return sentences


def _why_left_out(table: ScoreTable) -> str:
    """Return why a verdict on several scores leaves one out, as a clause; "" where it does not."""
    if any(math.isnan(row.value) for row in table.rows):
        return _NOT_ALL_HAVE_IT
    if table.cannot_tell:
        return f"which cannot tell the systems apart, as {table.cannot_tell}"
    if not any(row.best for row in table.rows):
        return _NONE_IS_BEST
    return ""


def with_names(section: Section, names: Mapping[str, str]) -> Section:
    """Return a section whose sentences call systems as `names` has them."""

    def called(part: str) -> str:
        return Name(names.get(part, part)) if isinstance(part, Name) else part

    return replace(section, sentences=[tuple(map(called, parts)) for parts in section.sentences])


def _names_of_systems(names: Mapping[str, str], comparison_of_systems: Comparison) -> dict[str, str]:
    """Return what systems with several runs are called: one with a single run is called as its output."""
    return {system: names.get(system, system) for system in comparison_of_systems.test_set.systems}


def score_verdict(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return which system has the best score, by how much, and whether the difference is significant.

    The p-values are those of the marks: of all pairs of systems, adjusted (with two systems there is one pair, and
    nothing to adjust). Lack of significance is not presented as equality.
    """
    if comparison.joins_runs:
        comparison_of_systems = as_systems(replace(comparison, tables=[table]))
        (means,) = comparison_of_systems.tables
        sentences = score_verdict(comparison_of_systems, means, _names_of_systems(names, comparison_of_systems))
        return [*sentences, (runs_in_words(comparison),)]
    undefined = [row for row in table.rows if math.isnan(row.value)]
    if undefined:
        return _verdict_without_undefined(comparison, table, names, undefined)
    rows = sorted(table.rows, key=lambda row: row.value, reverse=table.higher_is_better)
    top = [row for row in rows if row.best]
    not_best = [row for row in rows if not row.best]
    row_names = {row.system: Name(names[row.system]) for row in rows}
    score_title = table.title
    if not table.higher_is_better:
        score_title += " (lower is better)"
    # Of one system, or of those that are best.
    shown = decimals(rows[0].value, rows[0].digits)
    if len(rows) == 1:
        return [(f"The {score_title} of ", row_names[rows[0].system], f" is {shown}. There is no other system.")]
    # Where all score 0, none is marked as the best.
    if table.cannot_tell:
        all_alike = f"it is {shown} for {all_of(len(rows))}, as {table.cannot_tell}"
        return [(f"{table.title} cannot tell the systems apart: {all_alike}.",)]
    if len(top) in (0, len(rows)):
        same = f"{all_of(len(rows)).capitalize()} systems have the same {score_title}: {shown}."
        return [(same,), *_not_shown_equal(comparison, rows)]
    verb = "has" if len(top) == 1 else "share"
    finding = f" {verb} the best {score_title}: {shown}, {_lead_in_words(table, top[0], not_best[0])} "
    as_good_as_next = [row for row in not_best if not apart(row.value, not_best[0].value)]
    next_best = few_named([row_names[row.system] for row in as_good_as_next])
    ending = ", the next best." if len(rows) > 2 else "."
    who_is_best = (*listed([row_names[row.system] for row in top]), finding, *next_best, ending)
    if comparison.test is None:
        return [who_is_best, (_UNTESTED,)]
    if table.too_few is not None:
        return [(table.too_few,), who_is_best]
    if len(top) > 1:
        return [who_is_best, *_sentences_of_each_best(comparison, table, top, not_best, row_names)]
    return [
        who_is_best,
        *_sentences_of_tests(comparison, table, top[0], not_best, row_names),
        *_sentence_on_baseline(comparison, table, row_names),
    ]


def _not_shown_equal(comparison: Comparison, rows: Sequence[SystemScore]) -> list[Sentence]:
    """Return which difference equal scores of two systems do not exclude, where any unit differs."""
    if len(rows) != 2:
        return []
    other = next((row for row in rows if not row.is_baseline), None)
    if other is None or not other.interval_of_difference or other.difference_low == other.difference_high:
        return []
    counts = other.counts
    if counts is None or counts.ties == sum(counts):
        return []
    n_units = sum(counts)
    n_different = n_units - counts.ties
    level = percent(comparison.confidence_level)
    text = (
        f"They are not shown to be equal: {n_different:,} of {n_units:,} {comparison.counted}s differ, and the "
        f"{level} interval of the difference is {other.interval_of_difference}."
    )
    return [(text,)]


def _verdict_without_undefined(
    comparison: Comparison, table: ScoreTable, names: Mapping[str, str], undefined: Sequence[SystemScore]
) -> list[Sentence]:
    """Return the verdict on the systems that have a score, and which have none: NaN is neither good nor bad."""
    have = "has" if len(undefined) == 1 else "have"
    ending = f" {have} no {table.title}: it is NaN, not a number, and compared with no other."
    without_value = (*listed([names[row.system] for row in undefined]), ending)
    defined = [index for index, row in enumerate(table.rows) if not math.isnan(row.value)]
    if not defined:
        return [without_value]
    if len(defined) == 1:
        row = table.rows[defined[0]]
        value = decimals(row.value, row.digits)
        return [("Only ", Name(names[row.system]), f" has a value of {table.title}: {value}."), without_value]
    rows = [table.rows[index] for index in defined]
    scored = replace(table, rows=rows, pvalues=table.pvalues[np.ix_(defined, defined)])
    return [*score_verdict(comparison, scored, names), without_value]


def _sentences_of_tests(
    comparison: Comparison,
    table: ScoreTable,
    best: SystemScore,
    not_best: Sequence[SystemScore],
    names: Mapping[str, Name],
) -> list[Sentence]:
    """Return which others are significantly worse than the best, from which it is not told apart, and the rest."""
    best_name = names[best.system]
    pvalues = _pvalues_against(table, best)
    worse, unclear, untested = _split_by_test(comparison, pvalues, not_best)
    if len(untested) == len(not_best):
        return [(_UNTESTED,)]
    sentences: list[Sentence] = []
    # With two systems there is one pair, and nothing to adjust.
    kind = "p" if len(table.rows) == 2 else "adjusted p"
    level_in_words = comparison.level_in_words
    if unclear:
        unclear_names = [names[row.system] for row in unclear]
        unclear_pvalues = [pvalues[row.system] for row in unclear]
        tests_of_best = _TestsOfBest(best_name, len(not_best), kind, level_in_words)
        sentences.append(tests_of_best.not_told_apart(unclear_names, unclear_pvalues))
    if worse:
        largest = f"{kind} {pvalue_text(max(pvalues[row.system] for row in worse))}"
        # The level is said once.
        level = "" if unclear else f", {level_in_words}"
        better = " is significantly better than "
        if len(table.rows) == 2:
            sentences.append((f"The difference is significant ({largest}{level}).",))
        elif len(worse) == len(not_best) > 1:
            sentences.append((best_name, f"{better}{all_of(len(worse))} others (largest {largest}{level})."))
        else:
            which = "" if len(worse) == 1 else "largest "
            worse_names = few_named([names[row.system] for row in worse])
            sentences.append((best_name, better, *worse_names, f" ({which}{largest}{level})."))
    if untested:
        verb = "was" if len(untested) == 1 else "were"
        untested_names = few_named([names[row.system] for row in untested])
        sentences.append((*untested_names, " against ", best_name, f" {verb} not tested."))
    return sentences


class _TestsOfBest(NamedTuple):
    """The tests of the other systems against the best."""

    best: Name
    n_others: int
    #: What p is called, and the level of the tests.
    p: str
    level: str

    def not_told_apart(self, names: Sequence[Name], pvalues: Sequence[float]) -> Sentence:
        """Return from which systems, by their p, the best is not told apart, which is not presented as equality."""
        start = "The test finds no significant difference between "
        caution = "which does not show that there is none"
        if len(pvalues) > MOST_NAMED:
            least = pvalue_text(min(pvalues))
            number = len(pvalues) if len(pvalues) < self.n_others else "any"
            others = f" and {number} of the {self.n_others} others"
            return (start, self.best, f"{others} (least {self.p} {least}, {self.level}), {caution}.")
        joint = {1: " and ", 2: " and either of "}.get(len(pvalues), " and any of ")
        pvalue_texts = ", ".join(map(pvalue_text, pvalues))
        return (start, self.best, joint, *listed(names), f" ({self.p} {pvalue_texts}; {self.level}), {caution}.")


def _sentences_of_each_best(
    comparison: Comparison,
    table: ScoreTable,
    top: Sequence[SystemScore],
    not_best: Sequence[SystemScore],
    names: Mapping[str, Name],
) -> list[Sentence]:
    """Return how each of the systems that share the best score compares with those that do not."""
    sentences = []
    for best in top[:MOST_NAMED]:
        pvalues = _pvalues_against(table, best)
        worse, unclear, untested = _split_by_test(comparison, pvalues, not_best)
        clauses = []
        if worse:
            p = pvalue_text(max(pvalues[row.system] for row in worse))
            if len(worse) > 1:
                p += " or less"
            others = tuple(names[row.system] for row in worse)
            clauses.append(Clause("significantly better than", others, note=(f"adjusted p {p}",)))
        if unclear:
            p = pvalue_text(min(pvalues[row.system] for row in unclear))
            if len(unclear) > 1:
                p += " or more"
            others = tuple(names[row.system] for row in unclear)
            clauses.append(Clause("not told apart from", others, note=(f"adjusted p {p}",)))
        if untested:
            clauses.append(Clause("not tested against", tuple(names[row.system] for row in untested)))
        sentences.append(sentence((names[best.system],), " is ", clauses))
    return sentences


def _pvalues_against(table: ScoreTable, best: SystemScore) -> dict[str, float]:
    """Return the adjusted p of each system against one that has the best score; NaN without a test."""
    index_of_best = next(index for index, row in enumerate(table.rows) if row is best)
    return {row.system: float(p) for row, p in zip(table.rows, table.pvalues[index_of_best], strict=True)}


class _ByTest(NamedTuple):
    """The systems that are not the best, by what the test says of each and the best."""

    #: Significantly worse.
    worse: list[SystemScore]
    #: Not told apart.
    unclear: list[SystemScore]
    untested: list[SystemScore]


def _split_by_test(comparison: Comparison, pvalues: Mapping[str, float], not_best: Sequence[SystemScore]) -> _ByTest:
    """Return the systems by their p against one that has the best score."""
    worse = []
    unclear = []
    untested = []
    for row in not_best:
        p = pvalues[row.system]
        if math.isnan(p):
            untested.append(row)
        elif p < comparison.alpha:
            worse.append(row)
        else:
            unclear.append(row)
    return _ByTest(worse, unclear, untested)


def _sentence_on_baseline(comparison: Comparison, table: ScoreTable, names: Mapping[str, Name]) -> list[Sentence]:
    """Return how many systems differ significantly from the baseline, unless the verdict on the best says it."""
    index = next((index for index, row in enumerate(table.rows) if row.is_baseline), None)
    if index is None or len(table.rows) == 2 or table.rows[index].best:
        return []
    baseline = table.rows[index]
    pvalues = table.pvalues[index]
    n_others = len(table.rows) - 1
    direction = 1.0 if table.higher_is_better else -1.0
    gains = direction * np.array([row.value - baseline.value for row in table.rows])
    significant = pvalues < comparison.alpha
    n_better = int((significant & (gains > 0)).sum())
    n_worse = int((significant & (gains < 0)).sum())
    # The baseline is the subject: it is worse than the systems that are better.
    findings = []
    if n_better:
        findings.append(f"significantly worse than {_others_in_words(n_better, n_others)}")
    if n_worse:
        findings.append(f"significantly better than {_others_in_words(n_worse, n_others)}")
    if not findings:
        no_finding = "The test finds no significant difference between the baseline and any other system."
        are_all_tested = np.isfinite(pvalues).all()
        return [(no_finding,)] if are_all_tested else []
    name = names[baseline.system]
    start = "The baseline " if name != "baseline" else "The "
    return [(start, name, f" is {', and '.join(findings)}.")]


def _lead_in_words(table: ScoreTable, best: SystemScore, next_best: SystemScore) -> str:
    """Return by how much the best score is better than the next best; scores in percent are points apart."""
    difference = abs(best.value - next_best.value)
    is_percent = table.scorer.unit == "share" and table.scorer.scale == 100
    points = " points" if is_percent else ""
    where = "above" if table.higher_is_better else "below"
    least = 10.0**-best.digits
    # Less than half of 0.01 would read as 0.00.
    amount = decimals(difference, best.digits) if difference >= least / 2 else f"less than {least:g}"
    return f"{amount}{points} {where}"


def _others_in_words(count: int, n_others: int) -> str:
    if count == n_others:
        return f"{all_of(n_others)} others"
    return counted(count, "other")
