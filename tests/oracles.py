"""Slow and plain definitions that counts and tokenizers are held against, and adapters of the references."""

import math
import re
import unicodedata
from collections import Counter
from functools import cache
from itertools import chain, combinations, pairwise

from tercet.corpus.reading import read_batch
from tercet.corpus.tokenizers import tokenize
from tercet.engine.character_kinds import UNSPACED


# --- n-grams: Papineni et al. 2002, BLEU, section 2.1; Lin 2004, ROUGE, section 2
def ngrams(tokens, order):
    return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))


def clipped_matches(text, references, order):
    """Count an n-gram of the text at most as often as the reference has it that has it most often."""
    most = Counter()
    for reference in references:
        most |= ngrams(reference, order)
    return sum((ngrams(text, order) & most).values())


# --- skip-bigrams: Lin 2004, section 5
def skip_bigrams(tokens, gap):
    """Return pairs of tokens in their order with at most `gap` tokens between them; any number if negative."""
    places = combinations(range(len(tokens)), 2)
    return Counter((tokens[i], tokens[j]) for i, j in places if gap < 0 or j - i - 1 <= gap)


def skip_bigram_total(length, gap):
    return sum(skip_bigrams(range(length), gap).values())


def skip_bigram_matches(text, reference, gap):
    return sum((skip_bigrams(text, gap) & skip_bigrams(reference, gap)).values())


# --- longest common subsequences: Lin 2004, section 3; Cormen et al., Introduction to Algorithms, section 15.4
def lcs_table(text, reference):
    """Return the table whose cell [i][j] is the length for the first i tokens of the reference and j of the text."""
    table = [[0] * (len(text) + 1) for _ in range(len(reference) + 1)]
    for i, wanted in enumerate(reference, 1):
        for j, token in enumerate(text, 1):
            same = token == wanted
            table[i][j] = table[i - 1][j - 1] + 1 if same else max(table[i - 1][j], table[i][j - 1])
    return table


def lcs_length(text, reference):
    return lcs_table(text, reference)[-1][-1]


def lcs_places(text, reference):
    """Return where one longest common subsequence goes through the reference.

    Among equals it is the one found from the ends: a match first; else back in the text if that alone keeps the
    length; else back in the reference.
    """
    table = lcs_table(text, reference)
    places = set()
    i, j = len(reference), len(text)
    while i and j:
        if reference[i - 1] == text[j - 1]:
            i, j = i - 1, j - 1
            places.add(i)
        elif table[i][j - 1] == table[i][j] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return places


def union_lcs_hits(text_lines, reference_lines):
    """Count the tokens hit by any line of the text, each as long as the text has one left (Lin 2004, section 3.2)."""
    left = Counter(chain.from_iterable(text_lines))
    hits = 0
    for reference in reference_lines:
        for place in sorted(set().union(*(lcs_places(text, reference) for text in text_lines))):
            if left[reference[place]] > 0:
                left[reference[place]] -= 1
                hits += 1
    return hits


# --- weighted longest common subsequences: Lin 2004, section 4, in the form of the script ROUGE-1.5.5 (sub wlcs)
def weighted_lcs_places(text, reference, worth):
    """Return where the heaviest common subsequence goes through the reference; a run of k matches weighs worth[k].

    As in the script, a match is always taken, and among equals the way back leads through the reference.
    """
    weight = [[0.0] * (len(text) + 1) for _ in range(len(reference) + 1)]
    run = [[0] * (len(text) + 1) for _ in range(len(reference) + 1)]
    for i, wanted in enumerate(reference, 1):
        for j, token in enumerate(text, 1):
            if token == wanted:
                k = run[i - 1][j - 1]
                run[i][j] = k + 1
                weight[i][j] = weight[i - 1][j - 1] + worth[k + 1] - worth[k]
            else:
                weight[i][j] = max(weight[i - 1][j], weight[i][j - 1])
    places = set()
    i, j = len(reference), len(text)
    while i and j:
        if run[i][j]:
            i, j = i - 1, j - 1
            places.add(i)
        elif weight[i - 1][j] >= weight[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return places


def weighted_lcs_hits(text_lines, reference_lines, worth):
    """Add up what the runs of hits in the lines of the reference are worth.

    A run ends where the next token is not on the path; a token that the text has no more of counts for nothing,
    and a run that it would end goes on (a property of the script).
    """
    left = Counter(chain.from_iterable(text_lines))
    total = 0.0
    for reference in reference_lines:
        places = set().union(*(weighted_lcs_places(text, reference, worth) for text in text_lines))
        run = 0
        for place in sorted(places):
            if left[reference[place]] > 0:
                left[reference[place]] -= 1
                run += 1
                if place + 1 not in places:
                    total += worth[run]
                    run = 0
    return total


# --- tokenizers
def mteval_13a(text):
    """Tokenize as NIST's mteval-v13a.pl, function tokenization (language "en")."""
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, sign in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, sign)
    text = f" {text} "
    text = re.sub(r"([{-~\[-` -&(-+:-@/])", r" \1 ", text)  # marks, other than ' , - .
    text = re.sub(r"([^0-9])([.,])", r"\1 \2 ", text)  # full stop and comma, unless behind a digit
    text = re.sub(r"([.,])([^0-9])", r" \1 \2", text)  # or unless before one
    text = re.sub(r"([0-9])(-)", r"\1 \2 ", text)  # hyphen behind a digit
    return text.split()


