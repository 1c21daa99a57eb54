"""A Space's page in a real browser: the served folder, and visitors who see what it shows and click on it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import psutil
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import expect

#: In ms: a machine that is busy with other tests may stand still for longer than the 5 s of playwright.
expect.set_options(timeout=30_000)

CHROMIUM = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

#: Python reads this at its start: connections to other machines are reported, and this machine is taken for one of
#: the Internet (gradio fetches from nowhere else).
SITE = """
import ipaddress
import sys
for kind in (ipaddress.IPv4Address, ipaddress.IPv6Address):
    kind.is_private = kind.is_loopback = kind.is_reserved = property(lambda address: False)
def tell(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in ("127.0.0.1", "::1"):
        print("connected to", args[1], file=sys.stderr, flush=True)
sys.addaudithook(tell)
"""


#: gradio's plot may ask once more how wide its box is when that was taken away; no script of tercet asks.
GRADIO_PLOT = "Cannot read properties of null (reading 'offsetWidth')"

SEEN = """(box, tab) => ({
    score: box.querySelector(".tercet-score")?.textContent,
    message: box.querySelector("[role=alert]")?.textContent,
    rows: [...box.querySelectorAll("tr")].filter(row => !row.closest(".tercet-compared"))
        .map(row => [...row.cells].map(cell => cell.textContent)),
    interval: box.querySelector(".tercet-interval")?.textContent,
    systems: [...box.querySelectorAll(".tercet-compared > .scroll tbody tr")].map(row =>
        ["th bdi", ".drawn > span", ".level", ".tests", ".p"].map(part => row.querySelector(part).textContent)),
    verdict: box.querySelector(".tercet-compared > .verdict")?.textContent,
    signature: document.querySelector(`#${tab}signature textarea`)?.value,
})"""

COLOURED = """() => [...document.querySelectorAll("#picture p[dir=auto]")].map(text => [
    text.querySelector("b").textContent,
    [...text.querySelectorAll("span")].map(token => [token.textContent, token.dataset.level]),
])"""

# Backgrounds may be translucent: they are laid over each other, from the page to the text.
CONTRAST = """selector => {
    const parse = colour => { const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number); return [r, g, b, a]; };
    const over = ([r, g, b, a], below) => [r, g, b].map((part, i) => part * a + below[i] * (1 - a));
    const light = rgb => rgb.map(part => part / 255)
        .map(part => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [.2126, .7152, .0722][i], 0);
    const behind = element => element
        ? over(parse(getComputedStyle(element).backgroundColor), behind(element.parentElement)) : [255, 255, 255];
    const found = [...document.querySelectorAll(selector)].filter(each => each.textContent.trim()).map(each => {
        const below = behind(each), text = light(over(parse(getComputedStyle(each).color), below));
        const [low, high] = [text, light(below)].sort((a, b) => a - b);
        return [(high + .05) / (low + .05), each.textContent];
    });
    return found.sort((a, b) => a[0] - b[0])[0];
}"""


def chromium() -> str | None:
    """Return where Debian's browser is."""
    return shutil.which("chromium")


