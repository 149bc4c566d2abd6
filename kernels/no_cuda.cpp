// The GPU in a build without CUDA.
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_csr_copy.hpp"
#include "kernels/cuda/device_rows.hpp"
#include "kernels/cuda/download.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/preconditioner/jacobi.hpp"
#include "kernels/solver/preconditioner/ssor_ai.hpp"
#include "kernels/solver/system_space.hpp"
#include "kernels/source.hpp"
#include "kernels/transposed_matrix.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

[[noreturn]] void refuse() {
    throw Error("no usable GPU: this build found no CUDA Toolkit; install one and configure again",
                ExitCode::unavailable);
}

}  // namespace

DeviceInfo require_device() { refuse(); }
Gpu this_gpu(std::size_t) { refuse(); }
void validate_pattern(const DevicePattern&, CUstream_st*) { refuse(); }

template <class V>
Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>&, CUstream_st*) {
    refuse();
}
template <class V>
RowStatistics row_statistics_there(const DeviceCsrView<V>&, CUstream_st*) {
    refuse();
}
template <class T>
Buffer<T> download(const T*, offset_t, CUstream_st*) {
    refuse();
}
template <class V>
DeviceCsrCopy<V>::DeviceCsrCopy(const CsrMatrix<V>&) {
    refuse();
}
template <Value V>
std::unique_ptr<TransposedMatrix<V>> transposed_on_gpu(const Operator<V>&, const Source<V>&) {
    return nullptr;
}
template <Value V>
std::unique_ptr<Operator<V>> own_transpose(const Operator<V>&, const Source<V>&) {
    return nullptr;
}

#define TILESPMV_INSTANTIATE(V)                                                                            \
    template Buffer<offset_t> download_row_ptrs(const DeviceCsrView<V>&, CUstream_st*);                    \
    template RowStatistics row_statistics_there(const DeviceCsrView<V>&, CUstream_st*);                    \
    template Buffer<V> download(const V*, offset_t, CUstream_st*);                                         \
    template class DeviceCsrCopy<V>;                                                                       \
    template std::unique_ptr<TransposedMatrix<V>> transposed_on_gpu(const Operator<V>&, const Source<V>&); \
    template std::unique_ptr<Operator<V>> own_transpose(const Operator<V>&, const Source<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)
template Buffer<index_t> download(const index_t*, offset_t, CUstream_st*);
#undef TILESPMV_INSTANTIATE

}  // namespace tilespmv::cuda

namespace tilespmv::solver {

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>&, const PreconditionerParts<T>&,
                                                  const SolverOptions&, const Operator<T>*) {
    cuda::refuse();
}
template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>&, const Operator<T>*) {
    cuda::refuse();
}
template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const cuda::DeviceCsrView<T>&, Options&) {
    cuda::refuse();
}
template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const cuda::DeviceCsrView<T>&, Options&) {
    cuda::refuse();
}
template <class T>
void check_symmetry(const cuda::DeviceCsrView<T>&, double) {
    cuda::refuse();
}
template <class T>
void check_constant_null_space(const cuda::DeviceCsrView<T>&) {
    cuda::refuse();
}

#define TILESPMV_INSTANTIATE(T)                                                                                       \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>&, const PreconditionerParts<T>&, \
                                                               const SolverOptions&, const Operator<T>*);             \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>&, const Operator<T>*);               \
    template std::unique_ptr<Preconditioner<T>> make_jacobi(const cuda::DeviceCsrView<T>&, Options&);                 \
    template std::unique_ptr<Preconditioner<T>> make_ssor_ai(const cuda::DeviceCsrView<T>&, Options&);                \
    template void check_symmetry(const cuda::DeviceCsrView<T>&, double);                                              \
    template void check_constant_null_space(const cuda::DeviceCsrView<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)
#undef TILESPMV_INSTANTIATE

}  // namespace tilespmv::solver

namespace tilespmv::multi_gpu {

template <class T>
std::unique_ptr<RankBackend<T>> make_gpu_backend(int, bool) {
    cuda::refuse();
}
template std::unique_ptr<RankBackend<double>> make_gpu_backend<double>(int, bool);
template std::unique_ptr<RankBackend<float>> make_gpu_backend<float>(int, bool);

}  // namespace tilespmv::multi_gpu
