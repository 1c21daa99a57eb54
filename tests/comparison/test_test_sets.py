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
from tercet.comparison.test_sets import TestSet, read_test_sets
from tercet.errors import InputError
from tercet.files.lines import read_lines, stream_lines
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
    body = "".join(
        "<tu>" + "".join(f'<tuv xml:lang="{code}"><seg>{text}</seg></tuv>' for code, text in unit) + "</tu>\n"
        for unit in units
    )
    return f'<tmx version="1.4">\n<body>\n{body}</body></tmx>'


COLUMNS = {"src": SOURCES, "ref": FIRST, "ref2": SECOND, "online-A": PREDICTIONS, "система": WORSE}
SYSTEMS = {"online-A": PREDICTIONS, "система": WORSE}
BOTH = [[text for text in texts if text] for texts in zip(FIRST, SECOND, strict=True)]


class TestTables:
    def test_roles_are_told_by_names(self, tmp_path):
        for name in ["news.tsv", "news.TAB", "news.tsv.gz"]:
            path = save(tmp_path / name, tsv(COLUMNS))
            if name.endswith("gz"):
                assert path.read_bytes().startswith(b"\x1f\x8b")
            assert read_test_sets([path]) == [TestSet("news", SYSTEMS, BOTH, SOURCES)]
            assert read_test_sets(str(path)) == read_test_sets([path])

    def test_every_format_gives_the_same(self, tmp_path):
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
        quoted = "\n".join(",".join(f'"{cell}"' for cell in row) for row in [rows[0], *map(dict.values, rows)])
        objects = "\n".join(map(json.dumps, rows))
        for name, content in (("news.csv", quoted), ("news.jsonl", objects), ("news.ndjson.gz", objects)):
            assert read_test_sets([save(tmp_path / name, content)]) == [TestSet("news", SYSTEMS, BOTH, SOURCES)]
        codes = dict(zip(COLUMNS, ("en", "pt", "pt 2", "pt-A", "pt-B"), strict=True))
        units = tmx([(codes[key].split()[0], text) for key, text in row.items()] for row in rows)
        options = {"systems": ["PT_a", "pt-B"], "reference_columns": ["pt", "pt 2"], "source_column": "EN"}
        systems = {codes[key]: texts for key, texts in SYSTEMS.items()}
        for name in ("news.tmx", "news.tmx.gz"):
            found = read_test_sets([save(tmp_path / name, units)], **options)
            assert found == [TestSet("news", systems, BOTH, SOURCES)]

    def test_each_is_a_test_set_of_its_own(self, tmp_path):
        paths = [
            save(tmp_path / "b" / "news.tsv", "mt\tref\na\tb\n"),
            save(tmp_path / "talks.v2.csv", "mt,ref\nc,d\n"),
            save(tmp_path / "a" / "news.tsv.gz", "mt\tref\ne\tf\n"),
        ]
        found = read_test_sets(paths)
        assert [(each.name, each.systems) for each in found] == [
            ("b/news", {"mt": ["a"]}), ("talks.v2", {"mt": ["c"]}), ("a/news", {"mt": ["e"]})
        ]  # fmt: skip

    def test_an_id_that_is_repeated_is_told_and_empty_ones_are_not(self, tmp_path):
        path = save(
            tmp_path / "news.tsv", "ID\tmt\tref\n7\ta\tb\n\tc\td\n8\te\tf\n7\ta\tb\n\tg\th\n7\ta\tb\n8\te\tf\n"
        )
        told = (
            r"news\.tsv: the id '7' occurs 3 times, first on lines 2 and 5; 1 more id is repeated\. Each row "
            r"is scored as a separate segment\.$"
        )
        with pytest.warns(UserWarning, match=told):
            read_test_sets(path)
        read_test_sets(save(tmp_path / "good.tsv", "id\tdoc_id\tmt\tref\n7\t1\ta\tb\n8\t1\ta\tb\n"))

    def test_a_parquet_file_is_called_one_whatever_it_holds(self, tmp_path):
        expected = "is, judging by its extension, a Parquet file, which only tercet score --engine ray"
        for content in ("PAR1\x15\x04", "a cat\n"):
            assert expected in refusal(save(tmp_path / "news.Parquet", content))

    def test_columns_that_are_named_win(self, tmp_path):
        path = save(tmp_path / "news.tsv", tsv(COLUMNS))

        def roles(**options):
            (found,) = read_test_sets(path, **options)
            source = next((key for key, texts in COLUMNS.items() if texts == found.source), None)
            return list(found.systems), [each[0] for each in found.references] == FIRST, source

        assert roles(systems="система") == (["система"], True, "src")
        assert roles(systems=["система", "online-A"]) == (["система", "online-A"], True, "src")
        assert roles(systems=["ref2"], reference_columns="ref") == (["ref2"], True, "src")
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
        systems = {"system A": PREDICTIONS, "hyps.human": WORSE}
        assert read_test_sets(path) == [TestSet("set", systems, REFERENCES, None)]

    def test_columns_of_text_that_are_not_read_are_named(self, tmp_path):
        columns = {"src": SOURCES, "ref": FIRST, "mt": PREDICTIONS, "Name of a model": ["one two"] * len(FIRST)}
        path = save(tmp_path / "news.tsv", tsv({**columns, "doc_id": list(map(str, range(len(FIRST))))}))
        with pytest.warns(UserWarning, match="news.tsv: .* not used: 'Name of a model'. .*--system") as told:
            (found,) = read_test_sets(path)
        assert (len(told), list(found.systems)) == (1, ["mt"])
        read_test_sets(path, systems="mt")  # without a warning: what was named is what is read

    def test_what_is_refused(self, tmp_path):
        cases = [
            (
                "e2e.csv", "mr,ref\na,b\n", {},
                "no column was recognized as predictions of a system (choose with --system, "
                "systems=); there are the columns 'mr', 'ref'.",
            ),
            ("mt.tsv", "mt\na\n", {}, "no column was recognized as references (choose with --reference-column,"),
            ("n.tsv", "id\n1\n", {}, "of a system (choose with --system, systems=), or references (choose"),
            ("wide.csv", ",".join(["id", *(f"id {n}" for n in range(29))]) + "\n" + "1," * 29 + "1", {},
             "'id 18' and 10 more."),
            ("t.tmx", tmx([[("en", "a"), ("pt-BR", "b")]]), {},
             "no language was recognized as predictions of a system (choose with --system, "
             "systems=), or references (choose with --reference-column, reference_columns=); there are the languages "
             "'en', 'pt"),
            ("t.tmx", tmx([[("en", "a"), ("pt-BR", "b")]]), {"systems": "pt"}, "no language was recognized as"),
            ("t.tmx", tmx([[("en", "a"), ("fr", "b")]]), {"systems": "pt", "reference_columns": "fr"},
             "no text is in the language 'pt'; found: en, fr."),
            ("t.tmx", tmx([[("zh-CN", "a"), ("zh-TW", "b")]]), {"systems": "zh"}, "several columns, zh-CN, zh-TW"),
            ("t.tmx", tmx([[("pt-BR", "a")]]), {"systems": "pt", "reference_columns": "pt_br"},
             "the column 'pt-BR' is named both as a system and as references."),
            ("t.tmx", tmx([[("en", "a"), ("fr", "b")], [("en", "c")]]), {"systems": "fr", "reference_columns": "en"},
             "line 4, column 'fr': the prediction is missing"),
            ("a.tsv", "mt\tref\na\tb\n", {"systems": ["mtt"]}, "has no column 'mtt'. Did you mean 'mt'?"),
            ("a.tsv", "mt\tref\na\tb\n", {"reference_columns": "reff"}, "has no column 'reff'. Did you mean 'ref'?"),
            ("a.tsv", "mt\tref\na\tb\n", {"source_column": "src"}, "has no column 'src'. Known: mt, ref."),
            ("a.jsonl", '{"mt": "a", "ref": "b", "src": 3}', {"source_column": "src"},
             "line 1, column 'src': expected a text, got 3."),
            ("a.jsonl", '{"mt": "a", "ref": "b"}\n{"ref": "c"}', {}, "line 2, column 'mt': the prediction is"),
            ("a.jsonl", '{"sysA": 3, "ref": "b"}', {}, "no column ('sysA' is not all text) was recognized as"),
            ("a.json", "[]", {}, "is JSON by its name; expected JSON Lines, an object per line (.jsonl)."),
            ("a.jsonl.gz", "{", {}, "line 1: not JSON"),
            ("a.tsv", "mt\tref\nnaïve\tb\n".encode("latin-1"), {}, "line 2: found the byte 0xef, which is not UTF-8"),
            ("a.csv", b"", {}, "is empty"),
        ]  # fmt: skip
        for name, content, options, message in cases:
            path = save(tmp_path / name, content)
            told = refusal([path], **options)
            assert message in told
            assert str(path) in told


