"""NumPy, which is imported when a name of it is first read: ``from tercet import numpy_later as np``.

A score of strings takes no array, nor does the list of metrics, and importing NumPy takes longer than all else in a
new process. Files that these import, of all metrics among them, have it from here; all others import NumPy itself.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    import numpy

    value = getattr(numpy, name)
    # Kept, so that it is looked up here once: this function is called for names that are not there.
    globals()[name] = value
    return value
