"""A saved stream goes on where it was, in any process; a file that is not what was saved is refused by name."""

import json
import random
import re
import subprocess
import sys
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from conftest import ZERO_BLEU, needed
from tercet import IdfTable, InputError, MergeError, OptionError, Stream
from tercet.core.exact import DECIMAL
from tercet.errors import TercetError
from tercet.streams.checked_file import write_checked
from tercet.streams.stream_file import plain_value
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
    def test_brings_back_sums_options_and_result(self, metric, options, path):
        stream = begun(metric, **options)
        stream.save(path)
        again = Stream.load(path)
        assert (again.metric, len(again)) == (metric, len(stream))
        assert again.options == {name: plain_value(value) for name, value in options.items()}
        assert again.to_arrow().equals(stream.to_arrow())
        assert again.result().to_dict(full=True) == stream.result().to_dict(full=True)

    def test_goes_on_as_if_nothing_had_been(self, path):
        stream = begun(**ASKED)
        stream.save(str(path))
        again = Stream.load(str(path))
        for each in (stream, again):
            each.add(["one more"], ["one less"])
        assert again.to_arrow().equals(stream.to_arrow())

    def test_knows_what_was_merged(self, path):
        one, other = Stream("rouge", **ROUGE), Stream("rouge", **ROUGE)
        one.add(["a"], ["b"])
        other.add(["c"], ["c d"])
        one.merge(other)
        one.save(path)
        with pytest.raises(MergeError, match="was merged before"):
            Stream.load(path).merge(other)
        with pytest.raises(MergeError, match="was merged before"):
            Stream.load(path).merge(one)

    def test_of_an_empty_stream(self, path):
        Stream("bleu", max_order=2).save(path)
        again = Stream.load(path)
        assert (len(again), again.options) == (0, {"max_order": 2})
        again.add(["a b"], ["a b"])
        assert again.result()["bleu"] == 1.0

    def test_of_items_that_were_all_left_out(self, path):
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

    def test_is_the_same_in_a_fresh_process(self, path):
        stream = begun(**ASKED)
        stream.save(path)
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

    def test_is_a_file_that_arrow_reads(self, saved, path):
        table = pa.ipc.open_file(path).read_all()
        assert table.replace_schema_metadata(None).equals(saved[1].to_arrow())

    def test_of_the_same_stream_is_the_same_to_the_bit(self, saved, path):
        Stream.load(path).save(path)
        assert path.read_bytes() == saved[0]

    def test_leaves_the_old_file_where_the_new_one_cannot_be_written(self, saved, path, monkeypatch):
        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pyarrow.ipc.new_file", full)
        with pytest.raises(InputError, match=r"parts\.stream cannot be written: No space left on device\."):
            begun().save(path)
        assert path.read_bytes() == saved[0]
        assert [each.name for each in path.parent.iterdir()] == ["parts.stream"]

    @pytest.mark.parametrize("place", [".", "no/such/folder/x.stream"])
    def test_nowhere_is_refused(self, tmp_path, place):
        with pytest.raises(InputError, match="cannot be written"):
            begun().save(tmp_path / place)


def split(text):
    return text.split("-")


