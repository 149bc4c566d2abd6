#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/error.hpp"
#include "kernels/cuda/pieces.hpp"
#include "kernels/cuda/take_turns.hpp"
#include "kernels/cuda/turns.cuh"
#include "selector/tuning.hpp"

namespace tilespmv::cuda {

/// How the blocks of an operator take the rows, or groups of rows, of its matrix.
class TurnPlan {
public:
    TurnPlan() = default;
    /// `count` rows, so many of them in a turn of `kernel`'s blocks of `threads` threads; `before` as for
    /// `even_pieces`. Waits for `on`.
    template <class Parameters, class Before>
    TurnPlan(void (*kernel)(Parameters), int threads, std::int64_t turns, index_t count, TakeTurns wanted,
             const Gpu& gpu, Before&& before, const DeviceContext& on)
        : blocks_(turns) {
        if (wanted == TakeTurns::no || gpu.multiprocessors == 0) return;
        int resident = 0;
        TILESPMV_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
        const std::int64_t all = std::int64_t{resident} * gpu.multiprocessors;
        if (wanted == TakeTurns::if_it_pays && static_cast<double>(turns) < gpu.tuning.turns_from * all) return;
        pieces_ = gpu.multiprocessors;
        blocks_ = all;
        const Buffer<index_t> starts = even_pieces(count, pieces_, before);
        starts_ = DeviceBuffer<index_t>(starts, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copy goes away
    }

    [[nodiscard]] std::int64_t blocks() const { return blocks_; }
    [[nodiscard]] Turns turns() const {
        return {starts_.empty() ? nullptr : starts_.data(), static_cast<unsigned>(pieces_)};
    }
    [[nodiscard]] std::size_t bytes() const { return starts_.bytes(); }

private:
    std::int64_t blocks_ = 0;
    int pieces_ = 0;
    DeviceBuffer<index_t> starts_;
};

}  // namespace tilespmv::cuda
