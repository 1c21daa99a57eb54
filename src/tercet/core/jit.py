"""The two ways in which a function of this package becomes machine code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core import event

from .kernel_cache import ContentCache, of_no_folder


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with numba: cached on disk where a private folder can be had, without the GIL, serial.

    Kernels take and return arrays only, so that each one can be held against a plain definition. They run in
    one thread; to use more, call them on slices from a pool. (numba's own parallel loops abort the process
    when two threads enter them at once.) What a kernel calls stands above it.
    """
    compiled: Any = _compiled(function)
    with suppress(Exception):  # no such folder, or numba's cache is not what it was: each process compiles anew
        compiled._cache = _ForgivingCache(ContentCache(compiled.py_func))
    cached: Callable[..., Any] = compiled
    return cached


def part_of_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as a part of kernels; Python cannot call it, which saves a third of the time."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)


def _compiled(function: Callable[..., Any], **settings: Any) -> Callable[..., Any]:
    compiled: Callable[..., Any] = numba.njit(nogil=True, error_model="numpy", **settings)(of_no_folder(function))
    return compiled


class _ForgivingCache:
    """numba's cache of compiled functions, where a damaged file or a full disk costs time and not the score."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *arguments: Any) -> Any:
        try:
            return self._cache.load_overload(*arguments)
        except Exception:  # a file cut short raises whatever unpickling meets
            return None

    def save_overload(self, *arguments: Any) -> None:
        try:
            self._cache.save_overload(*arguments)
        except Exception:
            return


class _FirstCompile(event.Listener):
    """Say once on stderr that kernels are being compiled: it takes seconds, and only where no cache is found."""

    _said = False

    def on_start(self, event: Any) -> None:
        name = event.data["dispatcher"].py_func.__module__ or ""  # none for code of an interpreter
        if name.endswith("_kernels") and not self._said:
            _FirstCompile._said = True
            print(
                "tercet: compiling kernels (some seconds; later runs find them cached)", file=sys.stderr, flush=True
            )

    def on_end(self, event: Any) -> None:
        """Do nothing."""


event.register("numba:compile", _FirstCompile())  # type: ignore[no-untyped-call]
