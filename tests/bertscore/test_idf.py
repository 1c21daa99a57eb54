"""Document frequencies: counted as bert-score counts them, exact however they are split, kept as files."""

import json
import math
import random
import time
from collections import Counter, defaultdict
from functools import partial
from hashlib import sha256

import numpy as np
import pyarrow as pa
import pytest
from bert_score.utils import get_idf_dict
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet import IdfTable, InputError, MergeError, OptionError
from tercet.networks.load import subwords_of
from texts import MINILM, all_pairs, awkward_text

explain = partial(tercet.explain, "bertscore")

PREDICTIONS, REFERENCES = all_pairs()
TEXTS = [text for texts in REFERENCES for text in texts]
ENCODER = {"model_type": MINILM, "num_layers": 2}
TABLE = IdfTable.fit(TEXTS, MINILM)
TOKENIZER = subwords_of(MINILM).tokenizer


def scores(idf, **options):
    result = tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, **ENCODER, idf=idf, **options)
    return np.array([result[name] for name in ("precision", "recall", "f1")])


class TestFit:
    def test_gives_the_weights_of_bert_score(self):
        expected = get_idf_dict(TEXTS, TOKENIZER, nthreads=0)
        weights = TABLE.weights()
        assert len(expected) > 100
        assert {key: weights.values[key] for key in expected} == pytest.approx(dict(expected), abs=1e-6)
        unseen = [key for key in range(len(TOKENIZER)) if key not in expected]
        assert weights.values[unseen] == pytest.approx(math.log(len(TEXTS) + 1))
        assert weights.of(np.array([10**6], np.int32)) == pytest.approx(math.log(len(TEXTS) + 1))

    def test_counts_a_token_once_per_document_and_a_document_as_often_as_it_is_there(self):
        table = IdfTable.fit(["cat cat cat", "a cat", "a cat"], MINILM)
        cat, a, cls = (TOKENIZER.convert_tokens_to_ids(token) for token in ("cat", "a", "[CLS]"))
        assert (table.n_documents, table.counts[cat], table.counts[a], table.counts[cls]) == (3, 3, 2, 3)
        assert table.weights().values[[cls, cat]].tolist() == [0.0, 0.0]

    def test_counts_what_is_scored_of_a_long_text(self):
        table = IdfTable.fit(["cat dog bird fish"], MINILM, max_length=4)
        counted = set(TOKENIZER.convert_ids_to_tokens(np.flatnonzero(table.counts).tolist()))
        assert counted == {"[CLS]", "cat", "dog", "[SEP]"}

    @pytest.mark.parametrize(
        ("texts", "message"),
        [
            (["a", 7], "item 1 of texts must be a string, got 7"),
            (["a", "b", "\ud800"], "item 2 of texts is not valid Unicode text"),
            ("a cat", "got one string"),
        ],
    )
    def test_refuses_what_is_not_text(self, texts, message):
        with pytest.raises(InputError, match=message):
            IdfTable.fit(texts, MINILM, batch_size=1)

    def test_refuses_a_compat_that_is_none(self):
        with pytest.raises(OptionError, match=r"compat knows no package 'bert-score'\. Did you mean 'bert_score'\?"):
            IdfTable.fit(TEXTS, MINILM, compat="bert-score")


class TestMerge:
    @settings(max_examples=30)
    @given(seed=st.integers(0, 10**6), n_parts=st.integers(1, 5))
    def test_any_split_in_any_order_gives_the_same_bits(self, seed, n_parts):
        rng = random.Random(seed)
        texts = [awkward_text(rng, 20) for _ in range(12)]
        parts = [texts[start::n_parts] for start in range(n_parts)]
        rng.shuffle(parts)
        merged = sum((IdfTable.fit(part, MINILM) for part in parts[1:]), IdfTable.fit(parts[0], MINILM))
        whole = IdfTable.fit(texts, MINILM)
        assert merged == whole
        assert merged.weights().values.tobytes() == whole.weights().values.tobytes()

    def test_refuses_another_tokenizer_or_length(self):
        other = IdfTable(1, TABLE.counts, "0" * 16, TABLE.max_length)
        assert sum(IdfTable.fit([text], MINILM) for text in TEXTS[:3]) == IdfTable.fit(iter(TEXTS[:3]), MINILM)
        for table in (other, IdfTable.fit(TEXTS, MINILM, max_length=9)):
            with pytest.raises(MergeError, match="do not add up"):
                TABLE + table