@cache
def _unicode_pattern():
    import regex

    unspaced, joiners = UNSPACED, r"\u200c\u200d"
    return regex.compile(
        rf"(?V1)[{unspaced}&&[\p{{L}}\p{{N}}]]\p{{M}}*"
        rf"|[[\p{{L}}\p{{M}}\p{{N}}]--[{unspaced}]][[\p{{L}}\p{{M}}\p{{N}}{joiners}]--[{unspaced}]]*"
    )


def unicode_tokens(text):
    """Split into words of letters, marks and digits; scripts written without blanks, by character."""
    return _unicode_pattern().findall(unicodedata.normalize("NFC", text))


@cache
def _sacrebleu_tokenizer(name):
    from sacrebleu.metrics.bleu import BLEU

    return BLEU(tokenize=name).tokenizer


def sacrebleu_tokens(name, text, strip=True):
    """Tokenize by sacrebleu itself: its BLEU strips the right end, calls the tokenizer, and splits at blanks."""
    return _sacrebleu_tokenizer(name)(text.rstrip() if strip else text).split()


def rouge_score_tokens(text, stemmer=None):
    from rouge_score.tokenize import tokenize

    return tokenize(text, stemmer)


# --- how to read a TokenBatch
def token_lists(batch, words):
    """Return the tokens of each document as strings."""
    tokens = [words[index] for index in batch.tokens.values]
    return [tokens[start:stop] for start, stop in pairwise(batch.tokens.offsets)]


def read(documents, tokenizer, **options):
    tokens, words = tokenize(read_batch(documents, [[] for _ in documents]), tokenizer, **options)
    return tokens, words()


def tokens_of(documents, tokenizer, **options):
    return token_lists(*read(documents, tokenizer, **options))


def line_lists(batch, words):
    """Return the lines of each document, each a list of strings."""
    tokens = [words[index] for index in batch.tokens.values]
    lines = [tokens[start:stop] for start, stop in pairwise(batch.lines.values)]
    return [lines[start:stop] for start, stop in pairwise(batch.lines.offsets)]


def corpus_streams(references):
    """References as sacrebleu takes them: one list a position, None where an item has fewer."""
    most = max(map(len, references))
    return [[texts[i] if i < len(texts) else None for texts in references] for i in range(most)]


def evaluate_bleu(predictions, references, smooth, max_order=4):
    """Compute evaluate's bleu: `compute_bleu` of tensorflow/nmt (nmt/scripts/bleu.py) on 13a without a stripped end.

    The shortest reference counts; `smooth` adds one to the matches and the n-grams of every order, unigrams too.
    """
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenize = Tokenizer13a()
    matches, possible = [0] * max_order, [0] * max_order
    reference_length = translation_length = 0
    for text, texts in zip(predictions, references, strict=True):
        tokens, lists = tokenize(text).split(), [tokenize(each).split() for each in texts]
        translation_length += len(tokens)
        reference_length += min(map(len, lists))
        for order in range(1, max_order + 1):
            grams = [Counter(zip(*(each[i:] for i in range(order)), strict=False)) for each in (tokens, *lists)]
            merged = Counter()
            for each in grams[1:]:
                merged |= each
            matches[order - 1] += sum((grams[0] & merged).values())
            possible[order - 1] += max(len(tokens) - order + 1, 0)
    more = int(smooth)
    precisions = [(m + more) / (p + more) if p + more else 0.0 for m, p in zip(matches, possible, strict=True)]
    mean = math.exp(sum(map(math.log, precisions)) / max_order) if min(precisions) > 0 else 0.0
    ratio = translation_length / reference_length
    penalty = 1.0 if ratio > 1 else math.exp(1 - 1 / ratio) if ratio else 0.0
    return {
        "bleu": mean * penalty, "precisions": precisions, "brevity_penalty": penalty, "length_ratio": ratio,
        "translation_length": translation_length, "reference_length": reference_length,
    }  # fmt: skip
