// The module tilespmv._core: matrices, products and solves on arrays that the Python part has described.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include "kernels/solver/choose_preconditioner.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/seconds_since.hpp"
#include "tools/bindings/matrix.hpp"
#include "tools/options/value_type.hpp"
#include "tools/python/arrays.hpp"
#include "tools/python/device_arrays.hpp"
#include "tools/python/shared.hpp"
#include "tools/view/colors.hpp"
#include "tools/view/view.hpp"
#if TILESPMV_HAS_JAX
#include "tools/python/jax.hpp"
#endif

namespace nb = nanobind;
using namespace nb::literals;

namespace tilespmv::bindings {
namespace {

/// What f returns, while other threads of Python go on.
template <class F>
auto released(F&& f) {
    const nb::gil_scoped_release released;
    return f();
}

/// A factor, as Python makes a number of it, with its message of one line.
double number(nb::handle factor) {
    const double value = PyFloat_AsDouble(factor.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return value;
}

bool multiply(Matrix& a, nb::handle alpha, nb::handle x, nb::handle beta, nb::handle y, bool is_transposed,
              std::uintptr_t stream) {
    const double factors[] = {number(alpha), number(beta)};
    const AnyArray from(x, false);
    const AnyArray to(y, true);
    return released([&] { return a.multiply(factors[0], from.get(), factors[1], to.get(), is_transposed, stream); });
}

/// The same for arrays of the right type. False, and nothing was done, if they do not suit.
bool multiply_if_suited(Matrix& a, nb::handle alpha, const TypedArray& x, nb::handle beta, const TypedArray& y,
                        bool is_transposed, std::uintptr_t stream) {
    const double factors[] = {number(alpha), number(beta)};
    const auto rows = static_cast<std::size_t>(is_transposed ? a.cols() : a.rows());
    const auto cols = static_cast<std::size_t>(is_transposed ? a.rows() : a.cols());
    if (!x.has_type || !y.has_type || x.is_vector != y.is_vector) return false;
    if (x.array.rows != cols || y.array.rows != rows || x.array.cols != y.array.cols) return false;
    return released([&] { return a.multiply(factors[0], x.array, factors[1], y.array, is_transposed, stream); });
}

/// `multiply` of two arrays of NumPy, all in one call. False if they do not suit: then `multiply` finds out why.
bool multiply_numpy(Matrix& a, nb::handle alpha, nb::handle x, nb::handle beta, nb::handle y, bool is_transposed) {
    const char format = format_of(a.value_type());
    if (format == '\0') return false;
    const HostBuffer from(x, false);
    const HostBuffer to(y, true);
    return multiply_if_suited(a, alpha, from.typed(format), beta, to.typed(format), is_transposed, 0);
}

/// The same of two arrays of CuPy.
bool multiply_cupy(Matrix& a, nb::handle alpha, nb::handle x, nb::handle beta, nb::handle y, bool is_transposed,
                   std::uintptr_t stream) {
    const char format = format_of(a.value_type());
    return multiply_if_suited(a, alpha, array_of_cupy(x, format), beta, array_of_cupy(y, format), is_transposed,
                              stream);
}

/// Seconds of a product without Python, the mean of `count` calls: what it costs to call from there is measured beside
/// it.
double library_seconds(Matrix& a, nb::handle x, nb::handle y, int count) {
    const AnyArray from(x, false);
    const AnyArray to(y, true);
    const nb::gil_scoped_release released;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) a.multiply(1, from.get(), 0, to.get(), false, 0);
    return seconds_since(start) / count;
}

using Ints = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

std::shared_ptr<Matrix> from_csr(const std::string& value_type, std::int64_t rows, std::int64_t cols, Ints row_ptrs,
                                 nb::ndarray<const index_t, nb::c_contig, nb::device::cpu, nb::ndim<1>> col_idxs,
                                 Ints values, bool is_on_gpu, const std::string& operator_name) {
    const bool is_wide = row_ptrs.dtype() == nb::dtype<std::int64_t>();
    if (!is_wide && row_ptrs.dtype() != nb::dtype<std::int32_t>())
        throw nb::type_error("indptr has to be int32 or int64");
    if (rows < 0 || row_ptrs.shape(0) != static_cast<std::size_t>(rows) + 1) {
        throw nb::value_error(
            fmt::format("indptr has {} entries, expected {} for {} rows", row_ptrs.shape(0), rows + 1, rows).c_str());
    }
    if (col_idxs.shape(0) != values.shape(0)) {
        throw nb::value_error(
            fmt::format("{} column indices for {} values", col_idxs.shape(0), values.shape(0)).c_str());
    }
    CsrArrays arrays{rows,
                     cols,
                     static_cast<std::int64_t>(values.shape(0)),
                     row_ptrs.data(),
                     is_wide,
                     col_idxs.data(),
                     values.data(),
                     kept(nb::make_tuple(row_ptrs, col_idxs, values))};
    const Backend backend = is_on_gpu ? Backend::cuda : Backend::cpu;
    return released([&] { return make_matrix(value_type, arrays, backend, operator_name); });
}

/// Lets Ctrl-C end what takes long.
void check_signals() {
    const nb::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::shared_ptr<Matrix> load(const std::string& name, const std::string& value_type, bool is_on_gpu,
                             const std::string& operator_name) {
    const nb::gil_scoped_release released;
    return load_matrix(name, value_type, is_on_gpu ? Backend::cuda : Backend::cpu, operator_name, check_signals);
}

void update_values(Matrix& a, Ints values) {
    const nb::gil_scoped_release released;
    a.update_values(values.data(), static_cast<std::int64_t>(values.shape(0)));
}

/// (indptr, indices, values); values of 16 bits as uint16.
nb::tuple csr(const Matrix& a) {
    const CsrArrays arrays = released([&] { return a.csr(); });
    const nb::capsule owner(new std::shared_ptr<void>(arrays.owner),
                            [](void* kept) noexcept { delete static_cast<std::shared_ptr<void>*>(kept); });
    const auto array = [&]<class T>(const void* data, std::int64_t size, T) {
        return nb::cast(nb::ndarray<nb::numpy, const T>(data, {static_cast<std::size_t>(size)}, owner));
    };
    const std::string_view type = a.value_type();
    nb::object values = type == "float64"   ? array(arrays.values, arrays.nnz, double())
                        : type == "float32" ? array(arrays.values, arrays.nnz, float())
                                            : array(arrays.values, arrays.nnz, std::uint16_t());
    return nb::make_tuple(array(arrays.row_ptrs, arrays.rows + 1, std::int64_t()),
                          array(arrays.col_idxs, arrays.nnz, index_t()), values);
}

/// A row for each tile: row, col, nnz, bytes, format.
nb::object tiles(const Matrix& a, const std::string& selector) {
    auto* records = new std::vector<TileRecord>();
    const nb::capsule owner(records, [](void* kept) noexcept { delete static_cast<std::vector<TileRecord>*>(kept); });
    *records = released([&] { return a.tiles(selector); });
    static_assert(sizeof(TileRecord) == 5 * sizeof(std::int32_t));
    return nb::cast(nb::ndarray<nb::numpy, std::int32_t>(records->data(), {records->size(), 5}, owner));
}

nb::dict statistics(const Matrix& a, const std::string& selector) {
    nb::dict d;
    for (const auto& [name, value] : released([&] { return a.statistics(selector); })) {
        const bool is_whole =
            value == static_cast<double>(static_cast<std::int64_t>(value)) && name.find("mean") == std::string::npos;
        d[name.c_str()] =
            is_whole ? nb::object(nb::int_(static_cast<std::int64_t>(value))) : nb::object(nb::float_(value));
    }
    return d;
}

nb::list candidates(const Matrix& a) {
    nb::list rows;
    for (const Candidate& one : released([&] { return a.candidates(); })) {
        nb::dict d;
        d["operator"] = one.operator_name;
        d["seconds"] = one.seconds;
        d["preparation_seconds"] = one.preparation_seconds;
        d["why"] = one.why;
        rows.append(d);
    }
    return rows;
}

nb::list executed(const Matrix& a) {
    nb::list parts;
    for (const ExecutedPart& part : released([&] { return a.executed(); })) {
        nb::dict d;
        d["representation"] = part.representation;
        d["format"] = part.format;
        d["nnz"] = part.nnz;
        d["bytes"] = part.bytes;
        parts.append(d);
    }
    return parts;
}

/// Writes a page in which one zooms into the matrix, of `megabytes` at most.
void write_view(const Matrix& a, const std::string& file, const std::string& selector, const std::string& name,
                double megabytes) {
    const nb::gil_scoped_release released;
    const auto policy = make_policy(selector);
    const CsrArrays arrays = a.csr();
    tools::with_value_type(a.value_type(), [&]<Value V>() {
        const auto nnz = static_cast<std::size_t>(arrays.nnz);
        const CsrMatrix<V> csr = borrow_csr<V>(
            a.rows(), a.cols(),
            std::span(static_cast<const std::int64_t*>(arrays.row_ptrs), static_cast<std::size_t>(arrays.rows) + 1),
            std::span(arrays.col_idxs, nnz), std::span(static_cast<const V*>(arrays.values), nnz));
        const auto most_bytes = static_cast<std::size_t>(megabytes * 1e6);
        OutputFile out(file);
        out.write(tools::view_page(csr, convert(csr, *policy), {name, selector, most_bytes}).html);
        out.commit();
    });
}

nb::dict solve(const Matrix& a, nb::handle b, nb::handle x, const std::string& preconditioner,
               const std::string& operator_name, std::optional<double> rtol, double atol, int max_iterations,
               int check_every, bool start_from_x, bool constant_null_space, bool check_symmetry,
               std::optional<nb::callable> callback) {
    SolveRequest request{preconditioner, operator_name,       rtol,           atol, max_iterations, check_every,
                         start_from_x,   constant_null_space, check_symmetry, {}};
    request.on_check = [&](int iteration, double residual) {
        const nb::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!callback) return true;
        const nb::object answer = (*callback)(iteration, residual);
        return !nb::isinstance<nb::bool_>(answer) || nb::cast<bool>(answer);
    };
    const AnyArray rhs(b, false);
    const AnyArray solution(x, true);
    const SolveResult r = released([&] { return a.solve(rhs.get(), solution.get(), request); });
    nb::dict d;
    d["converged"] = r.converged;
    d["end"] = r.end;
    d["message"] = r.message;
    d["iterations"] = r.iterations;
    d["residual"] = r.residual;
    d["tolerance"] = r.tolerance;
    d["rhs_norm"] = r.rhs_norm;
    d["seconds"] = r.seconds;
    d["setup_seconds"] = r.setup_seconds;
    d["precond"] = r.preconditioner;
    d["operator"] = r.operator_name;
    d["history"] = r.history;
    return d;
}

/// Errors of the library as exceptions of the module: wrong use is a ValueError, all others are tilespmv.Error.
void translate_errors(nb::module_& m) {
    static PyObject* error_type = nullptr;
    nb::object type = nb::steal(PyErr_NewExceptionWithDoc(
        "tilespmv.Error", "What the library could not do, in one line.", PyExc_RuntimeError, nullptr));
    m.attr("Error") = type;
    error_type = type.release().ptr();
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const Error& error) {
            PyErr_SetString(error.code() == ExitCode::usage ? PyExc_ValueError : error_type, error.what());
        }
    });
}

}  // namespace

