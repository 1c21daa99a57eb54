"""A corpus whose texts are read when they are needed is that of the same lists, whole and in parts."""

from itertools import chain

import numpy as np
import pytest

from tercet.corpus import artefacts
from tercet.corpus.artefacts import artefacts_of
from tercet.corpus.corpus import Corpus, sampled, some_of
from tercet.corpus.large import LargeCorpus, SideBySide
from tercet.corpus.reading import Crossing

TEXTS = ["паром идёт", "猫が鳴く", "a gull", "", "नाव", "بحر", "la mer"]
SYSTEMS = {"новая": TEXTS, "古い": TEXTS[::-1]}
NAMES = tuple(SYSTEMS)
N = len(TEXTS)


def large_and_small(n_references, first_item=0):
    targets = [[f"{text} {number}" for text in TEXTS] for number in range(n_references)]
    lists = list(map(list, zip(*targets, strict=True)))
    offsets = None if n_references == 1 else np.arange(0, n_references * N + 1, n_references)
    small = Corpus(list(chain(*SYSTEMS.values())), list(chain(*lists)), offsets, NAMES, first_item)
    return LargeCorpus(list(SYSTEMS.values()), targets, NAMES, first_item), small


def contents(corpus):
    """Return what a corpus in memory consists of."""
    return corpus.columns(), corpus.first_item, corpus.n_segments, corpus.one_each, corpus.reference_counts.tolist()


@pytest.mark.parametrize("n_references", [1, 2, 3])
class TestLargeCorpus:
    def test_has_the_texts_of_lists(self, n_references):
        large, small = large_and_small(n_references, first_item=40)
        assert [list(side) for side in large.strings] == [list(side) for side in small.strings]
        assert (large.n_items, large.n_segments, large.one_each) == (small.n_items, small.n_segments, small.one_each)
        assert [large.item(segment) for segment in range(N)] == [small.item(segment) for segment in range(N)]
        assert large.items([5, 0, 2]) == small.items([5, 0, 2])
        assert [large.texts_of(system) for system in (0, 1)] == [small.texts_of(system) for system in (0, 1)]
        assert list(large.reference_lists()) == small.reference_lists()
        assert (large.missing, large.checked() is large) == ([], True)

    @pytest.mark.parametrize(("start", "stop"), [(0, 1), (0, N), (1, 3), (N - 1, N), (2, N + 5), (3, 3)])
    def test_has_the_parts_of_lists(self, n_references, start, stop):
        large, small = large_and_small(n_references, first_item=7)
        found = contents(large.part(start, stop))
        assert found == contents(small.part(start, stop))
        assert found[0]["новая"] == TEXTS[start:stop]
        assert found[1] == 7 + start

    @pytest.mark.parametrize("size", [1, 2, N - 1, N, N + 1])
    def test_is_read_in_parts_of_one_size_and_a_rest(self, n_references, size):
        large, _ = large_and_small(n_references, first_item=3)
        parts = list(large.parts(size))
        assert [part.n_segments for part in parts] == [
            len(TEXTS[start : start + size]) for start in range(0, N, size)
        ]
        assert [part.first_item for part in parts] == list(range(3, 3 + N, size))
        assert [text for part in parts for text in part.texts_of(1)] == SYSTEMS["古い"]

    def test_gives_each_system_with_all_references_and_takes_other_numbers(self, n_references):
        large, small = large_and_small(n_references)
        large.warned.add_form(None)
        small.warned.add_form(None)
        for number, name in enumerate(NAMES):
            alone = large.system(number)
            assert contents(alone.part(0, N)) == contents(small.system(number))
            assert (alone.names, alone.searched) == ((name,), True)
        moved = large.numbered(12)
        assert (moved.first_item, moved.searched, moved.names) == (12, True, NAMES)
        assert moved.name_of(N + 2) == "item 14 of 古い"


@pytest.mark.parametrize("n_references", [1, 2])
def test_what_one_side_alone_has_is_found_as_in_lists(n_references, engine, monkeypatch):
    monkeypatch.setattr(artefacts, "engine", engine)
    large, small = large_and_small(n_references)
    assert artefacts_of(large) == artefacts_of(small)
    assert artefacts_of(LargeCorpus([["&amp;", "b"]], [["a", "b"]], ("one",)))[0].names() == ["HTML entities"]


@pytest.mark.parametrize(("n", "number"), [(0, 2), (3, 2), (4, 2), (9, 2), (7, 1), (1, 1)])
def test_some_of_any_texts_are_a_list(n, number):
    texts = list(map(str, range(n)))
    expected = [texts[index] for index in sampled(n, number)]
    assert some_of(texts, number) == some_of(tuple(texts), number) == expected


def test_columns_side_by_side_are_rows():
    rows = SideBySide([["a", "б", "c"], ["1", "2", "३"]])
    assert (len(rows), rows[1], rows[-1]) == (3, ["б", "2"], ["c", "३"])
    assert (rows[1:], list(rows)) == ([["б", "2"], ["c", "३"]], [["a", "1"], ["б", "2"], ["c", "३"]])


def test_a_text_is_named_by_the_side_on_which_it_first_stands():
    crossing = Crossing.of(["кот", "猫", "кот"], ["cat", "猫", "gato", "cat"])
    assert crossing.strings == ["кот", "猫", "cat", "gato"]
    assert (crossing.hypotheses.tolist(), crossing.references.tolist()) == ([0, 1, 0], [2, 1, 3, 2])
    expected = ["item 0 of hypotheses", "item 1 of hypotheses", "item 0 of references", "item 2 of references"]
    assert [crossing.name_of(text) for text in range(4)] == expected
