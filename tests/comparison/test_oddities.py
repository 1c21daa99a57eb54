"""What is odd in the texts of a test set and would be a wrong headline: copies, errors, texts of other segments."""

import random
import re
import tracemalloc
from collections.abc import Sequence

import pytest

from commands import command
from comparisons import warned
from samples import sample
from tercet import compare
from tercet.test_sets.repeated_segments import is_failure
from tercet.test_sets.test_set import TestSet
from tercet.test_sets.text_warnings import odd_baseline, odd_segments

SHIPS = {
    "en": [
        "The ferry to the island leaves at seven in the evening.",
        "Fog kept the fishing boats in the harbour all day.",
        "The captain wrote every storm into her log.",
        "Two tugs pulled the freighter off the sandbank.",
        "The lighthouse keeper waved at passing yachts.",
        "A rope snapped while they hoisted the mainsail.",
        "Gulls followed the trawler far beyond the reef.",
        "The old pier was closed for repairs in winter.",
    ],
    "ru": [
        "Паром на остров уходит в семь часов вечера.",
        "Из-за тумана рыбацкие лодки весь день стояли в гавани.",
        "Капитан записывала каждую бурю в журнал.",
        "Два буксира стащили сухогруз с песчаной отмели.",
        "Смотритель маяка махал проходящим яхтам.",
        "Канат лопнул, когда они поднимали главный парус.",
        "Чайки летели за траулером далеко за риф.",
        "Старый причал закрыли зимой на ремонт.",
    ],
    "zh": [
        "去岛上的渡轮晚上七点出发。",
        "因为大雾，渔船整天停在港口里。",
        "船长把每一场风暴都记进航海日志。",
        "两艘拖船把货轮从沙洲上拖了下来。",
        "灯塔看守人向经过的游艇挥手。",
        "他们升起主帆的时候绳子断了。",
        "海鸥跟着拖网渔船飞到礁石以外。",
        "旧码头冬天关闭进行维修。",
    ],
}


def near(language):
    """Return texts that differ a little from those of a language: their ends are missing."""
    return [text.rpartition(" ")[0] or text[:-2] for text in SHIPS[language]]


def test_samples_have_nothing_odd():
    for language in ("en", "ru", "zh"):
        assert compare(sample(language), "chrf", test=None).warnings == []


