"""Build a metric's Hub Space: five files, of which the package does the work.

``python -m spaces.build bleu_multi`` writes build/spaces/bleu_multi: the page's start, the evaluate module, the card,
the requirements and the cases. The requirements name tercet as a package index has it; with ``--wheel`` and
``--space``, a wheel that is put beside them and has its address in that Space.
"""

from __future__ import annotations

import re
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated
from zipfile import is_zipfile

import typer
from huggingface_hub import constants

from tercet.errors import OptionError
from tercet.registry import METRICS, canonical, metric_class
from tercet.signature import __version__

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "spaces"

_PYTHON = "3.11"
_APP = '''\
"""Starts the page of this Space."""

from pathlib import Path

if __name__ == "__main__":
    # Here, as each process in which the page computes reads this file, too.
    from tercet.huggingface.space.page import launch

    launch("{metric}", Path(__file__).resolve().parent)
'''
#: What the module of a checkout tells users to install if tercet is missing.
_TO_INSTALL = "tercet[evaluate]"


def build(
    metric: str, out: Path = OUT, *, wheel: Path | None = None, space: str = "", endpoint: str | None = None
) -> Path:
    """Write the folder of a metric's Space anew; when it is whole, it takes the old one's place.

    A wheel gets its address from the name of the Space, such as "my-org/bleu_multi", and from that of the Hub.
    """
    name = canonical(metric)
    folder = out / name
    if folder.exists() and not _was_built(name, folder):
        raise OptionError(f"{folder} holds something other than a built Space: give another folder.")
    if wheel is None and space:
        raise OptionError("A Space's name is for the address of a wheel: give --wheel too.")
    source = f"=={__version__}"
    if wheel is not None:
        source = f" @ {_address(wheel, space, endpoint)}"
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{name}.", suffix=".tmp", dir=out) as beside:
        new = Path(beside, "new")
        _write(name, new, source)
        if wheel is not None:
            shutil.copyfile(wheel, new / wheel.name)
        if folder.exists():
            folder.rename(Path(beside, "old"))
        new.rename(folder)
    return folder


def _was_built(metric: str, folder: Path) -> bool:
    """Return whether a folder is empty, or holds a Space of the metric and nothing else."""
    if not folder.is_dir():
        return False
    files = {path.name for path in folder.iterdir()}
    space_files = {"app.py", f"{metric}.py", "README.md", "requirements.txt", "cases.py", "__pycache__"}
    other_files = {name for name in files - space_files if not re.fullmatch(r"tercet-.*\.whl", name)}
    if other_files:
        return False
    app = folder / "app.py"
    return not files or (app.is_file() and f'    launch("{metric}", Path(' in _text(app))


def _address(wheel: Path, space: str, endpoint: str | None) -> str:
    """Return where a Space and its users get a wheel; a digest tells pip when another takes its place."""
    match = re.fullmatch(rf"tercet-{re.escape(__version__)}-(.+)\.whl", wheel.name)
    if match is None or not is_zipfile(wheel):
        raise OptionError(
            f"Expected a wheel of tercet {__version__}, as `pip wheel --no-deps .` makes it. Got {wheel}."
        )
    if not re.fullmatch(r"py3-none-any|cp311-.*linux.*_x86_64", match[1]):
        raise OptionError(
            f"A Space runs Python {_PYTHON} on Linux (x86_64), and {wheel.name} is for another: make it "
            "there, or for every system with TERCET_ENGINE=plain."
        )
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", space):
        raise OptionError(f"A wheel has its address in a Space: name it, as in my-org/bleu_multi. Got {space!r}.")
    digest = sha256(wheel.read_bytes()).hexdigest()
    return f"{endpoint or constants.ENDPOINT}/spaces/{space}/resolve/main/{wheel.name}#sha256={digest}"


def _write(metric: str, folder: Path, source: str) -> None:
    """Write the files of a metric's Space into a new folder; `source` says which tercet it takes."""
    metric_folder = ROOT / "metrics" / metric
    module = _text(metric_folder / f"{metric}.py")
    files = {
        "app.py": _APP.format(metric=metric),
        f"{metric}.py": module.replace(_TO_INSTALL, requirement(metric, "evaluate") + source),
        "README.md": card(_text(metric_folder / "README.md")),
        "requirements.txt": f"{requirement(metric, 'hub')}{source}\n",
        "cases.py": _text(metric_folder / "cases.py"),
    }
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def requirement(metric: str, extra: str) -> str:
    """Return the name of the package with what this metric needs of its extras."""
    return f"tercet[{','.join([*metric_class(metric).extras, extra])}]"


def card(text: str) -> str:
    """Return a card whose head names the versions of gradio and of Python that the page was tested with."""
    tested = dict(re.findall(r"^([\w-]+)==([\w.]+)", _text(ROOT / "constraints.txt"), re.MULTILINE))
    versions = f'sdk_version: {tested["gradio"]}\npython_version: "{_PYTHON}"\n'
    return text.replace("sdk: gradio\n", f"sdk: gradio\n{versions}", 1)


Out = Annotated[Path, typer.Option(help="Folder in which the Space's folder is made.")]
Wheel = Annotated[Path | None, typer.Option(help="A wheel of tercet to install from the Space itself.")]


def main(
    metric: Annotated[str, typer.Argument(help=f"One of {', '.join(METRICS)}.")],
    out: Out = OUT,
    wheel: Wheel = None,
    space: Annotated[str, typer.Option(help="The Space's name on the Hub, with --wheel: my-org/bleu_multi.")] = "",
) -> None:
    """Build a metric's Hub Space."""
    try:
        folder = build(metric, out, wheel=wheel, space=space)
        typer.echo(f"Built {folder}: {', '.join(sorted(path.name for path in folder.iterdir()))}")
    except (OptionError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    typer.run(main)