class TestOptionsThatNoFileHolds:
    def test_must_be_given_again(self, path):
        stream = Stream("jaccard", tokenizer=split, ngram=2)
        stream.add(["a-b-c"], ["a-b"])
        stream.save(path)
        with pytest.raises(OptionError) as error:
            Stream.load(path)
        assert str(error.value) == (
            "parts.stream holds the options that it was made with: give tokenizer again, as no file can hold them."
        )
        again = Stream.load(path, tokenizer=split)
        assert again.options == {"tokenizer": split, "ngram": 2}
        assert again.result() == stream.result()

    def test_may_be_tables(self, path):
        table = IdfTable.fit(["The ferry leaves.", "Кот спит."], MINILM)
        stream = Stream("bertscore", **needed("bertscore_idf"), idf=table)
        stream.add(["The ferry leaves."], ["A ferry left."])
        stream.save(path)
        with pytest.raises(OptionError, match="give idf again"):
            Stream.load(path)
        assert Stream.load(path, idf=table).result() == stream.result()
        other = IdfTable.fit(["Another text."], MINILM)
        with pytest.raises(MergeError, match="made with other options"):
            Stream.load(path, idf=other)

    def test_are_refused_where_the_file_holds_them(self, saved, path):
        with pytest.raises(OptionError, match="holds the options that it was made with: got also beta, seed"):
            Stream.load(path, seed=3, beta=2.0)

    def test_are_neither_paths_nor_numbers_of_numpy(self, path):
        options = {"model_type": Path(MINILM), "num_layers": np.int64(2), "idf": np.bool_(False), "scale": 100}
        stream = Stream("bertscore", **options)
        stream.save(path)
        assert Stream.load(path).options == {"model_type": MINILM, "num_layers": 2, "idf": False, "scale": 100}

    def test_are_not_texts_that_utf_8_cannot_write(self, path):
        Stream("rouge", **ROUGE, stopwords=["\ud800"]).save(path)
        assert Stream.load(path).options["stopwords"] == ["\ud800"]


