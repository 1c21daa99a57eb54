"""The file in which what a model wrote at each checkpoint is kept, and read back when a run is resumed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from .checkpoint_comparison import Checkpoint

#: Where the texts are kept, in the output folder of the Trainer.
FILE = "checkpoints.jsonl"
#: The name of a checkpoint's column: the step, and the number of the look after it.
_NAME = re.compile(r"step (\d+)(?: \((\d+)\))?")


def write_checkpoints(
    path: Path, checkpoints: Sequence[Checkpoint], prompts: Sequence[Any], references: Sequence[list[str]] | None
) -> None:
    """Write the texts of all checkpoints for these prompts, in one step: a run may end at any time."""
    lines = []
    for item, prompt in enumerate(prompts):
        entry: dict[str, Any] = {"source": prompt_text(prompt)}
        if references is not None:
            entry["references"] = references[item]
        for checkpoint in checkpoints:
            entry[checkpoint.name] = checkpoint.texts[item]
        lines.append(json.dumps(entry, ensure_ascii=False))
    new = path.with_suffix(".new")
    new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="surrogatepass")
    new.replace(path)


def set_aside(path: Path) -> None:
    """Rename the file of an earlier run, if there is one, beside the file of this one."""
    if not path.exists():
        return
    free_path = path
    numbers = count(1)
    while free_path.exists():
        free_path = path.with_name(f"checkpoints-{next(numbers)}.jsonl")
    path.replace(free_path)


class WrittenColumn(NamedTuple):
    """What a model wrote after a step, and the number of the look."""

    step: int
    number: int
    texts: list[str]


def read_checkpoints(path: Path, prompts: Sequence[Any]) -> list[WrittenColumn]:
    """Return the checkpoints in the file of a run; none where its prompts are others, or a text is not there."""
    if not path.is_file():
        return []
    try:
        # Not by splitlines: texts may hold other line ends, such as U+2028.
        lines = path.read_bytes().decode("utf-8", "surrogatepass").split("\n")
        rows = [json.loads(line) for line in lines if line]
    except ValueError:
        return []
    if not rows or not all(isinstance(row, dict) for row in rows):
        return []
    if [row.get("source") for row in rows] != [prompt_text(prompt) for prompt in prompts[: len(rows)]]:
        return []
    columns = []
    for name in rows[0]:
        match = _NAME.fullmatch(name)
        if match is not None:
            number = int(match[2] or 1)
            texts = [row.get(name) for row in rows]
            if not all(isinstance(text, str) for text in texts):
                return []
            columns.append(WrittenColumn(int(match[1]), number, texts))
    return columns


def prompt_text(prompt: Any) -> str:
    """Return a prompt as a text: of a conversation, the messages."""
    if isinstance(prompt, str):
        return prompt
    return "\n".join(f"{message.get('role', '')}: {message.get('content', '')}" for message in prompt)
