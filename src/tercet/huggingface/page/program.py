"""The program under "Code for this": what the page computed, from the same texts or the same file."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import pandas as pd

from tercet.files.read import SUFFIXES
from tercet.files.table import Table
from tercet.metric.metric import Metric

_TABLE: dict[str, Any] = {"dtype": str, "keep_default_na": False}
#: By format the function of pandas that reads it, and arguments that are tried, the most usual first.
_WAYS: dict[str, tuple[str, list[dict[str, Any]]]] = {
    "tsv": ("read_csv", [{"sep": "\t", "quoting": 3, **_TABLE}, {"sep": "\t", **_TABLE}]),
    "csv": ("read_csv", [{"sep": separator, **_TABLE} for separator in ",;\t"]),
    "jsonl": ("read_json", [{"lines": True, "dtype": False}]),
    "xlsx": ("read_excel", [_TABLE]),
}
_ENCODINGS: tuple[dict[str, Any], ...] = ({}, {"encoding": "utf-16"})


class Given(NamedTuple):
    """Lines that give a program the names predictions, or systems, and, where a metric takes them, references."""

    lines: str
    imports: str = ""  # what stands above them


def program(address: str, given: Given, options: Mapping[str, Any], takes_references: bool) -> str:
    """Return the program that loads a metric and computes."""
    names = ["predictions", *(["references"] if takes_references else [])]
    arguments = {**{name: name for name in names}, **{name: repr(value) for name, value in options.items()}}
    lines = "".join(f"    {name}={value},\n" for name, value in arguments.items())
    return (
        f"import evaluate\n{given.imports}\n{given.lines}\nmetric = evaluate.load({address!r})\n"
        f"result = metric.compute(\n{lines})\nprint(result)\n"
    )


def comparing(given: Given, metric: Metric) -> str:
    """Return the program that compares systems."""
    arguments = ["systems", f"tercet.{metric!r}", *(["references=references"] if metric.takes_references else [])]
    lines = "".join(f"    {argument},\n" for argument in arguments)
    imports = f"{given.imports}\n" if given.imports else ""
    return (
        f"{imports}import tercet\n\n{given.lines}\nresult = tercet.compare(\n{lines})\nprint(result.to_dataframe())\n"
    )


def texts_given(prediction: str, references: Sequence[str] | None) -> Given:
    """Return the lines that give one text; without references where None is given."""
    compared = "" if references is None else f"references = {[list(references)]!r}\n"
    return Given(f"predictions = {[prediction]!r}\n{compared}")


def file_given(path: str, table: Table, systems: Sequence[str], references: Sequence[str]) -> Given:
    """Return the lines that read columns of a visitor's file; it was tried that they read what the page has read.

    One column is given as predictions, several by their names as systems. For a file that pandas reads otherwise,
    the lines only say which texts belong there.
    """
    name = Path(path).name
    read = _reading(path, table, [*systems, *references])
    if read is None:
        also = f"; references = [[...], ...]: {', '.join(map(repr, references))}" if references else ""
        if len(systems) == 1:
            return Given(f"predictions = [...]  # the column {systems[0]!r} of {name!r}{also}\n")
        entries = ", ".join(f"{system!r}: [...]" for system in systems)
        return Given(f"systems = {{{entries}}}  # these columns of {name!r}{also}\n")
    columns = [f"table[{each!r}]" for each in references]
    cells = [cell for each in references for cell in table.columns[each]]
    text = "text for cell in row for text in (cell if isinstance(cell, list) else [cell])"
    one = text if any(isinstance(cell, list) for cell in cells) else "text for text in row"
    kept = "text" if all(isinstance(cell, str) for cell in cells) else "isinstance(text, str) and text"
    compared = f"references = [[{one} if {kept}] for row in zip({', '.join(columns)})]\n" if references else ""
    if len(systems) == 1:
        predicted = f"predictions = table[{systems[0]!r}].tolist()"
    else:
        predicted = f"systems = {{name: table[name].tolist() for name in {list(systems)!r}}}"
    return Given(f"{read.lines}{predicted}\n{compared}", read.imports)


# Stands as it is in the program of a visitor with such a file.
def read_tmx(path: str) -> pd.DataFrame:
    """Return the texts of a TMX file: a row per unit, a column per language ("en 2" for a second text of a unit)."""

    def text_of(element: Any) -> str:
        parts = [element.text or ""]
        for child in element:
            is_code = child.tag.rpartition("}")[2] in ("bpt", "ept", "ph", "it", "ut")  # of the document's format
            parts += ["" if is_code else text_of(child), child.tail or ""]
        return "".join(parts)

    spellings: dict[str, str] = {}
    rows: list[dict[str, str]] = []
    for unit in ElementTree.parse(path).iterfind(".//{*}tu"):
        rows.append({})
        for variant in unit.iterfind("{*}tuv"):
            code = variant.get("{http://www.w3.org/XML/1998/namespace}lang") or variant.get("lang") or ""
            language = spellings.setdefault(code.casefold().replace("_", "-"), code)
            number = sum(name.partition(" ")[0] == language for name in rows[-1]) + 1
            rows[-1][language if number == 1 else f"{language} {number}"] = text_of(variant.find("{*}seg"))
    return pd.DataFrame(rows)


def _reading(path: str, table: Table, columns: Iterable[str]) -> Given | None:
    """Return the lines that read a file as a table of pandas; None where its columns are others."""
    name, format = Path(path).name, SUFFIXES[Path(path).suffix.lower()]
    if format == "tmx":
        try:
            same = _same(read_tmx(path), table, columns)
        except ElementTree.ParseError:  # its encoding is one that the standard library does not know
            same = False
        if not same:
            return None
        imports = "from typing import Any\nfrom xml.etree import ElementTree\n\nimport pandas as pd\n\n"
        return Given(f"{inspect.getsource(read_tmx)}\n\ntable = read_tmx({name!r})\n", imports)
    function, ways = _WAYS[format]
    for encoding in _ENCODINGS if function == "read_csv" else _ENCODINGS[:1]:
        for way in ways:
            try:
                same = _same(getattr(pd, function)(path, **way, **encoding), table, columns)
            except (ValueError, ImportError):  # of another encoding, not a table; without the package for workbooks
                continue
            if same:
                given = {each: value for each, value in {**way, **encoding}.items() if (each, value) != ("sep", ",")}
                arguments = ", ".join(f"{each}={_named(value)}" for each, value in given.items())
                return Given(f"table = pd.{function}({name!r}, {arguments})\n", "import pandas as pd\n")
    return None


def _same(frame: pd.DataFrame, table: Table, columns: Iterable[str]) -> bool:
    return all(each in frame and _texts(frame[each]) == _texts(table.columns[each]) for each in columns)


def _texts(cells: Iterable[Any]) -> list[Any]:
    """Return cells with None for those that hold no text."""
    return [cell if isinstance(cell, (str, list)) else None for cell in cells]


def _named(value: Any) -> str:
    return "str" if value is str else repr(value)