def forge(path, changed):
    """Write a table of three tokens with other values, and a digest of them where there can be one."""
    ids, documents = changed.get("id", [0, 1, 2]), changed.get("documents", [3, 1, 2])
    meta = {"format": "tercet-idf-1", "n_documents": 3, "vocabulary_size": 5, "fingerprint": "f0", "max_length": 9}
    meta |= {name: value for name, value in changed.items() if name not in ("id", "documents")}
    total = sha256(json.dumps([meta["n_documents"], meta["fingerprint"], meta["max_length"]]).encode())
    if all(isinstance(each, int) for each in (*ids, *documents)):
        for each in (ids, documents):
            total.update(np.array(each, "<i8").tobytes())
    meta = {"digest": total.hexdigest()[:8], **meta}
    table = pa.table({"id": ids, "documents": documents}).replace_schema_metadata({"tercet": json.dumps(meta)})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


class TestAFile:
    def test_holds_the_table_in_little_room(self, tmp_path):
        TABLE.save(tmp_path / "table.idf")
        assert IdfTable.load(tmp_path / "table.idf") == TABLE
        for path in (tmp_path / "table.idf", str(tmp_path / "table.idf")):
            assert (scores(path) == scores(TABLE)).all()
        assert (tmp_path / "table.idf").stat().st_size < 10_000

    def test_that_is_none_is_refused(self, tmp_path):
        path = tmp_path / "none.idf"
        with pytest.raises(OptionError, match=r"'idf' option .* There is no IDF table at"):
            scores(path)
        for content in (b"", b"ARROW1 but not really", b"{}"):
            path.write_bytes(content)
            with pytest.raises(OptionError, match="is not an IDF table of tercet"):
                scores(path)

    def test_that_is_damaged_is_refused(self, tmp_path):
        path = tmp_path / "table.idf"
        TABLE.save(path)
        content = path.read_bytes()
        refused = 0
        for place in range(0, len(content), 3):
            path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
            try:
                assert IdfTable.load(path) == TABLE
            except InputError as error:
                refused += "is not an IDF table of tercet, or is damaged" in str(error)
        assert refused > len(content) / 6

    @pytest.mark.parametrize(
        ("changed", "why"),
        [
            *(({"n_documents": n}, f"n_documents is {n!r}, expected an integer") for n in (-1, "3", True, 3.0)),
            ({"n_documents": 10**400}, "n_documents is <int of about 401 digits>, expected an integer from 0"),
            ({"n_documents": 2}, "a token is counted in 1 to 3 documents, expected 1 to 2"),
            ({"vocabulary_size": 2**28 - 1}, "vocabulary_size is 268435455, expected an integer from 1 to"),
            ({"vocabulary_size": 0}, "vocabulary_size is 0, expected"),
            ({"vocabulary_size": 2}, "its ids are not in ascending order between 0 and 1"),
            ({"fingerprint": 7}, "by the tokenizer 7"),
            ({"max_length": "9"}, "its texts were cut at '9'"),
            ({"max_length": -9}, "its texts were cut at -9"),
            ({"format": "tercet-idf-2"}, "its format is 'tercet-idf-2', expected 'tercet-idf-1'"),
            ({"digest": "00000000"}, "expected '00000000'"),
            *(({"documents": [3, 1, n]}, f"{min(n, 1)} to {max(n, 3)} documents, expected 1") for n in (-1, 0, 4)),
            *(({"documents": each}, "") for each in ([3, 1, None], [3.0, 1.0, 2.5])),
            *(
                ({"id": ids}, "its ids are not in ascending order between 0 and 4")
                for ids in ([-1, 1, 2], [0, 1, 1], [2, 1, 0], [0, 1, 5])
            ),
            ({"id": ["0", "1", "2"]}, ""),
        ],
        ids=repr,
    )  # fmt: skip
    def test_that_is_forged_is_refused_even_with_a_digest_that_fits(self, tmp_path, changed, why):
        path = tmp_path / "forged.idf"
        forge(path, changed)
        begun = time.process_time()
        with pytest.raises(InputError) as caught:
            IdfTable.load(path)
        assert time.process_time() - begun < 5
        assert str(caught.value).startswith(f"The file {str(path)!r} is not an IDF table of tercet, or is damaged")
        assert why in str(caught.value)
        assert str(caught.value).endswith(".")
        forge(path, {})
        assert IdfTable.load(path) == IdfTable(3, np.array([3, 1, 2, 0, 0]), "f0", 9)

    def test_with_a_name_that_no_file_can_have(self):
        for name in ("x" * 100_000, "x\0y"):
            with pytest.raises(InputError, match="There is no IDF table at") as caught:
                IdfTable.load(name)
            assert len(str(caught.value)) < 400

    def test_of_no_document_or_another_tokenizer_is_refused(self):
        for table, message in (
            (IdfTable.fit([], MINILM), "counts no document"),
            (IdfTable(1, TABLE.counts, "0" * 16, None), "made with another tokenizer .* fingerprint is 0000"),
            (IdfTable.fit(TEXTS, MINILM, prefix_space=True), "another 'prefix_space'"),
        ):
            with pytest.raises(OptionError, match=message):
                scores(table)


