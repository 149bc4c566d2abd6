#include "tools/paper/results.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/contest.hpp"
#include "formats/list.hpp"
#include "tile/error.hpp"
#include "tools/bench/report.hpp"
#include "tools/options/source.hpp"

namespace tilespmv::tools {
namespace {

using bench::Result;
using bench::Status;

/// The algorithm as it was published.
constexpr std::string_view kPublishedOperator = "tile-warp";

bool is_of(const Contestant& contestant, const Result& r) {
    if (contestant.kind == ContestantKind::competitor) return bench::stands_for(contestant.name, r.id.operator_name);
    return r.id.operator_name == contestant.operator_name && r.id.selector == selector_of(contestant);
}

/// `name`, behind that of the operator if it is not the one that goes without saying.
std::string with_operator(const Contestant& contestant, const std::string& name) {
    return contestant.operator_name == kPublishedOperator ? fmt::format("{} {}", kPublishedOperator, name) : name;
}

}  // namespace

std::vector<Contestant> contestants(Backend backend) {
    std::vector<Contestant> all;
    const auto operators = tile_operators(backend);
    for (const auto& tiles : operators) {
        for (const auto name : {kPaperCsr, kPaperAdaptive, kPaperDeferred, kPaperTuned}) {
            all.push_back({ContestantKind::configuration, std::string(name), tiles});
        }
    }
    for (const auto& tiles : operators) {
        for (const auto& info : formats::published_formats()) {
            all.push_back({ContestantKind::format, std::string(info.name), tiles});
        }
    }
    const std::vector<std::string> competitors = backend == Backend::cuda
                                                     ? std::vector<std::string>{"csr-merge", "cusparse-bsr", "csr5"}
                                                     : std::vector<std::string>{"csr-omp"};
    for (const auto& name : competitors) all.push_back({ContestantKind::competitor, name, ""});
    return all;
}

std::string selector_of(const Contestant& contestant) {
    switch (contestant.kind) {
        case ContestantKind::configuration:
            return contestant.name;
        case ContestantKind::format:
            return "only:" + contestant.name;
        case ContestantKind::competitor:
            break;
    }
    return "";
}

std::string label_of(const Contestant& contestant) {
    return contestant.kind == ContestantKind::competitor ? contestant.name
                                                         : with_operator(contestant, selector_of(contestant));
}

std::string short_name_of(const Contestant& contestant) { return with_operator(contestant, contestant.name); }

std::vector<std::string> tile_operators(Backend backend) {
    if (backend == Backend::cpu) return {"tile-omp"};
    return {"tile", std::string(kPublishedOperator)};
}

offset_t PaperMatrix::csr_bytes() const {
    constexpr offset_t index_bytes = 4;
    return (offset_t{rows} + 1) * index_bytes + nnz * (index_bytes + value_bytes);
}

PaperResults::PaperResults(const bench::ResultSet& set, const Choice& choice) : set_(&set) {
    choose_setting(choice);
    contestants_ = tools::contestants(backend_);
    std::vector<std::string> names;
    for (const Result& r : set.results) {
        if (std::ranges::count(names, r.id.matrix) == 0) names.push_back(r.id.matrix);
    }
    for (const auto& name : names) add_matrix(name);
    std::ranges::stable_sort(matrices_, {}, &PaperMatrix::nnz);
    drop_missing_contestants();
}

void PaperResults::choose_setting(const Choice& choice) {
    std::vector<Result> results = set_->results;
    if (!choice.values.empty()) {
        std::erase_if(results, [&](const Result& r) { return r.id.values != choice.values; });
    }
    for (const Backend backend : {Backend::cuda, Backend::cpu}) {
        if (choice.backend && *choice.backend != backend) continue;
        const auto found = std::ranges::find_if(results, [&](const Result& r) {
            return r.status == Status::ok && r.id.operator_name == tile_operators(backend).front();
        });
        if (found == results.end()) continue;
        backend_ = backend;
        setting_ = found->id;
        return;
    }
    require_right(results);
    throw Error("there is no result of tiles to make tables of; measure some with 'tilespmv paper'");
}

std::vector<const Result*> PaperResults::cases_of(const std::string& matrix) const {
    std::vector<const Result*> cases;
    for (const Result& r : set_->results) {
        if (r.id.matrix == matrix && r.id.values == setting_.values && r.id.device == setting_.device &&
            r.id.threads == setting_.threads) {
            cases.push_back(&r);
        }
    }
    return cases;
}

void PaperResults::add_matrix(const std::string& matrix) {
    const auto cases = cases_of(matrix);
    PaperMatrix m{.name = source_name(matrix), .results = {}};
    std::vector<Failure> missing;
    for (const Contestant& contestant : contestants_) {
        const Result* best = nullptr;
        std::vector<Failure> failed;
        for (const Result* r : cases) {
            if (!is_of(contestant, *r)) continue;
            if (r->status != Status::ok) {
                failed.push_back({m.name, r->id.operator_name, r->error});
            } else if (!best || metrics(*r).seconds < metrics(*best).seconds) {
                best = r;
            }
        }
        m.results.push_back(best);
        if (best) {
            failed_members_.insert(failed_members_.end(), failed.begin(), failed.end());
        } else if (!failed.empty()) {
            missing.push_back({m.name, label_of(contestant), failed.front().error});
        }
    }
    const auto any = std::ranges::find_if(m.results, [](const Result* r) { return r != nullptr; });
    if (any == m.results.end()) {
        if (!missing.empty()) failures_.push_back({m.name, "", missing.front().error});
        return;
    }
    failures_.insert(failures_.end(), missing.begin(), missing.end());
    m.rows = (*any)->rows;
    m.nnz = (*any)->nnz;
    m.value_bytes = (*any)->value_bytes;
    matrices_.push_back(std::move(m));
}

void PaperResults::drop_missing_contestants() {
    for (std::size_t i = contestants_.size(); i-- > 0;) {
        if (std::ranges::any_of(matrices_, [&](const PaperMatrix& m) { return m.results[i] != nullptr; })) continue;
        left_out_.insert(left_out_.begin(), label_of(contestants_[i]));
        contestants_.erase(contestants_.begin() + static_cast<std::ptrdiff_t>(i));
        for (auto& m : matrices_) m.results.erase(m.results.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

std::vector<std::size_t> PaperResults::of_kind(ContestantKind kind) const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < contestants_.size(); ++i) {
        if (contestants_[i].kind == kind) all.push_back(i);
    }
    return all;
}

std::vector<std::size_t> PaperResults::of_first_operator(ContestantKind kind) const {
    auto all = of_kind(kind);
    std::erase_if(all, [&](std::size_t i) { return contestants_[i].operator_name == kPublishedOperator; });
    return all;
}

std::optional<std::size_t> PaperResults::find(ContestantKind kind, std::string_view name) const {
    for (const auto i : of_first_operator(kind)) {
        if (contestants_[i].name == name) return i;
    }
    return {};
}

std::string PaperResults::preparation_unit() const {
    for (const auto& m : matrices_) {
        for (const Result* r : m.results) {
            if (r && !r->speedups.empty() && r->preprocess_products > 0) return r->speedups.front().baseline;
        }
    }
    return "";
}

double PaperResults::preparation(const Result& result) const {
    const bool known = !result.speedups.empty() && result.speedups.front().baseline == preparation_unit();
    return known ? result.preprocess_products : 0;
}

void require_right(const PaperResults& results) {
    const auto& all = results.set().results;
    if (std::ranges::count(all, Status::wrong, &Result::status) > 0) require_right(all);  // throws
    std::vector<std::string> names;
    for (const auto& failure : results.failures()) {
        if (std::ranges::count(names, failure.matrix) == 0) names.push_back(failure.matrix);
    }
    if (names.empty()) return;
    throw Error(
        fmt::format("{} of the matrices failed, in part or as a whole: {}", names.size(), fmt::join(names, ", ")));
}

}  // namespace tilespmv::tools
