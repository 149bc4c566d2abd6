#include "kernels/operators/sell_spmm/piece_slices.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::kLengthStep;
using cuda::kSlicePieces;
using cuda::PieceSlices;

std::vector<NamedMatrix> matrices() {
    auto all = matrix_battery();
    all.push_back({"power law", generate<double>("powerlaw:n=20000,degree=20")});
    all.push_back({"five unknowns a node", generate<double>("fem:n=6,dof=5")});
    return all;
}

std::span<const offset_t> ptrs_of(const CsrMatrix<double>& a) { return {a.row_ptrs.data(), a.row_ptrs.size()}; }

std::span<const index_t> cols_of(const CsrMatrix<double>& a) { return {a.col_idxs.data(), a.col_idxs.size()}; }

cuda::RowGroups groups_of(const CsrMatrix<double>& a, int most_rows) {
    return cuda::group_rows(ptrs_of(a), cols_of(a), sizeof(double), most_rows);
}

template <class Check>
void for_each_plan(Check&& check) {
    for (const auto& [name, a] : matrices()) {
        for (const int rows : {1, 2, 5}) {
            for (const int steps : {1, 7, 32, 1024}) {
                SCOPED_TRACE(name + ", " + std::to_string(steps) + " steps, " + std::to_string(rows) + " rows");
                check(a, steps, cuda::slice_pieces(ptrs_of(a), steps, groups_of(a, rows)));
            }
        }
    }
}

TEST(PieceSlices, GroupRowsOfSmallMatricesWhereANumberIsGiven) {
    const std::vector<offset_t> row_ptrs{0, 1, 2, 4};
    const std::vector<index_t> cols{3, 3, 0, 1};
    const auto groups = [&](int most_rows) { return cuda::group_rows(row_ptrs, cols, sizeof(double), most_rows); };
    EXPECT_EQ(groups(2).first_rows, (std::vector<index_t>{0, 2, 3}));
    EXPECT_EQ(groups(2).most_rows, 2);
    EXPECT_TRUE(groups(1).first_rows.empty());
    EXPECT_TRUE(groups(0).first_rows.empty()) << "there are few nonzeros";
}

TEST(PieceSlices, HoldEveryNonzeroOnceInPiecesOfTheirRows) {
    for_each_plan([](const CsrMatrix<double>& a, int steps, const PieceSlices& slices) {
        std::vector<int> times(static_cast<std::size_t>(a.nnz()));
        std::map<std::uint32_t, std::size_t> row_of_partial;
        const auto most_rows = static_cast<std::uint32_t>(slices.most_rows);
        for (std::size_t i = 0; i < slices.splits.size(); ++i) {
            EXPECT_GT(slices.splits[i].partials, 1U);
            EXPECT_EQ(slices.splits[i].partials > 64, i < slices.long_splits);
            for (std::uint32_t k = 0; k < slices.splits[i].partials; ++k) {
                const std::uint32_t partial = slices.splits[i].first_partial + k * most_rows;
                EXPECT_LT(partial, slices.partial_sums);
                EXPECT_TRUE(row_of_partial.emplace(partial, slices.split_rows[i]).second) << partial;
            }
        }
        std::set<std::int64_t> targets;
        for (std::size_t p = 0; p < slices.targets.size(); ++p) {
            const std::int64_t target = slices.targets[p];
            const int height = most_rows == 1 ? 1 : slices.heights[p];
            EXPECT_LE(slices.lengths[p], steps);
            for (int r = 0; r < height; ++r) {
                const auto partial = static_cast<std::uint32_t>((-1 - target) * most_rows + r);
                EXPECT_TRUE(targets.insert(target >= 0 ? target + r : -1 - std::int64_t{partial}).second) << target;
                const std::size_t row = target >= 0 ? static_cast<std::size_t>(target + r) : row_of_partial.at(partial);
                const offset_t first =
                    slices.first_nonzeros[p] + r * (most_rows == 1 ? 0 : offset_t{slices.row_lengths[p]});
                EXPECT_GE(first, a.row_ptrs[row]);
                EXPECT_LE(first + slices.lengths[p], a.row_ptrs[row + 1]);
                for (int k = 0; k < slices.lengths[p]; ++k) {
                    ++times[static_cast<std::size_t>(first + k)];
                    EXPECT_EQ(a.col_idxs[first + k], a.col_idxs[slices.first_nonzeros[p] + k]);
                }
            }
        }
        EXPECT_EQ(times, std::vector<int>(times.size(), 1));
        for (index_t row = 0; row < a.rows; ++row) {
            const bool is_split = a.row_ptrs[row + 1] - a.row_ptrs[row] > steps;
            EXPECT_EQ(targets.contains(row), !is_split) << "row " << row;
        }
    });
}

