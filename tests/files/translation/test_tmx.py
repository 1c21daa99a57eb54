"""Translation memories: what their texts are, in which column and row, and what is refused and why."""

import hashlib
import io
import json
import time
import tracemalloc
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.errors import InputError
from tercet.files.limits import Limits
from tercet.files.read import read_table
from tercet.files.table import MOST_COLUMNS
from tercet.files.translation.tmx import pick_language, read_tmx
from texts import PAIRS

DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


def read(document, encoding="utf-8"):
    data = document if isinstance(document, bytes) else document.encode(encoding)
    return read_tmx(io.BytesIO(data), "test.tmx")


def refusal(document):
    with pytest.raises(InputError) as caught:
        read(document)
    assert "test.tmx" in str(caught.value)
    return str(caught.value)


def tuv(language, segment):
    return f"<tuv xml:lang={quoteattr(language)}><seg>{segment}</seg></tuv>"


def tmx(*units, head=""):
    """Write a document of units, each a list of (language, segment as XML); a unit a line, from line 2 on."""
    body = "".join(f"<tu>{''.join(tuv(*variant) for variant in unit)}</tu>\n" for unit in units)
    return f'{head}<tmx version="1.4"><header srclang="en"/><body>\n{body}</body></tmx>'


def encoded(encoding):
    return f'<?xml version="1.0" encoding="{encoding}"?><tmx/>'


NO_ENCODING, SAVE = ", line 1: the declared encoding cannot be read", "; save the file as UTF-8."
NO_CODE = ", line 2: found <tuv> with the language ''; expected a code in xml:lang"

#: Texts of characters that XML can hold; a parser makes a line feed of a carriage return.
xml_texts = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff") | st.just("\n"))


class TestTexts:
    def test_text_is_what_stands_outside_inline_codes(self):
        cases = [
            ("  two  spaces\tand\na line ", "  two  spaces\tand\na line "),
            ("&lt;b&gt; &amp; &#233;&#x1F389;<![CDATA[<i>]]><!-- no --><?no text?>", "<b> & é🎉<i>"),
            ('A <bpt i="1">[b]</bpt>black<ept i="1">[/b]</ept> cat', "A black cat"),
            ('Click <ph>[img alt="<sub>Start</sub>"]</ph> to <hi>start</hi>.', "Click  to start."),
            ("<it>[i]</it>a<ut>{ut}</ut><hi>b<hi>c</hi><sub>d</sub></hi>", "abcd"),
            ("<ph>a<hi>b</hi></ph>", ""),
            ("", ""),
        ]
        for segment, text in cases:
            assert read(tmx([("en", segment)])).columns == {"en": [text]}

    def test_notes_and_properties_are_none(self):
        inner = '<note>a</note><prop type="x">b</prop>'
        unit = f'<tu>{inner}<tuv xml:lang="en">{inner}<seg>c</seg></tuv></tu>'
        assert read(f"<tmx><header>{inner}</header><body>{unit}</body></tmx>").columns == {"en": ["c"]}

    def test_every_script_in_utf8_and_utf16(self):
        texts = {language: pairs[0][0] for language, pairs in PAIRS.items()}
        for encoding in ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]:
            head = f'<?xml version="1.0" encoding="UTF-{16 if "16" in encoding else 8}"?>' + DOCTYPE
            document = tmx([(language, escape(text)) for language, text in texts.items()], head=head)
            assert read(document, encoding).columns == {language: [text] for language, text in texts.items()}

    def test_a_declared_encoding(self):
        for encoding, text in [("iso-8859-1", "déjà"), ("cp1251", "кошка"), ("ascii", "cat")]:
            head = f'<?xml version="1.0" encoding="{encoding}"?>'
            assert read(tmx([("x", text)], head=head), encoding).columns == {"x": [text]}

    @given(st.lists(st.lists(xml_texts, min_size=2, max_size=2), min_size=1, max_size=5))
    def test_what_is_written_comes_back(self, rows):
        table = read(tmx(*([("en", escape(first)), ("pt-BR", escape(second))] for first, second in rows)))
        assert table.columns == {"en": [row[0] for row in rows], "pt-BR": [row[1] for row in rows]}
        assert len(table.lines) == len(rows)