class TestDamagedFiles:
    """Nothing but an InputError that names the file; or, where nothing that counts was hit, the right result."""

    def refused_or_right(self, data, path, expected):
        path.write_bytes(data)
        try:
            found = Stream.load(path)
        except InputError as error:
            if not str(error).startswith("parts.stream "):
                raise
            return True
        assert found.to_arrow().equals(expected.to_arrow())
        assert found.options == expected.options
        return False

    @pytest.fixture
    def small(self, path):
        """A small file: every one of its bits can be turned."""
        stream = Stream("jaccard", lowercase=False)
        stream.add(["Кот спит", "a b"], ["кот спит", "a c"])
        stream.save(path)
        return path.read_bytes(), stream

    def test_cut_short_at_any_place(self, small, path):
        data, stream = small
        assert all(self.refused_or_right(data[:length], path, stream) for length in range(0, len(data), 7))
        assert self.refused_or_right(data[:-1], path, stream)

    def test_with_a_single_bit_turned(self, small, path):
        data, stream = small
        rng, refused = random.Random(0), 0
        for place in rng.sample(range(8 * len(data)), 1500):
            damaged = bytearray(data)
            damaged[place // 8] ^= 1 << place % 8
            refused += self.refused_or_right(damaged, path, stream)
        assert refused > 500  # what is not refused is padding, or said twice

    @pytest.mark.long
    def test_with_every_single_bit_turned(self, small, path):
        data, stream = small
        for place in range(8 * len(data)):
            damaged = bytearray(data)
            damaged[place // 8] ^= 1 << place % 8
            self.refused_or_right(damaged, path, stream)

    def test_with_noise(self, small, path):
        data, stream = small
        rng = random.Random(1)
        for _ in range(300):
            damaged = bytearray(data)
            start = rng.randrange(len(data))
            damaged[start : start + 16] = rng.randbytes(16)
            self.refused_or_right(damaged, path, stream)

    def test_with_something_behind_or_twice(self, saved, path):
        data, stream = saved
        for damaged in (data + b"x", data + data, b"x" + data, data[8:], data[::-1]):
            self.refused_or_right(damaged, path, stream)

    def test_with_another_number_in_it(self, saved, path):
        """Whoever changes sums by hand does not get a result from them."""
        table = pa.ipc.open_file(path).read_all()
        hits = [2 * each for each in table["rouge1_recall"].to_pylist()]
        table = table.set_column(
            table.column_names.index("rouge1_recall"), "rouge1_recall", [pa.array(hits, table["rouge1_recall"].type)]
        )
        write(table, path)
        with pytest.raises(
            InputError, match=r"^parts\.stream is damaged: its checksum is not that of what it holds\.$"
        ):
            Stream.load(path)


def write(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)


class TestOtherFiles:
    @pytest.mark.parametrize(
        "content", [b"", b"ARROW1", b"PAR1", b"bleu 31.4\n", "счёт".encode(), bytes(1000), b"{}"]
    )
    def test_are_told_from_streams(self, path, content):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"^parts\.stream is damaged, or no file that Stream\.save wrote\.$"):
            Stream.load(path)

    def test_of_parquet(self, saved, path):
        pq.write_table(saved[1].to_arrow(), path)
        with pytest.raises(InputError, match="or no file that"):
            Stream.load(path)

    def test_of_arrow_streams(self, saved, path):
        table = saved[1].to_arrow()
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
        with pytest.raises(InputError, match="or no file that"):
            Stream.load(path)

    @pytest.mark.parametrize("metadata", [None, {"pandas": "{}"}])
    def test_of_arrow(self, path, metadata):
        for table in (
            pa.table({"a": [1, None]}),
            begun().to_arrow(),
            pa.Table.from_pandas(pd.DataFrame({"a": ["b"]})),
        ):
            write(table.replace_schema_metadata(metadata), path)
            with pytest.raises(InputError, match="is an Arrow file, but not one that"):
                Stream.load(path)

    def test_of_another_version(self, saved, path):
        table = pa.ipc.open_file(path).read_all()
        about = table.schema.metadata[b"tercet"].replace(b"tercet-stream-2", b"tercet-stream-1")
        write(table.replace_schema_metadata({b"tercet": about, b"sha512": b"..."}), path)
        with pytest.raises(InputError) as error:
            Stream.load(path)
        assert str(error.value) == (
            "parts.stream has the format tercet-stream-1; this version of tercet reads tercet-stream-2."
        )

    def test_whose_sums_another_version_of_tercet_made(self, path, monkeypatch):
        monkeypatch.setattr("tercet.core.signature.__version__", "0.0.7")
        begun().save(path)
        monkeypatch.undo()
        with pytest.raises(MergeError, match=r"other options or another version.*version:tercet-0\.0\.7"):
            Stream.load(path)

    def test_that_are_not_there(self, path):
        with pytest.raises(InputError, match=r"^parts\.stream cannot be read: No such file or directory\.$"):
            Stream.load(path)

    def test_that_are_folders(self, tmp_path):
        with pytest.raises(InputError, match="cannot be read: Is a directory"):
            Stream.load(tmp_path)


def test_the_metric_may_be_called_by_its_short_name():
    assert Stream("bleu").metric == tercet.Stream("bleu_multi").metric == "bleu_multi"


class TestForgedFiles:
    """Whoever writes a file can also make its checksum; what cannot be is refused all the same."""

    def forge(self, path, table=None, **fields):
        """Write the file anew, with other columns or fields and the right checksum; Ellipsis leaves a field out."""
        old = pa.ipc.open_file(path).read_all()
        about = {**json.loads(old.schema.metadata[b"tercet"]), **fields}
        write_checked(
            path, old if table is None else table, {key: each for key, each in about.items() if each is not ...}
        )

    def forge_sum(self, path, name, value, kind=DECIMAL):
        table = pa.ipc.open_file(path).read_all()
        column = pa.array([value, *table[name].to_pylist()[1:]], kind)
        self.forge(path, table.set_column(table.column_names.index(name), name, column))

    @pytest.mark.parametrize(
        ("fields", "message"),
        [
            ({"metric": ...}, "parts.stream is damaged: its 'metric' is None; expected the name of a metric."),
            (
                {"metric": ["bleu"]},
                "parts.stream is damaged: its 'metric' is ['bleu']; expected the name of a metric.",
            ),
            ({"options": [1]}, "parts.stream is damaged: its 'options' is [1]; expected options by their names."),
            (
                {"options": {"metric": "bleu"}},
                "parts.stream is damaged: its 'options' is {'metric': 'bleu'}; expected options by their names.",
            ),
            ({"given again": 5}, "parts.stream is damaged: its 'given again' is 5; expected a list of names."),
            (
                {"merged": [["9" * 400, 1]]},
                f"parts.stream is damaged: its 'merged' is [['{'9' * 56}…; expected "
                "a list of pairs of whole numbers.",
            ),
            (
                {"merged": [[-1, 1]]},
                "parts.stream is damaged: its 'merged' is [[-1, 1]]; expected a list of pairs of whole numbers.",
            ),
            ({"origins": {"a": 1}}, "parts.stream is damaged: its 'origins' is {'a': 1}; expected a list of texts."),
        ],
    )
    def test_with_a_field_that_cannot_be(self, saved, path, fields, message):
        self.forge(path, **fields)
        with pytest.raises(InputError) as error:
            Stream.load(path)
        assert str(error.value) == message

    @pytest.mark.parametrize(
        ("name", "value", "wrong"),
        [
            ("items", -1, "less than 0"),
            ("rouge1_recall", -1, "less than 0"),
            ("items", Decimal("1.5"), "no whole number"),
            ("missing", 10**9, "more than all items"),
            ("items_added", 0, "more than all items"),
            ("references_squared", Decimal("-0.5"), "less than 0"),
        ],
    )
    def test_with_a_sum_that_no_texts_give(self, saved, path, name, value, wrong):
        self.forge_sum(path, name, value)
        with pytest.raises(MergeError, match=rf"^parts\.stream: The sum of '\w+' is {wrong}, which no texts give\.$"):
            Stream.load(path)

    def test_with_texts_of_hundreds_of_digits(self, saved, path):
        table = pa.ipc.open_file(path).read_all()
        digits = pa.array(["9" * 400] * table.num_rows)
        self.forge(path, table.set_column(table.column_names.index("items"), "items", digits))
        with pytest.raises(InputError, match=r"^parts\.stream: .The column 'items' holds no exact sums"):
            Stream.load(path)

    def test_with_a_malformed_column(self, saved, path):
        """Arrow reads it without a look at it, and ends the process where it is used."""
        data = path.read_bytes()
        table = pa.ipc.open_file(path).read_all()
        offsets = table["signature"].chunk(0).buffers()[1].to_pybytes()
        assert data.count(offsets) == 1
        spoiled = np.frombuffer(offsets, np.int32).copy()
        spoiled[1] = 10**9
        data = data.replace(offsets, spoiled.tobytes())
        own = table.schema.metadata[b"sha256"]
        path.write_bytes(data.replace(own, sha256(data.replace(own, b"")).hexdigest().encode()))
        with pytest.raises(InputError, match=r"^parts\.stream is damaged, or no file that Stream\.save wrote\.$"):
            Stream.load(path)

    def test_with_anything_anywhere(self, saved, path):
        """Of 300 files with one thing changed, each is refused by name or gives a result."""
        data, rng = saved[0], random.Random(5)
        odd = [
            None,
            True,
            -1,
            0,
            2**62,
            10**400,
            0.5,
            float("nan"),
            "",
            "a",
            "9" * 400,
            "\ud800",
            [],
            [[]],
            [[1]],
            {},
            {"a": 1},
        ]
        arrays = [pa.nulls(13), pa.array(["9" * 400] * 13), pa.array([-1] * 13), pa.array([2**63 - 1] * 13)]
        arrays += [pa.array([[1]] * 13), pa.array([{"a": 1}] * 13), pa.array([0.5] * 13), pa.array([True] * 13)]
        refused = 0
        for _ in range(300):
            path.write_bytes(data)
            table = pa.ipc.open_file(path).read_all()
            about = json.loads(table.schema.metadata[b"tercet"])
            if rng.random() < 0.5:
                place = about if rng.random() < 0.6 else about["options"]
                place[rng.choice([*place, "a"])] = rng.choice(odd)
            else:
                at = rng.randrange(table.num_columns)
                changed = rng.choice([table.column_names[at], rng.choice(table.column_names), "texts_a"])
                table = table.set_column(at, changed, rng.choice([table.column(at), *arrays]))
            write_checked(path, table, about)
            try:
                Stream.load(path).result()
            except TercetError as error:
                if "parts.stream" not in str(error):
                    raise
                refused += 1
        assert refused > 200


@pytest.mark.parametrize("path", [5, None, b"a", "a\0b", ["a"]])
def test_what_is_no_path_is_refused(path):
    for call in (Stream.load, begun().save):
        with pytest.raises(InputError, match=f"^{re.escape(f'Expected the path of a file, got {path!r}.')}$"):
            call(path)
