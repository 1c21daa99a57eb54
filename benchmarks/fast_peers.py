"""What is timed at each size: calls of tercet, and of the fastest packages that we know of; what is not installed is left out."""

from __future__ import annotations

import importlib.util
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import datasets
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from nltk.translate.gleu_score import corpus_gleu
from rouge_score.rouge_scorer import RougeScorer

import tercet
import tercet.compat.rouge_scorer
from peers import bleu_rouge_row, empty_sacrebleu_caches, jaccard_row, words_of
from work import Work, make_work

TYPES = ["rouge1", "rouge2", "rougeL"]

#: Their modules, by the names of their packages.
OPTIONAL = {
    "rouge-score-rs": "rouge_score_rs",
    "rouge-rust": "fast_rouge",
    "rapidrouge": "rapidrouge",
    "bleuscore": "bleuscore",
    "fastchrf": "fastchrf",
    "sacrebleu-mojo": "sacrebleu_mojo",
    "universal-edit-distance": "universal_edit_distance",
    "werx": "werx",
    "fastwer": "fastwer",
    "werpy": "werpy",
    "jiwer": "jiwer",
}
MISSING = [package for package, module in OPTIONAL.items() if importlib.util.find_spec(module) is None]

#: Words of a call and of a text beyond which a peer is not run: its calls would take a minute or more.
MOST = {
    "rouge_score": (400_000, 10_000),
    "rapidrouge": (400_000, 10_000),
    "sacrebleu": (400_000, 100_000),
    "bleuscore": (400_000, 100_000),
    "fastchrf": (400_000, 10_000),
    "sacrebleu-mojo": (4_000_000, 100_000),
}


class Side(NamedTuple):
    """What is timed, and what reads the scores from its result, which is not timed."""

    call: Callable[[], Any]
    read: Callable[[Any], Any] = float


Sides = dict[str, Side]


def beside(work: Work, ours: Side, peers: dict[str, Callable[[], Side]]) -> Sides:
    """Return the sides, tercet's first, and of the peers those that are installed and would not take too long."""
    words = work.tokens / 2

    def runs(peer: str) -> bool:
        most, longest = MOST.get(peer, (float("inf"), float("inf")))
        return peer not in MISSING and words <= most and words / len(work.predictions) <= longest

    return {"tercet": ours, **{peer: side() for peer, side in peers.items() if runs(peer)}}


def prepared(work: Work, metric: str, score: str, **options: Any) -> Side:
    """Return a call of a prepared metric."""
    scorer, texts, references = tercet.scorer(metric, **options), work.predictions, work.first_references
    return Side(lambda: scorer(texts, references), itemgetter(score))


def rouge(work: Work, types: Sequence[str] = TYPES, use_stemmer: bool = False) -> Sides:
    """Return what gives the F of every pair and type."""
    scorer = tercet.scorer("rouge", rouge_types=types, use_stemmer=use_stemmer)
    texts, references = work.predictions, work.first_references
    few = len(texts) <= 8  # so many are faster pair by pair, in Rust

    def by_type(scores: list[dict[str, Any]]) -> list[list[float]]:
        return [[pair[name].fmeasure for pair in scores] for name in types]

    def pair_by_pair(score: Callable[..., Any]) -> Side:
        return Side(lambda: [score(*pair) for pair in zip(references, texts, strict=True)], by_type)

    def rouge_score_rs() -> Side:
        import rouge_score_rs

        peer = rouge_score_rs.RougeScorer(types, use_stemmer=use_stemmer)
        return pair_by_pair(peer.score) if few else Side(lambda: peer.score_batch(references, texts), by_type)

    def rouge_rust() -> Side:
        import fast_rouge

        names = [f"{name}_fmeasure" for name in types]

        def call() -> list[list[float]]:
            scores = fast_rouge.score_batch_flat(references, texts)
            return [getattr(scores, name) for name in names]  # which makes the lists

        return pair_by_pair(fast_rouge.score) if few else Side(call, list)

    def rapidrouge() -> Side:
        import rapidrouge

        return pair_by_pair(rapidrouge.RougeScorer(types, use_stemmer=use_stemmer).score)

    peers = {
        "rouge_score": lambda: pair_by_pair(RougeScorer(types, use_stemmer=use_stemmer).score),
        "rouge-score-rs": rouge_score_rs,
        "rouge-rust": rouge_rust,
        "rapidrouge": rapidrouge,
    }
    if types != TYPES or use_stemmer:
        del peers["rouge-rust"]  # has these types only, and no stems
    ours = Side(lambda: scorer.segments(texts, references), lambda scores: [scores[name] for name in types])
    return beside(work, ours, peers)


