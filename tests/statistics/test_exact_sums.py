"""Sums that no order and no partition changes: of fractions they are sums, and other engines add them the same."""

import math
import random
import re
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from operator import add

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InputError
from tercet.statistics.exact_sums import DECIMAL, LARGEST, N_DECIMALS, ExactSums, check_summable

#: Values of every size that may be summed, and of both signs.
values = st.floats(-LARGEST, LARGEST, exclude_min=True, exclude_max=True)
columns = st.lists(values, min_size=1, max_size=40)
HALF_A_DECIMAL = Fraction(1, 2 * 10**N_DECIMALS)


def sums_of(column):
    return ExactSums.of(np.array(column, np.float64)[:, None])


def number(sums):
    """Return the only sum, exactly."""
    return Fraction(sums.decimals()[0][0].as_py())


def added(parts):
    return reduce(add, parts)


def in_any_tree(parts, rng):
    parts = list(parts)
    while len(parts) > 1:
        parts.append(parts.pop(rng.randrange(len(parts))) + parts.pop(rng.randrange(len(parts))))
    return parts[0]


def sizes(n, seed):
    """Return values of all sizes from 10**-20 to 10**17."""
    rng = np.random.default_rng(seed)
    return rng.choice([-1, 1], n) * rng.random(n) * 10.0 ** rng.integers(-20, 18, n)


class TestASum:
    @given(values)
    def test_of_one_value_is_that_value_to_18_places_and_what_a_float_is_off_by(self, value):
        behind = abs(Fraction(value) - int(value))
        assert abs(number(sums_of([value])) - Fraction(value)) <= HALF_A_DECIMAL + behind / 2**53

    @given(columns)
    def test_is_the_sum_of_the_fractions_that_its_values_count_as(self, column):
        assert number(sums_of(column)) == sum(number(sums_of([each])) for each in column)

    @given(st.lists(st.floats(0.01, 1e17), min_size=1, max_size=40))
    def test_is_as_near_as_floats_can_be_where_no_value_is_tiny(self, column):
        assert sums_of(column).floats()[0, 0] == pytest.approx(math.fsum(column), rel=2**-52, abs=0)

    @pytest.mark.parametrize("seed", range(3))
    def test_of_thousands_of_all_sizes_is_near_that_of_fsum(self, seed):
        column = sizes(20_000, seed)
        error = abs(number(sums_of(column)) - sum(map(Fraction, column.tolist())))
        assert error <= len(column) * (HALF_A_DECIMAL + Fraction(1, 2**53))

    def test_of_nothing_is_zero_and_so_of_values_below_the_last_place(self):
        assert ExactSums.of(np.zeros((0, 2))) == ExactSums.zeros(1, 2)
        assert ExactSums.zeros(1, 2).floats().tolist() == [[0, 0]]
        assert sums_of([1e-19, -1e-300, 5e-324, -0.0]) == sums_of([0.0])

    @given(columns)
    def test_has_one_spelling_only(self, column):
        """Digits but the first are from 0 to 10**9 - 1, so that equal sums are equal to the bit."""
        assert (sums_of(column) + sums_of([-each for each in column])).digits.tolist() == [[[0, 0, 0, 0]]]
        digits = sums_of(column).digits[..., 1:]
        assert digits.min() >= 0
        assert digits.max() < 10**9


class TestOrderAndPartitionDoNotMatter:
    @given(columns, st.randoms(use_true_random=False), st.integers(1, 6))
    def test_any_split_in_any_order_gives_the_same_digits(self, column, rng, parts):
        whole = sums_of(column)
        shuffled = rng.sample(column, len(column))
        cuts = sorted(rng.randint(0, len(column)) for _ in range(parts - 1))
        bounds = zip([0, *cuts], [*cuts, len(column)], strict=True)
        pieces = [sums_of(shuffled[low:high]) for low, high in bounds]
        assert np.array_equal(in_any_tree(pieces, rng).digits, whole.digits)

    def test_any_tree_of_a_thousand_parts(self):
        parts = [sums_of([value]) for value in sizes(1000, seed=1).tolist()]
        assert in_any_tree(parts, random.Random(0)) == added(parts)

    def test_adding_leaves_both_as_they_are(self):
        one, other = sums_of([0.9]), sums_of([0.8])
        _ = one + other
        assert (one, other) == (sums_of([0.9]), sums_of([0.8]))


class TestWeightedSums:
    @given(st.lists(st.tuples(values, st.integers(0, 8), st.integers(0, 8)), min_size=1, max_size=30))
    def test_are_those_of_rows_repeated_as_often(self, drawn):
        rows = np.array([[each[0], 1.0] for each in drawn])
        weights = np.array([each[1:] for each in drawn], np.float64)
        found = ExactSums.weighted(rows, lambda digits: digits @ weights, 2)
        for resample in range(2):
            repeated = ExactSums.of(np.repeat(rows, weights[:, resample].astype(int), axis=0))
            assert np.array_equal(found.digits[resample], repeated.digits[0])

    def test_of_the_largest_values_are_exact(self):
        """The sums of digits stay below 2**53, whatever the product of matrices does with them."""
        rows = np.full((1 << 16, 1), np.nextafter(LARGEST, 0))
        found = ExactSums.weighted(rows, lambda digits: digits @ np.full((1 << 16, 1), 8.0), 1)
        expected = (8 << 16) * int(rows[0, 0])
        assert sum(int(digit) * 10 ** (9 * place) for place, digit in zip((1, 0), found.digits[0, 0, :2])) == expected  # noqa: B905


