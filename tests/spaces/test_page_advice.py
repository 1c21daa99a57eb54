"""What the page of a Space does for visitors who chose nothing: one text as a segment, layers, columns, notes."""

import pytest
import sacrebleu
from playwright.sync_api import expect

from page_checks import as_tmx, has, numbers, refuses, scored, scored_alone, shows

pytest_plugins = ["pages"]
pytestmark = pytest.mark.costly


class TestOneText:
    @pytest.mark.parametrize(
        ("prediction", "references"),
        [
            ("the cat", ["the cat"]),
            ("кошка спит", ["кошка спит", "кот"]),
            ("It rained all day in the old town.", ["It rained the whole day.", "All day it rained in town."]),
        ],
    )
    def test_has_sacrebleu_s_score_of_a_sentence_and_says_so(self, visit, prediction, references):
        visitor = visit("bleu_multi")
        visitor.give(prediction, "\n".join(references))
        visitor.set({"scale": 100})
        visitor.compute()
        sentence = sacrebleu.BLEU(effective_order=True).sentence_score(prediction, references).score
        shows(visitor, scored_alone("bleu_multi", prediction, references, scale=100))
        assert numbers(visitor.seen()["score"].split()[1]) == pytest.approx([sentence], abs=6e-5)
        said = visitor.find("#result")
        expect(said).to_contain_text("Scored as one segment, with smooth_method='exp' and effective_order=True.")
        assert "|smooth:exp|reflen:closest|eff:yes|" in visitor.seen()["signature"]
        assert "smooth_method='exp',\n    effective_order=True," in visitor.code()
        for band in ("almost useless", "gist", "better than human"):
            expect(said).not_to_contain_text(band)

    def test_keeps_what_a_visitor_set(self, visit):
        visitor = visit("bleu_multi")
        visitor.give("the cat", "the cat")
        visitor.set({"smooth_method": "none"})
        visitor.choose("#option-effective_order", "False")
        visitor.compute()
        shows(visitor, scored("bleu_multi", ["the cat"], [["the cat"]]))
        expect(visitor.find("#result")).not_to_contain_text("Scored as one segment")
        expect(visitor.find("#result")).not_to_contain_text("almost useless")
        visitor.set({"smooth_method": "nltk3"})  # which has no effective order
        visitor.choose("#option-effective_order", "auto (text: True, file: False)")
        visitor.compute()
        shows(visitor, scored("bleu_multi", ["the cat"], [["the cat"]], smooth_method="nltk3"))

    def test_is_a_corpus_in_a_file(self, visit, tmp_path):
        path = tmp_path / "one.tsv"
        path.write_text("mt\tref\nthe cat\tthe cat\n")
        visitor = visit("bleu_multi")
        visitor.upload(path)
        expect(visitor.find("#system input")).to_have_value("mt")
        visitor.compute_file()
        shows(visitor, scored("bleu_multi", ["the cat"], [["the cat"]], confidence_level=0.95, segments=True), "file")


@pytest.mark.parametrize(("n_rows", "said"), [(99, False), (100, True)])
def test_a_band_is_for_a_test_set(visit, tmp_path, n_rows, said):
    path = tmp_path / "some.tsv"
    path.write_text("mt\tref\n" + "a cat sat on the mat\ta cat sat on the mat\n" * n_rows)
    visitor = visit("bleu_multi")
    visitor.upload(path)
    expect(visitor.find("#system input")).to_have_value("mt")
    visitor.compute_file()
    visitor.until(lambda: has(visitor.seen("file")["score"]))
    text = visitor.find("#file-result").inner_text()
    assert ("Roughly, over 60: quality often better than human." in text) == said


class TestLayers:
    @pytest.mark.parametrize("metric", ["bertscore_idf"])
    def test_follow_the_encoder(self, visit, metric):
        visitor = visit(metric)
        layer = visitor.find("#option-num_layers").locator("input, textarea")
        expect(layer).to_have_value("5")
        for encoder, best in (("roberta-large (English)", "17"), ("bert-base-multilingual-cased", "9")):
            visitor.choose("#option-model_type", encoder)
            expect(layer).to_have_value(best)
        visitor.find("#examples button").first.click()
        expect(layer).to_have_value("5")
        visitor.until(lambda: has("|layer:5|" in (visitor.seen()["signature"] or "")))


class TestColumns:
    def test_of_a_translation_memory_are_left_to_the_visitor(self, visit, tmp_path):
        path = tmp_path / "memory.tmx"
        path.write_text(as_tmx(["en", "de", "de"], [("A cat.", "Eine Katze.", "Die Katze.")]), encoding="utf-8")
        visitor = visit("bleu_multi")
        visitor.upload(path)
        expect(visitor.find("#about-file")).to_have_text(
            "1 rows. Each column is a language of the file. Choose the predictions, and references in the same "
            "language."
        )
        expect(visitor.find("#system input")).to_have_value("")
        visitor.compute_file()
        refuses(visitor, "Choose the column of the predictions", "file")
        visitor.choose("#system", "de 2")
        visitor.choose("#reference-columns", ["de"])
        visitor.compute_file()
        more = {"confidence_level": 0.95, "segments": True}
        shows(visitor, scored("bleu_multi", ["Die Katze."], [["Eine Katze."]], **more), "file")

    def test_are_not_compared_with_themselves(self, visit, table):
        visitor = visit("bleu_multi")
        visitor.upload(table)
        expect(visitor.find("#system input")).to_have_value("mt")
        visitor.choose("#reference-columns", ["mt"])
        visitor.compute_file()
        refuses(visitor, "The column 'mt' is chosen for the predictions and as a reference", "file")


class TestLetters:
    @pytest.mark.parametrize("metric", ["rouge_nlws"])
    def test_that_the_tokenizer_drops_are_named(self, visit, metric):
        visitor = visit(metric)
        prediction, reference = "Die Häuser am Fluß sind grün.", "Alte Häuser am Fluß"
        visitor.give(prediction, reference)
        visitor.compute()
        note = visitor.find("#result .tercet-note")
        expect(note).to_have_text(
            "The tokenizer 'rouge' drops the letters ß, ä, ü: of 'Häuser' it leaves 'h' and 'user'. Choose the "
            "tokenizer 'unicode' to keep them."
        )
        visitor.set({"tokenizer": "unicode"})
        visitor.compute()
        expect(note).to_have_count(0)
        shows(
            visitor,
            scored_alone(metric, prediction, [reference], tokenizer="unicode"),
        )
