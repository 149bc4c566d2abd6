// That every operator with a model can be made: one with a wrong name or option would never be measured, nor chosen.
#include "selector/models/modelled_operators.hpp"

#include <gtest/gtest.h>

#include "kernels/auto/host_auto.hpp"
#include "kernels/registry.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

bool is_in_table(Backend backend, std::string_view name) {
    const auto all = operators<double>(backend);
    return std::ranges::count(all, name, &OperatorEntry::name) == 1;
}

TEST(ModelledOperatorsOfTheTable, AreOperators) {
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        if (operators<double>(backend).empty()) continue;  // a build without CUDA
        const bool has_library = is_in_table(backend, "cusparse-csr");
        for (const auto& one : modelled_operators(backend == Backend::cuda)) {
            if (is_baseline(one) && !has_library) continue;
            EXPECT_TRUE(is_in_table(backend, one.name)) << one.name;
        }
    }
}

TEST(ModelledOperatorsOfTheTable, HaveTheOptionForNewValuesWhereThereIsOne) {
    for (const auto& one : modelled_operators(true)) {
        if (is_baseline(one) || operators<double>(Backend::cuda).empty()) continue;
        const auto specification = specification_of(one);
        const bool has_option = one.options.find("updatable=1") != std::string_view::npos;
        const auto& info = find_operator<double>(Backend::cuda, specification);
        EXPECT_EQ(has_option, info.new_values == NewValues::with_option) << specification;
    }
}

template <Value V>
void expect_made_on_cpu() {
    const auto a = generate<V>("laplace2d:n=20");
    for (const auto& one : modelled_operators(false)) {
        const auto specification = specification_of(one);
        EXPECT_EQ(make_operator<V>(specification, a)->name(), one.name) << specification;
    }
}

TEST(ModelledOperatorsOfTheTable, AreMadeOnTheCpu) {
    expect_made_on_cpu<double>();
    expect_made_on_cpu<float>();
}

}  // namespace
}  // namespace tilespmv
