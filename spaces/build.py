"""Build a metric's Hub Space: a folder that needs nothing of the project but what is in it.

``python -m spaces.build bleu_multi`` writes build/spaces/bleu_multi: the module and the page, byte-identical copies
of the core files that they need, the card, the requirements with the versions that were tested, and the cases.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tercet.api import SCORERS, known_arguments
from tercet.errors import OptionError, did_you_mean

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "src" / "tercet"
PAGE = ROOT / "spaces"
OUT = ROOT / "build" / "spaces"

_CORE_IMPORT = re.compile(r"^from tercet\.(\w+) import ", re.MULTILINE)
_PAGE_IMPORT = re.compile(r"^from spaces\.(\w+) import ", re.MULTILINE)

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


def build(metric: str, out: Path = OUT) -> Path:
    """Write the folder of a metric's Space, new from the ground up; when it is whole, it takes the old one's place.

    Parameters
    ----------
    metric : str
        A metric of the suite.
    out : Path
        The folder in which the Space's folder is made.

    Returns
    -------
    Path
        The Space's folder.

    Raises
    ------
    OptionError
        For a metric that the suite does not have, and for a folder that holds something else than a Space.
    """
    if metric not in SCORERS:
        raise OptionError(f"There is no metric {metric!r}. {did_you_mean(metric, SCORERS)}")
    folder = out / metric
    if folder.exists() and not (folder.is_dir() and ((folder / "app.py").is_file() or not any(folder.iterdir()))):
        raise OptionError(f"{folder} holds something else than a Space that was built: give another folder.")
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
    needed = core_files([*_CORE_IMPORT.findall(module), SCORERS[metric][0], f"{SCORERS[metric][0]}_explain"])
    (folder / f"{metric}.py").write_text(space_module(metric, module, needed))
    page = page_files()
    for name, text in page.items():
        (folder / f"{name}.py").write_text(_relative(text))
    for name in {*needed, *core_files(name for text in page.values() for name in _CORE_IMPORT.findall(text))}:
        shutil.copyfile(CORE / f"{name}.py", folder / f"{name}.py")
    shutil.copyfile(source / "cases.py", folder / "cases.py")
    (folder / "app.py").write_text(_APP.format(metric=metric))
    (folder / "README.md").write_text(card((source / "README.md").read_text()))
    requirements = (source / "requirements.txt").read_text() + (PAGE / "requirements.txt").read_text()
    (folder / "requirements.txt").write_text(tested_versions(requirements))


def core_files(names: Iterable[str]) -> list[str]:
    """Return these files of the core, what they import, and so on."""
    todo = list(names)
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _relative_imports((CORE / f"{name}.py").read_text())
    return sorted(found)


def _relative_imports(text: str) -> list[str]:
    nodes = ast.walk(ast.parse(text))
    return [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module]


def page_files() -> dict[str, str]:
    """Return the texts of the files of the page by name: widget.py and what it imports of this folder."""
    todo, found = ["widget"], {}
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = (PAGE / f"{name}.py").read_text()
            todo += _PAGE_IMPORT.findall(found[name])
    return found


def space_module(metric: str, text: str, files: list[str]) -> str:
    """Return a module's text with the core beside it, and with the names of the options that its siblings take.

    Every file is named: evaluate copies what a module names. The siblings are not there to be asked.
    """
    imported = _CORE_IMPORT.findall(text)
    last = max(match.end() for match in re.finditer(r"^from tercet\..*\n", text, re.MULTILINE))
    named = "".join(f"from .{name} import __name__ as _{name}\n" for name in files if name not in imported)
    absent = {other: known_arguments(other) for other in SCORERS if other != metric}
    own = f'    metric = "{metric}"\n'
    return _relative(text[:last] + named + text[last:]).replace(own, f"{own}    absent = {absent!r}\n")


def _relative(text: str) -> str:
    """Return a file's text with the files of the project beside it."""
    return _PAGE_IMPORT.sub(r"from .\1 import ", _CORE_IMPORT.sub(r"from .\1 import ", text))


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
    metric: Annotated[str, typer.Argument(help=f"One of {', '.join(SCORERS)}.")],
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
