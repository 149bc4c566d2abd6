#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tile/csr.hpp"
#include "tile/types.hpp"

/// How whole blocks of iterations are done by one kernel on a GPU: thread blocks that stay, each with some rows of A
/// and of all vectors, in shared memory as far as they fit. Decided on the host.
namespace tilespmv::solver {

/// Thread blocks of a team, and threads of each of them, at most.
inline constexpr int kMostTeamBlocks = 192;
inline constexpr int kMostTeamThreads = 512;

/// Where it takes part and how; the other figures were not swept.
struct PersistentTuning {
    /// On an H200, float64, Chronopoulos and Gear's form, microseconds of an iteration, one kernel / graphs: 10,000
    /// rows 6.7 / 5.7; 4,884 with 290,378 nonzeros 6.7 / 6.2; 31,061 with 401,821 9.9 / 9.0; 27,000 with 183,600 7.1
    /// / 6.6; 26,460 with 1.9 million 9.9 / 11.1; 90,000 7.6 / 8.6; 126,905 8.4 / 10.6; 216,000 with 1.5 million 12.6
    /// / 13.2. So it takes part from one of these on, and up to both of those that follow. More rows were not measured:
    /// twice as many leave no room for the vectors.
    index_t least_rows = 60'000;
    offset_t least_nonzeros = 1'000'000;
    index_t most_rows = 250'000;
    offset_t most_nonzeros = 3'000'000;
    int threads = 512;  ///< of a thread block
    int least_block_rows = 8;
    double row_cost = 6;  ///< of a row beside its nonzeros, in nonzeros, where rows are divided evenly
    int most_row_threads = 32;
};

/// What limits it on a GPU.
struct PersistentLimits {
    int multiprocessors = 0;
    std::size_t shared_bytes = 0;  ///< of a thread block
};

struct PersistentPlan {
    int threads = 0;                  ///< of a thread block
    int row_threads = 1;              ///< that multiply one row, a power of two
    std::vector<index_t> first_rows;  ///< of each thread block, and the number of rows
    index_t most_rows = 0;            ///< of a thread block
    offset_t most_nonzeros = 0;       ///< of a thread block
    bool keeps_matrix = false;        ///< in shared memory
    std::size_t shared_bytes = 0;     ///< of a thread block

    [[nodiscard]] int blocks() const { return static_cast<int>(first_rows.size()) - 1; }
    /// A clause for a report: "a grid of 132 thread blocks, A in shared memory".
    [[nodiscard]] std::string describe() const;
};

/// Vectors of which a thread block keeps its rows: x, r, w, s, p, q and the diagonal of M.
inline constexpr int kKeptVectors = 7;

/// Whether a matrix of this size is neither too small nor too large for it.
bool has_persistent_size(index_t rows, offset_t nonzeros, const PersistentTuning& tuning = {});

/// Where the rows of a thread block begin, and the nonzeros before them.
struct RowStart {
    index_t row = 0;
    offset_t nonzeros = 0;
};
/// Rows for each of `blocks` thread blocks, contiguous, of about even cost: nonzeros + `row_cost` a row. At last where
/// all rows end.
using DivideRows = std::function<std::vector<RowStart>(int blocks, double row_cost)>;
/// The same of row pointers on the host.
std::vector<RowStart> even_rows(const Buffer<offset_t>& row_ptrs, int blocks, double row_cost);

/// The plan for a square matrix of this size with values of `value_bytes`; none where it has not that size or its
/// vectors do not fit. `any_size`: the first of these does not count.
std::optional<PersistentPlan> plan_persistent(index_t rows, offset_t nonzeros, const DivideRows& divide,
                                              std::size_t value_bytes, const PersistentLimits& limits, bool any_size,
                                              const PersistentTuning& tuning = {});

}  // namespace tilespmv::solver
