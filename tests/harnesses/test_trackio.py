"""A run of trackio, on this machine, has what was logged."""

import pytest

import tercet
from harness_texts import PREDICTIONS, SEVERAL, numbers


def test_a_result_and_a_comparison():
    import trackio

    from tercet.harnesses.trackio import log

    trackio.init(project="test", name="run", embed=False)
    log(tercet.score("bleu", PREDICTIONS, SEVERAL, confidence_level=0.95, segments=True))
    log(tercet.compare({"one": PREDICTIONS, "two": PREDICTIONS[::-1]}, ["chrf"], references=SEVERAL))
    trackio.finish()
    from trackio.sqlite_storage import SQLiteStorage

    first, second = SQLiteStorage.get_logs("test", "run")
    assert {name: first[f"bleu_multi/{name}"] for name in numbers()} == pytest.approx(numbers())
    assert first["bleu_multi/signature"].startswith("bleu_multi|")
    assert [second[f"one/{name}"] for name in numbers("chrf")] == pytest.approx(list(numbers("chrf").values()))
    rows = second["segments"]["_value"]
    assert len(rows) == 2 * len(PREDICTIONS)
    assert rows[2]["prediction"] == PREDICTIONS[1]
    assert rows[2]["references"] == "\n".join(SEVERAL[1])
