"""Options as text, made from their declarations: for help, evaluate's modules, cards, tables and the page."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass

from tercet.option_checks import Integer

from .annotations import in_words
from .configured import Call, Common
from .options import Option, Value

_WIDTH = 118


@dataclass(frozen=True, slots=True)
class OptionDoc:
    """Documentation of an option."""

    name: str
    #: The type, as in Python code.
    python_type: str
    #: The type in words.
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
    options = kind.options()
    common = {**Common.options(), **Call.options()}
    names = [name for name in options if name not in common]
    # a metric may declare a common option in its own words
    return [option_doc(options.get(name) or common[name]) for name in (*names, *common)]


def option_doc(declared: Option) -> OptionDoc:
    """Return the documentation of an option."""
    takes = in_words(declared.python_type)
    default = declared.default
    if isinstance(declared.check, Integer):
        takes = takes.replace("int", f"int {declared.check.bounds}", 1)
    if isinstance(default, tuple):
        default = list(default)
    default_text = json.dumps(default) if isinstance(default, (str, list)) else repr(default)
    return OptionDoc(declared.name, declared.python_type, takes, default_text, declared.doc)


def parameters(kind: type[Value]) -> str:
    """Return the section of a docstring of a metric's class."""
    lines = ["Parameters", "----------"]
    for doc in map(option_doc, kind.options().values()):
        lines += [f"{doc.name} : {doc.takes}, default {doc.default}", _wrap(doc.doc, 4, 4)]
    return "\n".join(lines)


def args_section(kind: type[Value]) -> str:
    """Return the lines of options under ``Args:`` of an evaluate module."""
    texts = [f"{doc.name} (`{doc.takes}`, default `{doc.default}`): {doc.doc}" for doc in option_docs(kind)]
    return "\n".join(_wrap(text, 4, 8) for text in texts)


def markdown_list(kind: type[Value]) -> str:
    """Return the list of options of a card."""
    texts = [f"- **{doc.name}** (`{doc.takes}`, default `{doc.default}`): {doc.doc}" for doc in option_docs(kind)]
    return "\n".join(_wrap(text, 0, 2) for text in texts)


def _wrap(text: str, indent: int, hanging: int) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
