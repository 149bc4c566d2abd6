// Blocks of several columns in every layout, on every operator of the CPU.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/cpu/x_windows.hpp"
#include "kernels/registry.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generate.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::testing {
namespace {

constexpr int kMostColumns = 33;

/// A block with gaps between its columns (its rows), whose values stay what they were.
template <class V>
class GappedBlock {
public:
    GappedBlock(std::size_t rows, int cols, Layout layout, V fill)
        : fill_(fill),
          ld_((layout == Layout::row_major ? static_cast<std::size_t>(cols) : rows) + 3),
          values_(ld_ * (layout == Layout::row_major ? rows : static_cast<std::size_t>(cols)), fill),
          block_(values_.data(), rows, cols, ld_, layout, Memory::host) {}

    [[nodiscard]] const Block<V>& get() const { return block_; }
    [[nodiscard]] std::vector<V> column(int c) const {
        std::vector<V> values(block_.rows);
        for (std::size_t r = 0; r < values.size(); ++r) values[r] = block_.at(r, c);
        return values;
    }
    void expect_gaps_untouched() const {
        const std::size_t lines = values_.size() / std::max<std::size_t>(ld_, 1);
        for (std::size_t line = 0; line < lines; ++line) {
            for (std::size_t i = ld_ - 3; i < ld_; ++i) ASSERT_EQ(values_[line * ld_ + i], fill_) << "line " << line;
        }
    }

private:
    V fill_;
    std::size_t ld_;
    std::vector<V> values_;
    Block<V> block_;
};

template <class V>
V x_value(std::size_t row, int col) {
    return static_cast<V>(std::sin(static_cast<double>(row) * 7 + col));
}

/// Columns `first` to `first + cols` of the one X that all products of a matrix are of.
template <class V>
GappedBlock<V> x_block(std::size_t rows, int first, int cols, Layout layout) {
    GappedBlock<V> x(rows, cols, layout, std::numeric_limits<V>::quiet_NaN());
    for (std::size_t r = 0; r < rows; ++r) {
        for (int c = 0; c < cols; ++c) x.get().at(r, c) = x_value<V>(r, first + c);
    }
    return x;
}

constexpr double kOldY = 0.75;

template <class V>
GappedBlock<V> multiply(const Operator<V>& a, int first, int cols, Layout of_x, Layout of_y, const Run& run = {}) {
    const auto x_rows = static_cast<std::size_t>(run.op == Op::transpose ? a.rows() : a.cols());
    const auto y_rows = static_cast<std::size_t>(run.op == Op::transpose ? a.cols() : a.rows());
    const auto x = x_block<V>(x_rows, first, cols, of_x);
    GappedBlock<V> y(y_rows, cols, of_y, V(kOldY));
    a.apply(V(2.5), x.get(), V(-0.5), y.get(), run);
    y.expect_gaps_untouched();
    return y;
}

template <class V>
ExpectedProduct expected_columns(const CsrMatrix<V>& a, int cols) {
    const auto x = x_block<V>(static_cast<std::size_t>(a.cols), 0, cols, Layout::column_major);
    const GappedBlock<V> y(static_cast<std::size_t>(a.rows), cols, Layout::column_major, V(kOldY));
    return expected_product<V>(a, 2.5, x.get(), -0.5, y.get());
}

/// That a product has the columns that one of this matrix has.
template <class V>
void expect_right_columns(const Operator<V>& a, const CsrMatrix<V>& of, const Run& run = {}) {
    const ExpectedProduct expected = expected_columns(of, kMostColumns);
    for (const Layout of_x : {Layout::column_major, Layout::row_major}) {
        for (const Layout of_y : {Layout::column_major, Layout::row_major}) {
            SCOPED_TRACE(::testing::Message()
                         << a.specification() << ", x by " << (of_x == Layout::row_major ? "rows" : "columns")
                         << ", y by " << (of_y == Layout::row_major ? "rows" : "columns"));
            const auto most = multiply(a, 0, kMostColumns, of_x, of_y, run);
            const auto result = check_product<V>(expected, most.get());
            ASSERT_TRUE(result.ok) << result.message();
            // The same bits wherever the columns are cut, from two on.
            int first = 0;
            for (const int cols : {2, 3, 4, 5, 7, 12}) {
                const auto some = multiply(a, first, cols, of_x, of_y, run);
                for (int c = 0; c < cols; ++c) ASSERT_EQ(some.column(c), most.column(first + c)) << cols << " columns";
                first += cols;
            }
            ASSERT_EQ(first, kMostColumns);
            const auto one = multiply(a, 0, 1, of_x, of_y, run);
            ASSERT_TRUE(check_product<V>(expected_columns(of, 1), one.get()).ok) << "alone";
        }
    }
}

template <class V>
class Columns : public ::testing::Test {};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Columns, ValueTypes);

