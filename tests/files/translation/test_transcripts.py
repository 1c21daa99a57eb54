"""Transcripts: joined by their ids, with the words of a CTM file in the segments of an STM file."""

import io

import jiwer
import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.formats import table_format
from tercet.files.translation.transcripts import read_ctm, read_kaldi, read_stm, read_trn

SRT = "1\n00:00:01,000 --> 00:00:02,500\nБуря утихла.\n"
STM = (
    ";; a comment\nrec1 1 anna 0.0 1.5 <o,f0,female> the ship\nrec1 1 ben 2.0 3.0 it  sails\n"
    "rec1 1 ben 5 6 ignore_time_segment_in_scoring\nrec2 A mia 0 1 الميناء هادئ\n"
)
CTM = (
    ";; a comment\nrec1 1 2.1 0.3 sails 0.99\nrec1 1 0.10 0.30 the\nrec1 1 0.5 0.3 ship\nrec1 1 9.0 0.1 uh\n"
    "rec2 A 0.2 0.2 الميناء\n"
)


def parse(reader, text):
    return reader(io.BytesIO(text.encode()), "file")


def save(folder, **contents):
    for name, content in contents.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8", newline="")


class TestKinds:
    @pytest.fixture
    def folder(self, tmp_path):
        save(tmp_path, m_srt=SRT, m_stm=STM, m_ctm=CTM, m_trn="الميناء هادئ (u_1)\n", m_txt="Буря утихла.\n")
        save(tmp_path, m_tmx='<tmx version="1.4"><header srclang="en"/><body/></tmx>')
        return tmp_path

    @pytest.mark.parametrize(
        ("systems", "references", "expected"),
        [
            ("m.tmx", "m.srt", "Systems in TMX files need references in TMX, XLIFF or PO files, because"),
            ("m.srt", "m.tmx", "Systems in SRT files need references in SRT, WebVTT or SSA files, because"),
            ("m.ctm", "m.txt", "Systems in CTM files need references in CTM, STM, SegLST (.seglst.json) or TRN fil"),
            ("m.tmx m.txt", "m.tmx", "'m.tmx' and 'm.txt' are systems in files of different kinds; expected all of"),
            ("m.txt m.srt", "m.srt", "'m.txt' and 'm.srt' are systems in files of different kinds; expected all of"),
            ("m.trn m.srt", "m.stm", "'m.trn' and 'm.srt' are systems in files of different kinds; expected all of"),
        ],
    )  # fmt: skip
    def test_that_cannot_be_joined_are_named(self, folder, systems, references, expected):
        asked = ("compare", *systems.split(), "-r", references)
        assert command(*asked, cwd=folder, code=2).stderr.startswith(f"error: {expected}")

    def test_take_no_file_of_sources(self, folder):
        error = command("score", "m.srt", "-r", "m.srt", "--source", "m.txt", cwd=folder, code=2).stderr
        assert error == "error: SRT files take no file of sources (--source); got 'm.txt'.\n"

    def test_where_nothing_can_be_joined_the_error_alone_says_so(self, folder):
        error = (
            "No id of 'm.stm', such as 'rec1 1 0.000-1.500', can be joined with one of 'm.trn', such as 'u_1'; exp"
        )
        run = command("score", "m.trn", "-r", "m.stm", cwd=folder, code=2)
        assert run.stderr == f"error: {error}ected texts with the same ids.\n"


