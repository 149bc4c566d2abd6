import numpy as np
import pytest


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace, monkeypatch, tmp_path):
    doctest_namespace["np"] = np
    monkeypatch.chdir(tmp_path)  # where examples write
