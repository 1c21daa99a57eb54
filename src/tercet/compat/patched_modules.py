"""What is changed in modules that are not replaced: `evaluate.load`, and what workers are prepared with."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .replaced import is_found


def _change_evaluate(module: ModuleType, installed: bool) -> None:
    from .evaluate import replacing

    original = inspect.unwrap(module.load)
    load = replacing(original, falls_back=True) if installed else original
    for name in ("evaluate.loading", "evaluate"):
        if name in sys.modules and hasattr(sys.modules[name], "load"):
            vars(sys.modules[name])["load"] = load


def _change_datasets(module: ModuleType, installed: bool) -> None:
    if not is_found("evaluate"):
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
        imports = f"from {__package__}.installing import install_in_worker as f"
        line = f"import sys; sys.path[:] = {self._path!r}; {imports}; f()"
        return exec, (line,)


CHANGES: dict[str, Callable[[ModuleType, bool], None]] = {
    "evaluate.loading": _change_evaluate,
    "datasets": _change_datasets,
    "multiprocessing.spawn": _change_spawn,
    "multiprocess.spawn": _change_spawn,
    "joblib.externals.loky.backend.spawn": _change_spawn,
    "loky.backend.spawn": _change_spawn,
}
