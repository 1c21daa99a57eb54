"""``tercet.compat.install`` and what calls it: a command for scripts and modules, and a plugin of pytest."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import sacrebleu
from rouge_score.scoring import Score

import tercet
from tercet.compat.replaced import REPLACED

PROGRAM = Path(__file__).with_name("installed.py")
# Which names stand before these depends on what is installed.
SAID = "evaluate.load and datasets.load_metric are tercet's in this process.\n"


def python(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)], capture_output=True, text=True, **options
    )


@pytest.mark.needs("torchmetrics")
@pytest.mark.parametrize(("arguments", "left"), [
    ([], "module 'bert_score' has no attribute 'no_such_name'"),
    (["--without"], "The drop-in for bert_score has no 'no_such_name', and bert_score itself is not installed."),
])  # fmt: skip
def test_modules_are_replaced_and_the_rest_of_them_stays(arguments, left, tmp_path):
    run = python(PROGRAM, *arguments, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stderr
    keys, of_bert_score, of_rouge_score = run.stdout.splitlines()
    assert "'brevity_penalty'" in keys
    assert "'rougeLsum'" in keys
    assert of_bert_score == left
    assert of_rouge_score == left.replace("bert_score", "rouge_score.rouge_scorer")
    assert run.stderr.count("\n") == 1  # the second call of install says nothing
    assert run.stderr.endswith(SAID)


@pytest.mark.needs("torchmetrics")
def test_a_drop_in_can_be_imported_by_its_own_name_too():
    line = "import tercet.compat as c; c.install(); from tercet.compat.torchmetrics import BLEUScore as a; "
    run = python("-c", line + "from torchmetrics.text import BLEUScore as b; print(issubclass(b, a))", check=True)
    assert run.stdout == "True\n"


def test_a_script_has_its_arguments_and_its_folder(tmp_path):
    (tmp_path / "beside.py").write_text("from sacrebleu import corpus_chrf\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, beside\nprint(__name__, sys.argv[1:], beside.corpus_chrf.__wrapped__.__module__)\n"
    )
    run = python("-m", "tercet.compat", script, "--lang", "de", check=True)
    assert run.stdout == "__main__ ['--lang', 'de'] tercet.compat.sacrebleu\n"
    assert run.stderr.endswith(SAID)
    run = python("-m", "tercet.compat", "-m", "script", "de", check=True, cwd=tmp_path)
    assert run.stdout == "__main__ ['de'] tercet.compat.sacrebleu\n"


@pytest.mark.parametrize("option", ["-P", "-I"])
@pytest.mark.skipif(sys.version_info < (3, 11), reason="-P is of Python 3.11")
def test_a_script_sees_its_folder_only_where_python_shows_it(option, tmp_path):
    (tmp_path / "beside.py").touch()
    script = tmp_path / "script.py"
    script.write_text("import sys, tercet\nprint(sys.path)\nimport beside\n", encoding="utf-8")
    source = str(Path(tercet.__file__).parents[1])
    line = f"import sys, runpy; sys.path.insert(0, {source!r}); sys.argv[1:] = [{str(script)!r}]; "
    run = python(option, "-c", line + "runpy.run_module('tercet.compat', run_name='__main__')")
    assert run.stderr.endswith("ModuleNotFoundError: No module named 'beside'\n")
    assert ast.literal_eval(run.stdout)[0] == source


def test_a_finder_of_old_packages_is_left_out():
    finder = "type('Old', (), {'find_module': lambda *_: None})()"
    line = f"import sys, tercet.compat as c; sys.meta_path.insert(0, {finder}); c.install(); "
    run = python("-c", line + "import sacrebleu; print(sacrebleu.corpus_chrf.__wrapped__.__module__)", check=True)
    assert run.stdout == "tercet.compat.sacrebleu\n"


def test_a_command_is_taken_as_python_takes_it():
    command = "import sys, sacrebleu; print(__name__, sys.argv, sacrebleu.corpus_chrf.__wrapped__.__module__)"
    run = python("-m", "tercet.compat", "-c", command, "de", "-m", check=True)
    assert run.stdout == "__main__ ['-c', 'de', '-m'] tercet.compat.sacrebleu\n"


@pytest.mark.parametrize("module", ["sacrebleu", "sacrebleu.sacrebleu"])
def test_the_command_of_a_replaced_package_runs(module, tmp_path):
    (tmp_path / "references.txt").write_text("the cat sits\nein Haus am See\n我们去了\n", encoding="utf-8")
    (tmp_path / "outputs.txt").write_text("the cat sat\nein Haus am Fluss\n我们走了\n", encoding="utf-8")
    line = ["-m", module, "references.txt", "-i", "outputs.txt", "-m", "bleu", "chrf", "ter"]
    run = python("-m", "tercet.compat", *line, cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout == python(*line, cwd=tmp_path, check=True).stdout


@pytest.mark.parametrize("module", ["rouge_score.scoring", "nltk.translate.bleu_score", "sacrebleu.utils"])
def test_a_module_without_a_command_runs_to_its_end(module):
    run = python("-m", "tercet.compat", "-m", module, check=False)
    assert (run.returncode, run.stdout) == (0, ""), run.stderr


def test_a_neighbour_of_what_is_replaced_is_a_package_only_where_it_was_one():
    line = (
        "import sacrebleu.utils as a, sacrebleu.dataset as b; print(hasattr(a, '__path__'), hasattr(b, '__path__'))"
    )
    assert python("-m", "tercet.compat", "-c", line, check=True).stdout == "False True\n"


@pytest.mark.parametrize(("arguments", "code", "said"), [
    ([], 2, "usage: python -m tercet.compat SCRIPT"),
    (["--help"], 0, "usage: python -m tercet.compat SCRIPT"),
    (["-m"], 2, "usage: python -m tercet.compat SCRIPT"),
    (["-c"], 2, "python -m tercet.compat -c COMMAND"),
    (["nothing.py"], 1, "There is no file nothing.py."),
])  # fmt: skip
def test_without_a_script_it_says_how(arguments, code, said, tmp_path):
    run = python("-m", "tercet.compat", *arguments, cwd=tmp_path, check=False)
    assert run.returncode == code
    assert said in run.stdout + run.stderr


def test_tests_run_as_they_stand(tmp_path):
    (tmp_path / "test_own.py").write_text(
        "from rouge_score.rouge_scorer import RougeScorer\n\n"
        "def test_scorer():\n    assert RougeScorer.__base__.__module__ == 'tercet.compat.rouge_scorer'\n"
    )
    run = python("-m", "pytest", "-q", "-p", "tercet.compat.pytest_plugin", cwd=tmp_path, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert SAID in run.stderr


def installed(tmp_path, program, *arguments, **options):
    """Run a program, from a file, with the drop-ins installed."""
    script = tmp_path / "program.py"
    script.write_text(program, encoding="utf-8")
    return subprocess.run(
        [sys.executable, *arguments, "-m", "tercet.compat", str(script)], capture_output=True, text=True, check=False,
        timeout=300, **options,
    )  # fmt: skip


def test_a_script_has_no_future_of_ours(tmp_path):
    """Annotations are types, where the script does not ask for strings."""
    run = installed(tmp_path, """
