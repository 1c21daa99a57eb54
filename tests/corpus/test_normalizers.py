"""``normalize``: the texts of both sides are changed before all else, at every door alike."""

import html
import pickle
import time
import unicodedata
import warnings

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from growth import times_longer
from tercet.corpus.artefacts import KINDS
from tercet.corpus.corpus import Corpus
from tercet.corpus.normalizers import NORMALIZERS, change_of

PREDICTIONS = [
    "Tom &amp; Zo\u00eb say hello",
    "\u202fКошка сидит\u200b на&nbsp;ковре",
    "\uff12\uff10\uff12\uff16年に猫が寝た",
]
REFERENCES = [
    ["Tom & Zoe\u0308 say hello", "Zoë and Tom"],
    ["кошка спит на ковре"],
    ["2026年に犬が寝た", "2026年に猫&#x304C;寝た"],
]
NORMALIZE = ["html", "nfc", "zero_width", "full_width", str.casefold]


def by_hand(text):
    return change_of(NORMALIZE)(text, str)


def normalized(texts):
    return [by_hand(text) if isinstance(text, str) else normalized(text) for text in texts]


def changed(name, text):
    return change_of(name)(text, str)


CLEAN_PREDICTIONS, CLEAN_REFERENCES = normalized(PREDICTIONS), normalized(REFERENCES)


