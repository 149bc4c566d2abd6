// The routines of tile-warp against the one for formats that have none, which no format of the list reaches otherwise.
#include "tests/kernels/cuda/walked_tiles.hpp"

#include <set>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/check.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

CsrMatrix<double> matrix_of_tile(const TilePattern& p) {
    std::set<std::pair<index_t, index_t>> positions;
    for (int r = 0; r < p.rows; ++r) {
        for (int c = 0; c < p.cols; ++c) {
            if ((p.row_masks[r] >> c & 1) != 0) positions.insert({r, c});
        }
    }
    return matrix_of(p.rows, p.cols, positions);
}

using WalkedTiles = OnDevice;
TEST_F(WalkedTiles, AreMultipliedAsByTheRoutineOfTheirFormat) {
    for (const auto& [name, pattern] : tile_battery()) {
        const auto a = matrix_of_tile(pattern);
        const auto x = numbers<double>(a.cols, 1);
        const auto expected = expected_product<double>(a, 1, x, 0, {});
        for (const auto& format : formats::format_table()) {
            SCOPED_TRACE(name + ' ' + std::string(format.name));
            const auto m = convert(a, *make_policy("only:" + std::string(format.name)));
            for (const bool is_walked : {false, true}) {
                const auto check = check_product<double>(expected, multiply_tiles_by_warp(m, x, is_walked));
                EXPECT_TRUE(check.ok) << (is_walked ? "walked: " : "") << check.message();
            }
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
