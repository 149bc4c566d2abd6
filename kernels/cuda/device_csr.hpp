#pragma once

#include <cstdint>
#include <limits>

#include "kernels/cuda/source_arrays.hpp"
#include "tile/csr.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {

/// A CSR matrix as a kernel sees it. P: the type of row pointers.
template <class V, class P>
struct CsrView {
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    const V* values = nullptr;
    bool values_may_change = false;  ///< by kernels of their owner's
};

/// Whether positions up to `count` fit a signed index of 32 bits.
constexpr bool fits_32_bits(offset_t count) { return count <= std::numeric_limits<std::int32_t>::max(); }

/// The row pointers in 32 bits; they must be below 2^32.
inline Buffer<std::uint32_t> narrowed(const Buffer<offset_t>& row_ptrs) {
    Buffer<std::uint32_t> narrow(row_ptrs.size());
    parallel_for(0, static_cast<std::int64_t>(narrow.size()), 1 << 16,
                 [&](std::int64_t i) { narrow[i] = static_cast<std::uint32_t>(row_ptrs[i]); });
    return narrow;
}

/// A CSR matrix in device memory: where somebody else has it, or else of its own, with row pointers of 32 bits below
/// 2^31 nonzeros. One that is in the memory of the host as well is copied, and so is one that is to be.
template <class V>
class DeviceCsr {
public:
    /// Returns when arrays of the host have been copied; copies of those on the GPU are on the stream. Row pointers
    /// were checked.
    DeviceCsr(const Source<V>& source, const DeviceContext& on)
        : rows_(source.rows()), cols_(source.cols()), nnz_(source.nnz()) {
        const auto* const there = source.find_device_csr();
        if (there == nullptr || source.find_csr() != nullptr || there->arrays == DeviceArrays::copied) {
            upload(source, on);
        } else {
            static_cast<void>(source.row_statistics());  // which checks row pointers
            point_at(*there);
        }
    }

    [[nodiscard]] index_t rows() const { return rows_; }
    [[nodiscard]] index_t cols() const { return cols_; }
    [[nodiscard]] offset_t nnz() const { return nnz_; }
    /// Whoever owns them.
    [[nodiscard]] std::size_t bytes() const {
        const auto ptr = is_narrow_ ? sizeof(std::uint32_t) : sizeof(offset_t);
        return (static_cast<std::size_t>(rows_) + 1) * ptr +
               static_cast<std::size_t>(nnz_) * (sizeof(index_t) + sizeof(V));
    }
    [[nodiscard]] bool owns_values() const { return values_at_ == own_values_.data(); }

    /// Only if it `owns_values`.
    void update_values(const V* device_values, cudaStream_t stream) {
        TILESPMV_CUDA(
            cudaMemcpyAsync(own_values_.data(), device_values, own_values_.bytes(), cudaMemcpyDeviceToDevice, stream));
    }

    /// Calls f(view) with the type of row pointers that there is.
    template <class F>
    decltype(auto) visit(F&& f) const {
        if (is_narrow_) return f(CsrView<V, std::uint32_t>{narrow_ptrs_, cols_at_, values_at_, !owns_values()});
        return f(CsrView<V, offset_t>{wide_ptrs_, cols_at_, values_at_, !owns_values()});
    }

private:
    void upload(const Source<V>& source, const DeviceContext& on) {
        own_cols_ = columns_on_device(source, on);
        own_values_ = values_on_device(source, on);
        cols_at_ = own_cols_.data();
        values_at_ = own_values_.data();
        is_narrow_ = fits_32_bits(nnz_);
        if (is_narrow_) {
            narrow_ptrs_ = (own_narrow_ptrs_ = narrow_row_ptrs(source, on)).data();
        } else {
            wide_ptrs_ = (own_wide_ptrs_ = row_ptrs_on_device(source, on)).data();
        }
        if (source.is_on_host()) TILESPMV_CUDA(cudaStreamSynchronize(on));
    }

    static DeviceBuffer<std::uint32_t> narrow_row_ptrs(const Source<V>& source, const DeviceContext& on) {
        const auto* const there = csr_only_on_device(source);
        if (there == nullptr) {
            const auto ptrs = narrowed(source.row_ptrs());
            DeviceBuffer<std::uint32_t> copy(ptrs, on);
            TILESPMV_CUDA(cudaStreamSynchronize(on));  // the narrowed ones go away
            return copy;
        }
        static_cast<void>(source.row_statistics());  // which checks row pointers
        DeviceBuffer<std::uint32_t> copy(static_cast<std::size_t>(source.rows()) + 1, on);
        copy_row_ptrs(pattern_of(*there), copy.data(), on.stream);
        return copy;
    }

    void point_at(const DeviceCsrView<V>& view) {
        cols_at_ = view.col_idxs;
        values_at_ = view.values;
        const auto* const* narrow = std::get_if<const std::int32_t*>(&view.row_ptrs);
        is_narrow_ = narrow != nullptr;
        if (is_narrow_) {
            narrow_ptrs_ = reinterpret_cast<const std::uint32_t*>(*narrow);  // none is negative
        } else {
            wide_ptrs_ = std::get<const std::int64_t*>(view.row_ptrs);
        }
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    bool is_narrow_ = true;
    const std::uint32_t* narrow_ptrs_ = nullptr;
    const offset_t* wide_ptrs_ = nullptr;
    const index_t* cols_at_ = nullptr;
    const V* values_at_ = nullptr;
    DeviceBuffer<std::uint32_t> own_narrow_ptrs_;
    DeviceBuffer<offset_t> own_wide_ptrs_;
    DeviceBuffer<index_t> own_cols_;
    DeviceBuffer<V> own_values_;
};

}  // namespace tilespmv::cuda
