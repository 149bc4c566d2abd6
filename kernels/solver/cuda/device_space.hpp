#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/pinned_memory.hpp"
#include "kernels/solver/cuda/persistent.hpp"
#include "kernels/solver/system_space.hpp"

namespace tilespmv::solver {

/// Makes operators on the current GPU for a `SystemOperator`. The stream must outlive what it makes.
template <class T>
typename SystemOperator<T>::Make make_on_gpu(const cuda::DeviceContext& on) {
    return [on](const std::string& specification, const Source<T>& a) {
        return cuda::make_device_operator<T>(specification, a, default_accumulator<T>(), on);
    };
}

/// Gives an operator new values, those of the host by way of `room`, which grows if it has to; returns when they are
/// not needed any more.
template <class T>
void give_by_way_of(cuda::DeviceBuffer<T>& room, Operator<T>& to, std::type_identity_t<Block<const T>> values,
                    const cuda::DeviceContext& on) {
    if (values.memory == Memory::host) {
        if (room.size() < values.rows) room = cuda::DeviceBuffer<T>(values.rows, on);
        room.upload({values.data, values.rows}, on.stream);
        values = Block<const T>(room.data(), values.rows, Memory::device);
    }
    to.update_values(values, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

/// One GPU: vectors and scalars in its memory, everything on one stream; only `download`, `norm2` and `read_scalars`
/// wait. Blocks of iterations are graphs, or one kernel where there are `PersistentIterations`. Derive from it for a
/// GPU that has some of the rows: `finish` and `finished` say how its reductions end. T: float or double.
template <class T>
class DeviceSpace : public SystemSpace<T> {
public:
    /// Operators on the GPU that is current. The stream must outlive the space.
    DeviceSpace(SystemOperator<T> a, SystemPreconditioner<T> m, const cuda::DeviceContext& on);
    /// Waits for what it has launched.
    ~DeviceSpace() override;

    /// Does blocks of iterations from now on, on A and M as they are; null: graphs do.
    void set_persistent(std::unique_ptr<PersistentIterations<T>> persistent) { persistent_ = std::move(persistent); }

    /// The stream that everything is on, and where its memory is from.
    [[nodiscard]] const cuda::DeviceContext& context() const { return on_; }

    [[nodiscard]] std::string how() const override;
    [[nodiscard]] bool is_persistent() const override { return persistent_ != nullptr; }
    void update_values(const SystemMatrix<T>& a) override;

    Vector<T> make_vector() override;
    void reserve_vectors(std::size_t count) override;
    void upload(std::span<const T> from, Vector<T> to) override;
    void download(Vector<const T> from, std::span<T> to) override;
    void copy(Vector<const T> from, Vector<T> to) override;
    void clear(Vector<T> v) override;
    void remove_mean(Vector<T> v) override;
    double norm2(Vector<const T> r) override;

    void advance(const Iterates<T>& v) override;
    void advance_and_precondition(const Iterates<T>& v) override;
    void inner_products(const Iterates<T>& v) override;
    void direction(const Iterates<T>& v) override;
    void step_length(const Iterates<T>& v) override;
    void move(const Iterates<T>& v) override;
    void ratio(const Iterates<T>& v) override;
    void move_and_precondition(const Iterates<T>& v) override;

    void write_scalars(const Scalars& scalars) override;
    Scalars read_scalars() override;
    /// The first block of its kind is launched kernel by kernel, the next one is recorded.
    void repeat(int count, Method method, const Iterates<T>& v, const std::function<void()>& iteration) override;

protected:
    /// What a reduction is launched with: by default the recurrence ends it.
    virtual Finish finish(Recurrence recurrence);
    /// Called when it is launched: a GPU among several leaves sums by a `finish` without recurrence, gathers those of
    /// all and calls `launch_finish`.
    virtual void finished(Recurrence /*recurrence*/) {}
    /// Called when iterations have been recorded, before they are launched: a GPU among several waits for the others,
    /// which must not be recording while it waits for them in the middle of an iteration.
    virtual void recorded() {}

    [[nodiscard]] cudaStream_t stream() const { return on_.stream; }
    /// In device memory.
    [[nodiscard]] Scalars* scalars() { return &kept_.data()->scalars; }
    /// In device memory, `kMostSums`: of the last reduction that no recurrence has taken.
    [[nodiscard]] double* sums() { return kept_.data()->sums; }
    /// An operator is another one than before: graphs are made again.
    void forget_graphs() { blocks_.clear(); }

    void times_diagonal(Vector<const T> r, Vector<T> w) override {
        kernels_.times_diagonal(diagonal(), r.data, w.data);
    }
    void set_diagonal(const Buffer<T>& values) override;
    void give_values(Operator<T>& to, const tilespmv::Block<const T>& values) override {
        give_by_way_of(new_values_, to, values, on_);
    }

private:
    /// `count` iterations as they were launched once.
    struct Block {
        int count;
        Method method;
        Iterates<T> v;
        std::unique_ptr<cuda::Graph> graph;
    };
    /// What lies in the memory of the GPU, and in pinned memory of the host on its way from and to it.
    struct Kept {
        Scalars scalars;
        double sums[kMostSums];
    };

    Block& block_for(int count, Method method, const Iterates<T>& v);
    /// Of a diagonal M.
    [[nodiscard]] DiagonalView<T> diagonal() const {
        return {this->inverse_there() != nullptr ? this->inverse_there() : diagonal_.data()};
    }
    [[nodiscard]] Kept& pinned() const { return *reinterpret_cast<Kept*>(pinned_.data()); }

    cuda::DeviceContext on_;
    VectorLauncher<T> kernels_;
    cuda::DeviceBuffer<T> diagonal_;    // of an M of the host's; empty of I
    cuda::DeviceBuffer<T> new_values_;  // on their way to an operator; made with the first
    cuda::DeviceBuffer<Kept> kept_;
    cuda::PinnedMemory pinned_;
    std::vector<cuda::DeviceBuffer<T>> vectors_;
    std::size_t reserved_ = 0;  // vectors at the end of the last of these
    std::vector<Block> blocks_;
    std::unique_ptr<PersistentIterations<T>> persistent_;
    int last_count_ = 0;
};

}  // namespace tilespmv::solver
