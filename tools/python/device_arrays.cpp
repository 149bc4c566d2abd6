// Matrices of arrays in the memory of a GPU, which Python describes by their addresses.
#include "tools/python/device_arrays.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "tools/bindings/assembly.hpp"
#include "tools/python/arrays.hpp"

namespace nb = nanobind;

namespace tilespmv::bindings {
namespace {

using Address = std::uintptr_t;

const void* at(Address address) { return reinterpret_cast<const void*>(address); }  // NOLINT

std::shared_ptr<Matrix> make(const std::string& value_type, CsrArrays arrays, nb::object owner,
                             const std::string& operator_name) {
    arrays.owner = kept(std::move(owner));
    const nb::gil_scoped_release released;
    return make_matrix(value_type, arrays, Backend::cuda, operator_name);
}

std::shared_ptr<Matrix> from_device_csr(const std::string& value_type, std::int64_t rows, std::int64_t cols,
                                        std::int64_t nnz, Address row_ptrs, bool is_wide, Address col_idxs,
                                        Address values, nb::object owner, Address stream,
                                        const std::string& operator_name) {
    const CsrArrays arrays{
        rows,    cols,           nnz,   at(row_ptrs), is_wide, static_cast<const index_t*>(at(col_idxs)), at(values),
        nullptr, Memory::device, stream};
    return make(value_type, arrays, std::move(owner), operator_name);
}

void update_device_values(Matrix& a, Address values, std::int64_t nnz, Address stream) {
    const nb::gil_scoped_release released;
    a.update_values(at(values), nnz, Memory::device, stream);
}

void to_device_csr(const Matrix& a, Address row_ptrs, Address col_idxs, Address values, Address stream) {
    const nb::gil_scoped_release released;
    const auto to = [](Address address) { return const_cast<void*>(at(address)); };
    a.to_csr({static_cast<std::int64_t*>(to(row_ptrs)), static_cast<index_t*>(to(col_idxs)), to(values), Memory::device,
              stream});
}

}  // namespace

void add_device_arrays(nb::module_& m) {
    m.def("from_device_csr", from_device_csr);
    m.def("update_device_values", update_device_values);
    m.def("to_device_csr", to_device_csr);
    m.def("assembly", [](std::int64_t rows, std::int64_t cols, std::int64_t count, Address row_idxs, Address col_idxs,
                         bool is_wide, Address stream) {
        const nb::gil_scoped_release released;
        return make_assembly({rows, cols, count, at(row_idxs), at(col_idxs), is_wide, stream});
    });
    nb::class_<Assembly>(m, "Assembly")
        .def_prop_ro("nnz", &Assembly::nnz)
        .def_prop_ro("nbytes", &Assembly::bytes)
        .def("sum",
             [](const Assembly& a, const std::string& value_type, Address entries, Address values, Address stream) {
                 const nb::gil_scoped_release released;
                 a.sum(value_type, at(entries), const_cast<void*>(at(values)), stream);
             })
        .def("matrix", [](std::shared_ptr<Assembly> a, const std::string& value_type, Address values, nb::object owner,
                          Address stream, const std::string& operator_name) {
            const CsrArrays arrays = a->csr(at(values), stream);
            return make(value_type, arrays, nb::make_tuple(std::move(a), std::move(owner)), operator_name);
        });
}

}  // namespace tilespmv::bindings
