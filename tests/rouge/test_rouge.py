"""rouge_nlws against rouge_score and rouge-metric, called on the same texts."""

import json
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_metric import PyRouge
from rouge_score import rouge_scorer

from conftest import ANY_TEXTS
from tercet import InputError, OptionError, explain, score
from tercet.base.peers import UnavailableError
from tercet.metrics.rouge.options import parse_types
from tercet.metrics.rouge.perl import script_scores
from texts import LATIN, all_pairs, any_texts, awkward_corpus, corpora

TYPES = ["rouge1", "rouge2", "rouge3", "rouge4", "rougeL", "rougeLsum"]
SCORERS = {stem: rouge_scorer.RougeScorer(TYPES, use_stemmer=stem) for stem in (False, True)}


def test_rouge_is_the_f_of_matched_words_and_of_the_longest_common_subsequence():
    found = score("rouge", ["the cat sat"], ["the cat"], output="all")
    assert (found["rouge1_precision"], found["rouge1_recall"]) == (2 / 3, 1)
    assert found["rouge1"] == found["rougeL"] == pytest.approx(2 * (2 / 3) * 1 / (2 / 3 + 1))
    assert found["rouge2"] == pytest.approx(2 * (1 / 2) * 1 / (1 / 2 + 1))


def check_rouge_score(predictions, references, stem=False):
    options = {"rouge_types": TYPES, "use_stemmer": stem, "output": "all", "compat": "rouge_score"}
    ours = score("rouge_nlws", predictions, references, use_aggregator=False, **options)
    for item, (text, texts) in enumerate(zip(predictions, references, strict=True)):
        expected = SCORERS[stem].score_multi(texts, text)
        for name, (precision, recall, f) in expected.items():
            given = (ours[f"{name}_precision"][item], ours[f"{name}_recall"][item], ours[name][item])
            assert given == (precision, recall, f), (name, text, texts)


@ANY_TEXTS
@pytest.mark.parametrize("stem", [False, True])
def test_equals_rouge_score_in_every_language_and_on_awkward_texts(stem):
    check_rouge_score(*all_pairs(), stem)
    for seed in range(12):
        check_rouge_score(*awkward_corpus(seed, most=(5, 60, 300)[seed % 3]), stem)


@ANY_TEXTS
@settings(max_examples=200)
@given(corpora(), corpora(any_texts))
def test_equals_rouge_score_on_any_text(of_few_words, corpus):
    check_rouge_score(*of_few_words)
    check_rouge_score(*corpus)


def check_rouge_metric(predictions, references, ours_type, **theirs):
    """Compare one type with rouge-metric, which splits at white space and takes one reference as it is."""
    key = f"rouge-w-{theirs['rouge_w_weight']}" if "rouge_w" in theirs else None
    scorer = PyRouge(rouge_n=(), rouge_l=False, mode="individual", **theirs)
    ours = triples(predictions, references, ours_type, tokenizer="none")
    results = scorer.evaluate(predictions, [[text] for text in references])
    for found, result in zip(ours, results, strict=True):
        expected = result[key or next(iter(result))]
        assert found == pytest.approx([expected["p"], expected["r"], expected["f"]], abs=1e-12), ours_type


FAMILY = [
    ("rougeW", {"rouge_w": True, "rouge_w_weight": 1.2}),
    ("rougeW2.5", {"rouge_w": True, "rouge_w_weight": 2.5}),
    ("rougeS", {"rouge_s": True}),
    ("rougeS3", {"rouge_s": True, "skip_gap": 3}),
    ("rougeS0", {"rouge_s": True, "skip_gap": 0}),
]


@pytest.mark.parametrize(("name", "theirs"), FAMILY)
@settings(max_examples=60)
@given(corpus=corpora(max_references=1) | st.integers(0, 99).map(lambda seed: awkward_corpus(seed, 6, 80)))
def test_equals_rouge_metric_in_types_that_rouge_score_lacks(name, theirs, corpus):
    predictions, references = corpus
    check_rouge_metric(predictions, [texts[0] for texts in references], name, **theirs)


