"""Files of translators, XLIFF and PO: what is a text, what is none, and what is compared with what."""

import io
import random
from xml.sax.saxutils import escape

import polib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from translate.convert.po2xliff import po2xliff
from translate.storage import po, xliff, xliff2

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.limits import Limits
from tercet.files.translation.po import _unsplit, read_po
from tercet.files.translation.xliff import read_xliff

#: Two proposals for each of two units; one that no one has translated, one without a target, one that is code.
PROPOSALS = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en" target-language="de-AT" original="a" datatype="plaintext"><body><group id="g">
<trans-unit id="1"><source>The <g id="1">harbour</g> is <ph id="2">{x}</ph>calm.</source>
  <target state="final">Der <g id="1">Hafen</g> ist ruhig.</target>
  <alt-trans origin="DeepL"><source>The port is calm.</source><target>Der Hafen ist still.</target></alt-trans>
  <alt-trans tool="Own  MT"><target>Hafen <it id="1" pos="open">&lt;b&gt;</it>ruhig.</target></alt-trans></trans-unit>
</group>
<trans-unit id="2"><source>The boat sails.</source><target state="translated">Das Boot segelt.</target>
  <alt-trans origin="deepl"><target>Das Boot fährt.</target></alt-trans>
  <alt-trans tool="Own MT"><target>Boot segelt.</target></alt-trans></trans-unit>
<trans-unit id="3"><source>Not yet.</source><target state="needs-translation">Not yet.</target></trans-unit>
<trans-unit id="4"><source>Never.</source><target/></trans-unit>
<trans-unit id="5" translate="no"><source>x = 1</source><target>x = 1</target></trans-unit>
</body></file></xliff>
"""
SDL = """<?xml version="1.0" encoding="utf-8"?>
<xliff xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
<file original="c" source-language="en-US" target-language="ru-RU"><header><reference>
<internal-file form="base64">UEsDBBQ</internal-file></reference></header><body>
<trans-unit id="u"><source>The sea. The wind blows. Fog.</source>
<seg-source><mrk mtype="seg" mid="1">The sea.</mrk> <mrk mtype="seg" mid="2">The <g id="3">wind</g>
 blows.</mrk> <mrk mtype="seg" mid="3">Fog.</mrk></seg-source>
<target><mrk mtype="seg" mid="1">Море.</mrk> <mrk mtype="seg" mid="2">Дует <g id="3">ветер</g>.</mrk> <mrk mtype="seg"
 mid="3"/></target><sdl:seg-defs><sdl:seg id="1" conf="Translated" origin="mt" percent="100"/>
