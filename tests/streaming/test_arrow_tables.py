"""Tables in, sums out: every layout of texts counts the same, and the sums of any engine make the same result."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from conftest import FEW_ITEMS, ZERO_BLEU, needed
from tercet import InputError, MergeError, OptionError, Stream, arrow_statistics
from tercet.registry import METRICS
from tercet.statistics.exact_sums import DECIMAL
from texts import all_pairs

ROUGE = {"rouge_types": ["rouge1", "rougeL"], "tokenizer": "unicode"}
RESAMPLED = {"confidence_level": 0.9, "n_resamples": 10}
ASKED = {**ROUGE, **RESAMPLED}
PREDICTIONS, REFERENCES = all_pairs()

pytestmark = [ZERO_BLEU, FEW_ITEMS]


def table_of(predictions=PREDICTIONS, references=REFERENCES, **more):
    return pa.table({"mt": pa.array(predictions, pa.string()), "ref": references, **more})


def sums(table, **options):
    return arrow_statistics(table, "rouge", **{**ROUGE, **options})


def of_lists(predictions, references, **options):
    """Return the sums that a stream has of lists of texts."""
    stream = Stream("rouge", **{**ROUGE, **options})
    stream.add(predictions, references)
    return stream.to_arrow()


def result(table, **options):
    return Stream.from_arrow(table, "rouge", **{**ROUGE, **options}).result()


@pytest.fixture(scope="module")
def parts():
    """The sums of six parts one below the other, with resamples, and the result of the whole."""
    table = table_of()
    tables = [
        sums(table.slice(low, high - low), **ASKED) for low, high in [(9, 17), (0, 4), (4, 4), (4, 9), (17, 99)]
    ]
    whole = Stream("rouge", **ASKED)
    whole.add(PREDICTIONS, REFERENCES)
    return pa.concat_tables(tables), whole.result()


class TestTheSums:
    def test_are_decimals_in_a_row_for_the_corpus_and_one_for_each_resample(self):
        table = arrow_statistics(table_of(), "rouge", **ASKED)
        assert table.column_names[:4] == ["signature", "resample", "items", "empty"]
        assert table["resample"].to_pylist() == list(range(11))
        assert len(table["signature"].unique()) == 1
        assert {each.type for each in table.columns[2:]} == {DECIMAL}
        assert not any(each.null_count for each in table.columns)
        assert table["items"][0].as_py() == Decimal(len(PREDICTIONS))

    @pytest.mark.parametrize("metric", sorted(METRICS))
    def test_of_parts_without_rows_change_nothing_whatever_the_metric(self, metric):
        options = {**needed(metric), **({"tokenizer": "unicode"} if metric == "rouge_nlws" else {}), **RESAMPLED}
        if metric in ("bertscore_idf", "diversity"):  # the row of an item depends on the whole corpus
            with pytest.raises(OptionError, match="must see the whole corpus before it scores a part"):
                Stream(metric, **options)
            return
        empty = Stream(metric, **options)
        table = table_of(PREDICTIONS[:2], REFERENCES[:2])
        none = arrow_statistics(table.slice(0, 0), metric, **options)
        assert none.equals(empty.to_arrow())
        assert {value for column in none.columns[2:] for value in column.to_pylist()} == {0}
        some = arrow_statistics(table, metric, **options)
        found = Stream.from_arrow(pa.concat_tables([none, some, none]), metric, **options)
        found.add([], [])
        assert found.to_arrow().equals(some)
        assert len(Stream.from_arrow(none, metric, **options)) == 0


def by_pyarrow(table):
    found = table.group_by(["signature", "resample"]).aggregate([(name, "sum") for name in table.column_names[2:]])
    return found.rename_columns([name.removesuffix("_sum") for name in found.column_names])


def by_duckdb(table):
    import duckdb

    with duckdb.connect() as connection:
        connection.register("parts", table)
        sums = ", ".join(f'sum("{name}") AS "{name}"' for name in reversed(table.column_names[2:]))
        found = connection.sql(f"SELECT {sums}, resample, signature FROM parts GROUP BY ALL")
        return found.to_arrow_table()


#: What engines make of the sums of parts: they add them up, or only put them together.
ENGINES = {
    "concatenated": lambda table: table,
    "shuffled": lambda table: table.take(np.random.default_rng(0).permutation(table.num_rows)),
    "in pieces": lambda table: pa.concat_tables([table.slice(7), table.slice(0, 4), table.slice(4, 3)]),
    "columns turned": lambda table: table.select(table.column_names[::-1]),
    "a further column": lambda table: table.append_column("day", [["Monday"] * table.num_rows]),
    "pyarrow": by_pyarrow, "duckdb": by_duckdb,
    "polars": lambda table: pytest.importorskip("polars").from_arrow(table).group_by("signature", "resample").sum(),
    "pandas": lambda table: table.to_pandas(),
    "pandas, added": lambda table: table.to_pandas().groupby(["signature", "resample"], as_index=False).sum(),
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_the_sums_of_an_engine_are_those_of_a_stream_which_may_go_on(parts, engine):
    stream = Stream.from_arrow(ENGINES[engine](parts[0]), "rouge", **ASKED)
    assert stream.result().to_dict(full=True) == parts[1].to_dict(full=True)
    stream.add(["one more"], ["one less"])
    assert stream.to_arrow().equals(of_lists([*PREDICTIONS, "one more"], [*REFERENCES, ["one less"]], **ASKED))


def test_sums_may_be_of_another_type_with_the_same_value():
    for kind in [pa.decimal128(28, 18), pa.decimal256(76, 18), pa.decimal128(20, 2), pa.string()]:
        table = sums(table_of(["a b"], ["a b"]))
        index = table.column_names.index("rouge1_recall")
        given = table.set_column(index, "rouge1_recall", table["rouge1_recall"].cast(kind))
        assert result(given) == result(table)


class TestTablesOfSomethingElse:
    TABLE = sums(table_of(["a b"], ["a c"]))

    def test_in_one_column_are_refused(self):
        numbers, of_sums = "'resample' must hold the numbers of the resamples", "'items' holds no exact sums"
        cases = [
            *(
                ("resample", pa.array([value], kind), numbers)
                for value, kind in ((None, pa.int32()), ("0", None), (0.5, None))
            ),
            ("resample", pa.array([-1]), "from 0 on: got -1 to -1 in 1 rows."),
            ("resample", pa.array([10**12]), "from 0 on: got 1000000000000 to 1000000000000 in 1 rows."),
            ("items", pa.array([1.0]), "The sums of 'items' are rounded, to the type double; expected decimals"),
            ("items", pa.array(["one"]), "The column 'items' holds no exact sums. InvalidOperation: "),
            ("items", pa.array([None], DECIMAL), "The sums of 'items' are incomplete; expected decimals"),
            ("items", pa.array([10**21], pa.decimal128(38, 0)), of_sums),
            ("items", pa.array([Decimal("1e-20")], pa.decimal128(38, 20)), of_sums),
            ("signature", pa.array([None], pa.string()), "different signatures do not add up: [None]"),
            ("signature", pa.array([7]), "different signatures do not add up: [7]"),
            ("signature", pa.array([""]), "The sums are of no metric, not of rouge_nlws."),
            ("signature", pa.array(["bleu_multi|tok:13a"]), "The sums are of bleu_multi, not of rouge_nlws."),
            ("signature", pa.array(["rouge_nlws|tok:rouge"]), "made with other options or another version"),
        ]
        for name, column, message in cases:
            with pytest.raises(MergeError, match=re.escape(message)):
                result(self.TABLE.set_column(self.TABLE.column_names.index(name), name, column))

    def test_that_lack_a_column_or_have_it_twice_or_are_no_tables_are_refused(self):
        for name in ["signature", "resample", "items", "rouge1_recall", "items_added"]:
            with pytest.raises(MergeError, match=f"The table has no column '{name}'"):
                result(self.TABLE.drop_columns([name]))
            with pytest.raises(MergeError, match=f"The table has several columns '{name}'"):
                result(self.TABLE.append_column(name, self.TABLE[name]))
        for table in [7, None, "x", [1], pd.Series([1]), object()]:
            with pytest.raises((InputError, MergeError)):
                result(table)

    def test_that_lack_rows_or_are_of_other_options_or_draws_are_refused(self):
        table = arrow_statistics(table_of(), "rouge", **ASKED)
        for rows, message in [
            ([], "The table has no rows"), (range(1, 11), "must hold the numbers"), ([3, 4], "must hold the numbers"),
            (range(10), "The sums have 9 resamples"), ([*range(11), 3], "The table lacks rows of some resamples"),
        ]:  # fmt: skip
            with pytest.raises(MergeError, match=message):
                result(table.take(pa.array(rows, pa.int64())), **ASKED)
        for options in [
            {"tokenizer": "rouge"}, {"use_stemmer": True}, {"rouge_types": ["rouge1"]}, {"n_resamples": 11},
            {"missing_references": "bad"}, {"seed": 1}, {"confidence_level": None, "n_resamples": 1000},
        ]:  # fmt: skip
            with pytest.raises((MergeError, OptionError)):
                result(table, **{**ASKED, **options})
        assert result(table, **{**ASKED, "confidence_level": 0.5}).intervals
        with pytest.raises(MergeError, match="different signatures do not add up"):
            result(pa.concat_tables([self.TABLE, sums(table_of(), use_stemmer=True)]))


class TestLayouts:
    """Texts are what they are, however Arrow holds them."""

    TEXTS, ONE = ("a b", "кот", "短文"), ("a c", "кот", "短")
    LISTS = (["a c", "a"], ["кот"], ["短"])

    def test_of_texts_and_lists(self):
        for text in [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]:
            for of_lists_of in [pa.list_, pa.large_list]:
                table = pa.table({"mt": pa.array(self.TEXTS).cast(text), "ref": pa.array(self.ONE).cast(text)})
                assert sums(table).equals(of_lists(self.TEXTS, self.ONE))
                table = pa.table({"mt": self.TEXTS, "ref": pa.array(self.LISTS, of_lists_of(text))})
                assert sums(table).equals(of_lists(self.TEXTS, self.LISTS))
                assert sums(table.slice(1)).equals(of_lists(self.TEXTS[1:], self.LISTS[1:]))

    def test_of_lists_of_one_size_and_such_as_are_null_over_texts_that_are_there(self):
        pairs = pa.array([["a", "b"], None, ["кот", None]], pa.list_(pa.string(), 2))
        table = pa.table({"mt": self.TEXTS, "ref": pairs})
        found = sums(table, missing_references="skip")
        assert found.equals(of_lists(self.TEXTS, [["a", "b"], [], ["кот"]], missing_references="skip"))
        rest = sums(table.slice(1), missing_references="skip")
        assert rest.equals(of_lists(self.TEXTS[1:], [[], ["кот"]], missing_references="skip"))
        words, null = pa.array(["x", "y", "кот", "短", "z"]), pa.array([True, False, False])
        lists = pa.ListArray.from_arrays(pa.array([0, 2, 3, 5]), words, mask=null)
        found = sums(pa.table({"mt": self.TEXTS, "ref": lists}), missing_references="zero")
        assert found.equals(of_lists(self.TEXTS, [[], ["кот"], ["短", "z"]], missing_references="zero"))

    def test_of_slices_and_chunks(self):
        table = table_of()
        chunks = pa.concat_tables([table.slice(0, 5), table.slice(5, 0), table.slice(5, 1), table.slice(6)])
        assert chunks["mt"].num_chunks > 1
        assert sums(chunks).equals(sums(table))
        assert sums(chunks.slice(3, 9)).equals(of_lists(PREDICTIONS[3:12], REFERENCES[3:12]))
        none = pa.table({"mt": pa.chunked_array([], pa.string()), "ref": pa.chunked_array([], pa.list_(pa.string()))})
        assert sums(none).equals(of_lists([], []))

    def test_of_what_offers_itself_as_arrow_and_nothing_else(self):
        import duckdb
        import polars as pl

        for made in [
            lambda table: table.to_batches()[0], pa.Table.to_reader, pa.Table.to_pydict, pl.from_arrow,
            pa.Table.to_pandas, lambda table: table.to_pandas(types_mapper=pd.ArrowDtype), duckdb.from_arrow,
        ]:  # fmt: skip
            assert sums(made(table_of())).equals(sums(table_of()))
        ragged = {"mt": ["a"], "ref": ["a", "b"]}
        for table in (7, None, "mt", [["a"]], [{"mt": "a"}], ragged, pl.LazyFrame(), object()):
            with pytest.raises(InputError, match="Expected an Arrow-compatible table, got"):
                sums(table)

    def test_of_categories(self):
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame({"mt": self.TEXTS, "ref": self.ONE}, schema_overrides={"mt": pl.Categorical})
        assert sums(frame).equals(of_lists(self.TEXTS, self.ONE))
        named = sums(frame.with_columns(id=frame["mt"]), id="id")
        assert named.drop_columns(["item_keys"]).equals(of_lists(self.TEXTS, self.ONE).drop_columns(["item_keys"]))
        frame = pd.DataFrame({"mt": self.TEXTS, "ref": pd.Categorical(self.ONE)})
        assert sums(frame).equals(of_lists(self.TEXTS, self.ONE))


class TestReferences:
    def test_of_several_columns_are_those_of_the_row_in_the_order_of_the_columns(self):
        table = pa.table({"mt": ["a b", "c"], "ref1": ["a", "c d"], "ref2": [["x", "a b"], ["c"]]})
        found = arrow_statistics(table, "rouge", **ASKED)
        assert found.equals(of_lists(["a b", "c"], [["a", "x", "a b"], ["c d", "c"]], **ASKED))
        turned = arrow_statistics(table, "rouge", references=["ref2", "ref1"], **ASKED)
        assert turned.equals(of_lists(["a b", "c"], [["x", "a b", "a"], ["c", "c d"]], **ASKED))
        assert sums(table, references="ref1").equals(of_lists(["a b", "c"], ["a", "c d"]))
        assert sums(table, references=iter(["ref1"])).equals(of_lists(["a b", "c"], ["a", "c d"]))

    def test_are_not_what_is_empty_or_null(self):
        lists = pa.array([["x", ""], [None, "b"], None, []])
        table = pa.table({"mt": ["a", "b", "c", "d"], "ref1": ["a", "", None, ""], "ref2": lists})
        for choice in ["skip", "zero"]:
            expected = of_lists(["a", "b", "c", "d"], [["a", "x"], ["b"], [], []], missing_references=choice)
            assert sums(table, missing_references=choice).equals(expected)
        for column in [[None, None], [[], []], [[None], []], ["", ""], [None, ""]]:
            none = pa.table({"mt": ["a", "b"], "ref": column})
            assert sums(none, missing_references="skip")["missing"].to_pylist() == [2]
            with pytest.raises(InputError, match="item"):
                sums(none)

    @pytest.mark.needs("torch")
    def test_are_not_needed_where_the_metric_takes_none(self):
        options = needed("perplexity_lm")
        alone = arrow_statistics(pa.table({"text_out": ["a cat", "a mat"]}), "perplexity", **options)
        both = arrow_statistics(table_of(["a cat", "a mat"], ["x", "y"]), "perplexity", references="ref", **options)
        assert alone["tokens"].equals(both["tokens"])


class TestColumns:
    def test_that_are_not_clear_are_asked_for(self):
        cases = [
            (["mt", "online_b", "ref"], {}, "Cannot tell which column holds predictions: several match by name"),
            (["src", "ref"], {}, "Cannot tell which column holds predictions: none matches by name."),
            (["mt", "src"], {}, "No column matches references by name: name one of mt, src."),
            (["mt", "ref"], {"prediction": "mtt"}, "The table has no column 'mtt'. Did you mean 'mt'?"),
            (["mt", "ref"], {"prediction": 7}, "The table has no column 7. Known: mt, ref."),
            (["mt", "ref"], {"references": ["ref", "ref3"]}, "The table has no column 'ref3'. Did you mean 'ref'?"),
            (["mt", "ref"], {"references": 7}, "references must be the names of columns, got 7."),
            (["mt", "ref"], {"id": "key"}, "The table has no column 'key'. Known: mt, ref."),
            (["mt", "mt", "ref"], {}, "Cannot tell which column holds predictions: several match by name: mt, mt."),
            (["mt", "mt", "ref"], {"prediction": "mt"}, "The table has 2 columns 'mt': their names must differ."),
            (["mt", "ref", "ref"], {}, "The table has 2 columns 'ref': their names must differ."),
            ([], {}, "Cannot tell which column holds predictions: none matches by name."),
        ]  # fmt: skip
        for columns, options, message in cases:
            table = pa.table([["a"]] * len(columns), names=columns)
            with pytest.raises(InputError, match=f"^{re.escape(message)}"):
                sums(table, **options)
        table = pa.table({"x": ["a b"], "y": ["a c"], "z": ["q"]})
        assert sums(table, prediction="x", references="y").equals(of_lists(["a b"], ["a c"]))

    def test_of_no_text_are_refused(self):
        of_type, missing = (
            "The column '{}' is of the type {}; expected text",
            "row {}, column 'mt': the prediction is missing",
        )
        lists = " or lists of text."
        cases = [
            ("mt", [1, 2], of_type.format("mt", "int64") + "."),
            ("mt", [["a"], ["b"]], of_type.format("mt", "list<item: string>") + "."),
            ("mt", [b"a", b"b"], of_type.format("mt", "binary") + "."),
            ("ref", [1, 2], of_type.format("ref", "int64") + lists),
            ("ref", [[1], [2]], of_type.format("ref", "list<item: int64>") + lists),
            ("ref", [{"a": "b"}] * 2, of_type.format("ref", "struct<a: string>") + lists),
            ("mt", ["a", None], missing.format(1) + "; expected a text."),
            ("mt", [None, None], missing.format(0) + "; expected a text."),
        ]
        for column, values, message in cases:
            table = pa.table({"mt": ["a", "b"], "ref": ["a", "b"]} | {column: values})
            with pytest.raises(InputError, match=f"^{re.escape(message)}"):
                sums(table, prediction="mt", references="ref")
        offsets = pa.array([0, 1], pa.int32()).buffers()[1]
        broken = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff")])
        for columns in ({"mt": broken, "ref": ["a"]}, {"mt": ["a"], "ref": broken}):
            with pytest.raises(InputError, match=r"^item 0 of the column '(mt|ref)' is not valid UTF-8"):
                sums(pa.table(columns))


def test_options_are_checked_before_the_table_is_read():
    for metric, options in [
        ("bleu_mutli", {}), ("bleu", {"max_ordr": 1}), ("rouge", {}), ("bleu", {"segments": True}),
    ]:  # fmt: skip
        with pytest.raises(OptionError):
            arrow_statistics(7, metric, **options)


def test_errors_of_a_part_name_the_id():
    rows = pa.table({"prediction": ["a", "b"], "references": [["a"], None], "key": ["x", "y"]})
    with pytest.raises(InputError, match=r"^row 1, key 'y': item 1 of references is empty: every item needs"):
        arrow_statistics(rows, "bleu", id="key")
    with pytest.raises(InputError, match=r"^item 1 of references is empty"):
        arrow_statistics(rows.drop(["key"]), "bleu")
    rows = pa.table({"prediction": ["a", None], "references": [["a"], ["b"]], "key": [5, 6]})
    with pytest.raises(InputError, match=r"^row 1, key 6, column 'prediction': the prediction is missing"):
        arrow_statistics(rows, "bleu", id="key")
