// The whole text of every error of operators on the host and of the check of a result.
#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/operator.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv {
namespace {

using test::message_of;

template <Value V = double>
std::string chosen(const std::string& specification, std::optional<Accumulator> accumulator = {}) {
    return message_of([&] { choose_operator<V>(Backend::cpu, specification, accumulator); });
}

TEST(KernelMessages, Names) {
    const std::string known = "; for the CPU there are " + test::cpu_operator_names();
    EXPECT_EQ(chosen("magic"), "2: unknown operator 'magic'" + known);
    EXPECT_EQ(chosen(""), "2: unknown operator ''" + known);
    EXPECT_EQ(chosen<float>("csr"), "2: unknown operator 'csr'" + known);
    EXPECT_EQ(chosen("csr-omp:a=1"), "2: operator 'csr-omp:a=1': no option 'a'; it takes none");
    EXPECT_EQ(chosen("csr-omp:a"), "2: operator 'csr-omp:a': found 'a', expected option=value");
    EXPECT_EQ(message_of([] { find_operator<double>(Backend::cpu, "magic"); }), "2: unknown operator 'magic'" + known);
}

/// Where there is no GPU, another device would not help.
TEST(KernelMessages, NamesOfTheOtherDevice) {
    const std::string why = message_of([] { (void)cuda::require_device(); });
    const auto of_gpu = [&](const std::string& name) {
        const auto here = fmt::format("operator '{}' runs on ", name);
        return why == "0: " ? "2: " + here + "the GPU: give --device cuda" : "4: " + here + "a GPU: " + why.substr(3);
    };
    for (const char* name : {"csr-merge", "csr-vector", "tile", "sell", "dia"}) EXPECT_EQ(chosen(name), of_gpu(name));
    EXPECT_EQ(chosen<float>("hyb:a=1"), of_gpu("hyb"));
    EXPECT_EQ(message_of([] { find_operator<double>(Backend::cuda, "csr-omp"); }),
              "2: operator 'csr-omp' runs on the CPU: give --device cpu");
}

/// The names that are known without a GPU are those of the operators of a build with one.
TEST(KernelMessages, EveryOperatorOfTheGpuIsKnownWithoutOne) {
    EXPECT_FALSE(is_operator_name<double>(Backend::cuda, "csr-omp"));
    EXPECT_FALSE(is_operator_name<double>(Backend::cpu, "csr-merge"));
    for (const auto name : gpu_operator_names()) EXPECT_TRUE(is_operator_name<Half>(Backend::cuda, name)) << name;
    const auto here = operators<double>(Backend::cuda);
    if (here.empty()) GTEST_SKIP() << "this build has no operators for the GPU";
    auto names = gpu_operator_names();
    const bool has_cusparse = std::ranges::count(here, "cusparse-csr", &OperatorEntry::name) > 0;
    if (!has_cusparse) std::erase_if(names, [](std::string_view name) { return name.starts_with("cusparse"); });
    std::vector<std::string_view> names_here;
    for (const auto& info : here) names_here.push_back(info.name);
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(names_here));
}

TEST(KernelMessages, Types) {
    EXPECT_EQ(chosen("csr-omp", Accumulator::float32), "2: operators of the CPU accumulate in float64 only");
    EXPECT_EQ(chosen("csr-omp", Accumulator::float64), "0: ");
    EXPECT_EQ(chosen<Half>("csr-omp"), "2: products of float16 values need a GPU: give --device cuda");
    EXPECT_EQ(chosen<Bfloat16>("csr-omp"), "2: products of bfloat16 values need a GPU: give --device cuda");
    EXPECT_EQ(message_of([] { require_values<Bfloat16>(Backend::cuda); }), "0: ");
}

TEST(KernelMessages, Checks) {
    EXPECT_EQ((CheckResult{.ok = true, .row = 7, .ratio = 0.256, .expected = 1, .found = 2}.message()),
              "right: largest error 0.26 of its bound (row 7)");
    EXPECT_EQ((CheckResult{.ok = false, .row = 12, .ratio = 1234.5, .expected = 1.5, .found = -2.25}.message()),
              "wrong: row 12 is -2.25, expected 1.5, error 1.23e+03 times its bound");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ((CheckResult{.ok = false, .row = 0, .ratio = infinity, .expected = 1, .found = infinity}.message()),
              "wrong: row 0 is inf, expected 1, error inf times its bound");
}

}  // namespace
}  // namespace tilespmv
