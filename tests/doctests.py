"""Examples in docstrings and documents, run as tests."""

import doctest

import pytest


class Runner(doctest.DocTestRunner):
    """Lets a test be skipped by an example that needs more than there is (see words.py)."""

    def report_unexpected_exception(self, out, test, example, exc_info):
        if isinstance(exc_info[1], pytest.skip.Exception):
            raise exc_info[1]
        super().report_unexpected_exception(out, test, example, exc_info)


def failures(examples: doctest.DocTest) -> int:
    """Run the examples, and return how many did not give what stands below them."""
    return Runner().run(examples).failed
