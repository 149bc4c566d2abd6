#include "kernels/solver/cuda/device_preconditioner.hpp"

#include <vector>

#include "kernels/cuda/this_gpu.hpp"
#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {
namespace {

template <class V>
void upload(const Buffer<V>& from, cuda::DeviceBuffer<V>& to, cudaStream_t stream) {
    if (from.size() != to.size()) throw Error("new values of a preconditioner have another size than those before");
    to.upload({from.data(), from.size()}, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
}

template <class T>
VectorLauncher<T> launcher_for(index_t size, const cuda::DeviceContext& on) {
    const auto n = static_cast<std::size_t>(size);
    return {n, vector_shapes(n, sizeof(T), cuda::this_gpu(sizeof(T)).multiprocessors), on};
}

/// M = I is a diagonal without values.
template <class T>
class DiagonalPreconditioner final : public DevicePreconditioner<T> {
public:
    DiagonalPreconditioner(const PreconditionerParts<T>& parts, const cuda::DeviceContext& on)
        : values_(parts.inverse_diagonal, on), kernels_(launcher_for<T>(parts.size, on)) {}

    void apply(const T* r, T* w, cudaStream_t) override { kernels_.times_diagonal({values_.data()}, r, w); }
    [[nodiscard]] std::optional<DiagonalView<T>> diagonal() const override { return DiagonalView<T>{values_.data()}; }
    bool update_values(const PreconditionerParts<T>& parts, cudaStream_t stream) override {
        if (!values_.empty()) upload(parts.inverse_diagonal, values_, stream);
        return true;
    }

private:
    cuda::DeviceBuffer<T> values_;
    VectorLauncher<T> kernels_;
};

/// Products in turn.
template <class T>
class StagedPreconditioner final : public DevicePreconditioner<T> {
public:
    StagedPreconditioner(const PreconditionerParts<T>& parts, const cuda::DeviceContext& on)
        : size_(static_cast<std::size_t>(parts.size)) {
        for (const auto& matrix : parts.stages) {
            stages_.push_back({UpdatableOperator<T>(matrix, parts.operators, on), cuda::DeviceBuffer<T>(size_, on)});
        }
    }

    void apply(const T* r, T* w, cudaStream_t stream) override {
        const T* from = r;
        for (Stage& stage : stages_) {
            T* const to = &stage == &stages_.back() ? w : stage.result.data();
            stage.matrix.get().apply(1, cuda::DeviceSpan(from, size_), 0, cuda::DeviceSpan(to, size_), stream);
            from = to;
        }
    }

    bool update_values(const PreconditionerParts<T>& parts, cudaStream_t) override {
        if (parts.stages.size() != stages_.size()) throw Error("a preconditioner was given other stages than before");
        bool is_as_before = true;
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const Buffer<T>& values = parts.stages[i].values;
            is_as_before &= stages_[i].matrix.update_values({values.data(), values.size()});
        }
        return is_as_before;
    }

private:
    struct Stage {
        UpdatableOperator<T> matrix;
        cuda::DeviceBuffer<T> result;
    };

    std::size_t size_;
    std::vector<Stage> stages_;
};

}  // namespace

template <class T>
std::unique_ptr<DevicePreconditioner<T>> make_device_preconditioner(const PreconditionerParts<T>& parts,
                                                                    const cuda::DeviceContext& on) {
    std::unique_ptr<DevicePreconditioner<T>> made;
    if (parts.is_diagonal()) {
        made = std::make_unique<DiagonalPreconditioner<T>>(parts, on);
    } else {
        made = std::make_unique<StagedPreconditioner<T>>(parts, on);
    }
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));  // the host's copies may go away
    return made;
}

template std::unique_ptr<DevicePreconditioner<double>> make_device_preconditioner(const PreconditionerParts<double>&,
                                                                                  const cuda::DeviceContext&);
template std::unique_ptr<DevicePreconditioner<float>> make_device_preconditioner(const PreconditionerParts<float>&,
                                                                                 const cuda::DeviceContext&);

}  // namespace tilespmv::solver
