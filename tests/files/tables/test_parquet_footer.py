"""The footer of a Parquet file: what is not asked for is passed over, whatever its type, and not too deeply."""

import pytest

from tercet.files.tables.parquet_footer import chunks

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT, UUID = range(1, 14)
PATH = ["текст", "list", "猫"]


def number(value):
    """Return a number as Thrift's compact protocol writes it."""
    value = value << 1 if value >= 0 else (-value << 1) - 1
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def head(distance, kind):
    return bytes([distance << 4 | kind])


def file_of(further=b""):
    """Return a file with one column of 300 values in 200 rows, whose footer begins with a further field."""
    path = head(3, LIST) + head(len(PATH), BINARY)
    for name in PATH:
        path += bytes([len(name.encode())]) + name.encode()
    column = path + head(2, I64) + number(300) + head(1, I64) + number(70_000) + b"\0"
    chunk = head(3, STRUCT) + column + b"\0"
    row_group = head(1, LIST) + head(1, STRUCT) + chunk + head(2, I64) + number(200) + b"\0"
    first = further or head(1, TRUE)
    footer = first + head(3, LIST) + head(1, STRUCT) + row_group + b"\0"
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


VALUES = [
    (TRUE, b""), (FALSE, b""), (BYTE, b"\7"), (I16, number(-300)), (I32, number(70_000)), (I64, number(2**40)),
    (DOUBLE, bytes(8)), (BINARY, b"\3abc"), (BINARY, b"\0"), (UUID, bytes(range(16))),
    (LIST, head(0, BYTE)), (LIST, head(2, TRUE) + b"\1\2"), (LIST, head(15, BYTE) + b"\x10" + bytes(16)),
    (SET, head(2, BINARY) + b"\1a\2bc"), (SET, head(1, STRUCT) + head(1, FALSE) + b"\0"),
    (MAP, b"\0"), (MAP, b"\2" + head(BINARY, BYTE) + b"\1a\7\1b\7"), (MAP, b"\1" + head(BYTE, TRUE) + b"\7\1"),
    (STRUCT, b"\0"), (STRUCT, head(2, DOUBLE) + bytes(8) + head(0, I32) + number(90) + number(5) + b"\0"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES)
def test_a_field_of_any_type_is_passed_over(kind, value):
    (chunk,) = chunks(file_of(head(1, kind) + value))
    assert (chunk.path, chunk.n_values, chunk.size, chunk.n_rows) == (tuple(PATH), 300, 70_000, 200)


def nested(kind, depth):
    if kind == STRUCT:
        return head(1, STRUCT) * depth + b"\0" * (depth + 1)
    if kind == MAP:
        return (b"\1" + head(BYTE, MAP) + b"\7") * depth + b"\0"
    return head(1, kind) * depth + head(0, BYTE)


@pytest.mark.parametrize("kind", [STRUCT, LIST, SET, MAP])
def test_values_are_nested_in_one_another_fifty_times_at_most(kind):
    assert len(chunks(file_of(head(1, kind) + nested(kind, 50)))) == 1
    with pytest.raises(ValueError, match=r"^Its footer is nested too deeply: it is damaged\.$"):
        chunks(file_of(head(1, kind) + nested(kind, 51)))


@pytest.mark.parametrize(
    ("further", "problem"),
    [(head(1, 14), "a value of the unknown type 14: it is damaged"), (head(1, BINARY) + b"\x7fab", "damaged")],
)
def test_a_damaged_footer_is_named(further, problem):
    with pytest.raises(ValueError, match=problem):
        chunks(file_of(further))


@pytest.mark.parametrize("n_lost", [1, 5, 20])
def test_a_footer_that_ends_too_early_is_named(n_lost):
    footer = file_of()[4 : -8 - n_lost]
    with pytest.raises(ValueError, match="it is damaged"):
        chunks(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