def test_su_adds_every_word_and_the_script_all_but_the_last():
    text, reference = "police killed the gunman", "police kill the gunman"
    plain, script = (triples([text], [reference], "rougeSU", compat=compat) for compat in (None, "rouge155"))
    assert plain.tolist() == [[6 / 10] * 3]  # 3 pairs and 3 words of 6 and 4
    assert script.tolist() == [[0.55556] * 3]  # 3 pairs and 2 words of 6 and 3


def triples(predictions, references, name, **options):
    options |= {"rouge_types": name, "output": "all", "use_aggregator": False}
    result = score("rouge_nlws", predictions, references, **options)
    return np.array([result[name + suffix] for suffix in ("_precision", "_recall", "")]).T


@ANY_TEXTS
@pytest.mark.parametrize("name", ["rouge1", "rougeLsum", "rougeW", "rougeS4"])
def test_rules_for_several_references(name):
    predictions, references = awkward_corpus(5, references=4)
    pairs = [triples([text] * len(texts), texts, name) for text, texts in zip(predictions, references, strict=True)]
    best, mean = [each[np.argmax(each[:, 2])] for each in pairs], [each.mean(axis=0) for each in pairs]
    jackknife = []
    for each in pairs:
        leave_one_out = [each[list(kept)] for kept in combinations(range(len(each)), len(each) - 1)]
        chosen = [kept[np.argmax(kept[:, 2])] for kept in leave_one_out] if len(each) > 1 else [each[0]]
        jackknife.append(np.mean(chosen, axis=0))
    for rule, expected in (("best", best), ("average", mean), ("jackknife", jackknife)):
        found = triples(predictions, references, name, multi_ref=rule)
        assert found == pytest.approx(np.array(expected), abs=1e-12)


@ANY_TEXTS
def test_a_script_that_the_default_tokenizer_drops_is_scored_with_one_warning():
    for language in ("ru", "zh", "ja", "hi", "ar", "he", "th", "ko", "el"):
        texts = all_pairs((language,))
        with pytest.warns(UserWarning, match="tokenizer='unicode' is used instead") as caught:
            result = score("rouge_nlws", *texts)
        assert len(caught) == 1
        assert "|tok:unicode|" in result.signature
        assert "equals" not in result.signature
        expected = score("rouge_nlws", *texts, tokenizer="unicode")
        assert result.to_dict(full=True) == expected.to_dict(full=True)
        assert score("rouge_nlws", *texts, tokenizer="rouge")["rouge1"] < result["rouge1"] < 1
    assert "|tok:rouge|" in score("rouge_nlws", *all_pairs(LATIN)).signature  # letters with accents stay


def test_predictions_are_cut_to_max_words_or_max_bytes():
    text, reference = "one two three\nfour five", "three four"
    for cut, value in (({"max_words": 2}, 0), ({"max_words": 4}, 2 / 3), ({"max_bytes": 13}, 0.4)):
        assert score("rouge_nlws", [text], [reference], rouge_types="rouge1", **cut)["rouge1"] == pytest.approx(value)


def test_stopwords_and_their_lists():
    for stopwords in (["the", "and", "a", "or"], "en", "smart"):
        found = score("rouge_nlws", ["the cat and the mat"], ["a cat or a mat"], stopwords=stopwords)
        assert found["rougeL"] == 1.0
    russian = score("rouge_nlws", ["кот и окно"], ["кот или окно"], stopwords="ru", tokenizer="unicode")
    assert russian["rouge2"] == 1.0


def test_sentences_are_found_where_there_are_no_lines():
    predictions, references = ["It rains. I stay here."], ["I stay here. It rains."]
    asked = {"rouge_types": ["rougeL", "rougeLsum"]}
    plain = score("rouge_nlws", predictions, references, **asked)
    split = score("rouge_nlws", predictions, references, **asked, sentence_split="auto")
    assert plain["rougeLsum"] == plain["rougeL"] == split["rougeL"] < split["rougeLsum"] == 1.0


