"""Scores of corpora of any size with Ray Data: on the cores of one machine, or on a cluster."""

from tercet.sums.ray import score as score
