// Ranks that share one GPU exchange halos by words in its memory; on GPUs of their own they do in gpu_multi_test.cpp.
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include <gmock/gmock.h>

#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/multi_gpu/peer_halo.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// All ranks on one stream: nobody waits for what is not there, if all send before one receives.
template <class V>
class RanksOfOneGpu {
public:
    RanksOfOneGpu(const CsrMatrix<V>& a, int ranks)
        : access_(PeerAccess::within_one_gpu(ranks)),
          inboxes_(*access_),
          plans_(make_halo_plans(a, partition_evenly(a.rows, ranks), partition_evenly(a.cols, ranks))) {
        for (const HaloPlan& plan : plans_) inboxes_.open(plan, sizeof(V));
        for (const HaloPlan& plan : plans_) halos_.push_back(std::make_unique<PeerHalo<V>>(plan, inboxes_, on_.get()));
    }

    /// Its own part of `x`, for the whole matrix.
    void send(std::size_t rank, const std::vector<V>& x) {
        const cuda::DeviceBuffer<V> from(std::span<const V>(x), on_.get());
        halos_[rank]->begin(from.data() + plans_[rank].first_col, on_.get());
        on_.synchronize();
    }
    std::vector<V> receive(std::size_t rank) {
        HaloExchange<V>& halo = *halos_[rank];
        std::vector<V> values(plans_[rank].halo_cols.size());
        halo.finish(on_.get());
        TILESPMV_CUDA(
            cudaMemcpyAsync(values.data(), halo.halo(), values.size() * sizeof(V), cudaMemcpyDeviceToHost, on_.get()));
        on_.synchronize();
        return values;
    }
    /// Whether a rank that sends `x` is still waiting 50 ms later, when the others have sent nothing. Ends with
    /// `abort`.
    bool waits_alone(std::size_t rank, const std::vector<V>& x) {
        const cuda::DeviceBuffer<V> from(std::span<const V>(x), on_.get());
        HaloExchange<V>& halo = *halos_[rank];
        const cuda::Graph exchange(on_.get(), [&] {  // what is recorded is not waited for by the host
            halo.begin(from.data() + plans_[rank].first_col, on_.get());
            halo.finish(on_.get());
        });
        exchange.launch();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const bool waits = cudaStreamQuery(on_.get()) == cudaErrorNotReady;
        abort();
        return waits;
    }
    [[nodiscard]] const std::vector<HaloPlan>& plans() const { return plans_; }
    void abort() { access_->abort(); }

private:
    cuda::Stream on_;
    std::unique_ptr<PeerAccess> access_;
    PeerInboxes inboxes_;
    std::vector<HaloPlan> plans_;
    std::vector<std::unique_ptr<PeerHalo<V>>> halos_;
};

template <class V>
void expect_halos(const CsrMatrix<V>& a, int ranks) {
    RanksOfOneGpu<V> all(a, ranks);
    for (unsigned exchange = 0; exchange < 5; ++exchange) {  // both sets of words, more than once
        const auto x = testing::numbers<V>(a.cols, exchange);
        for (std::size_t rank = 0; rank < all.plans().size(); ++rank) all.send(rank, x);
        for (const HaloPlan& plan : all.plans()) {
            std::vector<V> expected;
            for (const index_t col : plan.halo_cols) expected.push_back(x[static_cast<std::size_t>(col)]);
            EXPECT_EQ(all.receive(static_cast<std::size_t>(plan.rank)), expected)
                << "rank " << plan.rank << " in exchange " << exchange;
        }
    }
}

class PeerHalos : public testing::OnDevice {};
class SanitizerPeerHalos : public testing::OnDevice {};

TEST_F(PeerHalos, ArriveForTheBattery) {
    for (const auto& [name, a] : testing::matrix_battery()) {
        for (const int ranks : {2, 5}) {
            SCOPED_TRACE(name + " on " + std::to_string(ranks));
            expect_halos(a, ranks);
            expect_halos(convert_values<float>(a), ranks);
        }
    }
}

TEST_F(SanitizerPeerHalos, Arrive) {
    expect_halos(generate<double>("laplace2d:n=20"), 3);
    expect_halos(generate<float>("stencil27:n=12"), 2);
}

/// Rows of the second half have nonzeros in columns of the first one.
CsrMatrix<double> one_way(index_t half) {
    CsrMatrix<double> a{2 * half,
                        2 * half,
                        {},
                        Buffer<index_t>(static_cast<std::size_t>(half)),
                        Buffer<double>(static_cast<std::size_t>(half))};
    a.row_ptrs = Buffer<offset_t>(2 * static_cast<std::size_t>(half) + 1);
    for (index_t row = 0; row <= 2 * half; ++row) a.row_ptrs[row] = std::max(0, row - half);
    for (index_t k = 0; k < half; ++k) {
        a.col_idxs[k] = k;
        a.values[k] = 1;
    }
    return a;
}

TEST_F(SanitizerPeerHalos, ArriveWhereOneOnlySends) { expect_halos(one_way(1000), 2); }

// Or else the third exchange of the one that only sends would overwrite words of the first one.
TEST_F(PeerHalos, OneThatOnlySendsWaitsForTheOther) {
    RanksOfOneGpu<double> ranks(one_way(200), 2);
    const std::vector<double> x(400, 1);
    EXPECT_TRUE(ranks.waits_alone(0, x));
}

TEST_F(PeerHalos, AreNaNWhenNobodySendsAnyMore) {
    const auto a = generate<double>("laplace2d:n=20");
    RanksOfOneGpu<double> ranks(a, 2);
    ranks.send(0, testing::numbers<double>(a.cols, 1));
    ranks.abort();
    const auto halo = ranks.receive(0);
    ASSERT_EQ(halo.size(), 20U);
    for (const double value : halo) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace tilespmv::multi_gpu