def alone(folder: Path) -> dict[str, str]:
    """Return the environment of a process without the package, without caches and without the Hub."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "sitecustomize.py").write_text(SITE)
    return {**os.environ, "PYTHONPATH": str(site), "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "hf")}


def workers(process: int) -> dict[int, float]:
    """Return the child processes of one that compute, and for how many seconds they have."""
    found = {}
    for each in psutil.Process(process).children():
        with suppress(psutil.NoSuchProcess):
            if "spawn_main" in " ".join(each.cmdline()):
                found[each.pid] = each.cpu_times().user
    return found


class Served:
    """The page of a folder, served on the loopback interface by a process of its own."""

    def __init__(self, folder: Path, work: Path):
        self.folder, self.environment, self._work = folder, alone(work), work
        self._log, self._told = work / "log", 0
        for attempt in range(3):  # another process may take the port before the page does
            self._start()
            try:
                self._wait_until_it_answers(90)
                return
            except BaseException:
                self.stop()
                if attempt == 2 or "Cannot find empty port" not in self.log():
                    raise

    def _start(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        own = {
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_TEMP_DIR": str(self._work / "up"),
        }
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-u", "app.py"],
                cwd=self.folder, env={**self.environment, **own}, stdout=log, stderr=log,
            )  # fmt: skip

    def _wait_until_it_answers(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                with urllib.request.urlopen(self.address, timeout=5):
                    return
            except OSError:
                if self._process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"the page does not answer:\n{self.log()}") from None
                time.sleep(0.05)

    def log(self) -> str:
        return self._log.read_text()

    def troubles(self) -> list[str]:
        """Return what ended each traceback in the log since the last time, and connections to other machines."""
        log, self._told = self.log()[self._told :], len(self.log())
        found: list[str] = re.findall(r"^Traceback.*\n(?:[ \n].*\n|\n)*(\S.*)", log, flags=re.MULTILINE)
        return found + re.findall("connected to .*", log)

    def memory(self) -> int:
        """Return the megabytes that the process holds, and those in which it computes."""
        process = psutil.Process(self._process.pid)
        return sum(each.memory_info().rss for each in (process, *process.children())) >> 20

    def seconds(self) -> float:
        """Return for how many seconds the process that serves has used a processor."""
        times = psutil.Process(self._process.pid).cpu_times()
        return times.user + times.system

    def workers(self) -> dict[int, float]:
        """Return the processes in which it computes, and for how many seconds they have."""
        return workers(self._process.pid)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Visitor:
    """Somebody with a window of a browser in front of the page."""

    def __init__(self, context, served, *, dark=False):
        self.served = served
        self.page = context.new_page()
        self.requests, self.errors = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(f"{served.address}/{'?__theme=dark' if dark else ''}")
        self.find = self.page.locator
        expect(self.find("#compute")).to_be_visible()

    def _dialog(self, dialog):
        self.errors.append(f"a dialog says {dialog.message}")
        dialog.dismiss()

    def troubles(self) -> list[str]:
        """Return the errors of the console, dialogs, and requests to other machines."""
        near = (f"{self.served.address}/", "data:", f"blob:{self.served.address}/")
        return [error for error in self.errors if error != GRADIO_PLOT] + [
            url for url in self.requests if not url.startswith(near)
        ]

    def until(self, check, seconds=90):
        """Return what a check returns, as soon as it holds; the first score waits for what is imported."""
        end = time.monotonic() + seconds
        while True:
            try:
                return check()
            except AssertionError:
                if time.monotonic() > end:
                    raise
            self.page.wait_for_timeout(25)

    def open(self, tab: str) -> None:
        self.page.get_by_role("tab", name=tab).click()

    def give(self, prediction: str, references: str) -> None:
        self.find("#prediction textarea").fill(prediction)
        if self.find("#references").is_visible():  # a metric may take none
            self.find("#references textarea").fill(references)

    def compute(self) -> None:
        self.find("#compute").click()

    def upload(self, path: Path) -> None:
        """Give a file, in the place of the one before."""
        self.open("File")
        clear = self.find("#file-input").get_by_role("button", name="Clear")
        if clear.is_visible():
            clear.click()
        self.find("#file-input input[type=file]").set_input_files(path)

    def compute_file(self) -> None:
        self.find("#compute-file").click()

    def open_options(self) -> None:
        """Unfold the options, if need be."""
        form = self.find("#options .form")
        if not form.is_visible():
            self.find("#options").get_by_role("button", name="Options").first.click()
        expect(form).to_be_visible()

    def set(self, options) -> None:
        """Click on options, or write them, until they have these values."""
        self.open_options()
        for name, value in options.items():
            box = self.find(f"#option-{name}")
            if isinstance(value, bool):
                box.get_by_role("checkbox").set_checked(value)
            elif box.get_by_role("combobox").count():
                self.choose(f"#option-{name}", value)
            else:
                box.locator("input, textarea").fill(str(value))
                box.locator("input, textarea").blur()

    def choose(self, box: str, labels) -> None:
        """Choose from a menu; a list from one that takes several."""
        if box.startswith("#option-"):
            self.open_options()
        several = isinstance(labels, (list, tuple))
        if several and self.find(f"{box} .remove-all").is_visible():
            self.find(f"{box} .remove-all").click()
        menu = self.find(f"{box} input")
        for label in labels if several else [labels]:
            self._choose_one(menu, str(label))
        menu.blur()

    def _choose_one(self, menu, label: str) -> None:
        """Click on a choice; in a menu opened again if the page moved: one that is open does not move along."""
        for timeout in (5_000, None):
            menu.click()
            choices = self.find(f"#{menu.get_attribute('aria-controls')}")
            try:
                choices.get_by_role("option", name=label, exact=True).click(timeout=timeout)
            except PlaywrightTimeoutError:
                if timeout is None:
                    raise
                menu.blur()
            else:
                return

    def chosen(self, box: str) -> list[str]:
        return [text.strip() for text in self.find(f"{box} .token").all_text_contents()]

    def seen(self, tab: str = "") -> dict:
        """Return what stands under the button: the score, the rows of the table, the signature, the message."""
        part = f"{tab}-" if tab else ""
        return self.find(f"#{part}result").evaluate(SEEN, part)  # which waits while gradio draws it again

    def coloured(self) -> list[tuple[str, list]]:
        """Return the texts of the picture: their names, and their tokens with the levels of their colours."""
        return [(name, [tuple(token) for token in tokens]) for name, tokens in self.page.evaluate(COLOURED)]

    def code(self, tab: str = "text") -> str:
        """Return the program under "Code for this", which is opened if need be."""
        box = self._open_code(tab)
        expect(box.locator(".cm-content")).to_contain_text("print(result")
        return "\n".join(box.locator(".cm-line").all_text_contents())

    def program(self, tab: str = "text") -> str:
        """Return the same as its file has it: of a long program the box draws only the lines that can be seen."""
        self._open_code(tab)
        return self.download(f"#code-of-{tab} a[download]")

    def _open_code(self, tab: str):
        box = self.find(f"#code-of-{tab}")
        shown = box.locator(".cm-content")

        def opened():
            if not shown.is_visible():
                box.get_by_role("button", name="Code for this").click()
            expect(shown).to_be_visible(timeout=5_000)

        self.until(opened)  # a click is lost where the page is drawn anew just then
        return box

    def download(self, button: str) -> str:
        with self.page.expect_download() as download:
            self.find(button).click()
        return Path(download.value.path()).read_text(encoding="utf-8")

    def width(self) -> int:
        """Return how wide the page is: more than the window, and it must be moved to be read."""
        return self.page.evaluate("document.documentElement.scrollWidth")

    def least_contrast(self, selector: str) -> tuple[float, str]:
        """Return the least contrast of text to what is behind it (WCAG 2), and the text."""
        return tuple(self.page.evaluate(CONTRAST, selector))
