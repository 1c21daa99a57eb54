"""MLflow in tests: a plugin, as the environment of harnesses has no conftest of all tests."""

import pytest


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """MLflow, which writes in the folder of this test and forgets it afterwards."""
    folder = (tmp_path / "mlruns").as_uri()
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", folder)
    import mlflow

    mlflow.set_tracking_uri(folder)  # by itself a new variable reaches no traces
    yield mlflow
    mlflow.set_tracking_uri(None)
