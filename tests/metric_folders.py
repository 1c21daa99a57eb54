"""A folder in the shape of mt-metrics-eval, of our own texts and seeded scores, in several languages."""

import random

#: By language pair the words of its texts.
WORDS = {
    "en-ar": ["ارتفع", "النهر", "ببطء", "بعد", "المطر", "في", "المساء", "فوق", "الجسر", "القديم"],
    "en-de": ["der", "Fluss", "steigt", "nach", "dem", "Regen", "am", "Abend", "leise", "über", "die", "Brücke"],
    "ja-zh": ["河水", "在", "雨", "后", "慢慢", "上涨", "，", "桥", "上", "没有", "人"],
}
REFERENCES = ("refA", "refB")
SYSTEMS = ("Alpha-1.5", "Beta", "Gamma.v2", "Delta", *REFERENCES)
#: What has grades: not the first reference, and not Delta.
GRADED = ("Alpha-1.5", "Beta", "Gamma.v2", "refB")
METRICS = ("All-all", "BLEU-refA", "BLEU-refB", "COMET-22-refA", "Kiwi-src", "TER-refA")
#: Segments of each document.
SIZES = (4, 1, 4, 1, 4, 1, 4, 1)
N_SEGMENTS = sum(SIZES)
#: How many items a system has at each level.
LEVELS = {"seg": N_SEGMENTS, "doc": len(SIZES), "sys": 1}


def write_folder(root, pairs=tuple(WORDS)):
    """Write a test set: ``mqm`` of three levels, some of which is missing, and ``esa``, which is complete."""
    for pair in pairs:
        rng = random.Random(pair)
        write_texts(root, pair, rng)
        for level, number in LEVELS.items():
            draw = some_penalty if level != "sys" else penalty
            write(root / f"human-scores/{pair}.mqm.{level}.score", scores(rng, GRADED, number, draw))
        write(root / f"human-scores/{pair}.esa.seg.score", scores(rng, GRADED, N_SEGMENTS, grade))
        for metric in METRICS:
            used = REFERENCES if metric == "All-all" else (metric.rpartition("-")[2],)
            scored = [name for name in SYSTEMS if name not in used]
            for level, number in LEVELS.items():
                draw = few_errors if metric == "TER-refA" else closeness
                write(root / f"metric-scores/{pair}/{metric}.{level}.score", scores(rng, scored, number, draw))


def write_texts(root, pair, rng):
    def texts():
        return [" ".join(rng.choices(WORDS[pair], k=rng.randrange(4, 9))) for _ in range(N_SEGMENTS)]

    documents = [number for number, size in enumerate(SIZES) for _ in range(size)]
    write(root / f"documents/{pair}.docs", [f"news\tdocument-{number}" for number in documents])
    write(root / f"sources/{pair}.txt", texts())
    for name in SYSTEMS:
        lines = texts()
        write(root / f"system-outputs/{pair}/{name}.txt", lines)
        if name in REFERENCES:
            write(root / f"references/{pair}.{name}.txt", lines)


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def scores(rng, systems, number, draw):
    """Return the lines of a file of scores: a block for each system."""
    return [f"{system}\t{draw(rng, system)}" for system in systems for _ in range(number)]


def penalty(rng, system):
    return -rng.choice([0, 1, 1.1, 5, 6, 25]) - SYSTEMS.index(system) / 4


def some_penalty(rng, system):
    return "None" if rng.random() < 0.2 else penalty(rng, system)


def grade(rng, _):
    return rng.randrange(101)


def few_errors(rng, _):
    return rng.randrange(4)


def closeness(rng, _):
    return round(rng.gauss(0, 1), 3)
