"""Arrow tables -> predictions, references and ids, from columns that are given or recognized by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.types import is_dictionary, is_integer, is_null

from tercet.corpus.arrow_items import check_arrow, is_any_list, is_plain_text
from tercet.corpus.containers import as_list
from tercet.errors import InputError, did_you_mean, first_line, shorten
from tercet.files.roles import role_of
from tercet.files.table import Roles

_TEXT, _LISTS = pa.large_string(), pa.large_list(pa.large_string())


def roles_of(schema: Any) -> Roles:
    """Return the roles of the columns of a pyarrow.Schema, by their names and types."""
    of_system = [field for field in schema if role_of(field.name) == "system"]
    texts = [field.name for field in of_system if is_text(field.type)]
    nulls = [field.name for field in of_system if is_null(field.type)]  # a null column may have any type
    references = [
        field.name
        for field in schema
        if role_of(field.name) == "reference" and (is_text(field.type) or is_list(field.type) or is_null(field.type))
    ]
    return Roles(source=None, references=tuple(references), systems=tuple(texts or nulls))


def choose_columns(
    roles: Roles,
    known: Sequence[str],
    systems: Sequence[str] | None,
    references: str | Sequence[str] | None,
    id: str | None,
    *,
    take_references: bool,
    one_system: bool,
    cluster: str | None = None,
) -> tuple[list[str], list[str]]:
    """Return the columns of predictions and of references: the given ones, else by their roles.

    InputError for an unknown column, or if the roles are ambiguous.
    """
    if not (references is None or isinstance(references, Iterable)):
        raise InputError(f"references must be the names of columns, got {shorten(references)}.")
    named = [references] if isinstance(references, str) else list(references or ())
    for name in (*named, *(systems or ()), *(name for name in (id, cluster) if name is not None)):
        if name not in known:
            raise InputError(f"The table has no column {shorten(name)}. {did_you_mean(name, known)}")
    others = {*named, *(systems or ()), id, cluster}
    found = list(systems or (name for name in roles.systems if name not in others))
    if not found or (one_system and len(found) > 1):
        which = f"several match by name: {', '.join(found)}" if found else "none matches by name"
        raise InputError(
            f"Cannot tell which column holds predictions: {which}. The columns are "
            f"{', '.join(known) or 'none'}: name one of them."
        )
    if not named and take_references:
        named = [name for name in roles.references if name not in others]
        if not named:
            raise InputError(f"No column matches references by name: name one of {', '.join(known)}.")
    return found, named


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns of a table by role; references are texts or lists of texts, an item's from all columns."""

    prediction: str
    references: tuple[str, ...]
    id: str | None

    @classmethod
    def of(
        cls, schema: Any, prediction: str | None, references: str | Sequence[str] | None, id: str | None,
        take_references: bool = True,
    ) -> TextColumns:  # fmt: skip
        """Return the given columns of a pyarrow.Schema, else those recognized by name."""
        systems = None if prediction is None else [prediction]
        (prediction,), named = choose_columns(
            roles_of(schema), schema.names, systems, references, id, take_references=take_references, one_system=True
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
        """The names of all of them."""
        return [self.prediction, *self.references, *([] if self.id is None else [self.id])]

    def check_types(self, schema: Any) -> None:
        """Raise an InputError unless the columns hold texts or, for references, lists of texts."""
        for name in (self.prediction, *self.references):
            kind, listed = schema.field(name).type, name in self.references
            if not (is_text(kind) or is_null(kind) or (listed and is_list(kind))):
                expected = "text or lists of text" if listed else "text"
                raise InputError(f"The column {name!r} is of the type {kind}; expected {expected}.")

    def texts(self, table: Any, first_row: int = 0) -> tuple[Any, Any]:
        """Return predictions, none missing, and references, without empty cells; rows are numbered from the first."""
        self.check_types(table.schema)
        for name in (self.prediction, *self.references):
            check_arrow(table[name], f"the column {name!r}")
        predictions = _plain(table[self.prediction])
        columns = [_plain(table[name]) for name in self.references]
        if predictions.null_count:
            row = self.row(table, predictions.combine_chunks().is_null().index(True).as_py(), first_row)
            raise InputError(f"{row}, column {self.prediction!r}: the prediction is missing; expected a text.")
        return predictions, _joined(columns) if columns else None

    def ids(self, table: Any) -> Any:
        """Return the ids, or None."""
        if self.id is None:
            return None
        check_arrow(table[self.id], f"the column {self.id!r}")
        return table[self.id]

    def row(self, table: Any, place: int, first_row: int = 0) -> str:
        """Return the name of a row in errors: its number, and its id if any."""
        id = "" if self.id is None else f", {self.id} {shorten(table[self.id][place].as_py())}"
        return f"row {first_row + place}{id}"


def as_table(given: Any) -> Any:
    """Return a pyarrow.Table from any Arrow-compatible table (Polars, pandas, DuckDB, a record batch)."""
    try:
        if isinstance(given, pa.RecordBatch):
            given = pa.Table.from_batches([given])
        table = given if isinstance(given, pa.Table) else pa.table(given)
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError(f"Expected an Arrow-compatible table, got {shorten(given)}.") from None
    try:
        table.column_names  # noqa: B018  decodes them
    except UnicodeDecodeError as error:
        raise InputError(f"The table has a column whose name is not UTF-8: {first_line(error)}") from None
    return table


def read_ids(ids: Any, first_item: int = 0) -> Any:
    """Return ids as an Arrow array; InputError for the first that is neither text nor an integer, by its number."""
    if isinstance(ids, (pa.Array, pa.ChunkedArray)):
        check_arrow(ids, "ids")
    if isinstance(ids, pa.ChunkedArray):
        ids = pa.concat_arrays(ids.chunks) if ids.num_chunks else pa.array([], pa.string())
    if not isinstance(ids, pa.Array):
        given = as_list(ids, "ids", "a string or an integer per item", 1)
        return pa.array([_as_text(each, index) for index, each in enumerate(given, first_item)], pa.large_string())
    if is_dictionary(ids.type):
        return read_ids(read_ids(ids.dictionary).cast(pa.large_string()).take(ids.indices), first_item)
    if ids.null_count or (len(ids) and not (is_plain_text(ids.type) or is_integer(ids.type))):
        what = f"ids are {ids.type}"
        if ids.null_count:
            what = f"item {first_item + ids.is_null().index(True).as_py()} has no id"
        raise InputError(f"{what}; expected a string or an integer for each item.")
    return ids


def _as_text(id: Any, item: int) -> str:
    if not isinstance(id, (str, int, np.integer)) or isinstance(id, bool):
        raise InputError(f"the id of item {item} must be a string or an integer, got {shorten(id)}.")
    try:
        text = str(id)
        text.encode()
    except ValueError:  # a lone surrogate, or an integer of thousands of digits
        raise InputError(f"the id of item {item} cannot be written in UTF-8: {shorten(id)}.") from None
    return text


def _joined(columns: list[Any]) -> Any:
    """Return the references of each row, from columns of `_plain`, as lists without empty cells.

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
    order = np.argsort(owner, kind="stable")  # an item's references in the order of columns
    offsets = np.append(0, np.cumsum(np.bincount(owner, minlength=len(columns[0]))))
    return pa.LargeListArray.from_arrays(offsets, pa.concat_arrays(texts).take(pa.array(order)))


def _empty_cells(column: Any) -> bool:
    return bool(column.null_count or pc.any(pc.equal(pc.binary_length(column), 0)).as_py())


def _plain(column: Any) -> Any:
    """Return texts, or lists of them, in one type; anything else unchanged."""
    kind = column.type
    if is_dictionary(kind) and is_text(kind):
        chunks = [pa.DictionaryArray.from_arrays(each.indices, each.dictionary.cast(_TEXT)) for each in column.chunks]
        column = pa.chunked_array(chunks, pa.dictionary(kind.index_type, _TEXT))
    wanted = _TEXT if is_text(kind) or is_null(kind) else _LISTS if is_list(kind) else kind
    try:
        return column.cast(wanted)
    except pa.ArrowNotImplementedError:  # such as lists of dictionary-encoded views
        return column


def is_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text, also in a dictionary."""
    return is_plain_text(kind.value_type if is_dictionary(kind) else kind)


def is_list(kind: Any) -> bool:
    """Return whether a type of Arrow is lists of texts."""
    return is_any_list(kind) and (is_text(kind.value_type) or is_null(kind.value_type))
