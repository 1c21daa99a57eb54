"""Figures of matplotlib as SVG within a page: text stays text, colours follow the page, ids clash with no other's."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import unescape
from typing import Any
from xml.etree import ElementTree

from tercet.markup import clean

#: Placeholders for the colours of the page, which may be light or dark.
INK, LINE, ACCENT = "#010101", "#020202", "#030303"

_OF_THE_PAGE = {INK: "currentColor", LINE: "var(--line)", ACCENT: "var(--accent)"}
_INKED = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
_NOTHING = dict.fromkeys(("Date", "Creator", "Format", "Type"))  # these would differ from run to run
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE = re.compile(r"#([\w.-]+)")


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's defaults, whatever the user's settings."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        settings: dict[Any, Any] = dict.fromkeys(_INKED, INK)
        settings |= {"svg.fonttype": "none", "svg.hashsalt": "tercet", "font.size": 11}
        matplotlib.rcParams.update(settings)
        yield


def inline_svg(figure: Any, labels: Sequence[str], description: str, prefix: str) -> str:
    """Return a figure as an SVG element of an HTML page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata=_NOTHING)
    root = ElementTree.fromstring(buffer.getvalue())
    box = root.get("viewBox", "")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.tail = None
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("style", "metadata"):  # the style would apply to the whole page
                parent.remove(child)
    names = _names(root, prefix)
    for element in root.iter():
        if element.tag == "text":
            _write(element, labels)
        else:
            element.text = None
        element.attrib = {name: _value(name, value, names) for name, value in element.attrib.items()}
        if not element.attrib.get("id", "x"):
            del element.attrib["id"]
    _unwrap(root)
    root.attrib = {"viewBox": box, "class": "plot", "role": "img", "aria-label": _allowed(description)}
    return ElementTree.tostring(root, encoding="unicode")


def _allowed(text: str) -> str:
    return unescape(clean(text))  # without what XML does not allow; what it escapes is escaped at the end


def _names(root: ElementTree.Element, prefix: str) -> dict[str, str]:
    """Return a new id for each one that is referenced."""
    found = [name for each in root.iter() for value in each.attrib.values() for name in _REFERENCE.findall(value)]
    known = {each.get("id") for each in root.iter()}
    return {name: f"{prefix}{number}" for number, name in enumerate(dict.fromkeys(found)) if name in known}


def _write(element: ElementTree.Element, labels: Sequence[str]) -> None:
    text = (element.text or "").strip()
    element.text = _allowed(labels[int(text[1:])]) if text.startswith("@") else text
    style = dict(part.split(": ", 1) for part in element.attrib.pop("style", "").split("; ") if ": " in part)
    element.set("text-anchor", style.get("text-anchor", "start"))  # the font is that of the page
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]


def _value(name: str, value: str, names: dict[str, str]) -> str:
    if name == "id":
        return names.get(value, "")
    for colour, variable in _OF_THE_PAGE.items():
        value = value.replace(colour, variable)
    value = _REFERENCE.sub(lambda match: f"#{names.get(match[1], match[1])}", value)
    return _NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), " ".join(value.split()))


def _unwrap(element: ElementTree.Element) -> None:
    """Remove groups without attributes."""
    children: list[ElementTree.Element] = []
    for child in list(element):
        _unwrap(child)
        children += list(child) if child.tag == "g" and not child.attrib else [child]
        element.remove(child)
    kept = [child for child in children if child.tag != "g" or len(child)]
    element.extend(kept)
