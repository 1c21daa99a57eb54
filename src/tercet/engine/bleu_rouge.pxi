# plain_rows.py defines what is computed here.
#
# What BLEU's precision and ROUGE's recall are made of, for one prediction.

cdef enum:  # how several references count in recall
    BEST_OF_EACH_ORDER, ALL_TOGETHER


cdef inline double f_of_counts(double hits, double of_text, double of_reference, double weight) noexcept nogil:
    """Return F of ROUGE-N; `weight` is that of precision."""
    return f_of_shares(hits / max(of_text, 1.0), hits / max(of_reference, 1.0), weight)


cdef int write_bleu_rouge(
    Arena* a, size_t text, size_t first, size_t last, size_t n_types, Request* q, double* row
) noexcept nogil:
    """Both lengths, matches and n-grams of the prediction, hits and n-grams of the references."""
    cdef uint32_t* of = a.token_of
    cdef int order, n = q.max_order, problem = write_bleu(a, text, first, last, n_types, q, row)
    cdef double* totals = row + 2 + n
    cdef double* hits = row + 2 + 2 * n
    cdef double* reference_totals = row + 2 + 3 * n
    cdef double n_hits, total, f, best
    cdef size_t d
    memmove(row + 2, row + 4, 16 * n)  # the shortest and the average length are not asked for
    memset(hits, 0, 16 * n)
    for d in range(first, last):
        if problem == DONE and last - first > 1:  # with one reference, the matches are the hits
            problem = count_beside(a, text, d, d + 1, n_types, q)
        if problem != DONE:
            return problem
        for order in range(n):
            n_hits, total = <double> q.counts[order], <double> max(<int64_t> (of[d + 1] - of[d]) - order, 0)
            if q.recall == ALL_TOGETHER:
                hits[order] += n_hits
                reference_totals[order] += total
                continue
            f = f_of_counts(n_hits, totals[order], total, q.weight)
            best = f_of_counts(hits[order], totals[order], reference_totals[order], q.weight)
            # Of equal ones it is the shortest, which has the greatest recall.
            if d == first or f > best or (f == best and total < reference_totals[order]):
                hits[order], reference_totals[order] = n_hits, total
    for order in range(n if q.recall == ALL_TOGETHER and last > first else 0):
        hits[order] /= <double> (last - first)
        reference_totals[order] /= <double> (last - first)
    return problem


def bleu_rouge_rows(
    texts, size_t n, reference_offsets, str reading, int max_order, double beta, bint best, size_t n_systems=1
):
    """See `plain.bleu_rouge_rows`."""
    cdef Request q
    if max_order < 1:
        raise ValueError(f"the order must be 1 or more: {max_order}")
    memset(&q, 0, sizeof(Request))
    q.what, q.reading, q.max_order, q.weight = BLEU_ROUGE_ROWS, READING_NUMBERS[reading], max_order, beta * beta
    q.recall = BEST_OF_EACH_ORDER if best else ALL_TOGETHER
    q.columns = BASE + 2 + 4 * max_order
    return filled_rows(&q, texts, n, reference_offsets, n_systems)
