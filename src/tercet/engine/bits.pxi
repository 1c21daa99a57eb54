# Bits of numbers, errors of long loops, and what every other file uses.

cdef extern from "blocks.h" nogil:
    uint64_t load64(const uint8_t*)
    uint64_t bit_count(uint64_t)
    uint64_t lowest_bit(uint64_t)
    uint64_t highest_bit(uint64_t)

cdef extern from "Python.h":
    int PyErr_CheckSignals()

cdef uint64_t ALL = ~(<uint64_t> 0)

# What a loop without the GIL returns: where it ends early, `item` of the arena is the one at fault.
cdef enum:
    DONE = 0
    NO_MEMORY = -2
    INTERRUPTED = -3
    TOO_LONG = -4  # the texts of an item
    NO_TEXT = -5   # a lone surrogate


cdef inline uint64_t lowest(uint64_t bits) noexcept nogil:
    """Return the lowest one alone."""
    return bits & (0 - bits)


cdef inline bint is_set(const uint64_t* bits, size_t place) noexcept nogil:
    return (bits[place >> 6] >> (place & 63)) & 1


cdef inline bint interrupted() noexcept nogil:
    """Whether Ctrl-C was pressed; long loops ask now and then.

    Its exception is then set, and stays so until `raise_if` lets it out: whoever returns INTERRUPTED calls no Python.
    """
    with gil:
        return PyErr_CheckSignals() != 0


cdef int raise_if(int64_t problem, size_t item=0) except -1:
    """Raise what a loop without the GIL ended with; `item` is the one at fault where it is no text."""
    if problem == NO_MEMORY or problem == TOO_LONG:
        raise MemoryError("the texts take more memory than there is")
    if problem == NO_TEXT:
        raise LoneSurrogateError(item)
    return -1 if problem == INTERRUPTED else 0


cdef int raise_of_item(int64_t problem, size_t item) except -1:
    """Raise what a loop over items ended with, at this one."""
    if problem == NO_MEMORY or problem == TOO_LONG:
        raise TooMuchMemoryError(item)
    return raise_if(problem, item)