import dataclasses
@dataclasses.dataclass
class A:
    a: int
print(dataclasses.fields(A)[0].type is int)
""")  # fmt: skip
    assert run.stdout == "True\n", run.stderr


WORKERS = """
import concurrent.futures, multiprocessing, sys
import sacrebleu
from sacrebleu import corpus_bleu

def whose(_):
    import rouge
    return [corpus_bleu.__wrapped__.__module__, sacrebleu.BLEU.__base__.__module__, rouge.Rouge.__base__.__module__]

def below(start):
    with workers(start) as pool:  # left open, it may wait for its own worker for ever as this worker ends
        return pool.submit(whose, 0).result()

def workers(start):
    return concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(start))

if __name__ == "__main__":
    for start in ("spawn", "forkserver"):
        with multiprocessing.get_context(start).Pool(1) as pool:
            print(*pool.map(whose, [0]), pool.apply(sacrebleu.sentence_chrf, ("a b", ["a c"])))
        with workers(start) as pool:
            print(pool.submit(whose, 0).result(), pool.submit(below, "spawn").result())
    import multiprocess
    with multiprocess.get_context("spawn").Pool(1) as pool:
        print(*pool.map(whose, [0]))
    from joblib import Parallel, delayed
    print(*Parallel(2)([delayed(whose)(0)]))
