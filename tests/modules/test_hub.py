"""The whole way through the Hub, on the loopback interface: published there, loaded by name, and used.

What users do is in hub_user.py, which runs as a process of its own, with an empty cache at first. One metric goes the
way; that every metric's Space scores as the package does is in tests/spaces.
"""

import json
import os
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
from conftest import ROOT
from hub import Hub, git_oid
from spaces.build import build
from spaces.publish import client, compare, upload
from texts import LATIN, MINILM, all_pairs

METRIC, PARTNER = "bleu_multi", "chrf_multi"
#: The keys of evaluate's module, as which a configuration speaks.
SACREBLEU = ["score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"]
PREDICTIONS, REFERENCES = all_pairs(LATIN)
SINGLES = [texts[0] for texts in REFERENCES]
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
#: What evaluate, which looks at the first item only, lets through.
BAD = {
    "None": (["x", None], ["y", "z"]),
    "a list after strings": (["x", "y"], ["a", ["b"]]),
    "a string after lists": (["x", "y"], [["a"], "cde"]),
}
COMBINED = {
    "combined": {"scale": 100},
    "combined, each with its own": {"scale": 100, "max_order": 2, "char_order": 3},
    "combined, misspelt": {"confidense_level": 0.9},
}


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with Hub(tmp_path_factory.mktemp("hub")) as there:
        there.add_model(MODEL, Path(MINILM))
        yield there


@pytest.fixture(scope="module")
def folder(there, tmp_path_factory):
    """The folder of the metric's Space, which is on the Hub with its partner's."""
    out = tmp_path_factory.mktemp("spaces")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HUB_OFFLINE", False)
        publish(there, build(PARTNER, out))
        return publish(there, build(METRIC, out))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


def publish(there, folder, **settings):
    api, name = client(there.url, "hf_writer"), f"org/{folder.name}"
    upload(api, compare(api, name, folder), **settings)
    return folder


def use(there, home, step, token=None, **given):
    """Run a step of hub_user.py in a process of its own."""
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "hub_user.py"), step, f"org/{METRIC}", json.dumps(given)],
        cwd=home, env=there.environment(home, token), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr[-3000:]
    return json.loads(run.stdout)


def score(metric=METRIC, references=REFERENCES, **options):
    return tercet.score(metric, PREDICTIONS, references, **options)


@pytest.fixture(scope="module")
def found(there, folder, home):
    texts = {"predictions": PREDICTIONS, "references": REFERENCES, "bad": BAD}
    more = {"partner": f"org/{PARTNER}", "combined": COMBINED, "configuration": "sacrebleu"}
    return use(there, home, "tour", **texts, **more)


class TestScores:
    def test_equal_the_package_s_however_the_items_come(self, found):
        expected = score()
        for way in ("whole", "one by one", "in batches"):
            assert found[way] == expected, way
        assert found["threads"] == [expected] * 2
        assert found["single references"] == score(references=SINGLES)
        assert found["configuration"] == SACREBLEU
        assert found["of a Trainer"] == {"bleu": score(references=SINGLES)["bleu"]}

    @pytest.mark.usefixtures("found")
    @pytest.mark.long
    def test_of_two_processes_are_those_of_the_whole_on_the_first(self, there, home, tmp_path):
        def part(process):
            mine = slice(0, 3) if process == 0 else slice(3, None)
            items = {"predictions": PREDICTIONS[mine], "references": REFERENCES[mine]}
            return use(there, home, "share", **items, process=process, folder=str(tmp_path))

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(part, range(2))) == [score(), None]

    def test_come_with_attributes(self, found):
        result = score()
        assert found["counted"] == [result.n_segments, result.empty_predictions]

    def test_combined_take_what_both_know_and_each_its_own(self, found):
        for case in ("combined", "combined, each with its own"):
            given = COMBINED[case]
            own = score(**{key: value for key, value in given.items() if key != "char_order"})
            partner = score(PARTNER, **{key: value for key, value in given.items() if key != "max_order"})
            assert found[case] == {**own, **partner}
        nearest = f"{METRIC} has no option 'confidense_level'. Did you mean 'confidence_level'?"
        assert found["combined, misspelt"] == f"OptionError: {nearest}"


