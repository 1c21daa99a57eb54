"""A small corpus for the tests of harnesses: some items have two references, which orders of axes must not mix up."""

import numpy as np
import sacrebleu

import tercet

PREDICTIONS = [
    "The ferry leaves at noon from the old pier.",
    "It rained all night in Lima, and nobody slept.",
    "Кошка спит на тёплом окне.",
    "She wrote two letters to the mayor of the town.",
    "the train was late again today, as it was yesterday",
    "A very different sentence.",
]
ONE = [
    "The ferry leaves at noon from the new pier.",
    "It rained the whole night in Lima, and nobody slept.",
    "На тёплом окне спит кошка.",
    "She wrote three letters to the mayor of the city.",
    "The train was late again today, as it was yesterday.",
    "Nothing that could match it",
]
#: An item has one reference, the others two.
SEVERAL = [[one, f"{one} Indeed."] if number else [one] for number, one in enumerate(ONE)]


def by_sacrebleu(predictions=PREDICTIONS, references=SEVERAL):
    """Return sacrebleu's BLEU of the corpus, from 0 to 1, which takes references by position."""
    listed = [[each] if isinstance(each, str) else each for each in references]
    streams = [[each[place] if place < len(each) else None for each in listed] for place in range(2)]
    return sacrebleu.corpus_bleu(predictions, streams).score / 100


def mean_of_sentences(references=SEVERAL):
    """Return what averages give: the mean of the segments' BLEU, which is not the BLEU of the corpus."""
    return float(np.mean(tercet.score("bleu", PREDICTIONS, references, segments=True).segments["bleu"]))


def numbers(metric="bleu", references=SEVERAL, predictions=PREDICTIONS, **options):
    """Return the scores of :func:`tercet.score`, and the ends of their intervals."""
    found = tercet.score(metric, predictions, references, confidence_level=0.95, **options)
    ends = {
        f"{name}_{end}": found.intervals[name][end == "high"] for name in found.intervals for end in ("low", "high")
    }
    return {**{name: found[name] for name in found.intervals}, **ends}
