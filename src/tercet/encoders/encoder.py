"""An encoder ready to embed texts: tokenizer, network, device, and the embeddings of references that it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.engine.ragged import Ragged, ranges
from tercet.errors import InputError

from .embeddings import Batch, Store, Windows, fill, states_of
from .layers import text_config
from .network import Network
from .subwords import Subwords

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


@dataclass(eq=False)
class Encoder:
    """A tokenizer and a network on a device.

    Embeddings of references are kept between calls, at most `KEPT_BYTES` of them, those that have not been used for
    longest going first: several systems with the same references pay for them once.
    """

    subwords: Subwords
    network: Network
    device: Any
    n_layers: int  # number of layers that are embedded: 1, or with all of them the depth and one for the embeddings
    dimensions: int  # length of an embedding
    # whether the batch's padding changes a text's embedding (ConvBERT, FNet, Nystromformer ...): such a network gets
    # batches of one length only, so that no score depends on the batch
    padding_shows: bool
    label: str  # name, and a digest of weights, configuration and tokenizer, as they appear in a signature
    _blocks: list[_Block] = field(default_factory=list)
    _places: dict[bytes, tuple[_Block, int]] = field(default_factory=dict)
    _call: int = 0
    _lock: Any = field(default_factory=Lock)

    @property
    def token_bytes(self) -> int:
        """Bytes that the embedding of a token takes in a store."""
        return 4 * self.n_layers * self.dimensions

    def embed(
        self, windows: Windows, rows: Ragged, keep: NDArray[np.bool_], batch_size: int, bar: Any = None
    ) -> Store:
        """Embed different texts.

        Memory: `token_bytes` for each token, and again for those that are kept.
        """
        import torch

        self.check_ids(rows)
        with torch.inference_mode():
            vectors = torch.empty(
                (self.n_layers, len(rows.values), self.dimensions), dtype=torch.float32, device=self.device
            )
            text_of_window = np.searchsorted(rows.offsets, windows.target, side="right") - 1
            in_one = np.bincount(text_of_window, minlength=len(keep)) == 1  # other windows, other embeddings
            keys = [row.tobytes() if one else b"" for row, one in zip(rows.pieces(), in_one, strict=True)]
            found = self._recall(vectors, keys, rows)
            references = keep[text_of_window]
            for todo in (references & ~found[text_of_window], ~references & ~found[text_of_window]):
                # apart, so that predictions meet the same neighbours, to the bit, when references are recalled
                part = windows.some(todo)
                fill(vectors, part, self._batches(part, batch_size, several=self.n_layers > 1, bar=bar))
            if bar is not None:
                bar.update(int(found.sum()))
            self._keep(vectors, keys, rows, keep & in_one & ~found)
        return Store(vectors, rows.offsets)

    def states(self, windows: Windows, batch_size: int) -> Iterator[Batch]:
        """Yield the states of the layer that is embedded, as :func:`~.embeddings.states_of` does; nothing is kept.

        The caller enters PyTorch's inference mode, which a generator would leave at the wrong time.
        """
        for chosen, states, taken in self._batches(windows, batch_size):
            yield chosen, states[0].float(), taken

    def _batches(self, windows: Windows, batch_size: int, several: bool = False, bar: Any = None) -> Iterator[Batch]:
        return states_of(
            windows, self.network.model, self.device, several=several, padding_id=self.subwords.padding_id,
            budget=self.budget(batch_size), one_length=self.padding_shows, bar=bar,
        )  # fmt: skip

    def budget(self, batch_size: int) -> int:
        """Return how many tokens a batch has at most."""
        return batch_size * (6 if self.device.type == "cpu" else 512)

    def check_ids(self, rows: Ragged) -> None:
        """Raise an InputError for a token that the network has no embedding for."""
        known = getattr(text_config(self.network.config), "vocab_size", None)
        if isinstance(known, int) and rows.values.max(initial=0) >= known:
            number = int(rows.values.max())
            raise InputError(
                f"The tokenizer of this encoder gives the token {self.subwords.tokens([number])[0]!r} (id {number}), "
                f"but the network has only {known} embeddings: the files in the folder do not belong together."
            )

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
