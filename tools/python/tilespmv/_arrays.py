"""Dense arrays of NumPy, CuPy, torch and JAX, as the products take them: what they are, where they lie, new ones."""

from __future__ import annotations

import functools
import sys

import numpy as np


_names = {}


def dtype_name(dtype):
    """`dtype.name`, which takes NumPy microseconds, once."""
    name = _names.get(dtype)
    if name is None:
        name = _names[dtype] = dtype.name if hasattr(dtype, "name") else str(dtype).removeprefix("torch.")
    return name


class NumPy:
    """Arrays in the memory of the host, by the buffer protocol."""

    on_gpu = False
    is_writable = True

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
    def empty(shape, like, by_rows):
        return np.empty(shape, like.dtype, "C" if by_rows else "F")

    @staticmethod
    def compact(x):
        return np.ascontiguousarray(x)

    @staticmethod
    def result(y, like):
        return y


def _device_handle(address, shape, strides):
    if len(shape) == 1:
        return address, shape[0], 1, strides[0], 1
    return address, shape[0], shape[1], strides[0], strides[1]


class CuPy:
    on_gpu = True
    is_writable = True

    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def handle(x):
        size = x.itemsize
        return _device_handle(x.data.ptr, x.shape, [s // size for s in x.strides])

    @staticmethod
    def stream(x):
        return sys.modules["cupy"].cuda.get_current_stream().ptr

    @staticmethod
    def empty(shape, like, by_rows):
        return sys.modules["cupy"].empty(shape, like.dtype, "C" if by_rows else "F")

    @staticmethod
    def compact(x):
        return sys.modules["cupy"].ascontiguousarray(x)

    @staticmethod
    def result(y, like):
        return y


class Torch:
    """Tensors of torch, on the CPU by way of the NumPy array that shares their memory."""

    is_writable = True

    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def empty(shape, like, by_rows):
        torch = sys.modules["torch"]
        if by_rows or len(shape) == 1:
            return torch.empty(shape, dtype=like.dtype, device=like.device)
        return torch.empty(shape[::-1], dtype=like.dtype, device=like.device).t()

    @staticmethod
    def compact(x):
        return x.contiguous()

    @staticmethod
    def result(y, like):
        return y


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
        return sys.modules["torch"].cuda.current_stream(x.device).cuda_stream


class JaxOnHost(NumPy):
    """Arrays of JAX on the CPU: read in place; a result is copied into a new one, as they do not change."""

    is_writable = False

    @staticmethod
    def handle(x):
        return NumPy.handle(np.asarray(x))

    @staticmethod
    def compact(x):
        return np.ascontiguousarray(np.asarray(x))

    @staticmethod
    def result(y, like):
        return sys.modules["jax"].numpy.asarray(y)


class JaxOnGpu:
    """Arrays of JAX on a GPU, where CuPy makes the result. JAX shows nobody its streams: a product waits for x, and is
    complete when it returns."""

    on_gpu = True
    is_writable = False

    @staticmethod
    def type_name(x):
        return dtype_name(x.dtype)

    @staticmethod
    def handle(x):
        if type(x).__module__.partition(".")[0] == "cupy":
            return CuPy.handle(x)
        x.block_until_ready()
        strides = (1,) if x.ndim == 1 else (x.shape[1], 1)
        return _device_handle(x.unsafe_buffer_pointer(), x.shape, strides)

    @staticmethod
    def stream(x):
        return 0

    @staticmethod
    def empty(shape, like, by_rows):
        import cupy

        return cupy.empty(shape, like.dtype)

    @staticmethod
    def compact(x):
        return x

    @staticmethod
    def result(y, like):
        import cupy
        import jax

        cupy.cuda.runtime.deviceSynchronize()
        return jax.dlpack.from_dlpack(y)


def _jax_kind(x):
    return JaxOnGpu if next(iter(x.devices())).platform in ("gpu", "cuda") else JaxOnHost


_KINDS = {
    "numpy": lambda x: NumPy,
    "cupy": lambda x: CuPy,
    "torch": lambda x: TorchOnGpu if x.is_cuda else TorchOnHost,
    "jaxlib": _jax_kind,
    "jax": _jax_kind,
}


@functools.lru_cache(maxsize=None)
def _library(kind):
    """The library that a type of arrays belongs to; None if it is none of them."""
    for base in kind.__mro__:
        name = base.__module__.partition(".")[0]
        if name in _KINDS and base.__name__ in ("ndarray", "Tensor", "ArrayImpl", "Array"):
            return _KINDS[name]
    return None


def kind_of(x):
    """How an array is handled; None for what is no array."""
    of = _library(type(x))
    return None if of is None else of(x)
