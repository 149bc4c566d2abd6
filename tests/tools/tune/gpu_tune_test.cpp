#include <gtest/gtest.h>

#include "bench/harness/cuda_device.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tools/tune/benchmark_set.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/matrix_loader.hpp"
#include "tools/tune/tune.hpp"

namespace tilespmv::tools {
namespace {

/// Skips, visibly, on machines without an available GPU.
class GpuTuneTest : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            device = bench::make_cuda_device();
        } catch (const Error& error) {
            if (error.code() != ExitCode::unavailable) throw;
            GTEST_SKIP() << error.what();
        }
        measurer = bench::make_device_measurer(*device, {.seconds = 5e-5, .stretches = 3}, matrix_loader());
        options.file = folder.path() / "gpu.json";
        options.sources = find_benchmark_set("tiny").sources;
    }

    test::TemporaryDirectory folder;
    std::unique_ptr<bench::Device> device;
    std::unique_ptr<bench::Measurer> measurer;
    TuneOptions options;
};

TEST_F(GpuTuneTest, MakesAProfileOfOperators) {
    for (const char* name : {"csr16", "csr-merge", "csr-vector"}) {
        options.only = name;
        tune(*measurer, options);
    }
    const Profile profile = read_profile(options.file);
    for (const auto& m : profile.matrices) {
        EXPECT_EQ(m.products.size(), 2U + 6) << "csr-vector by itself and with 2 to 32 threads";
        for (const auto& product : m.products) {
            EXPECT_EQ(product.error, "") << product.specification << " on " << m.name;
            EXPECT_GT(product.seconds, 5e-7) << product.specification << " on " << m.name;
            EXPECT_LT(product.seconds, 1e-3) << product.specification << " on " << m.name;
        }
    }
    const auto ranked = rank_operators(question_on(profile.probe, profile.matrices[0].features), profile);
    EXPECT_EQ(ranked.size(), 8U);
    const auto checked = check(*measurer, profile, {.sources = {"gen:stencil27:n=12"}});
    EXPECT_EQ(checked.summary.matrices, 1);
    EXPECT_GT(checked.summary.accuracy, 0.3);
}

TEST_F(GpuTuneTest, ModelsOperatorsOn16BitValues) {
    options.values = {"float16"};
    for (const char* name : {"csr16", "csr-merge"}) {
        options.only = name;
        tune(*measurer, options);
    }
    const Profile profile = read_profile(options.file);
    ASSERT_EQ(profile.models.size(), 2U);
    for (const auto& model : profile.models) EXPECT_EQ(model.sizes, (NumberSizes{2, 4}));
    for (const auto& m : profile.matrices) {
        for (const auto& product : m.products) {
            EXPECT_EQ(product.error, "") << product.specification << " on " << m.name;
            EXPECT_GT(product.seconds, 5e-7) << product.specification << " on " << m.name;
        }
    }
    const auto checked = check(*measurer, profile, {.sources = {"gen:stencil27:n=12"}, .values = "bfloat16"});
    EXPECT_EQ(checked.summary.matrices, 1);
    EXPECT_GT(checked.summary.accuracy, 0.3) << "the other type of as many bytes";
}

TEST_F(GpuTuneTest, MeasuresEveryOperatorOn16BitValues) {
    for (const char* values : {"float16", "bfloat16"}) {
        const auto matrix = measurer->matrix(values, "gen:stencil27:n=12");
        EXPECT_EQ(matrix->features().sizes(), (NumberSizes{2, 4}));
        for (const auto& one : measurer->operators(values)) EXPECT_GT(matrix->seconds(one), 5e-7) << one;
    }
}

}  // namespace
}  // namespace tilespmv::tools
