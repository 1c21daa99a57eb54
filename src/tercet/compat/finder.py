"""The finder that Python asks first: it finds stand-ins, the originals beside them, and modules that are changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

from .originals import BESIDE, LoaderBeside, beside, module_seen_by
from .replaced import EMPTY, Installation
from .stand_ins import LoaderBefore, spec_of_stand_in


class Finder(Installation):
    """Finds stand-ins of originals, the originals beside them, and modules that are changed."""

    # importlib holds the lock of all imports here: nothing that is called may import.
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how a module is loaded; None leaves it to the other finders."""
        if name.startswith(BESIDE):
            return self._spec_beside(name, name.removeprefix(BESIDE).replace("/", "."))
        if name not in (*self.replaced, *self.changes, EMPTY) and not self.has(name):
            return None
        spec = self._spec(name, path, target)
        if name in self.replaced:
            return spec_of_stand_in(name, spec)
        if name == EMPTY:
            return spec or ModuleSpec(name, None, is_package=True)
        if spec is None:
            return None
        if self.has(name):
            is_package = spec.submodule_search_locations is not None
            return ModuleSpec(name, _LoaderOfNeighbours(spec.loader), origin=spec.origin, is_package=is_package)
        if spec.loader is not None:
            spec.loader = _Changed(spec.loader, self.changes[name])
        return spec

    def _spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        for finder in sys.meta_path:
            # Without such a method, as that of six before 1.16, importlib leaves it out too.
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def _spec_beside(self, name: str, public: str) -> ModuleSpec | None:
        parent, _, _ = public.rpartition(".")
        package = sys.modules.get(beside(parent), sys.modules.get(parent))
        spec = self._spec(public, getattr(package, "__path__", None))
        if spec is None or spec.loader is None:
            return None
        return ModuleSpec(name, LoaderBeside(spec))


class _LoaderOfNeighbours(LoaderBefore):
    """Gives a module of a replaced package that is not replaced itself, after the package, which may load it.

    Its package loads it under a name of ours, with other locks: threads that begin at different ends do not wait
    for each other in a circle.
    """

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = module_seen_by("original", spec.name)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class _Changed(LoaderBefore):
    """A module's loader, and a change of the module after it is loaded."""

    def __init__(self, loader: Loader, change: Callable[[ModuleType, bool], None]) -> None:
        super().__init__(loader)
        self.change = change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        self.change(module, True)