/// Of the battery those that are small enough for so many products.
std::vector<NamedMatrix> small_battery() {
    auto all = matrix_battery();
    std::erase_if(all, [](const auto& one) { return std::max(one.csr.rows, one.csr.cols) > 5000; });
    return all;
}

/// Calls f for every operator.
template <class V, class F>
void with_every_operator(const CsrMatrix<V>& csr, F&& f) {
    const auto tiles = convert(csr, *make_policy("paper-deferred:defer=64"));
    for (const auto& info : operators<V>(Backend::cpu)) {
        if (const auto a = unless_refused(info, [&] { return make_operator<V>(info.name, {csr, tiles}); })) f(*a);
    }
}

TYPED_TEST(Columns, AreRightInEveryLayoutAndIndependentOfTheOthers) {
    using V = TypeParam;
    for (const auto& [name, matrix] : small_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        with_every_operator<V>(csr, [&](const Operator<V>& a) { expect_right_columns(a, csr); });
    }
}

TYPED_TEST(Columns, KeepWhatIsNotANumberToThemselves) {
    using V = TypeParam;
    constexpr V nan = std::numeric_limits<V>::quiet_NaN();
    const auto csr = generate<V>("uniform:n=60,cols=40,per_row=3");
    with_every_operator<V>(csr, [&](const Operator<V>& a) {
        for (const Layout layout : {Layout::column_major, Layout::row_major}) {
            const auto x = x_block<V>(40, 0, 3, layout);
            GappedBlock<V> clean(60, 3, layout, nan), spoilt(60, 3, layout, nan);
            a.apply(V(1), x.get(), V(0), clean.get());
            for (std::size_t r = 0; r < 40; ++r)
                x.get().at(r, 1) = r % 2 == 0 ? nan : std::numeric_limits<V>::infinity();
            a.apply(V(1), x.get(), V(0), spoilt.get());
            for (const int c : {0, 2}) EXPECT_EQ(spoilt.column(c), clean.column(c)) << a.specification();
            for (const V value : spoilt.column(1)) EXPECT_FALSE(std::isfinite(value)) << a.specification();
        }
    });
}

TYPED_TEST(Columns, AreNotReadWhereTheirFactorIsZero) {
    using V = TypeParam;
    constexpr V nan = std::numeric_limits<V>::quiet_NaN();
    const auto csr = generate<V>("laplace2d:n=6");
    with_every_operator<V>(csr, [&](const Operator<V>& a) {
        for (const Layout layout : {Layout::column_major, Layout::row_major}) {
            const GappedBlock<V> x(36, 3, layout, nan), spoilt(36, 3, layout, nan), y(36, 3, layout, V(kOldY));
            a.apply(V(0), x.get(), V(0), spoilt.get());
            EXPECT_EQ(spoilt.column(2), std::vector<V>(36, V(0))) << a.specification();
            a.apply(V(0), x.get(), V(2), y.get());
            EXPECT_EQ(y.column(2), std::vector<V>(36, V(2 * kOldY))) << a.specification();
            a.apply(V(1), x.get().columns(0, 0), V(0), y.get().columns(0, 0));  // no columns
            EXPECT_EQ(y.column(0), std::vector<V>(36, V(2 * kOldY))) << a.specification();
        }
    });
}

/// Large blocks pass the caches, where vectors of them begin at multiples of their bytes.
TYPED_TEST(Columns, OfLargeBlocksHaveTheBitsOfSmallOnes) {
    using V = TypeParam;
    const auto a = make_operator<V>("csr-omp", generate<V>("laplace2d:n=400"));
    for (const Layout layout : {Layout::column_major, Layout::row_major}) {
        for (const int cols : {16, 19}) {
            GappedBlock<V> y(static_cast<std::size_t>(a->rows()), cols, layout, V(kOldY));
            a->apply(V(1), x_block<V>(y.get().rows, 0, cols, layout).get(), V(0), y.get());
            y.expect_gaps_untouched();
            for (const int first : {0, cols - 2}) {
                GappedBlock<V> two(y.get().rows, 2, layout, V(kOldY));
                a->apply(V(1), x_block<V>(y.get().rows, first, 2, layout).get(), V(0), two.get());
                ASSERT_EQ(y.column(first), two.column(0)) << first << " of " << cols;
                ASSERT_EQ(y.column(first + 1), two.column(1)) << first + 1 << " of " << cols;
            }
        }
    }
}

