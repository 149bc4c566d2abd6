#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <cub/thread/thread_search.cuh>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/download.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/preconditioner/jacobi.hpp"
#include "kernels/solver/preconditioner/ssor_ai.hpp"

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
    int* is_wrong = nullptr;  ///< in memory of the host
    T* inverse = nullptr;     ///< of the diagonal
    double tolerance = 0;     ///< of mirror images, and of sums of rows

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

/// By a warp for each row, in another order than on the host.
template <class T, class P>
__global__ void __launch_bounds__(kSystemThreads) add_up_rows(SystemThere<T, P> p) {
    const offset_t row = p.index() / cuda::kWarpSize;
    if (row >= p.rows) return;
    const offset_t first = p.row_ptrs[row];
    const offset_t end = p.row_ptrs[row + 1];
    const bool is_inside = first >= 0 && end <= p.nnz;
    double sum = 0;
    double size = 0;
    for (offset_t k = first + threadIdx.x % cuda::kWarpSize; is_inside && k < end; k += cuda::kWarpSize) {
        const double value = p.values[k];
        sum += value;
        size += fabs(value);
    }
    __syncwarp();
    sum = cuda::sum_of_warp(sum);
    size = cuda::sum_of_warp(size);
    if (!is_inside || fabs(sum) > p.tolerance * size) *p.is_wrong = 1;
}

/// K of `ssor-ai` (`preconditioner/ssor_ai.hpp`), in the bits of the host.
template <class T, class P>
struct SsorThere : SystemThere<T, P> {
    double w = 1;
    double* inverse_dw = nullptr;   ///< of each row
    double* scale = nullptr;        ///< of each row
    index_t* entry_rows = nullptr;  ///< of each nonzero, -1 above the diagonal; null: they are known
    T* entries = nullptr;           ///< of each nonzero
};

template <class T, class P>
__global__ void __launch_bounds__(kSystemThreads) scale_rows(SsorThere<T, P> p) {
    if (p.index() >= p.rows) return;
    const auto row = static_cast<index_t>(p.index());
    const offset_t at = p.find(row, row);
    const T value = at < 0 ? T{} : p.values[at];
    const double inverse = p.w / double{value};
    const double scale = sqrt((2 - p.w) * inverse);
    const auto rounded = static_cast<T>(scale);
    p.inverse_dw[row] = inverse;
    p.scale[row] = scale;
    if (value <= 0 || rounded == 0 || isinf(rounded) || p.row_ptrs[0] != 0) *p.is_wrong = 1;
}

template <class T, class P>
__global__ void __launch_bounds__(kSystemThreads) fill_entries(SsorThere<T, P> p) {
    const offset_t position = p.index();
    if (position >= p.nnz) return;
    const index_t row = p.row_of(position);
    const index_t col = p.col_idxs[position];
    const bool is_of_k = col >= 0 && col <= row;
    if (p.entry_rows != nullptr) p.entry_rows[position] = is_of_k ? row : -1;
    if (!is_of_k) return;
    const double g = col == row ? -1 : double{p.values[position]} * p.inverse_dw[col];
    p.entries[position] = static_cast<T>(-p.scale[row] * g);
}

/// By a thread for each of `count`, on the default stream.
template <class Parameters>
void launch_for_each(offset_t count, void (*kernel)(Parameters), const Parameters& p) {
    cuda::launch(kernel, div_up(count, offset_t{kSystemThreads}), kSystemThreads, p, nullptr);
}

/// Calls launch(p) with the matrix and the type of its row pointers.
template <class T, class F>
void with_system(const cuda::DeviceCsrView<T>& a, const cuda::PinnedMemory& finding, F&& launch) {
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            auto* const is_wrong = reinterpret_cast<int*>(finding.data());
            launch(SystemThere<T, P>{a.rows, a.nnz, row_ptrs, a.col_idxs, a.values, is_wrong});
        },
        a.row_ptrs);
}

/// The same, and waits. Whether nothing is wrong.
template <class T, class F>
bool is_right(const cuda::DeviceCsrView<T>& a, const cuda::PinnedMemory& finding, F&& launch) {
    cuda::require_in_device_memory(a);
    auto* const is_wrong = reinterpret_cast<int*>(finding.data());
    *is_wrong = 0;
    with_system(a, finding, launch);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return *is_wrong == 0;
}

/// Computed of a matrix on the GPU, again of new values.
template <class T>
class ComputedThere : public Preconditioner<T> {
public:
    void update_values(const CsrMatrix<T>&) override { compute(); }

protected:
    ComputedThere(const cuda::DeviceCsrView<T>& a, const Options& options)
        : a_(a), specification_(options.specification()), finding_(sizeof(int)) {
        this->parts_.size = a.rows;
    }
    virtual void compute() = 0;
    template <class F>
    void require_right(F&& launch) const {
        if (!is_right(a_, finding_, launch))
            static_cast<void>(make_preconditioner(specification_, Source<T>(a_).csr()));
    }

    cuda::DeviceCsrView<T> a_;
    std::string specification_;  // of what the host makes to say what is wrong
    cuda::PinnedMemory finding_;
};