<sdl:seg id="2" conf="ApprovedTranslation"/><sdl:seg id="3"/></sdl:seg-defs></trans-unit></body></file></xliff>
"""
SECOND = """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="ja"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><file id="f"><unit id="1"><mtc:matches>
<mtc:match ref="#m1" origin="NMT"><source>Fog.</source><target>霧。</target></mtc:match>
<mtc:match ref="#s2" origin="NMT"><source>x</source><target>波が高い</target></mtc:match>
<mtc:match ref="#s9" origin="NMT"><source>x</source><target>猫</target></mtc:match></mtc:matches>
<originalData><data id="d1">&lt;b&gt;</data></originalData>
<segment id="s1" state="final"><source><mrk id="m1" type="mtc:match">Fog</mrk>.</source>
<target>霧だ。</target></segment>
<ignorable><source> </source></ignorable>
<segment id="s2"><source>Waves are <pc id="1">high</pc>.<ph id="2"/></source>
<target>波は<pc id="1">高い</pc>。<cp hex="0007"/></target></segment></unit></file></xliff>
"""


def parse(text, reader=read_xliff, **limits):
    data = text if isinstance(text, bytes) else text.encode()
    return reader(io.BytesIO(data), "file", Limits(**limits) if limits else Limits())


def document(units, target="de"):
    body = "".join(
        f'<trans-unit id="{number}"><source>{escape(source)}</source><target>{escape(text)}</target></trans-unit>'
        for number, (source, text) in enumerate(units.items(), 1)
    )
    languages = f'source-language="en" target-language="{target}"'
    return f'<xliff version="1.2"><file {languages}><body>{body}</body></file></xliff>'


class TestXliff:
    def test_targets_and_proposals_by_origin_without_the_content_of_codes(self):
        with pytest.warns(UserWarning, match=r"not translated are left out: needs-translation \(1\)"):
            memory = parse(PROPOSALS)
        assert memory.columns == {
            "en": ["The harbour is calm.", "The boat sails.", "Not yet.", "Never."],
            "de-AT": ["Der Hafen ist ruhig.", "Das Boot segelt.", None, None],
            "de-AT DeepL": ["Der Hafen ist still.", "Das Boot fährt.", None, None],
            "de-AT Own MT": ["Hafen ruhig.", "Boot segelt.", None, None],
        }
        assert (memory.key_column, memory.target_language, memory.lines) == ("en", "de-AT", [4, 9, 12, 13])
        assert memory.labels["state"] == ["final", "translated", "needs-translation", ""]

    def test_segments_of_trados_with_what_was_confirmed(self):
        memory = parse(SDL)
        assert memory.columns == {
            "en-US": ["The sea.", "The wind\n blows.", "Fog."],
            "ru-RU": ["Море.", "Дует ветер.", None],
        }
        assert memory.labels == {
            "id": ["u 1", "u 2", "u 3"], "state": ["Translated", "ApprovedTranslation", ""]
        }  # fmt: skip

    def test_segments_and_matches_of_version_2(self):
        assert parse(SECOND).columns == {
            "en": ["Fog.", "Waves are high."],
            "ja": ["霧だ。", "波は高い。\a"],
            "ja NMT": ["霧。", "波が高い"],
        }

    def test_a_match_of_the_unit_is_of_none_of_its_segments_without_ids(self):
        memory = parse(SECOND.replace(' id="s1"', "").replace(' id="s2"', "").replace('"#s9"', '"#1"'))
        assert memory.columns["en"] == ["Fog.", "Waves are high."]
        # By the mark that is within it.
        assert memory.columns["ja NMT"] == ["霧。", None]

    def test_a_segmented_source_within_a_segment_is_none(self):
        segment = "<segment><seg-source>x</seg-source><source>海</source><target>Море.</target></segment>"
        text = f'<xliff version="2.0" srcLang="zh" trgLang="ru"><file><unit id="1">{segment}</unit></file></xliff>'
        assert parse(text).columns == {"zh": ["海"], "ru": ["Море."]}

    def test_files_of_the_translate_toolkit(self):
        """Of versions 1.1 and 2.0, as the package writes them."""
        first = xliff.xlifffile()
        first.setsourcelanguage("en")
        first.settargetlanguage("ar")
        unit = first.addsourceunit("The <b>sea</b> & sky")
        unit.target = "البحر والسماء"
        unit.addalttrans("البحر، السماء", origin="DeepL")
        assert parse(bytes(first)).columns == {
            "en": ["The <b>sea</b> & sky"], "ar": ["البحر والسماء"], "ar DeepL": ["البحر، السماء"]
        }  # fmt: skip
        second = xliff2.Xliff2File()
        second.setsourcelanguage("en")
        second.settargetlanguage("ja")
        second.addsourceunit("Fog").target = "霧"
        assert parse(bytes(second)).columns == {"en": ["Fog"], "ja": ["霧"]}

    @given(
        st.lists(
            st.tuples(st.text("ab<&é猫\n ", min_size=1), st.text("xy>'\"я ", min_size=1)), min_size=1, max_size=5
        )
    )
    def test_any_texts_come_back_as_the_toolkit_wrote_them(self, pairs):
        store = xliff.xlifffile()
        store.setsourcelanguage("en")
        store.settargetlanguage("ru")
        for source, target in pairs:
            store.addsourceunit(source).target = target
        memory = parse(bytes(store))
        assert list(zip(memory.columns["en"], memory.columns["ru"], strict=True)) == pairs

    @pytest.mark.parametrize(
        ("text", "message"),
        {
            "another document": ("<tmx/>", "line 1: found a document of <tmx>; expected <xliff>"),
            "malformed": ("<xliff>\n<file>", "malformed XML"),
            "an entity": ('<!DOCTYPE x [<!ENTITY a "b">]>\n<xliff>&a;</xliff>', "declares the entity 'a', which is"),
            "no unit": ('<xliff srcLang="en" trgLang="de"/>', "is empty; expected units"),
            "no target": (document({"Sea": ""}), "has no target; expected a file with translations"),
            "no language of targets": (
                document({"Sea": "Meer"}).replace(' target-language="de"', ""), "no language of targets"),
            "two languages of targets": (
                "<xliff>" + "".join(f'<file target-language="{code}"/>' for code in ("de", "pt")) + "</xliff>",
                "target language 'pt' after one with 'de'"),
            "one language": (document({"Sea": "Meer"}, "EN"), "the language of sources and targets is 'en'; exp"),
            "a language of spaces": (document({"Sea": "Meer"}, "d e"), "found the language 'd e'; expected a code"),
            **{
                f"a character that is none: {code}": (
                    SECOND.replace('hex="0007"', f'hex="{code}"'),
                    rf"^file, line 12: found <cp> with hex '{code}'; expected the code of a character",
                )
                for code in ("110000", "D800", "dfff", "0", "1_0", "", " 41", "00041a0", "x")
            },
        }.values(),
    )  # fmt: skip
    def test_what_is_no_such_file(self, text, message):
        with pytest.raises(InputError, match=message):
            parse(text)

    def test_what_stands_within_what_is_not_to_be_translated(self):
        """A unit is as its group, unless it says otherwise; neither is one of version 2 whose file says so."""
        unit = '<trans-unit id="{0}" {1}><source>s {0}</source><target>t {0}</target></trans-unit>'
        first, second, third = unit.format(1, ""), unit.format(2, 'translate="yes"'), unit.format(3, "")
        body = f'<group translate="no"><group>{first}</group>{second}</group>{third}'
        assert parse(document({}).replace("<body>", f"<body>{body}")).labels["id"] == ["2", "3"]
        with pytest.raises(InputError, match="is empty; expected units"):
            parse(SECOND.replace('<file id="f"', '<file id="f" translate="no"'))

    def test_a_proposal_in_another_language_is_none(self):
        """A translation into a third language may stand beside a unit, to look at."""
        proposals = "".join(
            f'<alt-trans origin="{code}"><target xml:lang="{code}">Nebel</target></alt-trans>'
            for code in ("de-AT", "DE", "nl", "fr-BE")
        )
        text = document({"Fog": "Nebel"}, "de_DE").replace("</trans-unit>", f"{proposals}</trans-unit>")
        assert [*parse(text).columns] == ["en", "de_DE", "de_DE de-AT", "de_DE DE"]

    def test_the_header_of_a_catalogue_is_no_segment(self):
        """As the translate toolkit converts it: what remains is what is read of the catalogue itself."""
        catalogue = CATALOGUE.replace("#, fuzzy\n", "").partition("#~")[0]
        converted = bytes(po2xliff().convertstore(po.pofile.parsestring(catalogue.encode())))
        assert b'restype="x-gettext-domain-header"' in converted
        found, expected = parse(converted), parse(catalogue, read_po)
        assert found.columns["ru"] == expected.columns["ru"]
        assert found.columns["en-US"] == expected.columns["source"]

    def test_many_segments_in_one_unit_and_many_proposals_for_one(self):
        marks = "".join(f'<mrk mtype="seg" mid="{number}">猫 {number}</mrk>' for number in range(5000))
        unit = f"<trans-unit><source/><seg-source>{marks}</seg-source><target>{marks}</target></trans-unit>"
        columns = parse(document({}).replace("<body>", f"<body>{unit}")).columns
        assert columns["en"] == columns["de"] == [f"猫 {number}" for number in range(5000)]
        proposals = '<alt-trans origin="A"><target>Dunst</target></alt-trans>' * 3
        text = document({"Fog": "Nebel"}).replace("</trans-unit>", f"{proposals}</trans-unit>")
        assert [*parse(text).columns] == ["en", "de", "de A", "de A 2", "de A 3"]
        with pytest.raises(InputError, match="more than 500 different columns"):
            parse(text.replace(proposals, proposals * 200))

    def test_a_long_text_and_a_long_tag(self):
        with pytest.raises(InputError, match="segment of more than"):
            parse(document({"Sea": "x" * 5000}), line=1000)
        with pytest.raises(InputError, match="a tag or comment of more than 16 MiB; expected the tags of an XLIFF"):
            parse(b"<xliff a='" + b"x" * (18 << 20))


CATALOGUE = """msgid ""
msgstr ""
"Language: ru\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