class TestColumnsAndRows:
    def test_a_language_is_a_column_by_its_first_text_whatever_its_case_and_a_second_text_another(self):
        for units, columns in (
            (([("en", "a"), ("fr", "b")], [("de", "c"), ("en", "d")], []),
             {"en": ["a", "d", None], "fr": ["b", None, None], "de": [None, "c", None]}),
            (([("en-US", "a"), ("FR", "b")], [("fr", "c"), ("EN_us", "d")]), {"en-US": ["a", "d"], "FR": ["b", "c"]}),
            (([("en", "a"), ("EN", "b"), ("en", "c")], [("en", "d")]),
             {"en": ["a", "d"], "en 2": ["b", None], "en 3": ["c", None]}),
        ):  # fmt: skip
            table = read(tmx(*units))
            assert table.columns == columns
            assert list(table.columns) == list(columns)

    def test_tmx_1_1_namespaces_and_variants_without_segment(self):
        old = '<tmx version="1.1"><body><tu><tuv lang="EN"><seg>a</seg></tuv></tu></body></tmx>'
        assert read(old).columns == {"EN": ["a"]}
        document = tmx([("en", "a")])
        for changed in (("<tmx ", '<tmx xmlns="http://www.lisa.org/tmx14" '), ("</tu>", '<tuv xml:lang="fr"/></tu>')):
            assert read(document.replace(*changed)).columns == {"en": ["a"]}

    def test_lines_are_those_on_which_tags_of_units_begin(self):
        spread = '<tmx>\n<body>\n<tu\n a="1"\n>\n<tuv\n xml:lang="{}"\n><seg\n>a</seg></tuv></tu></body></tmx>'
        assert read(spread.format("en")).lines == [3]
        assert refusal(spread.format("")).startswith("test.tmx, line 6: found <tuv> with the language ''")
        document = tmx([("en", "two\nlines")], [("en", "a")], head='<?xml version="1.0"?>\r\n<!--\n-->\n')
        assert read(document).lines == [5, 7]


def test_a_language_is_picked_by_its_code_or_the_beginning_of_it():
    columns = ("EN-US", "pt-BR", "pt-BR 2", "zh", "zh-TW", "sr_Latn", "sr-Cyrl", "por")
    for wanted, found in {
        "en": "EN-US", "en-us": "EN-US", "PT": "pt-BR", "pt_br": "pt-BR", "pt-br 2": "pt-BR 2", "zh": "zh",
        " zh-tw ": "zh-TW", "sr-latn": "sr_Latn",
    }.items():  # fmt: skip
        assert pick_language(columns, wanted) == found
    none = r"^no text is in the language '{}'; found: EN-US, pt-BR, .*por\.$"
    for wanted, message in (
        ("sr", r"^'sr' matches several columns, sr_Latn, sr-Cyrl: give the whole code\.$"),
        *((wanted, none.format(wanted)) for wanted in ["p", "de", "", "en-GB"]),
    ):
        with pytest.raises(InputError, match=message):
            pick_language(columns, wanted)


