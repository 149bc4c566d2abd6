// Options and errors of the operators on CSR; nothing here needs a GPU.
#include <gmock/gmock.h>

#include <algorithm>

#if __has_include(<cusparse.h>)
#include "kernels/published/cusparse/cusparse.hpp"
#endif
#include "kernels/cuda/device_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class V>
void expect_usage_error(const char* specification, Accumulator accumulator, const char* text) {
    const auto csr = convert_values<V>(matrix_of(20, 30, {{0, 0}, {19, 29}}));
    EXPECT_THAT(
        test::message_of([&] { (void)cuda::make_device_operator<V>(specification, csr, accumulator, nullptr); }),
        AllOf(StartsWith("2: "), HasSubstr(text)))
        << specification;
}

TEST(BaselineOptions, RefuseWhatTheyAreNot) {
    const auto refused = [](const char* specification, const char* text) {
        expect_usage_error<double>(specification, Accumulator::float64, text);
    };
    refused("csr-scalar:threads=2", "no option 'threads'; it takes none");
    refused("csr-vector:threads=3", "expected one of 2, 4, 8, 16, 32");
    refused("csr-vector:group=2", "no option 'group'; it takes threads, rule, flight");
    refused("csr-vector:flight=2", "expected one of 1, 4, 8");
    refused("csr-vector:rule=median", "rule=median, expected mean or rows");
    refused("csr-vector:rule=mean,threads=4", "threads are either given or chosen by a rule");
    refused("csr-merge:items=7", "expected one of 4, 8, 12");
    refused("csr5:sigma=32", "expected one of 4, 8, 16");
    refused("csr5:omega=32", "no option 'omega'; it takes sigma");
    refused("sell:hub=4", "no option 'hub'; it takes steps");
    refused("sell:steps=0", "steps=0, expected a whole number from 1");
    refused("sell:steps=1025", "steps=1025, expected a whole number from 1 to 1024");
    refused("csr-inode:rows=7", "expected one of 2, 3, 4, 5, 6");
    refused("csr-inode:threads=4", "expected one of 8, 16, 32");
    refused("csr-inode:row=2", "no option 'row'; it takes rows, threads, flight");
}

bool has_cusparse() {
    return std::ranges::count(operators<double>(Backend::cuda), "cusparse-csr", &OperatorInfo<double>::name) > 0;
}

TEST(CusparseOptions, RefuseWhatTheyAreNot) {
    if (!has_cusparse()) GTEST_SKIP() << "this build has no cuSPARSE";
    const auto refused = [](const char* specification, const char* text) {
        expect_usage_error<double>(specification, Accumulator::float64, text);
    };
    refused("cusparse-csr:alg=3", "expected one of 1, 2");
    refused("cusparse-coo:order=row", "no option 'order'; it takes alg");
    refused("cusparse-sell:slice=16", "expected one of 32");
    refused("cusparse-bsr:block=3", "expected one of 2, 4, 8, 16");
    refused("cusparse-bsr:order=diagonal", "expected row or col");
}

TEST(CusparseAccumulators, AreTheTypeOfTheValues) {
    if (!has_cusparse()) GTEST_SKIP() << "this build has no cuSPARSE";
    for (const char* name : {"cusparse-csr", "cusparse-coo", "cusparse-sell", "cusparse-bsr"}) {
        expect_usage_error<float>(name, Accumulator::float64, "cuSPARSE accumulates values of float32 in float32 only");
        expect_usage_error<double>(name, Accumulator::float32, "float64 in float64 only");
        EXPECT_EQ(default_accumulator(find_operator<float>(Backend::cuda, name)), Accumulator::float32);
        EXPECT_EQ(default_accumulator(find_operator<double>(Backend::cuda, name)), Accumulator::float64);
    }
    EXPECT_EQ(default_accumulator(find_operator<float>(Backend::cuda, "csr-vector")), Accumulator::float64);
}

TEST(BaselineAccumulators, AreNotNarrowerThanTheValues) {
    for (const char* name : {"csr-scalar", "csr-vector", "csr-merge", "csr5", "sell", "csr-inode"}) {
        expect_usage_error<double>(name, Accumulator::float32, "float64 cannot be accumulated in float32");
    }
}

#if __has_include(<cusparse.h>)
TEST(CusparseErrors, CarryTheExpressionThePlaceAndTheText) {
    EXPECT_NO_THROW(cuda::check(CUSPARSE_STATUS_SUCCESS, "f(x)", "a.cu", 7));
    EXPECT_THAT(test::message_of([] { cuda::check(CUSPARSE_STATUS_NOT_SUPPORTED, "f(x)", "a.cu", 7); }),
                AllOf(StartsWith("1: a.cu:7: f(x): "), HasSubstr("not supported")));
}
#endif

}  // namespace
}  // namespace tilespmv::testing
