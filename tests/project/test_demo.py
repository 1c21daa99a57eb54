"""What a Space's page computes, without the page: options of visitors, texts, files, code to copy."""

import json
import re
import runpy
import time
import warnings
from io import BytesIO
from math import inf, nan
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from conftest import ANY_TEXTS, ROOT, close, needed, segment_options
from suite import SUITE
from tercet import InputError, OptionError
from tercet.api import make_scorer
from tercet.huggingface.space.controls import given_options
from tercet.huggingface.space.file_comparison import compare_file
from tercet.huggingface.space.limits import TEXT_CHARACTERS
from tercet.huggingface.space.programs import source_of_texts
from tercet.huggingface.space.results import result_html
from tercet.huggingface.space.scoring import Demo, PageResult, histogram, joined, split_references
from texts import LATIN, MINILM, PAIRS, all_pairs
from workbooks import workbook

pytestmark = pytest.mark.costly("bertscore_idf", "rouge_nlws")

PREDICTIONS, REFERENCES = all_pairs(LATIN)
LEMMAS = {"lemma": {"lemmatizer": "ru"}}


CASES = {metric: runpy.run_path(str(ROOT / "metrics" / metric / "cases.py")) for metric in SUITE}
DEMOS = {metric: Demo(metric, cases, f"org/{metric}") for metric, cases in CASES.items()}


@pytest.fixture(params=SUITE)
def demo(request):
    return DEMOS[request.param]


def begun(demo):
    """What the page's controls hold before anybody touches them."""
    return [control.shown(control.value) for control in demo.controls]


