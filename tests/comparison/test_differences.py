"""The chain of rules between our numbers and those of other packages, held against the packages themselves."""

import sys
from importlib import import_module

import pytest
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu
from rouge_score.rouge_scorer import RougeScorer

from conftest import ANY_TEXTS, ZERO_BLEU
from oracles import corpus_streams, evaluate_bleu
from tercet import score
from tercet.api import make_scorer
from tercet.base.configured import Call
from tercet.base.metric import Metric
from tercet.base.peers import UnavailableError
from tercet.base.scoring import score_batch
from tercet.comparison.packages.package_differences import explain_difference
from tercet.comparison.packages.peer_packages import packages, peers_of
from tercet.corpus.reading import read_batch
from tercet.registry import metric_class
from texts import LATIN, all_pairs, awkward_corpus

PAIRED = [("bleu_multi", name) for name in ("sacrebleu", "evaluate", "nltk")]
PAIRED += [("chrf_multi", "sacrebleu"), ("ter", "sacrebleu")]
PAIRED += [("rouge_nlws", name) for name in ("rouge_score", "rouge155", "rouge", "rouge_chinese")]

LONG = "the cat sat on the mat\nand the dog ran far away"
TEXTS = ([LONG, "", "a b"], [["the dog ran away\nthe cat sat on a mat", "a dog"], ["x y"], ["a b c", "a", "b a"]])


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch):
    """The Hub is asked by no test, nor waited for."""
    import evaluate

    def refuse(name):
        raise FileNotFoundError(name)

    monkeypatch.setattr(evaluate, "load", refuse)


def check_chain(found):
    """Each rule begins where that before it ended, and all of them add up to the difference."""
    here = found.ours
    for rule in found.rules:
        assert rule.score_before == here
        here = rule.score_after
    assert here == found.equal_to
    for name in found.names:
        added = sum(rule.change[name] for rule in found.rules)
        assert added == pytest.approx(found.equal_to[name] - found.ours[name], abs=1e-9)


OPTIONS = [
    ("bleu_multi", {}),
    ("bleu_multi", {"smooth_method": "floor", "smooth_value": 0.4, "lowercase": True, "scale": 100}),
    ("bleu_multi", {"smooth": True, "max_order": 2, "tokenizer": "char"}),
    ("bleu_multi", {"smooth_method": "nltk5", "weights": (0.4, 0.3, 0.3), "max_order": 3}),
    ("bleu_multi", {"weights": {"low": (1,)}, "reference_length": "average", "effective_order": True}),
    ("bleu_multi", {"stemmer": "english", "confidence_level": 0.9, "grid": True}),
    ("bleu_multi", {"compat": "nltk", "smooth_method": "nltk7"}),
    ("bleu_multi", {"compat": "evaluate"}),
    ("chrf_multi", {}),
    ("chrf_multi", {"word_order": [0, 2], "lowercase": True, "scale": 1}),
    ("ter", {}),
    ("ter", {"normalized": True, "case_sensitive": True, "scale": 1}),
    ("rouge_nlws", {}),
    ("rouge_nlws", {"use_stemmer": True, "output": "all", "use_aggregator": False}),
    ("rouge_nlws", {"stemmer": "english", "beta": 2, "multi_ref": "jackknife", "scale": 100}),
    ("rouge_nlws", {"use_stemmer": True, "multi_ref": "average", "stopwords": "smart", "max_words": 6}),
    ("rouge_nlws", {"tokenizer": "unicode", "max_bytes": 30, "sentence_split": "auto", "output": "recall"}),
    ("rouge_nlws", {"compat": "rouge155", "use_stemmer": True}),
]


