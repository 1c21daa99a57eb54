"""Somebody who has evaluate and not this package: test_hub.py runs this file as a process of its own.

``python hub_user.py STEP ORG/NAME GIVEN`` prints as JSON what the step finds; GIVEN is a JSON object.
"""

import inspect
import json
import logging
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


class NotHere:
    """Refuse to import the package that the Space must not need."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "tercet":
            raise ImportError("the package is not here")


sys.meta_path.insert(0, NotHere())

import evaluate  # noqa: E402
from evaluate import loading  # noqa: E402


def refused(call):
    """Return what a call ends with."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def loaded_folder(module):
    """Return where evaluate put the module's files."""
    return Path(inspect.getfile(type(module))).parent


def tour(name, given):
    """Look at the module first: what its loading imports can be seen once."""
    before = set(sys.modules)
    module = evaluate.load(name)
    imported = sorted({key.partition(".")[0] for key in set(sys.modules) - before})
    return {"imported": imported, **look(module, name, given), **score(module, name, given)}


def look(module, name, given):
    """Look at what the loader made of the files, and at what the module refuses."""
    found = {
        "class": type(module).__name__,
        "first class": loading.import_main_class(type(module).__module__).__name__,
        "files": sorted(path.name for path in loaded_folder(module).glob("*.py")),
        "schemas": len(module.features),
        "other type": refused(lambda: evaluate.load(name, module_type="comparison")),
        "empty": refused(lambda: module.compute(predictions=[], references=[])),
    }
    for case, (predictions, references) in given["bad"].items():
        bad = {"predictions": predictions, "references": references}
        found[f"{case}, computed"] = refused(lambda bad=bad: module.compute(**bad))
        found[f"{case}, added"] = refused(lambda bad=bad: module.add_batch(**bad))
    return found


def score(module, name, given):
    """Score the items in every way that evaluate has; what was refused before has left nothing behind."""
    predictions, references = given["predictions"], given["references"]
    both = {"predictions": predictions, "references": references}
    whole = module.compute(**both)
    pickled = pickle.loads(pickle.dumps(whole))
    found = {"whole": whole, "counted": [whole.n_segments, whole.empty_predictions]}
    found["pickled"] = [pickled == whole, type(whole).__name__, type(pickled).__name__]
    for prediction, texts in zip(predictions, references, strict=True):
        module.add(prediction=prediction, reference=texts)
    found["one by one"] = module.compute()
    module.add_batch(predictions=predictions[:2], references=references[:2])
    module.add_batch(predictions=predictions[2:], references=references[2:])
    found["in batches"] = module.compute()
    singles = [texts[0] for texts in references]
    found["single references"] = module.compute(predictions=predictions, references=singles)

    partner = evaluate.load(given["partner"], module_type="metric")
    for case, options in given["combined"].items():
        together = evaluate.combine([module, partner])
        found[case] = refused(lambda together=together, options=options: together.compute(**both, **options))
    with ThreadPoolExecutor(2) as pool:
        found["threads"] = list(pool.map(lambda _: evaluate.load(name).compute(**both), range(2)))
    found["configuration"] = list(evaluate.load(name, given["configuration"]).compute(**both))
    compute = module.compute_metrics(None, decode=lambda rows: rows)
    found["of a Trainer"] = compute(predictions, singles)
    return found


def share(name, given):
    """Score as one of two processes that share a folder."""
    module = evaluate.load(
        name, num_process=2, process_id=given["process"], experiment_id="both", cache_dir=given["folder"]
    )
    module.add_batch(predictions=given["predictions"], references=given["references"])
    return module.compute()


def revisions(name, given):
    """Load revisions, and say of each which version of the package its files are of."""
    heard = []
    loading.logger.addHandler(handler := logging.Handler())
    handler.emit = lambda record: heard.append(record.getMessage())
    found = []
    for revision in given["revisions"]:
        heard.clear()
        module = refused(lambda revision=revision: evaluate.load(name, revision=revision))
        if not isinstance(module, str):
            lines = (loaded_folder(module) / "signature.py").read_text().splitlines()
            module = next(line for line in lines if line.startswith("__version__"))
        found.append([module, list(heard)])
    return found


if __name__ == "__main__":
    _, step, space, json_given = sys.argv
    print(json.dumps({"tour": tour, "share": share, "revisions": revisions}[step](space, json.loads(json_given))))