template <class T>
class JacobiThere final : public ComputedThere<T> {
public:
    JacobiThere(const cuda::DeviceCsrView<T>& a, const Options& options)
        : ComputedThere<T>(a, options), inverse_(static_cast<std::size_t>(a.rows), nullptr) {
        this->parts_.inverse_there = inverse_.data();
        JacobiThere::compute();
    }

private:
    void compute() override {
        this->require_right([&]<class P>(SystemThere<T, P> p) {
            p.inverse = inverse_.data();
            launch_for_each(p.rows, invert_diagonal<T, P>, p);
        });
    }

    cuda::DeviceBuffer<T> inverse_;
};

/// K and its transpose are assembled of entries, one for each nonzero of A that is not above the diagonal.
template <class T>
class SsorComputedThere final : public ComputedThere<T> {
public:
    SsorComputedThere(const cuda::DeviceCsrView<T>& a, const Options& options, const SsorChoice& choice)
        : ComputedThere<T>(a, options),
          w_(choice.w),
          inverse_dw_(static_cast<std::size_t>(a.rows), nullptr),
          scale_(inverse_dw_.size(), nullptr),
          entries_(static_cast<std::size_t>(a.nnz), nullptr) {
        const cuda::DeviceBuffer<index_t> rows(entries_.size(), nullptr);
        fill(rows.data());
        stages_[0].emplace(a.rows, a.rows, rows.data(), a.col_idxs, a.nnz, nullptr);
        stages_[1].emplace(a.rows, a.rows, a.col_idxs, rows.data(), a.nnz, nullptr);
        this->parts_.operators = choice.operators;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            values_[i] = cuda::DeviceBuffer<T>(static_cast<std::size_t>(stages_[i]->nnz()), nullptr);
            auto& stage =
                this->parts_.stages_there.emplace_back(stages_[i]->view(static_cast<const T*>(values_[i].data())));
            stage.arrays = cuda::DeviceArrays::in_place;
        }
        add_up();
    }

private:
    void compute() override {
        fill(nullptr);
        add_up();
    }
    void fill(index_t* rows) {
        this->require_right([&]<class P>(const SystemThere<T, P>& p) {
            launch_for_each(p.rows, scale_rows<T, P>, {p, w_, inverse_dw_.data(), scale_.data()});
        });
        with_system(this->a_, this->finding_, [&]<class P>(const SystemThere<T, P>& p) {
            launch_for_each(p.nnz, fill_entries<T, P>,
                            {p, w_, inverse_dw_.data(), scale_.data(), rows, entries_.data()});
        });
    }
    void add_up() {
        for (std::size_t i = 0; i < stages_.size(); ++i)
            stages_[i]->template sum<T>(entries_.data(), values_[i].data(), nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));  // operators read them on other streams
    }

    double w_;
    cuda::DeviceBuffer<double> inverse_dw_;
    cuda::DeviceBuffer<double> scale_;
    cuda::DeviceBuffer<T> entries_;
    std::array<std::optional<cuda::Assembly>, 2> stages_;
    std::array<cuda::DeviceBuffer<T>, 2> values_;
};

}  // namespace

template <class T>
std::unique_ptr<Preconditioner<T>> make_jacobi(const cuda::DeviceCsrView<T>& a, Options& options) {
    options.finish();
    return std::make_unique<JacobiThere<T>>(a, options);
}

template <class T>
std::unique_ptr<Preconditioner<T>> make_ssor_ai(const cuda::DeviceCsrView<T>& a, Options& options) {
    const SsorChoice choice(options);
    return std::make_unique<SsorComputedThere<T>>(a, options, choice);
}

template <class T>
void check_symmetry(const cuda::DeviceCsrView<T>& a, double tolerance) {
    const bool is_mirrored =
        a.rows == a.cols && is_right(a, cuda::PinnedMemory(sizeof(int)), [&]<class P>(SystemThere<T, P> p) {
            p.tolerance = tolerance;
            launch_for_each(p.nnz, compare_mirror_images<T, P>, p);
        });
    if (!is_mirrored) check_symmetry(Source<T>(a).csr(), tolerance);
}

template <class T>
void check_constant_null_space(const cuda::DeviceCsrView<T>& a) {
    const bool adds_up_to_zero = is_right(a, cuda::PinnedMemory(sizeof(int)), [&]<class P>(SystemThere<T, P> p) {
        p.tolerance = row_sum_tolerance<T>();
        launch_for_each(offset_t{p.rows} * cuda::kWarpSize, add_up_rows<T, P>, p);
    });
    if (!adds_up_to_zero) check_constant_null_space(Source<T>(a).csr());
}

#define TILESPMV_INSTANTIATE(T)                                                                        \
    template std::unique_ptr<Preconditioner<T>> make_jacobi(const cuda::DeviceCsrView<T>&, Options&);  \
    template std::unique_ptr<Preconditioner<T>> make_ssor_ai(const cuda::DeviceCsrView<T>&, Options&); \
    template void check_symmetry(const cuda::DeviceCsrView<T>&, double);                               \
    template void check_constant_null_space(const cuda::DeviceCsrView<T>&);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
