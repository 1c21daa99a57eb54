"""Documentation of diversity besides its options."""

from __future__ import annotations

from tercet.metric.metric import About

ABOUT = About(
    compares="what the texts of a set repeat of each other",
    description="""\
Diversity says how much the texts of a set differ, such as what a model writes for one prompt: no references are
needed. One call gives self-BLEU, distinct-n, the moving-average type-token ratio (MATTR), repetition within texts
(rep-n), the compression ratio, and on request the mean chrF of all pairs. More diverse texts have higher distinct-n
and MATTR, and lower values of all others. A list of texts is one set; of a list of lists, each is a set of its own,
and the score is the mean of the sets.
""",
    citation="""\
@inproceedings{zhu-etal-2018-texygen,
    title = "Texygen: A Benchmarking Platform for Text Generation Models",
    author = "Zhu, Yaoming and Lu, Sidi and Zheng, Lei and Guo, Jiaxian and Zhang, Weinan and Wang, Jun and Yu, Yong",
    booktitle = "The 41st International ACM SIGIR Conference on Research and Development in Information Retrieval",
    year = "2018",
    pages = "1097--1100",
}
@inproceedings{li-etal-2016-diversity,
    title = "A Diversity-Promoting Objective Function for Neural Conversation Models",
    author = "Li, Jiwei and Galley, Michel and Brockett, Chris and Gao, Jianfeng and Dolan, Bill",
    booktitle = "Proceedings of the 2016 Conference of the North American Chapter of the Association for Computational
        Linguistics: Human Language Technologies",
    year = "2016",
    url = "https://aclanthology.org/N16-1014",
    pages = "110--119",
}
@article{covington-mcfall-2010-mattr,
    title = "Cutting the Gordian Knot: The Moving-Average Type-Token Ratio (MATTR)",
    author = "Covington, Michael A. and McFall, Joe D.",
    journal = "Journal of Quantitative Linguistics",
    volume = "17",
    number = "2",
    pages = "94--100",
    year = "2010",
}
@inproceedings{welleck-etal-2020-unlikelihood,
    title = "Neural Text Generation With Unlikelihood Training",
    author = "Welleck, Sean and Kulikov, Ilia and Roller, Stephen and Dinan, Emily and Cho, Kyunghyun and Weston,
        Jason",
    booktitle = "International Conference on Learning Representations",
    year = "2020",
    url = "https://openreview.net/forum?id=SJeYe0NtvH",
}
@misc{shaib-etal-2024-standardizing,
    title = "Standardizing the Measurement of Text Diversity: A Tool and a Comparative Analysis of Scores",
    author = "Shaib, Chantal and Barrow, Joe and Sun, Jiuding and Siu, Alexa F. and Wallace, Byron C. and Nenkova,
        Ani",
    year = "2024",
    eprint = "2403.00553",
    archivePrefix = "arXiv",
}
""",
    urls=(
        "https://arxiv.org/abs/1802.01886",
        "https://aclanthology.org/N16-1014",
        "https://openreview.net/forum?id=SJeYe0NtvH",
        "https://arxiv.org/abs/2403.00553",
    ),
    inputs="""\
predictions (`list` of `str` or of `list` of `str`): the texts of one set, or a list of texts for each set.
references (optional): ignored; accepted so that several metrics can share a call.
""",
    returns="""\
self_bleu, distinct_1 to distinct_4, mattr, rep_1 to rep_4, compression_ratio, on request pairwise_chrf (`float`), and
on request segments, intervals and signature: of texts, or of sets.
Attributes of the dict: signature (`str`), n_segments, empty_predictions, missing_references (`int`).
""",
    example="""\
>>> import tercet
>>> diversity = tercet.load("diversity")
>>> result = diversity.compute(predictions=["the cat sat", "the cat ran", "a dog barked"])
>>> round(result["distinct_1"], 3), round(result["self_bleu"], 3)
(0.778, 0.367)
""",
)
