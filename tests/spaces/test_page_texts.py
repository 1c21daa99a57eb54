"""Texts on the page of each Space, as its visitors give them: scores, options, pictures, examples, programs."""

import ast
import subprocess
import sys

import pytest
from playwright.sync_api import expect

import tercet
from page_checks import CASES, PAGES, equal, near, numbers, same, scored_alone, shows, written
from schedule import UNLIKE
from texts import PAIRS

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


LEMMAS = {"lemma": {"lemmatizer": "ru"}}
TWO_WEIGHTINGS = {"plain": [0.5, 0.5], "first": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("metric", "language", "options", "clicked"),
    [
        ("bleu_multi", "de", {"lowercase": True, "smooth_method": "floor", "smooth_value": 0.2}, {}),
        ("bleu_multi", "zh", {"tokenizer": "zh", "smooth_method": "exp", "scale": 100}, {}),
        ("bleu_multi", "ru", {"max_order": 2, "weights": TWO_WEIGHTINGS}, {"weights": written(TWO_WEIGHTINGS)}),
        ("rouge_nlws", "fr", {"rouge_types": ["rougeL", "rouge3", "rouge1"], "beta": 2, "output": "all"}, {}),
        ("rouge_nlws", "en", {"use_stemmer": True, "max_words": 5, "multi_ref": "average"}, {}),
        ("rouge_nlws", "th", {"tokenizer": "char"}, {}),
        ("jaccard_sets", "en", {"lemmatizer": "en", "ngram": 2, "multiset": True}, {}),
        ("jaccard_sets", "ru", {"variants": LEMMAS}, {"variants": "words and lemmas, Russian"}),
        ("bleu_rouge_f", "de", {"max_order": 3, "beta": 2, "brevity_penalty": True, "stemmer": "de"}, {}),
        ("embedding_cosine", "de", {"pooling": "cls", "multi_ref": "average"}, {}),
        ("embedding_cosine", "ru", {"max_length": 8, "long_text": "window", "scale": 100}, {}),
        ("perplexity_lm", "ru", {"add_start_token": False}, {}),
        ("perplexity_lm", "en", {"max_length": 9, "stride": 3}, {}),
        ("bertscore_idf", "es", {"idf": False, "num_layers": 3}, {}),
        ("bertscore_idf", "he", {"multi_ref": "best_f", "scale": 100}, {}),
    ],
)
def test_own_texts_are_scored_as_by_the_package_and_options_count(visit, metric, language, options, clicked):
    prediction, references = PAIRS[language][0]
    visitor = visit(metric)
    visitor.give(prediction, "\n".join(references))
    visitor.compute()
    plain = scored_alone(metric, prediction, references)
    shows(visitor, plain)
    visitor.set({**options, **clicked})
    visitor.compute()
    chosen = scored_alone(metric, prediction, references, **options)
    assert chosen["signature"] != plain["signature"]
    shows(visitor, chosen)


class TestPicture:
    @pytest.mark.parametrize("language", ["en", "el", "ja"])
    def test_bleu_colours_each_token_by_its_longest_n_gram(self, visit, language):
        prediction, references = PAIRS[language][0][0], [*PAIRS[language][0][1], "a reference of its own"]
        visitor = visit("bleu_multi")
        visitor.give(prediction, "\n".join(references))
        visitor.set({"tokenizer": "char"})
        visitor.compute()
        why = tercet.explain("bleu_multi", prediction, references, tokenizer="char")
        texts = [("prediction", why.prediction)]
        texts += [(f"reference {number}", words) for number, words in enumerate(why.references, 1)]
        levels = [(name, [(word.text, str(word.level)) for word in words]) for name, words in texts]
        assert len({level for _, tokens in levels for _, level in tokens}) > 2
        visitor.until(lambda: equal(visitor.coloured(), levels))

    @pytest.mark.parametrize("metric", ["rouge_nlws"])
    def test_rouge_colours_what_matches_type_by_type(self, visit, metric):
        prediction, references = "the lazy old dog slept by the fire", ["a dog slept by a fire", "the old fire"]
        visitor = visit(metric)
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        types = tercet.explain("rouge_nlws", prediction, references).types
        levels = [
            (name, [(word.text, str(word.level)) for word in words])
            for each in types
            for name, words in (("prediction", each.prediction_words), ("reference", each.reference_words))
        ]
        assert len(levels) == 14
        visitor.until(lambda: equal(visitor.coloured(), levels))

    @pytest.mark.parametrize("metric", ["bertscore_idf"])
    def test_bertscore_draws_lines_a_table_and_a_heat_map(self, visit, metric):
        prediction, references = PAIRS["en"][1]
        visitor = visit(metric)
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        options = {**PAGES["bertscore_idf"].begun, "idf": True, "corpus": references}
        why = tercet.explain("bertscore_idf", prediction, references, **options)
        sides = (("prediction", why.prediction_tokens), ("reference", why.reference_tokens))
        words = [(name, [token.text for token in tokens if not token.special]) for name, tokens in sides]
        visitor.until(lambda: equal([(n, [t for t, _ in tokens]) for n, tokens in visitor.coloured()], words))
        picture = visitor.find("#picture")
        assert picture.locator("svg line").count() == sum(len(tokens) for _, tokens in sides)
        picture.get_by_text("all tokens").click()
        for table, (_, tokens) in zip(picture.locator("table").all(), sides, strict=True):
            cells = [row.split("\t") for row in table.locator("tr").all_inner_texts()[1:]]
            assert [row[0] for row in cells] == [token.text for token in tokens]
            assert [float(row[1]) for row in cells] == near([token.weight for token in tokens])
            assert [float(row[4]) for row in cells] == near([token.contribution for token in tokens])
        heat_map = visitor.find("#figure img")
        expect(heat_map).to_be_visible()
        assert heat_map.evaluate("image => image.naturalWidth") > 400

    @pytest.mark.parametrize("metric", ["embedding_cosine"])
    def test_embedding_cosine_colours_what_each_token_adds(self, visit, metric):
        prediction, references = PAIRS["en"][1]
        visitor = visit(metric)
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        why = tercet.explain("embedding_cosine", prediction, references, **PAGES[metric].begun)
        sides = (("prediction", why.prediction_tokens), ("reference", why.reference_tokens))
        words = [(name, [token.text for token in tokens]) for name, tokens in sides]
        visitor.until(lambda: equal([(n, [t for t, _ in tokens]) for n, tokens in visitor.coloured()], words))
        picture = visitor.find("#picture")
        picture.get_by_text("all tokens").click()
        for table, (_, tokens) in zip(picture.locator("table").all(), sides, strict=True):
            cells = [row.split("\t") for row in table.locator("tr").all_inner_texts()[1:]]
            assert [row[0] for row in cells] == [token.text for token in tokens]
            assert [float(row[1]) for row in cells] == near([token.contribution for token in tokens])


