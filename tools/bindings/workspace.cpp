#include "tools/bindings/workspace.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

#if TILESPMV_HAS_CUDA
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/stream.hpp"
#endif

namespace tilespmv::bindings {

#if TILESPMV_HAS_CUDA
namespace {

/// Memory of the caller's, for one array.
class CallersMemory final : public cuda::DeviceMemory {
public:
    explicit CallersMemory(void* memory) : memory_(memory) {}
    void* allocate(std::size_t, cudaStream_t) override { return memory_; }
    void deallocate(void*, std::size_t, cudaStream_t) noexcept override {}

private:
    void* memory_;
};

/// A workspace with the stream that it is made and given back on.
struct WithStream {
    template <Value V>
    WithStream(const cuda::DeviceOperator<V>& a, std::shared_ptr<cuda::DeviceMemory> memory)
        : workspace(a.make_workspace({stream.get(), std::move(memory)})) {
        stream.synchronize();
    }
    cuda::Stream stream;
    cuda::Workspace workspace;
};

/// Null for an operator on the CPU.
template <Value V>
const cuda::DeviceOperator<V>* on_gpu(const Operator<V>& a) {
    const auto* const there = dynamic_cast<const cuda::DeviceOperator<V>*>(&a);
    if (there != nullptr && !a.facts().takes_workspace) {
        throw Error(fmt::format("{} works in a workspace of its own only", a.name()), ExitCode::usage);
    }
    return there;
}

}  // namespace

template <Value V>
std::size_t workspace_bytes(const Operator<V>& a) {
    const auto* const there = on_gpu(a);
    return there == nullptr ? 0 : there->workspace_bytes() + cuda::kSlackBytes;
}

template <Value V>
std::shared_ptr<cuda::Workspace> make_workspace(const Operator<V>& a, void* memory) {
    const auto* const there = on_gpu(a);
    if (there == nullptr) return nullptr;
    auto from = memory == nullptr ? cuda::stream_ordered_memory() : std::make_shared<CallersMemory>(memory);
    auto made = std::make_shared<WithStream>(*there, std::move(from));
    return {made, &made->workspace};
}
template <Value V>
void write_csr(const Operator<V>& a, std::int64_t* row_ptrs, index_t* col_idxs, V* values, std::uintptr_t stream) {
    auto* const on = reinterpret_cast<cudaStream_t>(stream);  // NOLINT
    dynamic_cast<const cuda::DeviceOperator<V>&>(a).to_csr({row_ptrs, col_idxs, values}, on);
    TILESPMV_CUDA(cudaStreamSynchronize(on));
}
#else
template <Value V>
std::size_t workspace_bytes(const Operator<V>&) {
    return 0;
}
template <Value V>
std::shared_ptr<cuda::Workspace> make_workspace(const Operator<V>&, void*) {
    return nullptr;
}
template <Value V>
void write_csr(const Operator<V>&, std::int64_t*, index_t*, V*, std::uintptr_t) {}  // there is no such operator
#endif

#define TILESPMV_INSTANTIATE(V)                                                          \
    template std::size_t workspace_bytes(const Operator<V>&);                            \
    template std::shared_ptr<cuda::Workspace> make_workspace(const Operator<V>&, void*); \
    template void write_csr(const Operator<V>&, std::int64_t*, index_t*, V*, std::uintptr_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bindings
