"""A test set: the predictions of systems for the same segments, with references and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.statistics.clusters import Clusters


@dataclass(frozen=True, slots=True)
class TestSet:
    """The predictions of systems for the same segments, with references and sources.

    Attributes
    ----------
    name : str
        Of the file, without extensions: ``news`` for ``news.tsv.gz``.
    systems : dict of str to list of str
        A prediction per segment, by system.
    references : list of list of str
        Those of each segment: any number, including none.
    source : list of str or None
        A text per segment.
    fields : str
        Of tables and logs, which columns or fields were read as what, in words.
    left_out : tuple of str
        Of a table, the columns that were read as nothing; the end of `fields` names them.
    clusters : Clusters or None
        Which segments are resampled together: repeats of a sample, or the segments of a document.
    hint : str
        A column that looks like a document's name, with the option that makes clusters of it.
    scores : mapping of str to mapping of str to ndarray of float64
        Numbers that came with the texts: for each column of scores a number per segment by system, NaN where it is
        missing.
    lower_is_better : tuple of str
        Which of these have lower numbers for what is better, as the log says or as their names do, such as ``wer``.
    no_texts : str
        Why there are no texts, which are all empty then; "" where there are some.
    exact_task : str
        Why metrics of texts say little of the task of a log, whose answers are right or wrong as a whole.
    slices : dict of str to list of str
        Labels of the segments, such as their domains, by the column that has them.
    ids : list of str or None
        Names of the segments in a file whose format has such: units of XLIFF, times of subtitles, utterances.
    warnings : tuple of str
        What was warned of while the files were read; a comparison repeats it.
    """

    # pytest would collect a class with this name as tests.
    __test__: ClassVar[bool] = False

    name: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    fields: str = field(default="", repr=False, compare=False, kw_only=True)
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)
    clusters: Clusters | None = field(default=None, repr=False, compare=False, kw_only=True)
    hint: str = field(default="", repr=False, compare=False, kw_only=True)
    scores: Mapping[str, Mapping[str, NDArray[np.float64]]] = field(
        default_factory=dict, repr=False, compare=False, kw_only=True
    )
    lower_is_better: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)
    no_texts: str = field(default="", repr=False, compare=False, kw_only=True)
    exact_task: str = field(default="", repr=False, compare=False, kw_only=True)
    slices: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    ids: list[str] | None = field(default=None, repr=False, compare=False, kw_only=True)
    warnings: tuple[str, ...] = field(default=(), repr=False, compare=False, kw_only=True)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.references)

    @property
    def about(self) -> dict[str, Any]:
        """Further entries about the files in a comparison's JSON."""
        return {}

    def corpus(self) -> Corpus:
        """Return the texts of all systems and the references, checked."""
        texts = read_systems(["predictions"] * len(self.systems), list(self.systems.values()), self.references)
        return texts.checked()


def without_texts(name: str, systems: Iterable[str], n_segments: int) -> TestSet:
    """Return a test set that has no texts, but scores."""
    texts = {system: [""] * n_segments for system in systems}
    return TestSet(name, texts, [[] for _ in range(n_segments)], None, no_texts="it has only scores")
