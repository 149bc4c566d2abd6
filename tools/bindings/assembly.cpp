#include "tools/bindings/assembly.hpp"

#include "tile/error.hpp"
#include "tools/bindings/value_types.hpp"

#if TILESPMV_HAS_CUDA
#include "kernels/cuda/device_operator.hpp"
#endif

namespace tilespmv::bindings {

#if TILESPMV_HAS_CUDA
namespace {

/// The default stream, which outlives the assembly, after the work of another one.
cudaStream_t default_stream_after(std::uintptr_t stream) {
    TILESPMV_CUDA(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream)));  // NOLINT
    return nullptr;
}

class AssemblyOnGpu final : public Assembly {
public:
    template <class Index>
    AssemblyOnGpu(const CooArrays& a, Index)
        : rows_(as_size(a.rows, "rows")),
          cols_(as_size(a.cols, "columns")),
          assembly_(rows_, cols_, static_cast<const Index*>(a.row_idxs), static_cast<const Index*>(a.col_idxs), a.count,
                    default_stream_after(a.stream)) {}

    [[nodiscard]] std::int64_t nnz() const override { return assembly_.nnz(); }
    [[nodiscard]] std::size_t bytes() const override { return assembly_.bytes(); }
    void sum(std::string_view value_type, const void* entries, void* values, std::uintptr_t stream) const override {
        with_value_type(value_type, [&]<Value V>() {
            assembly_.sum(static_cast<const V*>(entries), static_cast<V*>(values),
                          reinterpret_cast<cudaStream_t>(stream));  // NOLINT
        });
    }
    [[nodiscard]] CsrArrays csr(const void* values, std::uintptr_t stream) const override {
        const auto view = assembly_.view(static_cast<const double*>(values));  // of any type: they are not read here
        const bool is_wide = std::holds_alternative<const std::int64_t*>(view.row_ptrs);
        const void* const row_ptrs =
            std::visit([](const auto* p) { return static_cast<const void*>(p); }, view.row_ptrs);
        return {rows_, cols_, nnz(), row_ptrs, is_wide, view.col_idxs, values, nullptr, Memory::device, stream};
    }

private:
    index_t rows_;
    index_t cols_;
    cuda::Assembly assembly_;
};

}  // namespace

std::shared_ptr<Assembly> make_assembly(const CooArrays& entries) {
    if (entries.has_wide_indices) return std::make_shared<AssemblyOnGpu>(entries, std::int64_t{});
    return std::make_shared<AssemblyOnGpu>(entries, std::int32_t{});
}

#else

std::shared_ptr<Assembly> make_assembly(const CooArrays&) {
    throw Error("entries in the memory of a GPU need a build with CUDA", ExitCode::unavailable);
}

#endif

}  // namespace tilespmv::bindings
