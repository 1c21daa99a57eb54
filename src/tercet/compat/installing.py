"""Install the drop-ins instead of the originals, in this process and in its workers, and take them away again."""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from importlib import import_module, metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any

from tercet.errors import warn

from .falling_back import falling_back

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

#: A package that need not be installed: nothing else of it is used beside what is replaced.
_EMPTY = "rouge_score"

#: Begins the name of an original in sys.modules; the dots of its own name are slashes there, as it has no parent.
_BESIDE = "tercet's original of "


def install() -> None:
    """Replace the modules of other packages, and ``evaluate.load``, by drop-ins for the rest of this process.

    A line on the standard error says what was replaced. What a drop-in lacks comes from the original, where that is
    installed, and a call that a drop-in refuses is the original's, with a warning. What a program imported before
    stays the original, so call this first. Workers that multiprocessing, multiprocess, joblib and concurrent.futures
    start have the drop-ins too; other programs that this one starts have not.

    Warns
    -----
    UserWarning
        If a package has a version that was not tried: it is left alone.

    Examples
    --------
    .. code-block:: python

        import tercet.compat

        tercet.compat.install()
        from sacrebleu import corpus_bleu  # tercet's
    """
    if _finder() is not None:
        return
    for message in _install():
        warn(message)
    finder = _finder()
    assert finder is not None
    outer = [name for name in finder.replaced if not _is_below(name, finder.replaced) and _is_found(name)]
    if "evaluate.loading" in finder.changes and _is_found("evaluate.loading"):
        outer += ["evaluate.load and datasets.load_metric"]
    if not outer:
        return
    *first_names, last_name = outer
    names = ", ".join(outer)
    if first_names and " and " not in last_name:
        names = f"{', '.join(first_names)} and {last_name}"
    print(f"tercet.compat: {names} are tercet's in this process.", file=sys.stderr)


def uninstall() -> None:
    """Put the originals back: what is imported from here on is theirs.

    Names that a program has taken keep their meaning, as the name ``corpus_bleu`` after ``from sacrebleu import
    corpus_bleu``. Modules of the replaced packages that were imported in between are imported anew, as they may
    hold drop-ins.

    Examples
    --------
    .. code-block:: python

        tercet.compat.uninstall()
        from sacrebleu import corpus_bleu  # sacrebleu's
    """
    finder = _finder()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    _name_results()
    for name, change in finder.changes.items():
        if name in sys.modules:
            change(sys.modules[name], False)
    packages = set(map(_package_of, finder.replaced))
    for name in list(sys.modules):
        is_imported_since = _package_of(name) in packages and name not in finder.before
        if name.startswith(_BESIDE) or is_imported_since:
            module = sys.modules.pop(name)
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
                delattr(sys.modules[parent], child)
    for name, module in finder.before.items():
        sys.modules[name] = module
        _bind(name, module)


def _install() -> list[str]:
    """Replace modules as :func:`install` does, and return what is to be warned of."""
    warnings = _warnings_of_versions()
    replaced = {name: drop_in for name, drop_in in REPLACED.items() if _package_of(name) not in warnings}
    changes = {name: change for name, change in _CHANGES.items() if _package_of(name) not in warnings}
    packages = set(map(_package_of, replaced))
    modules_before = {name: module for name, module in sys.modules.items() if _package_of(name) in packages}
    loaded = [name for name in replaced if name in modules_before]
    for name in loaded:
        sys.modules[_beside(name)] = modules_before[name]
    # Before all other finders, which would find the originals.
    sys.meta_path.insert(0, _Finder(replaced, changes, modules_before))
    for name in loaded:
        _put_stand_in(name, modules_before[name])
    for name, change in changes.items():
        if name in sys.modules:
            change(sys.modules[name], True)
    return list(warnings.values())


def _warnings_of_versions() -> dict[str, str]:
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


def _put_stand_in(name: str, original: ModuleType) -> None:
    """Put a stand-in where a module was imported, at no time absent: another thread would import the original."""
    stand_in = _StandIn(name)
    sys.modules[name] = stand_in
    stand_in.__spec__ = original.__spec__
    for attribute in ("__file__", "__path__", "__package__", "__loader__"):
        if hasattr(original, attribute):
            setattr(stand_in, attribute, getattr(original, attribute))
    _bind(name, stand_in)


def _is_found(name: str) -> bool:
    """Whether a module's package is installed, or needs not be, as there is a drop-in of all of it."""
    package = _package_of(name)
    if package in REPLACED or package == _EMPTY:
        return True
    try:
        return find_spec(package) is not None
    except ValueError:  # a module that was made by hand
        return True


def _package_of(name: str) -> str:
    package, _, _ = name.partition(".")
    return package


def _is_below(name: str, packages: Iterable[str]) -> bool:
    """Return whether a module lies in one of these packages."""
    return any(name.startswith(f"{package}.") for package in packages)


