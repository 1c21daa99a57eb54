"""The command ``tercet``: files for BERTScore, mistakes, help, and what a process meets around it."""

import csv
import gzip
import os
import subprocess
import sys

import numpy as np
import pytest

import tercet
from commands import TERCET, command, process
from tercet.cli.app import COMMANDS
from texts import MINILM, all_pairs

PREDICTIONS, REFERENCES = all_pairs()
LINES = [" ".join(text.split()) for texts in REFERENCES for text in texts]


def run(*arguments, code=0, cwd=None):
    ended = command(*arguments, code=code, cwd=cwd)
    return ended.stdout if code == 0 else ended.stderr


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(["", *LINES, " "]), encoding="utf-8")
    return path


class TestIdfFit:
    def test_writes_the_table_of_the_lines(self, corpus, tmp_path):
        table = tercet.IdfTable.fit(LINES, MINILM)
        shown = run("idf", "fit", corpus, "--model", MINILM, "-o", tmp_path / "table.idf")
        assert f"{len(LINES)} texts" in shown
        assert table.digest in shown
        assert tercet.IdfTable.load(tmp_path / "table.idf") == table

    def test_reads_several_files_packed_ones_and_the_standard_input(self, corpus, tmp_path):
        with gzip.open(tmp_path / "more.txt.gz", "wt", encoding="utf-8") as file:
            file.write("a further line\r\n")
        arguments = (corpus, tmp_path / "more.txt.gz", "-", "-m", MINILM, "-o", tmp_path / "table.idf", "--quiet")
        command("idf", "fit", *arguments, stdin=b"and one more\n")
        expected = tercet.IdfTable.fit([*LINES, "a further line", "and one more"], MINILM)
        assert tercet.IdfTable.load(tmp_path / "table.idf") == expected

    def test_counts_as_bert_score_where_that_is_asked_for_and_then_blank_lines_too(self, corpus, tmp_path):
        run("idf", "fit", corpus, "-m", MINILM, "-o", tmp_path / "table.idf", "--compat", "bert_score", "-q")
        table = tercet.IdfTable.load(tmp_path / "table.idf")
        assert table == tercet.IdfTable.fit(["", *LINES, " "], MINILM, compat="bert_score")
        assert table.n_documents == len(LINES) + 2
        from bert_score.utils import get_idf_dict
        from transformers import AutoTokenizer

        corpus.write_text("\n".join(LINES), encoding="utf-8")  # bert-score fails at blank texts with transformers 5
        run("idf", "fit", corpus, "-m", MINILM, "-o", tmp_path / "table.idf", "--compat", "bert_score", "-q")
        expected = get_idf_dict(LINES, AutoTokenizer.from_pretrained(MINILM), nthreads=0)
        weights = tercet.IdfTable.load(tmp_path / "table.idf").weights().values
        assert {key: weights[key] for key in expected} == pytest.approx(dict(expected), abs=1e-6)

    def test_says_that_there_is_nothing_to_count(self, tmp_path):
        (tmp_path / "blank.txt").write_text("\n\n")
        shown = run("idf", "fit", tmp_path / "blank.txt", "-m", MINILM, "-o", tmp_path / "x", code=2)
        assert "error: The corpus is empty: it has no line with text" in shown

    def test_names_the_extra_where_transformers_is_not_there(self, corpus, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "transformers", None)
        lacking = "An IDF table needs the package 'transformers', which is not installed: "
        message = lacking + 'pip install "tercet[bertscore]"'
        shown = run("idf", "fit", corpus, "-m", "roberta-large", "-o", tmp_path / "x", code=2)
        assert shown == f"error: {message}\n"
        with pytest.raises(tercet.OptionError) as refusal:
            tercet.IdfTable.fit(["a"], "roberta-large")
        assert str(refusal.value) == message

    def test_reads_a_corpus_of_any_size_but_no_line_of_any_size(self, tmp_path):
        path = tmp_path / "bomb.txt.gz"
        path.write_bytes(gzip.compress(b"a line\n" + b"x" * (100 << 20)))
        shown = run("idf", "fit", path, "-m", MINILM, "-o", tmp_path / "x", "-q", code=2)
        assert f"{path}, line 2: a line of more than 64 MiB" in shown.replace("\n", "")