class TestRefusals:
    def test_the_message_names_the_line_what_was_found_and_expected(self):
        for document, message in [
            ("", " is empty; expected a TMX file."),
            ("<tmx>", ", line 1: malformed XML at column 6 (no element found)."),
            ("<html></html>", ", line 1: found a document of <html>; expected <tmx>."),
            ("<tmx><body/></tmx>", " is empty; expected translation units (<tu>) in <body>."),
            ("<tmx>\n<tu/></tmx>", ", line 2: found <tu> in <tmx>; expected it in <body>."),
            ("<tmx><body><tuv/></body></tmx>", ", line 1: found <tuv> in <body>; expected it in <tu>."),
            ("<tmx><body><tu><seg/></tu></body></tmx>", ", line 1: found <seg> in <tu>; expected it in <tuv>."),
            (tmx([("en", "a</seg><seg>b")]), ", line 2: found a second <seg> in a <tuv>; expected one."),
            (tmx([("", "a")]), f"{NO_CODE}, such as 'en'."),
            (tmx([("en", "a & b")]), ", line 2: malformed XML at column 32 (not well-formed (invalid token))."),
            (
                tmx([("en", "&nbsp;")], head=DOCTYPE),
                ", line 2: malformed XML at column 29 (undefined entity &nbsp;).",
            ),
            (encoded("shift_jis"), f"{NO_ENCODING} (multi-byte encodings are not supported){SAVE}"),
            (encoded("nonsense"), f"{NO_ENCODING} (unknown encoding: nonsense){SAVE}"),
        ]:
            assert refusal(document) == f"test.tmx{message}"
        assert refusal(tmx([("en", "naïve")]).encode("latin-1")).startswith("test.tmx, line 2: malformed XML")

    def test_declared_entities(self):
        cases = [
            '<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">',
            '<!ENTITY a SYSTEM "file:///etc/passwd">',
            '<!ENTITY % a SYSTEM "http://localhost/a.dtd"> %a;',
            '<!ENTITY a SYSTEM "a.gif" NDATA gif>',
        ]
        for entities in cases:
            document = tmx([("en", "&a;")], head=f'<?xml version="1.0"?>\n<!DOCTYPE tmx [{entities}]>\n')
            message = "declares the entity 'a', which is refused; expected a TMX file without entity"
            assert refusal(document).startswith(f"test.tmx, line 2: {message}")

    def test_a_document_type_is_accepted_and_not_fetched(self):
        public = '<!DOCTYPE tmx PUBLIC "-//LISA OSCAR:1998//DTD for Translation Memory eXchange//EN" "tmx14.dtd" [\n'
        internal = public + "<!ELEMENT x ANY><!ATTLIST x y CDATA #IMPLIED>]>"
        for head in (DOCTYPE, '<!DOCTYPE tmx SYSTEM "http://localhost:9/tmx14.dtd">', internal):
            assert read(tmx([("en", "a")], head=head)).columns == {"en": ["a"]}

    def test_more_columns_than_a_memory_has_languages(self):
        assert "texts of the language" in refusal(tmx([("en", "a")] * (MOST_COLUMNS + 1)))
        many = [[(f"x-{number}", "a")] for number in range(MOST_COLUMNS + 1)]
        assert f"line {MOST_COLUMNS + 2}: more than {MOST_COLUMNS} different columns" in refusal(tmx(*many))


class TestSizes:
    def test_a_segment_of_any_size_and_elements_within_each_other(self):
        long = "naïve " * 400_000
        assert read(tmx([("en", long)])).columns["en"] == [long]
        # With those around it, 200 are open.
        deep = "<hi>" * 195 + "a" + "</hi>" * 195
        assert read(tmx([("en", deep)])).columns["en"] == ["a"]
        with pytest.raises(
            InputError, match="line 2: elements are nested more than 200 deep; expected at most that in a TMX"
        ):
            read(tmx([("en", f"<hi>{deep}</hi>")]))

    def test_memory_does_not_grow_with_what_is_not_text(self):
        def peak(size):
            note = "x" * size
            document = tmx([("en", f"a<ph>{note}</ph>")] * 20).encode()
            tracemalloc.start()
            read(document)
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return most

        peak(1)  # imports
        assert peak(200_000) < peak(2_000) + 1_000_000