def _release(version: str) -> tuple[int, ...]:
    public_version, _, _ = version.partition("+")
    return tuple(map(int, re.findall(r"\d+", public_version)[:3]))


def _bind(name: str, module: ModuleType) -> None:
    """Make a module the attribute of its package, as an import does."""
    parent, _, child = name.rpartition(".")
    if parent in sys.modules:
        vars(sys.modules[parent])[child] = module


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
        _name_results()
        return drop_in


def _name_results() -> None:
    """Give results the names of the originals, by which they are pickled: they load where tercet is not."""
    replaced = _replaced_modules()
    for drop_in, modules in _RESULTS.items():
        file = f"{__package__}.{drop_in}"
        if file in sys.modules:
            classes = vars(sys.modules[file])
            for name, module in modules.items():
                classes[name].__module__ = module if module in replaced else file


def _public(module: ModuleType) -> list[str]:
    """Return the names that ``import *`` takes."""
    names = getattr(module, "__all__", None)
    if names:
        return list(names)
    return [name for name in vars(module) if not name.startswith("_")]


class _Finder(MetaPathFinder):
    """Finds stand-ins of originals, the originals beside them, and modules that are changed."""

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
        return name in self.replaced or _is_below(name, self.replaced)

    def has_within(self, name: str) -> bool:
        """Whether a package has modules that are replaced."""
        return any(module.startswith(f"{name}.") for module in self.replaced)

    # importlib holds the lock of all imports here: nothing that is called may import.
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.startswith(_BESIDE):
            return self._spec_beside(name, name.removeprefix(_BESIDE).replace("/", "."))
        if name not in (*self.replaced, *self.changes, _EMPTY) and not self.has(name):
            return None
        spec = self._spec(name, path, target)
        if name in self.replaced:
            return _spec_of_stand_in(name, spec)
        if name == _EMPTY:
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
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    return spec
        return None

    def _spec_beside(self, name: str, public: str) -> ModuleSpec | None:
        parent, _, _ = public.rpartition(".")
        package = sys.modules.get(_beside(parent), sys.modules.get(parent))
        spec = self._spec(public, getattr(package, "__path__", None))
        if spec is None or spec.loader is None:
            return None
        return ModuleSpec(name, _LoaderBeside(spec))


def _finder() -> _Finder | None:
    for finder in sys.meta_path:
        if isinstance(finder, _Finder):
            return finder
    return None


def _replaced_modules() -> Mapping[str, str]:
    """Return the modules that are replaced now."""
    finder = _finder()
    return {} if finder is None else finder.replaced


def _spec_of_stand_in(name: str, spec: ModuleSpec | None) -> ModuleSpec:
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


class _LoaderBefore(Loader):
    """A loader before a module's own, or before None; it passes on all else, such as runpy's call for code."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class _StandInLoader(_LoaderBefore):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: names are looked up when they are used."""


class _LoaderBeside(Loader):
    """Loads a module under a name of ours, where it keeps its own: an original, or its neighbour in a package.

    Originals see each other, not the stand-ins, by what their import statements call. importlib locks the name of
    ours as that of any module: threads wait for each other, and no original is ever under its public name.
    """

    def __init__(self, spec: ModuleSpec) -> None:
        self.spec = spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = module_from_spec(self.spec)
        statement = _import_of_originals if self.spec.name in _replaced_modules() else _import_of_neighbours
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": statement}
        return module

    def exec_module(self, module: ModuleType) -> None:
        assert self.spec.loader is not None
        self.spec.loader.exec_module(module)
        # Until here it is the spec of the import, by which other threads know to wait.
        module.__spec__ = self.spec


class _LoaderOfNeighbours(_LoaderBefore):
    """Gives a module of a replaced package that is not replaced itself, after the package, which may load it.

    Its package loads it under a name of ours, with other locks: threads that begin at different ends do not wait
    for each other in a circle.
    """

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _module(spec.name, originals=True)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


class _Changed(_LoaderBefore):
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


def _beside(name: str) -> str:
    return _BESIDE + name.replace(".", "/")


def _import_module(name: str) -> ModuleType:
    """Return a module as an import statement would: if two threads wait for each other, one gets it half loaded."""
    # Not from sys.modules, which lacks the module at times, while it ends loading.
    return builtins.__import__(name, fromlist=("__name__",))


def original_of(name: str) -> ModuleType | None:
    """Return a replaced module as it is, loaded beside its stand-in; None if it is not installed."""
    try:
        return _module(name, originals=True)
    except ModuleNotFoundError as error:
        if error.name not in (name, _package_of(name)):
            raise
        return None


def _member_of_original(module: str, name: str) -> Any:
    return getattr(original_of(module), name, None)


