#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include <nanobind/nanobind.h>
#include <nanobind/stl/tuple.h>

#include "tools/bindings/matrix.hpp"

#if defined(Py_LIMITED_API) && Py_LIMITED_API < 0x030B0000
// Python 3.10 has the buffer protocol in its libraries as 3.11 declares it, but not in the headers of its stable ABI.
extern "C" {
struct Py_buffer {
    void* buf;
    PyObject* obj;
    Py_ssize_t len;
    Py_ssize_t itemsize;
    int readonly;
    int ndim;
    char* format;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    Py_ssize_t* suboffsets;
    void* internal;
};
int PyObject_GetBuffer(PyObject* object, Py_buffer* view, int flags);
void PyBuffer_Release(Py_buffer* view);
}
inline constexpr int PyBUF_WRITABLE = 0x1;
inline constexpr int PyBUF_FORMAT = 0x4;
inline constexpr int PyBUF_STRIDED_RO = 0x18;
inline constexpr int PyBUF_STRIDED = PyBUF_STRIDED_RO | PyBUF_WRITABLE;
#endif

namespace tilespmv::bindings {

/// An array and whether it has values of the type that was asked for.
struct TypedArray {
    Array array;
    bool has_type = false;
    bool is_vector = true;
};

/// The character that NumPy has for a type of values; 0 if it has none.
inline char format_of(std::string_view value_type) {
    if (value_type == "float64") return 'd';
    if (value_type == "float32") return 'f';
    return value_type == "float16" ? 'e' : '\0';
}

/// An object with Python's buffer protocol, such as a NumPy array, for as long as this lives.
class HostBuffer {
public:
    HostBuffer(nanobind::handle object, bool is_written) {
        if (PyObject_GetBuffer(object.ptr(), &view_, (is_written ? PyBUF_STRIDED : PyBUF_STRIDED_RO) | PyBUF_FORMAT) !=
            0) {
            throw nanobind::python_error();
        }
    }
    HostBuffer(const HostBuffer&) = delete;
    HostBuffer& operator=(const HostBuffer&) = delete;
    ~HostBuffer() { PyBuffer_Release(&view_); }

    [[nodiscard]] Array array() const {
        if (view_.ndim != 1 && view_.ndim != 2)
            throw nanobind::value_error("expected an array of one or two dimensions");
        const auto stride = [&](int i) { return view_.strides[i] / view_.itemsize; };
        for (int i = 0; i < view_.ndim; ++i) {
            if (view_.strides[i] % view_.itemsize != 0)
                throw nanobind::value_error("the strides of an array are no multiples of its values");
        }
        const bool is_vector = view_.ndim == 1;
        return {view_.buf,
                static_cast<std::size_t>(view_.shape[0]),
                is_vector ? 1 : static_cast<int>(view_.shape[1]),
                stride(0),
                is_vector ? 1 : stride(1),
                Memory::host};
    }

    /// `format`: of `format_of`.
    [[nodiscard]] TypedArray typed(char format) const {
        return {array(), view_.format != nullptr && view_.format[0] == format && view_.format[1] == '\0',
                view_.ndim == 1};
    }

private:
    Py_buffer view_{};
};

/// (address, rows, columns, row stride, column stride) of an array in the memory of a GPU, or a buffer of the host's.
class AnyArray {
public:
    AnyArray(nanobind::handle object, bool is_written) {
        if (PyTuple_Check(object.ptr())) {
            const auto t =
                nanobind::cast<std::tuple<std::uintptr_t, std::size_t, int, std::ptrdiff_t, std::ptrdiff_t>>(object);
            array_ = {reinterpret_cast<void*>(std::get<0>(t)),
                      std::get<1>(t),
                      std::get<2>(t),
                      std::get<3>(t),  // NOLINT
                      std::get<4>(t),
                      Memory::device};
        } else {
            buffer_.emplace(object, is_written);
            array_ = buffer_->array();
        }
    }
    [[nodiscard]] const Array& get() const { return array_; }

private:
    std::optional<HostBuffer> buffer_;
    Array array_;
};

/// An array of CuPy by its attributes. `format`: of `format_of`.
TypedArray array_of_cupy(nanobind::handle x, char format);

/// What keeps Python's objects alive for C++, which may let go of them on any thread.
inline std::shared_ptr<void> kept(nanobind::object object) {
    return {new nanobind::object(std::move(object)), [](void* kept) {
                const nanobind::gil_scoped_acquire acquired;
                delete static_cast<nanobind::object*>(kept);
            }};
}

}  // namespace tilespmv::bindings