/// Copies of X in column-major layout are made window by window, or as a whole.
TYPED_TEST(Columns, HaveTheSameBitsInEitherLayoutOfX) {
    using V = TypeParam;
    const int before = omp_get_max_threads();
    for (const char* matrix :
         {"laplace2d:n=100", "laplace3d:n=20", "banded:n=9000,half=3", "fem:n=9,dof=3",
          "uniform:n=5000,cols=9000,per_row=5", "rmat:scale=12,degree=8", "dense:rows=40,cols=900"}) {
        const auto a = make_operator<V>("csr-omp", generate<V>(matrix));
        for (const int cols : {2, 9, 33}) {
            const auto expected = multiply(*a, 0, cols, Layout::row_major, Layout::row_major);
            for (const int threads : {1, 2, 5}) {
                omp_set_num_threads(threads);
                const auto y = multiply(*a, 0, cols, Layout::column_major, Layout::column_major);
                for (int c = 0; c < cols; ++c) {
                    ASSERT_EQ(y.column(c), expected.column(c)) << matrix << ", " << cols << ", " << threads;
                }
            }
        }
    }
    omp_set_num_threads(before);
}

using cpu::make_x_windows;

TEST(XWindows, HoldTheColumnsOfEachChunk) {
    const std::vector<RowRange> chunks{{0, 10}, {2, 14}, {8, 21}, {20, 24}};
    const auto one = make_x_windows(chunks, 1, 24, 1000);
    ASSERT_EQ(one.runs.size(), 1U);
    EXPECT_EQ(one.runs[0].first_row, 0);
    EXPECT_EQ(one.rows, 16) << "13 rows from 8 to 21, in a power of two";
    const auto two = make_x_windows(chunks, 2, 24, 1000);
    ASSERT_EQ(two.runs.size(), 2U);
    EXPECT_EQ(two.runs[1].first_row, 8);
    EXPECT_EQ(two.runs[1].chunks.begin, 2);
    EXPECT_EQ(two.runs[1].chunks.end, 4);
}

TEST(XWindows, HoldWhatALaterChunkHasBeforeAnEarlierOne) {
    EXPECT_EQ(make_x_windows(std::vector<RowRange>{{50, 60}, {90, 100}, {40, 45}}, 1, 200, 1000).rows, 64);
    EXPECT_EQ(make_x_windows(std::vector<RowRange>{{50, 60}, {90, 100}, {40, 45}}, 1, 200, 1000).runs[0].first_row, 40);
}

TEST(XWindows, AreNoneWhereTheyWouldBeLargeOrOverlap) {
    const std::vector<RowRange> all{{0, 100}, {0, 100}, {0, 100}};
    EXPECT_EQ(make_x_windows(all, 1, 100, 99).rows, 0);
    EXPECT_EQ(make_x_windows(all, 1, 100, 100).rows, 128);
    EXPECT_EQ(make_x_windows(all, 3, 100, 100).rows, 0) << "copied three times";
}

TEST(XWindows, OfChunksWithoutNonzeros) {
    const auto a = generate<double>("banded:n=64,half=1");
    auto empty = a.clone();
    std::fill(empty.row_ptrs.begin(), empty.row_ptrs.end(), 0);
    const std::vector<cpu::Chunk> chunks{{.row = 0, .rows = 32, .tile_rows = {}, .csr_rows = {0, 32}},
                                         {.row = 32, .rows = 32, .tile_rows = {}, .csr_rows = {32, 64}}};
    const std::vector<RowRange> found{{0, 33}, {31, 64}};
    EXPECT_EQ(cpu::columns_of_chunks<double>(cpu::rows_of(a), chunks), found);
    const auto none = make_x_windows(cpu::columns_of_chunks<double>(cpu::rows_of(empty), chunks), 1, 64, 1000);
    EXPECT_EQ(none.rows, 1);
    EXPECT_EQ(none.runs[0].first_row, 64);
}

Run transposed_run() {
    Run run;
    run.op = Op::transpose;
    return run;
}

template <class V>
MakeOfSource<V> maker(const std::string& specification) {
    return [specification](const Source<V>& a) { return make_operator<V>(specification, a); };
}

