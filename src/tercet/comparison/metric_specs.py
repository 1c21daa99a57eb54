"""Metrics with options as written on a command line: ``bleu_multi:smooth_method=exp,lowercase=true``."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.api import make_scorer
from tercet.checks import flag
from tercet.errors import OptionError, shorten
from tercet.metric.metric import Metric
from tercet.metric.options import Option
from tercet.metric.scorer import Scorer
from tercet.registry import METRICS, canonical, metric_class

from .mean import MeanScorer
from .saved_mean import SavedMean

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
_WORDS = {"true": True, "false": False}  # "none" is a tokenizer, and a smoothing method; None is null
_FLAGS = {**_WORDS, "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric with options."""

    metric: str
    options: dict[str, Any]

    def __post_init__(self) -> None:
        """Expand a short name, and refuse options that belong to the whole comparison."""
        object.__setattr__(self, "metric", canonical(self.metric))
        for name, instead in _OF_COMPARISON.items():
            if name in self.options:
                raise OptionError(f"The option {name!r} cannot be given for one metric here: {instead}.")

    @property
    def label(self) -> str:
        """The metric as written, with its options if any."""
        options = ",".join(f"{name}={_written(value)}" for name, value in self.options.items())
        return f"{self.metric}:{options}" if options else self.metric

    @property
    def takes_references(self) -> bool:
        """Whether predictions are compared with references."""
        return metric_class(self.metric).takes_references

    def scorer(self, **defaults: Any) -> Scorer:
        """Return the scorer; `defaults` apply where the options do not."""
        return make_scorer(self.metric, {**defaults, **self.options})


@dataclass(frozen=True, slots=True)
class MeanSpec(MetricSpec):
    """A mean of metrics in a file, whose path is its name."""

    def __post_init__(self) -> None:
        """Take the path as it is."""

    @property
    def takes_references(self) -> bool:
        """Whether predictions are compared with references: assumed of any mean."""
        return True

    def scorer(self, **defaults: Any) -> Scorer:
        """Return the scorer of the file."""
        return MeanScorer(SavedMean.load(Path(self.metric)), {**defaults, **self.options})


def parse_metric(text: str) -> MetricSpec:
    """Read ``metric`` or ``metric:option=value,option=value``, or the path of a mean of metrics (.json).

    Values are numbers, true (yes, on), false (no, off), words, or JSON: ``rouge_types=["rouge1","rougeL"]``; a list
    of words also with ``+`` between: ``rouge_types=rouge1+rougeL``. OptionError for an unknown metric, another form,
    and options of the whole comparison, such as ``seed``.
    """
    if text.lower().endswith(".json") and "=" not in text:
        return MeanSpec(text, {})
    named, _, rest = text.partition(":")
    if "," in named:
        each = " ".join(f"-m {name.strip()}" for name in named.split(",") if name.strip())
        raise OptionError(f"{shorten(text)} names several metrics: give each by itself ({shorten(each)[1:-1]}).")
    metric = canonical(named)
    options: dict[str, Any] = {}
    for part in _split(rest):
        name, equals, value = part.partition("=")
        name = name.strip()
        if not equals or not name or name in options:
            raise OptionError(
                f"In {shorten(text)}, {shorten(part)} is not option=value, or is given twice: write "
                f"{metric}:option=value,option=value. The words of a list are joined by +."
            )
        options[name] = parse_value(value.strip(), metric_class(metric).options().get(name))
    return MetricSpec(metric, options)


def spec_of(metric: str | Metric | MetricSpec) -> MetricSpec:
    """Return the spec of a metric given as text or value."""
    if isinstance(metric, Metric):
        if metric.name not in METRICS or type(metric) is not metric_class(metric.name):
            raise OptionError(f"{metric!r} cannot be compared: its class is not a metric of the suite.")
        return MetricSpec(metric.name, {**metric.given, **metric.asked.given})
    return parse_metric(metric) if isinstance(metric, str) else metric


def distinct(specs: Iterable[MetricSpec]) -> list[MetricSpec]:
    """Return the metrics, each once; warns of one that is given twice with the same options."""
    found: list[MetricSpec] = []
    for spec in specs:
        if spec in found:
            warnings.warn(f"{spec.label} is given twice, and scored once.", UserWarning, stacklevel=3)
        else:
            found.append(spec)
    return found


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
    except (RecursionError, ValueError) as error:  # nested thousands of times, or an integer of thousands of digits
        why = "is nested too deeply" if isinstance(error, RecursionError) else "has too many digits"
        raise OptionError(f"The value {shorten(text)} {why}.") from None


def _split(text: str) -> list[str]:
    """Split at the commas that are not within brackets or quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part.strip()]


def _written(value: Any) -> str:
    try:
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
    except TypeError:  # a function, or a table
        return getattr(value, "__qualname__", None) or shorten(value)
