"""How people call metric packages, as they write it; ``python -m tercet.compat`` prints what each call gives.

The numbers are those of a list of calls that were seen in public code. Nothing in here knows tercet.
"""

import json
import sys

import evaluate
import jiwer
import nltk
import numpy as np
import sacrebleu
import torch
from bert_score import BERTScorer
from evaluate import load
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from rouge_score import rouge_scorer, scoring
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF
from torchmetrics.text import SacreBLEUScore

from rouge import Rouge

PREDICTIONS = [
    "The river rose over night. Nobody was hurt. ",
    "Нева снова вышла из берегов",
    "the ferries were running twice an hour",
]
REFERENCES = [
    "The river had risen over night.\nNobody was hurt.",
    "Нева опять вышла из берегов",
    "the ferries run twice an hour",
]
SECOND = [
    "Over night the river rose. Nobody got hurt.",
    "Река Нева вышла из берегов",
    "ferries were running every half hour",
]
CHINESE = ["河水在夜里上涨了。"], ["夜里河水涨了。"]
LISTS = [[each] for each in REFERENCES]


class Characters:
    def tokenize(self, text):
        return list(text.replace(" ", ""))


def pattern_1():
    results = evaluate.load("rouge").compute(predictions=PREDICTIONS, references=REFERENCES)
    return [results["rouge1"], results["rougeL"]]


def pattern_2():
    result = load("rouge").compute(predictions=PREDICTIONS, references=REFERENCES, use_stemmer=True)
    result = {key: value * 100 for key, value in result.items()}
    return {k: round(v, 4) for k, v in result.items()}


def pattern_3():
    sent_tokenize = nltk.PunktSentenceTokenizer().tokenize  # nltk.sent_tokenize has this, trained, from a download
    preds = ["\n".join(sent_tokenize(pred.strip())) for pred in PREDICTIONS]
    labels = ["\n".join(sent_tokenize(label.strip())) for label in REFERENCES]
    return evaluate.load("rouge").compute(predictions=preds, references=labels, use_stemmer=True)["rougeLsum"]


def pattern_4():
    from datasets import load_metric

    result = load_metric("rouge").compute(predictions=PREDICTIONS, references=REFERENCES, use_stemmer=True)
    return {key: value.mid.fmeasure * 100 for key, value in result.items()}


def pattern_5():
    rouge = evaluate.load("rouge")
    return rouge.compute(predictions=PREDICTIONS, references=REFERENCES, use_aggregator=False)["rouge2"]


def pattern_6():
    rouge = evaluate.load("rouge", use_aggregator=False)
    return rouge.compute(predictions=PREDICTIONS, references=REFERENCES)["rouge2"]


def pattern_7():
    rouge = evaluate.load("rouge")
    return rouge.compute(predictions=PREDICTIONS, references=REFERENCES, rouge_types=["rouge1", "rougeL"])


def pattern_8():
    metric = evaluate.load("rouge")
    for start in range(0, len(PREDICTIONS), 2):
        metric.add_batch(predictions=PREDICTIONS[start : start + 2], references=REFERENCES[start : start + 2])
    return metric.compute(use_stemmer=True)["rouge1"]


def pattern_9():
    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    return [scorer.score(ref, pred)["rougeL"].fmeasure for ref, pred in zip(REFERENCES, PREDICTIONS)]


def pattern_10():
    scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    scores = scorer.score(REFERENCES[0], PREDICTIONS[0])
    return {key: [value.precision, value.recall, value.fmeasure] for key, value in scores.items()}


def pattern_11():
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"], tokenizer=Characters())
    return scorer.score(CHINESE[1][0], CHINESE[0][0])["rougeL"].fmeasure


def pattern_12():
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeL"])
    named = scorer.score_multi(targets=[REFERENCES[2], SECOND[2]], prediction=PREDICTIONS[2])
    placed = scorer.score_multi([REFERENCES[2], SECOND[2]], PREDICTIONS[2])
    return [named["rouge1"].fmeasure, placed["rougeL"].recall]


def pattern_13():
    scorer = rouge_scorer.RougeScorer(["rouge1", "rougeLsum"])
    aggregator = scoring.BootstrapAggregator()
    for ref, pred in zip(REFERENCES, PREDICTIONS):
        aggregator.add_scores(scorer.score(ref, pred))
    result = aggregator.aggregate()
    return {key: [value.low.fmeasure, value.mid.fmeasure, value.high.fmeasure] for key, value in result.items()}


def pattern_14():
    return sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES, SECOND]).score


def pattern_15():
    old = sacrebleu.corpus_bleu(sys_stream=PREDICTIONS, ref_streams=[REFERENCES])
    return [
        sacrebleu.corpus_bleu(CHINESE[0], [CHINESE[1]], tokenize="zh").score,
        sacrebleu.corpus_bleu(PREDICTIONS, [REFERENCES], tokenize="none").score,
        old.scores[3],
    ]


