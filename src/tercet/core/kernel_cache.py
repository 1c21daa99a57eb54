"""One cache of compiled kernels for the same code wherever it lies, such as in the folder of a Space.

numba names the files of its cache by the folder and the date of a source. Here they are named by a digest of that
source, of all sources whose kernels it calls, and of those that compile kernels. Lines that begin an import differ
between the copies, and are left out.

To load a file is to run it. So the folders are this user's, nobody else can write into them, and each file ends with
a digest that is checked before numba reads it: a single wrong byte in machine code can end the process.

numba does not publish the module that this builds on: where it has changed, nothing is kept.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from types import FunctionType, ModuleType
from typing import Any

import numba
from numba.core import caching

#: What numba takes for the module of every kernel: a cached one looks for the module in which it was compiled.
_MODULE = "tercet_kernels"

#: What decides how any kernel is compiled: this file and jit.py, whose names begin in a Space with that of the room.
_COMPILING = (__file__, str(Path(__file__).with_name(Path(__file__).name.replace("kernel_cache", "jit"))))


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
    sources = [Path(file).read_text("utf-8") for file in (*_COMPILING, *_files(function, set()))]
    plain = sorted(re.sub("^(from|import) .*", "", source, flags=re.MULTILINE).strip() for source in sources)
    return sha256("\0".join(plain).encode()).hexdigest()


class _ByContent:
    """Names the folder in which numba keeps a function."""

    _n_private = 3  # folders at the end of the path that must be private

    def __init__(self, function: FunctionType) -> None:
        self._file = function.__code__.co_filename
        self._digest = _digest(function)

    def _base(self) -> Path:
        return Path(os.environ.get("NUMBA_CACHE_DIR") or _user_cache() / "tercet")

    def get_cache_path(self) -> str:
        return str(self._base() / f"numba-{numba.__version__}" / self._digest[:16])

    def get_source_stamp(self) -> str:
        return self._digest

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: FunctionType, py_file: str) -> _ByContent | None:
        locator = cls(py_func)
        try:
            locator.ensure_cache_path()
        except (OSError, RuntimeError):  # the latter of a user without a home
            return None
        return locator

    def ensure_cache_path(self) -> None:
        """Make the folder; OSError where it cannot be made or written, or is not private."""
        path = Path(self.get_cache_path())
        folders = (path, *path.parents)
        for folder in reversed(folders):  # one by one: with parents=True the mode is that of the last one only
            folder.mkdir(mode=0o700, exist_ok=True)
        for folder in folders[: self._n_private]:
            _check_private(folder)
        TemporaryFile(dir=path).close()


class _BesideSource(_ByContent):
    """Names a folder beside the compiled Python of the source: who can write there can change the code itself."""

    _n_private = 2

    def _base(self) -> Path:
        return Path(self._file).parent / "__pycache__"


def _check_private(folder: Path) -> None:
    """Raise a PermissionError for a folder, or a link to one, of another user, and where others can write into it."""
    if not hasattr(os, "geteuid"):  # Windows, where a folder of the user is private unless it is shared
        return
    found = folder.stat()
    if {found.st_uid, folder.lstat().st_uid} != {os.geteuid()} or found.st_mode & 0o022:
        raise PermissionError(f"Others can write into {folder}.")


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


_Files: Any = getattr(caching, "CompileResultCacheImpl", object)
_Cache: Any = getattr(caching, "FunctionCache", object)
_Stored: Any = getattr(caching, "IndexDataCacheFile", object)


class _FilesByContent(_Files):  # type: ignore[misc]
    _locator_classes: Any = (_ByContent, _BesideSource)

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        """Return the name of the function: its module has another one in a Space."""
        return f"{fullname.rpartition('.')[2]}.py{sys.version_info[0]}{sys.version_info[1]}{abiflags}"


class _CheckedFiles(_Stored):  # type: ignore[misc]
    """numba's files of one function, each with a digest behind what it holds; a damaged one is as good as none."""

    def _load_index(self) -> Any:
        return super()._load_index() if _is_whole(self._index_path) else {}

    def _load_data(self, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            raise FileNotFoundError(name)  # upon which numba compiles the function, and writes the file anew
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BytesIO]:
        with super()._open_for_write(filepath) as file:
            content = BytesIO()
            yield content
            file.write(content.getvalue() + sha256(content.getvalue()).digest())


def _is_whole(path: str) -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    return sha256(content[:-32]).digest() == content[-32:]


class ContentCache(_Cache):  # type: ignore[misc]
    """numba's cache of one function, by its content; RuntimeError where no folder for it is there or can be made."""

    _impl_class = _FilesByContent

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFiles(cache_path=self._cache_path, filename_base=base, source_stamp=stamp)