msgid "Save"
msgstr "Сохранить"

#, fuzzy
msgid "Open"
msgstr "Открыт"

msgctxt "menu"
msgid "%d boat"
msgid_plural "%d boats"
msgstr[0] "%d лодка"
msgstr[1] "%d лодки"
msgstr[2] "%d лодок"

msgid "Close"
msgstr ""

#~ msgid "Old"
#~ msgstr "Старый"
"""


class TestCatalogues:
    def test_messages_and_plural_forms_without_what_is_fuzzy_or_obsolete(self):
        with pytest.warns(UserWarning, match="messages are left out: 1 fuzzy and 1 obsolete"):
            memory = parse(CATALOGUE, read_po)
        assert memory.columns == {
            "source": ["Save", "%d boat", "%d boats", "%d boats", "Close"],
            "ru": ["Сохранить", "%d лодка", "%d лодки", "%d лодок", None],
        }
        assert memory.labels == {"context": ["", "menu", "menu", "menu", ""]}

    def test_a_language_with_one_plural_form_and_another_encoding(self):
        catalogue = polib.POFile(encoding="shift_jis")
        catalogue.metadata = {"Language": "ja", "Content-Type": "text/plain; charset=shift_jis"}
        catalogue.append(polib.POEntry(msgid="boat", msgid_plural="boats", msgstr_plural={0: "船"}))
        memory = parse(str(catalogue).encode("shift_jis"), read_po)
        assert memory.columns == {"source": ["boats"], "ja": ["船"]}

    def test_a_message_with_a_plural_and_no_form_is_untranslated(self):
        text = 'msgid "boat"\nmsgid_plural "boats"\nmsgstr ""\n\nmsgid "Fog"\nmsgstr "Nebel"\n'
        assert parse(text, read_po).columns == {"source": ["boat", "Fog"], "target": [None, "Nebel"]}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('msgid "Save"\nSichern\n', "is not a catalogue of messages .PO.: Syntax error"),
            ('msgid "Save"\nmsgstr ""\n', "has no translation"),
            ("", "is empty; expected messages"),
            (CATALOGUE.replace("UTF-8", "klingon"), "names the encoding 'klingon'"),
            (CATALOGUE.replace("Language: ru", "Language: source"), "its header has the language 'source'"),
        ],
    )
    def test_what_is_no_such_file(self, text, message):
        with pytest.raises(InputError, match=message):
            parse(text, read_po)

    def test_texts_in_one_line_are_to_polib_what_they_were_in_many(self):
        """Comments, escapes, what is obsolete or goes on over lines, in any order that a catalogue may have."""

        def entries(text):
            return [
                (entry.msgctxt, entry.msgid, entry.msgid_plural, entry.msgstr, entry.msgstr_plural,
                 bool(entry.fuzzy), bool(entry.obsolete), entry.linenum)
                for entry in polib.pofile(text + "\n")
            ]  # fmt: skip

        choose = random.Random(5)
        for _ in range(400):
            text = "\n".join(random_message(choose) for _ in range(choose.randrange(1, 5)))
            text += choose.choice(["", "\n", "\n# the end\n"])
            assert entries(_unsplit(text)) == entries(text), text

    def test_what_is_split_into_many_lines_takes_no_square_of_its_length(self):
        """polib took minutes for the second and third: texts were copied for each line."""
        header = 'msgid ""\nmsgstr "Language: de\\n"\n'
        n_lines = 300_000
        for lines in ('"a\\n"\n' * n_lines, "\n" + "# \n" * n_lines, "\n" + '#| msgid ""\n' + '#| "a"\n' * n_lines):
            memory = parse(f'{header}{lines}msgid "Fog"\nmsgstr "Nebel"\n', read_po)
            assert memory.columns == {"source": ["Fog"], "de": ["Nebel"]}
        memory = parse(f'{header}\nmsgid ""\n' + '"猫"\n' * n_lines + 'msgstr "Katzen"\n', read_po)
        assert memory.columns == {"source": ["猫" * n_lines], "de": ["Katzen"]}


def random_message(choose):
    """Return the lines of a message of a catalogue."""

    def quoted(keyword):
        pieces = ["a", "猫", "ж ", "\\n", '\\"', "\\\\", "\\t", "\\q"]
        texts = ["".join(choose.choices(pieces, k=choose.randrange(4))) for _ in range(choose.randrange(1, 4))]
        return [f'{mark}{keyword} "{texts[0]}"', *(f'{mark}"{text}"' for text in texts[1:])]

    mark = "#~ " if choose.random() < 0.2 else ""
    comments = [
        "# x",
        "#. y",
        "#: a.c:1",
        "#, fuzzy",
        "#, c-format, fuzzy",
        "#, c-format",
        "#",
        '#| msgid "a"\n#| "b"',
    ]
    lines = choose.choices(comments, k=choose.randrange(3))
    if choose.random() < 0.3:
        lines += quoted("msgctxt")
    lines += quoted("msgid")
    if choose.random() < 0.2:
        lines.append("# between")
    if choose.random() < 0.3:
        lines += quoted("msgid_plural")
        for number in range(choose.randrange(1, 4)):
            lines += quoted(f"msgstr[{number}]")
    else:
        lines += quoted("msgstr")
    return "\n".join(lines)


class TestComparing:
    def test_the_proposals_of_one_file_against_its_translations(self, tmp_path):
        (tmp_path / "a.xlf").write_text(PROPOSALS, encoding="utf-8")
        left_out = r"2 of 4 units have no text in 'de-AT': left out for every system\."
        with pytest.warns(UserWarning, match="are not translated"), pytest.warns(UserWarning, match=left_out):
            (test_set,) = tercet.read_test_sets(tmp_path / "a.xlf", by="state")
        assert test_set.systems == {
            "de-AT DeepL": ["Der Hafen ist still.", "Das Boot fährt."],
            "de-AT Own MT": ["Hafen ruhig.", "Boot segelt."],
        }
        assert test_set.references == [["Der Hafen ist ruhig."], ["Das Boot segelt."]]
        assert test_set.source == ["The harbour is calm.", "The boat sails."]
        assert test_set.slices == {"state": ["final", "translated"]}

    def test_what_one_engine_did_not_propose_is_said_of_that_engine(self, tmp_path):
        last = '  <alt-trans tool="Own MT"><target>Boot segelt.</target></alt-trans></trans-unit>'
        (tmp_path / "a.xlf").write_text(PROPOSALS.replace(last, "</trans-unit>"), encoding="utf-8")
        lacks = r"a\.xlf: 'de-AT Own MT' lacks 1 of the 2 units, the first on line 9: left out for every system\."
        with pytest.warns(UserWarning, match="not translated|no text in"), pytest.warns(UserWarning, match=lacks):
            (test_set,) = tercet.read_test_sets(tmp_path / "a.xlf")
        assert test_set.references == [["Der Hafen ist ruhig."]]
        assert (test_set.lost, test_set.n_all) == ({"de-AT Own MT": {"missing": 1}}, 2)

    def test_scores_go_back_by_id(self, tmp_path):
        (tmp_path / "a.xlf").write_text(PROPOSALS, encoding="utf-8")
        command("score", "a.xlf", "-m", "chrf", "--segments", "scores.tsv", cwd=tmp_path)
        rows = [line.split("\t") for line in (tmp_path / "scores.tsv").read_text(encoding="utf-8").splitlines()]
        assert rows[0][:4] == ["test_set", "segment", "id", "system"]
        assert [row[2] for row in rows[1:]] == ["1", "1", "2", "2"]

    def test_exports_of_two_engines_against_an_approved_one_of_another_format(self, tmp_path):
        units = {"Fog": "Nebel", "The sea": "Das Meer", "Ships sail": "Schiffe segeln"}
        (tmp_path / "a.xlf").write_text(document(units), encoding="utf-8")
        (tmp_path / "b.sdlxliff").write_text(document({**units, "Fog": "Dunst"}, "de-DE"), encoding="utf-8")
        header = '<header srclang="en"/>'
        tu = "".join(
            f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv><tuv xml:lang="de"><seg>{text}</seg></tuv></tu>'
            for source, text in reversed(units.items())
        )
        (tmp_path / "human.tmx").write_text(f'<tmx version="1.4">{header}<body>{tu}</body></tmx>')
        (test_set,) = tercet.read_test_sets(
            [tmp_path / "a.xlf", tmp_path / "b.sdlxliff"], references=tmp_path / "human.tmx"
        )
        assert test_set.source == ["Ships sail", "The sea", "Fog"]
        assert test_set.systems == {
            "a": ["Schiffe segeln", "Das Meer", "Nebel"], "b": ["Schiffe segeln", "Das Meer", "Dunst"]
        }  # fmt: skip

    def test_a_catalogue_against_an_xliff_file_and_the_other_way_round(self, tmp_path):
        po, xlf = tmp_path / "m.po", tmp_path / "m.xlf"
        po.write_text(CATALOGUE.replace("#, fuzzy\n", "").partition("#~")[0], encoding="utf-8")
        xlf.write_text(document({"Open": "Открыть", "Save": "Сохранить"}, "ru"), encoding="utf-8")
        for file, references in ((po, xlf), (xlf, po)):
            with pytest.warns(UserWarning, match=r"m\.(po|xlf).* source text"):
                (test_set,) = tercet.read_test_sets(file, references=references)
            assert sorted(test_set.source) == ["Open", "Save"]

    def test_proposals_are_no_references(self, tmp_path):
        (tmp_path / "mt.xlf").write_text(document({"The boat sails.": "Boot fährt."}, "de"), encoding="utf-8")
        (tmp_path / "human.xlf").write_text(PROPOSALS, encoding="utf-8")
        with pytest.warns(UserWarning, match="not translated|lacks 1 of the 2"):
            (test_set,) = tercet.read_test_sets(tmp_path / "mt.xlf", references=tmp_path / "human.xlf")
        assert test_set.references == [["Das Boot segelt."]]
        assert test_set.ids == ["2"]

    def test_what_does_not_go_together(self, tmp_path):
        (tmp_path / "a.xlf").write_text(document({"Fog": "Nebel"}), encoding="utf-8")
        (tmp_path / "r.txt").write_text("Nebel\n", encoding="utf-8")
        with pytest.raises(
            InputError,
            match="Systems in XLF files need references in TMX, XLIFF or PO files, because they are joined by s",
        ):
            tercet.read_test_sets(tmp_path / "a.xlf", references=tmp_path / "r.txt")
        with pytest.raises(
            InputError, match=r"no language was recognized as predictions .*'en' and 'de'\. Or give a file"
        ):
            tercet.read_test_sets(tmp_path / "a.xlf")
