#include "tools/c/arrays.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/bindings/assembly.hpp"
#include "tools/bindings/stream_order.hpp"
#include "tools/bindings/value_types.hpp"

namespace tilespmv::c {
namespace {

/// An array of the caller's on the host: where it is, or copied.
template <class T>
Buffer<T> on_host(const void* data, std::size_t count, const tilespmv_arrays& of, bool may_borrow) {
    if (count > 0) require(data, "an array");
    if (of.memory == TILESPMV_HOST && may_borrow) {
        return Buffer<T>::view(static_cast<T*>(const_cast<void*>(data)), count, nullptr);
    }
    Buffer<T> copy(count);
    if (of.memory == TILESPMV_DEVICE) {
        bindings::copy_to_host(copy.data(), data, count * sizeof(T), reinterpret_cast<std::uintptr_t>(of.stream));
    } else if (count > 0) {
        std::memcpy(copy.data(), data, count * sizeof(T));
    }
    return copy;
}

/// Indices of either size as T; those that T cannot hold become -1, which is no index.
template <class T>
Buffer<T> indices(const void* data, std::size_t count, tilespmv_index type, const tilespmv_arrays& of,
                  bool may_borrow) {
    const auto converted = [&]<class From>(From) {
        if constexpr (std::is_same_v<From, T>) {
            return on_host<T>(data, count, of, may_borrow);
        } else {
            const Buffer<From> given = on_host<From>(data, count, of, true);
            Buffer<T> result(count);
            std::transform(given.begin(), given.end(), result.begin(),
                           [](From i) { return std::in_range<T>(i) ? static_cast<T>(i) : T(-1); });
            return result;
        }
    };
    if (type != TILESPMV_INT32 && type != TILESPMV_INT64)
        throw usage(fmt::format("type {} of indices is none", int{type}));
    return type == TILESPMV_INT32 ? converted(std::int32_t()) : converted(std::int64_t());
}

void check_arrays(const tilespmv_arrays& a) {
    if (a.rows < 0 || a.cols < 0 || a.nnz < 0 || a.rows > INT32_MAX || a.cols > INT32_MAX) {
        throw usage(fmt::format("{} x {} with {} nonzeros: rows and columns have to be from 0 to 2147483647", a.rows,
                                a.cols, a.nnz));
    }
    if (a.memory != TILESPMV_HOST && a.memory != TILESPMV_DEVICE) throw usage("memory is neither HOST nor DEVICE");
}

/// Arrays with a member for each nonzero, of COO all of them.
void require_entries(const tilespmv_arrays& a) {
    for (const void* const array : {a.row_ptrs, a.cols_of, a.values}) {
        if (a.nnz > 0) require(array, "an array");
    }
}

}  // namespace

Error usage(const std::string& message) { return Error(message, ExitCode::usage); }

void require(const void* pointer, const char* name) {
    if (pointer == nullptr) throw usage(fmt::format("{} is a null pointer", name));
}

std::string_view name_of(tilespmv_type type) {
    if (type < TILESPMV_FLOAT64 || type > TILESPMV_BFLOAT16)
        throw usage(fmt::format("type {} of values is none", int{type}));
    return kValueNames[static_cast<std::size_t>(type)];
}
std::size_t bytes_of(tilespmv_type type) {
    return bindings::with_value_type(name_of(type), []<Value V>() { return sizeof(V); });
}

HostCsr csr_on_host(const tilespmv_arrays& csr) {
    check_arrays(csr);
    const bool is_borrowed = csr.ownership == TILESPMV_BORROW;
    if (is_borrowed && (csr.memory != TILESPMV_HOST || csr.col_type != TILESPMV_INT32)) {
        throw usage("only arrays on the host, or for a GPU on that, with 32-bit columns can be borrowed");
    }
    const auto rows = static_cast<std::size_t>(csr.rows) + 1;
    const auto nnz = static_cast<std::size_t>(csr.nnz);
    return {indices<std::int64_t>(csr.row_ptrs, rows, csr.row_type, csr, is_borrowed),
            indices<index_t>(csr.cols_of, nnz, csr.col_type, csr, is_borrowed),
            on_host<std::byte>(csr.values, nnz * bytes_of(csr.type), csr, is_borrowed)};
}

HostCsr coo_on_host(const tilespmv_arrays& a) {
    check_arrays(a);
    const auto nnz = static_cast<std::size_t>(a.nnz);
    const auto rows = indices<std::int64_t>(a.row_ptrs, nnz, a.row_type, a, true);
    const auto cols = indices<std::int64_t>(a.cols_of, nnz, a.col_type, a, true);
    const auto values = on_host<std::byte>(a.values, nnz * bytes_of(a.type), a, true);
    std::vector<std::size_t> order;
    order.reserve(nnz);
    for (std::size_t i = 0; i < nnz; ++i) {
        if (rows[i] < 0 || cols[i] < 0) continue;
        if (rows[i] >= a.rows || cols[i] >= a.cols) {
            throw usage(fmt::format("entry {} is at row {}, column {} (from 0) of a matrix of {} x {}", i, rows[i],
                                    cols[i], a.rows, a.cols));
        }
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return rows[i] != rows[j] ? rows[i] < rows[j] : cols[i] < cols[j];
    });
    return bindings::with_value_type(name_of(a.type), [&]<Value V>() {
        const auto* const of = reinterpret_cast<const V*>(values.data());
        HostCsr csr{Buffer<std::int64_t>(static_cast<std::size_t>(a.rows) + 1, 0), Buffer<index_t>(nnz),
                    Buffer<std::byte>(nnz * sizeof(V))};
        auto* const sums = reinterpret_cast<V*>(csr.values.data());
        std::size_t kept = 0;
        for (std::size_t k = 0; k < order.size(); ++k) {
            const std::size_t i = order[k];
            if (k > 0 && rows[order[k - 1]] == rows[i] && cols[order[k - 1]] == cols[i]) {
                sums[kept - 1] = static_cast<V>(widened(sums[kept - 1]) + widened(of[i]));
                continue;
            }
            ++csr.row_ptrs[static_cast<std::size_t>(rows[i]) + 1];
            csr.cols[kept] = static_cast<index_t>(cols[i]);
            sums[kept++] = of[i];
        }
        std::partial_sum(csr.row_ptrs.begin(), csr.row_ptrs.end(), csr.row_ptrs.begin());
        csr.cols.truncate(kept);
        csr.values.truncate(kept * sizeof(V));
        return csr;
    });
}

