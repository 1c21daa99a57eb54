"""Figures, and a table of texts, passed on to what a Trainer reports to: the run that its own callback has begun."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tercet.table_formats import Column, Table, to_markdown

_Entries = Mapping[str, float]
#: A prompt, its references and a text each.
_Rows = list[list[str]]
_COLUMNS = ["prompt", "reference", "text"]


def _to_wandb(args: Any, step: int, entries: _Entries, rows: _Rows) -> None:
    import wandb

    if wandb.run is not None:
        table = wandb.Table(_COLUMNS, rows)
        wandb.log({**entries, "eval/generations": table, "train/global_step": step})


def _to_trackio(args: Any, step: int, entries: _Entries, rows: _Rows) -> None:
    import trackio

    table = trackio.Table(_COLUMNS, rows)
    trackio.log({**entries, "eval/generations": table, "train/global_step": step})


def _to_mlflow(args: Any, step: int, entries: _Entries, rows: _Rows) -> None:
    import mlflow

    if mlflow.active_run() is not None:
        mlflow.log_metrics({name.replace("/", "_", 1): value for name, value in entries.items()}, step=step)
        columns = {}
        for position, name in enumerate(_COLUMNS):
            columns[name] = [row[position] for row in rows]
        mlflow.log_table(columns, f"generations/step-{step}.json")


def _to_tensorboard(args: Any, step: int, entries: _Entries, rows: _Rows) -> None:
    from torch.utils.tensorboard import SummaryWriter

    table = Table("", [Column(name, "name") for name in _COLUMNS], rows)
    # A run of its own: the folder of the Trainer's writer is known to its callback alone.
    with SummaryWriter(str(Path(args.output_dir) / "runs" / "generations")) as writer:
        for name, value in entries.items():
            writer.add_scalar(name, value, step)
        writer.add_text("eval/generations", to_markdown([table]), step)


#: By the name in a Trainer's `report_to`.
LOGGERS: dict[str, Callable[[Any, int, _Entries, _Rows], None]] = {
    "wandb": _to_wandb,
    "trackio": _to_trackio,
    "mlflow": _to_mlflow,
    "tensorboard": _to_tensorboard,
}
