#include "kernels/solver/cuda/device_preconditioner.hpp"

#include <vector>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {
namespace {

template <class V>
const PreconditionerParts<V>& parts_in(const AnyPreconditionerParts& parts) {
    if (const auto* found = std::get_if<PreconditionerParts<V>>(&parts)) return *found;
    throw Error("new values of a preconditioner are of another type than those before");
}

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
template <class T, class V>
class DiagonalPreconditioner final : public DevicePreconditioner<T> {
public:
    DiagonalPreconditioner(const PreconditionerParts<V>& parts, const cuda::DeviceContext& on)
        : values_(parts.inverse_diagonal, on), kernels_(launcher_for<T>(parts.size, on)) {}

    void apply(const T* r, T* w, cudaStream_t) override { kernels_.times_diagonal(*diagonal(), r, w); }
    [[nodiscard]] std::optional<DiagonalView<T>> diagonal() const override {
        return DiagonalView<T>(static_cast<const V*>(values_.data()));
    }
    bool update_values(const AnyPreconditionerParts& parts, cudaStream_t stream) override {
        if (!values_.empty()) upload(parts_in<V>(parts).inverse_diagonal, values_, stream);
        return true;
    }

private:
    cuda::DeviceBuffer<V> values_;
    VectorLauncher<T> kernels_;
};

constexpr int kBlockThreads = 256;  // not swept

/// w = M r for blocks of k rows on the diagonal.
template <class T, class V>
struct TimesBlocks {
    const V* blocks;
    const T* r;
    T* w;
    index_t rows;
    int k;
};

/// A thread a row. Blocks are symmetric, so that their columns are read for their rows, side by side.
template <class T, class V>
__global__ void __launch_bounds__(kBlockThreads) times_blocks(const __grid_constant__ TimesBlocks<T, V> p) {
    cuda::wait_for_stream();
    const std::int64_t row = std::int64_t{blockIdx.x} * kBlockThreads + threadIdx.x;
    if (row >= p.rows) return;
    const std::int64_t first = row / p.k * p.k;
    const V* column = p.blocks + first * p.k + (row - first);
    const int count = static_cast<int>(min(std::int64_t{p.k}, p.rows - first));
    double sum = 0;
    for (int j = 0; j < count; ++j) {
        sum += static_cast<double>(column[j * p.k]) * static_cast<double>(static_cast<V>(p.r[first + j]));
    }
    p.w[row] = static_cast<T>(static_cast<V>(sum));
}

template <class T, class V>
class BlockPreconditioner final : public DevicePreconditioner<T> {
public:
    BlockPreconditioner(const PreconditionerParts<V>& parts, const cuda::DeviceContext& on)
        : values_(parts.inverse_blocks, on), rows_(parts.size), k_(parts.block_size) {}

    void apply(const T* r, T* w, cudaStream_t stream) override {
        const TimesBlocks<T, V> p{values_.data(), r, w, rows_, k_};
        cuda::launch_dependent(times_blocks<T, V>, div_up(rows_, kBlockThreads), kBlockThreads, p, stream);
    }
    bool update_values(const AnyPreconditionerParts& parts, cudaStream_t stream) override {
        upload(parts_in<V>(parts).inverse_blocks, values_, stream);
        return true;
    }

private:
    cuda::DeviceBuffer<V> values_;
    index_t rows_;
    int k_;
};

/// Products in turn, each in a vector of its own.
template <class T, class V>
class StagedPreconditioner final : public DevicePreconditioner<T> {
public:
    StagedPreconditioner(const PreconditionerParts<V>& parts, const cuda::DeviceContext& on)
        : size_(static_cast<std::size_t>(parts.size)),
          of_t_(launcher_for<T>(parts.size, on)),
          of_v_(launcher_for<V>(parts.size, on)) {
        for (const auto& stage : parts.stages) {
            stages_.push_back({UpdatableOperator<V>(stage.matrix, parts.operators, on),
                               cuda::DeviceBuffer<V>(stage.diagonal, on), cuda::DeviceBuffer<V>(size_, on)});
        }
        if (kRounds) rounded_ = cuda::DeviceBuffer<V>(size_, on);
    }

    void apply(const T* r, T* w, cudaStream_t stream) override {
        const V* before = nullptr;
        const V* from = first(r);
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            V* const to = i + 1 == stages_.size() ? last(w) : stages_[i].result.data();
            stages_[i].matrix.get().apply(1, cuda::DeviceSpan(from, size_), 0, cuda::DeviceSpan(to, size_), stream);
            if (!stages_[i].diagonal.empty()) of_v_.add_times_diagonal(stages_[i].diagonal.data(), before, to);
            before = from;
            from = to;
        }
        if constexpr (kRounds) of_t_.from_float(from, w);
    }

    bool update_values(const AnyPreconditionerParts& parts, cudaStream_t stream) override {
        const auto& stages = parts_in<V>(parts).stages;
        if (stages.size() != stages_.size()) throw Error("a preconditioner was given other stages than before");
        bool is_as_before = true;
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const Buffer<V>& values = stages[i].matrix.values;
            is_as_before &= stages_[i].matrix.update_values({values.data(), values.size()});
            if (!stages_[i].diagonal.empty()) upload(stages[i].diagonal, stages_[i].diagonal, stream);
        }
        return is_as_before;
    }

private:
    static constexpr bool kRounds = !std::is_same_v<T, V>;

    struct Stage {
        UpdatableOperator<V> matrix;
        cuda::DeviceBuffer<V> diagonal;
        cuda::DeviceBuffer<V> result;
    };

    const V* first(const T* r) const {
        if constexpr (kRounds) {
            of_t_.to_float(r, rounded_.data());
            return rounded_.data();
        } else {
            return r;
        }
    }
    V* last(T* w) {
        if constexpr (kRounds) {
            return stages_.back().result.data();
        } else {
            return w;
        }
    }

    std::size_t size_;
    VectorLauncher<T> of_t_;
    VectorLauncher<V> of_v_;
    std::vector<Stage> stages_;
    cuda::DeviceBuffer<V> rounded_;
};

template <class T, class V>
std::unique_ptr<DevicePreconditioner<T>> make(const PreconditionerParts<V>& parts, const cuda::DeviceContext& on) {
    if (!parts.stages.empty()) return std::make_unique<StagedPreconditioner<T, V>>(parts, on);
    if (!parts.inverse_blocks.empty()) return std::make_unique<BlockPreconditioner<T, V>>(parts, on);
    return std::make_unique<DiagonalPreconditioner<T, V>>(parts, on);
}

}  // namespace

template <class T>
std::unique_ptr<DevicePreconditioner<T>> make_device_preconditioner(const AnyPreconditionerParts& parts,
                                                                    const cuda::DeviceContext& on) {
    auto made = std::visit(
        [&]<class V>(const PreconditionerParts<V>& of_v) -> std::unique_ptr<DevicePreconditioner<T>> {
            if constexpr (sizeof(V) > sizeof(T)) {
                throw Error("a preconditioner in float64 does not serve vectors in float32; make it in float32",
                            ExitCode::usage);
            } else {
                return make<T>(of_v, on);
            }
        },
        parts);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));  // the host's copies may go away
    return made;
}

template std::unique_ptr<DevicePreconditioner<double>> make_device_preconditioner(const AnyPreconditionerParts&,
                                                                                  const cuda::DeviceContext&);
template std::unique_ptr<DevicePreconditioner<float>> make_device_preconditioner(const AnyPreconditionerParts&,
                                                                                 const cuda::DeviceContext&);

}  // namespace tilespmv::solver
