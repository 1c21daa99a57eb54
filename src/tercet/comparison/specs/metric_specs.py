"""The metrics of a comparison, given as texts or as values: read, checked, and called as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tercet.base.metric import Metric
from tercet.errors import OptionError, argument, on_command_line, shorten, warn
from tercet.metrics.column import Column
from tercet.names_as_shown import joined
from tercet.specs import parse_value, split_metric, split_options
from tercet.statistics.resampled_scores import N_RESAMPLES

#: What a text has that is no path of a disk: an address such as hf://, or options.
_NO_PATH = frozenset(":=,")


def parse_metric(text: str, *, imports: bool = False) -> Metric:
    """Read a metric with its options, as :func:`split_metric` does, or the path of a mean of metrics (.json).

    OptionError also for options of the whole comparison, such as ``seed``.
    """
    if is_mean(text):
        # Here, as few metrics are means.
        from .mean_of_metrics import mean_in_file

        return mean_in_file(text)
    cls, options = split_metric(text, imports=imports)
    _refuse_of_comparison(options)
    return cls.from_options(options, written=options)


def parse_column(text: str) -> Column:
    """Read ``COMET`` or ``COMET:better=lower``: a column of scores, whose name may have colons too."""
    name, _, option_text = text.rpartition(":")
    assignments = [assignment.partition("=") for assignment in split_options(option_text)]
    if not name or not all(equals for _, equals, _ in assignments):
        return Column(text)
    options = {option.strip(): parse_value(value.strip()) for option, _, value in assignments}
    return Column.from_options({"name": name, **options}, written=options)


def is_mean(text: str) -> bool:
    """Return whether a text is the path of a mean of metrics, and no metric with a path among its options.

    >>> is_mean("lr=0.1/mean.json"), is_mean("spbleu:tokenizer=own.json")
    (True, False)
    """
    head, equals, _ = text.partition("=")
    has_options = bool(equals) and ":" in head
    return text.lower().endswith(".json") and not has_options


def for_tables(metric: Metric) -> Metric:
    """Return a metric that a text named, with the scores that people read in tables unless the text chooses some.

    >>> for_tables(parse_metric("rouge")).score_names
    ('rouge1', 'rouge2', 'rougeL', 'rougeLsum')
    >>> for_tables(parse_metric("rouge:rouge_types=rougeW")).score_names
    ('rougeW',)
    """
    declared = metric.options()
    # A preset, as compat=rouge, has a list of its own.
    narrower = {
        name: value for name, value in metric.in_tables.items() if getattr(metric, name) == declared[name].default
    }
    return metric.with_defaults(**narrower) if narrower else metric


def metric_of(metric: str | Metric) -> Metric:
    """Return a metric given as text or value."""
    if isinstance(metric, str):
        return for_tables(parse_metric(metric))
    _refuse_of_comparison(metric.written)
    return metric


def name_of(metric: Metric) -> str:
    """Return the name of a metric; of a mean, the path of its file."""
    return metric._given_name


def label_of(metric: Metric) -> str:
    """Return a metric as written, with its options if any."""
    return label(name_of(metric), metric.written)


def label(name: str, options: Mapping[str, Any]) -> str:
    """Return the name of a metric and its options as written."""
    assignments = _assignments(options)
    return f"{name}:{assignments}" if assignments else name


def short_label(metric: Metric) -> str:
    """Return a metric as written, with paths shortened to their last part."""
    return label(_short(name_of(metric)), _short_options(metric))


def behind_title(metric: Metric, *, shortens: bool) -> str:
    """Return a metric's options as the command takes them, which headings have behind its title.

    A metric without a title, such as a mean, has its name before them. `shortens` says whether paths are shortened.
    """
    name = name_of(metric)
    options = metric.written
    if shortens:
        name = _short(name)
        options = _short_options(metric)
    in_words = {option: _value_in_words(value) for option, value in options.items()}
    return _assignments(in_words) if metric.title else label(name, in_words)


def _assignments(options: Mapping[str, Any]) -> str:
    return ",".join(f"{option}={_value_as_text(value)}" for option, value in options.items())


def _short_options(metric: Metric) -> dict[str, Any]:
    """Return the options that the user wrote, with paths shortened to their last part."""
    return {option: _short(value) if isinstance(value, str) else value for option, value in metric.written.items()}


def _short(text: str) -> str:
    """Return the path of a file in two folders or more with its last part alone, and any other text as it is."""
    folders, _, name = text.rpartition("/")
    is_long_path = bool(name) and "/" in folders and not _NO_PATH.intersection(folders)
    return f"…/{name}" if is_long_path else text


def _value_in_words(value: Any) -> Any:
    """Return a list of words as it is written on the command line, and any other value as it is."""
    is_list_of_words = isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)
    return "+".join(value) if is_list_of_words and value else value


def distinct(metrics: Iterable[Metric]) -> list[Metric]:
    """Return the metrics, each once; warns of one that is given twice with the same options.

    OptionError for different metrics with one label, as results are found by it.
    """
    metrics_once: list[Metric] = []
    for metric in metrics:
        written = type(metric), name_of(metric), metric.written
        if any(written == (type(earlier), name_of(earlier), earlier.written) for earlier in metrics_once):
            warn(f"{label_of(metric)} is given twice, and scored once.")
        else:
            for earlier in metrics_once:
                if label_of(earlier) == label_of(metric):
                    raise _one_label(earlier, metric)
            metrics_once.append(metric)
    return metrics_once


def _one_label(first: Metric, second: Metric) -> OptionError:
    """Return the error of two metrics that are called alike and are not."""
    if type(first) is not type(second):
        return OptionError(f"Two metrics of different classes are called {second.name}: give one another name.")
    differing = [option for option, value in second.written.items() if first.written.get(option) != value]
    return OptionError(
        f"Two metrics with different values of {joined(differing)} are both called {label_of(second)}: one would "
        "hide the other. Give functions different names (def words(text): ...), or compare by one metric at a time."
    )


def _refuse_of_comparison(options: Iterable[str]) -> None:
    """Refuse options that a comparison sets once for all metrics: given for one metric, they had no effect."""
    if not options:
        return
    segments = "every table of the result has them, as tables[0].segments"
    if on_command_line():
        segments = "give --segments and a file for them"
    advice_by_option = {
        "confidence_level": f"give {argument('confidence_level')} for all",
        "n_resamples": f"intervals have {N_RESAMPLES:,} resamples ({argument('n_resamples')} is for the test)",
        "seed": f"give {argument('seed')} for all",
        "segments": segments,
        "signature": "every result shows it",
        "use_aggregator": f"for the scores of segments, {segments}",
        "grid": "tercet.score returns it in Python",
    }
    for name, advice in advice_by_option.items():
        if name in options:
            raise OptionError(f"The option {name!r} cannot be given for one metric here: {advice}.")


def _value_as_text(value: Any) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    except TypeError:
        # A function, or a table, which is no JSON.
        return getattr(value, "__qualname__", None) or shorten(value)