class TestRealFiles:
    def test_every_unit_of_every_file_equals_the_golden_texts(self, sets):
        files = json.loads((sets / "tmx" / "_golden.json").read_text())["files"]
        assert len(files) == 25
        for name, golden in files.items():
            table = read_table(sets / "tmx" / name)
            assert len(table.lines) == golden["tu"], name
            languages = {column.casefold() for column in table.columns if " " not in column}
            assert languages == {language.casefold() for language in golden["languages"]}, name
            found = [
                sorted((column.partition(" ")[0].casefold(), cells[row])
                       for column, cells in table.columns.items() if cells[row] is not None)
                for row in range(golden["tu"])
            ]  # fmt: skip
            cut = next((index for index, unit in enumerate(golden["units"]) if "tuv" not in unit), None)
            if cut is not None:
                found[cut : len(found) - (len(golden["units"]) - cut - 1)] = []
            expected = [unit["tuv"] for unit in golden["units"] if "tuv" in unit]
            assert found == [sorted((tag.casefold(), text) for tag, text, _ in unit) for unit in expected], name
            if "units_sha256" in golden:
                columns = table.columns.items()
                texts = "".join(f"{name}\t{cells[row]}\n" for row in range(golden["tu"]) for name, cells in columns)
                assert hashlib.sha256(texts.encode()).hexdigest() == golden["units_sha256"], name

    def test_lines_point_at_the_units(self, sets):
        path = sets / "tmx" / "tico19__all.en-pt-BR.tmx"
        lines = path.read_text(encoding="utf-8").split("\n")
        assert all("<tu " in lines[line - 1] for line in read_table(path).lines)


class TestHostileBytes:
    """Whatever a file holds: a table, or an InputError that names it."""

    def is_table_or_refusal(self, data):
        try:
            table = read(data)
        except InputError as error:
            return str(error).startswith("test.tmx")
        return {len(cells) for cells in table.columns.values()} <= {len(table.lines)}

    @given(st.integers(0, 400), st.binary(max_size=3), st.sampled_from(["utf-8", "utf-16"]))
    def test_truncated_and_damaged_files(self, place, damage, encoding):
        head = f'<?xml version="1.0" encoding="{encoding}"?>{DOCTYPE}'
        document = tmx([("en", "a<ph>b</ph>"), ("fr", "é")], head=head).encode(encoding)
        assert self.is_table_or_refusal(document[:place])
        assert self.is_table_or_refusal(document[:place] + damage + document[place + len(damage) :])

    @given(st.lists(st.sampled_from(["<tmx>", "<body>", "<tu>", '<tuv lang="en">', "<seg>", "<ph>", "a", "</seg>"])))
    def test_elements_anywhere(self, pieces):
        assert self.is_table_or_refusal("<tmx><body>" + "".join(pieces))


LARGE = ["<!--{}-->", "<?note {}?>", "<header creationtool='{}'/>", "<body><tu><prop type='{}'/></tu></body>"]
UNIT = '<tu><tuv xml:lang="en"><seg>a</seg></tuv></tu>'


class TestSize:
    """Time and memory go with the file, and with no square of a tag."""

    @pytest.mark.parametrize("large", LARGE)
    @pytest.mark.parametrize("filling", ["x", "x\n"])
    def test_a_large_comment_or_attribute(self, large, filling):
        def document(n_bytes):
            return f"<tmx>{large.format(filling * (n_bytes // len(filling)))}<body>{UNIT}</body></tmx>"

        if large.startswith("<body"):
            assert "column" not in refusal(document(17 << 20))
        else:
            assert read(document(4 << 20)).columns == {"en": ["a"]}
        assert "a tag or comment of more than 16 MiB; expected the tags of a TMX file" in refusal(document(24 << 20))

    def test_a_comment_of_a_hundred_megabytes_is_not_read_again_with_every_piece(self):
        begun = time.process_time()
        assert "a tag or comment of more than 16 MiB" in refusal(f"<tmx><!--{'x' * (100 << 20)}--></tmx>")
        assert time.process_time() - begun < 20  # 96 s

    def test_a_large_segment(self):
        document = f"<tmx><body>{UNIT.replace('a<', 'a b ' * 3_000 + '<')}</body></tmx>".encode()
        with pytest.raises(InputError, match=r"line 1: a segment of more than 9\.77 KiB"):
            read_tmx(io.BytesIO(document), "test.tmx", Limits(line=10_000))
