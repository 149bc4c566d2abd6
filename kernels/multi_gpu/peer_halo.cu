#include "kernels/multi_gpu/peer_halo.hpp"

#include <algorithm>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/multi_gpu/peer_word.cuh"
#include "kernels/multi_gpu/recording.hpp"

namespace tilespmv::multi_gpu {
namespace {

constexpr int kThreads = 128;
static_assert(kThreads >= kMostPeers, "the first block has a thread for each neighbour");

template <class V>
struct Send {
    std::int64_t count;
    const index_t* entries;
    const V* x;
    int parcel_count;  ///< one a neighbour
    const PeerParcel* parcels;
    ExchangeNumbers* numbers;
};

template <class V>
struct Receive {
    PeerInbox inbox;
    std::uint32_t neighbours;
    const volatile int* is_aborted;
    V* halo;
};

__device__ void send_value(double value, Word* words, std::int64_t upper, unsigned number) {
    const auto bits = static_cast<Word>(__double_as_longlong(value));
    send(words[0], static_cast<unsigned>(bits), number);
    send(words[upper], static_cast<unsigned>(bits >> 32), number);
}

__device__ void send_value(float value, Word* words, std::int64_t, unsigned number) {
    send(words[0], __float_as_uint(value), number);
}

__device__ void await_value(double& value, Word* words, std::int64_t upper, unsigned number, const volatile int* end) {
    const Word low = await(words[0], number, end);
    value = __longlong_as_double(static_cast<long long>(low | Word{await(words[upper], number, end)} << 32));
}

__device__ void await_value(float& value, Word* words, std::int64_t, unsigned number, const volatile int* end) {
    value = __uint_as_float(await(words[0], number, end));
}

/// A thread a value; those of the first block say that it has begun.
template <class V>
__global__ void __launch_bounds__(kThreads) send_halo(const __grid_constant__ Send<V> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const index_t entry = i < p.count ? cuda::load_often(p.entries + i) : 0;
    PeerParcel parcel;
    for (int k = 0; k < p.parcel_count && i >= parcel.end; ++k) parcel = p.parcels[k];
    cuda::wait_for_stream();
    const unsigned number = p.numbers->sent + 1;
    const unsigned set = number % 2;
    if (i < p.count) {
        Word* const words = parcel.words + set * parcel.words_of_set + (i - parcel.first);
        send_value(cuda::load_x(p.x + entry), words, parcel.halo, number);
    }
    if (i < p.parcel_count) {
        const PeerParcel& own = p.parcels[i];
        send(own.begun[set * own.words_of_set], 0, number);
    }
    if (i == 0) p.numbers->expected = number;
}

template <class V>
__global__ void __launch_bounds__(kThreads) receive_halo(const __grid_constant__ Receive<V> p) {
    const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    cuda::wait_for_stream();
    const unsigned number = p.inbox.numbers->expected;
    const std::int64_t set = (number % 2) * p.inbox.words_of_set;
    if (i < p.inbox.halo) await_value(p.halo[i], p.inbox.words + set + i, p.inbox.halo, number, p.is_aborted);
    if (i < kMostPeers && (p.neighbours >> i & 1) != 0) {
        await(p.inbox.begun(static_cast<int>(i))[set], number, p.is_aborted);
    }
    if (i == 0) p.inbox.numbers->sent = number;
}

}  // namespace

PeerInboxes::~PeerInboxes() {
    int current = 0;
    static_cast<void>(cudaGetDevice(&current));
    for (const Room& room : rooms_) {
        static_cast<void>(cudaSetDevice(room.gpu));
        static_cast<void>(cudaFree(room.inbox.words));
        static_cast<void>(cudaFree(room.inbox.numbers));
    }
    static_cast<void>(cudaSetDevice(current));
}

void PeerInboxes::open(const HaloPlan& plan, std::size_t value_bytes) {
    Room& room = rooms_[static_cast<std::size_t>(plan.rank)];
    PeerInbox& inbox = room.inbox;
    if (inbox.words != nullptr) return;
    TILESPMV_CUDA(cudaGetDevice(&room.gpu));
    room.receives = plan.receives;
    inbox.halo = plan.halo_size();
    inbox.words_of_set = inbox.halo * static_cast<std::int64_t>(value_bytes / 4) + kMostPeers;
    const std::size_t bytes = 2 * static_cast<std::size_t>(inbox.words_of_set) * sizeof(Word);
    TILESPMV_CUDA(cudaMalloc(&inbox.words, bytes));
    TILESPMV_CUDA(cudaMalloc(&inbox.numbers, sizeof(ExchangeNumbers)));
    TILESPMV_CUDA(cudaMemset(inbox.words, 0, bytes));
    TILESPMV_CUDA(cudaMemset(inbox.numbers, 0, sizeof(ExchangeNumbers)));
    TILESPMV_CUDA(cudaDeviceSynchronize());
}

std::int64_t PeerInboxes::place_of(int from, int to) const {
    const auto& receives = rooms_[static_cast<std::size_t>(to)].receives;
    const auto parcel = std::ranges::find(receives, from, &Parcel::rank);
    return parcel == receives.end() ? 0 : parcel->first;
}

namespace {

/// One for each neighbour, of those that values are sent to in the order of these, and empty ones for those that only
/// send: they wait for a word, too, before they are two exchanges ahead.
std::vector<PeerParcel> parcels_of(const HaloPlan& plan, const PeerInboxes& inboxes) {
    std::vector<PeerParcel> parcels;
    const auto add = [&](int to, std::int64_t first, std::int64_t count) {
        const PeerInbox& inbox = inboxes.of(to);
        parcels.push_back({first, first + count, inbox.words + inboxes.place_of(plan.rank, to), inbox.halo,
                           inbox.words_of_set, inbox.begun(plan.rank)});
    };
    for (const Parcel& parcel : plan.sends) add(parcel.rank, parcel.first, parcel.count);
    for (const Parcel& parcel : plan.receives) {
        const bool is_known = std::ranges::find(plan.sends, parcel.rank, &Parcel::rank) != plan.sends.end();
        if (!is_known) add(parcel.rank, static_cast<std::int64_t>(plan.sent.size()), 0);
    }
    return parcels;
}

std::uint32_t neighbours_of(const HaloPlan& plan) {
    std::uint32_t neighbours = 0;
    for (const auto* parcels : {&plan.sends, &plan.receives}) {
        for (const Parcel& parcel : *parcels) neighbours |= 1U << parcel.rank;
    }
    return neighbours;
}

}  // namespace

template <class V>
PeerHalo<V>::PeerHalo(const HaloPlan& plan, const PeerInboxes& inboxes, const cuda::DeviceContext& on)
    : inbox_(inboxes.of(plan.rank)),
      is_aborted_(inboxes.access().is_aborted()),
      neighbours_(neighbours_of(plan)),
      entries_(std::span<const index_t>(plan.sent), on),
      halo_(plan.halo_cols.size(), on) {
    const auto parcels = parcels_of(plan, inboxes);
    parcels_ = cuda::DeviceBuffer<PeerParcel>(std::span<const PeerParcel>(parcels), on);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

template <class V>
std::size_t PeerHalo<V>::device_bytes() const {
    const std::size_t inbox =
        2 * static_cast<std::size_t>(inbox_.words_of_set) * sizeof(Word) + sizeof(ExchangeNumbers);
    return inbox + parcels_.bytes() + entries_.bytes() + halo_.bytes();
}

template <class V>
void PeerHalo<V>::begin(const V* x, cudaStream_t stream) {
    const auto count = static_cast<std::int64_t>(entries_.size());
    const Send<V> p{count, entries_.data(), x, static_cast<int>(parcels_.size()), parcels_.data(), inbox_.numbers};
    cuda::launch_dependent(send_halo<V>, std::max<std::int64_t>(1, div_up(count, kThreads)), kThreads, p, stream);
}

template <class V>
void PeerHalo<V>::finish(cudaStream_t stream) {
    const Receive<V> p{inbox_, neighbours_, is_aborted_, halo_.data()};
    const std::int64_t blocks = std::max<std::int64_t>(1, div_up(inbox_.halo, kThreads));
    cuda::launch_dependent(receive_halo<V>, blocks, kThreads, p, stream);
    complete_unless_recorded(stream);
}

template class PeerHalo<double>;
template class PeerHalo<float>;

}  // namespace tilespmv::multi_gpu
