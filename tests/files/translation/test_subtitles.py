"""Subtitles: their times and texts, without tags, and systems joined with references by time."""

import io
import random

import pysubs2
import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.translation.subtitles import read_subtitles

SRT = (
    "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Буря</i> утихла.\r\nДа.\r\n\r\n"
    "2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}Вышли в море.\r\n"
)
VTT = (
    "WEBVTT\n\nSTYLE\n::cue { color: red }\n\nNOTE eins\nzwei\n\nid1\n00:01.000 --> 00:02.500 align:start\n"
    "<v Anna>Буря стихла. Да.\n\nNOTE drei\nvier\n\n00:03.000 --> 00:04.000\nВышли в <c.red>море</c> &amp; домой.\n"
)
TIMES = ["00:00:01.000 --> 00:00:02.500", "00:00:03.000 --> 00:00:04.000"]


def read(text):
    return read_subtitles(io.BytesIO(text.encode()), "file")


def save(folder, **contents):
    for name, content in contents.items():
        (folder / name.replace("_", ".")).write_text(content, encoding="utf-8", newline="")


def test_srt_and_webvtt_without_tags_and_notes():
    assert read(SRT).columns == {"time": TIMES, "text": ["Буря утихла. Да.", "Вышли в море."]}
    texts = ["Буря стихла. Да.", "Вышли в море & домой."]
    assert read(VTT).columns == {"time": TIMES, "text": texts}


def test_a_file_of_the_package_pysubs2(tmp_path):
    subtitles = pysubs2.SSAFile()
    subtitles.append(pysubs2.SSAEvent(start=3_600_000, end=3_601_234, text="Das {\\i1}Meer{\\i0}\\Nruht."))
    subtitles.append(pysubs2.SSAEvent(type="Comment", text="zum Test"))
    for format in ("ass", "ssa", "srt"):
        subtitles.save(str(tmp_path / f"a.{format}"))
        memory = read((tmp_path / f"a.{format}").read_text(encoding="utf-8"))
        assert memory.columns["text"] == ["Das Meer ruht."]
        assert memory.columns["time"][0].startswith("01:00:00.000 --> 01:00:01.23")


def test_systems_are_joined_with_references_by_time(tmp_path):
    save(tmp_path, mt_srt=SRT, human_vtt=VTT)
    (test_set,) = tercet.read_test_sets(tmp_path / "mt.srt", references=tmp_path / "human.vtt")
    assert test_set.systems == {"mt": ["Буря утихла. Да.", "Вышли в море."]}
    assert test_set.references == [["Буря стихла. Да."], ["Вышли в море & домой."]]
    assert (test_set.source, test_set.ids) == (None, TIMES)


def test_other_times_and_times_that_cannot_be_read(tmp_path):
    save(tmp_path, mt_srt=SRT.replace("00:00:0", "00:00:1"), human_vtt=VTT)
    with pytest.raises(InputError, match=r"No time of .*same times"):
        tercet.read_test_sets(tmp_path / "mt.srt", references=tmp_path / "human.vtt")
    with pytest.warns(UserWarning, match=r"3 lines look like times \(-->\), and 2 subtitles can be read"):
        read(VTT + "\n00:05.00x --> 00:06.000\nTag\n")


def test_of_several_systems_the_one_that_cannot_be_joined_is_named(tmp_path):
    """The other has the same times as the references."""
    later = SRT.replace("00:00:0", "00:00:1")
    save(tmp_path, same_srt=SRT, later_srt=later, human_vtt=VTT)
    error = command("score", "same.srt", "later.srt", "-r", "human.vtt", "-m", "wer", cwd=tmp_path, code=2).stderr
    assert error == (
        f"error: No time of 'human.vtt', such as '{TIMES[0]}', can be joined with one of 'later.srt', such as "
        "'00:00:11.000 --> 00:00:12.500'; expected texts with the same times.\n"
    )


def test_systems_of_which_each_can_be_joined_and_not_together(tmp_path):
    first, second = SRT.split("2\r\n")
    save(tmp_path, a_srt=first, b_srt=second, human_vtt=VTT)
    error = command("score", "a.srt", "b.srt", "-r", "human.vtt", "-m", "wer", cwd=tmp_path, code=2).stderr
    assert error == (
        "error: No time of 'human.vtt' is in all of 'a.srt' and 'b.srt', though each of them has some: give them "
        "one at a time.\n"
    )


