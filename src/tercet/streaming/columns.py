"""Arrow tables -> predictions, references and ids, from columns that are given or recognized by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.types import is_dictionary, is_integer, is_null

from tercet.corpus.arrow_columns import check_arrow, is_any_list, is_plain_text
from tercet.corpus.items import as_list
from tercet.errors import InputError, did_you_mean, first_line, shorten
from tercet.files.columns.name_roles import role_of
from tercet.files.table import Roles
from tercet.option_checks import has_entries

_TEXT = pa.large_string()
_LISTS = pa.large_list(_TEXT)


def roles_of(schema: Any) -> Roles:
    """Return the roles of the columns of a pyarrow.Schema, by their names and types."""
    references = []
    systems = []
    null_systems = []
    for field in schema:
        role = role_of(field.name)
        # A null column may have any type.
        if role == "reference" and (is_text(field.type) or is_list(field.type) or is_null(field.type)):
            references.append(field.name)
        elif role == "system" and is_text(field.type):
            systems.append(field.name)
        elif role == "system" and is_null(field.type):
            null_systems.append(field.name)
    return Roles(source=None, references=tuple(references), systems=tuple(systems or null_systems))


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """The columns that a user names: none where their names are to say what they are."""

    systems: list[str]
    references: list[str]
    id: str | None
    cluster: str | None = None

    @classmethod
    def of(
        cls, systems: Sequence[str] | None, references: Any, id: str | None, cluster: str | None = None
    ) -> NamedColumns:
        """Return the columns of the arguments of a call; InputError for references that are no names."""
        if not (references is None or has_entries(references)):
            raise InputError(f"references must be the names of columns, got {shorten(references)}.")
        names_of_references = list(references or ())
        if isinstance(references, str):
            names_of_references = [references]
        return cls(list(systems or ()), names_of_references, id, cluster)

    def all(self) -> list[str]:
        """Return the columns in all roles."""
        single = [name for name in (self.id, self.cluster) if name is not None]
        return [*self.references, *self.systems, *single]


def choose_columns(
    roles: Roles, names: Sequence[str], named: NamedColumns, *, take_references: bool, one_system: bool
) -> tuple[list[str], list[str]]:
    """Return the columns of predictions and of references: the named ones, else by their roles.

    InputError for an unknown column, or if the roles are ambiguous.
    """
    all_named = named.all()
    for name in all_named:
        if name not in names:
            raise InputError(f"The table has no column {shorten(name)}. {did_you_mean(name, names)}")
    # A column has one role: one that was named is not recognized for another.
    systems = named.systems or [name for name in roles.systems if name not in all_named]
    if not systems or (one_system and len(systems) > 1):
        problem = "none matches by name"
        if systems:
            problem = f"several match by name: {', '.join(systems)}"
        raise InputError(
            f"Cannot tell which column holds predictions: {problem}. The columns are "
            f"{', '.join(names) or 'none'}: name one of them."
        )
    if named.references or not take_references:
        return systems, named.references
    references = [name for name in roles.references if name not in all_named]
    if not references:
        raise InputError(f"No column matches references by name: name one of {', '.join(names)}.")
    return systems, references


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The columns of a table by role; references are texts or lists of texts, an item's from all columns."""

    prediction: str
    references: tuple[str, ...]
    id: str | None

    @classmethod
    def from_schema(cls, schema: Any, named: NamedColumns, *, take_references: bool) -> TextColumns:
        """Return the named columns of a pyarrow.Schema, else those recognized by name."""
        (prediction,), references = choose_columns(
            roles_of(schema), schema.names, named, take_references=take_references, one_system=True
        )
        columns = cls(prediction, tuple(references), named.id)
        for name in columns.names:
            if schema.names.count(name) > 1:
                raise InputError(
                    f"The table has {schema.names.count(name)} columns {name!r}: their names must differ."
                )
        return columns

    @property
    def names(self) -> list[str]:
        """The names of all of them."""
        names = [self.prediction, *self.references]
        if self.id is not None:
            names.append(self.id)
        return names

    def check_types(self, schema: Any) -> None:
        """Raise an InputError unless the columns hold texts or, for references, lists of texts."""
        for name in (self.prediction, *self.references):
            kind = schema.field(name).type
            may_be_lists = name in self.references
            if not (is_text(kind) or is_null(kind) or (may_be_lists and is_list(kind))):
                expected = "text or lists of text" if may_be_lists else "text"
                raise InputError(f"The column {name!r} is of the type {kind}; expected {expected}.")

    def texts(self, table: Any, first_row: int = 0) -> tuple[Any, Any]:
        """Return predictions, none missing, and references, without empty cells; rows are numbered from the first."""
        self.check_types(table.schema)
        for name in (self.prediction, *self.references):
            check_arrow(table[name], f"the column {name!r}")
        predictions = _plain_texts(table[self.prediction])
        if predictions.null_count:
            index = predictions.combine_chunks().is_null().index(True).as_py()
            row = self.row(table, index, first_row)
            raise InputError(f"{row}, column {self.prediction!r}: the prediction is missing; expected a text.")
        if not self.references:
            return predictions, None
        return predictions, _references_of_rows([_plain_texts(table[name]) for name in self.references])

    def ids(self, table: Any) -> Any:
        """Return the ids, or None."""
        if self.id is None:
            return None
        check_arrow(table[self.id], f"the column {self.id!r}")
        return table[self.id]

    def row(self, table: Any, index: int, first_row: int = 0) -> str:
        """Return the name of a row in errors: its number, and its id if any."""
        number = f"row {first_row + index}"
        if self.id is None:
            return number
        return f"{number}, {self.id} {shorten(table[self.id][index].as_py())}"


