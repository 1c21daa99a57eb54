"""Catalogues of a program's messages (PO, of gettext) -> a memory of messages and their translations."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, BinaryIO

from tercet.errors import InputError, needs, shorten, warn
from tercet.files.encodings import decode
from tercet.files.limits import LIMITS, Limits, read_bytes
from tercet.files.rows import RaggedRows
from tercet.files.table import Memory

_SOURCE = "source"
#: A text in quotes, alone in its line or behind a keyword, of a message in use or of an obsolete one.
_QUOTED = re.compile(r'(?P<start>(?:#~\s*)?(?:msg[a-z_]+(?:\[[0-9]+\])?\s*)?)"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"')
_CHARSET = re.compile(rb"Content-Type:[^\n]*charset=([\w.:-]+)", re.IGNORECASE)


def read_po(stream: BinaryIO, name: str, limits: Limits = LIMITS) -> Memory:
    """Read a catalogue, a row per message and per further plural form.

    The columns are ``source``, the messages (msgid), and the language of the header ("target" where it names none).
    Forms after the first translate msgid_plural. Messages that are fuzzy, or obsolete, are left out with a warning;
    without a translation they have no text. `labels` has their contexts (msgctxt).
    """
    needs("A catalogue of messages (.po)", "translation", "polib")
    import polib

    text = _catalogue_text(read_bytes(stream, name, limits), name)
    try:
        # polib takes what is a path for one.
        catalogue = polib.pofile(_unsplit(text) + "\n")
    except (OSError, ValueError, IndexError, UnicodeError) as error:
        raise InputError(f"{name} is not a catalogue of messages (PO): {error}.") from None
    language = " ".join((catalogue.metadata.get("Language") or "").split())
    language = language.partition(" ")[0] or "target"
    if language.casefold() == _SOURCE:
        raise InputError(f"{name}: its header has the language {shorten(language)}; expected a code such as 'de'.")
    left_out: Counter[str] = Counter()
    rows = RaggedRows(name)
    contexts: list[str] = []
    for entry in catalogue:
        if entry.obsolete:
            left_out["obsolete"] += 1
            continue
        if entry.fuzzy:
            left_out["fuzzy"] += 1
            continue
        for source, target in _translations(entry):
            if source:
                rows.add(entry.linenum, {_SOURCE: source, language: target or None})
                contexts.append(entry.msgctxt or "")
    table = rows.table("messages (msgid) that are neither fuzzy nor obsolete")
    if left_out:
        counts = " and ".join(f"{count:,} {state}" for state, count in left_out.items())
        warn(f"{name}: messages are left out: {counts}.")
    if not any(table.columns[language]):
        raise InputError(f"{name} has no translation (msgstr); expected a catalogue with some.")
    labels = {}
    if any(contexts):
        labels["context"] = contexts
    return Memory(name, table.columns, table.lines, key_column=_SOURCE, target_language=language, labels=labels)


def _translations(entry: Any) -> list[tuple[str, str]]:
    """Return a message with its translation, or both forms of it with theirs."""
    if not entry.msgid_plural or not entry.msgstr_plural:
        return [(entry.msgid, entry.msgstr)]
    forms = [entry.msgstr_plural[number] for number in sorted(entry.msgstr_plural)]
    if len(forms) == 1:
        # A language with one form has it for any number.
        return [(entry.msgid_plural, forms[0])]
    sources = [entry.msgid, *[entry.msgid_plural] * (len(forms) - 1)]
    return list(zip(sources, forms, strict=True))


def _unsplit(text: str) -> str:
    """Return a catalogue whose texts stand in one line each: polib takes the square of the time for many lines.

    All lines keep their numbers, as empty ones stand for those that are joined. Of comments in a row, which polib
    joins too, the first is kept: with it a message begins.
    """
    lines: list[str] = []
    start = ""
    pieces: list[str] = []
    line_of_message = 0
    was_comment = False
    for line in text.split("\n"):
        stripped = line.strip()
        quoted = _QUOTED.fullmatch(stripped)
        goes_on = quoted is not None and quoted["start"].strip() in ("", "#~")
        is_comment = stripped.startswith("#") and not stripped.startswith(("#,", "#~"))
        if quoted is not None and goes_on and pieces:
            pieces.append(quoted["text"])
            lines.append("")
        elif not stripped or (is_comment and was_comment):
            lines.append("")
        else:
            if pieces:
                lines[line_of_message] = f'{start}"{"".join(pieces)}"'
                pieces = []
            if quoted is not None:
                line_of_message = len(lines)
                start = quoted["start"]
                pieces = [quoted["text"]]
            lines.append(line)
            was_comment = is_comment
    if pieces:
        lines[line_of_message] = f'{start}"{"".join(pieces)}"'
    return "\n".join(lines)


def _catalogue_text(data: bytes | bytearray, name: str) -> str:
    """Return the text in the encoding that the header names, UTF-8 by default."""
    charset = _CHARSET.search(data)
    encoding = "utf-8"
    if charset:
        encoding = charset[1].decode("ascii")
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8", "charset", "us-ascii", "ascii"):
        return decode(data, name, is_lines=False)
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeError) as error:
        raise InputError(f"{name}: its header names the encoding {shorten(encoding)}: {error}.") from None
