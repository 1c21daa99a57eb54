"""``tercet mbr``: the files of candidates that it reads, what it writes, and what it refuses."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow.feather import write_feather

import harness_logs
import tercet
from commands import command, process
from conftest import ROOT

ES = ROOT / "examples" / "data" / "es.tsv"
GROUPS = [
    ["El tren sale a las ocho.", "Sale el tren a las ocho.", "El tren sale a las 8.", "Llueve."],
    ["Кошка спит.", "Кот спит.", "Кошка спит.", "Пёс"],
    ["👍", "", "猫が好き", "犬が好き"],
]
CHOSEN = tercet.mbr(GROUPS, "chrf")
LINES = "".join(f"{text}\n" for text in CHOSEN.texts)
ROWS = [{"id": 1, "source": "a", "refs": ["x"], "samples": group, "p": [1, 2, 3, 4]} for group in GROUPS]


def json_lines(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes a file in the working directory, and returns its name."""
    monkeypatch.chdir(tmp_path)

    def write(name, text):
        data = text.encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return name

    return write


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """The samples of a run of lm-evaluation-harness with three responses for each document, and two filters."""
    pytest.importorskip("lm_eval")
    first = [{"filter": [{"function": "take_first"}], "name": name} for name in ("one", "other")]
    task = {"task": "toy", "repeats": 3, "filter_list": first}
    found = harness_logs.lm_eval(tmp_path_factory.mktemp("lm_eval"), [task])
    return next(path for path in found["A"] if path.name.startswith("samples"))


class TestFiles:
    def test_json_lines_with_lists(self, write):
        run = command("mbr", write("a.jsonl", json_lines(ROWS)))
        assert run.stdout == LINES
        note = "note: a.jsonl: candidates: 'samples'."
        assert run.stderr.splitlines() == [note, *CHOSEN.summary(), CHOSEN.signature]
        packed = write("b.jsonl.gz", json_lines([{"text": group, "references": ["x"]} for group in GROUPS]))
        assert command("mbr", packed).stdout == LINES

    def test_lists_of_parquet(self, write, tmp_path):
        pq.write_table(pa.table({"source": ["a"] * 3, "samples": GROUPS}), tmp_path / "a.parquet")
        assert command("mbr", "a.parquet").stdout == LINES

    @pytest.mark.parametrize("write_table", [pq.write_table, write_feather])
    def test_weights_of_parquet_and_arrow(self, write_table, tmp_path):
        weights = [[0.5, 1, 2, 4]] * 3
        path = tmp_path / ("a.parquet" if write_table is pq.write_table else "a.arrow")
        write_table(pa.table({"samples": GROUPS, "p": weights, "embedding": [[1.0, 2.0]] * 3}), path)
        expected = tercet.mbr(GROUPS, "chrf", weights).texts
        assert expected != CHOSEN.texts
        assert command("mbr", path, "--weights", "p").stdout.splitlines() == expected

    def test_one_of_several_columns_and_weights(self, write):
        name = write("a.jsonl", json_lines([{**row, "others": ["z"]} for row in ROWS]))
        run = command("mbr", name, "--column", "samples", "--weights", "p", "-f", "jsonl")
        expected = tercet.mbr(GROUPS, "chrf", [[1, 2, 3, 4]] * 3)
        assert [json.loads(line) for line in run.stdout.splitlines()] == expected.to_dict()["groups"]

    @pytest.mark.parametrize("first", [0, 1])
    def test_n_best_lists_of_one_file_or_several(self, write, first):
        lines = [f"{n + first} ||| {text} ||| F0= -1.5 ||| -1.5\n" for n, own in enumerate(GROUPS) for text in own]
        whole = write("nbest.txt", "".join(lines))
        assert command("mbr", whole).stdout == LINES
        assert command("mbr", "-", stdin="".join(lines).encode()).stdout == LINES
        halves = [write(f"{n}.txt", "".join(lines[n::2])) for n in range(2)]
        assert command("mbr", *halves).stdout == LINES

    def test_text_files_side_by_side(self, write):
        names = [
            write(f"{n}.de", "".join(f"{text}\n" for text in own)) for n, own in enumerate(zip(*GROUPS, strict=True))
        ]
        assert command("mbr", *names).stdout == LINES

    def test_successive_lines_of_one_text_file(self, write):
        name = write("samples.txt", "".join(f"{text}\n" for group in GROUPS for text in group))
        assert command("mbr", name, "-n", 4).stdout == LINES

    def test_columns_of_texts(self):
        (test_set,) = tercet.read_test_sets(str(ES))
        groups = list(zip(*test_set.systems.values(), strict=True))
        assert command("mbr", ES, "-m", "bleu").stdout.splitlines() == tercet.mbr(groups, "bleu").texts
        two = tercet.mbr([[group[0], group[2]] for group in groups], "ter").texts
        run = command("mbr", ES, "-m", "ter", "--column", "baseline", "--column", "large")
        assert run.stdout.splitlines() == two

    def test_all_responses_of_samples_that_a_harness_logged_once_whatever_its_filters(self, samples):
        run = command("mbr", samples, "-f", "jsonl")
        choices = [json.loads(line) for line in run.stdout.splitlines()]
        assert [each["text"] for each in choices] == harness_logs.RUNS["A"]
        assert all(len(each["scores"]) == 3 for each in choices)


