"""Options as text, made from their declarations: for help, evaluate's modules, cards, tables and the page."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .options import Integer, OneOf, Options

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class OptionDoc:
    """What there is to say of an option.

    Attributes
    ----------
    name : str
    python_type : str
        The type of what may be given, as in Python code.
    takes : str
        The same in words.
    default : str
        As it is written in Python.
    doc : str
        What it does, in sentences.
    """

    name: str
    python_type: str
    takes: str
    default: str
    doc: str

    @property
    def first_sentence(self) -> str:
        """The sentence that can stand alone."""
        first, stop, _ = self.doc.partition(". ")
        return f"{first}." if stop else first


def option_docs(kind: type[Options]) -> list[OptionDoc]:
    """Return what there is to say of each option: the metric's own first, then those of every metric.

    Examples
    --------
    >>> [(each.name, each.takes, each.default) for each in option_docs(Options)[:2]]
    [('missing_references', '{"error", "skip", "zero"}', '"error"'), ('scale', '{1, 100}', '1')]
    """
    of_every_metric = {each.name for each in dataclasses.fields(Options)}
    declared = sorted(dataclasses.fields(kind), key=lambda each: each.name in of_every_metric)
    return [option_doc(each) for each in declared]


def option_doc(declared: dataclasses.Field[Any]) -> OptionDoc:
    """Return what there is to say of an option that a dataclass declares."""
    annotation = declared.type if isinstance(declared.type, str) else inspect.formatannotation(declared.type)
    written = declared.metadata["takes"] or annotation
    check, default = declared.metadata["check"], declared.default
    if isinstance(check, OneOf):
        named = ", ".join(json.dumps(choice) for choice in check.choices if isinstance(choice, str))
        written = written.replace("str", f"Literal[{named}]", 1) if named else written
    takes = _in_words(ast.parse(written, mode="eval").body)
    if isinstance(check, Integer):
        takes = takes.replace("int", f"int {check.bounds}", 1)
    if isinstance(default, tuple):  # types of ROUGE, which are given by their names
        default = [each.name for each in default]
    shown = json.dumps(default) if isinstance(default, (str, list)) else repr(default)
    return OptionDoc(declared.name, written, takes, shown, declared.metadata["doc"])


def _in_words(node: ast.expr) -> str:
    """Return a type in the words of numpydoc.

    Examples
    --------
    >>> _in_words(ast.parse('Literal["a", "b"] | Sequence[float] | None', mode="eval").body)
    '{"a", "b"}, sequence of float or None'
    """
    if isinstance(node, ast.BinOp):
        words = [_in_words(node.right)]
        while isinstance(node.left, ast.BinOp):
            node = node.left
            words.insert(0, _in_words(node.right))
        return f"{', '.join([_in_words(node.left), *words[:-1]])} or {words[-1]}"
    if not isinstance(node, ast.Subscript):
        return ast.unparse(node)
    name = ast.unparse(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return f"{{{', '.join(json.dumps(ast.literal_eval(part)) for part in parts)}}}"
    if name in ("Callable", "PathLike"):
        return {"Callable": "callable", "PathLike": "path"}[name]
    inner = [_in_words(part) for part in parts]
    return name.lower() if "Any" in inner else f"{name.lower()} of {' to '.join(inner)}"


def numpydoc(kinds: Mapping[str, type[Options]]) -> str:
    """Return sections of a docstring: the options of each of these metrics, and those of every metric."""
    shared = option_docs(Options)
    sections = {
        f"Options of {metric}": [each for each in option_docs(kind) if each not in shared]
        for metric, kind in kinds.items()
    }
    sections["Options of every metric"] = shared
    return "\n\n".join("\n".join(_numpydoc_section(title, docs)) for title, docs in sections.items())


def _numpydoc_section(title: str, docs: Iterable[OptionDoc]) -> Iterator[str]:
    yield title
    yield "-" * len(title)
    for each in docs:
        yield f"{each.name} : {each.takes}, default {each.default}"
        yield _wrapped(each.doc, 4)


def args_section(kind: type[Options]) -> str:
    """Return the lines of options under ``Args:`` of an evaluate module."""
    texts = [f"{each.name} (`{each.takes}`, default `{each.default}`): {each.doc}" for each in option_docs(kind)]
    return "\n".join(_wrapped(text, 4, 8) for text in texts)


def markdown_list(kind: type[Options]) -> str:
    """Return the list of options of a card."""
    texts = [
        f"- **{each.name}** (`{each.takes}`, default `{each.default}`): {each.doc}" for each in option_docs(kind)
    ]
    return "\n".join(_wrapped(text, 0, 2) for text in texts)


def _wrapped(text: str, indent: int, hanging: int | None = None) -> str:
    further = " " * (indent if hanging is None else hanging)
    return textwrap.fill(
        text, _WIDTH, initial_indent=" " * indent, subsequent_indent=further, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