def test_every_example_is_filled_in_and_computed_by_one_click(visit, metric):
    visitor = visit(metric)
    number = 0
    for case in CASES[metric]["CASES"]:
        lists = case.get("references", [[]] * len(case["predictions"]))
        for prediction, given in zip(case["predictions"], lists, strict=True):
            references = [given] if isinstance(given, str) else given
            visitor.find("#examples button").nth(number).click()
            number += 1
            shows(visitor, scored_alone(metric, prediction, references, **case["options"]))
            expect(visitor.find("#prediction textarea")).to_have_value(prediction)
            if references:
                expect(visitor.find("#references textarea")).to_have_value("\n".join(references))
            if len(case["predictions"]) == 1:
                rows = {row[0]: row[1] for row in visitor.seen()["rows"]}
                for name, value in case["expected"].items():
                    tolerance = max(case["tolerance"], 5e-5) * 1.001
                    values = value if isinstance(value, list) else [value]
                    assert numbers(rows[name]) == pytest.approx(values, rel=0, abs=tolerance), case["description"]
    expect(visitor.find("#examples button")).to_have_count(number)


def test_an_example_chosen_while_another_is_scored_is_not_forgotten(visit):
    case = next(each for each in CASES["bleu_multi"]["CASES"] if len(each["predictions"]) == 1)
    ((text,), (given,)) = case["predictions"], case["references"]
    visitor, held = visit("bleu_multi"), []
    # the first that asks for a score waits
    visitor.page.route("**/queue/join*", lambda route: route.continue_() if held else held.append(route))
    buttons, box = visitor.find("#examples button"), visitor.find("#prediction textarea")
    buttons.nth(buttons.count() - 1).click()
    expect(box).not_to_have_value(text)
    buttons.first.click()
    expect(box).to_have_value(text)
    held[0].continue_()
    shows(visitor, scored_alone("bleu_multi", text, [given] if isinstance(given, str) else given, **case["options"]))


@pytest.mark.parametrize("metric", UNLIKE)
@pytest.mark.long
def test_the_code_shown_prints_the_same_elsewhere(visit, metric, tmp_path):
    prediction, references = PAIRS["fr"][0]
    chosen = PAGES[metric].chosen
    visitor = visit(metric)
    visitor.give(prediction, "\n".join(references))
    visitor.set(chosen)
    visitor.compute()
    expected = scored_alone(metric, prediction, references, **chosen)
    shows(visitor, expected)
    environment = visitor.served.environment | {"HF_HOME": str(tmp_path / "hf")}
    run = subprocess.run(
        [sys.executable, "-c", visitor.code()],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True, timeout=120, check=True,
    )  # fmt: skip
    call = ast.parse(run.stdout, mode="eval").body
    printed = ast.literal_eval(call.args[0])
    attributes = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    assert attributes["signature"] == expected["signature"]
    assert printed[next(iter(expected))] == same(metric, expected[next(iter(expected))])


class TestReferences:
    @pytest.mark.parametrize("metric", UNLIKE)
    def test_stand_one_on_a_line(self, visit, metric):
        references = ["The ferry leaves at half past seven.", "At 7:30 the ferry departs.", "The boat leaves."]
        visitor = visit(metric)
        visitor.give("The ferry leaves at 7:30.", "\r\n".join(references) + "\n")
        visitor.compute()
        shows(visitor, scored_alone(metric, "The ferry leaves at 7:30.", references))
        assert "refs:3" in visitor.seen()["signature"]

    @pytest.mark.parametrize("metric", ["rouge_nlws"])
    def test_of_several_lines_end_with_an_empty_line(self, visit, metric):
        prediction = "The cat sat.\nIt rained all day.\nNobody came."
        references = ["It rained all day.\nThe cat sat on the mat.", "Nobody came.\nThe cat left."]
        visitor = visit(metric)
        visitor.give(prediction, "\n\n".join(references))
        visitor.compute()
        expected = scored_alone("rouge_nlws", prediction, references)
        assert expected["rougeLsum"] != expected["rougeL"]
        shows(visitor, expected)
