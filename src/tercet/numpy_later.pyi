# What type checkers read instead of the file beside: the names of NumPy, with their types.

from numpy import *  # noqa: F403  as the names of a stub are those of its imports
from numpy import random as random
