#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/multi_gpu/communicated_halo.hpp"
#include "kernels/multi_gpu/device_rank_operator.hpp"
#include "kernels/multi_gpu/nccl_group.hpp"
#include "kernels/multi_gpu/peer_halo.hpp"
#include "kernels/multi_gpu/peer_sums.hpp"
#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/solver/cuda/device_space.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

constexpr int kChecks = 32;  ///< iterations from check to check

/// What GPUs exchange in each other's memory.
struct Peers {
    explicit Peers(std::unique_ptr<PeerAccess> opened) : access(std::move(opened)), sums(*access), inboxes(*access) {}

    std::unique_ptr<PeerAccess> access;
    PeerSums sums;
    PeerInboxes inboxes;
};

/// How a rank speaks to the others: by `peers`, or else by `communicator`; all null if there are none.
struct Links {
    const Peers* peers = nullptr;
    Communicator* communicator = nullptr;
    Meeting* meeting = nullptr;
};

template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloPlan& plan, const Links& links,
                                                    const cuda::DeviceContext& on) {
    if (plan.is_alone()) return nullptr;
    if (links.peers != nullptr) return std::make_unique<PeerHalo<T>>(plan, links.peers->inboxes, on);
    return std::make_unique<CommunicatedHalo<T>>(plan, *links.communicator, on);
}

/// What the space of a rank is made over, before it and gone after it.
template <class T>
struct OnGpu {
    OnGpu(const RankInput<T>& input, const Links& links)
        : on(own_stream.get()),
          a(*input.matrix, *input.plan, input.options->operator_name, make_halo_exchange<T>(*input.plan, links, on),
            on) {}

    cuda::Stream own_stream;
    cuda::DeviceContext on;
    DeviceRankOperator<T> a;
};

/// A GPU among several: reductions leave the sums of its rows, which go to all, and every GPU for itself adds those of
/// all in the order of ranks and lets the recurrence take them. A GPU that is alone calls nobody.
template <class T>
class RankSpace final : private OnGpu<T>, public solver::DeviceSpace<T> {
    using Base = solver::DeviceSpace<T>;

public:
    RankSpace(const RankInput<T>& input, const Links& links)
        : OnGpu<T>(input, links),
          Base(solver::SystemOperator<T>(this->a),
               solver::preconditioner_of<T>(*input.preconditioner, solver::make_on_gpu<T>(this->on)), this->on),
          total_rows_(input.total_rows),
          rank_(input.plan->rank),
          links_(links),
          gathered_(is_gathered() ? static_cast<std::size_t>(links.communicator->size()) * solver::kMostSums : 0,
                    this->on) {}

    [[nodiscard]] DeviceRankOperator<T>& product() { return this->a; }
    [[nodiscard]] cudaStream_t main_stream() const { return this->stream(); }
    [[nodiscard]] std::size_t total_size() const override { return total_rows_; }
    [[nodiscard]] std::string how() const override {
        if (is_alone()) return Base::how();
        return Base::how() + (is_gathered() ? ", NCCL" : ", peer access");
    }

    /// Of the matrix and the parts.
    void take_new_values() {
        TILESPMV_CUDA(cudaStreamSynchronize(this->stream()));
        if (!this->a.update_values()) this->forget_graphs();
        if (!this->follow_preconditioner()) this->forget_graphs();
    }

protected:
    solver::Finish finish(solver::Recurrence recurrence) override {
        return Base::finish(is_alone() ? recurrence : solver::Recurrence::none);
    }
    void finished(solver::Recurrence recurrence) override {
        if (is_alone()) return;
        const solver::Finish finish = Base::finish(recurrence);
        if (!is_gathered()) return links_.peers->sums.launch(rank_, finish, this->stream());
        Communicator& communicator = *links_.communicator;
        communicator.all_gather(this->sums(), solver::kMostSums, gathered_.data(), this->stream());
        solver::launch_finish(gathered_.data(), communicator.size(), finish, this->stream());
    }
    void recorded() override {
        if (!is_alone()) links_.meeting->wait();
    }

private:
    [[nodiscard]] bool is_alone() const { return links_.meeting == nullptr; }
    [[nodiscard]] bool is_gathered() const { return links_.communicator != nullptr; }

    std::size_t total_rows_;
    int rank_;
    Links links_;
    cuda::DeviceBuffer<double> gathered_;
};

/// Seconds of `work`, the mean of `repeats` in one graph; all ranks meet before they launch it.
template <class F>
double seconds_of(int repeats, cudaStream_t stream, Meeting* meeting, F&& work) {
    work();  // kernels are loaded, and NCCL connects
    const cuda::Graph graph(stream, [&] {
        for (int i = 0; i < repeats; ++i) work();
    });
    cuda::Event begin;
    cuda::Event end;
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    if (meeting != nullptr) meeting->wait();
    graph.launch();
    begin.record(stream);
    graph.launch();
    end.record(stream);
    end.synchronize();
    if (meeting != nullptr) meeting->wait();
    return end.seconds_since(begin) / repeats;
}

