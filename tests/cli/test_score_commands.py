"""``tercet score`` and ``tercet compare``: what they print and write, and what they refuse."""

import codecs
import csv
import html
import json
import os
import re
import resource
from itertools import zip_longest

import pytest
import sacrebleu
from markdown_it import MarkdownIt
from openpyxl import load_workbook

from commands import command, process
from conftest import ROOT
from tercet import score
from tercet.files.read import read_table
from tercet.names_as_shown import visible
from tercet.test_sets.read import read_test_sets

EN, ES = (str(ROOT / "examples" / "data" / f"{language}.tsv") for language in ("en", "es"))


def sample(system):
    """Return the English texts of a system, and their references."""
    (test_set,) = read_test_sets([EN])
    return test_set.systems[system], test_set.references


class TestScoreAndCompare:
    def test_score_prints_each_system_with_its_interval_and_the_signature(self):
        run = command("score", EN, "--metric", "bleu_multi")
        expected = score("bleu_multi", *sample("large"), scale=100, confidence_level=0.95)
        low, high = expected["intervals"]["bleu"]
        assert f"{expected['bleu']:.2f}*" in run.stdout
        assert f"{low:.2f} – {high:.2f}" in run.stdout
        assert "bleu_multi|tok:13a|case:mixed|order:4|smooth:exp" in run.stdout
        assert not [word for word in ("wins", "hyp_len") if word in run.stdout]

    def test_verbose_prints_what_sacrebleu_prints_of_each_system(self):
        predictions, references = sample("large")
        theirs = sacrebleu.corpus_bleu(predictions, list(zip_longest(*references))).format(width=1)
        run = command("score", EN, "-m", "bleu", "-v")
        assert f"bleu_multi, large: {theirs}\n" in run.stdout

    def test_the_form_is_that_of_the_output_s_name_unless_it_is_given(self, tmp_path):
        names = {"json": "a.json", "csv": "a.CSV", "tsv": "a.tsv", "markdown": "a.md", "latex": "a.tex", "text": "a"}
        for form, name in names.items():
            for path, more in ((name, ()), ("b.html", ("-f", form))):
                command("score", EN, "-m", "chrf", "-q", "-o", tmp_path / path, *more)
            assert (tmp_path / name).read_text() == (tmp_path / "b.html").read_text(), form
        command("score", EN, "-m", "chrf", "-q", "-o", tmp_path / "a.html")
        assert (tmp_path / "a.html").read_text().startswith("<!DOCTYPE html>")

    def test_what_programs_read_is_utf_8_whatever_the_locale_and_terminals_are_shown_signs(self, tmp_path):
        (tmp_path / "ru.tsv").write_text("ref\tкот\tкит\na b\ta b\tb a\n", encoding="utf-8")
        latin = {"PYTHONIOENCODING": "latin1"}
        for form, shown in (("json", ["кот".encode()]), ("html", ["кот".encode()]),
                            ("text", [rb"\u043a\u043e\u0442", rb"\u043a\u0438\u0442"])):  # fmt: skip
            run = process("score", "ru.tsv", "-m", "chrf", "-q", "-f", form, cwd=tmp_path, env=latin, text=False)
            assert all(each in run.stdout for each in shown)

    def test_a_metric_that_is_given_twice_is_scored_once_and_so_it_says(self):
        run = command("score", EN, "-m", "bleu", "-m", "bleu_multi", "-m", "bleu:scale=1")
        assert run.stdout.count("en: BLEU  ") == 1
        assert run.stdout.count("en: BLEU (scale=1)") == 1
        assert "warning: bleu_multi is given twice, and scored once.\n" in run.stderr

    def test_empty_predictions_and_what_is_left_out_are_counted(self, tmp_path):
        (tmp_path / "news.tsv").write_text("mt\tref\na b c d e\ta b c d e\n\tc d e f\nc\t\n", encoding="utf-8")
        run = command("score", "news.tsv", "-m", "bleu:missing_references=skip", cwd=tmp_path)
        assert "\nEmpty predictions: 1 (of 3).\n" in run.stdout
        assert "\nSegments left out, no reference: 1 (of 3).\n" in run.stdout
        run = command("score", "news.tsv", "-m", "bleu:missing_references=zero", cwd=tmp_path)
        assert "\nSegments without a number or reference, which count as 0: 1 (of 3).\n" in run.stdout

    def test_compare_writes_every_form_to_a_file(self, tmp_path):
        for form in ("json", "tsv", "csv", "markdown", "latex", "text"):
            asked = ("-b", "tuned", "--n-resamples", 50, "-f", form, "-o", tmp_path / form)
            assert command("compare", ES, *asked).stdout == ""
            assert "tuned" in (tmp_path / form).read_text(encoding="utf-8")
        (found,) = json.loads((tmp_path / "json").read_text())["test_sets"]
        assert found["baseline"] == "tuned"

    def test_compare_takes_text_files_too(self, tmp_path):
        predictions, references = sample("large")
        references = [texts[0] for texts in references]
        for name, lines in (("large", predictions), ("ref", references)):
            (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        run = command("compare", "large.txt", "-r", "ref.txt", "-f", "json", cwd=tmp_path)
        (row,) = json.loads(run.stdout)["test_sets"][0]["tables"][0]["systems"]
        assert row["value"] == pytest.approx(score("bleu_multi", predictions, references, scale=100)["bleu"])

    def test_exports_and_segments_are_files(self, tmp_path):
        asked = ("--n-resamples", "20", "--export", "new", "--segments", "segments.tsv")
        run = command("compare", EN, *asked, cwd=tmp_path)
        written = sorted(path.name for path in (tmp_path / "new").iterdir())
        assert written == ["baseline_en.tsv", "large_en.tsv", "tuned_en.tsv"]
        assert len((tmp_path / "segments.tsv").read_text().splitlines()) == 1 + 3 * len(sample("large")[0])
        assert "baseline_en.tsv" in run.stderr

    @pytest.mark.parametrize("name", ["score", "compare"])
    def test_the_ending_chooses_how_segments_are_written(self, name, tmp_path):
        table = [
            ("мы шли домой", "=1+1, мы шли домой", 'Она сказала: "да"\nи ушла', "мы шли"),
            ("كلب نائم", "كلب", "قط", "كلب نائم"),
        ]
        rows = [{"reference": first, "reference2": last, "a": a, "b": b} for first, a, b, last in table]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (tmp_path / "in.jsonl").write_text("\n".join(lines), encoding="utf-8")
        asked = ("in.jsonl", "-s", "a", "-s", "b", "-m", "bleu", "-m", "ter")
        for ending in ("tsv", "csv", "jsonl", "xlsx"):
            command(name, *asked, "--segments", f"out.{ending}", cwd=tmp_path)
        with (tmp_path / "out.jsonl").open(encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        assert [(each["segment"], each["system"]) for each in records] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
        assert [each["candidate"] for each in records] == [row[column] for row in rows for column in "ab"]
        assert records[0]["references"] == ["мы шли домой", "мы шли"]
        scores = ["bleu_multi bleu", "ter ter"]
        with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
            cells = list(csv.DictReader(file))
        assert [list(map(float, map(each.get, scores))) for each in cells] == [
            list(map(each.get, scores)) for each in records
        ]
        assert [each["candidate"] for each in cells] == [each["candidate"] for each in records]
        assert cells[0]["references"] == "мы шли домой | мы шли"
        sheet = load_workbook(tmp_path / "out.xlsx")["Segments"]
        head, *body = sheet.iter_rows(values_only=True)
        assert [[row[head.index(score)] for score in scores] for row in body] == [
            [pytest.approx(each[score]) for score in scores] for each in records
        ]
        assert sheet.cell(2, head.index("prediction") + 1).data_type == "s"  # no formula
        assert (tmp_path / "out.tsv").read_text(encoding="utf-8").count("\n") == 5

    def test_a_byte_order_mark_is_written_where_it_is_asked_for(self, tmp_path):
        written = ("score", EN, "-o", "scores.csv", "--segments", "segments.csv")
        command(*written, cwd=tmp_path)
        plain = [(tmp_path / name).read_bytes() for name in ("scores.csv", "segments.csv")]
        command(*written, "--bom", cwd=tmp_path)
        marked = [(tmp_path / name).read_bytes() for name in ("scores.csv", "segments.csv")]
        assert marked == [codecs.BOM_UTF8 + each for each in plain]
        assert not any(each.startswith(codecs.BOM_UTF8) for each in plain)
        shown = command("score", EN, "-f", "tsv", "--bom").stdout
        assert shown == "\ufeff" + command("score", EN, "-f", "tsv").stdout
        graded = ("correlate", ROOT / "examples" / "data" / "graded.tsv", "-m", "chrf", "-f", "csv", "--bom")
        assert command(*graded).stdout.startswith("\ufeff")

    def test_one_segment_in_a_file_is_as_wide_on_every_machine(self, tmp_path):
        written = []
        for width in ("60", "200"):
            command("compare", EN, "--segment", "2", "-o", tmp_path / "s.txt", env={"COLUMNS": width})
            written.append((tmp_path / "s.txt").read_text(encoding="utf-8"))
        assert written[0] == written[1]

    def test_one_segment_side_by_side(self):
        shown = command("compare", EN, "--segment", "2").stdout
        assert "segment 2" in shown
        assert "reference 1" in shown

    def test_a_segment_without_reference_is_named_as_the_command_counts(self, tmp_path):
        (tmp_path / "news.tsv").write_text("mt\tref\na b\ta b\nc\t\n", encoding="utf-8")
        for words in (["score", "news.tsv"], ["compare", "news.tsv"], ["compare", "news.tsv", "--segment", "1"]):
            run = command(*words, code=2, cwd=tmp_path)
            message = "news, segment 2 has no reference (line 3: 'c'); -m bleu_multi:missing_references=skip"
            assert message in run.stderr
            command(*words, "-m", "bleu_multi:missing_references=skip", cwd=tmp_path)
        run = command("explain", "bleu_multi", "news.tsv", "-a", "nltk", code=2, cwd=tmp_path)
        assert message in run.stderr

    def test_test_sets_are_not_compared_with_each_other(self):
        run = command("score", EN, ES)
        assert "en: BLEU" in run.stdout
        assert "es: BLEU" in run.stdout
        assert "warning: scores of different test sets or languages cannot be compared" in run.stderr

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("compare nowhere.tsv", "nowhere.tsv"),
            ("compare EN -m blue", "There is no metric 'blue'. Did you mean 'bleu'?"),
            ("compare EN -m bleu_multi:tokeniser=zh", "Did you mean 'tokenizer'?"),
            ("compare EN -b large2", "Did you mean 'large'?"),
            ("compare EN --segment 999", "no segment 999"),
            ("compare EN --segment 2 -b large2", "Did you mean 'large'?"),
            ("compare EN --segment 2 -f json", "excludes --format"),
            ("compare EN --segment 2 --export x --segments y", "excludes --segments, --export"),
            ("compare EN --export ES", "Cannot write files to the folder"),
            ("compare EN --export ES/x", "es.tsv' is not a writable folder"),
            ("compare EN -m bleu_multi:seed=7", "give --seed"),
            ("compare EN -o no/such/folder/x", "Cannot write the file"),
            ("score EN -s lagre", "Did you mean 'large'?"),
            ("score EN --format xml", "xml"),
            # before anything is read
            ("compare nowhere.tsv -o three.pdf",
             "--out 'three.pdf': the extension '.pdf' names no format: use one of .html .htm .json .tsv .csv .md "
             ".tex .xlsx .txt, or choose with --format."),
            ("score nowhere.tsv --segments s.html",
             "--segments 's.html': the extension '.html' names no format: "
             "use one of .csv .jsonl .ndjson .xlsx .tsv .tab .txt."),
            ("score nowhere.tsv --bom", "--bom is for CSV and TSV: give --format csv, or a file that ends in .csv"),
            ("compare nowhere.tsv --bom -o x.json --segments x.jsonl", "--bom is for CSV and TSV"),
            ("correlate nowhere.tsv --bom -o x.html", "--bom is for CSV and TSV"),
            ("score nowhere.tsv -f xlsx", "--format xlsx needs a file: give one, as in --out scores.xlsx."),
            ("explain bleu nowhere.tsv -o a.xlsx", "'.xlsx' names no format: use one of .html .htm .json .txt, or"),
            ("mbr nowhere.jsonl -o a.docx", "--out 'a.docx': expected .jsonl, .txt or the like"),
            ("idf fit nowhere.txt -m x -o a.pdf", "--output 'a.pdf': the extension '.pdf' names no format"),
            ("bertscore-baseline nowhere.txt -m x -o a.doc", "the extension '.doc' names no format: use one of .tsv"),
            ("score nowhere.tsv --engine ray -o a.PDF", "the extension '.PDF' names no format"),
            ("correlate nowhere.tsv -o a.b/c.docx", "the extension '.docx' names no format"),
        ],
    )  # fmt: skip
    def test_a_mistake_ends_with_its_message_and_code_2(self, line, message, tmp_path):
        run = command(*line.replace("EN", EN).replace("ES", ES).split(), cwd=tmp_path, code=2)
        assert message in " ".join(run.stderr.split())
        assert "Traceback" not in run.stderr


