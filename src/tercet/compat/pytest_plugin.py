"""``pytest -p tercet.compat.pytest_plugin``: tests run as they stand, with the drop-ins in place of the originals."""

from .installing import install

install()
