"""One segment of a test set, explained for every system: which one, in colour or in brackets, for every metric."""

import json
import re
from itertools import combinations

import pytest
import sacrebleu
from rich.text import Text

import tercet
from conftest import ROOT, ZERO_BLEU, needed, segment_options, written
from suite import SUITE
from tercet.comparison.one_segment.explained_segment import explain_segment
from tercet.comparison.one_segment.terminal import to_text
from tercet.comparison.specs.mean_of_metrics import SavedMean, WeightedMetric
from tercet.comparison.specs.metric_specs import parse_metric
from tercet.errors import InputError, OptionError
from tercet.explanation.matches import Word
from tercet.explanation.terminal import coloured
from tercet.report.explained import to_html
from tercet.test_sets.test_set import TestSet

FILES = [ROOT / "examples" / "data" / f"{language}.tsv" for language in ("en", "es", "ru", "zh")]
SAMPLES = tercet.read_test_sets(FILES)
EN = SAMPLES[0]
BLEU = parse_metric("bleu")
ONE = TestSet("en", {"tuned": EN.systems["tuned"]}, EN.references, EN.source)
MARKED = re.compile(r"\[([^\[\]]+)\](\d?)")

pytestmark = [ZERO_BLEU, pytest.mark.filterwarnings("ignore:ter. texts are split at white space:UserWarning")]


def text_of(found, *, colour=False, width=200):
    return to_text([found], width=width, colour=colour)


class TestWhichSegment:
    def test_by_default_the_worst_by_the_package_that_the_scores_equal(self):
        scores = [
            sacrebleu.sentence_bleu(text, references).score
            for text, references in zip(ONE.systems["tuned"], ONE.references, strict=True)
        ]
        found = explain_segment(ONE, BLEU)
        assert found.segment == scores.index(min(scores)) + 1
        assert found.scores["tuned"]["bleu"] == pytest.approx(min(scores))
        assert text_of(found).startswith(
            f"en, segment {found.segment} of 44, the worst by BLEU; choose another with --segment\n"
        )

    def test_of_rates_of_errors_the_worst_is_the_highest(self):
        rates = tercet.score("wer", ONE.systems["tuned"], ONE.references, segments=True)["segments"]["wer"]
        found = explain_segment(ONE, parse_metric("wer"))
        assert found.segment == rates.index(max(rates)) + 1
        assert found.label("tuned").endswith(" (lower is better)")
        assert "lower" not in explain_segment(ONE, BLEU).label("tuned")

    def test_of_several_systems_the_one_that_tells_most_pairs_apart_by_the_most(self):
        lists = [
            tercet.score("chrf", texts, EN.references, segments=True)["segments"]["chrf"]
            for texts in EN.systems.values()
        ]
        apart = [
            (len(set(values)), sum(abs(a - b) for a, b in combinations(values, 2)))
            for values in zip(*lists, strict=True)
        ]
        found = explain_segment(EN, parse_metric("chrf"))
        assert found.segment == apart.index(max(apart)) + 1
        assert text_of(found).splitlines()[0] == (
            f"en, segment {found.segment} of 44, which tells the systems apart best by chrF: no two score the same; "
            f"the scores of any two are {max(apart)[1] / 3:.2f} apart on average; choose another with --segment"
        )
        assert list(found.explanations) == list(EN.systems)
        assert found.order == sorted(EN.systems, key=lambda name: -found.scores[name]["chrf"])

    def test_of_two_systems_the_one_in_which_they_differ_most(self):
        texts = {"a": ["x y z q", "x y z q", "k"], "b": ["x y z q", "x y a b", "k"]}
        found = explain_segment(TestSet("t", texts, [["x y z q"], ["x y z q"], ["l"]], None), parse_metric("wer"))
        assert (found.segment, found.order) == (2, ["a", "b"])
        assert "in which the two systems differ most by WER: 50.00" in found.segment_in_words
        same = {"a": texts["a"], "b": texts["a"]}
        found = explain_segment(TestSet("t", same, [["x y z q"], ["x y z q"], ["l"]], None), parse_metric("wer"))
        assert (found.segment, found.chosen) == (3, "the worst by WER")

    def test_a_segment_that_not_every_pair_is_told_apart_in_says_so(self):
        texts = {"a": ["x y"], "b": ["x z"], "c": ["x q"]}
        found = explain_segment(TestSet("t", texts, [["x y"]], None), parse_metric("wer"))
        assert (
            "apart best by WER: 2 of 3 pairs score differently; the scores of any two are 33.33 apart on average"
            in found.segment_in_words
        )

    def test_a_segment_without_reference_is_never_the_worst(self):
        holed = TestSet("t", {"a": ["x", "a b c d", "y"]}, [[], ["a b c d"], ["z"]], None)
        for rule in ("skip", "zero"):
            spec = parse_metric(f"chrf:missing_references={rule}")
            assert explain_segment(holed, spec).segment == 3
            with pytest.raises(InputError, match="t, segment 1 has no reference to compare it with"):
                explain_segment(holed, spec, 1)

    def test_ties_are_said(self):
        found = explain_segment(
            TestSet("t", {"a": ["x", "y", "z"]}, [["x"], ["a"], ["b"]], None), parse_metric("wer")
        )
        assert (found.segment, found.chosen) == (
            2, "the first of 2 with the worst WER",
        )  # fmt: skip

    def test_what_cannot_be_explained_is_refused(self, tmp_path):
        path = str(tmp_path / "mean.json")
        SavedMean((WeightedMetric("bleu_multi", {}, "bleu", 1.0),), {}).save(path)
        with pytest.raises(OptionError, match="is a mean of metrics; explain each of them by itself"):
            explain_segment(EN, parse_metric(path))
        with pytest.raises(InputError, match="en has no segment 45: its segments are numbered 1 to 44"):
            explain_segment(EN, BLEU, 45)
        with pytest.raises(InputError, match="t, segment 1 has no reference; 'bleu_multi:missing_references=skip'"):
            explain_segment(TestSet("t", {"a": ["x"]}, [[]], None), BLEU)


