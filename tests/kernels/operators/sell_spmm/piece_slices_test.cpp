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
    return all;
}

std::span<const offset_t> ptrs_of(const CsrMatrix<double>& a) { return {a.row_ptrs.data(), a.row_ptrs.size()}; }

template <class Check>
void for_each_plan(Check&& check) {
    for (const auto& [name, a] : matrices()) {
        for (const int steps : {1, 7, 32, 1024}) {
            SCOPED_TRACE(name + ", " + std::to_string(steps) + " steps");
            check(a, steps, cuda::slice_pieces(ptrs_of(a), steps));
        }
    }
}

TEST(PieceSlices, HoldEveryNonzeroOnceInPiecesOfTheirRows) {
    for_each_plan([](const CsrMatrix<double>& a, int steps, const PieceSlices& slices) {
        std::vector<int> times(static_cast<std::size_t>(a.nnz()));
        std::map<std::int64_t, std::size_t> row_of_partial;
        for (std::size_t i = 0; i < slices.splits.size(); ++i) {
            EXPECT_GT(slices.splits[i].partials, 1U);
            for (std::uint32_t k = 0; k < slices.splits[i].partials; ++k) {
                row_of_partial[slices.splits[i].first_partial + k] = slices.split_rows[i];
            }
        }
        EXPECT_EQ(row_of_partial.size(), slices.partial_sums());
        std::set<std::int32_t> targets;
        for (std::size_t p = 0; p < slices.targets.size(); ++p) {
            const std::int32_t target = slices.targets[p];
            EXPECT_TRUE(targets.insert(target).second) << target;
            const std::size_t row =
                target >= 0 ? static_cast<std::size_t>(target) : row_of_partial.at(-1 - std::int64_t{target});
            EXPECT_LE(slices.lengths[p], steps);
            EXPECT_GE(slices.first_nonzeros[p], a.row_ptrs[row]);
            EXPECT_LE(slices.first_nonzeros[p] + slices.lengths[p], a.row_ptrs[row + 1]);
            for (int k = 0; k < slices.lengths[p]; ++k) ++times[static_cast<std::size_t>(slices.first_nonzeros[p] + k)];
        }
        EXPECT_EQ(times, std::vector<int>(times.size(), 1));
        for (index_t row = 0; row < a.rows; ++row) {
            const bool is_split = a.row_ptrs[row + 1] - a.row_ptrs[row] > steps;
            EXPECT_EQ(targets.contains(row), !is_split) << "row " << row;
        }
    });
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

TEST(PieceSlices, OfFewNonzerosAreShortUnlessRowsAreLong) {
    EXPECT_EQ(cuda::piece_steps(0, 0), 32);
    EXPECT_EQ(cuda::piece_steps(4'000'000, 1'000'000), 64);
    EXPECT_EQ(cuda::piece_steps(4'000'000, 60'000), 256);
    EXPECT_EQ(cuda::piece_steps(1'000'000'000, 100'000'000), 256);
}

}  // namespace
}  // namespace tilespmv::testing