class TestTheLoader:
    """Its traps, one by one: see TestTheTrapsOfTheLoader in test_modules.py for what they do."""

    def test_copies_the_one_file_of_the_module_and_imports_no_extra(self, found):
        assert found["files"] == ["__init__.py", f"{METRIC}.py"]
        assert not {"torch", "transformers", "nltk", "matplotlib", "gradio", "spaces"} & set(found["imported"])
        assert {"evaluate_modules", "tercet"} <= set(found["imported"])

    def test_takes_our_class_for_a_metric_only(self, found):
        assert found["class"] == found["first class"] == "BleuMulti"
        assert re.match("TypeError: .*'comparison'.*Found module of module type 'metric'", found["other type"])

    @pytest.mark.parametrize("how", ["computed", "added"])
    def test_lets_through_what_the_module_then_refuses(self, found, how):
        assert found["schemas"] == 2
        assert found[f"None, {how}"].startswith("InputError: item 1 of predictions must be a string, got None")
        assert found[f"a list after strings, {how}"].startswith("InputError: item 1 of references is a list")
        assert found[f"a string after lists, {how}"].startswith("InputError: item 1 of references is a string")
        assert found["empty"].startswith("InputError: The corpus is empty")  # evaluate alone: an IndexError

    def test_makes_a_new_key_of_a_new_version(self, folder, tmp_path):
        def key(old, new):
            (tmp_path / f"{METRIC}.py").write_text((folder / f"{METRIC}.py").read_text().replace(old, new))
            return loading.files_to_hash([str(tmp_path / f"{METRIC}.py")])

        assert key(f"=={tercet.__version__}", "==99.0.0") != key("", "")

    def test_ends_where_tercet_is_not_installed_with_what_installs_it(self, folder, home):
        without = "import sys; sys.modules['tercet'] = None; import evaluate; evaluate.load(sys.argv[1])"
        names = {**os.environ, "HF_HOME": str(home)}
        command = [sys.executable, "-c", without, str(folder)]
        run = subprocess.run(command, cwd=home, env=names, capture_output=True, text=True, timeout=99)
        *_, last = run.stderr.splitlines()
        wanted = f'pip install "tercet[languages,evaluate]=={tercet.__version__}"'
        assert last == f"ImportError: This metric needs tercet: {wanted}"


@pytest.mark.long
def test_revisions_are_kept_apart_and_a_missing_one_is_refused_while_nothing_is_cached(tmp_path, monkeypatch):
    """A private Space, loaded with a token: an old version, the new one, the old one by its commit."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    now = tercet.__version__
    with Hub(tmp_path / "hub") as there:
        folder = build(METRIC, tmp_path)
        module = folder / f"{METRIC}.py"
        module.write_text(module.read_text().replace(f"=={now}", "==0.0.1"))
        publish(there, folder, private=True)
        first = there.space(f"org/{METRIC}").last.sha

        user = {"home": tmp_path, "step": "revisions", "token": "hf_reader"}
        missing, main = use(there, **user, revisions=["nope", None])
        assert missing[0].startswith("FileNotFoundError: Couldn't find a module script")
        assert main == ["0.0.1", []]

        publish(there, build(METRIC, tmp_path))
        main, pinned, missing = use(there, **user, revisions=[None, first, "nope"])
        assert main == [now, []]
        assert pinned == ["0.0.1", []]
        # Nothing in a module can change this: evaluate takes the newest that it has, and says so in its log only.
        assert missing[0] == now
        assert missing[1][0].startswith("Using the latest cached version of the module from ")


class TestTheStandIn:
    """What test_publish.py and this file rely on, against git and huggingface_hub."""

    @pytest.fixture
    def api(self, there, monkeypatch):
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        return HfApi(endpoint=there.url, token="hf_writer")

    def test_names_blobs_as_git_does_and_every_commit_otherwise(self, api, there):
        assert git_oid(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
        assert git_oid(b"what is up, doc?") == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
        repo = there.add_space("org/commits")
        assert len({repo.commit("the same", repo.last.files).sha for _ in range(3)}) == 3
        assert api.space_info("org/commits").sha == repo.last.sha

    def test_lists_folders_as_the_hub_does(self, api, there):
        files = {path: there.blob(b"x") for path in ("a.py", "b/c.py", "b/d/e.py")}
        there.add_space("org/tree").commit("files", files)
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
