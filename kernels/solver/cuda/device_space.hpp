#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "kernels/cuda/graph.hpp"
#include "kernels/solver/cuda/device_preconditioner.hpp"
#include "kernels/solver/cuda/persistent.hpp"
#include "kernels/solver/system_space.hpp"

namespace tilespmv::solver {

/// One GPU: vectors and scalars in its memory, everything on one stream; only `download`, `norm2` and `read_scalars`
/// wait. Blocks of iterations are graphs, or one kernel where there are `PersistentIterations`. With user-supplied
/// operators and preconditioners, which see the same stream. Derive from it for a GPU that has some of the rows:
/// `finish` and `finished` say how its reductions end. T: float or double.
template <class T>
class DeviceSpace : public SystemSpace<T> {
public:
    /// `a`: square; `m`: of its size, on the GPU that is current. Both must outlive the space, and so must the stream.
    DeviceSpace(const cuda::DeviceOperator<T>& a, DevicePreconditioner<T>& m, const cuda::DeviceContext& on);
    /// Waits for what it has launched.
    ~DeviceSpace() override;

    /// Does blocks of iterations from now on, on A and M as they are; null: graphs do.
    void set_persistent(std::unique_ptr<PersistentIterations<T>> persistent) { persistent_ = std::move(persistent); }
    [[nodiscard]] PersistentIterations<T>* persistent() { return persistent_.get(); }

    /// The stream that everything is on, and where its memory is from.
    [[nodiscard]] const cuda::DeviceContext& context() const { return on_; }

    [[nodiscard]] std::string_view operator_name() const override { return a_->name(); }
    [[nodiscard]] std::string_view operator_specification() const override { return a_->specification(); }
    [[nodiscard]] std::string how() const override;
    [[nodiscard]] bool is_persistent() const override { return persistent_ != nullptr; }
    /// Of M; the operator is its owner's, who gives it new values. Throws `Error` if there are any for it.
    void update_values(std::span<const T> values, const PreconditionerParts<T>& parts) override;

    [[nodiscard]] std::size_t size() const override { return kernels_.size(); }
    Vector<T> make_vector() override;
    void upload(std::span<const T> from, Vector<T> to) override;
    void download(Vector<const T> from, std::span<T> to) override;
    void copy(Vector<const T> from, Vector<T> to) override;
    void clear(Vector<T> v) override;
    void multiply(Vector<const T> x, Vector<T> y) override;
    void residual(Vector<const T> b, Vector<const T> x, Vector<T> r) override;
    void precondition(Vector<const T> r, Vector<T> w) override;
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
    virtual void finished(Recurrence recurrence) { static_cast<void>(recurrence); }
    /// Called when iterations have been recorded, before they are launched: a GPU among several waits for the others,
    /// which must not be recording while it waits for them in the middle of an iteration.
    virtual void recorded() {}

    [[nodiscard]] cudaStream_t stream() const { return on_.stream; }
    [[nodiscard]] const VectorLauncher<T>& kernels() const { return kernels_; }
    /// In device memory.
    [[nodiscard]] Scalars* scalars() { return scalars_.data(); }
    /// In device memory, `kMostSums`: of the last reduction that no recurrence has taken.
    [[nodiscard]] double* sums() { return sums_.data(); }
    /// The operator is another one, or M launches something else: graphs are made again.
    void replace_operator(const cuda::DeviceOperator<T>& a);
    void forget_graphs() { blocks_.clear(); }
    [[nodiscard]] DevicePreconditioner<T>& preconditioner() { return m_; }

private:
    /// `count` iterations as they were launched once.
    struct Block {
        int count;
        Method method;
        Iterates<T> v;
        std::unique_ptr<cuda::Graph> graph;
    };
    struct Pinned;

    Block& block_for(int count, Method method, const Iterates<T>& v);

    cuda::DeviceContext on_;
    const cuda::DeviceOperator<T>* a_;
    DevicePreconditioner<T>& m_;
    VectorLauncher<T> kernels_;
    cuda::DeviceBuffer<Scalars> scalars_;
    cuda::DeviceBuffer<double> sums_;
    std::unique_ptr<Pinned> pinned_;
    std::deque<cuda::DeviceBuffer<T>> vectors_;
    std::vector<Block> blocks_;
    std::unique_ptr<PersistentIterations<T>> persistent_;
    int last_count_ = 0;
};

}  // namespace tilespmv::solver
