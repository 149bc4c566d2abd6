#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tile/csr.hpp"
#include "tile/generate/generate.hpp"
#include "tile/options/options.hpp"

/// What the generators share. A generator makes a pattern and names the rule for its values, or computes them row by
/// row; one that is new needs a `Generator` in the file of its family and a line in the list of generate.cpp.
namespace tilespmv::synthetic {

/// The parameters of one kind, as given or by default.
class Parameters {
public:
    /// Reads all options. Throws a usage `Error` for one that the kind does not take and for a value that is not a
    /// number or out of range.
    Parameters(const GeneratorInfo& kind, Options options);

    [[nodiscard]] double real(std::string_view name) const { return values_.at(name); }
    [[nodiscard]] std::int64_t integer(std::string_view name) const { return static_cast<std::int64_t>(real(name)); }
    [[nodiscard]] index_t index(std::string_view name) const { return static_cast<index_t>(real(name)); }
    [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(real("seed")); }

    /// Throws a usage `Error` unless the parameter is at most `max`, a bound that other parameters set.
    void require_at_most(std::string_view name, double max) const;
    /// The product of positive factors as a dimension. Throws a usage `Error` if it is more than 2^31 - 1.
    [[nodiscard]] index_t dimension(std::initializer_list<std::int64_t> factors) const;
    /// Throws a usage `Error` that begins with the specification.
    [[noreturn]] void fail(const std::string& message) const { options_.fail(message); }

private:
    const GeneratorInfo* kind_;
    Options options_;
    std::map<std::string_view, double> values_;
};

/// A `CsrMatrix` without values.
struct Pattern {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<offset_t> row_ptrs;
    Buffer<index_t> col_idxs;
};

/// How a value follows from its row and column (u is uniform in [-1, 1), a function of seed, row and column).
struct ValueRule {
    enum class Kind {
        general,    ///< u
        symmetric,  ///< u, the same at (i, j) and (j, i)
        /// Symmetric `mean + spread * u` off the diagonal; on it their absolute sum plus the larger of `shift` and
        /// `full_length` - (nonzeros in the row), as if couplings of size 1 led out of the domain.
        dominant,
    };
    Kind kind = Kind::general;
    double mean = 0;
    double spread = 1;
    double full_length = 0;
    double shift = 0;
};

/// Writes the values of a row, in the order of its columns. Called by many threads; must be a pure function.
using RowValues = std::function<void(index_t row, std::span<double> values)>;

struct Generated {
    Pattern pattern;
    ValueRule rule;
    RowValues row_values = {};  ///< takes the place of the rule, if there is one
};

struct Generator {
    GeneratorInfo info;
    Generated (*make)(const Parameters&);
};

struct Entry {
    index_t row;
    index_t col;
};

/// Appends the columns of a row, in any order, to an empty vector; duplicates are merged.
using EmitRow = std::function<void(index_t, std::vector<index_t>&)>;
/// Appends the entries of item k, in any order; duplicates are merged.
using EmitEntries = std::function<void(std::int64_t, std::vector<Entry>&)>;

/// Builds a pattern row by row; `emit` is called twice for every row, by many threads, and must be a pure function.
/// `expected_nnz` (an estimate) is what memory is asked for before the work begins.
Pattern build_rows(index_t rows, index_t cols, double expected_nnz, const EmitRow& emit);

/// Builds a pattern from the entries of items 0 to `items` - 1, which may lie anywhere; `emit` as in `build_rows`.
Pattern build_entries(index_t rows, index_t cols, std::int64_t items, double expected_nnz, const EmitEntries& emit);

/// Appends the entry and its mirror image.
inline void add_symmetric(std::vector<Entry>& out, std::int64_t i, std::int64_t j) {
    const auto row = static_cast<index_t>(i), col = static_cast<index_t>(j);
    out.push_back({row, col});
    out.push_back({col, row});
}

/// Throws `Error` with `name` for the first value out of the range of V.
template <Value V>
CsrMatrix<V> with_values(std::string_view name, Generated made, std::uint64_t seed);

inline constexpr double kMaxIndex = 2147483647;
inline constexpr GeneratorParameter kSeed{"seed", 1, 0, 0x1p53 - 1, true, "of everything random"};

extern const Generator kLaplace2d, kLaplace3d, kStencil27, kFem;
extern const Generator kElasticity;
extern const Generator kBanded, kArrow, kDense;
extern const Generator kBlockDense, kUniform, kHypersparse;
extern const Generator kRmat, kKronecker, kPowerlaw, kWeb;
extern const Generator kDelaunay, kRgg;
extern const Generator kRoadLike, kCircuit, kKkt;
extern const Generator kPoseGraph, kVolumes;
extern const Generator kQcd;

}  // namespace tilespmv::synthetic