EVERY_TYPE = ["rouge1", "rouge2", "rouge4", "rougeL", "rougeS", "rougeS2", "rougeSU4"]
EVERY_TYPE += ["rougeW", "rougeW2", "rougeW1.75"]


def check_script(predictions, references, **options):
    try:
        expected = script_scores(predictions, references, parse_types(EVERY_TYPE), **options)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert len(expected) >= 7  # it dies of ROUGE-W where a reference has no word
    options |= {"rouge_types": EVERY_TYPE, "output": "all", "use_aggregator": False, "compat": "rouge155"}
    ours = score("rouge_nlws", predictions, references, **options)
    for name, figures in expected.items():
        found = zip(*(ours[name + suffix] for suffix in ("_precision", "_recall", "")), strict=True)
        assert list(found) == figures, name


def texts_of_few_words(seed, n_items=150):
    """Texts of up to three lines over five words, with one to four references: many ties between them."""
    rng = random.Random(seed)

    def text():
        return "\n".join(" ".join(rng.choices("abcde", k=rng.randint(1, 7))) for _ in range(rng.randint(1, 3)))

    return [text() for _ in range(n_items)], [[text() for _ in range(rng.randint(1, 4))] for _ in range(n_items)]


@pytest.mark.parametrize(
    "options",
    [{}, {"multi_ref": "average"}, {"beta": 2.0, "max_words": 6}, *({"alpha": alpha} for alpha in (0, 0.3, 0.9, 1))],
    ids=str,
)
def test_the_best_of_several_references_and_its_f_are_the_script_s(options):
    check_script(*texts_of_few_words(7), **options)
    # roots undone make noise that prefers the second
    check_script(["a b c d e"], [["a b c d e", "c d e"]], **options)


def test_alpha_needs_the_script_and_no_beta():
    script = {"rouge_types": ["rouge1"], "compat": "rouge155"}
    for prediction, reference in (("a b c", "a d"), ("a x y z", "a"), ("z", "a")):
        figures = score("rouge", [prediction], [reference], output="all", **script)
        for alpha, suffix in ((0, "_recall"), (0.5, ""), (1, "_precision")):
            found = score("rouge", [prediction], [reference], alpha=alpha, **script)
            assert found["rouge1"] == figures[f"rouge1{suffix}"]
        halved = score("rouge", [prediction], [reference], alpha=0.5, **script).signature
        assert ["|alpha:0.5|" in halved, "|beta:" in halved, "|equals:ROUGE-1.5.5|" in halved] == [True, False, True]
    for options, message in (
        (
            {**script, "alpha": 0.5, "beta": 2},
            r"The options 'alpha' and 'beta' exclude each other: give one of them\.",
        ),
        ({"alpha": 0.5}, "'alpha' .* has an effect only with compat='rouge155'"),
        ({**script, "alpha": 1.1}, r"must be a number from 0 to 1, or None\. Got 1\.1 instead\."),
    ):
        with pytest.raises(OptionError, match=message):
            score("rouge", ["a"], ["a"], **options)


BLANKS = [
    *(" ", "  ", "\t", "\r", "\x0b", "\x0c", "\n", " \n ", "\n\n", "\n\t"),
    *("\u00a0", "\u2028", "\x85", "\u2003", "\u3000", "\x1c", "\x1f", "\ufeff"),
]
WORDS = ["the", "cat", "sat", "l'été", "сидит", "кошка", "niño", "今天", "a-b", "3.5", "Straße", "K", "İ", "नमस्ते"]


