"""Products of JAX arrays: a linear primitive that has derivatives, batches and compiles, on the CPU and on a GPU."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from . import _core

if not hasattr(_core, "jax_handler"):
    raise _core.Error("this build of tilespmv multiplies no arrays of JAX: build it again where jaxlib is installed")

_TARGET = "tilespmv_multiply"
jax.ffi.register_ffi_target(_TARGET, _core.jax_handler(False), platform="cpu")
if _core.has_cuda:
    jax.ffi.register_ffi_target(_TARGET, _core.jax_handler(True), platform="CUDA")


class _Constant(NamedTuple):
    """A matrix in a graph of JAX."""

    key: str
    rows: int
    cols: int
    is_on_gpu: bool
    core: Any  # keeps the matrix alive; None where the caller does


def multiply(matrix, x, transposed):
    """The product by a matrix or its transpose, for x of shape (n,) or (n, k), also in functions that JAX transforms."""
    core = matrix._core
    constant = _Constant(matrix._key, core.rows, core.cols, core.is_on_gpu, core)
    return _multiply.bind(x, matrix=constant, transposed=transposed, axis=0)


# Its parameter `axis` is the dimension of x that the matrix multiplies: 1 if every row of x is a vector.
_multiply = Primitive("tilespmv_multiply")


@_multiply.def_impl
def _run(x, *, matrix, transposed, axis):
    # What is compiled for products outside of functions may live longer than the matrix.
    return _compiled(matrix._replace(core=None), transposed, axis)(x)


def _bind(x, matrix, transposed, axis):
    return _multiply.bind(x, matrix=matrix, transposed=transposed, axis=axis)


@functools.lru_cache
def _compiled(matrix, transposed, axis):
    return jax.jit(lambda x: _bind(x, matrix, transposed, axis))


@_multiply.def_abstract_eval
def _result(x, *, matrix, transposed, axis):
    shape = list(x.shape)
    shape[axis] = matrix.cols if transposed else matrix.rows
    return jax.core.ShapedArray(tuple(shape), x.dtype)


def _transpose(cotangent, x, *, matrix, transposed, axis):
    if type(cotangent) is ad.Zero:
        return [ad.Zero(x.aval)]
    return [_bind(cotangent, matrix, not transposed, axis)]


def _batch(operands, dimensions, *, matrix, transposed, axis):
    (x,), (batch,) = operands, dimensions
    if x.ndim == 2:
        return _bind(x, matrix, transposed, 1 - batch), batch
    # Blocks: columns of all of them in one product.
    end = 2 if axis == 0 else 0
    x = jax.numpy.moveaxis(x, batch, end)
    rows, cols = (x.shape[:1], x.shape[1:]) if axis == 0 else (x.shape[2:], x.shape[:2])
    count = cols[0] * cols[1]
    y = _bind(x.reshape((*rows, count) if axis == 0 else (count, *rows)), matrix, transposed, axis)
    return y.reshape((y.shape[0], *cols) if axis == 0 else (*cols, y.shape[1])), end


def _lower(context, x, *, matrix, transposed, axis):
    module = context.module_context
    if not matrix.is_on_gpu and any(platform != "cpu" for platform in module.platforms):
        raise ValueError('the array is on a GPU and the matrix on the CPU: make it with device="cuda"')
    if matrix.core is not None:
        module.add_keepalive(matrix.core)
    return jax.ffi.ffi_lowering(_TARGET)(context, x, matrix=matrix.key, transposed=transposed, axis=np.int64(axis))


ad.deflinear2(_multiply, _transpose)
batching.primitive_batchers[_multiply] = _batch
mlir.register_lowering(_multiply, _lower)
