"""What programs call below a score of sacrebleu: rows, methods for segments, derived classes; truth values."""

import numpy as np
import pytest
import sacrebleu

from tercet.compat import sacrebleu as ours
from tercet.errors import OptionError

HYPS = ["the cat sat on the mat", "Нева вышла", "河水在夜里 上涨了。", ""]
STREAMS = [["the cat sat on a mat", "Нева вышла из берегов", "夜里河水涨了。", "x"], ["a cat", None, "河水", None]]

METRICS = [
    ("BLEU", {}),
    ("BLEU", {"lowercase": 1, "tokenize": "zh", "max_ngram_order": 2}),
    ("BLEU", {"max_ngram_order": True, "effective_order": 1, "lowercase": None}),
    ("CHRF", {"word_order": 2, "whitespace": 1}),
    ("CHRF", {"lowercase": None, "eps_smoothing": np.True_}),
    ("TER", {"normalized": 0}),
    ("TER", {"normalized": 1, "no_punct": True, "asian_support": None, "case_sensitive": 0}),
]


@pytest.fixture(params=METRICS, ids=str)
def metrics(request):
    name, options = request.param
    return getattr(ours, name)(**options), getattr(sacrebleu, name)(**options)


def test_rows_are_those_of_sacrebleu_and_give_its_scores(metrics):
    mine, theirs = metrics
    rows, wanted = (metric._extract_corpus_statistics(HYPS, STREAMS) for metric in metrics)
    assert rows == wanted
    assert [list(map(type, row)) for row in rows] == [list(map(type, row)) for row in wanted]
    draws = np.random.default_rng(1).integers(len(rows), size=(20, len(rows)))
    for draw in draws:  # a bootstrap of a program's own, of lists and of arrays
        drawn = [rows[place] for place in draw]
        assert vars(mine._aggregate_and_compute(drawn)) == vars(theirs._aggregate_and_compute(drawn))
        total = np.array(drawn).sum(axis=0)
        assert mine._compute_score_from_stats(total).score == theirs._compute_score_from_stats(total).score
    assert vars(mine._compute_score_from_stats(rows[0])) == vars(theirs._compute_score_from_stats(rows[0]))
    assert vars(mine.corpus_score(HYPS, STREAMS)) == vars(theirs.corpus_score(HYPS, STREAMS))
    assert str(mine.get_signature()) == str(theirs.get_signature())


def test_methods_for_segments_are_there(metrics):
    mine, theirs = metrics
    assert mine._preprocess_segment("Ab (c) ") == theirs._preprocess_segment("Ab (c) ")
    infos = [metric._extract_reference_info(["a b", "a c"]) for metric in metrics]
    assert infos[0] == infos[1]
    assert mine._compute_segment_statistics("a c d", infos[0]) == theirs._compute_segment_statistics(
        "a c d", infos[1]
    )
    assert mine._cache_references(STREAMS) == theirs._cache_references(STREAMS)
    for check, texts in (("_check_sentence_score_args", ("a", "b")), ("_check_corpus_score_args", (5, [["a"]]))):
        for metric in metrics:
            with pytest.raises(TypeError, match="should be a"):
                getattr(metric, check)(*texts)


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_classes_of_programs_may_change_the_methods(name):
    def scores(package):
        base = getattr(package, name)

        class Split(base):
            def _preprocess_segment(self, sent):
                return super()._preprocess_segment(sent.replace("a", " b "))

        class Doubled(base):
            def _compute_score_from_stats(self, stats):
                return super()._compute_score_from_stats([2 * count for count in stats])

        for metric in (Split(), Doubled(), Split(references=STREAMS)):
            yield vars(metric.corpus_score(HYPS, None if metric._ref_cache else STREAMS))
            yield vars(metric.sentence_score(HYPS[0], [STREAMS[0][0], STREAMS[1][0]]))

    assert list(scores(ours)) == list(scores(sacrebleu))


@pytest.mark.parametrize(("call", "option"), [
    (lambda: ours.BLEU(lowercase=[]), "lowercase"),
    (lambda: ours.corpus_bleu(["a"], [["a"]], lowercase=[]), "lowercase"),
    (lambda: ours.corpus_bleu(["a"], [["a"]], use_effective_order="no"), "use_effective_order"),
    (lambda: ours.sentence_chrf("a", ["a"], remove_whitespace="no"), "remove_whitespace"),
    (lambda: ours.BLEU(effective_order="no"), "effective_order"),
    (lambda: ours.BLEU(max_ngram_order=-1), "max_ngram_order"),
    (lambda: ours.TER(no_punct="no"), "no_punct"),
    (lambda: ours.corpus_ter(["a"], [["a"]], asian_support=2), "asian_support"),
])  # fmt: skip
def test_a_refusal_names_the_option_that_the_caller_wrote(call, option):
    with pytest.raises(OptionError, match=f"^The '{option}' option of (BLEU|CHRF|TER|corpus_bleu|sentence_chrf) "):
        call()