@ANY_TEXTS
@pytest.mark.parametrize("options", [{}, {"use_stemmer": True, "stopwords": "smart", "multi_ref": "average"}])
def test_max_bytes_cuts_lines_for_l_and_w_and_texts_for_the_others_as_the_script_does(options):
    predictions, references = texts_of_few_words(11)
    texts = [" ".join(WORDS[:12])[start:] + "\n" + "\n".join(WORDS[:4]) for start in range(12)]
    predictions, references = predictions + texts, references + [texts[:2]] * 12
    predictions, references = [*predictions, "     \ny ab y ab"], [*references, ["  a a"]]  # bytes of an empty line
    for max_bytes in (1, 10, 13, 25):
        check_script(predictions, references, max_bytes=max_bytes, **options)


def test_the_bytes_of_lines_are_not_added_up_for_l_and_w():
    text, other, options = "one two\nred sun", "one two\nred moon", {"max_bytes": 10, "compat": "rouge155"}
    expected = {"rouge1": [1.0, 1.0, 1.0], "rougeL": [1.0, 0.75, 0.85714], "rougeW": [0.90092, 0.58822, 0.71174]}
    assert {name: triples([text], [other], name, **options)[0].tolist() for name in expected} == expected
    why = explain("rouge_nlws", text, other, **options, rouge_types=["rouge1", "rougeL"])
    shown = [[word.text for word in each.prediction_words if word.level] for each in why.types]
    assert shown == [["one", "two", "red"]] * 2
    assert [len(each.prediction_words) for each in why.types] == [3, 4]


@ANY_TEXTS
@pytest.mark.parametrize("max_words", [1, 4, 9])
def test_max_words_cuts_as_the_script_does(max_words):
    """Texts of seven scripts with white space of all kinds, at the starts of lines too."""
    rng = random.Random(max_words)

    def text():
        pieces = (rng.choice(WORDS) * (rng.random() < 0.85) + rng.choice(BLANKS) for _ in range(rng.randint(0, 25)))
        return "".join(pieces)

    predictions = [text() for _ in range(100)]
    references = [["x " + text() for _ in range(rng.randint(1, 3))] for _ in predictions]
    check_script(predictions, references, max_words=max_words)
    check_script(predictions, references, max_words=max_words, use_stemmer=True, stopwords="smart")


def test_without_compat_max_words_counts_words_between_any_white_space():
    text, reference = " a\u00a0b\u3000c", "a b c"
    options = {"max_words": 2, "rouge_types": "rouge1", "output": "recall"}
    assert score("rouge_nlws", [text], [reference], **options)["rouge1"] == 1.0  # a b of a b
    assert score("rouge_nlws", [text], [reference], compat="rouge155", **options)["rouge1"] == 1.0  # all is one word
    assert score("rouge_nlws", [" a b"], [reference], compat="rouge155", **options)["rouge1"] == 0.5  # "" and a


def test_figures_of_the_script_before_it_rounds_them():
    predictions, references = texts_of_few_words(3, n_items=20)
    asked = {"rouge_types": EVERY_TYPE, "output": "all", "use_aggregator": False, "compat": "rouge155"}
    rounded, exact = (score("rouge_nlws", predictions, references, rounded=each, **asked) for each in (True, False))
    assert rounded == score("rouge_nlws", predictions, references, **asked)
    assert "|rounded:no|" in exact.signature
    assert "equals" not in exact.signature
    for name in EVERY_TYPE:
        precision, recall, f = (np.array(exact[name + each]) for each in ("_precision", "_recall", ""))
        for suffix, values in (("_precision", precision), ("_recall", recall)):
            assert [float(f"{value:.5f}") for value in values] == rounded[name + suffix]
        assert f == pytest.approx(2 * precision * recall / np.where(f > 0, precision + recall, 1), abs=1e-15)
        assert f == pytest.approx(rounded[name], abs=2e-5)
    assert exact["rouge1"] != rounded["rouge1"]
    for options in ({}, {"compat": "rouge_score"}):
        with pytest.raises(OptionError, match=r"'rounded' .* has an effect only with compat='rouge155'"):
            score("rouge_nlws", ["a"], ["a"], rounded=True, **options)


