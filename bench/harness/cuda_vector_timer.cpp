#include <algorithm>
#include <optional>

#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/solver/vector_kernels.hpp"

namespace tilespmv::bench {
namespace {

class CudaVectorTimer final : public VectorTimer {
public:
    CudaVectorTimer(Device& device, std::unique_ptr<solver::VectorKernelRunner> runner, double vector_bytes,
                    const RepeatRule& rule)
        : device_(device),
          runner_(std::move(runner)),
          rule_(rule),
          vector_bytes_(vector_bytes),
          cache_bytes_(static_cast<double>(cuda::require_device().l2_bytes)) {}

    double seconds(std::string_view kernel, const LaunchShape& shape) override {
        if (!needs_product(kernel)) {
            return seconds_of_repeat(
                device_, [&] { runner_->run(kernel, shape); }, rule_);
        }
        const auto both = [&] {
            runner_->run(kernel, shape);
            runner_->multiply();
        };
        const double together = seconds_of_repeat(device_, both, rule_);
        return std::max(together - product_seconds(), kLeastShare * together);
    }

private:
    static constexpr double kLeastShare = 0.01;  ///< where noise is larger than the time of the kernel

    /// Whether a launch of the same kernel before would leave another part of its vectors in the cache than a solver,
    /// between whose launches there is a product: the cache does not hold an iteration, and vectors of one launch do
    /// not drive out everything by themselves.
    [[nodiscard]] bool needs_product(std::string_view kernel) const {
        constexpr double kDrivesOut = 4;  // times the cache
        return runner_->iteration_bytes() > cache_bytes_ && bytes_of(kernel) < kDrivesOut * cache_bytes_;
    }
    [[nodiscard]] double bytes_of(std::string_view name) const {
        for (const auto& kernel : solver::vector_kernels()) {
            if (kernel.name == name) return vector_bytes_ * (kernel.reads + kernel.writes);
        }
        return 0;
    }
    /// Measured once: an error in it is the same for all shapes.
    double product_seconds() {
        if (!product_seconds_) {
            product_seconds_ = seconds_of_repeat(
                device_, [&] { runner_->multiply(); }, rule_);
        }
        return *product_seconds_;
    }

    Device& device_;
    std::unique_ptr<solver::VectorKernelRunner> runner_;
    RepeatRule rule_;
    double vector_bytes_;  ///< of one
    double cache_bytes_;
    std::optional<double> product_seconds_;
};

}  // namespace

namespace {

std::vector<Residency> residency_of(const solver::VectorKernel& kernel, std::size_t value_bytes) {
    std::vector<Residency> all;
    for (const LaunchShape& shape : uncapped_shapes(kernel.reduces)) {
        const int blocks = value_bytes == sizeof(double) ? solver::resident_blocks<double>(kernel.name, shape)
                                                         : solver::resident_blocks<float>(kernel.name, shape);
        all.push_back({shape.threads, shape.elements, blocks});
    }
    return all;
}

VectorWork work_of(const solver::VectorKernel& kernel, std::size_t value_bytes) {
    return {.kernel = std::string(kernel.name),
            .reduces = kernel.reduces,
            .reads = kernel.reads,
            .writes = kernel.writes,
            .value_bytes = value_bytes,
            .residency = residency_of(kernel, value_bytes)};
}

}  // namespace

std::vector<VectorWork> cuda_vector_works(std::size_t value_bytes) {
    std::vector<VectorWork> works;
    if (value_bytes != sizeof(double) && value_bytes != sizeof(float)) return works;
    for (const auto& kernel : solver::vector_kernels()) works.push_back(work_of(kernel, value_bytes));
    return works;
}

std::unique_ptr<VectorTimer> make_cuda_vector_timer(Device& device, std::size_t value_bytes, std::size_t n,
                                                    const RepeatRule& rule) {
    const auto stream = dynamic_cast<CudaDevice&>(device).stream();
    auto runner = value_bytes == sizeof(double) ? solver::make_vector_kernel_runner<double>(n, stream)
                                                : solver::make_vector_kernel_runner<float>(n, stream);
    return std::make_unique<CudaVectorTimer>(device, std::move(runner), static_cast<double>(n * value_bytes), rule);
}

}  // namespace tilespmv::bench
