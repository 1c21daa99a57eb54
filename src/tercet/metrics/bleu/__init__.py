"""BLEU: the metric, its options, its row of counts, its formula, and the packages whose numbers it can give."""

from .metric import Bleu as Bleu
