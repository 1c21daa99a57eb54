"""Parts of a corpus that are counted one by one, and handed over as files, come to the result of the whole corpus."""

import json
import random
from itertools import chain, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from conftest import NEEDED, ZERO_BLEU, close, needed
from tercet import IdfTable, InputError
from tercet.api import make_scorer
from tercet.registry import METRICS
from tercet.streams.checked_file import read_checked, write_checked
from tercet.streams.part_file import HandedOver, read_parts, write_parts
from tercet.streams.parts import Part, result_of_parts
from texts import MINILM, all_pairs, awkward_text

PREDICTIONS, REFERENCES = all_pairs()
EVERYTHING = {"segments": True, "confidence_level": 0.9, "n_resamples": 20, "signature": True}
OPTIONS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"tokenizer": "intl", "weights": {"flat": (0.5, 0.5)}, "max_order": 3}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"tokenizer": "auto", "rouge_types": ["rouge1", "rougeLsum", "rougeW", "rougeSU4"]}),
    ("rouge_nlws", {"use_aggregator": False, "tokenizer": "unicode"}),
    ("bleu_rouge_f", {}),
    ("jaccard_sets", {"variants": {"words": {}, "letters": {"tokenizer": "char"}}}),
]

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:.*(13a|rouge_score|left out|all tokens of):UserWarning")]


def handed_over(scorer, texts, path):
    """Count a part, write it, and read it as another process does."""
    write_parts(path, HandedOver.of([Part.counted(scorer, scorer.read(*texts))], {}))
    (part,) = read_parts(path).parts(scorer)
    return part


def cut(predictions, references, places):
    bounds = [0, *sorted(places), len(predictions)]
    return [(predictions[start:stop], references[start:stop]) for start, stop in pairwise(bounds)]


def outcome(make):
    try:
        return make().to_dict(full=True)
    except InputError as error:
        return str(error)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("parts") / "part"


@pytest.mark.parametrize(("metric", "options"), OPTIONS)
@settings(deadline=None)
@given(seed=st.integers(0, 10**6), places=st.lists(st.integers(0, 12), max_size=4))
def test_any_cut_gives_the_result_of_the_whole_to_the_bit(metric, options, path, seed, places):
    rng = random.Random(seed)
    predictions = [awkward_text(rng, 12) for _ in range(12)]
    references = [[awkward_text(rng, 12) for _ in range(rng.choice([0, 1, 1, 2]))] for _ in range(12)]
    given = {**options, **EVERYTHING, "missing_references": rng.choice(["skip", "zero"])}
    scorer = make_scorer(metric, given)
    parts = [handed_over(scorer, part, path) for part in cut(predictions, references, places)]
    expected = outcome(lambda: tercet.score(metric, predictions, references, **given))
    assert outcome(lambda: result_of_parts(scorer, parts)) == expected


@pytest.mark.parametrize("metric", METRICS)
def test_parts_of_each_metric_come_to_its_result(metric, path):
    scorer = make_scorer(metric, needed(metric))
    parts = [handed_over(scorer, part, path) for part in cut(PREDICTIONS, REFERENCES, [0, 3, 9])]
    expected = tercet.score(metric, PREDICTIONS, REFERENCES, **needed(metric))
    assert close(metric, result_of_parts(scorer, parts), expected)


@pytest.mark.parametrize("options", [{"idf": True, "idf_documents": "items"}, {"idf": False}])
def test_of_bertscore_document_frequencies_are_those_of_the_whole(options, path):
    given = {**NEEDED["bertscore_idf"], **options, "segments": True}
    scorer = make_scorer("bertscore_idf", given)
    parts = [handed_over(scorer, part, path) for part in cut(PREDICTIONS, REFERENCES, [4, 9])]
    assert [part.stats is None for part in parts] == [options["idf"]] * 3
    found = result_of_parts(scorer, parts)
    expected = tercet.score("bertscore_idf", PREDICTIONS, REFERENCES, **given)
    assert found.signature == expected.signature
    np.testing.assert_allclose(found["f1"], expected["f1"], atol=1e-6)


class TestATokenizerThatTheCorpusChooses:
    LATIN = (["the cat sat"] * 6, [["the cat lay"]] * 6)
    RUSSIAN = (["кот спит"], [["кот лежит"]])

    def counted(self, scorer, parts, monkeypatch):
        """Count parts, and return the items that are counted when they are put together."""
        made = [Part.counted(scorer, scorer.read(*part)) for part in parts]
        again = []
        count = type(scorer).segment_stats
        monkeypatch.setattr(
            type(scorer),
            "segment_stats",
            lambda self, batch, context: again.append(batch.n_items) or count(self, batch, context),
        )
        whole = [list(chain(*lists)) for lists in zip(*parts, strict=True)]
        found = result_of_parts(scorer, made)
        counted = sum(again)
        assert found.to_dict(full=True) == tercet.score("rouge_nlws", *whole, tokenizer="auto").to_dict(full=True)
        return counted

    def test_is_that_of_the_parts_where_all_agree(self, monkeypatch):
        scorer = make_scorer("rouge_nlws", {"tokenizer": "auto"})
        assert self.counted(scorer, [self.LATIN, self.LATIN], monkeypatch) == 0
        monkeypatch.undo()
        with pytest.warns(UserWarning, match="tokenizer='unicode' is used instead"):
            assert self.counted(scorer, [self.RUSSIAN, self.RUSSIAN], monkeypatch) == 0

    def test_counts_the_whole_anew_where_a_part_chose_another(self, monkeypatch):
        scorer = make_scorer("rouge_nlws", {"tokenizer": "auto"})
        assert self.counted(scorer, [self.LATIN, self.RUSSIAN], monkeypatch) >= 7


