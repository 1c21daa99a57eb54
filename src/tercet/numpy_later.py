"""NumPy, which is imported when a name of it is first read: ``from tercet import numpy_later as np``.

A score of strings takes no array, nor does the list of metrics, and importing NumPy takes longer than all else in a
new process. Files that these import, of all metrics among them, have it from here; all others import NumPy itself.
"""

import os
import sys
import threading
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    import numpy

    value = getattr(numpy, name)
    # Kept, so that it is looked up here once: this function is called for names that are not there.
    globals()[name] = value
    return value


def _finish_imports() -> None:
    """Finish what other threads import: a forked child has no such threads, and would wait for them forever."""
    if threading.active_count() == 1:
        return
    import numpy  # noqa: F401  also where a thread is about to begin

    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if name.startswith("tercet.") and getattr(spec, "_initializing", False):
            import_module(name)


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_finish_imports)
