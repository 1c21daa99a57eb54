"""Tables in, sums out: every layout of texts counts the same, and the sums of any engine make the same result."""

import random
from decimal import Decimal
from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from conftest import ZERO_BLEU, needed
from tercet import InputError, MergeError, OptionError, Stream, arrow_statistics
from tercet.registry import METRICS
from texts import all_pairs, corpora

ROUGE = {"rouge_types": ["rouge1", "rougeL"], "tokenizer": "unicode"}
RESAMPLED = {"confidence_level": 0.9, "n_resamples": 10}
ASKED = {**ROUGE, **RESAMPLED}
PREDICTIONS, REFERENCES = all_pairs()

pytestmark = ZERO_BLEU


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
    cuts = [0, 1, 4, 4, 9, 17, len(PREDICTIONS)]
    pieces = [table.slice(low, high - low) for low, high in pairwise(cuts)]
    random.Random(0).shuffle(pieces)
    tables = [arrow_statistics(each, "rouge", **ASKED) for each in pieces]
    whole = Stream("rouge", **ASKED)
    whole.add(PREDICTIONS, REFERENCES)
    return pa.concat_tables(tables), whole.result()


def same(found, expected):
    return found.to_dict(full=True) == expected.to_dict(full=True)


class TestTheSums:
    def test_are_decimals_in_a_row_for_the_corpus_and_one_for_each_resample(self):
        table = arrow_statistics(table_of(), "rouge", **ASKED)
        assert table.column_names[:4] == ["signature", "resample", "items", "empty"]
        assert table["resample"].to_pylist() == list(range(11))
        assert len(table["signature"].unique()) == 1
        assert {each.type for each in table.columns[2:]} == {pa.decimal128(38, 18)}
        assert not any(each.null_count for each in table.columns)
        assert table["items"][0].as_py() == Decimal(len(PREDICTIONS))

    @pytest.mark.parametrize(
        ("metric", "options"),
        [
            ("bleu_multi", {}),
            ("rouge_nlws", ROUGE),
            ("bleu_rouge_f", {}),
            ("chrf_multi", {"word_order": [0, 2]}),
            ("jaccard_sets", {}),
            ("ter", {}),
            ("perplexity_lm", {}),
        ],
    )
    def test_are_those_of_a_stream(self, metric, options):
        options = {**needed(metric), **options}
        stream = Stream(metric, **options)
        stream.add(PREDICTIONS, REFERENCES)
        found = arrow_statistics(table_of(), metric, **options)
        if metric == "perplexity_lm":
            assert found.column_names == stream.to_arrow().column_names
        else:
            assert found.equals(stream.to_arrow())

    def test_of_no_rows_are_zeros_that_change_nothing(self, parts):
        none = arrow_statistics(table_of().slice(0, 0), "rouge", **ASKED)
        assert {value for column in none.columns[2:] for value in column.to_pylist()} == {0}
        assert same(result(pa.concat_tables([none, parts[0], none]), **ASKED), parts[1])
        stream = Stream.from_arrow(none, "rouge", **ASKED)
        assert len(stream) == 0
        with pytest.raises(InputError, match="nothing was added"):
            stream.result()

    @pytest.mark.parametrize("metric", sorted(METRICS))
    def test_of_parts_without_rows_change_nothing_whatever_the_metric(self, metric):
        options = {**needed(metric), **({"tokenizer": "unicode"} if metric == "rouge_nlws" else {}), **RESAMPLED}
        try:
            empty = Stream(metric, **options)
        except OptionError as error:
            pytest.skip(f"it has no sums: {error}")
        table = table_of(PREDICTIONS[:2], REFERENCES[:2])
        none = arrow_statistics(table.slice(0, 0), metric, **options)
        assert none.equals(empty.to_arrow())
        some = arrow_statistics(table, metric, **options)
        found = Stream.from_arrow(pa.concat_tables([none, some, none]), metric, **options)
        found.add([], [])
        assert found.to_arrow().equals(some)
        assert len(Stream.from_arrow(none, metric, **options)) == 0

    @settings(deadline=None)
    @given(corpora(max_items=8), st.randoms(use_true_random=False))
    def test_of_parts_come_to_those_of_the_whole(self, corpus, rng):
        table, asked = table_of(*corpus), {**ASKED, "missing_references": "zero"}  # an empty cell is no reference
        n = table.num_rows
        cuts = [0, *sorted(rng.choices(range(n + 1), k=2)), n]
        pieces = [table.slice(low, high - low) for low, high in pairwise(cuts)]
        rng.shuffle(pieces)
        tables = pa.concat_tables([arrow_statistics(each, "rouge", **asked) for each in pieces])
        together = Stream.from_arrow(tables, "rouge", **asked).to_arrow()
        assert together.equals(arrow_statistics(table, "rouge", **asked))

    def test_with_ids_draw_by_them(self):
        table = table_of(id=[f"i{each}" for each in range(len(PREDICTIONS))])
        stream = Stream("rouge", **ASKED)
        stream.add(PREDICTIONS, REFERENCES, ids=table["id"])
        assert arrow_statistics(table, "rouge", id="id", **ASKED).equals(stream.to_arrow())
        numbers = table_of(key=range(len(PREDICTIONS)))
        assert "ids:given" in arrow_statistics(numbers, "rouge", id="key", **ASKED)["signature"][0].as_py()

    @pytest.mark.parametrize(
        ("ids", "message"),
        [
            ([1.5, 2.5], "ids are double"),
            (["a", None], "item 1 has no id"),
            (["a", "a"], "items 0 and 1 have the same"),
        ],
    )
    def test_with_ids_that_are_none_are_refused(self, ids, message):
        with pytest.raises(InputError, match=message):
            sums(table_of(["a", "b"], ["a", "b"], id=ids), id="id")


