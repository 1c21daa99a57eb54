"""One cache of compiled kernels for the same code wherever it lies, such as in the folder of a Space.

numba names the files of its cache by the folder and the date of a source. Here they are named by a digest of that
source and of all sources whose kernels it calls. Lines that begin an import differ between the copies, and are left
out.

numba does not publish the module that this builds on: where it has changed, its own cache is used.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from types import FunctionType, ModuleType
from typing import Any

import numba
from numba.core import caching

#: What numba takes for the module of every kernel: a cached one looks for the module in which it was compiled.
_MODULE = "tercet_kernels"


def of_no_folder(function: Callable[..., Any]) -> FunctionType:
    """Return the same function as one of a module that every copy of this package has."""
    assert isinstance(function, FunctionType)
    sys.modules.setdefault(_MODULE, ModuleType(_MODULE))
    code, scope = function.__code__, {**function.__globals__, "__name__": _MODULE}
    copied = FunctionType(code, scope, function.__name__, function.__defaults__, function.__closure__)
    copied.__doc__ = function.__doc__
    return copied


def _files(function: FunctionType, found: set[str]) -> Iterator[str]:
    """Yield the file of a kernel, those of the kernels that it may call, and of the tuples whose parts it names."""
    file = function.__code__.co_filename
    if file in found:
        return
    found.add(file)
    yield file
    for value in function.__globals__.values():
        called = getattr(value, "py_func", None)
        if isinstance(called, FunctionType):
            yield from _files(called, found)
        elif isinstance(value, type) and issubclass(value, tuple):
            yield str(sys.modules[value.__module__].__file__)


def _digest(function: FunctionType) -> str:
    sources = [Path(file).read_text("utf-8") for file in _files(function, set())]
    plain = sorted(re.sub("^(from|import) .*", "", source, flags=re.MULTILINE).strip() for source in sources)
    return sha256("\0".join(plain).encode()).hexdigest()


class _ByContent:
    """Names the folder in which numba keeps a function."""

    def __init__(self, function: FunctionType) -> None:
        self._digest = _digest(function)

    def get_cache_path(self) -> str:
        base = os.environ.get("NUMBA_CACHE_DIR") or str(_user_cache() / "tercet")
        return str(Path(base) / f"numba-{numba.__version__}" / self._digest[:16])

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> _ByContent | None:
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator

    def ensure_cache_path(self) -> None:
        """Make the folder; OSError where it cannot be made or written."""
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=self.get_cache_path()).close()


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


_Files: Any = getattr(caching, "CompileResultCacheImpl", object)
_Cache: Any = getattr(caching, "FunctionCache", object)


class _FilesByContent(_Files):  # type: ignore[misc]
    _locator_classes: Any = (_ByContent,)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return the name of the function: its module has another one in a Space."""
        return f"{fullname.rpartition('.')[2]}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class ContentCache(_Cache):  # type: ignore[misc]
    """numba's cache of one function, by its content; RuntimeError where its folder cannot be written."""

    _impl_class = _FilesByContent