TEST(PieceSlices, HaveRowsTogetherWhereThatSavesTraffic) {
    const auto most_rows = [](const std::string& matrix) { return groups_of(generate<double>(matrix), 0).most_rows; };
    EXPECT_EQ(most_rows("fem:n=18,dof=3"), 3);
    EXPECT_EQ(most_rows("fem:n=14,dof=5"), 5);
    EXPECT_EQ(most_rows("fem:n=5,dof=3"), 1);  // small
    EXPECT_EQ(most_rows("laplace2d:n=500"), 1);
    const auto a = generate<double>("fem:n=18,dof=3");
    EXPECT_EQ(cuda::slice_pieces(ptrs_of(a), 256, groups_of(a, 0)).pieces(), a.rows / 3);
    EXPECT_EQ(cuda::shared_nonzeros(ptrs_of(a), groups_of(a, 0)), a.nnz() / 3 * 2);
    EXPECT_EQ(cuda::shared_nonzeros(ptrs_of(a), groups_of(a, 1)), 0);
}

TEST(PieceSlices, HaveTheStepsOfTheirLongestPieceTheLongestFirst) {
    for_each_plan([](const CsrMatrix<double>&, int, const PieceSlices& slices) {
        const auto& lengths = slices.lengths;
        for (std::size_t p = 1; p < lengths.size(); ++p) {
            const auto steps_of = [&](std::size_t i) { return div_up(lengths[i], kLengthStep); };
            ASSERT_GE(steps_of(p - 1), steps_of(p));
            if (steps_of(p - 1) == steps_of(p) && slices.targets[p] >= 0 && slices.targets[p - 1] >= 0) {
                ASSERT_LT(slices.targets[p - 1], slices.targets[p]);
            }
        }
        ASSERT_EQ(slices.first_steps.size(), (lengths.size() + kSlicePieces - 1) / kSlicePieces + 1);
        for (std::size_t s = 0; s + 1 < slices.first_steps.size(); ++s) {
            std::uint64_t longest = 0;
            for (std::size_t p = s * kSlicePieces; p < std::min((s + 1) * kSlicePieces, lengths.size()); ++p) {
                longest = std::max<std::uint64_t>(longest, lengths[p]);
            }
            ASSERT_EQ(slices.first_steps[s + 1] - slices.first_steps[s], longest);
        }
    });
}

TEST(PieceSlices, TellScatteredColumnsFromNeighbours) {
    const auto scattered = [](const std::string& matrix) {
        const auto a = generate<double>(matrix);
        const auto slices = cuda::slice_pieces(ptrs_of(a), cuda::piece_steps(a.nnz(), a.rows));
        return cuda::is_scattered(slices, {a.col_idxs.data(), a.col_idxs.size()}, sizeof(double));
    };
    EXPECT_FALSE(scattered("laplace2d:n=100"));
    EXPECT_FALSE(scattered("fem:n=10,dof=3"));
    EXPECT_FALSE(scattered("dense:rows=64,cols=64"));
    EXPECT_TRUE(scattered("uniform:n=20000,per_row=8"));
    EXPECT_TRUE(scattered("rmat:scale=14,degree=8"));
}

TEST(PieceSlices, TellRowsThatLieApartFromNeighbours) {
    const auto apart = [](const std::string& matrix, int most_rows) {
        const auto a = generate<double>(matrix);
        const std::span<const index_t> cols{a.col_idxs.data(), a.col_idxs.size()};
        return cuda::are_rows_apart(
            cuda::slice_pieces(ptrs_of(a), 32, cuda::group_rows(ptrs_of(a), cols, sizeof(double), most_rows)));
    };
    EXPECT_FALSE(apart("laplace2d:n=100", 1));
    EXPECT_FALSE(apart("fem:n=25,dof=3", 3));
    EXPECT_TRUE(apart("delaunay:n=20000", 1));
    EXPECT_TRUE(apart("rmat:scale=14,degree=8", 1));
}

TEST(PieceSlices, OfFewRowsAreShortAndOfManyHoldMostRows) {
    EXPECT_EQ(cuda::piece_steps(0, 0), 32);
    EXPECT_EQ(cuda::piece_steps(4'000'000, 1'000'000), 64);
    EXPECT_EQ(cuda::piece_steps(4'000'000, 70'000), 128);
    EXPECT_EQ(cuda::piece_steps(4'000'000, 60'000), 256);
    EXPECT_EQ(cuda::piece_steps(592'000, 8'700), 256);
    EXPECT_EQ(cuda::piece_steps(1'000'000'000, 100'000'000), 256);
}

}  // namespace
}  // namespace tilespmv::testing
