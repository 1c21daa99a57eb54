"""Install the drop-ins instead of the originals, in this process and in its workers, and take them away again.

What the name of a module stands for in `sys.modules` while the drop-ins are installed, and who brings it there:

    replaced: one of `REPLACED` (`replaced.py`)
        not imported -> stand-in      `Finder`, as the program imports it (`finder.py`, `stand_ins.py`)
        original -> stand-in          `_install`, where it was imported before; the original moves beside
        beside: nothing -> original   `module_seen_by`, once the drop-in lacks a name, or refuses a call, or another
                                      original imports it (`originals.py`): under a name that begins with `BESIDE`
    its neighbour: another module of a package that is replaced, as sacrebleu.utils
        not imported -> neighbour     `module_seen_by`, for an original or, by `Finder`, for the program: it is
                                      loaded beside first, and is then under its own name too
        neighbour -> neighbour        where it was imported before, it stays as it is
    changed: one of `CHANGES` (`patched_modules.py`)
        not imported -> changed       `Finder`, after the module's own loader
        as it was -> changed          `_install`, in the module that is there
    every other module                is not touched

`uninstall` goes back: no finder, no stand-ins and nothing beside; changes are undone; what was imported before stands
under its name again, and all else of the packages is imported anew. What is installed is what the finder in
`sys.meta_path` says (`installation`): there is no other state.
"""

from __future__ import annotations

import sys

from tercet.errors import warn

from .finder import Finder
from .originals import BESIDE, beside
from .patched_modules import CHANGES
from .replaced import REPLACED, installation, is_below, is_found, package_of, warnings_of_versions
from .stand_ins import bind, name_results, put_stand_in


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
    if installation() is not None:
        return
    for message in _install():
        warn(message)
    installed = installation()
    assert installed is not None
    outer = [name for name in installed.replaced if not is_below(name, installed.replaced) and is_found(name)]
    if "evaluate.loading" in installed.changes and is_found("evaluate.loading"):
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
    installed = installation()
    if installed is None:
        return
    sys.meta_path.remove(installed)
    name_results()
    for name, change in installed.changes.items():
        if name in sys.modules:
            change(sys.modules[name], False)
    packages = set(map(package_of, installed.replaced))
    for name in list(sys.modules):
        is_imported_since = package_of(name) in packages and name not in installed.before
        if name.startswith(BESIDE) or is_imported_since:
            module = sys.modules.pop(name)
            parent, _, child = name.rpartition(".")
            if parent in sys.modules and vars(sys.modules[parent]).get(child) is module:
                delattr(sys.modules[parent], child)
    for name, module in installed.before.items():
        sys.modules[name] = module
        bind(name, module)


def install_in_worker() -> None:
    """Replace modules as :func:`install` does, in a worker, whose parent has said what is replaced."""
    if installation() is not None:
        return
    early = sorted({package_of(name) for name in REPLACED if name in sys.modules})
    _install()
    if early:
        print(
            f"tercet.compat: this worker had imported {', '.join(early)} before it got the drop-ins, as of "
            "set_forkserver_preload: names that it took from there are the originals'.",
            file=sys.stderr,
        )


def _install() -> list[str]:
    """Replace modules as :func:`install` does, and return what is to be warned of."""
    warnings = warnings_of_versions()
    replaced = {name: drop_in for name, drop_in in REPLACED.items() if package_of(name) not in warnings}
    changes = {name: change for name, change in CHANGES.items() if package_of(name) not in warnings}
    packages = set(map(package_of, replaced))
    modules_before = {name: module for name, module in sys.modules.items() if package_of(name) in packages}
    loaded = [name for name in replaced if name in modules_before]
    for name in loaded:
        sys.modules[beside(name)] = modules_before[name]
    # Before all other finders, which would find the originals.
    sys.meta_path.insert(0, Finder(replaced, changes, modules_before))
    for name in loaded:
        put_stand_in(name, modules_before[name])
    for name, change in changes.items():
        if name in sys.modules:
            change(sys.modules[name], True)
    return list(warnings.values())