bool stays_on_gpu(const tilespmv_arrays& csr) {
    return csr.memory == TILESPMV_DEVICE && csr.col_type == TILESPMV_INT32;
}

bindings::CsrArrays csr_on_gpu(const tilespmv_arrays& csr) {
    check_arrays(csr);
    require(csr.row_ptrs, "an array");
    require_entries(csr);
    const auto stream = reinterpret_cast<std::uintptr_t>(csr.stream);
    bindings::CsrArrays arrays{csr.rows,
                               csr.cols,
                               csr.nnz,
                               csr.row_ptrs,
                               csr.row_type == TILESPMV_INT64,
                               static_cast<const index_t*>(csr.cols_of),
                               csr.values,
                               nullptr,
                               Memory::device,
                               stream};
    if (csr.ownership == TILESPMV_BORROW) return arrays;
    auto copies = std::make_shared<std::vector<bindings::DeviceBytes>>();
    const auto copied = [&](const void* data, std::size_t bytes) -> const void* {
        if (bytes == 0) return nullptr;
        copies->emplace_back(bytes).copy_from(data, stream);
        return copies->back().data();
    };
    const auto rows = static_cast<std::size_t>(csr.rows) + 1;
    const auto nnz = static_cast<std::size_t>(csr.nnz);
    arrays.row_ptrs = copied(csr.row_ptrs, rows * (arrays.has_wide_row_ptrs ? 8 : 4));
    arrays.col_idxs = static_cast<const index_t*>(copied(csr.cols_of, nnz * sizeof(index_t)));
    arrays.values = copied(csr.values, nnz * bytes_of(csr.type));
    arrays.owner = std::move(copies);
    return arrays;
}

bindings::CsrArrays coo_on_gpu(const tilespmv_arrays& coo) {
    check_arrays(coo);
    require_entries(coo);
    const auto stream = reinterpret_cast<std::uintptr_t>(coo.stream);
    struct Assembled {
        std::shared_ptr<bindings::Assembly> pattern;
        bindings::DeviceBytes values;
    };
    const auto pattern = bindings::make_assembly(
        {coo.rows, coo.cols, coo.nnz, coo.row_ptrs, coo.cols_of, coo.row_type == TILESPMV_INT64, stream});
    auto assembled = std::make_shared<Assembled>(
        Assembled{pattern, bindings::DeviceBytes(static_cast<std::size_t>(pattern->nnz()) * bytes_of(coo.type))});
    pattern->sum(name_of(coo.type), coo.values, assembled->values.data(), stream);
    bindings::CsrArrays arrays = pattern->csr(assembled->values.data(), stream);
    arrays.owner = std::move(assembled);
    return arrays;
}

}  // namespace tilespmv::c
