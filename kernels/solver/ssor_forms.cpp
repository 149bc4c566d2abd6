#include "kernels/solver/ssor_forms.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/auto/machine_ranking.hpp"
#include "kernels/solver/solver_machine.hpp"
#include "selector/models/solver_model.hpp"

namespace tilespmv::solver {
namespace {

constexpr double kTooLong = std::numeric_limits<double>::infinity();
constexpr double kApplications = 1000;
/// To make a product of sparse matrices, for each pair of nonzeros that meet: measured on one thread of an Intel Xeon
/// from 5 ns of grids to 15 of elasticity and 38 of bcsstk16.
constexpr double kMakingSeconds = 20e-9;
/// By how much the time of a form over that of the factors may be less than launches and bytes say: that predicted by
/// the models of products was 0.6 to 1.1 times as much.
constexpr double kMostError = 1.7;
constexpr std::size_t kSampledRows = 256;
constexpr std::size_t kMostVisited = std::size_t{1} << 20;  ///< nonzeros of A, for a sample

enum class Side { lower, upper };

/// Counts the nonzeros of rows of products of triangles of a symmetric A without making them.
template <class T>
class RowSample {
public:
    explicit RowSample(const CsrMatrix<T>& a) : a_(a) {}

    struct Means {
        double nonzeros = 0;  ///< infinite if it takes long to count them, which many nonzeros do
        double visited = 0;   ///< nonzeros of A that lead to them
    };

    /// Of a row of U^`upper` L^`lower`, U and L the triangles with the diagonal.
    Means means_of(int upper, int lower) {
        std::size_t nonzeros = 0;
        visited_ = 0;
        for (std::size_t i = 0; i < kSampledRows; ++i) {
            if (a_.rows > 0) reached_ = {sampled_row(i)};
            for (int step = 0; step < upper; ++step) go(Side::upper);
            for (int step = 0; step < lower; ++step) go(Side::lower);
            if (visited_ > kMostVisited) return {kTooLong, kTooLong};
            nonzeros += reached_.size();
        }
        return {static_cast<double>(nonzeros) / kSampledRows, static_cast<double>(visited_) / kSampledRows};
    }

private:
    /// Steps of the golden section: spread evenly, and in step with no grid.
    [[nodiscard]] index_t sampled_row(std::size_t i) const {
        const double turns = 0.5 + 0.6180339887498949 * static_cast<double>(i);
        return static_cast<index_t>((turns - std::floor(turns)) * a_.rows);
    }

    /// From the rows that were reached to their columns on that side.
    void go(Side side) {
        next_.clear();
        for (const index_t row : reached_) {
            if (visited_ > kMostVisited) return;
            const index_t* const first = a_.col_idxs.data() + a_.row_ptrs[static_cast<std::size_t>(row)];
            const index_t* const last = a_.col_idxs.data() + a_.row_ptrs[static_cast<std::size_t>(row) + 1];
            const index_t* const diagonal = std::lower_bound(first, last, row);
            visited_ += static_cast<std::size_t>(last - first);
            next_.push_back(row);
            if (side == Side::lower) next_.insert(next_.end(), first, diagonal);
            if (side == Side::upper) next_.insert(next_.end(), diagonal, last);
        }
        std::ranges::sort(next_);
        next_.erase(std::ranges::unique(next_).begin(), next_.end());
        reached_.swap(next_);
    }

