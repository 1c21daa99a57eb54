"""N-best lists that are given as the texts of a system: the first candidate of each number is scored."""

import pytest

import tercet
from commands import command

REFERENCES = ["Der Hafen ist ruhig .", "Катер ушёл утром .", "今日は雨が降る 。", "نحن ننتظر القطار ."]
BEST = ["Der Hafen ist still .", "Катер уйдёт утром .", "明日は雨が降る 。", "ننتظر القطار ."]


def saved(folder, name, lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def ranked(texts, n_candidates=3, first=0):
    """Return the lines of a list with worse candidates after the best, as Moses writes them."""
    return [
        f"{number} ||| {text}{' und' * rank} ||| LM0= -{rank}.5 ||| -{rank}.2"
        for number, text in enumerate(texts, first)
        for rank in range(n_candidates)
    ]


@pytest.mark.parametrize(("n_candidates", "first"), [(1, 0), (3, 0), (2, 1)])
def test_the_first_candidate_of_each_number_is_the_system_s_text(tmp_path, n_candidates, first):
    path = saved(tmp_path, "nbest.txt", ranked(BEST, n_candidates, first))
    with pytest.warns(UserWarning, match="is an n-best list") as warned:
        (test_set,) = tercet.read_test_sets(path, references=saved(tmp_path, "ref.txt", REFERENCES))
    assert test_set.systems == {"nbest": BEST}
    assert [str(each.message) for each in warned] == [
        f"{path} is an n-best list, '{first} ||| Der Hafen ist still . ||| LM0= -0.5 ||| -0.2': of each number the "
        f"first candidate is scored, 4 of {4 * n_candidates} lines, without its number and scores. tercet mbr "
        "chooses among all candidates."
    ]


def test_scores_are_those_of_the_texts_alone(tmp_path):
    saved(tmp_path, "moses.txt", ranked(BEST))
    saved(tmp_path, "plain.txt", BEST)
    saved(tmp_path, "ref.txt", REFERENCES)
    done = command("compare", "moses.txt", "plain.txt", "-r", "ref.txt", "-m", "chrf", "-f", "tsv", cwd=tmp_path)
    columns, moses, plain = [line.split("\t") for line in done.stdout.splitlines()]
    score = columns.index("score")
    assert moses[score] == plain[score]
    assert "moses.txt is an n-best list" in done.stderr


def test_a_number_without_candidates_is_refused(tmp_path):
    path = saved(tmp_path, "nbest.txt", [line for line in ranked(BEST) if not line.startswith("2")])
    with pytest.raises(tercet.InputError, match="no line begins with 2, but some do with 1 and 3"):
        tercet.read_test_sets(path, references=saved(tmp_path, "ref.txt", REFERENCES))


def test_a_text_with_bars_is_no_list(tmp_path):
    texts = ["0 ||| eins", "plain", "2 ||| 三", "x"]
    path = saved(tmp_path, "bars.txt", texts)
    (test_set,) = tercet.read_test_sets(path, references=saved(tmp_path, "ref.txt", REFERENCES))
    assert test_set.systems == {"bars": texts}
