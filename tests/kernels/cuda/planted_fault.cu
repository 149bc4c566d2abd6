// planted_fault FAULT: one kernel with the fault of that name, or a right one for `none`. Shows that each tool of
// compute-sanitizer would report such a fault of ours. Without a tool it runs to its end and returns 0, 2 for any other
// argument; errors of CUDA are left to the tool.
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>

namespace {

constexpr int kThreads = 64;
constexpr int kFar = 1 << 16;  // beyond the array, its padding and its neighbours

__global__ void none(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void out_of_bounds(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x + kFar]; }

// A warp reads what the other one may not have written yet.
__global__ void race(const int* in, int* out) {
    __shared__ int shared[kThreads];
    shared[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = shared[kThreads - 1 - threadIdx.x];
}

// The threads of a warp come to different barriers.
__global__ void divergent_barrier(const int* in, int* out) {
    __shared__ int shared[kThreads];
    shared[threadIdx.x] = in[threadIdx.x];
    if (in[threadIdx.x] == 0 && threadIdx.x % 2 == 0) {
        __syncthreads();
        out[threadIdx.x] = shared[kThreads - 1 - threadIdx.x];
    } else {
        out[threadIdx.x] = 1;
        __syncthreads();
    }
}

struct Fault {
    const char* name;
    void (*kernel)(const int*, int*);
    bool initialised;
};

constexpr Fault kFaults[] = {{"none", none, true},
                             {"out-of-bounds", out_of_bounds, true},
                             {"race", race, true},
                             {"divergent-barrier", divergent_barrier, true},
                             {"uninitialised", none, false}};

void run(const Fault& fault) {
    int* in = nullptr;
    int* out = nullptr;
    static_cast<void>(cudaMalloc(&in, kThreads * sizeof(int)));
    static_cast<void>(cudaMalloc(&out, kThreads * sizeof(int)));
    if (fault.initialised) static_cast<void>(cudaMemset(in, 0, kThreads * sizeof(int)));
    fault.kernel<<<1, kThreads>>>(in, out);
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFree(in));
    static_cast<void>(cudaFree(out));
}

}  // namespace

int main(int argc, char** argv) {
    for (const Fault& fault : kFaults) {
        if (argc != 2 || std::strcmp(argv[1], fault.name) != 0) continue;
        run(fault);
        return 0;
    }
    std::fputs("usage: planted_fault none|out-of-bounds|race|divergent-barrier|uninitialised\n", stderr);
    return 2;
}
