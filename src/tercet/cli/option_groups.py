"""Options shared by several commands: fields of dataclasses, which commands take as parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from inspect import Parameter, Signature
from typing import Any, get_type_hints


def takes_groups(command: Callable[..., None]) -> Callable[..., None]:
    """Show typer each field of the dataclasses that a command takes as a separate option."""
    groups = [hint for name, hint in get_type_hints(command).items() if name != "return"]
    options = {field.name: field for group in groups for field in fields(group)}
    hints = {name: hint for group in groups for name, hint in get_type_hints(group, include_extras=True).items()}

    @wraps(command)
    def run(**given: Any) -> None:
        command(*(group(**{field.name: given[field.name] for field in fields(group)}) for group in groups))

    run.__signature__ = Signature([  # type: ignore[attr-defined]
        Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=hints[name])
        for name, option in options.items()
    ])  # fmt: skip
    run.__annotations__ = hints
    return run