class TestOutput:
    def test_the_form_is_that_of_the_file_s_name_unless_it_is_given(self, write, tmp_path):
        name = write("a.jsonl", json_lines(ROWS))
        for out, asked in (("chosen.es", []), ("chosen", []), ("chosen.json", ["-f", "text"])):
            assert command("mbr", name, "-o", out, *asked).stdout == ""
            assert (tmp_path / out).read_text(encoding="utf-8") == LINES
        command("mbr", name, "-o", "chosen.jsonl")
        written = (tmp_path / "chosen.jsonl").read_text(encoding="utf-8")
        assert [json.loads(line) for line in written.splitlines()] == CHOSEN.to_dict()["groups"]

    def test_line_ends_within_texts_are_spaces_in_lines_and_kept_in_json(self, write):
        name = write("a.jsonl", json_lines([{"out": ["a\nb\r\nc", "a\nb\r\nc", "d"]}, {"out": ["e\u2028f"]}]))
        run = command("mbr", name)
        assert run.stdout == "a b c\ne\u2028f\n"
        assert run.stderr.startswith("warning: line ends within 1 of the chosen texts are written as spaces;")
        assert json.loads(command("mbr", name, "-f", "jsonl").stdout.split("\n")[0])["text"] == "a\nb\r\nc"

    def test_texts_are_utf_8_whatever_the_locale(self, write):
        run = process("mbr", write("a.jsonl", json_lines(ROWS)), env={"PYTHONIOENCODING": "latin1"}, text=False)
        assert run.stdout == LINES.encode()

    def test_scores_are_in_percent_unless_asked_otherwise(self, write):
        name = write("a.jsonl", json_lines([{"out": ["a"]}]))
        for asked, score in (("rouge:rouge_types=rouge1", 100.0), ("rouge:rouge_types=rouge1,scale=1", 1.0)):
            assert json.loads(command("mbr", name, "-m", asked, "-f", "jsonl").stdout)["score"] == score

    def test_help_fits_a_narrow_terminal(self):
        shown = command("mbr", "--help", env={"COLUMNS": "80"}).stdout
        assert "  64 lines for each source:\n    tercet mbr samples.txt -n 64\n" in shown
        assert max(map(len, shown.splitlines())) <= 80


BAD = {
    "empty.jsonl": '{"s": ["a"]}\n\n{"s": []}\n',
    "number.jsonl": '{"s": ["a", 3]}\n',
    "none.jsonl": '{"s": ["a"]}\n{"t": 1}\n',
    "two.jsonl": '{"s": ["a"], "t": ["b"]}\n',
    "weights.jsonl": '{"s": ["a", "b"], "w": [1]}\n',
    "logs.jsonl": '{"s": ["a", "b"], "w": [0.5, 1]}\n{"s": ["a", "b"], "w": [-0.5, -1]}\n',
    "chat.jsonl": '{"prompt": "a", "s": [{"role": "assistant", "content": "b"}]}\n',
    "flat.jsonl": '{"hyp": "a", "ref": "b"}\n',
    "gap.txt": "0 ||| a ||| x\n2 ||| b ||| x\n",
    "odd.txt": "0 ||| a ||| x\nb\n",
    "short.txt": "a\n",
    "long.txt": "a\nb\n",
    "void.txt": "",
}


