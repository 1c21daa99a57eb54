"""Minimum Bayes risk: of many candidates for one source, the one that agrees best with the others."""
