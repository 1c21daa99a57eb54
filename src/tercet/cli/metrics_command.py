"""``tercet metrics``: the metrics, and the options of one."""

from __future__ import annotations

from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tercet.registry import SHORT_NAMES, canonical, metric_class

from .completion import metrics_like

app = typer.Typer(rich_markup_mode=None)


@app.command("metrics")
def metrics(
    metric: Annotated[
        str | None,
        typer.Argument(help="A metric; lists its options.", show_default=False, autocompletion=metrics_like),
    ] = None,
) -> None:
    """List the metrics, or the options of one: values, default and description."""
    console = Console(highlight=False, emoji=False)
    if metric is None:
        console.print(_table_of_metrics())
        console.print("Either name works everywhere; 'tercet metrics bleu' lists the options of BLEU.")
    else:
        name = canonical(metric)
        console.print(_table_of_options(name))
        short = next(short for short, full_name in SHORT_NAMES.items() if full_name == name)
        console.print(f"On the command line: -m {short}:option=value,option=value", soft_wrap=True)


def _table_of_metrics() -> Table:
    table = Table("metric", "short name", "what it compares", "better", box=box.SIMPLE_HEAD)
    for short, name in SHORT_NAMES.items():
        metric = metric_class(name)
        better = "lower"
        if metric.contrary_scores:
            better = "either"
        elif metric.higher_is_better:
            better = "higher"
        table.add_row(name, short, metric.about.compares, better)
    return table


def _table_of_options(metric: str) -> Table:
    from tercet.base.docs import option_docs

    table = Table(title=f"Options of {metric}", box=box.SIMPLE_HEAD, title_justify="left")
    table.add_column("option", no_wrap=True)
    table.add_column("values and default, then description", overflow="fold")
    for option in option_docs(metric_class(metric)):
        values = f"[dim]{escape(option.takes)}; default {escape(option.default)}[/]"
        table.add_row(option.name, f"{values}\n{escape(option.doc)}")
    return table
