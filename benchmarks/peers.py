"""The rows of the benchmark: what is measured, beside whom, and what must be equal before a time counts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import bleuscore
import datasets
import evaluate
import fastchrf
import numpy as np
import sacrebleu
from nltk.translate.bleu_score import modified_precision
from rouge_metric import PyRouge
from rouge_score import rouge_scorer
from rouge_score.tokenize import tokenize as tokenize_by_rouge
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer
from sklearn.metrics import jaccard_score
from sklearn.preprocessing import MultiLabelBinarizer

import tercet
from tercet.corpus.reading import read_batch
from tercet.corpus.tokenizers import tokenize
from tercet.engine.counting import overlaps
from tercet.engine.ragged import TokenBatch
from work import Work

os.environ["RAYON_NUM_THREADS"] = "1"  # read at bleuscore's first call, which would else take every core

Values = Any  # numbers in arrays or nested lists


@dataclass(frozen=True)
class Row:
    """One line of the table: both callables get the work and return the numbers that must be equal."""

    label: str
    work: str
    peer: str
    asked: float
    ours: Callable[[Work], Values]
    theirs: Callable[[Work], Values]


def rouge_row(types: list[str], work: str, asked: float, stem: bool = False) -> Row:
    """Return ROUGE beside rouge_score: the F of every item and type."""

    def ours(texts: Work) -> Values:
        result = tercet.score(
            "rouge_nlws", texts.predictions, texts.first_references, rouge_types=types, use_stemmer=stem,
            use_aggregator=False,
        )  # fmt: skip
        return [result[name] for name in types]

    def theirs(texts: Work) -> Values:
        scorer = rouge_scorer.RougeScorer(types, use_stemmer=stem)
        pairs = zip(texts.first_references, texts.predictions, strict=True)
        scores = [scorer.score(reference, prediction) for reference, prediction in pairs]
        return [[each[name].fmeasure for each in scores] for name in types]

    names = "+".join(name.removeprefix("rouge") for name in types)
    return Row(f"ROUGE {names}{' with Porter' if stem else ''}", work, "rouge_score", asked, ours, theirs)


def skip_row(name: str, asked: float, **peer: Any) -> Row:
    """Return ROUGE-W, S or SU beside rouge-metric, which splits at white space."""

    def ours(texts: Work) -> Values:
        compat = {"compat": "rouge155"} if "rouge_su" in peer else {}
        result = tercet.score(
            "rouge_nlws", texts.predictions, texts.first_references, rouge_types=name, tokenizer="none",
            output="all", use_aggregator=False, **compat,
        )  # fmt: skip
        return np.array([result[f"{name}_precision"], result[f"{name}_recall"]])

    def theirs(texts: Work) -> Values:
        scorer = PyRouge(rouge_n=(), rouge_l=False, mode="individual", **peer)
        scores = scorer.evaluate(texts.predictions, texts.references)
        values = [next(iter(each.values())) for each in scores]
        pairs = np.array([[each["p"] for each in values], [each["r"] for each in values]])
        return np.round(pairs, 5) if "rouge_su" in peer else pairs  # as ROUGE-1.5.5 prints them

    return Row(f"ROUGE-{name.removeprefix('rouge')}", "MT", "rouge-metric", asked, ours, theirs)


def streams(texts: Work) -> list[list[str]]:
    """Return references as sacrebleu takes them."""
    return [list(each) for each in zip(*texts.references, strict=True)]


def bleu_row(work: str, peer: str, asked: float, theirs: Callable[[Work], Values]) -> Row:
    """Return corpus BLEU, 13a, without smoothing, beside a peer."""

    def ours(texts: Work) -> Values:
        result = tercet.score("bleu_multi", texts.predictions, texts.references, smooth_method="none")
        return np.array([result["bleu"]])

    return Row("BLEU 13a", work, peer, asked, ours, theirs)


def by_sacrebleu(texts: Work) -> Values:
    """Return sacrebleu's corpus BLEU, its caches of tokenized lines emptied."""
    empty_sacrebleu_caches()
    return np.array([sacrebleu.corpus_bleu(texts.predictions, streams(texts), smooth_method="none").score / 100])


def by_bleuscore(texts: Work) -> Values:
    """Return the corpus BLEU of the Rust package bleuscore (it takes the shortest reference, as evaluate does)."""
    result = bleuscore.compute(references=texts.references, predictions=texts.predictions, max_order=4, smooth=False)
    return np.array([result["bleu"]])


