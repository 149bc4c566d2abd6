#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/result_file.hpp"
#include "kernels/registry.hpp"

// What the figures and tables of the TileSpMV paper are made of: Niu, Lu, Dong, Jin, Liu, Tan, "TileSpMV: A tiled
// algorithm for sparse matrix-vector multiplication on GPUs", IPDPS 2021.
namespace tilespmv::tools {

/// The three published configurations and the tuned one, by their selectors.
inline constexpr std::string_view kPaperCsr = "paper-csr";
inline constexpr std::string_view kPaperAdaptive = "paper-adaptive";
inline constexpr std::string_view kPaperDeferred = "paper-deferred";
inline constexpr std::string_view kPaperTuned = "paper-tuned";

enum class ContestantKind {
    configuration,
    format,     ///< tiles in a single format
    competitor  ///< a baseline: the fastest of the operators that its name stands for
};

/// What takes part in the paper's comparisons.
struct Contestant {
    ContestantKind kind;
    std::string name;           ///< selector of a configuration, name of a format, baseline
    std::string operator_name;  ///< that executes tiles; empty for a competitor
};

/// All of them: the configurations, every single format, and the competitors of the backend.
std::vector<Contestant> contestants(Backend backend);
/// The selector that a contestant converts tiles by; empty for a competitor.
std::string selector_of(const Contestant& contestant);
/// What messages call a contestant: its selector, or the competitor's name; with that of its operator if that is not
/// the first of `tile_operators`. `short_name_of`: the same without "only:".
std::string label_of(const Contestant& contestant);
std::string short_name_of(const Contestant& contestant);
/// The operators that execute tiles: the fastest, and on a GPU the published algorithm.
std::vector<std::string> tile_operators(Backend backend);

/// One matrix with the result that stands for each contestant.
struct PaperMatrix {
    std::string name;
    index_t rows = 0;
    offset_t nnz = 0;
    int value_bytes = 0;
    std::vector<const bench::Result*> results;  ///< by contestant; null if it has no right one

    /// Of CSR with 32-bit indices.
    [[nodiscard]] offset_t csr_bytes() const;
};

/// Results of one value type on one device with one number of threads, arranged by matrix and contestant.
class PaperResults {
public:
    /// Which results of a set count; what is not said follows the first result of tiles, one on a GPU before others.
    struct Choice {
        std::string values;
        std::optional<Backend> backend;
    };
    /// Throws `Error` if no matrix has a right result of tiles (`verification` if one is wrong). `set` must outlive it.
    PaperResults(const bench::ResultSet& set, const Choice& choice);

    [[nodiscard]] const bench::ResultSet& set() const { return *set_; }
    [[nodiscard]] Backend backend() const { return backend_; }
    [[nodiscard]] const bench::CaseId& setting() const { return setting_; }
    /// Those with a right result of some matrix.
    [[nodiscard]] const std::vector<Contestant>& contestants() const { return contestants_; }
    /// Where contestants of a kind stand in `contestants()`; `of_first_operator`: only those by the first of
    /// `tile_operators`.
    [[nodiscard]] std::vector<std::size_t> of_kind(ContestantKind kind) const;
    [[nodiscard]] std::vector<std::size_t> of_first_operator(ContestantKind kind) const;
    /// Where one of this kind and name stands, if it does; of those by the first operator.
    [[nodiscard]] std::optional<std::size_t> find(ContestantKind kind, std::string_view name) const;
    /// By nonzeros, ascending.
    [[nodiscard]] const std::vector<PaperMatrix>& matrices() const { return matrices_; }
    /// The names of contestants that no matrix has a right result of.
    [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }

    /// A case that went wrong.
    struct Failure {
        std::string matrix;
        std::string what;  ///< the contestant or operator, empty for all of them
        std::string error;
    };
    /// Matrices, and contestants on a matrix, that have no right result although they were tried.
    [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
    /// Operators that failed while others of their baseline stood for it.
    [[nodiscard]] const std::vector<Failure>& failed_members() const { return failed_members_; }

    /// The baseline whose products preparation is counted in; empty if none was measured.
    [[nodiscard]] std::string preparation_unit() const;
    /// From CSR in host memory to an operator that is ready, in products of `preparation_unit()`; 0 if not known.
    [[nodiscard]] double preparation(const bench::Result& result) const;

private:
    void choose_setting(const Choice& choice);
    [[nodiscard]] std::vector<const bench::Result*> cases_of(const std::string& matrix) const;
    void add_matrix(const std::string& matrix);
    void drop_missing_contestants();

    const bench::ResultSet* set_;
    Backend backend_ = Backend::cpu;
    bench::CaseId setting_;
    std::vector<Contestant> contestants_;
    std::vector<PaperMatrix> matrices_;
    std::vector<std::string> left_out_;
    std::vector<Failure> failures_;
    std::vector<Failure> failed_members_;
};

/// Throws a `verification` error if any result is wrong, otherwise a `failure` that names the matrices that failed.
void require_right(const PaperResults& results);

}  // namespace tilespmv::tools
