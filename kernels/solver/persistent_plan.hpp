#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tile/csr.hpp"
#include "tile/types.hpp"

/// How whole blocks of iterations are done by one kernel on a GPU: thread blocks that stay, each with some rows of A
/// and of all vectors, in shared memory as far as they fit. Decided on the host.
namespace tilespmv::solver {

/// How the thread blocks of it meet.
enum class Team {
    cluster,  ///< one cluster: what others read of a vector is copied into the shared memory of each
    grid,     ///< up to one on each multiprocessor, by the second-level cache
};

/// Thread blocks of a team, and threads of each of them, at most.
inline constexpr int kMostTeamBlocks = 192;
inline constexpr int kMostTeamThreads = 512;

/// Where it takes part and how; the other figures were not swept.
struct PersistentTuning {
    // Below both a cluster, where one fits.
    index_t cluster_rows = 6'000;
    offset_t cluster_nonzeros = 250'000;
    /// On an H200, float64, Chronopoulos and Gear's form, microseconds of an iteration, one kernel / graphs: 1,024 rows
    /// 4.6 / 4.3; 10,000 6.7 / 5.7; 4,884 with 290,378 nonzeros 6.7 / 6.2; 31,061 with 401,821 9.9 / 9.0; 27,000 with
    /// 183,600 7.1 / 6.6; 26,460 with 1.9 million 9.9 / 11.1; 90,000 7.6 / 8.6; 126,905 8.4 / 10.6; 216,000 with 1.5
    /// million 12.6 / 13.2. So a grid takes part from one of these on, and up to both of those that follow. More rows
    /// were not measured: twice as many leave no room for the vectors.
    index_t least_grid_rows = 60'000;
    offset_t least_grid_nonzeros = 1'000'000;
    index_t grid_rows = 250'000;
    offset_t grid_nonzeros = 3'000'000;
    int cluster_threads = 512;  ///< of a thread block
    int grid_threads = 512;
    int least_rows = 8;   ///< of a thread block
    double row_cost = 6;  ///< of a row beside its nonzeros, in nonzeros, where rows are divided evenly
    int most_row_threads = 32;
};

/// What limits it on a GPU.
struct PersistentLimits {
    int multiprocessors = 0;
    int cluster_blocks = 0;        ///< of the largest cluster that fits; 0: none
    std::size_t shared_bytes = 0;  ///< of a thread block
};

struct PersistentPlan {
    Team team = Team::grid;
    int threads = 0;                  ///< of a thread block
    int row_threads = 1;              ///< that multiply one row, a power of two
    std::vector<index_t> first_rows;  ///< of each thread block, and the number of rows
    index_t most_rows = 0;            ///< of a thread block
    offset_t most_nonzeros = 0;       ///< of a thread block
    bool keeps_matrix = false;        ///< in shared memory
    std::size_t shared_bytes = 0;     ///< of a thread block

    [[nodiscard]] int blocks() const { return static_cast<int>(first_rows.size()) - 1; }
    /// A clause for a report: "a cluster of 16 blocks, A in shared memory".
    [[nodiscard]] std::string describe() const;
};

/// Vectors of which a thread block keeps its rows: x, r, w, s, p, q and the diagonal of M.
inline constexpr int kKeptVectors = 7;

/// The plan for a square matrix with values of `value_bytes`; none where it is larger than `tuning` says or its vectors
/// do not fit. `any_size`: the first of these does not count.
std::optional<PersistentPlan> plan_persistent(const Buffer<offset_t>& row_ptrs, std::size_t value_bytes,
                                              const PersistentLimits& limits, bool any_size,
                                              const PersistentTuning& tuning = {});
/// The same with this team.
std::optional<PersistentPlan> plan_persistent(Team team, const Buffer<offset_t>& row_ptrs, std::size_t value_bytes,
                                              const PersistentLimits& limits, const PersistentTuning& tuning = {});

/// Rows for each of `blocks` thread blocks, contiguous, of about even cost: nonzeros + `row_cost` a row.
std::vector<index_t> even_rows(const Buffer<offset_t>& row_ptrs, int blocks, double row_cost);

}  // namespace tilespmv::solver