class TestEngines:
    def test_that_only_put_parts_together(self, parts):
        assert same(result(parts[0], **ASKED), parts[1])
        shuffled = parts[0].take(np.random.default_rng(0).permutation(parts[0].num_rows))
        assert same(result(shuffled, **ASKED), parts[1])

    def test_pyarrow(self, parts):
        names = parts[0].column_names[2:]
        found = parts[0].group_by(["signature", "resample"]).aggregate([(name, "sum") for name in names])
        renamed = found.rename_columns([name.removesuffix("_sum") for name in found.column_names])
        assert same(result(renamed, **ASKED), parts[1])

    def test_polars(self, parts):
        frame = pl.from_arrow(parts[0]).group_by("signature", "resample").sum()
        assert same(result(frame, **ASKED), parts[1])

    def test_pandas(self, parts):
        frame = parts[0].to_pandas()
        assert same(result(frame, **ASKED), parts[1])
        together = frame.groupby(["signature", "resample"], as_index=False).sum()
        assert same(result(together, **ASKED), parts[1])

    def test_duckdb(self, parts):
        with duckdb.connect() as connection:
            connection.register("parts", parts[0])
            sums = ", ".join(f'sum("{name}") AS "{name}"' for name in reversed(parts[0].column_names[2:]))
            found = connection.sql(f"SELECT {sums}, resample, signature FROM parts GROUP BY ALL")
            assert same(result(found, **ASKED), parts[1])

    def test_that_add_columns_of_their_own(self, parts):
        table = parts[0].append_column("day", [["Monday"] * parts[0].num_rows])
        assert same(result(table, **ASKED), parts[1])

    def test_and_streams_go_on_from_there(self, parts):
        stream = Stream.from_arrow(parts[0].select(parts[0].column_names[::-1]), "rouge", **ASKED)
        stream.add(["one more"], ["one less"])
        whole = Stream("rouge", **ASKED)
        whole.add([*PREDICTIONS, "one more"], [*REFERENCES, ["one less"]])
        assert same(stream.result(), whole.result())


