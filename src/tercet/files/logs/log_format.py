"""What is told of the logs of a harness, in its module: how they are known and found; and how this is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tercet.files.table import Table


class LogFormat(NamedTuple):
    """How the logs of a harness are known. A function for them returns None for what another program wrote."""

    #: As messages call it.
    harness: str
    #: For the table in a file of any format, by its columns.
    in_table: Callable[[Table], Table | None] | None = None
    #: Whether `in_table` is for lines of JSON and data frames alone, whose cells may be objects.
    of_objects: bool = False
    #: For the only object in a file of JSON, by its keys, and for the name of the file.
    in_object: Callable[[Mapping[str, Any], str], Table | None] | None = None
    #: What matches the names of its files, by which they are found in a folder; "" where they have any.
    file_names: str = ""
    #: The folder in which it has one for each model, with these files; "" where they are in any.
    folder: str = ""
    #: Which files of a folder are its logs, for messages; "" where it is not to be expected there.
    in_words: str = ""
