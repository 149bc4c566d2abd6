// The plan of sell that is made on a GPU, for matrices in its memory and in that of the host.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/operators/sell/device_sell_plan.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/operators/sell/naive_sell_plan.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class T>
std::vector<T> elements_of(const Buffer<T>& all) {
    return {all.begin(), all.end()};
}

void expect_naive_plan(const CsrMatrix<double>& a, const cuda::SliceLimits& limits) {
    const auto expected = naive_sell_plan({a.row_ptrs.data(), a.row_ptrs.size()}, limits);
    const auto plan = cuda::make_sell_plan_there(on_gpu(elements_of(a.row_ptrs)), limits, nullptr);
    EXPECT_EQ(on_host(plan.slices), expected.slices);
    EXPECT_EQ(on_host(plan.rows), elements_of(expected.rows));
    EXPECT_EQ(on_host(plan.empty), elements_of(expected.empty));
    EXPECT_EQ(plan.split_of, expected.split_of);
    EXPECT_EQ(plan.splits.size(), expected.splits.size());
    EXPECT_EQ(plan.steps, expected.steps);
}

void expect_naive_plans(const std::string& name, const CsrMatrix<double>& a) {
    for (const int most_steps : {1, 3, 8, 32, 200, 1024}) {
        for (const int flight : {4, 8}) {
            SCOPED_TRACE(name + ", " + std::to_string(most_steps) + " steps, " + std::to_string(flight) + " at once");
            expect_naive_plan(a, {.most_steps = most_steps, .flight = flight, .block_warps = 8});
        }
    }
}

using SellPlanThere = OnDevice;
TEST_F(SellPlanThere, IsThatOfRowAfterRow) {
    for (const auto& [name, a] : matrix_battery()) expect_naive_plans(name, a);
    // Rows of all lengths, cut ones, empty ones; many chunks of rows; slices of many kinds, which several kernels
    // write.
    for (const char* name : {"rmat:scale=16,degree=9", "arrow:n=300000", "uniform:n=20,cols=90000,per_row=20000",
                             "hypersparse:n=900000,nnz=300000", "powerlaw:n=30000,degree=200"}) {
        expect_naive_plans(name, generate<double>(name));
    }
}

using SanitizerSellPlan = OnDevice;
TEST_F(SanitizerSellPlan, IsThatOfRowAfterRow) {
    expect_naive_plans("rmat", generate<double>("rmat:scale=10,degree=30"));
    expect_naive_plans("hypersparse", generate<double>("hypersparse:n=9000,nnz=300"));
}

}  // namespace
}  // namespace tilespmv::testing
