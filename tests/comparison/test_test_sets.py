"""Test sets from files: which file holds what, how systems are called, and what is refused and why."""

import gzip
import io
import json
import subprocess
import sys
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tercet
from tercet.comparison.compare import compare
from tercet.errors import InputError, for_command_line
from tercet.files.lines import read_lines, stream_lines
from tercet.test_sets.read import read_test_sets
from tercet.test_sets.test_set import TestSet
from texts import all_pairs, any_texts

PREDICTIONS, REFERENCES = all_pairs()
FIRST = [texts[0] for texts in REFERENCES]
SECOND = [texts[1] if len(texts) > 1 else "" for texts in REFERENCES]
WORSE = [text[::-1] for text in PREDICTIONS]
SOURCES = [f"source of {text}" for text in PREDICTIONS]


def save(path, content):
    """Write bytes, a text, or lines; packed where the name says so."""
    if isinstance(content, list):
        content = "".join(line + "\n" for line in content)
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def refusal(*arguments, **options):
    with pytest.raises(InputError) as caught:
        read_test_sets(*arguments, **options)
    return str(caught.value)


def tsv(columns):
    return "\n".join("\t".join(row) for row in [list(columns), *zip(*columns.values(), strict=True)])


def tmx(units):
    tuvs = ["".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in unit) for unit in units]
    body = "".join(f"<tu>{each}</tu>\n" for each in tuvs)
    return f'<tmx version="1.4">\n<body>\n{body}</body></tmx>'


COLUMNS = {"src": SOURCES, "ref": FIRST, "ref2": SECOND, "online-A": PREDICTIONS, "система": WORSE}
SYSTEMS = {"online-A": PREDICTIONS, "система": WORSE}
BOTH = [[text for text in texts if text] for texts in zip(FIRST, SECOND, strict=True)]