@pytest.mark.parametrize(("arguments", "message"), [
    (["empty.jsonl"], "empty.jsonl, line 3, column 's' has no candidate; expected a list of texts."),
    (["number.jsonl"], "item 1 of number.jsonl, line 1, column 's' must be a string, got 3 (int)."),
    (["none.jsonl"], "none.jsonl, line 2, column 's': expected a list of texts, got None."),
    (["two.jsonl"], "two.jsonl: the columns 's', 't' hold lists of texts; expected one: choose it with --column."),
    (["two.jsonl", "--column", "u"], "two.jsonl has no column 'u'."),
    (["weights.jsonl", "--weights", "w"], "weights.jsonl, line 1, column 's' must have one weight per candidate"),
    (["logs.jsonl", "--weights", "w"], "weight 0 of logs.jsonl, line 2, column 's' must be a probability or a count"),
    (["flat.jsonl"], "'flat.jsonl' has no column of lists of texts, and these of texts: 'hyp'; expected a list per"),
    (["chat.jsonl"], "item 0 of chat.jsonl, line 1, column 's' must be a string, got {'role': 'assistant'"),
    (["two.jsonl", "-n", "2"], "--candidates is for lines of a text file, and 'two.jsonl' is a table."),
    (["two.jsonl", "flat.jsonl"], "'two.jsonl' is a table; expected it alone, or text files. Got 2 files."),
    (["gap.txt"], "gap.txt: no line begins with 1, but some do with 0 and 2; expected a candidate for each."),
    (["odd.txt"], "odd.txt, line 2: expected 'number ||| text ||| ...', got 'b'."),
    (["short.txt"], "'short.txt' is a text file, by its extension, and has one text per line; give several such"),
    (["short.txt", "long.txt"], "'long.txt' has 2 lines and 'short.txt' has 1; expected the same number"),
    (["long.txt", "-n", "3"], "long.txt has 2 lines; expected 3 for each group, or a multiple of 3."),
    (["long.txt", "short.txt", "-n", "1"], "--candidates is for one text file; got 2 files."),
    (["void.txt", "short.txt"], "'void.txt' is empty; expected a candidate per line."),
    (["-", "-"], "Standard input (-) can be read only once"),
    (["long.txt", "long.txt"], "The file 'long.txt' is given twice."),
    (["long.txt", "--column", "s"], "--column names a column, and 'long.txt' is a text file"),
    (["missing.txt"], "'missing.txt' cannot be read: No such file or directory."),
    (["two.jsonl", "-m", "mean.json"], "'mean.json' is a mean of metrics; tercet mbr takes one of the suite."),
    (["two.jsonl", "-o", "two.jsonl"], "--out would overwrite the input 'two.jsonl': give another file."),
    (["two.jsonl", "-o", "a.html"], "--out 'a.html': expected .jsonl, .txt or the like, or --format."),
    (["two.jsonl", "-o", "a.jsonl.gz"], "--out 'a.jsonl.gz': expected .jsonl, .txt or the like, or --format."),
    (["two.jsonl", "-m", "bleu", "-m", "ter"], "tercet mbr takes one metric, got 2: 'bleu', 'ter'."),
    (["two.jsonl", "-m", "bleu,ter"], "tercet mbr takes one metric, got 2: 'bleu', 'ter'."),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_by_file_and_line(write, arguments, message):
    for name, text in BAD.items():
        write(name, text)
    run = command("mbr", *arguments, code=2)
    assert run.stderr.startswith(f"error: {message}")
    assert run.stdout == ""


def test_a_file_may_be_called_as_columns_are(tmp_path):
    (tmp_path / "systems: x.tsv").write_text("a\tb\nein Hund\tkein Hund\n", encoding="utf-8")
    said = command("mbr", "systems: x.tsv", cwd=tmp_path).stderr
    assert "note: systems: x.tsv: candidates: 'a', 'b'.\n" in said
