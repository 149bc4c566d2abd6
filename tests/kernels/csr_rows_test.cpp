#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cpu/cache_size.hpp"
#include "kernels/cpu/simd.hpp"
#include "tests/support/instruction_sets.hpp"

namespace tilespmv::cpu {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr index_t kCols = 97;

/// Rows of 0 to `most` nonzeros with whole numbers, so that sums do not depend on their order.
template <class V>
CsrMatrix<V> random_rows(index_t rows, int most, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<index_t> lengths(static_cast<std::size_t>(rows));
    offset_t nnz = 0;
    for (index_t& length : lengths) nnz += length = static_cast<index_t>(random() % (static_cast<unsigned>(most) + 1));
    CsrMatrix<V> a{rows, kCols, Buffer<offset_t>(lengths.size() + 1), Buffer<index_t>(static_cast<std::size_t>(nnz)),
                   Buffer<V>(static_cast<std::size_t>(nnz))};
    a.row_ptrs[0] = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) a.row_ptrs[r + 1] = a.row_ptrs[r] + lengths[r];
    for (offset_t i = 0; i < nnz; ++i) {
        a.col_idxs[i] = static_cast<index_t>(random() % kCols);
        a.values[i] = static_cast<V>(static_cast<int>(random() % 15) - 7);
    }
    return a;
}

template <class V>
std::vector<V> some_x() {
    std::vector<V> x(kCols);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(static_cast<int>(i % 11) - 5);
    return x;
}

/// By the definition. Each row begins with its number.
template <class V>
std::vector<double> expected_sums(const CsrMatrix<V>& a, Span nonzeros, const std::vector<V>& x) {
    std::vector<double> sums;
    for (index_t r = 0; r < a.rows; ++r) {
        double sum = r;
        for (offset_t i = std::max(a.row_ptrs[r], nonzeros.begin); i < std::min(a.row_ptrs[r + 1], nonzeros.end); ++i) {
            sum += static_cast<double>(a.values[i]) * static_cast<double>(x[static_cast<std::size_t>(a.col_idxs[i])]);
        }
        sums.push_back(sum);
    }
    return sums;
}

template <class V>
std::vector<double> sums_of(const CsrRows<V>& rows, Span nonzeros, const std::vector<V>& x) {
    std::vector<double> sums(static_cast<std::size_t>(rows.size()));
    for (std::size_t r = 0; r < sums.size(); ++r) sums[r] = static_cast<double>(r);
    simd_kernels<V>().add_csr(rows, {0, rows.size()}, nonzeros, 0, x.data(), sums.data());
    return sums;
}

template <class V>
class CsrSums : public ::testing::Test {};
using Types = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CsrSums, Types);

TYPED_TEST(CsrSums, AreThoseOfTheDefinitionForRowsOfAllLengths) {
    const auto x = some_x<TypeParam>();
    testing::on_every_instruction_set([&] {
        for (const int most : {0, 1, 2, 4, 5, 8, 9, 20, 70}) {
            for (const index_t rows : {1, 7, 8, 9, 64, 203}) {
                const auto a = random_rows<TypeParam>(rows, most, static_cast<unsigned>(rows));
                for (const Span nonzeros : {Span{0, a.nnz()}, Span{0, a.nnz() / 2}, Span{a.nnz() / 3, a.nnz()},
                                            Span{a.nnz() / 3, a.nnz() / 2}}) {
                    auto csr = rows_of(a);
                    EXPECT_EQ(sums_of(csr, nonzeros, x), expected_sums(a, nonzeros, x)) << rows << " rows, " << most;
                    csr.prefetch_distance = 256;
                    EXPECT_EQ(sums_of(csr, nonzeros, x), expected_sums(a, nonzeros, x)) << rows << " rows, " << most;
                }
            }
        }
    });
}

TYPED_TEST(CsrSums, OfListedRowsWithShortPositionsAreThoseOfTheDefinition) {
    const auto x = some_x<TypeParam>();
    testing::on_every_instruction_set([&] {
        for (const int most : {2, 4, 8, 30}) {
            const auto a = random_rows<TypeParam>(100, most, 5);
            const std::vector<std::uint32_t> row_ptrs(a.row_ptrs.begin(), a.row_ptrs.end());
            std::vector<index_t> ids;
            for (index_t r = 0; r < a.rows; ++r) ids.push_back(3 * r);
            CsrRows<TypeParam> rows = rows_of(a);
            rows.row_ids = ids;
            rows.row_ptrs = std::span<const std::uint32_t>(row_ptrs);
            std::vector<double> sums(3 * ids.size(), 0.5);
            simd_kernels<TypeParam>().add_csr(rows, {0, a.rows}, {0, a.nnz()}, 0, x.data(), sums.data());
            const auto expected = expected_sums(a, {0, a.nnz()}, x);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const double sum = i % 3 == 0 ? expected[i / 3] - static_cast<double>(i / 3) : 0;
                EXPECT_EQ(sums[i], 0.5 + sum) << i;
            }
        }
    });
}

TYPED_TEST(CsrSums, DoNotHaveWhatNeighbouringRowsHave) {
    auto x = some_x<TypeParam>();
    testing::on_every_instruction_set([&] {
        for (const int most : {3, 8, 30}) {
            auto a = random_rows<TypeParam>(64, most, 9);
            const auto expected = expected_sums(a, {0, a.nnz()}, x);
            for (index_t r = 0; r < a.rows; ++r) {
                if (a.row_ptrs[r + 1] == a.row_ptrs[r]) continue;
                const TypeParam kept = std::exchange(a.values[a.row_ptrs[r]], static_cast<TypeParam>(kNan));
                const auto sums = sums_of(rows_of(a), {0, a.nnz()}, x);
                for (index_t s = 0; s < a.rows; ++s) {
                    const auto i = static_cast<std::size_t>(s);
                    EXPECT_TRUE(s == r ? std::isnan(sums[i]) : sums[i] == expected[i]) << r << " " << s;
                }
                a.values[a.row_ptrs[r]] = kept;
            }
        }
    });
}

TEST(CacheSize, IsThatOfSomeCache) { EXPECT_GE(last_level_cache_bytes(), std::size_t{1} << 18); }

}  // namespace
}  // namespace tilespmv::cpu
