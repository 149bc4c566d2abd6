"""Products of torch tensors as operators of torch: with gradients, under `torch.compile` and `torch.func.vmap`.

``A @ x`` takes them by itself where they are needed; `matmul` multiplies by other values, too.
"""

from __future__ import annotations

import torch
from torch.library import custom_op

from . import _core
from ._arrays import Torch, kind_of
from ._matrix import Matrix
from ._varying import varying


def matmul(A: Matrix, x: torch.Tensor, values: torch.Tensor | None = None) -> torch.Tensor:
    """``A @ x``, differentiable in x and, where they are given, in the values.

    values : (nnz,), optional
        What to multiply by in place of the stored values, in the order of ``A.to_scipy()`` (for ``A.T`` in that of A).
        A stays as it is: the first such product prepares a copy of it, the first gradient its form for the transpose.
    """
    A._check(x, A._is_transposed)
    if values is None:
        return Multiply.apply(x, A._key, A._is_transposed)
    if tuple(values.shape) != (A.nnz,):
        raise ValueError(f"values of shape {tuple(values.shape)}, expected ({A.nnz},)")
    if values.dtype != x.dtype or values.device != x.device:
        raise TypeError(f"values of {values.dtype} on {values.device} for x of {x.dtype} on {x.device}")
    return MultiplyValues.apply(x, values, A._key, A._is_transposed)


# A graph holds the key of a matrix, which is a constant there.


@custom_op("tilespmv::multiply", mutates_args=())
def multiply(x: torch.Tensor, key: str, transposed: bool) -> torch.Tensor:
    """A @ x"""
    return _product(_core.shared(key), x, transposed)


@custom_op("tilespmv::multiply_values", mutates_args=())
def multiply_values(x: torch.Tensor, values: torch.Tensor, key: str, transposed: bool) -> torch.Tensor:
    """A @ x with these values in A."""
    of = varying(key)
    with of.lock:
        of.matrix.update_values(values.detach())
        return _product(of.matrix._core, x, transposed)


@custom_op("tilespmv::sample_product", mutates_args=())
def sample_product(y: torch.Tensor, x: torch.Tensor, key: str) -> torch.Tensor:
    """The elements of y @ x.T at the places of the stored values."""
    of = varying(key)
    if x.device not in of.places:
        of.places[x.device] = [torch.tensor(i, dtype=torch.int64, device=x.device) for i in (of.rows, of.cols)]
    rows, cols = of.places[x.device]
    if x.ndim == 1:
        return y[rows] * x[cols]
    return sum((y[rows, k] * x[cols, k] for k in range(x.shape[1])), x.new_zeros(rows.shape))


@multiply.register_fake
def _(x, key, transposed):
    return _like(x, _core.shared(key), transposed)


@multiply_values.register_fake
def _(x, values, key, transposed):
    return _like(x, _core.shared(key), transposed)


@sample_product.register_fake
def _(y, x, key):
    return x.new_empty(_core.shared(key).nnz)


class _Product(torch.autograd.Function):
    """The base of products with gradients; their last arguments are the key and other constants."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensors = [i for i in inputs if isinstance(i, torch.Tensor)]
        ctx.save_for_backward(*tensors)
        ctx.constants = inputs[len(tensors) :]
        if not torch.compiler.is_compiling():
            ctx.core = _core.shared(ctx.constants[0])  # lives as long as the graph


class Multiply(_Product):
    @staticmethod
    def forward(x, key, transposed):
        if torch.compiler.is_compiling() or type(x) is not torch.Tensor:
            return multiply(x, key, transposed)
        return _product(_core.shared(key), x.detach(), transposed)  # an operator takes 20 us more

    @staticmethod
    def backward(ctx, g):
        key, transposed = ctx.constants
        return Multiply.apply(g, key, not transposed), None, None

    @staticmethod
    def vmap(info, in_dims, x, key, transposed):
        x = x.movedim(in_dims[0], -1)
        y = Multiply.apply(x.reshape(x.shape[0], -1), key, transposed)
        return y.reshape(-1, *x.shape[1:]), x.ndim - 1


class MultiplyValues(_Product):
    @staticmethod
    def forward(x, values, key, transposed):
        return multiply_values(x, values, key, transposed)

    @staticmethod
    def backward(ctx, g):
        (x, values), (key, transposed) = ctx.saved_tensors, ctx.constants
        to_x = MultiplyValues.apply(g, values, key, not transposed) if ctx.needs_input_grad[0] else None
        to_values = None
        if ctx.needs_input_grad[1]:
            to_values = SampleProduct.apply(*((x, g) if transposed else (g, x)), key)
        return to_x, to_values, None, None


class SampleProduct(_Product):
    @staticmethod
    def forward(y, x, key):
        return sample_product(y, x, key)

    @staticmethod
    def backward(ctx, g):
        (y, x), (key,) = ctx.saved_tensors, ctx.constants
        to_y = MultiplyValues.apply(x, g, key, False) if ctx.needs_input_grad[0] else None
        to_x = MultiplyValues.apply(y, g, key, True) if ctx.needs_input_grad[1] else None
        return to_y, to_x, None


def _like(x, core, transposed):
    """A new tensor for a product of x, by columns if x is."""
    rows = core.cols if transposed else core.rows
    return Torch.result(rows, x)


def _product(core, x, transposed):
    kind = kind_of(x)
    y = _like(x, core, transposed)
    if not core.multiply(1.0, kind.handle(x), 0.0, kind.handle(y), transposed, kind.stream(x)):
        core.multiply(1.0, kind.handle(x.contiguous()), 0.0, kind.handle(y), transposed, kind.stream(x))
    return y
