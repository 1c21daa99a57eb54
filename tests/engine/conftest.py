from importlib import import_module

import pytest


@pytest.fixture(scope="session", params=["_engine", "plain"])
def engine(request):
    """Each of the two implementations: every test of this folder holds for both."""
    return import_module(f"tercet.engine.{request.param}")
