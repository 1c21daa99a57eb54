"""XML from anyone, read in pieces: no entities, no other files, no tag without an end, no depth without an end."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import IO, Any, BinaryIO, Protocol
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from tercet.errors import InputError, shorten

from .limits import Limits, size

# A tag or comment that is not at its end is read from its beginning again with every piece: the time goes with the
# square of its length. So it is bounded, and pieces grow with it, up to those in which the parser reads in any case.
_CHUNK = 1 << 16
_LARGEST_CHUNK = 1 << 20
_LONGEST_TAG = 16 << 20
_BLANK = b" \t\r\n" + codecs.BOM_UTF8

#: Elements that are open at once, one within the other: each takes memory until it is closed. Files have up to 20.
MOST_DEPTH = 200
#: Letters of values that a document declares for attributes which elements lack: every such element gets them.
_MOST_DEFAULTS = 10_000
#: Bytes that an unpacked file may have for each of its elements beyond those that any file may have: a cell without a
#: text, four bytes in the file, takes a hundred times as many in memory.
_ANY_FILE = 1_000_000
_BYTES_EACH = 128


class Target(Protocol):
    """What takes the events of a document; `line` is set before the first, and returns where the parser is."""

    line: Callable[[], int]

    def start(self, tag: str, attributes: dict[str, Any]) -> None: ...  # noqa: D102

    def data(self, text: str) -> None: ...  # noqa: D102

    def end(self, tag: str) -> None: ...  # noqa: D102

    def close(self) -> None: ...  # noqa: D102


def parse(stream: BinaryIO, name: str, limits: Limits, target: Target, format: str) -> None:
    """Give the events of a document to a target; InputError for one that is malformed, or could do harm."""
    from defusedxml.common import DefusedXmlException, EntitiesForbidden
    from defusedxml.ElementTree import XMLParser

    bounds = limits.of(stream)
    elements = _Shallow(target, name, format)
    parser = XMLParser(target=elements)
    target.line = lambda: parser.parser.CurrentLineNumber
    defaults = _Defaults(lambda: f"{name}, line {target.line()}", format)
    parser.parser.AttlistDeclHandler = defaults.add
    try:
        n_bytes = 0
        n_pending = 0
        is_empty = True
        while chunk := stream.read(min(max(_CHUNK, n_pending), _LARGEST_CHUNK)):
            is_empty = is_empty and not chunk.strip(_BLANK)
            parser.feed(chunk)
            n_bytes += len(chunk)
            n_pending = n_bytes - parser.parser.CurrentByteIndex
            bounds.check(n_bytes, target.line(), name)
            if n_pending > _LONGEST_TAG:
                raise _too_long(f"{name}, line {target.line()}", format)
        parser.close()
    except InputError:
        raise
    except EntitiesForbidden as error:
        raise InputError(
            f"{name}, line {target.line()}: declares the entity {shorten(error.name)}, which is refused; expected "
            f"{_article(format)} file without entity declarations."
        ) from None
    except DefusedXmlException:
        raise InputError(f"{name}, line {target.line()}: refers to another file, which is refused.") from None
    except ParseError as error:
        if is_empty:
            raise InputError(f"{name} is empty; expected {_article(format)} file.") from None
        line, column = error.position
        reason, _, _ = str(error).rpartition(": line")
        raise InputError(f"{name}, line {line}: malformed XML at column {column + 1} ({reason}).") from None
    except (LookupError, ValueError) as error:
        if elements.has_begun:
            # Not the parser's, but the target's.
            raise
        # This is how the parser says that it does not know the declared encoding.
        raise InputError(
            f"{name}, line {target.line()}: the declared encoding cannot be read ({error}); save the file as UTF-8."
        ) from None


class _Shallow:
    """Passes the events of a document on to a target, down to a depth."""

    def __init__(self, target: Target, name: str, format: str) -> None:
        self.target = target
        self.name = name
        self.format = format
        self.data = target.data
        self.close = target.close
        self.depth = 0
        #: Whether an element was met: what is declared is before all.
        self.has_begun = False

    def start(self, tag: str, attributes: dict[str, Any]) -> None:
        self.has_begun = True
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise _too_deep(f"{self.name}, line {self.target.line()}", self.format)
        self.target.start(tag, attributes)

    def end(self, tag: str) -> None:
        self.depth -= 1
        self.target.end(tag)


class _Defaults:
    """Counts the letters of declared values of attributes."""

    def __init__(self, location: Callable[[], str], format: str) -> None:
        self.location = location
        self.format = format
        self.length = 0

    def add(self, element: str, attribute: str, kind: str, default: str | None, required: bool) -> None:
        self.length += len(default or "")
        if self.length > _MOST_DEFAULTS:
            raise InputError(
                f"{self.location()}: declares values of attributes with more than {_MOST_DEFAULTS:,} characters, "
                f"which is refused; expected {_article(self.format)} file without them."
            )


def check_part(stream: IO[bytes], location: str, limits: Limits, format: str) -> None:
    """Raise an InputError for XML that could do harm in any parser, as a part of a packed file.

    What is malformed, or no XML at all, is passed over from there on: no parser reads it further either.
    """
    parser = expat.ParserCreate()
    most = max(_ANY_FILE, limits.n_bytes // _BYTES_EACH)
    depth = 0
    n_elements = 0
    n_bytes = 0

    def start(tag: str, attributes: Any) -> None:
        nonlocal depth, n_elements
        depth += 1
        n_elements += 1
        if depth > MOST_DEPTH:
            raise _too_deep(f"{location}, line {parser.CurrentLineNumber}", format)
        if n_elements > most:
            raise InputError(f"{location} holds more than {most:,} elements, which is the limit for its size.")

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def declare(*arguments: Any) -> None:
        raise InputError(f"{location}: declares a document type, which is refused in {_article(format)} file.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = declare
    try:
        while chunk := stream.read(_CHUNK):
            parser.Parse(chunk)
            n_bytes += len(chunk)
            if n_bytes - parser.CurrentByteIndex > _LONGEST_TAG:
                raise _too_long(f"{location}, line {parser.CurrentLineNumber}", format)
    except InputError:
        raise
    except (expat.ExpatError, LookupError, ValueError):
        # Malformed, or in an encoding that is not known.
        return


def _too_long(location: str, format: str) -> InputError:
    return InputError(
        f"{location}: a tag or comment of more than {size(_LONGEST_TAG)}; expected the tags of {_article(format)} "
        "file."
    )


def _too_deep(location: str, format: str) -> InputError:
    return InputError(
        f"{location}: elements are nested more than {MOST_DEPTH} deep; expected at most that in {_article(format)} "
        "file."
    )


def _article(format: str) -> str:
    article = "an" if format[0] in "AEIOX" else "a"
    return f"{article} {format}"
