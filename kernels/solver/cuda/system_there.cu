#include <memory>
#include <variant>

#include <cub/thread/thread_search.cuh>

#include "kernels/cuda/download.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/solver/device_space.hpp"

namespace tilespmv::solver {
namespace {

constexpr int kSystemThreads = cuda::kElementwiseThreads;

/// A square matrix on the GPU, and what is found out of it.
template <class T, class P>
struct SystemThere {
    index_t rows = 0;
    offset_t nnz = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    const T* values = nullptr;
    int* is_wrong = nullptr;
    T* inverse = nullptr;  ///< of the diagonal
    double tolerance = 0;  ///< of mirror images

    [[nodiscard]] static __device__ offset_t index() { return offset_t{blockIdx.x} * kSystemThreads + threadIdx.x; }

    /// The position of a nonzero, below 0 where there is none. Row pointers may be wrong.
    [[nodiscard]] __device__ offset_t find(index_t row, index_t col) const {
        const offset_t first = row_ptrs[row];
        const offset_t end = row_ptrs[row + 1];
        if (first < 0 || first > end || end > nnz) return -1;
        const offset_t found = first + cub::LowerBound(col_idxs + first, end - first, col);
        return found < end && col_idxs[found] == col ? found : -1;
    }
    /// The row of a nonzero: the last one that begins there or before.
    [[nodiscard]] __device__ index_t row_of(offset_t position) const {
        return cub::UpperBound(row_ptrs, rows, position) - 1;
    }
};

/// The same values, and the same rows refused, as by `jacobi` on the host.
template <class T, class P>
__global__ void __launch_bounds__(kSystemThreads) invert_diagonal(SystemThere<T, P> p) {
    if (p.index() >= p.rows) return;
    const auto row = static_cast<index_t>(p.index());
    const offset_t at = p.find(row, row);
    const T value = at < 0 ? T{} : p.values[at];
    const auto inverse = static_cast<T>(1 / double{value});
    p.inverse[row] = inverse;
    if (value <= 0 || inverse == 0 || isinf(inverse)) *p.is_wrong = 1;  // NaN is left to the iteration to find
}

template <class T, class P>
__global__ void __launch_bounds__(kSystemThreads) compare_mirror_images(SystemThere<T, P> p) {
    const offset_t position = p.index();
    if (position >= p.nnz) return;
    const index_t col = p.col_idxs[position];
    const bool is_inside = col >= 0 && col < p.rows;
    const offset_t image = is_inside ? p.find(col, p.row_of(position)) : -1;
    const double here = p.values[position];
    const double there = image < 0 ? 0 : p.values[image];
    if (!is_inside || fabs(here - there) > p.tolerance * fmax(fabs(here), fabs(there))) *p.is_wrong = 1;
}

/// Calls launch(p) with the matrix and the type of its row pointers, and waits. Whether nothing is wrong.
template <class T, class F>
bool is_right(const cuda::DeviceCsrView<T>& a, const cuda::DeviceBuffer<int>& is_wrong, F&& launch) {
    cuda::require_in_device_memory(a);
    TILESPMV_CUDA(cudaMemsetAsync(is_wrong.data(), 0, is_wrong.bytes(), nullptr));
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            launch(SystemThere<T, P>{a.rows, a.nnz, row_ptrs, a.col_idxs, a.values, is_wrong.data()});
        },
        a.row_ptrs);
    int found = 0;
    is_wrong.download({&found, 1}, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return found == 0;
}

template <class T>
class JacobiThere final : public Preconditioner<T> {
public:
    explicit JacobiThere(const cuda::DeviceCsrView<T>& a)
        : a_(a), inverse_(static_cast<std::size_t>(a.rows), nullptr), is_wrong_(1, nullptr) {
        this->parts_.size = a.rows;
        this->parts_.inverse_there = inverse_.data();
        compute();
    }
    void update_values(const CsrMatrix<T>&) override { compute(); }

private:
    void compute() {
        const bool is_there = is_right(a_, is_wrong_, [&]<class P>(SystemThere<T, P> p) {
            p.inverse = inverse_.data();
            cuda::launch(invert_diagonal<T, P>, div_up(p.rows, kSystemThreads), kSystemThreads, p, nullptr);
        });
        if (!is_there) static_cast<void>(make_preconditioner("jacobi", copy_to_host(a_)));  // which says why
    }

    cuda::DeviceCsrView<T> a_;
    cuda::DeviceBuffer<T> inverse_;
    cuda::DeviceBuffer<int> is_wrong_;
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi_there(const cuda::DeviceCsrView<T>& a) {
    return std::make_unique<JacobiThere<T>>(a);
}

template <class T>
bool is_mirrored_there(const cuda::DeviceCsrView<T>& a, double tolerance) {
    return is_right(a, cuda::DeviceBuffer<int>(1, nullptr), [&]<class P>(SystemThere<T, P> p) {
        p.tolerance = tolerance;
        const offset_t blocks = div_up(p.nnz, offset_t{kSystemThreads});
        cuda::launch(compare_mirror_images<T, P>, blocks, kSystemThreads, p, nullptr);
    });
}

#define TILESPMV_INSTANTIATE(T)                                                                   \
    template std::unique_ptr<Preconditioner<T>> make_jacobi_there(const cuda::DeviceCsrView<T>&); \
    template bool is_mirrored_there(const cuda::DeviceCsrView<T>&, double);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
