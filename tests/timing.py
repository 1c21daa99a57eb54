"""What each test costs: ``--times FILE`` writes it, and ``--after FILE`` runs what did not pass in the run of a file.

``python tests/timing.py STEPS FILES``: the ten slowest steps and tests of a run of CI, and which passed in no run.
"""

import json
import os
import sys
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--times", type=Path, metavar="FILE", help="write the seconds of every test to FILE, as JSON")
    parser.addoption("--after", type=Path, metavar="FILE", help="leave out what passed in the run that wrote FILE")


def pytest_configure(config):
    if config.option.times:
        config.pluginmanager.register(Times(config.option.times))


def pytest_collection_modifyitems(config, items):
    if config.option.after:
        try:
            earlier = json.loads(config.option.after.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise pytest.UsageError(f"--after needs what --times wrote in an earlier run: {error}") from None
        passed = {item for item in items if earlier.get(item.nodeid, {}).get("outcome") == "passed"}
        items[:] = [item for item in items if item not in passed]
        config.hook.pytest_deselected(items=[*passed])


def processor_seconds() -> float:
    """Return those of this process, and of the processes that it started and that have ended."""
    return sum(os.times()[:4])


class Times:
    """Fixtures are counted with the test that first asks for them."""

    def __init__(self, path):
        self.path, self.tests, self.last = path.absolute(), {}, processor_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self):
        """A report goes from the process that ran a phase of a test to the one that gathers all reports."""
        report = yield
        now = processor_seconds()
        report.processor, self.last = now - self.last, now
        return report

    def pytest_collectreport(self, report):
        if report.skipped:  # a file whose import found that something is missing
            self.tests[report.nodeid] = {"processor": 0.0, "wall": 0.0, "outcome": "skipped"}

    def pytest_runtest_logreport(self, report):
        test = self.tests.setdefault(report.nodeid, {"processor": 0.0, "wall": 0.0, "outcome": "passed"})
        # That of a process which crashed has no processor time.
        test["processor"] = round(test["processor"] + getattr(report, "processor", 0.0), 3)
        test["wall"] = round(test["wall"] + report.duration, 3)
        if report.outcome not in ("passed", "rerun"):
            test["outcome"] = report.outcome

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(self.tests, indent=1), encoding="utf-8")


def print_slowest(what: str, costs: dict, most: int = 10) -> None:
    """Print what took the longest."""
    total = sum(cost["wall"] for cost in costs.values())
    print(f"{len(costs):,} {what}, {total / 60:.1f} minutes in total. The slowest, in seconds:")
    for name, cost in sorted(costs.items(), key=lambda item: -item[1]["wall"])[:most]:
        print(f"{cost['wall']:8.1f}  (processor {cost['processor']:.1f})  {name}")


def passed_in_no_run(runs: list[dict]) -> list[str]:
    """Return the tests that failed or were skipped wherever they were collected, and such files of tests."""
    passed = {name for run in runs for name, cost in run.items() if cost["outcome"] == "passed"}
    passed |= {name.partition("::")[0] for name in passed}
    return sorted({name for run in runs for name in run} - passed)


if __name__ == "__main__":
    steps, *runs = [json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:]]
    print_slowest("steps", steps)
    print_slowest("tests", {name: cost for run in runs for name, cost in run.items()})
    if missed := passed_in_no_run(runs):
        sys.exit("Passed in no run:\n" + "\n".join(missed))
