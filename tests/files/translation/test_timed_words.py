"""Transcripts by time: segments of STM and SegLST, and words of CTM, as the texts of the segments of a reference."""

import json
import random

import jiwer
import pytest

import tercet
from commands import command
from tercet.errors import InputError
from tercet.files.translation.transcripts import read_seglst

OTHER_NAMES = {"anna": "spk0", "ben": "spk1"}
#: Two people who talk at once, and one who talks alone.
REFERENCE = [
    ("rec1", "1", "anna", 0.0, 2.0, "the ship sails"),
    ("rec1", "1", "ben", 1.5, 3.0, "not today"),
    ("rec1", "1", "anna", 4.0, 6.0, "in the morning then"),
    ("rec2", "1", "مها", 0.0, 1.0, "الميناء هادئ"),
]


def stm(rows):
    return "".join(f"{' '.join(map(str, row))}\n" for row in rows)


def seglst(rows, **changes):
    keys = ("session_id", "channel", "speaker", "start_time", "end_time", "words")
    segments = [dict(zip(keys, row, strict=True)) for row in rows]
    for segment in segments:
        del segment["channel"]
        segment.update(changes)
    return json.dumps([{key: cell for key, cell in segment.items() if cell is not None} for segment in segments])


def moved(rows, *, speakers=None, by=0.0):
    """Return segments with other names of speakers, at other times."""
    return [
        (recording, channel, (speakers or {}).get(speaker, speaker), begin + by, end + by, words)
        for recording, channel, speaker, begin, end, words in rows
    ]


@pytest.fixture
def read(tmp_path):
    """Return the test set of files that are given by name and content; the last holds the references."""

    def read_files(**contents):
        paths = []
        for name, content in contents.items():
            stem, _, end = name.partition("_")
            paths.append(tmp_path / f"{stem}.{end.replace('_', '.')}")
            paths[-1].write_text(content, encoding="utf-8")
        (test_set,) = tercet.read_test_sets(paths[:-1], references=paths[-1])
        return test_set

    return read_files


class TestSameSegments:
    def test_speakers_are_not_needed_where_times_are_the_same(self, read):
        test_set = read(asr_stm=stm(moved(REFERENCE, speakers={"anna": "spk0"})), human_stm=stm(REFERENCE))
        assert test_set.systems == {"asr": [words for *_, words in REFERENCE]}
        assert test_set.ids == [
            "rec1 1 0.000-2.000",
            "rec1 1 1.500-3.000",
            "rec1 1 4.000-6.000",
            "rec2 1 0.000-1.000",
        ]

    def test_two_people_with_the_same_times_are_told_apart_by_their_names(self, read):
        rows = [("rec", "1", "anna", 0, 1, "da"), ("rec", "1", "ben", 0, 1, "nein")]
        test_set = read(asr_stm=stm(rows[::-1]), human_stm=stm(rows))
        assert test_set.systems == {"asr": ["da", "nein"]}
        assert test_set.ids == ["rec 1 0.000-1.000", "rec 1 ben 0.000-1.000"]

    def test_seglst_and_stm_are_the_same(self, read):
        """SegLST has no channels, and its numbers may be texts."""
        as_texts = seglst([(*row[:3], str(row[3]), str(row[4]), row[5]) for row in REFERENCE])
        test_set = read(
            a_seglst_json=seglst(REFERENCE), b_seglst_json=as_texts, c_stm=stm(REFERENCE), human_stm=stm(REFERENCE)
        )
        texts = [words for *_, words in REFERENCE]
        assert test_set.systems == {"a": texts, "b": texts, "c": texts}
        assert test_set.ids[0] == "rec1 0.000-2.000"


