"""Bad files at every command: a clear line, code 2, and nothing is written."""

import gzip
import itertools

import pytest

from commands import command
from texts import MINILM

PAIRS = b"mt\tref\na cat\ta dog\n"

#: Files of tables by what is wrong with them, and what is said; tests of each format have its other faults.
BAD_TABLES = {
    "none": ("none.tsv", None, "cannot be read: No such file or directory"),
    "folder": ("folder.tsv", "folder", "cannot be read: "),
    "ragged": ("a.tsv", PAIRS + b"b\n", "line 3: expected 2 cells, as in the header, found 1"),
    "binary": ("a.tsv", bytes(range(256)) * 9, "found the byte 0x80, which is not UTF-8"),
    "workbook": ("a.xlsx", b"PK\x03\x04", "a.xlsx is not an Excel workbook (.xlsx), or is damaged"),
    "gzipped twice": ("a.tsv.gz", gzip.compress(gzip.compress(PAIRS)), "a.tsv.gz is gzipped: unpack it."),
    "cut gzip": ("a.tsv.gz", gzip.compress(PAIRS)[:-9], "cannot be read: Compressed file ended"),
    "million columns": ("a.csv", b"mt,ref" + b"," * 10**6 + b"\na,b\n", "line 1: more than 500 c"),
    "deep json": ("a.jsonl", b"[" * 10**5, "nested too deeply"),
    "number": ("a.jsonl", b'{"mt": 7, "ref": "a"}', "predictions of a system (choose with --system"),
    "missing prediction": ("a.jsonl", b'{"mt": "a", "ref": "b"}\n{"ref": "c"}', "line 2, column 'mt': the"),
    "no reference": ("a.jsonl", b'{"mt": "a", "ref": null}\n{"mt": "a", "ref": "c"}', "segment 1 has no reference"),
    "malformed xml": ("a.tmx", b"<tmx><body>", "malformed XML"),
}

#: Kinds of files that are empty, by the ends of their names, and what is expected.
EMPTY = {
    ".json .eval .json.gz": "a table, a log of inspect-ai or results of a harness",
    ".xlsx": "an Excel workbook",
    ".parquet": "a Parquet file",
    ".arrow": "an Arrow file",
    ".xlf .sdlxliff": "an XLIFF file",
    ".tmx": "a TMX file",
    ".po": "messages (msgid)",
    ".srt .vtt .ass": "subtitles, each with its time and text",
    ".stm": "segments that are to be scored",
}

#: The same for text files.
BAD_TEXTS = {
    "none": ("none.txt", None, "cannot be read: No such file or directory"),
    "folder": ("folder", "folder", "cannot be read: "),
    "none gzip": ("none.txt.gz", None, "'none.txt.gz' cannot be read: No such file"),
    "nul": ("a.txt", b"a\nb\0\n", "line 2: found a NUL character"),
    "latin": (
        "a.txt",
        b"a\n\xe9\n",
        "a.txt, line 2: found the byte 0xe9, which is not UTF-8; expected text saved as",
    ),
    "old mac gzip": ("a.gz", gzip.compress(b"a\rb"), "a.gz has old Mac line ends (CR)"),
    "utf-32": ("a.txt", "a\nb\n".encode("utf-32"), "UTF-"),
    "cut gzip": ("a.txt.gz", gzip.compress(b"a\nb\n" * 9)[:-9], "cannot be read: Compressed file ended"),
    "one line of 65 MiB": ("a.txt", b"a\n" + b"x" * (65 << 20), "line 2: a line of more than 64 MiB"),
}

TABLE_COMMANDS = {
    "score": ["score", "{}", "--out", "old", "--segments", "old2"],
    "compare": ["compare", "{}", "--out", "old", "--segments", "old2", "--export", "new"],
    "one segment": ["compare", "{}", "--segment", "1", "--out", "old"],
    "explain": ["explain", "bleu_multi", "{}", "--against", "nltk"],
}
TEXT_COMMANDS = {
    "system": ["score", "{}", "-r", "ref.txt", "--out", "old"],
    "references": ["compare", "ref.txt", "-r", "{}", "--out", "old"],
    "source": ["score", "ref2.txt", "-r", "ref.txt", "--source", "{}", "--out", "old"],
    "explain": ["explain", "bleu_multi", "{}", "-r", "ref.txt", "--against", "nltk"],
    "idf": ["idf", "fit", "ref.txt", "{}", "-m", MINILM, "-o", "old", "-q"],
    "baseline": ["bertscore-baseline", "ref.txt", "{}", "-m", MINILM, "-o", "old", "-q"],
}


