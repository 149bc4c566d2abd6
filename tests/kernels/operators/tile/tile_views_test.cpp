#include "kernels/operators/tile/tile_views.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::cuda {
namespace {

/// Row, column and value of every nonzero, in that order.
std::vector<std::tuple<index_t, index_t, double>> nonzeros(const CsrMatrix<double>& a) {
    std::vector<std::tuple<index_t, index_t, double>> all;
    for (index_t row = 0; row < a.rows; ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p)
            all.emplace_back(row, a.col_idxs[p], a.values[p]);
    }
    return all;
}

TEST(TileViews, TilesAndDeferredNonzerosTogetherAreTheMatrix) {
    for (const auto& [name, csr] : testing::matrix_battery()) {
        for (const char* selector : {"paper-deferred", "bytes", "paper-adaptive", "paper-deferred:defer=256"}) {
            SCOPED_TRACE(name + ' ' + selector);
            const auto tiles = convert(csr, *make_policy(selector));
            const auto tiled = unpack(tiles_alone(tiles));
            const auto deferred = deferred_alone(tiles);
            EXPECT_NO_THROW(validate(deferred));
            EXPECT_EQ(deferred.nnz(), tiles.deferred.nnz());
            EXPECT_EQ(tiled.nnz(), csr.nnz() - deferred.nnz());
            auto both = nonzeros(tiled);
            const auto rest = nonzeros(deferred);
            both.insert(both.end(), rest.begin(), rest.end());
            std::ranges::sort(both);
            EXPECT_EQ(both, nonzeros(csr));
        }
    }
}

TEST(TileViews, ShareTheArraysOfTheMatrix) {
    const auto csr = testing::matrix_of(40, 40, {{0, 0}, {0, 1}, {20, 3}, {39, 39}});
    const auto tiles = convert(csr, *make_policy("paper-adaptive"));
    EXPECT_EQ(tiles_alone(tiles).values.data(), tiles.values.data());
    EXPECT_EQ(deferred_alone(tiles).values.data(), tiles.deferred.values.data());
}

}  // namespace
}  // namespace tilespmv::cuda
