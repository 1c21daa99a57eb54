"""A metric as a value goes wherever the name of one goes, with the options that it has."""

import pyarrow as pa
import pytest

import tercet

PREDICTIONS = ["the cat sat down", "на кошке шапка", "猫 坐 了 。"]
REFERENCES = [["The cat sat", "a cat"], ["кошка в шапке"], ["猫 坐 。"]]
VALUES = [
    tercet.Bleu(tokenizer="none", max_order=1),
    tercet.Bleu(tokenizer=str.split, lowercase=True, max_order=2, smooth_method="exp"),
    tercet.Chrf(word_order=[0, 2]), tercet.Ter(case_sensitive=True),
    tercet.Rouge(rouge_types="rougeL", tokenizer="unicode"), tercet.Jaccard(variants={"pairs": {"ngram": 2}}),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_every_door_scores_by_the_value_as_by_its_name_and_options(value):
    expected = tercet.score(value.name, PREDICTIONS, REFERENCES, **value.given)
    score = expected[value.primary]
    assert value(PREDICTIONS, REFERENCES) == tercet.score(value, PREDICTIONS, REFERENCES) == expected
    stream = tercet.Stream(value)
    for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True):
        stream.add([prediction], [references])
    assert stream.result()[value.primary] == pytest.approx(score)
    systems = {"one": PREDICTIONS, "same": [texts[0] for texts in REFERENCES]}
    table = tercet.compare(systems, [value], references=REFERENCES, test=None).tables[0]
    assert table.rows[0].value == pytest.approx(score * 100 / value.scale)
    compute = tercet.compute_metrics(None, value, decode=list)
    assert compute(PREDICTIONS, REFERENCES)[value.primary] == pytest.approx(score)
    why = tercet.explain(value, PREDICTIONS[0], REFERENCES[0])
    assert why.signature == value.explain(PREDICTIONS[0], REFERENCES[0]).signature
    rows = pa.table({"prediction": PREDICTIONS, "references": REFERENCES})
    assert tercet.Stream.from_arrow(tercet.arrow_statistics(rows, value), value).result()[value.primary] == (
        pytest.approx(score)
    )


def test_what_belongs_to_a_call_is_given_to_the_call():
    rouge = tercet.Rouge(rouge_types=["rouge1"], tokenizer="unicode")
    prepared = tercet.scorer(rouge, segments=True, confidence_level=0.9, n_resamples=20)
    assert prepared == rouge
    assert set(prepared(PREDICTIONS, REFERENCES)) == {"rouge1", "segments", "intervals"}
    assert "signature" in prepared(PREDICTIONS, REFERENCES, signature=True)
    assert set(rouge(PREDICTIONS, REFERENCES, n_jobs=2)) == {"rouge1"}
    with pytest.raises(tercet.OptionError, match=r"'segments' belongs to a call.*Rouge\(\)\(predictions, references"):
        tercet.Rouge(segments=True)
    with pytest.raises(tercet.OptionError, match="The 'seed' option of rouge_nlws must be an integer"):
        rouge(PREDICTIONS, REFERENCES, confidence_level=0.9, seed=-1)
