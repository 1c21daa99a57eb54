"""Verdicts on a table, in plain sentences that claim no more than its tests show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tercet.statistics.paired_tests import pvalue_text

if TYPE_CHECKING:
    from tercet.comparison.scores import Comparison, ScoreTable, SystemScore

#: Text and names alternate, text first: names are user input in any script.
Sentence = tuple[str, ...]

MOST_NAMED = 4


def score_verdict(comparison: Comparison, table: ScoreTable, names: Mapping[str, str]) -> list[Sentence]:
    """Return which system has the best score, by how much, and whether the difference is significant.

    The p-values are those of the marks: of all pairs of systems, adjusted by Holm's method (with two systems there is
    one pair, and nothing to adjust). Lack of significance is not presented as equality.
    """
    undefined = [row for row in table.rows if math.isnan(row.value)]
    if undefined:
        return _without(comparison, table, names, undefined)
    better = -1.0 if table.higher_is_better else 1.0
    rows = sorted(table.rows, key=lambda row: better * row.value)
    top = [row for row in rows if row.best]
    rest = [row for row in rows if not row.best]
    called = {row.system: names[row.system] for row in rows}
    which = f"{table.title}{'' if table.higher_is_better else ' (lower is better)'}"
    if len(rows) == 1:
        return [("", called[rows[0].system], f" has a {which} of {rows[0].value:.2f}. There is no other system.")]
    if not rest or not top:
        return [(f"{all_of(len(rows)).capitalize()} systems have the same {which}: {rows[0].value:.2f}.",)]
    have = " has the best " if len(top) == 1 else " share the best "
    score = f"{have}{which}: {top[0].value:.2f}, {_apart(table, top[0], rest[0])} "
    next_best = ", the next best." if len(rows) > 2 else "."
    first = (*listed([called[row.system] for row in top])[:-1], score, called[rest[0].system], next_best)
    if comparison.test is None:
        return [first, ("This was not tested: the difference may be due to chance.",)]
    return [first, *_tested(comparison, table, rest, called), *_baseline(comparison, table, called)]


def _without(
    comparison: Comparison, table: ScoreTable, names: Mapping[str, str], undefined: Sequence[SystemScore]
) -> list[Sentence]:
    """Return the verdict on the systems that have a score, and which have none: NaN is neither good nor bad."""
    have = "has" if len(undefined) == 1 else "have"
    ending = f" {have} no {table.title}: it is NaN, not a number, and compared with no other."
    which = (*listed([names[row.system] for row in undefined])[:-1], ending)
    places = [place for place, row in enumerate(table.rows) if not math.isnan(row.value)]
    if not places:
        return [which]
    scored = replace(
        table, rows=[table.rows[place] for place in places], pvalues=table.pvalues[np.ix_(places, places)]
    )
    return [*score_verdict(comparison, scored, names), which]


def _tested(
    comparison: Comparison, table: ScoreTable, rest: Sequence[SystemScore], called: Mapping[str, str]
) -> list[Sentence]:
    """Return which others are significantly worse than the best (the first of those with the best score)."""
    place = {row.system: index for index, row in enumerate(table.rows)}
    best = next(index for index, row in enumerate(table.rows) if row.best)
    named = called[table.rows[best].system]
    pvalues = {row.system: float(table.pvalues[place[row.system], best]) for row in rest}
    worse, unclear = ([row for row in rest if bool(row.as_good) == same] for same in (False, True))
    unknown, better = "The test finds no significant difference between ", " is significantly better than"
    kind, alpha = "p" if len(table.rows) == 2 else "adjusted p", f"alpha {comparison.alpha:g}"
    largest = pvalue_text(max((pvalues[row.system] for row in worse), default=1.0))
    if len(rest) == 1 and worse:
        if len(table.rows) == 2:
            return [(f"The difference is significant ({kind} {largest}, {alpha}).",)]
        return [("", named, f"{better} ", called[worse[0].system], f" ({kind} {largest}, {alpha}).")]
    if not unclear:
        return [("", named, f"{better} {all_of(len(rest))} others (largest {kind} {largest}, {alpha}).")]
    none = "which does not show that there is none"
    if len(unclear) <= MOST_NAMED:
        others = listed([called[row.system] for row in unclear])
        joint = {1: " and ", 2: " and either of "}.get(len(unclear), " and any of ")
        inside = ", ".join(pvalue_text(pvalues[row.system]) for row in unclear)
        ending = f" ({kind} {inside}; {alpha}), {none}."
        found: list[Sentence] = [(unknown, named, joint, *others[1:-1], ending)]
    else:
        least = pvalue_text(min(pvalues[row.system] for row in unclear))
        counted = f" and {len(unclear)} of the {len(rest)} others (least {kind} {least}, {alpha}), {none}."
        found = [(unknown, named, counted)]
    if worse:
        others_named = "the other" if len(worse) == 1 else f"the other {len(worse)}"
        found.append(
            ("", named, f"{better} {others_named} ({'' if len(worse) == 1 else 'largest '}{kind} {largest}).")
        )
    return found


def _baseline(comparison: Comparison, table: ScoreTable, called: Mapping[str, str]) -> list[Sentence]:
    """Return how many systems differ significantly from the baseline, unless the verdict on the best says it."""
    base = next((index for index, row in enumerate(table.rows) if row.difference is None), None)
    if base is None or len(table.rows) == 2 or table.rows[base].best:
        return []
    direction = 1.0 if table.higher_is_better else -1.0
    gains = direction * np.array([row.value - table.rows[base].value for row in table.rows])
    significant = table.pvalues[base] < comparison.alpha
    better, worse = (int((significant & (sign * gains > 0)).sum()) for sign in (1, -1))
    found = [
        f"significantly {how} than {_others(n, len(table.rows) - 1)}"
        for how, n in (("worse", better), ("better", worse))
        if n
    ]
    if not found:
        return [("The test finds no significant difference between the baseline and any other system.",)]
    name = called[table.rows[base].system]
    start = "The baseline " if name != "baseline" else "The "
    return [(start, name, f" is {', and '.join(found)}.")]


def summary_verdict(tables: Sequence[ScoreTable], titles: Sequence[str], names: Mapping[str, str]) -> list[Sentence]:
    """Return whether all scores have the same best system, or which is best by which, and what the tests add."""
    if len(tables) < 2 or len(tables[0].rows) < 2:
        return []
    undefined = [
        title for table, title in zip(tables, titles, strict=True) if any(math.isnan(row.value) for row in table.rows)
    ]
    if undefined:
        complete = [(table, title) for table, title in zip(tables, titles, strict=True) if title not in undefined]
        found = summary_verdict([table for table, _ in complete], [title for _, title in complete], names)
        return [*found, (f"Left out here: {_joined(undefined)}, which not every system has (NaN).",)]
    # where all systems score 0, none is best
    both = [
        (table, title) for table, title in zip(tables, titles, strict=True) if any(row.best for row in table.rows)
    ]
    tables, titles = [table for table, _ in both], [title for _, title in both]
    if len(tables) < 2:
        return []
    tops: dict[tuple[str, ...], list[str]] = {}
    for table, title in zip(tables, titles, strict=True):
        tops.setdefault(tuple(names[row.system] for row in table.rows if row.best), []).append(title)
    if len(tops) == 1:
        (best,) = tops
        first = (*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best in {_counted(tables)}.")
        return [first, *_apart_from_best(tables, titles, names, len(best))]
    found = [("The scores do not agree on the best system.",)]
    for best, scores in tops.items():
        found.append((*listed(best)[:-1], f" {'is' if len(best) == 1 else 'are'} best by {_joined(scores)}."))
    rivals = {name for best in tops for name in best}
    near = [
        title
        for table, title in zip(tables, titles, strict=True)
        if any(row.as_good and not row.best and names[row.system] in rivals for row in table.rows)
    ]
    if near:
        found.append((f"By {_joined(near)}, the test does not tell them apart.",))
    return found


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
    if rows[0].as_good is None:
        return [("The differences were not tested: they may be due to chance.",)]
    unclear = {
        system.system: [title for table, title in zip(tables, titles, strict=True) if table.rows[place].as_good]
        for place, system in enumerate(tables[0].rows)
        if not system.best
    }
    unclear = {system: scores for system, scores in unclear.items() if scores}
    if not unclear:
        other = "the other" if len(rows) == 1 else f"{all_of(len(rows))} others"
        return [(f"It is significantly better than {other} in each of them.",)]
    if len(unclear) > MOST_NAMED:
        number = "any" if len(unclear) == len(rows) else f"{len(unclear)}"
        return [
            (f"In at least one of them, the tests do not tell it apart from {number} of the {len(rows)} others.",)
        ]
    parts = ["The tests do not tell it apart from "]
    for place, (system, scores) in enumerate(unclear.items()):
        inside = "" if len(scores) == len(tables) else f" ({', '.join(scores)})"
        last = place == len(unclear) - 1
        parts += [names[system], f"{inside}{'.' if last else ' and ' if place == len(unclear) - 2 else ', '}"]
    return [tuple(parts)]


def bucket_verdict(
    columns: Sequence[Sequence[float]], called: Sequence[str], higher: bool, bucket: str
) -> list[Sentence]:
    """Return in how many buckets each system alone is best; `columns` has a value of each system for each bucket."""
    if len(called) < 2 or len(columns) < 2:
        return []
    wins, ties, choose = dict.fromkeys(called, 0), 0, max if higher else min
    for column in columns:
        known = [value for value in column if not np.isnan(value)]
        best = [name for name, value in zip(called, column, strict=True) if known and value == choose(known)]
        if len(best) == 1:
            wins[best[0]] += 1
        ties += len(best) > 1
    ordered = sorted((name for name in called if wins[name]), key=lambda name: -wins[name])[:MOST_NAMED]
    tied = f"; {ties} end{'s' if ties == 1 else ''} in a tie" if ties else ""
    parts: list[str] = [""]
    for name in ordered:
        number = all_of(len(columns)) if wins[name] == len(columns) else f"{wins[name]} of {len(columns)}"
        joint = "; " if name != ordered[-1] else f"{tied}. These were not tested."
        parts += [name, f" is best in {number} {bucket}{joint}"]
    return [tuple(parts)] if ordered else []


def listed(names: Sequence[str]) -> Sentence:
    """Return names joined by commas and "and", as a sentence that begins and ends with an empty text."""
    parts = [""]
    for place, name in enumerate(names):
        joint = "" if place == len(names) - 1 else " and " if place == len(names) - 2 else ", "
        parts += [name, joint]
    return tuple(parts)


def _joined(names: Sequence[str]) -> str:
    return "".join(listed(names))


def _apart(table: ScoreTable, best: SystemScore, other: SystemScore) -> str:
    """Return by how much one is better; scores in percent are points apart."""
    apart = abs(best.value - other.value)
    percent = table.scorer.is_share and table.scorer.scale == 100
    points = " points" if percent else ""
    where = "above" if table.higher_is_better else "below"
    return f"{f'{apart:.2f}' if apart >= 0.005 else 'less than 0.01'}{points} {where}"


def _others(count: int, of: int) -> str:
    if count == of:
        return f"{all_of(of)} others"
    return "1 other" if count == 1 else f"{count} others"


def all_of(count: int) -> str:
    """Return how all of so many things are called."""
    return "both" if count == 2 else f"all {count}"