@pytest.mark.parametrize(("metric", "against"), PAIRED)
def test_the_rules_lead_from_our_number_to_theirs(metric, against, monkeypatch):
    def refuse(*_, **__):
        raise UnavailableError("many calls of the script take long, and say nothing of the chain")

    monkeypatch.setattr("tercet.metrics.rouge.peers.script_scores", refuse)
    for corpus in (TEXTS, awkward_corpus(5), all_pairs()):
        for options in [given for name, given in OPTIONS if name == metric]:
            found = explain_difference(metric, *corpus, against=against, **options)
            check_chain(found)
            assert not [rule for rule in found.rules if "the remaining rules" in rule.description], options


# ---------------------------------------------------------------- the packages themselves


def test_what_nltk_cannot_score_is_said():
    found = explain_difference("bleu_multi", *TEXTS, against="nltk", smooth_method="nltk6", max_order=2)
    assert found.theirs is None
    assert found.unavailable == "NLTK's method6 is not defined for fewer than three orders"


@pytest.mark.parametrize("corpus", [TEXTS, all_pairs(), awkward_corpus(2)], ids=["short", "languages", "awkward"])
def test_what_theirs_is(corpus):
    def explained(metric, against, **options):
        found = explain_difference(metric, *corpus, against=against, **options)
        assert found.theirs == pytest.approx(found.equal_to, abs=1e-9)
        return found

    found = explained("bleu_multi", "sacrebleu")
    theirs = sacrebleu.corpus_bleu(corpus[0], corpus_streams(corpus[1])).score / 100
    assert found.theirs["bleu"] == pytest.approx(theirs, abs=1e-9)
    for metric, options, names in (
        ("chrf_multi", {"word_order": [2, 0], "beta": 1}, ["chrf", "chrf_w0"]),
        ("ter", {"no_punct": True, "asian_support": True}, ["ter"]),
    ):
        found = explained(metric, "sacrebleu", **options)
        assert found.same
        assert [*found.theirs] == names
    words = [[text.split() for text in texts] for texts in corpus[1]], [text.split() for text in corpus[0]]
    theirs = corpus_bleu(*words, smoothing_function=SmoothingFunction().method2)
    found = explained("bleu_multi", "nltk", smooth_method="nltk2")
    assert found.theirs["bleu"] == pytest.approx(theirs, abs=1e-9)
    for smooth in (False, True):
        found = explain_difference("bleu_multi", *corpus, against="evaluate", their_options={"smooth": smooth})
        assert found.theirs is None
        assert "neither on the Hub nor in its cache" in found.unavailable
        assert found.equal_to["bleu"] == pytest.approx(evaluate_bleu(*corpus, smooth)["bleu"], abs=1e-9)
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer=True)
    found = explained("rouge_nlws", "rouge_score", use_stemmer=True)
    for name in found.names:
        items = [scorer.score_multi(texts, text)[name].fmeasure for text, texts in zip(*corpus, strict=True)]
        assert found.theirs[name] == pytest.approx(sum(items) / len(items), abs=1e-9)


REPEATED = {
    "en": "the cat saw the cat. The dog ran. the cat ran , the dog saw .",
    "es": "el perro y el gato. El perro corre. ¿ el gato y el perro duermen ? el perro ...",
    "ru": "кот видит кота. Кот видит пса . кот спит, кот видит кота",
    "zh": "今天天气很好。我们去公园，我们去公园吧！今天天气很好？",
}


TYPES = ["rouge1", "rouge2", "rouge5", "rougeL", "rougeLsum", "rougeW", "rougeS4"]


def segmented(texts):
    import jieba

    return [" ".join(jieba.cut(text)) for text in texts]


