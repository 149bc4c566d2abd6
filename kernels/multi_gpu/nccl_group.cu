#include "kernels/multi_gpu/nccl_group.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/multi_gpu/load_nccl.hpp"
#include "kernels/multi_gpu/rank_threads.hpp"
#include "kernels/multi_gpu/recording.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// A function of NCCL. The library is found by the dynamic linker, or where it was when this was built.
class Found {
public:
    explicit Found(const char* name) {
        static void* const library = load_nccl(std::array{"libnccl.so.2", TILESPMV_NCCL_LIBRARY});
        address_ = find_in_nccl(library, name);
    }
    template <class Function>
    operator Function*() const {
        return reinterpret_cast<Function*>(address_);
    }

private:
    void* address_;
};

struct NcclFunctions {
    decltype(&ncclGetErrorString) error_string = Found("ncclGetErrorString");
    decltype(&ncclCommInitAll) init_all = Found("ncclCommInitAll");
    decltype(&ncclCommDestroy) destroy = Found("ncclCommDestroy");
    decltype(&ncclCommAbort) abort = Found("ncclCommAbort");
    decltype(&ncclGroupStart) group_start = Found("ncclGroupStart");
    decltype(&ncclGroupEnd) group_end = Found("ncclGroupEnd");
    decltype(&ncclSend) send = Found("ncclSend");
    decltype(&ncclRecv) receive = Found("ncclRecv");
    decltype(&ncclAllGather) all_gather = Found("ncclAllGather");
};

/// Throws `Error`, `unavailable`, if NCCL cannot be loaded.
const NcclFunctions& nccl() {
    static const NcclFunctions functions;
    return functions;
}

void check_nccl(ncclResult_t status, const char* what) {
    if (status == ncclSuccess || status == ncclInProgress) return;
    throw Error(std::string("NCCL cannot ") + what + ": " + nccl().error_string(status) +
                "; NCCL_DEBUG=WARN in the environment says more");
}

/// A communicator of NCCL, which one thread uses and any may abort.
class NcclMember final : public Communicator {
public:
    NcclMember(ncclComm_t comm, int size) : comm_(comm), size_(size) {}
    ~NcclMember() override {
        if (const ncclComm_t comm = take(); comm != nullptr) static_cast<void>(nccl().destroy(comm));
    }
    void abort() noexcept override {
        if (const ncclComm_t comm = take(); comm != nullptr) static_cast<void>(nccl().abort(comm));
    }

    [[nodiscard]] int size() const override { return size_; }

    void exchange(const HaloPlan& plan, const void* sent, void* halo, std::size_t value_bytes, void* stream) override {
        if (plan.sends.empty() && plan.receives.empty()) return;
        const auto on = static_cast<cudaStream_t>(stream);
        check_nccl(nccl().group_start(), "begin an exchange");
        for (const Parcel& parcel : plan.sends) {
            const auto* from =
                static_cast<const std::byte*>(sent) + static_cast<std::size_t>(parcel.first) * value_bytes;
            check_nccl(nccl().send(from, bytes_of(parcel, value_bytes), ncclChar, parcel.rank, comm(), on), "send");
        }
        for (const Parcel& parcel : plan.receives) {
            auto* to = static_cast<std::byte*>(halo) + static_cast<std::size_t>(parcel.first) * value_bytes;
            check_nccl(nccl().receive(to, bytes_of(parcel, value_bytes), ncclChar, parcel.rank, comm(), on), "receive");
        }
        check_nccl(nccl().group_end(), "exchange");
        complete_unless_recorded(on);
    }

    void all_gather(const double* own, int count, double* all, void* stream) override {
        const auto on = static_cast<cudaStream_t>(stream);
        check_nccl(nccl().all_gather(own, all, static_cast<std::size_t>(count), ncclDouble, comm(), on), "gather sums");
        complete_unless_recorded(on);
    }

private:
    static std::size_t bytes_of(const Parcel& parcel, std::size_t value_bytes) {
        return static_cast<std::size_t>(parcel.count) * value_bytes;
    }
    [[nodiscard]] ncclComm_t comm() {
        const std::lock_guard lock(mutex_);
        if (comm_ == nullptr) throw Meeting::Abandoned{};
        return comm_;
    }
    ncclComm_t take() noexcept {
        const std::lock_guard lock(mutex_);
        return std::exchange(comm_, nullptr);
    }

    std::mutex mutex_;
    ncclComm_t comm_;
    int size_;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> connect_by_nccl(int gpus) {
    static_cast<void>(setenv("NCCL_NVLS_ENABLE", "0", 0));  // multicast may be forbidden, and is not needed
    std::vector<int> devices(static_cast<std::size_t>(gpus));
    std::iota(devices.begin(), devices.end(), 0);
    std::vector<ncclComm_t> comms(devices.size());
    check_nccl(nccl().init_all(comms.data(), gpus, devices.data()), "connect the GPUs");
    std::vector<std::unique_ptr<Communicator>> all;
    for (const ncclComm_t comm : comms) all.push_back(std::make_unique<NcclMember>(comm, gpus));
    return all;
}

}  // namespace tilespmv::multi_gpu