class TestTablesOfSomethingElse:
    TABLE = sums(table_of(["a b"], ["a c"]))

    @pytest.mark.parametrize(
        ("name", "column", "message"),
        [
            ("resample", pa.array([None], pa.int32()), "'resample' must hold the numbers of the resamples"),
            ("resample", pa.array(["0"]), "'resample' must hold the numbers of the resamples"),
            ("resample", pa.array([0.5]), "'resample' must hold the numbers of the resamples"),
            ("resample", pa.array([-1]), "from 0 on: got -1 to -1 in 1 rows."),
            ("resample", pa.array([10**12]), "from 0 on: got 1000000000000 to 1000000000000 in 1 rows."),
            ("items", pa.array([1.0]), "The sums of 'items' are rounded, to the type double; expected decimals"),
            ("items", pa.array(["one"]), "'items' holds no exact sums"),
            (
                "items",
                pa.array([None], pa.decimal128(38, 18)),
                "The sums of 'items' are not all there; expected decimals",
            ),
            ("items", pa.array([10**21], pa.decimal128(38, 0)), "'items' holds no exact sums"),
            ("items", pa.array([Decimal("1e-20")], pa.decimal128(38, 20)), "'items' holds no exact sums"),
            ("signature", pa.array([None], pa.string()), "different signatures do not add up: [None]"),
            ("signature", pa.array([7]), "different signatures do not add up: [7]"),
            ("signature", pa.array([""]), "The sums are of no metric, and not of rouge_nlws."),
            ("signature", pa.array(["bleu_multi|tok:13a"]), "The sums are of bleu_multi, and not of rouge_nlws."),
            ("signature", pa.array(["rouge_nlws|tok:rouge"]), "made with other options or another version"),
        ],
    )
    def test_in_one_column_are_refused(self, name, column, message):
        table = self.TABLE.set_column(self.TABLE.column_names.index(name), name, column)
        with pytest.raises(MergeError) as error:
            result(table)
        assert message in str(error.value)

    @pytest.mark.parametrize("name", ["signature", "resample", "items", "rouge1_recall", "items_added"])
    def test_that_lack_a_column_or_have_it_twice_are_refused(self, name):
        with pytest.raises(MergeError, match=f"The table has no column '{name}'"):
            result(self.TABLE.drop_columns([name]))
        with pytest.raises(MergeError, match=f"The table has several columns '{name}'"):
            result(self.TABLE.append_column(name, self.TABLE[name]))

    @pytest.mark.parametrize("rows", [slice(0, 0), slice(1, None), slice(0, 10), slice(3, 5)])
    def test_that_lack_rows_are_refused(self, rows):
        table = arrow_statistics(table_of(), "rouge", **ASKED)
        with pytest.raises(
            MergeError, match=r"The table (lacks rows|has no rows)|must hold the numbers|The sums have 9 resamples"
        ):
            result(table.take(pa.array(range(11)[rows], pa.int64())), **ASKED)

    @pytest.mark.parametrize(
        "options",
        [
            {"tokenizer": "rouge"},
            {"use_stemmer": True},
            {"rouge_types": ["rouge1"]},
            {"confidence_level": 0.9},
            {"missing_references": "bad"},
        ],
    )
    def test_of_other_options_are_refused(self, options):
        with pytest.raises((MergeError, OptionError)):
            result(self.TABLE, **options)

    @pytest.mark.parametrize(
        "options", [{"n_resamples": 11}, {"seed": 1}, {"confidence_level": None, "n_resamples": 1000}]
    )
    def test_of_other_draws_are_refused(self, options):
        table = arrow_statistics(table_of(), "rouge", **ASKED)
        with pytest.raises(MergeError):
            result(table, **{**ASKED, **options})
        assert result(table, **{**ASKED, "confidence_level": 0.5}).intervals

    def test_of_several_signatures_are_refused(self):
        with pytest.raises(MergeError, match="different signatures do not add up"):
            result(pa.concat_tables([self.TABLE, sums(table_of(), use_stemmer=True)]))

    @pytest.mark.parametrize("table", [7, None, "x", [1], pd.Series([1]), object()])
    def test_are_refused_in_other_forms(self, table):
        with pytest.raises((InputError, MergeError)):
            result(table)