@pytest.mark.parametrize("package", ["rouge", "rouge_chinese"])
@pytest.mark.parametrize("language", REPEATED)
@pytest.mark.filterwarnings("ignore:.*pkg_resources.*")
def test_the_packages_rouge_and_rouge_chinese_themselves(package, language):
    for split in (list, segmented):
        predictions, references = all_pairs((language,))
        again = REPEATED[language]
        predictions = split([*predictions, again, again[: len(again) // 2], "", ". ", again])
        references = [split(texts) for texts in [*references, [again[10:]], [again], [again], [again], [""]]]
        options = {"against": package, "output": "all", "rouge_types": TYPES}
        found = explain_difference("rouge_nlws", predictions, references, **options)
        assert [name for name in found.names if "_" not in name] == ["rouge1", "rouge2", "rouge5", "rougeL"]
        assert found.theirs == pytest.approx(found.equal_to, abs=1e-9)
        check_chain(found)
        theirs = import_module(package).Rouge(metrics=["rouge-2", "rouge-l"])
        for name, key in (("rouge2", "rouge-2"), ("rougeL", "rouge-l")):
            figures = []
            for text, texts in zip(predictions, references, strict=True):
                try:
                    figures.append(max(theirs.get_scores(text, each)[0][key]["f"] for each in texts))
                except ValueError:  # of a text without a word
                    figures.append(0.0)
            assert found.theirs[name] == pytest.approx(sum(figures) / len(figures), abs=1e-9)
            assert any(figures) or (split, language) == (list, "zh")  # where blanks are missing, nothing matches


@pytest.mark.long
def test_a_text_too_long_for_the_package_rouge_is_named():
    text = " ".join(map(str, range(3000)))
    found = explain_difference("rouge_nlws", [text], [text], against="rouge", rouge_types="rougeL")
    assert found.equal_to == {"rougeL": pytest.approx(1, abs=1e-8)}
    assert found.theirs is None
    assert "too deeply" in found.unavailable


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"use_stemmer": True, "stopwords": "smart", "multi_ref": "average", "beta": 2, "output": "all"},
        {"max_words": 8, "rouge_types": ["rougeL", "rougeW1.5", "rougeS", "rougeSU", "rouge3"], "scale": 100},
    ],
)
def test_the_perl_script_itself(options):
    predictions, references = all_pairs(LATIN)
    corpus = [*predictions, LONG], [*references, TEXTS[1][0]]
    found = explain_difference("rouge_nlws", *corpus, against="rouge155", **options)
    if found.theirs is None:
        pytest.skip(found.unavailable)
    assert set(found.names) - set(found.theirs) <= {"rougeW", "rougeW_precision", "rougeW_recall"}
    assert found.theirs == pytest.approx({name: found.equal_to[name] for name in found.theirs}, abs=1e-9)


def test_a_type_that_the_script_dies_of_is_named():
    types = ["rouge1", "rougeW"]
    found = explain_difference("rouge_nlws", ["a b"], [["", "a c"]], against="rouge155", rouge_types=types)
    if found.theirs is None:
        pytest.skip(found.unavailable)
    assert found.theirs == {"rouge1": 0.5}
    assert "fails at rougeW" in found.unavailable


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    found = explain_difference("bleu_multi", ["a b c d e"], ["a b c d e"], against="sacrebleu")
    assert found.theirs is None
    assert "sacrebleu" in found.unavailable


# ---------------------------------------------------------------- the rules


def changes(found):
    return {rule.name: (rule.from_value, rule.to_value, rule.has_effect) for rule in found.rules}


def test_a_number_that_is_theirs_already_has_no_rule():
    for metric, options, against in (
        ("bleu_multi", {}, "sacrebleu"),
        ("bleu_multi", {"smooth_method": "none"}, "sacrebleu"),
        ("bleu_multi", {"compat": "nltk"}, "nltk"),
        ("rouge_nlws", {}, "rouge_score"),
    ):
        found = explain_difference(metric, *TEXTS, against=against, **options)
        assert (found.same, found.rules, found.n_segments_differ) == (True, (), 0)
        assert found.decisive() is None


def test_warnings_of_what_is_not_compared():
    for against in ("sacrebleu", "nltk"):
        same = explain_difference("bleu_multi", ["", "foo"], [["foo"], [""]], against=against)
        assert not any("sentence scores" in note for note in same.notes)
        other = explain_difference("bleu_multi", ["a b c d", "a b c d e"], [["a b c d"], ["a"]], against=against)
        assert any("sentence scores" in note for note in other.notes)
    types = {"rouge_types": ["rouge1", "rougeW"]}
    found = explain_difference("rouge_nlws", *TEXTS, against="rouge_score", **types)
    assert "rouge_score has no rougeW: not compared" in found.notes


