#include "kernels/multi_gpu/peer_access.hpp"

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::multi_gpu {
namespace {

bool reach_each_other(int gpus) {
    for (int from = 0; from < gpus; ++from) {
        for (int to = 0; to < gpus; ++to) {
            int can = 1;
            if (from != to) TILESPMV_CUDA(cudaDeviceCanAccessPeer(&can, from, to));
            if (can == 0) return false;
        }
    }
    return gpus <= kMostPeers;
}

void open_to(int gpu) {
    const cudaError_t status = cudaDeviceEnablePeerAccess(gpu, 0);
    static_cast<void>(cudaGetLastError());  // that it was open before is no error
    if (status != cudaErrorPeerAccessAlreadyEnabled) TILESPMV_CUDA(status);
}

}  // namespace

std::unique_ptr<PeerAccess> PeerAccess::open(int gpus) {
    if (!reach_each_other(gpus)) return nullptr;
    for (int gpu = 0; gpu < gpus; ++gpu) {
        TILESPMV_CUDA(cudaSetDevice(gpu));
        for (int peer = 0; peer < gpus; ++peer) {
            if (peer != gpu) open_to(peer);
        }
    }
    TILESPMV_CUDA(cudaSetDevice(0));
    return std::unique_ptr<PeerAccess>(new PeerAccess(gpus));
}

std::unique_ptr<PeerAccess> PeerAccess::within_one_gpu(int ranks) {
    return std::unique_ptr<PeerAccess>(new PeerAccess(ranks));
}

PeerAccess::PeerAccess(int ranks) : ranks_(ranks) {
    void* flag = nullptr;
    TILESPMV_CUDA(cudaHostAlloc(&flag, sizeof(int), cudaHostAllocPortable | cudaHostAllocMapped));
    is_aborted_ = static_cast<volatile int*>(flag);
    *is_aborted_ = 0;
}

PeerAccess::~PeerAccess() { static_cast<void>(cudaFreeHost(const_cast<int*>(is_aborted_))); }

}  // namespace tilespmv::multi_gpu
