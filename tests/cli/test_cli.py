"""The command ``tercet``: help, mistakes, and what a process meets around it."""

import os
import subprocess
import sys

import pytest

import tercet
from commands import TERCET, command, process
from tercet.cli.app import COMMANDS
from texts import MINILM


def run(*arguments, code=0, cwd=None):
    ended = command(*arguments, code=code, cwd=cwd)
    return ended.stdout if code == 0 else ended.stderr


def test_no_command_at_all_shows_the_help():
    for words in ((), ("idf",)):
        shown = command(*words, code=2)
        assert (shown.stdout.strip(), shown.stderr) == (run(*words, "--help").strip(), "")


def test_h_is_help_in_every_command():
    for words in ("", "score", "compare", "correlate", "explain", "metrics", "bertscore-baseline", "idf", "idf fit"):
        shown = run(*words.split(), "-h")
        assert shown == run(*words.split(), "--help")
        assert f"Usage: {' '.join(['tercet', *words.split()])} " in shown
    assert "bertscore-baseline" in run("--help")


def test_the_package_can_be_run_as_the_command():
    run = subprocess.run([sys.executable, "-m", "tercet", "--version"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, f"tercet {tercet.__version__}\n", "")
    assert process("--version").stdout == run.stdout


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
#: What the score of a single system in a text file does without: tests, runs, slices, gates, verdicts, means of
#: metrics, tables of files.
OF_OTHERS = {
    *(f"tercet.comparison.{name}" for name in ("gates", "notes", "overall", "verdicts.verdicts", "slices")),
    *(f"tercet.comparison.{name}" for name in ("specs.mean_of_metrics", "values.run_scores", "values.sections")),
    "tercet.comparison.values.slices",
    *(f"tercet.comparison.runs.{name}" for name in ("of_systems", "run_warnings", "section", "significance")),
    *(f"tercet.comparison.shown.{name}" for name in ("segment_rows", "eval_results")),
    *(f"tercet.files.{name}" for name in ("damage", "join", "numbers", "table", "tables.delimited")),
    *(f"tercet.files.columns.{name}" for name in ("contents", "roles", "scores")),
    *(f"tercet.statistics.{name}" for name in ("estimates", "adjusted_p", "mcnemar", "paired_tests")),
    *("tercet.api", "tercet.cli.gate_findings", "tercet.test_sets.column_readings"),
    *("concurrent.futures", "csv", "logging", "zipfile"),
}


@pytest.mark.parametrize(
    ("words", "heavy"),
    [
        ("--help", {*SCORING, "rich", "tercet.base", "tercet.cli.options", "tercet.cli.score_command"}),
        ("--version", {*SCORING, "rich", "pydantic", "tercet.base"}),  # typer checks with pydantic what it is given
        ("score --help", {*SCORING, "rich", "tercet.cli.correlate_command", "tercet.cli.mbr_command"}),
        ("compare --help", {*SCORING, "rich"}),
        ("metrics", SCORING),
        (
            "score {0}/sys.txt -r {0}/ref.txt",
            {*(SCORING - {"numpy"}), *OF_OTHERS, "tercet.comparison.shown.tables", "rich.markdown", "numpy.ma"},
        ),
        ("score {0}/sys.txt -r {0}/ref.txt --format json", {*(SCORING - {"numpy"}), "rich"}),
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


def test_a_short_command_does_not_look_for_garbage(tmp_path):
    for name in ("sys.txt", "ref.txt"):
        (tmp_path / name).write_text("a b c d\n")
    code = (
        "import gc, sys; from tercet.cli.app import main\n"
        "made = lambda: sum(generation['collections'] for generation in gc.get_stats())\n"
        "before = made()\ntry: main()\nfinally: print(made() - before, file=sys.stderr)"
    )
    arguments = ["score", tmp_path / "sys.txt", "-r", tmp_path / "ref.txt"]
    ended = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert ended.stderr.splitlines()[-1] == "0"


def test_the_list_of_commands_says_of_each_what_its_own_help_says():
    for name, listed in COMMANDS.items():
        assert listed.does in " ".join(run(name, "--help").split()), name
        assert listed.does in " ".join(run("--help").split()), name


def test_names_are_shown_as_they_are(tmp_path):
    for name in (":cat:.txt", "ref.txt"):
        (tmp_path / name).write_text("a b c d\n")
    assert " :cat: " in run("score", ":cat:.txt", "-r", "ref.txt", cwd=tmp_path)


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
            import tercet.metrics.bertscore.making_baselines as unrelated, tercet.cli.app as cli
            unrelated.make_baseline = lambda *_, **__: bytearray(1 << 62)
            cli.main()"""
        (table.parent / "text.txt").write_text("a cat\na dog\n")
        asked = [sys.executable, "-c", code, *f"bertscore-baseline text.txt -m {MINILM} -o x -q".split()]
        ended = subprocess.run(asked, cwd=table.parent, capture_output=True, text=True, check=False)
        assert ended.returncode == 2
        assert ended.stderr == "error: This machine does not have enough memory. Give fewer texts at a time.\n"