def test_a_rule_says_both_ways_and_gives_the_score_of_theirs():
    predictions = ["the cat sat on the mat.", "a b c d e f"]
    references = [["the cat sat on the mat .", "the cat sat"], ["a b c d e f g h", "a b"]]
    found = explain_difference("bleu_multi", predictions, references, against="evaluate", tokenizer="none")
    assert changes(found)["tokenizer"] == ("none", "13a", True)
    assert changes(found)["smooth_method"] == ("exp", "none", False)
    assert changes(found)["reference_length"] == ("closest", "shortest", True)
    assert changes(found)["right end"] == ("stripped", "as it stands", False)
    shortest = score("bleu_multi", predictions, references, reference_length="shortest")["bleu"]
    after = {rule.name: rule.score_after["bleu"] for rule in found.rules}
    assert after["reference_length"] == shortest
    assert found.decisive().name == "tokenizer"


#: Package, options, prediction, references, and the rules that change the score: what is the same in one is left out.
EFFECTS = [
    ("nltk", {"tokenizer": "none"}, "a b x c d", ["a b y c d"], ["smooth_method"]),
    ("nltk", {"tokenizer": "none", "smooth_method": "none"}, "a b x c d", ["a b y c d"], []),
    ("evaluate", {}, "а б х в г", ["а б у в г"], ["smooth_method"]),
    ("nltk", {"tokenizer": "none"}, ["a b c d", "a"], [["a b c d"], ["a"]], ["short texts"]),
    ("nltk", {"smooth_method": "nltk5"}, ["a b c d e f", "x"], [["a b c d e f"], ["y"]], ["last item"]),
    ("evaluate", {}, "a b c d e-\n", ["a b c d e"], ["right end"]),
    ("evaluate", {}, "a b c d e f", ["a b c d e f g h", "a b"], ["reference_length"]),
    ("rouge", {}, "a b", ["a c"], []),
    ("rouge", {"tokenizer": "none"}, "A b", ["a b"], []),
    ("rouge", {}, "A b", ["a b"], ["tokenizer"]),
    ("rouge", {"tokenizer": "none"}, "a b. c", ["a b c"], ["sentences"]),
    ("rouge", {"rouge_types": "rouge1"}, "a a b", ["a c d"], ["repetition"]),
    ("rouge", {"rouge_types": "rougeL"}, "a a b", ["a a c"], ["union"]),
    ("rouge", {"rouge_types": "rougeL"}, "b. a", ["a. b"], ["tokenizer", "sentences", "union"]),
    ("rouge_chinese", {"rouge_types": "rougeL", "tokenizer": "none"}, "b. a", ["a. b"], []),
    ("rouge_chinese", {"tokenizer": "none"}, "今天 。 我", ["今天 。\n \n我"], ["sentences"]),
    ("rouge155", {"rouge_types": "rougeL"}, "a b\nc d", ["c d\na b"], ["lines"]),
    ("rouge155", {"rouge_types": "rougeLsum"}, "a b\nc d", ["c d\na b"], []),
    ("rouge155", {"rouge_types": "rougeSU4"}, "a b c", ["a b d"], ["last word"]),
    ("rouge155", {"rouge_types": "rouge1"}, "a b c d", ["a b e f g", "a"], ["best reference"]),
    ("rouge155", {"rouge_types": "rouge1", "multi_ref": "average"}, "a b c d", ["a b e f g", "a"], ["average"]),
    ("rouge155", {"rouge_types": "rouge1", "use_stemmer": True}, "went", ["go"], ["stemmer"]),
    ("rouge155", {"rouge_types": "rouge1", "max_words": 2}, " a b", ["a b"], ["words"]),
    ("rouge155", {"rouge_types": "rouge1", "max_words": 2, "multi_ref": "average"}, " a b", ["a b"], ["words"]),
    ("rouge155", {"rouge_types": "rougeL", "max_bytes": 4}, "a b\nc d", ["a b\nc e"], ["bytes"]),
    ("rouge155", {"rouge_types": "rouge1", "stemmer": str.upper}, "a b c", ["a b d"], []),
]


