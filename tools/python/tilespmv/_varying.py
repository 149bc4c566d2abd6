"""Matrices whose values come with each product, as gradients in the values need them."""

from __future__ import annotations

import threading

import numpy as np

from . import _core
from ._matrix import Matrix


class Varying:
    """A copy of a matrix for products by other values at its places."""

    def __init__(self, core):
        a = Matrix(core)
        _, self.cols, row_ptrs = a._csr()
        self.rows = np.repeat(np.arange(core.rows, dtype=np.int32), np.diff(row_ptrs))
        self.matrix = a.copy()
        self.lock = threading.Lock()  # from new values to their product
        self.places = {}  # rows and columns as arrays of other libraries


_making = threading.Lock()


def varying(key: str) -> Varying:
    """That of the matrix with this key, with which it lives."""
    core = _core.shared(key)
    with _making:
        if not hasattr(core, "varying"):
            core.varying = Varying(core)
    return core.varying
