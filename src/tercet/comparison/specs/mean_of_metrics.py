"""The weighted mean of metrics: as a small JSON file, and as a metric that a comparison takes.

Each segment has a mean of its scores, and a corpus the mean of its segments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tercet.api import make_scorer
from tercet.base.metric import Metric
from tercet.base.options import option
from tercet.base.pieces import stats_of_systems
from tercet.base.rows import ITEMS
from tercet.corpus.corpus import Corpus
from tercet.corpus.normalizers import label_of_normalizers
from tercet.errors import InputError, did_you_mean, shorten
from tercet.files.writing import write_text_file
from tercet.option_checks import refuse
from tercet.registry import canonical
from tercet.signature import Signature, digest
from tercet.statistics.stats import Scores, SegmentStats

_LARGEST_WEIGHT = 1e6
#: The file's type, and what it says of each metric.
_KIND = "tercet mean of metrics"
_FIELDS: Mapping[str, Any] = {"metric": str, "options": dict, "score": str, "weight": (int, float)}


class WeightedMetric(NamedTuple):
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
        terms = ""
        for part in self.parts:
            name = part.metric
            if part.score not in part.metric:
                name += f" {part.score}"
            if not terms:
                terms = f"{part.weight:.3g} {name}"
            elif part.weight < 0:
                terms += f" - {-part.weight:.3g} {name}"
            else:
                terms += f" + {part.weight:.3g} {name}"
        return terms

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
            raise InputError(
                f"{path} is not a mean of metrics; expected a file that "
                "`tercet correlate --mean FILE` or `best_mean(...).mean.save(FILE)` wrote."
            )
        if not content["parts"]:
            raise InputError(f"{path} is a mean of no metrics: expected one part or more.")
        about = content.get("about") or {}
        if not isinstance(about, dict):
            raise InputError(f"{path}: expected an object that says what the mean is about, got {shorten(about)}.")
        return cls(tuple(_part(entry, path) for entry in content["parts"]), about)


def _part(entry: Any, path: Path) -> WeightedMetric:
    is_part = isinstance(entry, dict) and all(
        isinstance(entry.get(name), type_of_field) for name, type_of_field in _FIELDS.items()
    )
    # "not ... <=", so that a weight that is NaN is refused, too.
    if not is_part or not abs(entry["weight"]) <= _LARGEST_WEIGHT:
        raise InputError(f"{path}: expected metric, options, score and weight of each part, got {shorten(entry)}.")
    return WeightedMetric(canonical(entry["metric"]), entry["options"], entry["score"], float(entry["weight"]))


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


def _check_mean(value: Any) -> SavedMean:
    if isinstance(value, SavedMean) and value.parts:
        return value
    raise refuse("a mean of metrics")


class MeanOfMetrics(Metric):
    """A mean of metrics, with the options in its file."""

    name = primary = "mean"
    takes_systems = True
    columns = (*Metric.base_columns, "value")
    score_names = ("mean",)

    mean: SavedMean = option(default=None, doc="The metrics and their weights.", check=_check_mean)
    path: str = option(default="", doc="The file as a user wrote it.", check=str)

    @property
    def _given_name(self) -> str:
        """The path of its file, which a user gives in the place of a name."""
        return self.path

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
        total = np.zeros(batch.n_items)
        is_scored = np.ones(batch.n_items, bool)
        base_rows = np.zeros((batch.n_items, len(self.base_columns)))
        for part, metric, part_context in zip(self.mean.parts, self._metrics, context.parts, strict=True):
            stats = stats_of_systems(metric, metric.as_scored(batch), part_context)
            total += part.weight * metric.segment_metric.finalize(stats.rows)[part.score]
            is_scored &= stats.column("items") > 0
            # A metric that takes no references counts none, whichever place it has.
            base_rows = np.maximum(base_rows, stats.rows[:, : base_rows.shape[1]])
        # A segment that one of the metrics leaves out has no part in the mean.
        base_rows[:, ITEMS] = is_scored
        total[~is_scored] = 0.0
        return SegmentStats(self.signature(context), self.columns, np.column_stack([base_rows, total]))

    def finalize(self, totals: NDArray[np.float64]) -> Scores:
        """Return the mean over items."""
        return {"mean": totals[..., -1] / np.maximum(totals[..., 0], 1)}


def mean_in_file(path: str) -> MeanOfMetrics:
    """Return the mean of metrics of a file, which is called as a user gives it."""
    mean = SavedMean.load(Path(path))
    return MeanOfMetrics.from_options({"mean": mean, "path": path}, written={})