# Memory that a process may take is bounded once the code is loaded; then one text is very long, and the other short.
LITTLE_MEMORY = r"""
import resource
from pathlib import Path
from tercet import score

words = " ".join(f"w{number * 7 % 5003}" for number in range(100_000))
few = "w7 w0 x\nw14 w21"
types = ["rougeL", "rougeLsum", "rougeW", "rougeS4", "rouge2"]
score("rouge_nlws", ["a b " * 40 + "\nc"], ["a b"], rouge_types=types)
pages = int(Path("/proc/self/statm").read_text().split()[0])
most = pages * resource.getpagesize() + 200_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print([round(score("rouge_nlws", [text], [other], rouge_types=types)["rougeL"], 6) for text, other in
       ((words, few), (few, words), (words, words[:300]), (words[:300], words))])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks the system for the memory of a process")
def test_a_long_text_against_a_short_one_takes_little_memory():
    run = subprocess.run([sys.executable, "-c", LITTLE_MEMORY], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    first, second, third, fourth = json.loads(run.stdout)
    assert first == second > 0
    assert third == fourth > 0


def test_two_very_long_texts_say_their_cost_and_are_named():
    words = ["a b " * 70_000, "a b " * 66_000]
    with pytest.raises(InputError) as refused:
        score("rouge_nlws", ["a", words[0]], ["a", words[1]], rouge_types="rougeW", tokenizer="none")
    assert str(refused.value) == (
        "item 1 is too long for ROUGE-W and ROUGE-L by lines (rougeLsum): its prediction of 140,000 tokens against a "
        "reference of 132,000 takes 2.2 GiB of memory, but the limit is 2. Leave these types out of rouge_types, "
        "cut the texts with max_words, or give them lines, as by sentence_split='auto'."
    )
    cut = score("rouge_nlws", words[:1], words[1:], rouge_types="rougeW", max_words=1000)
    assert cut["rougeW"] == score("rouge_nlws", ["a b " * 500], ["a b " * 500], rouge_types="rougeW")["rougeW"]
    lines = [text.replace("b ", "b\n") for text in words]
    assert 0.9 < score("rouge_nlws", lines[:1], lines[1:], rouge_types="rougeL", tokenizer="none")["rougeL"] < 1


@pytest.mark.parametrize("name", ["rougeW", "rougeLsum"])
def test_the_too_long_item_is_named_by_its_number_in_the_corpus(name, monkeypatch):
    monkeypatch.setattr("tercet.metrics.rouge.counts.MOST_WAY_BACK", 8 * 30)
    texts = ["a b"] * 6
    texts[4] = "a\n" * 31
    for n_jobs in (1, 3):
        with pytest.raises(InputError, match="item 4 is too long"):  # stop-words: counted from tokens
            score("rouge_nlws", texts, texts, rouge_types=name, n_jobs=n_jobs, stopwords=["x"])


def test_a_too_long_item_of_several_lines_is_named_as_well():
    words = ["a b " * 70_000 + "\na", "b\n" + "a b " * 66_000]
    with pytest.raises(InputError, match=r"^item 1 is too long for ROUGE-W .* takes 2.2 GiB"):
        score("rouge_nlws", ["a", words[0]], ["a", words[1]], rouge_types="rougeLsum", tokenizer="none")


def test_one_line_each_needs_no_way_back_for_the_union(monkeypatch):
    monkeypatch.setattr("tercet.metrics.rouge.counts.MOST_WAY_BACK", 8 * 30)
    texts, references = ["a b " * 40, "a\nb"], ["a c b " * 30, "b\na"]
    found = score("rouge_nlws", texts, references, rouge_types=["rougeL", "rougeLsum"], segments=True).segments
    assert found["rougeLsum"] == [found["rougeL"][0], 1.0]
    assert found["rougeL"][1] == 0.5
