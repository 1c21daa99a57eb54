"""How the time of a job grows with its size: for jobs that once took the square of it."""

import gc
from time import process_time


def times_longer(job, few, many):
    """Return how many times as long the job takes for many as for few, in seconds of the processor.

    The job takes a size and returns what is to be timed. The collector of garbage rests meanwhile: in a process that
    has run thousands of tests, one pass of it over all that these left takes longer than the job.
    """
    return shortest(job, many) / shortest(job, few)


def shortest(job, size):
    """Return the shortest of three times, as other programs may slow the machine."""
    return min(seconds(job(size)) for _ in range(3))


def seconds(work):
    gc.collect()
    gc.disable()
    try:
        begun = process_time()
        work()
        return process_time() - begun
    finally:
        gc.enable()
