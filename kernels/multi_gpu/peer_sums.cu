#include "kernels/multi_gpu/peer_sums.hpp"

#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/multi_gpu/peer_word.cuh"
#include "kernels/multi_gpu/recording.hpp"
#include "kernels/solver/cuda/finish.cuh"

namespace tilespmv::multi_gpu {

using solver::kMostSums;

namespace {

constexpr int kWords = 2 * kMostSums;  ///< of a rank: halves of its sums
constexpr int kThreads = kWords * kMostPeers;

}  // namespace

/// Nobody can be further ahead than one reduction, as it needs the words of all: two sets of words are enough.
struct PeerMailbox {
    Word words[2][kMostPeers][kWords];
    unsigned number;  ///< of reductions so far
};

namespace {

struct SumOverPeers {
    PeerMailbox* const* mailboxes;
    int rank;
    int ranks;
    solver::Finish finish;
    const volatile int* is_aborted;
};

/// One thread for each word of each rank.
__global__ void __launch_bounds__(kThreads) sum_over_peers(const __grid_constant__ SumOverPeers p) {
    __shared__ unsigned halves[kMostPeers][kWords];
    const int peer = static_cast<int>(threadIdx.x) / kWords;
    const int half = static_cast<int>(threadIdx.x) % kWords;
    PeerMailbox& own = *p.mailboxes[p.rank];
    cuda::wait_for_stream();
    const unsigned number = own.number + 1;
    if (peer < p.ranks) {
        const auto bits = static_cast<Word>(__double_as_longlong(p.finish.sums[half / 2]));
        const Word mine = half % 2 == 0 ? bits & 0xffffffffu : bits >> 32;
        send(p.mailboxes[peer]->words[number % 2][p.rank][half], static_cast<unsigned>(mine), number);
        halves[peer][half] = await(own.words[number % 2][peer][half], number, p.is_aborted);
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

}  // namespace

PeerSums::PeerSums(const PeerAccess& access)
    : access_(&access), mailboxes_(static_cast<std::size_t>(access.ranks())), tables_(mailboxes_.size()) {
    for (std::size_t gpu = 0; gpu < mailboxes_.size(); ++gpu) {
        TILESPMV_CUDA(cudaSetDevice(static_cast<int>(gpu)));
        TILESPMV_CUDA(cudaMalloc(&mailboxes_[gpu], sizeof(PeerMailbox)));
        TILESPMV_CUDA(cudaMemset(mailboxes_[gpu], 0, sizeof(PeerMailbox)));
        TILESPMV_CUDA(cudaMalloc(&tables_[gpu], mailboxes_.size() * sizeof(PeerMailbox*)));
    }
    for (std::size_t gpu = 0; gpu < mailboxes_.size(); ++gpu) {
        TILESPMV_CUDA(cudaSetDevice(static_cast<int>(gpu)));
        TILESPMV_CUDA(cudaMemcpy(tables_[gpu], mailboxes_.data(), mailboxes_.size() * sizeof(PeerMailbox*),
                                 cudaMemcpyHostToDevice));
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
}

void PeerSums::launch(int rank, const solver::Finish& finish, cudaStream_t stream) const {
    const SumOverPeers p{tables_[static_cast<std::size_t>(rank)], rank, access_->ranks(), finish,
                         access_->is_aborted()};
    const int threads = kWords * p.ranks;
    cuda::launch_dependent(sum_over_peers, 1, (threads + 31) / 32 * 32, p, stream);
    complete_unless_recorded(stream);
}

}  // namespace tilespmv::multi_gpu
