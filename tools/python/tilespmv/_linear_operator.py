"""Matrices for the solvers of SciPy and CuPy."""

from __future__ import annotations

import math

import numpy as np


_COMPLEX = {"float32": np.dtype(np.complex64), "float64": np.dtype(np.complex128)}


def _product(matrix, x):
    """``matrix @ x`` for x of types that solvers mix: what the type of the matrix holds is converted, and the result has
    the type that NumPy would give it. Complex columns are two real ones."""
    own = matrix.dtype
    if x.dtype == own:
        return matrix @ x
    result = np.result_type(own, x.dtype)
    if result == own:
        return matrix @ x.astype(own)
    if result != _COMPLEX.get(own.name):
        return matrix @ x  # which says that the types differ
    parts = x.reshape(x.shape[0], -1).astype(result, order="C").view(own)
    y = (matrix @ parts).view(result)
    return y.reshape(y.shape[0], *x.shape[1:])


def _product_along(matrix, x, axis):
    """The product by every vector along an axis of x."""
    x = np.moveaxis(x, axis, 0)
    y = _product(matrix, x.reshape(x.shape[0], math.prod(x.shape[1:])))
    return np.moveaxis(y.reshape(y.shape[0], *x.shape[1:]), 0, axis)


def _vectors(matrix, x):
    """Of a vector (n,) or (n, 1), or from SciPy 1.18 on of many, (..., n)."""
    is_one = x.ndim == 1 or x.shape == (matrix.shape[1], 1)
    return _product(matrix, x) if is_one else _product_along(matrix, x, -1)


def _blocks(matrix, x):
    """Of a block (n, k), or of many, (..., n, k); SciPy's sparse matrices multiply each other."""
    if hasattr(x, "tocsr"):
        return matrix.to_scipy() @ x
    return _product(matrix, x) if x.ndim == 2 else _product_along(matrix, x, -2)


def _of(base, matrix):
    class LinearOperator(base):
        """Products by a `tilespmv.Matrix`, of vectors, blocks and the transpose."""

        def __init__(self):
            super().__init__(matrix.dtype, matrix.shape)
            self.matrix = matrix
            self.args = (matrix,)  # as those that SciPy makes of a matrix

        def _matvec(self, x):
            return _vectors(self.matrix, x)

        def _matmat(self, x):
            return _blocks(self.matrix, x)

        def _rmatvec(self, x):
            return _vectors(self.matrix.T, x)

        def _rmatmat(self, x):
            return _blocks(self.matrix.T, x)

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