class TestItemsThatCannotBeScored:
    def test_are_named_by_their_number_in_the_whole(self, path):
        scorer = make_scorer("bleu_multi", {})
        texts = [(["a", "b"], [["a"], ["b"]]), ([], []), (["c", "d", "e"], [["c"], [], []])]
        parts = [handed_over(scorer, each, path) for each in texts]
        with pytest.raises(InputError, match=r"^item 3 \(and 1 more\) of references is empty"):
            result_of_parts(scorer, parts)
        texts_only = [Part.of_texts(scorer.read(*each)) for each in texts]
        with pytest.raises(InputError, match=r"^item 3 \(and 1 more\) of references is empty"):
            result_of_parts(scorer, texts_only)

    def test_are_counted_at_last_where_they_could_not_be_before(self):
        def refuse(text):
            raise InputError("no")

        good = make_scorer("bleu_multi", {"tokenizer": str.split})
        parts = [
            Part.counted(good, good.read(["a b c d"], ["a b c d"])),
            Part.of_texts(good.read(["a b c e"], ["a b c d"])),
        ]
        whole = tercet.score("bleu_multi", ["a b c d", "a b c e"], ["a b c d"] * 2, tokenizer=str.split)
        assert result_of_parts(good, parts) == whole
        with pytest.raises(InputError, match="no"):
            result_of_parts(make_scorer("bleu_multi", {"tokenizer": refuse}), parts)

    @pytest.mark.parametrize("n", [1, 3])
    def test_must_be_there(self, n):
        scorer = make_scorer("bleu_multi", {})
        with pytest.raises(InputError, match="The corpus is empty: predictions and references"):
            result_of_parts(scorer, [Part.counted(scorer, scorer.read([], []))] * n)


class TestFiles:
    @pytest.fixture
    def written(self, tmp_path):
        path = tmp_path / "run-2-1.shard"
        scorer = make_scorer("rouge_nlws", {"tokenizer": "auto"})
        write_parts(path, HandedOver.of([Part.counted(scorer, scorer.read(["a b"], [["b", "ç"]]))], {"beta": "1"}))
        return path, path.read_bytes()

    def test_hold_options_rows_and_texts(self, written):
        handed = read_parts(written[0])
        (part,) = handed.parts(make_scorer("rouge_nlws", {"tokenizer": "auto"}))
        assert handed.options == {"beta": "1"}
        assert part.batch.columns() == {"predictions": ["a b"], "references": [["b", "ç"]]}
        assert part.stats.column("references").tolist() == [2.0]
        assert (part.context.ascii, part.context.other) == (1, 1)

    def test_with_any_byte_changed_are_refused(self, written):
        path, data = written
        for place in range(len(data)):
            path.write_bytes(data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :])
            with pytest.raises(InputError, match=r"^run-2-1\.shard (is damaged|has the format|is an Arrow file)"):
                read_parts(path)

    def test_cut_short_or_with_more_are_refused(self, written):
        path, data = written
        for length in range(0, len(data), 5):
            path.write_bytes(data[:length])
            with pytest.raises(InputError, match="is damaged, or no file that a module that gathers items wrote"):
                read_parts(path)
        path.write_bytes(data + b"x")
        with pytest.raises(InputError, match="is damaged"):
            read_parts(path)

    def test_of_another_kind_are_refused(self, written):
        path, _ = written
        stream = tercet.Stream("bleu")
        stream.save(path)
        with pytest.raises(
            InputError, match=r"has the format tercet-stream-2; this version of tercet reads tercet-parts-1"
        ):
            read_parts(path)
        IdfTable.fit(["a"], MINILM).save(path)
        with pytest.raises(InputError, match="has the format tercet-idf-1"):
            read_parts(path)
        with pa.ipc.new_file(path, pa.schema([])):
            pass
        with pytest.raises(InputError, match="is an Arrow file, but not one that"):
            read_parts(path)

    def test_of_other_options_or_another_version_are_refused(self, written, monkeypatch):
        handed = read_parts(written[0])
        with pytest.raises(InputError, match=r"counted as '.*beta:1.*', expected '.*beta:2"):
            handed.parts(make_scorer("rouge_nlws", {"tokenizer": "auto", "beta": 2.0}))
        monkeypatch.setattr("tercet.core.signature.__version__", "9.9")
        with pytest.raises(InputError, match=r"version:tercet-0.*version:tercet-9\.9"):
            handed.parts(make_scorer("rouge_nlws", {"tokenizer": "auto"}))

    @settings(deadline=None)
    @given(columns=st.dictionaries(st.text(max_size=5), st.lists(st.floats(), min_size=3, max_size=3), max_size=4))
    def test_are_the_same_to_the_bit_each_time(self, columns, path):
        kept = {name: values for name, values in columns.items() if name.isprintable()}
        about = {"format": "numbers-1", "names": list(kept)}
        write_checked(path, pa.table(kept), about)
        data = path.read_bytes()
        write_checked(path, pa.table(kept), about)
        assert path.read_bytes() == data
        said, table = read_checked(path, "numbers-1", "this test")
        assert said == json.loads(json.dumps(about))
        assert {name: table[name].to_numpy().tobytes() for name in kept} == {
            name: np.array(values).tobytes() for name, values in kept.items()
        }