class TestBertscoreBaseline:
    @pytest.mark.filterwarnings("ignore:The given NumPy array is not writable:UserWarning")  # of bert-score
    def test_writes_a_file_that_bert_score_reads_too(self, corpus, tmp_path):
        path = tmp_path / "baseline.tsv"
        shown = run("bertscore-baseline", corpus, "-m", MINILM, "-o", path, "--pairs", 40, "--quiet")
        assert "means of 40 pairs" in " ".join(shown.split())  # the title is folded behind a long path
        rows = list(csv.reader(path.read_text().splitlines()))
        assert rows[0] == ["LAYER", "P", "R", "F"]
        assert [row[0] for row in rows[1:]] == [str(layer) for layer in range(7)]
        encoder = {"model_type": MINILM, "num_layers": 5, "rescale_with_baseline": True, "baseline_path": str(path)}
        ours = tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, idf=False, **encoder)
        from bert_score import score as official_score

        theirs = official_score(PREDICTIONS, REFERENCES, lang="en", **encoder)
        assert np.array([ours["precision"], ours["recall"], ours["f1"]]) == pytest.approx(np.stack(theirs), abs=1e-5)

    def test_is_the_mean_of_what_random_pairs_score(self, tmp_path):
        """Of two texts there is one pair, both ways round."""
        corpus, path = tmp_path / "two.txt", tmp_path / "baseline.tsv"
        corpus.write_text("the cat sat on the mat\na train leaves for Rome\nthe cat sat on the mat\n")
        run("bertscore-baseline", corpus, "-m", MINILM, "-o", path, "-q")
        texts = corpus.read_text().splitlines()[:2]
        expected = tercet.score("bertscore_idf", texts, texts[::-1], model_type=MINILM, all_layers=True, idf=False)
        names = ("precision", "recall", "f1")
        means = np.array([[expected[f"mean_{name}_layer{layer}"] for name in names] for layer in range(7)])
        assert np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:] == pytest.approx(means, abs=1e-6)

    def test_is_the_same_for_the_same_seed(self, corpus, tmp_path):
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            run("bertscore-baseline", corpus, "-m", MINILM, "-o", tmp_path / name, "--pairs", 9, "--seed", seed, "-q")
        first, second, other = (np.loadtxt(tmp_path / name, delimiter=",", skiprows=1) for name in "abc")
        assert first == pytest.approx(second, abs=1e-6)  # a process chooses the library that is faster in it
        assert abs(first - other).max() > 1e-3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("idf fit latin.txt -m MINILM -o x", "'latin.txt' is not a text file in UTF-8"),
        ("idf fit text.txt -m MINILM -o x --compat bertscore", "bert_score"),
        ("idf fit text.idf -m MINILM -o text.idf", "would overwrite the input 'text.idf'"),
        ("bertscore-baseline text.txt -m MINILM -o ./text.txt", "--output would overwrite"),
        ("idf fit [/bold].txt -m MINILM -o x", "'[/bold].txt' cannot be read: No such file"),
        ("idf fit blank.txt -m MINILM -o no/where", "Cannot write the file"),
        ("idf fit text.txt -m ./nowhere -o x", "There is no folder './nowhere'"),
        ("bertscore-baseline text.txt -m MINILM -o x -q", "at least two different texts, got 1"),
        ("bertscore-baseline text.txt -m MINILM -o x --pairs 0", "--pairs"),
        ("idf fit text.txt -o x", "--model"),
        ("idf fti", "fti"),
    ],
)
def test_a_mistake_ends_with_a_message_and_code_2(line, message, tmp_path):
    for name, data in (("latin", "café".encode("latin-1")), ("blank", b" \n\n"), ("text", b"one text\n")):
        (tmp_path / f"{name}.txt").write_bytes(data)
    (tmp_path / "text.idf").write_bytes(b"one text\n")
    shown = run(*line.replace("MINILM", MINILM).split(), code=2, cwd=tmp_path)
    assert message in shown
    assert "Traceback" not in shown
    assert not (tmp_path / "x").exists()
    assert (tmp_path / "text.txt").read_text() == "one text\n"


