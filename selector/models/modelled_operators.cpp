#include "selector/models/modelled_operators.hpp"

#include <algorithm>

#include "selector/auto/rank_operators.hpp"
#include "selector/models/launch_choice.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

double of(const ProductWork& w, Term term) { return w.work[static_cast<std::size_t>(term)]; }
double nnz_of(const MatrixFeatures& f) { return static_cast<double>(f.nnz); }
double rows_of(const MatrixFeatures& f) { return static_cast<double>(f.rows); }
double value_of(const MatrixFeatures& f) { return static_cast<double>(f.value_bytes); }

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

double csr_bytes(const MatrixFeatures& f) { return 4 * rows_of(f) + (4 + value_of(f)) * nnz_of(f); }
double coo_bytes(const MatrixFeatures& f) { return (8 + value_of(f)) * nnz_of(f); }
double hyb_places(const MatrixFeatures& f) { return rows_of(f) * static_cast<double>(f.hyb_width); }
double hyb_bytes(const MatrixFeatures& f) {
    return (4 + value_of(f)) * hyb_places(f) + (8 + value_of(f)) * f.hyb_rest * nnz_of(f);
}

void hyb_work(const MatrixFeatures& f, Work& work) {
    of(work, Term::nonzeros) = hyb_places(f) + f.hyb_rest * nnz_of(f);
    of(work, Term::chain) = static_cast<double>(f.hyb_width);
}

/// Rounds of a row by so many threads with four nonzeros in flight: the sum of ceil(length / 4t) * t, and the longest.
template <int kThreads>
void vector_work(const MatrixFeatures& f, Work& work) {
    const cuda::RowRounds& rounds = cuda::rounds_of(f.row_rounds, {kThreads, 4});
    of(work, Term::rows) = static_cast<double>(rounds.all) * kThreads;
    of(work, Term::chain) = static_cast<double>(rounds.longest);
}

/// A group of threads adds up each row.
void multiround_work(const MatrixFeatures& f, Work& work) {
    const int group = multiround_group(f);
    of(work, Term::rows) = rows_of(f) * group;
    of(work, Term::chain) = static_cast<double>(f.longest_row) / group;
}

const Candidate& of_rules(std::string_view name) {
    return *std::ranges::find(gpu_costs().candidates, name, &Candidate::name);
}
double strip_bytes(const MatrixFeatures& f) {
    const StripForm form = strip_form(f);
    if (form == StripForm::ranks) return rank_strip_bytes(f);
    return of_rules(form == StripForm::csr16 ? "csr16" : "strip").matrix_bytes(f);
}
/// Strips filled by rank work as others of as many slots.
void strip_work(const MatrixFeatures& f, Work& work) {
    const StripForm form = strip_form(f);
    if (form == StripForm::csr16) return of_rules("csr16").adapt(f, work);
    MatrixFeatures slots = f;
    if (form == StripForm::ranks) slots.strip_slots = f.rank_slots;
    of_rules("strip").adapt(slots, work);
}
/// Where the rules have strips, and where those filled by rank keep the GPU busy.
bool suits_strip(const MatrixFeatures& f) {
    constexpr offset_t kManyNonzeros = 1'000'000;
    constexpr index_t kManyRows = 20'000;
    return of_rules("strip").suits(f) ||
           (strip_form(f) == StripForm::ranks && f.nnz >= kManyNonzeros && f.rows >= kManyRows);
}

template <int kThreads>
constexpr ModelledOperator csr_vector(std::string_view options) {
    return {{.name = "csr-vector", .options = options, .matrix_bytes = csr_bytes, .adapt = vector_work<kThreads>}};
}

/// Beside the candidates of the rules.
constexpr std::array kOnGpu{
    csr_vector<2>("threads=2"),
    csr_vector<4>("threads=4"),
    csr_vector<8>("threads=8"),
    csr_vector<16>("threads=16"),
    csr_vector<32>("threads=32"),
    ModelledOperator{{.name = "csr-multiround", .matrix_bytes = csr_bytes, .adapt = multiround_work}},
    ModelledOperator{{.name = "csr5", .matrix_bytes = csr_bytes}},
    ModelledOperator{{.name = "coo", .matrix_bytes = coo_bytes}},
    ModelledOperator{.candidate = {.name = "hyb", .matrix_bytes = hyb_bytes, .adapt = hyb_work},
                     .further = FurtherFeatures::all},
    ModelledOperator{{.name = "tile-warp", .matrix_bytes = csr_bytes}, true},
    ModelledOperator{{.name = "cusparse-csr", .matrix_bytes = csr_bytes}, true},
    ModelledOperator{{.name = "cusparse-coo", .matrix_bytes = coo_bytes}, true},
    ModelledOperator{{.name = "cusparse-sell", .matrix_bytes = csr_bytes}, true},
    ModelledOperator{{.name = "cusparse-bsr", .matrix_bytes = csr_bytes}, true},
};
constexpr std::array kOnCpu{
    ModelledOperator{{.name = "coo-omp", .matrix_bytes = coo_bytes}},
};

