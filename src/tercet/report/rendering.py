"""Pages from their templates: self-contained, with all user input escaped."""

from __future__ import annotations

import base64
import gzip
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import numpy as np

from tercet.markup import clean
from tercet.signature import __version__
from tercet.tables import decimals, pvalue_text


def render(name: str, *, scripts: Sequence[str] = (), version: str = __version__, **values: Any) -> str:
    """Return a page from a template, which puts its script and nothing else into the page unescaped.

    `scripts` are names of files, which together are the script of the page; its policy lets no other script run.
    """
    from markupsafe import Markup

    # The page's policy names the script by its hash: one that a text smuggled in would have another.
    folder = files(__package__).joinpath("templates")
    code = "".join(folder.joinpath(script).read_text(encoding="utf-8") for script in scripts)
    digest = base64.b64encode(sha256(code.encode()).digest()).decode()
    template = _environment().get_template(name)
    return str(
        template.render(version=version, script=Markup(code), script_hash=Markup(f"sha256-{digest}"), **values)
    )


#: Letters of one byte that HTML does not escape: two of them are 13 bits, where base64 has 12.
_LETTERS = np.array([letter for letter in range(ord("!"), ord("~") + 1) if chr(letter) not in "&<>"], np.uint8)


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
        bits = np.unpackbits(np.frombuffer(packed, np.uint8))
        weights = 1 << np.arange(13, dtype=np.uint16)[::-1]
        numbers = np.pad(bits, (0, -len(bits) % 13)).reshape(-1, 13) @ weights
        letters = _LETTERS[np.stack(np.divmod(numbers, len(_LETTERS)), axis=1)]
        return cls(letters.tobytes().decode("ascii"), len(packed))


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