def chrf_row(work: str, asked: float, word_order: int | list[int] = 0) -> Row:
    """Return corpus chrF, or several with as many calls of sacrebleu."""
    orders = [word_order] if isinstance(word_order, int) else word_order

    def ours(texts: Work) -> Values:
        result = tercet.score("chrf_multi", texts.predictions, texts.references, word_order=word_order)
        return np.array([value for name, value in result.items() if name.startswith("chrf")])

    def theirs(texts: Work) -> Values:
        metrics = [sacrebleu.CHRF(word_order=order) for order in orders]
        return np.array([metric.corpus_score(texts.predictions, streams(texts)).score for metric in metrics])

    label = " and ".join("chrF" + "+" * order for order in orders)
    return Row(f"{label} (chrf_multi)", work, "sacrebleu", asked, ours, theirs)


def empty_sacrebleu_caches() -> None:
    """Forget the lines that sacrebleu tokenized in an earlier round."""
    for tokenizer in BaseTokenizer.__subclasses__():
        if hasattr(tokenizer.__call__, "cache_clear"):
            tokenizer.__call__.cache_clear()


def segment_row() -> Row:
    """Return the BLEU of every segment beside sacrebleu's sentence_score."""

    def ours(texts: Work) -> Values:
        result = tercet.score("bleu_multi", texts.predictions, texts.references, segments=True)
        return np.array(result["segments"]["bleu"])

    def theirs(texts: Work) -> Values:
        empty_sacrebleu_caches()
        metric = sacrebleu.BLEU(effective_order=True)
        pairs = zip(texts.predictions, texts.references, strict=True)
        return np.array([metric.sentence_score(*pair).score / 100 for pair in pairs])

    return Row("BLEU of every segment", "MT", "sacrebleu", 35, ours, theirs)


def reward_row(metric: str, peer: str, asked: float, theirs: Callable[[str, str], float], **options: Any) -> Row:
    """Return the rewards of a group, 64 completions with one reference, beside a call of the peer for each."""
    reward = tercet.reward(metric, **options)

    def ours(texts: Work) -> Values:
        truth, *completions = texts.references[0]
        return reward(completions=completions, references=[truth] * len(completions))

    def by_peer(texts: Work) -> Values:
        empty_sacrebleu_caches()
        truth, *completions = texts.references[0]
        return [theirs(text, truth) for text in completions]

    return Row(f"Rewards, {reward.__name__}", "group", peer, asked, ours, by_peer)


def by_rouge_score(text: str, reference: str) -> float:
    """Return ROUGE-L as the reward functions of public training code do."""
    return rouge_scorer.RougeScorer(["rougeL"]).score(reference, text)["rougeL"].fmeasure


def bootstrap_row() -> Row:
    """Return corpus BLEU with 1,000 resamples beside sacrebleu's (which resamples in float32)."""

    def ours(texts: Work) -> Values:
        options = {"confidence_level": 0.95, "n_resamples": 1000}
        return np.array([tercet.score("bleu_multi", texts.predictions, texts.references, **options)["bleu"]])

    def theirs(texts: Work) -> Values:
        empty_sacrebleu_caches()
        score = sacrebleu.BLEU().corpus_score(texts.predictions, streams(texts), n_bootstrap=1000)
        return np.array([score.score / 100])

    return Row("BLEU + 1,000 resamples", "MT", "sacrebleu", 30, ours, theirs)


class RougeLikeEvaluates(evaluate.Metric):
    """What evaluate's rouge does with ``use_aggregator=False`` (the module itself is on the Hub)."""

    def _info(self) -> evaluate.MetricInfo:
        text = datasets.Value("string")
        features = datasets.Features({"predictions": text, "references": text})
        return evaluate.MetricInfo(description="", citation="", inputs_description="", features=features)

    def _compute(
        self, predictions: list[str], references: list[str], rouge_types: list[str]
    ) -> dict[str, list[float]]:
        scorer = rouge_scorer.RougeScorer(rouge_types)
        scores = [scorer.score(*pair) for pair in zip(references, predictions, strict=True)]
        return {name: [each[name].fmeasure for each in scores] for name in rouge_types}


@cache
def _module(name: str) -> Any:
    return tercet.load(name) if name == "rouge_nlws" else RougeLikeEvaluates()


def evaluate_row() -> Row:
    """Return ROUGE through evaluate's compute on both sides."""
    types = ["rouge1", "rouge2", "rougeL"]

    def by(name: str) -> Callable[[Work], Values]:
        def values(texts: Work) -> Values:
            options = {"use_aggregator": False} if name == "rouge_nlws" else {}
            result = _module(name).compute(
                predictions=texts.predictions, references=texts.first_references, rouge_types=types, **options
            )
            return [result[each] for each in types]

        return values

    return Row("ROUGE 1+2+L through evaluate", "MT", "evaluate's rouge", 50, by("rouge_nlws"), by("theirs"))


