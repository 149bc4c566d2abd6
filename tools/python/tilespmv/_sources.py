"""Sparse matrices of other libraries as CSR arrays in the memory of the host."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._tiles import as_bits, numpy_type


class CsrArrays(NamedTuple):
    type_name: str
    shape: tuple[int, int]
    indptr: np.ndarray  # int32 or int64
    indices: np.ndarray  # int32, ascending within a row
    values: np.ndarray  # of 16 bits as uint16


def _host(array):
    """As a NumPy array, copied from a GPU if it is there."""
    if hasattr(array, "detach"):
        array = array.detach().cpu()
        return array.float().numpy() if "16" in str(array.dtype) else array.numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)


def of_scipy(obj):
    csr = obj.tocsr()
    if not (csr.has_sorted_indices and csr.has_canonical_format):
        csr = csr.copy() if csr is obj else csr
        csr.sum_duplicates()
    return (csr.data, csr.indices, csr.indptr), csr.shape


def of_torch(obj):
    import torch

    if obj.layout == torch.sparse_coo:
        obj = obj.coalesce().to_sparse_csr()
    elif obj.layout != torch.sparse_csr:
        obj = obj.to_sparse_csr()
    return (obj.values(), obj.col_indices(), obj.crow_indices()), tuple(obj.shape)


def type_name_of(values, wanted):
    if wanted is not None:
        return np.dtype(numpy_type(wanted)).name
    name = str(values.dtype).removeprefix("torch.")
    if name in ("float64", "float32", "float16", "bfloat16"):
        return name
    if values.dtype.kind in "biu" if hasattr(values.dtype, "kind") else not values.dtype.is_floating_point:
        return "float64"
    raise TypeError(f"values of {name}: expected float64, float32, float16, bfloat16 or whole numbers")


def csr_arrays(obj, shape, wanted_type):
    if isinstance(obj, tuple) and len(obj) == 3:
        if shape is None:
            raise ValueError("(data, indices, indptr) needs shape=(rows, columns)")
        if len(shape) != 2:
            raise ValueError(f"shape {shape}: expected (rows, columns)")
        arrays = tuple(array if hasattr(array, "dtype") else np.asarray(array) for array in obj)
        if any(array.ndim != 1 for array in arrays):
            raise ValueError("data, indices and indptr have to be arrays of one dimension")
    elif hasattr(obj, "tocsr"):
        arrays, shape = of_scipy(obj)
    elif type(obj).__module__.partition(".")[0] == "torch" and obj.layout != __import__("torch").strided:
        arrays, shape = of_torch(obj)
    else:
        raise TypeError(
            f"cannot make a matrix of {type(obj).__name__}: expected a sparse matrix of SciPy, CuPy or torch, "
            "(data, indices, indptr) with shape=, or the name of a file"
        )
    values, indices, indptr = arrays
    type_name = type_name_of(values, wanted_type)
    values, indices, indptr = _host(values), _host(indices), _host(indptr)
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise TypeError(f"indices of {indices.dtype} and indptr of {indptr.dtype}: expected whole numbers")
    rows, cols = (int(n) for n in shape)
    if max(rows, cols) > np.iinfo(np.int32).max:
        raise ValueError(f"a matrix of {rows} x {cols}: at most 2147483647 rows and columns are supported")
    if indptr.dtype not in (np.int32, np.int64):
        indptr = indptr.astype(np.int64)
    if indices.dtype != np.int32 and indices.size and not (0 <= indices.min() and indices.max() < max(cols, 1)):
        raise ValueError(f"a column index is not in [0, {cols})")
    return CsrArrays(
        type_name,
        (rows, cols),
        np.ascontiguousarray(indptr),
        np.ascontiguousarray(indices, np.int32),
        as_bits(np.ascontiguousarray(values.astype(numpy_type(type_name), copy=False))),
    )
