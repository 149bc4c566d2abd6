// That what rules choose can be made: one with a wrong name or option would be found out by its first user.
#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/auto/make_first.hpp"
#include "kernels/registry.hpp"
#include "selector/auto/cost_table.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

std::string specification_of(const Candidate& one) {
    return std::string(one.name) + (one.options.empty() ? "" : ":" + std::string(one.options));
}

TEST(Candidates, HaveTheOptionForNewValuesWhereThereIsOne) {
    if (operators<double>(Backend::cuda).empty()) GTEST_SKIP() << "a build without CUDA";
    for (const Candidate& one : gpu_costs().candidates) {
        const auto& info = find_operator<double>(Backend::cuda, specification_of(one));
        EXPECT_EQ(one.options == "updatable=1", info.new_values == NewValues::with_option) << specification_of(one);
    }
}

template <Value V>
void expect_made_on_cpu() {
    const auto a = generate<V>("laplace2d:n=20");
    for (const Candidate& one : cpu_costs().candidates) {
        EXPECT_EQ(make_operator<V>(specification_of(one), a)->name(), one.name);
    }
}

TEST(Candidates, AreMadeOnTheCpu) {
    expect_made_on_cpu<double>();
    expect_made_on_cpu<float>();
}

/// One that has none is known, so that its name is not another's, and rules pass over it.
TEST(Candidates, AreOperatorsWithCosts) {
    for (const bool on_gpu : {false, true}) {
        const auto candidates = on_gpu ? gpu_costs().candidates : cpu_costs().candidates;
        for (const KnownOperator& one : known_operators(on_gpu)) {
            EXPECT_EQ(std::ranges::count(candidates, one.name, &Candidate::name) > 0, !one.costs.empty()) << one.name;
        }
    }
}

TEST(MakeFirst, PassesOverRefusals) {
    const std::vector<RankedOperator> ranked{{"refused"}, {"second"}, {"third"}};
    const auto made = [&](std::size_t count, const std::string& refused) {
        return make_first(std::span(ranked).first(count), [&](const std::string& specification) {
            if (specification.ends_with(refused)) throw Refusal("too large: " + specification);
            return specification;
        });
    };
    EXPECT_EQ(made(3, "refused"), "second");
    EXPECT_EQ(made(3, "nothing"), "refused");
    EXPECT_EQ(test::message_of([&] { made(1, "refused"); }), "1: too large: refused");
    EXPECT_EQ(
        test::message_of([&] { make_first(ranked, [](const std::string&) -> int { throw Error("no memory"); }); }),
        "1: no memory");
}

}  // namespace
}  // namespace tilespmv
