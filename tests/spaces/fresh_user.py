"""Somebody who installed a Space's requirements and nothing else: test_fresh_venvs.py runs this file there.

``python fresh_user.py FOLDER NAME PORT`` loads the metric from the folder and by its name on the Hub, starts
its page, scores every case in these ways, and prints the results as JSON.
"""

import json
import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

import evaluate
from gradio_client import Client


def main(folder, name, port):
    """Print what the loaded metric and the page give for each case."""
    cases = runpy.run_path(str(folder / "cases.py"))["CASES"]
    metric, named = evaluate.load(str(folder)), evaluate.load(name)
    environment = {**os.environ, "GRADIO_SERVER_PORT": port, "GRADIO_ANALYTICS_ENABLED": "False"}
    page = subprocess.Popen([sys.executable, str(folder / "app.py")], env=environment, stdout=subprocess.DEVNULL)
    try:
        loaded, by_name = (
            [each.compute(**texts_of(case), **case["options"]).to_dict(full=True) for case in cases]
            for each in (metric, named)
        )
        client = reached(page, f"http://127.0.0.1:{port}/")
        answered = [client.predict(**texts_of(case), options=case["options"], api_name="/compute") for case in cases]
        print(json.dumps({"loaded": loaded, "by name": by_name, "answered": answered}))
    finally:
        page.terminate()
        page.wait(30)


def texts_of(case):
    """Return what a case scores: predictions, and lists of references where the metric takes them."""
    lists = [[texts] if isinstance(texts, str) else list(texts) for texts in case.get("references", [])]
    return {"predictions": case["predictions"], **({"references": lists} if lists else {})}


def reached(page, address):
    """Return a client of the page, once it is there."""
    for _ in range(240):
        try:
            return Client(address, verbose=False)
        except Exception:
            if page.poll() is not None:
                raise
            time.sleep(0.5)
    raise TimeoutError(address)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