def drop_in(work: Work) -> Sides:
    """Return what scores a text by the class of rouge_score, and by those of its form."""
    (text,), (reference,) = work.predictions, work.first_references

    def side(peer: Callable[..., Any]) -> Side:
        score = peer(TYPES).score
        return Side(lambda: score(reference, text), lambda scores: [tuple(scores[name]) for name in TYPES])

    def rouge_score_rs() -> Side:
        import rouge_score_rs

        return side(rouge_score_rs.RougeScorer)

    peers = {"rouge_score": lambda: side(RougeScorer), "rouge-score-rs": rouge_score_rs}
    return beside(work, side(tercet.compat.rouge_scorer.RougeScorer), peers)


def wer(work: Work) -> Sides:
    """Return what gives the word error rate of all texts; tercet gives those of characters and of matches too."""
    columns = work.first_references, work.predictions
    pairs = columns if len(work.predictions) > 1 else [texts[0] for texts in columns]  # a pair is faster as strings

    def edit_distance() -> Side:
        import universal_edit_distance

        return Side(lambda: universal_edit_distance.word_error_rate(*columns[::-1]))

    def werx() -> Side:
        import werx

        return Side(lambda: werx.wer(*pairs))

    def fastwer() -> Side:
        import fastwer

        return Side(lambda: fastwer.score(*columns[::-1]), lambda percent: percent / 100)

    def werpy() -> Side:
        import werpy

        return Side(lambda: werpy.wer(*pairs))

    def jiwer() -> Side:
        import jiwer

        return Side(lambda: jiwer.wer(*pairs))

    peers = {
        "universal-edit-distance": edit_distance,
        "werx": werx,
        "fastwer": fastwer,
        "werpy": werpy,
        "jiwer": jiwer,
    }
    return beside(work, prepared(work, "wer", "wer"), peers)


def by_sacrebleu(metric: Any, work: Work) -> Side:
    """Return sacrebleu's score of the corpus, of texts that it has not seen."""
    texts, references = work.predictions, [work.first_references]

    def call() -> Any:
        empty_sacrebleu_caches()
        return metric.corpus_score(texts, references)

    return Side(call, attrgetter("score"))


def bleu(work: Work) -> Sides:
    """Return what gives the BLEU of the corpus."""
    texts, references = work.predictions, work.references

    def bleuscore() -> Side:
        import bleuscore

        return Side(
            lambda: bleuscore.compute(references=references, predictions=texts, max_order=4, smooth=False),
            lambda result: 100 * result["bleu"],
        )

    ours = prepared(work, "bleu", "bleu", scale=100, smooth_method="none")
    theirs = sacrebleu.BLEU(smooth_method="none")
    return beside(work, ours, {"sacrebleu": lambda: by_sacrebleu(theirs, work), "bleuscore": bleuscore})


def bleu_by(work: Work, tokenizer: str) -> Sides:
    """Return the same of texts in Chinese characters, or of Korean, one for each word."""
    first, size, blank = (0xAC00, 11_172, " ") if tokenizer == "ko-mecab" else (0x4E00, 5_000, "")

    def written(texts: list[str]) -> list[str]:
        return [blank.join(chr(first + crc32(word.encode()) % size) for word in text.split()) for text in texts]

    references = [[text] for text in written(work.first_references)]
    in_script = Work(tokenizer, written(work.predictions), references, work.tokens)
    ours = prepared(in_script, "bleu", "bleu", scale=100, tokenizer=tokenizer)
    theirs = sacrebleu.BLEU(tokenize=tokenizer)
    return beside(in_script, ours, {"sacrebleu": lambda: by_sacrebleu(theirs, in_script)})


def bleu_by_function(work: Work) -> Sides:
    """Return the same of words that a function finds; sacrebleu is given what it returns, with blanks in between."""
    split = re.compile(r"\w+|[^\w\s]").findall
    ours = prepared(work, "bleu", "bleu", scale=100, tokenizer=split)
    metric = sacrebleu.BLEU(tokenize="none")

    def call() -> Any:
        empty_sacrebleu_caches()
        columns = work.predictions, work.first_references
        texts, references = ([" ".join(split(text)) for text in column] for column in columns)
        return metric.corpus_score(texts, [references])

    return beside(work, ours, {"sacrebleu": lambda: Side(call, attrgetter("score"))})


