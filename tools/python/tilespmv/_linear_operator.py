"""Matrices for the solvers of SciPy and CuPy."""

from __future__ import annotations


def _of(base, matrix):
    class LinearOperator(base):
        """Products by a `tilespmv.Matrix`, of vectors, blocks and the transpose."""

        def __init__(self):
            super().__init__(matrix.dtype, matrix.shape)
            self.matrix = matrix

        def _matvec(self, x):
            return self.matrix.matvec(x)

        def _matmat(self, x):
            return self.matrix.matmat(x)

        def _rmatvec(self, x):
            return self.matrix.rmatvec(x)

        def _rmatmat(self, x):
            return self.matrix.rmatmat(x)

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