class TestLayouts:
    """Texts are what they are, however Arrow holds them."""

    TEXTS, ONE = ("a b", "кот", "短文"), ("a c", "кот", "短")
    LISTS = (["a c", "a"], ["кот"], ["短"])

    @pytest.mark.parametrize(
        "kind",
        [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
        ids=str,
    )
    def test_of_texts(self, kind):
        table = pa.table({"mt": pa.array(self.TEXTS).cast(kind), "ref": pa.array(self.ONE).cast(kind)})
        assert sums(table).equals(of_lists(self.TEXTS, self.ONE))

    @pytest.mark.parametrize(
        "kind",
        [
            pa.list_(pa.string()),
            pa.large_list(pa.string()),
            pa.list_(pa.large_string()),
            pa.list_(pa.string_view()),
            pa.list_(pa.dictionary(pa.int32(), pa.string())),
        ],
        ids=str,
    )
    def test_of_lists(self, kind):
        table = pa.table({"mt": self.TEXTS, "ref": pa.array(self.LISTS, kind)})
        assert sums(table).equals(of_lists(self.TEXTS, self.LISTS))
        assert sums(table.slice(1)).equals(of_lists(self.TEXTS[1:], self.LISTS[1:]))

    def test_of_lists_of_one_size(self):
        pairs = pa.array([["a", "b"], None, ["кот", None]], pa.list_(pa.string(), 2))
        table = pa.table({"mt": self.TEXTS, "ref": pairs})
        found = sums(table, missing_references="skip")
        assert found.equals(of_lists(self.TEXTS, [["a", "b"], [], ["кот"]], missing_references="skip"))
        rest = sums(table.slice(1), missing_references="skip")
        assert rest.equals(of_lists(self.TEXTS[1:], [[], ["кот"]], missing_references="skip"))

    def test_of_lists_that_are_null_over_texts_that_are_there(self):
        lists = pa.ListArray.from_arrays(
            pa.array([0, 2, 3, 5]), pa.array(["x", "y", "кот", "短", "z"]), mask=pa.array([True, False, False])
        )
        found = sums(pa.table({"mt": self.TEXTS, "ref": lists}), missing_references="zero")
        assert found.equals(of_lists(self.TEXTS, [[], ["кот"], ["短", "z"]], missing_references="zero"))

    def test_of_slices_and_chunks(self):
        table = table_of()
        chunks = pa.concat_tables([table.slice(0, 5), table.slice(5, 0), table.slice(5, 1), table.slice(6)])
        assert chunks["mt"].num_chunks > 1
        assert sums(chunks).equals(sums(table))
        assert sums(chunks.slice(3, 9)).equals(of_lists(PREDICTIONS[3:12], REFERENCES[3:12]))

    def test_of_no_chunks(self):
        none = pa.table({"mt": pa.chunked_array([], pa.string()), "ref": pa.chunked_array([], pa.list_(pa.string()))})
        assert sums(none).equals(of_lists([], []))

    @pytest.mark.parametrize(
        "made",
        [
            lambda table: table.to_batches()[0],
            lambda table: table.to_reader(),
            lambda table: table.to_pydict(),
            lambda table: pl.from_arrow(table),
            lambda table: table.to_pandas(),
            lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
            lambda table: duckdb.from_arrow(table),
        ],
        ids=["batch", "reader", "dict", "polars", "pandas", "pandas on Arrow", "duckdb"],
    )
    def test_of_what_offers_itself_as_arrow(self, made):
        assert sums(made(table_of())).equals(sums(table_of()))

    def test_of_categories(self):
        frame = pl.DataFrame({"mt": self.TEXTS, "ref": self.ONE}, schema_overrides={"mt": pl.Categorical})
        assert sums(frame).equals(of_lists(self.TEXTS, self.ONE))
        named = sums(frame.with_columns(id=frame["mt"]), id="id")
        assert named.drop_columns(["item_keys"]).equals(of_lists(self.TEXTS, self.ONE).drop_columns(["item_keys"]))
        frame = pd.DataFrame({"mt": self.TEXTS, "ref": pd.Categorical(self.ONE)})
        assert sums(frame).equals(of_lists(self.TEXTS, self.ONE))

    @pytest.mark.parametrize(
        "table", [7, None, "mt", [["a"]], [{"mt": "a"}], {"mt": ["a"], "ref": ["a", "b"]}, pl.LazyFrame(), object()]
    )
    def test_of_anything_else_are_refused(self, table):
        with pytest.raises(InputError, match="Expected an Arrow table, or a frame that offers itself as one; got"):
            sums(table)


class TestReferences:
    def test_of_several_columns_are_those_of_the_row_in_the_order_of_the_columns(self):
        table = pa.table({"mt": ["a b", "c"], "ref1": ["a", "c d"], "ref2": [["x", "a b"], ["c"]]})
        found = arrow_statistics(table, "rouge", **ASKED)
        assert found.equals(of_lists(["a b", "c"], [["a", "x", "a b"], ["c d", "c"]], **ASKED))
        turned = arrow_statistics(table, "rouge", references=["ref2", "ref1"], **ASKED)
        assert turned.equals(of_lists(["a b", "c"], [["x", "a b", "a"], ["c", "c d"]], **ASKED))
        assert sums(table, references="ref1").equals(of_lists(["a b", "c"], ["a", "c d"]))
        assert sums(table, references=iter(["ref1"])).equals(of_lists(["a b", "c"], ["a", "c d"]))

    @pytest.mark.parametrize("choice", ["skip", "zero"])
    def test_are_not_what_is_empty_or_null(self, choice):
        table = pa.table(
            {
                "mt": ["a", "b", "c", "d"],
                "ref1": ["a", "", None, ""],
                "ref2": pa.array([["x", ""], [None, "b"], None, []]),
            }
        )
        found = sums(table, missing_references=choice)
        assert found.equals(of_lists(["a", "b", "c", "d"], [["a", "x"], ["b"], [], []], missing_references=choice))
        with pytest.raises(InputError, match="item"):
            sums(table)

    @pytest.mark.parametrize("column", [[None, None], [[], []], [[None], []], ["", ""], [None, ""]])
    def test_may_be_none_at_all(self, column):
        table = pa.table({"mt": ["a", "b"], "ref": column})
        assert sums(table, missing_references="skip")["missing"].to_pylist() == [2]
        with pytest.raises(InputError):
            sums(table)

    def test_are_not_needed_where_the_metric_takes_none(self):
        options = needed("perplexity_lm")
        alone = arrow_statistics(pa.table({"text_out": ["a cat", "a mat"]}), "perplexity", **options)
        both = arrow_statistics(table_of(["a cat", "a mat"], ["x", "y"]), "perplexity", references="ref", **options)
        assert alone["tokens"].equals(both["tokens"])


class TestColumns:
    @pytest.mark.parametrize(
        "names",
        [
            ("mt", "ref"), ("prediction", "reference"), ("hypothesis", "gold"), ("Output", "Target"),
            ("summary_pegasus", "summary"), ("system", "expected_output"),
        ],
    )  # fmt: skip
    def test_are_known_by_their_names(self, names):
        table = pa.table({"segment_id": ["i"], "src": ["quoi"], names[1]: ["a c"], "lang": ["fr"], names[0]: ["a b"]})
        assert sums(table).equals(of_lists(["a b"], ["a c"]))

    @pytest.mark.parametrize(
        ("columns", "options", "message"),
        [
            (["mt", "online_b", "ref"], {}, "Which column holds the predictions? By their names, several may be"),
            (["src", "ref"], {}, "Which column holds the predictions? By their names, none is."),
            (["mt", "src"], {}, "No column's name says that it holds references: name one of mt, src."),
            (["mt", "ref"], {"prediction": "mtt"}, "The table has no column 'mtt'. Did you mean 'mt'?"),
            (["mt", "ref"], {"prediction": 7}, "The table has no column 7. Known: mt, ref."),
            (["mt", "ref"], {"references": ["ref", "ref3"]}, "The table has no column 'ref3'. Did you mean 'ref'?"),
            (["mt", "ref"], {"references": 7}, "references must be the names of columns, got 7."),
            (["mt", "ref"], {"id": "key"}, "The table has no column 'key'. Known: mt, ref."),
            (["mt", "mt", "ref"], {}, "Which column holds the predictions? By their names, several may be: mt, mt."),
            (["mt", "mt", "ref"], {"prediction": "mt"}, "The table has 2 columns 'mt': their names must differ."),
            (["mt", "ref", "ref"], {}, "The table has 2 columns 'ref': their names must differ."),
            ([], {}, "Which column holds the predictions? By their names, none is."),
        ],
    )  # fmt: skip
    def test_that_are_not_clear_are_asked_for(self, columns, options, message):
        table = pa.table([["a"]] * len(columns), names=columns)
        with pytest.raises(InputError) as error:
            sums(table, **options)
        assert str(error.value).startswith(message)

    def test_that_are_named_need_no_telling_names(self):
        table = pa.table({"x": ["a b"], "y": ["a c"], "z": ["q"]})
        assert sums(table, prediction="x", references="y").equals(of_lists(["a b"], ["a c"]))

    @pytest.mark.parametrize(
        ("column", "values", "message"),
        [
            ("mt", [1, 2], "The column 'mt' is of the type int64; expected text."),
            ("mt", [["a"], ["b"]], "The column 'mt' is of the type list<item: string>; expected text."),
            ("mt", [b"a", b"b"], "The column 'mt' is of the type binary; expected text."),
            ("ref", [1, 2], "The column 'ref' is of the type int64; expected text or lists of text."),
            ("ref", [[1], [2]], "The column 'ref' is of the type list<item: int64>; expected text or lists of text."),
            ("ref", [{"a": "b"}] * 2, "The column 'ref' is of the type struct<a: string>; expected text or lists"),
            ("mt", ["a", None], "row 1, column 'mt': the prediction is missing; expected a text."),
            ("mt", [None, None], "row 0, column 'mt': the prediction is missing; expected a text."),
        ],
    )
    def test_of_no_text_are_refused(self, column, values, message):
        table = pa.table({"mt": ["a", "b"], "ref": ["a", "b"]} | {column: values})
        with pytest.raises(InputError) as error:
            sums(table, prediction="mt", references="ref")
        assert str(error.value).startswith(message)

    def test_of_bytes_that_are_no_text_are_refused(self):
        offsets = pa.array([0, 1], pa.int32()).buffers()[1]
        broken = pa.Array.from_buffers(pa.string(), 1, [None, offsets, pa.py_buffer(b"\xff")])
        for columns in ({"mt": broken, "ref": ["a"]}, {"mt": ["a"], "ref": broken}):
            with pytest.raises(InputError, match=r"^item 0 of the column '(mt|ref)' is not valid UTF-8"):
                sums(pa.table(columns))


@pytest.mark.parametrize(
    ("metric", "options"),
    [("bleu_mutli", {}), ("bleu", {"max_ordr": 1}), ("rouge", {}), ("bleu", {"segments": True})],
)
def test_options_are_checked_before_the_table_is_read(metric, options):
    with pytest.raises(OptionError):
        tercet.arrow_statistics(7, metric, **options)