def bleu_nltk(work: Work) -> Sides:
    """Return NLTK's BLEU, smoothed by its method 3, of texts that are split at blanks."""
    references, method = [[text.split()] for text in work.first_references], SmoothingFunction().method3
    texts = [text.split() for text in work.predictions]
    ours = prepared(work, "bleu", "bleu", compat="nltk", smooth_method="nltk3", tokenizer="none")
    theirs = Side(lambda: corpus_bleu(references, texts, smoothing_function=method))
    return beside(work, ours, {"NLTK": lambda: theirs})


def gleu(work: Work) -> Sides:
    """Return what gives the GLEU of the corpus, of texts that are split at blanks."""
    texts, references = work.predictions, work.first_references

    def call() -> float:
        return corpus_gleu([[text.split()] for text in references], [text.split() for text in texts])

    return beside(work, prepared(work, "google_bleu", "google_bleu", tokenizer="none"), {"NLTK": lambda: Side(call)})


def chrf(work: Work) -> Sides:
    """Return what gives the chrF of the corpus."""
    texts, references = work.predictions, work.first_references

    def mojo() -> Side:
        import sacrebleu_mojo

        return Side(lambda: sacrebleu_mojo.corpus_chrf(texts, [references]), attrgetter("score"))

    peers = {"sacrebleu": lambda: by_sacrebleu(sacrebleu.CHRF(), work), "sacrebleu-mojo": mojo}
    return beside(work, prepared(work, "chrf", "chrf"), peers)


def chrf_of_pairs(work: Work) -> Sides:
    """Return what gives the chrF of each pair."""
    scorer, texts, references = tercet.scorer("chrf"), work.predictions, work.first_references

    def fastchrf() -> Side:
        import fastchrf

        columns = [[text] for text in texts], [[text] for text in references]
        return Side(lambda: fastchrf.pairwise_chrf(*columns), np.ravel)

    return beside(work, Side(lambda: scorer.segments(texts, references), itemgetter("chrf")), {"fastchrf": fastchrf})


def ter(work: Work) -> Sides:
    """Return what gives the TER of the corpus."""
    return beside(
        work, prepared(work, "ter", "ter", scale=100), {"sacrebleu": lambda: by_sacrebleu(sacrebleu.TER(), work)}
    )


def jaccard(work: Work) -> Sides:
    """Return the Jaccard similarity of words."""
    theirs = jaccard_row(0).theirs
    return beside(
        work, prepared(work, "jaccard", "jaccard"), {"Python's sets": lambda: Side(lambda: theirs(work), np.mean)}
    )


def bleu_rouge(work: Work) -> Sides:
    """Return the F of BLEU-1 and ROUGE-1, and of order 2, of each pair."""
    scorer, names = tercet.scorer("bleu_rouge", tokenizer="rouge"), ("bleu_rouge_f_1", "bleu_rouge_f_2")
    ours = Side(lambda: scorer.segments(work.predictions, work.first_references), itemgetter(*names))
    theirs = bleu_rouge_row(0).theirs
    return beside(work, ours, {"NLTK and rouge_score": lambda: Side(lambda: theirs(work), list)})


def diversity(work: Work) -> Sides:
    """Return self-BLEU and distinct words of a text and its reference; tercet gives all its other measures too."""
    texts, names = [*work.predictions, *work.first_references], ("self_bleu", "distinct_1")
    scorer = tercet.scorer("diversity")
    metric = sacrebleu.BLEU(tokenize="none", effective_order=True)

    def call() -> tuple[float, float]:
        words = [words_of(text) for text in texts]
        lines = [" ".join(text) for text in words]
        bleus = [
            metric.sentence_score(line, lines[:place] + lines[place + 1 :]).score for place, line in enumerate(lines)
        ]
        return sum(bleus) / len(bleus) / 100, len(set().union(*words)) / sum(map(len, words))

    return beside(
        work,
        Side(lambda: scorer(texts), itemgetter(*names)),
        {"sacrebleu and Python's sets": lambda: Side(call, list)},
    )


def by_score(metric: str, texts: Any, references: Any, **options: Any) -> Side:
    """Return a call of tercet.score."""

    def scores(result: tercet.Result) -> list[float]:
        return [value for value in result.values() if isinstance(value, float)]

    return Side(lambda: tercet.score(metric, texts, references, **options), scores)


def alone(work: Work, metric: str, **options: Any) -> Sides:
    """Return tercet.score beside nothing."""
    return {"tercet": by_score(metric, work.predictions, work.first_references, **options)}


