#include "kernels/solver/vector_kernels.hpp"

#include <array>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/solver/cuda/vector_launcher.hpp"
#include "kernels/solver/seven_diagonals.hpp"

namespace tilespmv::solver {
namespace {

/// Values in [0.5, 1.5) that differ from vector to vector.
template <class T>
std::vector<T> values_of(std::size_t n, std::uint64_t vector) {
    std::vector<T> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t mixed = (i + 1 + vector * 0x632be59bd9b4e019) * 0x9e3779b97f4a7c15;
        values[i] = static_cast<T>(0.5 + static_cast<double>(mixed >> 44) / static_cast<double>(1 << 20));
    }
    return values;
}

/// alpha and beta keep vectors where they are: run after run, no value grows or dies out.
template <class T>
class Runner final : public VectorKernelRunner {
public:
    Runner(std::size_t n, const cuda::DeviceContext& on)
        : on_(on),
          shapes_(n, sizeof(T), cuda::this_gpu(sizeof(T)).multiprocessors),
          kernels_(n, shapes_, on),
          scalars_(1, on),
          sums_(kMostSums, on) {
        for (std::size_t k = 0; k < vectors_.size(); ++k) {
            const std::vector<T> values = values_of<T>(n, k);
            vectors_[k] = cuda::DeviceBuffer<T>(std::span<const T>(values), on);
            TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
        }
        const Scalars scalars{.rho = 1, .mu = 1, .alpha = 0x1p-40, .beta = 0x1p-40, .residual2 = 1};
        scalars_.upload({&scalars, 1}, on.stream);
        const std::vector<double> sums(kMostSums, 1.0);  // a division takes longer of what may be there without
        sums_.upload(sums, on.stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    }

    void run(std::string_view kernel, const LaunchShape& shape) override {
        const VectorKernelId id = vector_kernel_id(kernel);
        if (!(shapes_.of(id) == shape)) {
            shapes_.set(kernel, shape);
            kernels_.set_shapes(shapes_);
        }
        launch(id);
    }

    void multiply() override {
        if (!product_) product_ = make_product();
        product_->apply(1, cuda::DeviceSpan(vectors_[2].data(), kernels_.size()), 0,
                        cuda::DeviceSpan(vectors_[3].data(), kernels_.size()), on_.stream);
    }
    [[nodiscard]] double iteration_bytes() const override {
        constexpr double kColumn = 2;  // bytes, by csr16
        const double of_row = kNonzeros * (kColumn + sizeof(T)) + static_cast<double>(vectors_.size() * sizeof(T));
        return of_row * static_cast<double>(kernels_.size());
    }

private:
    static constexpr double kNonzeros = 7;  ///< of a row of A

    std::unique_ptr<cuda::DeviceOperator<T>> make_product() {
        const auto a = seven_diagonals<T>(static_cast<index_t>(kernels_.size()));
        return cuda::make_device_operator<T>("csr16", a, default_accumulator<T>(), on_);
    }
    void launch(VectorKernelId id) {
        const Iterates<T> v = iterates();
        const DiagonalView<T> m(static_cast<const T*>(vectors_[6].data()));
        const Scalars* scalars = scalars_.data();
        const Finish finish{scalars_.data(), sums_.data(), Recurrence::none};
        switch (id) {
            case VectorKernelId::advance:
                return kernels_.advance(v, scalars);
            case VectorKernelId::advance_diagonal:
                return kernels_.advance(v, scalars, m);
            case VectorKernelId::inner_products:
                return kernels_.inner_products(v, finish);
            case VectorKernelId::direction:
                return kernels_.direction(v, scalars);
            case VectorKernelId::step_length:
                return kernels_.step_length(v, finish);
            case VectorKernelId::move:
                return kernels_.move(v, scalars);
            case VectorKernelId::move_diagonal:
                return kernels_.move(v, m, finish);
            case VectorKernelId::ratio:
                return kernels_.ratio(v, finish);
            case VectorKernelId::residual2:
                return kernels_.residual2(v.r.data, finish);
            case VectorKernelId::sum:
                return kernels_.sum(v.r.data, finish);
            case VectorKernelId::subtract_mean:
                return kernels_.subtract_mean(v.x.data, sums_.data(), 1e30);
            case VectorKernelId::times_diagonal:
                return kernels_.times_diagonal(m, v.r.data, v.w.data);
            case VectorKernelId::axpy:
                return kernels_.axpy(T(0x1p-40), v.x.data, v.r.data);
            case VectorKernelId::copy:
                return kernels_.copy(v.x.data, v.r.data);
        }
    }
    Iterates<T> iterates() { return {at(0), at(1), at(2), at(3), at(4), at(5)}; }
    Vector<T> at(std::size_t k) { return {vectors_[k].data(), kernels_.size()}; }

    cuda::DeviceContext on_;
    VectorShapes shapes_;
    VectorLauncher<T> kernels_;
    cuda::DeviceBuffer<Scalars> scalars_;
    cuda::DeviceBuffer<double> sums_;
    std::array<cuda::DeviceBuffer<T>, 7> vectors_;
    std::unique_ptr<cuda::DeviceOperator<T>> product_;  ///< once it has been done
};

}  // namespace

template <class T>
std::unique_ptr<VectorKernelRunner> make_vector_kernel_runner(std::size_t n, void* stream) {
    static_cast<void>(cuda::require_device());
    return std::make_unique<Runner<T>>(n, static_cast<cudaStream_t>(stream));
}

template std::unique_ptr<VectorKernelRunner> make_vector_kernel_runner<double>(std::size_t, void*);
template std::unique_ptr<VectorKernelRunner> make_vector_kernel_runner<float>(std::size_t, void*);

}  // namespace tilespmv::solver
