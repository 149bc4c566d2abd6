#pragma once

#include <cuda/atomic>

#include "kernels/solver/cuda/block_sums.cuh"
#include "kernels/solver/persistent_plan.hpp"

/// How the thread blocks of a persistent kernel exchange a vector and sums:
///  - `put(row, value)`: a value of the vector that the next `meet` hands to all; only of own rows;
///  - `meet()`: by all threads; after it `get` gives what was put before;
///  - `exchange(sums)`: by all threads, with the sums of their block; those of all blocks, `size()` of each kind, in
///    shared memory. Between two meetings there is an exchange: nobody puts before all have used what they got.
namespace tilespmv::solver {

/// What a block finds of the others' sums, of this exchange and the one before.
struct GatheredSums {
    double of[2][3 * kMostTeamBlocks];
};

/// A double and the number of the exchange that it belongs to, stored and loaded at once (16 bytes): no sum needs a
/// fence or is taken for an older one.
struct NumberedSum {
    unsigned long long bits;
    unsigned long long number;

    static __device__ NumberedSum load(const NumberedSum* from) {
        NumberedSum sum;
        asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                     : "=l"(sum.bits), "=l"(sum.number)
                     : "l"(from)
                     : "memory");
        return sum;
    }
    __device__ void store(NumberedSum* to) const {
        asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to), "l"(bits),
                     "l"(number)
                     : "memory");
    }
};

/// In device memory.
struct GridMeetings {
    unsigned long long* arrivals;  ///< of each block: the number of the last meeting that it has come to
    NumberedSum* sums;             ///< 2 * 3 * blocks
    unsigned long long before;     ///< meetings and exchanges of earlier launches at most
};

/// One thread block on each multiprocessor at most, all of them resident. The vector is in device memory.
template <class T>
class GridTeam {
public:
    __device__ GridTeam(const GridMeetings& meetings, T* vector, GatheredSums& gathered)
        : meetings_(meetings), vector_(vector), gathered_(gathered), met_(meetings.before), added_(meetings.before) {}

    [[nodiscard]] __device__ int size() const { return static_cast<int>(gridDim.x); }
    [[nodiscard]] __device__ int rank() const { return static_cast<int>(blockIdx.x); }
    __device__ void put(index_t row, T value) { vector_[row] = value; }
    [[nodiscard]] __device__ T get(index_t row) const { return vector_[row]; }

    __device__ void meet() {
        ++met_;
        __syncthreads();
        if (threadIdx.x == 0) at(rank()).store(met_, ::cuda::memory_order_release);
        for (int block = static_cast<int>(threadIdx.x); block < size(); block += static_cast<int>(blockDim.x)) {
            while (at(block).load(::cuda::memory_order_acquire) < met_) {
            }
        }
        __syncthreads();
    }

    /// A block stores the sums of exchange n + 2 where those of n were when all blocks have come to n + 1, and so have
    /// read them.
    template <int kSums>
    __device__ const double* exchange(const double (&sums)[kSums]) {
        ++added_;
        const auto parity = static_cast<int>(added_ % 2);
        NumberedSum* const of_all = meetings_.sums + parity * 3 * size();
        if (threadIdx.x == 0) {
#pragma unroll
            for (int k = 0; k < kSums; ++k) {
                NumberedSum{static_cast<unsigned long long>(__double_as_longlong(sums[k])), added_}.store(
                    of_all + k * size() + rank());
            }
        }
        double* const here = gathered_.of[parity];
        for (int i = static_cast<int>(threadIdx.x); i < kSums * size(); i += static_cast<int>(blockDim.x)) {
            NumberedSum sum = NumberedSum::load(of_all + i);
            while (sum.number != added_) sum = NumberedSum::load(of_all + i);
            here[i] = __longlong_as_double(static_cast<long long>(sum.bits));
        }
        __syncthreads();
        return here;
    }

private:
    __device__ ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device> at(int block) const {
        return ::cuda::atomic_ref<unsigned long long, ::cuda::thread_scope_device>(meetings_.arrivals[block]);
    }

    GridMeetings meetings_;
    T* vector_;
    GatheredSums& gathered_;
    unsigned long long met_;
    unsigned long long added_;
};

}  // namespace tilespmv::solver