def in_columns(work: Work, kind: str, metric: str, **options: Any) -> Sides:
    """Return tercet.score of texts as users of a package hold them, and of lists."""
    table = pa.table({"p": work.predictions, "r": work.first_references})
    makers: dict[str, Callable[[], Any]] = {
        "pyarrow": lambda: table,
        "datasets": lambda: datasets.Dataset(table),
        "pandas": lambda: table.to_pandas(types_mapper=pd.ArrowDtype),
        "polars": lambda: polars.from_arrow(table),
    }
    frame = makers[kind]()
    return {
        "tercet": by_score(metric, frame["p"], frame["r"], **options),
        "tercet, lists": by_score(metric, work.predictions, work.first_references, **options),
    }


def in_threads(work: Work, metric: str, arrow: bool = False, **options: Any) -> Sides:
    """Return tercet.score in two threads, and in one."""
    columns = [pa.array(texts) if arrow else texts for texts in (work.predictions, work.first_references)]
    return {
        "tercet": by_score(metric, *columns, n_jobs=2, **options),
        "tercet, one thread": by_score(metric, *columns, **options),
    }


def compared(work: Work, systems: int) -> Sides:
    """Return the comparison of so many systems on as many segments as the work has, of each with all others."""
    n = len(work.predictions)
    texts = make_work("systems", n, 25, references=min(systems, n))  # fewer in the tests
    references, *columns = zip(*texts.references, strict=True)
    test_set = {f"system {number}": list(column) for number, column in enumerate([texts.predictions, *columns])}
    return {"tercet": Side(lambda: tercet.compare(test_set, "bleu", references=references))}


FOLDER = tempfile.TemporaryDirectory()

#: What a fresh process of a package does: `texts` and `references` are given to it, and it prints a number.
FIRST_ROUGE = {
    "tercet": f"""import tercet
scores = tercet.score("rouge", texts, references, rouge_types={TYPES}, use_stemmer=True, use_aggregator=False)
print(sum(scores["rougeL"]))""",
    "rouge-score-rs": f"""from rouge_score_rs import RougeScorer
scores = RougeScorer({TYPES}, use_stemmer=True).score_batch(references, texts)
print(sum(pair["rougeL"].fmeasure for pair in scores))""",
}
FIRST_BLEU = {
    "tercet": 'import tercet; print(tercet.score("bleu", texts, references, scale=100)["bleu"])',
    "sacrebleu": "import sacrebleu; print(sacrebleu.corpus_bleu(texts, [references]).score)",
}


def command(arguments: Sequence[str], read: Callable[[str], Any] = float, given: str | None = None) -> Side:
    """Return a process of Python, from its start to its end."""
    whole = [sys.executable, *arguments]
    return Side(lambda: subprocess.run(whole, input=given, capture_output=True, text=True, check=True).stdout, read)


def first_call(work: Work, codes: dict[str, str]) -> Sides:
    """Return a fresh process of each package, which reads the texts and scores them once."""
    texts = json.dumps([work.predictions, work.first_references])

    def side(package: str) -> Side:
        read = "import json, sys\ntexts, references = json.load(sys.stdin)\n"
        return command(["-c", read + codes[package]], given=texts)

    return beside(work, side("tercet"), {name: partial(side, name) for name in codes if name != "tercet"})


def by_command(work: Work) -> Sides:
    """Return the commands that score a file, with an interval."""
    system, reference = (Path(FOLDER.name) / f"{name}.txt" for name in ("system", "reference"))
    system.write_text("".join(f"{text}\n" for text in work.predictions))
    reference.write_text("".join(f"{text}\n" for text in work.first_references))

    def read(output: str) -> float:
        return float(re.search(r'(?m)^ +(?:system|"score":) +([\d.]+)', output)[1])

    ours = command(["-m", "tercet", "score", str(system), "--references", str(reference)], read)
    theirs = ["-m", "sacrebleu", str(reference), "--input", str(system), "--confidence", "--width", "2"]
    return beside(work, ours, {"sacrebleu": lambda: command(theirs, read)})


def by_help(work: Work) -> Sides:
    """Return the commands that say what they can do."""
    sides = {
        package: command(["-m", package, "--help"], lambda output: bool(output))
        for package in ("tercet", "sacrebleu")
    }
    return beside(work, sides["tercet"], {"sacrebleu": lambda: sides["sacrebleu"]})


