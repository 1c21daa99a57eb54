"""Segments, and why each system scores as it does there, as one HTML file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.comparison.segment import ExplainedSegment
from tercet.errors import needs
from tercet.explanation.explanation import Explanation
from tercet.explanation.html import COLOURS
from tercet.explanation.parts import Factor, Heading, Legend, Line, Part, Sentence, number_text
from tercet.markup import clean, short_names

from .rendering import Packed, minus, number, render
from .segments import MOST_REFERENCES, Text, in_colour, plain

#: Characters of explanations that a page holds as HTML: those of 20 systems or more.
_ROOM = 400_000


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
    shares: bool  # whether the colours are of what an output shares with a reference
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
    packed = explanations.packed
    return render(
        "explained.html",
        scripts=("unpack.js", "explained.js") if packed else (),
        title=title,
        views=views,
        packed_explanations=Packed.of(packed) if packed else None,
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
    most = max((abs(value) for value in values.values() if math.isfinite(value)), default=0.0)
    rows = []
    legend = Legend([])
    shares = False
    for system, value in values.items():
        explanation = segment.explanations[system]
        parts = list(explanation.parts()) if isinstance(explanation, Explanation) else []
        line, legend = _first(parts, legend)
        shares = line is not None and line.label == "prediction" and not line.losses
        text = test_set.systems[system][index]
        share = 0.0
        if most and math.isfinite(value):
            share = abs(value) / most
        rows.append(
            SystemRow(
                name=names[system],
                score=number(value, segment.digits),
                share=share,
                text=plain(text) if line is None else in_colour(text, line.words, legend.names, ascii_only=True),
                numbers=_numbers(explanation, parts, segment, system),
                why=explanations.add(_html(explanation, segment.scale)),
            )
        )
    references = test_set.references[index]
    return SegmentView(
        segment=segment,
        legend=legend,
        shares=shares,
        source=None if test_set.source is None else plain(test_set.source[index]),
        references=list(map(plain, references[:MOST_REFERENCES])),
        more_references=max(0, len(references) - MOST_REFERENCES),
        rows=rows,
    )


def _first(parts: Sequence[Part], legend: Legend) -> tuple[Line | None, Legend]:
    """Return the tokens of the system's text, which stand first, and the legend of their colours."""
    for part in parts:
        if isinstance(part, Legend):
            legend = part
        elif isinstance(part, Line):
            return part, legend
    return None, legend


def _numbers(explanation: Any, parts: Sequence[Part], segment: ExplainedSegment, system: str) -> list[str]:
    """Return what a score is made of, without the score itself, which stands beside the text; then other scores."""
    numbers = _numbers_of_score(explanation, parts)
    score = _score_text(segment.scores[system].get(segment.name, math.nan), segment)
    said = []
    for name, value in numbers.items():
        text = minus(number_text(value, segment.scale))
        is_side = isinstance(value, Factor) or name.startswith(_SIDES)
        if is_side or text != score:
            said.append(f"{name} {text}".strip())
    if isinstance(explanation, Explanation) and explanation.summary:
        said.append(explanation.summary)
    said += [part.text for part in parts[:2] if isinstance(part, Sentence)]
    for name, value in segment.scores[system].items():
        # What a score is the mean of has been said by its own name, such as precision.
        if name != segment.name and name.removeprefix("mean_") not in numbers:
            said.append(f"{name} {_score_text(value, segment)}")
    return said


#: Numbers that a score is made of, and may be equal to.
_SIDES = ("precision", "recall")


def _numbers_of_score(explanation: Any, parts: Sequence[Part]) -> Mapping[str, float]:
    if not isinstance(explanation, Explanation):
        return {}
    heading = next((part for part in parts if isinstance(part, Heading)), Heading("", {}))
    return explanation.title.numbers or heading.numbers


def _score_text(value: float, segment: ExplainedSegment) -> str:
    return number(value, segment.digits)


def _html(explanation: Any, scale: float) -> str:
    """Return an explanation as a fragment; that of a user's metric may be anything, with or without `to_html`."""
    if isinstance(explanation, Explanation):
        return explanation.to_html(scale)
    return str(explanation.to_html()) if hasattr(explanation, "to_html") else f"<p>{clean(str(explanation))}</p>"
