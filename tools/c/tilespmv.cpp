#include "tools/c/tilespmv.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tools/bindings/matrix.hpp"
#include "tools/c/arrays.hpp"

namespace bindings = tilespmv::bindings;
using tilespmv::Error;
using tilespmv::ExitCode;
using namespace tilespmv::c;

struct tilespmv_matrix_s {
    std::shared_ptr<bindings::Matrix> matrix;
    std::string operator_name;
    std::mutex mutex;  // of the message
    std::string message;
};
struct tilespmv_workspace_s {
    bindings::Workspace workspace;
};

namespace {

constexpr int kVersion = TILESPMV_VERSION_MAJOR * 10000 + TILESPMV_VERSION_MINOR * 100 + TILESPMV_VERSION_PATCH;
static_assert(std::string_view(TILESPMV_PROJECT_VERSION) == "0.1.0", "change the version in tilespmv.h, too");

std::string& message_of_thread() {
    thread_local std::string message;
    return message;
}

void keep_message(tilespmv_matrix a, std::string text) {
    if (a == nullptr) {
        message_of_thread() = std::move(text);
        return;
    }
    const std::scoped_lock lock(a->mutex);
    a->message = std::move(text);
}

/// Runs f, of which no exception gets out.
template <class F>
tilespmv_status guarded(tilespmv_matrix a, F&& f) noexcept {
    try {
        try {
            const tilespmv_status status = f();
            keep_message(a, status == TILESPMV_OK ? "" : tilespmv_status_text(status));
            return status;
        } catch (const Error& error) {
            keep_message(a, error.what());
            return error.code() == ExitCode::usage         ? TILESPMV_USAGE
                   : error.code() == ExitCode::unavailable ? TILESPMV_UNAVAILABLE
                                                           : TILESPMV_FAILURE;
        } catch (const std::bad_alloc&) {
            keep_message(a, "out of memory");
            return TILESPMV_OUT_OF_MEMORY;
        } catch (const std::exception& error) {
            keep_message(a, error.what());
            return TILESPMV_FAILURE;
        }
    } catch (...) {
        return TILESPMV_OUT_OF_MEMORY;  // not even the message could be kept
    }
}

/// "name=value" of a caller, each of which has to be read.
class OptionList {
public:
    explicit OptionList(const char* const* options) {
        for (; options != nullptr && *options != nullptr; ++options) {
            const std::string_view option(*options);
            const auto equals = option.find('=');
            if (equals == std::string_view::npos || equals == 0) {
                throw usage(fmt::format("option '{}': expected name=value", option));
            }
            values_[std::string(option.substr(0, equals))] = option.substr(equals + 1);
        }
    }
    std::string text(const std::string& name, std::string otherwise) {
        const auto found = values_.find(name);
        if (found == values_.end()) return otherwise;
        std::string value = found->second;
        values_.erase(found);
        return value;
    }
    std::optional<double> number(const std::string& name) {
        const std::string value = text(name, "");
        if (value.empty()) return std::nullopt;
        double result = 0;
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
        if (error != std::errc() || end != value.data() + value.size()) {
            throw usage(fmt::format("option {}={}: expected a number", name, value));
        }
        return result;
    }
    std::string one_of(const std::string& name, std::initializer_list<std::string_view> values) {
        const std::string value = text(name, std::string(*values.begin()));
        if (std::find(values.begin(), values.end(), value) == values.end()) {
            const auto* const first = values.begin() + (values.begin()->empty() ? 1 : 0);  // the default has no name
            throw usage(fmt::format("option {}={}: expected {}", name, value, fmt::join(first, values.end(), ", ")));
        }
        return value;
    }
    void require_all_read() const {
        if (!values_.empty()) throw usage(fmt::format("unknown option '{}'", values_.begin()->first));
    }

private:
    std::map<std::string, std::string> values_;
};

struct Place {
    tilespmv::Backend backend;
    std::string operator_name;
};
Place place_of(const char* const* options) {
    OptionList list(options);
    const std::string device = list.one_of("device", {"", "cpu", "cuda"});
    Place place{tilespmv::Backend::cpu, list.text("operator", "auto")};
    list.require_all_read();
    if (device == "cuda" || (device.empty() && bindings::has_gpu())) place.backend = tilespmv::Backend::cuda;
    return place;
}

std::unique_ptr<tilespmv_matrix_s> make(const tilespmv_arrays& a, const bindings::CsrArrays& arrays,
                                        const Place& place) {
    auto made = std::make_unique<tilespmv_matrix_s>();
    made->matrix = bindings::make_matrix(name_of(a.type), arrays, place.backend, place.operator_name);
    return made;
}

std::unique_ptr<tilespmv_matrix_s> prepare(const tilespmv_arrays& a, std::shared_ptr<HostCsr> csr, const Place& place) {
    bindings::CsrArrays arrays;
    arrays.rows = a.rows;
    arrays.cols = a.cols;
    arrays.nnz = static_cast<std::int64_t>(csr->cols.size());
    arrays.row_ptrs = csr->row_ptrs.data();
    arrays.has_wide_row_ptrs = true;
    arrays.col_idxs = csr->cols.data();
    arrays.values = csr->values.data();
    arrays.owner = std::move(csr);
    return make(a, arrays, place);
}

template <class F>
tilespmv_status create(tilespmv_matrix* a, F&& make) {
    if (a != nullptr) *a = nullptr;
    return guarded(nullptr, [&] {
        require(a, "the matrix");
        *a = make().release();
        return TILESPMV_OK;
    });
}

tilespmv::Memory memory_of(tilespmv_memory memory) {
    if (memory != TILESPMV_HOST && memory != TILESPMV_DEVICE) throw usage("memory is neither HOST nor DEVICE");
    return memory == TILESPMV_DEVICE ? tilespmv::Memory::device : tilespmv::Memory::host;
}

bindings::Array array_of(const tilespmv_block& b, const char* name) {
    if (b.rows < 0 || b.cols < 0) throw usage(fmt::format("{} has {} rows and {} columns", name, b.rows, b.cols));
    if (b.rows > 0 && b.cols > 0) require(b.data, name);
    const bool is_by_rows = b.layout == TILESPMV_ROW_MAJOR;
    const std::int64_t least = is_by_rows ? b.cols : b.rows;
    const std::int64_t ld = b.ld == 0 ? least : b.ld;
    if (ld < least) throw usage(fmt::format("{} has a leading dimension of {}, expected at least {}", name, ld, least));
    const auto rows = static_cast<std::size_t>(b.rows);
    return {b.data, rows, b.cols, is_by_rows ? ld : 1, is_by_rows ? 1 : ld, memory_of(b.memory)};
}

bool is_transpose(tilespmv_op op) {
    if (op != TILESPMV_NONE && op != TILESPMV_TRANSPOSE) throw usage("op is neither NONE nor TRANSPOSE");
    return op == TILESPMV_TRANSPOSE;
}

std::size_t workspace_bytes(tilespmv_matrix a, tilespmv_op op, std::int32_t cols) {
    require(a, "the matrix");
    if (cols < 1) throw usage(fmt::format("a workspace for products of {} columns: expected at least 1", cols));
    return a->matrix->workspace_bytes(cols, is_transpose(op));
}

bindings::SolveRequest request_of(const char* const* options) {
    OptionList list(options);
    bindings::SolveRequest request;
    request.preconditioner = list.text("precond", "auto");
    request.operator_name = list.text("operator", "auto");
    request.rtol = list.number("rtol");
    request.atol = list.number("atol").value_or(0);
    const double iterations = list.number("max_iterations").value_or(0);
    if (iterations < 0 || iterations > INT32_MAX) throw usage("option max_iterations: expected 0 to 2147483647");
    request.max_iterations = static_cast<int>(iterations);
    request.start_from_x = list.one_of("start_from_x", {"0", "1"}) == "1";
    request.constant_null_space = list.one_of("null_space", {"none", "constant"}) == "constant";
    list.require_all_read();
    return request;
}

}  // namespace

