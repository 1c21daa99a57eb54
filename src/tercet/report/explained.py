"""Segments, and why each system scores as it does there, as one HTML file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tercet.comparison.one_segment.explained_segment import ExplainedSegment
from tercet.errors import needs
from tercet.explanation.explanation import Explanation
from tercet.explanation.html import COLOURS
from tercet.explanation.parts import Factor, Heading, Legend, Line, Part, Sentence, number_text
from tercet.names_as_shown import clean, short_names

from .coloured_texts import Text, in_colour, more_references_of, plain, references_of, source_of
from .rendering import Packed, minus, render, score_text

#: Characters of explanations that a page holds as HTML: those of 20 systems or more.
_ROOM = 400_000
#: Numbers that a score is made of, and may be equal to.
_PARTS_OF_SCORES = ("precision", "recall")


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system as the template shows it."""

    name: str
    score: str
    share: float  # of the greatest score of a system, from 0 to 1: how long its bar is
    text: Text
    numbers: list[str]  # its other scores, and what the score is made of
    why: Any  # all that explains the score, as HTML


@dataclass(frozen=True, slots=True)
class SegmentView:
    """A segment as the template shows it."""

    segment: ExplainedSegment
    legend: Legend
    has_shares: bool  # the colours are of what an output shares with a reference
    source: Text | None
    references: list[Text]
    more_references: int  # not shown
    rows: list[SystemRow]


def to_html(segments: Sequence[ExplainedSegment]) -> str:
    """Return a page that loads nothing: of each segment, the systems with their matches.

    Where it holds much, a script shows what explains the scores of the last systems.
    """
    needs("An HTML report", "report", "jinja2")
    title = "Why segments score as they do"
    if len(segments) == 1:
        title = f"Why segment {segments[0].segment:,} of {segments[0].test_set.name} scores as it does"
    explanations = _Explanations()
    views = [_view(segment, explanations) for segment in segments]
    scripts: tuple[str, ...] = ()
    packed_explanations = None
    if explanations.packed:
        scripts = ("unpack.js", "explained.js")
        packed_explanations = Packed.of(explanations.packed)
    return render(
        "explained.html",
        scripts=scripts,
        title=title,
        views=views,
        packed_explanations=packed_explanations,
        colours=COLOURS,
    )


class _Explanations:
    """The explanations of a page, which stand where they belong as long as there is room, and then packed."""

    def __init__(self) -> None:
        self._room = _ROOM
        self.packed: list[str] = []

    def add(self, explanation: str) -> Any:
        """Return it as HTML, or a box that the script fills."""
        from markupsafe import Markup

        self._room -= len(explanation)
        if self._room >= 0:
            return Markup(explanation)
        self.packed.append(explanation)
        return Markup(f'<div data-packed="{len(self.packed) - 1}"></div>')


def _view(segment: ExplainedSegment, explanations: _Explanations) -> SegmentView:
    test_set = segment.test_set
    index = segment.segment - 1
    names = short_names(list(test_set.systems))
    values = {system: segment.scores[system].get(segment.name, math.nan) for system in segment.order}
    shares = _shares_of_greatest(values)
    rows = []
    legend = Legend([])
    has_shares = False
    for system, value in values.items():
        explanation = segment.explanations[system]
        parts: Sequence[Part] = []
        if isinstance(explanation, Explanation):
            parts = explanation.parts()
        # A system without a legend of its own has the one before it: the page shows one for all.
        line, legend = _first_line(parts, legend)
        output = test_set.systems[system][index]
        text = plain(output)
        if line is not None:
            text = in_colour(output, line.words, legend.names, ascii_only=True)
            if line.label == "prediction" and not line.losses:
                has_shares = True
        rows.append(
            SystemRow(
                name=names[system],
                score=score_text(value, segment.digits),
                share=shares[system],
                text=text,
                numbers=_numbers(explanation, parts, segment, system),
                why=explanations.add(_html(explanation, segment.scale)),
            )
        )
    return SegmentView(
        segment=segment,
        legend=legend,
        has_shares=has_shares,
        source=source_of(test_set, index),
        references=references_of(test_set, index),
        more_references=more_references_of(test_set, index),
        rows=rows,
    )


def _shares_of_greatest(values: Mapping[str, float]) -> dict[str, float]:
    """Return what each value is of the greatest, whatever their signs; 0 of what is not finite."""
    greatest = max([abs(value) for value in values.values() if math.isfinite(value)], default=0.0)
    shares = {}
    for system, value in values.items():
        shares[system] = 0.0
        if greatest > 0 and math.isfinite(value):
            shares[system] = abs(value) / greatest
    return shares


class _FirstLine(NamedTuple):
    """The tokens of the system's text, which stand first, and the legend of their colours."""

    line: Line | None
    legend: Legend


def _first_line(parts: Sequence[Part], legend: Legend) -> _FirstLine:
    """Return the first line of an explanation, with the legend that stands before it, or else the given one."""
    last_legend = legend
    for part in parts:
        if isinstance(part, Legend):
            last_legend = part
        elif isinstance(part, Line):
            return _FirstLine(part, last_legend)
    return _FirstLine(None, last_legend)


def _numbers(explanation: Any, parts: Sequence[Part], segment: ExplainedSegment, system: str) -> list[str]:
    """Return what a score is made of, without the score itself, which stands beside the text; then other scores."""
    numbers = _numbers_of_score(explanation, parts)
    score = score_text(segment.scores[system].get(segment.name, math.nan), segment.digits)
    said = []
    for name, value in numbers.items():
        text = minus(number_text(value, segment.scale))
        is_part = isinstance(value, Factor) or name.startswith(_PARTS_OF_SCORES)
        if is_part or text != score:
            said.append(f"{name} {text}".strip())
    if isinstance(explanation, Explanation) and explanation.summary:
        said.append(explanation.summary)
    said += [part.text for part in parts[:2] if isinstance(part, Sentence)]
    for name, value in segment.scores[system].items():
        # What a score is the mean of has been said by its own name, such as precision.
        if name != segment.name and name.removeprefix("mean_") not in numbers:
            said.append(f"{name} {score_text(value, segment.digits)}")
    return said


def _numbers_of_score(explanation: Any, parts: Sequence[Part]) -> Mapping[str, float]:
    if not isinstance(explanation, Explanation):
        return {}
    if explanation.title.numbers:
        return explanation.title.numbers
    for part in parts:
        if isinstance(part, Heading):
            return part.numbers
    return {}


def _html(explanation: Any, scale: float) -> str:
    """Return an explanation as a fragment; that of a user's metric may be anything, with or without `to_html`."""
    if isinstance(explanation, Explanation):
        return explanation.to_html(scale)
    if hasattr(explanation, "to_html"):
        return str(explanation.to_html())
    return f"<p>{clean(str(explanation))}</p>"
