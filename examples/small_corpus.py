"""A corpus of made-up words in six scripts, as an Arrow table: what the examples score when no file is given."""

import sys
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

SCRIPTS = ("aeioklmnst", "абвгдеклмн", "αβγδεικλμν", "אבגדהוזחטי", "अआइईउऊकखगघ", "人口手山水火木金土日")


def small_corpus(n_items=3000, seed=1):
    """Return a table of ids, predictions, and one to three references each."""
    random = Random(seed)
    predictions, references = [], []
    for item in range(n_items):
        letters = SCRIPTS[item % len(SCRIPTS)]
        words = ["".join(random.choices(letters, k=2)) for _ in range(random.randint(5, 20))]
        predictions.append(" ".join(words))
        others = [[random.choice(words) if random.random() < 0.2 else word for word in words] for _ in range(3)]
        references.append([" ".join(other) for other in others[: random.randint(1, 3)]])
    return pa.table({"id": range(n_items), "prediction": predictions, "references": references})


def corpus_file(folder):
    """Return the Parquet file that was given as argument, or write the small corpus as one."""
    if len(sys.argv) > 1:
        return sys.argv[1]
    pq.write_table(small_corpus(), path := f"{folder}/corpus.parquet", row_group_size=500)
    return path