class TestOtherSegments:
    def test_what_overlaps_several_segments_makes_one_text_of_them(self, read):
        """Words are not divided by a guess, nor do both speakers become one: their names are the same."""
        hypothesis = [
            ("rec1", "1", "anna", 0.1, 5.5, "the ship sails in the morning"),
            ("rec1", "1", "ben", 1.6, 2.9, "not to day"),
            ("rec2", "1", "مها", 0.2, 0.9, "الميناء"),
        ]
        with pytest.warns(
            UserWarning, match=r"2 of 4 segments were joined to one longer text, the first at 0 s of 'rec"
        ):
            test_set = read(asr_stm=stm(hypothesis), human_stm=stm(REFERENCE))
        assert test_set.references == [["the ship sails in the morning then"], ["not today"], ["الميناء هادئ"]]
        assert test_set.systems == {"asr": ["the ship sails in the morning", "not to day", "الميناء"]}
        assert test_set.ids == ["rec1 1 0.000-6.000", "rec1 1 1.500-3.000", "rec2 1 0.000-1.000"]

    def test_a_segment_of_one_system_joins_those_of_all(self, read):
        """All systems have the same test set."""
        whole = [("rec1", "1", "anna", 0, 6, "so"), *REFERENCE[1:2], *REFERENCE[3:]]
        with pytest.warns(UserWarning, match="were joined to one longer text"):
            test_set = read(a_stm=stm(REFERENCE), b_stm=stm(whole), human_stm=stm(REFERENCE))
        assert test_set.systems["a"][0] == "the ship sails in the morning then"
        assert test_set.systems["b"] == ["so", "not today", "الميناء هادئ"]

    def test_a_segment_in_which_a_system_hears_nothing_is_empty(self, read):
        test_set = read(asr_stm=stm([*REFERENCE[:2], REFERENCE[3]]), human_stm=stm(REFERENCE))
        assert test_set.systems["asr"] == ["the ship sails", "not today", "", "الميناء هادئ"]

    def test_moments_belong_to_the_segments_that_they_touch(self, read):
        """Who does not know when a segment ends often writes its beginning for it."""
        moments = [(*row[:4], row[3], row[5]) for row in REFERENCE]
        for hypothesis, reference in ((moments, REFERENCE), (REFERENCE, moments)):
            test_set = read(asr_stm=stm(hypothesis), human_stm=stm(reference))
            assert test_set.systems["asr"] == [text for (text,) in test_set.references]

    def test_figures_are_those_of_jiwer_on_texts_that_are_joined_by_hand(self, read, tmp_path):
        """One speaker's words, cut into segments in two ways: as one text of a recording at most, none is lost."""
        choose = random.Random(3)
        rows = []
        hypothesis = []
        for recording in ("会议", "reunião", "встреча"):
            words = [choose.choice(["猫", "mar", "море", "the", "é"]) for _ in range(200)]
            for cut in (7, 10):
                side = rows if cut == 7 else hypothesis
                heard = words if cut == 7 else [word if choose.random() < 0.9 else "uh" for word in words]
                for begin in range(0, 200, cut):
                    part = heard[begin : begin + cut]
                    side.append((recording, "A", "x", begin, begin + len(part), " ".join(part)))
        with pytest.warns(UserWarning, match="87 of 87 segments were joined to 9 longer texts"):
            test_set = read(asr_stm=stm(hypothesis), human_seglst_json=seglst(rows))
        references = [text for (text,) in test_set.references]
        for texts, side in ((references, rows), (test_set.systems["asr"], hypothesis)):
            assert " ".join(texts) == " ".join(words for *_, words in side)
        run = command("score", "asr.stm", "-r", "human.seglst.json", "-m", "wer", "-f", "tsv", "-q", cwd=tmp_path)
        header, first_row = (line.split("\t") for line in run.stdout.splitlines()[:2])
        row = dict(zip(header, first_row, strict=True))
        assert row["score"] == "wer"
        assert float(row["value"]) == pytest.approx(100 * jiwer.wer(references, test_set.systems["asr"]), rel=1e-12)

    def test_words_of_ctm_in_segments_that_overlap(self, read):
        """CTM names no speakers: the words of both are one text, in the order of time."""
        ctm = "rec1 1 0.2 0.2 the\nrec1 1 1.6 0.2 ship\nrec1 1 2.5 0.2 not\nrec2 1 0 1 هادئ\n"
        with pytest.warns(UserWarning, match=r"joined to one longer text, .* because what another file has overlaps"):
            test_set = read(asr_ctm=ctm, human_stm=stm(REFERENCE))
        assert test_set.references[0] == ["the ship sails not today"]
        assert test_set.systems["asr"] == ["the ship not", "", "هادئ"]


