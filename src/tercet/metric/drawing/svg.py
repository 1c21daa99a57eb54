"""SVG elements as text: self-contained pictures."""

from __future__ import annotations

from collections.abc import Iterable

from tercet.markup import clean


def element(name: str, inner: str = "", **attributes: str | float) -> str:
    """Return an element; ``stroke_width=2`` is the attribute ``stroke-width``, and `inner` is markup."""
    written = (
        f' {key.replace("_", "-")}="{clean(value) if isinstance(value, str) else f"{round(value, 2):g}"}"'
        for key, value in attributes.items()
    )
    return f"<{name}{''.join(written)}>{inner}</{name}>" if inner else f"<{name}{''.join(written)}/>"


def text(content: str, x: float, y: float, hint: str = "", **attributes: str | float) -> str:
    """Return a text in the colour of the page; a pointer on it shows the hint."""
    title = element("title", clean(hint)) if hint else ""
    return element("text", clean(content) + title, x=x, y=y, **{"fill": "currentColor", **attributes})


def picture(width: int, height: int, description: str, parts: Iterable[str]) -> str:
    """Return an SVG document."""
    return element(
        "svg", "".join(parts), xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=width,
        height=height, role="img", aria_label=description, font_family="sans-serif", font_size=13,
    )  # fmt: skip
