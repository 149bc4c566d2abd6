#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "selector/policy.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

using test::message_of;
using ::testing::StartsWith;

template <Value V>
void expect_right(const CsrMatrix<V>& csr, const Operator<V>& a) {
    const std::vector<V> x(static_cast<std::size_t>(csr.cols), V(0.5));
    std::vector<V> y(static_cast<std::size_t>(csr.rows));
    a.apply(V(1), x, V(0), y);
    const auto result = check_product<V>(expected_product<V>(csr, 1, x, 0, {}), y);
    EXPECT_TRUE(result.ok) << result.message();
}

/// Tiles multiply it fastest with the vectors of any processor.
constexpr const char* kBlocks = "block-dense:n=5000,block=16,blocks_per_row=8";

TEST(HostAuto, TakesAndOwnsTilesWhereTheyPay) {
    const auto csr = generate<double>(kBlocks);
    const auto a = make_operator<double>("auto", csr);
    EXPECT_EQ(a->name(), "tile-omp");
    EXPECT_EQ(a->nnz(), csr.nnz());
    EXPECT_EQ(a->executed().front().representation, "tiles");
    expect_right(csr, *a);
}

TEST(HostAuto, TakesTheTilesThatAreThere) {
    const auto csr = generate<double>(kBlocks);
    const auto tiles = convert(csr, *make_policy("only:coo"));
    const auto a = make_operator<double>("auto:products=1", {csr, tiles});
    EXPECT_EQ(a->name(), "tile-omp");
    EXPECT_EQ(a->executed().front().format, "coo");
    expect_right(csr, *make_operator<double>("auto", tiles));
}

TEST(HostAuto, IsTheDefaultAndSaysWhatItTook) {
    const auto csr = generate<double>(kBlocks);
    EXPECT_EQ(make_operator<double>(csr)->specification(), "tile-omp") << "which it converts for";
    EXPECT_EQ(make_operator<double>("auto:products=1", csr)->specification(), "csr-omp");
    EXPECT_EQ(make_operator<double>("auto:columns=1", csr)->specification(), "tile-omp");
    EXPECT_EQ(make_operator<double>("auto:columns=2", csr)->specification(), "csr-omp") << "reads A once";
}

TEST(HostAuto, ChoosesByTheVectorsInUse) {
    const auto csr = generate<double>("uniform:n=20000,per_row=6");
    for (const auto& set : cpu::vector_sets()) {
        cpu::hold_vectors(set);
        EXPECT_EQ(make_operator<double>("auto", csr)->name(), cpu::vector_lanes() == 8 ? "ell-omp" : "csr-omp") << set;
    }
    cpu::hold_vectors(cpu::vector_sets().front());
}

TEST(HostAuto, ConvertsNothingForOneProductOrScatteredMatrices) {
    const auto grid = generate<float>("fem:n=8,dof=6");
    EXPECT_EQ(make_operator<float>("auto:products=1", grid)->name(), "csr-omp");
    const auto scattered = generate<float>("rmat:scale=14,degree=16");
    const auto a = make_operator<float>("auto", scattered);
    EXPECT_EQ(a->name(), "csr-omp");
    expect_right(scattered, *a);
}

TEST(HostAuto, ChoosesTheSameWhateverTheNumberOfThreads) {
    const auto csr = generate<double>("laplace2d:n=100");
    for (const char* specification : {"auto", "auto:products=5", "auto:products=50", "auto:products=500"}) {
        const auto name = [&] { return std::string(make_operator<double>(specification, csr)->name()); };
        EXPECT_EQ(test::with_threads(16, name), test::with_threads(1, name));
    }
}

TEST(HostAuto, MultipliesTilesAloneAsTheyAre) {
    const auto tiles = convert(generate<double>("fem:n=4,dof=3"), *make_policy("bytes"));
    EXPECT_EQ(make_operator<double>("auto:products=10", tiles)->name(), "tile-omp");
}

TEST(HostAuto, RefusesWrongOptionsBeforeThereIsAMatrix) {
    const auto message = [](const char* specification) {
        return message_of([&] { (void)choose_operator<double>(Backend::cpu, specification); });
    };
    EXPECT_EQ(message("auto:products=10,columns=2"), "0: ");
    EXPECT_THAT(message("auto:columns=0"), StartsWith("2: operator 'auto:columns=0': columns=0, expected"));
    EXPECT_THAT(message("auto:products=-1"), StartsWith("2: operator 'auto:products=-1': products=-1, expected"));
    EXPECT_THAT(message("auto:any=1"), StartsWith("2: "));
}

}  // namespace
}  // namespace tilespmv