"""
OURS = "['tercet.compat.sacrebleu', 'tercet.compat.sacrebleu_metrics', 'tercet.compat.rouge']"


def test_workers_have_the_drop_ins(tmp_path):
    """Of multiprocessing and concurrent.futures, of multiprocess (datasets), of joblib; also workers of workers."""
    run = installed(tmp_path, WORKERS)
    assert run.returncode == 0, run.stderr
    chrf = sacrebleu.sentence_chrf("a b", ["a c"])
    of_multiprocessing = [f"{OURS} {chrf}", f"{OURS} {OURS}"] * 2
    assert run.stdout.splitlines() == [*of_multiprocessing, OURS, OURS]
    assert run.stderr.count("tercet's in this process") == 1


def test_a_worker_says_what_it_had_imported_before(tmp_path):
    run = installed(tmp_path, """
import multiprocessing
def nothing(): pass
if __name__ == "__main__":
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sacrebleu"])
    worker = context.Process(target=nothing)
    worker.start()
    worker.join()
""")  # fmt: skip
    assert "this worker had imported sacrebleu before it got the drop-ins" in run.stderr


def test_no_thread_meets_an_original(tmp_path):
    """While one thread asks stand-ins for what only the originals have, others find stand-ins alone."""
    run = installed(tmp_path, """
import importlib, sys, threading
names = ["sacrebleu", "sacrebleu.metrics", "sacrebleu.metrics.bleu", "rouge_score.scoring", "rouge"]
modules = list(map(importlib.import_module, names))
start, done, met = threading.Barrier(3), threading.Event(), set()

def look():
    start.wait()
    while not done.is_set():
        met.update(type(sys.modules.get(name)).__name__ for name in names)

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=look) for _ in range(2)]
for thread in threads:
    thread.start()
start.wait()
for module in modules:
    assert not hasattr(module, "no_such_name")  # which loads the original
assert sys.modules["sacrebleu"].smart_open.__module__ == "sacrebleu.utils"
done.set()
for thread in threads:
    thread.join()
print(met)
""")  # fmt: skip
    assert run.stdout == "{'_StandIn'}\n", run.stderr


def test_threads_load_originals_once_and_do_not_wait_in_a_circle(tmp_path):
    run = installed(tmp_path, """
import importlib, sys, threading
start, found = threading.Barrier(8), []

def ask(number):
    start.wait()
    import sacrebleu
    importlib.import_module(f"sacrebleu.{['dataset', 'metrics', 'significance', 'utils'][number % 4]}")
    found.append((sacrebleu.smart_open, sacrebleu.metrics.bleu.extract_all_word_ngrams))

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), len(set(found)))
""")  # fmt: skip
    assert run.stdout == "8 1\n", run.stderr


@pytest.mark.parametrize("name", [
    *(name for name in REPLACED if not name.startswith(("bert_score", "torchmetrics"))),
    pytest.param("bert_score", marks=pytest.mark.needs("bert_score")),
    *(pytest.param(f"torchmetrics.text{file}", marks=pytest.mark.needs("torchmetrics")) for file in ("", ".bert")),
])  # fmt: skip
def test_an_original_loads_where_only_its_own_module_was_imported(name, tmp_path):
    """In threads too: the name that nothing has is asked of the original."""
    run = installed(tmp_path, f"""
