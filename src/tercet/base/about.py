"""What is said of a metric besides its options: in help, evaluate's modules, lists and notebooks."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import OptionError

if TYPE_CHECKING:
    from pathlib import Path


class About(NamedTuple):
    """The documentation of a metric besides its options; all but `compares` as in evaluate's modules."""

    compares: str
    description: str
    citation: str
    urls: tuple[str, ...]
    returns: str
    example: str
    inputs: str = (
        "predictions (`list` of `str`): one text per item.\n"
        "references (`list` of `str` or of `list` of `str`): one reference per item, or a list of any number of "
        "them.\n"
    )


def from_card() -> Any:
    """Return the `about` of a metric of the suite, for its class: read from its folder when it is asked for."""
    return _FromCard()


class _FromCard:
    def __set_name__(self, metric: Any, attribute: str) -> None:
        # A subclass that a user makes, with a name of its own, has no folder: it says what this metric says.
        self._metric = metric.name

    def __get__(self, value: object, metric: object) -> About:
        return _read_folder(self._metric)


@cache
def _read_folder(metric: str) -> About:
    """Return the sections of `about.md`, each named as its field, and the citation of the card beside it."""
    folder = modules_folder() / metric
    about = (folder / "about.md").read_text(encoding="utf-8")
    card = (folder / "README.md").read_text(encoding="utf-8")
    # headings alternate with the texts below them; nothing comes before the first
    _, *sections = re.split(r"^# (\w+)\n", about, flags=re.MULTILINE)
    texts: dict[str, Any] = {
        name: f"{text.strip()}\n" for name, text in zip(sections[::2], sections[1::2], strict=True)
    }
    texts["compares"] = texts["compares"].strip()
    texts["urls"] = tuple(texts["urls"].split())
    texts["citation"] = card.partition("```bibtex\n")[2].partition("```")[0]
    return About(**texts)


def modules_folder() -> Path:
    """Return the folder of the evaluate modules and cards: of the installed package, or of the checkout."""
    from pathlib import Path

    package = Path(__file__).resolve().parents[1] / "huggingface"
    # a wheel has them inside of the package, a checkout at its top
    for folder in (package / "metrics", package.parents[2] / "metrics"):
        if folder.is_dir():
            return folder
    raise OptionError(f"The folder of the modules is not next to the package {package}.")
