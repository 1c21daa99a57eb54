"""Tables in Arrow's memory -> predictions, references and ids: the columns are named, or guessed from their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tercet.columns.arrow_items import check_arrow
from tercet.errors import InputError, did_you_mean, shorten
from tercet.files.roles import role_of

_TEXT, _LISTS = pa.large_string(), pa.large_list(pa.large_string())


@dataclass(frozen=True, slots=True)
class TextColumns:
    """Which columns of a table hold what.

    Attributes
    ----------
    prediction : str
    references : tuple of str
        Of texts, or of lists of texts; an item has those of all of them.
    id : str or None
    """

    prediction: str
    references: tuple[str, ...]
    id: str | None

    @classmethod
    def of(
        cls,
        schema: Any,
        prediction: str | None,
        references: str | Sequence[str] | None,
        id: str | None,
        need_references: bool = True,
    ) -> TextColumns:
        """Return the columns that are named, and for what is not named those whose names say what they hold.

        Parameters
        ----------
        schema : pyarrow.Schema

        Raises
        ------
        InputError
            For a column that is not there, and where the names leave it open.
        """
        if not (references is None or isinstance(references, Iterable)):
            raise InputError(f"references must be the names of columns, got {shorten(references)}.")
        named = [references] if isinstance(references, str) else list(references or ())
        for name in [*named, *(each for each in (prediction, id) if each is not None)]:
            if name not in schema.names:
                raise InputError(f"The table has no column {shorten(name)}. {did_you_mean(name, schema.names)}")
        fields = [field for field in schema if field.name not in {*named, prediction, id}]
        if prediction is None:
            systems = [each.name for each in fields if role_of(each.name) == "system" and is_text(each.type)]
            if not systems:  # a column of nothing has any type
                systems = [each.name for each in fields if role_of(each.name) == "system" and is_null(each.type)]
            if len(systems) != 1:
                found = f"several may be: {', '.join(systems)}" if systems else "none is"
                raise InputError(
                    f"Which column holds the predictions? By their names, {found}. The columns are "
                    f"{', '.join(schema.names) or 'none at all'}: name one of them."
                )
            prediction = systems[0]
        if not named and need_references:
            kinds = (is_text, is_list, is_null)
            named = [
                each.name
                for each in fields
                if role_of(each.name) == "reference" and any(is_kind(each.type) for is_kind in kinds)
            ]
            if not named:
                raise InputError(
                    f"No column's name says that it holds references: name one of {', '.join(schema.names)}."
                )
        columns = cls(prediction, tuple(named), id)
        for name in columns.names:
            if schema.names.count(name) > 1:
                raise InputError(
                    f"The table has {schema.names.count(name)} columns {name!r}: their names must differ."
                )
        return columns

    @property
    def names(self) -> list[str]:
        """All of them."""
        return [self.prediction, *self.references, *([] if self.id is None else [self.id])]

    def check_types(self, schema: Any) -> None:
        """Raise an InputError for a column of anything but texts, or of references, lists of them."""
        for name in (self.prediction, *self.references):
            kind, listed = schema.field(name).type, name in self.references
            if not (is_text(kind) or is_null(kind) or (listed and is_list(kind))):
                expected = "text or lists of text" if listed else "text"
                raise InputError(f"The column {name!r} is of the type {kind}; expected {expected}.")

    def texts(self, table: Any) -> tuple[Any, Any]:
        """Return predictions and references; an empty cell of references, or none, is no reference.

        Raises
        ------
        InputError
            For a prediction that is missing, and as :meth:`check_types` and :func:`~.arrow_items.check_arrow`.
        """
        self.check_types(table.schema)
        for name in (self.prediction, *self.references):
            check_arrow(table[name], f"the column {name!r}")
        predictions = _plain(table[self.prediction])
        columns = [_plain(table[name]) for name in self.references]
        if predictions.null_count:
            row = self.row(table, predictions.combine_chunks().is_null().index(True).as_py())
            raise InputError(f"{row}, column {self.prediction!r}: the prediction is missing; expected a text.")
        return predictions, _joined(columns) if columns else None

    def ids(self, table: Any) -> Any:
        """Return the ids; None where no column has them; InputError as :func:`~.arrow_items.check_arrow`."""
        if self.id is not None:
            check_arrow(table[self.id], f"the column {self.id!r}")
        return None if self.id is None else table[self.id]

    def row(self, table: Any, number: int) -> str:
        """Return what an error calls a row: its number in this table and, where it has one, its id."""
        return f"row {number}" + ("" if self.id is None else f", {self.id} {shorten(table[self.id][number].as_py())}")


def as_table(given: Any) -> Any:
    """Return a pyarrow.Table of what is one, or offers itself as one (Polars, pandas, DuckDB, a record batch).

    Raises
    ------
    InputError
        For anything else.
    """
    if isinstance(given, pa.Table):
        return given
    try:
        if isinstance(given, pa.RecordBatch):
            return pa.Table.from_batches([given])
        return pa.table(given)
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError(
            f"Expected an Arrow table, or a frame that offers itself as one; got {shorten(given)}."
        ) from None


def _joined(columns: list[Any]) -> Any:
    """Return the references of each row, from columns that `_plain` gave, as lists without empty cells.

    A column of texts that has none is returned as it is.
    """
    if len(columns) == 1 and columns[0].type == _TEXT and not _empty_cells(columns[0]):
        return columns[0]
    texts, owners = [], []
    for column in columns:
        whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
        owner = np.arange(len(whole))
        if whole.type == _LISTS:
            sizes = pc.fill_null(pc.list_value_length(whole), 0).to_numpy()
            owner, whole = np.repeat(owner, sizes), whole.flatten()
        filled = pc.fill_null(pc.greater(pc.binary_length(whole), 0), False)
        texts.append(whole.filter(filled))
        owners.append(owner[filled.to_numpy(zero_copy_only=False)])
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")  # of an item those of the first column come first
    offsets = np.append(0, np.cumsum(np.bincount(owner, minlength=len(columns[0]))))
    return pa.LargeListArray.from_arrays(offsets, pa.concat_arrays(texts).take(pa.array(order)))


def _empty_cells(column: Any) -> bool:
    return bool(column.null_count or pc.any(pc.equal(pc.binary_length(column), 0)).as_py())


def _plain(column: Any) -> Any:
    """Return texts, or lists of them, as the one type that is worked with; all else as it is."""
    kind = column.type
    if pa.types.is_dictionary(kind) and is_text(kind):
        chunks = [pa.DictionaryArray.from_arrays(each.indices, each.dictionary.cast(_TEXT)) for each in column.chunks]
        column = pa.chunked_array(chunks, pa.dictionary(kind.index_type, _TEXT))
    wanted = _TEXT if is_text(kind) or is_null(kind) else _LISTS if is_list(kind) else kind
    try:
        return column.cast(wanted)
    except pa.ArrowNotImplementedError:  # such as lists of dictionary-encoded views
        return column


def is_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text, also in a dictionary."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(is_kind(kind) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def is_null(kind: Any) -> bool:
    """Return whether it is that of a column of nothing."""
    return bool(pa.types.is_null(kind))


def is_list(kind: Any) -> bool:
    """Return whether it is lists of texts."""
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(is_kind(kind) for is_kind in lists) and (is_text(kind.value_type) or is_null(kind.value_type))
