"""Tiled sparse matrix-vector products on CPUs and GPUs.

>>> import numpy as np, tilespmv
>>> A = tilespmv.matrix("gen:laplace2d:n=100", device="cpu")
>>> A
<10000x10000 tilespmv matrix of dtype 'float64' with 49600 stored elements on cpu>
>>> y = A @ np.ones(A.shape[1])
"""

import os as _os

# Threads that wait for work or for each other keep a core busy for 13 ms before they sleep, as GCC's OpenMP has it. Where
# others use the cores, too, a product of 0.1 ms then takes 60: 0.4 ms are enough. It is read when the library is loaded.
_is_asked = "GOMP_SPINCOUNT" in _os.environ or "OMP_WAIT_POLICY" in _os.environ
if not _is_asked:
    _os.environ["GOMP_SPINCOUNT"] = "10000"
try:
    from . import _core
finally:
    if not _is_asked:
        del _os.environ["GOMP_SPINCOUNT"]

from ._benchmark import benchmark
from ._core import Error, __version__, format_names, has_cuda, has_gpu
from ._device_sources import Assembly, assembly
from ._matrix import Matrix, matrix
from ._solve import SolveReport, solve

__all__ = ["Assembly", "Error", "Matrix", "SolveReport", "__version__", "assembly", "benchmark", "format_names", "has_cuda", "has_gpu", "matrix", "solve"]
