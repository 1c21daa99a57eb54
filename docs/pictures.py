"""Draw the pictures of reports and of a terminal again: `python docs/pictures.py`, in half a minute, with chromium.

A picture NAME.png has a NAME_phone.png beside it, made in a window of 390 pixels, which the site shows on phones; and
may have a NAME_dark.png and a NAME_dark_phone.png, which it shows in dark mode.
"""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).resolve().parent
DATA = DOCS.parent / "examples" / "data"
#: The file that is compared, made of one of the examples, and the names of its systems there.
FILE, NAMES = "es-en.tsv", ("small", "tuned", "large")
COMPARED = ["compare", FILE, "-m", "bleu", "-m", "chrf:word_order=2", "-m", "ter"]
#: With two metrics, which fit the first screen of a phone.
COMPARED_SHORTLY = COMPARED[:-2]
#: Two of the systems, by the length of the references.
SLICED = ["compare", FILE, "-s", "small", "-s", "tuned", "-m", "chrf", "--by", "length"]
#: From the heading of the slices to the end of their table.
SLICES = ('h4:has-text("Slices by")', 'h4:has-text("Slices by") ~ .scroll >> nth=0')
GRADED = [
    *("correlate", DATA / "graded.tsv", "-m", "bleu_multi", "-m", "rouge_nlws:rouge_types=rougeL,tokenizer=unicode"),
    *("-m", "jaccard_sets", "--dimension", "content"),
]
#: What shows the scores of all systems first.
SCORES = "main table.scores >> nth=0"
#: For each picture: the report, the width of the window in which it is made, and what it shows: the height from the
#: top, or from one element to another.
PICTURES = {
    "report": (COMPARED, 1180, 1500),
    "report_phone": (COMPARED, 390, 1500),
    "report_answer": (COMPARED, 640, (".answer >> nth=0", SCORES)),
    "report_answer_dark": (COMPARED, 640, (".answer >> nth=0", SCORES)),
    "report_answer_phone": (COMPARED_SHORTLY, 390, (SCORES, SCORES)),
    "report_answer_dark_phone": (COMPARED_SHORTLY, 390, (SCORES, SCORES)),
    "report_slices": (SLICED, 760, SLICES),
    "report_slices_phone": (SLICED, 390, SLICES),
    "trust": (GRADED, 1180, 1500),
    "trust_phone": (GRADED, 390, 1500),
}
#: What the terminal shows, and how many letters it has across.
IN_TERMINAL, COLUMNS = ("compare", "examples/data/es.tsv", "-m", "chrf"), 100


def main() -> None:
    """Write the pictures beside this file."""
    draw_terminal()
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        head, *rows = (DATA / "en.tsv").read_text(encoding="utf-8").split("\n")
        head = "\t".join([*head.split("\t")[: -len(NAMES)], *NAMES])
        Path(folder, FILE).write_text("\n".join([head, *rows]), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, (command, width, shown) in PICTURES.items():
            report = Path(folder, f"{command[0]}_{len(command)}.html")
            if not report.exists():
                run = [sys.executable, "-m", "tercet", *map(str, command), "--format", "html", "--out", str(report)]
                subprocess.run(run, check=True, cwd=folder)
            page = browser.new_page(
                viewport={"width": width, "height": 900},
                device_scale_factor=1 + (width < 1000),
                color_scheme="dark" if "_dark" in name else "light",
            )
            page.goto(report.as_uri())
            top, bottom = 0, shown
            if isinstance(shown, tuple):
                first, last = (page.locator(each).bounding_box() for each in shown)
                top, bottom = max(first["y"] - 12, 0), last["y"] + last["height"] + 2
            area = {"x": 0, "y": top, "width": width, "height": bottom - top}
            with Image.open(io.BytesIO(page.screenshot(full_page=True, clip=area))) as picture:
                small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
                small.save(DOCS / f"{name}.png", optimize=True)
            print(DOCS / f"{name}.png", f"{width} x {bottom - top:.0f}")
            page.close()
        browser.close()


def draw_terminal() -> None:
    """Write what a command shows in a terminal; its picture loads no font."""
    main_end, command_end = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    run = [sys.executable, "-m", "tercet", *IN_TERMINAL]
    shown = b""
    with subprocess.Popen(run, stdout=command_end, stderr=subprocess.DEVNULL, cwd=DOCS.parent, env=environment):
        os.close(command_end)
        # a terminal whose command has ended cannot be read
        with suppress(OSError):
            while part := os.read(main_end, 1 << 16):
                shown += part
    os.close(main_end)
    console = Console(record=True, width=COLUMNS, file=io.StringIO())
    console.print(Text.from_ansi(shown.decode().replace("\r\n", "\n").rstrip()))
    # Else the last line is cut.
    console.print()
    looks = re.sub(r"@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    console.save_svg(DOCS / "terminal.svg", title=" ".join(["tercet", *IN_TERMINAL]), code_format=looks)
    print(DOCS / "terminal.svg")


if __name__ == "__main__":
    main()
