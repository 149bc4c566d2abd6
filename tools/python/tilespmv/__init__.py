"""Tiled sparse matrix-vector products on CPUs and GPUs.

>>> import numpy as np, tilespmv
>>> A = tilespmv.matrix("gen:laplace2d:n=100", device="cpu")
>>> A
<10000x10000 tilespmv matrix of dtype 'float64' with 49600 stored elements on cpu>
>>> y = A @ np.ones(A.shape[1])
"""

from ._benchmark import benchmark
from ._core import Error, __version__, format_names, has_cuda, has_gpu
from ._device_sources import Assembly, assembly
from ._matrix import Matrix, matrix
from ._solve import SolveReport, solve

__all__ = ["Assembly", "Error", "Matrix", "SolveReport", "__version__", "assembly", "benchmark", "format_names", "has_cuda", "has_gpu", "matrix", "solve"]
