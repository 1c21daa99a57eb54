"""``tercet score`` of large text files, of which only parts are in memory: as if they were read at once."""

import random
import re
from unicodedata import normalize

import pytest

from commands import command
from tercet.errors import InputError
from tercet.files import large_texts
from tercet.files.large_texts import FileLines, large_lines
from tercet.files.limits import Limits
from tercet.files.lines import read_lines
from tercet.test_sets import text_files
from tercet.test_sets.test_set import LargeTestSet

N = large_texts._FEWEST + 77
METRICS = [f"--metric={metric}" for metric in ("bleu", "chrf", "rouge", "wer", "google_bleu", "bleu:lowercase=true")]


def texts(seed, letters="abcdefghij"):
    """Return predictions and references that are alike."""
    rng = random.Random(seed)
    words = ["".join(rng.choices(letters, k=rng.randint(2, 6))) for _ in range(500)]
    references = [" ".join(rng.choices(words, k=rng.randint(3, 8))).capitalize() + "." for _ in range(N)]
    predictions = [re.sub(r"\w+", lambda word: rng.choice([word[0], word[0], words[0]]), line) for line in references]
    return predictions, references


PREDICTIONS, REFERENCES = texts(1)
ACCENTED, WITH_ACCENTS = texts(2, "abcdéüßç")
CYRILLIC, IN_CYRILLIC = texts(3, "абвгдежз")


def joined(lines, end="\n", last=True):
    """Return a file's bytes."""
    return (end.join(lines) + end * last).encode()


def every(step, lines, change):
    """Return the lines, some of which are changed."""
    return [change(line) if number % step == 1 else line for number, line in enumerate(lines)]


def numbered(form, lines):
    """Return the lines with their numbers."""
    return [form.format(number, line) for number, line in enumerate(lines)]


PREDICTION, REFERENCE = joined(PREDICTIONS), joined(REFERENCES)

#: Files of systems, and of references.
FILES = {
    "plain": ([PREDICTION], [REFERENCE]),
    "Windows": ([joined(PREDICTIONS, "\r\n")], [joined(REFERENCES, "\r\n")]),
    "marks": ([b"\xef\xbb\xbf" + joined(PREDICTIONS)], [b"\xef\xbb\xbf" * 2 + joined(REFERENCES)]),
    "no last end": ([joined(PREDICTIONS, last=False)], [joined(REFERENCES, "\r\n", last=False)]),
    "several": ([PREDICTION, joined(REFERENCES[:9] + PREDICTIONS[9:])], [REFERENCE, joined(ACCENTED)]),
    "copies": ([PREDICTION, PREDICTION, REFERENCE], [REFERENCE]),
    "repeats": ([joined((PREDICTIONS[:3_000] * 3)[:N])], [joined((REFERENCES[:3_000] * 3)[:N])]),
    "accents": ([joined(ACCENTED)], [joined(WITH_ACCENTS)]),
    "apart": ([joined([normalize("NFD", line) for line in ACCENTED])], [joined(WITH_ACCENTS)]),
    "few accents": ([joined(PREDICTIONS[700:] + ACCENTED[:700])], [joined(REFERENCES[700:] + WITH_ACCENTS[:700])]),
    "Cyrillic": ([joined(CYRILLIC)], [joined(IN_CYRILLIC)]),
    "entities": ([joined(every(50, PREDICTIONS, lambda line: f"{line} &amp;"))], [REFERENCE]),
    "lower case": ([joined(map(str.lower, PREDICTIONS))], [REFERENCE]),
    "refusals": ([joined(every(20, PREDICTIONS, lambda line: f"I'm sorry, I can't {line}"))], [REFERENCE]),
    "errors": ([joined(every(9, PREDICTIONS, lambda line: f"Error code: {len(line)} - no answer"))], [REFERENCE]),
    "moved": ([joined(PREDICTIONS[1:] + PREDICTIONS[:1])], [REFERENCE]),
    "shuffled": ([joined(random.Random(4).sample(PREDICTIONS, N))], [REFERENCE]),
    "empty": ([joined(every(90, PREDICTIONS, lambda line: " "))], [joined(every(70, REFERENCES, lambda line: ""))]),
    "ids": ([joined(numbered("u{} {}", PREDICTIONS))], [joined(numbered("u{} {}", REFERENCES))]),
    "one line less": ([joined(PREDICTIONS[1:])], [REFERENCE]),
    "carriage returns": ([joined(every(50, PREDICTIONS, lambda line: f"{line}\r."))], [REFERENCE]),
    "Latin-1": ([joined(ACCENTED).decode().encode("latin-1")], [REFERENCE]),
    "UTF-16": ([joined(PREDICTIONS).decode().encode("utf-16")], [REFERENCE]),
    "n-best": ([joined(numbered("{} ||| {} ||| 1", PREDICTIONS))], [REFERENCE]),
    "no lines": ([b""], [REFERENCE]),
}  # fmt: skip


