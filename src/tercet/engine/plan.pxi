# Plans: what a metric asks of the engine, put together once, and then one call for each list of texts; each class is
# explained in `plain_plan`. A class says how rows are filled, and what a sum of rows is as scores.

from cpython.dict cimport PyDict_SetItem
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.ref cimport Py_INCREF


cdef enum:  # the kinds of `planned.Entry`
    A_SCORE, SOME_SCORES, A_SUM, A_COUNT, A_RATIO, GIVEN

cdef dict ENTRY_KINDS = {
    "score": A_SCORE, "scores": SOME_SCORES, "sum": A_SUM, "count": A_COUNT, "ratio": A_RATIO, "given": GIVEN
}


cdef class Scored:
    """See `planned.Scored`."""

    cdef public list texts
    cdef readonly list ends, scores_of_items
    cdef readonly int64_t n, fewest, most
    cdef readonly bint ascii_without_marks, needs_look
    cdef readonly tuple letters
    cdef double* numbers  # sums, and behind them scores: they become objects where they are read
    cdef size_t columns, n_scores

    def __dealloc__(self):
        free(self.numbers)

    @property
    def predictions(self):
        return self.texts[: self.n]

    @property
    def references(self):
        return self.texts[self.n :]

    @property
    def sums(self):
        return floats(self.numbers, self.columns)

    @property
    def scores(self):
        return floats(self.numbers + self.columns, self.n_scores)

    def enter(self, entries, list wanted):
        """See `planned.SumsAndScores.enter`; entries are a dict."""
        cdef const double* scores = self.numbers + self.columns
        cdef size_t first, last, n
        cdef tuple entry
        cdef int kind
        for each in wanted:
            entry = <tuple> each
            kind, value = ENTRY_KINDS[entry[1]], entry[2]
            if kind != GIVEN:
                first, last = value, entry[3]
                n = self.n_scores if kind <= SOME_SCORES else self.columns
                if first >= n or last + <size_t> (kind == A_RATIO) > n:
                    raise IndexError(entry[0])
                if kind == A_SCORE:
                    value = scores[first]
                elif kind == SOME_SCORES:
                    value = floats(scores + first, last - first)
                elif kind == A_SUM:
                    value = self.numbers[first]
                elif kind == A_COUNT:
                    value = <int64_t> self.numbers[first]
                else:
                    value = self.numbers[first] / self.numbers[last] if self.numbers[last] != 0 else 0.0
            PyDict_SetItem(entries, entry[0], value)


cdef list floats(const double* values, size_t n):
    cdef list found = PyList_New(n)
    cdef object value
    cdef size_t i
    for i in range(n):
        value = values[i]
        Py_INCREF(value)  # the list takes one over
        PyList_SET_ITEM(found, i, value)
    return found


cdef inline bint is_list_or_tuple(object texts):
    return type(texts) is list or type(texts) is tuple


