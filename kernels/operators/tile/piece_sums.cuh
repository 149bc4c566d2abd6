#pragma once

#include <span>

#include "kernels/cuda/awaited_sums.cuh"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/operators/tile/tile_pieces.hpp"

namespace tilespmv::cuda {

/// The pieces of split tile rows in device memory.
template <class A>
struct DevicePieces {
    const TilePiece* pieces = nullptr;
    BitsOf<A>* places = nullptr;  ///< `AwaitedSums`, 16 a place
};

/// For a warp, both of whose lanes of a row have its sum of the piece `at`: whether that makes the sums of the tile row
/// complete; then `sum` becomes those, added in the order of the pieces. Otherwise the sums are left for a later piece.
/// Warps start in the order of their pieces, or the wait would not end. Not inlined: it is the end of few warps' work,
/// and would take registers from all of it.
template <class A>
__device__ __noinline__ bool sum_of_pieces(const DevicePieces<A>& of, std::uint32_t at, Lane lane, A& sum) {
    const AwaitedSums<A> sums(of.places);
    for (TilePiece piece = load_wide(of.pieces + at);; piece = load_wide(of.pieces + piece.next)) {
        const std::int64_t own = std::int64_t{piece.place} * kTileSize + lane.row;
        if (piece.takes == TilePiece::kLeaves) {
            if (lane.half == 0) sums.leave(own, sum);
            return false;
        }
        A before = 0;
        for (int i = lane.half; i < piece.takes; i += 2) before += sums.take(own - (piece.takes - i) * kTileSize);
        __syncwarp();
        sum += before + __shfl_xor_sync(kAllLanes, before, kTileSize);
        if (piece.next == TilePiece::kNone) return true;
    }
}

/// The same in the memory of an operator.
template <class A>
class PieceBuffers {
public:
    PieceBuffers(const TilePieces& of, WorkspaceLayout& layout, const DeviceContext& on)
        : pieces_(std::span<const TilePiece>(of.pieces), on),
          places_(add_awaited_sums<A>(layout, std::int64_t{of.places} * kTileSize)) {}

    [[nodiscard]] DevicePieces<A> view(std::byte* workspace) const { return {pieces_.data(), places_.in(workspace)}; }
    [[nodiscard]] std::size_t bytes() const { return pieces_.bytes(); }

private:
    DeviceBuffer<TilePiece> pieces_;
    WorkspacePart<BitsOf<A>> places_;
};

}  // namespace tilespmv::cuda
