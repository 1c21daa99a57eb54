"""Text files, a segment per line: what ends a line, what is warned of, and what is refused."""

import gzip
import io
import sys

import pytest

from tercet.errors import InputError
from tercet.files.lines import STDIN, read_lines, stream_lines

#: Both ways to read them: at once, and line by line.
WAYS = {"at once": read_lines, "line by line": lambda path: list(stream_lines(path))}
OLD_MAC = "has old Mac line ends (CR); expected LF or CRLF: save the file with those."


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


@pytest.fixture(params=["texts.txt", "texts.txt.gz"])
def saved(request, tmp_path):
    def save(data):
        path = tmp_path / request.param
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
        return str(path)

    return save


def test_lines_of_unix_and_windows(way, saved):
    for end in (b"\n", b"\r\n"):
        for last in ([], [b""]):  # the end of the last line
            assert way(saved(end.join([b"one", b"", b"two words", *last]))) == ["one", "", "two words"]
    for data in (b"one", b"one\r", b"one\n", b"one\r\n"):
        assert way(saved(data)) == ["one"]


def test_marks_of_byte_order_at_the_beginning_are_none_of_the_text(way, saved):
    """A program that does not know them saves one before another."""
    for n_marks in (1, 2, 3):
        assert way(saved(("\ufeff" * n_marks + "猫\n\ufeffя\n").encode())) == ["猫", "\ufeffя"]
    assert way(saved("\ufeff\ufeff\n".encode())) == [""]


def test_lines_of_old_macs_are_refused(way, saved):
    """They would be one segment, and the scores of a file with one segment look as good as any."""
    for data in [b"one\rtwo\rthree\r", b"one\rtwo", b"\r\r", "\ufeffeins\rzwei".encode()]:
        path = saved(data)
        with pytest.raises(InputError) as caught:
            way(path)
        assert str(caught.value) == f"{path} {OLD_MAC}"


def test_carriage_returns_within_lines_are_text_and_counted(way, saved):
    path = saved(b"one\ntwo\rhalves\r\nthree\n")
    message = (
        r"1 line holds a carriage return \(CR\) that ends no line, the first on line 2: read as part of the text"
    )
    with pytest.warns(UserWarning, match=rf"texts.*: {message}, as sacrebleu does\.") as caught:
        assert way(path) == ["one", "two\rhalves", "three"]
    assert [each.filename for each in caught] == [__file__]
    path = saved(b"one\r\r\ntwo\r\n")
    with pytest.warns(UserWarning, match=r"1 line holds a carriage return .* line 1: read"):
        assert way(path) == ["one\r", "two"]
    path = saved(b"a\rb\r\n" * 1_200 + b"c\n")
    with pytest.warns(UserWarning, match=r"1,200 lines hold a carriage return .* line 1: read"):
        assert len(way(path)) == 1_201


def test_the_standard_input_has_no_name_to_change(monkeypatch):
    for data, message in {gzip.compress(b"one\n"): "is gzipped: unpack it.", b"one\rtwo": OLD_MAC}.items():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        with pytest.raises(InputError) as caught:
            read_lines(STDIN)
        assert str(caught.value) == f"the standard input {message}"
