#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/solver/cuda/vector_launcher.hpp"
#include "kernels/solver/persistent_plan.hpp"
#include "kernels/solver/system_space.hpp"

namespace tilespmv::solver {

/// What limits a persistent kernel for values of `value_bytes` (4 or 8) on the current GPU; no multiprocessors where
/// thread blocks cannot meet.
PersistentLimits persistent_limits(std::size_t value_bytes);

/// `even_rows` of row pointers that are right, on the current GPU. Waits for the stream.
std::vector<RowStart> even_rows_there(const cuda::DevicePattern& a, int blocks, double row_cost, cudaStream_t stream);

/// Iterations of conjugate gradients for a small system, `count` of them in one kernel, with a diagonal M or none. Rows
/// of vectors, and A where it fits, stay in the shared memory of the thread blocks; these meet twice an iteration
/// (Chronopoulos and Gear) or three times (textbook). Sums are added in the order of the thread blocks by each of them,
/// so that results are the same bits in every run. The recurrences are those of `recurrence.hpp`; inner products are
/// added in another order than by the kernels over vectors.
template <class T>
class PersistentIterations {
public:
    /// Copies A, which is not needed afterwards, or reads it where it is on the GPU. The stream must outlive it.
    PersistentIterations(const SystemMatrix<T>& a, PersistentPlan plan, const cuda::DeviceContext& on);

    [[nodiscard]] const PersistentPlan& plan() const { return plan_; }
    /// `count` iterations, or until `end` is set; does not wait. Vectors and scalars are in device memory, before and
    /// after as those of the kernels over vectors. Cannot be captured into a graph.
    void run(int count, Method method, const Iterates<T>& v, const DiagonalView<T>& m, Scalars* scalars);
    /// Those of A, in the order of CSR; returns when they are not needed any more.
    void update_values(const Block<const T>& values);

private:
    cuda::DeviceContext on_;
    PersistentPlan plan_;
    cuda::CsrToRead<T> csr_;
    cuda::DeviceBuffer<std::uint32_t> own_row_ptrs_;  // a copy, if there is one
    const std::uint32_t* row_ptrs_ = nullptr;
    cuda::DeviceBuffer<index_t> first_rows_;
    cuda::DeviceBuffer<unsigned long long> meetings_;  ///< of a grid
    unsigned long long met_ = 0;                       ///< meetings that launches so far may have had
};

}  // namespace tilespmv::solver
