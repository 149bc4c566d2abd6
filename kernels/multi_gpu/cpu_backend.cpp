#include <array>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "kernels/multi_gpu/boundary_product.hpp"
#include "kernels/multi_gpu/rank_backend.hpp"
#include "kernels/multi_gpu/rank_operator.hpp"
#include "kernels/solver/cpu_space.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// Replaces a rank's sums by those over all, added in the order of ranks.
class SumsOverRanks {
public:
    explicit SumsOverRanks(Communicator& communicator)
        : communicator_(&communicator), all_(static_cast<std::size_t>(communicator.size()) * 3) {}

    void operator()(std::array<double, 3>& sums) {
        communicator_->all_gather(sums.data(), 3, all_.data(), nullptr);
        sums = {};
        for (std::size_t i = 0; i < all_.size(); ++i) sums[i % 3] += all_[i];
    }

private:
    Communicator* communicator_;
    std::vector<double> all_;
};

/// Seconds of a call of f, the mean of `repeats`.
template <class F>
double seconds_of(int repeats, F&& f) {
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) f();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count() / repeats;
}

template <class T>
class CpuRankSystem final : public RankSystem<T> {
public:
    CpuRankSystem(const RankInput<T>& input, Communicator& communicator)
        : a_(*input.matrix, *input.plan, input.options->operator_name, communicator),
          space_(solver::SystemOperator<T>(a_),
                 solver::preconditioner_of<T>(*input.preconditioner, solver::CpuSpace<T>::make)) {
        if (communicator.size() > 1) space_.join_ranks(input.total_rows, SumsOverRanks(communicator));
    }

    solver::SystemSpace<T>& space() override { return space_; }
    void update_values() override {
        a_.follow_values();
        space_.follow_preconditioner();
    }
    ProductTimes measure(solver::Vector<const T> x, solver::Vector<T> y, int repeats) override {
        const std::span<const T> from(x.data, x.size);
        const std::span<T> to(y.data, y.size);
        ProductTimes times;
        times.product = seconds_of(repeats, [&] { a_.apply(T{1}, from, T{0}, to); });
        times.halo = seconds_of(repeats, [&] { a_.exchange(from); });
        times.interior = seconds_of(repeats, [&] { a_.interior().apply(T{1}, from, T{0}, to); });
        times.boundary = seconds_of(repeats, [&] { a_.add_boundary(T{1}, to); });
        return times;
    }

private:
    RankOperator<T> a_;
    solver::CpuSpace<T> space_;
};

template <class T>
class CpuBackend final : public RankBackend<T> {
public:
    explicit CpuBackend(int ranks) : group_(ranks) {}
    [[nodiscard]] Backend backend() const override { return Backend::cpu; }
    ThreadGroup& group() override { return group_; }
    void enter(int) override {}
    std::unique_ptr<RankSystem<T>> make_system(int rank, const RankInput<T>& input) override {
        return std::make_unique<CpuRankSystem<T>>(input, group_.communicator(rank));
    }

private:
    ThreadGroup group_;
};

}  // namespace

template <class T>
std::unique_ptr<RankBackend<T>> make_cpu_backend(int ranks) {
    if (ranks < 1) throw Error(fmt::format("{} ranks, expected at least 1", ranks), ExitCode::usage);
    return std::make_unique<CpuBackend<T>>(ranks);
}

template std::unique_ptr<RankBackend<double>> make_cpu_backend<double>(int);
template std::unique_ptr<RankBackend<float>> make_cpu_backend<float>(int);

}  // namespace tilespmv::multi_gpu
