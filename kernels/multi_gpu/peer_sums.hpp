#pragma once

#include <memory>
#include <vector>

#include "kernels/solver/cuda/finish.hpp"

namespace tilespmv::multi_gpu {

/// What other GPUs write into, in the memory of one.
struct PeerMailbox;

/// How reductions over GPUs end where these reach each other's memory: one kernel on each, of one block, stores its
/// sums into the memory of all, waits until those of all are in its own, adds them in the order of ranks and lets the
/// recurrence take them. Half of a double and the number of the reduction go in one word, as in NCCL's protocol for low
/// latency, so that no word needs a fence or is taken for an older one.
class PeerSums {
public:
    /// GPUs 0 .. gpus - 1. Null if one of them does not reach the memory of another one.
    static std::unique_ptr<PeerSums> make(int gpus);
    PeerSums(const PeerSums&) = delete;
    PeerSums& operator=(const PeerSums&) = delete;
    ~PeerSums();

    /// On the GPU of the rank, which is current, from the `kMostSums` sums in `finish.sums`: what `launch_finish` does
    /// with those of all ranks. All ranks launch it in the same order; it can be recorded, and else waits.
    void launch(int rank, const solver::Finish& finish, cudaStream_t stream) const;
    /// Lets all that wait go on, with NaN; the object is of no more use.
    void abort() noexcept;

private:
    explicit PeerSums(int gpus);

    std::vector<PeerMailbox*> mailboxes_;  // of rank k in the memory of GPU k
    std::vector<PeerMailbox**> tables_;    // of all ranks, in the memory of each GPU
    volatile int* is_aborted_ = nullptr;   // in memory of the host that all GPUs read
};

}  // namespace tilespmv::multi_gpu
