"""What tests of the Spaces' pages compare with: scores of the package, and what a visitor sees."""

import ast
import csv
import io
import json
import math
import runpy
import warnings

import pytest
from PIL import Image
from playwright.sync_api import expect

import tercet
from conftest import ROOT, segment_options
from suite import SUITE
from tercet.api import make_scorer
from texts import LATIN, all_pairs

#: Pictures of the pages, for whoever wants to look; the README shows some (see CONTRIBUTING.md).
SCREENSHOTS = ROOT / "build" / "screenshots"


#: The examples that pictures show, where they are not the first.
PICTURED = {"rouge_nlws": 6, "jaccard_sets": 2}
#: How the menu of bertscore_idf calls that encoder.
SMALL = "all-MiniLM-L6-v2 (small)"
CASES = {metric: runpy.run_path(str(ROOT / "metrics" / metric / "cases.py")) for metric in SUITE}
#: Entries of a result that are not in its table.
APART = {"signature", "segments", "intervals", "hashcode", "interpretation", "score"}
#: What the page calls the scores of these metrics; of a named weighting it is BLEU and its name.
TITLES = {
    "bleu": "BLEU", "mean_precision": "BERTScore precision", "mean_recall": "BERTScore recall",
    "mean_f1": "BERTScore F1", "precision": "BERTScore precision", "recall": "BERTScore recall",
    "f1": "BERTScore F1", "chrf": "chrF", "ter": "TER", "cosine": "cosine", "gleu": "GLEU",
    **{f"rouge{kind}": f"ROUGE-{kind}" for kind in ("1", "2", "3", "L", "Lsum", "W", "S4", "SU4")},
}  # fmt: skip


def title_of(name):
    """What the page calls an entry of a result."""
    return TITLES.get(name) or name.replace("bleu_", "BLEU ", 1).replace("_", " ")


def begun(metric):
    """What the page of a metric begins with: percent, and what has no default."""
    return {**({"scale": 100} if SUITE[metric].has_scale else {}), **SUITE[metric].begun}


PREDICTIONS, REFERENCES = all_pairs(LATIN)


def scored(metric, predictions, references=None, **options):
    """What the metric says of these texts, with what the page begins with."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page shows them as notes
        return tercet.score(metric, predictions, references, **{**begun(metric), **options}).to_dict(full=True)


def scored_alone(metric, prediction, references=None, **options):
    """What the metric says of one text, scored as a segment but for the options that were chosen."""
    of_one = segment_options(make_scorer(metric, {**begun(metric), **options}))
    return scored(metric, [prediction], [references], **{**of_one, **options})


def numbers(text):
    return [float(part) for part in text.split(", ")]


def near(value, digits=4):
    """A number as the page shows it: so many digits behind the point."""
    return pytest.approx(value if isinstance(value, list) else [value], rel=1e-5, abs=6 * 10 ** (-digits - 1))


def same(metric, value):
    """A number, or numbers, that another process computes as the metric's arithmetic allows."""
    return pytest.approx(
        value, rel=max(SUITE[metric].relative or 0, 1e-6), abs=2e-6
    )  # floats of a network, in percent too


def shows(visitor, result, tab=""):
    """The page comes to show this result: large score, the other entries, intervals, signature, and no message."""

    def check():
        seen = visitor.seen(tab)
        assert seen["message"] is None
        assert seen["signature"] == result["signature"]
        title, score = seen["score"].rsplit(" ", 1)
        rows = {row[0]: row[1:] for row in seen["rows"] if row[0] != "entry"}
        assert title not in rows
        rows[title] = [score, seen["interval"].removeprefix("95 % interval: ")]
        of_items = {name for name in result.get("segments") or {} if isinstance(result.get(name), list)}
        of_items |= {"precision", "recall", "f1"} if "mean_f1" in result else set()
        names = {k for k, value in result.items() if not isinstance(value, dict)} - APART - of_items
        assert rows.keys() == {title_of(name) for name in names}
        for name in names:
            value, *interval = rows[title_of(name)]
            is_score = name in TITLES or name.startswith("bleu_") or isinstance(result[name], list)
            digits = 2 if is_score and "|scale:100" in result["signature"] else 4
            assert numbers(value) == near(result[name], digits), name
            # Of few texts there is none.
            bounds = [bound for bound in (result.get("intervals") or {}).get(name, []) if not math.isnan(bound)]
            shown = [numbers(bound)[0] for bound in " ".join(interval).split(" to ") if bound]
            assert shown == near(bounds, digits)

    visitor.until(check)


