"""Networks that are in memory already: a model of transformers or of sentence-transformers, or what holds one."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakSet

from tercet.errors import OptionError, warn

#: Bytes that are read at a time.
_PIECE = 1 << 25


@dataclass(frozen=True, slots=True, eq=False)
class InMemory:
    """A network in memory, with its tokenizer; equal if both are the same objects."""

    model: Any
    tokenizer: Any = None  # None for that of the model's name or folder
    #: The SentenceTransformer around the model; None where there is none.
    sentence: Any = None

    @classmethod
    def of(cls, value: Any) -> InMemory | None:
        """Return the network that a value is or holds (of a Trainer, a pipeline); None where there is none."""
        if isinstance(value, cls):
            return value
        model = value
        if not _is_module(value):
            model = getattr(value, "model", None)
        if not _is_module(model):
            return None
        tokenizer = getattr(value, "processing_class", None) or getattr(value, "tokenizer", None)
        model = _unwrapped(model)
        sentence = None
        if hasattr(model, "similarity_fn_name"):
            sentence = model
            first_module = sentence[0]
            model = _unwrapped(getattr(first_module, "model", first_module))
            tokenizer = sentence.tokenizer
        if hasattr(model, "get_base_model"):  # adapters of PEFT are layers of the model that they were put into
            if getattr(getattr(model, "active_peft_config", None), "is_prompt_learning", False):
                raise OptionError(
                    f"The {type(model).__name__} learned a prompt, which is no layer of its model and would be left "
                    "out: only adapters that are layers, such as LoRA, are scored."
                )
            model = model.get_base_model()
        if _is_static(model):
            return cls(model, model.tokenizer, sentence)
        if not hasattr(model, "config"):
            return None
        if not hasattr(tokenizer, "convert_ids_to_tokens"):
            tokenizer = None
        return cls(model, tokenizer, sentence)

    def with_tokenizer(self, tokenizer: Any) -> InMemory:
        """Return this network with another tokenizer, unless that is None."""
        if tokenizer is None:
            return self
        return replace(self, tokenizer=tokenizer)

    @property
    def name(self) -> str:
        """The name or folder that the model was loaded from; its class, where it was not loaded."""
        return self.source or type(self.model).__name__

    @property
    def source(self) -> str:
        """The name or folder that the model was loaded from; empty where it was not."""
        return str(getattr(self.model, "name_or_path", "") or "")

    @property
    def config(self) -> Any:
        """The configuration of transformers."""
        if _is_static(self.model):
            return self.network().config
        return self.model.config

    def tokenizer_copy(self) -> Any:
        """Return a copy of the tokenizer, whose settings change with calls."""
        if hasattr(self.tokenizer, "convert_ids_to_tokens"):
            return deepcopy(self.tokenizer)
        from .static import static_tokenizer

        return static_tokenizer(self.tokenizer)

    def network(self) -> Any:
        """Return a copy, in evaluation mode: so the model itself may be in training."""
        if _is_static(self.model):
            from .static import StaticNetwork

            return StaticNetwork(self.model.embedding.weight.detach().clone())
        network = deepcopy(self.model)
        vars(network).pop("forward", None)  # what accelerate puts there runs the model that was copied
        return network.eval().requires_grad_(False)

    def state(self) -> tuple[object, ...]:
        """Return a key that changes with the weights: sums of each tensor's bits, by their positions. Time: one read.

        It changes too with the adapters that are at work.
        """
        import torch

        sums = [torch.zeros((), dtype=torch.int64)]
        for _, tensor in tensors_of(self.model):
            bits = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
            for piece in bits.split(_PIECE):
                if piece.storage_offset() % 8:  # of sharded training: no view of eight bytes begins there
                    piece = piece.clone()
                n_numbers = len(piece) // 8
                numbers = piece[: n_numbers * 8].view(torch.int64)
                rest = piece[n_numbers * 8 :]
                positions = torch.arange(1, n_numbers + 1, device=bits.device)
                sums.append(((numbers * positions).sum() + rest.sum()).cpu())
        return (*torch.stack(sums).tolist(), *adapters_of(self.model))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InMemory) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{type(self.sentence or self.model).__name__} {self.source!r}>"

    @property
    def _parts(self) -> tuple[int, ...]:
        return id(self.model), id(self.tokenizer), id(self.sentence)


def adapters_of(network: Any) -> list[str]:
    """Return which adapters of PEFT are at work in each layer that has some, and how strongly."""
    # models of transformers have a method of this name
    layers = [layer for layer in network.modules() if isinstance(getattr(layer, "disable_adapters", None), bool)]
    return [f"{layer.active_adapters} {layer.disable_adapters} {getattr(layer, 'scaling', '')}" for layer in layers]


def is_quantized(network: Any) -> bool:
    """Return whether a network was quantized, by transformers or PyTorch: then it stays as it is, and where it is."""
    if getattr(network, "is_quantized", False) or getattr(network, "hf_quantizer", None) is not None:
        return True
    return _is_packed(network)


def _is_packed(network: Any) -> bool:
    """Return whether PyTorch quantized a network, which packs the weights of its layers."""
    return any(hasattr(layer, "_packed_params") for layer in network.modules())


def dtype_of(network: Any) -> str:
    """Return the name of a network's precision."""
    if _is_packed(network):
        return "qint8"
    return str(network.dtype).removeprefix("torch.")


