"""What slow work shows in a real terminal: lines and bars that move, and are gone afterwards."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from random import Random

import pytest

from commands import TERCET
from language_models import TINY, small_model
from texts import MINILM

WORDS = ("a", "tapir", "sat", "down", "on", "the", "old", "mat", "while", "it", "hailed")
#: What stays on the terminal: which columns were taken as what.
NOTE = "note: in.tsv: systems: 'one', 'other'; references: 'ref'."
LONG = pytest.mark.long


def in_terminal(*arguments, cwd):
    """Run the command with a terminal of 120 columns as its standard error; return all that was written there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
    every_step = {**os.environ, "TQDM_MININTERVAL": "0", "TQDM_MINITERS": "1"}  # however fast the machine is
    run = [TERCET, *arguments]
    with subprocess.Popen(run, cwd=cwd, env=every_step, stdout=subprocess.DEVNULL, stderr=theirs) as running:
        os.close(theirs)
        written = b""
        try:
            while part := os.read(ours, 1 << 16):
                written += part
        except OSError:  # so Linux says that the other side was closed
            pass
        os.close(ours)
    assert running.returncode == 0, written.decode()
    return written.decode()


def left_on(screen):
    """Return what stays on a terminal in which this was written, without colours."""
    lines, row, column = [""], 0, 0
    for sign in re.findall(r"\x1b\[A|\x1b\[[0-9;?]*[a-zA-Z]|.|\n", screen, re.DOTALL):
        if sign == "\r":
            column = 0
        elif sign == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif sign == "\x1b[A":
            row -= 1
        elif not sign.startswith("\x1b"):
            line = lines[row].ljust(column)
            lines[row], column = line[:column] + sign + line[column + 1 :], column + 1
    return "\n".join(line.rstrip() for line in lines).strip()


@pytest.fixture
def table(tmp_path):
    write(tmp_path / "in.tsv", 40)
    return tmp_path


def write(path, n_rows):
    draw = Random(7)
    rows = ["\t".join(" ".join(draw.choices(WORDS, k=9)) for _ in range(3)) for _ in range(n_rows)]
    path.write_text("\n".join(["ref\tone\tother", *rows]), encoding="utf-8")


def counts(screen, bar):
    """Return how far a bar has come each time that it was drawn, and what it says of its speed at last."""
    drawn = re.findall(rf"{bar}: +\d+%\|[^|]*\| (\d+)/\d+ \w+(?: figures)? \[\d\d:\d\d<([^\]]*)\]", screen)
    return [int(number) for number, _ in drawn], drawn[-1][1]


# In another process; small_model imports torch only where the model is not in build already.
@pytest.mark.needs("torch")
@pytest.mark.parametrize(
    ("metric", "loading", "bar"),
    [
        (f"bertscore:model_type={MINILM},num_layers=5,batch_size=2", "the encoder model", "encoding"),
        pytest.param(f"cosine:model_type={MINILM},batch_size=2", "the encoder model", "encoding", marks=LONG),
        pytest.param(f"perplexity:model_id={TINY},batch_size=1", "the language model gpt2", "reading", marks=LONG),
    ],
    ids=["bertscore", "cosine", "perplexity"],
)  # fmt: skip
def test_a_network_says_that_it_is_loaded_and_counts_texts_from_0(table, metric, loading, bar):
    small_model("gpt2")
    screen = in_terminal("score", "in.tsv", "-m", metric, cwd=table)
    name = {"bertscore": "bertscore_idf", "cosine": "embedding_cosine"}.get(metric.partition(":")[0], "perplexity_lm")
    assert (
        screen.index(f"metric 1 of 1, {name}: scores")
        < screen.index(f"loading {loading}")
        < screen.index(f"{bar}:   0%")
    )
    numbers, speed = counts(screen, bar)
    assert numbers[0] == 0
    assert len(set(numbers)) > 1
    assert re.fullmatch(r"[\d:]+, +[\d.]+ texts/s", speed)
    assert "None" not in screen
    assert left_on(screen) == NOTE


def test_tests_count_resamples(tmp_path):
    write(tmp_path / "in.tsv", 3000)
    screen = in_terminal("compare", "in.tsv", "-m", "chrf", "-m", "bleu", "--n-resamples", "200000", cwd=tmp_path)
    assert "metric 2 of 2, bleu_multi: permutation test and intervals" in screen
    numbers, speed = counts(screen, "resampling")
    assert len(set(numbers)) > 2
    assert max(numbers) > 10_000
    assert speed.endswith("resamples/s")
    assert left_on(screen) == NOTE


def test_correlate_counts_the_resamples_of_its_figures_and_its_permutations(table):
    draw = Random(7)
    rows = (table / "in.tsv").read_text(encoding="utf-8").splitlines()
    graded = [
        rows[0] + "\tone.content\tother.content",
        *(f"{row}\t{draw.random()}\t{draw.random()}" for row in rows[1:]),
    ]
    (table / "graded.tsv").write_text("\n".join(graded), encoding="utf-8")
    screen = in_terminal(
        "correlate", "graded.tsv", "-m", "chrf", "-m", "bleu", "--rank-by", "item.darr", "--n-permutations", "20000",
        "--n-resamples", "100000", cwd=table,
    )  # fmt: skip
    assert "dimension 1 of 1, content: agreement, intervals and tests" in screen
    assert len(set(counts(screen, "intervals")[0])) > 1
    assert len(set(counts(screen, "testing")[0])) > 1
    assert "intervals:" not in left_on(screen)


def test_without_a_terminal_and_if_quiet_nothing_is_shown(table):
    assert in_terminal("score", "in.tsv", "-m", "chrf", "--quiet", cwd=table).strip() == NOTE
    assert "metric 1 of 1, chrf_multi" in in_terminal("score", "in.tsv", "-m", "chrf", cwd=table)
    run = subprocess.run([TERCET, "score", "in.tsv", "-m", "chrf"], cwd=table, capture_output=True, check=True)
    assert run.stderr.decode().strip() == NOTE


@pytest.mark.needs("ray")
@LONG
def test_ray_counts_its_tasks(tmp_path):
    for number in range(400):
        # Equal texts would be drawn together, as one item.
        lines = [f'{{"mt": "tapir {number} {k} sat", "ref": "tapir {number} {k} sat down"}}\n' for k in range(9)]
        (tmp_path / f"{number}.jsonl").write_text("".join(lines))
    screen = in_terminal("score", "--engine", "ray", ".", "-m", "bleu", "-m", "chrf", cwd=tmp_path)
    numbers, speed = counts(screen, "scoring")
    assert len(set(numbers)) > 1
    assert speed.endswith("tasks/s")
    assert left_on(screen) == ""