NB_MODULE(_core, m) {
    translate_errors(m);
    m.attr("__version__") = TILESPMV_VERSION;
    m.attr("has_cuda") = static_cast<bool>(TILESPMV_HAS_CUDA);
    m.def("has_gpu", has_gpu);
    m.def("format_names", format_names);
    m.def("shared", shared_matrix);
#if TILESPMV_HAS_JAX
    m.def("jax_handler", [](bool is_on_gpu, bool has_values) -> nb::object {
        return nb::capsule(jax_handler(is_on_gpu ? Memory::device : Memory::host, has_values));
    });
#endif
    nb::list colors;
    for (const std::string_view color : tools::kPalette) colors.append(std::string(color));
    m.attr("colors") = colors;
    m.attr("default_selector") = std::string(kDefaultSelector);
    m.def("from_csr", from_csr);
    m.def("load", load);
    add_device_arrays(m);
    const nb::call_guard<nb::gil_scoped_release> release;
    nb::class_<Matrix>(m, "Matrix", nb::dynamic_attr())
        .def_prop_ro("rows", &Matrix::rows)
        .def_prop_ro("cols", &Matrix::cols)
        .def_prop_ro("nnz", &Matrix::nnz)
        .def_prop_ro(
            "nbytes", [](const Matrix& a) { return a.facts().matrix_bytes + a.facts().other_bytes; }, release)
        .def_prop_ro(
            "is_reproducible", [](const Matrix& a) { return a.facts().is_reproducible; }, release)
        .def_prop_ro("value_type", [](const Matrix& a) { return std::string(a.value_type()); })
        .def_prop_ro("is_on_gpu", [](const Matrix& a) { return a.backend() == Backend::cuda; })
        .def_prop_ro("specification", &Matrix::specification, release)
        .def("executed", executed)
        .def("share", share)
        .def("multiply", multiply)
        .def("multiply_numpy", multiply_numpy)
        .def("multiply_cupy", multiply_cupy)
        .def("library_seconds", library_seconds)
        .def("update_values", update_values)
        .def("csr", csr)
        .def("tiles", tiles)
        .def("statistics", statistics)
        .def("candidates", candidates)
        .def("write_view", write_view)
        .def("save", &Matrix::save, release)
        .def("solve", solve);
}

}  // namespace tilespmv::bindings
