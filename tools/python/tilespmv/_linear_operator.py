"""Matrices for the solvers of SciPy and CuPy."""

from __future__ import annotations

import numpy as np


_COMPLEX = {"float32": np.dtype(np.complex64), "float64": np.dtype(np.complex128)}


def _product(matrix, x):
    """``matrix @ x`` for x of types that solvers mix: what the type of the matrix holds is converted, and the result has
    the type that NumPy would give it. Complex columns are two real ones."""
    own = matrix.dtype
    result = np.result_type(own, x.dtype)
    if result == own:
        return matrix @ (x if x.dtype == own else x.astype(own))
    if result != _COMPLEX.get(own.name):
        return matrix @ x  # which says that the types differ
    parts = x.reshape(x.shape[0], -1).astype(result, order="C").view(own)
    y = (matrix @ parts).view(result)
    return y.reshape(y.shape[0], *x.shape[1:])


def _of(base, matrix):
    class LinearOperator(base):
        """Products by a `tilespmv.Matrix`, of vectors, blocks and the transpose."""

        def __init__(self):
            super().__init__(matrix.dtype, matrix.shape)
            self.matrix = matrix
            self.args = (matrix,)  # as those that SciPy makes of a matrix

        def _matvec(self, x):
            return _product(self.matrix, x)

        _matmat = _matvec

        def _rmatvec(self, x):
            return _product(self.matrix.T, x)

        _rmatmat = _rmatvec

        def _adjoint(self):
            return linear_operator(self.matrix.T)

        _transpose = _adjoint

    return LinearOperator()


def linear_operator(matrix):
    if matrix.device == "cuda":
        try:
            from cupyx.scipy.sparse.linalg import LinearOperator as base

            return _of(base, matrix)
        except ImportError:
            pass
    from scipy.sparse.linalg import LinearOperator as base

    return _of(base, matrix)
