"""A text is read and encoded once, whatever way it takes; a click on the page makes one scorer."""

import runpy
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import tercet
from conftest import ANY_TEXTS, ROOT, ZERO_BLEU
from tercet.base.metric import Metric
from tercet.comparison.compare import compare
from tercet.comparison.one_segment.side_by_side import side_by_side
from tercet.comparison.packages.package_differences import explain_difference
from tercet.comparison.paired_significance import paired_significance
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.corpus import corpus, items
from tercet.engine.chosen import engine
from tercet.engine.plain_text import strings
from tercet.huggingface.space.scoring import Demo
from tercet.report.coloured_texts import Colours
from tercet.test_sets.test_set import TestSet

PREDICTIONS = [f"the cat sat on mat {number}" for number in range(6)]
REFERENCES = [[f"the cat lay on mat {number}", f"a cat on mat {number}"] for number in range(6)]
OTHER = [f"a dog sat on mat {number}" for number in range(6)]
TEST_SET = TestSet("news", {"one": PREDICTIONS, "other": OTHER, "third": PREDICTIONS[::-1]}, REFERENCES, None)
METRICS = ["bleu_multi", "bleu_multi:tokenizer=intl", "rouge_nlws:rouge_types=rouge1+rougeL"]

pytestmark = ZERO_BLEU


@pytest.fixture
def seen(monkeypatch):
    """How often each text was checked and encoded, and how many scorers were made."""
    tercet.load("bleu_multi")  # imports files that read texts of their own
    counts = {"read": Counter(), "encoded": Counter(), "scorers": 0}
    check, encode, init, pair = items._plain_strings, corpus.encode, Metric._take, items.engine.paired_strings

    def checking(texts, where):
        counts["read"].update(texts)
        return check(texts, where)

    def pairing(texts, references):
        strings = pair(texts, references)
        counts["read"].update([*strings[0], *strings[1]])
        return strings

    def encoding(texts):
        counts["encoded"].update(texts)
        return encode(texts)

    def making(self, options, called="", may_be_idle=False):
        counts["scorers"] += 1
        init(self, options, called, may_be_idle)

    for place, name, function in (
        (items, "_plain_strings", checking), (items.engine, "paired_strings", pairing), (corpus, "encode", encoding),
        (Metric, "_take", making),
    ):  # fmt: skip
        monkeypatch.setattr(place, name, function)
    return counts


def forget(seen):
    seen |= {"read": Counter(), "encoded": Counter(), "scorers": 0}


def texts_of(*systems):
    return Counter([*(text for texts in systems for text in texts), *(text for each in REFERENCES for text in each)])


def assert_once(seen, *systems):
    # not at all, where one call of the engine checks and reads the strings
    assert seen["read"] in (texts_of(*systems), Counter())
    assert not seen["encoded"] - texts_of(*systems)


@pytest.mark.parametrize("piece", [1 << 16, 2])
def test_score_and_explain(seen, monkeypatch, piece):
    monkeypatch.setattr("tercet.base.pieces.PIECE", piece)
    tercet.score("bleu_multi", PREDICTIONS, REFERENCES)
    assert not seen["read"]  # one call of the engine checks and reads them
    tercet.score("bleu_multi", PREDICTIONS, REFERENCES, n_jobs=2)
    assert seen["read"] == texts_of(PREDICTIONS)
    assert not seen["encoded"]  # the engine reads strings as they are
    tercet.score("bleu_multi", PREDICTIONS, REFERENCES, stemmer="porter")
    assert seen["encoded"] == texts_of(PREDICTIONS)
    forget(seen)
    tercet.explain("rouge_nlws", PREDICTIONS[0], REFERENCES[0])
    assert seen["encoded"] == Counter([PREDICTIONS[0], *REFERENCES[0]])
    assert seen["scorers"] == 1


@pytest.mark.parametrize("metric", ["bleu_multi", "rouge_nlws"])
@pytest.mark.parametrize("added", [0, 3, 6])
def test_compute_after_add_also_of_what_is_changed_afterwards(seen, metric, added):
    module = tercet.load(metric)
    for index in range(0, added, 2):
        mine = PREDICTIONS[index : min(index + 2, added)]
        module.add_batch(predictions=mine, references=REFERENCES[index : index + len(mine)])
        mine[:] = OTHER
    given = {"predictions": PREDICTIONS[added:], "references": REFERENCES[added:]} if added < 6 else {}
    found = module.compute(**given)
    assert_once(seen, PREDICTIONS)
    assert found == tercet.score(metric, PREDICTIONS, REFERENCES)