class TestAsTheOption:
    def test_a_table_of_the_references_is_what_true_counts(self):
        assert scores(True) == pytest.approx(scores(TABLE), abs=1e-7)

    def test_items_count_all_references_of_an_item_as_one_document(self):
        merged = [" ".join(texts) for texts in REFERENCES]  # for a set of tokens their order does not matter
        expected = scores(IdfTable.fit(merged, MINILM))
        assert scores(True, idf_documents="items") == pytest.approx(expected, abs=1e-7)
        assert abs(expected - scores(True)).max() > 1e-3

    def test_a_second_corpus_does_not_meet_the_table_of_the_first(self):
        """evaluate's bertscore goes on with the document frequencies of its first call."""
        score = partial(tercet.score, "bertscore_idf", **ENCODER)
        first = score(PREDICTIONS[:4], REFERENCES[:4])
        score(PREDICTIONS[4:], REFERENCES[4:])
        assert first == score(PREDICTIONS[:4], REFERENCES[:4])
        other = score(PREDICTIONS[:4], REFERENCES[:4], idf=TABLE)
        assert first.signature != other.signature
        assert abs(np.array(first["f1"]) - other["f1"]).max() > 1e-3

    def test_a_mapping_by_ids_or_by_tokens_is_the_table_that_it_writes_out(self):
        weights = TABLE.weights().values.astype(float)
        by_id = dict(enumerate(weights))
        by_token = {token: weights[number] for token, number in TOKENIZER.get_vocab().items()}
        assert scores(by_id) == pytest.approx(scores(TABLE), abs=1e-6)
        assert (scores(by_token) == scores(by_id)).all()

    def test_what_a_mapping_does_not_name_is_in_the_signature_and_how_it_names_is_not(self):
        cat = TOKENIZER.convert_tokens_to_ids("cat")
        mappings = (
            {"cat": 1.0}, {cat: 1.0}, {np.int64(cat): np.float32(1)}, {np.str_("cat"): 1},
            defaultdict(lambda: 0.5, {"cat": 1.0}), Counter({"cat": 1}), defaultdict(lambda: 1.0),
        )  # fmt: skip
        score = partial(tercet.score, "bertscore_idf", **ENCODER)
        *signatures, other = (score(PREDICTIONS, REFERENCES, idf=each).signature for each in mappings[:-2])
        assert {*signatures} == {signatures[0]} != {other}
        counted = score(["a cat on it"], ["a cat on me"], idf=mappings[-2])
        similarity = explain("a cat on it", "a cat on me", **ENCODER).similarity
        assert counted["precision"][0] == pytest.approx(similarity[2].max())  # a Counter has 0 for all other tokens
        assert scores(mappings[-1]) == pytest.approx(scores(False), abs=1e-6)

    @pytest.mark.parametrize(
        ("mapping", "message"),
        [
            ({"cat": 1.0, 7: 1.0}, "of one kind"),
            ({"zzzyzx": 1.0}, "'zzzyzx' of the 'idf' mapping is neither an id .* nor a token"),
            ({-1: 1.0}, "-1 of the 'idf' mapping"),
            ({"cat": -1.0}, "weight of 'cat' in the 'idf' mapping must be a number of at least 0, got -1.0"),
            ({"cat": float("nan")}, "got nan"),
            ({"cat": "much"}, "got 'much'"),
            ({}, "at least one of them"),
            ({2**31 - 1: 1.0}, r"neither an id \(below 30522\)"),
            (defaultdict(list, {"cat": 1.0}), "weight of missing tokens in the 'idf' mapping must be a number"),
            (defaultdict(lambda: -5, {"cat": 1.0}), "got -5"),
        ],
    )
    def test_a_mapping_that_makes_no_sense_is_refused(self, mapping, message):
        with pytest.raises(OptionError, match=message):
            scores(mapping)


def test_the_digest_in_the_signature_follows_the_counts():
    assert len({IdfTable.fit(texts, MINILM).digest for texts in (TEXTS, TEXTS[1:], [*TEXTS, TEXTS[0]])}) == 3
    result = tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, **ENCODER, idf=TABLE)
    assert f"|idf:table,{TABLE.digest}|" in result.signature
