"""What fairseq-generate prints (``generate-test.txt``), a line for each text of a sample, in any order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from tercet.errors import InputError, shorten, warn

#: The source, the reference, and a hypothesis with its score, as the model wrote it or detokenized.
_SOURCE = "S-"
_REFERENCE = "T-"
_HYPOTHESIS = "H-"
_DETOKENIZED = "D-"
_LINE = re.compile(r"([STHD]-)([0-9]{1,12})\t(.*)", re.DOTALL)
#: A line by which such a file is known, among the first ones: messages of the program may stand before it.
_KNOWN_BY = re.compile(r"[HD]-[0-9]{1,12}\t[-+]?(?:[0-9][0-9.eE+-]*|nan|inf)\t")
_FIRST_LINES = 1000
#: How references have a word that the model's vocabulary lacks.
_UNKNOWN = "<<unk>>"
#: What tells that the program was not told to join subwords, in no line.
_SUBWORD = re.compile("@@(?= |$)|(?:^| )▁")


class Generated(NamedTuple):
    """The texts of a file, by the numbers of their samples.

    Attributes
    ----------
    path : str
    kind : {"D-", "H-"}
        Which lines `texts` are from.
    texts : dict of int to str
    references : dict of int to str
        Empty where the program knew none, as fairseq-interactive does.
    sources : dict of int to str
    """

    path: str
    kind: str
    texts: dict[int, str]
    references: dict[int, str]
    sources: dict[int, str]

    @property
    def note(self) -> str:
        """Which lines the texts are from, in words."""
        which = "detokenized" if self.kind == _DETOKENIZED else "perhaps tokenized; there are no D- lines"
        return f"{self.path}: output of fairseq-generate, its {self.kind} lines ({which}), by sample"

    def in_order(self) -> list[str]:
        """Return the texts of all samples, as the lines of the file that was translated; none may be missing."""
        in_order = []
        for number in range(len(self.texts)):
            if number not in self.texts:
                raise InputError(
                    f"{self.path} has no hypothesis of sample {number}, but {len(self.texts):,} of others; expected "
                    "one for each line of the references. fairseq leaves out what is too long for the model."
                )
            in_order.append(self.texts[number])
        return in_order


def is_generated(lines: Iterable[str]) -> bool:
    """Return whether a text file is such output, by its first lines."""
    return any(map(_KNOWN_BY.match, islice(lines, _FIRST_LINES)))


def generated(path: str, lines: Sequence[str]) -> Generated | None:
    """Return the texts of what fairseq-generate printed; None for another text file.

    Of several hypotheses of a sample the first is taken, which has the best score, with a warning.
    """
    if not is_generated(lines):
        return None
    texts: dict[str, dict[int, str]] = {kind: {} for kind in (_SOURCE, _REFERENCE, _HYPOTHESIS, _DETOKENIZED)}
    several: set[int] = set()
    for line_number, line in enumerate(lines, 1):
        match = _LINE.fullmatch(line)
        if match is None:
            continue
        kind = match[1]
        number = int(match[2])
        text = match[3]
        if kind in (_HYPOTHESIS, _DETOKENIZED):
            # In front of the text is its score.
            _, _, text = text.partition("\t")
            if number in texts[kind]:
                several.add(number)
        elif texts[kind].get(number, text) != text:
            raise InputError(
                f"{path}, line {line_number:,}: {kind}{number} is {shorten(text)}, and was "
                f"{shorten(texts[kind][number])} before; expected the output of one run."
            )
        texts[kind].setdefault(number, text)
    if several:
        warn(
            f"{path} has several hypotheses of {len(several):,} of {len(texts[_HYPOTHESIS] or several):,} samples: "
            "the first of each is scored, which has the best score."
        )
    kind = _DETOKENIZED if texts[_DETOKENIZED] else _HYPOTHESIS
    lacking = sorted(texts[_HYPOTHESIS].keys() - texts[kind].keys())
    if lacking:
        raise InputError(f"{path}: sample {lacking[0]} has a line H-{lacking[0]} and none of D-; expected both.")
    _warn_of_unknown_words(path, texts[_REFERENCE])
    _warn_of_subwords(path, kind, texts[kind])
    return Generated(path, kind, texts[kind], texts[_REFERENCE], texts[_SOURCE])


def _warn_of_unknown_words(path: str, references: dict[int, str]) -> None:
    lacking = [number for number, text in references.items() if _UNKNOWN in text]
    if lacking:
        warn(
            f"{path}: {len(lacking):,} of {len(references):,} references have {_UNKNOWN} for words that the model's "
            f"vocabulary lacks, the first is T-{min(lacking)}: give the references as they were written, in a file."
        )


def _warn_of_subwords(path: str, kind: str, texts: dict[int, str]) -> None:
    marked = [number for number, text in texts.items() if _SUBWORD.search(text)]
    if marked:
        first = min(marked)
        warn(
            f"{path}: {len(marked):,} of {len(texts):,} texts have marks of subwords, the first is {kind}{first}, "
            f"{shorten(texts[first])}: subwords are scored as words. Run fairseq-generate with --remove-bpe "
            "(--post-process), or give each metric normalize=detokenize."
        )
