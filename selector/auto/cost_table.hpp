#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "selector/auto/matrix_features.hpp"
#include "selector/auto/number_sizes.hpp"

/// What operators cost on the machines that were measured: data, in one table for each machine. `bench/fit_auto.py`
/// fits the numbers to results of `tilespmv bench --json`.
namespace tilespmv {

/// What the time of a product is the sum of, in the order of the coefficients of a `Cost`.
enum class Term {
    launch,     ///< 1
    memory,     ///< on a GPU seconds for all bytes of the matrix, x and y by its bandwidths; on a CPU these bytes
    nonzeros,   ///< stored ones, padding included
    x_sectors,  ///< sectors of x that blocks of 512 nonzeros read
    rows,       ///< rows, or in their place what a thread group does for a row, tiles, or strips
    chain,      ///< steps that wait for each other, of the longest row
};
inline constexpr std::size_t kTerms = 6;
inline constexpr std::array<std::string_view, kTerms> kTermNames{"launch",    "memory", "nonzeros",
                                                                 "x_sectors", "rows",   "chain"};

/// How much of each term a product of a matrix has.
using Work = std::array<double, kTerms>;
inline double& of(Work& work, Term term) { return work[static_cast<std::size_t>(term)]; }

/// The coefficients of an operator, for values and sums of one size.
struct Cost {
    std::string_view name;        ///< the operator's
    std::size_t value_bytes = 8;  ///< other sizes take the entry that is nearest
    std::array<double, kTerms> seconds{};
    /// Of the preparation, from CSR in host memory: what it takes in any case, for a nonzero, for a row, for a tile.
    std::array<double, 4> preparation{};
    std::size_t sum_bytes = default_sum_bytes(value_bytes);  ///< of the accumulator; others take the nearest entry
    /// Of CSR, x and y on a CPU (`bytes_in_csr`): for larger matrices another entry counts, where there is one.
    double most_bytes = std::numeric_limits<double>::infinity();

    [[nodiscard]] NumberSizes sizes() const { return {value_bytes, sum_bytes}; }
};

/// Bytes in CSR with x and y up to which little waits for the last level of caches, and that the last level of the EPYC
/// that was measured holds. Beyond, bytes decide: costs are fitted to the terms of CSR, and operators that pad were the
/// fastest on uniform columns, roads and a circuit alone (4 of 40 times).
inline constexpr double kNear = 8e6;
inline constexpr double kCached = 33e6;

/// An operator that can be chosen.
struct Candidate {
    std::string_view name = {};     ///< the operator's; folders leave it out, as their `KnownOperator` has it
    std::string_view options = {};  ///< "option=value,..." that it is made with
    bool is_made_from_tiles = false;
    /// Bytes of the matrix that a product reads.
    double (*matrix_bytes)(const MatrixFeatures& f) = nullptr;
    /// Sets the terms nonzeros, rows and chain where they are not those of CSR, `csr_work`; may be null.
    void (*adapt)(const MatrixFeatures& f, Work& work) = nullptr;
    /// Whether it may be chosen; null: always.
    bool (*suits)(const MatrixFeatures& f) = nullptr;
    /// An operator whose preparation takes as long where this one is chosen, if its own was measured in another way.
    std::string_view prepared_as = {};
};

/// What choices know of an operator: data of its folder (`choice.cpp`).
struct KnownOperator {
    std::string_view name;
    std::vector<Candidate> candidates = {};  ///< one for each set of options
    /// What it costs more on a CPU without AVX-512, for matrices up to `kNear`, up to `kCached`, and larger ones.
    std::array<double, 3> without_avx512{1, 1, 1};
    std::vector<Cost> costs = {};  ///< one that has none is never chosen,
};

/// Those of a backend, in the order of `kernels/operators/list.hpp`.
std::span<const KnownOperator> known_operators(bool on_gpu);

/// The candidates of a backend and what they cost there.
struct CostTable {
    std::string_view machine;      ///< what was measured
    std::string_view measured_by;  ///< where the measurements are
    std::span<const Candidate> candidates;
    std::span<const Cost> costs;  ///< an entry or more for each candidate
};

/// Of the NVIDIA H200.
const CostTable& gpu_costs();
/// Of two threads of a CPU with vectors of so many doubles: 8 are AVX-512, 4 AVX2, whose costs all with less have.
inline constexpr int kMostLanes = 8;
const CostTable& cpu_costs(int lanes = kMostLanes);

/// Bytes of CSR on a CPU, where row pointers have 8.
double bytes_as_csr(const MatrixFeatures& f);
/// The same with x and y. They say how much of a matrix stays in the cache, whichever operator multiplies it,
/// so that operators are compared by costs for the same place.
double bytes_in_csr(const MatrixFeatures& features);

/// The costs of an operator for the nearest sizes of numbers, and of those for matrices of so many bytes. Throws
/// `Error` if the table has none.
const Cost& cost_of(const CostTable& table, std::string_view name, const NumberSizes& sizes, double bytes = 0);

}  // namespace tilespmv