class TestTextFiles:
    def test_systems_are_called_as_their_files(self, tmp_path):
        paths = [
            save(tmp_path / "online-A.txt", PREDICTIONS),
            save(tmp_path / "gpt-4.1.hyp.gz", WORSE),
            save(tmp_path / "newstest2017.KIT.4950.en-de", FIRST),
            save(tmp_path / "система", FIRST),
        ]
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
        system, *paths = (
            save(tmp_path / f"{name}.txt", lines)
            for name, lines in (("A", predictions), ("r1", first), ("r2", second))
        )
        (found,) = read_test_sets(system, references=paths)
        assert found.references == [list(texts) for texts in zip(first, second, strict=True)]
        command = [sys.executable, "-m", "sacrebleu", *paths, "-i", system, "-b", "-w", "9"]
        theirs = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
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

        def piped(text):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8"))))

        piped("\n".join(PREDICTIONS))
        (found,) = read_test_sets(["-", system], references=[reference])
        assert found.systems == {"stdin": PREDICTIONS, "A": WORSE}
        piped("\n".join(FIRST) + "\n")
        (found,) = read_test_sets([system], references=["-"])
        assert (found.name, found.references) == ("stdin", [[text] for text in FIRST])
        assert "Standard input (-) can be read only once" in refusal(["-"], references=["-"])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("a\ncafé".encode("latin-1"))))
        assert refusal("-", references=reference).startswith("the standard input, line 2: found the byte 0xe9")

    def test_numbers_of_lines_agree(self, tmp_path):
        cases = [(["a"], ["b", "c"], "1 line and {1} has 2"), ([], ["b"], "0 lines and {1} has 1")]
        for lines, other, counts in cases:
            first, second = save(tmp_path / "A.txt", lines), save(tmp_path / "ref.txt", other)
            expected = (
                f"{str(first)!r} has {counts.format('', repr(str(second)))}; expected a line per segment in each."
            )
            assert refusal(first, references=second) == expected
            further = save(tmp_path / "more.txt", ["x", "y", "z"])
            assert f"{str(further)!r} has 3 lines" in refusal(second, references=[second, further])
            assert f"{str(further)!r} has 3 lines" in refusal(second, references=[second], source=further)

    def test_a_blank_line_at_the_end_is_a_segment(self, tmp_path):
        first, second = save(tmp_path / "A.txt", "a\n\n"), save(tmp_path / "ref.txt", "b\n")
        assert "has 2 lines and" in refusal(first, references=second)

    def test_bytes_that_are_no_text(self, tmp_path):
        reference = save(tmp_path / "ref.txt", ["a", "b"])
        path = save(tmp_path / "latin.txt", "a\ncafé\n".encode("latin-1"))
        message = f"{path}, line 2: found the byte 0xe9, which is not UTF-8; expected text saved as UTF-8."
        assert refusal(path, references=reference) == message
        assert "line 1: found a NUL" in refusal(save(tmp_path / "nul.txt", b"a\0\nb\n"), references=reference)

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

    def test_files_that_are_not_there(self, tmp_path):
        reference = save(tmp_path / "ref.txt", ["a"])
        for path in (tmp_path / "none.txt", tmp_path / "none.txt.gz", tmp_path):
            assert repr(str(path)) in refusal(path, references=reference)
            assert "cannot be read: " in refusal(reference, references=path)
        assert "cannot be read: No such file" in refusal(tmp_path / "none.tsv")

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
        expected = (
            f"{str(table)!r} is a table, with references of its own, and {str(text)!r} is a separate file. Give"
        )
        assert refusal([text, table]).startswith(expected)
        assert refusal([table], references=text).startswith(expected)
        assert refusal([table], source=text).startswith(expected)
        assert refusal([table, "-"]).startswith(f"{str(table)!r} is a table, with references of its own, and '-' is")
        assert f"{str(table)!r} is a table, and {str(text)!r} is a text file" in refusal(text, references=table)
        assert f"{str(table)!r} is a table" in refusal(text, references=text, source=table)

    def test_translation_memories_and_references_in_another_form(self, files, tmp_path):
        memory = str(tmp_path / "engine.tmx")
        for other in files:
            told = refusal(memory, references=other)
            assert told.startswith("Systems in TMX files need references in a TMX file")
            assert f"{str(other)!r} is none" in told

    def test_text_files_and_columns(self, files):
        _, text = files
        for option in ("systems", "reference_columns", "source_column"):
            message = refusal(text, references=text, **{option: "mt"})
            assert message.startswith(f"'mt' is the name of a column, but {str(text)!r} is a text file")

    def test_text_files_without_references(self, files):
        _, text = files
        message = refusal(text)
        assert "needs references: give a text file with a reference per line (--references, references=)" in message
        assert ".xlsx .xlsm: rename it if it has columns" in message

    def test_nothing(self, files):
        _, text = files
        assert refusal([]).startswith("No file was given")
        empty = save(text.parent / "empty.txt", "")
        assert refusal(empty, references=empty) == f"{str(empty)!r} is empty; expected a reference per line."


class TestRealFiles:
    def test_every_set_of_json_lines(self, sets):
        """Rows have an object of systems each; their names are the columns, whatever they say."""
        for path in sorted(sets.glob("*.jsonl*")):
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8", newline="\n") as file:
                rows = [json.loads(line) for line in file]
            (found,) = read_test_sets(path)
            assert found.name == path.name.partition(".")[0]
            assert found.references == [row["refs"] for row in rows], path
            assert found.systems == {name: [row["hyps"][name] for row in rows] for name in rows[0]["hyps"]}, path
            assert found.source == ([row["src"] for row in rows] if "src" in rows[0] else None), path


def test_what_is_no_name_is_refused():
    for name in ("files", "references", "source", "systems"):
        for wrong in (3, [3], ["a.tsv", None], b"a.tsv", [b"a.tsv"], 1.5, [["a.tsv"]]):
            with pytest.raises(InputError, match="given by name"):
                read_test_sets(**{"files": "a.txt", name: wrong})
