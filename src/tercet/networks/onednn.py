"""Matrix products on the CPU: through oneDNN where that is faster, and a warning where half precision is slow."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

from tercet.errors import warn

Product = Callable[[Any], Any]


def suit_processor(model: Any, device: Any, dtype: str) -> None:
    """Let a model on the CPU run as fast as it can in its precision, and warn of one that is slow there."""
    if device.type != "cpu":
        return
    if dtype != "float32":
        _warn_of_slow(dtype)
    elif is_faster():
        _use_onednn(model)


def _use_onednn(model: Any) -> None:
    """Let the linear layers of a model in single precision on the CPU run through oneDNN.

    PyTorch gives single precision to MKL, which on some processors takes twice as long. The weights are kept once, in
    oneDNN's order: the model cannot be saved, moved or trained any more. Layers whose weights the model's own code
    reads, as Mamba's does, stay as they are.
    """
    import torch

    for parent in model.modules():
        kind: Any = type(parent)  # Any, because mypy does not take a class for hashable
        code = _code_of(kind)
        for name, layer in parent.named_children():
            if type(layer) is torch.nn.Linear and f"self.{name}.weight" not in code:
                layer.forward = converted(layer)
                # the weights are in oneDNN's order now: a second copy would double the memory
                layer.weight = torch.nn.Parameter(layer.weight.new_empty(0), requires_grad=False)


@cache
def _code_of(kind: Any) -> str:
    """Return the code of a class of transformers and of those that it is derived from."""
    return "".join(inspect.getsource(base) for base in kind.__mro__ if base.__module__.startswith("transformers."))


@cache
def is_faster() -> bool:
    """Return whether oneDNN gives the right numbers here in under 0.8 of MKL's time.

    Time: under 100 milliseconds, once per process.
    """
    import torch

    if not torch.backends.mkldnn.is_available():
        return False
    layer, x = _sample(rows=256, features=384)
    with torch.inference_mode():
        try:
            product = converted(layer)
            is_right = torch.allclose(product(x), layer(x), rtol=1e-4, atol=1e-3)
        except RuntimeError:  # of builds in which oneDNN has no such product
            return False
        return bool(is_right) and _ratio(product, layer, x) < 0.8


@cache
def _warn_of_slow(dtype: str) -> None:
    """Warn of a precision for which this processor has no instructions: its products take longer than in float32.

    Time: a tenth of a second, or one where they take long; once per process.
    """
    import torch

    # Smaller matrices are multiplied before all threads work.
    layer, x = _sample(rows=1024, features=768)
    half_layer = deepcopy(layer).to(getattr(torch, dtype))
    half_x = x.to(getattr(torch, dtype))
    with torch.inference_mode():
        ratio = _ratio(lambda x: half_layer(half_x), layer, x, rounds=5)
    if ratio > 2:
        warn(
            f"dtype={dtype!r} is slow on this processor: a product of matrices takes {ratio:.1f} times as long as in "
            "float32. Leave 'dtype' out, or use an accelerator."
        )


def _sample(rows: int, features: int) -> tuple[Any, Any]:
    """Return a linear layer, and what goes into it."""
    import torch

    generator = torch.Generator().manual_seed(0)
    layer = torch.nn.utils.skip_init(torch.nn.Linear, features, 768)  # touches no global random state
    with torch.inference_mode():
        layer.weight.copy_(torch.randn(768, features, generator=generator))
        layer.bias.copy_(torch.randn(768, generator=generator))
    return layer, torch.randn(rows, features, generator=generator)


def converted(layer: Any) -> Product:
    """Return a layer's product in oneDNN's own layout, where what comes in and goes out is copied.

    Operators without the copies (`torch.ops.mkldnn`) are not published by PyTorch, and save a fourteenth to
    a seventh of the time.
    """
    from torch.nn.functional import linear

    weight = layer.weight.detach().to_mkldnn()
    bias = None
    if layer.bias is not None:
        bias = layer.bias.detach().to_mkldnn()

    def forward(x: Any) -> Any:
        return linear(x.to_mkldnn(), weight, bias).to_dense()

    return forward


def _ratio(numerator: Product, denominator: Product, x: Any, rounds: int = 15) -> float:
    """Return the least time of one product over that of another."""
    # The two run in turn, because other work on the machine may slow both.
    least = [float("inf")] * 2
    for _ in range(rounds):
        for side, product in enumerate((numerator, denominator)):
            start = time.perf_counter()
            product(x)
            least[side] = min(least[side], time.perf_counter() - start)
    return least[0] / least[1]