def of_one_text(metric, prediction, references, **options):
    """What the metric says of one text, scored as a segment but for the options that were chosen."""
    in_percent = {"scale": 100} if SUITE[metric].has_scale else {}
    options = {**in_percent, **SUITE[metric].begun, **options}
    of_one = segment_options(make_scorer(metric, options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows them as notes
        return tercet.score(metric, [prediction], [references], **{**of_one, **options}).to_dict(full=True)


class TestControls:
    def test_begin_with_percent_and_the_defaults_of_the_metric(self, demo):
        given = demo.page_options(begun(demo))
        assert given.keys() <= {"scale", "model_type", "num_layers", "model_id"}  # models have no defaults
        scorer = make_scorer(demo.metric, given)
        assert scorer.scale == (100 if SUITE[demo.metric].has_scale else 1)

    @pytest.mark.parametrize(("metric", "name", "shown", "value"), [
        ("bleu_multi", "tokenizer", "zh", "zh"), ("bleu_multi", "stemmer", "–", None),
        ("bleu_multi", "max_order", 2, 2), ("bleu_multi", "max_order", 2.0, 2),
        ("bleu_multi", "smooth_value", "", None), ("bleu_multi", "smooth_value", " 0.25 ", 0.25),
        ("bleu_multi", "weights", "", None), ("bleu_multi", "weights", "0.5, 0.5", [0.5, 0.5]),
        ("bleu_multi", "weights", "a = 1; b=.5,.5", {"a": [1.0], "b": [0.5, 0.5]}),
        ("bleu_multi", "scale", "100", 100), ("bleu_multi", "lowercase", True, True),
        ("rouge_nlws", "normalize", [], None), ("ter", "normalize", ["think", "html"], ["think", "html"]),
        ("rouge_nlws", "rouge_types", ["rougeL"], ["rougeL"]), ("rouge_nlws", "max_words", "7", 7),
        ("bertscore_idf", "model_type", "roberta-large (English)", "roberta-large"),
        ("bertscore_idf", "num_layers", "", None),
    ])  # fmt: skip
    def test_read_what_the_page_shows(self, metric, name, shown, value):
        control = next(each for each in DEMOS[metric].controls if each.name == name)
        assert control.read(shown) == value
        assert type(control.read(shown)) is type(value)
        assert control.read(control.shown(value)) == value

    @pytest.mark.parametrize(("metric", "options", "message"), [
        ("bleu_multi", {"tokenizer": "lambda text: text"}, "'tokenizer' option on this page must be one of '13a'"),
        ("bleu_multi", {"tokenizer": None}, "'tokenizer' option on this page must be one of '13a'"),
        ("bleu_multi", {"stemmer": "/etc/passwd"}, "'stemmer' option on this page must be one of None, 'porter'"),
        ("bleu_multi", {"lowercase": 1}, "must be True or False. Got 1"),
        ("bleu_multi", {"max_order": "4"}, "must be a number. Got '4'"),
        ("bleu_multi", {"max_order": True}, "must be a number. Got True"),
        ("bleu_multi", {"max_order": 10**400}, "integer from 1 to 20. Got <int of about 401 digits>"),
        ("bleu_multi", {"weights": "0.5; 0.5"}, "written as numbers"),
        ("bleu_multi", {"weights": "a = 1; b = 1; a = 0, 1"}, "named ones, each once, unigrams = 1"),
        ("bleu_multi", {"weights": {"a": {"b": 1}}}, "weights"),
        ("bleu_multi", {"n_jobs": 100}, "'n_jobs' cannot be chosen here"),
        ("bleu_multi", {"n_resamples": 0}, "must be an integer from 1 to 1,000,000. Got 0"),
        ("bleu_multi", {"segments": "yes"}, "'segments' option on this page must be True or False. Got 'yes'"),
        ("bleu_multi", [], r"The options must be names with values. Got \[\]"),
        ("bleu_multi", {"x" * 1_000_000: 1}, r"^The option 'x{20,60}… cannot be chosen here. Known: "),
        ("bleu_multi", {"normalize": "whisper"}, "a list of some of 'nfc', 'nfkc', 'html'"),
        ("chrf_multi", {"normalize": ["json:a"]}, "a list of some of 'nfc', 'nfkc', 'html'"),
        ("ter", {"normalize": ["nfkc"] * 100_000}, "a list of some of 'nfc', .*, 'indic', each once"),
        ("wer", {"normalize": False}, "a list of some of 'nfc'"),
        ("rouge_nlws", {"rouge_types": [["rouge1"]]}, "a list of some of 'rouge1'"),
        ("rouge_nlws", {"rouge_types": []}, "a list of some of 'rouge1'"),
        ("rouge_nlws", {"rouge_types": ["rougeW1.1"]}, "a list of some of 'rouge1'"),
        ("rouge_nlws", {"rouge_types": ["rouge1"] * 100_000}, "names 'rouge1' twice"),
        ("rouge_nlws", {"compat": "rouge155"}, "must be one of None, 'rouge_score'"),
        ("bertscore_idf", {"model_type": "https://example.org/model"}, "'model_type' option on this page must be"),
        ("bertscore_idf", {"model_type": "/tmp"}, "'model_type' option on this page must be one of"),
        ("bertscore_idf", {"idf": "/etc/passwd"}, "'idf' option on this page must be True or False"),
        ("bertscore_idf", {"baseline_path": "x"}, "'baseline_path' cannot be chosen here"),
        ("embedding_cosine", {"model_type": "/tmp"}, "'model_type' option on this page must be one of"),
        ("embedding_cosine", {"use_safetensors": False}, "'use_safetensors' cannot be chosen here"),
    ])  # fmt: skip
    def test_refuse_what_a_visitor_may_not_give(self, metric, options, message):
        with pytest.raises(OptionError, match=message):
            DEMOS[metric].compute(["a"], [["a"]], options)

    def test_refuse_what_cannot_be_read(self):
        controls = {each.name: each for each in DEMOS["rouge_nlws"].controls}
        for name, shown, message in [
            ("max_words", "seven", "an integer. Got 'seven'"), ("max_words", "1.5", "an integer. Got '1.5'"),
            ("tokenizer", "no such", "one of 'auto', 'rouge'"),
        ]:  # fmt: skip
            with pytest.raises(OptionError, match=message):
                controls[name].read(shown)


class TestTexts:
    def test_scores_and_explains_as_the_metric_does(self, demo):
        options = demo.page_options(begun(demo))
        for language in ("en", "ru", "zh", "he"):
            prediction, references = PAIRS[language][0]
            scored, why = demo.score_text(prediction, "\n".join(references), options)
            with warnings.catch_warnings(record=True):
                warnings.simplefilter("always")
                expected = tercet.score(demo.metric, [prediction], [references], **options).to_dict(full=True)
            assert close(demo.metric, scored.result, expected)
            assert why.startswith("<div")

    @pytest.mark.parametrize(("metric", "language", "options", "written"), [
        ("rouge_nlws", "fr", {"rouge_types": ["rougeL", "rouge3", "rouge1"], "beta": 2, "output": "all"}, {}),
        ("jaccard_sets", "ru", {"variants": LEMMAS}, {"variants": "words and lemmas, Russian"}),
        ("bleu_rouge_f", "de", {"max_order": 3, "beta": 2, "brevity_penalty": True, "stemmer": "de"}, {}),
        ("embedding_cosine", "ru", {"max_length": 8, "long_text": "window", "scale": 100}, {}),
        ("perplexity_lm", "en", {"max_length": 9, "stride": 3}, {}),
        ("chrf_multi", "ru", {"normalize": ["lower", "nfkc"]}, {}),
    ])  # fmt: skip
    @pytest.mark.usefixtures("real_language_model")
    def test_options_count(self, metric, language, options, written):
        demo, (prediction, references) = DEMOS[metric], PAIRS[language][0]
        shown = {each.name: each.shown(each.value) for each in demo.controls}
        plain, _ = demo.text_options([*shown.values()])
        shown |= {each.name: each.shown(options[each.name]) for each in demo.controls if each.name in options}
        chosen, _ = demo.text_options([*{**shown, **written}.values()])
        results = [demo.score_text(prediction, joined(references), each)[0].result for each in (plain, chosen)]
        assert close(metric, results[0], of_one_text(metric, prediction, references))
        assert close(metric, results[1], of_one_text(metric, prediction, references, **options))
        assert results[0]["signature"] != results[1]["signature"]

    def test_normalizers_are_chosen_by_name_in_an_order_and_named_below_the_score(self):
        text, reference = "<think>Ку-ку?</think>Гавань &amp; порт", "гавань & порт"
        demo = DEMOS["wer"]
        result = demo.compute([text], [reference], {"normalize": ["think", "html", "lower"]})
        assert result["wer"] == 0
        assert "|normalize:think+html+lower|" in result["signature"]
        assert demo.compute([text], [reference], {"normalize": []}) == demo.compute([text], [reference], {})

    def test_texts_that_a_normalizer_makes_long_are_refused_as_long_ones(self):
        text = "\ufdfa" * 15_000
        DEMOS["chrf_multi"].compute([text[:90]], [text[:90]], {"normalize": "nfkc"})
        with pytest.raises(
            tercet.InputError, match="A text has 270,000 characters; this page takes texts of up to 20,000"
        ):
            DEMOS["chrf_multi"].compute([text], [text], {"normalize": "nfkc"})

    @pytest.mark.usefixtures("real_language_model")
    def test_examples_have_the_scores_of_their_options(self, demo):
        examples = iter(demo.examples)
        for case in CASES[demo.metric]["CASES"]:
            lists = case.get("references", [[]] * len(case["predictions"]))
            for prediction, references in zip(case["predictions"], lists, strict=True):
                references, example = [references] if isinstance(references, str) else references, next(examples)
                assert (example.prediction, split_references(example.references)) == (prediction, references)
                options, _ = demo.text_options(example.contents)
                scored, _ = demo.score_text(example.prediction, example.references, options)
                expected = of_one_text(demo.metric, prediction, references, **case["options"])
                assert close(demo.metric, scored.result, expected)
        assert next(examples, None) is None

    def test_warnings_become_notes(self):
        scored, _ = DEMOS["rouge_nlws"].score_text("кошка", "кошка", {})
        assert scored.notes[0].startswith("the tokenizer of rouge_score keeps a-z and 0-9 only")
        scored, _ = DEMOS["bleu_multi"].score_text("", "a cat", {})
        assert "Empty predictions: 1, which score 0." in scored.notes

    def test_a_text_without_reference_and_one_too_long_are_refused(self, demo):
        if demo.takes_references:
            with pytest.raises(InputError, match="There is no reference"):
                demo.score_text("a", " \n \n", {})
        with pytest.raises(InputError, match="The prediction has 10,001 characters"):
            demo.score_text("a" * (TEXT_CHARACTERS + 1), "a", {})

    @pytest.mark.parametrize(("metric", "text", "options"), [
        ("rouge_nlws", "北" * 10_000, {}),
        ("rouge_nlws", "." * 10_000, {"sentence_split": "auto"}),
        ("rouge_nlws", "1.1." * 2_500, {"rouge_types": ["rougeW"], "tokenizer": "13a"}),
        ("bleu_multi", "e\u0301" * 5_000, {"tokenizer": "unicode"}),
        ("bleu_multi", "&amp;" * 2_000, {"max_order": 20}),
    ])  # fmt: skip
    def test_a_text_of_any_kind_takes_seconds(self, metric, text, options):
        start = time.process_time()
        scored, _ = DEMOS[metric].score_text(text, text, options)
        assert time.process_time() - start < 20  # it took up to two minutes to draw them
        assert scored.result["signature"]

    @pytest.mark.parametrize(("metric", "options"), [
        ("rouge_nlws", {"rouge_types": ["rouge1", "rouge2", "rouge3", "rougeL"], "tokenizer": "char"}),
        ("bertscore_idf", {"model_type": MINILM, "num_layers": 1, "long_text": "window", "idf": False}),
    ])  # fmt: skip
    def test_a_picture_of_many_megabytes_is_not_drawn(self, metric, options):
        for size in (4_000, 300):
            scored, why = DEMOS[metric].score_text("." * size, "." * size, options)
            if size == 300:
                assert scored.notes == []
                assert why
            else:
                assert why == ""
                assert scored.notes[-1].endswith("MB, too large to show. Give a shorter text to see it.")

    def test_too_much_to_draw_is_scored_without_a_picture_but_many_references_are_drawn(self):
        text = " ".join(f"w{number}" for number in range(1600))
        scored, why = DEMOS["rouge_nlws"].score_text(text, text, {"rouge_types": ["rougeS"]})
        assert (scored.result["rougeS"], why) == (1.0, "")
        assert "rougeS has 1,279,200 skip-bigrams in a text of 1,600 tokens" in scored.notes[-1]
        _, why = DEMOS["bleu_multi"].score_text("a " * 4_900, "a b\n" * 2_400, {"max_order": 20})
        assert why.count("<b>reference ") == 2_400

    @given(st.lists(st.lists(st.text("ab ю", min_size=1).filter(str.strip), min_size=1).map("\n".join), min_size=1))
    def test_references_survive_the_box(self, texts):
        assert split_references(joined(texts)) == texts
        assert split_references(joined(texts).replace("\n", "\r\n")) == texts

    def test_code_to_copy_computes_the_same(self, demo):
        options, _ = demo.text_options(begun(demo))
        scored, _ = demo.score_text(PREDICTIONS[0], REFERENCES[0][0], options)
        code = demo.code(
            source_of_texts(PREDICTIONS[0], REFERENCES[0][:1] if demo.takes_references else None), options
        )
        assert f"evaluate.load('org/{demo.metric}')" in code
        found = {}
        local = code.replace("import evaluate\n", "import tercet as evaluate\n").replace("'org/", "'")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the page shows them as notes
            exec(local.replace("print(result)", "found.update(result.to_dict(full=True))"), {"found": found})
        assert close(demo.metric, found, scored.result)


class TestFiles:
    @ANY_TEXTS
    def test_scores_with_intervals_and_a_table(self, demo, tmp_path):
        path = tmp_path / "a.jsonl"
        lines = [{"mt": p, "ref": r} for p, r in zip(PREDICTIONS, REFERENCES, strict=True)]
        path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
        _, roles = demo.read_file(str(path))
        assert (roles.systems, roles.references) == (("mt",), ("ref",))
        scored, table, _ = demo.score_file(str(path), ["mt"], ["ref"], needed(demo.metric))
        more = {"segments": True, "confidence_level": 0.95, **needed(demo.metric)}
        assert close(
            demo.metric, scored.result, tercet.score(demo.metric, PREDICTIONS, REFERENCES, **more).to_dict(full=True)
        )
        of_items = scored.primary_of_items
        assert table[of_items] == scored.result["segments"][of_items]
        assert table["line"] == list(range(1, len(PREDICTIONS) + 1))

    def test_is_refused_with_more_rows_lines_columns_or_bytes_than_the_page_takes(self, demo, tmp_path):
        most, wide = demo.most_items, "\t".join(f"c{number}" for number in range(1_000_000))
        for name, content, message in [
            ("a.tsv", "mt\tref\n" + "a\ta\n" * (most + 1), rf"{most + 1:,} rows; the page takes {most:,}"),
            (
                "a.jsonl",
                "{}\n" * (20 * most + 1001),
                rf"The file has {20 * most + 1001:,} lines",
            ),  # before it is read
            ("a.tsv", f"{wide}\n", "more than 500 columns; expected at most that"),
            ("a.tsv", "mt\tref\n" + "a" * (10 << 20), "The file has more than 10 MB"),
        ]:
            (tmp_path / name).write_text(content)
            with pytest.raises(InputError, match=message):
                demo.read_file(str(tmp_path / name))

    def test_needs_its_columns_chosen(self, demo, tmp_path):
        path = tmp_path / "a.tsv"
        path.write_text("mt\tref\na\ta\n")
        for system, references in (([], ["ref"]), *([(["mt"], [])] if demo.takes_references else [])):
            with pytest.raises(InputError, match="Choose the column of the predictions"):
                demo.score_file(str(path), system, references, {})


#: What papers call the score that the page shows in large letters, and a name in its result that no reader knows.
CALLED = {
    "bleu_multi": ("BLEU", "bleu_multi"), "chrf_multi": ("chrF", "chrf"), "ter": ("TER", "num_edits"),
    "wer": ("WER", "wer"), "google_bleu": ("GLEU", "google_bleu"), "rouge_nlws": ("ROUGE-1", "rouge1"),
    "bleu_rouge_f": ("BLEU-ROUGE F", "bleu_rouge_f"), "jaccard_sets": ("Jaccard", "jaccard_"),
    "bertscore_idf": ("BERTScore F1", "mean_f1"), "embedding_cosine": ("cosine", "embedding_cosine"),
    "perplexity_lm": ("perplexity", "mean_perplexity"), "diversity": ("self-BLEU", "self_bleu"),
}  # fmt: skip


def shown_in_large(html):
    """The name and the number of the score in large letters."""
    return re.search(r'<div class="tercet-score">(.*?) (\S+)</div>', html).groups()


@pytest.mark.usefixtures("real_language_model")
class TestNumbers:
    """Both tabs show one number under one name: in percent, but for what is no share."""

    def test_are_the_same_in_both_tabs_and_have_the_names_of_papers(self, demo, tmp_path):
        prediction, reference = "The old ferry sails at seven today.", "The old ferry leaves at eight today."
        options, _ = demo.text_options(begun(demo))
        scored, why = demo.score_text(prediction, reference, options)
        title, code_name = CALLED[demo.metric]
        of_text = result_html(scored)
        assert shown_in_large(of_text)[0] == title
        assert not re.search(rf"\b{code_name}\b", of_text)
        names = re.findall(r'<th scope="row">(.*?)</th>', of_text)
        assert title not in names
        assert len({*names}) == len(names)
        path = tmp_path / "own.tsv"
        path.write_text(f"ref\tA\tB\n{reference}\t{prediction}\t{prediction}\n")
        of_file = result_html(demo.score_file(str(path), ["A"], ["ref"], demo.page_options(begun(demo)))[0])
        assert shown_in_large(of_file) == shown_in_large(of_text)
        name = SUITE[demo.metric].primary
        alone = of_one_text(demo.metric, prediction, [reference])[name]
        digits = 2 if SUITE[demo.metric].has_scale else 4
        assert shown_in_large(of_text)[1] == f"{alone:.{digits}f}"
        assert ("Scores in percent." in of_text) == SUITE[demo.metric].has_scale
        compared = compare_file(demo, str(path), ["A", "B"], ["ref"], demo.page_options(begun(demo)), [])
        label = f'data-label="{re.escape(title)}(?: ↓)?"'
        assert re.search(rf'{label}><div class="drawn"><span style="width:\d+ch">(<b>)?{alone:.2f}<', compared.html)
        assert "scale=" not in compared.html + compared.program
        if demo.metric in ("bleu_multi", "bertscore_idf", "google_bleu", "embedding_cosine"):  # which repeat it
            assert f"{alone:.2f}" in why

    def test_are_as_the_metric_has_them_if_a_visitor_says_so(self):
        demo = DEMOS["bleu_multi"]
        shown = {each.name: each.shown(each.value) for each in demo.controls} | {"scale": "1"}
        options, _ = demo.text_options([*shown.values()])
        scored, why = demo.score_text("a b c d e", "a b c d f", options)
        assert shown_in_large(result_html(scored)) == ("BLEU", "0.6687")
        assert "BLEU 0.6687" in why


@pytest.mark.usefixtures("real_language_model")
class TestPrograms:
    @ANY_TEXTS
    def test_get_what_compute_returns_for_what_the_page_begins_with(self, demo):
        expected = tercet.score(demo.metric, PREDICTIONS, REFERENCES, **_encoder(demo)).to_dict(full=True)
        if "hashcode" in expected:  # no folder of the server
            expected["hashcode"] = expected["hashcode"].replace(MINILM, "all-MiniLM-L6-v2")
        for options in (None, _encoder(demo)):
            found = demo.compute(PREDICTIONS, REFERENCES, options)
            assert close(demo.metric, found, expected)
            assert MINILM not in json.dumps(found)

    def test_call_an_encoder_as_the_page_does(self):
        demo = DEMOS["bertscore_idf"]
        named = demo.compute(PREDICTIONS, REFERENCES, {"model_type": "all-MiniLM-L6-v2", "num_layers": 5})
        assert close("bertscore_idf", named, demo.compute(PREDICTIONS, REFERENCES, None))
        shallow = demo.compute(PREDICTIONS, REFERENCES, {"num_layers": 2})
        assert "|layer:2|" in shallow["signature"]
        known = "'all-MiniLM-L6-v2', 'roberta-large', 'bert-base-multilingual-cased'"
        with pytest.raises(
            OptionError, match=f"^The 'model_type' option on this page must be one of {known}. Got 'bert' instead.$"
        ):
            demo.compute(["a"], [["a"]], {"model_type": "bert"})
        another = {"model_type": "roberta-large"}  # gets no layer of the page's encoder
        assert given_options(demo.controls, another) == another

    @pytest.mark.parametrize("tokenizer", ["ja", "jieba"])
    def test_are_refused_long_stretches_for_a_dictionary(self, tokenizer):
        demo = DEMOS["bleu_multi"]
        with pytest.raises(
            InputError, match=f"20,000 characters without spaces or punctuation .* {tokenizer!r} too long"
        ):
            demo.compute(["的" * 20_000], [["。" * 20_000]], {"tokenizer": tokenizer})
        sentences = "今天下雨，路很滑。" * 2_000
        assert demo.compute([sentences] * 2, [[sentences]] * 2, {"tokenizer": "zh"})["bleu"] == 1.0
        demo.compute([sentences], [[sentences]], {"tokenizer": tokenizer})

    @pytest.mark.parametrize(("predictions", "references", "message"), [
        (["a"] * 20_001, [["a"]] * 20_001, "20,001 items are more than"),
        (["a" * 20_001], [["a"]], "A text has 20,001 characters; this page takes texts of up to 20,000"),
        (["a" * 20_000] * 250, [["a"]] * 250, "The texts have 5,000,(250|000) characters; this page accepts"),
        (["北" * 20_000] * 3, [["京" * 20_000]] * 3, "this page accepts .*, and fewer when single"),
        (["a\n" * 10_000], [["a\n" * 5_000] * 3], "this page accepts .*, and fewer when single"),
        (["a", None], [["a"], ["b"]], "item 1 of predictions must be a string"),
        ([], [], "The corpus is empty"),
        (["a"], [["a"], "b"], "item 1 of references is a string, but an earlier one is a list"),
    ])  # fmt: skip
    def test_are_refused_what_a_page_cannot_take(self, demo, predictions, references, message):
        if "references" in message and not demo.takes_references:
            return
        with pytest.raises(InputError, match=message):
            demo.compute(predictions, references, _encoder(demo))


def _encoder(demo):
    layer = {"num_layers": 5} if demo.metric == "bertscore_idf" else {}
    first = demo.controls[0]
    return {first.name: first.value, **layer} if first.name in ("model_type", "model_id") else {}


def test_a_result_on_the_page_to_the_byte():
    page_result = PageResult(
        result={
            "wer": 0.25, "cer": 0.5, "counts": [3, 1], "hits": 7, "n_segments": 100, "interpretation": "good",
            "intervals": {"wer": (0.125, 0.5), "cer": (float("nan"), 1.0), "hits": (1.0, 2.0)},
        },
        notes=["'Note' <1>\nof 2."], options={}, primary="wer", primary_of_items="wer",
        titles={"wer": "WER", "cer": "C & R"}, only_of_items=frozenset(), scale=100, in_percent=True,
        meaning="Words.",
    )  # fmt: skip
    head = '<tr><th scope="col">entry</th><th scope="col">value</th><th scope="col">95 % interval</th></tr>'
    assert result_html(page_result, ["Options: a=1."]) == (
        '<div class="tercet"><div class="tercet-score">WER 0.25</div>'
        '<div class="tercet-interval">95 % interval: 0.12 to 0.50</div><p>Words.</p><p>Roughly, good.</p>'
        '<p>Options: a=1.</p><div class="tercet-note">&#x27;Note&#x27; &lt;1&gt;\nof 2.</div>'
        f'<table>{head}<tr><th scope="row">C &amp; R</th><td>0.50</td><td></td></tr></table>'
        "<small>Scores in percent.</small><details><summary>Counts and lengths</summary><table>"
        '<tr><th scope="row">counts</th><td>3, 1</td></tr><tr><th scope="row">hits</th><td>7</td></tr>'
        '<tr><th scope="row">n segments</th><td>100</td></tr></table></details></div>'
    )


def test_a_histogram_has_every_value_once():
    bars = histogram([0.0, 0.049, 0.05, 0.999, 1.0, None, 0.5], 1)
    assert sum(count for _, count in bars) == 6
    assert [bars[0], bars[1], bars[-1]] == [("0.00 – 0.05", 2), ("0.05 – 0.10", 1), ("0.95 – 1.00", 2)]
    assert histogram([-0.2, 100.0], 100)[-1][1] == 1
    assert sum(count for _, count in histogram([1.2, -0.1], 1)) == 2


def test_a_histogram_of_scores_that_are_nearly_all_perfect_or_below_zero_has_their_range():
    errors = histogram([0] * 95 + [50] * 5, 0)
    assert [errors[0], errors[-1]] == [("0.00 – 2.50", 95), ("47.50 – 50.00", 5)]
    perfect = histogram([0, 0], 0)
    assert [perfect[0], perfect[-1]] == [("0.00 – 0.05", 2), ("0.95 – 1.00", 0)]
    negative = histogram([-2, -1.0], 0)
    assert [negative[0], negative[-1]] == [("-2.00 – -1.90", 1), ("-0.10 – 0.00", 0)]
    few_positive = histogram([-1] * 95 + [3] * 5, 0)
    assert [few_positive[0], few_positive[-1]] == [("-1.00 – -0.80", 95), ("2.80 – 3.00", 5)]


def test_a_histogram_leaves_out_what_is_not_finite():
    bars = histogram([inf, inf, -inf, nan, 1.0, 2.0], 0.0)
    assert bars == histogram([1.0, 2.0], 0.0)
    assert sum(count for _, count in bars) == 2


def test_only_files_of_lines_are_refused_by_their_lines(monkeypatch, tmp_path):
    demo = DEMOS["wer"]
    monkeypatch.setattr(demo, "most_items", 1)
    rows = [["mt", "ref"], ["кот", "Кот\n" * 2000]]
    path = tmp_path / "сеть.xlsx"
    # Not compressed, so that its bytes have the ends of lines.
    with ZipFile(BytesIO(workbook(rows))) as book, ZipFile(path, "w") as stored:
        for name in book.namelist():
            stored.writestr(name, book.read(name))
    assert path.read_bytes().count(b"\n") > 1020
    assert demo.read_file(str(path))[0].columns == {"mt": ["кот"], "ref": ["Кот\n" * 2000]}
    parquet = tmp_path / "сеть.parquet"
    parquet.write_bytes(b"PAR1" + b"\n" * 2000)
    with pytest.raises(InputError, match="Files of this kind are not accepted here"):
        demo.read_file(str(parquet))
