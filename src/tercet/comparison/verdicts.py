"""What a comparison shows, in plain sentences that claim no more than its tests show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tercet.markup import MOST_NAMED, Sentence, all_of, joined, listed
from tercet.tables import decimals, pvalue_text

from .scores import Comparison, ScoreTable, SystemScore
from .sections import Section


def verdict_of(comparison: Comparison, names: Mapping[str, str]) -> list[Sentence]:
    """Return the verdict on a comparison: of one score, or of all of them; systems are called as `names` has them."""
    first, *others = comparison.tables
    if not others:
        return score_verdict(comparison, first, names)
    if comparison.joins_runs:
        return list(
            dict.fromkeys(part for table in comparison.tables for part in score_verdict(comparison, table, names))
        )
    return summary_verdict(comparison.tables, comparison.titles(), names)


def with_names(section: Section, names: Mapping[str, str]) -> Section:
    """Return a section whose sentences call systems as `names` has them."""
    sentences = [
        tuple(names.get(part, part) if place % 2 else part for place, part in enumerate(sentence))
        for sentence in section.sentences
    ]
    return replace(section, sentences=sentences)


def score_verdict(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return which system has the best score, by how much, and whether the difference is significant.

    The p-values are those of the marks: of all pairs of systems, adjusted (with two systems there is one pair, and
    nothing to adjust). Lack of significance is not presented as equality.
    """
    if comparison.joins_runs:
        (of_runs,) = (section for section in table.sections if section.key == "runs")
        return with_names(of_runs, names).sentences
    undefined = [row for row in table.rows if math.isnan(row.value)]
    if undefined:
        return _without(comparison, table, names, undefined)
    better = -1.0 if table.higher_is_better else 1.0
    rows = sorted(table.rows, key=lambda row: better * row.value)
    top = [row for row in rows if row.best]
    not_best = [row for row in rows if not row.best]
    row_names = {row.system: names[row.system] for row in rows}
    score_title = f"{table.title}{'' if table.higher_is_better else ' (lower is better)'}"
    # of one system, or of those that are best
    shown = decimals(rows[0].value, rows[0].digits)
    if len(rows) == 1:
        return [("", row_names[rows[0].system], f" has a {score_title} of {shown}. There is no other system.")]
    if not not_best or not top:
        same = f"{all_of(len(rows)).capitalize()} systems have the same {score_title}: {shown}."
        return [(same,), *_not_shown_equal(comparison, rows)]
    have = " has the best " if len(top) == 1 else " share the best "
    score = f"{have}{score_title}: {shown}, {_apart(table, top[0], not_best[0])} "
    next_best = ", the next best." if len(rows) > 2 else "."
    first = (*listed([row_names[row.system] for row in top])[:-1], score, row_names[not_best[0].system], next_best)
    if comparison.test is None:
        return [first, ("This was not tested: the difference may be due to chance.",)]
    if table.too_few is not None:
        return [(table.too_few,), first]
    return [first, *_tested(comparison, table, not_best, row_names), *_baseline(comparison, table, row_names)]


def _not_shown_equal(comparison: Comparison, rows: Sequence[SystemScore]) -> list[Sentence]:
    """Return which difference equal scores of two systems do not exclude, where any unit differs."""
    row = next((row for row in rows if row.difference is not None), None)
    if len(rows) != 2 or row is None or not row.interval_of_difference or not (row.wins or row.losses):
        return []
    n_units = (row.wins or 0) + (row.ties or 0) + (row.losses or 0)
    differ = (row.wins or 0) + (row.losses or 0)
    level = f"{100 * comparison.confidence_level:g} %"
    text = (
        f"They are not shown to be equal: {differ:,} of {n_units:,} {comparison.unit}s differ, and the {level} "
        f"interval of the difference is {row.interval_of_difference}."
    )
    return [(text,)]


def _without(
    comparison: Comparison, table: ScoreTable, names: Mapping[str, str], undefined: Sequence[SystemScore]
) -> list[Sentence]:
    """Return the verdict on the systems that have a score, and which have none: NaN is neither good nor bad."""
    have = "has" if len(undefined) == 1 else "have"
    ending = f" {have} no {table.title}: it is NaN, not a number, and compared with no other."
    missing = (*listed([names[row.system] for row in undefined])[:-1], ending)
    places = [place for place, row in enumerate(table.rows) if not math.isnan(row.value)]
    if not places:
        return [missing]
    scored = replace(
        table, rows=[table.rows[place] for place in places], pvalues=table.pvalues[np.ix_(places, places)]
    )
    return [*score_verdict(comparison, scored, names), missing]


