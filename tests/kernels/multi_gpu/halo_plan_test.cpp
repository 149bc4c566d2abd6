#include "kernels/multi_gpu/halo_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/check.hpp"
#include "kernels/multi_gpu/boundary_product.hpp"
#include "kernels/multi_gpu/rank_threads.hpp"
#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::multi_gpu {
namespace {

using Starts = std::vector<index_t>;
using Vector = std::vector<double>;

/// Starts anywhere, so that parts are long, short and empty.
Partition any_partition(index_t rows, int parts, std::mt19937& random) {
    Starts starts{0, rows};
    for (int part = 1; part < parts; ++part) starts.push_back(std::uniform_int_distribution(0, rows)(random));
    std::ranges::sort(starts);
    return Partition(starts);
}

struct Case {
    std::string name;
    Partition rows;
    Partition cols;
};

std::vector<Case> partitions_of(const CsrMatrix<double>& a, int parts, std::mt19937& random) {
    const std::span<const offset_t> row_ptrs(a.row_ptrs.data(), a.row_ptrs.size());
    std::vector<Case> cases;
    const auto add = [&](std::string name, const Partition& rows) {
        cases.push_back({std::move(name), rows, a.rows == a.cols ? rows : partition_evenly(a.cols, parts)});
    };
    add("balanced", partition_by_nonzeros(row_ptrs, parts));
    add("any", any_partition(a.rows, parts, random));
    Starts last(static_cast<std::size_t>(parts) + 1, 0);
    last.back() = a.rows;
    add("all in the last", Partition(last));
    return cases;
}

void expect_whole(const CsrMatrix<double>& a, const HaloPlan& plan, const RankMatrix<double>& m) {
    validate(m.interior);
    validate(m.boundary);
    EXPECT_EQ(m.interior.nnz() + m.boundary.nnz(), a.row_ptrs[plan.first_row + plan.rows] - a.row_ptrs[plan.first_row]);
    for (std::size_t i = 0; i < m.boundary_rows.size(); ++i) {
        EXPECT_GT(m.boundary.row_ptrs[i + 1], m.boundary.row_ptrs[i]) << "a boundary row of nothing";
    }
    EXPECT_TRUE(std::ranges::is_sorted(plan.halo_cols));
    for (const Parcel& parcel : plan.sends) EXPECT_NE(parcel.rank, plan.rank);
    for (const index_t col : plan.halo_cols) {
        EXPECT_TRUE(col < plan.first_col || col >= plan.first_col + plan.cols) << "own column in the halo";
    }
}

/// y = A x, every rank in a thread of its own.
Vector multiply_on_ranks(const CsrMatrix<double>& a, const std::vector<HaloPlan>& plans, const Vector& x) {
    Vector y(static_cast<std::size_t>(a.rows), std::nan(""));
    ThreadGroup group(static_cast<int>(plans.size()));
    run_ranks(group.meeting(), [&](int rank) {
        const HaloPlan& plan = plans[static_cast<std::size_t>(rank)];
        const auto m = make_rank_matrix(a, plan);
        expect_whole(a, plan, m);
        Vector sent(plan.sent.size());
        Vector halo(plan.halo_cols.size(), std::nan(""));
        const auto own_x =
            std::span(x).subspan(static_cast<std::size_t>(plan.first_col), static_cast<std::size_t>(plan.cols));
        const auto own_y =
            std::span(y).subspan(static_cast<std::size_t>(plan.first_row), static_cast<std::size_t>(plan.rows));
        pack(plan, own_x, std::span(sent));
        group.communicator(rank).exchange(plan, sent.data(), halo.data(), sizeof(double), nullptr);
        make_operator<double>("csr-omp", m.interior)->apply(1, own_x, 0, own_y);
        add_boundary<double>(m, 1, halo, own_y);
    });
    return y;
}

TEST(HaloPlan, ProductOverRanksIsTheSerialOne) {
    std::mt19937 random(7);
    for (const auto& [name, a] : testing::matrix_battery()) {
        Vector x(static_cast<std::size_t>(a.cols));
        for (double& value : x) value = std::uniform_real_distribution(-1.0, 1.0)(random);
        const auto expected = expected_product<double>(a, 1, x, 0, {});
        for (int parts = 1; parts <= 8; ++parts) {
            for (const auto& c : partitions_of(a, parts, random)) {
                SCOPED_TRACE(name + ", " + c.name + " in " + std::to_string(parts));
                const auto plans = make_halo_plans(a, c.rows, c.cols);
                const Vector y = multiply_on_ranks(a, plans, x);
                const auto result = check_product<double>(expected, y);
                EXPECT_TRUE(result.ok) << result.message();
            }
        }
    }
}

TEST(HaloPlan, SaysWhatGoesWhere) {
    // A 1D chain of six with a long link from row 0 to column 5.
    const auto a = testing::matrix_of(6, 6,
                                      {{0, 0},
                                       {0, 1},
                                       {0, 5},
                                       {1, 1},
                                       {1, 2},
                                       {2, 1},
                                       {2, 2},
                                       {2, 3},
                                       {3, 2},
                                       {3, 3},
                                       {4, 4},
                                       {4, 5},
                                       {5, 0},
                                       {5, 5}});
    const Partition three(Starts{0, 2, 4, 6});
    const auto plans = make_halo_plans(a, three, three);
    EXPECT_EQ(plans[0].halo_cols, (Starts{2, 5}));
    EXPECT_EQ(plans[0].receives, (std::vector<Parcel>{{1, 0, 1}, {2, 1, 1}}));
    EXPECT_EQ(plans[0].sent, (Starts{1, 0}));
    EXPECT_EQ(plans[0].sends, (std::vector<Parcel>{{1, 0, 1}, {2, 1, 1}}));
    EXPECT_EQ(plans[1].halo_cols, (Starts{1}));
    EXPECT_EQ(plans[1].sent, (Starts{0}));
    EXPECT_EQ(plans[2].halo_cols, (Starts{0}));
    EXPECT_EQ(plans[2].sent, (Starts{1}));
    const auto m = make_rank_matrix(a, plans[0]);
    EXPECT_EQ(m.boundary_rows, (Buffer<index_t>{0, 1}));
    EXPECT_EQ(m.boundary.col_idxs, (Buffer<index_t>{1, 0}));
    EXPECT_EQ(m.interior.nnz(), 3);
}

TEST(HaloPlan, TakesNewValues) {
    for (const auto& [name, a] : testing::matrix_battery()) {
        if (a.rows != a.cols) continue;
        SCOPED_TRACE(name);
        auto other = a.clone();
        for (double& value : other.values) value = 3 - 2 * value;
        const Partition rows = partition_evenly(a.rows, 3);
        for (const HaloPlan& plan : make_halo_plans(a, rows, rows)) {
            auto m = make_rank_matrix(a, plan);
            copy_values(other, plan, m);
            const auto expected = make_rank_matrix(other, plan);
            EXPECT_EQ(m.interior, expected.interior);
            EXPECT_EQ(m.boundary, expected.boundary);
        }
    }
}

TEST(HaloPlan, RefusesPartitionsOfOtherMatrices) {
    const auto a = testing::matrix_of(4, 6, {{0, 0}});
    const auto plans = [&](const Starts& rows, const Starts& cols) {
        return test::message_of([&] { make_halo_plans(a, Partition(rows), Partition(cols)); });
    };
    EXPECT_EQ(plans({0, 5}, {0, 6}), "2: partition: it has 5 rows, the matrix has 4");
    EXPECT_EQ(plans({0, 4}, {0, 4}), "2: partition: it has 4 rows, the matrix has 6");
    EXPECT_EQ(plans({0, 4}, {0, 3, 6}), "2: partition: it has 2 parts, expected 1, one a rank");
}

}  // namespace
}  // namespace tilespmv::multi_gpu
