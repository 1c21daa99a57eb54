"""Build a metric's Hub Space: a folder that needs nothing of the project but what is in it.

``python -m spaces.build bleu_multi`` writes build/spaces/bleu_multi: the module and the page, the files of
the package that they need, the card, the requirements with the versions that were tested, and the cases.

A Space takes flat files only: ``bleu/scorer.py`` becomes ``bleu_scorer.py``, identical but for import lines.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from pprint import pformat
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple

import typer

from tercet.api import known_arguments
from tercet.errors import OptionError
from tercet.registry import METRICS, canonical

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "src" / "tercet"
PAGE = ROOT / "spaces"
OUT = ROOT / "build" / "spaces"

_PYTHON = "3.11"

#: Starts the page: the folder becomes a package, so that its files can import each other as evaluate's loader needs.
_APP = """\
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

folder = Path(__file__).resolve().parent
space = sys.modules["space"] = ModuleType("space")
space.__path__ = [str(folder)]

if __name__ == "__main__":
    import_module("space.widget").launch("{metric}", folder)
"""


#: The file `registry` of a Space.
_REGISTRY = '''\
"""The metric of this Space, found as the package finds each of the suite."""

from __future__ import annotations

from typing import Any

from .errors import OptionError, did_you_mean, shorten
from .metrics.{room}.metric import {cls}

METRICS = {{"{metric}": "{room}.{cls}"}}
SHORT_NAMES = {{"{room}": "{metric}"}}

#: What the other metrics of the suite take: their arguments, and the options that these are.
ARGUMENTS_ELSEWHERE = {others}


def canonical(metric: Any) -> str:
    """Return the full name of the metric, which may be given by its short one."""
    name = SHORT_NAMES.get(metric, metric) if isinstance(metric, str) else ""
    if name not in METRICS:
        raise OptionError(f"There is no metric {{shorten(metric)}}. {{did_you_mean(metric, METRICS)}}")
    return name


def metric_class(metric: str) -> type[{cls}]:
    """Return the class of the metric."""
    canonical(metric)
    return {cls}
'''

#: The file `engine.chosen` of a Space, which cannot carry a compiled engine. Its own page does not warn of that.
_CHOSEN = '''\
"""The compiled engine, where this version of tercet is installed; or the functions of this folder in plain Python."""

import sys
import warnings
from importlib import import_module
from importlib.metadata import version

from tercet.signature import __version__
from tercet.engine.plain import __name__ as plain

try:
    if version("tercet") != __version__:
        raise ImportError
    engine = import_module("tercet.engine._engine")
except ImportError:
    engine = sys.modules[plain]
    if not __name__.startswith("space."):
        message = f"With its compiled engine this takes 50 to 1000 times less time: pip install tercet=={__version__}"
        warnings.warn(message, RuntimeWarning, stacklevel=2)
'''


def build(metric: str, out: Path = OUT) -> Path:
    """Write the folder of a metric's Space again; once complete, it replaces the old one."""
    metric = canonical(metric)
    folder = out / metric
    if folder.exists() and not (folder.is_dir() and ((folder / "app.py").is_file() or not any(folder.iterdir()))):
        raise OptionError(f"{folder} holds something other than a built Space: give another folder.")
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{metric}.", suffix=".tmp", dir=out) as beside:
        _write(metric, Path(beside, "new"))
        if folder.exists():
            folder.rename(Path(beside, "old"))
        Path(beside, "new").rename(folder)
    return folder


def _write(metric: str, folder: Path) -> None:
    """Write the files of a metric's Space into a new folder."""
    folder.mkdir()
    source = ROOT / "metrics" / metric
    module = (source / f"{metric}.py").read_text()
    here = {"registry": own_registry(metric), "engine.chosen": _CHOSEN}
    needed = core_files(imported([module, *here.values()], "tercet"), here)
    page = page_files()
    for_page = core_files(imported(page.values(), "tercet"), here)
    (folder / f"{metric}.py").write_text(space_module(module, needed))
    for name, text in page.items():
        (folder / f"{name}.py").write_text(flattened(text))
    for name, text in {**needed, **for_page}.items():
        (folder / f"{flat(name)}.py").write_text(flattened(text, name))
    shutil.copyfile(source / "cases.py", folder / "cases.py")
    (folder / "app.py").write_text(_APP.format(metric=metric))
    (folder / "README.md").write_text(card((source / "README.md").read_text()))
    requirements = (source / "requirements.txt").read_text() + (PAGE / "requirements.txt").read_text()
    (folder / "requirements.txt").write_text(tested_versions(requirements))