template <class T>
class GpuRankSystem final : public RankSystem<T> {
public:
    GpuRankSystem(const RankInput<T>& input, const Links& links) : meeting_(links.meeting), space_(input, links) {}

    solver::SystemSpace<T>& space() override { return space_; }
    void update_values() override { space_.take_new_values(); }
    ProductTimes measure(solver::Vector<const T> x, solver::Vector<T> y, int repeats) override {
        const cuda::DeviceSpan<const T> from(x.data, x.size);
        const cuda::DeviceSpan<T> to(y.data, y.size);
        const cudaStream_t stream = space_.main_stream();
        const auto& a = space_.product();
        ProductTimes times;
        times.product = seconds_of(repeats, stream, meeting_, [&] { a.apply(1, from, 0, to, stream); });
        times.halo = seconds_of(repeats, stream, meeting_, [&] { a.exchange(x.data, stream); });
        times.interior = seconds_of(repeats, stream, meeting_, [&] { a.interior().apply(1, from, 0, to, stream); });
        times.boundary = seconds_of(repeats, stream, meeting_, [&] { a.add_boundary(1, y.data, stream); });
        return times;
    }

private:
    Meeting* meeting_;
    RankSpace<T> space_;
};

void require_gpus(int gpus) {
    static_cast<void>(cuda::require_device());
    int there = 0;
    TILESPMV_CUDA(cudaGetDeviceCount(&there));
    if (gpus < 1) throw Error(std::to_string(gpus) + " GPUs, expected at least 1", ExitCode::usage);
    if (gpus <= there) return;
    throw Error(std::to_string(gpus) + " GPUs were asked for, this machine has " + std::to_string(there) +
                    "; ask for at most as many",
                ExitCode::unavailable);
}

/// Memory of the pool of each GPU is open to the others, as NCCL between threads of a process needs: it writes to
/// where another GPU receives.
void open_pools(int gpus) {
    for (int owner = 0; owner < gpus; ++owner) {
        const cudaMemPool_t pool = cuda::pool_of(owner);
        if (pool == nullptr) continue;
        for (int peer = 0; peer < gpus; ++peer) {
            int can_access = 0;
            if (peer != owner) TILESPMV_CUDA(cudaDeviceCanAccessPeer(&can_access, peer, owner));
            if (can_access == 0) continue;
            cudaMemAccessDesc access{};
            access.location = {cudaMemLocationTypeDevice, peer};
            access.flags = cudaMemAccessFlagsProtReadWrite;
            TILESPMV_CUDA(cudaMemPoolSetAccess(pool, &access, 1));
        }
    }
}

template <class T>
class GpuBackend final : public RankBackend<T> {
public:
    GpuBackend(int gpus, bool use_peer_access) : on_host_(gpus) {
        if (gpus == 1) return;
        if (auto access = use_peer_access ? PeerAccess::open(gpus) : nullptr) {
            peers_ = std::make_unique<Peers>(std::move(access));
        } else {
            open_pools(gpus);
            by_nccl_ = connect_by_nccl(gpus);
        }
    }

    [[nodiscard]] Backend backend() const override { return Backend::cuda; }
    ThreadGroup& group() override { return on_host_; }
    void enter(int rank) override { TILESPMV_CUDA(cudaSetDevice(rank)); }
    std::unique_ptr<RankSystem<T>> make_system(int rank, const RankInput<T>& input) override {
        static_cast<void>(cuda::require_device());
        Meeting& meeting = on_host_.meeting();
        Links links;
        if (meeting.ranks() > 1)
            links = {peers_.get(), peers_ ? nullptr : by_nccl_[static_cast<std::size_t>(rank)].get(), &meeting};
        if (peers_) {
            peers_->inboxes.open(*input.plan, sizeof(T));
            meeting.wait();  // then all of them are
        }
        auto system = std::make_unique<GpuRankSystem<T>>(input, links);
        meeting.wait();  // before GPUs wait for each other all of them are there, or one has failed
        return system;
    }
    [[nodiscard]] int check_every() const override { return kChecks; }
    void give_up() noexcept override {
        if (peers_) peers_->access->abort();
        for (const auto& one : by_nccl_) one->abort();
    }

private:
    ThreadGroup on_host_;
    std::vector<std::unique_ptr<Communicator>> by_nccl_;  // of each GPU; none where there are peers
    std::unique_ptr<Peers> peers_;
};

}  // namespace

template <class T>
std::unique_ptr<RankBackend<T>> make_gpu_backend(int gpus, bool use_peer_access) {
    require_gpus(gpus);
    return std::make_unique<GpuBackend<T>>(gpus, use_peer_access);
}

template std::unique_ptr<RankBackend<double>> make_gpu_backend<double>(int, bool);
template std::unique_ptr<RankBackend<float>> make_gpu_backend<float>(int, bool);

}  // namespace tilespmv::multi_gpu