class TestWhatIsShown:
    @pytest.mark.parametrize(
        ("metric", "options"),
        [(metric, options) for metric, known in SUITE.items() for options in known.options],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_every_metric_answers_with_what_tercet_explain_gives(self, metric, options):
        value = written(metric, {**needed(metric), **options})
        found = explain_segment(ONE, value, 4)
        (row,) = json.loads(json.dumps(found.to_dict(), default=str))
        assert (row["segment"], row["system"]) == (4, "tuned")
        text, html = text_of(found), to_html([found])
        assert row["explanation"]["signature"] in text
        assert html.count("<span") == html.count("</span>")
        if metric != "bertscore_idf":  # whose explanation of one pair alone takes fewer options
            own = {
                **value.written,
                **segment_options(value),
                **({"scale": 1} if SUITE[metric].has_scale else {}),
            }
            alone = tercet.explain(metric, ONE.systems["tuned"][3], ONE.references[3] or None, **own).to_dict()
            of_texts = {**row["explanation"], "signature": alone["signature"]}  # perplexity's has options of a corpus
            assert of_texts == json.loads(json.dumps(alone, default=str))

    def test_tokens_have_the_weights_of_the_whole_test_set(self):
        value = tercet.BertScore(**needed("bertscore_idf"))
        corpus = [text for texts in ONE.references for text in texts]
        alone = tercet.explain(
            "bertscore", ONE.systems["tuned"][3], ONE.references[3], corpus=corpus, **value.changed_options
        )
        found = explain_segment(ONE, value, 4).explanations["tuned"]
        assert found.signature == alone.signature
        assert [each.weight for each in found.prediction_tokens] == [each.weight for each in alone.prediction_tokens]

    def test_the_numbers_behind_bleu_are_those_of_sacrebleu(self):
        text, references = ONE.systems["tuned"][32], ONE.references[32]
        expected = sacrebleu.sentence_bleu(text, references)
        shown = text_of(explain_segment(ONE, BLEU, 33))
        assert f"tuned: bleu {expected.score:.2f}\nbrevity penalty {expected.bp:.4f}\n" in shown
        assert f"tokens: {expected.sys_len}; in the reference for the brevity penalty: {expected.ref_len}\n" in shown
        for order in range(4):
            numbers = [
                expected.counts[order], expected.totals[order],
                f"{100 * expected.counts[order] / expected.totals[order]:.2f}", f"{expected.precisions[order]:.2f}",
            ]  # fmt: skip
            assert re.search(rf"{order + 1}-gram\s+" + r"\s+".join(map(re.escape, map(str, numbers))), shown)

    def test_edits_of_ter_are_listed_with_shifts(self):
        moved = TestSet("t", {"a": ["today it rains hard in here"]}, [["it rains hard here today"]], None)
        shown = text_of(explain_segment(moved, parse_metric("ter")))
        assert "edits: 2 (shifts: 1); words in the reference: 5" in shown
        assert re.search(r"prediction +\[today\]2 \[it rains hard\]1 in \[here\]1\n", shown)
        assert re.search(r"1 +today +1 +6\n", shown)
        assert re.search(r"in +insertion\n", shown)

    def test_source_references_and_legend_stand_with_each_system(self):
        shown = text_of(explain_segment(EN, BLEU, 2))
        assert shown.count(EN.source[1]) == 1
        for system in EN.systems:
            assert f"\n{system}: bleu " in shown
        assert shown.count("[1-gram]1  [2-gram]2  [3-gram]3  [4-gram]4\n") == 3

    def test_scores_are_in_percent_unless_the_metric_says_otherwise(self):
        percent, share = (explain_segment(ONE, parse_metric(each), 2) for each in ("bleu", "bleu:scale=1"))
        assert percent.scores["tuned"]["bleu"] == pytest.approx(100 * share.scores["tuned"]["bleu"])
        assert f"tuned: bleu {share.scores['tuned']['bleu']:.4f}\n" in text_of(share)

    def test_words_are_shown_as_written_with_what_is_compared(self):
        stems = TestSet("t", {"a": ["he jumped"]}, [["she jumps"]], None)
        shown = text_of(explain_segment(stems, parse_metric("bleu:stemmer=porter,max_order=1")))
        assert "he [jumped (jump)]\n" in shown

    def test_characters_that_a_terminal_obeys_are_escaped(self):
        hostile = TestSet("t\x1b[2J", {"a\x07": ["\x1b[31mred \u202ecat"]}, [["a cat \x9b"]], ["\x1b]0;x\x07"])
        for metric in ("bleu", "chrf", "ter", "rouge", "jaccard"):
            shown = text_of(explain_segment(hostile, parse_metric(metric)))
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)
            assert "\\x1b" in shown

    def test_empty_texts_are_shown_as_such(self):
        for metric in ("bleu", "ter", "rouge", "chrf"):
            shown = text_of(explain_segment(TestSet("t", {"a": [""]}, [["a b"]], None), parse_metric(metric)))
            assert re.search(r"prediction +no token\n", shown)


