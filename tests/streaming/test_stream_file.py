"""A saved stream goes on where it was, in any process; what it says of itself is checked (test_files: the file)."""

import json
import random
import re
import subprocess
import sys
from decimal import Decimal
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from conftest import ZERO_BLEU, needed
from tercet import IdfTable, InputError, MergeError, OptionError, Stream
from tercet.errors import TercetError
from tercet.statistics.exact_sums import DECIMAL
from tercet.streaming.arrow_file import write_arrow_file
from tercet.streaming.stream_file import plain_value
from texts import MINILM, all_pairs

ROUGE = {"rouge_types": ["rouge1", "rougeL"], "tokenizer": "unicode"}
ASKED = {"confidence_level": 0.9, "n_resamples": 12}
SAVED = [
    ("bleu_multi", {"weights": {"flat": (0.5, 0.5)}, "compat": "nltk", "smooth_method": "nltk3", **ASKED}),
    ("rouge_nlws", {**ROUGE, "stopwords": {"the", "на", "的"}, **ASKED}),
    ("jaccard_sets", {"variants": {"letters": {"tokenizer": "char"}}}),
    ("ter", ASKED),
    ("bleu_rouge_f", ASKED),
    ("perplexity_lm", {**needed("perplexity_lm"), **ASKED}),
    ("embedding_cosine", needed("embedding_cosine")),
]

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:.*(13a|left out):UserWarning")]


def begun(metric="rouge", **options):
    stream = Stream(metric, **({**ROUGE, **options} if metric == "rouge" else options))
    stream.add(*all_pairs())
    return stream


@pytest.fixture
def path(tmp_path):
    return tmp_path / "parts.stream"


@pytest.fixture
def saved(path):
    """The bytes of a file, and what is in it."""
    stream = begun(**ASKED)
    stream.save(path)
    return path.read_bytes(), stream