def _tested(
    comparison: Comparison, table: ScoreTable, not_best: Sequence[SystemScore], names: Mapping[str, str]
) -> list[Sentence]:
    """Return which others are significantly worse than the best (the first of those with the best score)."""
    place = {row.system: index for index, row in enumerate(table.rows)}
    best = next(index for index, row in enumerate(table.rows) if row.best)
    best_name = names[table.rows[best].system]
    pvalues = {row.system: float(table.pvalues[place[row.system], best]) for row in not_best}
    worse = [row for row in not_best if not row.as_good]
    unclear = [row for row in not_best if row.as_good]
    unknown, better = "The test finds no significant difference between ", " is significantly better than"
    # with two systems there is one pair, and nothing to adjust
    kind, alpha = "p" if len(table.rows) == 2 else "adjusted p", comparison.level_in_words
    largest = pvalue_text(max((pvalues[row.system] for row in worse), default=1.0))
    if len(not_best) == 1 and worse:
        if len(table.rows) == 2:
            return [(f"The difference is significant ({kind} {largest}, {alpha}).",)]
        return [("", best_name, f"{better} ", names[worse[0].system], f" ({kind} {largest}, {alpha}).")]
    if not unclear:
        return [("", best_name, f"{better} {all_of(len(not_best))} others (largest {kind} {largest}, {alpha}).")]
    caution = "which does not show that there is none"
    if len(unclear) <= MOST_NAMED:
        unclear_names = listed([names[row.system] for row in unclear])
        joint = {1: " and ", 2: " and either of "}.get(len(unclear), " and any of ")
        inside = ", ".join(pvalue_text(pvalues[row.system]) for row in unclear)
        ending = f" ({kind} {inside}; {alpha}), {caution}."
        sentences: list[Sentence] = [(unknown, best_name, joint, *unclear_names[1:-1], ending)]
    else:
        least = pvalue_text(min(pvalues[row.system] for row in unclear))
        number = len(unclear) if worse else "any"
        counted = f" and {number} of the {len(not_best)} others (least {kind} {least}, {alpha}), {caution}."
        sentences = [(unknown, best_name, counted)]
    if worse:
        if len(worse) == 1:
            ending = f"{better} the other ({kind} {largest})."
        else:
            ending = f"{better} the other {len(worse)} (largest {kind} {largest})."
        sentences.append(("", best_name, ending))
    return sentences


