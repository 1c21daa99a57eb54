"""Tables as engines have them: texts of any Arrow type, and sums as they come back."""

from decimal import Decimal

import pyarrow as pa
import pytest

import tercet
from tercet.core.exact import DECIMAL, ExactSums
from tercet.errors import InputError, MergeError

ROWS = pa.table({"prediction": ["a b c d e", "a b"], "references": [["a b c d f", "a b"], ["a b"]]})


def same(found, expected):
    return found.result().to_dict(full=True) == expected.result().to_dict(full=True)


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("of_lists", [pa.list_, pa.large_list], ids=["lists", "large lists"])
def test_texts_of_any_type(text, of_lists):
    rows = ROWS.cast(pa.schema({"prediction": text, "references": of_lists(text)}))
    assert tercet.arrow_statistics(rows, "bleu") == tercet.arrow_statistics(ROWS, "bleu")
    one = pa.table({"prediction": rows["prediction"], "reference": rows["prediction"]})
    assert tercet.arrow_statistics(one, "bleu")["items"].to_pylist() == [2]


@pytest.mark.parametrize("metric", ["bleu", "bleu_rouge", "jaccard"])
def test_a_part_without_rows_adds_nothing(metric):
    options = {"confidence_level": 0.95, "n_resamples": 20}
    nothing = tercet.arrow_statistics(ROWS.schema.empty_table(), metric, **options)
    some = tercet.arrow_statistics(ROWS, metric, **options)
    assert nothing.schema == some.schema
    found = tercet.Stream.from_arrow(pa.concat_tables([nothing, some, nothing]), metric, **options)
    assert same(found, tercet.Stream.from_arrow(some, metric, **options))


@pytest.mark.parametrize(
    "kind", [pa.decimal128(28, 18), pa.decimal256(76, 18), pa.decimal128(20, 2), pa.string()], ids=str
)
def test_sums_of_another_type_and_the_same_value(kind):
    sums = tercet.arrow_statistics(ROWS, "bleu")
    index = sums.column_names.index("match1")
    given = sums.set_column(index, "match1", sums["match1"].cast(kind))
    assert same(tercet.Stream.from_arrow(given, "bleu"), tercet.Stream.from_arrow(sums, "bleu"))


def test_columns_in_another_order_and_in_pieces():
    options = {"confidence_level": 0.9, "n_resamples": 5}
    sums = tercet.arrow_statistics(ROWS, "bleu", **options)
    whole = pa.concat_tables([sums, sums]).combine_chunks()
    pieces = pa.concat_tables([whole.slice(7), whole.slice(0, 4), whole.slice(4, 3)])
    found = tercet.Stream.from_arrow(pieces.select(whole.column_names[::-1]), "bleu", **options)
    assert len(found) == 4
    assert same(found, tercet.Stream.from_arrow(whole, "bleu", **options))


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("match1", pa.array([5.0]), r"The sums of 'match1' are rounded, to the type double; expected decimals"),
        ("match1", pa.array([None], DECIMAL), r"The sums of 'match1' are not all there; expected decimals"),
        ("match1", pa.array(["many"]), r"The column 'match1' holds no exact sums\. InvalidOperation: "),
        ("resample", pa.array([None], pa.int32()), r"'resample' must hold the numbers of the resamples"),
        ("resample", pa.array([-1]), r"'resample' must hold the numbers of the resamples"),
        ("resample", pa.array([0.5]), r"'resample' must hold the numbers of the resamples"),
    ],
)
def test_what_is_no_exact_sum_is_refused(name, column, message):
    sums = tercet.arrow_statistics(ROWS, "bleu")
    given = sums.set_column(sums.column_names.index(name), name, column)
    with pytest.raises(MergeError, match=message):
        tercet.Stream.from_arrow(given, "bleu")


def test_a_slice_of_other_decimals_is_read_from_its_start():
    column = pa.array([Decimal(7), Decimal(-2), Decimal(3)], pa.decimal128(20, 2)).slice(1, 1)
    assert ExactSums.of_decimals([column]).floats().tolist() == [[-2.0]]
    assert ExactSums.of_decimals([column.cast(DECIMAL), column]).floats().tolist() == [[-2.0, -2.0]]


def test_errors_of_a_part_name_the_id():
    rows = pa.table({"prediction": ["a", "b"], "references": [["a"], None], "key": ["x", "y"]})
    with pytest.raises(InputError, match=r"^row 1, key 'y': item 1 of references is empty: every item needs"):
        tercet.arrow_statistics(rows, "bleu", id="key")
    with pytest.raises(InputError, match=r"^item 1 of references is empty"):
        tercet.arrow_statistics(rows.drop(["key"]), "bleu")
    rows = pa.table({"prediction": ["a", None], "references": [["a"], ["b"]], "key": [5, 6]})
    with pytest.raises(InputError, match=r"^row 1, key 6, column 'prediction': the prediction is missing"):
        tercet.arrow_statistics(rows, "bleu", id="key")
