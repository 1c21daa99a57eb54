"""Originals, loaded beside their stand-ins under names of ours, and what their import statements give them."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec, resolve_name
from types import ModuleType
from typing import Any, Literal

from .replaced import installation, package_of, replaced_modules

#: Begins the name of an original in sys.modules; the dots of its own name are slashes there, as it has no parent.
BESIDE = "tercet's original of "

#: Whose import statement asks for a module: an original sees originals, its neighbour in a package stand-ins too.
_Viewer = Literal["original", "neighbour"]


def original_of(name: str) -> ModuleType | None:
    """Return a replaced module as it is, loaded beside its stand-in; None if it is not installed."""
    try:
        return module_seen_by("original", name)
    except ModuleNotFoundError as error:
        if error.name not in (name, package_of(name)):
            raise
        return None


def beside(name: str) -> str:
    """Return the name of ours under which an original is loaded."""
    return BESIDE + name.replace(".", "/")


def module_seen_by(viewer: _Viewer, name: str) -> ModuleType:
    """Return a module as an import statement of an original, or of its neighbour, has to see it."""
    installed = installation()
    if installed is None or not installed.has(name):
        return _import_module(name)
    if name in installed.replaced and viewer == "neighbour":
        # The stand-in.
        return _import_module(name)
    if name in installed.before:
        return installed.before[name]
    parent, _, child = name.rpartition(".")
    package = module_seen_by("original", parent) if parent else None
    try:
        module = _import_module(beside(name))
    except ModuleNotFoundError as error:
        if error.name == beside(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None
        raise
    if installed.has(parent):
        vars(package).setdefault(child, module)
    if name not in installed.replaced:
        # A neighbour has no stand-in: it is under its public name too.
        sys.modules.setdefault(name, module)
    return module


def _import_module(name: str) -> ModuleType:
    """Return a module as an import statement would: if two threads wait for each other, one gets it half loaded."""
    # Not from sys.modules, which lacks the module at times, while it ends loading.
    return builtins.__import__(name, fromlist=("__name__",))


class LoaderBeside(Loader):
    """Loads a module under a name of ours, where it keeps its own: an original, or its neighbour in a package.

    Originals see each other, not the stand-ins, by what their import statements call. importlib locks the name of
    ours as that of any module: threads wait for each other, and no original is ever under its public name.
    """

    def __init__(self, spec: ModuleSpec) -> None:
        self.spec = spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, empty, with an import statement of its own."""
        module = module_from_spec(self.spec)
        statement = _import_of_originals if self.spec.name in replaced_modules() else _import_of_neighbours
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": statement}
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run the original's code."""
        assert self.spec.loader is not None
        self.spec.loader.exec_module(module)
        # Until here it is the spec of the import, by which other threads know to wait.
        module.__spec__ = self.spec


def _import(
    viewer: _Viewer,
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Do what an import statement of an original, or of its neighbour, does."""
    full_name = name
    if level:
        assert globals is not None
        full_name = resolve_name("." * level + name, globals["__package__"])
    installed = installation()
    if installed is None or not (installed.has(full_name) or installed.has_within(full_name)):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = module_seen_by(viewer, full_name)
    if not fromlist:
        return module_seen_by(viewer, package_of(full_name))
    for child in fromlist:
        if child != "*" and not hasattr(module, child):
            try:
                module_seen_by(viewer, f"{full_name}.{child}")
            except ModuleNotFoundError as error:
                if error.name != f"{full_name}.{child}":
                    # Otherwise the statement itself says that it cannot import the name.
                    raise
    children = [child for child in fromlist if f"{full_name}.{child}" in installed.replaced]
    if viewer == "original" and children and not installed.has(full_name):
        return _with_originals(module, children)
    return module


def _with_originals(package: ModuleType, children: Sequence[str]) -> ModuleType:
    """Return what an original sees in a package that is not replaced, where the public has stand-ins or nothing."""
    view = ModuleType(package.__name__)
    vars(view).update(vars(package))
    for child in children:
        vars(view)[child] = module_seen_by("original", f"{package.__name__}.{child}")
    return view


_import_of_originals = partial(_import, "original")
_import_of_neighbours = partial(_import, "neighbour")
