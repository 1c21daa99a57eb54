"""Stand-ins: modules under the names of originals, with what the drop-ins have, or else the originals."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from .falling_back import falling_back
from .originals import original_of
from .replaced import REPLACED, replaced_modules

#: The classes of results, and the modules of the originals that have them.
_RESULTS = {
    "sacrebleu_scores": {
        "BLEUScore": "sacrebleu.metrics.bleu",
        "CHRFScore": "sacrebleu.metrics.chrf",
        "TERScore": "sacrebleu.metrics.ter",
    },
    "jiwer": dict.fromkeys(("AlignmentChunk", "CharacterOutput", "WordOutput"), "jiwer.process"),
    "scoring": dict.fromkeys(("Score", "AggregateScore"), "rouge_score.scoring"),
}


class _StandIn(ModuleType):
    """A module under the name of an original, which takes each name from the drop-in, or else from the original.

    It looks names up when they are used: a program that never scores with torchmetrics never waits for torch.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__all__", "__version__"):
            # Imports and debuggers ask every module for such names.
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in REPLACED:
            return import_module(f"{self.__name__}.{name}")
        if name == "__all__":
            return self.__dir__()
        drop_in = self._drop_in()
        if name in vars(drop_in):
            replacement = falling_back(vars(drop_in)[name], self.__name__, _member_of_original)
            vars(self)[name] = replacement
            return replacement
        original = original_of(self.__name__)
        if original is None:
            message = f"The drop-in for {self.__name__} has no {name!r}, and {self.__name__} itself is not installed."
            raise AttributeError(message)
        return getattr(original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        full_name = f"{self.__name__}.{name}"
        is_submodule = isinstance(value, ModuleType) and value.__name__ == full_name
        if is_submodule and full_name not in REPLACED and name in vars(self._drop_in()):
            # bert_score.score is a function, and a module where it lies.
            return
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        # cloudpickle sends a module with the functions of a script.
        return import_module, (self.__name__,)

    def __dir__(self) -> list[str]:
        names = set(_public(self._drop_in()))
        original = original_of(self.__name__)
        if original is not None:
            names.update(_public(original))
        return sorted(names)

    def _drop_in(self) -> ModuleType:
        drop_in = import_module(f"{__package__}.{REPLACED[self.__name__]}")
        name_results()
        return drop_in


def _member_of_original(module: str, name: str) -> Any:
    return getattr(original_of(module), name, None)


def _public(module: ModuleType) -> list[str]:
    """Return the names that ``import *`` takes."""
    names = getattr(module, "__all__", None)
    if names:
        return list(names)
    return [name for name in vars(module) if not name.startswith("_")]


def name_results() -> None:
    """Give results the names of the originals, by which they are pickled: they load where tercet is not."""
    replaced = replaced_modules()
    for drop_in, modules in _RESULTS.items():
        file = f"{__package__}.{drop_in}"
        if file in sys.modules:
            classes = vars(sys.modules[file])
            for name, module in modules.items():
                classes[name].__module__ = module if module in replaced else file


def put_stand_in(name: str, original: ModuleType) -> None:
    """Put a stand-in where a module was imported, at no time absent: another thread would import the original."""
    stand_in = _StandIn(name)
    sys.modules[name] = stand_in
    stand_in.__spec__ = original.__spec__
    for attribute in ("__file__", "__path__", "__package__", "__loader__"):
        if hasattr(original, attribute):
            setattr(stand_in, attribute, getattr(original, attribute))
    bind(name, stand_in)


def bind(name: str, module: ModuleType) -> None:
    """Make a module the attribute of its package, as an import does."""
    parent, _, child = name.rpartition(".")
    if parent in sys.modules:
        vars(sys.modules[parent])[child] = module


def spec_of_stand_in(name: str, spec: ModuleSpec | None) -> ModuleSpec:
    """Return how a stand-in is made: in the folder of the original, whose other modules are found there."""
    if spec is None:
        drop_in = Path(__file__).with_name(f"{REPLACED[name]}.py")
        stand_in_spec = ModuleSpec(name, _StandInLoader(None), origin=str(drop_in), is_package=True)
    else:
        stand_in_spec = ModuleSpec(name, _StandInLoader(spec.loader), origin=spec.origin)
        if spec.submodule_search_locations is not None:
            stand_in_spec.submodule_search_locations = list(spec.submodule_search_locations)
    stand_in_spec.has_location = stand_in_spec.origin is not None
    return stand_in_spec


class LoaderBefore(Loader):
    """A loader before a module's own, or before None; it passes on all else, such as runpy's call for code."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class _StandInLoader(LoaderBefore):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are looked up when they are used."""
