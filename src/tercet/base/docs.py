"""Options as text, made from their declarations: for help, evaluate's modules, cards, tables and the page."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tercet.checks import Integer

from .options import Call, Common, Option, Value, in_words

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class OptionDoc:
    """Documentation of an option."""

    name: str
    #: The type, as in Python code.
    python_type: str
    #: The same in words.
    takes: str
    #: As written in Python.
    default: str
    #: Sentences on its effect.
    doc: str

    @property
    def first_sentence(self) -> str:
        """The first sentence, which can stand alone."""
        first, stop, _ = self.doc.partition(". ")
        return f"{first}." if stop else first


def option_docs(kind: type[Value]) -> list[OptionDoc]:
    """Return the documentation of each option: the metric's own first, then those of every metric and call."""
    own, common = kind.options(), {**Common.options(), **Call.options()}
    names = [name for name in own if name not in common]
    return [option_doc(own.get(name) or common[name]) for name in (*names, *common)]


def option_doc(declared: Option) -> OptionDoc:
    """Return the documentation of an option."""
    takes, default = in_words(declared.python_type), declared.default
    if isinstance(declared.check, Integer):
        takes = takes.replace("int", f"int {declared.check.bounds}", 1)
    if isinstance(default, tuple):
        default = list(default)
    shown = json.dumps(default) if isinstance(default, (str, list)) else repr(default)
    return OptionDoc(declared.name, declared.python_type, takes, shown, declared.doc)


def parameters(kind: type[Value]) -> str:
    """Return the section of a docstring of a metric's class."""
    return "\n".join(_numpydoc_section("Parameters", [option_doc(each) for each in kind.options().values()]))


def _numpydoc_section(title: str, docs: Iterable[OptionDoc]) -> Iterator[str]:
    yield title
    yield "-" * len(title)
    for each in docs:
        yield f"{each.name} : {each.takes}, default {each.default}"
        yield _wrapped(each.doc, 4)


def args_section(kind: type[Value]) -> str:
    """Return the lines of options under ``Args:`` of an evaluate module."""
    texts = [f"{each.name} (`{each.takes}`, default `{each.default}`): {each.doc}" for each in option_docs(kind)]
    return "\n".join(_wrapped(text, 4, 8) for text in texts)


def markdown_list(kind: type[Value]) -> str:
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
