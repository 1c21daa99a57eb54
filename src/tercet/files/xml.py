"""XML from anyone, read in pieces: no entities, no other files, no tag without an end."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import Any, BinaryIO, Protocol
from xml.etree.ElementTree import ParseError

from tercet.errors import InputError, shorten

from .text import Limits, size

# A tag or comment that is not at its end is read from its beginning again with every piece: the time goes with the
# square of its length. So it is bounded, and pieces grow with it, up to those in which the parser reads in any case.
_CHUNK = 1 << 16
_LARGEST_CHUNK = 1 << 20
_LONGEST_TAG = 16 << 20
_BLANK = b" \t\r\n" + codecs.BOM_UTF8


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

    parser = XMLParser(target=target)
    target.line = lambda: parser.parser.CurrentLineNumber
    try:
        n_bytes = n_pending = 0
        is_empty = True
        while chunk := stream.read(min(max(_CHUNK, n_pending), _LARGEST_CHUNK)):
            is_empty = is_empty and not chunk.strip(_BLANK)
            parser.feed(chunk)
            n_bytes += len(chunk)
            n_pending = n_bytes - parser.parser.CurrentByteIndex
            limits.check(n_bytes, target.line(), name)
            if n_pending > _LONGEST_TAG:
                raise InputError(
                    f"{name}, line {target.line()}: a tag or comment of more than {size(_LONGEST_TAG)}; expected the "
                    f"tags of {_article(format)} file."
                )
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
        reason, (line, column) = str(error).rpartition(": line")[0], error.position
        raise InputError(f"{name}, line {line}: malformed XML at column {column + 1} ({reason}).") from None
    except (LookupError, ValueError) as error:
        # This is how the parser says that it does not know the declared encoding.
        raise InputError(
            f"{name}, line {target.line()}: the declared encoding cannot be read ({error}); save the file as UTF-8."
        ) from None


def _article(format: str) -> str:
    return f"{'an' if format[0] in 'AEIOX' else 'a'} {format}"
