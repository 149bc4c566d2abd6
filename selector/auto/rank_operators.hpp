#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "selector/auto/cost_table.hpp"
#include "selector/tuning.hpp"

namespace tilespmv {

/// Seconds for so many bytes: a matrix that a product leaves in the L2 cache is there for the next one; of one of twice
/// the size nothing is left.
double memory_seconds(double bytes, const MemoryTuning& memory);
/// Of an operator on CSR that leaves no threads without work; the term of memory is 0.
Work csr_work(const MatrixFeatures& features);
/// Of a candidate; the term of memory is 0.
Work work_of(const Candidate& candidate, const MatrixFeatures& features);
/// Bytes of x and y.
double vector_bytes(const MatrixFeatures& features);

/// A candidate with what is predicted of it.
struct RankedOperator {
    std::string specification;  ///< for `make_operator` and `make_device_operator`
    double seconds = 0;         ///< a product
    double preparation_seconds = 0;
    double matrix_bytes = 0;       ///< that a product reads
    Work work{};                   ///< what `seconds` follows from
    std::string_view mostly = {};  ///< what most of its time goes to, after "of the time for"; empty if not known
    double mostly_share = 0;

    /// For so many products; for 0 those of a product alone.
    [[nodiscard]] double total_seconds(offset_t products) const {
        return products == 0 ? seconds : preparation_seconds + static_cast<double>(products) * seconds;
    }
};

/// What is asked: which operator is to multiply this matrix there so often.
struct OperatorQuestion {
    MatrixFeatures features;
    std::optional<Gpu> gpu = {};  ///< none: the CPU
    int threads = 1;              ///< of the CPU; they scale times alike, so that no choice depends on them
    int lanes = kMostLanes;       ///< doubles of a vector of the CPU
    offset_t products = 0;        ///< expected; 0: so many that preparation does not count
    bool has_tiles = false;       ///< tiles are there already, so that an operator needs no conversion
    std::vector<RankedOperator> registered = {};  ///< a program's own operators, which predict themselves
};

/// One sentence: bytes of the matrix for each of its nonzeros, and what most of the time goes to.
std::string why(const RankedOperator& one, offset_t nnz);

/// Products after which `a` has paid for its preparation over `b`: 0 if that takes no longer, negative if never.
double pays_after(const RankedOperator& a, const RankedOperator& b);

/// Every candidate that suits the matrix, those of the least time for the expected products first. The one place where
/// it is decided which operator `auto` takes. A pure function. Throws `Error` if the table lacks the costs of a
/// candidate.
std::vector<RankedOperator> rank_operators(const OperatorQuestion& question);
std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const CostTable& table);

}  // namespace tilespmv
