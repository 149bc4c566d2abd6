#include "kernels/solver/ssor_forms.hpp"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/auto/machine_ranking.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using ::testing::HasSubstr;

const PreconditionerForm& named(const std::vector<PreconditionerForm>& forms, std::string_view name) {
    return *std::ranges::find(forms, name, &PreconditionerForm::name);
}

/// Nonzeros and predicted seconds of the matrices of a preconditioner.
struct Applied {
    double nonzeros = 0, seconds = 0;
    int products = 0;
};
Applied applied(const CsrMatrix<double>& a, const std::string& specification) {
    const auto made = make_preconditioner<double>(specification, a);
    Applied all;
    for (const auto& stage : std::get<PreconditionerParts<double>>(made->parts()).stages) {
        all.nonzeros += static_cast<double>(stage.matrix.nnz());
        all.seconds += rank_on_this_machine(pattern_of(stage.matrix), Backend::cpu).front().seconds;
        ++all.products;
    }
    return all;
}

TEST(SsorForms, AreThoseOfTheSamePreconditionerByPredictedTimes) {
    const auto a = generate<double>("laplace2d:n=30");
    for (const int order : {1, 2}) {
        const auto forms = rank_ssor_forms(a, order, Backend::cpu).forms;
        ASSERT_EQ(forms.size(), order == 1 ? 2U : 3U);
        for (const auto& form : forms) {
            SCOPED_TRACE(ssor_specification(order, form.name));
            const auto expected = applied(a, ssor_specification(order, form.name));
            EXPECT_EQ(form.nonzeros, expected.nonzeros);
            EXPECT_EQ(form.products, expected.products);
            EXPECT_DOUBLE_EQ(form.seconds, expected.seconds);
            EXPECT_GT(form.setup_seconds, 0);
        }
        EXPECT_TRUE(std::ranges::is_sorted(forms, {},
                                           [](const auto& form) { return form.setup_seconds + 1000 * form.seconds; }));
        // A fifth more nonzeros, or as many, in one pass over rows and vectors instead of two or four.
        EXPECT_LT(named(forms, "explicit").seconds, named(forms, "factors").seconds);
    }
}

TEST(SsorForms, OfManyNonzerosAreCountedBySampleAndNotMade) {
    const auto a = generate<double>("stencil27:n=16");
    for (const int order : {1, 2}) {
        const auto forms = rank_ssor_forms(a, order, Backend::cpu).forms;
        EXPECT_EQ(forms.front().name, "factors");
        const auto& more = named(forms, order == 1 ? "explicit" : "pair");
        EXPECT_TRUE(std::isinf(more.seconds));
        const double actual = applied(a, ssor_specification(order, more.name)).nonzeros;
        EXPECT_NEAR(more.nonzeros, actual, 0.1 * actual);
        EXPECT_GT(applied(a, ssor_specification(order, more.name)).seconds, forms.front().seconds);
    }
}

// 1,500 nonzeros in each row and column: to count those of a product would take as long as to make it.
TEST(SsorForms, OfRowsThatTakeLongToCountAreNotMade) {
    std::map<std::pair<index_t, index_t>, double> entries;
    constexpr index_t size = 1500;
    for (index_t row = 0; row < size; ++row) {
        for (index_t col = 0; col < size; ++col)
            entries.emplace_hint(entries.end(), std::pair(row, col), row == col ? size : 0.5);
    }
    const auto forms = rank_ssor_forms(matrix_of_entries(size, entries), 2, Backend::cpu).forms;
    EXPECT_EQ(forms.front().name, "factors");
    EXPECT_TRUE(std::isinf(forms.back().nonzeros));
}

TEST(SsorForms, TheFirstOneIsTried) {
    for (const auto* system : {"laplace2d:n=30", "stencil27:n=8"}) {
        const auto a = generate<double>(system);
        const auto choice = choose_preconditioner<double>(a, {});
        for (const auto& trial : choice.trials) {
            const bool has_forms = trial.specification.starts_with("ssor-ai");
            ASSERT_EQ(!trial.forms.empty(), has_forms) << trial.specification;
            if (!has_forms) continue;
            const int order = trial.specification.find("order=1") != std::string::npos ? 1 : 2;
            EXPECT_EQ(trial.specification, ssor_specification(order, trial.forms.front().name));
        }
    }
}

/// All values of the matrices of M.
std::vector<double> values_of(const Preconditioner<double>& m) {
    std::vector<double> all;
    for (const auto& stage : std::get<PreconditionerParts<double>>(m.parts()).stages)
        all.insert(all.end(), stage.matrix.values.begin(), stage.matrix.values.end());
    return all;
}

TEST(SsorForms, TheFirstOneComesMadeAndIsNotMadeAgain) {
    const auto a = generate<double>("laplace2d:n=30");
    for (const int order : {1, 2}) {
        const auto ranked = rank_ssor_forms(a, order, Backend::cpu);
        const auto expected = make_preconditioner<double>(ssor_specification(order, ranked.forms.front().name), a);
        EXPECT_EQ(values_of(*ranked.made), values_of(*expected));
    }
    const auto candidates = preconditioner_candidates(a, Backend::cpu);
    const auto choice = choose_preconditioner<double>(a, {}, {}, candidates);
    for (const std::size_t i : {candidates.size() - 2, candidates.size() - 1}) {
        ASSERT_TRUE(candidates[i].made);
        EXPECT_EQ(choice.trials[i].setup_seconds, candidates[i].forms.front().setup_seconds);
    }
}

TEST(SsorForms, ThereAreNoneOfAMatrixWithoutAPositiveDiagonal) {
    auto a = generate<double>("laplace2d:n=5");
    for (double& value : a.values) value = -value;
    EXPECT_THAT(test::message_of([&] { rank_ssor_forms(a, 1, Backend::cpu); }), HasSubstr("positive diagonal"));
    const auto candidates = preconditioner_candidates(a, Backend::cpu);
    EXPECT_EQ(candidates.back().specification, "ssor-ai:order=2");
    EXPECT_TRUE(candidates.back().forms.empty());
}

}  // namespace
}  // namespace tilespmv::testing