def bleu_rouge_row(asked: float) -> Row:
    """Return the F of BLEU-n and ROUGE-n of every item beside NLTK's precisions and rouge_score's recalls."""
    orders = (1, 2)

    def ours(texts: Work) -> Values:
        result = tercet.score(
            "bleu_rouge_f", texts.predictions, texts.first_references, tokenizer="rouge", segments=True
        )
        return np.array([result["segments"][f"bleu_rouge_f_{order}"] for order in orders])

    def theirs(texts: Work) -> Values:
        scorer = rouge_scorer.RougeScorer([f"rouge{order}" for order in orders])
        rows = []
        for text, reference in zip(texts.predictions, texts.first_references, strict=True):
            recalls = [each.recall for each in scorer.score(reference, text).values()]
            words = [tokenize_by_rouge(each, None) for each in (reference, text)]
            precisions = [float(modified_precision(words[:1], words[1], order)) for order in orders]
            sides = zip(precisions, recalls, strict=True)
            rows.append([2 * p * r / (p + r) if p + r else 0.0 for p, r in sides])
        return np.array(rows).T

    return Row("F of BLEU and ROUGE (bleu_rouge_f)", "MT", "NLTK and rouge_score", asked, ours, theirs)


def words_of(text: str) -> list[str]:
    """Return the words of a text as Python's own regular expressions split them."""
    return re.findall(r"\w+", text.lower())


def jaccard_row(asked: float, work: str = "MT", multiset: bool = False) -> Row:
    """Return the Jaccard similarity of every item beside Python's sets, or Counters, of the words."""

    def ours(texts: Work) -> Values:
        result = tercet.score(
            "jaccard_sets", texts.predictions, texts.first_references, multiset=multiset, segments=True
        )
        return np.array(result["segments"]["jaccard"])

    def theirs(texts: Work) -> Values:
        pairs = zip(texts.predictions, texts.first_references, strict=True)
        if not multiset:
            sets = [(set(words_of(text)), set(words_of(reference))) for text, reference in pairs]
            return np.array([len(one & other) / len(one | other) for one, other in sets])
        bags = [(Counter(words_of(text)), Counter(words_of(reference))) for text, reference in pairs]
        return np.array([(one & other).total() / (one | other).total() for one, other in bags])

    label, peer = ("Jaccard of multisets", "Python's Counter") if multiset else ("Jaccard of words", "Python's sets")
    return Row(label, work, peer, asked, ours, theirs)


def overlap_row(asked: float) -> Row:
    """Return the Jaccard similarity of words that are split already: ids here, lists of strings there."""
    split: dict[str, tuple[TokenBatch, list[list[str]]]] = {}

    def tokens_of(texts: Work) -> tuple[TokenBatch, list[list[str]]]:
        """Return the words of predictions and first references; made before the clock runs."""
        if texts.name not in split:
            tokens, _ = tokenize(read_batch(texts.predictions, texts.first_references), "unicode", lowercase=True)
            split[texts.name] = tokens, [*map(words_of, [*texts.predictions, *texts.first_references])]
        return split[texts.name]

    def ours(texts: Work) -> Values:
        tokens, _ = tokens_of(texts)
        items = np.arange(tokens.n_items)
        shared, either = overlaps(tokens.tokens, items, tokens.n_items + items, tokens.n_types, False)
        return shared / either

    def theirs(texts: Work) -> Values:
        words, n = tokens_of(texts)[1], len(texts.predictions)
        sets = [(set(text), set(reference)) for text, reference in zip(words[:n], words[n:], strict=True)]
        return np.array([len(one & other) / len(one | other) for one, other in sets])

    return Row("Jaccard of words split before (jaccard_sets)", "MT", "Python's sets", asked, ours, theirs)


def scikit_row(asked: float) -> Row:
    """Return the mean Jaccard similarity beside scikit-learn's, on a binarized matrix."""

    def ours(texts: Work) -> Values:
        return np.array([tercet.score("jaccard_sets", texts.predictions, texts.first_references)["jaccard"]])

    def theirs(texts: Work) -> Values:
        words = [[words_of(text) for text in column] for column in (texts.first_references, texts.predictions)]
        binarizer = MultiLabelBinarizer(sparse_output=True).fit([*words[0], *words[1]])
        return np.array([jaccard_score(*map(binarizer.transform, words), average="samples", zero_division=0)])

    return Row("Jaccard of words", "MT", "scikit-learn", asked, ours, theirs)


