import os

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
