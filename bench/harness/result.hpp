#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/harness/bandwidth.hpp"
#include "bench/harness/mode.hpp"
#include "bench/harness/sampling.hpp"
#include "kernels/executed.hpp"
#include "tile/types.hpp"

namespace tilespmv::bench {

/// What is measured: results with the same id are results of the same case.
struct CaseId {
    std::string matrix;         ///< file or generator specification, as on the command line, but `escaped`
    std::string operator_name;  ///< with its parameters, if it has any
    std::string selector;       ///< empty for an operator that works on CSR
    std::string values;         ///< type of the matrix and the vectors
    std::string accumulator;    ///< type of the sums
    std::string device;
    int threads = 0;           ///< of the host
    std::string vectors = {};  ///< `ProductKind::text`

    friend auto operator<=>(const CaseId&, const CaseId&) = default;
};

enum class Status {
    ok,
    wrong,    ///< a row of y is outside its error bound; there are no times
    failed,   ///< `Result::error` says why
    skipped,  ///< the operator does not suit the matrix (`Refusal`), as `Result::error` says
};
/// What files call them.
inline constexpr std::array<std::string_view, 4> kStatusNames{"ok", "wrong", "failed", "skipped"};

/// How much faster a case is than a baseline that was sampled in turn with it: the median over the rounds of (time of
/// the baseline / time of the case) and its confidence interval.
struct Speedup {
    std::string baseline;
    std::string against;  ///< the case that stands for the baseline: the fastest of those the name stands for
    double median = 0;
    double low = 0;
    double high = 0;
    Mode mode = Mode::warm;  ///< what was timed of both

    friend bool operator==(const Speedup&, const Speedup&) = default;
};

/// What one format holds of a tiled matrix as its selector stored it; "deferred" is the part outside the tiles.
struct FormatShare {
    std::string name;
    offset_t tiles = 0;
    offset_t nnz = 0;
    offset_t bytes = 0;  ///< values, indices and level 1 of the tiles

    friend bool operator==(const FormatShare&, const FormatShare&) = default;
};

/// A tiled matrix as its selector stored it, whatever an operator makes of it.
struct StoredTiles {
    std::vector<FormatShare> formats;  ///< those that hold any, in the list's order; empty without tiles
    offset_t bytes = 0;                ///< everything that a product on the CPU reads but x and y; 0 without tiles
    offset_t published_bytes = 0;      ///< the same tiles in the layout published for TileSpMV (`PublishedLayout`)

    friend bool operator==(const StoredTiles&, const StoredTiles&) = default;
};

/// All that is known of one case.
struct Result {
    CaseId id;
    Status status = Status::failed;
    std::string error;
    double error_ratio = 0;  ///< largest error of a row in units of its bound; right up to 1

    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    int columns = 1;           ///< that a product multiplies
    double row_variation = 0;  ///< of the lengths of rows: standard deviation / mean
    int value_bytes = 0;
    std::string pattern_values;  ///< what the entries of a file without values were; empty if it has values
    std::string runs;            ///< the operator that was taken, if the one of the id chooses among others; else empty
    StoredTiles stored;          ///< of an operator that works on tiles
    /// What a product multiplies in which representation and format, whatever was stored; empty without nonzeros.
    std::vector<ExecutedPart> executed;
    std::uint64_t matrix_bytes = 0;   ///< the operator's form of the matrix: what a product reads of it
    std::uint64_t device_bytes = 0;   ///< what the operator holds: its form of the matrix and its workspace
    std::uint64_t product_bytes = 0;  ///< by the byte model
    std::uint64_t cache_bytes = 0;    ///< of the device
    Bandwidth bandwidth;              ///< of the device, in the same run

    double first_seconds = 0;        ///< the first product of a new operator, after others have warmed the device up
    Timing warm = {};                ///< products back to back, after one that is not timed
    Timing cold = {};                ///< single products after the caches were flushed
    Timing graph = {};               ///< dependent products in a CUDA graph; as `axpy` if the matrix is not square
    Timing chain = {};               ///< the same launched in turn
    Timing axpy = {};                ///< a kernel that writes x, and a product: the time of both
    Timing preprocess = {};          ///< from CSR to an operator that is ready
    double convert_seconds = 0;      ///< the part of it from CSR to tiles, median; 0 without tiles
    double preprocess_products = 0;  ///< `preprocess` in units of a product of the first baseline; 0 without one
    std::vector<Speedup> speedups;

    friend bool operator==(const Result&, const Result&) = default;
};

/// What follows from the raw times of a result; zero where there are none.
struct Metrics {
    double seconds = 0;  ///< median of the warm times
    double spread = 0;   ///< their interquartile range over the median
    double noise = 0;    ///< half the confidence interval of the median over the median
    double cold_seconds = 0;
    double flops = 0;               ///< per second, warm
    double bytes_per_second = 0;    ///< warm, by the byte model
    double share_of_bandwidth = 0;  ///< of the read bandwidth
    double preprocess_seconds = 0;
    double bytes_per_nonzero = 0;  ///< of the operator's form of the matrix
    bool in_cache = false;         ///< all that a product touches fits the last-level cache: the share can exceed 1
};

Metrics metrics(const Result& result);

/// The times of a mode; empty if it was not measured.
const Timing& timing(const Result& result, Mode mode);
inline Timing& timing(Result& result, Mode mode) { return const_cast<Timing&>(timing(std::as_const(result), mode)); }

/// Their median, 0 if it was not measured.
double median_seconds(const Result& result, Mode mode);

/// Whether the times of a mode hold those of axpys.
bool has_axpy(const Result& result, Mode mode);

/// The speed-up over a baseline, null if it was not sampled together with it in that mode.
const Speedup* find_speedup(const Result& result, const std::string& baseline, Mode mode = Mode::warm);

/// The timings of a result by their names in files, those of modes first, in their order.
inline constexpr std::array kTimings{std::pair{"warm", &Result::warm},   std::pair{"cold", &Result::cold},
                                     std::pair{"graph", &Result::graph}, std::pair{"chain", &Result::chain},
                                     std::pair{"axpy", &Result::axpy},   std::pair{"preprocess", &Result::preprocess}};

// Everything but derived numbers survives the round trip. Reading throws what the parser's library does, or `Error`.
void to_json(nlohmann::json& json, const Result& result);
void from_json(const nlohmann::json& json, Result& result);

}  // namespace tilespmv::bench
