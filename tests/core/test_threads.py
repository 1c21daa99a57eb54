"""Pieces are worked on in threads, in order, as the caller's own thread would."""

import sys
import threading
from contextvars import ContextVar

import numpy as np
import pytest

import tercet
from own_metric import WordErrors
from tercet.threads import in_threads

setting = ContextVar("setting", default="the usual")


def test_what_is_made_comes_in_the_order_of_the_pieces():
    first_may_end = threading.Event()

    def ended(piece):
        if piece == 0:
            first_may_end.wait()
        first_may_end.set()
        return piece

    assert list(in_threads(ended, range(5), 2)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("n_threads", [1, 2, None])
def test_what_the_caller_set_holds_in_each_thread(n_threads):
    before = setting.set("the caller's")
    try:
        made = in_threads(lambda piece: (piece, setting.get()), range(3), n_threads)
        assert list(made) == [(0, "the caller's"), (1, "the caller's"), (2, "the caller's")]
    finally:
        setting.reset(before)


def test_one_piece_is_for_the_callers_own_thread():
    (thread,) = in_threads(lambda _: threading.current_thread(), ["only"], 4)
    assert thread is threading.current_thread()


def test_an_error_of_a_piece_is_the_callers():
    def work(piece):
        return 1 / piece

    made = in_threads(work, [1, 0, 2], 2)
    assert next(made) == 1
    with pytest.raises(ZeroDivisionError):
        next(made)


class DividesByZero(WordErrors):
    """A metric whose rows take a quotient that NumPy warns of, unless the caller silences it."""

    def words(self, text):
        assert np.isinf(np.ones(1) / np.zeros(1)).all()
        return super().words(text)


def test_numpys_settings_of_the_caller_hold_for_a_metric_of_his_own_in_threads():
    predictions, references = ["a b"] * 8, ["a c"] * 8
    with np.errstate(divide="ignore"):
        result = tercet.score(DividesByZero(), predictions, references, n_jobs=2)
    assert result["errors"] == tercet.score("wer", predictions, references)["wer"]


@pytest.mark.parametrize("make", [tercet.Bleu, tercet.Chrf], ids=lambda make: make.__name__)
def test_first_called_by_several_threads_a_metric_gives_each_all_keys(make):
    """Keys are put together once, on the first call."""
    expected = list(make()(["a b c d e"], ["a b c d f"]))
    found = []

    def call(metric, barrier):
        barrier.wait()
        found.append(list(metric(["a b c d e"], ["a b c d f"])))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(150):
            metric = make()
            barrier = threading.Barrier(4)
            threads = [threading.Thread(target=call, args=(metric, barrier)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert found == [expected] * 600
