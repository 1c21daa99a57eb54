"""The HTML report: its numbers are the comparison's, it is one file of valid HTML, and no text becomes markup."""

import base64
import hashlib
import html
import math
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from conftest import ANY_TEXTS, ROOT, ZERO_BLEU, needed, written
from own_metric import NanForZero
from samples import sample
from tercet import InputError
from tercet.comparison.compare import compare
from tercet.explanation.matches import Word
from tercet.names_as_shown import fitted, short_names
from tercet.report import browsing
from tercet.report.bucket_scores import EXACT, MEAN, bucket_scores
from tercet.report.coloured_texts import LONGEST, Colours, plain
from tercet.report.comparison import to_html
from tercet.report.rendering import _environment, script_of
from tercet.report.segments import SegmentChooser, compared_pairs
from tercet.report.text_pieces import text_in_pieces, tokens_in_pieces
from tercet.table_formats import pvalue_text
from tercet.test_sets.length_buckets import make_buckets
from tercet.test_sets.test_set import TestSet

VOID = {"meta", "link", "br", "hr", "img", "input"}
ENGLISH = sample("en")
METRICS = ("bleu_multi", "rouge_nlws:rouge_types=rouge1+rougeL")
#: The cluster and the domain of each segment, and numbers of another program.
CLUSTERS, DOMAINS = [number // 2 for number in range(44)], list("ab") * 22
COMET = {name: [0.5 + len(text) / 500 for text in texts] for name, texts in ENGLISH.systems.items()}


def compared(test_set=ENGLISH, metrics=METRICS, **settings):
    is_tested = len(test_set.systems) > 1 and settings.get("test", "permutation") is not None
    resamples = {"n_resamples": 200} if is_tested else {}
    return compare(test_set, metrics, **{**resamples, **settings})


def page_of(*given, **settings):
    """Return the page of a comparison with these settings."""
    return Page(to_html([compared(*given, **settings)]))


def one_segment(reference, **systems):
    return TestSet("one", {name: [text] for name, text in systems.items()}, [[reference]], None)


@pytest.fixture(scope="module")
def comparison():
    return compared()


@pytest.fixture(scope="module")
def page(comparison):
    return Page(to_html([comparison]))


class Page(HTMLParser):
    """A page whose every element is closed where it must be; its tables, texts and attributes."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.tables, self.texts = [], [], {}, []
        self._caption, self._hidden = None, []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), f"twice the same attribute: {tag} {attributes}"
        self.tags.append((tag, dict(attributes)))
        if tag == "table":
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)
            self._hidden.append(dict(attributes).get("aria-hidden") == "true")

    def handle_startendtag(self, tag, attributes):
        assert "svg" in self.open, f"<{tag}/> is no HTML"
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes something else"
        self._hidden.pop()
        if tag == "table":
            self.tables.setdefault(self._caption, self._rows)

    def handle_data(self, data):
        self.texts.append(data)
        if "caption" in self.open:
            self._caption = data
        elif {"td", "th"} & set(self.open) and not any(self._hidden):
            self._rows[-1][-1] += data

    @property
    def text(self):
        return "".join(self.texts)


def test_a_score_of_which_less_is_better_says_so():
    page = page_of(metrics=("bleu_multi", "ter"))
    text = " ".join(" ".join(page.texts).split())
    assert page.tables["All scores of en"][0][-2:] == ["BLEU difference adj. p", "TER ↓ difference adj. p"]
    assert "Best in bold. ↓ Lower is better." in text
    shown = "The best is first and in bold."
    assert (text.count(f"{shown} Lower is better."), text.count(shown)) == (1, 2)


def test_numbers_have_a_true_minus_and_the_decimals_of_their_score():
    texts = {"база": ["ein Boot"] * 12, "型": ["ein Schiff"] * 12}
    numbers = {"база": [0.1, 0.2] * 6, "型": [0.0985, -0.0525] * 6}
    page = Page(compare(texts, [], scores={"COMET": numbers}, references=["ein Boot"] * 12).to_html())
    (row,) = (cells for cells in page.tables["COMET of each system"] if cells[0] == "型")
    assert (row[1], row[3].split()[0]) == ("0.0230", "−0.1270")
    assert "COMET −0.0525 (−0.2525)" in " ".join(page.text.split())


class TestNumbers:
    def test_every_score_interval_and_test_is_the_comparisons_and_the_best_is_first(self, comparison, page):
        for table in comparison.tables:
            shown = page.tables[f"{table.title} of each system"]
            assert shown[1][1] == next(row.system for row in table.rows if row.best)
            rows = {cells[1]: cells[2:] for cells in shown}
            assert [cells[0] for cells in shown[1:]] == [table.rows[place].places for place in table.order]
            for row in table.rows:
                mark = "†" if row.as_good and not row.best else ""
                expected = [f"{row.value:.2f}{mark}", f"{row.low:.2f} – {row.high:.2f}"]
                if row.difference is None:
                    assert [cell.strip() for cell in rows[f"{row.system} baseline"]] == [*expected, "", "", ""]
                    continue
                counts = f"{row.wins}/{row.ties}/{row.losses}"
                sign = "" if row.adjusted_pvalue >= 0.05 else "▲ " if row.difference > 0 else "▼ "
                difference = f"{row.difference:+.2f}".replace("-", "−")
                interval = row.interval_of_difference.replace("-", "−")
                tested = [f"{difference} {sign}{interval}", pvalue_text(row.adjusted_pvalue), counts]
                assert rows[row.system] == [*expected, *tested]

    def test_a_difference_has_no_mark_that_the_legend_explains_of_scores(self):
        """A hollow dot is what is worse than the best: a difference that is not significant had the same one."""
        twin = {**ENGLISH.systems, "twin": ENGLISH.systems["baseline"]}
        html = to_html([compared(replace(ENGLISH, systems=twin), METRICS[:1])])
        assert "Diamond: best; hollow: significantly worse." in html
        marks = {"": set(), " tests": set()}
        for column, cell in re.findall(r'<td class="score( tests)?(.*?)</td>', html):
            marks[column].update(re.findall('<g class="(.*?)">', cell))
        assert marks == {"": {"best", "hollow"}, " tests": {"difference"}}

    def test_groups_and_what_can_be_seen_are_said_of_each_score(self, comparison, page):
        for table in comparison.tables:
            assert all("".join(sentence) in page.text for section in table.sections for sentence in section.sentences)
        pair = {name: ENGLISH.systems[name] for name in ("baseline", "tuned")}
        of_two = page_of(replace(ENGLISH, systems=pair), METRICS[:1])
        assert of_two.tables["BLEU of each system"][0][0] == "system"
        assert "groups that" not in of_two.text
        assert "BLEU (80 % power, alpha 0.05); a difference of" in of_two.text

    def test_the_summary_has_all_scores(self, comparison, page):
        head, *rows = page.tables["All scores of en"]
        assert head == ["rank", "system", *(f"{table.title} difference adj. p" for table in comparison.tables)]
        first = comparison.tables[0]
        assert [cells[0] for cells in rows] == [first.rows[place].places for place in first.order]
        for _, system, *values in rows:
            row_of = [next(r for r in table.rows if r.system == system.split()[0]) for table in comparison.tables]
            for text, row in zip(values, row_of, strict=True):
                score, *tested = text.split()
                assert score.rstrip("†") == f"{row.value:.2f}"
                assert score.endswith("†") == (row.as_good and not row.best)
                if row.difference is None:
                    assert tested == []
                    continue
                sign = [] if row.adjusted_pvalue >= 0.05 else ["▲" if row.difference > 0 else "▼"]
                assert tested == [f"{row.difference:+.2f}", *sign, pvalue_text(row.adjusted_pvalue)]

    def test_the_verdict_and_the_groups_stand_before_the_table(self, page):
        before, _ = page.text.split("All scores of en", 1)
        assert "is best in" in before
        assert "BLEU: 3 groups that the test tells apart" in before
        assert "This test set reliably shows only differences from baseline above" in before

    def test_all_pairs_say_direction_and_p_where_it_is_not_the_least_of_all(self):
        found = compared(replace(ENGLISH, systems={**ENGLISH.systems, "twin": ENGLISH.systems["large"]}))
        page = Page(to_html([found]))
        for table in found.tables:
            assert "adjusted p" in page.tables[f"{table.title} of each system"][0]
            _, *rows = page.tables[f"{table.title}: all pairs"]
            least = table.pvalues[np.triu_indices(4, 1)].min()
            assert f"it is {pvalue_text(least)} where none stands" in page.text
            names = [cells[0].lstrip("0123456789") for cells in rows]
            places = [list(table.segments).index(name) for name in names]
            for one, cells in zip(places, rows, strict=True):
                for other, cell in zip(places, cells[1:], strict=True):
                    p = table.pvalues[one, other]
                    better = table.rows[one].value > table.rows[other].value
                    mark = "" if p >= 0.05 else "▲" if better else "▼"
                    number = "" if p == least else pvalue_text(p).lstrip("0")
                    assert cell.strip() == ("–" if one == other else f"{mark} {number}".strip())
            large, twin = names.index("large"), names.index("twin")
            assert rows[large][1 + twin].strip() == "1.000"

    def test_without_a_test_there_is_none_in_the_page(self):
        page = page_of(test=None)
        assert page.tables["BLEU of each system"][0] == ["system", "BLEU", "95 % interval"]
        assert not any("pairs" in caption for caption in page.tables)
        assert not [word for word in ("†", "significant") if word in page.text]
        assert "test=None" in page.text

    def test_signatures_and_how_to_repeat_it(self, comparison, page):
        for table in comparison.tables:
            assert table.signature in page.text
        assert "200 resamples, seed 12345" in page.text
        assert '["bleu_multi", "rouge_nlws:rouge_types=[\\"rouge1\\",\\"rougeL\\"]"]' in page.text
        assert "tercet compare a.tsv" in Page(to_html([comparison], command="tercet compare a.tsv <b>")).text

    @pytest.mark.parametrize(
        ("settings", "said"),
        [
            ({"adjust": "holm", "n_resamples": 100, "baseline": "tuned"}, ['adjust="holm"', "n_resamples=100"]),
            ({"test": None, "interval": None}, ["test=None", "interval=None"]),
            ({"cluster": CLUSTERS, "by": "length"}, ["cluster=", 'by="length"']),
            ({"by": {"domain": DOMAINS}}, ['by={"domain": ...}']),
            ({"runs": {"one": ["baseline", "tuned"], "other": ["large"]}}, ['"one": ["baseline", "tuned"]']),
            ({"metrics": "diversity"}, ['metrics=["diversity"]']),
            ({"metrics": None, "scores": {"COMET:better=lower": COMET}}, ['scores={"COMET:better=lower": ...}']),
        ],
    )
    def test_the_printed_call_repeats_the_comparison(self, settings, said):
        found = compare(ENGLISH.systems, **{"metrics": "ter", "references": ENGLISH.references, **settings})
        (code,) = re.findall(r"<pre>(.*?)</pre>", to_html([found]), re.DOTALL)
        code = html.unescape(code)
        assert [part for part in said if part not in code] == []
        assert ("references=references" in code) == (found.tables[0].metric == "ter")
        call = code.partition("import compare")[2].replace("...", "left_out").strip()
        texts = {"systems": ENGLISH.systems, "references": ENGLISH.references, "clusters": CLUSTERS}
        left_out = DOMAINS if "by" in settings else COMET
        again = eval(call, {"compare": compare, **texts, "left_out": left_out})
        assert str(again.to_dict()) == str(found.to_dict())  # as NaN is not equal to itself

    def test_too_few_resamples_are_reported(self):
        systems = {f"s{number}": ENGLISH.systems["tuned"] for number in range(6)}
        page = page_of(replace(ENGLISH, systems=systems), METRICS[:1], n_resamples=100, adjust="holm")
        assert "with 100 resamples, adjusted for 15 pairs of systems, p is at least 0.149" in page.text
        assert "Too few" not in page_of(metrics=METRICS[:1]).text

    def test_two_test_sets_are_not_to_be_compared(self, comparison, page):
        both = Page(to_html([comparison, compared(sample("es"), METRICS[:1])]))
        assert "Do not compare scores across test sets" in both.text
        assert "Do not compare scores across test sets" not in page.text

    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_the_contents_of_several_say_first_what_was_found_and_how_many_warnings_there_are(self):
        both = Page(to_html([compared(sample(language), METRICS[:1]) for language in ("ru", "zh")]))
        contents, warned = both.text.split("Do not compare scores", 1)
        assert contents.count("has the best BLEU") == 2
        assert contents.count("1 warning ") == 1  # of the tokenizer; that a prediction is empty is a fact
        assert "Empty predictions" in warned
        assert "splits at spaces" in warned

    def test_few_systems(self):
        for number in [1, 2]:
            page = page_of(replace(ENGLISH, systems=dict(list(ENGLISH.systems.items())[:number])))
            assert not any("pairs" in caption for caption in page.tables)  # of two, p is in the table
            assert "side by side" not in page.text  # two systems are side by side anyway

    @ZERO_BLEU
    def test_one_segment_and_no_segment_that_differs(self):
        page = page_of(one_segment("the cat sat", a="the cat", b="the cat"))
        assert "They score the same on every segment." in page.text
        assert page.tables["BLEU of each system"][1][0] == "a baseline"
        assert not [tag for tag, each in page.tags if each.get("class") in ("plot", "matrix", "dots histograms few")]
        assert not any("by length" in caption or "N-grams" in caption for caption in page.tables)

    def test_of_an_encoder_texts_and_scores_are_shown_without_asking_it_again(self, monkeypatch):
        found = compared(metrics=[written("bertscore_idf", needed("bertscore_idf"))], n_resamples=50)
        monkeypatch.setattr("tercet.metrics.bertscore.metric.BertScore.explained", None)
        page = Page(to_html([found]))
        assert "Segments where systems differ most in BERTScore F1" in page.text
        assert "not shown in colour for this metric" in page.text
        assert EXACT in page.text

    @pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
    def test_a_score_that_is_no_finite_number_is_shown_as_none(self, comparison, score):
        tables = [
            replace(table, segments={name: [score, *scores[1:]] for name, scores in table.segments.items()})
            for table in comparison.tables
        ]
        assert "not scored" in Page(to_html([replace(comparison, tables=tables)])).text

    def test_nothing_to_report(self):
        with pytest.raises(InputError, match="no comparison"):
            to_html([])


class TestOneFile:
    def test_it_loads_nothing_and_runs_nothing_but_its_own_script(self, comparison, page):
        (policy,) = [each["content"] for _, each in page.tags if each.get("http-equiv") == "Content-Security-Policy"]
        (script,) = re.findall(r"<script>(.*?)</script>", to_html([comparison]), re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert policy.split("; ")[0] == "default-src 'none'"
        assert f"script-src 'sha256-{digest}'" in policy.split("; ")
        assert [tag for tag, _ in page.tags].count("script") == 1
        for tag, attributes in page.tags:
            assert tag not in ("iframe", "object", "img", "style/", "form"), tag
            assert not any(name.startswith("on") for name in attributes)
            for name in ("href", "src", "action", "xlink:href"):
                assert attributes.get(name, "#").startswith(("#", "data:")), attributes
            for value in attributes.values():
                assert "http" not in (value or "")
                assert all(target.startswith("#") for target in re.findall(r"url\((.*?)\)", value or ""))

    def test_ids_are_there_once_and_all_references_lead_somewhere(self, page):
        ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
        assert len(set(ids)) == len(ids)
        for _, attributes in page.tags:
            for value in attributes.values():
                for name in re.findall(r"^#([\w-]+)$|url\(#([\w-]+)\)", value or ""):
                    assert "".join(name) in ids

    def test_it_can_be_heard(self, page):
        tags = [tag for tag, _ in page.tags]
        headings = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
        assert headings[0] == 1
        assert all(after <= before + 1 for before, after in pairwise(headings))
        assert all(attributes["scope"] in ("row", "col") for tag, attributes in page.tags if tag == "th")
        assert all(
            each.get("aria-hidden") or (each["role"] == "img" and each["aria-label"])
            for tag, each in page.tags
            if tag == "svg"
        )
        assert dict(page.tags)["html"]["lang"] == "en"
        assert tags.count("caption") == tags.count("table")

    def test_pages_of_other_scores_have_another_fingerprint(self):
        def fingerprint(numbers):
            found = tercet.compare(scores={"acc": {"a": numbers, "b": [1, None, 0]}}, n_resamples=9)
            (text,) = re.findall("SHA-256 of all scores begins with <code>([0-9a-f]{16})</code>", to_html([found]))
            return text

        numbers = [0.25, None, 1], [0.25, None, 1], [0.5, None, 1]
        first, again, other = map(fingerprint, numbers)
        assert first == again != other

    def test_a_fresh_process_makes_the_same_bytes_without_matplotlib(self):
        """HTML needs no package but jinja2: what it draws, it writes as SVG."""
        run = [sys.executable, "-c", FRESH, str(ROOT / "examples" / "data")]
        pages = [subprocess.run(run, capture_output=True, check=True, timeout=100).stdout for _ in range(2)]
        assert pages[0] == pages[1]
        assert pages[0].count(b'class="plot"') > 4
        assert b"A plot needs the package 'matplotlib'" in pages[0]

    def test_threads_share_the_templates(self, comparison):
        _environment.cache_clear()
        with ThreadPoolExecutor(8) as pool:
            pages = list(pool.map(to_html, [[comparison]] * 16))
        assert len({*pages}) == 1
        assert _environment() is _environment()

    def test_all_pairs_of_many_systems_are_those_of_the_100_best(self):
        """All pairs of 1,000 systems would be a million cells."""
        names = [f"s{number:03}" for number in range(104)]
        numbers = {name: [50 + number / 9 + segment for segment in range(6)] for number, name in enumerate(names)}
        page = Page(to_html([compare(scores={"x": numbers}, n_resamples=20)]))
        header, *rows = page.tables["x: all pairs"]
        assert len(header) == 101
        assert [row[0] for row in rows] == [f"{place}{name}" for place, name in enumerate(names[:3:-1], 1)]
        assert {len(row) for row in rows} == {101}
        assert any("Of each pair of the 100 best systems, in the order of the table" in text for text in page.texts)
        page = Page(to_html([compare(scores={"x": dict(list(numbers.items())[:30])}, n_resamples=20)]))
        assert len(page.tables["x: all pairs"]) == 31
        assert any("Of each pair of systems, in the order of the table" in text for text in page.texts)

    @pytest.mark.long
    @pytest.mark.filterwarnings("ignore:.*has the same text in 19 of 20 segments")
    def test_many_systems_and_long_texts_stay_small(self):
        systems = {f"system {number}": ["word " * 5_000] * 20 for number in range(12)}
        for number, texts in enumerate(systems.values()):
            texts[number] = "other words " * 5_000
        many = TestSet("long", systems, [["other words " * 4_000]] * 20, ["source " * 9_000] * 20)
        assert len(to_html([compared(many, METRICS[:1], n_resamples=20)])) < 1_000_000


#: Writes both kinds of report where importing matplotlib fails, and a picture says what it needs.
FRESH = """
import sys
sys.modules["matplotlib"] = None
import tercet
(test_set,) = tercet.read_test_sets([sys.argv[1] + "/en.tsv"])
found = tercet.compare(test_set, ["bleu", "chrf"], n_resamples=20)
print(found.to_html())
from tercet.report.correlation import trust_html
print(trust_html(tercet.correlate(sys.argv[1] + "/graded.tsv", ["bleu"], n_resamples=20, n_permutations=20)))
try:
    found.plot()
except tercet.OptionError as error:
    print(error)
"""

HOSTILE = [
    "<script>alert(1)</script>", '" onload="alert(1)', "</title></style></svg>", "$x^2$ {{ 7 * 7 }} {% raw %}",
    "@1", "نظام\u202eabc", "系统系统系统系统系统系统系统", "🙂👩\u200d👩\u200d👧" * 9, "\x00\x1b\ufffe",
    "&amp;&#60;b>", "a\nb\tc", "<!-- --> ]]>",
]  # fmt: skip


#: Metrics that explain, and where an explanation has one for each score.
ENTRIES = {"bleu_multi": None, "chrf_multi": "scores", "ter": None, "rouge_nlws": "types", "bleu_rouge_f": None,
           "jaccard_sets": "variants", "google_bleu": None, "wer": None}  # fmt: skip


class TestTexts:
    @ANY_TEXTS
    def test_hostile_names_and_texts_are_text(self):
        texts = [f"{text} the cat sat on the mat" for text in HOSTILE]
        systems = {name: [*texts[index:], *texts[:index]] for index, name in enumerate(HOSTILE)}
        name = "</h2><script>alert(2)</script>"
        found = compared(TestSet(name, systems, [[text, f"x {text}"] for text in texts], texts), n_resamples=20)
        text = to_html([found, found], command="</pre><script>alert(3)</script>", title="</title><script>4</script>")
        page = Page(text)
        assert [(tag, each) for tag, each in page.tags if tag == "script"] == [("script", {})]
        assert len(re.findall("<script", text)) == 1
        assert not any(each.startswith("on") for _, attributes in page.tags for each in attributes)
        assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe]", text)
        for each in HOSTILE:
            assert each.translate({0: "␀", 0x1B: "␛", 0xFFFE: "\ufffd"}) in page.text.replace("\r", ""), each
        assert "{{ 7 * 7 }}" in page.text
        assert "49 {%" not in page.text

    @given(
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=5, unique=True)
    )
    def test_short_names_are_as_different_as_the_names(self, names):
        short = short_names(names)
        assert len(set(short.values())) == len(names)
        assert all(own in name and own for name, own in short.items())

    def test_no_short_name_is_the_name_of_another_system(self):
        names = ["system.a", "system.system.a", f"system.{20 * 'b'}"]
        assert short_names(names) == {name: name for name in names}

    @given(st.text().map(lambda text: text.replace("…", "")), st.integers(3, 30))
    def test_a_name_is_cut_in_its_middle(self, name, columns):
        found = fitted(name, columns)
        head, mark, tail = found.partition("…") if found != name else (name, "", "")
        assert len(found) <= columns or found == name
        assert name.startswith(head)
        assert not mark or name.endswith(tail)

    @given(st.lists(st.tuples(st.sampled_from(["The", "cat", "сидел", "猫", "x1"]), st.integers(0, 4)), max_size=8),
           st.lists(st.sampled_from([" ", ", ", "\n", " … "]), min_size=9, max_size=9))  # fmt: skip
    def test_tokens_are_found_where_they_stand(self, tokens, gaps):
        text = "".join(gap + token for gap, (token, _) in zip(gaps, tokens, strict=False)) + gaps[-1]
        for folded in (str, str.lower):
            pieces = text_in_pieces(text, [Word(folded(token), level) for token, level in tokens])
            assert "".join(part for _, part in pieces) == text
            expected = [(level, token) for token, level in tokens]
            assert [piece for piece in pieces if piece[1].strip(" ,\n…")] == expected

    @pytest.mark.parametrize("metric", ENTRIES)
    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_colours_are_those_of_the_explanation(self, metric):
        for language in ["en", "es", "ru", "zh"]:
            test_set = sample(language)
            options = {"tokenizer": "zh"} if (metric, language) == ("bleu_multi", "zh") else {}
            table = compared(test_set, [written(metric, options)], test=None).tables[0]
            if metric == "rouge_nlws" and language in ("ru", "zh"):
                assert "|tok:unicode|" in table.signature
                options["tokenizer"] = "unicode"
            colours = Colours(table)
            for prediction, references in zip(test_set.systems["tuned"], test_set.references, strict=True):
                found = tercet.explain(metric, prediction, references, **options)
                one = getattr(found, ENTRIES[metric])[0] if ENTRIES[metric] else found
                words = one.prediction_words if metric == "rouge_nlws" else one.prediction
                shown = colours.text(prediction, references)
                assert "".join(part for _, part in shown.pieces) == prediction
                coloured = "".join(part for level, part in shown.pieces if level)
                expected = "".join(word.text for word in words if word.level)
                assert _letters(coloured) == _letters(expected)

    @pytest.mark.parametrize("metric", [*ENTRIES, "chrf:char_order=0,word_order=2", "rouge_nlws:rouge_types=rougeS"])
    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_many_outputs_at_once_have_the_colours_that_they_have_alone(self, metric):
        outputs = []
        for language in ["en", "es", "ru", "zh"]:
            references = sample(language).references
            for text, near, far in zip(references, references[1:], references[2:], strict=False):
                outputs += [(f"{near[0]} {text[0][5:]} 👩‍👩‍👧", [*far, *text, *near]), (text[0][:40].upper(), near)]
        outputs += [("", ["a"]), (" \n", ["a"]), ("naïve & <b> ﬁ e\u0301", ["naïve <b>", "é"])]
        outputs += [("b " * 1_500, ["a b"])]
        table = compared(metrics=[metric], test=None).tables[0]
        at_once, alone = Colours(table), Colours(table)
        at_once.read(outputs)
        assert len(at_once._known) == len({(text, *references) for text, references in outputs})
        for output in outputs:
            assert at_once._known[(output[0], *output[1])] == alone.text(*output)
        # rougeS refuses to explain more than a million pairs: such an output alone is plain
        assert (alone.text(*outputs[-1]) == plain(outputs[-1][0])) == metric.endswith("rougeS")
        assert any(level for output in outputs for level, _ in alone.text(*output).pieces)

    @ZERO_BLEU
    def test_stems_colour_the_words_that_were_written(self):
        found = compared(one_segment("run cat", a="Running <cats>"), ["bleu_multi:stemmer=porter"], test=None)
        colours = Colours(found.tables[0])
        assert colours.text("Running <cats>", ["run it"]).pieces == [(1, "Running"), (0, " <cats>")]

    @ZERO_BLEU
    def test_1_grams_in_a_row_are_not_one_longer_n_gram(self):
        table = compared(one_segment("the cat sat", a="cat the sat"), ["bleu_multi:max_order=2"], test=None).tables[0]
        colours = Colours(table)
        assert colours.text("cat the sat", ["the cat sat"]).pieces == [
            (1, "cat"), (0, " "), (1, "the"), (0, " "), (1, "sat")
        ]  # fmt: skip
        assert colours.text("cat the sat", ["the sat cat"]).pieces == [(1, "cat"), (0, " "), (2, "the sat")]

    @ZERO_BLEU
    @pytest.mark.parametrize(
        "prediction", ["a &quot;b&quot; &lt;c", 'a "b" &amp; x', "猫 &quot; собака", "a &amp;lt;c"]
    )
    @pytest.mark.filterwarnings("ignore:one. the system .a. has HTML entities")
    def test_entities_that_13a_decodes_are_shown_as_they_were_written(self, prediction):
        table = compared(one_segment('a "b" <c', a=prediction), ["bleu_multi"], test=None).tables[0]
        pieces = Colours(table).text(prediction, ['a "b" <c']).pieces
        assert "".join(part for _, part in pieces) == prediction
        assert any(level for level, _ in pieces)

    def test_tokens_that_are_no_part_of_the_text_are_shown_as_they_are(self):
        assert text_in_pieces("running", [Word("run", 1)]) is None
        assert tokens_in_pieces([Word("run", 1), Word("cat", 0)]) == [(1, "run"), (0, " "), (0, "cat")]

    def test_each_variant_of_jaccard_has_its_own_colours(self):
        jaccard = tercet.Jaccard(variants={"stem": {"stemmer": "en"}})
        tables = compared(one_segment("two cat", a="two cats"), [jaccard], test=None).tables
        assert [table.name for table in tables][::2] == ["jaccard", "jaccard_stem"]
        pieces = [Colours(table).text("two cats", ["two cat"]).pieces for table in tables]
        assert pieces == [[(1, "two"), (0, " cats")]] * 2 + [[(1, "two cats")]] * 2

    @ZERO_BLEU
    def test_long_texts_are_cut_and_say_so(self):
        assert plain("x" * 5_000).left_out == 2_000
        page = page_of(one_segment("b", a="b " * 3_000, b="c"), METRICS[:1])
        assert "… and 3,000 characters more" in page.text

    @ZERO_BLEU
    def test_what_is_one_is_not_counted_as_several(self):
        page = page_of(TestSet("one", {"a": ["x" * (LONGEST + 1)], "b": ["x"]}, [["x y"] * 9], None), METRICS[:1])
        assert "… and 1 character more" in page.text
        assert "and 1 more reference" in page.texts


def _letters(text):
    return [letter for letter in text.lower() if letter.isalnum()]


class TestSegments:
    def test_those_are_chosen_that_differ_most(self, comparison):
        table = comparison.tables[0]
        for pair in SegmentChooser(comparison, table).pairs():
            assert pair.baseline == comparison.baseline
            differences = np.subtract(table.segments[pair.system], table.segments[pair.baseline])
            for system, examples in pair.groups.items():
                sign = 1 if system == pair.system else -1
                shown = [sign * differences[each.number - 1] for each in examples]
                assert shown == sorted(sign * differences, reverse=True)[: len(shown)]
                assert min(shown) > 0
                for each in examples:
                    assert [output.system for output in each.outputs] == [pair.baseline, pair.system]
                    assert each.outputs[0].score == table.segments[pair.baseline][each.number - 1]

    def test_the_best_system_and_those_furthest_away_are_beside_the_baseline(self):
        names = ["baseline", "tuned", "large"]
        systems = {f"{name}{copy}": ENGLISH.systems[name] for copy in range(3) for name in names}
        found = compared(replace(ENGLISH, systems=systems), METRICS[:1], baseline="tuned1", test=None)
        assert [pair.system for pair in SegmentChooser(found, found.tables[0]).pairs()] == [
            "large0",
            "large1",
            "large2",
        ]

    def test_the_widest_spread_shows_every_system_best_first(self, comparison):
        table = comparison.tables[0]
        example = SegmentChooser(comparison, table).spread()
        spreads = np.ptp(list(table.segments.values()), axis=0)
        assert spreads[example.number - 1] == spreads.max()
        scores = [output.score for output in example.outputs]
        assert scores == sorted(scores, reverse=True)
        assert {output.system for output in example.outputs} == set(ENGLISH.systems)

    def test_a_system_without_a_score_there_is_last_also_where_lower_is_better(self):
        texts = {"A": ["a b", "a b c d"], "B": ["a b", "a b"], "C": ["a b", "x y z w v"]}
        found = tercet.compare(texts, "ter", references=["a b", "a b c d"])
        table = found.tables[0]
        table.segments["B"][1] = None
        example = SegmentChooser(found, table).spread()
        assert [(output.system, output.score) for output in example.outputs][::2] == [("A", 0.0), ("B", None)]


class TestLengths:
    @given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=3), min_size=1, max_size=60))
    def test_each_segment_is_in_the_bucket_of_its_length(self, lengths):
        references = [[" ".join("w" * length) for length in each] for each in lengths]
        buckets = make_buckets(references, range(len(references)))
        assert sorted(np.concatenate(buckets.members)) == list(range(len(references)))
        for label, inside in zip(buckets.labels, buckets.members, strict=True):
            low, high = int(label.split("–")[0]), int(label.split("–")[-1])
            assert all(low <= round(sum(lengths[index]) / len(lengths[index])) <= high for index in inside)

    def test_scripts_without_blanks_are_measured_in_characters(self):
        assert make_buckets(sample("zh").references, range(44)).unit == "characters"
        assert make_buckets(sample("ru").references, range(44)).unit == "words"

    @ZERO_BLEU
    def test_a_bucket_has_the_score_of_its_segments_alone(self, comparison, page):
        buckets = make_buckets(ENGLISH.references, range(len(ENGLISH.references)))
        for table in comparison.tables:
            metric = table.metric.partition(":")[0]
            values, rule = bucket_scores(table, buckets)
            assert rule == EXACT
            shown = {cells[0]: cells[1:] for cells in page.tables[f"{table.title} by length of the reference"]}
            for (system, texts), own in zip(ENGLISH.systems.items(), values, strict=True):
                for inside, value in zip(buckets.members, own, strict=True):
                    part = [[each[index] for index in inside] for each in (texts, ENGLISH.references)]
                    assert value == pytest.approx(tercet.score(metric, *part, scale=100)[table.name], abs=1e-9)
                assert shown[system] == [f"{value:.2f}" for value in own]

    def test_whether_a_score_is_a_mean_is_not_guessed_from_numbers_that_are_equal(self):
        """Of outputs that equal their references, the BLEU of all is the mean of the segments'."""
        texts = [text for (text, *_) in ENGLISH.references]
        found = compare(
            {"a": texts, "b": texts},
            "bleu",
            scores={"COMET": {"a": [0.5] * 44, "b": [0.6] * 44}},
            references=texts,
            n_resamples=20,
        )
        page = Page(to_html([found]))
        assert (page.text.count(EXACT), page.text.count(MEAN)) == (1, 1)

    @pytest.mark.needs("torch")
    def test_without_references_the_length_of_the_source_counts_or_none(self):
        """What takes no references is scored by the language model alone."""
        texts = {"a": ["the cat sat", "it rains"], "b": ["a cat sat down", "rain"]}
        perplexity = tercet.Perplexity(**needed("perplexity_lm"))
        bare = TestSet("bare", texts, [[], []], None)
        page = page_of(bare, [perplexity], n_resamples=20)
        assert not any("by length" in caption or "N-grams" in caption for caption in page.tables)
        head, *rows = page.tables["Lengths of the predictions"]
        assert head == ["system", "words", "empty"]
        assert sorted(rows) == [["a baseline", "5", "0"], ["b", "5", "0"]]
        assert [row[0] for row in rows] == [row[0] for row in page.tables["perplexity of each system"][1:]]
        longer = {name: lines * 30 for name, lines in texts.items()}
        sources = ["le chat", "il pleut sur la ville"] * 30
        with pytest.warns(UserWarning, match="58 of 60 segments are exact copies of earlier ones"):
            page = page_of(TestSet("bare", longer, [[]] * 60, sources), [perplexity], n_resamples=20)
        assert page.tables["perplexity by length of the source"][1] == ["segments", "30", "30"]

    def test_segments_without_reference_are_left_out(self):
        references = [[] if index % 4 == 0 else each for index, each in enumerate(ENGLISH.references)]
        page = page_of(replace(ENGLISH, references=references), ["bleu_multi:missing_references=skip"])
        segments = page.tables["BLEU by length of the reference"][1]
        assert sum(map(int, segments[1:])) == sum(map(bool, references))

    @ZERO_BLEU
    def test_metrics_that_leave_out_different_segments_are_named(self):
        systems = {"A": ["a cat sat", "it rains"], "B": ["a cat", "it rained"]}
        metrics = ["chrf:missing_references=skip", "bleu:missing_references=zero"]
        html = tercet.compare(systems, metrics, references=[["a cat sat"], []]).to_html()
        left_out = "Segments left out, no reference, \u2068chrf_multi:missing_references=skip\u2069: 1 of each system"
        assert left_out in html


@pytest.fixture
def opened(browser, tmp_path):
    """Open a page in a browser, all of it unfolded; return it, and the lists of what it asks for and says."""
    pages = []

    def open_(text, name="report.html", **settings):
        (tmp_path / name).write_text(text, encoding="utf-8")
        page, asked, said = browser.new_page(**settings), [], []
        pages.append(page)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda line: said.append(line.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.goto((tmp_path / name).as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        return page, asked, said

    yield open_
    for page in pages:
        page.close()


#: Texts of charts that are cut, and pairs that overlap.
UNREADABLE = """() => [...document.querySelectorAll('svg.plot, .axis')].flatMap(chart => {
    const box = chart.getBoundingClientRect();
    const texts = [...chart.querySelectorAll('text, span')]
        .map(text => [text.getBoundingClientRect(), text.textContent]);
    const cut = texts.filter(([own]) => chart.matches('svg')
        && (own.left < box.left || own.right > box.right || own.top < box.top || own.bottom > box.bottom));
    return cut.concat(texts.filter(([own], place) => texts.slice(place + 1).some(([other]) =>
        own.left < other.right && other.left < own.right && own.top < other.bottom && other.top < own.bottom)));
}).map(([, text]) => text)"""


def test_a_browser_shows_it_at_two_widths_without_overflow(comparison, opened):
    names = {"x" * 70: "tuned", "a name of several words that is quite long": "large", "short": "baseline"}
    systems = {name: ENGLISH.systems[own] for name, own in names.items()}
    long = replace(ENGLISH, systems={**systems, **{f"s{n}": ENGLISH.systems["tuned"] for n in range(12)}})
    text = to_html([comparison, compared(long, METRICS[:1], n_resamples=20)])
    for width in (1280, 390):
        page, _, said = opened(text, viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert said == []
        assert page.evaluate(UNREADABLE) == []


#: What runs, or asks somebody, wherever a page takes it for markup, an attribute, a script, a style or an address.
INJECTIONS = [
    "<script>window.ran = 1</script>", "<img src=http://hostile.example/x onerror=window.ran=1>",
    "\"'><svg onload=window.ran=1>", "</title></style></pre></svg><script src=//hostile.example/x></script>",
    "<iframe srcdoc='<script>parent.ran=1</script>'>", "@import url(http://hostile.example/x);",
    "javascript:window.ran=1", "{{ cycler.__init__.__globals__.os }}{% include 'x' %}",
    "<link rel=stylesheet href=http://hostile.example/x><base href=http://hostile.example/>",
    "--><!--]]><style>*{background:url(http://hostile.example/x)}</style>",
    "<meta http-equiv=refresh content='0;url=http://hostile.example/'>", "${window.ran=1}`+alert(1)+`",
]  # fmt: skip


def test_in_a_browser_no_hostile_text_does_anything_wherever_it_stands(tmp_path, opened):
    """Texts, names of systems and of the test set, options, signatures, the command and the title."""
    texts = [f"{each} the cat sat on the mat" for each in INJECTIONS]
    systems = {name: [*texts[index:], *texts[:index]] for index, name in enumerate(INJECTIONS)}
    every = " ".join(INJECTIONS)
    found = compared(TestSet(every, systems, [[text, f"x {text}"] for text in texts], texts), n_resamples=20)
    tables = []
    for table in found.tables:
        options = table.scorer.all_changed_options
        scorer = type(table.scorer).from_options(options, written={"tokenizer": every})
        tables.append(replace(table, scorer=scorer, metric=f"{table.metric}:{every}", signature=every))
    name = "<script>window.ran=1<\\script>.html"
    page, asked, said = opened(to_html([found, replace(found, tables=tables)], command=every, title=every), name)
    page.mouse.move(300, 300)
    page.wait_for_timeout(500)
    assert (asked, said) == ([(tmp_path / name).as_uri()], [])
    own_script = script_of(["unpack.js", "browse.js", "tables.js"])
    for expression, expected in {
        "window.ran": None, "document.querySelectorAll('iframe, img, base, object').length": 0,
        "[...document.scripts].map(each => each.textContent)": [own_script],
        "document.querySelectorAll('style').length": 1, "document.title": every,
    }.items():  # fmt: skip
        assert page.evaluate(expression) == expected
    shown = {
        place: page.evaluate(f"[...document.querySelectorAll({place!r})].map(each => each.textContent).join(' ')")
        for place in ("h1", "h2", "h3", "th", "dd", ".text", "pre", "code")
    }
    for each in INJECTIONS:
        assert all(each in shown[place] for place in ("h1", "h2", "th", ".text", "pre"))
    assert INJECTIONS[0] in shown["h3"]  # options; what looks like a path in them is shortened
    assert sum(each in shown["dd"] for each in INJECTIONS) > len(INJECTIONS) / 2  # of segments, where systems differ


def test_as_many_segments_are_browsed_as_what_is_shown_of_their_texts_has_room(monkeypatch):
    def fitting(output, source):
        test_set = TestSet("море", {"a": [output] * 3}, [["海"]] * 3, [source] * 3)
        return browsing._fitting(SimpleNamespace(test_set=test_set), [2, 0, 1])

    monkeypatch.setattr(browsing, "_CHARACTERS", 3 * LONGEST)
    # Of a long text only the beginning is shown; a source is shown, too.
    assert fitting("海" * 100 * LONGEST, "м") == [0, 2]
    assert fitting("а", "м") == [0, 1, 2]
    assert fitting("а", "м" * 100 * LONGEST) == [0, 2]


@pytest.mark.parametrize("place", range(5))
def test_a_system_that_is_nan_takes_the_place_of_no_pair_wherever_it_stands(place):
    systems = {"A": ["the cat sat"], "B": ["the cat"], "D": ["the"], "E": ["the cat sa"], "F": ["the cat s"]}
    names = list(systems)
    names.insert(place, "NaN")
    texts = {name: systems.get(name, ["zz"]) for name in names}
    comparison = tercet.compare(texts, NanForZero(), references=["the cat sat on"], baseline="A")
    assert compared_pairs(comparison, comparison.tables[0]) == [("A", "D"), ("A", "B"), ("A", "F")]
