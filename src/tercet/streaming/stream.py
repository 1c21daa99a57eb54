"""The score of an unbounded corpus: batches are added, and only sums are kept."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from tercet.base.metric import Metric
from tercet.base.scoring import warn_of, warn_of_idle_clusters
from tercet.corpus.artefacts import Watch
from tercet.corpus.corpus import Corpus
from tercet.corpus.reading import read_batch
from tercet.errors import InputError, MergeError, OptionError, shorten
from tercet.option_checks import has_entries
from tercet.result import Result
from tercet.specs import take_options
from tercet.statistics.clusters import check_label_for_each

from .columns import as_table, read_ids
from .origins import ItemsMark, Origins
from .result import check_sums_match, result_of
from .stream_file import SavedStream, read_stream, write_stream
from .sums import ADDED, KEYS, Sums, summing_metric, sums_of

StreamT = TypeVar("StreamT", bound="Stream")


class Stream:
    """A metric that takes a corpus in batches and keeps only sums.

    The sums are exact: in any order and batches, and after merging streams of parts, the result is equal to the
    bit. So are intervals, whose resamples depend only on the seed and the item.

    Parameters
    ----------
    metric : str or Metric
        A metric of the suite, as :func:`tercet.score` takes it: a name, also with options, or a value.
    **options
        The metric's options, as for :func:`tercet.score`, but ``segments=True``. With ``confidence_level``, the
        resamples are summed too (a Poisson bootstrap).

    Raises
    ------
    OptionError
        On an unknown metric, option or value, and for a metric that needs the whole corpus before it scores a part:
        the message says what to give instead.

    Notes
    -----
    Scores equal those of :func:`tercet.score`: to the bit where rows are counts, as in BLEU, and otherwise within the
    rounding of its sums (2e-15 in scores from 0 to 1 of up to 2,000 items, 2e-13 of 300,000); those here are exact.
    The signature is the same, except that ``refs`` is a mean where some item has more than 30 references. Intervals
    use other draws, and have the same width. Entries with a value per item are left out. Memory: 32 bytes for
    each column of statistics, and as much for each resample. Time: with intervals, 2 to 3 microseconds more for each
    item.

    One thread at a time may use a stream; threads with a stream each may merge them.

    Examples
    --------
    >>> stream = Stream("bleu_multi", max_order=2)
    >>> stream.add(["the cat sat"], ["the cat ran"])
    >>> stream.add(["a dog"], [["a dog", "one dog"]])
    >>> stream
    Stream('bleu_multi', 2 items)
    >>> round(stream.result()["bleu"], 4)
    0.7303
    """

    def __init__(self, metric: str | Metric, **options: Any) -> None:
        name_or_value, all_options = take_options(metric, options)
        self._metric = summing_metric(name_or_value, all_options)
        self._options = all_options
        if isinstance(name_or_value, Metric):
            self._options = {**name_or_value.all_changed_options, **all_options}
        self._sums: Sums | None = None
        # Of the sums. They are beside them, because sets that grow take no copy for each stream that is merged.
        self._origins = Origins()
        self._mark = secrets.token_hex(8)
        self._watch = Watch()
        self._has_warned = False

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return self._metric.name

    @property
    def options(self) -> dict[str, Any]:
        """The options as given."""
        return dict(self._options)

    def __len__(self) -> int:
        """Return how many items were added."""
        if self._sums is None:
            return 0
        return _n_items(self._sums)

    def add(self, predictions: Any, references: Any = None, ids: Any = None, cluster: Any = None) -> None:
        """Add items; a refused batch adds nothing.

        Parameters
        ----------
        predictions : sequence of str
            One text per item.
        references : sequence of str or of sequences of str, optional
            As for :func:`tercet.score`.
        ids : sequence of str or int, optional
            An id per item, by which it is resampled: systems with the same ids are resampled alike. Without ids items
            are identified by their texts, and equal ones are drawn together.
        cluster : sequence of str or int, optional
            A label per item, the same for items that are not independent, in whatever batch: those of a cluster are
            drawn together.

        Raises
        ------
        InputError
            As :func:`tercet.score` does; also if there is not exactly one id or label per item, or two ids of a
            call are equal.
        MergeError
            With intervals, for ids or clusters if earlier items had none, or none if they had some.
        """
        corpus = self._metric.as_scored(self._metric.corpus(predictions, references))
        item_ids = None if ids is None else read_ids(ids)
        if item_ids is not None and len(item_ids) != corpus.n_items:
            raise InputError(
                f"There must be an id for each item, got {len(item_ids):,} ids for {corpus.n_items:,} items."
            )
        labels = None if cluster is None else read_ids(cluster)
        if labels is not None:
            check_label_for_each(corpus.n_items, len(labels))
            if self._sums is None:  # once for each stream
                warn_of_idle_clusters(self._metric)
        if corpus.n_items:
            sums = sums_of(self._metric, corpus, item_ids, clusters=labels)
            self._sums = sums if self._sums is None else self._sums + sums
            self._origins.streams.add(self._mark)
            if self._metric.takes_references:
                self._warn_of_texts(corpus)

    def merge(self, other: Stream | Iterable[Stream]) -> None:
        """Add the items of another stream, or several; `other` is not changed.

        Raises
        ------
        MergeError
            For a stream of another metric or other options, of the same items, or merged before.
        """
        streams: Any = [other]
        if has_entries(other) and not isinstance(other, Stream):
            streams = other
        sums = self._sums
        added = Origins()
        for stream in streams:
            if not isinstance(stream, Stream):
                raise MergeError(f"Only streams merge, got {shorten(stream)}.")
            if stream.metric != self.metric:
                raise MergeError(f"A stream of {stream.metric} does not merge with one of {self.metric}.")
            if stream._sums is None:
                continue
            if stream is self:
                raise MergeError("A stream cannot be merged into itself.")
            origins = stream._origins | Origins(items={_items_mark(stream._sums)})
            if sums is None:
                check_sums_match(self._metric, stream._sums)
                sums = stream._sums
            else:
                # With this stream, or with one of the others that are merged into it.
                shared = origins & self._origins
                shared |= origins & added
                shared |= origins & Origins(items={_items_mark(sums)})
                _check_different(shared)
                sums = sums + stream._sums
            added |= origins
        self._sums = sums
        self._origins |= added

    def result(self) -> Result:
        """Return the result of all items so far; more can be added afterwards.

        Raises
        ------
        InputError
            If nothing was added, or nothing that has a score.
        """
        if self._sums is None:
            raise InputError("There are no items: nothing was added.")
        return result_of(self._metric, self._sums)

    def to_arrow(self) -> Any:
        """Return the sums as a pyarrow.Table, as :func:`tercet.arrow_statistics` does."""
        return self._sums_or_zeros().to_table()

    @classmethod
    def from_arrow(cls: type[StreamT], table: Any, metric: str | Metric, **options: Any) -> StreamT:
        """Return a stream with the sums of a table, which may be several tables concatenated or summed.

        Parameters
        ----------
        table : pyarrow.Table, or any Arrow-compatible table, such as a Polars or pandas data frame
        metric, **options
            As for the table.

        Raises
        ------
        MergeError
            For sums made with another metric or other options, or a table of anything else.
        """
        stream = cls(metric, **options)
        sums = Sums.from_table(as_table(table), stream._sums_or_zeros().columns)
        check_sums_match(stream._metric, sums)
        if _n_items(sums):
            stream._sums = sums
            stream._origins.streams.add(stream._mark)
        return stream

    def save(self, path: str | PathLike[str]) -> None:
        """Write the stream as an Arrow file, with its version and a checksum.

        Raises
        ------
        InputError
            For a file that cannot be written.
        """
        write_stream(path, SavedStream(self.metric, self._options, self._sums, self._origins))

    @classmethod
    def load(cls: type[StreamT], path: str | PathLike[str], **options: Any) -> StreamT:
        """Return a stream that :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
        **options
            Those that cannot be saved, such as functions and tables, as the stream was made.

        Raises
        ------
        InputError
            For a file that cannot be read, is damaged, is something else, or has the format of another version.
        OptionError
            For missing options, which the message names.
        MergeError
            For sums of another version of tercet, and for repeated options that differ.
        """
        saved = read_stream(path, options)
        try:
            stream = cls(saved.metric, **saved.options)
            if saved.sums is not None:
                check_sums_match(stream._metric, saved.sums)
        except (OptionError, MergeError) as error:
            raise type(error)(f"{Path(path).name}: {error}") from None
        stream._sums = saved.sums
        stream._origins = saved.origins
        return stream

    def _warn_of_texts(self, corpus: Corpus) -> None:
        """Warn, once, of what only texts show: sums have but the number of their letters."""
        self._watch.see(corpus)
        if not self._has_warned:
            message = self._metric.corpus_warning(None, corpus)
            self._has_warned = message is not None
            warn_of(self._metric, message)

    def _sums_or_zeros(self) -> Sums:
        """Return the sums: those of no items as long as nothing was added."""
        if self._sums is None:
            return sums_of(self._metric, read_batch([], []))
        return self._sums

    def __repr__(self) -> str:
        return f"Stream({self.metric!r}, {_items(len(self))})"


def _n_items(sums: Sums) -> int:
    """Return how many items were added, including those left out."""
    return int(sums.corpus_sum(ADDED))


def _items(n_items: int) -> str:
    return "1 item" if n_items == 1 else f"{n_items:,} items"


def _items_mark(sums: Sums) -> ItemsMark:
    """Return a mark of the items in sums, independent of the stream."""
    return ItemsMark(_n_items(sums), int(sums.corpus_sum(KEYS)))


def _check_different(shared: Origins) -> None:
    """Raise a MergeError if two streams share any origins."""
    if shared.streams:
        raise MergeError(
            "The stream, or a part of it, was merged before. Put items that come later into a new stream."
        )
    if shared.items:
        most_items = max(mark.n_items for mark in shared.items)
        raise MergeError(
            f"Both streams hold the same {_items(most_items)}. If they are different items with equal texts, give "
            "them ids."
        )
