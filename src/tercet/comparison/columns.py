"""What was taken as systems, references and sources, in words; and warnings of what may be something else."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence

from tercet.errors import argument, level_of_caller, shorten
from tercet.files.roles import CODES, clear_role
from tercet.files.table import Log, Roles, Table

#: The most columns that a message names.
MOST_NAMED = 20

_ROLES = {"system": "a system", "reference": "references", "source": "the source"}

# Words in the names of scores of answers that are right or wrong as a whole, and of scores of texts.
_EXACT = frozenset({"exact", "em", "acc", "accuracy", "match", "includes", "choice", "pass", "correct", "pattern"})
_OF_TEXTS = frozenset({"bleu", "chrf", "ter", "rouge", "rougel", "bertscore", "bert", "meteor", "comet", "bleurt"})


def columns_in_words(
    table: Table, systems: Sequence[str], references: Sequence[str], source: str | None, cluster: str | None
) -> str:
    """Return which columns have which role, and which are left out."""
    known = {*systems, *references, source, cluster}
    roles = {
        "systems" if systems[1:] else "system": systems,
        "references": references,
        "sources": [] if source is None else [source],
        "clusters": [] if cluster is None else [cluster],
        "left out": [column for column in table.columns if column not in known],
    }
    parts = [f"{what}: {_named(columns)}" for what, columns in roles.items() if columns]
    return f"{table.name}: {'; '.join(parts)}."


def warn_unused(table: Table, columns: Sequence[str]) -> None:
    """Warn of columns that hold texts, mostly of several words, and are not used."""
    texts = {column: [cell for cell in table.columns[column] if isinstance(cell, str)] for column in columns}
    unused = [name for name, own in texts.items() if 2 * sum(len(text.split()) > 1 for text in own) > len(own)]
    if unused:
        _warn(
            f"{table.name}: these text columns are not recognized by name and not used: {_named(unused)}. If they "
            f"are systems, name every system: {argument('systems')}."
        )


def warn_left_out(table: Table, roles: Roles) -> None:
    """Warn of columns of texts that are not taken as systems for what they hold."""
    for why in dict.fromkeys(roles.left_out.values()):
        columns = [column for column, reason in roles.left_out.items() if reason == why]
        if why == CODES:  # no text that anyone would miss
            continue
        taken, others = ("it is", "it") if not columns[1:] else ("they are", "them")
        _warn(
            f"{table.name}: the column{'s' * (len(columns) > 1)} {_named(columns)} {_agreeing(why, columns)}, unlike "
            f"{_named(roles.systems)}: {taken} not taken as a system. To take {others}, name every system: "
            f"{argument('systems')}."
        )


def warn_swapped(name: str, systems: Sequence[str], references: Sequence[str], source: str | None) -> None:
    """Warn of systems, references and a source whose names say that they are something else.

    One reference may be scored against others: where these are called so, a system may be called a reference too.
    """
    allowed = {"", "system", *(["reference"] if any(clear_role(each) == "reference" for each in references) else [])}
    odd = [(each, "system") for each in systems if clear_role(each) not in allowed]
    odd += [(each, "reference") for each in references if clear_role(each) not in ("", "reference")]
    odd += [(source, "source")] if source is not None and clear_role(source) not in ("", "source") else []
    for each, role in odd:
        _warn(
            f"{name}: {shorten(each)} is taken as {_ROLES[role]}, but its name says {_ROLES[clear_role(each)]}: were "
            "the two swapped?"
        )


def warn_swapped_files(name: str, systems: Sequence[str], references: Sequence[str], source: str | None) -> None:
    """Warn as :func:`warn_swapped` of files, by their names without folders."""
    texts, targets = ([os.path.basename(path) for path in paths] for paths in (systems, references))
    warn_swapped(name, texts, targets, None if source is None else os.path.basename(source))


def warn_of_task(log: Log) -> None:
    """Warn of a task whose answers are right or wrong as a whole."""
    words = frozenset(word for name in log.scores for word in re.findall("[a-z]+", name.lower()))
    if words & _EXACT and not words & _OF_TEXTS:
        _warn(
            f"{log.task}: this task is scored by {', '.join(log.scores)}, in the log of {log.harness}: whether an "
            "answer is right as a whole. Metrics of texts compare the words of whole responses with those of the "
            "right answer, and say little of it."
        )


def _named(columns: Sequence[str]) -> str:
    more = f" and {len(columns) - MOST_NAMED} more" if len(columns) > MOST_NAMED else ""
    return f"{', '.join(map(repr, columns[:MOST_NAMED]))}{more}"


def _agreeing(why: str, columns: Sequence[str]) -> str:
    if not columns[1:]:
        return why
    return why.replace("shares", "share").replace("has", "have")


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=level_of_caller())