class TestColours:
    WORDS = tuple(Word(text, level) for text, level in (("a", 2), ("b", 2), ("c", 0), ("d", 1), ("e", 9), ("f", 4)))

    def test_brackets_hold_what_colours_do(self):
        plain, colour = (coloured(self.WORDS, colour=each) for each in (False, True))
        assert plain.plain == "[a b]2 c [d]1 [e f]4"
        assert colour.plain == "a b c d e f"
        spans = [colour.plain[span.start : span.end] for span in colour.spans]
        assert spans == [text for text, _ in MARKED.findall(plain.plain)]
        assert len({span.style for span in colour.spans}) == 3

    def test_blanks_of_characters_that_do_not_count_are_within_a_run(self):
        letters = [Word(letter, level) for letter, level in zip("ab cd e", (2, 2, 0, 2, 2, 0, 0), strict=True)]
        assert coloured(letters, colour=False, spaced=False).plain == "[ab cd]2 e"

    def test_all_text_is_there_in_both(self):
        for test_set in SAMPLES:
            found = explain_segment(test_set, parse_metric("chrf"), 3)
            plain = Text.from_ansi(text_of(found, colour=True, width=1000)).plain
            for text in test_set.systems.values():
                assert " ".join(text[2].split()) in " ".join(plain.split())
            marked = " ".join(text_of(found, width=1000).split())
            assert " ".join(MARKED.sub(r"\1", marked).split()) == " ".join(plain.split())
