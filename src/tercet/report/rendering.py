"""Pages from their templates: self-contained, with all user input escaped."""

from __future__ import annotations

import base64
import math
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from tercet.markup import clean
from tercet.signature import __version__
from tercet.tables import decimals, pvalue_text


def script_text(name: str) -> str:
    """Return a script of a page."""
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def render(name: str, *, script: str = "", version: str = __version__, **values: Any) -> str:
    """Return a page from a template, which puts its script and nothing else into the page unescaped.

    `script` is the name of the script within the page; the page's policy lets no other script run.
    """
    from markupsafe import Markup

    # The page's policy names the script by its hash: one that a text smuggled in would have another.
    code = script_text(script) if script else ""
    digest = base64.b64encode(sha256(code.encode()).digest()).decode()
    template = _environment().get_template(name)
    return str(
        template.render(version=version, script=Markup(code), script_hash=Markup(f"sha256-{digest}"), **values)
    )


# Kept, as it keeps the templates that it has compiled: that takes longer than all else.
@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def safe(value: Any) -> Any:
        return Markup(clean(value)) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        finalize=safe,
        # a misspelt name in a template is an error, not an empty text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters["decimals"] = decimals
    environment.filters["p"] = lambda value: "–" if math.isnan(value) else pvalue_text(value)
    return environment