extern "C" {

int tilespmv_version(void) { return kVersion; }

const char* tilespmv_status_text(tilespmv_status status) {
    switch (status) {
#define TILESPMV_TEXT(name, number, text) \
    case name:                            \
        return text;
        TILESPMV_STATUSES(TILESPMV_TEXT)
#undef TILESPMV_TEXT
    }
    return "no status of this library";
}

const char* tilespmv_last_error(tilespmv_matrix a) {
    if (a == nullptr) return message_of_thread().c_str();
    const std::scoped_lock lock(a->mutex);
    return a->message.c_str();
}

tilespmv_status tilespmv_from_csr(tilespmv_matrix* a, const tilespmv_arrays* csr, const char* const* options) {
    return create(a, [&] {
        require(csr, "the description of the arrays");
        const Place place = place_of(options);
        if (place.backend == tilespmv::Backend::cuda && stays_on_gpu(*csr)) {
            return make(*csr, csr_on_gpu(*csr), place);
        }
        return prepare(*csr, std::make_shared<HostCsr>(csr_on_host(*csr)), place);
    });
}

tilespmv_status tilespmv_from_coo(tilespmv_matrix* a, const tilespmv_arrays* coo, const char* const* options) {
    return create(a, [&] {
        require(coo, "the description of the arrays");
        const Place place = place_of(options);
        if (place.backend == tilespmv::Backend::cuda && coo->memory == TILESPMV_DEVICE &&
            coo->row_type == coo->col_type) {
            return make(*coo, coo_on_gpu(*coo), place);
        }
        return prepare(*coo, std::make_shared<HostCsr>(coo_on_host(*coo)), place);
    });
}

tilespmv_status tilespmv_load(tilespmv_matrix* a, const char* name, tilespmv_type type, const char* const* options) {
    return create(a, [&] {
        require(name, "the name of the file");
        const Place place = place_of(options);
        auto made = std::make_unique<tilespmv_matrix_s>();
        made->matrix = bindings::load_matrix(name, name_of(type), place.backend, place.operator_name, [] {});
        return made;
    });
}

void tilespmv_destroy(tilespmv_matrix* a) {
    if (a == nullptr) return;
    delete *a;
    *a = nullptr;
}

int64_t tilespmv_rows(tilespmv_matrix a) { return a == nullptr ? 0 : a->matrix->rows(); }
int64_t tilespmv_cols(tilespmv_matrix a) { return a == nullptr ? 0 : a->matrix->cols(); }
int64_t tilespmv_nnz(tilespmv_matrix a) { return a == nullptr ? 0 : a->matrix->nnz(); }
tilespmv_type tilespmv_value_type(tilespmv_matrix a) {
    if (a == nullptr) return TILESPMV_FLOAT64;
    const auto& names = tilespmv::kValueNames;
    return static_cast<tilespmv_type>(std::find(names.begin(), names.end(), a->matrix->value_type()) - names.begin());
}
tilespmv_memory tilespmv_device(tilespmv_matrix a) {
    return a != nullptr && a->matrix->backend() == tilespmv::Backend::cuda ? TILESPMV_DEVICE : TILESPMV_HOST;
}
int64_t tilespmv_bytes(tilespmv_matrix a) {
    if (a == nullptr) return 0;
    const tilespmv::Facts facts = a->matrix->facts();
    return static_cast<int64_t>(facts.matrix_bytes + facts.other_bytes);
}
int tilespmv_is_reproducible(tilespmv_matrix a) { return a != nullptr && a->matrix->facts().is_reproducible ? 1 : 0; }
const char* tilespmv_operator(tilespmv_matrix a) {
    if (a == nullptr) return "";
    const std::scoped_lock lock(a->mutex);
    if (a->operator_name.empty()) a->operator_name = a->matrix->specification();
    return a->operator_name.c_str();
}

tilespmv_status tilespmv_multiply(tilespmv_matrix a, const void* x, void* y) {
    return guarded(a, [&] {
        require(a, "the matrix");
        const tilespmv_block from{const_cast<void*>(x), a->matrix->cols(), 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
        const tilespmv_block to{y, a->matrix->rows(), 1, 0, TILESPMV_COLUMN_MAJOR, TILESPMV_HOST};
        a->matrix->multiply(1, array_of(from, "x"), 0, array_of(to, "y"), false, 0);
        return TILESPMV_OK;
    });
}

tilespmv_status tilespmv_apply(tilespmv_matrix a, tilespmv_op op, double alpha, const tilespmv_block* x, double beta,
                               const tilespmv_block* y, void* stream) {
    return tilespmv_apply_in(a, op, alpha, x, beta, y, stream, nullptr);
}

tilespmv_status tilespmv_workspace_bytes(tilespmv_matrix a, tilespmv_op op, int32_t cols, int64_t* bytes) {
    return guarded(a, [&] {
        require(bytes, "bytes");
        *bytes = static_cast<std::int64_t>(workspace_bytes(a, op, cols));
        return TILESPMV_OK;
    });
}

tilespmv_status tilespmv_workspace_create(tilespmv_workspace* w, tilespmv_matrix a, tilespmv_op op, int32_t cols,
                                          void* memory, int64_t bytes) {
    if (w != nullptr) *w = nullptr;
    return guarded(a, [&] {
        require(w, "the workspace");
        const auto needed = static_cast<std::int64_t>(workspace_bytes(a, op, cols));
        if (memory != nullptr && (bytes < needed || reinterpret_cast<std::uintptr_t>(memory) % 256 != 0)) {
            throw usage(
                fmt::format("a workspace needs {} bytes at a multiple of 256, not {} at {}", needed, bytes, memory));
        }
        *w = new tilespmv_workspace_s{a->matrix->make_workspace(cols, is_transpose(op), memory)};
        return TILESPMV_OK;
    });
}

void tilespmv_workspace_destroy(tilespmv_workspace* w) {
    if (w == nullptr) return;
    delete *w;
    *w = nullptr;
}

tilespmv_status tilespmv_apply_in(tilespmv_matrix a, tilespmv_op op, double alpha, const tilespmv_block* x, double beta,
                                  const tilespmv_block* y, void* stream, tilespmv_workspace w) {
    return guarded(a, [&] {
        require(a, "the matrix");
        require(x, "x");
        require(y, "y");
        a->matrix->multiply(alpha, array_of(*x, "x"), beta, array_of(*y, "y"), is_transpose(op),
                            reinterpret_cast<std::uintptr_t>(stream), w == nullptr ? nullptr : &w->workspace);
        return TILESPMV_OK;
    });
}

tilespmv_status tilespmv_update_values(tilespmv_matrix a, const void* values, int64_t count, tilespmv_memory memory,
                                       void* stream) {
    return guarded(a, [&] {
        require(a, "the matrix");
        if (count > 0) require(values, "the values");
        a->matrix->update_values(values, count, memory_of(memory), reinterpret_cast<std::uintptr_t>(stream));
        const std::scoped_lock lock(a->mutex);
        a->operator_name.clear();
        return TILESPMV_OK;
    });
}

tilespmv_status tilespmv_to_csr(tilespmv_matrix a, int64_t* row_ptrs, int32_t* cols_of, void* values,
                                tilespmv_memory memory, void* stream) {
    return guarded(a, [&] {
        require(a, "the matrix");
        require(row_ptrs, "row_ptrs");
        if (a->matrix->nnz() > 0) {
            require(cols_of, "cols_of");
            require(values, "the values");
        }
        a->matrix->to_csr({row_ptrs, cols_of, values, memory_of(memory), reinterpret_cast<std::uintptr_t>(stream)});
        return TILESPMV_OK;
    });
}

tilespmv_status tilespmv_solve(tilespmv_matrix a, const void* b, void* x, tilespmv_memory memory,
                               const char* const* options, tilespmv_report* report) {
    return guarded(a, [&] {
        require(a, "the matrix");
        const auto vector = [&](void* data, const char* name) {
            return array_of({data, a->matrix->rows(), 1, 0, TILESPMV_COLUMN_MAJOR, memory}, name);
        };
        const bindings::SolveResult result =
            a->matrix->solve(vector(const_cast<void*>(b), "b"), vector(x, "x"), request_of(options));
        if (report != nullptr) {
            *report = {result.converged ? 1 : 0,
                       result.iterations,
                       result.residual,
                       result.tolerance,
                       result.rhs_norm,
                       result.seconds,
                       {}};
            result.end.copy(report->end, sizeof(report->end) - 1);
        }
        return result.converged ? TILESPMV_OK : TILESPMV_NOT_CONVERGED;
    });
}

}  // extern "C"
