#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tile/generate/delaunay.hpp"
#include "tile/generate/generate.hpp"
#include "tile/generate/random.hpp"

/// What makes each kind of matrix that kind.
namespace tilespmv::testing {
namespace {

using ::testing::ElementsAre;

using Entries = std::map<std::pair<index_t, index_t>, double>;

Entries entries_of(const CsrMatrix<double>& a) {
    Entries entries;
    for (index_t row = 0; row < a.rows; ++row) {
        for (auto p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) entries[{row, a.col_idxs[p]}] = a.values[p];
    }
    return entries;
}

std::vector<index_t> columns(const CsrMatrix<double>& a, index_t row) {
    return {a.col_idxs.data() + a.row_ptrs[row], a.col_idxs.data() + a.row_ptrs[row + 1]};
}

std::vector<offset_t> row_lengths(const CsrMatrix<double>& a) {
    std::vector<offset_t> lengths(a.rows);
    for (index_t row = 0; row < a.rows; ++row) lengths[row] = a.row_ptrs[row + 1] - a.row_ptrs[row];
    return lengths;
}

std::vector<offset_t> column_lengths(const CsrMatrix<double>& a) {
    std::vector<offset_t> lengths(a.cols, 0);
    for (const index_t col : a.col_idxs) ++lengths[col];
    return lengths;
}

template <class T>
std::vector<T> descending(std::vector<T> values) {
    std::sort(values.rbegin(), values.rend());
    return values;
}

bool has_symmetric_pattern(const Entries& entries) {
    return std::ranges::all_of(entries, [&](const auto& e) {
        return entries.contains({e.first.second, e.first.first});
    });
}

bool is_symmetric(const Entries& entries) {
    return has_symmetric_pattern(entries) && std::ranges::all_of(entries, [&](const auto& e) {
               return entries.at({e.first.second, e.first.first}) == e.second;
           });
}

bool has_diagonal(const Entries& entries) {
    return std::ranges::any_of(entries, [](const auto& e) { return e.first.first == e.first.second; });
}

TEST(GeneratedNnz, FollowsTheFormulas) {
    const std::map<std::string, offset_t> nnz{
        {"laplace2d:n=19", 5 * 361 - 4 * 19},         {"laplace2d:nx=5,ny=3", 15 + 2 * (4 * 3 + 5 * 2)},
        {"laplace3d:n=11", 7 * 1331 - 6 * 121},       {"stencil27:n=7", 19 * 19 * 19},
        {"stencil27:nx=4,ny=5,nz=6", 10 * 13 * 16},   {"fem:n=5,dof=2", 4 * 13 * 13 * 13},
        {"banded:n=100,half=25", 100 * 51 - 25 * 26}, {"block-dense:n=160,block=8,blocks_per_row=5", 160 * 8 * 5},
        {"uniform:n=70,cols=33,per_row=29", 70 * 29}, {"arrow:n=50,width=3,half=1", 3 * 50 + 47 * 3 + 47 * 3 - 2},
        {"elasticity:n=4", 9 * 13 * 13 * 10},         {"elasticity:nx=2,ny=3,nz=4", 9 * 7 * 10 * 10},
        {"qcd:n=4,nt=3", 39 * 12 * 64 * 3},           {"dense:rows=31,cols=17", 31 * 17},
    };
    for (const auto& [specification, expected] : nnz) {
        EXPECT_EQ(generate<double>(specification).nnz(), expected) << specification;
    }
}

TEST(GeneratedValues, AreSymmetricWhereTheyShouldBe) {
    for (const std::string specification :
         {"laplace2d:n=12,contrast=0.9", "laplace2d:n=20,contrast=0.5,jump=1e3,block=3,aniso=0.1", "laplace3d:n=6",
          "stencil27:n=5,contrast=0.3", "fem:n=4,jitter=0.5", "elasticity:n=4,jump=1e3,block=3", "arrow:n=50",
          "kronecker:scale=7", "delaunay:n=300", "rgg:n=300", "road-like:n=9", "kkt:n=200", "pose-graph:n=40"}) {
        EXPECT_TRUE(is_symmetric(entries_of(generate<double>(specification)))) << specification;
    }
}

TEST(GeneratedValues, SpreadOverMinusOneToOne) {
    for (const std::string specification : {"uniform:n=1000", "circuit:n=3000", "rgg:n=1000"}) {
        const auto a = generate<double>(specification);
        const auto [low, high] = std::ranges::minmax(a.values);
        const double mean = std::accumulate(a.values.begin(), a.values.end(), 0.0) / static_cast<double>(a.nnz());
        EXPECT_GE(low, -1) << specification;
        EXPECT_LT(high, 1) << specification;
        EXPECT_GT(high - low, 1.99) << specification;
        EXPECT_NEAR(mean, 0, 0.03) << specification;
    }
}

TEST(GeneratedValues, OfDiscretisationsAreDiagonallyDominant) {
    for (const std::string specification :
         {"laplace2d:n=12,contrast=0.9", "laplace3d:n=6", "stencil27:n=5,contrast=0.3", "fem:n=4", "fem:n=1"}) {
        SCOPED_TRACE(specification);
        const auto a = generate<double>(specification);
        std::vector<double> excess(a.rows, 0);
        for (const auto& [position, value] : entries_of(a)) {
            excess[position.first] += position.first == position.second ? value : -std::abs(value);
        }
        EXPECT_GT(std::ranges::min(excess), -1e-12);
        EXPECT_GT(std::ranges::max(excess), 0.9) << "the boundary makes it definite";
    }
}

TEST(Laplace2d, IsTheTextbookMatrix) {
    const auto entries = entries_of(generate<double>("laplace2d:nx=4,ny=3"));
    Entries expected;
    for (index_t i = 0; i < 12; ++i) {
        expected[{i, i}] = 4;
        if (i % 4 < 3) expected[{i, i + 1}] = expected[{i + 1, i}] = -1;
        if (i < 8) expected[{i, i + 4}] = expected[{i + 4, i}] = -1;
    }
    EXPECT_EQ(entries, expected);
}

TEST(Stencil27, CouplesPointsThatShareACorner) {
    const auto a = generate<double>("stencil27:nx=3,ny=4,nz=5");
    EXPECT_THAT(columns(a, 0), ElementsAre(0, 1, 3, 4, 12, 13, 15, 16));
    EXPECT_EQ(row_lengths(a)[1 + 3 * (1 + 4 * 2)], 27);
    EXPECT_EQ(entries_of(a)[std::pair(0, 0)], 26);
}

TEST(Fem, GivesEveryUnknownOfANodeTheSameColumns) {
    const auto a = generate<double>("fem:n=3,dof=3");
    EXPECT_EQ(columns(a, 0).size(), 8u * 3);
    EXPECT_EQ(columns(a, 0), columns(a, 2));
    auto first = columns(a, 0);
    first.resize(7);
    EXPECT_THAT(first, ElementsAre(0, 1, 2, 3, 4, 5, 9));
}

TEST(Fem, JitterOnlyRenumbersNodes) {
    const auto plain = generate<double>("fem:n=12,dof=1"), jittered = generate<double>("fem:n=12,dof=1,jitter=0.4");
    EXPECT_EQ(descending(row_lengths(plain)), descending(row_lengths(jittered)));
    index_t moved = 0;
    for (index_t row = 0; row < plain.rows; ++row) moved += columns(plain, row) != columns(jittered, row);
    EXPECT_GT(moved, plain.rows / 2);
    EXPECT_FALSE(generate<double>("fem:n=12,dof=1,jitter=1") == jittered);
}

TEST(Arrow, HasFullFirstRowsAndColumnsAndABand) {
    const auto a = generate<double>("arrow:n=9,width=2,half=1");
    EXPECT_EQ(columns(a, 1).size(), 9u);
    EXPECT_THAT(columns(a, 2), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(columns(a, 5), ElementsAre(0, 1, 4, 5, 6));
}

TEST(BlockDense, ConsistsOfFullBlocks) {
    const auto a = generate<double>("block-dense:n=100,block=16,blocks_per_row=3");
    std::set<std::vector<index_t>> distinct;
    for (index_t row = 0; row < a.rows; ++row) {
        const auto cols = columns(a, row);
        EXPECT_EQ(cols, columns(a, row / 16 * 16));
        std::map<index_t, int> in_block;
        for (const index_t col : cols) ++in_block[col / 16];
        EXPECT_EQ(in_block.size(), 3u);
        for (const auto& [block, count] : in_block) EXPECT_EQ(count, block == 6 ? 4 : 16);
        distinct.insert(cols);
    }
    EXPECT_GT(distinct.size(), 3u);
}

TEST(Uniform, DrawsColumnsEvenly) {
    const auto lengths = column_lengths(generate<double>("uniform:n=20000,cols=50,per_row=10"));
    for (const auto length : lengths) EXPECT_NEAR(static_cast<double>(length), 4000, 300);
    const auto most = column_lengths(generate<double>("uniform:n=20000,cols=50,per_row=45"));
    for (const auto length : most) EXPECT_NEAR(static_cast<double>(length), 18000, 300);
}

TEST(Hypersparse, LeavesMostRowsEmpty) {
    const auto a = generate<double>("hypersparse:n=100000,nnz=2000");
    EXPECT_NEAR(static_cast<double>(a.nnz()), 2000, 5);
    EXPECT_GT(std::ranges::count(row_lengths(a), 0), 97000);
    EXPECT_NEAR(static_cast<double>(std::ranges::count_if(a.col_idxs, [](auto c) { return c < 50000; })), 1000, 100);
}

TEST(Rmat, FillsTheQuadrantsAsAsked) {
    EXPECT_EQ(generate<double>("rmat:scale=5,a=1,b=0,c=0").nnz(), 1) << "all edges in the corner";
    const auto a = generate<double>("rmat:scale=12,degree=4,a=0.4,b=0.3,c=0.2");
    std::array<double, 4> share{};
    for (const auto& [position, value] : entries_of(a)) {
        share[2 * (position.first >= 2048) + (position.second >= 2048)] += 1.0 / static_cast<double>(a.nnz());
    }
    EXPECT_THAT(share, ElementsAre(::testing::DoubleNear(0.4, 0.02), ::testing::DoubleNear(0.3, 0.02),
                                   ::testing::DoubleNear(0.2, 0.02), ::testing::DoubleNear(0.1, 0.02)));
}

TEST(Kronecker, IsAGraphWithHubsAnywhere) {
    const auto a = generate<double>("kronecker:scale=12,degree=8");
    EXPECT_FALSE(has_diagonal(entries_of(a)));
    EXPECT_GT(a.nnz(), 4096 * 16 * 3 / 4);
    const auto lengths = row_lengths(a);
    EXPECT_GT(std::ranges::max(lengths), 20 * a.nnz() / a.rows);
    EXPECT_GT(std::ranges::count(lengths, 0), 400);
    const auto first_half = a.row_ptrs[a.rows / 2];
    EXPECT_NEAR(static_cast<double>(first_half) / static_cast<double>(a.nnz()), 0.5, 0.1);
}

TEST(Powerlaw, RowsAndColumnsFollowZipf) {
    const auto a = generate<double>("powerlaw:n=20000,degree=16,exponent=0.5");
    EXPECT_NEAR(static_cast<double>(a.nnz()), 320000, 10000);
    for (const auto& lengths : {descending(row_lengths(a)), descending(column_lengths(a))}) {
        EXPECT_NEAR(static_cast<double>(lengths[24]) / static_cast<double>(lengths[2499]), 10, 1.5);
        EXPECT_NEAR(static_cast<double>(lengths[99]) / static_cast<double>(lengths[9999]), 10, 1.5);
    }
    const auto flat = generate<double>("powerlaw:n=5000,degree=16,exponent=0");
    EXPECT_EQ(std::ranges::max(row_lengths(flat)), 16);
}

/// Neighbours of the same points by comparing all pairs.
std::vector<offset_t> brute_force_degrees(std::int64_t n, double radius2) {
    const synthetic::Shuffle shuffle(1, std::uint64_t{1} << 60);
    std::vector<synthetic::Point> points;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::int64_t>(shuffle(static_cast<std::uint64_t>(i)));
        points.push_back({bits % (1 << 30), bits >> 30});
    }
    std::vector<offset_t> degrees(n, -1);
    for (std::int64_t i = 0; i < n; ++i) {
        for (const auto& q : points) {
            degrees[i] += std::hypot(points[i].x - q.x, points[i].y - q.y) <= std::sqrt(radius2) * 0x1p30;
        }
    }
    return degrees;
}

TEST(Web, LinksGoInRunsWithinSitesAndToHubs) {
    const index_t site = 100;
    const auto near = generate<double>("web:n=10000,site=100,near=1,run=5");
    offset_t after_another = 0;
    for (index_t row = 0; row < near.rows; ++row) {
        const auto in_row = columns(near, row);
        for (std::size_t k = 0; k < in_row.size(); ++k) {
            EXPECT_GE(in_row[k], row - row % site);
            EXPECT_LT(in_row[k], row - row % site + site + 2 * 5);
            after_another += k > 0 && in_row[k] == in_row[k - 1] + 1;
        }
    }
    EXPECT_GT(after_another, near.nnz() * 6 / 10);

    const auto hubs = generate<double>("web:n=10000,near=0.5,exponent=0.75");
    EXPECT_GT(descending(column_lengths(hubs))[0], 300);
    EXPECT_GT(descending(row_lengths(hubs))[0], 300);
    EXPECT_NEAR(static_cast<double>(hubs.nnz()), 160'000, 50'000);
}

TEST(PoseGraph, IsAChainOfBlocksWithLoopClosures) {
    const auto chain = generate<double>("pose-graph:n=50,dof=3,closures=0");
    EXPECT_EQ(chain.nnz(), 9 * (50 + 2 * 49));
    for (const auto& [position, value] : entries_of(chain)) {
        EXPECT_LE(std::abs(position.first / 3 - position.second / 3), 1);
    }
    const auto laps = generate<double>("pose-graph:n=1000,dof=2,closures=1,lap=100");
    EXPECT_TRUE(is_symmetric(entries_of(laps)));
    offset_t closures = 0;
    for (const auto& [position, value] : entries_of(laps)) {
        const auto back = std::abs(position.first / 2 - position.second / 2);
        const bool closes = std::abs(back - 100) <= 2 || std::abs(back - 200) <= 2;
        EXPECT_TRUE(back <= 1 || closes) << back;
        closures += closes;
    }
    EXPECT_NEAR(static_cast<double>(closures), 4 * 2 * 850, 400);
}

TEST(Volumes, HaveABlockForEveryPointAndPairOfNeighbours) {
    const auto mesh = generate<double>("delaunay:n=400");
    const auto a = generate<double>("volumes:n=400,dof=3");
    EXPECT_EQ(a.nnz(), 9 * (mesh.nnz() + 400));
    std::set<std::pair<index_t, index_t>> blocks;
    for (const auto& [position, value] : entries_of(a)) blocks.emplace(position.first / 3, position.second / 3);
    for (const auto& [position, value] : entries_of(mesh)) EXPECT_TRUE(blocks.contains(position));

    const auto shuffled = generate<double>("volumes:n=400,dof=3,jitter=1");
    EXPECT_EQ(shuffled.nnz(), a.nnz());
    EXPECT_TRUE(has_symmetric_pattern(entries_of(shuffled)));
    const auto bandwidth = [](const CsrMatrix<double>& m) {
        double sum = 0;
        for (const auto& [position, value] : entries_of(m)) sum += std::abs(position.first - position.second);
        return sum / static_cast<double>(m.nnz());
    };
    EXPECT_GT(bandwidth(shuffled), 5 * bandwidth(a));
}

TEST(Uniform, RowsDifferByTheirSpread) {
    const auto lengths = row_lengths(generate<double>("uniform:n=2000,cols=500,per_row=100,spread=0.3"));
    EXPECT_NEAR(static_cast<double>(std::ranges::min(lengths)), 70, 1);
    EXPECT_NEAR(static_cast<double>(std::ranges::max(lengths)), 130, 1);
    const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / 2000;
    EXPECT_NEAR(mean, 100, 2);
}

TEST(Rgg, JoinsPointsWithinTheRadius) {
    for (const double degree : {3.0, 12.0, 100.0}) {
        const auto a = generate<double>("rgg:n=2000,degree=" + std::to_string(degree));
        EXPECT_EQ(descending(row_lengths(a)), descending(brute_force_degrees(2000, degree / (M_PI * 2000))));
        EXPECT_FALSE(has_diagonal(entries_of(a)));
    }
}

TEST(RoadLike, ConsistsOfChainsBetweenJunctions) {
    const auto a = generate<double>("road-like:n=40,chain=4");
    const auto lengths = row_lengths(a);
    EXPECT_LE(std::ranges::max(lengths), 4);
    EXPECT_NEAR(static_cast<double>(a.rows), 1600 * 7, 600);
    EXPECT_NEAR(static_cast<double>(a.nnz()), 3 * 1600 * 5, 1200);
    EXPECT_GT(std::ranges::count(lengths, 2), a.rows * 8 / 10);
    const auto grid = generate<double>("road-like:n=40,chain=0");
    EXPECT_EQ(grid.rows, 1600);
    for (const auto& [position, value] : entries_of(grid)) {
        const auto distance = std::abs(position.first - position.second);
        EXPECT_TRUE(distance == 1 || distance == 40);
    }
}

TEST(Circuit, HasAFewVeryLongRowsAndColumns) {
    const auto a = generate<double>("circuit:n=20000,rails=3,fill=0.1");
    const auto lengths = descending(row_lengths(a));
    EXPECT_NEAR(static_cast<double>(lengths[2]), 2000, 200);
    EXPECT_LT(lengths[3], 40);
    EXPECT_TRUE(has_symmetric_pattern(entries_of(a)));
    EXPECT_FALSE(is_symmetric(entries_of(a)));
    for (index_t row = 0; row < a.rows; ++row) EXPECT_TRUE(std::ranges::count(columns(a, row), row) == 1);
}

TEST(Kkt, IsASaddlePoint) {
    const index_t n = 500;
    const auto a = generate<double>("kkt:n=500,m=100");
    std::vector<double> excess(n, 0);
    std::set<index_t> constrained;
    for (const auto& [position, value] : entries_of(a)) {
        const auto [row, col] = position;
        if (row >= n) {
            EXPECT_LT(col, n) << "the lower right block is empty";
            constrained.insert(row);
        } else if (col < n) {
            excess[row] += row == col ? value : -std::abs(value);
        }
    }
    EXPECT_EQ(constrained.size(), 100u);
    EXPECT_GE(std::ranges::min(excess), 1 - 1e-12) << "H is positive definite";
}

TEST(Qcd, HopsToTheNeighboursOnTheLattice) {
    const auto a = generate<double>("qcd:n=8");
    EXPECT_EQ(a.rows, 49152);
    for (const auto length : row_lengths(a)) EXPECT_EQ(length, 39);
    const std::vector<index_t> row0{12,  13,  14,  21,  22,   23,   84,   85,   86,   93,   94,    95,    96,
                                    97,  98,  105, 106, 107,  672,  673,  674,  681,  682,  683,   768,   769,
                                    770, 774, 775, 776, 5376, 5377, 5378, 5382, 5383, 5384, 43008, 43009, 43010};
    EXPECT_EQ(columns(a, 0), row0);
    EXPECT_EQ(columns(a, 7).back(), 6152) << "spins 2 and 3 hop forward in time";
}

}  // namespace
}  // namespace tilespmv::testing