SCORING = {"numpy", "pyarrow", "pandas", "torch", "datasets", "tqdm"}


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        ("--help", {*SCORING, "rich", "tercet.base", "tercet.cli.options", "tercet.cli.score_command"}),
        ("--version", {*SCORING, "rich", "pydantic", "tercet.base"}),  # typer checks with pydantic what it is given
        ("score --help", {*SCORING, "rich", "tercet.cli.correlate_command", "tercet.cli.mbr_command"}),
        ("compare --help", {*SCORING, "rich"}),
        ("metrics", SCORING - {"numpy", "pyarrow"}),
        (
            "score {0}/sys.txt -r {0}/ref.txt",
            {"pyarrow", "pandas", "torch", "datasets", "tqdm", "rich.markdown", "numpy.ma"},
        ),
    ],
)
def test_a_command_imports_what_it_needs(words, heavy, tmp_path):
    for name in ("sys.txt", "ref.txt"):
        (tmp_path / name).write_text("a b c d\n")
    code = "import sys; from tercet.cli.app import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    arguments = words.format(tmp_path).split()
    ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert not heavy & set(ended.stderr.split())


def test_the_list_of_commands_says_of_each_what_its_own_help_says():
    for name, (_, sentence) in COMMANDS.items():
        assert " ".join(sentence.split()) in " ".join(run(name, "--help").split()), name
        assert " ".join(sentence.split()) in " ".join(run("--help").split()), name


def test_names_are_shown_as_they_are(tmp_path):
    for name in (":cat:.txt", "ref.txt"):
        (tmp_path / name).write_text("a b c d\n")
    assert " :cat: " in run("score", ":cat:.txt", "-r", "ref.txt", cwd=tmp_path)


def test_no_command_at_all_shows_the_help():
    for words in ((), ("idf",)):
        shown = command(*words, code=2)
        assert (shown.stdout.strip(), shown.stderr) == (run(*words, "--help").strip(), "")