def test_subtitles_are_not_spoken_of_as_translation_units(tmp_path):
    """What has two texts of one time in one file, and one in the other, is told of in words of subtitles."""
    save(tmp_path, twice_srt=SRT + "\r\n" + SRT.split("2\r\n")[0].replace("Буря", "Волна"), human_vtt=VTT)
    message = (
        r"twice\.srt lacks 1 of the 2 times of .*human\.vtt, the first on line 1, '00:00:01\.000 --> "
        r"00:00:02\.500' \(1 of them it has more or less often, with different texts\): left out for every"
    )
    with pytest.warns(UserWarning, match=message):
        tercet.read_test_sets(tmp_path / "twice.srt", references=tmp_path / "human.vtt")
    save(tmp_path, twice_srt=SRT + "\r\n" + SRT.replace("Буря", "Волна").replace("Вышли", "Вошли"))
    message = (
        r"Nothing of .*twice\.srt' can be joined with .*human\.vtt': what both have occurs in one of them more "
        f"often, with different texts, such as '{TIMES[0]}'; expected each as often in both"
    )
    with pytest.raises(InputError, match=message):
        tercet.read_test_sets(tmp_path / "twice.srt", references=tmp_path / "human.vtt")


def test_subtitles_have_no_columns_to_choose(tmp_path):
    save(tmp_path, a_srt=SRT, human_vtt=VTT)
    for option in ("--system", "--reference-column", "--source-column"):
        error = command("score", "a.srt", "-r", "human.vtt", "-m", "wer", option, "x", cwd=tmp_path, code=2).stderr
        assert error == f"error: SRT files have no columns, and so none is called 'x': leave out {option}.\n"
    error = command("compare", "a.srt", "-r", "human.vtt", "--by", "x", cwd=tmp_path, code=2).stderr
    assert error == "error: SRT files have no column 'x' for --by.\n"


def test_a_line_that_would_take_hours():
    with pytest.raises(InputError, match="line 3: a line of more than 4 KiB"):
        read(SRT.replace("\r", "").replace("<i>", "{" * 5000))


def test_texts_are_those_of_pysubs2():
    """Tags, braces and escapes in any order, closed or not."""
    choose = random.Random(7)
    pieces = ["{", "}", "<", ">", "/", " ", "i", "b", "font", "猫", "я", "\\N", "\\h", "\\n", "\n", "3",
              "<i>", "</ b>", "< /u >", "{\\an8}", "<font c>", "ه"]  # fmt: skip
    for _ in range(1000):
        words = "".join(choose.choices(pieces, k=choose.randrange(1, 14)))
        text = f"1\n00:00:01,000 --> 00:00:02,000\n{words}\n\n2\n00:00:03,000 --> 00:00:04,000\n猫\n"
        expected = [" ".join(event.plaintext.split()) for event in pysubs2.SSAFile.from_string(text)]
        assert read(text).columns["text"] == [words for words in expected if words], words


def test_what_is_not_closed_takes_no_square_of_its_length():
    """Nor do blank lines and spaces: each of these took half a minute to an hour."""
    for words in ("{\n" * 200_000, "<a\n" * 200_000, ("{" * 4000 + "\n") * 100, "猫" + "\n" * 400_000 + "б",
                  ("< " + " " * 4000 + "\n") * 100, ("{" * 4000 + "\n") * 100 + "<a } >\n"):  # fmt: skip
        memory = read(f"1\n00:00:01,000 --> 00:00:02,000\n{words}\n")
        assert memory.columns["text"] == [" ".join(words.removesuffix("<a } >\n").split())]


@pytest.mark.parametrize("text", ["", "猫", "WEBVTT\n\nx\n", "1\n00:00 --> 00:01\nx\n"])
def test_what_is_no_file_of_subtitles(text):
    with pytest.raises(InputError, match=r"is not a file of subtitles|is empty; expected subtitles"):
        read(text)
