// The product as JAX calls it: handlers of XLA's foreign function interface, which is all headers.
#include "tools/python/jax.hpp"

#include <exception>
#include <limits>
#include <mutex>
#include <optional>

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

struct Product {
    Memory memory;
    void* stream;
    std::string_view key;
    bool is_transposed;
    std::int64_t axis;
};

ffi::Error multiply(const Product& p, ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y,
                    std::optional<ffi::AnyBuffer> values = std::nullopt) {
    try {
        const auto matrix = shared_matrix(p.key);
        const auto stream = reinterpret_cast<std::uintptr_t>(p.stream);
        static std::mutex mutex;  // from new values to their product
        std::unique_lock lock(mutex, std::defer_lock);
        if (values) {
            lock.lock();
            matrix->update_values(values->untyped_data(), static_cast<std::int64_t>(values->element_count()), p.memory,
                                  stream);
        }
        matrix->multiply(1, array_of(x, p.axis, p.memory), 0, array_of(*y, p.axis, p.memory), p.is_transposed, stream);
        return ffi::Error::Success();
    } catch (const std::exception& error) {
        return ffi::Error::InvalidArgument(error.what());
    }
}

using Result = ffi::Result<ffi::AnyBuffer>;

ffi::Error multiply_on_host(std::string_view key, bool is_transposed, std::int64_t axis, ffi::AnyBuffer x, Result y) {
    return multiply({Memory::host, nullptr, key, is_transposed, axis}, x, y);
}
ffi::Error multiply_on_device(void* stream, std::string_view key, bool is_transposed, std::int64_t axis,
                              ffi::AnyBuffer x, Result y) {
    return multiply({Memory::device, stream, key, is_transposed, axis}, x, y);
}
ffi::Error multiply_values_on_host(std::string_view key, bool is_transposed, std::int64_t axis, ffi::AnyBuffer x,
                                   ffi::AnyBuffer values, Result y) {
    return multiply({Memory::host, nullptr, key, is_transposed, axis}, x, y, values);
}
ffi::Error multiply_values_on_device(void* stream, std::string_view key, bool is_transposed, std::int64_t axis,
                                     ffi::AnyBuffer x, ffi::AnyBuffer values, Result y) {
    return multiply({Memory::device, stream, key, is_transposed, axis}, x, y, values);
}

auto on_host() {
    return ffi::Ffi::Bind().Attr<std::string_view>("matrix").Attr<bool>("transposed").Attr<std::int64_t>("axis");
}
auto on_device() {
    return ffi::Ffi::Bind()
        .Ctx<ffi::PlatformStream<void*>>()
        .Attr<std::string_view>("matrix")
        .Attr<bool>("transposed")
        .Attr<std::int64_t>("axis");
}
XLA_FFI_DEFINE_HANDLER(host_handler, multiply_on_host, on_host().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(device_handler, multiply_on_device, on_device().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(host_values_handler, multiply_values_on_host,
                       on_host().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER(device_values_handler, multiply_values_on_device,
                       on_device().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

}  // namespace

void* jax_handler(Memory memory, bool has_values) {
    const bool is_host = memory == Memory::host;
    if (has_values) return reinterpret_cast<void*>(is_host ? host_values_handler : device_values_handler);
    return reinterpret_cast<void*>(is_host ? host_handler : device_handler);
}

}  // namespace tilespmv::bindings
