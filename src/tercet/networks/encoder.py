"""An encoder ready to embed texts: tokenizer, network, device, and the embeddings of references that it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet import numpy_later as np
from tercet.engine.ragged import Ragged, ranges
from tercet.errors import InputError, shorten
from tercet.locks import Lock
from tercet.statistics.progress import HIDDEN_BAR, Bar

from .layers import text_config
from .long_texts import Windows
from .network import Network
from .out_of_memory import halved
from .subwords import Subwords
from .torch_settings import own_settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


class _KeptRows(NamedTuple):
    """Where the embeddings of a text are: from this row of a block on."""

    block: _Block
    start: int


@dataclass(slots=True, eq=False)
class _TextsOfBlock:
    """Which texts have their embeddings in a block, and the rows where they begin."""

    block: _Block
    texts: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)


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
    dtype: str  # precision
    _blocks: list[_Block] = field(default_factory=list)
    #: By the key of a text.
    _kept: dict[bytes, _KeptRows] = field(default_factory=dict)
    _call: int = 0
    _lock: Lock = field(default_factory=Lock)

    @property
    def token_bytes(self) -> int:
        """Bytes that the embedding of a token takes in a store."""
        return 4 * self.n_layers * self.dimensions

    def embed(
        self,
        windows: Windows,
        rows: Ragged,
        keep: NDArray[np.bool_],
        batch_size: int,
        bar: Bar = HIDDEN_BAR,
        widths: NDArray[np.int64] | None = None,
    ) -> Store:
        """Embed different texts; with `widths`, each padded to so many tokens, and then none is kept.

        Memory: `token_bytes` for each token, and again for those that are kept.
        """
        import torch

        self.check_ids(rows)
        with own_settings(), torch.inference_mode():
            vectors = torch.empty(
                (self.n_layers, len(rows.values), self.dimensions), dtype=torch.float32, device=self.device
            )
            # lengths of the states; those of tokens that are recalled are known to be finite
            norms = torch.ones(vectors.shape[:2], dtype=torch.float32, device=self.device)
            text_of_window = np.searchsorted(rows.offsets, windows.target, side="right") - 1
            # The embeddings of a text in several windows depend on their length: they are not kept.
            is_single_window = np.bincount(text_of_window, minlength=len(keep)) == 1
            if widths is not None:
                windows = replace(windows, widths=np.maximum(widths[text_of_window], windows.ids.lengths))
                is_single_window[:] = False
            keys = [b""] * len(keep)  # of texts whose embeddings are kept; empty for the others
            for text, row in enumerate(rows.pieces()):
                if is_single_window[text]:
                    keys[text] = row.tobytes()
            is_recalled = self._recall(vectors, keys, rows)
            # References and predictions apart: a prediction has the same neighbours in its batch, and so the same
            # embedding to the bit, whether or not references are recalled.
            is_reference = keep[text_of_window]
            is_new = ~is_recalled[text_of_window]
            for is_due in (is_new & is_reference, is_new & ~is_reference):
                part = windows.some(is_due)
                fill(vectors, norms, part, self._batches(part, batch_size, several=self.n_layers > 1, bar=bar))
            is_finite = torch.isfinite(norms)
            if not is_finite.all():
                layer, token = (~is_finite).nonzero()[0].tolist()
                text = int(np.searchsorted(rows.offsets, token, side="right")) - 1
                known_layer = layer if self.n_layers > 1 else None
                raise self.not_finite(rows.pieces()[text], known_layer)
            bar.update(int(is_recalled.sum()))
            self._keep(vectors, keys, rows, keep & is_single_window & ~is_recalled)
        return Store(vectors, rows.offsets)

    def states(self, windows: Windows, batch_size: int) -> Iterator[LayerBatch]:
        """Yield the states of the layer that is embedded, batch by batch; nothing is kept.

        The caller enters :func:`.own_settings` and PyTorch's inference mode, which a generator would leave at the
        wrong time.
        """
        for batch in self._batches(windows, batch_size):
            yield LayerBatch(batch.chosen, batch.states[0].float(), batch.is_taken)

    def _batches(
        self, windows: Windows, batch_size: int, several: bool = False, bar: Bar = HIDDEN_BAR
    ) -> Iterator[Batch]:
        """Run windows through the network, batch by batch; with `several`, yield the states of all layers.

        Memory: the network's own for the tokens of a batch. Windows are sorted by length; a batch of equal lengths
        has no mask.
        """
        widths = windows.widths
        if widths is None:
            widths = windows.ids.lengths
        batches = Batches(windows.ids, widths, self.budget(batch_size), self.padding_shows)
        for chosen in batches:
            try:
                states, is_taken = self._states_of_batch(windows, chosen, int(widths[chosen].max()), several)
            except (RuntimeError, MemoryError) as error:
                batches.halve(error)
                continue
            yield Batch(chosen, states, is_taken)
            bar.update(len(chosen))

    def _states_of_batch(
        self, windows: Windows, chosen: NDArray[np.int64], width: int, several: bool
    ) -> tuple[Any, NDArray[np.bool_]]:
        """Return the states of some windows by layer, padded to a width, and which of their tokens are taken."""
        import torch

        padding_id = self.subwords.padding_id
        lengths = windows.ids.lengths[chosen]
        positions = np.arange(width)[None, :]
        is_present = positions < lengths[:, None]
        source = np.where(is_present, windows.ids.offsets[chosen][:, None] + positions, 0)
        ids = np.where(is_present, windows.ids.values[source], padding_id).astype(np.int64)
        is_taken = (positions >= windows.first[chosen][:, None]) & (positions < windows.last[chosen][:, None])
        mask = None
        if not is_present.all() or padding_id in ids:
            mask = torch.from_numpy(is_present.astype(np.int64)).to(self.device)
        states = states_of_ids(self.network.model, torch.from_numpy(ids).to(self.device), mask, several=several)
        return states, is_taken

    def budget(self, batch_size: int) -> int:
        """Return how many tokens a batch has at most."""
        if self.device.type == "cpu":
            return batch_size * 6
        return batch_size * 512

    def check_ids(self, rows: Ragged) -> None:
        """Raise an InputError for a token that the network has no embedding for."""
        n_embeddings = getattr(text_config(self.network.config), "vocab_size", None)
        if isinstance(n_embeddings, int) and rows.values.max(initial=0) >= n_embeddings:
            number = int(rows.values.max())
            raise InputError(
                f"The tokenizer of this encoder gives the token {self.subwords.tokens([number])[0]!r} (id {number}), "
                f"but the network has only {n_embeddings} embeddings: the files in the folder do not belong together."
            )

    def not_finite(self, ids: NDArray[np.int32], layer: int | None = None) -> InputError:
        """Return the error for a text whose states are NaN or infinite; where no layer is given, it is sought."""
        import torch

        if layer is None:
            # The first window of a long text: more tokens than there are positions stop a GPU for good.
            batch = torch.from_numpy(ids[: self.subwords.limit].astype(np.int64))[None].to(self.device)
            layer = first_broken_layer(self.network.model, batch)
        text = self.subwords.tokenizer.decode(ids, skip_special_tokens=True)
        return not_finite_error(f"encoder {self.label}", self.dtype, text, layer)

    def _recall(self, vectors: Any, keys: list[bytes], rows: Ragged) -> NDArray[np.bool_]:
        """Copy the embeddings that are kept into the store and say which texts they are of."""
        import torch

        is_recalled = np.zeros(len(keys), bool)
        with self._lock:
            self._call += 1
            by_block: dict[int, _TextsOfBlock] = {}
            for text, key in enumerate(keys):
                if key in self._kept:
                    is_recalled[text] = True
                    block, start = self._kept[key]
                    block.used = self._call
                    found = by_block.setdefault(id(block), _TextsOfBlock(block))
                    found.texts.append(text)
                    found.starts.append(start)
        for found in by_block.values():
            lengths = rows.lengths[found.texts]
            source = torch.from_numpy(ranges(np.array(found.starts), lengths)).to(self.device)
            target = torch.from_numpy(ranges(rows.offsets[:-1][found.texts], lengths)).to(self.device)
            vectors[:, target] = found.block.vectors[:, source]
        return is_recalled

    def _keep(self, vectors: Any, keys: list[bytes], rows: Ragged, keep: NDArray[np.bool_]) -> None:
        """Keep the embeddings of some texts, in the room that blocks leave which this call did not use."""
        import torch

        lengths = rows.lengths
        with self._lock:
            room = KEPT_BYTES - sum(block.n_bytes for block in self._blocks if block.used == self._call)
            fits = keep & (np.cumsum(np.where(keep, lengths, 0)) * self.token_bytes <= room)
            texts = np.flatnonzero(fits)
            if not len(texts):
                return
            n_bytes_needed = int(lengths[texts].sum()) * self.token_bytes
            for block in sorted(self._blocks, key=lambda block: block.used):
                if sum(kept_block.n_bytes for kept_block in self._blocks) + n_bytes_needed <= KEPT_BYTES:
                    break
                self._blocks.remove(block)
                self._kept = {key: kept for key, kept in self._kept.items() if kept.block is not block}
            source = torch.from_numpy(ranges(rows.offsets[:-1][texts], lengths[texts])).to(self.device)
            new_block = _Block(vectors[:, source], self._call)
            self._blocks.append(new_block)
            starts = np.cumsum(lengths[texts]) - lengths[texts]
            for text, start in zip(texts, starts, strict=True):
                self._kept[keys[text]] = _KeptRows(new_block, int(start))


# Rows of token ids -> the states of a network in batches of near lengths, and a flat store of embeddings.


@dataclass(frozen=True, slots=True)
class Store:
    """Embeddings of texts, one after the other."""

    vectors: Any  # of length one each, on the device of the encoder
    offsets: NDArray[np.int64]  # text i has the rows offsets[i] to offsets[i + 1]


class Batch(NamedTuple):
    """Windows that ran through the network together, b of them, padded to a width."""

    chosen: NDArray[np.int64]  # which windows
    states: Any  # shape (layers, b, width, dimensions)
    is_taken: NDArray[np.bool_]  # which of their tokens are taken, shape (b, width)


class LayerBatch(NamedTuple):
    """A batch with the states of one layer."""

    chosen: NDArray[np.int64]
    states: Any  # shape (b, width, dimensions), in single precision
    is_taken: NDArray[np.bool_]


def fill(vectors: Any, norms: Any, windows: Windows, batches: Iterable[Batch]) -> None:
    """Write the normalised embeddings of windows into a store, batch by batch, and what their lengths were."""
    import torch

    for chosen, states, is_taken in batches:
        target = (windows.target[chosen] - windows.first[chosen])[:, None] + np.arange(is_taken.shape[1])[None, :]
        states = states.flatten(1, 2)
        if not is_taken.all():
            taken = torch.from_numpy(np.flatnonzero(is_taken)).to(vectors.device)
            states = states[:, taken]
        rows = target[is_taken]
        # of length one, so that the cosine of two embeddings is their product
        states = states.float()
        lengths = torch.linalg.vector_norm(states, dim=-1)
        rows_of_tokens = torch.from_numpy(rows).to(vectors.device)
        vectors[:, rows_of_tokens] = states / lengths[..., None]
        norms[:, rows_of_tokens] = lengths


def not_finite_error(network: str, dtype: str, text: str | None = None, layer: int | None = None) -> InputError:
    """Return the error for a network that gives NaN or infinities, for a text, from a layer on."""
    where = ""
    if text is not None:
        where += f" for the text {shorten(text)}"
    if layer is not None:
        where += f", from layer {layer} on"
    advice = "Its weights are broken, or diverged in training: give others."
    if dtype == "float16":
        advice = "float16 ends at 65504, and greater numbers are infinite: leave 'dtype' out, or give 'bfloat16'."
    return InputError(f"The {network} gives NaN or infinities{where}, in {dtype}. {advice}")


def first_broken_layer(model: Any, ids: Any) -> int | None:
    """Return the first layer, from 0, whose states of some ids are not finite; None where no layer tells."""
    import torch

    with own_settings(), torch.inference_mode():
        try:
            states = states_of_ids(model, ids, None, several=True)
        except Exception:  # this is for a message alone, and not every network shows its layers
            return None
        is_finite = torch.isfinite(states).flatten(1).all(1).tolist()
    return is_finite.index(False) if False in is_finite else None


def states_of_ids(model: Any, ids: Any, mask: Any, *, several: bool) -> Any:
    """Return the states of a batch, shape (layers, b, width, dimensions), of all layers or of the last one.

    A layer that is narrower than another, as those below a last projection, is filled up with zeros: they change no
    cosine.
    """
    import torch

    output = model(ids, attention_mask=mask, output_hidden_states=several, return_dict=True)
    if not several:
        return output.last_hidden_state[None]
    widest = max(states.shape[-1] for states in output.hidden_states)
    layers = []
    for states in output.hidden_states:
        n_missing = widest - states.shape[-1]
        if n_missing:
            states = torch.nn.functional.pad(states, (0, n_missing))
        layers.append(states)
    return torch.stack(layers)


def order_of(ids: Ragged) -> NDArray[np.int64]:
    """Return the order by length, the longest first, and by ids: batches do not depend on the order of the texts."""
    rows = [row.tobytes() for row in ids.pieces()]
    return np.array(sorted(range(len(rows)), key=lambda index: (-len(rows[index]), rows[index])), np.int64)


class Batches:
    """The indices of windows of near lengths, the longest first, of at most `budget` tokens with padding.

    With `one_length` a batch has windows of one length only.
    """

    def __init__(self, ids: Ragged, lengths: NDArray[np.int64], budget: int, one_length: bool) -> None:
        order = order_of(ids)
        self._order = order[np.argsort(-lengths[order], kind="stable")]
        self._lengths = lengths[self._order]
        self._budget = budget
        self._one_length = one_length
        # the batch that was given last: where it begins in the order, and its size
        self._start = 0
        self._size = 0

    def __iter__(self) -> Iterator[NDArray[np.int64]]:
        while self._start < len(self._order):
            longest = int(self._lengths[self._start])
            self._size = max(1, self._budget // longest)
            if self._one_length:
                self._size = min(self._size, int((self._lengths[self._start :] == longest).sum()))
            chosen = self._order[self._start : self._start + self._size]
            self._size = len(chosen)
            self._start += self._size
            yield chosen

    def halve(self, error: BaseException) -> None:
        """Give the last batch again in batches of half its size, where the error says that memory ran out."""
        self._start -= self._size
        self._budget = halved(self._size, error) * int(self._lengths[self._start])