def processor() -> float:
    """Return the seconds that this process and those that it started have computed."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Row(NamedTuple):
    """A work, the calls that do it, and its sizes: pairs in a call, words in a text and lines; with what is asked."""

    work: str
    sides: Callable[[Work], Sides]
    sizes: dict[tuple[int, ...], str]
    clock: Callable[[], float] = processor


BULK = {(10_000, 25): "", (1_000_000, 25): "", (100, 800): "", (2, 20_000): ""}
SIZES = {(1, 25): "", (2, 25): "", (3, 25): "", (8, 25): "", (64, 25): "", **BULK}
FEW = {(1, 25): "", (2, 25): "", (3, 25): ""}
ONE = {(1, 25): "60 us"}
IN_PYTHON = {(1, 25): "", (64, 25): "", (10_000, 25): ""}
#: What tercet.score does in some rows: the work's name, and the metric with its options.
METRICS: list[tuple[str, str, dict[str, Any]]] = [
    ("ROUGE 1+2+L", "rouge", {"rouge_types": TYPES}),
    ("BLEU", "bleu", {"smooth_method": "none"}),
    ("chrF", "chrf", {}),
    ("TER", "ter", {}),
    ("WER", "wer", {}),
    ("GLEU", "google_bleu", {"tokenizer": "none"}),
]
STEMS = "ROUGE 1+2+L with stems"
LINES = partial(rouge, types=[*TYPES, "rougeLsum"])

ROWS = [
    Row("ROUGE 1+2+L", rouge, SIZES | {(1, 25): "1.1; 6 us", (2, 25): "1.3", (8, 25): "2"}),
    Row(STEMS, partial(rouge, use_stemmer=True), {(1, 25): "1", (8, 25): "2", (64, 25): "3", (10_000, 25): "5", (10, 800): "2"}),
    Row(f"{STEMS}, a new process", partial(first_call, codes=FIRST_ROUGE), {(1, 25): "0.45 s", (10_000, 25): ""}),
    Row("ROUGE 1+2+L+Lsum", LINES, {(1, 100): "1.2"}),
    Row("ROUGE 1+2+L+Lsum, 5 lines", LINES, {(1, 100, 5): "1.2"}),
    Row("ROUGE-L", partial(rouge, types=["rougeL"]), {(2, 20_000): ""}),
    Row("rouge_score's class (drop-in)", drop_in, {(1, 25): "0.8", (1, 100): "1", (1, 800): "1.2"}),
    Row("BLEU", bleu, SIZES | {(1, 25): "2.5"}),
    Row("BLEU, zh", partial(bleu_by, tokenizer="zh"), {(10_000, 25): "25"}),
    *(
        Row(f"BLEU, {tokenizer}", partial(bleu_by, tokenizer=tokenizer), IN_PYTHON)
        for tokenizer, module in (("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko"))
        if importlib.util.find_spec(module)
    ),
    Row("BLEU, a function as tokenizer", bleu_by_function, IN_PYTHON),
    Row('BLEU, compat="nltk"', bleu_nltk, ONE),
    Row("BLEU, a new process", partial(first_call, codes=FIRST_BLEU), {(1, 25): "0.9"}),
    Row("chrF", chrf, SIZES),
    Row("chrF of each pair", chrf_of_pairs, SIZES),
    Row("TER", ter, FEW),
    Row("WER", wer, FEW | {(1, 25): "1", (8, 25): "1.5", (64, 25): "2", (500, 25): "4"}),
    Row("GLEU", gleu, FEW | {(1, 25): "10; 8 us"}),
    Row("Jaccard of words", jaccard, ONE),
    Row("F of BLEU and ROUGE", bleu_rouge, ONE),
    Row("Diversity", diversity, ONE),
    Row("`tercet score`, a new process", by_command, {(200, 25): "1"}),
    Row("`tercet --help`, a new process", by_help, {(1, 25): "1"}),
    *(
        Row(f"tercet.score: {work}", partial(alone, metric=metric, **options), {(1, 25): ""})
        for work, metric, options in METRICS
    ),
    Row("compare: BLEU of 100 systems, all pairs", partial(compared, systems=100), {(1_000, 25): "6 s"}),
    Row("compare: BLEU of 300 systems, all pairs", partial(compared, systems=300), {(300, 25): "60 s"}),
    *(
        Row(f"{work} from {kind}", partial(in_columns, kind=kind, metric=metric, **options), {(100_000, 25): ""})
        for work, metric, options in METRICS[:2]
        for kind in ("pyarrow", "datasets", "pandas", "polars")
    ),
    *(
        Row(
            f"{work} of {kind}, 2 threads",
            partial(in_threads, arrow=kind == "Arrow", metric=metric, **options),
            {(1_000_000, 25): asked if metric == "rouge" else ""},
            time.perf_counter,
        )
        for work, metric, options in METRICS[:2]
        for kind, asked in (("lists", "1.7"), ("Arrow", "1.9"))
    ),
]  # fmt: skip
