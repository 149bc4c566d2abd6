#pragma once

#include <memory>

#include "kernels/multi_gpu/halo_plan.hpp"
#include "kernels/multi_gpu/rank_threads.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/registry.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/system_space.hpp"

/// Where ranks live: what `RankedSolver` needs of a place beside a space.
namespace tilespmv::multi_gpu {

/// What the system of a rank is made of; all of it outlives that.
template <class T>
struct RankInput {
    const RankMatrix<T>* matrix = nullptr;
    const HaloPlan* plan = nullptr;
    const solver::PreconditionerParts<T>* preconditioner = nullptr;  ///< of the interior
    const RankedOptions* options = nullptr;
    std::size_t total_rows = 0;
};

template <class T>
class RankSystem {
public:
    RankSystem() = default;
    RankSystem(const RankSystem&) = delete;
    RankSystem& operator=(const RankSystem&) = delete;
    virtual ~RankSystem() = default;

    /// Of the rank's rows: products and reductions are over all ranks, which call them together.
    virtual solver::SystemSpace<T>& space() = 0;
    /// The matrix and the parts of the preconditioner have new values.
    virtual void update_values() = 0;
    /// This rank's times of a step of the product, `repeats` in a row; all ranks call it together.
    virtual ProductTimes measure(solver::Vector<const T> x, solver::Vector<T> y, int repeats) = 0;
};

/// The ranks of a process. Lives as long as their systems.
template <class T>
class RankBackend {
public:
    RankBackend() = default;
    RankBackend(const RankBackend&) = delete;
    RankBackend& operator=(const RankBackend&) = delete;
    virtual ~RankBackend() = default;

    /// The kind of place, by which times are predicted.
    [[nodiscard]] virtual Backend backend() const = 0;
    /// Ranks, where they meet, and how they speak to each other on the host.
    virtual ThreadGroup& group() = 0;
    /// By a thread before it does anything else for a rank.
    virtual void enter(int rank) = 0;
    /// By the thread of a rank, together with the others.
    virtual std::unique_ptr<RankSystem<T>> make_system(int rank, const RankInput<T>& input) = 0;
    /// Iterations between checks when nobody says.
    [[nodiscard]] virtual int check_every() const { return 1; }
    /// A rank has failed: others that wait for it in the communication of this place must not.
    virtual void give_up() noexcept {}
};

template <class T>
std::unique_ptr<RankBackend<T>> make_cpu_backend(int ranks);

/// GPUs 0 .. gpus - 1. `use_peer_access`: as `RankedOptions` has it. Throws as `make_gpu_ranked_solver`.
template <class T>
std::unique_ptr<RankBackend<T>> make_gpu_backend(int gpus, bool use_peer_access);

}  // namespace tilespmv::multi_gpu
