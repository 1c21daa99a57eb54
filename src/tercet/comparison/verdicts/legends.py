"""The sentences that explain the marks and numbers of a comparison's tables: intervals, tests, ranks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tercet.comparison.result import Comparison
from tercet.comparison.values.scores import AS_GOOD, LOWER, ScoreTable
from tercet.comparison.wording.decimals import percent
from tercet.statistics.inference import ADJUSTED, INTERVALS
from tercet.statistics.intervals import MOST_UNITS
from tercet.statistics.resampled_scores import N_RESAMPLES

#: What the table of systems with several runs shows.
_OVER_RUNS = (
    "Over runs: means, and the standard deviation of the runs as spread; intervals, ± and p by Welch's t from the "
    "variances of units and of runs, p adjusted for all pairs by Holm's method."
)


def table_legend(comparison: Comparison, plain: Callable[[str], str], best: str, beside: Collection[str]) -> str:
    """Return the legend of a table's marks, `best` that of the best; `plain` formats the name of the baseline.

    `beside` is what the table has beside scores: its marks are by tests even where it has no p.
    """
    label = comparison.p_label if "p" in beside else "Tests"
    numbers = numbers_in_words(comparison, label, plain, beside)
    return f"{marks_in_words(comparison, best)} {numbers}".strip()


def numbers_in_words(
    comparison: Comparison, p_label: str, plain: Callable[[str], str], beside: Collection[str]
) -> str:
    """Return what the numbers beside scores are; `p_label` is before what is said of p."""
    sentences = []
    if comparison.test is not None:
        over_scores = "; not adjusted over scores" if len(comparison.tables) > 1 else ""
        sentences.append(f"{p_label}: {_tests_in_words(comparison, plain)}{over_scores}.")
    elif comparison.joins_runs:
        sentences.append(_OVER_RUNS)
    if "interval" in beside and comparison.has_intervals:
        sentences.append(f"Intervals: {intervals_in_words(comparison, plain=plain)}.")
    lower = [label for label, table in comparison.labelled_tables() if not table.higher_is_better]
    if lower:
        sentences.append(f"{LOWER} Lower is better: {', '.join(map(plain, lower))}.")
    return " ".join(sentences)


def marks_in_words(
    comparison: Comparison, best: str, as_good: str = f"{AS_GOOD}: not significantly worse than the best"
) -> str:
    """Return what the marks beside scores are, `best` that of the best; "" where there are none."""
    rows = [row for table in comparison.tables for row in table.rows]
    if comparison.test is None:
        return f"{best}: the best." if any(row.best for row in rows) else ""
    also = ""
    if any(row.as_good and not row.best for row in rows):
        also = f"; {as_good} ({comparison.level_in_words})"
    return f"{best}: the best{also}."


def in_parentheses(comparison: Comparison, beside: Collection[str]) -> str:
    """Return what stands in parentheses and brackets where a score and its interval share a cell.

    `beside` is what the table has beside scores.
    """
    if "interval" not in beside or not comparison.has_intervals:
        return ""
    level = percent(comparison.confidence_level)
    has_brackets = comparison.test is not None and "difference" in beside
    difference_note = "; in brackets: those of differences" if has_brackets else ""
    return f"In parentheses: {level} intervals{difference_note}."


def rank_legend(comparison: Comparison, lined: Sequence[ScoreTable] = ()) -> str:
    """Return what ranks mean, and the lines that are drawn by these scores; "" where tables have no ranks."""
    if not comparison.has_ranks:
        return ""
    line = ""
    if any(table.group_ends for table in lined):
        by = ""
        if len(lined) < len(comparison.tables):
            by = f" (by {', '.join(table.title for table in lined)})"
        line = f" A line{by}: every system above it is significantly better than every one below."
    return (
        f"rank: the best and the worst place that a system may hold, as only significant differences count "
        f"({comparison.level_in_words}).{line}"
    )


def methods_in_words(comparison: Comparison) -> list[str]:
    """Return as sentences of which kind the intervals are, and which tests ran."""
    sentences = []
    if comparison.has_intervals:
        sentences.append(f"Intervals: {intervals_in_words(comparison)}.")
    if comparison.test is not None:
        sentences.append(f"{comparison.p_at_start}: {_tests_in_words(comparison, str)}.")
    return sentences


def intervals_in_words(
    comparison: Comparison, tables: Sequence[ScoreTable] | None = None, plain: Callable[[str], str] = str
) -> str:
    """Return the kinds of intervals of scores, of all by default."""
    chosen = comparison.tables if tables is None else tables
    resampled = INTERVALS[comparison.interval or "expanded"]
    # Student's t draws none.
    if comparison.interval != "Student":
        resampled += f", {N_RESAMPLES:,} resamples"
        if any(table.n_units > MOST_UNITS for table in chosen):
            resampled += f" of {MOST_UNITS:,} random groups of {comparison.unit}s"
        resampled += f", seed {comparison.seed}"
    exact = [label for label, table in comparison.labelled_tables() if table.is_exact and table in chosen]
    if not exact or not comparison.inference.of_shares().has_exact_intervals:
        return resampled
    method = "Wilson's" if comparison.test is None else "Wilson's, of differences Tango's"
    if len(exact) == len(chosen):
        return method
    return f"{resampled}; of {', '.join(map(plain, exact))} {method}"


def resamples_in_words(comparison: Comparison) -> str:
    """Return how many resamples the test takes, or that it takes every exchange of so few units."""
    n_resamples = comparison.n_resamples or 0
    test = comparison.inference.test
    if test is not None:
        taken = {test.resamples(table.n_units, n_resamples) for table in comparison.tables if not table.is_exact}
        if len(taken) == 1 and all(resamples.are_all for resamples in taken):
            (exchanges,) = taken
            return f"all {exchanges.number:,} exchanges"
    return f"{n_resamples:,} resamples, seed {comparison.seed}"


def _tests_in_words(comparison: Comparison, plain: Callable[[str], str]) -> str:
    """Return the tests of all scores, and how their p are adjusted."""
    resampled = comparison.inference
    exact = resampled.of_shares()
    if resampled.test is None or exact.test is None:
        return ""
    adjusted = {method: f", adjusted for all pairs by {name}" for method, name in ADJUSTED.items()}
    if comparison.p_label == "p":
        adjusted = dict.fromkeys(ADJUSTED, "")
    against = f"against {plain(comparison.baseline)}"
    by_resamples = f"{resampled.test.title} {against}{adjusted[resampled.adjust]}"
    if resampled.has_exact_test:
        return by_resamples
    by_resamples += f", {resamples_in_words(comparison)}"
    exact_labels = [plain(label) for label, table in comparison.labelled_tables() if table.is_exact]
    if not exact_labels or not exact.has_exact_test:
        return by_resamples
    if len(exact_labels) == len(comparison.tables):
        return f"{exact.test.title} {against}{adjusted[exact.adjust]}"
    return f"{by_resamples}; of {', '.join(exact_labels)} {exact.test.title}{adjusted[exact.adjust]}"
