"""``tercet plan``: how many segments a test set needs to show a difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import typer

from tercet.comparison.inputs.settings import PlanSettings
from tercet.files.writing import check_file, check_outputs
from tercet.names_as_shown import one_cell

from .metric_arguments import MetricCommand
from .options import (
    HOW_METRICS_ARE_WRITTEN,
    MetricOptions,
    TextOptions,
    scoring,
    setting,
    takes_groups,
    writing,
)
from .output_options import Out, Progress


@dataclass(init=False, eq=False, repr=False)
class _PlanOptions(MetricOptions):
    """The scores, and what they are to show."""

    difference: float = scoring(
        ...,
        metavar="X",
        help="The difference to be found between two systems, in the unit of the scores: 0.5 is half a point of "
        "BLEU, or half a percent of answers that are right or wrong.",
    )
    power: float = setting(PlanSettings, "power", metavar="X")
    alpha: float = setting(PlanSettings, "alpha", metavar="X")
    n_resamples: int = setting(PlanSettings, "n_resamples")
    seed: int = setting(PlanSettings, "seed")


@dataclass(init=False, eq=False, repr=False)
class _PlanOutput(Progress):
    """Destination and format of the plan."""

    format: Literal["text", "json"] | None = writing(
        None,
        "--format",
        "-f",
        metavar="FORMAT",
        help="Format of the output: text or json. Default: by the extension of --out (.json or .txt), else text.",
    )
    out: Out = None


app = typer.Typer(rich_markup_mode=None)


@app.command("plan", cls=MetricCommand, epilog=HOW_METRICS_ARE_WRITTEN)
@takes_groups
def plan_command(texts: TextOptions, planned: _PlanOptions, output: _PlanOutput) -> None:
    """Plan a test set: how many segments show a difference, before any system is trained."""
    from tercet.comparison.plan import plan
    from tercet.signature import __version__
    from tercet.table_formats import json_text

    from .output import chosen_format, write

    form = chosen_format(output.format, output.out, (".json", ".txt", ""))
    metrics = planned.metrics()
    if output.out is not None:
        check_file(output.out)
    check_outputs({"--out": output.out}, texts.inputs(metrics))
    plans = [
        plan(test_set, metrics or None, progress=output.progress, **planned.asked)
        for test_set in texts.test_sets(metrics)
    ]
    if form == "json":
        text = json_text({"tercet": __version__, "test_sets": [each.to_dict() for each in plans]})
    else:
        blocks = [each.to_text() for each in plans]
        if len(plans) > 1:
            blocks = [f"{one_cell(each.test_set.name)}:\n{each.to_text()}" for each in plans]
        text = "\n\n".join(blocks) + "\n"
    write(text, output.out, form)
