"""Metrics with options as written on a command line: ``bleu_multi:smooth_method=exp,lowercase=true``."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.base.metric import Metric, stats_of_systems
from tercet.base.options import Option, option
from tercet.checks import flag, refuse
from tercet.corpus.corpus import Corpus
from tercet.corpus.normalizers import label_of_normalizers
from tercet.errors import InputError, OptionError, did_you_mean, shorten
from tercet.files.writing import write_text_file
from tercet.metrics.column import Column
from tercet.registry import METRICS, SHORT_NAMES, canonical, metric_class, no_metric
from tercet.signature import Signature, digest
from tercet.statistics.stats import Scores, SegmentStats

#: Options that a comparison sets once for all metrics: given for one metric, they would have no effect.
_OF_COMPARISON = {
    "confidence_level": "give --confidence-level",
    "n_resamples": "intervals have 1,000 resamples (--n-resamples of tercet compare is for its test)",
    "seed": "give --seed",
    "segments": "give --segments and a file for them",
    "signature": "every result shows it",
    "use_aggregator": "give --segments and a file for the scores of every segment",
    "grid": "tercet.score returns it in Python",
}

_NUMBER = re.compile(r"(0|[1-9][0-9]{0,99})(\.[0-9]{1,99})?")
# Not "none", which is a tokenizer and a smoothing method: None is written null.
_WORDS = {"true": True, "false": False}
_FLAGS = {**_WORDS, "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}


def parse_metric(text: str, *, imports: bool = False) -> Metric:
    """Read ``metric`` or ``metric:option=value,option=value``, or the path of a mean of metrics (.json).

    Values are numbers, true (yes, on), false (no, off), words, or JSON: ``rouge_types=["rouge1","rougeL"]``; a list
    of words also with ``+`` between: ``rouge_types=rouge1+rougeL``. With `imports` also a metric of the user's own,
    ``module:Class`` or ``module:Class:option=value``: this runs the code of the module. OptionError for an unknown
    metric, another form, and options of the whole comparison, such as ``seed``.
    """
    if is_mean(text):
        return MeanOfMetrics(mean=SavedMean.load(Path(text)), path=text).written_as({})
    cls, options = split_metric(text, imports=imports)
    return cls.from_options(options).written_as(options)


def parse_column(text: str) -> Column:
    """Read ``COMET`` or ``COMET:better=lower``: a column of scores, whose name may have colons too."""
    name, _, option_text = text.rpartition(":")
    assignments = [assignment.partition("=") for assignment in _split(option_text)]
    if not name or not all(equals for _, equals, _ in assignments):
        return Column(text)
    options = {option.strip(): parse_value(value.strip()) for option, _, value in assignments}
    return Column.from_options({"name": name, **options}).written_as(options)


def is_mean(text: str) -> bool:
    """Return whether a text is the path of a mean of metrics."""
    return text.lower().endswith(".json") and "=" not in text


def split_metric(text: str, *, imports: bool = False) -> tuple[type[Metric], dict[str, Any]]:
    """Return the class of a metric and its options, whose values are not checked yet."""
    names, _, option_text = text.partition(":")
    if "," in names:
        separate = " ".join(f"-m {name.strip()}" for name in names.split(",") if name.strip())
        raise OptionError(f"{shorten(text)} names several metrics: give each by itself ({shorten(separate)[1:-1]}).")
    class_name, _, options_of_own = option_text.partition(":")
    if imports and class_name.isidentifier() and names not in METRICS and names not in SHORT_NAMES:
        metric, cls, option_text = f"{names}:{class_name}", own_class(names, class_name), options_of_own
    else:
        metric = canonical(names)
        cls = metric_class(metric)
    options: dict[str, Any] = {}
    for assignment in _split(option_text):
        name, equals, value = assignment.partition("=")
        name = name.strip()
        if not equals or not name or name in options:
            raise OptionError(
                f"In {shorten(text)}, {shorten(assignment)} is not option=value, or is given twice: write "
                f"{metric}:option=value,option=value. The words of a list are joined by +."
            )
        options[name] = parse_value(value.strip(), cls.options().get(name))
    _refuse_of_comparison(options)
    return cls, options


def own_class(module: str, name: str) -> type[Metric]:
    """Return a user's own metric from a module, which is imported: installed, or in the working directory."""
    # Last, so that no file of this folder takes the place of an installed package.
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    absent = f"{no_metric(module, [*METRICS, *SHORT_NAMES])} There is no module of this name either."
    if not all(part.isidentifier() for part in module.split(".")):
        raise OptionError(absent)
    try:
        imported = import_module(module)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            raise OptionError(absent) from None
        raise OptionError(f"The module {module} cannot be imported: {type(error).__name__}: {error}") from error
    cls = getattr(imported, name, None)
    if cls is None:
        where = getattr(imported, "__file__", None) or "built in"
        raise OptionError(f"The module {module} ({where}) has no class {name}.")
    if not (isinstance(cls, type) and issubclass(cls, Metric)):
        raise OptionError(f"{module}:{name} is not a metric: expected a subclass of tercet.Metric.")
    missing = [
        *sorted(cls.__abstractmethods__),
        *(member for member in ("name", "primary") if not hasattr(cls, member)),
    ]
    if missing:
        raise OptionError(f"{module}:{name} is not a whole metric: its class lacks {', '.join(missing)}.")
    return cls


