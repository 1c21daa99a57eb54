"""Build a metric's Hub Space: five files, of which the package does the work.

``python -m spaces.build bleu_multi`` writes build/spaces/bleu_multi: the page's start, the evaluate module, the card,
the requirements and the cases. The requirements name tercet as a package index has it; with ``--wheel`` and
``--space``, a wheel that is put beside them and has its address in that Space.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

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

from tercet.huggingface.page.page import launch

if __name__ == "__main__":
    launch("{metric}", Path(__file__).resolve().parent)
'''
#: What the module of a checkout says to install, where tercet is not installed.
_TO_INSTALL = "tercet[evaluate]"


def build(
    metric: str, out: Path = OUT, *, wheel: Path | None = None, space: str = "", endpoint: str | None = None
) -> Path:
    """Write the folder of a metric's Space anew; when it is whole, it takes the old one's place.

    A wheel gets its address from the name of the Space, such as "my-org/bleu_multi", and from that of the Hub.
    """
    metric = canonical(metric)
    folder = out / metric
    if folder.exists() and not (folder.is_dir() and ((folder / "app.py").is_file() or not any(folder.iterdir()))):
        raise OptionError(f"{folder} holds something else than a Space that was built: give another folder.")
    source = f"=={__version__}" if wheel is None else f" @ {_address(wheel, space, endpoint)}"
    out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f"{metric}.", suffix=".tmp", dir=out) as beside:
        _write(metric, Path(beside, "new"), source)
        if wheel is not None:
            shutil.copyfile(wheel, Path(beside, "new", wheel.name))
        if folder.exists():
            folder.rename(Path(beside, "old"))
        Path(beside, "new").rename(folder)
    return folder


def _address(wheel: Path, space: str, endpoint: str | None) -> str:
    """Return where a Space's visitors get a wheel."""
    if not re.fullmatch(rf"tercet-{re.escape(__version__)}-[\w.-]+\.whl", wheel.name) or not wheel.is_file():
        raise OptionError(f"Expected a wheel of tercet {__version__}, as `python -m build` makes it. Got {wheel}.")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", space):
        raise OptionError(f"A wheel has its address in a Space: name it, as in my-org/bleu_multi. Got {space!r}.")
    return f"{endpoint or constants.ENDPOINT}/spaces/{space}/resolve/main/{wheel.name}"


def _write(metric: str, folder: Path, source: str) -> None:
    """Write the files of a metric's Space into a new folder; `source` says which tercet it takes."""
    folder.mkdir()
    own = ROOT / "metrics" / metric
    (folder / "app.py").write_text(_APP.format(metric=metric))
    module = (own / f"{metric}.py").read_text()
    (folder / f"{metric}.py").write_text(module.replace(_TO_INSTALL, requirement(metric, "evaluate") + source))
    (folder / "README.md").write_text(card((own / "README.md").read_text()))
    (folder / "requirements.txt").write_text(f"{requirement(metric, 'hub')}{source}\n")
    shutil.copyfile(own / "cases.py", folder / "cases.py")


def requirement(metric: str, extra: str) -> str:
    """Return the name of the package with what this metric needs of its extras."""
    return f"tercet[{','.join([*metric_class(metric).extras, extra])}]"


def card(text: str) -> str:
    """Return a card whose head names the versions of gradio and of Python that the page was tested with."""
    tested = dict(re.findall(r"^([\w-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    versions = f'sdk_version: {tested["gradio"]}\npython_version: "{_PYTHON}"\n'
    return text.replace("sdk: gradio\n", f"sdk: gradio\n{versions}", 1)


def main(
    metric: Annotated[str, typer.Argument(help=f"One of {', '.join(METRICS)}.")],
    out: Annotated[Path, typer.Option(help="Folder in which the Space's folder is made.")] = OUT,
    wheel: Annotated[Path | None, typer.Option(help="A wheel of tercet to install from the Space itself.")] = None,
    space: Annotated[str, typer.Option(help="The Space's name on the Hub, with --wheel: my-org/bleu_multi.")] = "",
) -> None:
    """Build a metric's Hub Space."""
    try:
        typer.echo(build(metric, out, wheel=wheel, space=space))
    except (OptionError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    typer.run(main)
