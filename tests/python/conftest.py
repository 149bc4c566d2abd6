import os
import pathlib

import numpy as np
import pytest
import scipy.sparse as sp

import tilespmv

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leave memory of the GPU to the other libraries


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    if request.param == "cuda" and not tilespmv.has_gpu():
        pytest.skip("there is no GPU")
    return request.param


@pytest.fixture
def csr():
    return sp.random_array((30, 20), density=0.2, format="csr", rng=np.random.default_rng(1))


@pytest.fixture
def golden():
    """Compares a text with a file of tests/tools/golden, which TILESPMV_UPDATE_GOLDEN=1 writes anew."""

    def compare(name, text):
        file = pathlib.Path(__file__).parents[1] / "tools/golden" / name
        if os.environ.get("TILESPMV_UPDATE_GOLDEN"):
            file.write_text(text, encoding="utf-8")
        assert text.splitlines() == file.read_text(encoding="utf-8").splitlines()

    return compare
