"""A weighted mean of metrics as a small JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tercet.errors import InputError, shorten
from tercet.files.writing import write_text_file
from tercet.registry import canonical
from tercet.signature import digest

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

    @property
    def formula(self) -> str:
        """The mean as a formula."""
        names = [each.metric if each.score in each.metric else f"{each.metric} {each.score}" for each in self.parts]
        return " + ".join(f"{part.weight:.3g} {name}" for part, name in zip(self.parts, names, strict=True))

    @property
    def digest(self) -> str:
        """A digest of the parts, eight characters."""
        return digest([json.dumps(part, sort_keys=True, default=str) for part in self._parts()])

    def _parts(self) -> list[dict[str, Any]]:
        own = [{name: getattr(each, name) for name in _FIELDS} for each in self.parts]
        return [{**each, "options": dict(each["options"])} for each in own]

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
            found = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
        except (ValueError, RecursionError):
            raise InputError(f"{path} is not JSON; expected a mean of metrics that tercet correlate wrote.") from None
        if not isinstance(found, dict) or found.get("kind") != _KIND or not isinstance(found.get("parts"), list):
            raise InputError(f"{path} is not a mean of metrics; expected a file that tercet correlate --mean wrote.")
        return cls(tuple(_part(each, path) for each in found["parts"]), found.get("about") or {})


def _part(given: Any, path: Path) -> WeightedMetric:
    is_part = isinstance(given, dict) and all(isinstance(given.get(name), kind) for name, kind in _FIELDS.items())
    if not is_part or not abs(given["weight"]) <= _LARGEST_WEIGHT:  # NaN too
        raise InputError(f"{path}: expected metric, options, score and weight of each part, got {shorten(given)}.")
    return WeightedMetric(canonical(given["metric"]), given["options"], given["score"], float(given["weight"]))