class TestTranscripts:
    def test_stm_without_what_is_not_scored(self):
        memory = parse(read_stm, STM)
        assert memory.columns == {
            "id": ["rec1 1 0.000-1.500", "rec1 1 2.000-3.000", "rec2 A 0.000-1.000"],
            "text": ["the ship", "it sails", "الميناء هادئ"],
        }
        assert memory.labels["label"] == ["o,f0,female", "", ""]

    def test_words_of_ctm_belong_to_the_segment_of_their_middle(self, tmp_path):
        save(tmp_path, asr_ctm=CTM, human_stm=STM)
        with pytest.warns(
            UserWarning, match="1 of 5 words lie outside the segments of .*, the first 'uh' of rec1 1 at 9"
        ):
            (test_set,) = tercet.read_test_sets(tmp_path / "asr.ctm", references=tmp_path / "human.stm")
        assert test_set.systems == {"asr": ["the ship", "sails", "الميناء"]}
        assert test_set.references == [["the ship"], ["it sails"], ["الميناء هادئ"]]

    def test_two_ctm_files_by_recording_and_channel(self, tmp_path):
        save(tmp_path, asr_ctm=CTM, human_ctm=CTM.replace("uh", "oh"))
        (test_set,) = tercet.read_test_sets(tmp_path / "asr.ctm", references=tmp_path / "human.ctm")
        assert test_set.systems == {"asr": ["the ship sails uh", "الميناء"]}
        assert test_set.ids == ["rec1 1", "rec2 A"]

    def test_kaldi_trn_and_ctm_by_utterance_as_jiwer_scores_them(self, tmp_path):
        """Nothing said is an empty text, on both sides."""
        save(
            tmp_path,
            text="utt-1 the ship\nutt-2\t猫 が\nutt-3\nutt-4 oh\n",
            b_trn="oh (utt-4)\nthe boat (utt-1)\n猫 (utt-2)\nno (utt-3)\n",
            c_ctm="utt-1 1 0 1 the\nutt-2 1 0 1 猫\nutt-3 1 0 1 uh\nutt-4 1 0 1 ah\n",
        )
        files = [tmp_path / "b.trn", tmp_path / "c.ctm"]
        (test_set,) = tercet.read_test_sets(files, references=tmp_path / "text")
        assert test_set.systems == {"b": ["the boat", "猫", "no", "oh"], "c": ["the", "猫", "uh", "ah"]}
        assert test_set.references == [["the ship"], ["猫 が"], [""], ["oh"]]
        references = [text for (text,) in test_set.references]
        run = command("score", "b.trn", "c.ctm", "-r", "text", "-m", "wer", "--format", "tsv", "-q", cwd=tmp_path)
        rows = [line.split("\t") for line in run.stdout.splitlines()]
        name, value = (rows[0].index(title) for title in ("score", "value"))
        values = {row[rows[0].index("system")]: float(row[value]) for row in rows if row[name] == "wer"}
        for system, texts in test_set.systems.items():
            assert values[system] == pytest.approx(100 * jiwer.wer(references, texts), rel=1e-12)

    @pytest.mark.parametrize(
        ("reader", "text", "message"),
        [
            (read_kaldi, "The ship sails.\n", r"line 1: expected the id .*rename the file to file\.txt"),
            (read_kaldi, "utt-1 a\nutt-1 b\n", "line 2: the id 'utt-1' stands on line 1 too; expected each once"),
            (read_kaldi, "", "is empty; expected a text and its id per line"),
            (read_trn, "the ship\n", "line 1: expected words and an utterance's id in brackets, found 'the ship'"),
            (read_stm, "rec 1 anna 0\n", "line 1: expected at least 5 fields"),
            (read_stm, "rec 1 anna 2 1 x\n", "line 1: the segment ends at 1, before it begins at 2"),
            (read_stm, "rec 1 anna nan 1 x\n", "line 1: expected a time in seconds, found 'nan'"),
            (read_ctm, "rec 1 0.1 <ALT_BEGIN> x\n", "line 1: expected a time in seconds"),
            (read_ctm, "rec 1 * * <ALT_BEGIN>\n", "line 1: alternative words are not supported"),
            (read_ctm, "rec 1 0 -1 猫\n", "line 1: expected a time in seconds, found '-1'"),
        ],
    )
    def test_what_is_no_such_file(self, reader, text, message):
        with pytest.raises(InputError, match=message):
            parse(reader, text)

    @pytest.mark.parametrize(
        ("reader", "text", "shown"),
        [
            (read_stm, "rec 1 anna 0 1 the ship\nrec 1 anna 1 2 {um / uh} it sails\n", "'{um / uh}' on line 2"),
            (read_stm, "rec 1 مها 0 1 السفينة\nrec 1 مها 1 2 تبحر {نعم / لا\n", "'{نعم / لا' on line 2"),
            (read_trn, "{um / uh it sails (utt-1)\nthe ship (utt-2)\n", "'{um / uh it sails' on line 1"),
            (read_trn, "ja (doch) gut (utt-1)\nnein (utt-2)\n", r"'\(doch\)' on line 1"),
        ],
    )
    def test_alternatives_of_sclite_are_warned_of(self, reader, text, shown):
        with pytest.warns(UserWarning, match=f"1 of 2 texts have alternative or optional words, .* {shown}"):
            parse(reader, text)

    def test_braces_and_brackets_that_are_no_alternatives(self):
        """Nor does looking for them take long where none is closed."""
        for words in (
            "f(x) = {a}",
            "{猫} (a b) :( ",
            "{a/b",
            "a / b}",
            "{" + "/" * 400_000,
            "{/" * 200_000,
            "{ " * 200_000,
            "{" + " " * 400_000,
            "(" * 400_000,
        ):
            parse(read_trn, f"{words} (utt-1)\n")

    def test_ids_in_files_under_other_names_are_warned_of(self, tmp_path):
        save(
            tmp_path,
            a_txt="utt-1 a\nutt-2 b\n",
            b_txt="utt-1 c\nutt-2 b\n",
            c_txt="1 猫\n1 猫\n",
            d_txt="1 が\n1 猫\n",
        )
        with pytest.warns(UserWarning, match="every line begins with what looks like an utterance's id, 'utt-1'"):
            tercet.read_test_sets(tmp_path / "a.txt", references=tmp_path / "b.txt")
        tercet.read_test_sets(tmp_path / "c.txt", references=tmp_path / "d.txt")

    def test_a_file_is_known_by_its_name(self):
        assert {table_format(name) for name in ("text", "data/text", "exp/text.gz")} == {"kaldi"}
        assert {table_format(name) for name in ("text.txt", "text.de", "context")} == {""}