@pytest.fixture
def refused(tmp_path):
    """Run a command, and return the one line with which it ends."""
    for name in ("old", "old2"):
        (tmp_path / name).write_text("old")
    for name in ("ref.txt", "ref2.txt"):
        (tmp_path / name).write_text(f"a\n{name}\n")

    def run(arguments, name="", content=None):
        if content == "folder":
            (tmp_path / name).mkdir(exist_ok=True)
        elif content is not None:
            (tmp_path / name).write_bytes(content)
        before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
        done = command(*(each.format(name) for each in arguments), code=2, cwd=tmp_path)
        assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before
        assert done.stdout == ""
        (error,) = (line for line in done.stderr.splitlines() if not line.startswith(("warning: ", "note: ")))
        assert error.startswith("error: ")
        assert len(error) < 5_100
        return error

    return run


def test_tables_and_texts(refused):
    for words, kinds in ((TABLE_COMMANDS["score"], BAD_TABLES), (TEXT_COMMANDS["system"], BAD_TEXTS)):
        for name, content, message in kinds.values():
            assert message in refused(words, name, content)


def test_every_command_refuses_them(refused):
    """All read their files by the same functions: one file of each kind shows that each of them does."""
    texts = [BAD_TEXTS[what] for what in ("none", "nul", "cut gzip")]
    for commands, kinds in ((TABLE_COMMANDS, [BAD_TABLES["ragged"]]), (TEXT_COMMANDS, texts)):
        for words, (name, content, message) in itertools.product(commands.values(), kinds):
            assert message in refused(words, name, content)


def test_options(refused):
    bad = [
        ("max_order=0", "'max_order'"), ("max_order=a", "'max_order'"), ("weights=[1,2", "'weights'"),
        ('weights={"a": [NaN]}', "'weights'"), ("weights=[1e999]", "'weights'"), ("nothing=1", "no option 'nothing'"),
        ("max_order", "max_order"), ("=1", "=1"), ("tokenizer=\x1b[31m", "'tokenizer'"),
        ("smooth_value=1e400", "smooth"), ("weights=" + "[" * 9_000, "is nested too deeply"),
        ("weights=" + "[" * 5_000, "The value '[[[[[[[[["), ("max_order=" + "9" * 9_000, "has too many digits"),
        ("tokenizer=" + "x" * 100_000, "The 'tokenizer' option of bleu_multi must be one of"),
        ("x" * 100_000, "is not option=value"), ("x" * 100_000 + "=1", "has no option"),
    ]  # fmt: skip
    commands = [
        ["score", "in.tsv", "-m", "bleu_multi:{}", "-o", "old"],
        ["compare", "in.tsv", "-m", "bleu_multi:{}", "-o", "old", "--export", "new"],
        ["compare", "in.tsv", "-m", "bleu_multi:{}", "--segment", "1"],
        ["explain", "bleu_multi:{}", "in.tsv", "-a", "nltk"],
    ]
    for words, (option, message) in itertools.product(commands, bad):
        arguments = [each.replace("{}", option.replace("{", "{{").replace("}", "}}")) for each in words]
        error = refused(arguments, "in.tsv", PAIRS)
        assert message in error
        assert "\x1b" not in error
    for words in commands[0], commands[2]:
        arguments = [each.replace("bleu_multi:{}", "x" * 100_000) for each in words]
        assert "There is no metric 'xxxx" in refused(arguments, "in.tsv", PAIRS)


def test_a_forged_table_of_document_frequencies(refused, tmp_path):
    (tmp_path / "forged.idf").write_bytes(b'{"n_documents": -1}')
    metric = f"bertscore_idf:model_type={MINILM},num_layers=1,idf=forged.idf"
    error = refused(["score", "in.tsv", "-m", metric, "-o", "old"], "in.tsv", PAIRS)
    assert "'forged.idf' is not an IDF table of tercet" in error


@pytest.mark.parametrize("content", [b"", b" \r\n\n"], ids=["no bytes", "blanks"])
@pytest.mark.parametrize("kinds", EMPTY)
def test_empty_files_are_called_so(refused, kinds, content):
    for end in kinds.split():
        packed = gzip.compress(content) if end.endswith(".gz") else content
        assert f"猫{end} is empty; expected {EMPTY[kinds]}" in refused(["score", "{}"], f"猫{end}", packed)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ('{"eval": {},\n "samples": ["кот" "猫"]}', "line 2: not JSON (Expecting ',' delimiter, column 20)"),
        ('{"eval": {},', "line 1: not JSON (Expecting property name enclosed in double quotes, column 13)"),
        ("{'eval': 1}", "line 1: not JSON (Expecting property name enclosed in double quotes, column 2)"),
    ],
)
def test_json_that_is_broken_is_called_so_with_its_line(refused, content, place):
    message = refused(["score", "{}"], "журнал.JSON", content.encode())
    assert f"журнал.JSON, {place}; expected a table, a log of inspect-ai or results of a harness." in message
