"""Greedy matching (Zhang et al. 2020, section 3): every token with the most similar one of the other text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet import numpy_later as np
from tercet.corpus.reading import Indices
from tercet.engine.ragged import Ragged, different_rows, ranges
from tercet.errors import InputError
from tercet.networks.encoder import Encoder, Store, order_of
from tercet.networks.long_texts import cut_warning, windows_of
from tercet.networks.subwords import Subwords
from tercet.networks.torch_settings import own_settings
from tercet.statistics.progress import HIDDEN_BAR, Bar, bar_of

from .idf_table import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Floats of a batch's gathered embeddings, on an accelerator and on a CPU (whose caches it fits), and of its
# similarities: 32 MB of each at most.
_GATHERED = 1 << 23
_GATHERED_ON_CPU = 1 << 19
_SIMILARITIES = 1 << 23
# Tokens of a side of a product of matrices: its similarities are 16 MB.
_CROSSED = 1 << 11
# The similarity of a token to padding, so that padding is never the best match.
_BELOW_ANY_COSINE = -2.0


def match(
    store: Store,
    weights: NDArray[np.float32],
    predictions: NDArray[np.int64],
    references: NDArray[np.int64],
    floors: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall of pairs of texts, in every layer.

    `floors` say of each side in which pairs no best match counts below 0, as where bert-score pads a text.

    Memory: 100 MB besides the store, whatever the number of pairs. Time: the product of the lengths times dimensions.
    """
    import torch

    device = store.vectors.device
    n_layers = len(store.vectors)
    lengths = np.diff(store.offsets)
    with own_settings(), torch.inference_mode():
        weights_of_tokens = torch.from_numpy(weights).to(device)
        sums = torch.zeros((2, n_layers, len(predictions)), dtype=torch.float32, device=device)
        most_floats = _GATHERED
        if device.type == "cpu":
            most_floats = _GATHERED_ON_CPU
        for chosen in _buckets(predictions, references, lengths, most_floats // store.vectors.shape[-1]):
            pair_indices = torch.from_numpy(chosen).to(device)
            left_rows, left_present = _tokens_of_side(store, predictions[chosen])
            right_rows, right_present = _tokens_of_side(store, references[chosen])
            weights_of_sides = (
                weights_of_tokens[left_rows].masked_fill_(~left_present, 0),
                weights_of_tokens[right_rows].masked_fill_(~right_present, 0),
            )
            is_absent = None
            if np.ptp(lengths[predictions[chosen]]) or np.ptp(lengths[references[chosen]]):
                is_absent = ~(left_present[:, :, None] & right_present[:, None, :])
            for layer in range(n_layers):
                vectors = store.vectors[layer]
                best = _best_matches(vectors[left_rows], vectors[right_rows], is_absent)
                for side in (0, 1):
                    similarities = best[side]
                    if floors is not None:
                        floor = torch.from_numpy(floors[side][chosen]).to(device)[:, None]
                        similarities = torch.where(floor, similarities.clamp(min=0), similarities)
                    sums[side, layer, pair_indices] = (similarities * weights_of_sides[side]).sum(1)
    # float64 after the copy to the CPU: some devices (MPS) have none
    precision, recall = sums.cpu().double().numpy()
    return precision, recall


def _tokens_of_side(store: Store, texts: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return the rows of the store with the tokens of texts, shape (m, longest), and which are no padding."""
    import torch

    starts = store.offsets[texts, None]
    stops = store.offsets[texts + 1, None]
    rows = starts + np.arange(int((stops - starts).max()))
    present = rows < stops
    device = store.vectors.device
    return torch.from_numpy(np.where(present, rows, 0)).to(device), torch.from_numpy(present).to(device)


def _match_crossed(
    store: Store, weights: NDArray[np.float32], texts: NDArray[np.int64], references: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return precision and recall of each text with each reference, in every layer, shape (2, layers, h, r).

    A product of matrices for some texts and some references at a time, of near lengths: memory is 100 MB besides the
    store, as for :func:`match`, which has the pairs of longer texts.
    """
    import torch

    lengths = np.diff(store.offsets)
    n_layers = len(store.vectors)
    device = store.vectors.device
    if max(lengths[texts].max(initial=0), lengths[references].max(initial=0)) > _CROSSED:
        pairs = np.repeat(texts, len(references)), np.tile(references, len(texts))
        return np.stack(match(store, weights, *pairs)).reshape(2, n_layers, len(texts), len(references))
    sums = torch.zeros((2, n_layers, len(texts), len(references)), device=device)
    with own_settings(), torch.inference_mode():
        shares = torch.from_numpy(weights).to(device)
        left_groups = [_padded(store, shares, texts, chosen) for chosen in _near(lengths[texts])]
        right_groups = [_padded(store, shares, references, chosen) for chosen in _near(lengths[references])]
        for left_group, right_group in product(left_groups, right_groups):
            left_texts, left_rows, left_share = left_group
            right_texts, right_rows, right_share = right_group
            for layer, vectors in enumerate(store.vectors):
                left_vectors = vectors[left_rows].flatten(0, 1)
                right_vectors = vectors[right_rows].flatten(0, 1)
                similarity = (left_vectors @ right_vectors.T).view(*left_rows.shape, *right_rows.shape)
                precisions = (similarity.amax(3) * left_share[:, :, None]).sum(1)
                recalls = (similarity.amax(1) * right_share).sum(2)
                sums[0, layer, left_texts[:, None], right_texts] = precisions
                sums[1, layer, left_texts[:, None], right_texts] = recalls
    precision_and_recall: NDArray[np.float64] = sums.cpu().double().numpy()
    return precision_and_recall


def _near(lengths: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of texts of near lengths, of at most `_CROSSED` tokens with padding; none of empty ones."""
    order = np.argsort(-lengths, kind="stable")[: int((lengths > 0).sum())]
    while len(order):
        size = max(1, _CROSSED // int(lengths[order[0]]))
        yield order[:size]
        order = order[size:]


def _padded(store: Store, shares: Any, texts: NDArray[np.int64], chosen: NDArray[np.int64]) -> tuple[Any, Any, Any]:
    """Return the numbers of texts, their tokens in the store, and the shares of these.

    A shorter text is padded with its first token, with a share of 0: a token that occurs twice changes no maximum.
    """
    import torch

    starts = store.offsets[texts[chosen], None]
    stops = store.offsets[texts[chosen] + 1, None]
    rows = starts + np.arange(int((stops - starts).max()))
    present = rows < stops
    device = shares.device
    numbers = torch.from_numpy(chosen).to(device)
    rows_of_tokens = torch.from_numpy(np.where(present, rows, starts)).to(device)
    is_counted = torch.from_numpy(present).to(device)
    return numbers, rows_of_tokens, shares[rows_of_tokens].masked_fill_(~is_counted, 0)


def _best_matches(left: Any, right: Any, absent: Any) -> tuple[Any, Any]:
    """Return the greatest cosine of each token of each text: (m, a, d), (m, b, d) -> (m, a), (m, b)."""
    import torch

    if len(left) > 1 or left.shape[1] * right.shape[1] <= _SIMILARITIES:
        similarity = torch.bmm(left, right.transpose(1, 2))
        if absent is not None:
            similarity.masked_fill_(absent, _BELOW_ANY_COSINE)
        return similarity.amax(2), similarity.amax(1)
    # A single pair of long texts: never the whole table of similarities at once.
    rows = max(1, _SIMILARITIES // right.shape[1])
    best_of_left = []
    best_of_right = torch.full_like(right[:, :, 0], _BELOW_ANY_COSINE)
    for part in left.split(rows, dim=1):
        similarity = torch.bmm(part, right.transpose(1, 2))
        best_of_left.append(similarity.amax(2))
        best_of_right = torch.maximum(best_of_right, similarity.amax(1))
    return torch.cat(best_of_left, 1), best_of_right


def _buckets(
    predictions: NDArray[np.int64], references: NDArray[np.int64], text_lengths: NDArray[np.int64], most: int
) -> Iterator[NDArray[np.int64]]:
    """Yield indices of pairs of near lengths, of at most so many tokens with padding (but one pair at least)."""
    left = text_lengths[predictions]
    right = text_lengths[references]
    order = np.lexsort((references, predictions, right, left))
    order = order[(left[order] > 0) & (right[order] > 0)]
    lengths = list(zip(left[order].tolist(), right[order].tolist(), strict=True))
    start = 0
    while start < len(order):
        longest_left, longest_right = lengths[start]
        stop = start + 1
        while stop < len(order):
            left_length, right_length = lengths[stop]
            next_left = max(longest_left, left_length)
            next_right = max(longest_right, right_length)
            size = stop + 1 - start
            if size * (next_left + next_right) > most or size * next_left * next_right > _SIMILARITIES:
                break
            longest_left = next_left
            longest_right = next_right
            stop += 1
        yield order[start:stop]
        start = stop


# From texts to the precision, recall and F of every pair of a prediction and a reference.

#: Bytes of embeddings held at a time, besides those of references kept between calls.
STORE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class WeightedTexts:
    """The texts of a batch as ids: documents are the n predictions, then the m references."""

    rows: Ragged  # ids of the different texts
    shares: NDArray[np.float32]  # weight of each token over the sum of its text's
    text: NDArray[np.int64]  # the text of each document
    unweighted: NDArray[np.bool_]  # texts that have tokens, but whose weights sum to 0


class Embedder(NamedTuple):
    """An encoder, the most tokens of a text that it takes at a time, and the size of its batches."""

    encoder: Encoder
    limit: int | None
    batch_size: int

    def embed(
        self,
        texts: WeightedTexts,
        chosen: NDArray[np.int64],
        keep: NDArray[np.bool_],
        bar: Bar = HIDDEN_BAR,
        widths: NDArray[np.int64] | None = None,
    ) -> tuple[Store, NDArray[np.float32]]:
        """Return the embeddings of some texts, of which the encoder keeps some, and the share of each token."""
        rows = texts.rows.rows(chosen)
        windows = windows_of(rows, self.limit, self.encoder.subwords)
        bar.expect(len(windows.first))
        chosen_widths = None if widths is None else widths[chosen]
        store = self.encoder.embed(windows, rows, keep, self.batch_size, bar, chosen_widths)
        return store, texts.shares[ranges(texts.rows.offsets[chosen], rows.lengths)]


class BatchPadding(NamedTuple):
    """What the padding of bert-score's batches does to pairs of texts."""

    #: For predictions and for references, in which pairs no best match counts below 0.
    floors: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    #: To how many tokens each of the different texts is padded; None where that changes no embedding.
    widths: NDArray[np.int64] | None


def prepare_texts(documents: Ragged, weights: Weights, subwords: Subwords, zero_weight: str) -> WeightedTexts:
    """Find the different texts and the share of each token in them."""
    rows, text = different_rows(documents)
    lengths = rows.lengths
    values = rows.values
    token_weights = weights.of(values).astype(np.float64)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    sums = np.bincount(owners, weights=token_weights, minlength=len(lengths))
    content = lengths - subwords.n_special
    unweighted = (sums == 0) & (content > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = token_weights / sums[owners]
    if zero_weight == "uniform":
        position = np.arange(len(values)) - np.repeat(rows.offsets[:-1], lengths)
        is_content = (position >= len(subwords.head)) & (position < lengths[owners] - len(subwords.tail))
        shares = np.where(unweighted[owners], is_content / np.maximum(content, 1)[owners], shares)
    return WeightedTexts(rows, shares.astype(np.float32), text, unweighted)


def score_pairs(
    texts: WeightedTexts,
    embedder: Embedder,
    predictions: NDArray[np.int64],
    references: NDArray[np.int64],
    *,
    verbose: bool,
    padding: BatchPadding | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return precision and recall of pairs, shape (layers, pairs) each.

    Pairs are taken in order, as many at a time as `STORE_BYTES` of embeddings allow. Memory: that, `KEPT_BYTES` for
    references, and what the encoder itself needs for a batch.
    """
    encoder = embedder.encoder
    widths = None if padding is None else padding.widths
    precision_and_recall = np.zeros((2, encoder.n_layers, len(predictions)))
    n_texts = len(np.unique(np.concatenate([predictions, references])))
    with _progress_bar(verbose, n_texts) as bar:
        for part in _slices_of_pairs(texts, predictions, references, STORE_BYTES // encoder.token_bytes):
            chosen, numbers = np.unique(np.concatenate([predictions[part], references[part]]), return_inverse=True)
            order = order_of(texts.rows.rows(chosen))
            chosen = chosen[order]
            numbers = np.argsort(order)[numbers]
            n_pairs = part.stop - part.start
            # References are kept for other systems; a prediction is of one.
            keep = np.zeros(len(chosen), bool)
            keep[numbers[n_pairs:]] = True
            store, shares = embedder.embed(texts, chosen, keep, bar, widths)
            floors = None
            if padding is not None:
                floors = (padding.floors[0][part], padding.floors[1][part])
            precision_and_recall[:, :, part] = match(store, shares, numbers[:n_pairs], numbers[n_pairs:], floors)
    return precision_and_recall[0], precision_and_recall[1]


def _slices_of_pairs(
    texts: WeightedTexts, predictions: NDArray[np.int64], references: NDArray[np.int64], limit: int
) -> Iterator[slice]:
    """Yield slices of pairs whose different texts have at most so many tokens (but one pair at least)."""
    lengths = texts.rows.lengths.tolist()
    start = 0
    n_tokens = 0
    held_texts: set[int] = set()
    for pair, pair_texts in enumerate(zip(predictions.tolist(), references.tolist(), strict=True)):
        n_new_tokens = sum(lengths[text] for text in set(pair_texts) - held_texts)
        if held_texts and n_tokens + n_new_tokens > limit:
            yield slice(start, pair)
            start = pair
            n_tokens = 0
            held_texts = set()
            n_new_tokens = sum(lengths[text] for text in set(pair_texts))
        n_tokens += n_new_tokens
        held_texts.update(pair_texts)
    if start < len(predictions):
        yield slice(start, len(predictions))


@contextmanager
def _progress_bar(verbose: bool, n_texts: int) -> Iterator[Bar]:
    if not verbose:
        with bar_of("encoding", "texts", n_texts, delay=0) as bar:
            yield bar
        return
    from tqdm.auto import tqdm

    with tqdm(total=0, unit="text", desc="bertscore_idf: encoding") as shown:
        yield Bar(shown)


# Many texts against many references: each text is embedded once.


def score_crossed(
    texts: WeightedTexts, embedder: Embedder, predictions: Indices, references: Indices
) -> NDArray[np.float64]:
    """Return precision and recall of each prediction with each reference, shape (2, layers, h, r).

    The encoder keeps all embeddings for the next block. Memory: `STORE_BYTES` at most, as for `score_pairs`.
    """
    chosen, numbers = np.unique(np.concatenate([predictions, references]), return_inverse=True)
    # Halves of the longer side, until the embeddings of a part fit.
    if len(chosen) > 2 and texts.rows.lengths[chosen].sum() * embedder.encoder.token_bytes > STORE_BYTES:
        if len(predictions) >= len(references):
            halves = [score_crossed(texts, embedder, half, references) for half in np.array_split(predictions, 2)]
            return np.concatenate(halves, axis=2)
        halves = [score_crossed(texts, embedder, predictions, half) for half in np.array_split(references, 2)]
        return np.concatenate(halves, axis=3)
    store, shares = embedder.embed(texts, chosen, np.ones(len(chosen), bool))
    return _match_crossed(store, shares, numbers[: len(predictions)], numbers[len(predictions) :])


# The warnings and errors of bertscore_idf.


def unsettled_warning(encoder: Encoder) -> str:
    """Return the warning of batches that bert-score makes otherwise in another process."""
    network = type(encoder.network.model).__name__
    return (
        f"padding changes what {network} gives for a text, and in bert-score the padding depends on the order of a "
        "set, where texts have as many words as others: its scores change from run to run. These are of the order "
        "in which the texts come; batch_size=1 pads none."
    )


def random_weights_warning() -> str:
    """Return the warning of an encoder for which bert-score draws weights at random."""
    return (
        "bert-score loads a LongT5 as a T5, and draws the weights that it does not find at random: its scores change "
        "from run to run. These are of the LongT5 itself."
    )


def texts_warning(cut: int, unweighted: int, limit: int | None) -> str | None:
    """Return a warning of texts that were cut at `limit` tokens, or whose weights sum to 0; None without any."""
    warnings = []
    if cut:
        warnings.append(cut_warning(cut, limit))
    if unweighted:
        texts = "text" if unweighted == 1 else "texts"
        warnings.append(
            f"all tokens of {unweighted} {texts} have weight 0 (with idf=True: they occur in every reference), so "
            "they get equal weights. Give idf=False, or an IdfTable of a corpus."
        )
    return " ".join(warnings) or None


def unnamed_token_error(number: int, subwords: Subwords) -> InputError:
    """Return the error for a token that a mapping, used as bert-score does, has no weight for."""
    return InputError(
        f"The 'idf' mapping has no weight for the token {subwords.tokens([number])[0]!r} (id {number}). bert-score "
        "raises KeyError here; without compat='bert_score' such tokens get the greatest weight."
    )
