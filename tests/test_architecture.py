"""The house: which file may import which, how long files are, and what no file does."""

import ast

import pytest

from conftest import ROOT

SOURCE = ROOT / "src" / "tercet"

# Files in the order of the imports: each may import those before it, and nothing else of the package.
ORDER = [
    "errors", "surroundings", "writing", "options", "jit", "containers", "columns",
    "cells", "limits", "decoding", "roles", "delimited", "jsonl", "tmx", "tables",
    "groups", "tokens", "intern_kernels", "intern", "letters", "splitters",
    "tokenizers", "sentences", "stems", "ngram_kernels", "ngrams", "skipgram_kernels", "skipgrams", "lcs_kernels",
    "lcs", "signature", "stats", "result", "dialect", "scorer", "resample_kernels", "draws", "resample",
    "matches", "smoothing", "bleu_lengths", "bleu_options", "bleu_presets", "bleu_signature", "bleu_messages", "bleu",
    "rouge_types", "rouge_counts", "rouge155", "rouge_package", "rouge_options",
    "rouge_references", "rouge",
    "subwords", "encoder_names", "encoder_models", "onednn", "embeddings", "encoding", "encoders",
    "token_weights", "idf", "baselines", "align",
    "bertscore_measures", "bertscore_pairs", "bertscore_options", "bertscore_signature",
    "bertscore_messages", "bertscore",
    "alignment_tokens", "alignment_plot", "alignment_html", "bertscore_explain",
    "matches_html", "bleu_explain", "rouge_places", "rouge_explain",
    "api", "running", "token_ids", "predicted", "trainer_references", "trainer", "shards", "gathering",
    "module", "paired", "loading", "__init__",
]  # fmt: skip

ANYWHERE = {"numpy", "pyarrow", "numba"}
INSIDE_FUNCTIONS = {
    *("nltk", "regex", "simplemma", "stop_words", "evaluate"),
    *("torch", "transformers", "huggingface_hub", "matplotlib", "tqdm", "defusedxml"),
}


def imports(name):
    """Yield (module, is relative, inside a function) of every import of a file."""
    tree = ast.parse((SOURCE / f"{name}.py").read_text())
    inside = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [node.module] if node.module else [alias.name for alias in node.names]
            for module in names:
                yield module, node.level > 0, id(node) in inside
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, False, id(node) in inside


LAB = sorted((SOURCE / "lab").glob("*.py"))


@pytest.mark.parametrize("path", LAB, ids=lambda path: path.stem)
def test_the_lab_builds_on_the_flat_files_and_is_short(path):
    text = path.read_text()
    assert len(text.splitlines()) <= 310
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tercet."):
            assert node.module.removeprefix("tercet.") in ORDER, node.module


def test_the_table_names_every_file():
    assert sorted(ORDER) == sorted(path.stem for path in SOURCE.glob("*.py"))


@pytest.mark.parametrize("name", ORDER)
def test_imports_run_one_way(name):
    import sys

    before = ORDER[: ORDER.index(name)]
    for module, relative, inside in imports(name):
        if relative:
            assert module in before, f"{name} imports .{module}"
            assert not inside, f"{name} imports .{module} inside a function"
            continue
        package = module.split(".")[0]
        known = package in ANYWHERE or package in sys.stdlib_module_names
        assert known or (inside and package in INSIDE_FUNCTIONS), f"{name} imports {module}"


@pytest.mark.parametrize("name", ORDER)
def test_flat_files_name_each_other_as_a_space_needs(name):
    """evaluate's loader takes ``from .x import y`` at column 0 and nothing else for a file to copy."""
    for line in (SOURCE / f"{name}.py").read_text().splitlines():
        assert not line.strip().startswith("import ."), line
        assert not line.strip().startswith("from . import"), line
        if line.strip().startswith("from .") and " import " in line:
            assert line.startswith("from ."), f"indented relative import: {line}"
            assert "#" not in line, f"comment behind a relative import: {line}"


@pytest.mark.parametrize("path", sorted(SOURCE.glob("*.py")), ids=lambda path: path.stem)
def test_files_are_short(path):
    assert len(path.read_text().splitlines()) <= 310


def test_nothing_pickles_and_nothing_seeds_globally():
    for path in SOURCE.glob("*.py"):
        text = path.read_text()
        assert "pickle" not in text, path
        assert "np.random.seed" not in text, path
        assert "random.seed" not in text, path


def test_no_name_of_a_kernel_folder_or_machine_path_in_the_sources():
    for path in [*SOURCE.glob("*.py"), *ROOT.glob("metrics/*/*.py"), ROOT / "README.md"]:
        assert str(ROOT.parent) + "/" not in path.read_text(), path