def as_table(data: Any) -> Any:
    """Return a pyarrow.Table from any Arrow-compatible table (Polars, pandas, DuckDB, a record batch)."""
    try:
        if isinstance(data, pa.RecordBatch):
            table = pa.Table.from_batches([data])
        elif isinstance(data, pa.Table):
            table = data
        else:
            table = pa.table(data)
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError(f"Expected an Arrow-compatible table, got {shorten(data)}.") from None
    try:
        table.column_names  # noqa: B018  decodes them
    except UnicodeDecodeError as error:
        raise InputError(f"The table has a column whose name is not UTF-8: {first_line(error)}") from None
    return table


def read_ids(ids: Any, first_item: int = 0) -> Any:
    """Return ids as an Arrow array; InputError for the first that is neither text nor an integer, by its number."""
    if not isinstance(ids, (pa.Array, pa.ChunkedArray)):
        values = as_list(ids, "ids", "a string or an integer per item", 1)
        texts = [_id_as_text(value, item) for item, value in enumerate(values, first_item)]
        return pa.array(texts, _TEXT)
    check_arrow(ids, "ids")
    array = _in_one_array(ids, pa.string()) if isinstance(ids, pa.ChunkedArray) else ids
    if is_dictionary(array.type):
        return read_ids(read_ids(array.dictionary).cast(_TEXT).take(array.indices), first_item)
    expected = "expected a string or an integer for each item."
    if array.null_count:
        item = first_item + array.is_null().index(True).as_py()
        raise InputError(f"item {item} has no id; {expected}")
    if len(array) and not (is_plain_text(array.type) or is_integer(array.type)):
        raise InputError(f"ids are {array.type}; {expected}")
    return array


def _in_one_array(column: Any, kind: Any) -> Any:
    """Return the chunks of a column as one array, which is of a type of its own where there are none."""
    if not column.num_chunks:
        return pa.array([], kind)
    return pa.concat_arrays(column.chunks)


def _id_as_text(id: Any, item: int) -> str:
    if not isinstance(id, (str, int, np.integer)) or isinstance(id, bool):
        raise InputError(f"the id of item {item} must be a string or an integer, got {shorten(id)}.")
    try:
        text = str(id)
        text.encode()
    except ValueError:
        # A lone surrogate, or an integer of thousands of digits.
        raise InputError(f"the id of item {item} cannot be written in UTF-8: {shorten(id)}.") from None
    return text


def _references_of_rows(columns: list[Any]) -> Any:
    """Return the references of each row, from columns of `_plain_texts`, as lists without empty cells.

    A column of texts that has none is returned as it is.
    """
    if len(columns) == 1 and columns[0].type == _TEXT and not _has_empty_cells(columns[0]):
        return columns[0]
    texts = []
    # The row to which each text belongs.
    rows_of_texts = []
    for column in columns:
        cells = _in_one_array(column, column.type)
        rows = np.arange(len(cells))
        if cells.type == _LISTS:
            sizes = pc.fill_null(pc.list_value_length(cells), 0).to_numpy()
            rows = np.repeat(rows, sizes)
            cells = cells.flatten()
        # A missing cell has no length, and is no reference either.
        filled = pc.fill_null(pc.greater(pc.binary_length(cells), 0), False)
        texts.append(cells.filter(filled))
        rows_of_texts.append(rows[filled.to_numpy(zero_copy_only=False)])
    all_rows = np.concatenate(rows_of_texts)
    # Stable, so that an item's references stay in the order of the columns.
    order = np.argsort(all_rows, kind="stable")
    n_references = np.bincount(all_rows, minlength=len(columns[0]))
    offsets = np.append(0, np.cumsum(n_references))
    return pa.LargeListArray.from_arrays(offsets, pa.concat_arrays(texts).take(pa.array(order)))


def _has_empty_cells(column: Any) -> bool:
    return bool(column.null_count or pc.any(pc.equal(pc.binary_length(column), 0)).as_py())


def _plain_texts(column: Any) -> Any:
    """Return texts, or lists of them, in one type; anything else unchanged."""
    kind = column.type
    castable = column
    if is_dictionary(kind) and is_text(kind):
        chunks = []
        for chunk in column.chunks:
            chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, chunk.dictionary.cast(_TEXT)))
        castable = pa.chunked_array(chunks, pa.dictionary(kind.index_type, _TEXT))
    try:
        if is_text(kind) or is_null(kind):
            return castable.cast(_TEXT)
        if is_list(kind):
            return castable.cast(_LISTS)
    except pa.ArrowNotImplementedError:
        # Such as lists of dictionary-encoded views.
        return castable
    return column


def is_text(kind: Any) -> bool:
    """Return whether a type of Arrow is text, also in a dictionary."""
    if is_dictionary(kind):
        return is_plain_text(kind.value_type)
    return is_plain_text(kind)


def is_list(kind: Any) -> bool:
    """Return whether a type of Arrow is lists of texts."""
    return is_any_list(kind) and (is_text(kind.value_type) or is_null(kind.value_type))
