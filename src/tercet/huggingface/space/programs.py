"""The program under "Code for this": what the page computed, from the same texts or the same file."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pandas as pd

from tercet.base.metric import Metric
from tercet.files.formats import SUFFIXES
from tercet.files.table import Table

_TABLE: dict[str, Any] = {"dtype": str, "keep_default_na": False}
#: By format the function of pandas that reads it, and arguments that are tried, the most usual first.
_WAYS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "tsv": ("read_csv", [{"sep": "\t", "quoting": 3, **_TABLE}, {"sep": "\t", **_TABLE}]),
    "csv": ("read_csv", [{"sep": separator, **_TABLE} for separator in ",;\t"]),
    "jsonl": ("read_json", [{"lines": True, "dtype": False}]),
    "xlsx": ("read_excel", [_TABLE]),
}
_ENCODINGS: tuple[dict[str, Any], ...] = ({}, {"encoding": "utf-16"})


class Source(NamedTuple):
    """Lines that give a program the names predictions, or systems, and, where a metric takes them, references."""

    lines: str
    imports: str = ""  # what stands above them


def program(address: str, source: Source, options: Mapping[str, Any], takes_references: bool) -> str:
    """Return the program that loads a metric and computes."""
    lines = "    predictions=predictions,\n"
    if takes_references:
        lines += "    references=references,\n"
    for name, value in options.items():
        lines += f"    {name}={value!r},\n"
    return (
        f"import evaluate\n{source.imports}\n{source.lines}\nmetric = evaluate.load({address!r})\n"
        f"result = metric.compute(\n{lines})\nprint(result)\n"
    )


def comparing(source: Source, metric: Metric) -> str:
    """Return the program that compares systems."""
    lines = f"    systems,\n    tercet.{metric!r},\n"
    if metric.takes_references:
        lines += "    references=references,\n"
    imports = f"{source.imports}\n" if source.imports else ""
    return (
        f"{imports}import tercet\n\n{source.lines}\nresult = tercet.compare(\n{lines})\n"
        "print(result.to_dataframe())\n"
    )


def source_of_texts(prediction: str, references: Sequence[str] | None) -> Source:
    """Return the lines that give one text; without references where None is given."""
    lines = f"predictions = {[prediction]!r}\n"
    if references is not None:
        lines += f"references = {[list(references)]!r}\n"
    return Source(lines)


def source_of_file(path: str, table: Table, systems: Sequence[str], references: Sequence[str]) -> Source:
    """Return the lines that read columns of a visitor's file; they were tried, and read what the page has read.

    One column is given as predictions, several by their names as systems. For a file that pandas reads otherwise,
    the lines only say which texts belong there.
    """
    name = Path(path).name
    reading = _reading(path, table, [*systems, *references])
    if reading is None:
        also = ""
        if references:
            also = f"; references = [[...], ...]: {', '.join(map(repr, references))}"
        if len(systems) == 1:
            return Source(f"predictions = [...]  # the column {systems[0]!r} of {name!r}{also}\n")
        entries = ", ".join(f"{system!r}: [...]" for system in systems)
        return Source(f"systems = {{{entries}}}  # these columns of {name!r}{also}\n")
    if len(systems) == 1:
        lines = f"{reading.lines}predictions = table[{systems[0]!r}].tolist()\n"
    else:
        lines = f"{reading.lines}systems = {{name: table[name].tolist() for name in {list(systems)!r}}}\n"
    if references:
        lines += _references_line(table, references)
    return Source(lines, reading.imports)


def _references_line(table: Table, references: Sequence[str]) -> str:
    """Return the line that takes references from columns, no longer than their cells need it."""
    loops = "text for text in row"
    condition = "text"
    for cell in chain.from_iterable(table.columns[column] for column in references):
        if isinstance(cell, list):
            loops = "text for cell in row for text in (cell if isinstance(cell, list) else [cell])"
        if not isinstance(cell, str):
            condition = "isinstance(text, str) and text"
    columns = ", ".join(f"table[{column!r}]" for column in references)
    return f"references = [[{loops} if {condition}] for row in zip({columns})]\n"


# Its source is copied into the program for a visitor with such a file.
def read_tmx(path: str) -> pd.DataFrame:
    """Return the texts of a TMX file: a row per unit, a column per language ("en 2" for a second text of a unit)."""

    def text_of(element: Any) -> str:
        parts = [element.text or ""]
        for child in element:
            is_code = child.tag.rpartition("}")[2] in ("bpt", "ept", "ph", "it", "ut")  # of the document's format
            parts += ["" if is_code else text_of(child), child.tail or ""]
        return "".join(parts)

    spellings: dict[str, str] = {}
    rows: list[dict[str, str | None]] = []
    for unit in ElementTree.parse(path).iterfind(".//{*}tu"):
        rows.append({})
        for variant in unit.iterfind("{*}tuv"):
            code = variant.get("{http://www.w3.org/XML/1998/namespace}lang") or variant.get("lang") or ""
            language = spellings.setdefault(code.casefold().replace("_", "-"), code)
            number = sum(name.partition(" ")[0] == language for name in rows[-1]) + 1
            segment = variant.find("{*}seg")
            text = None if segment is None else text_of(segment)
            rows[-1][language if number == 1 else f"{language} {number}"] = text
    return pd.DataFrame(rows)


def _reading(path: str, table: Table, columns: Iterable[str]) -> Source | None:
    """Return the lines that read a file as a table of pandas; None where pandas reads other texts in its columns."""
    name = Path(path).name
    format = SUFFIXES[Path(path).suffix.lower()]
    if format == "tmx":
        try:
            is_same = _same(read_tmx(path), table, columns)
        except ElementTree.ParseError:
            # Its encoding is one that the standard library does not know.
            is_same = False
        if not is_same:
            return None
        imports = "from typing import Any\nfrom xml.etree import ElementTree\n\nimport pandas as pd\n\n"
        return Source(f"{inspect.getsource(read_tmx)}\n\ntable = read_tmx({name!r})\n", imports)
    function, ways = _WAYS[format]
    encodings = _ENCODINGS if function == "read_csv" else _ENCODINGS[:1]
    for encoding, way in product(encodings, ways):
        settings = {**way, **encoding}
        try:
            is_same = _same(getattr(pd, function)(path, **settings), table, columns)
        except (ValueError, ImportError):
            # It has another encoding, is no table, or is a workbook without the package that reads it.
            continue
        if is_same:
            if settings.get("sep") == ",":
                del settings["sep"]
            arguments = ", ".join(f"{key}={_named(value)}" for key, value in settings.items())
            return Source(f"table = pd.{function}({name!r}, {arguments})\n", "import pandas as pd\n")
    return None


def _same(frame: pd.DataFrame, table: Table, columns: Iterable[str]) -> bool:
    return all(column in frame and _texts(frame[column]) == _texts(table.columns[column]) for column in columns)


def _texts(cells: Iterable[Any]) -> list[Any]:
    """Return cells with None for those that hold no text."""
    return [cell if isinstance(cell, (str, list)) else None for cell in cells]


def _named(value: Any) -> str:
    return "str" if value is str else repr(value)