def refuses(visitor, message, tab=""):
    """The page comes to show a message that a screen reader says at once, and nothing of a former result."""

    def check():
        seen = visitor.seen(tab)
        assert message in (seen["message"] or "")
        assert (seen["score"], seen["rows"]) == (None, [])

    visitor.until(check)
    left = ("signature", "picture") if not tab else ("file-signature", "distribution", "items", "make-report")
    for name in left:
        expect(visitor.find(f"#{name}")).to_be_hidden()
    assert "Traceback" not in visitor.find("#page").inner_text()


def written(weights):
    return "; ".join(f"{name} = {', '.join(map(str, values))}" for name, values in weights.items())


def equal(found, expected):
    assert found == expected
    return found


def has(value):
    assert value
    return value


def as_tsv(header, rows):
    return "".join("\t".join(row) + "\n" for row in [header, *rows])


def as_csv(header, rows):
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def as_jsonl(header, rows):
    return "".join(json.dumps(dict(zip(header, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)


def as_tmx(header, rows):
    def unit(row):
        texts = zip(header, row, strict=True)
        return "".join(f'<tuv xml:lang="{name}"><seg>{text}</seg></tuv>' for name, text in texts)

    units = "".join(f"<tu>{unit(row)}</tu>\n" for row in rows)
    head = '<header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="en"'
    return f'<?xml version="1.0"?>\n<tmx version="1.4">{head} datatype="plaintext"/><body>\n{units}</body></tmx>\n'


WRITERS = {"tsv": as_tsv, "csv": as_csv, "jsonl": as_jsonl, "tmx": as_tmx}

#: The line on which the first row begins: behind a head, where there is one.
FIRST_LINE = {"tsv": 2, "csv": 2, "jsonl": 1, "tmx": 3}

ROWS = [(text, each[0], each[-1], each[0].lower()) for text, each in zip(PREDICTIONS, REFERENCES, strict=True)]


def has_its_bars(visitor):
    """The page comes to draw how the scores of a file's items are distributed."""
    bars = visitor.find("#distribution .mark-rect path")

    def check():
        heights = [box["height"] for box in (bar.bounding_box() for bar in bars.all()) if box]
        assert bars.count() == 20
        assert sum(height > 1 for height in heights) > 1

    visitor.until(check)


def given_in(code, name):
    """What a program gives a name, as it is written there."""
    nodes = [node for node in ast.parse(code).body if isinstance(node, ast.Assign)]
    return ast.unparse(next(node.value for node in nodes if ast.unparse(node.targets[0]) == name))


def photograph(visitor, name, stop=None):
    """Keep a picture of the page, from its top to an element, or all of it."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    visitor.page.mouse.move(0, 0)
    visitor.page.wait_for_load_state("networkidle")
    expect(visitor.page.get_by_text("processing |")).to_have_count(0)
    how = {"full_page": True, "animations": "disabled"}
    if stop:
        box = visitor.find(stop).bounding_box()
        how["clip"] = {"x": 0, "y": 0, "width": visitor.page.viewport_size["width"], "height": box["y"]}
    with Image.open(io.BytesIO(visitor.page.screenshot(**how))) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(SCREENSHOTS / f"{name}.png", optimize=True)