TABLE = "mt\tref\tsrc\nthe cat sat on a mat\tthe cat sat on the mat\tx\na dog barks at night\ta dog barks\ty\n"


@pytest.fixture
def here(tmp_path):
    """A folder with a table, text files, and files of results that are there already."""
    (tmp_path / "in.tsv").write_text(TABLE, encoding="utf-8")
    for name, column in (("A.txt", 0), ("ref.txt", 1), ("src.txt", 2)):
        lines = [line.split("\t")[column] for line in TABLE.splitlines()[1:]]
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "old.txt").write_text("old")
    (tmp_path / "link").symlink_to("in.tsv")
    os.link(tmp_path / "in.tsv", tmp_path / "hard")
    return tmp_path


def contents(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def refused(here):
    """Run a command that must fail and leave all files as they were, and return what it says."""

    def run(*arguments):
        before = contents(here)
        ended = command(*arguments, cwd=here, code=2)
        assert (ended.stdout, contents(here)) == ("", before)
        return ended.stderr

    return run


OVERWRITTEN = (
    ("score in.tsv --out in.tsv", "--out would overwrite the input 'in.tsv'"),
    ("score in.tsv --out x --segments ./x", "--out and --segments would be"),
    ("score in.tsv --out link", "--out would overwrite the input 'in.tsv'"),
    ("score link --segments hard", "--segments would overwrite the input 'link'"),
    ("score A.txt -r ref.txt -o ./ref.txt", "--out would overwrite the input 'ref.txt'"),
    ("score A.txt -r ref.txt --source src.txt -o src.txt", "the input 'src.txt'"),
    ("score in.tsv -m bertscore_idf:lang=en,idf=old.txt -o old.txt", "the input 'old.txt'"),
    ("mbr A.txt B.txt -m bertscore_idf:lang=en,idf=old.txt -o old.txt", "the input 'old.txt'"),
    ("explain bertscore_idf:lang=en,idf=old.txt in.tsv -o old.txt", "the input 'old.txt'"),
    ("correlate in.tsv -m bertscore_idf:lang=en,idf=old.txt -o old.txt", "the input 'old.txt'"),
    ("compare in.tsv --out new --segments new", "--out and --segments would be written to"),
    ("compare in.tsv --export . --out mt_in.tsv", "--out and --export of mt_in.tsv"),
    ("compare in.tsv --export . --segments mt_in.tsv", "--export of mt_in.tsv would be"),
)


class TestOutputs:
    @pytest.mark.parametrize(("line", "message"), OVERWRITTEN)
    def test_that_would_overwrite_what_is_read_or_each_other(self, refused, line, message):
        assert message in refused(*line.split())

    def test_that_would_overwrite_the_standard_input(self, here):
        before = contents(here)
        with (here / "A.txt").open() as piped:
            run = process("score", "-", "-r", "ref.txt", "--out", "A.txt", cwd=here, stdin=piped)
        assert (run.returncode, "--out would overwrite the standard input" in run.stderr) == (2, True)
        assert contents(here) == before

    def test_an_export_over_what_is_read(self, here, refused):
        (here / "in.tsv").rename(here / "mt_in.tsv")
        (here / "in.tsv").symlink_to("mt_in.tsv")
        error = refused("compare", "in.tsv", "--export", ".")
        assert "--export of mt_in.tsv would overwrite the input 'in.tsv'" in error

    @pytest.mark.parametrize(
        ("header", "message"),
        [
            ("a b\ta_b\tref", "Two systems would be written to a_b_in.tsv: 'a b' of 'in' and 'a_b' of 'in'. Rename"),
            ("a\t" + "b" * 300 + "\tref", "is too long for a file name. Rename it."),
        ],
    )
    def test_names_that_no_two_files_can_have_are_reported_before_the_work(self, here, refused, header, message):
        (here / "in.tsv").write_text(f"{header}\nx y\tz\tx\n")
        assert message in refused("compare", "in.tsv", "--export", "new", "--segments", "s.tsv", "-o", "r.txt")

    def test_a_full_disk_leaves_the_old_file(self, here):
        def small_disk():
            resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50))

        before = contents(here)
        for option in ("--out", "--segments"):
            run = process("score", "in.tsv", option, "old.txt", preexec_fn=small_disk, cwd=here)
            assert (run.returncode, run.stderr.splitlines()[-1]) == (2, "error: old.txt: File too large.")
            assert contents(here) == before
        run = command("score", "in.tsv", "--out", "/dev/full", cwd=here, code=2)
        assert run.stderr.endswith("\nerror: /dev/full: No space left on device.\n")

    def test_pipes_and_devices_are_written_to(self, here):
        run = process("score", "in.tsv", "--out", "/dev/stdout", "--segments", "/dev/stderr", cwd=here)
        assert "bleu_multi" in run.stdout
        assert "the cat sat on a mat" in run.stderr
        command("score", "in.tsv", "--out", "/dev/null", "--segments", "/dev/null", cwd=here)

    def test_names_that_are_not_utf_8(self, here):
        table, out, segments = (os.fsdecode(b"\xff" + name) for name in (b"in.tsv", b"out.json", b"segments.tsv"))
        (here / "in.tsv").rename(here / table)
        command("score", table, "-f", "json", "--out", out, "--segments", segments, cwd=here)
        (found,) = json.loads((here / out).read_text())["test_sets"]
        assert found["test_set"] == "\\xffin"
        assert (here / segments).read_text().splitlines()[1].startswith("\\xffin\t1\tmt")
        for form, shown in (("text", "\\xffin"), ("tsv", "\\xffin"), ("html", "\\xffin"), ("latex", "mt")):
            command("compare", table, "-f", form, "--out", out, "--n-resamples", "9", cwd=here)
            assert shown in (here / out).read_text(encoding="utf-8")
        command("compare", table, "--export", "new", "--n-resamples", "9", cwd=here)
        assert "the cat sat on a mat" in (here / "new" / "mt__xffin.tsv").read_text()
        assert "\\xffin, segment 1" in command("compare", table, "--segment", "1", cwd=here).stdout
        assert "\\xffin: mt" in command("explain", "bleu_multi", table, "-a", "nltk", cwd=here).stdout
        run = command("score", os.fsdecode(b"\xffnone.tsv"), cwd=here, code=2)
        assert run.stderr == "error: '\\udcffnone.tsv' cannot be read: No such file or directory.\n"


