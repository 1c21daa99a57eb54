"""Put the drop-ins in the place of the originals, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import RLock
from types import ModuleType
from typing import Any

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
    "bert_score.scorer": "bert_score",
    "nltk.translate.bleu_score": "nltk",
    "rouge": "rouge",
    **{
        f"torchmetrics.text{module}": "torchmetrics"
        for module in ("", ".bert", ".bleu", ".chrf", ".rouge", ".sacre_bleu", ".ter")
    },
}

#: A package that need not be installed: nothing else of it is used beside what is replaced.
_EMPTY = "rouge_score"


def install() -> None:
    """Replace the modules of other packages, and ``evaluate.load``, by drop-ins for the rest of this process.

    A line on the standard error says what was replaced. What a drop-in lacks comes from the original, where that is
    installed. Names that a program took from a module before keep their meaning, and a process that is started anew,
    such as a worker, must call this, too.

    Examples
    --------
    >>> import tercet.compat
    >>> tercet.compat.install()  # doctest: +SKIP
    >>> from sacrebleu import corpus_bleu
    >>> corpus_bleu(["the cat sat on the mat"], [["the cat sat on a mat"]]).score
    53.7284965911771
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, _Finder())
    for name in REPLACED:
        if sys.modules.pop(name, None) is not None:
            import_module(name)
    for name, change in _CHANGES.items():
        if name in sys.modules:
            change(sys.modules[name])
    outer = [name for name in REPLACED if not any(name.startswith(f"{other}.") for other in REPLACED)]
    names = ", ".join([*outer, "evaluate.load"])
    print(f"tercet.compat: {names} and datasets.load_metric are tercet's in this process.", file=sys.stderr)


class _StandIn(ModuleType):
    """A module under the name of an original, which takes each name from the drop-in, or else from the original.

    It looks names up when they are used: a program that never scores with torchmetrics never waits for torch.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(name)  # imports and debuggers ask every module for such names
        drop_in = import_module(f"{__package__}.{REPLACED[self.__name__]}")
        if name in vars(drop_in):
            return vars(drop_in)[name]
        try:
            original = _original(self.__name__)
        except ImportError:
            said = f"The drop-in for {self.__name__} has no {name!r}, and {self.__name__} itself is not installed."
            raise AttributeError(said) from None
        return getattr(original, name)


class _Finder(MetaPathFinder):
    """Finds stand-ins in the place of originals, and modules that are changed once they are imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if _loading_originals or name not in (*REPLACED, *_CHANGES, _EMPTY):
            return None
        found = (each.find_spec(name, path, target) for each in sys.meta_path if each is not self)
        spec = next(filter(None, found), None)
        if name in REPLACED:
            own = ModuleSpec(name, _StandInLoader(), is_package=True)
            own.submodule_search_locations = list(spec.submodule_search_locations or ()) if spec else []
            return own
        if name == _EMPTY:
            return spec or ModuleSpec(name, None, is_package=True)
        if spec is not None and spec.loader is not None:
            spec.loader = _Changed(spec.loader, _CHANGES[name])
        return spec


class _StandInLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are looked up when they are used."""


class _Changed(Loader):
    """A module's loader, and a change of the module after it is loaded."""

    def __init__(self, loader: Loader, change: Callable[[ModuleType], None]) -> None:
        self.loader, self.change = loader, change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        self.change(module)

    def __getattr__(self, name: str) -> Any:  # get_code, get_source
        return getattr(self.loader, name)


_originals: dict[str, ModuleType] = {}
_loading_originals: list[str] = []
_lock = RLock()


def _original(name: str) -> ModuleType:
    """Return a replaced module as it is, loaded beside the stand-in."""
    with _lock:
        if name not in _originals:
            hidden = {each: sys.modules.pop(each) for each in REPLACED if each in sys.modules}
            _loading_originals.append(name)
            try:
                _originals[name] = import_module(name)
            finally:
                _loading_originals.pop()
                for each, stand_in in hidden.items():
                    sys.modules[each] = stand_in
                    parent, _, child = each.rpartition(".")
                    if parent in sys.modules:
                        setattr(sys.modules[parent], child, stand_in)
        return _originals[name]


def _change_evaluate(module: ModuleType) -> None:
    from .evaluate import replacing

    load = replacing(module.load)
    for name in ("evaluate.loading", "evaluate"):
        if name in sys.modules and hasattr(sys.modules[name], "load"):
            vars(sys.modules[name])["load"] = load


def _change_datasets(module: ModuleType) -> None:
    from .evaluate import load_metric

    vars(module).setdefault("load_metric", load_metric)


_CHANGES: dict[str, Callable[[ModuleType], None]] = {
    "evaluate.loading": _change_evaluate,
    "datasets": _change_datasets,
}