@pytest.fixture(autouse=True)
def quiet():
    """The texts have what is warned of where it is not normalized."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


class TestWhatTheyDo:
    @given(st.text())
    def test_forms_of_unicode_and_entities_are_those_of_python(self, text):
        expected = {
            "nfc": unicodedata.normalize("NFC", text),
            "nfkc": unicodedata.normalize("NFKC", text),
            "html": html.unescape(text),
        }
        if not text.isspace():
            assert {name: changed(name, text) for name in expected} == expected

    @pytest.mark.parametrize("sign", "~`")
    def test_a_fence_that_opens_nothing_is_read_in_linear_time(self, sign):
        def reading(size):
            return lambda: changed("code_fence", sign * size)

        assert times_longer(reading, few=1000, many=20_000) < 100  # 20 times as long; its square is 400 times

    @pytest.mark.parametrize("name", ["whisper", "whisper_english"])
    def test_those_of_whisper_are_the_package_s(self, name):
        from whisper_normalizer.basic import BasicTextNormalizer
        from whisper_normalizer.english import EnglishTextNormalizer

        peer = {"whisper": BasicTextNormalizer, "whisper_english": EnglishTextNormalizer}[name]()
        for text in [
            "Mr. Brown's twenty-two (loud) dollars, uh, 20%",
            "Zoë, naïve: ПРИВЕТ! 猫が寝た。",
            "",
            "[noise]",
        ]:
            assert changed(name, text) == peer(text)

    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("zero_width", "\ufeffa\u200bb\u2060c\u00add", "abcd"),
            ("zero_width", "a\u200d\u200db", "ab"),
            ("zero_width", "\u200b\u200da\u200b\u200db", "ab"),
            ("zero_width", "\u200fשלום\u200e \u202bنعم\u202c \u2066a\u2069", "שלום نعم a"),
            ("zero_width", "👩\u200d🚀 می\u200cخواهم क्\u200dष", "👩\u200d🚀 می\u200cخواهم क्\u200dष"),
            ("full_width", "ＡＢｃ１２３，。！カ", "ABc123，。！カ"),
            ("think", "<think>\nhm </think>\n\nYes.", "Yes."),
            ("think", "hm, hm</think> Yes.", "Yes."),
            ("think", "<thinking>a</thinking>b<think>c</think>d", "d"),
            ("think", "Yes. <think>or no", "Yes."),
            ("think", "<think>cut off by the lim", ""),
            ("think", " as it is ", " as it is "),
            ("think", "<Think>ну</THINK> да", "да"),
            ("think", "<reasoning>\n嗯\n</reasoning>\n好。", "好。"),
            ("think", "[THINK]उम्[/THINK]हाँ", "हाँ"),
            ("think", "[THINK]cut off", ""),
            ("think", " [think] < it ", " [think] < it "),
            (
                "think",
                "<|channel|>analysis<|message|>Hm?<|end|><|start|>assistant<|channel|>final<|message|>Jó.<|return|>",
                "Jó.",
            ),
            ("think", "<|channel|>final<|message|>نعم", "نعم"),
            (
                "think",
                "<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>"
                "<|start|>assistant<|channel|>final <|constrain|>json<|message|>{1}<|return|>",
                "{1}",
            ),
            ("think", "<|channel|>analysis<|message|>cut off", ""),
            ("think", "Sí.<|start|>assistant<|channel|>analysis<|message|>or no", "Sí."),
            ("special_tokens", "<s> Да, конечно<|im_end|></s><pad><pad>", "Да, конечно"),
            ("special_tokens", "<｜end▁of▁sentence｜>", ""),
            ("special_tokens", "a <b> c", "a <b> c"),
            ("code_fence", "Here:\n```python\nx = 1\ny = 2\n```\nDone.", "x = 1\ny = 2"),
            ("code_fence", "~~~\na\n~~~\nand\n````\n```\nb\n````\n", "a\n```\nb"),
            ("code_fence", "```\ncut off", "cut off"),
            ("code_fence", "~~~~ md\na\n~~~\n~~~~~\nb", "a\n~~~"),
            ("code_fence", "use ``` for fences", "use ``` for fences"),
            ("lower", "Żółw ИДЁТ. Ὀδός", "żółw идёт. ὀδός"),
            ("json:antwort", '{"antwort": "Das Tor ist zu.", "lang": "de"}', "Das Tor ist zu."),
            ("json:数", ' {"数": [1, "二"]}\n', '[1, "二"]'),
            ("json:a", '{"a": null, "b": "x"}', "null"),
            ("json:a", '{"b": "x"}', '{"b": "x"}'),
            ("json:a", 'Sure: {"a": "x"}', 'Sure: {"a": "x"}'),
            ("json:a", '[{"a": "x"}]', '[{"a": "x"}]'),
            ("json:a", '{"a": "cut off', '{"a": "cut off'),
            ("json:a:b", '{"a:b": "да"}', "да"),
            ("arabic", "مُعَلِّمٌ وَكِتَابٌ", "معلم وكتاب"),
            ("arabic", "أكـــل آدم إلى ٱلبيت", "اكل ادم الي البيت"),
            ("arabic", "ا\u0653دم ا\u0654كل سؤال س\u0648\u0654ال", "ادم اكل سؤال سؤال"),
            ("arabic", "کتاب علی ٢٠٢٦ ۱۲", "كتاب علي 2026 12"),
            ("arabic", "مدرسة Ä", "مدرسة Ä"),
            ("persian", "كتاب علي ۱۴۰۳", "کتاب علی 1403"),
            ("persian", "می\u200c\u200cروم \u200cخانه\u200c ی ما", "می\u200cروم خانه ی ما"),
            ("persian", "خانۀ خانه\u0654", "خانه خانه"),
            ("indic", "क\u093cलम \u0958लम", "क\u093cलम क\u093cलम"),
            ("indic", "१२३ रुपये ४५ টাকা ௧௨", "123 रुपये 45 টাকা 12"),
            ("indic", "वह आया| वह गया ||", "वह आया। वह गया ॥"),
            ("indic", "अा ओ क्\u200dष a|b", "आ ओ क्ष a|b"),
            ("indic", "അവന്\u200d അവൻ উৎসব উত্\u200dসব", "അവൻ അവൻ উৎসব উৎসব"),
            ("detokenize", "It 's \" quiet \" , is n't it ? ( Yes ! )", "It's \"quiet\", isn't it? (Yes!)"),
            ("detokenize", "It &apos;s 5 % of $ 20 : well @-@ known", "It's 5% of $20: well-known"),
            ("detokenize", "L' eau , qu' il dell' acqua", "L'eau, qu'il dell'acqua"),
            ("detokenize", "„ Ja “ , sagte er . « Да » .", "„Ja“, sagte er. «Да»."),
            ("detokenize", "¿ Cómo estás ?", "¿Cómo estás?"),
            ("detokenize", "今日 は 雨 が 降る 。 OK です", "今日は雨が降る。 OK です"),
            ("detokenize", "第 3 ， 好 ！", "第 3，好！"),
            ("detokenize", "비가 온다 .", "비가 온다."),
            ("detokenize", "Wir wart@@ en ￭. Ça dé￭ ￭jà ￭!", "Wir warten. Ça déjà!"),
            ("detokenize", "▁Der ▁Ha fen ▁ist ▁ruhig .", "Der Hafen ist ruhig."),
            ("detokenize", "ĠThe Ġharbour Ġis Ġcal m .", "The harbour is calm."),
            ("detokenize", "sie war ##te ##te", "sie wartete"),
            ("detokenize", "The dogs' names, it's 7:05 (or so).", "The dogs' names, it's 7:05 (or so)."),
            ("quotes", "“Ça va?” «да» „gut“ ‘it’s’ ‹x›", '"Ça va?" "да" "gut" \'it\'s\' \'x\''),
        ],
    )
    def test_texts(self, name, text, expected):
        assert changed(name, text) == expected

    @given(st.text(st.sampled_from("a<>/think|｜s`~\n &amp;\u200d\u200b１é\u0301“”")))
    def test_what_is_nobodys_words_is_gone_after_one_pass(self, text):
        for name in ("zero_width", "full_width", "quotes", "nfc", "nfkc", "arabic", "persian", "indic"):
            once = changed(name, text)
            assert changed(name, once) == once
        assert "think>" not in changed("think", text) or not any(
            tag in text for tag in ("<think>", "</think>", "<thinking>", "</thinking>")
        )

    def test_long_texts_take_no_longer_than_they_are_long(self):
        n = 200_000
        long = [" " * n + "x", "<|channel|>" + "a" * n, "\u200c" * n + "x", "(" * n, '" ' * n, "qu" * n, '{"a":' * n]
        begin = time.process_time()
        for name in (*NORMALIZERS, "json:a"):
            for text in long:
                changed(name, text)
        assert time.process_time() - begin < 20

    def test_lists_are_applied_in_their_order(self):
        assert changed(["html", str.upper, "quotes"], "&ldquo;a&rdquo;") == '"A"'
        assert changed([str.upper, "html"], "&ldquo;a&rdquo;") == "&LDQUO;A&RDQUO;"

    def test_every_warning_that_names_one_names_one_that_exists(self):
        assert {kind.normalize for kind in KINDS} - {""} <= {*NORMALIZERS}


SCORERS = ["bleu", "chrf", "ter", "wer", "rouge", "bleu_rouge", "google_bleu", "jaccard"]


class TestEveryDoor:
    """The score is that of texts that were normalized by hand."""

    @pytest.mark.parametrize("metric", SCORERS)
    def test_scores_segments_and_intervals(self, metric):
        options = {"segments": True, "confidence_level": 0.9, "n_resamples": 50}
        assert tercet.score(metric, PREDICTIONS, REFERENCES, normalize=NORMALIZE, **options) == tercet.score(
            metric, CLEAN_PREDICTIONS, CLEAN_REFERENCES, **options
        )

    @pytest.mark.parametrize("columns", [pa.array, lambda texts: pa.chunked_array([texts])])
    def test_columns_of_arrow(self, columns):
        result = tercet.score("chrf", columns(PREDICTIONS), columns(REFERENCES), normalize=NORMALIZE)
        assert result == tercet.score("chrf", CLEAN_PREDICTIONS, CLEAN_REFERENCES)

    def test_many_threads_and_pieces(self):
        many = [PREDICTIONS * 4000, REFERENCES * 4000]
        result = tercet.score("chrf", *many, normalize=NORMALIZE, n_jobs=2)
        assert result == tercet.score("chrf", CLEAN_PREDICTIONS * 4000, CLEAN_REFERENCES * 4000)

    @pytest.mark.parametrize("texts", [PREDICTIONS, [PREDICTIONS, PREDICTIONS[::-1]]])
    def test_a_metric_without_references(self, texts):
        assert tercet.score("diversity", texts, normalize=NORMALIZE) == tercet.score("diversity", normalized(texts))

    def test_metrics_as_values(self):
        metric, usual = tercet.Chrf(normalize=NORMALIZE), tercet.Chrf()
        assert metric.segments(PREDICTIONS, REFERENCES) == usual.segments(CLEAN_PREDICTIONS, CLEAN_REFERENCES)
        assert (metric.pairwise(PREDICTIONS) == usual.pairwise(CLEAN_PREDICTIONS)).all()
        assert pickle.loads(pickle.dumps(metric)) == metric
        assert hash(metric) == hash(tercet.Chrf(normalize=NORMALIZE))

    @pytest.mark.parametrize("metric", SCORERS)
    def test_explanations_show_the_normalized_texts(self, metric):
        explanation = tercet.explain(metric, PREDICTIONS[1], REFERENCES[1], normalize=NORMALIZE).to_dict()
        expected = tercet.explain(metric, CLEAN_PREDICTIONS[1], CLEAN_REFERENCES[1]).to_dict()
        explanation.pop("signature"), expected.pop("signature")
        assert explanation == expected

    def test_streams_of_texts_and_of_tables(self):
        stream = tercet.Stream("chrf", normalize=NORMALIZE)
        for prediction, references in zip(PREDICTIONS, REFERENCES, strict=True):
            stream.add([prediction], [references])
        expected = tercet.score("chrf", CLEAN_PREDICTIONS, CLEAN_REFERENCES)
        assert stream.result() == expected
        table = pa.table({"mt": PREDICTIONS, "ref": REFERENCES})
        sums = tercet.arrow_statistics(table, "chrf", normalize=NORMALIZE)
        assert tercet.Stream.from_arrow(sums, "chrf", normalize=NORMALIZE).result() == expected
        with pytest.raises(tercet.MergeError, match="normalize"):
            stream.merge(tercet.Stream.from_arrow(tercet.arrow_statistics(table, "chrf"), "chrf"))

    def test_comparisons_of_metrics_that_normalize_and_do_not(self):
        systems = {"A": PREDICTIONS, "B": PREDICTIONS[::-1]}
        clean = {name: normalized(texts) for name, texts in systems.items()}
        both = tercet.compare(systems, ["ter", tercet.Chrf(normalize=NORMALIZE)], references=REFERENCES, test=None)
        alone = tercet.compare(systems, "ter", references=REFERENCES, test=None)
        of_clean = tercet.compare(clean, "chrf", references=CLEAN_REFERENCES, test=None)
        values = [[row.value for row in table.rows] for table in both.tables]
        assert values == [[row.value for row in comparison.tables[0].rows] for comparison in (alone, of_clean)]
        assert "normalize:html+nfc+zero_width+full_width+str.casefold" in both.tables[1].signature

    def test_rewards_and_choices(self):
        reward = tercet.reward("chrf", normalize=NORMALIZE)
        expected = tercet.reward("chrf")(completions=CLEAN_PREDICTIONS, references=CLEAN_REFERENCES)
        assert reward(completions=PREDICTIONS, references=REFERENCES) == expected
        chosen = tercet.mbr([PREDICTIONS], "chrf", normalize=NORMALIZE)
        assert chosen.groups[0].scores == tercet.mbr([CLEAN_PREDICTIONS], "chrf").groups[0].scores

    def test_the_module_of_evaluate_and_a_command(self, tmp_path):
        from tercet.huggingface.loading import load

        module = load("chrf")
        module.add_batch(predictions=PREDICTIONS, references=REFERENCES)
        assert module.compute(normalize="html") == dict(
            tercet.score("chrf", [*map(html.unescape, PREDICTIONS)], [[*map(html.unescape, r)] for r in REFERENCES])
        )


class TestWarnings:
    MESSAGE = "normalize='html' does that"

    def said(self, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [str(warning.message) for warning in caught if self.MESSAGE in str(warning.message)]

    ESCAPED, PLAIN = ["a &amp; b", "c &lt; d"], ["a & b", "c < d"]

    def test_name_the_value_that_helps_and_stop_where_it_is_used(self):
        assert len(self.said(lambda: tercet.score("chrf", self.ESCAPED, self.PLAIN))) == 1
        assert self.said(lambda: tercet.score("chrf", self.ESCAPED, self.PLAIN, normalize="html")) == []

    @pytest.mark.parametrize(("normalize", "number"), [("html", 0), ("nfc", 1)])
    def test_of_comparisons(self, normalize, number):
        systems = {"A": self.ESCAPED, "B": self.PLAIN}
        metrics = [tercet.Chrf(normalize=normalize), tercet.Ter(normalize=normalize)]
        said = self.said(lambda: tercet.compare(systems, metrics, references=self.PLAIN, test=None))
        assert len(said) == number
        assert (
            len(self.said(lambda: tercet.compare(systems, [*metrics, "bleu"], references=self.PLAIN, test=None))) == 1
        )


class TestValues:
    def test_a_list_of_one_is_that_one_and_an_empty_one_is_none(self):
        assert tercet.Bleu(normalize=["nfc"]) == tercet.Bleu(normalize="nfc")
        assert tercet.Bleu(normalize=[]) == tercet.Bleu()

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("nfd", "Did you mean 'nfc'?"),
            ("json:", "Did you mean 'json:KEY'?"),
            ("json", "Did you mean 'json:KEY'?"),
            (["html", 3], "Got ['html', 3] instead."),
            (True, "Got True instead."),
        ],
    )
    def test_all_others_are_refused(self, value, message):
        with pytest.raises(tercet.OptionError) as caught:
            tercet.Bleu(normalize=value)
        assert str(caught.value).startswith(
            "The 'normalize' option of bleu_multi must be one of 'nfc', 'nfkc', 'html'"
        )
        assert str(caught.value).endswith(message)

    def test_signatures_and_texts_name_the_key(self):
        answers, targets = ['{"label": "gut", "text": "Der Zug kommt"}'], ["Der Zug kommt"]
        options = {"normalize": ["code_fence", "json:text"]}
        result = tercet.score("chrf", answers, targets, **options)
        assert result["chrf"] == 100
        assert "|normalize:code_fence+json:text|" in result.signature
        assert tercet.score("chrf:normalize=code_fence+json:text", answers, targets) == result

    def test_what_a_function_returns_must_be_text(self):
        with pytest.raises(tercet.InputError) as caught:
            tercet.score(
                "wer", ["a", "b"], [["a"], ["b", "bb"]], normalize=lambda text: text if text < "bb" else None
            )
        assert str(caught.value) == (
            "normalize=TestValues.test_what_a_function_returns_must_be_text.<locals>.<lambda> must return a string, "
            "got None for item 1 of references."
        )

    def test_a_column_of_scores_has_no_texts(self):
        with pytest.raises(tercet.OptionError, match="the numbers are no function of texts"):
            tercet.Column("COMET", normalize="nfc")

    def test_texts_are_changed_once_for_all_metrics(self):
        seen = []
        corpus = Corpus(["a", "b"], ["c", "d"])
        metrics = [cls(normalize=lambda text: seen.append(text) or text) for cls in (tercet.Bleu,)] * 2
        first, second = (metric.as_scored(corpus) for metric in metrics)
        assert (first is second, first.normalized(metrics[0].normalize) is first, len(seen)) == (True, True, 4)