class TestSpeakers:
    def test_with_other_names_are_joined_by_time_alone(self, read):
        hypothesis = moved([REFERENCE[0], REFERENCE[2], REFERENCE[3]], speakers={"anna": "spk0"}, by=0.1)
        reference = [REFERENCE[0], ("rec1", "1", "ben", 2.5, 3, "so"), *REFERENCE[2:]]
        with pytest.warns(
            UserWarning, match=r"1 of 2 recordings have speakers whose names are not in .*'spk0', and the"
        ):
            test_set = read(asr_stm=stm(hypothesis), human_stm=stm(reference))
        assert test_set.systems["asr"] == ["the ship sails", "", "in the morning then", "الميناء هادئ"]

    def test_with_other_names_who_talk_at_once_are_refused(self, read):
        """Nothing says in which order their words are to be read."""
        hypothesis = moved(REFERENCE, speakers=OTHER_NAMES, by=0.1)
        message = (
            r"asr\.stm has the speakers 'spk0' and 'spk1' in 'rec1 1', and .*human\.stm has 'anna' and 'ben'; "
            r"several talk at once, at 1\.5 s, so .*same names in both files; or give all speakers one name.*cpWER"
        )
        with pytest.raises(InputError, match=message):
            read(asr_stm=stm(hypothesis), human_stm=stm(REFERENCE))

    def test_who_do_not_talk_at_once_are_joined_by_time_whoever_they_are(self, read):
        """Three people, one after the other, of whom the first has a long turn."""
        rows = [
            ("rec", "1", speaker, begin, end, speaker)
            for speaker, begin, end in (("a", 0, 9), ("b", 9, 10), ("a", 9.5, 9.5), ("c", 10, 12))
        ]
        names = {"a": "x", "b": "y", "c": "z"}
        joined = "4 of 4 segments were joined to one longer text"
        with pytest.warns(UserWarning, match="joined by time alone"), pytest.warns(UserWarning, match=joined):
            test_set = read(asr_stm=stm(moved(rows, speakers=names, by=0.2)), human_stm=stm(rows))
        assert " ".join(test_set.systems["asr"]).split() == ["a", "b", "a", "c"]

    def test_under_one_name_are_joined_by_time(self, read):
        """What the error says is of use."""
        one_name = dict.fromkeys(["anna", "ben"], "all")
        with pytest.warns(UserWarning, match="joined to one longer text"):
            test_set = read(
                asr_stm=stm(moved(REFERENCE, speakers=one_name, by=0.1)),
                human_stm=stm(moved(REFERENCE, speakers=one_name)),
            )
        assert test_set.systems["asr"][0] == "the ship sails not today"

    def test_of_recordings_without_times(self, read):
        """The words of each speaker are one text, in the order of the file."""
        without = {"start_time": None, "end_time": None}
        test_set = read(asr_seglst_json=seglst(REFERENCE, **without), human_stm=stm(REFERENCE))
        assert test_set.ids == ["rec1 anna", "rec1 ben", "rec2 مها"]
        assert test_set.systems["asr"] == ["the ship sails in the morning then", "not today", "الميناء هادئ"]
        with pytest.raises(InputError, match="there are no times, so it is not clear whose words are whose"):
            read(asr_seglst_json=seglst(moved(REFERENCE, speakers=OTHER_NAMES), **without), human_stm=stm(REFERENCE))

    def test_that_one_file_does_not_name(self, read):
        without = {"start_time": None, "end_time": None, "speaker": None}
        test_set = read(asr_seglst_json=seglst(REFERENCE, **without), human_stm=stm(REFERENCE))
        assert test_set.ids == ["rec1", "rec2"]
        assert test_set.references[0] == ["the ship sails not today in the morning then"]