import {name} as module
import sys, threading
start, said = threading.Barrier(6), []

def ask():
    start.wait()
    try:
        module.no_such_name
    except Exception as error:
        said.append(str(error))

sys.setswitchinterval(1e-6)
threads = [threading.Thread(target=ask) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*said, type(module).__name__, "dir" if dir(module) else "", sep="; ")
""")  # fmt: skip
    no_such = f"module '{name}' has no attribute 'no_such_name'"
    assert run.stdout == "; ".join([*[no_such] * 6, "_StandIn", "dir\n"]), run.stderr


def test_an_original_sees_originals_whatever_the_program_imported_first(tmp_path):
    run = installed(tmp_path, """
from rouge_score import scoring, tokenizers, rouge_scorer
original = rouge_scorer._create_ngrams.__globals__
print([type(original[name]).__name__ for name in ("scoring", "tokenizers")], type(scoring).__name__)
import rouge_score
print(rouge_score.scoring is scoring)
""")  # fmt: skip
    assert run.stdout == "['module', 'module'] _StandIn\nTrue\n", run.stderr


def test_uninstall_puts_the_originals_back():
    program = """
import multiprocessing.spawn, sacrebleu, evaluate, datasets, tercet.compat
before, load, prepare = sacrebleu, evaluate.load, multiprocessing.spawn.get_preparation_data
tercet.compat.install()
import sacrebleu, rouge, rouge_score.scoring, nltk.translate
from sacrebleu.metrics import BLEU
assert evaluate.load is not load and hasattr(datasets, "load_metric") and sacrebleu.smart_open
tercet.compat.uninstall()
tercet.compat.uninstall()  # does nothing more
import sys, sacrebleu, rouge, rouge_score.scoring, nltk
assert sacrebleu is before and sacrebleu.metrics.BLEU.__module__ == "sacrebleu.metrics.bleu"
assert "tercet" not in repr([type(sys.modules[name]) for name in ("sacrebleu.metrics", "rouge", "rouge_score")])
originals = [rouge.Rouge, rouge_score.scoring.Score, sacrebleu.BLEU, nltk.translate.bleu]
assert not [each for each in originals if "/tercet/" in sys.modules[each.__module__].__file__], originals
assert evaluate.load is load and not hasattr(datasets, "load_metric")
assert multiprocessing.spawn.get_preparation_data is prepare
assert BLEU.__base__.__module__ == "tercet.compat.sacrebleu_metrics"  # a name keeps its meaning
tercet.compat.install()
import sacrebleu
assert sacrebleu.BLEU is BLEU
"""
    run = python("-c", program, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count(SAID) == 2


def test_a_version_that_was_not_tried_is_left_alone():
    program = """
from tercet.compat import installing, replaced
replaced.TRIED["sacrebleu"] = ("1.0", "1.5.1")
installing.install()
import sacrebleu, rouge
print(sacrebleu.BLEU.__base__.__module__, rouge.Rouge.__base__.__module__)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "sacrebleu.metrics.base tercet.compat.rouge\n"
    assert f"leaves sacrebleu {sacrebleu.__version__} alone, which was not tried" in run.stderr
    assert "Tried: 1.0 to 1.5.1." in run.stderr
    assert " sacrebleu," not in run.stderr.splitlines()[-1]


