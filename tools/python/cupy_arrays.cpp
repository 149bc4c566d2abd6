#include "tools/python/arrays.hpp"

namespace nb = nanobind;

namespace tilespmv::bindings {
namespace {

/// Names of attributes as Python keeps them, which are found in half of the time.
PyObject* name(const char* text) { return PyUnicode_InternFromString(text); }

nb::object attribute(nb::handle of, PyObject* name) {
    PyObject* const value = PyObject_GetAttr(of.ptr(), name);
    if (value == nullptr) throw nb::python_error();
    return nb::steal(value);
}

std::ptrdiff_t number(nb::handle tuple, Py_ssize_t i) {
    return static_cast<std::ptrdiff_t>(PyLong_AsSsize_t(PyTuple_GetItem(tuple.ptr(), i)));
}

bool has_format(nb::handle x, char format) {
    static PyObject* const dtype = name("dtype");
    static PyObject* const letter = name("char");
    const nb::object text = attribute(attribute(x, dtype), letter);
    Py_ssize_t length = 0;
    const char* const characters = PyUnicode_AsUTF8AndSize(text.ptr(), &length);
    if (characters == nullptr) throw nb::python_error();
    return length == 1 && characters[0] == format;
}

}  // namespace

TypedArray array_of_cupy(nb::handle x, char format) {
    static PyObject* const shape_name = name("shape");
    static PyObject* const strides_name = name("strides");
    static PyObject* const data_name = name("data");
    static PyObject* const address_name = name("ptr");
    if (!has_format(x, format)) return {};
    const nb::object shape = attribute(x, shape_name);
    const nb::object strides = attribute(x, strides_name);
    const Py_ssize_t dimensions = PyTuple_Size(shape.ptr());
    if (dimensions != 1 && dimensions != 2) return {};
    const std::ptrdiff_t bytes = format == 'd' ? 8 : format == 'f' ? 4 : 2;
    const bool is_vector = dimensions == 1;
    const auto address = nb::cast<std::uintptr_t>(attribute(attribute(x, data_name), address_name));
    return {{reinterpret_cast<void*>(address),  // NOLINT
             static_cast<std::size_t>(number(shape, 0)), is_vector ? 1 : static_cast<int>(number(shape, 1)),
             number(strides, 0) / bytes, is_vector ? 1 : number(strides, 1) / bytes, Memory::device},
            true,
            is_vector};
}

}  // namespace tilespmv::bindings
