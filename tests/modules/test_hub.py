"""The whole way through the Hub, on the loopback interface: published there, loaded by name, and used without us.

What users do is in hub_user.py, which runs as processes of its own, with an empty cache at first.
"""

import ast
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from evaluate import loading
from huggingface_hub import HfApi, constants
from huggingface_hub.file_download import http_get

import tercet
from conftest import ROOT, close, needed
from hub import Hub, git_oid
from spaces.build import build
from spaces.publish import client, compare, upload
from tercet.registry import METRICS, metric_class
from texts import LATIN, MINILM, all_pairs

#: A configuration of each, and the keys of evaluate's module that it speaks as.
CONFIGURED = {
    "bleu_multi": ("sacrebleu", ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"]),
    "chrf_multi": ("sacrebleu", ["score", "char_order", "word_order", "beta"]),
    "rouge_nlws": ("rouge_score", ["rouge1", "rouge2", "rougeL", "rougeLsum"]),
    "bertscore_idf": ("bert_score", ["precision", "recall", "f1", "hashcode"]),
    "bleu_rouge_f": (
        "default",
        [
            *("bleu_rouge_f", "bleu_rouge_precision", "bleu_rouge_recall", "bleu_rouge_f_1", "bleu_rouge_f_2"),
            *("bleu_rouge_precisions", "bleu_rouge_recalls"),
        ],
    ),
    "jaccard_sets": ("default", ["jaccard", "jaccard_micro"]),
    "ter": ("sacrebleu", ["score", "num_edits", "ref_length"]),
    "perplexity_lm": ("evaluate", ["perplexities", "mean_perplexity"]),
    "embedding_cosine": ("default", ["cosine"]),  # there is no module of evaluate's that it speaks as
}
PARTNERS = dict(zip(METRICS, [*METRICS][1:] + [*METRICS][:1], strict=True))
PREDICTIONS, REFERENCES = all_pairs(LATIN)
MODEL = "sentence-transformers/all-MiniLM-L6-v2"

pytestmark = pytest.mark.costly

BAD = {
    "None": (["x", None], ["y", "z"]),
    "a list after strings": (["x", "y"], ["a", ["b"]]),
    "a string after lists": (["x", "y"], [["a"], "cde"]),
}
EACH_ITS_OWN = {
    "bleu_multi": {"max_order": 2},
    "chrf_multi": {"char_order": 3},
    "rouge_nlws": {"rouge_types": ["rouge1"]},
    "bertscore_idf": {"idf": False},
    "bleu_rouge_f": {"brevity_penalty": True},
    "jaccard_sets": {"ngram": 2},
    "embedding_cosine": {"pooling": "cls"},
    "ter": {"normalized": True},
    "perplexity_lm": {"add_start_token": False},
}


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with Hub(tmp_path_factory.mktemp("hub")) as there:
        there.add_model(MODEL, Path(MINILM))
        yield there


@pytest.fixture(scope="module")
def chosen(request):
    """The metrics of the tests that run."""
    of_tests = {
        item.callspec.params["metric"]
        for item in request.session.items
        if item.module == request.module and "metric" in getattr(getattr(item, "callspec", None), "params", ())
    }
    return [metric for metric in METRICS if metric in of_tests]


@pytest.fixture(scope="module")
def folders(there, chosen, tmp_path_factory):
    out = tmp_path_factory.mktemp("spaces")
    published = dict.fromkeys([*chosen, *(PARTNERS[metric] for metric in chosen)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        return {metric: publish(there, build(metric, out)) for metric in published}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def publish(there, folder, **settings):
    api, name = client(there.url, "hf_writer"), f"org/{folder.name}"
    upload(api, compare(api, name, folder), **settings)
    return folder


def use(there, home, step, metric, token=None, **given):
    """Run a step of hub_user.py in a process of its own."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "hub_user.py"), step, f"org/{metric}", json.dumps(given)],
        cwd=home, env=there.environment(home, token), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


def options(metric):
    """Return what a metric needs, with the encoder by its name on the Hub."""
    return {**needed(metric), "signature": True, **({"model_type": MODEL} if "model_type" in needed(metric) else {})}


def score(metric, predictions=PREDICTIONS, references=REFERENCES, **more):
    """Return what a user must get: the package's result, with the encoder's name in place of its folder's."""
    result = tercet.score(metric, predictions, references, **{**needed(metric), "signature": True, **more})
    if "hashcode" in result:
        result["hashcode"] = result["hashcode"].replace(MINILM, MODEL)
    if "model_type" in needed(metric):
        result["signature"] = result["signature"].replace(f"|model:{Path(MINILM).name}@", f"|model:{MODEL}@")
    return result


@pytest.fixture(scope="module", params=METRICS)
def metric(request):
    return request.param


@pytest.fixture(scope="module")
def tours(there, chosen, folders, home):
    """What users found who use metrics at the same time, with one cache that is empty at first."""

    def tour(metric):
        pair = (metric, PARTNERS[metric])
        all_options = {key: value for each in pair for key, value in options(each).items()}
        own = {key: value for each in pair for key, value in EACH_ITS_OWN[each].items()}
        combined = {
            "combined": {"scale": 100, **all_options},
            "combined, each with its own": {"scale": 100, **all_options, **own},
            "combined, misspelt": {"confidense_level": 0.9},
        }
        both = {"predictions": PREDICTIONS, "references": REFERENCES, "bad": BAD}
        more = {"partner": f"org/{PARTNERS[metric]}", "combined": combined, "configuration": CONFIGURED[metric][0]}
        return use(there, home, "tour", metric, **both, options=options(metric), **more)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(chosen, pool.map(tour, chosen), strict=True))


@pytest.fixture
def found(metric, tours):
    return tours[metric]


class TestScores:
    @pytest.mark.parametrize("way", ["whole", "one by one", "in batches", "after a refusal"])
    def test_equal_the_package_s_however_the_items_come(self, metric, found, way):
        assert close(metric, found[way], score(metric))

    def test_equal_the_package_s_with_single_references(self, metric, found):
        singles = [texts[0] for texts in REFERENCES]
        assert close(metric, found["single references"], score(metric, references=singles))

    def test_of_instances_in_two_threads_are_those_of_one(self, metric, found):
        assert close(metric, found["threads"], [score(metric)] * 2)

    @pytest.mark.usefixtures("tours")
    @pytest.mark.long
    def test_of_two_processes_are_those_of_the_whole_on_the_first(self, metric, there, home, tmp_path):
        def part(process):
            mine = slice(0, 3) if process == 0 else slice(3, None)
            items = {"predictions": PREDICTIONS[mine], "references": REFERENCES[mine]}
            shared = {"process": process, "folder": str(tmp_path), "options": options(metric)}
            return use(there, home, "share", metric, **items, **shared)

        with ThreadPoolExecutor(2) as pool:
            first, second = pool.map(part, range(2))
        assert close(metric, first, score(metric))
        assert second is None

    def test_of_a_configuration_have_its_keys(self, metric, found):
        assert found["configuration"] == [*CONFIGURED[metric][1], "signature"]

    def test_come_with_attributes_and_pickle_as_a_dict_that_any_process_can_read(self, metric, found):
        result = score(metric)
        assert found["counted"] == [result.n_segments, result.empty_predictions]
        assert found["pickled"] == [True, "Result", "dict"]


class TestCombined:
    @staticmethod
    def equals(found, metric, own):
        pair = (metric, PARTNERS[metric])
        results = {each: score(each, scale=100, **own.get(each, {})) for each in pair}
        clashing = set.intersection(*map(set, results.values()))
        expected = {
            f"{each}_{key}" if key in clashing else key: value
            for each, result in results.items()
            for key, value in result.items()
        }
        return any(close(each, found, expected, scale=100) for each in pair)

    def test_what_both_know_is_for_both(self, found, metric):
        assert self.equals(found["combined"], metric, {})

    @pytest.mark.filterwarnings("ignore:perplexity_lm. 1 text has no token to score")
    def test_what_one_knows_is_for_that_one(self, found, metric):
        assert self.equals(found["combined, each with its own"], metric, EACH_ITS_OWN)

    def test_what_nobody_knows_is_refused_with_the_nearest_spelling(self, found, metric):
        nearest = f"{metric} has no option 'confidense_level'. Did you mean 'confidence_level'?"
        assert found["combined, misspelt"] == f"OptionError: {nearest}"


class TestTheLoader:
    """Its traps, one by one: see TestTheTrapsOfTheLoader in test_modules.py for what they do."""

    def test_copies_every_file_that_the_module_reaches(self, metric, folders, found):
        todo, reached = [metric], set()
        while todo:
            name = todo.pop()
            reached.add(name)
            tree = ast.walk(ast.parse((folders[metric] / f"{name}.py").read_text()))
            imports = {node.module for node in tree if isinstance(node, ast.ImportFrom) and node.level == 1}
            todo += imports - reached
        assert {f"{name}.py" for name in reached} == {*found["files"]} - {"__init__.py"}

    def test_reads_each_import_as_it_is_meant(self, metric, folders):
        module = folders[metric] / f"{metric}.py"
        text = module.read_text()
        nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
        for node in nodes:
            line = text.splitlines()[node.lineno - 1]
            assert re.fullmatch(r"import \w+|from \.\w+ import \w+( as \w+)?", line)
        internal = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        assert loading.get_imports(str(module)) == [
            *[("library", name, name, None) for name in ("datasets", "evaluate")],
            *[("internal", name, name, None) for name in dict.fromkeys(re.findall(r"^from \.(\w+)", text, re.M))],
        ]
        assert internal <= {path.stem for path in folders[metric].glob("*.py")}

    def test_imports_nothing_that_may_be_absent(self, found):
        heavy = {"torch", "transformers", "nltk", "regex", "matplotlib", "gradio", "tercet", "spaces"}
        assert not heavy & set(found["imported"])
        assert "evaluate_modules" in found["imported"]

    def test_takes_our_class(self, metric, found):
        assert found["class"].lower() == metric.replace("_", "")
        assert found["first class"] == found["class"]

    def test_wants_docstrings_where_methods_are_overridden(self, found):
        assert found["documented"] == [True, True, True]

    def test_takes_the_module_for_a_metric_only(self, found):
        assert re.match("TypeError: .*'comparison'.*Found module of module type 'metric'", found["other type"])

    @pytest.mark.parametrize("how", ["computed", "added"])
    def test_lets_through_what_the_module_then_refuses(self, metric, found, how):
        """Evaluate looks at the first item only."""
        assert found[f"None, {how}"].startswith("InputError: item 1 of predictions must be a string, got None")
        if not metric_class(metric).takes_references:
            return
        assert found["schemas"] == 2
        assert found[f"a list after strings, {how}"].startswith("InputError: item 1 of references is a list")
        assert found[f"a string after lists, {how}"].startswith("InputError: item 1 of references is a string")

    def test_would_end_with_an_index_error_for_an_empty_corpus(self, found):
        assert found["empty"].startswith("InputError: The corpus is empty")

    def test_forgets_comments_in_its_key_and_a_new_version_makes_a_new_one(self, metric, folders, tmp_path):
        def key(changed, old, new):
            names = [metric, *(name for kind, name, *_ in loading.get_imports(str(module)) if kind == "internal")]
            for name in names:
                text = (folders[metric] / f"{name}.py").read_text()
                (tmp_path / f"{name}.py").write_text(text.replace(old, new) if name == changed else text)
            return loading.files_to_hash([str(tmp_path / f"{name}.py") for name in names])

        module = folders[metric] / f"{metric}.py"
        unchanged = key(metric, "", "")
        assert key("core_signature", "\n\n\ndef ", "\n\n\n# a comment\ndef ") != unchanged  # the line remains, empty
        assert key("module", "  # as evaluate.combine passes them", "  # something else") == unchanged
        assert key("core_signature", f'__version__ = "{tercet.__version__}"', '__version__ = "99.0.0"') != unchanged


@pytest.mark.long
def test_revisions_are_kept_apart_and_a_missing_one_is_refused_while_nothing_is_cached(tmp_path, monkeypatch):
    """A private Space, loaded with a token: an old version, the new one, the old one by its commit."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    now = f'__version__ = "{tercet.__version__}"'
    with Hub(tmp_path / "hub") as there:
        folder = build("bleu_multi", tmp_path)
        text = (folder / "core_signature.py").read_text()
        (folder / "core_signature.py").write_text(text.replace(now, '__version__ = "0.0.1"'))
        publish(there, folder, private=True)
        first = there.space("org/bleu_multi").last.sha

        user = {"home": tmp_path, "step": "revisions", "metric": "bleu_multi", "token": "hf_reader"}
        missing, main = use(there, **user, revisions=["nope", None])
        assert missing[0].startswith("FileNotFoundError: Couldn't find a module script")
        assert main == ['__version__ = "0.0.1"', []]

        publish(there, build("bleu_multi", tmp_path))
        main, pinned, missing = use(there, **user, revisions=[None, first, "nope"])
        assert main == [now, []]
        assert pinned == ['__version__ = "0.0.1"', []]
        # Nothing in a module can change this: evaluate takes the newest that it has, and says so in its log only.
        assert missing[0] == now
        assert missing[1][0].startswith("Using the latest cached version of the module from ")


class TestTheStandIn:
    """What test_publish.py and this file rely on, against git and huggingface_hub."""

    @pytest.fixture
    def api(self, there, monkeypatch):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        return HfApi(endpoint=there.url, token="hf_writer")

    def test_names_blobs_as_git_does(self):
        assert git_oid(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        assert git_oid(b"what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"

    def test_lists_folders_as_the_hub_does(self, api, there):
        there.add_space("org/tree").commit(
            "files", {path: there.blob(b"x") for path in ("a.py", "b/c.py", "b/d/e.py")}
        )
        list_tree = api.list_repo_tree
        assert [each.path for each in list_tree("org/tree", repo_type="space")] == ["a.py", "b"]
        every = ["a.py", "b", "b/c.py", "b/d", "b/d/e.py"]
        assert [each.path for each in list_tree("org/tree", repo_type="space", recursive=True)] == every
        assert [each.path for each in list_tree("org/tree", "b", repo_type="space")] == ["b/c.py", "b/d"]

    def test_goes_on_with_a_download_that_broke_off(self, api, there, tmp_path):
        content = bytes(range(256)) * 9
        there.add_space("org/part").commit("file", {"data.bin": there.blob(content)})
        begun = tmp_path / "data.incomplete"
        begun.write_bytes(content[:1000])
        url = f"{there.url}/spaces/org/part/resolve/main/data.bin"
        with begun.open("ab") as file:
            http_get(url, file, resume_size=1000, expected_size=len(content))
        assert begun.read_bytes() == content

    def test_tells_whom_a_token_stands_for(self, api):
        assert api.whoami()["name"] == "me"
        assert [org["name"] for org in api.whoami()["orgs"]] == ["org"]

    def test_makes_every_commit_another(self, api, there):
        repo = there.add_space("org/commits")
        shas = {repo.commit("the same", repo.last.files).sha for _ in range(3)}
        assert len(shas) == 3
        assert api.space_info("org/commits").sha == repo.last.sha


TRANSFORMERS = """
import sys, transformers
model = transformers.AutoModel.from_pretrained(sys.argv[1])
tokenizer = transformers.AutoTokenizer.from_pretrained(sys.argv[1])
print(model.config.hidden_size, tokenizer.tokenize("unaffable"))
"""


@pytest.mark.long
def test_transformers_loads_a_model_that_the_stand_in_serves(there, home):
    run = subprocess.run(
        [sys.executable, "-c", TRANSFORMERS, MODEL],
        env=there.environment(home), stdout=subprocess.PIPE, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert run.stdout == "384 ['una', '##ffa', '##ble']\n"
