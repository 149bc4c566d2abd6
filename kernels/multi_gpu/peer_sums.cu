#include "kernels/multi_gpu/peer_sums.hpp"

#include <limits>

#include <cuda/atomic>

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/multi_gpu/recording.hpp"
#include "kernels/solver/cuda/finish.cuh"

namespace tilespmv::multi_gpu {

using solver::kMostSums;

namespace {

constexpr int kMostRanks = 32;
constexpr int kWords = 2 * kMostSums;  ///< of a rank: halves of its sums
constexpr int kThreads = kWords * kMostRanks;
constexpr int kLooks = 1024;  ///< at a word between looks at whether it is still expected

using Word = unsigned long long;
using SystemWord = ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>;

}  // namespace

/// Nobody can be further ahead than one reduction, as it needs the words of all: two sets of words are enough.
struct PeerMailbox {
    Word words[2][kMostRanks][kWords];  ///< low 32 bits: half of a sum; high 32 bits: the number of the reduction
    unsigned number;                    ///< of reductions so far
};

namespace {

struct SumOverPeers {
    PeerMailbox* const* mailboxes;
    int rank;
    int ranks;
    solver::Finish finish;
    const volatile int* is_aborted;
};

/// The word of a number, once it is there; NaN's upper half if it will never be.
__device__ unsigned await_half(Word& word, unsigned number, const volatile int* is_aborted) {
    for (;;) {
        for (int look = 0; look < kLooks; ++look) {
            const Word found = SystemWord(word).load(::cuda::memory_order_relaxed);
            if (static_cast<unsigned>(found >> 32) == number) return static_cast<unsigned>(found);
        }
        if (*is_aborted != 0) return 0x7ff80000u;
    }
}

/// One thread for each word of each rank.
__global__ void __launch_bounds__(kThreads) sum_over_peers(const __grid_constant__ SumOverPeers p) {
    __shared__ unsigned halves[kMostRanks][kWords];
    const int peer = static_cast<int>(threadIdx.x) / kWords;
    const int half = static_cast<int>(threadIdx.x) % kWords;
    PeerMailbox& own = *p.mailboxes[p.rank];
    cuda::wait_for_stream();
    const unsigned number = own.number + 1;
    if (peer < p.ranks) {
        const auto bits = static_cast<Word>(__double_as_longlong(p.finish.sums[half / 2]));
        const Word mine = half % 2 == 0 ? bits & 0xffffffffu : bits >> 32;
        SystemWord(p.mailboxes[peer]->words[number % 2][p.rank][half])
            .store(mine | Word{number} << 32, ::cuda::memory_order_relaxed);
        halves[peer][half] = await_half(own.words[number % 2][peer][half], number, p.is_aborted);
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    own.number = number;
    double sums[kMostSums] = {};
    for (int rank = 0; rank < p.ranks; ++rank) {
        for (int k = 0; k < kMostSums; ++k) {
            const Word bits = halves[rank][2 * k] | Word{halves[rank][2 * k + 1]} << 32;
            sums[k] += __longlong_as_double(static_cast<long long>(bits));
        }
    }
    solver::finish_with(p.finish, sums, kMostSums);
}

bool reach_each_other(int gpus) {
    for (int from = 0; from < gpus; ++from) {
        for (int to = 0; to < gpus; ++to) {
            int can = 1;
            if (from != to) TILESPMV_CUDA(cudaDeviceCanAccessPeer(&can, from, to));
            if (can == 0) return false;
        }
    }
    return gpus <= kMostRanks;
}

void open_to(int gpu) {
    const cudaError_t status = cudaDeviceEnablePeerAccess(gpu, 0);
    static_cast<void>(cudaGetLastError());  // that it was open before is no error
    if (status != cudaErrorPeerAccessAlreadyEnabled) TILESPMV_CUDA(status);
}

}  // namespace

std::unique_ptr<PeerSums> PeerSums::make(int gpus) {
    if (!reach_each_other(gpus)) return nullptr;
    return std::unique_ptr<PeerSums>(new PeerSums(gpus));
}

PeerSums::PeerSums(int gpus) : mailboxes_(static_cast<std::size_t>(gpus)), tables_(mailboxes_.size()) {
    void* flag = nullptr;
    TILESPMV_CUDA(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
    is_aborted_ = static_cast<volatile int*>(flag);
    *is_aborted_ = 0;
    for (int gpu = 0; gpu < gpus; ++gpu) {
        auto& mailbox = mailboxes_[static_cast<std::size_t>(gpu)];
        TILESPMV_CUDA(cudaSetDevice(gpu));
        for (int peer = 0; peer < gpus; ++peer) {
            if (peer != gpu) open_to(peer);
        }
        TILESPMV_CUDA(cudaMalloc(&mailbox, sizeof(PeerMailbox)));
        TILESPMV_CUDA(cudaMemset(mailbox, 0, sizeof(PeerMailbox)));
        TILESPMV_CUDA(cudaMalloc(&tables_[static_cast<std::size_t>(gpu)], mailboxes_.size() * sizeof(PeerMailbox*)));
    }
    for (int gpu = 0; gpu < gpus; ++gpu) {
        TILESPMV_CUDA(cudaSetDevice(gpu));
        TILESPMV_CUDA(cudaMemcpy(tables_[static_cast<std::size_t>(gpu)], mailboxes_.data(),
                                 mailboxes_.size() * sizeof(PeerMailbox*), cudaMemcpyHostToDevice));
        TILESPMV_CUDA(cudaDeviceSynchronize());
    }
    TILESPMV_CUDA(cudaSetDevice(0));
}

PeerSums::~PeerSums() {
    for (std::size_t gpu = 0; gpu < mailboxes_.size(); ++gpu) {
        static_cast<void>(cudaSetDevice(static_cast<int>(gpu)));
        static_cast<void>(cudaFree(tables_[gpu]));
        static_cast<void>(cudaFree(mailboxes_[gpu]));
    }
    static_cast<void>(cudaSetDevice(0));
    static_cast<void>(cudaFreeHost(const_cast<int*>(is_aborted_)));
}

void PeerSums::launch(int rank, const solver::Finish& finish, cudaStream_t stream) const {
    const SumOverPeers p{tables_[static_cast<std::size_t>(rank)], rank, static_cast<int>(mailboxes_.size()), finish,
                         is_aborted_};
    const int threads = kWords * p.ranks;
    cuda::launch_dependent(sum_over_peers, 1, (threads + 31) / 32 * 32, p, stream);
    complete_unless_recorded(stream);
}

void PeerSums::abort() noexcept { *is_aborted_ = 1; }

}  // namespace tilespmv::multi_gpu