REFUSED = """
import sacrebleu
from nltk.translate.bleu_score import corpus_bleu
HYPS, GOLDS = ["the cat sat", "a dog", "ein Haus"], ["the cat sits", "a dog", "das Haus"]
LISTS = [[gold] for gold in GOLDS]
chrf = sacrebleu.CHRF(word_order=2)
print(chrf.corpus_score(HYPS, GOLDS), chrf.get_signature())       # lighteval
print(sacrebleu.TER().corpus_score(HYPS, GOLDS))                  # lighteval
print(sacrebleu.corpus_bleu(HYPS, LISTS), sacrebleu.corpus_bleu(HYPS, LISTS, lowercase=True))  # ragas
bleu = sacrebleu.BLEU(tokenize="char")
bleu.lowercase = True
print(bleu.corpus_score(HYPS, LISTS), bleu.get_signature())
print(sacrebleu.BLEU(lowercase="yes").corpus_score(["A"], [["a"]]))
print(corpus_bleu([["a cat", ["a", "cat"]]], [["a", "cat"]], (1,)))
"""


@pytest.mark.filterwarnings("ignore")
def test_what_is_refused_is_scored_by_the_original(tmp_path):
    """Calls of lighteval and ragas run; a warning names each function once, and why."""
    run = installed(tmp_path, REFUSED)
    assert run.returncode == 0, run.stderr
    original = python("-c", REFUSED, check=True)
    assert run.stdout == original.stdout
    warned = [line.split("Warning: ")[1] for line in run.stderr.splitlines() if "the original scores it" in line]
    assert [line.partition(":")[0] for line in warned] == [
        "sacrebleu.metrics.chrf.CHRF.corpus_score", "sacrebleu.metrics.ter.TER.corpus_score", "sacrebleu.corpus_bleu",
        "sacrebleu.metrics.bleu.BLEU.corpus_score", "sacrebleu.metrics.bleu.BLEU",
        "nltk.translate.bleu_score.corpus_bleu",
    ]  # fmt: skip
    assert "the references look transposed" in warned[2]


ROUGE_REFUSED = """
from rouge_score import rouge_scorer
print(rouge_scorer._create_ngrams(["a", "b"], 1))
for types, target in ((["rougeX"], "a b"), (["rouge1"], None), (["rouge1", "rougeL"], b"a b")):
    try:
        print(rouge_scorer.RougeScorer(types).score(target, "b"))
    except Exception as error:
        print(type(error).__name__, error)
"""


def test_rouge_score_refuses_in_its_own_words(tmp_path):
    """Where a program imports ``rouge_scorer`` alone."""
    run = installed(tmp_path, ROUGE_REFUSED)
    assert run.returncode == 0, run.stderr
    assert run.stdout == python("-c", ROUGE_REFUSED, check=True).stdout
    assert "ValueError Invalid rouge type: rougeX" in run.stdout


def test_a_drop_in_by_its_own_name_goes_on_refusing(tmp_path):
    run = installed(tmp_path, """
from tercet.compat import sacrebleu
from tercet.errors import InputError
try:
    sacrebleu.corpus_chrf(["a", "b", "c"], [["a"], ["b"], ["c"]])
except InputError as error:
    print(error)
""")  # fmt: skip
    assert run.stdout.startswith("CHRF: the references look transposed")


def test_results_pickled_there_load_where_tercet_is_not(tmp_path):
    file = tmp_path / "scores"
    run = installed(tmp_path, f"""
import pickle, sacrebleu
from rouge_score.rouge_scorer import RougeScorer
scores = [sacrebleu.corpus_bleu(["a b"], [["a c"]]), sacrebleu.sentence_ter("a b", ["a c"])]
scores += [sacrebleu.sentence_chrf("a b", ["a c"]), RougeScorer(["rouge1"]).score("a b", "a c")["rouge1"]]
pickle.dump(scores, open({str(file)!r}, "wb"))
""")  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert b"tercet" not in file.read_bytes()
    bleu, ter, chrf, rouge = pickle.loads(file.read_bytes())
    assert vars(bleu) == vars(sacrebleu.corpus_bleu(["a b"], [["a c"]]))
    assert type(bleu) is sacrebleu.metrics.bleu.BLEUScore
    assert [str(ter), str(chrf)] == ["TER = 50.00", str(sacrebleu.sentence_chrf("a b", ["a c"]))]
    assert rouge == Score(0.5, 0.5, 0.5)
