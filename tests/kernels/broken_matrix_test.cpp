// Matrices whose arrays do not fit each other, above all those that were moved from: whatever takes a matrix refuses
// them, in one line.
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "kernels/check.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/archive/archive.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/statistics.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::StartsWith;

constexpr const char* kSample = "laplace2d:n=10";

/// A matrix in every form, in two states: whole, and after its arrays were moved away.
class MovedMatrix : public ::testing::Test {
protected:
    MovedMatrix()
        : csr_(generate<double>(kSample)),
          tiles_(convert(csr_, *make_policy(kDefaultSelector))),
          whole_csr_(std::move(csr_)),
          whole_tiles_(std::move(tiles_)) {}

    /// The operator of each name in turn that takes one of these forms.
    template <class M>
    void expect_no_operator(const M& form, std::string_view message) {
        for (const auto& info : operators<double>(Backend::cpu)) {
            EXPECT_THAT(test::message_of([&] { make_operator<double>(info.name, form); }), StartsWith(message))
                << info.name;
        }
    }

    CsrMatrix<double> csr_;
    TileMatrix<double> tiles_;
    CsrMatrix<double> whole_csr_;
    TileMatrix<double> whole_tiles_;
};

constexpr std::string_view kBrokenCsr = "1: CSR: row_ptrs has 0 entries, expected rows + 1";
constexpr std::string_view kBrokenTiles = "1: tile_ptrs has 0 entries, expected one more than 0 tile rows";

TEST_F(MovedMatrix, NoOperatorIsMadeOfIt) {
    expect_no_operator(csr_, kBrokenCsr);
    expect_no_operator(tiles_, kBrokenTiles);
}

TEST_F(MovedMatrix, NothingElseTakesItsCsr) {
    const test::TemporaryDirectory folder;
    const std::vector<double> x(static_cast<std::size_t>(csr_.cols));
    const std::vector<std::function<void()>> entries{
        [&] { convert(csr_, *make_policy(kDefaultSelector)); },
        [&] { convert_values<float>(csr_); },
        [&] { ValueMap(csr_, whole_tiles_); },
        [&] { matrix_statistics(csr_); },
        [&] { write_matrix_market(folder.path() / "A.mtx", csr_); },
        [&] { expected_product<double>(csr_, 1, x, 0, {}); },
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
        EXPECT_THAT(test::message_of(entries[i]), StartsWith(kBrokenCsr)) << "entry " << i;
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "A.mtx"));
}

TEST_F(MovedMatrix, NothingElseTakesItsTiles) {
    const test::TemporaryDirectory folder;
    const auto formats = formats::format_table();
    const std::vector<std::function<void()>> of_tiles{
        [&] { unpack(tiles_); },
        [&] { ValueMap(whole_csr_, tiles_); },
        [&] { tiled_statistics(tiles_, formats); },
        [&] { write_archive(folder.path() / "A.tsp", tiles_, formats); },
    };
    for (std::size_t i = 0; i < of_tiles.size(); ++i) {
        EXPECT_THAT(test::message_of(of_tiles[i]), StartsWith(kBrokenTiles)) << "entry " << i;
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "A.tsp"));
}

TEST(BrokenCsrForms, RowPointersAndValuesAreChecked) {
    const auto message = [](CsrMatrix<double> a) {
        return test::message_of([&] { make_operator<double>("csr-omp", a); });
    };
    auto a = generate<double>(kSample);
    a.row_ptrs[3] = a.nnz() + 1;
    EXPECT_THAT(message(std::move(a)), StartsWith("1: CSR: row_ptrs descends"));
    auto b = generate<double>(kSample);
    b.values.truncate(b.values.size() - 1);
    EXPECT_THAT(message(std::move(b)), StartsWith("1: CSR: "));
}

}  // namespace
}  // namespace tilespmv::testing
