#include "bench/harness/cuda_device.hpp"
#include "bench/harness/cuda_stream_device.hpp"
#include "kernels/solver/vector_kernels.hpp"

namespace tilespmv::bench {
namespace {

class CudaVectorTimer final : public VectorTimer {
public:
    CudaVectorTimer(Device& device, std::unique_ptr<solver::VectorKernelRunner> runner, const RepeatRule& rule)
        : device_(device), runner_(std::move(runner)), rule_(rule) {}

    double seconds(std::string_view kernel, const LaunchShape& shape) override {
        return seconds_of_repeat(
            device_, [&] { runner_->run(kernel, shape); }, rule_);
    }

private:
    Device& device_;
    std::unique_ptr<solver::VectorKernelRunner> runner_;
    RepeatRule rule_;
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
            .residency = residency_of(kernel, value_bytes),
            .compared_with = std::string(kernel.compared_with)};
}

}  // namespace

std::vector<VectorWork> cuda_vector_works(std::size_t value_bytes) {
    std::vector<VectorWork> works;
    if (value_bytes != sizeof(double) && value_bytes != sizeof(float)) return works;
    for (const auto& kernels : {solver::vector_kernels(), solver::compared_vector_kernels()}) {
        for (const auto& kernel : kernels) works.push_back(work_of(kernel, value_bytes));
    }
    return works;
}

std::unique_ptr<VectorTimer> make_cuda_vector_timer(Device& device, std::size_t value_bytes, std::size_t n,
                                                    const RepeatRule& rule) {
    const auto stream = dynamic_cast<CudaDevice&>(device).stream();
    auto runner = value_bytes == sizeof(double) ? solver::make_vector_kernel_runner<double>(n, stream)
                                                : solver::make_vector_kernel_runner<float>(n, stream);
    return std::make_unique<CudaVectorTimer>(device, std::move(runner), rule);
}

}  // namespace tilespmv::bench