def flat(name: str) -> str:
    """Return what a file is called in a Space, which has no rooms: ``bleu.scorer`` -> ``bleu_scorer``."""
    return name.replace(".", "_")


class Import(NamedTuple):
    """``from package.name import ...`` in a file, and the text up to and with ``import``."""

    package: str
    name: str
    line: int
    column: int
    text: str


def project_imports(text: str, own_name: str = "") -> Iterator[Import]:
    """Yield the imports of the project's own files in a file; `own_name` is its own, in the package."""
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            package, _, name = node.module.partition(".")
            if node.level:  # from the file's own room, or from one that many rooms up
                package, name = "tercet", ".".join([*own_name.split(".")[: -node.level], node.module])
            if package in ("tercet", "spaces"):
                if not name or any(
                    (CORE / name.replace(".", "/") / f"{each.name}.py").exists() for each in node.names
                ):
                    raise ValueError(f"line {node.lineno}: import names from files, not files from rooms")
                line, column = (
                    lines[node.lineno - 1],
                    len(lines[node.lineno - 1].encode()[: node.col_offset].decode()),
                )
                start = re.match(r"from\s+[.\w]+\s+import\b", line[column:])
                if start is None:
                    raise ValueError(f"line {node.lineno}: write 'from ... import' on one line")
                yield Import(package, name, node.lineno, column, start[0])


def flattened(text: str, own_name: str = "") -> str:
    """Return a file's text with imports of files that lie beside it; nothing else of it changes."""
    lines = text.splitlines(keepends=True)
    for each in project_imports(text, own_name):
        line, end = lines[each.line - 1], each.column + len(each.text)
        lines[each.line - 1] = f"{line[: each.column]}from .{flat(each.name)} import{line[end:]}"
    return "".join(lines)


def imported(texts: Iterable[str], package: str) -> set[str]:
    """Return the names of the files of a package that these texts import."""
    return {each.name for text in texts for each in project_imports(text) if each.package == package}


def core_files(names: Iterable[str], instead: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of these files of the package, of what they import, and so on; some have others here."""
    todo, found = sorted(names), {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = instead[name] if name in instead else (CORE / f"{name.replace('.', '/')}.py").read_text()
            todo += [each.name for each in project_imports(found[name], name)]
    return dict(sorted(found.items()))


def page_files() -> dict[str, str]:
    """Return the texts of the files of the page by name: widget.py and what it imports of this folder."""
    todo, found = ["widget"], {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = (PAGE / f"{name}.py").read_text()
            todo += imported([found[name]], "spaces")
    return found


def own_registry(metric: str) -> str:
    """Return the registry of a Space: its metric, and what its siblings take."""
    others = {other: known_arguments(other) for other in METRICS if other != metric}
    room, _, cls = METRICS[metric].partition(".")
    return _REGISTRY.format(metric=metric, room=room, cls=cls, others=pformat(others, width=110, compact=True))


def space_module(text: str, files: Iterable[str]) -> str:
    """Return a module's text with the package's files beside it.

    Every file is named: evaluate copies what a module names.
    """
    own = imported([text], "tercet")
    last = max(each.line for each in project_imports(text))
    named = [f"from .{flat(name)} import __name__ as _{flat(name)}\n" for name in files if name not in own]
    lines = flattened(text).splitlines(keepends=True)
    return "".join([*lines[:last], *named, *lines[last:]])


def card(text: str) -> str:
    """Return a card whose head names the versions of gradio and of Python that the page was tested with."""
    versions = f'sdk_version: {pins()["gradio"]}\npython_version: "{_PYTHON}"\n'
    return text.replace("sdk: gradio\n", f"sdk: gradio\n{versions}", 1)


def tested_versions(requirements: str) -> str:
    """Return requirements without the project's own package, and with the versions that constraints.txt names."""
    lines = []
    for line in requirements.splitlines():
        name = re.match(r"[\w-]+", line)
        if name and name[0] != "tercet":
            lines.append(f"{name[0]}=={pins()[name[0]]}" if name[0] in pins() else line)
    return "\n".join(lines) + "\n"


def pins() -> dict[str, str]:
    """Return the versions that the tests were run with, by package."""
    return dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))


def main(
    metric: Annotated[str, typer.Argument(help=f"One of {', '.join(METRICS)}.")],
    out: Annotated[Path, typer.Option(help="Folder in which the Space's folder is made.")] = OUT,
) -> None:
    """Build a metric's Hub Space."""
    try:
        typer.echo(build(metric, out))
    except (OptionError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    typer.run(main)