class TestTables:
    def test_names_tell_the_roles(self, tmp_path):
        for name in ["news.tsv", "news.TAB", "news.tsv.gz"]:
            path = save(tmp_path / name, tsv(COLUMNS))
            assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith("gz")
            assert read_test_sets([path]) == read_test_sets(str(path)) == [TestSet("news", SYSTEMS, BOTH, SOURCES)]

    def test_every_format_gives_the_same(self, tmp_path):
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
        quoted = "\n".join(",".join(f'"{cell}"' for cell in row) for row in [rows[0], *map(dict.values, rows)])
        objects = "\n".join(map(json.dumps, rows))
        for name, content in (("news.csv", quoted), ("news.jsonl", objects), ("news.ndjson.gz", objects)):
            assert read_test_sets([save(tmp_path / name, content)]) == [TestSet("news", SYSTEMS, BOTH, SOURCES)]
        codes = dict(zip(COLUMNS, ("en", "pt", "pt 2", "pt-A", "pt-B"), strict=True))
        units = tmx([(codes[key].split()[0], text) for key, text in row.items()] for row in rows)
        options = {"systems": ["PT_a", "pt-B"], "reference_columns": ["pt", "pt 2"], "source_column": "EN"}
        expected = TestSet("news", {codes[key]: texts for key, texts in SYSTEMS.items()}, BOTH, SOURCES)
        for name in ("news.tmx", "news.tmx.gz"):
            assert read_test_sets([save(tmp_path / name, units)], **options) == [expected]

    def test_each_is_a_test_set_of_its_own(self, tmp_path):
        files = {
            "b/news.tsv": "mt\tref\na\tb\n", "talks.v2.csv": "mt,ref\nc,d\n", "a/news.tsv.gz": "mt\tref\ne\tf\n"
        }  # fmt: skip
        found = read_test_sets([save(tmp_path / name, content) for name, content in files.items()])
        assert [each.name for each in found] == ["b/news", "talks.v2", "a/news"]
        assert [each.systems for each in found] == [{"mt": [text]} for text in "ace"]

    @pytest.mark.parametrize("spelling", ["nan", "NaN", "None", "NULL", "null", "<NA>"])
    def test_a_missing_cell_that_a_program_wrote_is_no_word(self, tmp_path, spelling):
        rows = f"mt\tref\na cat\tthe cat\na dog\t{spelling}\nit rains\t{spelling}\n"
        message = rf"news\.tsv, line 3, column 'ref': the text is '{spelling}', .* 2 texts are so in this column"
        with pytest.warns(UserWarning, match=message):
            read_test_sets(save(tmp_path / "news.tsv", rows))
        # An answer of both sides is none.
        read_test_sets(save(tmp_path / "answers.tsv", f"{rows}{spelling}\tsome\n"))

    def test_an_id_that_is_repeated_is_reported_and_empty_ones_are_not(self, tmp_path):
        rows = "ID\tmt\tref\n7\ta\tb\n\tc\td\n8\te\tf\n7\ta\tb\n\tg\th\n7\ta\tb\n8\te\tf\n"
        message = (
            r"news\.tsv: the id '7' occurs 3 times, first on lines 2 and 5; 1 more id is repeated\. Each row "
            r"is scored as a separate segment; cluster='ID' resamples those of an id together\.$"
        )
        with pytest.warns(UserWarning, match=message):
            read_test_sets(save(tmp_path / "news.tsv", rows))
        read_test_sets(save(tmp_path / "good.tsv", "id\tdoc_id\tmt\tref\n7\t1\ta\tb\n8\t1\ta\tb\n"))

    def test_columns_that_are_named_win(self, tmp_path):
        path = save(tmp_path / "news.tsv", tsv(COLUMNS))

        def roles(**options):
            (found,) = read_test_sets(path, **options)
            source = next((key for key, texts in COLUMNS.items() if texts == found.source), None)
            return list(found.systems), [each[0] for each in found.references] == FIRST, source

        assert roles(systems="система") == (["система"], True, "src")
        assert roles(systems=["система", "online-A"]) == (["система", "online-A"], True, "src")
        assert roles(systems=["ref2"], reference_columns="ref") == (["ref2"], True, "src")
        with pytest.warns(
            UserWarning, match="'src' is taken as a system, but its name says the source: were the two"
        ):
            assert roles(systems=["src"]) == (["src"], True, "src")  # a copy of the source is a baseline
        assert roles(reference_columns=["online-A"]) == (["система"], False, "src")
        assert roles(source_column="online-A") == (["система"], True, "online-A")
        (found,) = read_test_sets(path, systems=["ref2"])
        assert found.references == [[text] for text in FIRST]

    def test_empty_cells(self, tmp_path):
        path = save(tmp_path / "news.tsv", "src\tmt\tref\tref2\n\t\ta\tb\nc\td\t\t\n")
        assert read_test_sets(path) == [TestSet("news", {"mt": ["", "d"]}, [["a", "b"], []], ["", "c"])]

    def test_systems_within_an_object(self, tmp_path):
        rows = [
            {"refs": texts, "hyps": {"system A": text, "human": worse}}
            for texts, text, worse in zip(REFERENCES, PREDICTIONS, WORSE, strict=True)
        ]
        path = save(tmp_path / "set.jsonl.gz", [json.dumps(row, ensure_ascii=False) for row in rows])
        expected = TestSet("set", {"system A": PREDICTIONS, "hyps.human": WORSE}, REFERENCES, None)
        assert read_test_sets(path) == [expected]

    def test_columns_of_text_that_are_not_read_are_named(self, tmp_path):
        columns = {"src": SOURCES, "ref": FIRST, "mt": PREDICTIONS, "Name of a model": ["one two"] * len(FIRST)}
        path = save(tmp_path / "news.tsv", tsv({**columns, "doc_id": list(map(str, range(len(FIRST))))}))
        with pytest.warns(UserWarning, match="news.tsv: .* not used: 'Name of a model'. .*: systems=.$") as caught:
            (found,) = read_test_sets(path)
        assert (len(caught), list(found.systems)) == (1, ["mt"])
        read_test_sets(path, systems="mt")  # without a warning: what was named is what is read

    def test_what_is_refused(self, tmp_path):
        no = "no {} was recognized as predictions of a system (choose with systems=)"
        pair, two = tmx([[("en", "a"), ("pt-BR", "b")]]), tmx([[("en", "a"), ("fr", "b")]])
        wide = ",".join(["id", *(f"id {n}" for n in range(29))]) + "\n" + "1," * 29 + "1"
        row = "mt\tref\na\tb\n"
        cases = [
            ("e2e.csv", "mr,ref\na,b\n", {}, no.format("column") + "; there are the columns 'mr' and 'ref'."),
            ("mt.tsv", "mt\na\n", {}, "no column was recognized as references (choose with reference_columns=)"),
            ("e.tsv", "mt\tref\n猫\t\n", {}, "no column ('ref' is empty in every row) was recognized as references"),
            ("e.tsv", "mt\tref\n\t猫\n", {}, "no column ('mt' is empty in every row) was recognized as predictions"),
            ("n.tsv", "id\n1\n", {}, "of a system (choose with systems=), or references (choose"),
            ("wide.csv", wide, {}, "'id 18' and 10 more."),
            ("t.tmx", pair, {}, no.format("language") + ", or references (choose with "
             "reference_columns=); there are the languages 'en' and 'pt"),
            ("t.tmx", pair, {"systems": "pt"}, "no language was recognized as"),
            ("t.tmx", two, {"systems": "pt", "reference_columns": "fr"}, "is in the language 'pt'; found: en, fr."),
            ("t.tmx", tmx([[("zh-CN", "a"), ("zh-TW", "b")]]), {"systems": "zh"}, "several columns, zh-CN, zh-TW"),
            ("t.tmx", tmx([[("pt-BR", "a")]]), {"systems": "pt", "reference_columns": "pt_br"},
             "the column 'pt-BR' is named both as a system and as references."),
            ("t.tmx", tmx([[("en", "a"), ("fr", "b")], [("en", "c")]]), {"systems": "fr", "reference_columns": "en"},
             "line 4, column 'fr': the prediction is missing"),
            ("a.tsv", row, {"systems": ["mtt"]}, "has no column 'mtt'. Did you mean 'mt'?"),
            ("a.tsv", row, {"reference_columns": "reff"}, "has no column 'reff'. Did you mean 'ref'?"),
            ("a.tsv", row, {"source_column": "src"}, "has no column 'src'. Known: mt, ref."),
            ("a.jsonl", '{"mt": "a", "ref": "b", "src": 3}', {"source_column": "src"},
             "line 1, column 'src': expected a text, got 3."),

            ("a.jsonl", '{"sysA": 3, "ref": "b"}', {}, "no column ('sysA' has values that are not text) was recogn"),
            ("a.json", "[]", {}, "is not a log of inspect-ai with samples, nor a table, such as an array of objects "
             '[{"prediction": "text", "reference": "text"}]: found [].'),
            ("a.jsonl.gz", "{", {}, "line 1: not JSON"),

            ("a.csv", b"", {}, "is empty"),
            *((f"news.{end}", content, {}, "is not a Parquet file, or is damaged: ArrowInvalid: ")
              for end, content in (("parquet", "PAR1\x15\x04"), ("Parquet", "a cat\n"))),
        ]  # fmt: skip
        for name, content, options, message in cases:
            path = save(tmp_path / name, content)
            error = refusal([path], **options)
            assert message in error
            assert str(path) in error


