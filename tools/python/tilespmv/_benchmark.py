"""How fast products are."""

from __future__ import annotations

import os
import statistics
import sys
import time
import warnings

import numpy as np

from ._matrix import Matrix, matrix


def _seconds(call, wait, min_seconds):
    """The median of the time of a call, in batches of at least 2 ms."""
    call()
    wait()
    count, samples, start = 1, [], time.perf_counter()
    while time.perf_counter() - start < min_seconds or len(samples) < 5:
        begin = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        took = time.perf_counter() - begin
        if took < 2e-3:
            count *= 2
        else:
            samples.append(took / count)
    return statistics.median(samples)


def benchmark(matrices, operators=("auto",), columns: int = 1, device=None, min_seconds: float = 0.1, compare=()) -> list[dict]:
    """Measures products of matrices, one after the other in a loop, without the preparation.

    Parameters
    ----------
    matrices : what `matrix` takes, or a list or a dictionary (name: matrix) of these
    operators : names of operators of this library, or one
    columns : how many columns a product has, in row-major layout
    compare : libraries to measure beside it, "scipy", "cupy", "torch", or one

    Returns
    -------
    list of dict
        A row for each matrix and operator, as ``pandas.DataFrame`` takes them: matrix, operator, shape, nnz, seconds,
        gflops, device, preparation_seconds.
    """
    if not isinstance(matrices, (list, dict)):
        matrices = [matrices]
    operators, compare = ([names] if isinstance(names, str) else names for names in (operators, compare))
    named = matrices.items() if isinstance(matrices, dict) else [(_name(m), m) for m in matrices]
    rows = []
    for name, source in named:
        for operator in operators:
            begin = time.perf_counter()
            made = matrix(source, device, operator)
            preparation = time.perf_counter() - begin
            shape = made.shape[1] if columns == 1 else (made.shape[1], columns)
            x, wait = _vector(made, shape)
            out = made @ x
            row = _row(name, operator, made, columns, _seconds(lambda: made._multiply(x, out, 1.0, 0.0, False), wait, min_seconds))
            rows.append(row | {"executed": made.operator, "device": made.device, "preparation_seconds": preparation})
        for library in compare:
            product, wait = _peer(library, made, shape)
            rows.append(_row(name, library, made, columns, _seconds(product, wait, min_seconds)))
    return rows


def _name(source):
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    return f"{type(source).__name__} {source.shape[0]}x{source.shape[1]}"


def _row(name, operator, made, columns, seconds):
    return {
        "matrix": name,
        "operator": operator,
        "rows": made.shape[0],
        "cols": made.shape[1],
        "nnz": made.nnz,
        "columns": columns,
        "seconds": seconds,
        "gflops": 2e-9 * made.nnz * columns / seconds,
    }


def _vector(made, shape):
    if made.device == "cpu":
        return np.ones(shape, made.dtype), lambda: None
    if "torch" in sys.modules and "cupy" not in sys.modules:
        torch = sys.modules["torch"]
        return torch.from_numpy(np.ones(shape, made.dtype)).cuda(), torch.cuda.synchronize
    import cupy

    return cupy.ones(shape, made.dtype), cupy.cuda.runtime.deviceSynchronize


def _peer(library, made, shape):
    """The product of a library, and what waits for it."""
    wait = lambda: None
    if library == "scipy":
        a, x = made.to_scipy(), np.ones(shape, made.dtype)
    elif library == "cupy":
        import cupy

        a, x, wait = made.to_cupy(), cupy.ones(shape, made.dtype), cupy.cuda.runtime.deviceSynchronize
    elif library == "torch":
        import torch

        host = made.to_scipy()
        arrays = [torch.from_numpy(np.array(array)) for array in (host.indptr, host.indices, host.data)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that its CSR is in beta state, and that it checks no indices
            a = torch.sparse_csr_tensor(*arrays, host.shape)
        x = torch.ones(shape, dtype=a.dtype)
        if made.device == "cuda":
            a, x, wait = a.cuda(), x.cuda(), torch.cuda.synchronize
    else:
        raise ValueError(f"compare {library!r}: expected scipy, cupy or torch")
    return lambda: a @ x, wait
