"""Columns in Arrow's memory are scored as lists are, without a Python string; odd ones are read as lists."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import datasets
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from malformed import MALFORMED, spoil
from malformed import texts as malformed_texts
from tercet import InputError
from tercet.corpus.items import short_lists
from tercet.corpus.reading import read_corpus
from texts import all_pairs

PREDICTIONS, REFERENCES = all_pairs()
FIRST = [texts[0] for texts in REFERENCES]
OPTIONS = {"rouge_nlws": {"tokenizer": "unicode"}}


def of_datasets(values):
    return datasets.Dataset.from_dict({"other": list(range(len(values))), "text": values})["text"]


def shuffled_and_back(values):
    there = np.random.default_rng(3).permutation(len(values))
    return datasets.Dataset.from_dict({"text": [values[i] for i in there]}).select(np.argsort(there))["text"]


def in_chunks(values):
    whole, cut = pa.array(values), len(values) // 3
    return pa.chunked_array([whole[:cut], whole[cut:cut], whole[cut:]])


def behind_others(values):
    return pa.array([*values[:2], *values])[2:]


def pandas_of_arrow(values):
    return pd.Series(pa.array(values).to_pylist(), dtype=pd.ArrowDtype(pa.array(values).type))


KINDS = {
    "array": pa.array, "chunks": in_chunks, "slice": behind_others, "datasets": of_datasets,
    "chosen from datasets": shuffled_and_back, "pandas": pandas_of_arrow,
    "polars": lambda values: pytest.importorskip("polars").Series(values),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_are_scored_as_lists_also_beside_a_list_and_in_a_module(kind):
    made = KINDS[kind]
    for metric, references in product(("bleu_multi", "rouge_nlws", "jaccard_sets"), (FIRST, REFERENCES)):
        columns = made(PREDICTIONS), made(references)
        assert read_corpus(*columns).strings is None
        options = {"segments": True, **OPTIONS.get(metric, {})}
        expected = tercet.score(metric, PREDICTIONS, references, **options)
        for texts in (columns, (PREDICTIONS, columns[1]), (columns[0], references)):
            found = tercet.score(metric, *texts, **options)
            assert found == expected
            assert found.to_dict(full=True) == expected.to_dict(full=True)
    module = tercet.load("jaccard_sets")
    module.add_batch(predictions=made(PREDICTIONS[:4]), references=made(REFERENCES[:4]))
    rest = {"predictions": made(PREDICTIONS[4:]), "references": made(REFERENCES[4:])}
    assert module.compute(**rest, **options) == expected


@given(
    st.lists(st.tuples(st.text(max_size=9), st.lists(st.text(max_size=9), max_size=3)), min_size=1, max_size=20),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_a_part_has_the_items_of_lists(items, start, size):
    predictions, references = map(list, zip(*items, strict=True))
    ours = read_corpus(pa.array(predictions), pa.array(references, pa.list_(pa.string())))
    lists = read_corpus(predictions, references)
    assert (ours.strings is None, lists.strings is None) == (True, False)
    assert (ours.n_items, ours.missing) == (lists.n_items, lists.missing)
    start = min(start, len(items) - 1)
    found, expected = ours.part(start, start + size), lists.part(start, start + size)
    assert (found.columns(), found.first_item) == (expected.columns(), expected.first_item)


def test_items_without_reference_are_lists_that_are_empty_or_missing():
    references = pa.array([["a b"], [], None])
    with pytest.raises(InputError, match=r"item 1 \(and 1 more\) of references is empty"):
        tercet.score("bleu_multi", pa.array(["a b"] * 3), references)
    found = tercet.score("rouge_nlws", pa.array(["a b"] * 3), references, missing_references="skip")
    assert (found["rouge1"], found.n_segments, found.missing_references) == (1.0, 1, 2)
    with pytest.raises(InputError, match="The corpus is empty"):
        tercet.score("bleu_multi", pa.array([], pa.string()), pa.array([], pa.string()))


def test_what_is_wrong_is_named_as_of_lists():
    not_utf_8, two = pa.array([b"\xff"]).view(pa.string()), pa.array(["a", "b"])
    later = pa.chunked_array([two, pa.array([None, b"\xff"]).view(pa.string())])
    cases = [
        (pa.array(["a", None]), two, "item 1 of predictions must be a string, got None"),
        (two, pa.array([["a"], ["b", None]]), "item 1 of the references of item 1 must be a string"),
        (pa.array([1, 2]), two, "item 0 of predictions must be a string, got 1"),
        (pa.array([["a"]]), two[:1], "item 0 of predictions must be a string, got \\['a'\\]"),
        (two[:1], two, "one entry per item, got 1 predictions and 2 references"),
        (not_utf_8, two[:1], "item 0 of predictions is not valid UTF-8"),
        (later, ["a"] * 4, "^item 3 of predictions is not valid UTF-8: UnicodeDecodeError"),
    ]
    for predictions, references, message in cases:
        with pytest.raises(InputError, match=message):
            tercet.score("bleu_multi", predictions, references)


class Odd:
    """Says that it is Arrow, and is not."""

    def __init__(self, texts):
        self.texts = texts

    def __arrow_c_stream__(self, schema=None):
        raise RuntimeError("no stream")

    def __iter__(self):
        return iter(self.texts)


def test_what_only_seems_to_be_arrow_or_is_formatted_otherwise_is_read_as_its_user_sees_it():
    assert tercet.score("bleu_multi", Odd(FIRST), Odd(FIRST))["bleu"] == 1.0
    texts = datasets.Dataset.from_dict({"text": ["a b", "c d"]})
    upper = texts.with_transform(lambda batch: {"text": [text.upper() for text in batch["text"]]})
    assert read_corpus(upper["text"], upper["text"]).strings is not None
    assert tercet.score("bleu_multi", upper["text"], ["A B", "C D"], max_order=2)["bleu"] == 1.0


def test_a_tokenizer_that_only_the_corpus_can_choose_is_chosen_for_all_pieces(monkeypatch):
    """Of three pieces, two have Latin letters alone; most letters of the corpus are Cyrillic."""
    for road in ("pieces", "short_road"):
        monkeypatch.setattr(f"tercet.base.{road}.PIECE", 2)
    texts = ["hello there", "good day", "a cat sat", "rain", "поезд опаздывает на двадцать минут", "снег идёт с утра"]
    for n_jobs in (1, 2):
        with pytest.warns(UserWarning, match="tokenizer='unicode' is used instead"):
            found = tercet.score("rouge_nlws", pa.array(texts), pa.array(texts), n_jobs=n_jobs)
        assert found["rouge1"] == 1.0
        assert "tok:unicode" in found.signature


def test_malformed_arrays_are_refused_and_end_no_process():
    code = "from malformed import check_all; check_all()"
    own = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])}
    command = [sys.executable, "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, env=own, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    malformed = MALFORMED["a last offset behind the data"]()
    spoil()
    module = tercet.load("bleu_multi")
    with pytest.raises(InputError, match=r"^predictions cannot be read\. ArrowInvalid: "):
        module.add_batch(predictions=malformed, references=["a"] * 3)
    assert len(module) == 0


def test_a_damaged_file_of_datasets_is_refused(tmp_path):
    """Read from the disk as it is, formatted or not; rows that were chosen are looked at, and no others."""
    with datasets.arrow_writer.ArrowWriter(path=str(tmp_path / "a.arrow"), features=None) as writer:
        writer.write_table(pa.table({"text": ["a b", "c", "a"]}))
        writer.finalize()
    data = (tmp_path / "a.arrow").read_bytes()
    offsets = np.array([0, 3, 4, 5], np.int32).tobytes()
    assert data.count(offsets) == 1
    damaged = np.array([0, 3, 2**30, 5], np.int32).tobytes()
    (tmp_path / "a.arrow").write_bytes(data.replace(offsets, damaged))
    found = datasets.Dataset.from_file(str(tmp_path / "a.arrow"))
    for each in (found, found.with_format("numpy"), found.select([2, 1]), found.with_transform(lambda batch: batch)):
        with pytest.raises(InputError, match=r"predictions cannot be read\. ArrowInvalid: .*offset"):
            tercet.score("bleu", each["text"], ["a"] * len(each))
    assert tercet.score("jaccard", found.select([0])["text"], ["a b"])["jaccard"] == 1.0


def test_well_formed_arrays_of_every_layout_are_scored():
    texts = ["a b", "", "c\0d", "\U0001f600 кот", "a b"]
    expected = tercet.score("chrf", texts, texts, segments=True)
    in_lists = [[text] for text in texts]
    columns = [
        *(pa.array(texts, kind) for kind in (pa.string(), pa.large_string(), pa.string_view())),
        pa.array(texts).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
        pa.array(texts, pa.run_end_encoded(pa.int32(), pa.string())),
        *(pa.array(in_lists, kind) for kind in (pa.list_(pa.string()), pa.large_list(pa.string_view()))),
        pa.array(in_lists, pa.list_(pa.string(), 1)),
        *(pa.array(in_lists, kind) for kind in (pa.list_view(pa.string()), pa.large_list_view(pa.large_string()))),
    ]
    for column in columns:
        assert tercet.score("chrf", texts, column, segments=True) == expected, column.type
        chunks = pa.chunked_array([column[:2], column[2:2], column[2:]])
        assert tercet.score("chrf", texts, chunks, segments=True) == expected, column.type


def test_large_columns_are_read_as_small_ones():
    """Texts of many items are searched for what is not ASCII, whatever else a column may hold."""
    texts = ["a cat"] * 9000
    empty = pa.array([], pa.string())
    for column in (pa.array(texts, pa.string_view()), pa.chunked_array([empty, pa.array(texts)])):
        assert read_corpus(column, column).predictions.to_pylist() == texts
    with pytest.raises(InputError, match=r"item 0 of predictions must be a string, got 0 \(int\)"):
        read_corpus(pa.array(range(9000)), pa.array(texts))


@pytest.mark.parametrize("offsets", [(0, 3, 2**30, 5), (0, 4, 3, 5), (0, 3, 4, 2**30)])
def test_short_columns_are_read_as_lists_after_all_of_them_is_found_well_formed(offsets):
    """What is not is left to others, who say what is wrong."""
    malformed, texts = malformed_texts(*offsets), pa.array(["a b", "кот", "猫"])
    assert short_lists(texts, texts) == (["a b", "кот", "猫"], ["a b", "кот", "猫"])
    spoil()
    assert short_lists(malformed, texts) is None
    assert short_lists(texts, malformed) is None
    assert short_lists(["a b", "кот", "猫"], texts) is None


@pytest.mark.parametrize(("n", "are_lists"), [(1023, True), (1024, False)])
def test_columns_of_a_thousand_texts_stay_in_the_memory_of_arrow(n, are_lists):
    texts = pa.array(["a"] * n)
    assert (short_lists(texts, texts) is not None) is are_lists
