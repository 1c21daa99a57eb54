"""The names of a table's columns -> their roles: sources, references, systems."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from .table import Log, Roles, Table

# A name is judged by its words, without numbers, single letters ("ref A") and these words.
_FILLERS = frozenset({"text", "texts", "sentence", "sentences", "segment", "segments", "string", "strings"})

# One of these anywhere, and the column is about the texts: "source_lang", "mt_score", "doc_id".
_ABOUT = frozenset({
    "id", "ids", "docid", "segid", "index", "name", "names", "lang", "langs", "language", "languages", "lp", "locale",
    "score", "scores", "rating", "ratings", "rank", "domain", "genre", "dataset", "split", "date", "time", "url",
    "annotator", "rater", "length", "count", "comment",
})  # fmt: skip
# One of these first: "reference_summary", "gold_output", "human_translation".
_REFERENCES = frozenset({"ref", "refs", "reference", "references", "gold", "golden", "human", "expected", "truth"})
# One of these anywhere: "mt", "system_summary", "target_mt".
_SYSTEMS = frozenset({
    "prediction", "predictions", "predicted", "pred", "preds", "candidate", "candidates", "cand", "hypothesis",
    "hypotheses", "hyp", "hyps", "mt", "system", "systems", "sys", "output", "outputs", "generated", "generation",
    "decoded", "model", "response",
})  # fmt: skip
# One of these first: "target_text", "source_document".
_TARGETS = frozenset({"target", "targets", "tgt", "label", "labels"})
_SOURCES = frozenset({"source", "sources", "src", "input", "inputs"})
# Only one of these: "summary" is a reference, "summary_pegasus" a system.
_BARE_REFERENCES = frozenset({"summary", "summaries", "highlights", "abstract", "answer", "answers"})
_BARE_SOURCES = frozenset({
    "text", "document", "documents", "doc", "article", "articles", "dialogue", "question", "mr", "passage",
})  # fmt: skip


def guess_roles(table: Table) -> Roles:
    """Guess the roles of the columns from their names, in any case, with numbers or letters after them.

    Only columns of text have a role: not those of numbers, of other JSON values, or without any text. References
    may be lists of texts too. What is neither source, reference nor a word about the texts (an id, a language, a
    score) is a system: a file may have any number of them, under their own names. The columns of a log have the
    roles that its format gives them.
    """
    if isinstance(table, Log):
        return table.roles
    roles = {name: role_of(name) for name in table.columns}
    texts = [name for name, cells in table.columns.items() if _is_text(cells)]
    references = tuple(
        name
        for name, cells in table.columns.items()
        if roles[name] == "reference" and (name in texts or _is_text(_within(cells)))
    )
    sources, systems = (tuple(name for name in texts if roles[name] == role) for role in ("source", "system"))
    return Roles(sources[0] if sources else None, references, systems)


def role_of(name: str) -> str:
    """Return the role that the name of a column suggests: source, reference, system, or about."""
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()
    every = re.findall(r"[^\W\d_]+", parts)
    words = [word for word in every if len(word) > 1 and word not in _FILLERS] or every[:1]
    if not words:
        return "system"
    bare = words[0] if len(words) == 1 else None
    if _ABOUT.intersection(words):
        return "about"
    if words[0] in _REFERENCES:
        return "reference"
    if _SYSTEMS.intersection(words):
        return "system"
    if words[0] in _TARGETS or bare in _BARE_REFERENCES:
        return "reference"
    if words[0] in _SOURCES or bare in _BARE_SOURCES:
        return "source"
    return "system"


def _is_text(cells: Iterable[Any]) -> bool:
    """Return whether all cells are text or None, and one of them at least is neither empty nor a number."""
    given = [cell for cell in cells if cell is not None]
    return all(isinstance(cell, str) for cell in given) and any(cell and not _is_number(cell) for cell in given)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", ".") if text.count(",") == 1 else text)  # a decimal comma
    except ValueError:
        return False
    return True


def _within(cells: Iterable[Any]) -> Iterable[Any]:
    return chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)