@pytest.fixture
def large(monkeypatch):
    """Take all files for large ones; the list has the test sets that were read piece by piece."""
    made = []
    monkeypatch.setattr(text_files, "_LARGE", 0)
    corpus = LargeTestSet.corpus
    monkeypatch.setattr(LargeTestSet, "corpus", lambda test_set: [made.append(test_set), corpus(test_set)][1])
    return made


@pytest.mark.parametrize("case", FILES)
def test_the_output_is_that_of_texts_that_are_read_at_once(case, tmp_path, large, monkeypatch):
    systems, references = FILES[case]
    files = {f"system {number}.txt": data for number, data in enumerate(systems)}
    of_references = {f"reference {number}.txt": data for number, data in enumerate(references)}
    for name, data in {**files, **of_references}.items():
        (tmp_path / name).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    arguments = [*files, *(f"--references={name}" for name in of_references), "--no-intervals", "--format=json"]
    # An error of the files is one of all metrics.
    code = 2 if case in ("one line less", "Latin-1", "no lines") else 0
    in_pieces = command("score", *arguments, *METRICS, code=code)
    assert len(large) == (code == 0)
    monkeypatch.setattr(text_files, "_LARGE", 1 << 60)
    at_once = command("score", *arguments, *METRICS, code=code)
    assert (in_pieces.stdout, in_pieces.stderr) == (at_once.stdout, at_once.stderr)


@pytest.mark.parametrize(
    "options",
    [
        ["--segments=segments.tsv"],
        ["--format=html"],
        ["--metric=diversity"],
        ["--metric=bleu:normalize=lower"],
        ["--source=source.txt"],
        ["--encoding=cp1252"],
    ],
)
def test_texts_are_read_at_once_where_more_than_sums_is_asked_for(options, tmp_path, large, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in {"system.txt": PREDICTIONS, "reference.txt": REFERENCES, "source.txt": ACCENTED}.items():
        (tmp_path / name).write_bytes(joined(lines))
    command("score", "system.txt", "--references=reference.txt", "--no-intervals", *options)
    assert not large


class TestLines:
    @pytest.mark.parametrize("data", [joined(WITH_ACCENTS), joined(PREDICTIONS, "\r\n"), joined(["", *CYRILLIC, ""])])
    def test_lines_are_those_of_the_file(self, data, tmp_path):
        (tmp_path / "a.txt").write_bytes(data)
        expected = read_lines(str(tmp_path / "a.txt"))
        lines = large_lines(str(tmp_path / "a.txt"))
        assert isinstance(lines, FileLines)
        assert len(lines) == len(expected)
        assert list(lines) == expected
        assert lines == expected
        assert lines != [*expected[:-1], "other"]
        for number in (0, 1, 127, 128, 5_000, len(lines) - 1, -1):
            assert lines[number] == expected[number]
        for part in (slice(3), slice(100, 300), slice(256, 310), slice(-5, None), slice(7, 7), slice(0, 900, 7)):
            assert lines[part] == expected[part]
        for number in (len(lines), -len(lines) - 1):
            with pytest.raises(IndexError):
                lines[number]

    def test_a_file_that_changes_meanwhile_is_refused(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_bytes(joined(PREDICTIONS))
        lines = large_lines(str(path))
        with open(path, "r+b") as file:
            file.truncate(1_000)
        with pytest.raises(InputError, match=r"a\.txt' was changed while it was read\.$"):
            list(lines)

    def test_a_file_with_too_many_lines_is_refused(self, tmp_path, monkeypatch):
        path = tmp_path / "a.txt"
        path.write_bytes(joined(PREDICTIONS))
        monkeypatch.setattr(large_texts, "LIMITS", Limits(n_lines=N - 1))
        with pytest.raises(InputError, match=f"holds more than {N - 1:,} lines"):
            large_lines(str(path))

    def test_few_lines_are_in_memory(self, tmp_path, large, monkeypatch):
        read = []
        between = FileLines._between
        monkeypatch.setattr(
            FileLines,
            "_between",
            lambda lines, start, stop: [read.append(stop - start), between(lines, start, stop)][1],
        )
        for name, lines in {"system.txt": PREDICTIONS, "reference.txt": REFERENCES}.items():
            (tmp_path / name).write_bytes(joined(lines))
        command("score", tmp_path / "system.txt", "-r", tmp_path / "reference.txt", "--no-intervals")
        assert max(read) == large_texts._TOGETHER < N
