"""Several translations of each sentence were sampled: which one to keep? The one that agrees best with the others."""

import tercet

# As a model gives them at temperature 1: most are near each other, some wander off, one occurs more than once.
SAMPLES = {
    "The museum is closed on Mondays, but the garden stays open.": [
        "Das Museum ist montags geschlossen, aber der Garten bleibt geöffnet.",
        "Montags ist das Museum geschlossen, der Garten bleibt aber offen.",
        "Das Museum ist am Montag zu, doch der Garten bleibt geöffnet.",
        "Das Museum ist montags geschlossen, aber der Garten bleibt geöffnet.",
        "Das Museum hat montags geschlossen, der Garten ist jedoch geöffnet.",
        "Museen sind montags geschlossen.",
        "Der Garten des Museums ist am Montag geschlossen.",
    ],
    "She has lived by the sea since she was a child.": [
        "Vive junto al mar desde que era niña.",
        "Ella ha vivido junto al mar desde que era niña.",
        "Ha vivido cerca del mar desde niña.",
        "Ella vive al lado del mar desde que era una niña.",
        "Cuando era niña vivió en el mar.",
        "Ha vivido junto al mar desde que era pequeña.",
    ],
    "Please send the documents before Friday evening.": [
        "Пожалуйста, отправьте документы до вечера пятницы.",
        "Просьба прислать документы до вечера пятницы.",
        "Пожалуйста, пришлите документы до пятницы.",
        "Отправьте, пожалуйста, документы до вечера пятницы.",
        "Пожалуйста, отправьте документы вечером в пятницу.",
        "Документы отправлены в пятницу вечером.",
    ],
}


def show(name, found):
    print(f"{name}: {found.signature}")
    for source, choice in zip(SAMPLES, found, strict=True):
        print(f"  {source}")
        print(f"    {choice.score:6.2f}  {choice.text}")
        print(f"    {choice.score - choice.margin:6.2f}  {choice.runner_up_text}  (margin {choice.margin:.2f})")
    print()


def main():
    groups = list(SAMPLES.values())
    show("chrF", tercet.mbr(groups, "chrf"))
    show("BLEU", tercet.mbr(groups, "bleu", scale=100))

    # What the model thinks of each sample can weigh it: equal texts are given once then, each with its probability.
    last = groups[-1]
    weighted = tercet.mbr([last], "chrf", weights=[[0.08, 0.05, 0.02, 0.11, 0.3, 0.01]])[0]
    print(f"Weighted, in the last group: {weighted.text}")


if __name__ == "__main__":
    main()
