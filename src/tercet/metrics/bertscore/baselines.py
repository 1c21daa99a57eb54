"""Baselines: the scores of unrelated texts, a line per layer, to spread scores over the range from 0 to 1."""

from __future__ import annotations

import csv
import math
import os
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING

from tercet import numpy_later as np
from tercet.errors import InputError, OptionError, shorten
from tercet.files.writing import write_text_file
from tercet.networks.layers import first_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEAD = ["LAYER", "P", "R", "F"]


def find_baseline(baseline_path: str | None, lang: str | None, model_type: str) -> Path:
    """Return the file of baselines: the one given, or that of the installed package bert-score."""
    if baseline_path is not None:
        file = os.path.expanduser(baseline_path)
        if not os.path.isfile(file):  # also for a text that cannot be the name of a file
            raise OptionError(f"There is no file {shorten(file, 300)}, given as 'baseline_path'.")
        return Path(file)
    advice = (
        "Give 'baseline_path': `tercet bertscore-baseline CORPUS --model MODEL --output FILE` makes such a file from "
        "any texts, one per line."
    )
    if lang is None:
        raise OptionError(
            f"rescale_with_baseline=True needs 'lang', to find bert-score's baseline, or a baseline file. {advice}"
        )
    # PathFinder, because find_spec would return a drop-in that was installed under this name.
    package = PathFinder.find_spec("bert_score")
    if package is None or package.origin is None:
        raise OptionError(f"The baselines come with the package bert-score, which is not installed. {advice}")
    path = Path(package.origin).parent / "rescale_baseline" / lang.lower() / f"{first_name(model_type)}.tsv"
    if not os.path.isfile(path):
        raise OptionError(
            f"The package bert-score has no baseline of {shorten(model_type, 300)} for {shorten(lang)}. {advice}"
        )
    return path


def read_baseline(path: Path) -> NDArray[np.float64]:
    """Read a file of baselines: comma-separated, a head ``LAYER,P,R,F``, a row per layer from 0 on."""
    rows: list[list[float]] = []
    try:
        # "-sig" accepts the byte order mark that Excel writes, and files without it.
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            if [name.strip().upper() for name in next(lines, [])] != _HEAD:
                raise InputError(f"{str(path)!r} is not a file of baselines: its first line must be LAYER,P,R,F.")
            for line in filter(None, lines):
                rows.append(_baseline_row(line, len(rows), f"{str(path)!r}, line {lines.line_num}"))
    except UnicodeDecodeError as error:
        raise InputError(f"{str(path)!r} is not a text file in UTF-8.") from error
    if not rows:
        raise InputError(f"{str(path)!r} has no baselines after its first line.")
    return np.array(rows)


def _baseline_row(line: list[str], number: int, source: str) -> list[float]:
    try:
        layer, *values = map(float, line)
    except ValueError:
        layer = math.nan
        values = []
    if layer != number or len(values) != 3 or not all(-1 <= value < 1 for value in values):
        raise InputError(f"{source}: expected the layer {number} and three numbers below 1, got {','.join(line)!r}.")
    return values


def baselines_of(path: Path, layers: range) -> NDArray[np.float64]:
    """Return the baselines of some layers, shape (layers, 3)."""
    rows = read_baseline(path)
    if layers.stop > len(rows) or (len(layers) > 1 and len(layers) != len(rows)):
        raise OptionError(
            f"{str(path)!r} has baselines for layers 0 to {len(rows) - 1}, but layers {layers.start} to "
            f"{layers.stop - 1} are needed."
        )
    return rows[layers.start : layers.stop]


def write_baseline(path: Path, means: NDArray[np.float64]) -> None:
    """Write a file of baselines that :func:`read_baseline` and bert-score read."""
    with write_text_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_HEAD)
        for layer, row in enumerate(means.tolist()):
            writer.writerow([layer, *(f"{value:.8f}" for value in row)])


def baseline_digest(baseline: NDArray[np.float64]) -> str:
    """Return eight characters that stand for the baselines that were used."""
    return sha256(np.ascontiguousarray(baseline, "<f8").tobytes()).hexdigest()[:8]