class TestMistakes:
    def test_other_recordings_or_times(self, read):
        message = (
            r"No segment of .*'the ship sails' of other 1 at 0, lies in a segment of .*, such as rec1 1 0-2; "
            "expected the same names of recordings and channels, and times in seconds"
        )
        with pytest.raises(InputError, match=message):
            read(asr_stm=stm([("other", *REFERENCE[0][1:])]), human_stm=stm(REFERENCE))
        with pytest.raises(InputError, match=r"No word of .*'猫' of rec1 1 at 9000, lies in a segment"):
            read(asr_ctm="rec1 1 9000 100 猫\n", human_stm=stm(REFERENCE))

    def test_a_recording_that_a_system_lacks(self, read):
        with pytest.warns(
            UserWarning, match=r"nothing of 1 of the 2 recordings of .*human\.stm, the first 'rec2 1': all"
        ):
            test_set = read(asr_stm=stm(REFERENCE[:3]), human_stm=stm(REFERENCE))
        assert test_set.systems["asr"][-1] == ""

    def test_what_lies_outside_is_counted(self, read):
        rows = [*REFERENCE, ("rec2", "1", "مها", 7, 8, "uh")]
        with pytest.warns(
            UserWarning, match=r"1 of 5 segments lie outside the segments of .*, the first 'uh' of rec2 1 at"
        ):
            read(asr_stm=stm(rows), human_stm=stm(REFERENCE))

    def test_where_everything_overlaps_everything(self, read, monkeypatch):
        """It would take hours with the limit of a real file."""
        monkeypatch.setattr("tercet.files.translation.timed_words._MOST_COMPARED", 50)
        rows = [("rec", "1", "anna", number / 10, 90 + number, "da") for number in range(10)]
        with pytest.raises(
            InputError, match="In 'rec 1' everything seems to overlap everything: more than 50 pairs of"
        ):
            read(asr_stm=stm(moved(rows, by=0.01)), human_stm=stm(rows))

    def test_channels_that_one_file_lacks(self, read):
        two = [("rec1", channel, "anna", 0, 1, "da") for channel in "AB"]
        with pytest.raises(
            InputError, match=r"human\.stm has the channels 'A' and 'B' of 'rec1', and .*json has no chan"
        ):
            read(asr_seglst_json=seglst(two[:1]), human_stm=stm(two))

    def test_files_without_words(self, tmp_path):
        (tmp_path / "human.stm").write_text(stm(REFERENCE), encoding="utf-8")
        for name in ("asr.rttm", "all.UEM"):
            (tmp_path / name).write_text("SPEAKER rec1 1 0 1 <NA> <NA> anna <NA> <NA>\n", encoding="utf-8")
            with pytest.raises(
                InputError, match=rf"{name} has, judging by its extension, times without words; expected"
            ):
                tercet.read_test_sets(tmp_path / name, references=tmp_path / "human.stm")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"words": None}, r"has no 'words': expected segments \(SegLST\)"),
            ({"session_id": None}, r"has no 'session_id': expected segments \(SegLST\)"),
            ({"session_id": 1.5}, "segment 1, column 'session_id': expected a name, got 1.5"),
            ({"session_id": " "}, "segment 1, column 'session_id': expected a name, got ' '"),
            ({"words": 3}, "segment 1, column 'words': expected words, got 3"),
            ({"words": ["a", 3]}, r"segment 1, column 'words': expected words, got \['a', 3\]"),
            ({"end_time": None}, "has one of 'start_time' and 'end_time'; expected both or none"),
            ({"start_time": "00:01"}, "segment 1: expected a time in seconds, found '00:01'"),
            ({"start_time": True}, "segment 1: expected a time in seconds, found True"),
            ({"start_time": 99}, "segment 1: the segment ends at 2, before it begins at 99"),
        ],
    )  # fmt: skip
    def test_seglst(self, read, changes, message):
        with pytest.raises(InputError, match=message):
            read(asr_seglst_json=seglst(REFERENCE, **changes), human_stm=stm(REFERENCE))

    def test_lists_of_words(self, tmp_path):
        (tmp_path / "a.seglst.json").write_text('[{"session_id": 7, "words": ["猫", "が"]}]', encoding="utf-8")
        with (tmp_path / "a.seglst.json").open("rb") as stream:
            memory = read_seglst(stream, "a.seglst.json")
        assert memory.columns == {"id": ["7"], "text": ["猫 が"]}

    def test_seglst_under_another_name(self, tmp_path):
        for name in ("asr.json", "human.json"):
            (tmp_path / name).write_text(seglst(REFERENCE), encoding="utf-8")
        error = command("score", "asr.json", "-r", "human.json", "-m", "wer", cwd=tmp_path, code=2).stderr
        assert error == (
            "error: asr.json has segments of transcripts (SegLST), by its 'session_id', 'speaker' and 'words'. To "
            "have it read as such, let its name end in .seglst.json.\n"
        )

    def test_ids_in_files_named_as_kaldi_does_are_warned_of(self, tmp_path):
        (tmp_path / "text_asr").write_text("a the ship\nb sails\n", encoding="utf-8")
        (tmp_path / "text_human").write_text("a the boat\nb sails\n", encoding="utf-8")
        with pytest.warns(
            UserWarning, match="every line begins with what looks like an utterance's id, 'a', and so do"
        ):
            tercet.read_test_sets(tmp_path / "text_asr", references=tmp_path / "text_human")
