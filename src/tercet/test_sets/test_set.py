"""A test set: the predictions of systems for the same segments, with references and sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tercet.corpus.corpus import Corpus
from tercet.corpus.items import read_systems
from tercet.corpus.large import LargeCorpus
from tercet.statistics.clusters import Clusters

if TYPE_CHECKING:
    from tercet.files.table import CsvDialect

    from .column_readings import ColumnReading


def _further(default: Any) -> Any:
    """Return a field by which test sets are neither shown nor compared."""
    return field(default=default, repr=False, compare=False)


def _further_mapping() -> Any:
    """Return such a field that is an empty mapping by default."""
    return field(default_factory=dict, repr=False, compare=False)


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
    columns : tuple of ColumnReading
        Of a table, how each column was read and why: what ``tercet read`` shows.
    left_out : tuple of str
        Of a table, the columns that were read as nothing; the end of `fields` names them.
    ids : list of str or None
        Names of the segments in a file whose format has such: units of XLIFF, times of subtitles, utterances.
    dialect : CsvDialect or None
        Of a CSV, its separator, what stands before decimals, and whether it has a byte order mark: a CSV of segments
        is written so.
    own_columns : mapping of str to list
        Of a table, the cells of columns that hold neither texts nor scores that are read, such as ids and comments:
        files of segments have them too.
    own_columns_by_system : mapping of str to mapping of str to list
        Such cells of columns that differ by system, as in a table with a row for each segment and system: by column,
        the cells of each system.
    clusters : Clusters or None
        Which segments are resampled together: repeats of a sample, or the segments of a document.
    hint : str
        A column that looks like a document's name, with the option that makes clusters of it.
    slices : dict of str to list of str
        Labels of the segments, such as their domains, by the column that has them.
    scores : mapping of str to mapping of str to ndarray of float64
        Numbers that came with the texts: for each column of scores a number per segment by system, NaN where it is
        missing.
    lower_is_better : tuple of str
        Which of these have lower numbers for what is better, as the log says or as their names do, such as ``wer``.
    higher_is_better : tuple of str
        Which of these have higher numbers for what is better. Of scores that are in neither, nobody knows it.
    no_texts : str
        Why there are no texts, which are all empty then; "" where there are some.
    exact_task : str
        Why metrics of texts say little of the task of a log, whose answers are right or wrong as a whole.
    lost : mapping of str to mapping of str to int
        How many segments files say that a system did not answer, or not to the end, by what is wrong, in words.
    n_all : int
        How many segments were expected, with those left out for a system that lacks them; 0 where nobody said how
        many, and all are there.
    wrong_ends : mapping of str to mapping of int to str
        By system, the segments whose answers failed or were cut off, as a column of the file says: what is wrong, in
        words, by the number of the segment, from 0.
    without_reference : mapping of int to str
        Of a table whose rows are the segments, those without a reference, where others have one: by the number of the
        segment, from 0, on which line of the file it is, with its id or first text, in words.
    warnings : tuple of str
        What was warned of while the files were read; a comparison repeats it.
    is_searched : bool
        Whether what is odd about the segments was sought, and is among the warnings: that takes longer than to score.
    """

    # pytest would collect a class with this name as tests.
    __test__: ClassVar[bool] = False

    name: str
    systems: dict[str, list[str]]
    references: list[list[str]]
    source: list[str] | None
    _: KW_ONLY

    # How files were read.

    fields: str = _further("")
    columns: tuple[ColumnReading, ...] = _further(())
    left_out: tuple[str, ...] = _further(())
    ids: list[str] | None = _further(None)
    dialect: CsvDialect | None = _further(None)
    own_columns: Mapping[str, list[Any]] = _further_mapping()
    own_columns_by_system: Mapping[str, Mapping[str, list[Any]]] = _further_mapping()

    # What segments are: units that are resampled together, slices.

    clusters: Clusters | None = _further(None)
    hint: str = _further("")
    slices: dict[str, list[str]] = _further_mapping()

    # Scores that came with the texts; where these are lacking or say little, why.

    scores: Mapping[str, Mapping[str, NDArray[np.float64]]] = _further_mapping()
    lower_is_better: tuple[str, ...] = _further(())
    higher_is_better: tuple[str, ...] = _further(())
    no_texts: str = _further("")
    exact_task: str = _further("")

    # What systems and references lack.

    lost: Mapping[str, Mapping[str, int]] = _further_mapping()
    n_all: int = _further(0)
    wrong_ends: Mapping[str, Mapping[int, str]] = _further_mapping()
    without_reference: Mapping[int, str] = _further_mapping()

    # What was warned of.

    warnings: tuple[str, ...] = _further(())
    is_searched: bool = _further(False)

    @property
    def n_segments(self) -> int:
        """How many segments there are."""
        return len(self.references)

    @property
    def n_expected(self) -> int:
        """How many segments there are with those that were left out for a system that lacks them."""
        return max(self.n_all, self.n_segments)

    def _repr_html_(self) -> str | None:
        """Show in a notebook how the columns of a table were read; what has none is shown as text."""
        if not self.columns:
            return None
        # Here, as text files have no columns.
        from tercet.table_formats import to_notebook

        from .column_readings import shown_readings

        return to_notebook(shown_readings(self.name, self.columns))

    @property
    def missing(self) -> list[int]:
        """The segments without a reference, by their numbers from 0."""
        return [segment for segment, texts in enumerate(self.references) if not texts]

    @property
    def about(self) -> dict[str, Any]:
        """Further entries about the files in a comparison's JSON."""
        return {}

    def corpus(self) -> Corpus:
        """Return the texts of all systems and the references, checked."""
        texts = read_systems(["predictions"] * len(self.systems), list(self.systems.values()), self.references)
        return texts.checked()


class LargeTestSet(TestSet):
    """A test set of text files whose lines are read when they are needed: neither they nor rows of them are kept.

    Its systems and references are sequences that are no lists; each segment has as many references.
    """

    __slots__ = ()

    @property
    def missing(self) -> list[int]:
        """The segments without a reference: none."""
        return []

    def corpus(self) -> Corpus:
        """Return the texts of all systems and the references, which are read when they are needed."""
        names = ("predictions",) * len(self.systems)
        references: Any = self.references
        return LargeCorpus(list(self.systems.values()), references.columns, names)


def without_texts(name: str, systems: Iterable[str], n_segments: int) -> TestSet:
    """Return a test set that has no texts, but scores."""
    texts = {system: [""] * n_segments for system in systems}
    return TestSet(name, texts, [[] for _ in range(n_segments)], None, no_texts="it has only scores")
