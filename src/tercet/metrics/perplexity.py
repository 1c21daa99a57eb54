"""Perplexity of texts under a causal language model: how much each token surprises it, given the tokens before."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import log
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from tercet import numpy_later as np
from tercet.base.about import from_card
from tercet.base.dialects import Dialect
from tercet.base.metric import Metric
from tercet.base.options import OnlyWith, option
from tercet.base.rows import base_without_references
from tercet.base.scoring import segment_lists, warn_of
from tercet.base.shared_options import ATTN_IMPLEMENTATION, PROCESSING_CLASS, REVISION, dtype_option
from tercet.corpus.corpus import Corpus
from tercet.corpus.normalizers import label_of_normalizers
from tercet.engine.ragged import Ragged
from tercet.errors import InputError, OptionError, needs, setting, shorten
from tercet.explanation.explanation import Explanation
from tercet.explanation.matches import Word
from tercet.explanation.parts import Heading, Legend, Line, Part, Sentence, Table
from tercet.explanation.pictures import Piece, surprise_html
from tercet.locks import Lock
from tercet.networks.adapters import put_adapter
from tercet.networks.encoder import Batches, first_broken_layer, not_finite_error
from tercet.networks.in_memory import InMemory, dtype_of, is_quantized, tell_of_copy
from tercet.networks.load import (
    LOADING,
    best_device,
    keep_last,
    label_of,
    leave_threads_of_the_parent,
    model_name,
    state_of,
    usable,
    use_attention,
)
from tercet.networks.long_texts import cut_warning
from tercet.networks.model_files import (
    Located,
    base_of,
    load_base,
    load_tokenizer,
    locate,
    network_of,
    quiet,
    tell_of_load,
)
from tercet.networks.network import check_weights, weights_digest
from tercet.networks.onednn import suit_processor
from tercet.networks.path_options import path_or_model
from tercet.networks.subwords import fingerprint_of, positions_of
from tercet.networks.torch_settings import own_settings
from tercet.option_checks import as_device, as_scale, integer
from tercet.signature import Signature
from tercet.statistics.progress import bar_of, line_of
from tercet.statistics.stats import Scores, SegmentStats

if TYPE_CHECKING:
    import torch
    from numpy.typing import NDArray
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer


#: evaluate's defaults where they differ.
PRESETS = {"evaluate": {"long_text": "truncate"}}

#: Keys of evaluate's perplexity.
DIALECTS = {
    "evaluate": Dialect(
        {"compat": "evaluate"},
        keys={name: name for name in ("perplexities", "mean_perplexity")},
        left_out=("perplexity", "bits_per_"),
    )
}


Array: TypeAlias = "NDArray[np.float64]"


class Perplexity(Metric):
    """Perplexity: how well a causal language model predicts each token.

    Source: Jelinek et al. 1977; the definition of evaluate's `perplexity`, and for long texts the windows of
    "Perplexity of fixed-length models" in the documentation of transformers.

    Examples
    --------
    >>> import tercet
    >>> perplexity = tercet.Perplexity(model_id="gpt2")  # a name on the Hub, or a folder
    >>> result = perplexity(["lorem ipsum", "Happy Birthday!"])  # doctest: +SKIP
    >>> round(result["mean_perplexity"], 2)  # doctest: +SKIP
    646.75
    """

    # Rows hold sums: negative log-likelihood in nats, scored tokens, the bytes and characters that they stand for;
    # and the perplexity of the segment, whose mean evaluate gives. The network is loaded at the first use and
    # shared between metrics.

    name = "perplexity_lm"
    about = from_card()
    extras = ("perplexity",)
    title = "perplexity"
    primary = "perplexity"
    higher_is_better = False
    takes_references = False
    unit = None
    loads_model = True
    nothing_left = "No text has a token to score, so empty_text='skip' left all of them out."
    presets = PRESETS
    dialects = DIALECTS
    columns = (
        *Metric.base_columns,
        "truncated",
        "nll",
        "tokens",
        "bytes",
        "characters",
        "segment_perplexity",
    )
    ascending = (("truncated", "items", "tokens"), ("characters", "bytes"))
    facts = ("scored_tokens", "truncated_predictions")
    score_names = ("perplexity", "mean_perplexity", "bits_per_byte", "bits_per_character")
    #: Of a single text the mean is its perplexity.
    segment_names = ("perplexity", "perplexity", "bits_per_byte", "bits_per_character")

    model_id: str | PathLike[str] | PreTrainedModel | Trainer | None = option(
        default=None,
        doc="The causal language model (required). Its name on the Hub, or its folder with config.json, "
        "model.safetensors and the tokenizer's files; or one in memory, such as a PreTrainedModel or a "
        "Trainer, which is copied as it is at the call. Weights are read from safetensors files only, and "
        "code that comes with a model is never run. Offline, a model given by name must be in the local "
        "cache.",
        check=path_or_model("the name of a causal language model on the Hub, the path of a folder"),
    )
    revision: str | None = REVISION
    processing_class: PreTrainedTokenizerBase | None = PROCESSING_CLASS
    add_start_token: bool = option(
        default=True,
        doc="Put the model's start token (BOS) before each text. The first token of the text is then scored too. "
        "Without it, the first token is read but not scored, so a text needs two tokens. Must be False for a "
        "tokenizer without BOS.",
    )
    max_length: int | None = option(
        default=None,
        doc="Most tokens that the model sees at a time, the start token included. By default the model's own limit.",
        check=integer(2, none=True),
    )
    long_text: Literal["window", "truncate", "error"] = option(
        default="window",
        doc='What to do with texts longer than max_length. "window": score them whole, in overlapping windows, '
        'each token once. "truncate": cut them to max_length, as evaluate does, with a warning; the result '
        'counts them. "error": refuse them.',
    )
    stride: int | None = option(
        default=None,
        doc="How many tokens each window moves on. After the first window, every scored token has at least "
        "max_length - stride tokens before it. Small strides are more exact, and slower. By default half of "
        "max_length.",
        check=integer(1, none=True),
        only_with=OnlyWith("long_text='window'", lambda o: o.long_text == "window"),
    )
    empty_text: Literal["error", "skip"] = option(
        default="error",
        doc='What to do with a text that has no token to score. "error": refuse the corpus, as evaluate does. '
        '"skip": leave the text out, with a warning; the result counts such texts.',
    )
    batch_size: int = option(
        default=16,
        doc="Size of the model's batches. A batch holds up to 512 times as many tokens on an accelerator, 24 "
        "times as many on a CPU. In single precision, scores can change with it in the sixth digit.",
        check=integer(1),
        local=True,
    )
    device: str | int | torch.device | None = option(
        default=None,
        doc="Where the model runs, such as cpu, cuda:1 or mps; gpu and 0 are the first GPU. By default the best "
        "device available.",
        check=as_device,
        local=True,
    )
    dtype: Literal["float32", "bfloat16", "float16", "auto"] | torch.dtype | None = dtype_option("model")
    attn_implementation: Literal["eager", "sdpa", "flash_attention_2"] | None = ATTN_IMPLEMENTATION
    compat: Literal["evaluate"] | None = option(
        default=None,
        doc='Reproduce the scores of this package. Longer texts are truncated. `load("perplexity_lm", '
        '"evaluate")` sets it too, and then the result has only the two keys of evaluate\'s perplexity.',
    )
    missing_references: Literal["error", "skip", "zero"] = option(
        default="error",
        doc="No effect here: perplexity takes no references. Accepted so that several metrics can share a call.",
    )
    scale: Literal[1, 100] = option(
        default=1,
        doc="No effect here: a perplexity is not a share of 1. Accepted so that several metrics can share a call.",
        check=as_scale,
    )

    def check(self) -> None:
        """Raise an OptionError without a model, or without the packages that run one."""
        if self.model_id is None:
            raise OptionError(
                "perplexity_lm needs 'model_id', the name of a causal language model on the Hugging Face Hub or its "
                f"folder, such as {setting('perplexity', 'model_id', 'gpt2')}."
            )
        needs("perplexity_lm", "perplexity", "torch", "transformers")

    @classmethod
    def options_to_explain(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options by which one prediction is explained: it must have a token to score."""
        return {**given, "empty_text": "error"}

    def model(self) -> LanguageModel:
        """Return the language model, loaded at the first use and kept by the function that loads it."""
        assert self.model_id is not None
        model = network_of(self.model_id, self.processing_class, self.revision)
        return language_model(model, self.device, self.dtype, self.attn_implementation)

    def signature(self, context: Any = None) -> Signature:
        """Return the options that the score depends on, and the implementation that it equals."""
        model = self.model()
        size, stride = _window_of(self, model)
        # evaluate scores in single precision, refuses texts without a token, and cuts long ones.
        equals_evaluate = (
            model.dtype == "float32" and self.empty_text == "error" and (size is None or self.long_text != "window")
        )
        long_text = None
        if size is not None:
            long_text = f"window,{stride}" if self.long_text == "window" else self.long_text
        parts = {
            "model": model.label,
            "revision": self.revision,
            "start": self.add_start_token,
            "length": size,
            "long": long_text,
            "empty": None if self.empty_text == "error" else self.empty_text,
            "dtype": None if model.dtype == "float32" else model.dtype,
            "normalize": label_of_normalizers(self.normalize),
            "compat": self.compat,
            "equals": "evaluate" if equals_evaluate else None,
        }
        return Signature.of(self.name, parts)

    def surprisals(self, batch: Corpus) -> TextSurprisals:
        """Return how much each token of a batch surprises the model; equal texts are scored once.

        Time: the network's. Memory: its own for a batch of tokens, see :meth:`.LanguageModel.surprisals`, and 12
        bytes per token.
        """
        model = self.model()
        predictions: list[str] = batch.predictions.to_pylist()
        numbers = {text: number for number, text in enumerate(dict.fromkeys(predictions))}
        text_numbers = np.array([numbers[text] for text in predictions], np.int64)
        texts = _tokens_of_texts(list(numbers), self, model)
        _check_lengths(self, model, texts, text_numbers, batch)
        windows = windows_of(texts.rows, *_window_of(self, model))
        return TextSurprisals(texts, text_numbers, windows.offsets, model.surprisals(windows, self.batch_size))

    def segment_stats(self, batch: Corpus, context: Any = None) -> SegmentStats:
        """Return one row per item; time and memory as :meth:`surprisals`."""
        return self.stats_of(self.surprisals(batch), batch)

    def stats_of(self, scored: TextSurprisals, batch: Corpus) -> SegmentStats:
        """Return one row per item of a batch that was scored."""
        text_numbers = scored.text_numbers
        tokens = np.diff(scored.offsets)  # how many are scored of each text
        nll = np.zeros(len(tokens))
        if tokens.any():
            # Each text by itself, so that its sum does not depend on other texts, to the last bit.
            nll[tokens > 0] = np.add.reduceat(scored.values, scored.offsets[:-1][tokens > 0])
        kept_lengths = np.array([len(row) for row in scored.texts.rows], np.int64)
        # A perplexity that is too large for a float is infinite.
        with np.errstate(over="ignore"):
            perplexity = np.exp(nll / np.maximum(tokens, 1))
        is_truncated = kept_lengths < scored.texts.whole
        rows_of_texts = np.column_stack([is_truncated, nll, tokens, scored.texts.sizes, perplexity])
        rows = np.column_stack([base_without_references(tokens[text_numbers]), rows_of_texts[text_numbers]])
        left_out = tokens[text_numbers] == 0
        rows[left_out] = 0.0
        rows[left_out, self.columns.index("empty")] = 1.0
        return SegmentStats(self.signature(), self.columns, rows)

    def score_warning(self, totals: Array) -> str | None:
        """Return a warning when texts were cut, or left out."""
        n_cut = self.total_of(totals, "truncated")
        n_left_out = self.total_of(totals, "empty")
        warnings = []
        if n_cut:
            size, _ = _window_of(self, self.model())
            warnings.append(cut_warning(n_cut, size))
        if n_left_out:
            texts_have = "text has" if n_left_out == 1 else "texts have"
            warnings.append(f"{n_left_out} {texts_have} no token to score: left out.")
        return " ".join(warnings) or None

    def finalize(self, totals: Array) -> Scores:
        """Return the perplexity per token, the mean of the segments', and bits per byte and character."""
        sums = {name: totals[..., index] for index, name in enumerate(self.columns)}
        counts = {name: np.maximum(sums[name], 1.0) for name in ("items", "tokens", "bytes", "characters")}
        with np.errstate(over="ignore"):
            perplexity = np.exp(sums["nll"] / counts["tokens"])
        return {
            "perplexity": perplexity,
            "mean_perplexity": sums["segment_perplexity"] / counts["items"],
            "bits_per_byte": sums["nll"] / counts["bytes"] / log(2),
            "bits_per_character": sums["nll"] / counts["characters"] / log(2),
        }

    def report(self, totals: Array, stats: SegmentStats | None) -> dict[str, Any]:
        """Return evaluate's two keys, the perplexity of each item and their mean, and then the other scores."""
        scores = super().report(totals, stats)
        if stats is None:
            return scores
        return {
            "perplexities": segment_lists(self, stats)["perplexity"],
            "mean_perplexity": scores.pop("mean_perplexity"),
            **scores,
        }

    def details(self, totals: Any, stats: SegmentStats | None, entries: Mapping[str, Any]) -> dict[str, Any]:
        """Return how many texts were cut, and how many tokens were scored."""
        return {
            "truncated_predictions": self.total_of(totals, "truncated"),
            "scored_tokens": self.total_of(totals, "tokens"),
        }

    def explained(self, batch: Corpus, context: Any = None) -> Surprisals:
        """Explain a batch of one item."""
        text: str = batch.predictions[0].as_py()
        scored = self.surprisals(batch)
        stats = self.stats_of(scored, batch)
        warn_of(self, self.score_warning(stats.total()))
        scores = self.finalize(stats.total())
        bits = [float(value) / log(2) for value in scored.values]
        unread = int(scored.texts.skipped[0])
        if not self.add_start_token:
            unread += 1  # the first token is read, not scored
        return Surprisals(
            prediction=text,
            pieces=_pieces_of(text, [*[None] * unread, *bits], self.model()),
            perplexity=float(scores["perplexity"]),
            bits=sum(bits),
            n_tokens=len(bits),
            bits_per_byte=float(scores["bits_per_byte"]),
            bits_per_character=float(scores["bits_per_character"]),
            signature=str(stats.signature),
        )


