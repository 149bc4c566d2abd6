import numpy as np
import pytest


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