class TestNames:
    """Names come from files of others: they are shown, and no terminal, page or spreadsheet does what they say."""

    NAMES = ("\x1b]0;window\x07\x1b[2J", "a\u202eb", "<script>x</script>", "[x](http://x)|`*_y_*`", "*{$%}\\end",
             "[/bold]", "=HYPERLINK(1)", "-1+1")  # fmt: skip

    @pytest.fixture
    def table(self, tmp_path):
        rows = ["\t".join([*self.NAMES, "ref"]), "a cat sat here\t=1+1\t-2 too\t" + "x\t" * 5 + "a cat"]
        (tmp_path / "in\x1b[31m\u202e.tsv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        return "in\x1b[31m\u202e.tsv"

    def shown(self, *arguments, cwd):
        run = command(*arguments, "-m", "bleu_multi:max_order=1", cwd=cwd)
        for stream in (run.stdout, run.stderr):
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", stream), stream
        return run.stdout

    def test_in_text_and_warnings(self, table, tmp_path):
        shown = self.shown("compare", table, "--n-resamples", "9", cwd=tmp_path)
        assert "in\\x1b[31m\\u202e: BLEU (max_order=1)" in shown
        assert all(visible(name) in shown for name in (*self.NAMES[:4], "[/bold]"))
        assert "\\x1b]0;window\\x07\\x1b[2J" in shown
        assert "in\\x1b[31m\\u202e, segment 1" in self.shown("compare", table, "--segment", "1", cwd=tmp_path)
        self.shown("compare", table, "--export", "new\x1b[2J", "--n-resamples", "9", cwd=tmp_path)
        run = command("compare", table, "-s", "\x1b[2J\n", cwd=tmp_path, code=2)
        assert "\x1b" not in run.stderr
        assert len(run.stderr.splitlines()) == 1
        run = command("explain", "bleu_multi", table, "-a", "nltk", cwd=tmp_path)
        assert "\x1b" not in run.stdout + run.stderr

    def test_in_markdown(self, table, tmp_path):
        shown = self.shown("compare", table, "-f", "markdown", "--n-resamples", "9", cwd=tmp_path)
        cells = [line.split(" | ")[0].removeprefix("| ") for line in shown.splitlines() if line.startswith("| ")][2:]
        assert cells[2] == "\\<script\\>x\\</script\\>"
        page = MarkdownIt().enable("table").render(shown)
        assert not re.search("<(script|a|em|strong>x)", page)
        rows = [html.unescape(re.sub("<.*?>", "", row)) for row in re.findall("<tr>\n<td>(.*?)</td>", page)]
        assert rows == [visible(name) for name in self.NAMES]

    def test_in_latex(self, table, tmp_path):
        shown = self.shown("compare", table, "-f", "latex", "--n-resamples", "9", cwd=tmp_path)
        assert "{*}\\{\\$\\%\\}\\textbackslash{}end & " in shown
        assert "\n{[}/bold{]} & " in shown
        assert "\n[" not in shown

    def test_in_tables_names_are_no_formulas_numbers_stay_numbers_and_texts_what_was_scored(self, table, tmp_path):
        shown = self.shown("compare", table, "-f", "tsv", "--n-resamples", "9", cwd=tmp_path)
        rows = list(csv.DictReader(shown.splitlines(), delimiter="\t"))
        assert [row["system"] for row in rows[-2:]] == ["'=HYPERLINK(1)", "'-1+1"]
        assert min(float(row["difference"] or 0) for row in rows) < 0
        arguments = ("--segments", "s.tsv", "--export", "new", "--n-resamples", "9")
        self.shown("compare", table, *arguments, cwd=tmp_path)
        lines = [line.split("\t") for line in (tmp_path / "s.tsv").read_text(encoding="utf-8").splitlines()]
        assert [line[4] for line in lines[1:4]] == ["a cat sat here", "=1+1", "-2 too"]
        assert [float(line[3]) >= 0 for line in lines[1:]] == [True] * 8
        assert lines[-2][2] == "'=HYPERLINK(1)"
        assert read_table(tmp_path / "new" / "a_b_in_31m_.tsv").columns["candidate"] == ["=1+1"]


class TestWhatIsOdd:
    @pytest.mark.parametrize("words", [["score"], ["compare", "--n-resamples", "9"], ["compare", "--segment", "1"]])
    def test_empty_texts_of_a_system_are_reported(self, here, words):
        (here / "in.tsv").write_text("mt\tB\tref\na b\tc\ta\n\tc\tb\n \td\tc\n")
        run = command(*words, "in.tsv", "-m", "bleu_multi:max_order=1", cwd=here)
        odd = "warning: in: the system 'mt' has 2 empty texts, the first in segment 2: nothing matches there.\n"
        assert run.stderr == f"note: in.tsv: systems: 'mt', 'B'; references: 'ref'.\n{odd}"

    def test_a_score_of_0_for_want_of_one_order_is_reported(self, here):
        (here / "in.tsv").write_text("mt\tref\nthe cat sat on a mat\tthe cat sat down on the mat\n")
        reported = command("score", "in.tsv", "-m", "bleu:smooth_method=none", cwd=here).stderr
        odd = "warning: in: the system 'mt': bleu_multi: BLEU is 0 only because no n-gram of order 4"
        assert reported.splitlines()[1].startswith(odd)
        smoothed = command("score", "in.tsv", cwd=here)
        assert smoothed.stderr == "note: in.tsv: system: 'mt'; references: 'ref'.\n"
        theirs = sacrebleu.corpus_bleu(["the cat sat on a mat"], [["the cat sat down on the mat"]]).score
        assert f"{theirs:.2f}" in smoothed.stdout

    def test_a_system_that_repeats_the_references_is_reported(self, here):
        (here / "in.tsv").write_text("A\tB\tref\tref 2\na\tb\ta\tb\nc\td\tx\tc\n")
        odd = "in: the system 'A' is identical to a reference in every segment: is it a copy of the references?"
        assert command("score", "in.tsv", "-m", "rouge_nlws", cwd=here).stderr.endswith(f"\nwarning: {odd}\n")
        assert odd in command("explain", "bleu_multi", "in.tsv", "-a", "nltk", cwd=here).stderr

    def test_a_wrong_option_is_reported_before_what_is_odd(self, here):
        (here / "in.tsv").write_text("mt\tref\na\ta\n")
        for name in ("score", "compare"):
            run = command(name, "in.tsv", "-m", "bleu_multi:foo=1", cwd=here, code=2)
            assert run.stderr.startswith("error: bleu_multi has no option 'foo'")

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("in.tsv -s mt -s mt", "in.tsv: the column 'mt' is named twice as a system; name it once"),
            ("in.tsv --reference-column ref --reference-column ref", "'ref' is named twice as ref"),
            ("in.tsv -s ref --reference-column ref", "named both as a system and as references"),
            ("A.txt A.txt -r ref.txt", "The file 'A.txt' is given twice"),
            ("A.txt ./A.txt -r ref.txt", "'A.txt' is given as a system, and './A.txt' as another system"),
            ("A.txt ref.txt -r ref.txt", "'ref.txt' is given as a system, and 'ref.txt' as references"),
        ],
    )
    def test_what_is_given_twice_is_refused(self, here, line, message):
        assert message in command("score", *line.split(), cwd=here, code=2).stderr


