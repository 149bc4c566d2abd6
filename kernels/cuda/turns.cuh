#pragma once

#include <cstdint>

#include "tile/types.hpp"

/// Which rows, or groups of rows, the blocks of a launch multiply.
namespace tilespmv::cuda {

/// Either one turn for each block, in their order; or as many blocks as the GPU holds at a time, which take turns: then
/// consecutive rows are a *piece* for the blocks of one multiprocessor, so that they find x of neighbouring rows in its
/// first-level cache. Blocks whose numbers differ by a multiple of `pieces` share a piece: the GPU places them on one
/// multiprocessor as long as it is empty. Nothing but speed depends on that.
struct Turns {
    const index_t* starts = nullptr;  ///< of pieces, `pieces` + 1; null: one turn for each block
    unsigned pieces = 0;
};

/// The turns of this block over `count` rows, kTurn in a turn.
template <int kTurn>
struct BlockTurns {
    __device__ BlockTurns(const Turns& turns, std::int64_t count) {
        if (turns.starts == nullptr) {
            begin = std::int64_t{blockIdx.x} * kTurn;
            end = count;
            step = count;
            return;
        }
        const unsigned piece = blockIdx.x % turns.pieces;
        begin = turns.starts[piece] + std::int64_t{blockIdx.x / turns.pieces} * kTurn;
        end = turns.starts[piece + 1];
        step = std::int64_t{gridDim.x / turns.pieces} * kTurn;
    }

    std::int64_t begin;  ///< first row of its first turn
    std::int64_t end;    ///< of its piece
    std::int64_t step;   ///< from one of its turns to the next
};

}  // namespace tilespmv::cuda
