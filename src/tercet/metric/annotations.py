"""Annotations of options as text: with named Literals written out, as a check, and for documentation."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from inspect import formatannotation
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from tercet.checks import Check, OneOf, flag


def spelled(annotation: Any, namespace: Mapping[str, Any]) -> str:
    """Return an annotation as text, in which each name of a Literal, such as ``Smoothing``, is written out."""
    written = _as_text(annotation)
    tree = ast.parse(written, mode="eval")
    for node in ast.walk(tree):
        found = namespace.get(node.id) if isinstance(node, ast.Name) else None
        if get_origin(found) is Literal:
            choices = ", ".join(json.dumps(each) if isinstance(each, str) else repr(each) for each in get_args(found))
            written = written.replace(ast.unparse(node), f"Literal[{choices}]", 1)
    return written


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
    callables = none = False
    for part in _alternatives(ast.parse(annotation, mode="eval").body):
        kind = ast.unparse(part.value) if isinstance(part, ast.Subscript) else ast.unparse(part)
        if kind == "Literal" and isinstance(part, ast.Subscript):
            choices += ast.literal_eval(f"[{ast.unparse(part.slice).strip('()')}]")
        elif kind == "Callable":
            callables = True
        elif kind == "bool":
            choices += [True, False]
        elif kind == "None":
            none = True
        else:
            raise TypeError(f"The annotation {annotation!r} gives no check: give option(..., check=...).")
    return OneOf((None, *choices) if none else tuple(choices), callables)


def in_words(annotation: str) -> str:
    """Return an annotation in the words of numpydoc."""
    return _in_words(ast.parse(annotation, mode="eval").body)


def _alternatives(node: ast.expr) -> list[ast.expr]:
    return [*_alternatives(node.left), node.right] if isinstance(node, ast.BinOp) else [node]


def _in_words(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp):
        *others, last = map(_in_words, _alternatives(node))
        return f"{', '.join(others)} or {last}"
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
