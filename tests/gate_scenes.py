"""Scenes in which a gate must fail, and in which it must pass: for the command, for pytest and for the action."""

import csv
from dataclasses import dataclass

N = 60
REFERENCES = [f"der Hund Nummer {number} bellt laut im Garten" for number in range(N)]
GOOD = [text.replace("laut", "sehr laut") if number % 3 else text for number, text in enumerate(REFERENCES)]
BAD = [text.replace("bellt laut", "сидит") for text in REFERENCES]
#: Texts that differ in words, and not in numbers alone.
VARIED = [
    f"{who} {does} heute lange"
    for who in ("Anna", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hans", "Ida", "Jonas")
    for does in ("schläft", "liest", "singt", "kocht", "malt", "tanzt")
]
VARIED_OLD = [text.replace("lange", "nie") for text in VARIED]
#: Answers of which some say that there is none, as they should.
NONE_IS_RIGHT = ["N/A" if number % 4 == 0 else text for number, text in enumerate(REFERENCES)]
EMPTY_IS_RIGHT = ["", "", *REFERENCES[2:]]


@dataclass(frozen=True)
class Scene:
    """Texts of a baseline and of a new system, and a gate."""

    old: list[str]
    new: list[str]
    references: list[str]
    #: What a gate that fails says.
    said: str = ""
    metric: str = "chrf"
    margin: float = 0
    max_missing: float = 0.01

    @property
    def gate(self):
        """What ``--fail-if-worse`` takes."""
        name = self.metric.partition(":")[0]
        return f"{name}={self.margin:g}" if self.margin else name

    @property
    def most_missing(self):
        """What ``--max-missing`` takes."""
        return f"{100 * self.max_missing:g}%"

    def write(self, path):
        """Write the texts as a table, and return its path."""
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["old", "new", "reference"])
            rows.writerows(zip(self.old, self.new, self.references, strict=True))
        return path


_MESSAGES = ["Error code: 429 - too many requests", "[ERROR]", "Request timed out."]
_UNKNOWN_MESSAGE = "Service unavailable, please retry later (id 77)"

FAILING = {
    "what is significantly worse": Scene(GOOD, BAD, REFERENCES, "chrF worse, significantly"),
    "a higher rate of errors": Scene(GOOD, BAD, REFERENCES, "TER worse, significantly", "ter"),
    "more than the margin": Scene(GOOD, BAD, REFERENCES, "worse, by more than the margin of 3", margin=3),
    "a loss that may exceed the margin": Scene(
        GOOD, [*BAD[:6], *GOOD[6:]], REFERENCES, "the margin is 3; too uncertain to pass", margin=3
    ),
    "equal texts that are too few for the margin": Scene(
        GOOD[:20], GOOD[:20], REFERENCES[:20], "no text differs; of 20, that excludes little", margin=2
    ),
    "too few texts": Scene(BAD[:3], GOOD[:3], REFERENCES[:3], "not tested, as there are too few segments."),
    "empty answers": Scene(BAD, [""] * 6 + REFERENCES[6:], REFERENCES, "lacks 6 of 60 segments (6 empty)"),
    "more missing than allowed": Scene(
        BAD, ["", "timeout", *REFERENCES[2:]], REFERENCES, "(1 empty, 1 an error's message)", max_missing=0.03
    ),
    "messages of errors": Scene(BAD, [*_MESSAGES, *REFERENCES[3:]], REFERENCES, "(3 an error's message)"),
    "a text that repeats and reads like an error": Scene(
        VARIED_OLD, [_UNKNOWN_MESSAGE] * 4 + VARIED[4:], VARIED, "(4 an error's message)"
    ),
}
PASSING = {
    "what is better": Scene(BAD, GOOD, REFERENCES),
    "a lower rate of errors": Scene(BAD, GOOD, REFERENCES, metric="ter"),
    "the same texts": Scene(GOOD, GOOD, REFERENCES),
    "a loss that is not significant": Scene(GOOD, [BAD[0], *GOOD[1:]], REFERENCES),
    "a loss within the margin": Scene(GOOD, [*BAD[:6], *GOOD[6:]], REFERENCES, margin=20),
    "few enough missing answers": Scene(BAD, [""] * 6 + REFERENCES[6:], REFERENCES, max_missing=0.1),
    "what the baseline lacks": Scene([""] * 6 + BAD[6:], GOOD, REFERENCES),
    "answers that say none where that is right": Scene(NONE_IS_RIGHT, NONE_IS_RIGHT, NONE_IS_RIGHT),
    "empty answers that are expected": Scene(
        EMPTY_IS_RIGHT, EMPTY_IS_RIGHT, EMPTY_IS_RIGHT, metric="chrf:missing_references=skip"
    ),
    "a text that repeats and is an answer": Scene(
        VARIED_OLD, ["Das weiß ich leider nicht genau."] * 4 + VARIED[4:], VARIED
    ),
}