class TestTextsOfOtherSegments:
    """Lines that are lost, doubled or sorted still pair with some reference each, and score next to nothing."""

    MESSAGE = (
        "test set: texts of the system 'b' seem to be of other segments: that of segment {} is like the reference of "
        "segment {}. Is a line missing, or one too many, or are the texts in another order? They are paired by their "
        "places; in a table, those of a row are."
    )

    @pytest.mark.parametrize("language", SHIPS)
    def test_are_named(self, language):
        texts = near(language)
        moved = [([*texts[1:], "…"], 1), (["…", *texts[:-1]], -1), (texts[:4] + texts[3:-1], -1), (texts[::-1], None)]
        for system, offset in moved:
            (message,) = warned({"a": texts, "b": system}, "chrf", references=SHIPS[language])
            segment, home = map(int, re.findall(r"segment (\d)", message))
            assert message == self.MESSAGE.format(segment, home)
            assert home == (9 - segment if offset is None else segment + offset)

    @pytest.mark.parametrize("language", SHIPS)
    def test_are_not_seen_in_texts_that_are_bad_or_of_another_language(self, language):
        rng = random.Random(7)
        words = [word for text in SHIPS["en"] for word in text.split()]
        bad = [" ".join(rng.sample(words, 9)) for _ in SHIPS["en"]]
        copied = SHIPS["ru" if language == "en" else "en"]
        systems = {"near": near(language), "bad": bad, "copied": copied, "empty": [""] * 8, "short": ["so"] * 8}
        assert warned(systems, "chrf", references=SHIPS[language]) == []

    def test_are_seen_among_many_where_a_fifth_is_moved(self):
        rng = random.Random(3)
        words = "abcdefghijklmnopqrstuvwxyz"
        references = [" ".join("".join(rng.choices(words, k=4)) for _ in range(8)) for _ in range(2000)]
        systems = {"a": references[:1600] + references[1601:] + ["end"], "b": references[:1990] + references[:-11:-1]}
        with pytest.warns(UserWarning, match="the system 'a' seem to be of other segments: that of segment 1,6"):
            found = compare(systems, "chrf", references=references, test=None)
        assert len(found.warnings) == 1

    def test_are_seen_where_all_texts_have_the_same_words(self):
        rng = random.Random(5)
        words = [f"word{number}" for number in range(15)]
        references = [" ".join(rng.choices(words, k=8)) for _ in range(300)]
        tuned = [" ".join([*text.split()[:-1], rng.choice(words)]) for text in references]
        bad = [" ".join(rng.choices(words, k=8)) for _ in references]
        assert warned({"tuned": tuned, "bad": bad}, "chrf", references=references, test=None) == []
        systems = {"tuned": tuned, "b": tuned[:200] + tuned[201:] + ["end"]}
        (message,) = warned(systems, "chrf", references=references, test=None)
        segment, home = map(int, re.findall(r"segment (\d+)", message))
        assert 200 < segment == home - 1 < 205

    @pytest.mark.parametrize(("n_shared", "is_named"), [(4, True), (3, False)])
    def test_have_half_of_their_words_in_another_reference(self, n_shared, is_named):
        references = [" ".join(f"word{segment}-{number}" for number in range(8)) for segment in range(8)]
        backwards = []
        for segment, text in enumerate(reversed(references)):
            others = [f"other{segment}-{number}" for number in range(8 - n_shared)]
            backwards.append(" ".join([*text.split()[:n_shared], *others]))
        messages = warned({"a": references, "b": backwards}, "chrf", references=references)
        assert len(messages) == is_named

    @pytest.mark.parametrize(("n_doubled", "is_named"), [(2, True), (3, False)])
    def test_nine_in_ten_of_them_have_a_segment_of_their_own(self, n_doubled, is_named):
        """Bad texts are often like one and the same reference."""
        references = [" ".join(f"слово{segment}-{number}" for number in range(8)) for segment in range(20)]
        backwards = references[::-1]
        backwards[:n_doubled] = references[10 : 10 + n_doubled]
        assert len(warned({"a": references, "b": backwards}, "chrf", references=references)) == is_named

    def test_of_all_systems_say_that_the_references_may_be_moved(self):
        references = [*SHIPS["en"][1:], "The end."]
        (message,) = warned({"a": near("en"), "b": SHIPS["en"]}, "chrf", references=references)
        assert message.startswith(
            "test set: the references seem to be of other segments than the texts of all systems: the texts of "
            "segment 2 are like the reference of segment 1."
        )

    def test_are_none_of_a_system_that_says_the_same_everywhere(self):
        assert warned({"a": near("en"), "b": [SHIPS["en"][2]] * 8}, "chrf", references=SHIPS["en"]) != []
        several = [SHIPS["en"][segment] for segment in (3, 2, 3, 2, 3, 2, 3, 2)]
        assert warned({"a": near("en"), "b": several}, "chrf", references=SHIPS["en"]) == []

    def test_are_warned_of_once_on_the_command_line(self, tmp_path):
        for name, lines in {"r": SHIPS["en"], "a": near("en"), "b": [*near("en")[1:], "…"]}.items():
            (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        files = [tmp_path / "a.txt", tmp_path / "b.txt", "-r", tmp_path / "r.txt", "-m", "chrf"]
        for name in ("compare", "score"):
            assert " ".join(command(name, *files).stderr.split()).count("seem to be of other segments") == 1


class TestRepeatedTexts:
    """A client that failed wrote its error where an answer should be."""

    ERROR = "Error: the server is busy, try again in {} s."

    @staticmethod
    def message(text, but_for=""):
        return (
            f"test set: the system 'b' has the same text{but_for} in 4 of 8 segments, the first of them segment 2: "
            f"'{text}'. If it is the message of an error, run these segments again, or leave them out for every "
            "system."
        )

    def test_are_named_where_they_are_wrong(self):
        for text in (self.ERROR.format(20), "ERROR", "N/A", "服务器繁忙，请稍后再试，谢谢您的耐心等待，再见。"):
            broken = [text if index % 2 else answer for index, answer in enumerate(near("en"))]
            found = warned({"a": near("en"), "b": broken}, "chrf", references=SHIPS["en"])
            assert found == [self.message(text)]

    def test_may_have_other_numbers_and_ids(self):
        errors = [self.ERROR.format(f"req_{number}a7f") for number in range(8)]
        broken = [errors[index] if index % 2 else text for index, text in enumerate(near("en"))]
        found = warned({"a": near("en"), "b": broken}, "chrf", references=SHIPS["en"])
        assert found == [self.message(errors[1], ", but for numbers,")]

    def test_are_none_where_they_are_rare_short_or_right(self):
        texts, error = near("en"), self.ERROR.format(20)
        assert warned({"a": texts, "b": [error] * 3 + texts[3:]}, "chrf", references=SHIPS["en"]) == []
        assert warned({"a": texts, "b": ["I do not know."] * 8}, "chrf", references=SHIPS["en"]) == []
        refusals = ["The answer is not in the passage."] * 5 + texts[5:]
        references = refusals[:5] + SHIPS["en"][5:]
        sources = [f"Question {text}?" for text in SHIPS["ru"]]
        test_set = TestSet("qa", {"a": refusals, "b": texts}, [[text] for text in references], sources)
        assert not [message for message in warned(test_set, "chrf") if "same text" in message]

    def test_are_none_in_texts_of_few_kinds(self):
        """As labels, or templates that are filled with numbers."""
        labels = [
            "Entailment: it follows from the text",
            "Contradiction: it cannot be so",
            "Neutral: nothing is said",
        ]
        references = [labels[index % 3] for index in range(60)]
        poor = [labels[index % 2] for index in range(60)]
        found = warned({"a": random.Random(2).choices(labels, k=60), "b": poor}, "chrf", references=references)
        assert not [message for message in found if "copies" not in message]
        filled = [f"In the city it will be {degrees} degrees." for degrees in range(8)]
        assert warned({"a": near("en"), "b": filled}, "chrf", references=SHIPS["en"]) == []
        weather = [f"It is {degrees} degrees, and {2 * degrees} at noon in the city." for degrees in range(60)]
        assert warned({"a": weather[::-1], "b": weather[5:] + weather[:5]}, "chrf", references=weather) == []


class MadeTexts(Sequence):
    """So many texts, each of which is made when it is asked for, as those of a large file are read."""

    def __init__(self, number, text):
        self.number = number
        self.text = text

    def __len__(self):
        return self.number

    def __getitem__(self, segment):
        if not 0 <= segment < self.number:
            raise IndexError(segment)
        return self.text(segment)


ERROR = "The server is busy, try again later."


def in_letters(number):
    """Return a number without digits."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij"))


@pytest.mark.parametrize(
    ("text", "n_messages"),
    [
        # One text, once its numbers are left out.
        (lambda segment: " ".join(f"w{segment}v{word}" for word in range(12)), 0),
        (lambda segment: ERROR if segment % 3 == 0 else in_letters(segment), 1),
        (lambda segment: f"The text of two segments, {in_letters(segment // 2)}", 1),
    ],
    ids=["numbers", "one of three", "each twice"],
)
def test_what_repeats_in_a_large_file_takes_few_bytes_for_each_segment(text, n_messages):
    n = 10_000
    test_set = TestSet("large", {"system": MadeTexts(n, text)}, [["a reference"]] * n, None)
    tracemalloc.start()
    messages = odd_segments(test_set)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(messages) == n_messages
    assert most < 40 * n


class TestCopies:
    def test_of_segments_are_counted(self):
        def found(times, **more):
            texts = {"A": near("en")[:2] * times, "B": ["dog", SHIPS["en"][1]] * times}
            return warned(texts, "ter", references=SHIPS["en"][:2] * times, **more)

        assert found(2) == [
            "test set: 2 of 4 segments are exact copies of earlier ones, so that 2 are different: intervals and "
            "tests take copies as independent segments, and are too sure. Remove the copies, or resample them "
            "together (cluster=)."
        ]
        assert found(2, cluster=[1, 2, 1, 2]) == found(1) == []

    def test_beside_short_ones_are_not_said_to_leave_so_many_that_differ(self):
        texts = {"A": [SHIPS["en"][0]] * 11 + ["b"] * 9, "B": [SHIPS["en"][1]] * 11 + ["c"] * 9}
        (message,) = warned(texts, "ter", references=[SHIPS["en"][0]] * 11 + ["b"] * 9)
        assert "10 of 20 segments are exact copies of earlier ones: intervals" in message

    def test_of_short_labels_are_none(self):
        """As the answers of a classifier, whose segments are different texts that nobody gave."""
        texts = {"A": ["yes", "no", "yes", "no", "no", "no"], "B": ["no", "no", "yes", "no", "no", "yes"]}
        assert compare(texts, ["ter"], references=["yes", "no"] * 3).warnings == []

    def test_of_systems_are_in_the_result_whose_scores_show_them(self):
        texts = {"A": ["a", "b"], "B": ["a", "c"], "C": ["a", "b"]}
        assert warned(texts, ["ter"], references=["a d", "b"]) == []
        found = compare(texts, ["ter"], references=["a d", "b"])
        assert found.warnings == ["test set: the systems 'A' and 'C' have the same texts."]

    @pytest.mark.parametrize(("n_copied", "n", "is_told"), [(2, 4, True), (2, 5, False), (3, 6, True), (1, 3, False)])
    def test_are_told_where_they_are_half_of_four_segments_or_more(self, n_copied, n, is_told):
        texts = near("ru")[: n - n_copied]
        systems = {"a": texts + texts[:1] * n_copied, "b": [f"{text} же" for text in texts + texts[:1] * n_copied]}
        references = SHIPS["ru"][: n - n_copied]
        found = warned(systems, "ter", references=references + references[:1] * n_copied)
        assert any(f": {n_copied} of {n} segments are exact copies" in message for message in found) is is_told

    @pytest.mark.parametrize(("n_letters", "is_told"), [(20, True), (19, False)])
    def test_of_texts_of_20_letters_are_no_labels(self, n_letters, is_told):
        texts = ["猫" * n_letters, "a"]
        found = warned({"a": texts * 3, "b": ["b"] * 6}, "ter", references=["猫", "c"] * 3)
        # Those that are short are left out, so that two of six are copies.
        assert not any("exact copies" in message for message in found)
        found = warned({"a": texts[:1] * 6, "b": ["b"] * 6}, "ter", references=["猫"] * 6)
        assert any("5 of 6 segments are exact copies" in message for message in found) is is_told


class TestTextsThatAreMoved:
    """From how many texts on, and by how many of their words."""

    @staticmethod
    def sets(n, n_moved):
        """Return references of distinct words, and a system whose last texts are those of the next segments."""
        references = [" ".join(f"{word}{segment}" for word in "абвг") for segment in range(n)]
        moved = references[: n - n_moved - 1] + references[n - n_moved :] + ["…"]
        return references, moved

    @pytest.mark.parametrize(
        ("n", "n_moved", "is_told"), [(8, 3, True), (8, 2, False), (80, 4, True), (80, 3, False)]
    )
    def test_three_or_a_twentieth_of_the_texts_are_like_the_next_reference(self, n, n_moved, is_told):
        references, moved = self.sets(n, n_moved)
        found = warned({"a": references, "b": moved}, "chrf", references=references, test=None)
        shifted = f"that of segment {n - n_moved:,} is like the reference of segment {n - n_moved + 1:,}."
        assert any(shifted in message for message in found) is is_told

    @pytest.mark.parametrize("n_words", [6, 4])
    @pytest.mark.parametrize(("n_moved", "is_told"), [(10, True), (9, False)])
    def test_of_texts_without_a_rare_word_a_tenth_are_like_the_next_reference(self, n_words, n_moved, is_told):
        words = "αβγδεζ"[:n_words]
        references = [" ".join(f"{word}{segment % 5}" for word in words) for segment in range(100)]
        moved = references[: 99 - n_moved] + references[100 - n_moved :] + ["…"]
        found = warned({"a": references, "b": moved}, "chrf", references=references, test=None)
        assert any("seem to be of other segments" in message for message in found) is is_told

    @pytest.mark.parametrize(("n_words", "is_told"), [(4, True), (3, False)])
    def test_texts_of_few_words_show_nothing(self, n_words, is_told):
        references = [" ".join(f"{word}{segment}" for word in "αβγδ"[:n_words]) for segment in range(12)]
        found = warned({"a": references, "b": [*references[1:], "…"]}, "chrf", references=references, test=None)
        assert any("seem to be of other segments" in message for message in found) is is_told


class TestTextsThatRepeat:
    """From how many segments on, beside how many others, and what is taken for the message of an error."""

    @staticmethod
    def systems(n, n_repeated, text, n_kinds=None):
        others = [in_letters(segment % (n_kinds or n) + 1000) + " parkt" for segment in range(n - n_repeated)]
        return {"a": [f"{in_letters(segment)} steht" for segment in range(n)], "b": [text] * n_repeated + others}

    def found(self, *arguments):
        systems = self.systems(*arguments)
        references = [f"{in_letters(segment)} steht hier" for segment in range(arguments[0])]
        found = warned(systems, "chrf", references=references, test=None)
        return [message for message in found if "the same text" in message]

    @pytest.mark.parametrize(
        ("n", "n_repeated", "is_told"),
        [(20, 4, True), (20, 3, False), (250, 5, True), (300, 6, True), (300, 5, False)],
    )
    def test_four_or_one_in_fifty_are_told(self, n, n_repeated, is_told):
        assert bool(self.found(n, n_repeated, "Der Dienst antwortet nicht mehr.")) is is_told

    @pytest.mark.parametrize(
        ("text", "is_told"),
        [("я" * 20, True), ("я" * 19, False), ("  API Error ", True), ("nan", True), ("None", True), ("нет", False)],
    )
    def test_a_label_of_less_than_20_letters_is_none_unless_it_says_that_it_failed(self, text, is_told):
        assert bool(self.found(12, 5, text)) is is_told

    @pytest.mark.parametrize(("n_kinds", "is_told"), [(8, True), (7, False)])
    def test_four_in_five_of_the_other_texts_must_differ(self, n_kinds, is_told):
        assert bool(self.found(15, 5, "Der Dienst antwortet nicht mehr.", n_kinds)) is is_told


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("API error", True), (" None\n", True), ("N/A", True), ("Error code: 429 - zu", True), ("[ERROR] x", True),
        ("** Request timed out.", True), ("rate limit", True), ("Ratelimit", True), ("Traceback (most recent", True),
        ("Error codes are listed below.", False), ("An error", False), ("", False), ("none of them", False),
        ("ошибка", False),
    ],
)  # fmt: skip
def test_a_text_that_stands_for_an_answer_that_failed(text, expected):
    assert is_failure(text) is expected


@pytest.mark.parametrize(
    ("systems", "meant"),
    [
        (["new", "Baseline"], "Baseline"), (["new", "x", "MAIN"], "MAIN"), (["new", "master", "base"], "base"),
        (["base", "main"], None), (["Main", "baseline"], None), (["new", "базовая"], None), (["new", "base-2"], None),
    ],
)  # fmt: skip
def test_a_system_that_is_called_the_baseline_and_is_not_the_first_is_named(systems, meant):
    test_set = TestSet("ships", {name: [name] for name in systems}, [["x"]], None)
    message = (
        f"ships: the baseline is the first system, '{systems[0]}', but another is called '{meant}': "
        f"baseline='{meant}' makes it the baseline."
    )
    assert odd_baseline(test_set) == ([message] if meant else [])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 9])
def test_up_to_three_systems_with_one_oddity_are_warned_of_apart_and_more_together(n):
    systems = {f"с{number}": [f"<b>{text} {number}&amp;" for text in near("ru")] for number in range(n)}
    found = [message for message in warned(systems, "chrf", references=SHIPS["ru"], test=None) if "HTML" in message]
    if n <= 3:
        assert [message.split(" HTML")[0] for message in found] == [
            f"test set: the system '{name}' has" for name in systems
        ]
    else:
        (message,) = found
        assert message.startswith("test set: the systems 'с0', 'с1', 'с2'")
        assert ("'с7'" in message, "'с8'" in message) == (n == 9, False)


@pytest.mark.parametrize(
    ("n", "n_with_word", "is_told"), [(20, 2, True), (20, 3, False), (110, 10, True), (110, 11, False)]
)
def test_words_of_more_than_ten_segments_or_a_tenth_of_them_show_nothing(n, n_with_word, is_told):
    random_number = random.Random(n + n_with_word)
    groups = [random_number.sample(range(n), n) for _ in range(8)]
    references = []
    for segment in range(n):
        words = [f"сл{word}x{group[segment] // n_with_word}" for word, group in enumerate(groups)]
        references.append(" ".join(words))
    found = warned({"a": references, "b": references[::-1]}, "chrf", references=references, test=None)
    assert any("seem to be of other segments" in message for message in found) is is_told