def test_the_package_can_be_run_as_the_command():
    run = subprocess.run([sys.executable, "-m", "tercet", "--version"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"tercet {tercet.__version__}\n", "")
    assert process("--version").stdout == run.stdout


def test_h_is_help_in_every_command():
    for words in ("", "score", "compare", "correlate", "explain", "metrics", "bertscore-baseline", "idf", "idf fit"):
        shown = run(*words.split(), "-h")
        assert shown == run(*words.split(), "--help")
        assert f"Usage: {' '.join(['tercet', *words.split()])} " in shown
    assert "bertscore-baseline" in run("--help")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("mt\tref\nthe cat sat on a mat\tthe cat sat on the mat\n", encoding="utf-8")
    return path


def shell(line, folder, **environment):
    """Run a line of bash that begins with the command, or has it once, and return its code and what it printed."""
    ended = subprocess.run(
        ["bash", "-c", line.replace("tercet", f'"{TERCET}"', 1)], cwd=folder, capture_output=True, text=True,
        timeout=120, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    assert "Traceback" not in ended.stderr
    assert "Exception ignored" not in ended.stderr
    return ended.returncode, ended.stdout, ended.stderr


#: What every command says of the columns of the table.
NOTE = "note: in.tsv: system: 'mt'; references: 'ref'.\n"

#: Commands that print in different ways.
LONG = ("score in.tsv -f json", "compare in.tsv --segment 1", "explain bleu_multi in.tsv -a nltk")
PRINTING = ["score in.tsv", *(pytest.param(line, marks=pytest.mark.long) for line in LONG)]


class TestProcesses:
    """What only a process meets: streams that are closed, full or no longer read, and what is around it."""

    @pytest.mark.parametrize("line", PRINTING)
    def test_the_output_is_closed_or_full_or_nobody_reads_it(self, table, line):
        for where, why in ((">&-", "Bad file descriptor"), ("> /dev/full", "No space left on device")):
            assert shell(f"tercet {line} {where}", table.parent) == (
                2, "", f"{NOTE}error: the standard output: {why}.\n"
            )  # fmt: skip
        assert shell(f"tercet {line} | true; echo ${{PIPESTATUS[0]}}", table.parent) == (0, "141\n", NOTE)

    @pytest.mark.parametrize(
        ("line", "code"),
        [
            ("metrics", 141),
            ("--help 2>&-", 141),
            ("score in.tsv 2>&1", 141),
            ("compare long.tsv -m chrf -f html", 141),
            ("score in.tsv --no-such-option 2>&1", 141),
            ("score none.tsv 2>&1", 2),
            ("score in.tsv --fail-under bleu=99", 1),
        ],
    )
    @pytest.mark.long
    def test_nobody_reads_is_no_threshold_that_was_not_reached(self, table, line, code):
        rows = "".join(f"кот {row}\tkot {row}\t猫 {row}\n" for row in range(1000))
        (table.parent / "long.tsv").write_text(f"mt\tmt2\tref\n{rows}", encoding="utf-8")
        found = shell(f"tercet {line} | true; echo ${{PIPESTATUS[0]}}", table.parent, PYTHONUNBUFFERED="")
        assert found[:2] == (0, f"{code}\n")
        assert "error:" not in found[2]

    @pytest.mark.long
    def test_closed_streams_do_not_matter_where_none_is_needed(self, table):
        code, _, err = shell("tercet score in.tsv --out x.txt >&-", table.parent)
        assert (code, err) == (0, f"{NOTE}x.txt\n")
        assert "bleu_multi" in (table.parent / "x.txt").read_text()
        assert shell("tercet score none.tsv 2>&-", table.parent)[::2] == (2, "")
        assert shell("tercet score in.tsv --segments s.tsv --out x.txt <&- >&- 2>&-", table.parent)[0] == 0
        assert (table.parent / "s.tsv").read_text().startswith("test_set\tsegment")
        (table.parent / "ref.txt").write_text("a\n")
        for line in ("score - -r ref.txt", f"idf fit - -m {MINILM} -o x -q"):
            found = shell(f"tercet {line} <&-", table.parent)
            assert found[::2] == (2, "error: '-' cannot be read: Bad file descriptor.\n")

    @pytest.mark.long
    def test_a_folder_that_is_deleted_meanwhile(self, table, tmp_path):
        gone, path, note = tmp_path / "gone", tmp_path / "x.txt", NOTE.replace("in.tsv", str(table))
        error = "error: The folder in which the command was started no longer exists.\n"
        for option, expected in (
            (f"--out {path}", (0, f"{note}{path}\n")), ("--out x", (2, error)), ("--segments x", (2, error))
        ):  # fmt: skip
            gone.mkdir()
            line = f"cd gone && rmdir ../gone && tercet score {table} {option}"
            assert shell(line, tmp_path)[::2] == expected

    @pytest.mark.parametrize(
        "environment", [{"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "ascii"}]
    )
    @pytest.mark.long
    def test_a_terminal_of_few_signs(self, tmp_path, environment):
        path = tmp_path / "я.tsv"
        path.write_text("система\tref\nкот сидел тут и там\tкот сидел здесь и там\n", encoding="utf-8")
        for arguments in ("score я.tsv", "compare я.tsv --segment 1", "score я.tsv --out я.json -f json"):
            assert shell(f"tercet {arguments}", tmp_path, **environment)[0] == 0
        assert "система" in (tmp_path / "я.json").read_text(encoding="utf-8")
        code, _, err = shell("tercet score я.tsv -s нет", tmp_path, **environment)
        assert (code, "has no column" in err) == (2, True)

    @pytest.mark.long
    def test_without_assertions_and_with_warnings_as_errors(self, table):
        def run(*flags):
            code = "from tercet.cli.app import main; main()"
            asked = [sys.executable, *flags, "-c", code, "score", table]
            ended = subprocess.run(asked, capture_output=True, text=True, check=False)
            return ended.returncode, ended.stderr, "bleu_multi" in ended.stdout

        note = NOTE.replace("in.tsv", str(table))
        for flags in (["-OO"], ["-W", "error::UserWarning"]):
            assert run(*flags) == (0, note, True)
        table.write_text("mt\tref\na b\tc\n\td\n", encoding="utf-8")
        message = "error: in: the system 'mt' has 1 empty text, the first in segment 2: nothing matches there.\n"
        assert run("-W", "error::UserWarning") == (2, note + message, False)

    def test_memory_that_does_not_suffice(self, table):
        code = """if True:
            import tercet.metrics.bertscore.metric as unrelated, tercet.cli.app as cli
            unrelated.make_baseline = lambda *_, **__: bytearray(1 << 62)
            cli.main()"""
        (table.parent / "text.txt").write_text("a cat\na dog\n")
        asked = [sys.executable, "-c", code, *f"bertscore-baseline text.txt -m {MINILM} -o x -q".split()]
        ended = subprocess.run(asked, cwd=table.parent, capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr == "error: This machine does not have enough memory. Give fewer texts at a time.\n"
