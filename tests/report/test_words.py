"""Words of the predictions: n-grams that systems match and F by frequency, beside compare-mt and plain counting."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import sample
from tercet.report.matched_ngrams import ngram_pairs
from tercet.report.segments import SystemPair
from tercet.report.word_frequencies import word_frequencies
from tercet.report.words import read_words
from tercet.test_sets.test_set import TestSet

#: Scripts with blanks and without, and what is no word.
TOKENS = ["the", "The", "cat", "猫", "犬", "сидел", "été", "نام"]
TEXTS = st.lists(st.sampled_from([*TOKENS, "!", "…"]), max_size=8).map(" ".join)
SEGMENTS = st.lists(st.tuples(TEXTS, TEXTS, st.lists(TEXTS, max_size=3)), min_size=1, max_size=6)


def words_of(test_set):
    return read_words(test_set.corpus(), list(test_set.systems))


def as_test_set(segments):
    one, other, references = zip(*segments, strict=True)
    return TestSet("x", {"one": list(one), "other": list(other)}, [list(each) for each in references], None)


def split(text):
    return [token for token in text.split() if token not in ("!", "…")]


def ngrams(tokens, order):
    return Counter(tuple(tokens[start : start + order]) for start in range(len(tokens) - order + 1))


def most(counters):
    """Return each unit as often as it stands in the counter that has most of it."""
    union = Counter()
    for each in counters:
        union |= each
    return union


def plain_matches(test_set, system):
    """Return how often each n-gram of a system matches, by counting and nothing else."""
    found = Counter()
    for text, references in zip(test_set.systems[system], test_set.references, strict=True):
        for order in range(1, 5):
            found += ngrams(split(text), order) & most(ngrams(split(each), order) for each in references)
    return found


@given(SEGMENTS)
def test_ngrams_are_counted_as_by_hand_whatever_their_script(segments):
    test_set = as_test_set(segments)
    (pair,) = ngram_pairs(words_of(test_set), [SystemPair("one", "other")])
    matches = {name: plain_matches(test_set, name) for name in test_set.systems}
    for system, less in (("one", "other"), ("other", "one")):
        listed, mine, theirs = pair.groups[system], matches[system], matches[less]
        shares = {each: (count + 1) / (count + theirs[each] + 2) for each, count in mine.items()
                  if count >= theirs[each] + 2}  # fmt: skip
        assert bool(listed) == bool(shares)
        for each in listed:
            own = tuple(TOKENS[TOKENS.index(token)] for token in spelled(each.text))
            assert each.matches == {"one": matches["one"][own], "other": matches["other"][own]}
            assert each.share == shares[own]
        assert [each.share for each in listed] == sorted((each.share for each in listed), reverse=True)
        assert not shares or listed[0].share == max(shares.values())


def spelled(text):
    """Split a shown n-gram: there is no blank between characters of Chinese."""
    return [part for word in text.split() for part in (word if word[0] in "猫犬" else [word])]


def tokens_of(text):
    words = words_of(TestSet("one", {"a": [text]}, [[]], None))
    return [words.spelled()[number] for number in words.tokens.values]


@pytest.mark.parametrize("language", ["en", "ru", "zh"])
def test_f_by_frequency_is_that_of_compare_mt(language):
    bucketers = pytest.importorskip("compare_mt.bucketers")
    test_set = sample(language)
    first = TestSet("first", test_set.systems, [each[:1] for each in test_set.references], None)
    references = [tokens_of(each[0]) for each in test_set.references]
    outputs = [[tokens_of(text) for text in texts] for texts in test_set.systems.values()]
    statistics, *_ = bucketers.FreqWordBucketer(freq_data=references).calc_statistics(references, outputs)
    found = word_frequencies(words_of(first))
    for name, own in zip(test_set.systems, statistics, strict=True):
        assert found.values[name] == pytest.approx([100 * f for _, n_expected, _, _, _, f in own if n_expected])


@given(SEGMENTS)
def test_f_by_frequency_with_several_references(segments):
    """By hand: the reference that shares most, and frequencies of the reference that has most of a word."""
    test_set = as_test_set(segments)
    often = Counter()
    for references in test_set.references:
        often.update(most(Counter(split(each)) for each in references))
    words = words_of(test_set)
    if not often:
        assert word_frequencies(words).labels == []
        return
    found = word_frequencies(words)
    for system, texts in test_set.systems.items():
        sums = Counter()
        for text, references in zip(texts, test_set.references, strict=True):
            own = Counter(split(text))
            counts = [Counter(split(each)) for each in references]
            if not counts:
                continue
            best = max(counts, key=lambda each: 2 * (own & each).total() / max(1, own.total() + each.total()))
            for kind, each in (("match", own & best), ("all", own), ("all", best), ("own", own)):
                for word, count in each.items():
                    sums[kind, often[word]] += count
        total = sum(count for (kind, _), count in sums.items() if kind == "own")
        assert found.unknown[system] == pytest.approx(100 * sums["own", 0] / max(1, total))
        for label, value in zip(found.labels, found.values[system], strict=True):
            low = int(label.split("–")[0])
            inside = [n for n in often.values() if low <= n <= int(label.split("–")[-1])]
            match, both = (sum(sums[kind, n] for n in set(inside)) for kind in ("match", "all"))
            assert value == pytest.approx(200 * match / both, nan_ok=True) if both else value != value
    assert sum(found.n_types) == len(often)


def test_length_ratio_of_several_references_and_of_none():
    texts, references = ["one two three", "one", "left out here"], [["one two", "one two three four"], ["1 2 3"], []]
    assert words_of(TestSet("x", {"a": texts}, references, None)).length("a") == (7, 4 / 6)
    assert words_of(TestSet("x", {"a": ["one"]}, [[]], None)).length("a").ratio != 1


def test_parts_of_a_listed_ngram_and_single_matches_are_not_listed():
    line = "a quick brown fox jumps over"
    test_set = TestSet("x", {"one": [line, line, "dog"], "other": ["", "", ""]}, [[line], [line], ["dog"]], None)
    (pair,) = ngram_pairs(words_of(test_set), [SystemPair("one", "other")])
    listed = [each.text for each in pair.groups["one"]]
    assert listed == ["a quick brown fox", "brown fox jumps over"]
    assert not any(one in other for one, other in pairwise(listed))
    assert pair.groups["other"] == []