def pattern_16():
    return [
        sacrebleu.sentence_bleu(PREDICTIONS[0], [REFERENCES[0]]).score,
        sacrebleu.sentence_bleu(CHINESE[0][0], CHINESE[1], tokenize="zh").score,
        sacrebleu.sentence_bleu(PREDICTIONS[1], [REFERENCES[1]], use_effective_order=True).score,
    ]


def pattern_17():
    candidates = [REFERENCES[2], SECOND[2], PREDICTIONS[2]]
    return np.mean(
        [sacrebleu.sentence_bleu(c, candidates[:i] + candidates[i + 1 :]).score for i, c in enumerate(candidates)]
    ).item()


def pattern_18():
    return [
        BLEU(effective_order=True).sentence_score(PREDICTIONS[0], [REFERENCES[0]]).score,
        CHRF(word_order=2).corpus_score(PREDICTIONS, [REFERENCES]).score,
    ]


def pattern_19():
    metric = load("sacrebleu")
    return [
        metric.compute(predictions=PREDICTIONS, references=LISTS)["score"],
        metric.compute(predictions=PREDICTIONS, references=REFERENCES)["score"],
    ]


def pattern_20():
    bleu = load("bleu")
    by_order = [
        bleu.compute(predictions=PREDICTIONS, references=REFERENCES, max_order=n)["bleu"] for n in range(1, 5)
    ]
    return [*by_order, bleu.compute(predictions=PREDICTIONS, references=LISTS, smooth=True)["bleu"]]


def pattern_21():
    return load("chrf").compute(predictions=PREDICTIONS, references=LISTS, word_order=2)["score"]


def pattern_22():
    res = load("bertscore").compute(predictions=PREDICTIONS, references=REFERENCES, **ENCODER)
    del res["hashcode"]
    return [float(np.mean(res["f1"])), sorted(res)]


def pattern_23():
    scorer = BERTScorer(rescale_with_baseline=False, **ENCODER)
    P, R, F1 = scorer.score(PREDICTIONS, REFERENCES)
    return [P.mean().item(), R.mean().item(), F1[0].item(), str(F1.dtype)]


def pattern_24():
    perplexity = load("perplexity", module_type="metric")
    results = perplexity.compute(model_id=MODEL, add_start_token=False, predictions=PREDICTIONS)
    measured = load("perplexity", module_type="measurement").compute(
        data=PREDICTIONS, model_id=MODEL, add_start_token=False
    )
    return [results["mean_perplexity"], results["perplexities"], measured["mean_perplexity"]]


def pattern_25():
    smooth = SmoothingFunction().method1
    bleu = sentence_bleu([REFERENCES[2].split()], PREDICTIONS[2].split(), smoothing_function=smooth)
    return [bleu, Rouge().get_scores(PREDICTIONS, REFERENCES, avg=True)["rouge-l"]["f"]]


def pattern_26():
    metric = evaluate.load("sacrebleu")

    def compute_metrics(eval_pred):
        predictions, labels = eval_pred
        return metric.compute(predictions=predictions, references=[[label] for label in labels])

    return compute_metrics((PREDICTIONS, REFERENCES))["score"]


def pattern_27():
    try:
        return sacrebleu.corpus_bleu(PREDICTIONS, LISTS).score
    except Exception as error:
        return str(error)


def pattern_28():
    metric = BLEU()
    stats = metric._extract_corpus_statistics(PREDICTIONS, [REFERENCES, SECOND])
    rows = np.array([row.tolist() if hasattr(row, "tolist") else row for row in stats])
    picks = np.random.default_rng(7).integers(0, len(rows), (20, len(rows)))
    resamples = [metric._compute_score_from_stats(list(rows[pick].sum(axis=0).tolist())).score for pick in picks]
    return [*resamples, metric._aggregate_and_compute(stats).score]


def pattern_29():
    class Corpus(SacreBLEUScore):
        def compute(self):
            if self.preds_len == 0:
                return torch.tensor(-1.0)
            return super().compute() * 100 + self.numerator[0] / self.preds_len

    metric = Corpus(n_gram=2)
    metric.update(PREDICTIONS, LISTS)
    return metric.compute().item()


def pattern_30():
    output = jiwer.process_words(REFERENCES, PREDICTIONS)
    measures = [output.wer, output.mer, output.wil, output.hits, output.substitutions]
    measures += [output.insertions, output.deletions, jiwer.cer(REFERENCES, PREDICTIONS)]
    wer = 100 * evaluate.load("wer").compute(predictions=PREDICTIONS, references=REFERENCES)
    return [*measures, jiwer.visualize_alignment(output, show_measures=False), wer]


PATTERNS = {name: pattern for name, pattern in globals().items() if name.startswith("pattern_")}

if __name__ == "__main__":
    ENCODER, MODEL = json.loads(sys.argv[1]), sys.argv[2]
    print(json.dumps({name: pattern() for name, pattern in PATTERNS.items()}))