def metric_of(metric: str | Metric) -> Metric:
    """Return a metric given as text or value."""
    if isinstance(metric, str):
        return parse_metric(metric)
    _refuse_of_comparison(metric.written)
    return metric


def _refuse_of_comparison(options: Iterable[str]) -> None:
    for name, instead in _OF_COMPARISON.items():
        if name in options:
            raise OptionError(f"The option {name!r} cannot be given for one metric here: {instead}.")


def name_of(metric: Metric) -> str:
    """Return the name of a metric; of a mean, the path of its file."""
    return metric.path if isinstance(metric, MeanOfMetrics) else metric.name


def label_of(metric: Metric) -> str:
    """Return a metric as written, with its options if any."""
    return label(name_of(metric), metric.written)


def label(name: str, options: Mapping[str, Any]) -> str:
    """Return the name of a metric and its options as written."""
    assignments = ",".join(f"{option}={_written(value)}" for option, value in options.items())
    return f"{name}:{assignments}" if assignments else name


def distinct(metrics: Iterable[Metric]) -> list[Metric]:
    """Return the metrics, each once; warns of one that is given twice with the same options."""
    metrics_once: list[Metric] = []
    for metric in metrics:
        written = type(metric), name_of(metric), metric.written
        if any(written == (type(earlier), name_of(earlier), earlier.written) for earlier in metrics_once):
            warnings.warn(f"{label_of(metric)} is given twice, and scored once.", UserWarning, stacklevel=3)
        else:
            same_name = (earlier for earlier in metrics_once if label_of(earlier) == label_of(metric))
            if any(type(earlier) is not type(metric) for earlier in same_name):
                raise OptionError(
                    f"Two metrics of different classes are called {metric.name}: give one another name."
                )
            metrics_once.append(metric)
    return metrics_once


def parse_value(text: str, option: Option | None = None) -> Any:
    """Return the value of a text on the command line; OptionError for JSON that Python cannot read.

    An option that is true or false is also given as yes, no, on, off, 1 and 0.
    """
    if option is not None and option.check is flag and text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        parts = text.split("+") if "+" in text.strip("+") else []
        numbers = bool(parts) and all(_NUMBER.fullmatch(part) for part in parts)
        return [json.loads(part) for part in parts] if numbers else parts or text
    except (RecursionError, ValueError) as error:
        # Brackets that are nested thousands of times, or an integer of thousands of digits.
        why = "is nested too deeply" if isinstance(error, RecursionError) else "has too many digits"
        raise OptionError(f"The value {shorten(text)} {why}.") from None


def _split(text: str) -> list[str]:
    """Split at the commas that are not within brackets or quotes."""
    parts, depth, is_quoted = [""], 0, False
    for letter in text:
        if letter == '"':
            is_quoted = not is_quoted
        elif letter in "[{" and not is_quoted:
            depth += 1
        elif letter in "]}" and not is_quoted:
            depth -= 1
        if letter == "," and depth == 0 and not is_quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def _written(value: Any) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    except TypeError:
        # A function, or a table, which is no JSON.
        return getattr(value, "__qualname__", None) or shorten(value)


# A weighted mean of metrics as a small JSON file.

_LARGEST_WEIGHT = 1e6
#: The file's type, and what it says of each metric.
_KIND = "tercet mean of metrics"
_FIELDS: Mapping[str, Any] = {"metric": str, "options": dict, "score": str, "weight": (int, float)}


@dataclass(frozen=True, slots=True)
class WeightedMetric:
    """A metric of a mean: options, one of its scores, and a weight."""

    metric: str
    options: Mapping[str, Any]
    score: str
    weight: float