OF_DOCUMENTS = [
    ("a", "the cat sat", "a cat sat down", "the cat sat down"), ("a", "it rains", "it rained", "it rains now"),
    ("b", "кот спит", "кошка спит", "кот спит дома"), ("b", "yes", "no", "yes"), ("c", "two dogs", "dog", "two dogs"),
]  # fmt: skip


class TestClusters:
    """Rows of a table that belong together, by a column."""

    @pytest.fixture
    def table(self, tmp_path):
        path = tmp_path / "news.tsv"
        lines = ["docid\tsystem A\tsystem B\treference", *("\t".join(row) for row in OF_DOCUMENTS)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def test_a_column_of_documents_is_suggested_and_taken(self, table):
        alone = command("compare", table, "-m", "chrf")
        assert "note: " in alone.stderr
        assert "'docid' names 3 documents of 5 segments" in alone.stderr
        assert "--cluster docid resamples documents." in alone.stderr
        shown = command("compare", table, "-m", "chrf", "--cluster", "docid")
        assert "Resampled by 3 clusters of 1 to 2 (docid)." in shown.stdout
        assert "references: 'reference'; clusters: 'docid'." in shown.stderr
        assert "names 3 documents" not in shown.stderr
        (one,) = json.loads(command("compare", table, "-m", "chrf", "--cluster", "docid", "--format", "json").stdout)[
            "test_sets"
        ]
        assert one["clusters"] == {"by": "docid", "number": 3, "sizes": [1, 2]}
        (other,) = json.loads(command("compare", table, "-m", "chrf", "--format", "json").stdout)["test_sets"]
        rows, alone = (each["tables"][0]["systems"] for each in (one, other))
        assert [row["value"] for row in rows] == [row["value"] for row in alone]
        assert rows[1]["wins"] + rows[1]["ties"] + rows[1]["losses"] == 3
        assert rows[1]["pvalue"] > alone[1]["pvalue"]

    def test_score_takes_it_too(self, table):
        shown = command("score", table, "-m", "chrf", "--cluster", "docid", "--format", "markdown")
        assert "Resampled by 3 clusters of 1 to 2 (docid)." in shown.stdout

    def test_a_wrong_column_is_refused(self, table, tmp_path):
        assert "has no column 'doc'" in command("compare", table, "--cluster", "doc", code=2).stderr
        table.write_text(table.read_text(encoding="utf-8").replace("c\ttwo", "\ttwo"), encoding="utf-8")
        refused = command("compare", table, "--cluster", "docid", code=2)
        assert "line 6, column 'docid': expected the name of the row's cluster" in refused.stderr
        texts = tmp_path / "a.txt"
        texts.write_text("yes\n", encoding="utf-8")
        refused = command("score", texts, "-r", texts, "--cluster", "docid", code=2)
        assert "'docid' is the name of a column" in refused.stderr


def test_plain_text_is_the_same_at_every_width_and_is_text():
    table = str(ROOT / "examples" / "data" / "en.tsv")
    line = ["compare", table, "-m", "bleu", "-m", "chrf", "--n-resamples", "20", "--plain"]
    narrow, wide = (command(*line, env={"COLUMNS": width}).stdout for width in ("30", "300"))
    assert narrow == wide
    assert "wins/ties/losses" in narrow
    assert "─" not in narrow
    assert "--plain is for text" in command(*line, "-f", "json", code=2).stderr
    assert "--plain" in command(*line, "--segment", "2", code=2).stderr
