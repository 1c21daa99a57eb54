"""A causal language model: loaded once, kept for later calls, it gives the surprisal of each token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tercet.encoders.embeddings import batches_of
from tercet.encoders.find import found, load_tokenizer, locate, quiet, tell_of_load
from tercet.encoders.load import (
    LOADING,
    best_device,
    kept,
    label_of,
    leave_threads_of_the_parent,
    model_name,
    state_of,
    usable,
)
from tercet.encoders.network import check_weights, weights_digest
from tercet.encoders.onednn import suit_processor
from tercet.encoders.subwords import fingerprint_of
from tercet.errors import InputError, OptionError
from tercet.statistics.progress import bar_of, line_of

from .windows import Windows

_OPTION = "model_id"

#: Bytes of logits, in single precision, that are held at a time.
_LOGITS_BYTES = 1 << 25

#: Where configurations say how many tokens a model takes.
_LIMITS = ("max_position_embeddings", "n_positions", "max_seq_len", "n_ctx")


@dataclass(frozen=True, slots=True, eq=False)
class LanguageModel:
    """A causal language model with its tokenizer."""

    tokenizer: Any
    network: Any  # in evaluation mode
    # the parts that give hidden states, and logits for some of them; None where the whole is more than the two
    body: Any
    head: Any
    device: Any
    vocabulary_size: int  # number of tokens that the network has a logit for
    limit: int | None  # the greatest number of tokens that the model takes; None for no limit
    label: str  # its name with a digest of weights, configuration and tokenizer
    _lock: Any = field(default_factory=Lock)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts of any length, without special tokens around them."""
        if not texts:
            return []
        with self._lock:  # a tokenizer serves one thread at a time
            rows: list[list[int]] = self.tokenizer(
                list(texts), add_special_tokens=False, truncation=False, padding=False, return_attention_mask=False,
                verbose=False,
            )["input_ids"]  # fmt: skip
        greatest = max((max(row) for row in rows if row), default=0)
        if greatest >= self.vocabulary_size:
            raise InputError(
                f"The tokenizer of this language model gives the id {greatest}, but the network has only "
                f"{self.vocabulary_size} logits: the files of the folder do not belong together."
            )
        return rows

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character span of each token of a text."""
        if not getattr(self.tokenizer, "is_fast", False):
            return self._decoded_spans(text)
        with self._lock:
            encoded = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return [(start, stop) for start, stop in encoded["offset_mapping"]]

    def _decoded_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the same for a tokenizer without offsets: decode every beginning of the ids, and take its length."""
        (ids,) = self.ids([text])
        ends = [len(self.tokenizer.decode(ids[:stop]).rstrip("\ufffd")) for stop in range(len(ids) + 1)]
        return [(min(start, len(text)), min(stop, len(text))) for start, stop in pairwise(ends)]

    def surprisals(self, windows: Windows, batch_size: int) -> NDArray[np.float64]:
        """Return the negative log-likelihood in nats of every target of some windows.

        Windows are sorted by length and padded on the right, where a causal model does not look. Time: the network's,
        and the head's for the targets alone. Memory: the network's own for the tokens of a batch (or of one window),
        and 32 MB of logits at a time; where `head` is None, the logits of a batch, up to 256 MB (or of one window).
        """
        import torch

        found = np.zeros(windows.n_targets)
        lengths = windows.ids.lengths - 1  # the last token predicts nothing
        budget = batch_size * (24 if self.device.type == "cpu" else 512)
        if self.head is None:
            budget = min(budget, (1 << 28) // (4 * self.vocabulary_size))
        with torch.inference_mode(), bar_of("reading", "texts", len(lengths), delay=0) as bar:
            for chosen in batches_of(windows.ids, lengths, budget, one_length=False):
                within = np.arange(int(lengths[chosen].max()))[None, :]
                present = within < lengths[chosen][:, None]
                source = np.where(present, windows.ids.offsets[chosen][:, None] + within, 0)
                ids = np.where(present, windows.ids.values[source], 0).astype(np.int64)
                asked = present & (within + 1 >= windows.first[chosen][:, None])
                targets = windows.ids.values[source[asked] + 1].astype(np.int64)
                flat = torch.from_numpy(np.flatnonzero(asked)).to(self.device)
                values = self._surprisals(torch.from_numpy(ids).to(self.device), flat, targets)
                place = (windows.target - windows.first)[chosen][:, None] + within + 1
                found[place[asked]] = values
                if bar is not None:
                    bar.update(len(chosen))
        return found

    def _surprisals(self, ids: Any, flat: Any, targets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the surprisals of what follows some places of a batch, given as if its rows were one."""
        import torch

        wanted = torch.from_numpy(targets).to(self.device)
        if self.head is None:
            states = self.network(input_ids=ids, use_cache=False).logits.flatten(0, 1)
        else:
            states = self.body(input_ids=ids, use_cache=False).last_hidden_state.flatten(0, 1)
        size = max(1, _LOGITS_BYTES // (4 * self.vocabulary_size))
        parts = []
        for places, following in zip(flat.split(size), wanted.split(size), strict=True):
            logits = states[places] if self.head is None else self.head(states[places])
            logits = logits.float()
            parts.append(torch.logsumexp(logits, 1) - logits.gather(1, following[:, None])[:, 0])
        values: NDArray[np.float64] = torch.cat(parts).double().cpu().numpy()
        return values


def language_model(model_id: str, device: str | None, dtype: str | None) -> LanguageModel:
    """Return a language model; the last two are kept for later calls."""
    model = locate(model_id, _OPTION)
    with LOADING, line_of(f"loading the language model {model_name(model)}"):
        leave_threads_of_the_parent()
        return _language_model(model, state_of(model), best_device(device), dtype or "float32")


@kept(2)
def _language_model(model: str, state: tuple[object, ...], device: str, dtype: str) -> LanguageModel:
    import torch
    import transformers

    where, tokenizer = usable(device), load_tokenizer(model, _OPTION)
    tell_of_load(model, where, _OPTION)
    with quiet(), torch.random.fork_rng(devices=[]):
        network, report = found(
            model, transformers.AutoModelForCausalLM.from_pretrained, _OPTION,
            use_safetensors=True, dtype=getattr(torch, dtype), output_loading_info=True,
        )  # fmt: skip
    missing = set(report["missing_keys"])
    _check_head(network, missing, model)
    check_weights(network, missing, model, "language model")
    network = network.eval().requires_grad_(False)
    label = label_of(model, weights_digest(network), fingerprint_of(tokenizer, tokenizer.bos_token_id))
    network = network.to(where)
    suit_processor(network, where, dtype)
    with torch.inference_mode():
        _check_causal(network, where, model)
        logits = network(input_ids=_probe(where)[:1], use_cache=False).logits
        body, head = _parts(network, where, logits)
    return LanguageModel(tokenizer, network, body, head, where, logits.shape[-1], _limit(network.config), label)


def _probe(device: Any) -> Any:
    """Return two rows of ids that differ in their second half."""
    import torch

    return torch.tensor([[3, 4, 5, 6, 7, 8], [3, 4, 5, 9, 10, 11]], device=device)


def _check_head(network: Any, missing: set[str], model: str) -> None:
    """Refuse an encoder: all of it is there but what predicts tokens."""
    left = missing & set(network.state_dict())
    if left and not any(name.startswith(f"{network.base_model_prefix}.") for name in left):
        raise OptionError(
            f"The model {model!r}, given as 'model_id', is not a causal language model: its files hold no layer that "
            "predicts tokens, so it is an encoder. Perplexity needs a model such as GPT-2 or Llama."
        )


def _check_causal(network: Any, device: Any, model: str) -> None:
    """Refuse a network that looks ahead, and so sees the token that it should predict."""
    one, other = network(input_ids=_probe(device), use_cache=False).logits[:, :3].float()
    if not _near(one, other, network.dtype):
        raise OptionError(
            f"The model {model!r}, given as 'model_id', is not a causal language model: its output at a token "
            "depends on the tokens after it. Perplexity needs one that reads from left to right, such as GPT-2 or "
            "Llama."
        )


def _parts(network: Any, device: Any, logits: Any) -> tuple[Any, Any]:
    """Return the body and the head, if they are all that makes the logits; else None twice."""
    body, head = network.base_model, network.get_output_embeddings()
    if head is None or body is network:
        return None, None
    states = getattr(body(input_ids=_probe(device)[:1], use_cache=False), "last_hidden_state", None)
    if states is None or not _near(head(states).float(), logits.float(), network.dtype):
        return None, None  # some scale or cap their logits
    return body, head


def _near(one: Any, other: Any, dtype: Any) -> bool:
    import torch

    scale = other.abs().max()
    return bool((one - other).abs().max() <= scale * (1e-4 if dtype == torch.float32 else 0.05))


def _limit(config: Any) -> int | None:
    of_text = config.get_text_config()
    limits = [getattr(of_text, name, None) for name in _LIMITS]
    return next((limit for limit in limits if isinstance(limit, int) and limit > 0), None)
