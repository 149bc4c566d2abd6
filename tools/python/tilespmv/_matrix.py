"""Sparse matrices that multiply."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

import numpy as np

from . import _core, _page, _tiles
from ._arrays import CuPy, NumPy, kind_of, library_of
from ._device_sources import device_matrix, is_there
from ._sources import csr_arrays


def matrix(
    obj: Any,
    device: Literal["cpu", "cuda"] | None = None,
    operator: str = "auto",
    values: Any = None,
    *,
    shape: tuple[int, int] | None = None,
) -> Matrix:
    """A matrix that multiplies fast, from one that somebody has.

    Parameters
    ----------
    obj
        A SciPy or CuPy sparse matrix or array, a sparse tensor of torch, ``(data, indices, indptr)`` of CSR with
        ``shape=``, the name of a file (Matrix Market, plain or compressed, SuiteSparse ``.tar.gz``, ``.tsp``) or a
        generator such as ``"gen:laplace2d:n=100"``. CSR arrays of the right type are not copied and must not change,
        unless they are on the host and the matrix multiplies on a GPU; those of CuPy and torch on a GPU are prepared
        there, and entries (COO) sorted and summed as by `assembly`.
    device : {"cpu", "cuda"}, optional
        Where it multiplies. By default on the GPU if there is one.
    operator : str
        What multiplies, ``name[:option=value,...]`` as ``tilespmv info`` lists them; ``"auto"`` takes the one that is
        predicted to be fastest.
    values : dtype, optional
        The type of the values: float64, float32, float16 or bfloat16, the last two on a GPU only. By default that of
        `obj`; whole numbers become float64.
    shape : (int, int), optional
        Of ``(data, indices, indptr)``.

    Raises
    ------
    ValueError
        For a matrix that is not valid, naming the row, and for unknown names.
    Error
        For files that cannot be read, and ``device="cuda"`` without a GPU.
    """
    if device not in (None, "cpu", "cuda"):
        raise ValueError(f"device {device!r}: expected 'cpu' or 'cuda'")
    on_gpu = _core.has_gpu() if device is None else device == "cuda"
    operator = str(operator)
    type_name = None if values is None else np.dtype(values).name if not isinstance(values, str) else values
    if isinstance(obj, Matrix):
        obj = obj.to_scipy()
    if isinstance(obj, (str, os.PathLike)):
        return Matrix(_core.load(os.fspath(obj), type_name or "", on_gpu, operator))
    if on_gpu:
        there = device_matrix(obj, shape, type_name, operator)
        if there is not None:
            return Matrix(there)
    csr = csr_arrays(obj, shape, type_name)
    return Matrix(_core.from_csr(csr.type_name, *csr.shape, csr.indptr, csr.indices, csr.values, on_gpu, operator))


class Matrix:
    """A sparse matrix with the operator that multiplies by it; `matrix` makes them.

    ``A @ x`` takes vectors (n,) and blocks (n, 1) and (n, k), by rows or by columns, of NumPy, CuPy, torch and JAX, and
    gives an array of the same library. Arrays on a GPU are multiplied on the caller's current stream, without waiting.
    Several threads and streams may use one matrix. The first product of several columns prepares a second form of the
    matrix, unless the first one reads it once for all columns or was asked for by its name.
    """

    __array_ufunc__ = None  # NumPy leaves x @ A to __rmatmul__
    __array_priority__ = 1000  # as does CuPy
    ndim = 2
    nnz: int
    shape: tuple[int, int]

    def __init__(self, core, is_transposed=False, facts=None):
        self._core = core
        self._is_transposed = is_transposed
        # The key is what it is in graphs of torch and JAX.
        self._facts = facts or (core.share(), core.value_type, core.is_on_gpu, core.nnz, (core.rows, core.cols))
        self._key, self._type_name, self._is_on_gpu, self.nnz, shape = self._facts
        self.shape = shape[::-1] if is_transposed else shape

    @property
    def dtype(self) -> np.dtype:
        """The NumPy type of the values; bfloat16 needs the package ml_dtypes."""
        return _tiles.numpy_type(self._type_name)

    @property
    def device(self) -> str:
        """``"cpu"`` or ``"cuda"``."""
        return "cuda" if self._is_on_gpu else "cpu"

    @property
    def nbytes(self) -> int:
        """Bytes of what is kept to multiply, the forms for the transpose and for blocks included."""
        return self._core.nbytes

    @property
    def operator(self) -> str:
        """The operator that multiplies, ``name[:option=value,...]``."""
        return self._core.specification

    @property
    def is_reproducible(self) -> bool:
        """Whether two products of the same arrays have the same bits."""
        return self._core.is_reproducible

    @property
    def T(self) -> Matrix:
        """The transpose, which shares everything. Its first product prepares a second form of the matrix, unless it is
        symmetric."""
        return Matrix(self._core, not self._is_transposed, self._facts)

    def transpose(self) -> Matrix:
        return self.T

    H = T  # values are real

    def __repr__(self) -> str:
        rows, cols = self.shape
        return (
            f"<{rows}x{cols} tilespmv matrix of dtype '{self._type_name}' "
            f"with {self.nnz} stored elements on {self.device}>"
        )

    def _repr_html_(self) -> str:
        return _tiles.html(self)

    def matvec(self, x, out=None, *, alpha: float = 1.0, beta: float = 0.0):
        """alpha * A @ x + beta * out.

        x : (n,) or (n, 1), of the type of the matrix. out : where the result goes, of the same library, device and type
        and not x; a new array unless given, which `beta` needs. Raises ValueError for shapes, devices and arrays that
        overlap, TypeError for types.
        """
        if getattr(x, "ndim", 1) == 2 and x.shape[1] != 1:
            raise ValueError(f"matvec of an array of shape {tuple(x.shape)}: matmat multiplies several columns")
        return self._multiply(x, out, alpha, beta, self._is_transposed)

    def matmat(self, x, out=None, *, alpha: float = 1.0, beta: float = 0.0):
        """As `matvec`, for x of shape (n, k)."""
        if getattr(x, "ndim", 2) != 2:
            raise ValueError(f"matmat of an array of shape {tuple(x.shape)}: expected ({self.shape[1]}, k)")
        return self._multiply(x, out, alpha, beta, self._is_transposed)

    def rmatvec(self, x, out=None, *, alpha: float = 1.0, beta: float = 0.0):
        """As `matvec`, by the transpose."""
        return self.T.matvec(x, out, alpha=alpha, beta=beta)

    def rmatmat(self, x, out=None, *, alpha: float = 1.0, beta: float = 0.0):
        """As `matmat`, by the transpose."""
        return self.T.matmat(x, out, alpha=alpha, beta=beta)

    def dot(self, x):
        """``A @ x``"""
        return self.__matmul__(x)

    def __matmul__(self, x):
        if library_of(type(x)) is None:
            if not isinstance(x, (list, tuple)):
                return NotImplemented
            x = np.asarray(x, self.dtype)
        return self._multiply(x, None, 1.0, 0.0, self._is_transposed)

    def __rmatmul__(self, x):
        if library_of(type(x)) is None:
            if not isinstance(x, (list, tuple)):
                return NotImplemented
            x = np.asarray(x, self.dtype)
        y = self._multiply(x.T if x.ndim == 2 else x, None, 1.0, 0.0, not self._is_transposed)
        return y.T if x.ndim == 2 else y

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        """``x @ A`` and ``torch.matmul`` of tensors."""
        if function.__name__ not in ("matmul", "__matmul__") or len(arguments) != 2:
            return NotImplemented
        if sys.modules["torch"].compiler.is_compiling():  # it hands over the operands of both in one order
            raise TypeError("torch.compile cannot tell A @ x from x @ A: write tilespmv.torch.matmul(A, x) or A.dot(x)")
        left, right = arguments
        return left.__matmul__(right) if isinstance(left, Matrix) else right.__rmatmul__(left)

    def _multiply(self, x, out, alpha, beta, is_transposed):
        core = self._core
        kind = library_of(type(x))
        if kind is NumPy or kind is CuPy:
            y = out
            if out is None and beta == 0 and 0 < x.ndim < 3:
                y = kind.result(self.shape[is_transposed != self._is_transposed], x)
            if type(y) is type(x) and kind.multiply(core, alpha, x, beta, y, is_transposed):  # which checks them
                return y
        kind, rows = self._check(x, is_transposed)
        if out is None and beta != 0:
            raise ValueError("beta needs out, which it multiplies")
        if kind.is_recorded(x):
            if out is not None:
                raise TypeError("a product of arrays of JAX, or of tensors with a gradient, makes its result: it takes no out")
            y = kind.record(self, x, is_transposed)
            return y if alpha == 1 else alpha * y
        if out is None:
            y = kind.result(rows, x)
        else:
            y = out
            if kind_of(y) is not kind:
                raise TypeError(f"out is {type(y).__name__}: expected an array like x")
            if tuple(y.shape) != (rows,) + tuple(x.shape[1:]):
                raise ValueError(f"out has shape {tuple(y.shape)}, expected {(rows,) + tuple(x.shape[1:])}")
            if kind.type_name(y) != self._type_name:
                raise TypeError(f"out has values of {kind.type_name(y)}, expected {self._type_name}")
        to_y = kind.handle(y)
        stream = kind.stream(x)
        if not core.multiply(alpha, kind.handle(x), beta, to_y, is_transposed, stream) and not core.multiply(
            alpha, kind.handle(kind.compact(x)), beta, to_y, is_transposed, stream
        ):
            raise ValueError("out has neither rows nor columns that lie one after the other in memory")
        return y

    def _check(self, x, is_transposed):
        """Raises if x cannot be multiplied; how it is handled, and the rows of the result."""
        kind = kind_of(x)
        if kind is None:
            raise TypeError(f"cannot multiply by {type(x).__name__}: expected an array of NumPy, CuPy, torch or JAX")
        if x.ndim not in (1, 2):
            raise ValueError(f"an array of shape {tuple(x.shape)}: expected one or two dimensions")
        rows, cols = self.shape if is_transposed == self._is_transposed else self.shape[::-1]
        if x.shape[0] != cols:
            raise ValueError(f"cannot multiply a matrix of shape ({rows}, {cols}) and an array of shape {tuple(x.shape)}")
        if kind.type_name(x) != self._type_name:
            raise TypeError(f"an array of {kind.type_name(x)} for a matrix of {self._type_name}: convert one of them")
        if kind.on_gpu and not self._is_on_gpu:
            raise ValueError("the array is on a GPU and the matrix on the CPU: make it with device=\"cuda\"")
        return kind, rows

    def update_values(self, values) -> None:
        """Gives the stored elements new values, in the order of `to_scipy`; the pattern stays.

        values : (nnz,), of the type of the matrix. Those of CuPy and torch on a GPU are copied there on the current stream,
        all others by way of the host, which waits for work on the GPU.
        """
        kind = kind_of(values)
        if kind is None:
            values, kind = np.asarray(values, self.dtype), NumPy
        if kind.type_name(values) != self._type_name:
            raise TypeError(f"values of {kind.type_name(values)} for a matrix of {self._type_name}")
        if tuple(values.shape) != (self.nnz,):
            raise ValueError(f"values of shape {tuple(values.shape)}, expected ({self.nnz},)")
        if self._core.is_on_gpu and is_there(values):
            values = kind.compact(values)
            return _core.update_device_values(self._core, kind.handle(values)[0], self.nnz, kind.stream(values))
        if kind.on_gpu:
            values = values.get() if hasattr(values, "get") else np.asarray(values.cpu() if hasattr(values, "cpu") else values)
            kind = NumPy
        self._core.update_values(np.ascontiguousarray(kind.handle(values)))

    def _csr(self):
        indptr, indices, values = self._core.csr()
        return _tiles.as_type(values, self._type_name), indices, indptr

    def to_scipy(self):
        """A ``scipy.sparse.csr_array``, of the transpose ``csc_array``, that shares the arrays of this matrix: do not
        change it. SciPy has no values of 16 bits: these become float32."""
        import scipy.sparse

        values, indices, indptr = self._csr()
        if self._type_name.endswith("16"):
            values = values.astype(np.float32)
        if self.nnz <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)  # SciPy would copy both otherwise
        array = scipy.sparse.csc_array if self._is_transposed else scipy.sparse.csr_array
        return array((values, indices, indptr), shape=self.shape)

    def to_cupy(self):
        """A copy as ``cupyx.scipy.sparse.csr_matrix``, of the transpose ``csc_matrix``. A matrix that came from arrays on a
        GPU is copied there. CuPy has no sparse values of 16 bits: these become float32."""
        import cupy
        import cupyx.scipy.sparse

        sparse = cupyx.scipy.sparse
        make = sparse.csc_matrix if self._is_transposed else sparse.csr_matrix
        if not self._is_on_gpu or self._type_name.endswith("16"):
            return make(self.to_scipy())
        indptr = cupy.empty(self._core.rows + 1, np.int64)
        indices, data = cupy.empty(self.nnz, np.int32), cupy.empty(self.nnz, self.dtype)
        _core.to_device_csr(self._core, indptr.data.ptr, indices.data.ptr, data.data.ptr, CuPy.stream(data))
        return make((data, indices, indptr.astype(np.int32)), shape=self.shape)

    def save(self, path: str | os.PathLike, selector: str | None = None) -> None:
        """Writes the matrix as tiles to an archive (``.tsp``) that `matrix` reads. selector : how tiles get their formats,
        as ``tilespmv info`` lists them."""
        if self._is_transposed:
            raise ValueError("save writes the matrix, not its transpose: use A.T.to_scipy()")
        self._core.save(os.fspath(path), _tiles.selector_name(selector))

    def __reduce__(self):
        made = self._core
        values, indices, indptr = self._csr()
        arrays = values, indices, indptr
        return _restore, (arrays, (made.rows, made.cols), self.device, made.specification, self._type_name, self._is_transposed)

    def copy(self) -> Matrix:
        """A matrix of its own."""
        rebuild, arguments = self.__reduce__()
        arrays = tuple(np.array(a) for a in arguments[0])
        return rebuild(arrays, *arguments[1:])

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def aslinearoperator(self):
        """A ``scipy.sparse.linalg.LinearOperator`` whose products of blocks and of the transpose are this matrix's; for a
        matrix on a GPU ``cupyx``'s, where there is CuPy."""
        from ._linear_operator import linear_operator

        return linear_operator(self)

    def executed(self) -> list[dict]:
        """What a product runs: a dictionary for each representation, with its nonzeros and bytes."""
        return self._core.executed()

    def explain(self) -> list[dict]:
        """Which operators ``auto`` could have taken, those of the least predicted time first: dictionaries of their
        names, seconds of a product and of preparation, and why."""
        return self._core.candidates()

    def stats(self, selector: str | None = None) -> dict:
        """A dictionary of numbers: rows, tiles, formats, bytes. A list of these is what ``pandas.DataFrame`` takes."""
        return self._core.statistics(_tiles.selector_name(selector))

    def tile_map(self, selector: str | None = None) -> np.ndarray:
        """The tiles, a structured array: row and col in the grid of tiles, nnz, bytes, format (a place in
        `tilespmv.format_names()`)."""
        return _tiles.tile_map(self, selector)

    def view(self, path: str | os.PathLike | None = None, selector: str | None = None, *, name: str = "matrix", size: float = 5):
        """Writes a page in which one zooms from the whole matrix to the nonzeros of a tile, with its bytes in every format
        and why it has the one it has. A notebook shows what is returned; its ``open()`` shows it in a browser.

        path : an HTML file, which loads nothing; a new one for temporary files unless given. selector : how tiles get their
        formats. name : the title. size : at most so many MB; details of tiles that do not fit are left out.
        """
        if self._is_transposed:
            raise ValueError("view shows the matrix, not its transpose")
        if not 0.1 <= size <= 100:
            raise ValueError(f"size {size}: expected MB from 0.1 to 100")
        page = _page.Page(path)
        self._core.write_view(page.path, _tiles.selector_name(selector), str(name), size)
        return page

    def plot_tiles(self, ax=None, selector=None):
        """Draws where the nonzeros are and which formats their tiles have, on an axis of matplotlib, which it returns."""
        return _tiles.plot(self, ax, selector)


def _restore(arrays, shape, device, operator, type_name, is_transposed):
    if device == "cuda" and not _core.has_gpu():
        device, operator = "cpu", "auto"
    made = matrix(arrays, device, operator, type_name, shape=shape)
    return made.T if is_transposed else made
