"""The signature of a score, as a value that prints as one line, and the version in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

__version__ = "0.1.0"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Signature(Mapping[str, str]):
    """The metric and, by short names, everything that its score depends on.

    Immutable. Two results with the same signature were made by the same rules; statistics with different
    signatures do not merge. Signatures are equal if their lines are.

    Examples
    --------
    >>> signature = Signature.of("bleu_multi", {"tok": "13a", "stem": None, "eff": False})
    >>> str(signature)
    'bleu_multi|tok:13a|eff:no|version:tercet-0.1.0'
    >>> signature["tok"], "stem" in signature
    ('13a', False)
    >>> str(signature.extended({"refs": "1-4"}))
    'bleu_multi|tok:13a|eff:no|refs:1-4|version:tercet-0.1.0'
    >>> Signature.parse(str(signature)) == signature
    True
    """

    metric: str
    _entries: Mapping[str, str]

    @classmethod
    def of(cls, metric: str, parts: Mapping[str, object]) -> Signature:
        """Return the signature of these parts, without those that are None, and of this version."""
        entries = {key: _text_of(value) for key, value in parts.items() if value is not None}
        return cls(metric, {**entries, "version": f"tercet-{__version__}"})

    @classmethod
    def parse(cls, line: str) -> Signature:
        """Return the signature that a line spells; a name in it may contain the separator of entries."""
        metric, *fields = line.split("|")
        entries: dict[str, str] = {}
        for field in fields:
            key, colon, value = field.partition(":")
            if colon and key not in entries:
                entries[key] = value
            elif entries:  # the rest of a value with the separator in it
                entries[next(reversed(entries))] += f"|{field}"
            else:
                metric += f"|{field}"
        return cls(metric, entries)

    def extended(self, entries: Mapping[str, str]) -> Signature:
        """Return this signature with further entries before the version."""
        last = {"version": self["version"]} if "version" in self else {}
        first = {key: value for key, value in self.items() if key not in last}
        return Signature(self.metric, {**first, **entries, **last})

    def __getitem__(self, key: str) -> str:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Signature) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return "|".join([self.metric, *(f"{key}:{value}" for key, value in self._entries.items())])

    def __repr__(self) -> str:
        return f"Signature({str(self)!r})"


def _text_of(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        # 1.0 and 1 are the same option
        return repr(value).removesuffix(".0")
    if isinstance(value, (list, tuple)):
        return ",".join(_text_of(entry) for entry in value)
    return str(value)


def digest(words: Iterable[str]) -> str:
    """Return eight characters that stand for a list of words.

    Examples
    --------
    >>> digest(["a", "the"]) == digest(["a", "an"])
    False
    """
    from hashlib import sha256

    return sha256("\0".join(words).encode()).hexdigest()[:8]
