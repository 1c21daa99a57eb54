"""Annotations of options as text: with named Literals written out, as a check, and for documentation."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from inspect import formatannotation
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from tercet.option_checks import Check, OneOf, flag


def spell_out(annotation: Any, namespace: Mapping[str, Any]) -> str:
    """Return an annotation as text, in which each name of a Literal, such as ``Smoothing``, is written out."""
    text = _as_text(annotation)
    names = [node for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)]
    # From the last to the first: what stands before a name does not move.
    for node in sorted(names, key=lambda node: node.col_offset, reverse=True):
        literal = namespace.get(node.id)
        if get_origin(literal) is Literal:
            text = f"{text[: node.col_offset]}{_literal_text(literal)}{text[node.end_col_offset :]}"
    return text


def _literal_text(literal: Any) -> str:
    choices = []
    for choice in get_args(literal):
        # texts in double quotes, as in source code
        choices.append(json.dumps(choice) if isinstance(choice, str) else repr(choice))
    return f"Literal[{', '.join(choices)}]"


def _as_text(annotation: Any) -> str:
    """Return what ``from __future__ import annotations`` makes of an annotation."""
    if isinstance(annotation, str):
        return annotation
    if get_origin(annotation) in (Union, UnionType):
        return " | ".join(map(_as_text, get_args(annotation)))
    return "None" if annotation is type(None) else str(formatannotation(annotation))


def check_of(annotation: str) -> Check:
    """Return the check that an annotation says all of: of a bool, or of Literals, None and callables."""
    if annotation == "bool":
        return flag
    choices: list[Any] = []
    takes_callables = False
    takes_none = False
    for part in _alternatives(ast.parse(annotation, mode="eval").body):
        kind = ast.unparse(part.value if isinstance(part, ast.Subscript) else part)
        if kind == "Literal" and isinstance(part, ast.Subscript):
            choices += [ast.literal_eval(choice) for choice in _entries(part)]
        elif kind == "Callable":
            takes_callables = True
        elif kind == "bool":
            choices += [True, False]
        elif kind == "None":
            takes_none = True
        else:
            raise TypeError(f"The annotation {annotation!r} gives no check: give option(..., check=...).")
    if takes_none:
        choices.insert(0, None)
    return OneOf(tuple(choices), takes_callables)


def in_words(annotation: str) -> str:
    """Return an annotation in the words of numpydoc."""
    return _in_words(ast.parse(annotation, mode="eval").body)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """Return the types that ``|`` joins."""
    if isinstance(node, ast.BinOp):
        return [*_alternatives(node.left), node.right]
    return [node]


def _entries(node: ast.Subscript) -> list[ast.expr]:
    """Return what stands between the brackets."""
    if isinstance(node.slice, ast.Tuple):
        return node.slice.elts
    return [node.slice]


def _in_words(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp):
        *first, last = map(_in_words, _alternatives(node))
        return f"{', '.join(first)} or {last}"
    if not isinstance(node, ast.Subscript):
        return ast.unparse(node)
    name = ast.unparse(node.value)
    if name == "Literal":
        choices = [json.dumps(ast.literal_eval(choice)) for choice in _entries(node)]
        return f"{{{', '.join(choices)}}}"
    if name == "Callable":
        return "callable"
    if name == "PathLike":
        return "path"
    inner = list(map(_in_words, _entries(node)))
    if "Any" in inner:
        return name.lower()
    return f"{name.lower()} of {' to '.join(inner)}"
