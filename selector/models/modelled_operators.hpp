#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/auto/cost_table.hpp"
#include "selector/models/probe.hpp"

/// What the time of any operator is made of: work, as formulas of features of a matrix and figures of a machine. A
/// model
/// (`spmv_model.hpp`) finds what each costs.
namespace tilespmv {

/// What a product of a matrix by an operator does.
struct ProductWork {
    const MatrixFeatures& features;
    const Probe& probe;
    Work work;         ///< `memory` apart
    double bytes = 0;  ///< of the matrix in its representation, x and y
    bool is_made_from_tiles = false;
    double launch_choice = 0;  ///< see `Candidate::choice`
    double launch_waves = 0;   ///< the same, on the multiprocessors there are
    double own_sectors = 0;    ///< of x for each nonzero, of an operator that takes nonzeros in an order of its own
};

/// An amount of work. Adding one to `model_terms` adds it to the model of every operator; where it says nothing, its
/// cost becomes 0.
struct ModelTerm {
    std::string_view name;
    std::string_view meaning;  ///< after "of the time for"
    double (*amount)(const ProductWork& work) = nullptr;
};
std::span<const ModelTerm> model_terms();

/// All of a backend that models rank, and baselines, which are measured where they are named.
std::span<const Candidate> modelled_operators(bool on_gpu);
inline bool is_baseline(const Candidate& one) { return one.ranked_by == RankedBy::none; }

/// The entry of a specification `name[:option=value,...]`, by all of it, else by its name. Any other operator, so one
/// that was just registered, counts as one on CSR.
Candidate modelled_operator(bool on_gpu, std::string_view specification);

/// Whether an operator suits a matrix, and is neither a baseline nor, by the bytes of a product, much larger than CSR.
bool can_be_made(const Candidate& one, const MatrixFeatures& features, double bytes);

/// The specifications by which an operator of this name is measured: those of its entries, or the name itself.
std::vector<std::string> specifications_of(bool on_gpu, std::string_view name);

/// "name[:options]".
std::string specification_of(const Candidate& candidate);

/// Whether matrices stay in the cache from one product to the next.
enum class Regime { resident, streamed };
inline constexpr std::array<std::string_view, 2> kRegimeNames{"resident", "streamed"};

/// The work refers to `features` and `probe`, which must outlive it.
ProductWork product_work(const Candidate& candidate, const MatrixFeatures& features, const Probe& probe);
/// By whether all bytes of a product fit the cache.
Regime regime_of(const ProductWork& work);
/// The amounts in the order of `model_terms`.
std::vector<double> amounts_of(const ProductWork& work);
/// What a model that knows nothing but bytes and bandwidth says: seconds of a product.
double naive_seconds(const ProductWork& work);

}  // namespace tilespmv
