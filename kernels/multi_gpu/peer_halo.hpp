#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/multi_gpu/halo_exchange.hpp"
#include "kernels/multi_gpu/halo_plan.hpp"
#include "kernels/multi_gpu/peer_access.hpp"
#include "kernels/multi_gpu/peer_word.hpp"

namespace tilespmv::multi_gpu {

/// Of the exchanges of one rank: what a kernel reads the one after it writes, never itself.
struct ExchangeNumbers {
    unsigned sent;      ///< exchanges that are complete, for the kernel that sends
    unsigned expected;  ///< the exchange under way, for the kernel that receives
};

/// What neighbours write into, in the memory of a rank. Two sets of words: a neighbour is at most one exchange ahead,
/// as it waits for a word of this rank in each. In a set, the lower halves of the halo, the upper ones if values have
/// two, and a word of each rank that says that it has begun.
struct PeerInbox {
    Word* words = nullptr;
    std::int64_t halo = 0;  ///< values
    std::int64_t words_of_set = 0;
    ExchangeNumbers* numbers = nullptr;

    [[nodiscard]] constexpr Word* begun(int rank) const { return words + words_of_set - kMostPeers + rank; }
};

/// The inboxes of all ranks. They stay until all ranks are gone, since others may still write when one has failed.
class PeerInboxes {
public:
    /// `access` outlives the object.
    explicit PeerInboxes(const PeerAccess& access)
        : access_(&access), rooms_(static_cast<std::size_t>(access.ranks())) {}
    PeerInboxes(const PeerInboxes&) = delete;
    PeerInboxes& operator=(const PeerInboxes&) = delete;
    ~PeerInboxes();

    /// Makes that of a rank on its GPU, which is current, before a `PeerHalo` of any rank; nothing if it is there. All
    /// plans are of one matrix.
    void open(const HaloPlan& plan, std::size_t value_bytes);
    [[nodiscard]] const PeerInbox& of(int rank) const { return rooms_[static_cast<std::size_t>(rank)].inbox; }
    /// Where values that `from` sends to `to` begin in the halo of that.
    [[nodiscard]] std::int64_t place_of(int from, int to) const;
    [[nodiscard]] const PeerAccess& access() const { return *access_; }

private:
    struct Room {
        PeerInbox inbox;
        int gpu = 0;
        std::vector<Parcel> receives;
    };

    const PeerAccess* access_;
    std::vector<Room> rooms_;  // of rank k in the memory of its GPU
};

/// Values for one neighbour.
struct PeerParcel {
    std::int64_t first = 0;  ///< among the values that are sent
    std::int64_t end = 0;
    Word* words = nullptr;  ///< of the first one, in the first set
    std::int64_t halo = 0;  ///< from lower to upper halves
    std::int64_t words_of_set = 0;
    Word* begun = nullptr;  ///< in the first set
};

/// By kernels that write into the memory of other GPUs: one stores what others need where they find it, one waits for
/// what they have stored. The product of the interior stands between them, so that there is seldom anything to wait
/// for.
template <class V>
class PeerHalo final : public HaloExchange<V> {
public:
    /// The inboxes of all ranks are open, and outlive the object.
    PeerHalo(const HaloPlan& plan, const PeerInboxes& inboxes, const cuda::DeviceContext& on);

    void begin(const V* x, cudaStream_t stream) override;
    void finish(cudaStream_t stream) override;
    [[nodiscard]] const V* halo() const override { return halo_.data(); }
    [[nodiscard]] bool lets_next_start() const override { return true; }
    [[nodiscard]] std::size_t device_bytes() const override;

private:
    PeerInbox inbox_;
    const volatile int* is_aborted_;
    std::uint32_t neighbours_ = 0;  ///< a bit a rank
    cuda::DeviceBuffer<PeerParcel> parcels_;
    cuda::DeviceBuffer<index_t> entries_;
    cuda::DeviceBuffer<V> halo_;
};

}  // namespace tilespmv::multi_gpu