@ZERO_BLEU
def test_each_rule_has_its_share():
    for against, options, predictions, references, expected in EFFECTS:
        if isinstance(predictions, str):
            predictions, references = [predictions], [references]
        metric = "bleu_multi" if against in ("nltk", "evaluate") else "rouge_nlws"
        found = explain_difference(metric, predictions, references, against=against, **options)
        nearly = 2e-8 if against.startswith("rouge_") or against == "rouge" else 2e-5  # 1e-8, or five decimals
        names = [rule.name for rule in found.rules if any(abs(each) > nearly for each in rule.change.values())]
        assert names == expected, (against, options, predictions)


def test_options_that_the_other_package_has_not_are_rules_and_its_own_too():
    options = {"beta": 2, "multi_ref": "average", "stemmer": "ru"}
    found = explain_difference("rouge_nlws", *all_pairs(("ru",)), against="rouge_score", **options)
    assert list(changes(found)) == ["stemmer", "tokenizer", "beta", "multi_ref"]
    assert changes(found)["tokenizer"] == ("unicode", "rouge", True)
    assert any("tokenizer='unicode' is used instead" in note for note in found.notes)
    found = explain_difference("bleu_multi", *TEXTS, against="sacrebleu", lowercase=True, weights=(0.5, 0.5))
    assert list(changes(found)) == ["weights"]  # lowercase is given to both
    found = explain_difference("bleu_multi", *TEXTS, against="sacrebleu", smooth_method="nltk3")
    assert list(changes(found)) == ["smooth_method"]
    found = explain_difference("bleu_multi", *TEXTS, against="sacrebleu", their_options={"lowercase": True})
    assert changes(found)["lowercase"][:2] == (False, True)
    assert found.theirs == pytest.approx(found.equal_to, abs=1e-9)


@ZERO_BLEU
def test_two_other_packages_against_each_other():
    corpus = all_pairs(LATIN)
    found = explain_difference("bleu_multi", *corpus, against="sacrebleu", compat="nltk")
    assert found.ours == {"bleu": score("bleu_multi", *corpus, compat="nltk")["bleu"]}
    assert found.equal_to == {"bleu": score("bleu_multi", *corpus, compat="sacrebleu")["bleu"]}
    assert changes(found)["compat"][0] == "zero order, short texts"


def test_items_without_reference():
    corpus = ["a b c d e", "x y z", "p"], [["a b c d e f"], [], ["q"]]
    for policy in ("skip", "zero"):
        found = explain_difference("bleu_multi", *corpus, against="sacrebleu", missing_references=policy)
        check_chain(found)
        assert found.theirs == pytest.approx(found.equal_to, abs=1e-9)
        assert ("missing_references" in changes(found)) == (policy == "zero")


def test_segments_that_differ():
    asked = {"rouge_types": "rougeL"}
    found = explain_difference("rouge_nlws", *TEXTS, against="rouge155", n_gaps=1, **asked)
    ours, theirs = (
        score("rouge_nlws", *TEXTS, use_aggregator=False, **asked, **more)["rougeL"]
        for more in ({}, {"compat": "rouge155"})
    )
    gaps = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    assert (found.n_segments, found.n_segments_differ) == (3, sum(gap > 1e-4 for gap in gaps))
    gap = found.largest_gaps[0]
    assert gap.index == gaps.index(max(gaps))
    assert (gap.ours, gap.theirs) == ({"rougeL": ours[gap.index]}, {"rougeL": theirs[gap.index]})