def _baseline(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return how many systems differ significantly from the baseline, unless the verdict on the best says it."""
    baseline = next((index for index, row in enumerate(table.rows) if row.difference is None), None)
    if baseline is None or len(table.rows) == 2 or table.rows[baseline].best:
        return []
    direction = 1.0 if table.higher_is_better else -1.0
    gains = direction * np.array([row.value - table.rows[baseline].value for row in table.rows])
    significant = table.pvalues[baseline] < comparison.alpha
    better, worse = int((significant & (gains > 0)).sum()), int((significant & (gains < 0)).sum())
    findings = [
        f"significantly {outcome} than {_others(n, len(table.rows) - 1)}"
        for outcome, n in (("worse", better), ("better", worse))
        if n
    ]
    if not findings:
        return [("The test finds no significant difference between the baseline and any other system.",)]
    name = names[table.rows[baseline].system]
    start = "The baseline " if name != "baseline" else "The "
    return [(start, name, f" is {', and '.join(findings)}.")]


def summary_verdict(tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str]) -> list[Sentence]:
    """Return whether all scores have the same best system, or which is best by which, and what the tests add."""
    if len(tables) < 2 or len(tables[0].rows) < 2:
        return []
    undefined = [
        title for table, title in zip(tables, titles, strict=True) if any(math.isnan(row.value) for row in table.rows)
    ]
    if undefined:
        complete = [(table, title) for table, title in zip(tables, titles, strict=True) if title not in undefined]
        sentences = summary_verdict([table for table, _ in complete], [title for _, title in complete], names)
        return [*sentences, (f"Left out here: {joined(undefined)}, which not every system has (NaN).",)]
    # Where all systems score 0, none is the best, and the score has no say.
    with_best = [
        (table, title) for table, title in zip(tables, titles, strict=True) if any(row.best for row in table.rows)
    ]
    tables, titles = [table for table, _ in with_best], [title for _, title in with_best]
    if len(tables) < 2:
        return []
    tops: dict[tuple[str, ...], list[str]] = {}
    for table, title in zip(tables, titles, strict=True):
        tops.setdefault(tuple(names[row.system] for row in table.rows if row.best), []).append(title)
    if len(tops) == 1:
        (best,) = tops
        first = (*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best in {_counted(tables)}.")
        return [first, *_apart_from_best(tables, titles, names, len(best))]
    sentences = [("The scores do not agree on the best system.",)]
    for best, scores in tops.items():
        sentences.append((*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best by {joined(scores)}."))
    rivals = {name for best in tops for name in best}
    undecided = [
        title
        for table, title in zip(tables, titles, strict=True)
        if any(row.as_good and not row.best and names[row.system] in rivals for row in table.rows)
    ]
    if len(undecided) == len(tables):
        sentences.append(("By none of these scores does the test tell these systems apart.",))
    elif undecided:
        sentences.append((f"By {joined(undecided)}, the test does not tell them apart.",))
    return sentences


def _counted(tables: Sequence[ScoreTable]) -> str:
    """Return how many metrics were asked for, and how many scores they have where these are more.

    A metric with several scores, as ROUGE, is one metric.
    """
    n_metrics, n_scores = len({table.metric for table in tables}), len(tables)
    if n_metrics == 1:
        return f"{all_of(n_scores)} scores"
    return f"{all_of(n_metrics)} metrics{f' ({n_scores} scores)' if n_scores > n_metrics else ''}"


def _apart_from_best(
    tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str], n_best: int
) -> list[Sentence]:
    """Return which systems the tests do not tell apart from the one that is best in all scores, and in which."""
    rows = [row for row in tables[0].rows if not row.best]
    if n_best > 1 or not rows:
        return []
    too_few = [table.too_few for table in tables if table.too_few is not None]
    if len(too_few) == len(tables):
        return [(too_few[0],)]
    if all(row.as_good is None for table in tables for row in table.rows if not row.best):
        return [("The differences were not tested: they may be due to chance.",)]
    # by system, the scores in which it is not told apart from the best
    unclear = {
        row.system: [title for table, title in zip(tables, titles, strict=True) if table.rows[place].as_good]
        for place, row in enumerate(tables[0].rows)
        if not row.best
    }
    unclear = {system: scores for system, scores in unclear.items() if scores}
    if not unclear:
        others = "the other" if len(rows) == 1 else f"{all_of(len(rows))} others"
        return [(f"It is significantly better than {others} in each of them.",)]
    if len(unclear) > MOST_NAMED:
        numbers = [sum(title in scores for scores in unclear.values()) for title in titles]
        if min(numbers) == len(rows):
            return [(f"By no score do the tests tell it apart from any of the {len(rows)} others.",)]
        by = [f"{number} by {title}" for number, title in zip(numbers, titles, strict=True) if number]
        if len(by) > MOST_NAMED:
            by = [f"up to {max(numbers)} by one score"]
        return [(f"Of the {len(rows)} others, the tests do not tell it apart from {joined(by)}.",)]
    parts = ["The tests do not tell it apart from "]
    for n_left, (system, scores) in zip(reversed(range(len(unclear))), unclear.items(), strict=True):
        inside = "" if len(scores) == len(tables) else f" ({', '.join(scores)})"
        joint = {0: ".", 1: " and "}.get(n_left, ", ")
        parts += [names[system], f"{inside}{joint}"]
    return [tuple(parts)]


def _apart(table: ScoreTable, best: SystemScore, next_best: SystemScore) -> str:
    """Return by how much the best score is better than the next best; scores in percent are points apart."""
    difference = abs(best.value - next_best.value)
    percent = table.scorer.unit == "share" and table.scorer.scale == 100
    points = " points" if percent else ""
    where = "above" if table.higher_is_better else "below"
    least = 10.0**-best.digits
    # less than half of 0.01 would read as 0.00
    amount = decimals(difference, best.digits) if difference >= least / 2 else f"less than {least:g}"
    return f"{amount}{points} {where}"


def _others(count: int, n_others: int) -> str:
    if count == n_others:
        return f"{all_of(n_others)} others"
    return "1 other" if count == 1 else f"{count} others"