class TestCounts:
    @given(st.lists(st.integers(0, 2**60), max_size=4), st.integers(1, 3))
    def test_stand_in_the_first_row_and_zeros_in_the_others(self, counts, m):
        found = ExactSums.of_first(counts, m)
        assert [column.to_pylist() for column in found.decimals()] == [[each, *[0] * (m - 1)] for each in counts]

    def test_stacked_and_beside_put_sums_together(self):
        one, other = ExactSums.of(np.array([[1.5, 2.0]])), ExactSums.of(np.array([[3.0, 4.0]]))
        assert one.stacked(other).floats().tolist() == [[1.5, 2], [3, 4]]
        assert one.beside(other).floats().tolist() == [[1.5, 2, 3, 4]]
        assert one != other
        assert one != [[1.5, 2]]


@pytest.fixture(scope="module")
def parts():
    """A table of the sums of 50 parts, in two columns, and what they come to."""
    parts = [ExactSums.of(sizes(40, seed).reshape(-1, 2)) for seed in range(50)]
    one, other = reduce(ExactSums.stacked, parts).decimals()
    return pa.table({"one": one, "other": other}), added(parts)


class TestDecimals:
    def test_are_the_sums_to_the_last_place(self):
        columns = ExactSums.of(np.array([[0.5, -1e15], [0.125, 3.0]])).decimals()
        assert [column.type for column in columns] == [DECIMAL] * 2
        assert [column.to_pylist() for column in columns] == [[Decimal("0.625")], [Decimal(3 - 10**15)]]

    @given(st.lists(st.tuples(values, values, values), min_size=1, max_size=10))
    def test_come_back_as_the_same_digits(self, rows):
        sums = reduce(ExactSums.stacked, (ExactSums.of(np.array([row])) for row in rows))
        assert np.array_equal(ExactSums.of_decimals(sums.decimals()).digits, sums.digits)

    def test_come_back_from_slices_and_chunks(self):
        sums = reduce(ExactSums.stacked, (sums_of([value]) for value in (1.5, -2.25, 3.125)))
        array = sums.decimals()[0]
        assert ExactSums.of_decimals([array.slice(1)]) == ExactSums(sums.digits[1:])
        assert ExactSums.of_decimals([array.slice(1, 1)]) == ExactSums(sums.digits[1:2])
        assert ExactSums.of_decimals([pa.chunked_array([array[:1], array[1:]])]) == sums

    def test_add_up_in_python(self, parts):
        table, total = parts
        with localcontext(prec=50):
            found = [sum(table[name].to_pylist()) for name in table.column_names]
        assert found == [column[0].as_py() for column in total.decimals()]

    def test_add_up_in_arrow_its_groups_polars_and_duckdb(self, parts):
        import duckdb
        import polars as pl

        table, total = parts
        sums = {"arrow": [pc.sum(table[name]) for name in table.column_names]}
        grouped = table.append_column("key", pa.array([0] * table.num_rows)).group_by("key")
        found = grouped.aggregate([("one", "sum"), ("other", "sum")])
        sums["groups"] = [found[f"{name}_sum"][0] for name in ("one", "other")]
        sums["polars"] = [column[0] for column in pl.from_arrow(table).sum().to_arrow().columns]
        with duckdb.connect() as connection:
            connection.register("parts", table)
            found = connection.sql("SELECT sum(one) AS one, sum(other) AS other FROM parts").to_arrow_table()
        sums["duckdb"] = [column[0] for column in found.columns]
        for engine, columns in sums.items():
            assert ExactSums.of_decimals([pa.array([each.as_py()], DECIMAL) for each in columns]) == total, engine


class TestWhatHasNoExactSum:
    @pytest.mark.parametrize("sign", [1, -1])
    def test_is_what_decimals_do_not_hold(self, sign):
        great = added([sums_of([sign * 9e17])] * 111)
        assert great.decimals()[0].to_pylist() == [Decimal(sign * 999 * 10**17)]
        for more in (1, 10**4):
            with pytest.raises(InputError, match=r"A sum is 10\*\*20 or more"):
                added([great] * (more + 1)).decimals()

    @pytest.mark.parametrize("shown", ["inf", "-inf", "nan", "1e+18", "-3e+20"])
    def test_is_refused_by_the_item_and_the_column(self, shown):
        value = float(shown)
        rows = np.array([[1.0, 2.0], [3.0, value], [value, 4.0]])
        message = f"item 41: its loss is {shown}, which has no exact sum; expected a value below 10**18."
        with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
            check_summable(rows, ("items", "loss"), first_item=40)

    def test_is_nothing_else(self):
        most = np.nextafter(LARGEST, 0)
        check_summable(np.array([[most, -most, 5e-324, -0.0]]), tuple("abcd"), 0)
        check_summable(np.zeros((0, 2)), ("a", "b"), 0)
