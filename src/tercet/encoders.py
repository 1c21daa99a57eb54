"""An encoder ready to embed texts: tokenizer, network, device, and the embeddings of references it keeps."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .embeddings import Store, Windows, fill
from .encoder_models import Network, load_config, load_network, load_tokenizer, locate, model_depth
from .encoder_names import best_layer
from .errors import OptionError
from .groups import ranges
from .onednn import use_onednn
from .subwords import Subwords
from .tokens import Ragged

#: Bytes of reference embeddings that an encoder keeps from call to call.
KEPT_BYTES = 1 << 30


@dataclass(slots=True, eq=False)
class _Block:
    """Kept embeddings, shape (layers, tokens, dimensions), and the call that used them last."""

    vectors: Any
    used: int

    @property
    def n_bytes(self) -> int:
        return int(self.vectors.numel() * self.vectors.element_size())


@dataclass(slots=True, eq=False)
class Encoder:
    """A tokenizer and a network on a device.

    Embeddings of references are kept between calls, at most `KEPT_BYTES` of them, those that have not been used for
    longest going first: several systems with the same references pay for them once.

    Attributes
    ----------
    subwords : Subwords
    network : Network
    device : torch.device
    n_layers : int
        Number of layers that are embedded: 1, or with all of them the depth and one for the embeddings.
    label : str
        Name and digest of the weights, as they stand in a signature.
    padding_shows : bool
        Whether the network embeds a text in another way when the batch pads it (ConvBERT, FNet, Nystromformer ...):
        such a one gets batches of one length only, so that no score depends on the batch.
    """

    subwords: Subwords
    network: Network
    device: Any
    n_layers: int
    label: str
    padding_shows: bool
    _blocks: list[_Block] = field(default_factory=list)
    _places: dict[bytes, tuple[_Block, int]] = field(default_factory=dict)
    _call: int = 0
    _lock: Any = field(default_factory=Lock)

    @property
    def dimensions(self) -> int:
        """Length of an embedding."""
        config = self.network.config
        return int(getattr(config, "hidden_size", None) or config.d_model)

    @property
    def token_bytes(self) -> int:
        """Bytes that the embedding of a token takes in a store."""
        return 4 * self.n_layers * self.dimensions

    def embed(
        self, windows: Windows, rows: Ragged, keep: NDArray[np.bool_], batch_size: int, bar: Any = None
    ) -> Store:
        """Embed different texts.

        Parameters
        ----------
        windows : Windows
            What to run; a window per text unless some are too long for the encoder.
        rows : Ragged of int32
            Ids of each text, all different.
        keep : ndarray of bool, shape (n,)
            Which texts are references, worth keeping for other calls.
        batch_size : int
            The encoder takes so many texts of 512 tokens at a time on an accelerator, of 16 on the CPU.
        bar : tqdm, optional
            Told of every batch.

        Returns
        -------
        Store

        Notes
        -----
        Memory: `token_bytes` for each token, and again for those that are kept.
        """
        import torch

        with torch.inference_mode():
            vectors = torch.empty(
                (self.n_layers, len(rows.values), self.dimensions), dtype=torch.float32, device=self.device
            )
            text_of_window = np.searchsorted(rows.offsets, windows.target, side="right") - 1
            in_one = np.bincount(text_of_window, minlength=len(keep)) == 1  # other windows, other embeddings
            keys = [
                row.tobytes() if one else b""
                for row, one in zip(np.split(rows.values, rows.offsets[1:-1]), in_one, strict=True)
            ]
            found = self._recall(vectors, keys, rows)
            budget = batch_size * (16 if self.device.type == "cpu" else 512)
            references = keep[text_of_window]
            for todo in (references & ~found[text_of_window], ~references & ~found[text_of_window]):
                # apart, so that predictions meet the same neighbours, to the bit, when references are recalled
                fill(
                    vectors,
                    _some(windows, todo),
                    self.network.model,
                    padding_id=self.subwords.padding_id,
                    budget=budget,
                    one_length=self.padding_shows,
                    bar=bar,
                )
            if bar is not None:
                bar.update(int(found.sum()))
            self._keep(vectors, keys, rows, keep & in_one & ~found)
        return Store(vectors, rows.offsets)

    def _recall(self, vectors: Any, keys: list[bytes], rows: Ragged) -> NDArray[np.bool_]:
        """Copy the embeddings that are kept into the store and say which texts they are of."""
        import torch

        found = np.zeros(len(keys), bool)
        with self._lock:
            self._call += 1
            by_block: dict[int, tuple[_Block, list[int], list[int]]] = {}
            for text, key in enumerate(keys):
                place = self._places.get(key)
                if place is not None:
                    found[text] = True
                    block, start = place
                    block.used = self._call
                    _, texts, starts = by_block.setdefault(id(block), (block, [], []))
                    texts.append(text)
                    starts.append(start)
        for block, texts, starts in by_block.values():
            lengths = rows.lengths[texts]
            source = torch.from_numpy(ranges(np.array(starts), lengths)).to(self.device)
            target = torch.from_numpy(ranges(rows.offsets[:-1][texts], lengths)).to(self.device)
            vectors[:, target] = block.vectors[:, source]
        return found

    def _keep(self, vectors: Any, keys: list[bytes], rows: Ragged, keep: NDArray[np.bool_]) -> None:
        """Keep the embeddings of some texts, in the room that blocks leave which this call did not use."""
        import torch

        lengths = rows.lengths
        with self._lock:
            room = KEPT_BYTES - sum(block.n_bytes for block in self._blocks if block.used == self._call)
            fitting = keep & (np.cumsum(np.where(keep, lengths, 0)) * self.token_bytes <= room)
            texts = np.flatnonzero(fitting)
            if not len(texts):
                return
            need = int(lengths[texts].sum()) * self.token_bytes
            for block in sorted(self._blocks, key=lambda block: block.used):
                if sum(each.n_bytes for each in self._blocks) + need <= KEPT_BYTES:
                    break
                self._blocks.remove(block)
                self._places = {key: place for key, place in self._places.items() if place[0] is not block}
            source = torch.from_numpy(ranges(rows.offsets[:-1][texts], lengths[texts])).to(self.device)
            new = _Block(vectors[:, source], self._call)
            self._blocks.append(new)
            starts = np.cumsum(lengths[texts]) - lengths[texts]
            self._places.update((keys[text], (new, int(start))) for text, start in zip(texts, starts, strict=True))


def subwords_of(model_type: str, prefix_space: bool | str = "auto", use_fast: bool = False) -> Subwords:
    """Return the tokenizer of an encoder, without its weights; kept for later calls."""
    model = locate(model_type)
    return _subwords(model, _changed(model, ("*.json", "*.txt", "*.model")), prefix_space, use_fast)


def encoder_of(
    model_type: str,
    num_layers: int | None,
    *,
    all_layers: bool = False,
    device: str | None = None,
    dtype: str | None = None,
    prefix_space: bool | str = "auto",
    use_fast: bool = False,
    use_safetensors: bool = True,
) -> Encoder:
    """Return an encoder; the last two are kept for later calls.

    Parameters
    ----------
    model_type : str
        A folder or a name of the Hub.
    num_layers : int or None
        The layer whose embeddings are used: None for the one that bert-score uses for this name.
    all_layers : bool
        Whether the embeddings of every layer are used.
    device : str or None
        None for the first of ``cuda``, ``mps`` and ``cpu`` that is there.
    dtype : {None, "float32", "bfloat16", "float16"}
        Precision of the network; None for float32.

    Raises
    ------
    OptionError
        When the encoder cannot be found, or the layer is not known or not there.
    """
    model = locate(model_type)
    chosen = None if all_layers else chosen_layer(model_type, num_layers)
    subwords = subwords_of(model_type, prefix_space, use_fast)
    with _loading:
        return _encoder(
            model, _changed(model, ("*.safetensors", "*.bin", "config.json")), chosen, _device(device),
            dtype or "float32", use_safetensors, subwords,
        )  # fmt: skip


def chosen_layer(model_type: str, num_layers: int | None) -> int:
    """Return the layer that is used: the one asked for, or bert-score's for this model.

    Raises
    ------
    OptionError
        For a model that bert-score has no layer for.
    """
    layer = num_layers if num_layers is not None else best_layer(model_type)
    if layer is not None:
        return layer
    depth = model_depth(load_config(locate(model_type)))
    raise OptionError(
        f"bertscore_idf knows no best layer for the encoder {model_type!r}: give 'num_layers', from 0 to {depth}. "
        f"Two thirds of the depth, num_layers={max(1, round(depth * 2 / 3))}, is a usual choice; all_layers=True "
        "scores with every layer, to compare them on graded data."
    )


_loading = Lock()


@lru_cache(maxsize=2)
def _encoder(
    model: str,
    changed: int,
    num_layers: int | None,
    device: str,
    dtype: str,
    use_safetensors: bool,
    subwords: Subwords,
) -> Encoder:
    import torch

    try:
        where = torch.device(device)
        torch.zeros(1, device=where).cpu()
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise OptionError(f"The 'device' {device!r} cannot be used here: {reason}") from error
    network = load_network(model, load_config(model), num_layers, use_safetensors)
    network.model.to(where, getattr(torch, dtype))
    if where.type == "cpu" and dtype == "float32":
        use_onednn(network.model)
    n_layers = network.depth + 1 if num_layers is None else 1
    name = re.sub(r"[|:,\s]", "_", Path(model).name if Path(model).is_dir() else model)
    label = f"{name}@{network.digest}"
    return Encoder(subwords, network, where, n_layers, label, _padding_shows(network.model, subwords, where))


def _padding_shows(model: Any, subwords: Subwords, device: Any) -> bool:
    """Return whether a short text comes out otherwise beside a longer one, by more than rounding explains."""
    import torch

    texts = ("a b", "a b c d e f g h i j")
    rows = [subwords.whole([text]).values[: subwords.limit].astype(np.int64) for text in texts]
    short, long = (torch.from_numpy(row).to(device)[None] for row in rows)
    padded = torch.full_like(long, subwords.padding_id)
    padded[:, : short.shape[1]] = short
    mask = (torch.arange(long.shape[1], device=device) < short.shape[1])[None]
    with torch.inference_mode():
        alone = model(short, return_dict=True).last_hidden_state[0].float()
        both = (
            model(
                torch.cat([long, padded]),
                attention_mask=torch.cat([torch.ones_like(mask), mask]).long(),
                return_dict=True,
            )
            .last_hidden_state[1, : short.shape[1]]
            .float()
        )
        difference = torch.nn.functional.normalize(alone, dim=1) - torch.nn.functional.normalize(both, dim=1)
    return bool(difference.abs().max() > (1e-4 if model.dtype == torch.float32 else 0.05))


@lru_cache(maxsize=8)
def _subwords(model: str, changed: int, prefix_space: bool | str, use_fast: bool) -> Subwords:
    return Subwords(load_tokenizer(model), load_config(model), prefix_space, use_fast)


def _changed(model: str, patterns: Iterable[str]) -> int:
    """Return when a folder's files were last written: a model that is being trained is loaded anew."""
    folder = Path(model)
    times = [path.stat().st_mtime_ns for pattern in patterns for path in folder.glob(pattern)]
    return max(times, default=0) if folder.is_absolute() else 0


def _device(asked: str | None) -> str:
    import torch

    if asked is not None:
        return asked
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _some(windows: Windows, chosen: NDArray[np.bool_]) -> Windows:
    if chosen.all():
        return windows
    lengths = windows.ids.lengths[chosen]
    values = windows.ids.values[ranges(windows.ids.offsets[:-1][chosen], lengths)]
    ids = Ragged(values, np.append(0, np.cumsum(lengths)))
    return Windows(ids, windows.first[chosen], windows.last[chosen], windows.target[chosen])
