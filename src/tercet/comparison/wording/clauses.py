"""Sentences from clauses: who is better or worse, or not told apart, than whom, by which scores, by how much."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tercet.names_as_shown import MOST_NAMED, Name, Sentence, listed


@dataclass(frozen=True, slots=True)
class Clause:
    """One finding on a system.

    Attributes
    ----------
    finding : str
        Such as ``significantly better than``.
    others : tuple of str
        The names that follow it: of systems, slices or test sets. Of many, their number is said.
    figures : tuple of str
        What stands in parentheses behind each of the others; none for none.
    scores : str
        By which it holds, with the preposition, such as ``by BLEU``; "" where nothing is to be said.
    note : Sentence
        What stands in parentheses.
    """

    finding: str
    others: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    scores: str = ""
    note: Sentence = ()

    def parts(self) -> Sentence:
        """Return the clause in the order in which it is read."""
        parts = [self.finding]
        if self.figures:
            parts += [" ", *_with_figures(self.others, self.figures)]
        elif self.others:
            parts += [" ", *few_named(self.others)]
        if self.scores:
            parts.append(f" {self.scores}")
        if self.note:
            parts += [" (", *self.note, ")"]
        return tuple(parts)


def sentence(subject: Sentence, verb: str, clauses: Sequence[Clause]) -> Sentence:
    """Return a sentence that says several things of one subject.

    >>> better = Clause("better than", ("B",), scores="by BLEU", note=("p 0.001",))
    >>> "".join(sentence(("A",), " is ", [better, Clause("not told apart from", ("C",))]))
    'A is better than B by BLEU (p 0.001); not told apart from C.'
    """
    parts = [*subject, verb]
    for number, clause in enumerate(clauses):
        if number:
            parts.append("; ")
        parts += clause.parts()
    return (*parts, ".")


def _with_figures(names: Sequence[str], figures: Sequence[str]) -> Sentence:
    """Return names joined by commas and "and", each with its figure in parentheses where it has one."""
    parts: list[str] = []
    for number, (name, figure) in enumerate(zip(names, figures, strict=True), 1):
        if parts:
            parts.append(" and " if number == len(names) else ", ")
        parts.append(Name(name))
        if figure:
            parts.append(f" ({figure})")
    return tuple(parts)


def with_numbers(names: Sequence[str]) -> list[str]:
    """Return names, those that occur several times each with its number among them.

    >>> with_numbers(["news", "test set", "test set"])
    ['news', 'test set 1', 'test set 2']
    """
    counts = Counter(names)
    n_met: Counter[str] = Counter()
    numbered = []
    for name in names:
        n_met[name] += 1
        numbered.append(f"{name} {n_met[name]}" if counts[name] > 1 else name)
    return numbered


def few_named(names: Sequence[str]) -> Sentence:
    """Return names joined by commas and "and"; of many, their number."""
    return listed(names) if len(names) <= MOST_NAMED else (f"{len(names)} others",)