/// A candidate of the rules, with the work that models have terms for.
ModelledOperator modelled(Candidate candidate) {
    if (candidate.name == "strip") {  // the rules ask only where it has strips; models are fitted to any matrix
        candidate.matrix_bytes = strip_bytes;
        candidate.adapt = strip_work;
        candidate.suits = suits_strip;
        return {.candidate = candidate, .further = FurtherFeatures::all};
    }
    if (candidate.name == "csr-omp" || candidate.name == "strip-omp" || candidate.name == "tile-omp") {
        candidate.adapt = nullptr;  // tiles have a term of their own
    } else if (candidate.name == "hyb-omp") {
        candidate.adapt = hyb_work;
    }
    ModelledOperator one{candidate};
    if (candidate.name == "csr-inode") one.further = FurtherFeatures::inodes;
    if (candidate.name == "dia") one.further = FurtherFeatures::diagonals;
    return one;
}

std::vector<ModelledOperator> table(bool on_gpu) {
    std::vector<ModelledOperator> all;
    for (const Candidate& candidate : (on_gpu ? gpu_costs() : cpu_costs()).candidates)
        all.push_back(modelled(candidate));
    const auto further = on_gpu ? std::span<const ModelledOperator>(kOnGpu) : kOnCpu;
    all.insert(all.end(), further.begin(), further.end());
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

std::span<const ModelledOperator> modelled_operators(bool on_gpu) {
    static const std::array tables{table(false), table(true)};
    return tables[on_gpu ? 1 : 0];
}

ModelledOperator modelled_operator(bool on_gpu, std::string_view specification) {
    const auto all = modelled_operators(on_gpu);
    const auto same =
        std::ranges::find_if(all, [&](const auto& one) { return is_specified(one.candidate, specification); });
    if (same != all.end()) return *same;
    const auto named =
        std::ranges::find(all, name_of(specification), [](const auto& one) { return one.candidate.name; });
    if (named != all.end()) return *named;
    return {{.name = name_of(specification), .matrix_bytes = csr_bytes}};
}

bool can_be_made(const ModelledOperator& one, const MatrixFeatures& f, double bytes) {
    constexpr double kMostOfCsr = 4;  // representations that pad are refused far beyond this
    if (one.is_baseline) return false;
    if (one.candidate.suits != nullptr && !one.candidate.suits(f)) return false;
    return bytes <= kMostOfCsr * (csr_bytes(f) + vector_bytes(f));
}

std::vector<std::string> specifications_of(bool on_gpu, std::string_view name) {
    std::vector<std::string> all;
    for (const auto& one : modelled_operators(on_gpu)) {
        if (one.candidate.name == name && !one.is_baseline) all.push_back(specification_of(one.candidate));
    }
    const bool is_known =
        std::ranges::any_of(modelled_operators(on_gpu), [&](const auto& one) { return one.candidate.name == name; });
    if (!is_known) all.emplace_back(name);
    return all;
}

/// Waves of blocks as on the H200, but of as many multiprocessors as the machine has.
double waves_on(const Probe& probe, const Candidate& candidate, const MatrixFeatures& features) {
    const double here = std::max(probe.multiprocessors, 1);
    return launch_waves(candidate.name, candidate.options, features) * (probe_of_h200().multiprocessors / here);
}

ProductWork product_work(const Candidate& candidate, const MatrixFeatures& features, const Probe& probe) {
    ProductWork w{.features = features,
                  .probe = probe,
                  .work = work_of(candidate, features),
                  .is_made_from_tiles = candidate.is_made_from_tiles,
                  .launch_choice = launch_choice(candidate.name, candidate.options, features),
                  .launch_waves = probe.is_gpu ? waves_on(probe, candidate, features) : 0,
                  .own_sectors = candidate.name == "sell" ? features.slice_sectors : 0};
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
