"""Drop-ins for other packages' modules: their functions, classes and results, with the scores of the suite."""

from .installing import install as install
from .installing import uninstall as uninstall