TYPED_TEST(Columns, OfTheTransposeAreThoseOfTheTransposedMatrix) {
    using V = TypeParam;
    for (const auto& [name, matrix] : small_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const CsrMatrix<V> other = transposed(csr).matrix;
        for (const char* op : {"csr-omp", "tile-omp", "auto"}) {
            const auto make = maker<V>(op);
            const auto a = with_transpose(make(csr), csr, make, SecondForm::always);
            if (csr.rows < 100) expect_right_columns(*a, csr);
            expect_right_columns(*a, other, transposed_run());
            const auto same = [&](const Operator<V>& one, const Run& run) {
                return multiply(one, 0, 5, Layout::row_major, Layout::column_major, run).column(3);
            };
            EXPECT_EQ(same(*a, transposed_run()), same(*make(other), {})) << op << ": bits of the transposed matrix";
        }
    }
}

TEST(Transpose, HasTheSameBitsWithAnyNumberOfThreads) {
    const auto a = generate<double>("rmat:scale=12,degree=8");
    std::vector<std::vector<double>> found;
    for (const int count : {1, 2, 7}) {
        const test::Threads threads(count);
        const auto made = with_transpose(maker<double>("csr-omp")(a), a, maker<double>("csr-omp"));
        found.push_back(multiply(*made, 0, 9, Layout::column_major, Layout::row_major, transposed_run()).column(8));
        EXPECT_EQ(found.back(), found.front()) << count << " threads";
    }
}

TEST(Transpose, StatesItsBytesAndNeedsNoneOfASymmetricMatrix) {
    const auto make = maker<double>("csr-omp");
    const auto general = generate<double>("uniform:n=300,cols=200,per_row=5");
    const auto with_second = with_transpose(make(general), general, make);
    EXPECT_TRUE(with_second->facts().transposes);
    EXPECT_EQ(with_second->facts().other_bytes, 201 * 8U + static_cast<std::size_t>(general.nnz()) * (8 + 4 + 8));
    auto symmetric = generate<double>("laplace2d:n=30");
    EXPECT_EQ(with_transpose(make(symmetric), symmetric, make)->facts().other_bytes,
              static_cast<std::size_t>(symmetric.nnz()) * 8)
        << "by which new values are compared";
    EXPECT_GT(with_transpose(make(symmetric), symmetric, make, SecondForm::always)->facts().other_bytes, 0U);
    symmetric.values[1] += 1;
    EXPECT_GT(with_transpose(make(symmetric), symmetric, make)->facts().other_bytes, 0U);
    EXPECT_EQ(with_transpose(make(symmetric), symmetric, make, SecondForm::never)->facts().other_bytes, 0U);
}

/// The bits of a product and of one by the transpose.
std::vector<std::vector<double>> both_products(const Operator<double>& a) {
    std::vector<std::vector<double>> all;
    for (const Run& run : {Run(), transposed_run()}) {
        all.push_back(multiply(a, 0, 3, Layout::row_major, Layout::row_major, run).column(2));
    }
    return all;
}

void expect_new_values(const CsrMatrix<double>& a, const std::string& op) {
    const auto make = maker<double>(op);
    const auto made = with_transpose(make(a), a, make, SecondForm::always);
    for (int round = 1; round <= 2; ++round) {
        auto other = a.clone();
        for (std::size_t i = 0; i < other.values.size(); ++i)
            other.values[i] = static_cast<double>((i * 37 + 11) % 101) / round;
        made->update_values(std::span<const double>(other.values.data(), other.values.size()));
        EXPECT_EQ(both_products(*made), both_products(*with_transpose(make(other), other, make, SecondForm::always)))
            << op;
    }
}

TEST(Transpose, TakesNewValues) {
    for (const char* op : {"reference", "csr-omp", "tile-omp", "strip-omp", "coo-omp", "hyb-omp", "auto"}) {
        expect_new_values(generate<double>("uniform:n=300,cols=200,per_row=5"), op);
        expect_new_values(generate<double>("laplace2d:n=30"), op);
    }
}

TEST(Transpose, OfASymmetricMatrixTakesNewValuesThatAreSymmetric) {
    const auto make = maker<double>("csr-omp");
    auto a = generate<double>("stencil27:n=6");
    const auto found = with_transpose(make(a), a, make);
    for (double& value : a.values) value = 3 * value - 1;
    found->update_values(std::span<const double>(a.values.data(), a.values.size()));
    expect_right_columns(*found, a, transposed_run());
    const auto before = both_products(*found);
    auto other = a.clone();
    other.values[1] = 7;
    EXPECT_EQ(
        test::message_of([&] { found->update_values(std::span<const double>(other.values.data(), a.values.size())); }),
        "1: csr-omp: its matrix was found to be symmetric, but these values are not; make it with SecondForm::always");
    EXPECT_EQ(both_products(*found), before) << "it was left as it was";
}

}  // namespace
}  // namespace tilespmv::testing