class TestRoundTrip:
    @pytest.mark.parametrize(("metric", "options"), SAVED)
    def test_brings_back_sums_options_and_result_and_goes_on(self, metric, options, path):
        stream = begun(metric, **options)
        stream.save(str(path))
        again = Stream.load(str(path))
        assert (again.metric, len(again)) == (metric, len(stream))
        assert again.options == {name: plain_value(value) for name, value in options.items()}
        assert again.result().to_dict(full=True) == stream.result().to_dict(full=True)
        for each in (stream, again):
            each.add(["one more"], ["one less"])
        assert again.to_arrow().equals(stream.to_arrow())

    def test_knows_what_was_merged(self, path):
        one, other = Stream("rouge", **ROUGE), Stream("rouge", **ROUGE)
        one.add(["a"], ["b"])
        other.add(["c"], ["c d"])
        one.merge(other)
        one.save(path)
        for again in (other, one, Stream.load(path)):
            with pytest.raises(MergeError, match="was merged before"):
                Stream.load(path).merge(again)
        same = Stream("rouge", **ROUGE)
        same.add(["c"], ["c d"])
        with pytest.raises(MergeError, match="Both streams hold the same 1 item"):
            Stream.load(path).merge(same)

    def test_of_an_empty_stream_and_of_items_that_were_all_left_out(self, path):
        Stream("bleu", max_order=2).save(path)
        again = Stream.load(path)
        assert (len(again), again.options) == (0, {"max_order": 2})
        again.add(["a b"], ["a b"])
        assert again.result()["bleu"] == 1.0
        stream = Stream("rouge", **ROUGE, missing_references="skip")
        stream.add(["a"], [[]])
        stream.save(path)
        assert len(Stream.load(path)) == 1

    def test_does_not_warn_before_a_result_is_asked_for(self, path):
        stream = Stream("bleu")
        stream.add(["私は毎朝コーヒーを飲みます。"] * 9, ["私は毎朝お茶を飲みます。"] * 9)
        stream.save(path)
        again = Stream.load(path)
        with pytest.warns(UserWarning, match="13a"):
            again.result()

    def test_is_the_same_in_a_fresh_process_and_a_file_that_arrow_reads(self, saved, path):
        stream = saved[1]
        assert pa.ipc.open_file(path).read_all().replace_schema_metadata(None).equals(stream.to_arrow())
        code = (
            "import sys, json, tercet\n"
            "stream = tercet.Stream.load(sys.argv[1])\n"
            "stream.add(['one more'], ['one less'])\n"
            "stream.save(sys.argv[1])\n"
            "print(json.dumps(stream.result().to_dict(full=True)))\n"
        )
        other = subprocess.run([sys.executable, "-c", code, path], check=True, timeout=60, stdout=subprocess.PIPE)
        stream.add(["one more"], ["one less"])
        assert json.loads(other.stdout) == stream.result().to_dict(full=True)
        assert Stream.load(path).to_arrow().equals(stream.to_arrow())

    def test_leaves_the_old_file_where_the_new_one_cannot_be_written(self, saved, path, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("tercet.files.writing.os.fsync", full)
        with pytest.raises(InputError, match=r"parts\.stream cannot be written: No space left on device\."):
            begun().save(path)
        assert path.read_bytes() == saved[0]
        assert [each.name for each in path.parent.iterdir()] == ["parts.stream"]


def test_places_where_no_file_can_be_are_named_and_what_is_no_path_is_refused(tmp_path):
    for place in [".", "no/such/folder/x.stream"]:
        with pytest.raises(InputError, match="cannot be written"):
            begun().save(tmp_path / place)
        with pytest.raises(InputError, match=r"cannot be read: (No such file or directory|Is a directory)\.$"):
            Stream.load(tmp_path / place)
    for path, call in product([5, None, b"a", "a\0b", ["a"]], (Stream.load, begun().save)):
        with pytest.raises(InputError, match=f"^{re.escape(f'Expected the path of a file, got {path!r}.')}$"):
            call(path)


def split(text):
    return text.split("-")


class TestOptionsThatNoFileHolds:
    def test_must_be_given_again(self, path):
        stream = Stream("jaccard", tokenizer=split, ngram=2)
        stream.add(["a-b-c"], ["a-b"])
        stream.save(path)
        message = (
            "parts.stream holds the options that it was made with: give tokenizer again, as no file can hold them."
        )
        with pytest.raises(OptionError, match=f"^{re.escape(message)}$"):
            Stream.load(path)
        again = Stream.load(path, tokenizer=split)
        assert again.options == {"tokenizer": split, "ngram": 2}
        assert again.result() == stream.result()

    def test_may_be_tables_and_are_refused_where_the_file_holds_them(self, path):
        table = IdfTable.fit(["The ferry leaves.", "Кот спит."], MINILM)
        stream = Stream("bertscore", **needed("bertscore_idf"), idf=table)
        stream.add(["The ferry leaves."], ["A ferry left."])
        stream.save(path)
        with pytest.raises(OptionError, match="give idf again"):
            Stream.load(path)
        assert Stream.load(path, idf=table).result() == stream.result()
        with pytest.raises(MergeError, match="made with other options"):
            Stream.load(path, idf=IdfTable.fit(["Another text."], MINILM))
        begun().save(path)
        with pytest.raises(OptionError, match="holds the options that it was made with: got also beta, seed"):
            Stream.load(path, seed=3, beta=2.0)

    def test_are_neither_paths_nor_numbers_of_numpy_nor_texts_that_utf_8_cannot_write(self, path):
        options = {"model_type": Path(MINILM), "num_layers": np.int64(2), "idf": np.bool_(False), "scale": 100}
        Stream("bertscore", **options).save(path)
        assert Stream.load(path).options == {"model_type": MINILM, "num_layers": 2, "idf": False, "scale": 100}
        Stream("rouge", **ROUGE, stopwords=["\ud800"]).save(path)
        assert Stream.load(path).options["stopwords"] == ["\ud800"]


class TestForgedFiles:
    """Whoever writes a file can also make its digest; what cannot be is refused all the same."""

    def forge(self, path, table=None, **fields):
        """Write the file anew, with other columns or fields and the right digest."""
        old = pa.ipc.open_file(path).read_all()
        write_arrow_file(
            path, "stream", {**json.loads(old.schema.metadata[b"tercet"]), **fields}, old if table is None else table
        )

    def test_with_a_field_that_cannot_be(self, saved, path):
        a_metric, names, again, pairs = (
            "the name of a metric",
            "options by their names",
            "a list of names",
            "a list of pairs of integers",
        )
        cases = [
            ("metric", None, "None", a_metric), ("metric", ["bleu"], "['bleu']", a_metric),
            ("options", [1], "[1]", names), ("options", {"metric": "bleu"}, "{'metric': 'bleu'}", names),
            ("given again", 5, "5", again), ("streams", {"a": 1}, "{'a': 1}", again),
            ("streams", ["9" * 400, 1], f"['{'9' * 57}…", again),
            ("items", 3, "3", pairs), ("items", [[3]], "[[3]]", pairs), ("items", [[3, "4"]], "[[3, '4']]", pairs),
        ]  # fmt: skip
        for field, value, shown, expected in cases:
            path.write_bytes(saved[0])
            self.forge(path, **{field: value})
            with pytest.raises(InputError) as error:
                Stream.load(path)
            assert str(error.value) == f"parts.stream is damaged: its '{field}' is {shown}; expected {expected}."

    def test_with_a_sum_that_no_texts_give(self, saved, path):
        cases = [
            ("items", -1, "less than 0"), ("rouge1_recall", -1, "less than 0"),
            ("items", Decimal("1.5"), "not an integer"), ("missing", 10**9, "more than all items"),
            ("items_added", 20, "more than all items"),
            ("references_squared", Decimal("-0.5"), "less than 0"), ("items", "9" * 400, None),
        ]  # fmt: skip
        for name, value, why in cases:
            path.write_bytes(saved[0])
            table = pa.ipc.open_file(path).read_all()
            values = [value, *table[name].to_pylist()[1:]]
            column = pa.array(list(map(str, values))) if isinstance(value, str) else pa.array(values, DECIMAL)
            self.forge(path, table.set_column(table.column_names.index(name), name, column))
            shown = "items" if name == "items_added" else name
            message = (
                f"The sum of '{shown}' is {why}, which no texts can give."
                if why
                else f"\"The column '{name}' holds no exact"
            )
            with pytest.raises((InputError, MergeError)) as error:
                Stream.load(path)
            assert str(error.value).startswith(f"parts.stream: {message}")

    def test_whose_sums_another_version_of_tercet_made(self, path, monkeypatch):
        monkeypatch.setattr("tercet.signature.__version__", "0.0.7")
        begun().save(path)
        monkeypatch.undo()
        with pytest.raises(MergeError, match=r"other options or another version.*version:tercet-0\.0\.7"):
            Stream.load(path)

    @pytest.mark.filterwarnings("ignore:.*has an effect only with:UserWarning")
    def test_with_anything_anywhere(self, saved, path):
        """Of 300 files with one thing changed, each is refused by name or gives a result."""
        rng, odd = random.Random(5), [None, True, -1, 0, 2**62, 10**400, 0.5, float("nan"), "", "a", "9" * 400]
        odd += ["\ud800", [], [[]], [[1]], {}, {"a": 1}]
        arrays = [pa.nulls(13), pa.array(["9" * 400] * 13), pa.array([-1] * 13), pa.array([2**63 - 1] * 13)]
        arrays += [pa.array([[1]] * 13), pa.array([{"a": 1}] * 13), pa.array([0.5] * 13), pa.array([True] * 13)]
        refused = 0
        for _ in range(300):
            path.write_bytes(saved[0])
            table = pa.ipc.open_file(path).read_all()
            header = json.loads(table.schema.metadata[b"tercet"])
            if rng.random() < 0.5:
                place = header if rng.random() < 0.6 else header["options"]
                place[rng.choice([*place, "a"])] = rng.choice(odd)
            else:
                at = rng.randrange(table.num_columns)
                changed = rng.choice([table.column_names[at], rng.choice(table.column_names), "texts_a"])
                table = table.set_column(at, changed, rng.choice([table.column(at), *arrays]))
            write_arrow_file(path, "stream", header, table)
            try:
                Stream.load(path).result()
            except TercetError as error:
                if "parts.stream" not in str(error):
                    raise
                refused += 1
        assert refused > 200