def _module(name: str, originals: bool) -> ModuleType:
    """Return a module as it is seen by originals, or else by their neighbours, for which they are replaced."""
    finder = _finder()
    if finder is None or not finder.has(name) or (name in finder.replaced and not originals):
        return _import_module(name)
    if name in finder.before:
        return finder.before[name]
    parent, _, child = name.rpartition(".")
    package = _module(parent, originals=True) if parent else None
    try:
        module = _import_module(_beside(name))
    except ModuleNotFoundError as error:
        if error.name == _beside(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None
        raise
    if finder.has(parent):
        vars(package).setdefault(child, module)
    if name not in finder.replaced:
        sys.modules.setdefault(name, module)
    return module


def _import(
    originals: bool,
    name: str,
    globals: Mapping[str, Any] | None = None,
    locals: Mapping[str, Any] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """Do what an import statement does, in originals or in their neighbours."""
    full_name = name
    if level:
        assert globals is not None
        full_name = resolve_name("." * level + name, globals["__package__"])
    finder = _finder()
    if finder is None or not (finder.has(full_name) or finder.has_within(full_name)):
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    module = _module(full_name, originals)
    if not fromlist:
        return _module(_package_of(full_name), originals)
    for child in fromlist:
        if child != "*" and not hasattr(module, child):
            try:
                _module(f"{full_name}.{child}", originals)
            except ModuleNotFoundError as error:
                if error.name != f"{full_name}.{child}":
                    # Otherwise the statement itself says that it cannot import the name.
                    raise
    children = [child for child in fromlist if f"{full_name}.{child}" in finder.replaced]
    if originals and children and not finder.has(full_name):
        return _with_originals(module, children)
    return module


def _with_originals(package: ModuleType, children: Sequence[str]) -> ModuleType:
    """Return what an original sees in a package that is not replaced, where the public has stand-ins or nothing."""
    view = ModuleType(package.__name__)
    vars(view).update(vars(package))
    for child in children:
        vars(view)[child] = _module(f"{package.__name__}.{child}", originals=True)
    return view


_import_of_originals = partial(_import, True)
_import_of_neighbours = partial(_import, False)


def _change_evaluate(module: ModuleType, installed: bool) -> None:
    from .evaluate import replacing

    original = inspect.unwrap(module.load)
    load = replacing(original, falls_back=True) if installed else original
    for name in ("evaluate.loading", "evaluate"):
        if name in sys.modules and hasattr(sys.modules[name], "load"):
            vars(sys.modules[name])["load"] = load


def _change_datasets(module: ModuleType, installed: bool) -> None:
    if not _is_found("evaluate"):
        # Which load_metric takes its modules from.
        return
    from .evaluate import load_metric

    if installed:
        vars(module).setdefault("load_metric", load_metric)
    elif vars(module).get("load_metric") is load_metric:
        del vars(module)["load_metric"]


def _change_spawn(module: ModuleType, installed: bool) -> None:
    """Send workers the drop-ins in what they are prepared with, which they read before they import anything."""
    original = inspect.unwrap(module.get_preparation_data)
    if not installed:
        module.get_preparation_data = original  # type: ignore[attr-defined]
        return

    def get_preparation_data(*args: Any, **kwargs: Any) -> dict[str, Any]:
        data: dict[str, Any] = original(*args, **kwargs)
        return {**data, "tercet.compat": _InWorker(sys.path)}

    get_preparation_data.__wrapped__ = original  # type: ignore[attr-defined]
    module.get_preparation_data = get_preparation_data  # type: ignore[attr-defined]


class _InWorker:
    """Installs the drop-ins where it is unpickled; a worker finds tercet by the path of its parent."""

    def __init__(self, path: Sequence[str]) -> None:
        self._path = list(path)

    def __reduce__(self) -> tuple[Any, ...]:
        line = f"import sys; sys.path[:] = {self._path!r}; from {__name__} import install_in_worker as f; f()"
        return exec, (line,)


def install_in_worker() -> None:
    """Replace modules as :func:`install` does, in a worker, whose parent has said what is replaced."""
    if _finder() is not None:
        return
    early = sorted({_package_of(name) for name in REPLACED if name in sys.modules})
    _install()
    if early:
        print(
            f"tercet.compat: this worker had imported {', '.join(early)} before it got the drop-ins, as of "
            "set_forkserver_preload: names that it took from there are the originals'.",
            file=sys.stderr,
        )


_CHANGES: dict[str, Callable[[ModuleType, bool], None]] = {
    "evaluate.loading": _change_evaluate,
    "datasets": _change_datasets,
    "multiprocessing.spawn": _change_spawn,
    "multiprocess.spawn": _change_spawn,
    "joblib.externals.loky.backend.spawn": _change_spawn,
    "loky.backend.spawn": _change_spawn,
}