def tensors_of(network: Any) -> Iterator[tuple[str, Any]]:
    """Yield the weights of a network by name, those that PyTorch quantized as the numbers that they stand for."""
    import torch

    for name, value in network.state_dict().items():
        tensors = value if isinstance(value, tuple) else (value,)  # a packed layer has its weights and bias in one
        for tensor in tensors:
            if not isinstance(tensor, torch.Tensor):
                continue
            if tensor.is_meta:
                raise OptionError(
                    f"The {type(network).__name__} has weights that are not in memory, such as {name!r}: it was "
                    "offloaded (accelerate), or made on the device meta. Give a model that is wholly in memory, or "
                    "its folder."
                )
            if tensor.is_quantized:
                tensor = tensor.dequantize()
            yield name, tensor


#: Models of which was said that their copy has another precision: once for each.
_told: WeakSet[Any] = WeakSet()


def tell_of_copy(model: Any, dtype: str | None) -> None:
    """Warn that a model in memory in half precision is copied in single precision, where nobody asked for either."""
    if dtype is not None or not isinstance(model, InMemory) or model.model in _told:
        return
    # static embeddings that came from files are in memory too, but nobody's own, and small
    if _is_static(model.model) or type(model.model).__name__ == "StaticNetwork" or is_quantized(model.model):
        return
    precision = dtype_of(model.model)
    if precision not in ("float16", "bfloat16"):
        return
    _told.add(model.model)
    gigabytes = 4 * sum(weight.numel() for weight in model.model.parameters()) / 1e9
    warn(
        f"The {type(model.model).__name__} in memory is in {precision}; what is scored is a copy in float32, which "
        f"takes {gigabytes:.1f} GB beside it. dtype='auto' copies it as it is; tercet.free_models() frees the copy."
    )


def unknown_tokenizer(model: InMemory, option: str) -> OptionError:
    """Return the error for a model that was not loaded from a folder with a tokenizer."""
    return OptionError(
        f"The {type(model.model).__name__} given as {option!r} does not say from where it was loaded: give its "
        "tokenizer as 'processing_class'."
    )


def _unwrapped(model: Any) -> Any:
    """Return a model without what torch.compile and training on several devices put around it."""
    inner = model
    while _is_module(inner):
        model = inner
        inner = getattr(model, "_orig_mod", None) or getattr(model, "module", None)
    return model


def _is_static(model: Any) -> bool:
    """Return whether a model is the module of static embeddings of sentence-transformers."""
    return type(model).__name__ == "StaticEmbedding" and hasattr(model, "embedding")


def _is_module(value: Any) -> bool:
    return hasattr(value, "state_dict") and hasattr(value, "named_modules")
