"""A program with the drop-ins installed: what is replaced, what is left, and what comes from the originals."""

import importlib
import inspect
import os
import sys
from importlib.machinery import PathFinder

import sacrebleu

import tercet.compat


def is_ours(thing):
    """Return whether a function or class is a drop-in's, also under the name of the original."""
    sources = thing.__mro__ if isinstance(thing, type) else [inspect.unwrap(thing)]
    return any(source.__module__.startswith("tercet.compat") for source in sources)


find, hidden = PathFinder.find_spec, ("rouge_score", "rouge", "bert_score") if "--without" in sys.argv else ()


def find_others(name, path=None, target=None):
    """Find what is installed but for some packages."""
    return None if name.partition(".")[0] in hidden else find(name, path, target)


PathFinder.find_spec = staticmethod(find_others)
before = sacrebleu.corpus_bleu
tercet.compat.install()
tercet.compat.install()  # says nothing more

assert "torch" not in sys.modules
assert "datasets" not in sys.modules

import bert_score  # noqa: E402
import sacrebleu as replaced  # noqa: E402
from rouge_score import rouge_scorer, scoring, tokenizers  # noqa: E402
from sacrebleu.metrics import BLEU, CHRF, TER  # noqa: E402

import rouge  # noqa: E402

for each in (
    replaced.corpus_bleu, replaced.BLEU, BLEU, CHRF, TER, rouge.Rouge, bert_score.BERTScorer,
    rouge_scorer.RougeScorer, scoring.BootstrapAggregator, tokenizers.DefaultTokenizer,
):  # fmt: skip
    assert is_ours(each), each
assert before.__module__ == "sacrebleu.compat"  # a name keeps its meaning
assert replaced.metrics.BLEU is BLEU

import evaluate  # noqa: E402
import torchmetrics  # noqa: E402
from nltk.translate import bleu  # noqa: E402
from sacrebleu.dataset import DATASETS  # noqa: E402
from sacrebleu.significance import PairedTest  # noqa: E402
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a  # noqa: E402
from torchmetrics.text import BLEUScore, EditDistance  # noqa: E402

assert torchmetrics.text.BLEUScore is BLEUScore
assert issubclass(torchmetrics.BLEUScore, BLEUScore)  # theirs, which warns of its place
assert is_ours(BLEUScore)
assert is_ours(bleu)
for each in (EditDistance, PairedTest, Tokenizer13a, type(next(iter(DATASETS.values())))):
    assert each.__module__.startswith(("torchmetrics.", "sacrebleu.")), each
    assert not is_ours(each)

import sacrebleu.metrics.chrf as of_chrf  # noqa: E402

from tercet.compat.replaced import REPLACED  # noqa: E402

assert of_chrf.CHRF is CHRF is replaced.metrics.chrf.CHRF
for name in REPLACED:
    hasattr(importlib.import_module(name), "no_such_name")  # for which the original is loaded
for name in REPLACED:
    stand_in = sys.modules[name]
    assert type(stand_in).__name__ == "_StandIn", name
    parent, _, child = name.rpartition(".")
    assert not parent or getattr(sys.modules[parent], child) is stand_in, name
assert replaced.utils is sys.modules["sacrebleu.utils"]
assert os.path.exists(replaced.__file__)
names = {}
exec("from sacrebleu import *; from torchmetrics.text import *; from rouge_score.scoring import *", names)
assert names["corpus_bleu"] is replaced.corpus_bleu
assert names["BLEUScore"] is BLEUScore
assert {"smart_open", "WordErrorRate", "BootstrapAggregator"} <= {*names}
assert {"BLEU", "extract_all_word_ngrams"} <= {*dir(replaced.metrics), *dir(sys.modules["sacrebleu.metrics.bleu"])}

both = evaluate.combine(["bleu", "evaluate-metric/rouge"])
print(sorted(both.compute(predictions=["a cat sat on it"], references=[["a cat sat on it"]])))

for module in (bert_score, rouge_scorer):
    try:
        print(module.no_such_name)
    except AttributeError as error:
        print(error)
