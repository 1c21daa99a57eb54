"""Pages from their templates: self-contained, with all user input escaped."""

from __future__ import annotations

import base64
import gzip
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from tercet.names_as_shown import Name, clean, counted
from tercet.signature import __version__
from tercet.table_formats import decimals, pvalue_text


def script_of(names: Sequence[str]) -> str:
    """Return files of JavaScript as one script, without the lines of comments and without indentation."""
    folder = files(__package__).joinpath("templates")
    code = []
    for name in names:
        for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines():
            stripped = line.strip()
            if stripped and not stripped.startswith("//"):
                code.append(f"{stripped}\n")
    return "".join(code)


def render(name: str, *, scripts: Sequence[str] = (), version: str = __version__, **values: Any) -> str:
    """Return a page from a template, which puts its script and nothing else into the page unescaped.

    `scripts` are names of files, which together are the script of the page; its policy lets no other script run.
    """
    from markupsafe import Markup

    # The page's policy names the script by its hash: one that a text smuggled in would have another.
    code = script_of(scripts)
    digest = base64.b64encode(sha256(code.encode()).digest()).decode()
    template = _environment().get_template(name)
    return str(
        template.render(version=version, script=Markup(code), script_hash=Markup(f"sha256-{digest}"), **values)
    )


#: Base 85 with other letters for those that HTML escapes.
_UNESCAPED = bytes.maketrans(b"&<>", b",.:")


@dataclass(frozen=True, slots=True)
class Packed:
    """JSON within a page, compressed, which unpack.js reads."""

    letters: str
    n_bytes: int

    @classmethod
    def of(cls, data: Any) -> Packed:
        """Return data packed."""
        written = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        # Level 9, gzip's default, takes three times as long as 6 and saves two bytes in a hundred.
        packed = gzip.compress(written, compresslevel=6, mtime=0)
        return cls(base64.b85encode(packed).translate(_UNESCAPED).decode("ascii"), len(packed))


def score_text(value: float, digits: int = 2, *, signed: bool = False) -> str:
    """Return a score or a difference with so many decimals and a true minus sign; NaN as NaN."""
    return minus(decimals(value, digits, signed=signed))


def minus(text: str) -> str:
    """Return a number as text with a true minus sign (U+2212), which is as wide as a plus."""
    return text.replace("-", "−")


def signs(text: str) -> str:
    """Return a sentence with a true minus sign before its numbers; hyphens of words stay."""
    return _HYPHEN.sub("−", text)


#: A hyphen that stands for a minus: not within a word, or between two numbers.
_HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=\d)")


# Kept, as it keeps the templates that it has compiled: that takes longer than all else.
@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def safe(value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Markup):
            return Markup(clean(value))
        return value

    def p_text(value: float) -> str:
        if math.isnan(value):
            return "–"
        return pvalue_text(value)

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
    environment.filters["decimals"] = score_text
    environment.filters["signs"] = lambda text: signs(str(text))
    environment.tests["name"] = lambda part: isinstance(part, Name)
    environment.filters["p"] = p_text
    environment.filters["counted"] = counted
    environment.filters["s"] = lambda number: "" if number == 1 else "s"
    return environment
