#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/harness/cpu_device.hpp"
#include "kernels/registry.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tools/tune/benchmark_set.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/matrix_loader.hpp"
#include "tools/tune/tune.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::Contains;
using ::testing::Not;

/// The processor, measured hastily.
class CpuTuneTest : public ::testing::Test {
protected:
    bench::CpuDevice device;
    std::unique_ptr<bench::Measurer> measurer =
        bench::make_device_measurer(device, {.seconds = 2e-5, .stretches = 3}, matrix_loader());
};

TEST_F(CpuTuneTest, MeasuresEveryOperatorThatIsRegistered) {
    const auto all = measurer->operators("float64");
    for (const OperatorEntry& entry : operators<double>(Backend::cpu)) {
        if (entry.name == "auto" || entry.name == "reference") {
            EXPECT_THAT(all, Not(Contains(entry.name)));
        } else {
            EXPECT_THAT(all, Contains(entry.name));
        }
    }
}

TEST_F(CpuTuneTest, RefusesValuesThatItDoesNotMultiply) {
    for (const char* values : {"float16", "bfloat16"}) {
        const std::string expected = fmt::format("2: products of {} values need a GPU: give --device cuda", values);
        EXPECT_EQ(test::message_of([&] { static_cast<void>(measurer->operators(values)); }), expected);
        EXPECT_EQ(test::message_of([&] { static_cast<void>(measurer->sum_bytes(values)); }), expected);
    }
    EXPECT_EQ(test::message_of([&] { static_cast<void>(measurer->sum_bytes("int8")); }),
              "2: values int8 are not tuned for; there are float64, float32, float16, bfloat16");
}

TEST(MatrixLoader, FillsFilesWithoutValuesRandomly) {
    const test::TemporaryDirectory folder;
    const auto load = [&](const char* field, const char* value) {
        const auto text =
            fmt::format("%%MatrixMarket matrix coordinate {} general\n2 2 2\n1 1{}\n2 2{}\n", field, value, value);
        const auto file = folder.file(fmt::format("{}.mtx", field), text).string();
        const auto wide = matrix_loader().float64(file);
        const auto narrow = matrix_loader().float32(file);
        EXPECT_EQ(static_cast<float>(wide.values[0]), narrow.values[0]);
        EXPECT_EQ(matrix_loader().float16(file).values[0], Half(narrow.values[0]));
        EXPECT_EQ(matrix_loader().bfloat16(file).values[0], Bfloat16(narrow.values[0]));
        return std::pair(wide.values[0], wide.values[1]);
    };
    const auto [first, second] = load("pattern", "");
    EXPECT_NE(first, second);
    EXPECT_LE(std::max(std::abs(first), std::abs(second)), 1);
    EXPECT_EQ(load("real", " 1"), std::pair(1.0, 1.0));
}

TEST_F(CpuTuneTest, MakesAProfileByWhichOperatorsAreChosen) {
    const test::TemporaryDirectory folder;
    TuneOptions options{
        .file = folder.path() / "cpu.json", .set = "tiny", .sources = find_benchmark_set("tiny").sources};
    options.values = {"float64", "float32"};
    const TuneOutcome outcome = tune(*measurer, options);
    const Profile& profile = outcome.profile;
    EXPECT_EQ(outcome.left, 0);
    EXPECT_FALSE(profile.probe.is_gpu);
    EXPECT_GT(profile.probe.read_rate, 1e9);
    EXPECT_GE(profile.probe.cache_rate, profile.probe.read_rate);
    EXPECT_EQ(profile.matrices.size(), 2 * options.sources.size());
    for (const auto& m : profile.matrices) {
        for (const auto& product : m.products) {
            if (!product.error.empty()) continue;
            EXPECT_GT(product.seconds, 1e-8) << product.specification << " on " << m.name;
            EXPECT_LT(product.seconds, 1) << product.specification << " on " << m.name;
        }
    }
    EXPECT_FALSE(profile.models.empty());
    EXPECT_EQ(read_profile(options.file), profile);
    const auto ranked = rank_operators(question_on(profile.probe, profile.matrices[3].features), profile);
    ASSERT_GE(ranked.size(), 3U) << "27-point 14^3, large enough to be converted";
    EXPECT_GT(ranked.front().seconds, 0);
    const CheckOutcome checked = check(*measurer, profile, {.sources = {"gen:stencil27:n=12"}});
    EXPECT_EQ(checked.summary.matrices, 1);
    EXPECT_TRUE(checked.errors.empty());
    EXPECT_EQ(tune(*measurer, options).measured, 0) << "all of it is there";
}

}  // namespace
}  // namespace tilespmv::tools
