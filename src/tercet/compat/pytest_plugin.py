"""``pytest -p tercet.compat.pytest_plugin``: tests run as they stand, with the drop-ins instead of the originals."""

from .installing import install


def pytest_addoption() -> None:
    """Install the drop-ins: pytest calls this before it captures what is printed and imports any test."""
    install()