@dataclass(frozen=True, slots=True)
class SavedMean:
    """A weighted mean of metrics, and the grades that its weights were chosen for.

    Absolute weights add up to 1; a lower-is-better metric has a negative weight.
    """

    parts: tuple[WeightedMetric, ...]
    about: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash(self.digest)

    @property
    def formula(self) -> str:
        """The mean as a formula."""
        names = [part.metric if part.score in part.metric else f"{part.metric} {part.score}" for part in self.parts]
        return " + ".join(f"{part.weight:.3g} {name}" for part, name in zip(self.parts, names, strict=True))

    @property
    def digest(self) -> str:
        """A digest of the parts, eight characters."""
        return digest([json.dumps(part, sort_keys=True, default=str) for part in self._parts()])

    def _parts(self) -> list[dict[str, Any]]:
        parts = [{name: getattr(part, name) for name in _FIELDS} for part in self.parts]
        return [{**entry, "options": dict(entry["options"])} for entry in parts]

    def save(self, path: Path) -> None:
        """Write the file; InputError for options that cannot be saved, such as functions."""
        try:
            text = json.dumps({"kind": _KIND, "parts": self._parts(), "about": dict(self.about)}, indent=1)
        except TypeError as error:
            raise InputError(f"A mean with these options cannot be saved: {error}.") from None
        with write_text_file(path) as file:
            file.write(f"{text}\n")

    @classmethod
    def load(cls, path: Path) -> SavedMean:
        """Read the file; InputError if it cannot be read, or holds something else."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
        except (ValueError, RecursionError):
            raise InputError(f"{path} is not JSON; expected a mean of metrics that tercet correlate wrote.") from None
        is_mean = isinstance(content, dict) and content.get("kind") == _KIND
        if not is_mean or not isinstance(content.get("parts"), list):
            raise InputError(f"{path} is not a mean of metrics; expected a file that tercet correlate --mean wrote.")
        return cls(tuple(_part(entry, path) for entry in content["parts"]), content.get("about") or {})


def _part(entry: Any, path: Path) -> WeightedMetric:
    is_part = isinstance(entry, dict) and all(
        isinstance(entry.get(name), type_of_field) for name, type_of_field in _FIELDS.items()
    )
    # "not ... <=", so that a weight that is NaN is refused, too.
    if not is_part or not abs(entry["weight"]) <= _LARGEST_WEIGHT:
        raise InputError(f"{path}: expected metric, options, score and weight of each part, got {shorten(entry)}.")
    return WeightedMetric(canonical(entry["metric"]), entry["options"], entry["score"], float(entry["weight"]))


# The weighted mean of metrics: each segment has a mean of its scores, and a corpus the mean of its segments.


@dataclass(frozen=True, slots=True)
class Contexts:
    """The context of each metric of a mean."""

    parts: tuple[Any, ...]

    def __add__(self, other: Contexts) -> Contexts:
        """Return the merged contexts of two parts of a corpus."""
        pairs = zip(self.parts, other.parts, strict=True)
        return Contexts(
            tuple(None if context is None else context + other_context for context, other_context in pairs)
        )


def _mean(value: Any) -> SavedMean:
    if isinstance(value, SavedMean):
        return value
    raise refuse("a mean of metrics")


class MeanOfMetrics(Metric):
    """A mean of metrics, with the options in its file."""

    name = primary = "mean"
    takes_systems = True
    columns = (*Metric.base_columns, "value")
    score_names = ("mean",)

    mean: SavedMean = option(default=None, doc="The metrics and their weights.", check=_mean)
    path: str = option(default="", doc="The file as a user wrote it.", check=str)

    def check(self) -> None:
        """Refuse a score that a metric of the mean does not have."""
        for part, metric in zip(self.mean.parts, self._metrics, strict=True):
            if part.score not in metric.score_names:
                hint = did_you_mean(part.score, metric.score_names)
                raise InputError(f"{part.metric} with these options has no score {part.score!r}. {hint}")

    @cached_property
    def _metrics(self) -> list[Metric]:
        shared = {"scale": self.scale, "missing_references": self.missing_references}
        return [make_scorer(part.metric, {**part.options, **shared}) for part in self.mean.parts]

    @property
    def needs_corpus(self) -> bool:
        """Whether one of the metrics must see the whole corpus."""
        return any(metric.needs_corpus for metric in self._metrics)

    def fit(self, batch: Corpus) -> Contexts:
        """Return the corpus-wide context of each metric."""
        return Contexts(tuple(metric.fit(metric.as_scored(batch)) for metric in self._metrics))

    def signature(self, context: Any) -> Signature:
        """Return the metrics, their weights, and a digest of both and all options."""
        weights = ",".join(f"{part.weight:.3g}" for part in self.mean.parts)
        names = ",".join(part.metric for part in self.mean.parts)
        normalize = label_of_normalizers(self.normalize)
        parts = {"of": names, "weights": weights, "digest": self.mean.digest, "normalize": normalize}
        return Signature.of(self.name, parts)

    def segment_stats(self, batch: Corpus, context: Contexts) -> SegmentStats:
        """Return the rows: the base columns, and the weighted sum of the segment's scores."""
        total, base_rows = np.zeros(batch.n_items), np.zeros((batch.n_items, len(self.base_columns)))
        for part, metric, part_context in zip(self.mean.parts, self._metrics, context.parts, strict=True):
            stats = stats_of_systems(metric, metric.as_scored(batch), part_context)
            total += part.weight * metric.segment_metric.finalize(stats.rows)[part.score]
            base_rows = stats.rows[:, : base_rows.shape[1]]
        # A segment that was left out has no part in the mean.
        total[base_rows[:, 0] == 0] = 0.0
        return SegmentStats(self.signature(context), self.columns, np.column_stack([base_rows, total]))

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the mean over items."""
        return {"mean": totals[..., -1] / np.maximum(totals[..., 0], 1)}
