"""Dense arrays of NumPy, CuPy, torch and JAX, as the products take them: what they are, where they lie, new ones; and
whether their library records a product, for a gradient or to compile it."""

from __future__ import annotations

import sys

import numpy as np


_names: dict = {}


def dtype_name(dtype):
    """`dtype.name`, which takes NumPy microseconds, once; of values in the other order of bytes that says so."""
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = dtype.name if dtype.isnative else dtype.str
    return name


class NumPy:
    """Arrays in the memory of the host, by the buffer protocol."""

    on_gpu = False

    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def handle(x):
        return x if x.dtype.kind == "f" else x.view(np.uint16)  # bfloat16 has no buffer

    @staticmethod
    def stream(x):
        return 0

    @staticmethod
    def multiply(core, alpha, x, beta, y, is_transposed):
        """False, and nothing was done, if the arrays do not suit."""
        return core.multiply_numpy(alpha, x, beta, y, is_transposed)

    @staticmethod
    def result(rows, x):
        """A new array for as many rows of results of x, in the layout of x."""
        if x.ndim == 1:
            return np.empty(rows, x.dtype)
        return np.empty((rows, x.shape[1]), x.dtype, "C" if x.strides[1] == x.itemsize else "F")

    @staticmethod
    def compact(x):
        return np.ascontiguousarray(x)

    @staticmethod
    def is_recorded(x):
        return False


def _device_handle(address, shape, strides):
    if len(shape) == 1:
        return address, shape[0], 1, strides[0], 1
    return address, shape[0], shape[1], strides[0], strides[1]


def _cupy_stream():
    """CuPy's `get_current_stream`, whose place takes a microsecond to look up: it is put in this place."""
    global _cupy_stream
    _cupy_stream = sys.modules["cupy"].cuda.get_current_stream
    return _cupy_stream()


class CuPy:
    on_gpu = True

    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def handle(x):
        size = x.itemsize
        return _device_handle(x.data.ptr, x.shape, [s // size for s in x.strides])

    @staticmethod
    def stream(x):
        return _cupy_stream().ptr

    @staticmethod
    def multiply(core, alpha, x, beta, y, is_transposed):
        return core.multiply_cupy(alpha, x, beta, y, is_transposed, _cupy_stream().ptr)

    @staticmethod
    def result(rows, x):
        cupy = sys.modules["cupy"]
        if x.ndim == 1:
            return cupy.ndarray(rows, x.dtype)
        return cupy.ndarray((rows, x.shape[1]), x.dtype, order="C" if x.strides[1] == x.itemsize else "F")

    @staticmethod
    def compact(x):
        return sys.modules["cupy"].ascontiguousarray(x)

    @staticmethod
    def is_recorded(x):
        return False


class Torch:
    """Tensors of torch, on the CPU by way of the NumPy array that shares their memory."""

    @staticmethod
    def type_name(x):
        return str(x.dtype)[6:]  # after "torch."

    @staticmethod
    def result(rows, x):
        if x.ndim == 1 or x.stride(1) == 1:
            return x.new_empty((rows, *x.shape[1:]))
        return x.new_empty((x.shape[1], rows)).t()

    @staticmethod
    def compact(x):
        return x.contiguous()

    @staticmethod
    def is_recorded(x):
        torch = sys.modules["torch"]
        if torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active():
            return True
        return x.requires_grad and torch.is_grad_enabled()

    @staticmethod
    def record(matrix, x, is_transposed):
        from . import torch

        return torch.Multiply.apply(x, matrix._key, is_transposed)


class TorchOnHost(Torch):
    on_gpu = False

    @staticmethod
    def handle(x):
        torch = sys.modules["torch"]
        x = x.detach()
        return (x.view(torch.uint16) if x.dtype == torch.bfloat16 else x).numpy()

    @staticmethod
    def stream(x):
        return 0


class TorchOnGpu(Torch):
    on_gpu = True

    @staticmethod
    def handle(x):
        return _device_handle(x.data_ptr(), x.shape, x.stride())

    @staticmethod
    def stream(x):
        torch = sys.modules["torch"]
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)  # in a tenth of the time
        return raw(x.get_device()) if raw else torch.cuda.current_stream(x.device).cuda_stream


class Jax:
    """Arrays of JAX, and what stands for them in functions that are transformed or compiled: always by its primitive."""

    on_gpu = False  # or known when it is compiled
    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def handle(x):
        return NumPy.handle(np.asarray(x))

    @staticmethod
    def is_recorded(x):
        return True

    @staticmethod
    def record(matrix, x, is_transposed):
        from . import jax

        return jax.multiply(matrix, x, is_transposed)


_KINDS = {
    "numpy": NumPy,
    "cupy": CuPy,
    "torch": Torch,
    "jaxlib": Jax,
    "jax": Jax,
}


_TYPES = ("ndarray", "Tensor", "ArrayImpl", "Array", "Tracer")
_libraries: dict = {}


def library_of(kind):
    """The library that a type of arrays belongs to; None if it is none of them."""
    if kind not in _libraries:
        names = [base.__module__.partition(".")[0] for base in kind.__mro__ if base.__name__ in _TYPES]
        _libraries[kind] = next((_KINDS[name] for name in names if name in _KINDS), None)
    return _libraries[kind]


def kind_of(x):
    """How an array is handled; None for what is no array."""
    kind = library_of(type(x))
    return (TorchOnGpu if x.is_cuda else TorchOnHost) if kind is Torch else kind