cdef class Plan:
    """See `plain_plan.Plan`."""

    cdef Py_ssize_t most_items
    cdef bytes marks
    cdef bint lowercase, count_letters, only_strings
    cdef int64_t fewest_odd_items, fewest_odd_references
    cdef size_t watched, after_watched
    cdef size_t columns, n_scores  # numbers of a row, and of what it becomes
    cdef Request request           # of all but chrF
    cdef double scale              # of the scores

    def __init__(self, rules):
        (
            self.most_items, self.marks, self.lowercase, self.count_letters, self.only_strings, self.fewest_odd_items,
            self.fewest_odd_references, columns,
        ) = rules
        self.watched, self.after_watched = columns.start or 0, columns.stop

    cdef int fill(self, list texts, size_t n, const int64_t* bounds, const int64_t* letters, double* rows) except -1:
        """Fill the rows of n items; return False where texts are too long for a table."""
        return fill_planned(&self.request, self.request.reading, texts, n, bounds, rows)

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        """Write what a sum of rows is as scores."""

    def score(self, predictions, references, bint each=False):
        """See `plain_plan.Plan.score`."""
        cdef Scored scored
        cdef tuple strings
        cdef list both, read, ends = None
        cdef size_t n, i
        cdef int64_t n_references
        cdef bint is_few
        cdef int64_t counts[4]
        cdef int64_t* bounds = NULL
        cdef double* rows = NULL
        cdef double* scores
        if not is_list_or_tuple(predictions) or not is_list_or_tuple(references):
            return None
        if not 0 < len(predictions) <= self.most_items:
            return None
        if self.only_strings and not (references and type(references[0]) is str):
            return None
        both = list(predictions)  # other threads may change them meanwhile
        n = len(both)
        both += references
        if <size_t> len(both) != 2 * n or not all_strings(both):
            strings = paired_strings(predictions, references)
            if strings is None:
                return None
            both, ends, n = strings[0] + strings[1], strings[2], len(strings[0])
        if n == 0:  # another thread took them away before they were read
            return None
        scored = Scored.__new__(Scored)
        scored.texts, scored.n, scored.ends = both, n, ends
        scored.fewest = scored.most = 1
        scored.ascii_without_marks = is_plain(both, self.marks)
        try:
            if ends is not None:
                bounds = <int64_t*> malloc(8 * (n + 1))
                if bounds == NULL:
                    return None
                for i in range(n + 1):
                    bounds[i] = ends[i]
                scored.fewest = scored.most = bounds[1] - bounds[0]
                for i in range(1, n):
                    n_references = bounds[i + 1] - bounds[i]
                    scored.fewest, scored.most = min(scored.fewest, n_references), max(scored.most, n_references)
                if scored.fewest == 0:
                    return None
            is_few = scored.n < self.fewest_odd_items and scored.most < self.fewest_odd_references
            scored.needs_look = not (scored.ascii_without_marks and is_few)
            memset(counts, 0, sizeof(counts))  # only letters beyond ASCII choose a reading
            if self.count_letters and scored.needs_look:
                scored.letters = letters(scored.references)
                for i in range(4):
                    counts[i] = scored.letters[i]
            read = lowered(both) if self.lowercase else both
            scored.columns, scored.n_scores = self.columns, self.n_scores
            scored.numbers = <double*> calloc(self.columns + 2 * self.n_scores, sizeof(double))
            rows = <double*> malloc(sizeof(double) * n * self.columns)
            if rows == NULL or scored.numbers == NULL or not self.fill(read, n, bounds, counts, rows):
                return None
            scores = scored.numbers + self.columns
            add_rows(rows, n, self.columns, scored.numbers)
            self.write_scores(scored.numbers, scores)
            for i in range(self.watched, min(self.after_watched, self.columns)):
                scored.needs_look |= scored.numbers[i] == 0
            if each:
                scored.scores_of_items = self.of_items(rows, n, scores + self.n_scores)
            return scored
        except (LoneSurrogateError, TooMuchMemoryError):
            return None
        finally:
            free(bounds)
            free(rows)

    cdef list of_items(self, const double* rows, size_t n, double* scores):
        """Return what each row is as scores, a list for each score."""
        cdef list found = [[] for _ in range(self.n_scores)]
        cdef size_t i, j
        for i in range(n):
            self.write_scores(rows + i * self.columns, scores)
            for j in range(self.n_scores):
                (<list> found[j]).append(scores[j])
        return found


cdef int fill_planned(
    const Request* request, int reading, list texts, size_t n, const int64_t* bounds, double* rows
) except -1:
    """Fill the rows of n items of one system as a request says; return False where texts are too long for a table."""
    cdef Request q = request[0]  # a copy, as filling writes into it, and threads share the plan
    q.reading, q.rows, q.pairs, q.n_systems = reading, rows, NULL, 1
    fill_request(texts, n, bounds, &q, True)
    return not q.uncounted


cdef class BleuPlan(Plan):
    cdef BleuFormula formula
    cdef double* weights

    def __init__(self, rules, str reading, int max_order, bint divisors, bint next_order, formula):
        Plan.__init__(self, rules)
        length_column, method, smooth_value, effective, weights, scale = formula
        cdef size_t n_weightings = len(weights), w, order
        self.request = bleu_request(reading, max_order, divisors, next_order)
        self.weights = <double*> malloc(8 * n_weightings * max_order)
        if self.weights == NULL:
            raise MemoryError
        for w in range(n_weightings):
            for order in range(<size_t> max_order):
                self.weights[w * max_order + order] = weights[w][order]
        self.columns, self.n_scores = self.request.columns, n_weightings + max_order + 1
        self.formula = BleuFormula(
            length_column, _METHODS[method], effective, smooth_value, scale, self.columns, n_weightings, max_order,
            self.weights,
        )
        if self.formula.smoothing >= METHOD_0 and not divisors:
            raise ValueError("NLTK's methods read the columns of `divisors`")

    def __dealloc__(self):
        free(self.weights)

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        write_bleu_scores(&self.formula, sums, 1, to)


