"""What `help` and completion show of a metric's class: its options and what a user calls, not how it is made."""

from __future__ import annotations

from abc import ABCMeta
from inspect import cleandoc
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .definition import MetricDefinition

#: What a user does with a metric; all else is for the code of the package.
PUBLIC = ("__call__", "explain", "pairwise", "segments", "stats")


class WithHelp(ABCMeta):
    """The class of metrics' classes."""

    def __dir__(cls) -> list[str]:
        return list(PUBLIC)

    @property
    def __doc__(cls: type[MetricDefinition]) -> str:  # type: ignore[override,misc]  # a property, as `help` asks no other descriptor
        """Return the docstring with the options and the keys of the result; made when it is read."""
        from .docs import parameters

        summary, *examples = cleandoc(vars(cls)["__doc__"] or "").split("\n\nExamples\n")
        sections = [summary]
        if "about" in vars(cls):
            sections += [cls.about.description, f"The result has {cls.about.returns}"]
        sections.append(parameters(cls))
        sections += [f"Examples\n{section}" for section in examples]
        return "\n\n".join(section.strip() for section in sections)