def ter_row(asked: float, work: str, items: int, one_a_call: bool = False) -> Row:
    """Return the edits of the first items beside sacrebleu, which takes milliseconds a pair."""

    def ours(texts: Work) -> Values:
        predictions, references = texts.predictions[:items], texts.references[:items]
        if one_a_call:
            scorer = tercet.scorer("ter")
            return [scorer([text], [own])["num_edits"] for text, own in zip(predictions, references, strict=True)]
        return [tercet.score("ter", predictions, references)["num_edits"]]

    def theirs(texts: Work) -> Values:
        empty_sacrebleu_caches()
        metric, predictions, references = sacrebleu.TER(), texts.predictions[:items], texts.references[:items]
        if one_a_call:
            pairs = zip(predictions, references, strict=True)
            return [metric.sentence_score(*pair).num_edits for pair in pairs]
        return [metric.corpus_score(predictions, [*zip(*references, strict=True)]).num_edits]

    calls = ", one pair a call" if one_a_call else f", {items} items"
    return Row(f"Translation edit rate (ter){calls}", work, "sacrebleu", asked, ours, theirs)


def many(texts: Work, most: int) -> tuple[list[str], list[str]]:
    """Return texts, and as many others that they are compared with, each with all."""
    every = [*texts.predictions, *chain.from_iterable(texts.references)]
    n = min(most, len(every) // 2)
    return every[:n], every[-n:]


def many_bleu_row(work: str, most: int, asked: float) -> Row:
    """Return the sentence BLEU of many texts against many beside sacrebleu's of each pair."""

    def ours(texts: Work) -> Values:
        return tercet.Bleu(scale=100).pairwise(*many(texts, most))

    def theirs(texts: Work) -> Values:
        empty_sacrebleu_caches()
        own, others = many(texts, most)
        return [[sacrebleu.sentence_bleu(text, [each]).score for each in others] for text in own]

    return Row(f"BLEU, {most} texts against {most}", work, "sacrebleu", asked, ours, theirs)


def many_chrf_row(work: str, most: int, asked: float) -> Row:
    """Return the chrF of many texts against many beside fastchrf, which counts each text once too."""

    def ours(texts: Work) -> Values:
        return tercet.Chrf().pairwise(*many(texts, most))

    def theirs(texts: Work) -> Values:
        own, others = many(texts, most)
        return fastchrf.pairwise_chrf([own], [others])[0]

    return Row(f"chrF, {most} texts against {most}", work, "fastchrf (Rust)", asked, ours, theirs)


ROWS = [
    rouge_row(["rouge1", "rouge2", "rougeL"], "MT", 350),
    rouge_row(["rouge1", "rouge2", "rougeL"], "sum", 500),
    rouge_row(["rouge1", "rouge2", "rougeL"], "long", 2800),
    rouge_row(["rouge1", "rouge2", "rougeL", "rougeLsum"], "MT", 120),
    rouge_row(["rouge1", "rouge2", "rougeL", "rougeLsum"], "long", 400),
    rouge_row(["rouge1", "rouge2", "rougeL"], "MT", 60, stem=True),
    skip_row("rougeW", 25, rouge_w=True),
    skip_row("rougeS", 50, rouge_s=True),
    skip_row("rougeSU4", 35, rouge_su=True, skip_gap=4),
    bleu_row("MT", "sacrebleu", 180, by_sacrebleu),
    bleu_row("MT, 4 references", "sacrebleu", 150, by_sacrebleu),
    bleu_row("MT", "bleuscore (Rust)", 7, by_bleuscore),
    bleu_row("MT, 4 references", "bleuscore (Rust)", 5, by_bleuscore),
    chrf_row("MT", 30),
    chrf_row("MT", 30, word_order=2),
    chrf_row("MT", 50, word_order=[0, 2]),
    chrf_row("MT, 4 references", 30),
    chrf_row("long", 30),
    segment_row(),
    reward_row("bleu", "sacrebleu", 100, lambda text, truth: sacrebleu.sentence_bleu(text, [truth]).score / 100),
    reward_row("chrf", "sacrebleu", 60, lambda text, truth: sacrebleu.sentence_chrf(text, [truth]).score / 100),
    reward_row("rouge", "rouge_score", 500, by_rouge_score, rouge_types=["rougeL"]),
    bootstrap_row(),
    evaluate_row(),
    rouge_row(["rouge1", "rouge2", "rougeL"], "tiny", 1),
    bleu_rouge_row(60),
    jaccard_row(8),
    jaccard_row(6, work="long"),
    jaccard_row(15, multiset=True),
    overlap_row(50),
    scikit_row(12),
    ter_row(100, "MT", 500),
    ter_row(100, "MT, 4 references", 100),
    ter_row(100, "sum", 30),
    ter_row(10, "MT", 200, one_a_call=True),
    many_bleu_row("samples", 64, 100),
    many_bleu_row("MT", 64, 100),
    many_chrf_row("samples", 512, 3),
    many_chrf_row("MT", 512, 3),
]
