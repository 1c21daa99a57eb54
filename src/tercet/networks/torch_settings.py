"""PyTorch's settings while a network is loaded or runs: those of its signature, whatever the caller has set."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tercet.locks import Lock

#: Kinds of devices for which autocast may lower the precision.
_AUTOCAST = ("cpu", "cuda", "mps", "xpu")


@contextmanager
def own_settings() -> Iterator[None]:
    """Set what PyTorch sets by default: single precision, and the CPU where no device is named.

    Autocast is off, and so are the products of lower precision (TF32, bfloat16) that some processors compute
    instead of single precision. Afterwards all is as before.
    """
    import torch

    with ExitStack() as stack:
        # A default device takes time at every operation: none is set where it is the CPU already.
        if torch.empty(0).device.type != "cpu":
            stack.enter_context(torch.device("cpu"))
        for kind in _AUTOCAST:
            if torch.is_autocast_enabled(kind):
                stack.enter_context(torch.autocast(kind, enabled=False))
        _SHARED.begin()
        stack.callback(_SHARED.end)
        yield


class _SharedSettings:
    """Settings that all threads share: the first of several calls sets them, and the last puts them back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_calls = 0
        self._dtype: Any = None
        self._precisions: list[tuple[Any, str, Any]] = []

    def begin(self) -> None:
        """Set them, unless another call has."""
        import torch

        with self._lock:
            self._n_calls += 1
            if self._n_calls > 1:
                return
            self._dtype = torch.get_default_dtype()
            torch.set_default_dtype(torch.float32)
            self._precisions = []
            for owner, name, wanted in _precise():
                found = getattr(owner, name)
                if found != wanted:
                    self._precisions.append((owner, name, found))
                    setattr(owner, name, wanted)

    def end(self) -> None:
        """Put them back, unless another call still needs them."""
        import torch

        with self._lock:
            self._n_calls -= 1
            if self._n_calls > 0:
                return
            torch.set_default_dtype(self._dtype)
            for owner, name, found in self._precisions:
                setattr(owner, name, found)


_SHARED = _SharedSettings()


def _precise() -> list[tuple[Any, str, Any]]:
    """Return which attributes have which values where single precision is what it says."""
    from torch import backends, cuda

    if not hasattr(backends.mkldnn, "matmul"):  # before PyTorch 2.9
        return [(backends.cuda.matmul, "allow_tf32", False), (backends.cudnn, "allow_tf32", False)]
    owners = [backends.mkldnn.matmul, backends.mkldnn.conv]
    if cuda.is_available():
        owners += [backends.cuda.matmul, backends.cudnn.conv]
    return [(owner, "fp32_precision", "ieee") for owner in owners]