@pytest.mark.parametrize(
    ("metric", "options"), [("bleu_multi", {}), ("rouge_nlws", {"tokenizer": "auto"}), ("paired_significance", {})]
)
def test_compute_in_two_processes(seen, tmp_path, metric, options):
    """Each is a thread here: they meet over files as processes do."""
    texts, function = {"predictions": PREDICTIONS, "references": REFERENCES}, partial(tercet.score, metric)
    if metric == "paired_significance":
        texts = {"predictions1": PREDICTIONS, "predictions2": OTHER, "references": REFERENCES}
        function = partial(paired_significance, "bleu_multi")

    def work(number):
        module = tercet.load(metric, num_process=2, process_id=number, cache_dir=str(tmp_path))
        for index in range(4 * number, min(4 * number + 4, 6)):
            module.add_batch(**{name: column[index : index + 1] for name, column in texts.items()})
        return module.compute(**options)

    with ThreadPoolExecutor(2) as pool:
        found, none = pool.map(work, range(2))
    assert none is None
    assert_once(seen, *list(texts.values())[:-1])
    assert found == function(*texts.values(), **options)


def test_paired_tests_by_function_and_module(seen):
    found = paired_significance("bleu_multi", PREDICTIONS, OTHER, REFERENCES, n_resamples=20)
    assert_once(seen, PREDICTIONS, OTHER)
    forget(seen)
    module = tercet.load("paired_significance")
    for part in (slice(0, 4), slice(4, 6)):
        texts = {"predictions1": PREDICTIONS[part], "predictions2": OTHER[part]}
        module.add_batch(**texts, references=REFERENCES[part])
    assert module.compute(n_resamples=20) == found
    assert_once(seen, PREDICTIONS, OTHER)


def test_comparisons_of_all_metrics_and_systems_and_to_another_package_by_all_its_rules(seen):
    assert len(compare(TEST_SET, METRICS, n_resamples=20).tables) == 4
    assert_once(seen, *TEST_SET.systems.values())
    forget(seen)
    side_by_side(TEST_SET, 2, [parse_metric(each) for each in METRICS])  # one segment
    assert_once(seen, *TEST_SET.systems.values())
    forget(seen)
    assert explain_difference("bleu_multi", PREDICTIONS, REFERENCES, against="evaluate").rules
    assert_once(seen, PREDICTIONS)


@pytest.fixture
def tokenized(monkeypatch):
    """How often each text was split into tokens, but for single segments, which explanations show."""
    counts = Counter()

    def counting(function):
        def counted(texts, *others, **options):
            read = texts if isinstance(texts, list) else strings(texts)
            counts.update(read if len(read) > 3 else ())
            return function(texts, *others, **options)

        return counted

    for name in ("bleu_rows", "jaccard_rows", "chrf_rows", "ter_rows", "rouge_rows", "intern"):
        monkeypatch.setattr(engine, name, counting(getattr(engine, name)))
    return counts


def test_texts_are_tokenized_once_a_metric_and_once_for_the_words_of_the_report(tokenized, monkeypatch):
    systems = {name: [f"{name} the cat sat on mat {number}" for number in range(6)] for name in "abcd"}
    metrics = ["bleu", "chrf", "rouge:use_stemmer=true", "jaccard"]
    found = compare(TestSet("news", systems, REFERENCES, None), metrics, n_resamples=20)
    each = {*(text for texts in (*systems.values(), *REFERENCES) for text in texts)}
    assert tokenized == dict.fromkeys(each, len(metrics))
    # The colours of outputs are found by explaining these, each with its references.
    monkeypatch.setattr(Colours, "_explain", lambda self, items: None)
    found.to_html()
    assert tokenized == dict.fromkeys(each, len(metrics) + 1)


def test_a_trainer_s_function_of_two_metrics(seen):
    for parts in ([slice(None)], [slice(0, 2), slice(2, None)]):
        compute = tercet.compute_metrics(None, ["bleu_multi", "rouge_nlws"], decode=lambda rows: rows)
        seen["encoded"].clear()
        for part in parts:
            compute(PREDICTIONS[part], REFERENCES[part], compute_result=part == parts[-1])
        assert seen["encoded"] == texts_of(PREDICTIONS)


@ANY_TEXTS
def test_a_click_on_the_page_for_a_text_and_for_a_file(seen, tmp_path):
    for metric in ("bleu_multi", "rouge_nlws"):
        demo = Demo(metric, runpy.run_path(str(ROOT / "metrics" / metric / "cases.py")), metric)
        forget(seen)
        scored, why = demo.score_text(PREDICTIONS[0], "\n".join(REFERENCES[0]), {"scale": 100})
        assert scored.primary in scored.result
        assert why
        assert seen["read"] == seen["encoded"] == Counter([PREDICTIONS[0], *REFERENCES[0]])
        assert seen["scorers"] == 2  # the score in percent, and the picture, which is of shares
        path = tmp_path / "news.tsv"
        rows = ["\t".join([text, *texts]) for text, texts in zip(PREDICTIONS, REFERENCES, strict=True)]
        path.write_text("\n".join(["mt\tref\tref2", *rows]), encoding="utf-8")
        forget(seen)
        scored, table, _ = demo.score_file(str(path), ["mt"], ["ref", "ref2"], {})
        assert scored.primary_of_items in table
        assert_once(seen, PREDICTIONS)
        # BLEU has another metric for single segments.
        assert seen["scorers"] == 1 + (metric == "bleu_multi")
