"""The summary of a job on GitHub: the page to which a gate appends what passed and failed, and the tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from tercet.names_as_shown import visible
from tercet.table_formats import as_markdown

if TYPE_CHECKING:
    from tercet.comparison.result import Comparison


def append_to_job_summary(comparisons: Sequence[Comparison], lines: Sequence[str]) -> None:
    """Append the findings and tables to the page that a job of continuous integration shows, where it has one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    from tercet.comparison.shown.tables import in_format

    findings = "".join(f"- {as_markdown(line)}\n" for line in lines)
    text = f"{findings}\n{in_format(comparisons, 'markdown')}\n"
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        # A page that cannot be written, as on a full disk, does not change the verdict.
        typer.echo(
            f"warning: the summary of the job, {visible(path)} (GITHUB_STEP_SUMMARY), could not be written: "
            f"{error.strerror or error}.",
            err=True,
        )