cdef class RougePlan(Plan):
    cdef int runs  # which type is W, or -1
    cdef bint chooses
    cdef size_t means[3 * MOST_TYPES]  # columns of the scores, behind the base

    def __init__(self, rules, str reading, types, double beta, bint porter, double scale, means):
        Plan.__init__(self, rules)
        cdef size_t i
        self.chooses = reading is None
        self.request = rouge_request("rouge" if self.chooses else reading, types, beta, porter, &self.runs)
        if self.chooses and not self.count_letters:
            raise ValueError("letters that choose the reading must be counted")
        if self.runs >= 0 and not self.only_strings:
            raise ValueError("the type W takes texts with one reference each")
        self.scale = scale
        self.columns, self.n_scores = self.request.columns, len(means)
        if self.n_scores > self.columns - BASE or not 0 <= min(means) <= max(means) < self.columns - BASE:
            raise ValueError("a mean is that of a column, each at most once")
        for i in range(self.n_scores):
            self.means[i] = means[i]

    cdef int fill(self, list texts, size_t n, const int64_t* bounds, const int64_t* letters, double* rows) except -1:
        cdef int reading = self.request.reading
        if self.chooses and letters[1] > letters[0]:  # more beyond ASCII than in it
            reading, texts = UNICODE, lowered(texts)
        if not fill_planned(&self.request, reading, texts, n, bounds, rows):
            return False
        if self.runs >= 0:
            table = np.asarray(<double[:n, :self.columns]> rows)
            take_roots(table, BASE + 3 * self.runs, self.request.kinds[self.runs].weight, self.request.weight)
        return True

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        cdef size_t i
        for i in range(self.n_scores):
            to[i] = mean_of_items(sums, BASE + self.means[i], self.scale)


cdef class ChrfPlan(Plan):
    cdef ChrfRequest of_chrf
    cdef list word_orders

    def __init__(
        self, rules, int char_order, list word_orders, bint whitespace, beta, bint eps_smoothing, double scale
    ):
        Plan.__init__(self, rules)
        self.of_chrf.whitespace, self.of_chrf.eps_smoothing = whitespace, eps_smoothing
        self.of_chrf.factor, self.of_chrf.char_order = beta**2, char_order
        self.word_orders, self.scale = list(word_orders), scale
        self.columns, self.n_scores = columns_of_chrf(char_order, word_orders), len(word_orders)

    cdef int fill(self, list texts, size_t n, const int64_t* bounds, const int64_t* letters, double* rows) except -1:
        cdef ChrfRequest q = self.of_chrf  # a copy, as above
        fill_chrf(texts, n, bounds, q.char_order, self.word_orders, &q, 1, rows, True)
        return True

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        cdef size_t score, n_orders
        sums += BASE
        for score in range(self.n_scores):
            n_orders = self.of_chrf.char_order + <int> self.word_orders[score]
            to[score] = f_of(sums, n_orders, self.of_chrf.factor, self.of_chrf.eps_smoothing, self.scale)
            sums += PARTS * n_orders


cdef class ErrorPlan(Plan):

    def __init__(self, rules, str reading, bint with_characters, double scale):
        Plan.__init__(self, rules)
        self.request, self.scale = error_request(reading, with_characters), scale
        self.columns, self.n_scores = self.request.columns, RATES

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        write_rates(sums, self.scale, to)


cdef class TerPlan(Plan):

    def __init__(self, rules, double scale):
        Plan.__init__(self, rules)
        self.request, self.scale = ter_request(NULL), scale
        self.columns, self.n_scores = self.request.columns, 1

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        to[0] = ter_of(sums, self.scale)


cdef class GleuPlan(Plan):

    def __init__(self, rules, str reading, int min_order, int max_order, double scale):
        Plan.__init__(self, rules)
        self.request, self.scale = gleu_request(reading, min_order, max_order), scale
        self.columns, self.n_scores = self.request.columns, 1

    cdef void write_scores(self, const double* sums, double* to) noexcept:
        to[0] = gleu_of(sums, self.scale)


# Called as the functions of the plain engine, which `plain_plan` explains.
bleu_plan, rouge_plan, chrf_plan, error_plan, ter_plan, gleu_plan = (
    BleuPlan, RougePlan, ChrfPlan, ErrorPlan, TerPlan, GleuPlan
)
