#pragma once

#include <vector>

#include "kernels/multi_gpu/peer_access.hpp"
#include "kernels/solver/cuda/finish.hpp"

namespace tilespmv::multi_gpu {

/// What other GPUs write into, in the memory of one.
struct PeerMailbox;

/// How reductions over GPUs end where these reach each other's memory: one kernel on each, of one block, stores its
/// sums into the memory of all, half a double in a word, waits until those of all are in its own, adds them in the
/// order of ranks and lets the recurrence take them.
class PeerSums {
public:
    /// `access`, to GPUs 0 and up, outlives the object.
    explicit PeerSums(const PeerAccess& access);
    PeerSums(const PeerSums&) = delete;
    PeerSums& operator=(const PeerSums&) = delete;
    ~PeerSums();

    /// On the GPU of the rank, which is current, from the `kMostSums` sums in `finish.sums`: what `launch_finish` does
    /// with those of all ranks. All ranks launch it in the same order; it can be recorded, and else waits.
    void launch(int rank, const solver::Finish& finish, cudaStream_t stream) const;

private:
    const PeerAccess* access_;
    std::vector<PeerMailbox*> mailboxes_;  // of rank k in the memory of GPU k
    std::vector<PeerMailbox**> tables_;    // of all ranks, in the memory of each GPU
};

}  // namespace tilespmv::multi_gpu
