"""Texts on the pages of Spaces, as visitors give them: scores, options, pictures, examples, mistakes.

Pages have the same parts: one without and one with a network show what all do. What the options and examples of each
metric give is tested without a browser, in test_demo.py.
"""

import pytest
import sacrebleu
from playwright.sync_api import expect

import tercet
from page_checks import (
    CASES,
    SMALL,
    equal,
    has,
    near,
    refuses,
    scored,
    scored_alone,
    shows,
    written,
)
from suite import SUITE, UNLIKE
from texts import PAIRS

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly

TWO_WEIGHTINGS = {"plain": [0.5, 0.5], "first": [1.0, 0.0]}


@pytest.mark.parametrize(
    ("metric", "language", "options", "clicked"),
    [
        ("bleu_multi", "de", {"lowercase": True, "smooth_method": "floor", "smooth_value": 0.2}, {}),
        ("bleu_multi", "zh", {"tokenizer": "zh", "scale": 1}, {}),
        ("bleu_multi", "ru", {"max_order": 2, "weights": TWO_WEIGHTINGS}, {"weights": written(TWO_WEIGHTINGS)}),
        ("bertscore_idf", "es", {"idf": False, "num_layers": 3}, {}),
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


@pytest.mark.parametrize("metric", ["bleu_multi", "bertscore_idf"])
def test_the_page_opens_with_the_result_of_its_first_example(visit, metric):
    case = CASES[metric]["CASES"][0]
    visitor = visit(metric)
    shows(visitor, scored_alone(metric, case["predictions"][0], case["references"][0], **case["options"]))
    expect(visitor.find("#result")).to_contain_text("Higher is better; 100 is the best.")
    expect(visitor.find("#picture b").first).to_be_visible()
    expect(visitor.find("#signature")).to_be_visible()
    for name in ("precisions", "brevity penalty"):  # the picture has them
        expect(visitor.find("#result").get_by_text(name, exact=True)).to_be_hidden()


@pytest.mark.parametrize("metric", UNLIKE)
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
    expect(visitor.find("#examples button")).to_have_count(number)


def test_an_example_says_its_options_and_resets_all_others_as_a_button_does(visit):
    visitor = visit("bleu_multi")
    visitor.set({"max_order": 2, "lowercase": True})
    first, last = (CASES["bleu_multi"]["CASES"][place] for place in (0, -1))
    examples = visitor.find("#examples button")
    expect(examples.last).to_have_text(f"{last['description']}tokenizer=zh")
    expect(examples.first).to_have_text(first["description"])
    for example, case, said in (
        (examples.last, last, ["Options: tokenizer='zh'."]),
        (examples.first, first, []),
        (examples.last, last, ["Options: tokenizer='zh'."]),
    ):
        example.click()
        shows(visitor, scored_alone("bleu_multi", case["predictions"][0], case["references"][0], **case["options"]))
        lines = visitor.find("#result p").all_inner_texts()
        assert [line for line in lines if line.startswith("Options:")] == said
    visitor.give("a cat", "the cat")
    visitor.open_options()
    visitor.find("#reset").click()
    expect(visitor.find("#option-tokenizer input")).to_have_value("13a")
    visitor.compute()
    shows(visitor, scored_alone("bleu_multi", "a cat", ["the cat"]))


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


class TestReferences:
    def test_stand_one_on_a_line(self, visit):
        references = ["The ferry leaves at half past seven.", "At 7:30 the ferry departs.", "The boat leaves."]
        visitor = visit("bleu_multi")
        visitor.give("The ferry leaves at 7:30.", "\r\n".join(references) + "\n")
        visitor.compute()
        shows(visitor, scored_alone("bleu_multi", "The ferry leaves at 7:30.", references))
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


class TestOneText:
    """Of one text the page shows the score of a segment, unless its visitor chose otherwise."""

    @pytest.mark.parametrize(
        ("prediction", "references"), [("the cat", ["the cat"]), ("кошка спит", ["кошка спит", "кот"])]
    )
    def test_has_sacrebleu_s_score_of_a_sentence_and_says_so(self, visit, prediction, references):
        visitor = visit("bleu_multi")
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        sentence = sacrebleu.BLEU(effective_order=True).sentence_score(prediction, references).score
        shows(visitor, scored_alone("bleu_multi", prediction, references))
        assert visitor.seen()["score"] == f"BLEU {sentence:.2f}"
        said = visitor.find("#result")
        expect(said).to_contain_text("Scored as one segment, with effective_order=True.")
        assert "|smooth:exp|reflen:closest|eff:yes|" in visitor.seen()["signature"]
        assert "effective_order=True," in visitor.code()
        expect(said).not_to_contain_text("better than human")  # a band, which is for test sets

    def test_keeps_what_a_visitor_set(self, visit):
        visitor = visit("bleu_multi")
        visitor.give("the cat", "the cat")
        visitor.set({"smooth_method": "none"})
        visitor.choose("#option-effective_order", "False")
        visitor.compute()
        shows(visitor, scored("bleu_multi", ["the cat"], [["the cat"]], smooth_method="none"))
        expect(visitor.find("#result")).not_to_contain_text("Scored as one segment")
        visitor.set({"smooth_method": "nltk3"})  # which has no effective order
        visitor.choose("#option-effective_order", "auto (text: True, file: False)")
        visitor.compute()
        shows(visitor, scored("bleu_multi", ["the cat"], [["the cat"]], smooth_method="nltk3"))


@pytest.mark.parametrize("metric", ["bertscore_idf"])
def test_layers_follow_the_encoder(visit, metric):
    visitor = visit(metric)
    layer = visitor.find("#option-num_layers").locator("input, textarea")
    visitor.open_options()
    expect(layer).to_have_value("5")
    for encoder, best in (("roberta-large (English)", "17"), ("bert-base-multilingual-cased", "9")):
        visitor.choose("#option-model_type", encoder)
        expect(layer).to_have_value(best)
    visitor.find("#examples button").first.click()
    expect(layer).to_have_value("5")
    visitor.until(lambda: has("|layer:5|" in (visitor.seen()["signature"] or "")))


@pytest.mark.parametrize("metric", ["rouge_nlws"])
def test_letters_that_the_tokenizer_drops_are_named(visit, metric):
    visitor = visit(metric)
    prediction, reference = "Die Häuser am Fluß sind grün.", "Alte Häuser am Fluß"
    visitor.give(prediction, reference)
    visitor.compute()
    note = visitor.find("#result .tercet-note")
    expect(note).to_have_text(
        "the tokenizer of rouge_score keeps a-z and 0-9 only and drops 2 of 16 letters of the references (12 %), in "
        "1 of 1 items, the first in item 0. Give tokenizer='unicode', which keeps them, or tokenizer='rouge' to "
        "choose that."
    )
    visitor.set({"tokenizer": "unicode"})
    visitor.compute()
    expect(note).to_have_count(0)
    shows(visitor, scored_alone(metric, prediction, [reference], tokenizer="unicode"))


class TestPicture:
    def test_bleu_colours_each_token_by_its_longest_n_gram(self, visit):
        visitor = visit("bleu_multi")
        for language in ("en", "el", "ja"):
            prediction, references = PAIRS[language][0][0], [*PAIRS[language][0][1], "a reference of its own"]
            visitor.give(prediction, "\n".join(references))
            visitor.set({"tokenizer": "char"})
            visitor.compute()
            why = tercet.explain("bleu_multi", prediction, references, tokenizer="char")
            texts = [("prediction", why.prediction)]
            texts += [(f"reference {number}", words) for number, words in enumerate(why.references, 1)]
            levels = [(name, [(word.text, str(word.level)) for word in words]) for name, words in texts]
            assert len({level for _, tokens in levels for _, level in tokens}) > 2
            visitor.until(lambda levels=levels: equal(visitor.coloured(), levels))

    @pytest.mark.parametrize("metric", ["rouge_nlws"])
    def test_rouge_colours_what_matches_type_by_type(self, visit, metric):
        prediction, references = "the lazy old dog slept by the fire", ["a dog slept by a fire", "the old fire"]
        visitor = visit(metric)
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        levels = [
            (name, [(word.text, str(word.level)) for word in words])
            for each in tercet.explain("rouge_nlws", prediction, references).types
            for name, words in (("prediction", each.prediction_words), ("reference", each.reference_words))
        ]
        assert len(levels) == 14
        visitor.until(lambda: equal(visitor.coloured(), levels))

    @pytest.mark.parametrize("metric", ["bertscore_idf", "embedding_cosine"])
    def test_networks_show_what_each_token_adds_in_colour_and_in_tables(self, visit, metric):
        prediction, references = PAIRS["en"][1]
        visitor = visit(metric)
        visitor.give(prediction, "\n".join(references))
        visitor.compute()
        of_texts = {"idf": True, "corpus": references} if metric == "bertscore_idf" else {}
        why = tercet.explain(metric, prediction, references, **SUITE[metric].begun, **of_texts)
        sides = (("prediction", why.prediction_tokens), ("reference", why.reference_tokens))
        counts_all = metric == "embedding_cosine"  # whose mean includes the special tokens
        words = [(name, [each.text for each in side if counts_all or not each.special]) for name, side in sides]
        visitor.until(lambda: equal([(n, [t for t, _ in tokens]) for n, tokens in visitor.coloured()], words))
        picture = visitor.find("#picture")
        picture.get_by_text("all tokens").click()
        for table, (_, tokens) in zip(picture.locator("details table").all(), sides, strict=True):
            cells = [row.split("\t") for row in table.locator("tr").all_inner_texts()[1:]]
            assert [row[0] for row in cells] == [token.text for token in tokens]
            adds = 4 if metric == "bertscore_idf" else 1
            assert [float(row[adds]) for row in cells] == near([token.contribution for token in tokens])
        if metric == "bertscore_idf":
            assert picture.locator("svg line").count() == sum(len(tokens) for _, tokens in sides)
            cells = picture.locator(".heat tr").all()[1:]
            found = [[float(cell) for cell in row.locator("td").all_inner_texts()] for row in cells]
            assert found == [pytest.approx(row, abs=6e-3) for row in why.similarity.tolist()]


class TestMistakes:
    @pytest.mark.parametrize(
        ("metric", "mistakes"),
        [
            (
                "bleu_multi",
                [
                    ({"max_order": 2.5}, "an integer from 1 to 20. Got 2.5"),
                    ({"max_order": ""}, "an integer from 1 to 20. Got None"),
                    ({"smooth_value": "a lot"}, "must be a number. Got 'a lot'"),
                    ({"weights": "0.5; 0.5"}, "option is written as numbers, 0.25"),
                ],
            ),
            ("rouge_nlws", [({"max_words": "many"}, "must be an integer. Got 'many'")]),
            (
                "bertscore_idf",
                [
                    ({"num_layers": "5; import os"}, "must be an integer"),
                    ({"model_type": "roberta-large (English)"}, "could not be loaded"),
                ],
            ),
        ],
    )
    def test_of_options_are_told_and_forgotten(self, visit, metric, mistakes):
        good = {"max_order": 4, "smooth_value": "", "weights": "", "max_words": ""}
        good |= {"num_layers": 5, "model_type": SMALL}
        visitor = visit(metric)
        visitor.give("a cat sat", "the cat sat\na cat")
        expected = scored_alone(metric, "a cat sat", ["the cat sat", "a cat"])
        for bad, message in mistakes:
            visitor.compute()
            shows(visitor, expected)
            visitor.set(bad)
            visitor.compute()
            refuses(visitor, message)
            visitor.set({name: good[name] for name in bad})
        visitor.compute()
        shows(visitor, expected)

    def test_of_texts_are_told_and_forgotten(self, visit):
        visitor = visit("bleu_multi")
        good = scored_alone("bleu_multi", "a cat", ["a cat"])
        for prediction, references, message in (
            ("a cat", " \n\n ", "There is no reference"),
            ("a cat " * 2_000, "a cat", "12,000 characters"),
        ):
            visitor.give("a cat", "a cat")
            visitor.compute()
            shows(visitor, good)
            visitor.give(prediction, references)
            visitor.compute()
            refuses(visitor, message)
        visitor.give("a cat", "a cat")
        visitor.compute()
        shows(visitor, good)
        expect(visitor.find("#picture")).to_contain_text("cat")


def test_visitors_get_their_own_results(visit):
    first, second = visit("bleu_multi", alone=True), visit("bleu_multi", alone=True)
    first.give("a cat sat here", "a cat sat here today")
    second.give("an old dog lay there", "the old dog lay there\na dog")
    for _ in range(3):
        first.compute()
        second.compute()
        second.compute()
    shows(first, scored_alone("bleu_multi", "a cat sat here", ["a cat sat here today"]))
    shows(second, scored_alone("bleu_multi", "an old dog lay there", ["the old dog lay there", "a dog"]))
