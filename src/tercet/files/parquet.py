"""Parquet files, opened in one way: pages that have a checksum are checked, and rows counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def open_parquet(source: Any, read_dictionary: Sequence[str] | None = None) -> Any:
    """Return a pyarrow.parquet.ParquetFile; ValueError if its row groups have not the rows of the file.

    No checksum covers the footer, in which a bit that turned can lose rows. (Its columns are not looked at: pyarrow
    ends the process where it does not understand one.)
    """
    import pyarrow.parquet as pq

    file = pq.ParquetFile(source, read_dictionary=read_dictionary, page_checksum_verification=True)
    metadata = file.metadata
    n_rows = sum(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))
    if n_rows != metadata.num_rows:
        raise ValueError(f"Its row groups have {n_rows:,} rows, and the file {metadata.num_rows:,}: it is damaged.")
    return file