@dataclass(frozen=True, slots=True)
class TextSurprisals:
    """Different texts with the surprisal of each of their tokens."""

    texts: TokenizedTexts
    #: The number of each item's text among them. (ndarray of int64, shape (n,))
    text_numbers: NDArray[np.int64]
    #: Text i has the values ``offsets[i]`` to ``offsets[i + 1]``.
    offsets: NDArray[np.int64]
    #: Negative log-likelihoods in nats.
    values: Array


# A causal language model: loaded once, kept for later calls, it gives the surprisal of each token.

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
    dtype: str  # precision
    _lock: Any = field(default_factory=Lock)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the ids of texts of any length, without special tokens around them."""
        if not texts:
            return []
        with self._lock:  # a tokenizer serves one thread at a time
            rows: list[list[int]] = self.tokenizer(
                list(texts),
                add_special_tokens=False,
                truncation=False,
                padding=False,
                return_attention_mask=False,
                verbose=False,
            )["input_ids"]
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
        """Return the spans by a tokenizer without offsets: decode every beginning of the ids, and take its length."""
        (ids,) = self.ids([text])
        ends = [len(self.tokenizer.decode(ids[:stop]).rstrip("\ufffd")) for stop in range(len(ids) + 1)]
        return [(min(start, len(text)), min(stop, len(text))) for start, stop in pairwise(ends)]

    def surprisals(self, windows: TargetWindows, batch_size: int) -> NDArray[np.float64]:
        """Return the negative log-likelihood in nats of every target of some windows.

        Windows are sorted by length and padded on the right, where a causal model does not look. Time: the network's,
        and the head's for the targets alone. Memory: the network's own for the tokens of a batch (or of one window),
        and 32 MB of logits at a time; where `head` is None, the logits of a batch, up to 256 MB (or of one window).
        """
        import torch

        surprisals = np.zeros(windows.n_targets)
        lengths = windows.ids.lengths - 1  # the last token predicts nothing
        budget = batch_size * 512
        if self.device.type == "cpu":
            budget = batch_size * 24
        if self.head is None:
            # The logits of all tokens are made at once: 256 MB of them.
            budget = min(budget, (1 << 28) // (4 * self.vocabulary_size))
        batches = Batches(windows.ids, lengths, budget, one_length=False)
        with own_settings(), torch.inference_mode(), bar_of("reading", "texts", len(lengths), delay=0) as bar:
            for chosen in batches:
                try:
                    numbers, values = self._of_batch(windows, chosen)
                except (RuntimeError, MemoryError) as error:
                    batches.halve(error)
                    continue
                surprisals[numbers] = values
                bar.update(len(chosen))
        return surprisals

    def _of_batch(
        self, windows: TargetWindows, chosen: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the numbers of the targets of some windows, and their surprisals."""
        import torch

        lengths = windows.ids.lengths[chosen] - 1
        positions = np.arange(int(lengths.max()))[None, :]
        present = positions < lengths[:, None]
        source = np.where(present, windows.ids.offsets[chosen][:, None] + positions, 0)
        ids = np.where(present, windows.ids.values[source], 0).astype(np.int64)
        is_target = present & (positions + 1 >= windows.first[chosen][:, None])
        targets = windows.ids.values[source[is_target] + 1].astype(np.int64)
        flat_positions = torch.from_numpy(np.flatnonzero(is_target)).to(self.device)
        values, is_finite = self._surprisals(torch.from_numpy(ids).to(self.device), flat_positions, targets)
        if not is_finite.all():
            rows_of_targets = np.nonzero(is_target)[0]
            row = int(rows_of_targets[~is_finite][0])
            window = windows.ids.pieces()[chosen[row]]
            text = self.tokenizer.decode(window, skip_special_tokens=True)
            batch = torch.from_numpy(window.astype(np.int64))[None].to(self.device)
            layer = first_broken_layer(self.network, batch)
            raise not_finite_error(f"language model {self.label}", self.dtype, text, layer)
        numbers = (windows.target - windows.first)[chosen][:, None] + positions + 1
        return numbers[is_target], values

    def _surprisals(
        self, ids: Any, flat_positions: Any, targets: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return the surprisals of what follows some positions of a batch, given as if its rows were one.

        And which come from logits that are finite, but for tokens that are impossible (minus infinity).
        """
        import torch

        target_ids = torch.from_numpy(targets).to(self.device)
        if self.head is None:
            states = self.network(input_ids=ids, use_cache=False).logits.flatten(0, 1)
        else:
            states = self.body(input_ids=ids, use_cache=False).last_hidden_state.flatten(0, 1)
        size = max(1, _LOGITS_BYTES // (4 * self.vocabulary_size))
        parts = []
        for positions, next_ids in zip(flat_positions.split(size), target_ids.split(size), strict=True):
            logits = states[positions]
            if self.head is not None:
                logits = self.head(logits)
            logits = logits.float()
            totals = torch.logsumexp(logits, 1)
            target_logits = logits.gather(1, next_ids[:, None])[:, 0]
            parts.append(torch.stack([totals - target_logits, totals]))
        # float64 after the copy to the CPU: some devices (MPS) have none
        values, totals_of_all = torch.cat(parts, 1).cpu().double().numpy()
        return values, np.isfinite(totals_of_all)


def language_model(
    model_id: Located, device: str | int | None, dtype: str | None, attn_implementation: str | None
) -> LanguageModel:
    """Return a language model; the last two are kept for later calls."""
    model = locate(model_id, _OPTION)
    tell_of_copy(model, dtype)
    with LOADING, own_settings(), line_of(f"loading the language model {model_name(model)}"):
        leave_threads_of_the_parent()
        state = state_of(model, _OPTION)
        return _language_model(model, state, best_device(device), dtype or "float32", attn_implementation)


@keep_last(2)
def _language_model(
    model: Located, state: tuple[object, ...], device: str, dtype: str, attn_implementation: str | None
) -> LanguageModel:
    import torch
    import transformers

    torch_device = usable(device)
    tokenizer = load_tokenizer(model, _OPTION)
    tell_of_load(model, torch_device, _OPTION)
    if isinstance(model, InMemory):
        network = model.network()
        _check_logits(network)
        if not is_quantized(network) and dtype != "auto":
            network = network.to(getattr(torch, dtype))
    else:
        with quiet(), torch.random.fork_rng(devices=[]):
            network, report = load_base(
                model,
                transformers.AutoModelForCausalLM.from_pretrained,
                _OPTION,
                use_safetensors=True,
                dtype=dtype if dtype == "auto" else getattr(torch, dtype),
                output_loading_info=True,
            )
        missing = set(report["missing_keys"])
        _check_head(network, missing, str(model))
        check_weights(network, missing, str(model), "language model")
        if base_of(model, _OPTION) is not None:
            put_adapter(model, network, _OPTION)
    if dtype == "auto" or is_quantized(network):
        dtype = dtype_of(network)
    network = network.eval().requires_grad_(False)
    label = label_of(model, weights_digest(network), fingerprint_of(tokenizer, tokenizer.bos_token_id))
    use_attention(network, attn_implementation)
    if is_quantized(network):
        torch_device = network.device
    else:
        network = network.to(torch_device)
        suit_processor(network, torch_device, dtype)
    with torch.inference_mode():
        _check_causal(network, torch_device, str(model), dtype)
        logits = network(input_ids=_probe(torch_device)[:1], use_cache=False).logits
        body, head = _body_and_head(network, torch_device, logits)
    return LanguageModel(
        tokenizer=tokenizer,
        network=network,
        body=body,
        head=head,
        device=torch_device,
        vocabulary_size=logits.shape[-1],
        limit=_limit(network.config),
        label=label,
        dtype=dtype,
    )


def _probe(device: Any) -> Any:
    """Return two rows of ids that differ in their second half."""
    import torch

    return torch.tensor([[3, 4, 5, 6, 7, 8], [3, 4, 5, 9, 10, 11]], device=device)


def _check_head(network: Any, missing: set[str], model: str) -> None:
    """Refuse an encoder: its files hold every layer but the one that predicts tokens."""
    missing_from_network = missing & set(network.state_dict())
    if missing_from_network and not any(
        name.startswith(f"{network.base_model_prefix}.") for name in missing_from_network
    ):
        raise OptionError(
            f"The model {model!r}, given as 'model_id', is not a causal language model: its files hold no layer that "
            "predicts tokens, so it is an encoder. Perplexity needs a model such as GPT-2 or Llama."
        )


def _check_logits(network: Any) -> None:
    """Refuse a network in memory without a layer that predicts tokens."""
    if getattr(network, "get_output_embeddings", lambda: None)() is None:
        raise OptionError(
            f"The {type(network).__name__} given as 'model_id' is not a causal language model: it has no layer that "
            "predicts tokens. Perplexity needs a model such as GPT2LMHeadModel or LlamaForCausalLM."
        )


def _check_causal(network: Any, device: Any, model: str, dtype: str) -> None:
    """Refuse a network that looks ahead, and so sees the token that it should predict; or that gives NaN."""
    import torch

    logits, other_logits = network(input_ids=_probe(device), use_cache=False).logits[:, :3].float()
    if not torch.isfinite(torch.logsumexp(logits, 1)).all():
        layer = first_broken_layer(network, _probe(device))
        raise not_finite_error(f"language model {model!r}, given as {_OPTION!r},", dtype, layer=layer)
    if not _near(logits, other_logits, network.dtype):
        raise OptionError(
            f"The model {model!r}, given as 'model_id', is not a causal language model: its output at a token "
            "depends on the tokens after it. Perplexity needs one that reads from left to right, such as GPT-2 or "
            "Llama."
        )


def _body_and_head(network: Any, device: Any, logits: Any) -> tuple[Any, Any]:
    """Return the body and the head, if they are all that makes the logits; else None twice."""
    body = network.base_model
    head = network.get_output_embeddings()
    if head is None or body is network:
        return None, None
    states = getattr(body(input_ids=_probe(device)[:1], use_cache=False), "last_hidden_state", None)
    if states is None or not _near(head(states).float(), logits.float(), network.dtype):
        return None, None  # some models scale or cap their logits
    return body, head


def _near(values: Any, other_values: Any, dtype: Any) -> bool:
    import torch

    # in half precision, rounding alone differs by more than 1e-4
    tolerance = 1e-4 if dtype == torch.float32 else 0.05
    scale = other_values.abs().max()
    return bool((values - other_values).abs().max() <= scale * tolerance)


def _limit(config: Any) -> int | None:
    return positions_of(config.get_text_config(), _LIMITS)


# Distinct texts as a language model reads them: their ids, what is cut, and how much text the ids stand for.


@dataclass(frozen=True, slots=True)
class TokenizedTexts:
    """Texts as ids, ready to be scored."""

    rows: list[list[int]]  # the ids of each text, with the start token, after any truncation
    whole: NDArray[np.int64]  # how many ids each had before it was cut
    skipped: NDArray[np.int64]  # how many tokens of each were cut from its beginning
    sizes: NDArray[np.int64]  # bytes in UTF-8 and characters that the scored tokens of each stand for


def _start_of(metric: Perplexity, model: LanguageModel) -> list[int]:
    """Return the ids before each text: the start token, or nothing."""
    if not metric.add_start_token:
        return []
    if model.tokenizer.bos_token_id is None:
        raise OptionError(
            "The tokenizer of this language model has no start token (BOS): give add_start_token=False. Then the "
            "first token of each text is read but not scored."
        )
    return [model.tokenizer.bos_token_id]


def _window_of(metric: Perplexity, model: LanguageModel) -> tuple[int | None, int]:
    """Return how many tokens the model sees at a time, None for no limit, and how far a window moves on."""
    size = model.limit if metric.max_length is None else metric.max_length
    if size is not None and model.limit is not None and size > model.limit:
        raise OptionError(
            f"The 'max_length' option of perplexity_lm must be from 2 to {model.limit} for this language model. Got "
            f"{metric.max_length} instead."
        )
    if size is None or metric.stride is None:
        return size, max((size or 2) // 2, 1)
    if metric.stride >= size:
        raise OptionError(
            f"The 'stride' option of perplexity_lm must be below the length of a window, {size} tokens. Got "
            f"{metric.stride} instead."
        )
    return size, metric.stride


def _tokens_of_texts(texts: Sequence[str], metric: Perplexity, model: LanguageModel) -> TokenizedTexts:
    """Return different texts as a model reads them.

    Time: about a microsecond per byte. Memory: the ids.
    """
    start = _start_of(metric, model)
    size, _ = _window_of(metric, model)
    rows = [[*start, *row] for row in model.ids(texts)]
    whole = np.array([len(row) for row in rows], np.int64)
    sizes = np.array([(len(text.encode()), len(text)) for text in texts], np.int64).reshape(-1, 2)
    skipped = np.zeros(len(rows), np.int64)
    limit = whole.max(initial=0)
    if metric.long_text == "truncate" and size is not None:
        limit = size
    for index in np.flatnonzero((whole > limit) | (not start)).tolist():
        row = rows[index]
        # The tokens that are read, behind those of the start.
        first = len(start)
        stop = min(len(row), limit)
        if stop < len(row) and model.tokenizer.truncation_side == "left":
            first = len(row) - (stop - len(start))
            stop = len(row)
        rows[index] = [*start, *row[first:stop]]
        skipped[index] = first - len(start)
        unread = 0 if start else 1  # the first token is read, not scored
        sizes[index] = _size(texts[index], first - len(start) + unread, stop - len(start), model)
    return TokenizedTexts(rows, whole, skipped, sizes)


def _size(text: str, first: int, stop: int, model: LanguageModel) -> tuple[int, int]:
    """Return bytes and characters that the tokens `first` to `stop` of a text stand for."""
    if stop <= first:
        return 0, 0
    # What the tokenizer leaves out, such as spaces, belongs to the token after it.
    spans = model.spans(text)
    begin = 0
    if first > 0:
        begin = spans[first - 1][1]
    end = len(text)
    if stop < len(spans):
        end = spans[stop - 1][1]
    part = text[begin:end]
    return len(part.encode()), len(part)


def _check_lengths(
    metric: Perplexity, model: LanguageModel, texts: TokenizedTexts, text_numbers: NDArray[np.int64], batch: Corpus
) -> None:
    """Raise an InputError for the first item that is too short to be scored, or too long."""
    start = _start_of(metric, model)
    size, _ = _window_of(metric, model)
    lengths = texts.whole[text_numbers]
    too_short = np.flatnonzero(lengths < 2).tolist()
    if too_short and metric.empty_text == "error":
        index = too_short[0]
        least = "one token" if start else "two tokens (one with add_start_token=True)"
        count = lengths[index] - len(start)
        tokens = "token" if count == 1 else "tokens"
        raise InputError(
            f"item {batch.first_item + index % batch.n_segments} of predictions is too short to be scored: "
            f"{shorten(batch.texts[index].as_py())} has {count} {tokens}, expected "
            f"at least {least}. empty_text='skip' leaves such texts out."
        )
    if size is not None and metric.long_text == "error" and (lengths > size).any():
        index = int(np.flatnonzero(lengths > size)[0])
        raise InputError(
            f"item {batch.first_item + index % batch.n_segments} of predictions has {lengths[index]} tokens, more "
            f"than the limit of {size}: {shorten(batch.texts[index].as_py())}. long_text='window' scores it whole, "
            "'truncate' only its beginning."
        )


# Ids of texts -> windows that fit the model, in which every token is a target (is scored) once.


@dataclass(frozen=True, slots=True)
class TargetWindows:
    """The input of a model: texts, or overlapping windows of those that are too long."""

    ids: Ragged  # a row per window, of at least two ids
    # the position of its first target in the window, from 1: the tokens before it were scored in an earlier window
    first: NDArray[np.int64]
    target: NDArray[np.int64]  # the number of that target among those of all texts
    offsets: NDArray[np.int64]  # text i has the targets offsets[i] to offsets[i + 1]

    @property
    def n_targets(self) -> int:
        """Number of tokens that are scored."""
        return int(self.offsets[-1])


def windows_of(rows: Sequence[Sequence[int]], size: int | None, stride: int) -> TargetWindows:
    """Cut rows of ids into windows of up to `size` ids, each `stride` ids after the one before it.

    Every id of a row but its first is a target once, in the first window that holds it. So the targets of later
    windows have at least ``size - stride`` ids before them.
    """
    ids: list[NDArray[np.int32]] = []
    first_targets: list[tuple[int, int]] = []
    sizes = np.array([max(len(row) - 1, 0) for row in rows], np.int64)
    offsets = np.append(0, np.cumsum(sizes))
    for row, n_earlier_targets in zip(rows, offsets.tolist(), strict=False):
        whole = np.array(row, np.int32)
        window_size = len(row) if size is None else size
        for start, stop, scored in _bounds(len(row), window_size, stride):
            ids.append(whole[start:stop])
            first_targets.append((scored - start, n_earlier_targets + scored - 1))
    first, target = np.array(first_targets, np.int64).reshape(-1, 2).T
    window_offsets = np.append(0, np.cumsum([len(window_ids) for window_ids in ids])).astype(np.int64)
    return TargetWindows(
        Ragged(np.concatenate([*ids, np.zeros(0, np.int32)]), window_offsets), first, target, offsets
    )


def _bounds(length: int, size: int, stride: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin and end of each window of a row, and the position of the first id that it scores."""
    if length < 2:
        return
    scored = 1
    for start in range(0, length, stride):
        stop = min(start + size, length)
        yield start, stop, scored
        if stop == length:
            return
        scored = stop


# Why a text has its perplexity: how much each part of it surprises the model.

#: From how many bits on a part of a text has each level.
_BITS = (4, 8, 12, 16)


@dataclass(frozen=True, slots=True, eq=False)
class Surprisals(Explanation):
    """The surprisals behind the perplexity of one text.

    Attributes
    ----------
    prediction : str
    pieces : list of Piece
        The text in parts: single tokens, or the fewest tokens that are valid text together. Their surprisals sum to
        ``bits``.
    perplexity : float
        As ``perplexity_lm`` gives it.
    bits : float
        The surprisal of all tokens that are scored.
    n_tokens : int
        Their number.
    bits_per_byte, bits_per_character : float
    signature : str
    """

    prediction: str
    pieces: list[Piece]
    perplexity: float
    bits: float
    n_tokens: int
    bits_per_byte: float
    bits_per_character: float
    signature: str

    def to_html(self, scale: float = 1) -> str:
        """Return the text coloured by surprise and a bar per piece, a fragment of HTML: no number is in percent."""
        return surprise_html(str(self.title), self.pieces, self.signature)

    @property
    def title(self) -> Heading:
        """The score, and how many bits it stands for."""
        return Heading(
            f"perplexity {self.perplexity:,.2f}, {self.bits:,.1f} bits in {self.n_tokens:,} tokens, "
            f"{self.bits_per_byte:.3f} bits per byte",
            {},
        )

    def parts(self) -> list[Part]:
        """Return the text by surprise, and the parts that surprise most."""
        words = [Word(piece.text, bisect_right(_BITS, piece.surprisal or 0.0)) for piece in self.pieces]
        scored_pieces = [piece for piece in self.pieces if piece.surprisal is not None]
        ordered = sorted(scored_pieces, key=lambda piece: -(piece.surprisal or 0.0))
        rows = [(piece.text, piece.surprisal) for piece in ordered]
        return [
            Legend([f"{bits} bits or more" for bits in _BITS], losses=True),
            Line("text", words, spaced=False, losses=True),
            Sentence("n bits: the model gave this part a probability of 1 in 2^n."),
            Table("what surprises the model", ("part", "bits"), rows),
        ]


def _pieces_of(text: str, surprisals: Sequence[float | None], model: LanguageModel) -> list[Piece]:
    """Return a text in the smallest pieces between which no token stands for part of a character.

    What the tokenizer leaves out, such as spaces, belongs to the piece after it.
    """
    (ids,) = model.ids([text])
    token_texts: list[str] = model.tokenizer.convert_ids_to_tokens(ids)
    spans = model.spans(text)
    values = [*surprisals, *[None] * (len(ids) - len(surprisals))]
    pieces: list[Piece] = []
    first_token = piece_start = piece_end = 0
    for number, (_, stop) in enumerate(spans):
        piece_end = max(piece_end, stop)
        is_last = number == len(spans) - 1
        if not is_last and (piece_end == piece_start or spans[number + 1][0] < piece_end):
            continue
        if is_last:
            piece_end = len(text)
        known_values = [value for value in values[first_token : number + 1] if value is not None]
        pieces.append(
            Piece(
                text[piece_start:piece_end],
                (piece_start, piece_end),
                token_texts[first_token : number + 1],
                sum(known_values) if known_values else None,
            )
        )
        first_token = number + 1
        piece_start = piece_end
    return pieces
