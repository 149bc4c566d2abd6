"""Sparse matrices and entries in the memory of a GPU, where they stay."""

from __future__ import annotations

import sys

import numpy as np

from . import _core
from ._arrays import CuPy, TorchOnGpu, kind_of
from ._sources import of_scipy, of_torch, type_name_of


def is_there(array):
    """Whether an array is on a GPU, in a library whose streams are known."""
    return kind_of(array) in (CuPy, TorchOnGpu)


def _with_type(array, name):
    kind = kind_of(array)
    if kind is CuPy:
        return array.astype(np.dtype(name), copy=False)
    return array.to(getattr(sys.modules["torch"], name))


def _address(array):
    return kind_of(array).handle(array)[0]


def _values(values, wanted_type):
    """Of a type that both libraries have for them, in one piece; None if there is none."""
    name = type_name_of(values, wanted_type)
    if name == "bfloat16" and kind_of(values) is CuPy:
        return None
    return kind_of(values).compact(_with_type(values, name))


def _indices(array, below, names=("int32",)):
    """Indices of one of these types, in one piece."""
    kind = kind_of(array)
    if kind.type_name(array) not in names:
        if array.shape[0] and not (0 <= int(array.min()) and int(array.max()) < below):
            raise ValueError(f"an index is not in [0, {below})")
        array = _with_type(array, names[-1])
    return kind.compact(array)


class Assembly:
    """A matrix that is assembled on a GPU; `assembly` makes them."""

    def __init__(self, rows, cols, shape):
        if not (is_there(rows) and is_there(cols)) or rows.ndim != 1 or rows.shape != cols.shape:
            raise ValueError("rows and cols have to be arrays of CuPy or torch on a GPU, of one dimension and size")
        kind = kind_of(rows)
        name = "int32" if kind.type_name(rows) == kind.type_name(cols) == "int32" else "int64"
        rows, cols = (kind_of(i).compact(_with_type(i, name)) for i in (rows, cols))
        self.shape = int(shape[0]), int(shape[1])
        self._count = rows.shape[0]
        self._core = _core.assembly(
            *self.shape, self._count, _address(rows), _address(cols), name == "int64", kind.stream(rows)
        )
        self.nnz = self._core.nnz

    @property
    def nbytes(self) -> int:
        """Bytes on the GPU that it holds."""
        return self._core.nbytes

    def sum(self, values):
        """The values of the matrix, (nnz,) in the order of CSR, from those of the entries: an array of the same library,
        on its current stream. The same bits every time."""
        kind = kind_of(values)
        if kind is None or not kind.on_gpu:
            raise ValueError("the values of the entries have to be on a GPU")
        if tuple(values.shape) != (self._count,):
            raise ValueError(f"values of shape {tuple(values.shape)}, expected ({self._count},)")
        values = kind.compact(values)
        sums = kind.result(self.nnz, values)
        self._core.sum(kind.type_name(values), kind.handle(values)[0], kind.handle(sums)[0], kind.stream(values))
        return sums

    def matrix(self, values, operator: str = "auto"):
        """The `Matrix` with these values of the entries, on the GPU. ``A.update_values(assembly.sum(values))`` gives it
        new ones."""
        from ._matrix import Matrix

        return Matrix(self._matrix(values, operator))

    def _matrix(self, values, operator):
        sums = self.sum(values)
        kind = kind_of(sums)
        return self._core.matrix(kind.type_name(sums), kind.handle(sums)[0], sums, kind.stream(sums), operator)

    def __repr__(self) -> str:
        rows, cols = self.shape
        return f"<{rows}x{cols} tilespmv assembly of {self._count} entries at {self.nnz} places>"


def assembly(rows, cols, shape: tuple[int, int]) -> Assembly:
    """Entries of a matrix in any order, as an assembly leaves them, sorted on the GPU; values are summed as often as they
    change, those of one place in the order of the entries.

    Parameters
    ----------
    rows, cols
        Of the entries, from 0: arrays of CuPy or torch on the GPU, int32 or int64. Entries with a negative row or column
        are left out.
    shape : (int, int)
        Of the matrix.

    Raises
    ------
    ValueError
        For entries outside of the matrix, naming the first.
    """
    return Assembly(rows, cols, shape)


def _coo_of(obj):
    """(rows, cols, values), shape of a matrix of entries on a GPU, else None."""
    library = type(obj).__module__.partition(".")[0]
    if library == "cupyx" and getattr(obj, "format", "") == "coo":
        return (obj.row, obj.col, obj.data), obj.shape
    if library == "torch" and obj.layout == sys.modules["torch"].sparse_coo and obj.is_cuda and obj.dense_dim() == 0:
        indices = obj._indices()
        return (indices[0], indices[1], obj._values()), tuple(obj.shape)
    return None


def _csr_of(obj, shape):
    """(values, indices, indptr), shape of a matrix on a GPU, else None."""
    library = type(obj).__module__.partition(".")[0]
    if isinstance(obj, tuple) and len(obj) == 3 and shape is not None and all(is_there(array) for array in obj):
        return obj, shape
    if library == "cupyx" and hasattr(obj, "tocsr"):
        return of_scipy(obj)
    if library == "torch" and obj.layout != sys.modules["torch"].strided and obj.is_cuda:
        return of_torch(obj)
    return None


def device_matrix(obj, shape, wanted_type, operator):
    """The core's matrix of one in the memory of a GPU; None for all others."""
    entries = _coo_of(obj)
    if entries is not None:
        (rows, cols, values), shape = entries
        values = _values(values, wanted_type)
        return None if values is None else Assembly(rows, cols, shape)._matrix(values, operator)
    csr = _csr_of(obj, shape)
    if csr is None:
        return None
    (values, indices, indptr), shape = csr
    rows, cols = (int(n) for n in shape)
    values = _values(values, wanted_type)
    if values is None:
        return None
    if tuple(indptr.shape) != (rows + 1,):
        raise ValueError(f"indptr has {indptr.shape[0]} entries, expected {rows + 1} for {rows} rows")
    if indices.shape != values.shape:
        raise ValueError(f"{indices.shape[0]} column indices for {values.shape[0]} values")
    indices, indptr = _indices(indices, cols), _indices(indptr, 2**62, ("int32", "int64"))
    kind = kind_of(values)
    return _core.from_device_csr(
        kind.type_name(values),
        rows,
        cols,
        values.shape[0],
        _address(indptr),
        kind.type_name(indptr) == "int64",
        _address(indices),
        _address(values),
        (values, indices, indptr),
        kind.stream(values),
        operator,
    )