class TestTextFiles:
    def test_systems_are_called_as_their_files(self, tmp_path):
        files = {"online-A.txt": PREDICTIONS, "gpt-4.1.hyp.gz": WORSE, "newstest2017.KIT.4950.en-de": FIRST,
                 "система": FIRST}  # fmt: skip
        paths = [save(tmp_path / name, lines) for name, lines in files.items()]
        reference, source = save(tmp_path / "news.de", FIRST), save(tmp_path / "news.en.gz", SOURCES)
        (found,) = read_test_sets(paths, references=reference, source=source)
        systems = {"online-A": PREDICTIONS, "gpt-4.1": WORSE, "newstest2017.KIT.4950.en-de": FIRST, "система": FIRST}
        assert found == TestSet("news", systems, [[text] for text in FIRST], SOURCES)
        assert list(found.systems) == list(systems)

    def test_names_that_clash_get_more(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        names = ["A/out.txt", "B/out.txt", "C.txt", "x/D/out.txt", "y/D/out.txt", "E.hyp", "E.mt", "mt.txt"]
        for name in names:
            save(tmp_path / name, ["a"])
        save(tmp_path / "ref.txt", ["b"])
        (found,) = read_test_sets(names, references=["ref.txt"])
        assert list(found.systems) == ["A/out", "B/out", "C", "x/D/out.txt", "y/D/out.txt", "E.hyp", "E.mt", "mt"]
        assert refusal(["C.txt", "C.txt"], references=["ref.txt"]) == "The file 'C.txt' is given twice."
        assert refusal(["C.txt"], references=["mt.txt"] * 2) == "The file 'mt.txt' is given twice as references."

    def test_lines_of_every_script(self, tmp_path):
        predictions, references = all_pairs()
        predictions = ["", *predictions, "", "a\u2028b\x0cc\x85d"]
        references = ["x", *(texts[0] for texts in references), "y", ""]
        for end, bom in product(("\n", "\r\n"), ("", "\ufeff")):
            system = save(tmp_path / "A.txt", bom + end.join(predictions))  # the last line without its end
            reference = save(tmp_path / "ref.txt", bom + "".join(text + end for text in references))
            (found,) = read_test_sets([system], references=[reference])
            assert found == TestSet("ref", {"A": predictions}, [[text] for text in references], None)

    def test_an_empty_line_is_an_empty_reference_as_in_sacrebleu(self, tmp_path):
        """Of 40 segments three have an empty line in one or both files; it is the closest in length."""
        predictions, references = all_pairs(("en", "es", "fr", "de", "ru"))
        predictions = predictions * 4
        first = [texts[0] + " " + texts[0] for texts in references * 4]
        second = [texts[-1] + " " + texts[0] for texts in references * 4]
        predictions[5] = predictions[2] = "so"
        first[5] = second[2] = first[9] = second[9] = ""
        files = (("A.txt", predictions), ("r1.txt", first), ("r2.txt", second))
        system, *paths = (save(tmp_path / name, lines) for name, lines in files)
        (found,) = read_test_sets(system, references=paths)
        assert found.references == [list(texts) for texts in zip(first, second, strict=True)]
        command = [sys.executable, "-m", "sacrebleu", *paths, "-i", system, "-b", "-w", "9"]
        theirs = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
        with pytest.warns(UserWarning, match="exact copies of earlier ones"):
            (table,) = compare(found, ["bleu_multi:compat=sacrebleu"], test=None).tables
        assert table.rows[0].value == pytest.approx(theirs, abs=1e-8)
        dropped = [[text for text in texts if text] or [""] for texts in found.references]
        without = tercet.score("bleu_multi", predictions, dropped, compat="sacrebleu", scale=100)["bleu"]
        assert abs(without - theirs) > 0.1

    def test_of_an_empty_line_in_every_file_too(self, tmp_path):
        system = save(tmp_path / "A.txt", ["a", "b", "c"])
        first, second = save(tmp_path / "r1.txt", ["d", "", ""]), save(tmp_path / "r2.txt", ["e", "f", ""])
        (found,) = read_test_sets(system, references=[first, second])
        assert (found.name, found.references) == ("r1", [["d", "e"], ["", "f"], ["", ""]])
        assert read_test_sets(system, references=first)[0].references == [["d"], [""], [""]]

    def test_one_may_be_the_standard_input(self, tmp_path, monkeypatch):
        reference, system = save(tmp_path / "ref.txt", FIRST), save(tmp_path / "A.txt", WORSE)

        def piped(text, encoding="utf-8"):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode(encoding))))

        piped("\n".join(PREDICTIONS))
        (found,) = read_test_sets(["-", system], references=[reference])
        assert found.systems == {"stdin": PREDICTIONS, "A": WORSE}
        piped("\n".join(PREDICTIONS))
        comparison = tercet.compare(["piped=-", system], "chrf", references=str(reference))
        assert list(comparison.test_set.systems) == ["piped", "A"]
        piped("\n".join(FIRST) + "\n")
        (found,) = read_test_sets([system], references=["-"])
        assert (found.name, found.references) == ("stdin", [[text] for text in FIRST])
        assert "Standard input (-) can be read only once" in refusal(["-"], references=["-"])
        piped("a\ncafé", "latin-1")
        assert refusal("-", references=reference).startswith("the standard input, line 2: found the byte 0xe9")

    def test_numbers_of_lines_agree(self, tmp_path):
        further = save(tmp_path / "more.txt", ["x", "y", "z"])
        for lines, other, counts in (
            (["a"], ["b", "c"], "1 line and {} has 2"), ([], ["b"], "0 lines and {} has 1"),
            (["a", ""], ["b"], "2 lines and {} has 1"),  # a blank line at the end is a segment, and is named
        ):  # fmt: skip
            first, second = save(tmp_path / "A.txt", lines), save(tmp_path / "ref.txt", other)
            expected = f"{str(first)!r} has {counts.format(repr(str(second)))}; expected a line per segment in each."
            if lines[-1:] == [""]:
                expected += f" The last line of {str(first)!r} is empty."
            assert refusal(first, references=second) == expected
            assert f"{str(further)!r} has 3 lines" in refusal(second, references=[second, further])
            assert f"{str(further)!r} has 3 lines" in refusal(second, references=[second], source=further)

    def test_archives_that_are_broken(self, tmp_path):
        whole = gzip.compress(b"mt\tref\n" + bytes(range(32, 127)) * 50)
        flipped = bytearray(whole)
        flipped[len(whole) // 2] ^= 0xFF
        for name in ("A.txt.gz", "A.tsv.gz", "A.tmx.gz", "A.jsonl.gz"):
            reference, path = [save(tmp_path / "ref.txt", ["a"])] if ".txt" in name else [], tmp_path / name
            for data in (whole[:-9], whole[:20], b"plain text\n", bytes(flipped), whole[:-8] + b"\0" * 8):
                path.write_bytes(data)
                message = refusal(path, references=reference)
                assert repr(str(path)) in message
                assert "cannot be read" in message

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
    @given(st.lists(any_texts.filter(lambda text: not {*"\0\n\r"} & {*text}), min_size=1))
    def test_any_lines_come_back(self, tmp_path, lines):
        lines[0] = lines[0].removeprefix("\ufeff")
        path = save(tmp_path / "A.txt", lines)
        assert read_lines(str(path)) == lines
        assert list(stream_lines(str(path))) == lines


class TestWhatDoesNotGoTogether:
    @pytest.fixture
    def files(self, tmp_path):
        return save(tmp_path / "news.tsv", "mt\tref\na\tb\n"), save(tmp_path / "A.txt", ["a"])

    def test_tables_and_text_files(self, files):
        table, text = files
        expected = f"{str(table)!r} is a table or a log, and {str(text)!r} is a text file, whose lines have no ids"
        assert refusal([text, table]).startswith(expected)
        for option in ("references", "source"):
            assert refusal([table], **{option: text}).startswith(expected)
        in_python = "with all systems, references (reference_columns=) and sources (source_column=) as columns"
        assert in_python in refusal([text, table])
        with for_command_line():
            on_command_line = "references (--reference-column) and sources (--source-column) as columns"
            assert on_command_line in refusal([text, table])
        assert refusal([table, "-"]).startswith(f"{str(table)!r} is a table or a log, and '-' is a text file")
        assert f"{str(table)!r} is a table, and {str(text)!r} is a text file" in refusal(
            text, references=text, source=table
        )

    def test_translation_memories_and_references_in_another_form(self, files, tmp_path):
        for other in files:
            error = refusal(str(tmp_path / "engine.tmx"), references=other)
            assert error.startswith("Systems in TMX files need references in TMX, XLIFF or PO files")
            assert f"{str(other)!r} is not one" in error

    def test_text_files_and_columns(self, files):
        _, text = files
        for option in ("systems", "reference_columns", "source_column"):
            message = refusal(text, references=text, **{option: "mt"})
            assert message.startswith(f"'mt' is the name of a column, but {str(text)!r} is a text file")

    def test_text_files_without_references_and_nothing(self, files):
        _, text = files
        message = refusal(text)
        assert "needs references: give a text file with a reference per line (references=)" in message
        assert ".arrow .feather" in message
        assert "rename it if it has columns" in message
        assert refusal([]).startswith("No file was given")
        empty = save(text.parent / "empty.txt", "")
        assert refusal(empty, references=empty) == f"{str(empty)!r} is empty; expected a reference per line."


def test_what_is_no_name_is_refused():
    for name in ("files", "references", "source", "systems"):
        for wrong in (3, [3], ["a.tsv", None], b"a.tsv", [b"a.tsv"], 1.5, [["a.tsv"]]):
            with pytest.raises(InputError, match="given by name"):
                read_test_sets(**{"files": "a.txt", name: wrong})
