"""Matrix products of the encoder through oneDNN, where that is the faster library for single precision."""

from __future__ import annotations

import time
from functools import cache
from typing import Any


def use_onednn(model: Any) -> bool:
    """Let the linear layers of a model in single precision on the CPU run through oneDNN, if that is faster here.

    PyTorch gives single precision to MKL, which on some processors takes twice as long. The operator is a private
    one of PyTorch: without it, or where it gives other numbers or is not faster, nothing is changed.

    Returns
    -------
    bool
        Whether the layers were replaced.
    """
    import torch

    if not onednn_is_faster():
        return False
    for module in model.modules():
        for layer in module.children():
            if type(layer) is torch.nn.Linear:
                layer.forward = _linear(layer)
    return True


@cache
def onednn_is_faster() -> bool:
    """Return whether oneDNN multiplies single precision matrices correctly here, and in under 0.8 of MKL's time.

    Time: about 30 milliseconds, once per process.
    """
    import torch

    if not torch.backends.mkldnn.is_available():
        return False
    generator = torch.Generator().manual_seed(0)
    layer = torch.nn.utils.skip_init(torch.nn.Linear, 384, 768)  # touches no global random state
    x = torch.randn(512, 384, generator=generator)
    with torch.inference_mode():
        layer.weight.copy_(torch.randn(768, 384, generator=generator))
        layer.bias.zero_()
        try:
            ours = _linear(layer)
            if not torch.allclose(ours(x), layer(x), rtol=1e-4, atol=1e-3):
                return False
        except (AttributeError, RuntimeError, NotImplementedError):
            return False
        return _best_time(ours, x) < 0.8 * _best_time(layer, x)


def _linear(layer: Any) -> Any:
    import torch

    product = torch.ops.mkldnn._linear_pointwise

    def forward(x: Any) -> Any:
        return product(x, layer.weight, layer.bias, "none", [], "")

    return forward


def _best_time(function: Any, x: Any) -> float:
    times = []
    for _ in range(6):
        start = time.perf_counter()
        function(x)
        times.append(time.perf_counter() - start)
    return min(times)
