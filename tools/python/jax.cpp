// The product as JAX calls it: handlers of XLA's foreign function interface, which is all headers.
#include "tools/python/jax.hpp"

#include <exception>
#include <limits>

#include "tile/error.hpp"
#include "tools/python/shared.hpp"
#include "xla/ffi/api/ffi.h"

namespace tilespmv::bindings {
namespace {

namespace ffi = xla::ffi;

/// A buffer of XLA's, by rows, whose dimension `axis` the matrix multiplies; the other one, if any, counts columns.
Array array_of(ffi::AnyBuffer buffer, std::int64_t axis, Memory memory) {
    const auto sizes = buffer.dimensions();
    const auto size = static_cast<std::size_t>(axis);
    Array array{buffer.untyped_data(), static_cast<std::size_t>(sizes[size]), 1, 1, 1, memory};
    if (sizes.size() == 2) {
        const std::int64_t cols = sizes[1 - size];
        if (cols > std::numeric_limits<int>::max()) throw Error("a product of more than 2147483647 columns");
        array.cols = static_cast<int>(cols);
        array.row_stride = axis == 0 ? cols : 1;
        array.col_stride = axis == 0 ? 1 : sizes[1];
    }
    return array;
}

ffi::Error multiply(Memory memory, void* stream, std::string_view key, bool is_transposed, std::int64_t axis,
                    ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
    try {
        shared_matrix(key)->multiply(1, array_of(x, axis, memory), 0, array_of(*y, axis, memory), is_transposed,
                                     reinterpret_cast<std::uintptr_t>(stream));
        return ffi::Error::Success();
    } catch (const std::exception& error) {
        return ffi::Error::InvalidArgument(error.what());
    }
}

ffi::Error multiply_on_host(std::string_view key, bool is_transposed, std::int64_t axis, ffi::AnyBuffer x,
                            ffi::Result<ffi::AnyBuffer> y) {
    return multiply(Memory::host, nullptr, key, is_transposed, axis, x, y);
}

ffi::Error multiply_on_device(void* stream, std::string_view key, bool is_transposed, std::int64_t axis,
                              ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
    return multiply(Memory::device, stream, key, is_transposed, axis, x, y);
}

XLA_FFI_DEFINE_HANDLER(host_handler, multiply_on_host,
                       ffi::Ffi::Bind()
                           .Attr<std::string_view>("matrix")
                           .Attr<bool>("transposed")
                           .Attr<std::int64_t>("axis")
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(device_handler, multiply_on_device,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Attr<std::string_view>("matrix")
                           .Attr<bool>("transposed")
                           .Attr<std::int64_t>("axis")
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>());

}  // namespace

void* jax_handler(Memory memory) {
    return reinterpret_cast<void*>(memory == Memory::host ? host_handler : device_handler);
}

}  // namespace tilespmv::bindings
