"""Put the drop-ins in the place of the originals, in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from threading import RLock, local
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
    installed. What a program imported before stays the original, so call this first; a spawned worker must call it
    again.

    Examples
    --------
    .. code-block:: python

        import tercet.compat

        tercet.compat.install()
        from sacrebleu import corpus_bleu  # tercet's
    """
    if any(isinstance(finder, _Finder) for finder in sys.meta_path):
        return
    loaded = [name for name in REPLACED if name in sys.modules]
    _originals.update({name: sys.modules.pop(name) for name in loaded})
    sys.meta_path.insert(0, _Finder())
    for name in loaded:
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
        if f"{self.__name__}.{name}" in REPLACED:
            return import_module(f"{self.__name__}.{name}")
        drop_in = import_module(f"{__package__}.{REPLACED[self.__name__]}")
        if name == "__all__":
            return self.__dir__()
        if name in vars(drop_in):
            vars(self)[name] = found = vars(drop_in)[name]
            return found
        original = _original(self.__name__)
        if original is None:
            said = f"The drop-in for {self.__name__} has no {name!r}, and {self.__name__} itself is not installed."
            raise AttributeError(said)
        return getattr(original, name)

    def __dir__(self) -> list[str]:
        modules = import_module(f"{__package__}.{REPLACED[self.__name__]}"), _original(self.__name__)
        return sorted({name for each in modules if each is not None for name in _public(each)})


def _public(module: ModuleType) -> list[str]:
    """Return the names that ``import *`` takes."""
    return list(getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")])


class _Finder(MetaPathFinder):
    """Finds stand-ins in the place of originals, and modules that are changed once they are imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if getattr(_loading, "package", None) == name.partition(".")[0]:  # this thread loads the original
            return None
        if name not in (*REPLACED, *_CHANGES, _EMPTY):
            parent = name.rpartition(".")[0]
            if parent not in REPLACED or _original(parent) is None or name not in sys.modules:
                return None
            return ModuleSpec(name, _Kept(sys.modules[name]))  # its package has imported it
        found = (each.find_spec(name, path, target) for each in sys.meta_path if each is not self)
        spec = next(filter(None, found), None)
        if name in REPLACED:
            return _spec_of_stand_in(name, spec)
        if name == _EMPTY:
            return spec or ModuleSpec(name, None, is_package=True)
        if spec is not None and spec.loader is not None:
            spec.loader = _Changed(spec.loader, _CHANGES[name])
        return spec


def _spec_of_stand_in(name: str, spec: ModuleSpec | None) -> ModuleSpec:
    """Return how a stand-in is made: in the folder of the original, whose other modules are found there."""
    drop_in = Path(__file__).with_name(f"{REPLACED[name]}.py")
    own = ModuleSpec(name, _StandInLoader(), origin=str(drop_in) if spec is None else spec.origin)
    own.has_location = own.origin is not None
    if spec is None or spec.submodule_search_locations is not None:
        own.submodule_search_locations = list(spec.submodule_search_locations or ()) if spec else []
    return own


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


class _Kept(Loader):
    """Gives a module that is there already."""

    def __init__(self, module: ModuleType) -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


_originals: dict[str, ModuleType] = {}
_loading = local()
_lock = RLock()


def _original(name: str) -> ModuleType | None:
    """Return a replaced module as it is, loaded beside its stand-in; None if it is not installed."""
    package = name.partition(".")[0]
    of_package = [each for each in REPLACED if each.partition(".")[0] == package]
    with _lock:
        if name in _originals:
            return _originals[name]
        stand_ins = {each: sys.modules.pop(each) for each in of_package if each in sys.modules}
        sys.modules.update({each: _originals[each] for each in of_package if each in _originals})
        before, _loading.package = getattr(_loading, "package", None), package
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if error.name not in (package, name):
                raise
            return None
        finally:
            _loading.package = before
            loaded = {each: sys.modules.pop(each) for each in of_package if each in sys.modules}
            _originals.update(loaded)
            for each in [each for each in of_package if each in (*stand_ins, *loaded)]:
                if each in stand_ins:
                    sys.modules[each] = stand_ins[each]
                parent, _, child = each.rpartition(".")
                stand_in = import_module(each)
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
