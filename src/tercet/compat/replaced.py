"""The modules that drop-ins replace, the releases that were tried, and what is installed now."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from types import ModuleType

#: The modules that are replaced, and the drop-in of each, which is a file of this folder.
REPLACED = {
    "rouge_score.rouge_scorer": "rouge_scorer",
    "rouge_score.scoring": "scoring",
    "rouge_score.tokenizers": "tokenizers",
    "sacrebleu": "sacrebleu",
    "sacrebleu.compat": "sacrebleu",
    "sacrebleu.metrics": "sacrebleu_metrics",
    "sacrebleu.metrics.base": "sacrebleu_metrics",
    "sacrebleu.metrics.bleu": "sacrebleu_metrics",
    "sacrebleu.metrics.chrf": "sacrebleu_metrics",
    "sacrebleu.metrics.ter": "sacrebleu_metrics",
    "bert_score": "bert_score",
    "nltk.translate.bleu_score": "nltk",
    "rouge": "rouge",
    "jiwer": "jiwer",
    "jiwer.measures": "jiwer",
    "jiwer.process": "jiwer",
    "torchmetrics.text": "torchmetrics",
    **{
        f"torchmetrics.text.{name}": "torchmetrics"
        for name in ("bert", "bleu", "cer", "chrf", "mer", "rouge", "sacre_bleu", "ter", "wer", "wil", "wip")
    },
}

#: The first and the last release of each package that the drop-ins were tried with: others are left alone.
TRIED = {
    "rouge_score": ("0.0.4", "0.1.2"),
    "sacrebleu": ("2.0.0", "2.6.0"),
    "bert_score": ("0.3.7", "0.3.13"),
    "nltk": ("3.6.7", "3.10.4"),
    "rouge": ("1.0.0", "1.0.1"),
    "jiwer": ("4.0.0", "4.0.0"),
    "torchmetrics": ("1.2.1", "1.9.0"),
    "evaluate": ("0.4.3", "0.4.6"),
}

#: A package that need not be installed: nothing else of it is used beside what is replaced.
EMPTY = "rouge_score"


class Installation(MetaPathFinder):
    """What is installed, kept where Python looks for modules: there is one as long as its finder is asked."""

    def __init__(
        self,
        replaced: Mapping[str, str],
        changes: Mapping[str, Callable[[ModuleType, bool], None]],
        before: Mapping[str, ModuleType],
    ) -> None:
        self.replaced = replaced
        self.changes = changes
        #: Modules of the replaced packages that were there when the drop-ins were installed.
        self.before = before

    def has(self, name: str) -> bool:
        """Whether a module is one that is replaced, or lies in a package that is."""
        return name in self.replaced or is_below(name, self.replaced)

    def has_within(self, name: str) -> bool:
        """Whether a package has modules that are replaced."""
        return any(module.startswith(f"{name}.") for module in self.replaced)


def installation() -> Installation | None:
    """Return what is installed in this process; None where nothing is."""
    for finder in sys.meta_path:
        if isinstance(finder, Installation):
            return finder
    return None


def replaced_modules() -> Mapping[str, str]:
    """Return the modules that are replaced now."""
    installed = installation()
    return {} if installed is None else installed.replaced


def warnings_of_versions() -> dict[str, str]:
    """Return what is to be warned of, by package that has a version which was not tried, and is left alone."""
    warnings = {}
    for package, (first, last) in TRIED.items():
        try:
            version = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
        if not _release(first) <= _release(version) <= _release(last):
            tried = first if first == last else f"{first} to {last}"
            warnings[package] = (
                f"tercet.compat leaves {package} {version} alone, which was not tried: it is the original in this "
                f"process. Tried: {tried}."
            )
    return warnings


def _release(version: str) -> tuple[int, ...]:
    public_version, _, _ = version.partition("+")
    return tuple(map(int, re.findall(r"\d+", public_version)[:3]))


def is_found(name: str) -> bool:
    """Whether a module's package is installed, or needs not be, as there is a drop-in of all of it."""
    package = package_of(name)
    if package in REPLACED or package == EMPTY:
        return True
    try:
        return find_spec(package) is not None
    except ValueError:  # a module that was made by hand
        return True


def package_of(name: str) -> str:
    """Return the outermost package of a module."""
    package, _, _ = name.partition(".")
    return package


def is_below(name: str, packages: Iterable[str]) -> bool:
    """Return whether a module lies in one of these packages."""
    return any(name.startswith(f"{package}.") for package in packages)
