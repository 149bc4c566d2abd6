#include "selector/models/modelled_operators.hpp"

#include <algorithm>

#include "selector/auto/rank_operators.hpp"
#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

double of(const ProductWork& w, Term term) { return w.work[static_cast<std::size_t>(term)]; }

double memory_of(const ProductWork& w) {
    return memory_seconds(w.bytes, {w.probe.read_rate, w.probe.cache_rate, w.probe.cache_bytes, 0});
}
double uneven_of(const ProductWork& w) {
    constexpr double kMost = 4;
    if (w.features.mean_row <= 0) return 0;
    return of(w, Term::nonzeros) * std::min(w.features.row_deviation / w.features.mean_row, kMost);
}
/// Rounds of the whole machine after the first one, if each thread takes four nonzeros of a round.
double waves_of(const ProductWork& w) {
    const double threads = static_cast<double>(w.probe.multiprocessors) * std::max(w.probe.threads, 1);
    return std::max(0.0, of(w, Term::nonzeros) / (4 * std::max(threads, 1.0)) - 1);
}
double tiles_of(const ProductWork& w) {
    const bool has_tiles = w.is_made_from_tiles && w.features.tile_nonzeros > 0;
    return has_tiles ? nnz_of(w.features) / w.features.tile_nonzeros : 0;
}

constexpr std::array kTermTable{
    ModelTerm{"launch", "the launch and latency", [](const ProductWork&) { return 1.0; }},
    ModelTerm{"memory", "reading the matrix, x and y", memory_of},
    ModelTerm{"nonzeros", "the work of nonzeros", [](const ProductWork& w) { return of(w, Term::nonzeros); }},
    ModelTerm{"x_sectors", "gathers of x from caches", [](const ProductWork& w) { return of(w, Term::x_sectors); }},
    ModelTerm{"rows", "the work of rows", [](const ProductWork& w) { return of(w, Term::rows); }},
    ModelTerm{"chain", "the longest row, whose parts wait for each other",
              [](const ProductWork& w) { return of(w, Term::chain); }},
    ModelTerm{"uneven", "rows of different lengths side by side", uneven_of},
    ModelTerm{"waves", "rounds of the whole machine", waves_of},
    ModelTerm{"tiles", "the work of tiles", tiles_of},
};

/// Baselines too, which are measured where they are named.
std::vector<Candidate> table(bool on_gpu) {
    std::vector<Candidate> all = candidates_of(on_gpu, RankedBy::models);
    const std::vector<Candidate> baselines = candidates_of(on_gpu, RankedBy::none);
    all.insert(all.end(), baselines.begin(), baselines.end());
    return all;
}

std::string_view name_of(std::string_view specification) { return specification.substr(0, specification.find(':')); }
std::string_view options_of(std::string_view specification) {
    return specification.substr(std::min(name_of(specification).size() + 1, specification.size()));
}
bool is_specified(const Candidate& candidate, std::string_view specification) {
    return candidate.name == name_of(specification) && candidate.options == options_of(specification);
}

}  // namespace

std::span<const ModelTerm> model_terms() { return kTermTable; }

std::string specification_of(const Candidate& candidate) {
    std::string specification(candidate.name);
    if (!candidate.options.empty()) specification.append(":").append(candidate.options);
    return specification;
}

std::span<const Candidate> modelled_operators(bool on_gpu) {
    static const std::array tables{table(false), table(true)};
    return tables[on_gpu ? 1 : 0];
}

Candidate modelled_operator(bool on_gpu, std::string_view specification) {
    const auto all = modelled_operators(on_gpu);
    const auto same = std::ranges::find_if(all, [&](const auto& one) { return is_specified(one, specification); });
    if (same != all.end()) return *same;
    const auto named = std::ranges::find(all, name_of(specification), &Candidate::name);
    if (named != all.end()) return *named;
    return {.name = name_of(specification), .matrix_bytes = csr_bytes};
}

bool can_be_made(const Candidate& one, const MatrixFeatures& f, double bytes) {
    constexpr double kMostOfCsr = 4;  // representations that pad are refused far beyond this
    if (is_baseline(one)) return false;
    if (one.suits != nullptr && !one.suits(f)) return false;
    return bytes <= kMostOfCsr * (csr_bytes(f) + vector_bytes(f));
}

std::vector<std::string> specifications_of(bool on_gpu, std::string_view name) {
    std::vector<std::string> all;
    for (const auto& one : modelled_operators(on_gpu)) {
        if (one.name == name && !is_baseline(one)) all.push_back(specification_of(one));
    }
    const bool is_known = std::ranges::count(modelled_operators(on_gpu), name, &Candidate::name) > 0;
    if (!is_known) all.emplace_back(name);
    return all;
}

/// Waves of blocks as on the H200, but of as many multiprocessors as the machine has.
double waves_on(const Probe& probe, const Candidate& candidate, const MatrixFeatures& features) {
    const double here = std::max(probe.multiprocessors, 1);
    return (candidate.waves != nullptr ? candidate.waves(features) : 0) * (probe_of_h200().multiprocessors / here);
}

ProductWork product_work(const Candidate& candidate, const MatrixFeatures& features, const Probe& probe) {
    ProductWork w{.features = features,
                  .probe = probe,
                  .work = work_of(candidate, features),
                  .is_made_from_tiles = candidate.is_made_from_tiles,
                  .launch_choice = candidate.choice != nullptr ? candidate.choice(features) : 0,
                  .launch_waves = probe.is_gpu ? waves_on(probe, candidate, features) : 0,
                  .own_sectors = candidate.has_own_order ? features.slice_sectors : 0};
    w.bytes = candidate.matrix_bytes(features) + vector_bytes(features);
    return w;
}

Regime regime_of(const ProductWork& work) {
    return work.bytes <= work.probe.cache_bytes ? Regime::resident : Regime::streamed;
}

std::vector<double> amounts_of(const ProductWork& work) {
    std::vector<double> amounts;
    amounts.reserve(kTermTable.size());
    for (const ModelTerm& term : kTermTable) amounts.push_back(term.amount(work));
    return amounts;
}

double naive_seconds(const ProductWork& work) {
    return work.probe.read_rate > 0 ? work.bytes / work.probe.read_rate : 0;
}

}  // namespace tilespmv
