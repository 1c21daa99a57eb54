"""Arrow table in, Arrow table of sums out: the function for other engines to run on parts of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tercet.base.metric import Metric
from tercet.base.scoring import refuse_missing
from tercet.errors import InputError

from .columns import NamedColumns, TextColumns, as_table, read_ids
from .sums import summing_metric, sums_of


def arrow_statistics(
    table: Any,
    metric: str | Metric,
    *,
    prediction: str | None = None,
    references: str | Sequence[str] | None = None,
    id: str | None = None,
    **options: Any,
) -> Any:
    """Return the statistics of a table of texts as a table of sums, which add up in any engine.

    It has one row, and with ``confidence_level`` a further one for each of the ``n_resamples`` resamples. Its columns
    are ``signature``, ``resample`` (0, and from 1 on those of resamples), and sums as decimals, which Spark, DuckDB,
    Polars and Arrow add exactly: grouped by signature and resample, the sums of all parts are those of the whole, to
    the bit. :meth:`tercet.Stream.from_arrow` takes them.

    Parameters
    ----------
    table : pyarrow.Table or RecordBatch, or any Arrow-compatible table
    metric : str or Metric
        A metric of the suite, its short name, or a value.
    prediction : str, optional
        Column of the predictions. Default: recognized by name, such as "prediction" or "mt".
    references : str or sequence of str, optional
        Columns of references, texts or lists of texts; an empty cell is no reference. Default: recognized by
        name.
    id : str, optional
        Column of texts or integers that identify items, in resamples and in errors. Default: items are identified
        by their texts.
    **options
        The metric's options, as for :class:`tercet.Stream`.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    InputError, OptionError
        As :class:`tercet.Stream`; for columns that are missing, hold no text, or must be named.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import tercet
    >>> rows = pa.table({"mt": ["the cat sat", "a dog"], "ref": ["the cat ran", "a dog"]})
    >>> parts = [arrow_statistics(rows.slice(i, 1), "bleu", max_order=2) for i in range(2)]
    >>> [part["match1"].to_pylist() for part in parts]
    [[Decimal('2.000000000000000000')], [Decimal('2.000000000000000000')]]
    >>> stream = tercet.Stream.from_arrow(pa.concat_tables(parts), "bleu", max_order=2)
    >>> round(stream.result()["bleu"], 4)
    0.7303
    """
    summing = summing_metric(metric, options)
    rows = as_table(table)
    systems = None if prediction is None else [prediction]
    named = NamedColumns.of(systems, references, id)
    columns = TextColumns.from_schema(rows.schema, named, take_references=summing.takes_references)
    ids = columns.ids(rows)
    corpus = summing.as_scored(summing.corpus(*columns.texts(rows)))
    try:
        refuse_missing(summing, corpus.missing)
    except InputError as error:
        if columns.id is None:
            raise
        raise InputError(f"{columns.row(rows, corpus.missing[0])}: {error}") from None
    checked_ids = None if ids is None else read_ids(ids)
    return sums_of(summing, corpus, checked_ids).to_table()
