#include "kernels/source.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "formats/convert.hpp"
#include "kernels/registry.hpp"
#include "selector/paths.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tile_rows.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

constexpr const char* kFull = "block-dense:n=320,block=16,blocks_per_row=3";

TEST(Source, GivesTheFormsThatWereGivenAsTheyAre) {
    const auto csr = generate<double>("fem:n=4,dof=3");
    const auto tiles = convert(csr, *make_policy("only:coo"));
    const Source<double> all(csr, tiles);
    EXPECT_EQ(&all.csr(), &csr);
    EXPECT_EQ(&all.tiles(), &tiles);
    EXPECT_EQ(&all.row_ptrs(), &csr.row_ptrs);
    for (const Source<double>& one : {Source<double>(csr), Source<double>(tiles)}) {
        EXPECT_EQ(one.rows(), csr.rows);
        EXPECT_EQ(one.cols(), csr.cols);
        EXPECT_EQ(one.nnz(), csr.nnz());
        EXPECT_NE(one.find_csr() != nullptr, one.find_tiles() != nullptr);
        EXPECT_TRUE(one.is_on_host());
    }
}

TEST(Source, MakesEveryOtherFormOnceForAllCopies) {
    const auto csr = generate<float>(kFull);
    const auto tiles = convert(csr, *make_policy("paper"));
    const Source<float> source(tiles);
    const Source<float> copy = source;
    EXPECT_EQ(copy.csr(), csr);
    EXPECT_EQ(&copy.csr(), &source.csr());
    EXPECT_EQ(copy.find_csr(), nullptr) << "it was not given";
    const Source<float> of_csr(csr);
    EXPECT_EQ(unpack(of_csr.tiles()), csr);
    EXPECT_EQ(&Source<float>(of_csr).tiles(), &of_csr.tiles());
    EXPECT_EQ(of_csr.tiles().bytes(), convert(csr, *make_policy(kDefaultSelector)).bytes());
}

TEST(Source, OwnsWhatItIsGivenByValue) {
    const auto csr = generate<double>("laplace2d:n=20");
    auto op = make_operator<double>("csr-omp", csr.clone());
    std::vector<double> x(static_cast<std::size_t>(csr.cols), 1.0), y(x.size()), expected(x.size());
    op->apply(1, x, 0, y);
    make_operator<double>("csr-omp", csr)->apply(1, x, 0, expected);
    EXPECT_EQ(y, expected);
    EXPECT_EQ(Source<double>(convert(csr, *make_policy("paper"))).csr(), csr);
}

TEST(Source, ConvertsByAnotherSelectorWhateverTilesThereAre) {
    const auto csr = generate<double>(kFull);
    const auto tiles = convert(csr, *make_policy("only:coo"));
    for (const auto& given : {Source<double>(csr), Source<double>(tiles), Source<double>(csr, tiles)}) {
        const auto source = given.with_selector("paper");
        EXPECT_EQ(paths_by_format(source.tiles()), Paths(20, Path::dense));
        EXPECT_EQ(&source.csr(), &given.csr()) << "which is made once for both";
        EXPECT_EQ(&source.tiles(), &Source<double>(source).tiles());
    }
}

TEST(Source, MayBeAskedByManyThreads) {
    const auto csr = generate<double>("laplace2d:n=100");
    const Source<double> source(convert(csr, *make_policy("paper")));
    std::vector<const CsrMatrix<double>*> seen(8);
    std::vector<std::thread> threads;
    for (auto& one : seen) threads.emplace_back([&one, source] { one = &source.csr(); });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(seen, std::vector(8, &source.csr()));
    EXPECT_EQ(source.csr(), csr);
}

TEST(Source, FindsTheFormsThatWereGiven) {
    const auto csr = generate<double>("fem:n=4,dof=3");
    const auto tiles = convert(csr, *make_policy("bytes"));
    const Source<double> of_csr(csr);
    static_cast<void>(of_csr.tiles());
    EXPECT_EQ(of_csr.find_tiles(), nullptr) << "made, not given";
    for (const auto& both : {Source<double>(csr, tiles), Source<double>(tiles, csr)}) {
        EXPECT_EQ(both.find_csr(), &csr);
        EXPECT_EQ(both.find_tiles(), &tiles);
    }
}

TEST(Source, OfTwoMatricesIsRefused) {
    const auto csr = matrix_of(30, 50, {{0, 0}, {5, 20}});
    const auto tiles = convert(csr, *make_policy("paper"));
    for (const auto& other :
         {matrix_of(30, 50, {{0, 0}}), matrix_of(31, 50, {{0, 0}, {5, 20}}), matrix_of(30, 51, {{0, 0}, {5, 20}})}) {
        EXPECT_EQ(test::message_of([&] {
                      (void)make_operator<double>("tile-omp", {other, tiles});
                  }),
                  "1: two forms of a matrix are of different ones; their rows, columns or nonzeros differ");
    }
}

TEST(Source, InDeviceMemoryIsRefusedOnTheCpu) {
    const cuda::DeviceCsrView<double> view{.rows = 3, .cols = 5, .nnz = 2, .row_ptrs = {}};
    for (const auto& info : operators<double>(Backend::cpu)) {
        EXPECT_EQ(test::message_of([&] { (void)make_operator<double>(info.name, view); }),
                  "1: the matrix is in the memory of a GPU: an operator on the CPU needs it in that of the host")
            << info.name;
    }
}

/// The bits of a product.
std::vector<double> product_of(const Operator<double>& a) {
    std::vector<double> x(static_cast<std::size_t>(a.cols())), y(static_cast<std::size_t>(a.rows()), -1.0);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(1 + i % 7) / 4;
    a.apply(1, x, 0, y);
    return y;
}

TEST(Source, OfAnyFormMakesEveryOperatorTheSame) {
    for (const auto& [name, csr] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto tiles = convert(csr, *make_policy("paper-deferred"));
        for (const auto& info : operators<double>(Backend::cpu)) {
            if (info.name == "auto") continue;  // it takes what is stored as it is
            SCOPED_TRACE(std::string(info.name));
            const auto made = [&](const Source<double>& source) {
                return unless_refused(info, [&] { return make_operator<double>(info.name, source); });
            };
            const auto of_csr = made(csr);
            if (!of_csr || info.made_from != Form::csr) continue;
            EXPECT_EQ(product_of(*made(tiles)), product_of(*of_csr));  // its source is gone
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