@ANY_TEXTS
def test_the_parts_without_any_rule_are_what_ours_is():
    """Scorers that leave all rules of a package off give our number, but for rules that always come first."""
    predictions, references = awkward_corpus(4)
    letters = str.maketrans("İK", "IK")  # the first of all rules
    lists = [[text.translate(letters) for text in texts] for texts in references]
    batch = read_batch([text.translate(letters) for text in predictions], lists)
    shared = {"rouge_types": ["rouge1", "rougeL", "rougeSU"], "tokenizer": "rouge", "output": "all"}
    for multi_ref in ("best", "average"):
        target = make_scorer("rouge_nlws", {**shared, "multi_ref": multi_ref, "compat": "rouge155"})
        plain = score_batch(make_scorer("rouge_nlws", {**shared, "multi_ref": multi_ref}), batch)
        peer = peers_of("rouge_nlws").packages["rouge155"]
        part = score_batch(peer.without(target, {rule.name for rule in peer.rules_of(target)}), batch)
        for name in target.score_names:
            assert part[name] == pytest.approx(plain[name], abs=1e-12)


# ---------------------------------------------------------------- nothing stands in two places


@pytest.mark.parametrize("metric", packages())
def test_every_option_that_decides_a_score_has_its_place_in_the_chain(metric):
    """An option that is not declared here would be changed in no step, or be compared with nothing."""
    peers, options = peers_of(metric), set(metric_class(metric).options())
    scorer = make_scorer(metric, {})
    reported = {*peers.aside(scorer), peers.names_scores, "compat", "rounded", "grid"}
    assert options - {*Metric.options(), *Call.options()} - reported == set(peers.decides) - {""}
    assert {name for names in peers.together for name in names} <= set(peers.decides)
    assert set(peers.packages) == set(scorer.presets)


def test_the_script_drops_a_turkish_i_with_a_dot_which_rouge_score_reads_as_i():
    given = ("rouge_nlws", ["İstanbul'da IŞIK söndü."], ["İstanbul'da ışık söndü."])
    found = explain_difference(*given, against="rouge155", rouge_types="rouge1", tokenizer="rouge")
    assert found.theirs == found.equal_to == {"rouge1": pytest.approx(8 / 11, abs=1e-5)}
    assert found.ours["rouge1"] == pytest.approx(10 / 13)


#: BLEU of these is 1 of the first and less of both: the mean of items is another number than that of all.
OF_UNLIKE_LENGTHS = (["a b c d", "a b c d e"], [["a b c d"], ["a"]])


def notes_of(against, **options):
    return explain_difference("bleu_multi", *OF_UNLIKE_LENGTHS, against=against, **options).notes


def test_a_package_without_scores_of_sentences_has_no_mean_of_them():
    assert not any("sentence scores" in note for note in notes_of("evaluate"))
    assert any("sentence scores" in note for note in notes_of("nltk"))


def test_percent_of_another_package_are_shown_beside_shares_alone():
    shown = f"sacrebleu prints percent: {100 * score('bleu_multi', *OF_UNLIKE_LENGTHS)['bleu']:.2f}"
    assert shown in notes_of("sacrebleu")
    for options in ({"against": "sacrebleu", "scale": 100}, {"against": "nltk"}):
        assert not any("percent" in note for note in notes_of(**options))


@pytest.mark.parametrize("scale", [1, 100])
@pytest.mark.parametrize(("share", "is_told"), [(0.9e-6, False), (1.1e-6, True)])
def test_a_score_that_is_not_that_of_the_package_is_told_beyond_a_millionth(scale, share, is_told, monkeypatch):
    of_package = sacrebleu.BLEU.corpus_score

    def slightly_more(metric, *texts):
        result = of_package(metric, *texts)
        result.score += 100 * share
        return result

    monkeypatch.setattr(sacrebleu.BLEU, "corpus_score", slightly_more)
    told = "compat='sacrebleu' does not equal sacrebleu on these texts" in notes_of("sacrebleu", scale=scale)
    assert told is is_told
