"""Products of JAX arrays: primitives that have derivatives, batches and compile, on the CPU and on a GPU.

``A @ x`` takes them by itself; `matmul` multiplies by other values, too.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _core
from ._varying import varying

if not hasattr(_core, "jax_handler"):
    raise _core.Error("this build of tilespmv multiplies no arrays of JAX: build it again where jaxlib is installed")

_TARGETS = {False: "tilespmv_multiply", True: "tilespmv_multiply_values"}  # whether values are given
for has_values, target in _TARGETS.items():
    jax.ffi.register_ffi_target(target, _core.jax_handler(False, has_values), platform="cpu")
    if _core.has_cuda:
        jax.ffi.register_ffi_target(target, _core.jax_handler(True, has_values), platform="CUDA")


class _Constant(NamedTuple):
    """A matrix in a graph of JAX."""

    key: str
    rows: int
    cols: int
    is_on_gpu: bool
    core: Any  # keeps the matrix alive; None where the caller does


def matmul(A, x, values=None):
    """``A @ x``, differentiable in x and, where they are given, in the values.

    values : (nnz,), optional
        What to multiply by in place of the stored values, in the order of ``A.to_scipy()`` (for ``A.T`` in that of A).
        A stays as it is: the first such product prepares a copy of it, the first gradient its form for the transpose.
    """
    A._check(x, A._is_transposed)
    if values is None:
        return multiply(A, x, A._is_transposed)
    if values.shape != (A.nnz,):
        raise ValueError(f"values of shape {values.shape}, expected ({A.nnz},)")
    if values.dtype != x.dtype:
        raise TypeError(f"values of {values.dtype} for x of {x.dtype}")
    return _bind(x, values, matrix=_constant(A), transposed=A._is_transposed, axis=0)


def multiply(matrix, x, transposed):
    """The product by a matrix or its transpose, for x of shape (n,) or (n, k), also in functions that JAX transforms."""
    return _bind(x, matrix=_constant(matrix), transposed=transposed, axis=0)


def _constant(matrix):
    core = matrix._core
    return _Constant(matrix._key, core.rows, core.cols, core.is_on_gpu, core)


# Their parameter `axis` is the dimension of x that the matrix multiplies: 1 if every row of x is a vector. The second one
# also has the values as an operand.
_multiply = Primitive("tilespmv_multiply")
_multiply_values = Primitive("tilespmv_multiply_values")


def _bind(*operands, **parameters):
    return (_multiply if len(operands) == 1 else _multiply_values).bind(*operands, **parameters)


@_multiply.def_impl
@_multiply_values.def_impl
def _run(*operands, matrix, transposed, axis):
    # What is compiled for products outside of functions may live longer than the matrix.
    return _compiled(matrix._replace(core=None), transposed, axis)(*operands)


@functools.lru_cache
def _compiled(matrix, transposed, axis):
    return jax.jit(functools.partial(_bind, matrix=matrix, transposed=transposed, axis=axis))


@_multiply.def_abstract_eval
@_multiply_values.def_abstract_eval
def _result(x, *values, matrix, transposed, axis):
    shape = list(x.shape)
    shape[axis] = matrix.cols if transposed else matrix.rows
    return jax.core.ShapedArray(tuple(shape), x.dtype)


def _transpose(cotangent, x, *, matrix, transposed, axis):
    if type(cotangent) is ad.Zero:
        return [ad.Zero(x.aval)]
    return [_bind(cotangent, matrix=matrix, transposed=not transposed, axis=axis)]


def _transpose_x(cotangent, x, values, *, matrix, transposed, axis):
    return _bind(cotangent, values, matrix=matrix, transposed=not transposed, axis=axis)


def _transpose_values(cotangent, x, values, *, matrix, transposed, axis):
    """The elements of cotangent @ x.T, or of its transpose, at the places of the stored values."""
    of = varying(matrix.key)
    rows, cols = (of.cols, of.rows) if transposed else (of.rows, of.cols)
    products = jax.numpy.take(cotangent, rows, axis) * jax.numpy.take(x, cols, axis)
    return products if x.ndim == 1 else products.sum(1 - axis)


def _batch(operands, dimensions, *, matrix, transposed, axis):
    x, *values = operands
    batch = dimensions[0]
    bind = functools.partial(_bind, matrix=matrix, transposed=transposed)
    if any(dimension is not None for dimension in dimensions[1:]):  # one product after the other
        moved = [operand if d is None else jax.numpy.moveaxis(operand, d, 0) for operand, d in zip(operands, dimensions)]
        if batch is None:
            return jax.lax.map(lambda v: bind(x, v, axis=axis), moved[1]), 0
        return jax.lax.map(lambda pair: bind(*pair, axis=axis), tuple(moved)), 0
    if x.ndim == 2:
        return bind(x, *values, axis=1 - batch), batch
    # Blocks: columns of all of them in one product.
    end = 2 if axis == 0 else 0
    x = jax.numpy.moveaxis(x, batch, end)
    rows, cols = (x.shape[:1], x.shape[1:]) if axis == 0 else (x.shape[2:], x.shape[:2])
    count = cols[0] * cols[1]
    y = bind(x.reshape((*rows, count) if axis == 0 else (count, *rows)), *values, axis=axis)
    return y.reshape((y.shape[0], *cols) if axis == 0 else (*cols, y.shape[1])), end


def _lower(context, *operands, matrix, transposed, axis):
    module = context.module_context
    if not matrix.is_on_gpu and any(platform != "cpu" for platform in module.platforms):
        raise ValueError('the array is on a GPU and the matrix on the CPU: make it with device="cuda"')
    if matrix.core is not None:
        module.add_keepalive(matrix.core)
    has_values = len(operands) > 1
    key = varying(matrix.key).matrix._key if has_values else matrix.key
    lowering = jax.ffi.ffi_lowering(_TARGETS[has_values])
    return lowering(context, *operands, matrix=key, transposed=transposed, axis=np.int64(axis))


ad.deflinear2(_multiply, _transpose)
ad.defbilinear(_multiply_values, _transpose_x, _transpose_values)
for primitive in (_multiply, _multiply_values):
    batching.primitive_batchers[primitive] = _batch
    mlir.register_lowering(primitive, _lower)
