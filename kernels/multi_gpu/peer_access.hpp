#pragma once

#include <memory>

namespace tilespmv::multi_gpu {

constexpr int kMostPeers = 32;  ///< GPUs that exchange words in each other's memory

/// GPUs whose kernels write into each other's memory, and what those look at that wait for words of another one.
class PeerAccess {
public:
    /// Of GPUs 0 .. gpus - 1. Null if one of them does not reach the memory of another one, or there are too many.
    static std::unique_ptr<PeerAccess> open(int gpus);
    /// Of `ranks` that are all on the current GPU.
    static std::unique_ptr<PeerAccess> within_one_gpu(int ranks);
    PeerAccess(const PeerAccess&) = delete;
    PeerAccess& operator=(const PeerAccess&) = delete;
    ~PeerAccess();

    [[nodiscard]] int ranks() const { return ranks_; }
    /// Not 0 once nobody will send any more; in memory of the host that all GPUs read.
    [[nodiscard]] const volatile int* is_aborted() const { return is_aborted_; }
    /// Lets all that wait go on, with NaN; the object is of no more use.
    void abort() noexcept { *is_aborted_ = 1; }

private:
    explicit PeerAccess(int ranks);

    int ranks_;
    volatile int* is_aborted_ = nullptr;
};

}  // namespace tilespmv::multi_gpu