    const CsrMatrix<T>& a_;
    std::vector<index_t> reached_, next_;
    std::size_t visited_ = 0;
};

/// The form of that order with its nonzeros by a sample, and seconds to make it by the same.
template <class T>
PreconditionerForm estimate(const CsrMatrix<T>& a, std::string name, int order) {
    const bool is_whole = name == "explicit";
    const auto means = RowSample<T>(a).means_of(is_whole ? order : 0, order);
    const int matrices = is_whole ? 1 : 2;
    const double rows = a.rows, threads = std::max(1, omp_get_max_threads());
    return {.name = std::move(name),
            .products = matrices,
            .nonzeros = matrices * rows * means.nonzeros,
            .seconds = kTooLong,
            .setup_seconds = kMakingSeconds * rows * means.visited / threads};
}

/// The time to apply one form over that of another one, by launches and bytes.
template <class T>
double relative_seconds(const PreconditionerForm& form, const PreconditionerForm& other, double rows,
                        const SolverMachine& machine) {
    const auto seconds = [&](const PreconditionerForm& f) {
        constexpr int of_order_2 = 4;
        return predict_chain({.rows = rows,
                              .value_bytes = sizeof(T),
                              .products = f.products,
                              .nonzeros = f.nonzeros,
                              .diagonals = f.products == of_order_2 ? 2 : 0},
                             machine);
    };
    return seconds(form) / seconds(other);
}

/// Whether the time to make it can come back at all.
template <class T>
bool can_pay(const PreconditionerForm& form, const PreconditionerForm& factors, double rows,
             const SolverMachine& machine) {
    const double least = relative_seconds<T>(form, factors, rows, machine) / kMostError;
    return form.setup_seconds < kApplications * factors.seconds * (1 - least);
}

template <class V>
double predict(const PreconditionerParts<V>& parts, Backend backend) {
    const ProductChain one_diagonal{.rows = static_cast<double>(parts.size), .value_bytes = sizeof(V), .diagonals = 1};
    double seconds = 0;
    for (const auto& stage : parts.stages) {
        seconds += rank_on_this_machine(pattern_of(stage.matrix), backend).front().seconds;
        if (backend == Backend::cuda && !stage.diagonal.empty())
            seconds += predict_chain(one_diagonal, solver_machine(backend, sizeof(V)));
    }
    return seconds;
}

template <class V>
double nonzeros_of(const PreconditionerParts<V>& parts) {
    return std::accumulate(parts.stages.begin(), parts.stages.end(), 0.0,
                           [](double sum, const auto& stage) { return sum + static_cast<double>(stage.matrix.nnz()); });
}

template <class T>
std::shared_ptr<Preconditioner<T>> make_and_predict(PreconditionerForm& form, const CsrMatrix<T>& a, int order,
                                                    Backend backend) {
    const auto before = std::chrono::steady_clock::now();
    std::shared_ptr<Preconditioner<T>> made = make_preconditioner<T>(ssor_specification(order, form.name), a);
    form.setup_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    form.nonzeros = std::visit([](const auto& parts) { return nonzeros_of(parts); }, made->parts());
    form.seconds = std::visit([=](const auto& parts) { return predict(parts, backend); }, made->parts());
    return made;
}

}  // namespace

double whole_seconds(const PreconditionerForm& form) { return form.setup_seconds + kApplications * form.seconds; }

std::string ssor_specification(int order, std::string_view form) {
    return fmt::format("ssor-ai:order={}{}", order, form == "factors" ? "" : fmt::format(",form={}", form));
}

template <class T>
SsorForms<T> rank_ssor_forms(const CsrMatrix<T>& a, int order, Backend backend) {
    SsorForms<T> ranked{{{.name = "factors", .products = 2 * order}}, nullptr};
    auto& forms = ranked.forms;
    ranked.made = make_and_predict(forms.front(), a, order, backend);
    if (order == 2) forms.push_back(estimate(a, "pair", order));
    forms.push_back(estimate(a, "explicit", order));
    const auto machine = solver_machine(backend, sizeof(T));
    double least = whole_seconds(forms.front());
    for (std::size_t i = 1; i < forms.size(); ++i) {
        if (!can_pay<T>(forms[i], forms.front(), a.rows, machine)) continue;
        auto made = make_and_predict(forms[i], a, order, backend);
        if (whole_seconds(forms[i]) >= least) continue;
        least = whole_seconds(forms[i]);
        ranked.made = std::move(made);
    }
    std::ranges::stable_sort(forms, {}, whole_seconds);
    return ranked;
}

template SsorForms<double> rank_ssor_forms(const CsrMatrix<double>&, int, Backend);
template SsorForms<float> rank_ssor_forms(const CsrMatrix<float>&, int, Backend);

}  // namespace tilespmv::solver
