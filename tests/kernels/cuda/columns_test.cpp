// Products of several columns on a GPU, by every operator: layouts, leading dimensions, factors, memories.
#include <cstring>
#include <string>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

/// Hubs, empty rows, full tiles, long and short rows with the columns of the row before: rows in pieces in every
/// representation.
template <class V>
CsrMatrix<V> matrix_for_columns() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 32; ++i) {
        for (index_t j = 0; j < 16; ++j) positions.insert({i, j});
    }
    for (index_t j = 0; j < 2001; j += 2) {
        for (index_t i = 40; i < 44; ++i) positions.insert({i, j});
    }
    for (index_t i = 50; i < 300; ++i) {
        for (index_t k = 0; k < i % 7; ++k) positions.insert({i, (i * 37 + k * k * 11) % 2001});
    }
    return convert_values<V>(matrix_of(303, 2001, positions));
}

/// A block in the memory of the host, with `gap` values of NaN behind each of its rows or columns.
template <class V>
struct HostBlock {
    HostBlock(index_t rows_, int cols_, Layout layout_, int gap)
        : rows(static_cast<std::size_t>(rows_)),
          cols(cols_),
          layout(layout_),
          ld((layout == Layout::row_major ? static_cast<std::size_t>(cols) : rows) + static_cast<std::size_t>(gap)),
          values(ld * (layout == Layout::row_major ? rows : static_cast<std::size_t>(cols)), static_cast<V>(kNaN)) {}

    [[nodiscard]] V& at(std::size_t row, int col) {
        const auto c = static_cast<std::size_t>(col);
        return values[layout == Layout::row_major ? row * ld + c : c * ld + row];
    }
    void set(int col, const std::vector<V>& column) {
        for (std::size_t r = 0; r < rows; ++r) at(r, col) = column[r];
    }
    [[nodiscard]] std::vector<V> column(int col) {
        std::vector<V> all;
        for (std::size_t r = 0; r < rows; ++r) all.push_back(at(r, col));
        return all;
    }
    [[nodiscard]] Block<V> block() { return {values.data(), rows, cols, ld, layout, Memory::host}; }
    [[nodiscard]] Block<V> block(V* there) { return {there, rows, cols, ld, layout, Memory::device}; }

    std::size_t rows;
    int cols;
    Layout layout;
    std::size_t ld;
    std::vector<V> values;
};

/// x of a column, the same however many there are.
template <class V>
std::vector<V> x_of(index_t size, int col) {
    return numbers<V>(size, 100 + col);
}

/// One way to multiply a block.
struct Way {
    int columns;
    Layout x;
    Layout y;
    int gap;
    Memory memory;

    friend std::ostream& operator<<(std::ostream& out, const Way& way) {
        const auto name = [](Layout layout) { return layout == Layout::row_major ? "rows" : "columns"; };
        return out << way.columns << " columns, X by " << name(way.x) << ", Y by " << name(way.y) << ", gap " << way.gap
                   << (way.memory == Memory::host ? ", host" : ", device");
    }
};

std::vector<Way> ways(bool has_kernel) {
    std::vector<Way> all;
    const auto by_rows = Layout::row_major;
    const auto by_cols = Layout::column_major;
    for (const int columns : has_kernel ? std::vector{1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 33} : std::vector{3}) {
        for (const int gap : {0, 3}) {
            all.push_back({columns, by_rows, by_rows, gap, Memory::device});
            all.push_back({columns, by_cols, by_cols, gap, Memory::device});
        }
        all.push_back({columns, by_rows, by_cols, 1, Memory::device});
        all.push_back({columns, by_cols, by_rows, 1, Memory::host});
    }
    return all;
}

/// cuSPARSE has no products of blocks in two layouts, algorithm 2 is for rows, and rows have to be aligned. Its sums of
/// values of 16 bits are beyond the bound for sums in float32 (up to ten times on an H200).
template <class V>
bool library_has(const std::string& name, const Way& way) {
    if (!name.starts_with("cusparse-spmm")) return true;
    if (sizeof(V) == 2) return false;
    const bool is_by_rows = way.x == Layout::row_major;
    return way.x == way.y && way.gap == 0 && way.columns % 8 == 0 && (name != "cusparse-spmm:alg=2" || is_by_rows);
}

template <class V>
HostBlock<V> multiplied(const cuda::DeviceOperator<V>& a, const Way& way, const Scalar& alpha, const Scalar& beta,
                        V before) {
    HostBlock<V> x(a.cols(), way.columns, way.x, way.gap);
    HostBlock<V> y(a.rows(), way.columns, way.y, way.gap);
    for (int c = 0; c < way.columns; ++c) {
        x.set(c, x_of<V>(a.cols(), c));
        y.set(c, std::vector<V>(y.rows, before));
    }
    if (way.memory == Memory::host) {
        a.apply(alpha, x.block(), beta, y.block());
        return y;
    }
    const cuda::DeviceBuffer<V> device_x(std::span<const V>(x.values), nullptr);
    cuda::DeviceBuffer<V> device_y(std::span<const V>(y.values), nullptr);
    a.apply(alpha, x.block(const_cast<V*>(device_x.data())), beta, y.block(device_y.data()));
    device_y.download(y.values, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return y;
}

template <class V>
class SeveralColumns : public OnDevice {};
using Values = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(SeveralColumns, Values);

TYPED_TEST(SeveralColumns, AreRightInEveryLayoutAndLeaveWhatIsBetween) {
    using V = TypeParam;
    const auto csr = matrix_for_columns<V>();
    const auto accumulator = default_accumulator<V>();
    std::vector<ExpectedProduct> expected;
    std::vector<ExpectedProduct> added;
    const std::vector<V> ones(static_cast<std::size_t>(csr.rows), V(1));
    for (int c = 0; c < 33; ++c) {
        expected.push_back(expected_product<V>(csr, 1, x_of<V>(csr.cols, c), 0, {}));
        added.push_back(expected_product<V>(csr, -2.5, x_of<V>(csr.cols, c), 0.5, ones));
    }
    for (const auto& a : every_operator<V>(csr, accumulator)) {
        for (const Way& way : ways(a.made->facts().most_columns > 1)) {
            if (!library_has<V>(a.name, way)) continue;
            SCOPED_TRACE(::testing::Message() << a.name << ", " << way);
            auto fresh = multiplied<V>(*a.made, way, 1, 0, static_cast<V>(kNaN));
            auto sum = multiplied<V>(*a.made, way, -2.5, 0.5, V(1));
            for (int c = 0; c < way.columns; ++c) {
                const auto result = check_product<V>(expected[c], fresh.column(c), accumulator);
                EXPECT_TRUE(result.ok) << result.message();
                const auto with_beta = check_product<V>(added[c], sum.column(c), accumulator);
                EXPECT_TRUE(with_beta.ok) << with_beta.message();
            }
            std::size_t written = 0;
            for (const V value : fresh.values) written += std::isnan(static_cast<double>(value)) ? 0U : 1U;
            EXPECT_EQ(written, fresh.rows * static_cast<std::size_t>(way.columns));
            if (::testing::Test::HasFailure()) return;
        }
    }
}

TYPED_TEST(SeveralColumns, HaveBitsThatDependOnNoOtherColumn) {
    using V = TypeParam;
    const auto csr = matrix_for_columns<V>();
    for (const std::string name : {"sell-spmm", "sell-spmm:rows=2", "sell-spmm:rows=3", "sell-spmm:rows=5,steps=64",
                                   "sell-spmm:steps=5", "csr-spmm", "csr-spmm:lanes=2"}) {
        const auto a = cuda::make_device_operator<V>(name, csr, default_accumulator<V>(), nullptr);
        auto all = multiplied<V>(*a, {33, Layout::row_major, Layout::row_major, 0, Memory::device}, 2, 0, V(1));
        for (const Way& way : ways(true)) {
            SCOPED_TRACE(::testing::Message() << name << ", " << way);
            for (int time = 0; time < 2; ++time) {
                auto some = multiplied<V>(*a, way, 2, 0, V(1));
                for (int c = 0; c < way.columns; ++c) {
                    const auto one = some.column(c);
                    const auto other = all.column(c);
                    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(V)), 0) << "column " << c;
                }
            }
        }
    }
}

/// Tile rows that a warp and that a block multiplies.
TYPED_TEST(SeveralColumns, OfFullTilesAreRightAndIndependentOfTheOthers) {
    using V = TypeParam;
    const auto accumulator = default_accumulator<V>();
    for (const std::string matrix : {"block-dense:n=3216,block=16,blocks_per_row=5", "dense:rows=48,cols=1040"}) {
        const auto csr = convert_values<V>(generate<double>(matrix));
        const auto a = cuda::make_device_operator<V>("auto:columns=8", csr, accumulator, nullptr);
        ASSERT_EQ(a->specification(), "tile") << matrix;
        auto all = multiplied<V>(*a, {33, Layout::row_major, Layout::row_major, 0, Memory::device}, 2, 0, V(1));
        for (const Way& way : ways(true)) {
            SCOPED_TRACE(::testing::Message() << matrix << ", " << way);
            auto fresh = multiplied<V>(*a, way, 2, 0, static_cast<V>(kNaN));
            auto sum = multiplied<V>(*a, way, -2.5, 0.5, V(1));
            for (int c = 0; c < way.columns; ++c) {
                const auto x = x_of<V>(csr.cols, c);
                const std::vector<V> ones(static_cast<std::size_t>(csr.rows), V(1));
                const auto result =
                    check_product<V>(expected_product<V>(csr, -2.5, x, 0.5, ones), sum.column(c), accumulator);
                EXPECT_TRUE(result.ok) << result.message();
                if (way.columns == 1) continue;
                const auto one = fresh.column(c);
                const auto other = all.column(c);
                EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof(V)), 0) << "column " << c;
            }
            if (::testing::Test::HasFailure()) return;
        }
    }
}

using ColumnsOnDevice = OnDevice;
TEST_F(ColumnsOnDevice, AreWhatAutoChoosesBy) {
    const auto csr = matrix_for_columns<double>();
    const auto chosen = [](const std::string& columns, const CsrMatrix<double>& matrix) {
        return std::string(
            cuda::make_device_operator<double>("auto:columns=" + columns, matrix, Accumulator::float64, nullptr)
                ->specification());
    };
    EXPECT_EQ(chosen("8", csr), "csr-spmm");
    EXPECT_EQ(chosen("100", csr), "csr-spmm");
    EXPECT_THAT(chosen("1", csr), ::testing::Not(HasSubstr("spmm")));
    EXPECT_EQ(chosen("8", generate<double>("laplace2d:n=130")), "csr-spmm");
    EXPECT_EQ(chosen("32", generate<double>("laplace2d:n=130")), "sell-spmm") << "wider rows of X";
    EXPECT_EQ(chosen("8", generate<double>("laplace2d:n=257")), "sell-spmm") << "more rows";
    EXPECT_EQ(chosen("8", generate<double>("fem:n=18,dof=3")), "csr-spmm");
    EXPECT_EQ(chosen("32", generate<double>("fem:n=18,dof=3")), "sell-spmm") << "rows multiplied together";
    const auto a = cuda::make_device_operator<double>("cusparse-spmm", csr, Accumulator::float64, nullptr);
    EXPECT_THAT(test::message_of([&] {
                    static_cast<void>(
                        multiplied<double>(*a, {3, Layout::row_major, Layout::row_major, 0, Memory::device}, 1, 0, 0));
                }),
                HasSubstr("multiples of 16 bytes"));
}

/// A thread multiplies several columns.
void expect_bits_of_rows(const cuda::DeviceOperator<double>& a, int columns) {
    const Way way{columns, Layout::column_major, Layout::column_major, 0, Memory::device};
    auto by_columns = multiplied<double>(a, way, 1, 0, kNaN);
    auto by_rows =
        multiplied<double>(a, {columns, Layout::row_major, Layout::row_major, 0, Memory::device}, 1, 0, kNaN);
    for (int c = 0; c < columns; ++c) EXPECT_EQ(by_columns.column(c), by_rows.column(c)) << "column " << c;
}

TEST_F(ColumnsOnDevice, OfLargeGridsHaveTheBitsOfRows) {
    const auto a = cuda::make_device_operator<double>("sell-spmm", generate<double>("laplace2d:n=750"),
                                                      Accumulator::float64, nullptr);
    for (const int columns : {2, 3, 4, 5, 8, 13}) expect_bits_of_rows(*a, columns);
}

/// Y is written to rows first, in passes of 8 columns.
TEST_F(ColumnsOnDevice, OfManyRowsOfDifferentLengthsHaveTheBitsOfRows) {
    const auto csr = generate<double>("delaunay:n=600000");
    const auto a = cuda::make_device_operator<double>("sell-spmm", csr, Accumulator::float64, nullptr);
    for (const int columns : {4, 5, 13}) expect_bits_of_rows(*a, columns);
    const Way by_columns{5, Layout::column_major, Layout::column_major, 3, Memory::device};
    const Way by_rows{5, Layout::row_major, Layout::row_major, 0, Memory::device};
    auto sum = multiplied<double>(*a, by_columns, -2.5, 0.5, 1);
    auto expected = multiplied<double>(*a, by_rows, -2.5, 0.5, 1);
    for (int c = 0; c < 5; ++c) EXPECT_EQ(sum.column(c), expected.column(c)) << "column " << c;
}

TEST_F(ColumnsOnDevice, HaveTheSameBitsHoweverManyRowsAreMultipliedTogether) {
    const auto csr = generate<double>("fem:n=12,dof=5");
    const auto product = [&](const std::string& rows) {
        const auto a = cuda::make_device_operator<double>("sell-spmm:rows=" + rows, csr, Accumulator::float64, nullptr);
        return multiplied<double>(*a, {9, Layout::row_major, Layout::row_major, 0, Memory::device}, 1, 0, kNaN).values;
    };
    for (const char* rows : {"2", "3", "5"}) EXPECT_EQ(product(rows), product("1")) << rows;
}

/// Of rows that are cut, by a block of columns that is copied to rows, whose chunks are wider than its columns.
template <class V>
void expect_copied_rows_to_be_right(Accumulator accumulator) {
    const auto csr = convert_values<V>(generate<double>("dense:rows=200,cols=1500"));
    const auto a = cuda::make_device_operator<V>("csr-spmm", csr, accumulator, nullptr);
    for (const int columns : {9, 13}) {
        auto by_rows =
            multiplied<V>(*a, {columns, Layout::row_major, Layout::row_major, 0, Memory::device}, 1, 0, V(0));
        auto copied =
            multiplied<V>(*a, {columns, Layout::column_major, Layout::column_major, 0, Memory::device}, 1, 0, V(0));
        for (int c = 0; c < columns; ++c) {
            const auto expected = expected_product<V>(csr, 1, x_of<V>(csr.cols, c), 0, {});
            const auto result = check_product<V>(expected, copied.column(c), accumulator);
            EXPECT_TRUE(result.ok) << result.message();
            EXPECT_TRUE(copied.column(c) == by_rows.column(c)) << columns << ", " << c;
        }
    }
}

TEST_F(ColumnsOnDevice, OfCutRowsAreRightWhereXIsCopied) {
    expect_copied_rows_to_be_right<double>(Accumulator::float64);
    expect_copied_rows_to_be_right<float>(Accumulator::float64);
    expect_copied_rows_to_be_right<float>(Accumulator::float32);
    expect_copied_rows_to_be_right<Half>(Accumulator::float32);
}

TEST_F(ColumnsOnDevice, TakeScalarsInDeviceMemory) {
    const auto csr = matrix_for_columns<double>();
    const std::vector<double> factors{2, -1, 0};
    const cuda::DeviceBuffer<double> there(std::span<const double>(factors), nullptr);
    const auto alpha = Scalar::on_device(there.data());
    const auto beta = Scalar::on_device(there.data() + 1);
    const auto zero = Scalar::on_device(there.data() + 2);
    for (const std::string name : {"sell-spmm", "csr-spmm", "csr-merge"}) {
        const auto a = cuda::make_device_operator<double>(name, csr, Accumulator::float64, nullptr);
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            const Way way{5, layout, layout, 1, Memory::device};
            auto known = multiplied<double>(*a, way, 2, -1, 3);
            auto read = multiplied<double>(*a, way, alpha, beta, 3);
            auto none = multiplied<double>(*a, way, zero, zero, kNaN);
            auto host_zero = multiplied<double>(*a, way, 0, 2, 3);
            for (int c = 0; c < way.columns; ++c) {
                EXPECT_EQ(read.column(c), known.column(c)) << name;
                EXPECT_EQ(none.column(c), std::vector<double>(known.rows)) << name;
                EXPECT_EQ(host_zero.column(c), std::vector<double>(known.rows, 6)) << name;
            }
        }
    }
}

TEST_F(ColumnsOnDevice, PropagateInfinityAndNaNWithinTheirColumn) {
    const auto csr = matrix_for_columns<double>();
    HostBlock<double> x(csr.cols, 4, Layout::row_major, 0);
    for (int c = 0; c < 4; ++c) x.set(c, x_of<double>(csr.cols, c));
    for (std::size_t r = 0; r < x.rows; r += 5) x.at(r, 2) = r % 2 == 0 ? kInf : kNaN;
    for (const std::string name : {"sell-spmm", "csr-spmm"}) {
        const auto a = cuda::make_device_operator<double>(name, csr, Accumulator::float64, nullptr);
        HostBlock<double> y(csr.rows, 4, Layout::row_major, 0);
        a->apply(1, x.block(), 0, y.block());
        for (int c = 0; c < 4; ++c) {
            const auto expected = expected_product<double>(csr, 1, x.column(c), 0, {});
            const auto result = check_product<double>(expected, y.column(c));
            EXPECT_TRUE(result.ok) << name << ": " << result.message();
        }
    }
}

TEST_F(ColumnsOnDevice, AreMultipliedByNewValues) {
    const auto csr = matrix_for_columns<float>();
    auto doubled = csr.clone();
    for (float& value : doubled.values) value *= 2;
    for (const std::string name : {"sell-spmm:steps=9", "sell-spmm:steps=9,rows=3", "csr-spmm"}) {
        const auto a = cuda::make_device_operator<float>(name, csr, Accumulator::float64, nullptr);
        const auto b = cuda::make_device_operator<float>(name, doubled, Accumulator::float64, nullptr);
        a->update_values(std::span<const float>(doubled.values.data(), doubled.values.size()));
        const Way way{8, Layout::row_major, Layout::row_major, 0, Memory::device};
        EXPECT_EQ(multiplied<float>(*a, way, 1, 0, 0).values, multiplied<float>(*b, way, 1, 0, 0).values) << name;
    }
}

// Under compute-sanitizer.
using SanitizerColumns = OnDevice;
TEST_F(SanitizerColumns, OfSpmmOperators) {
    const auto csr = matrix_for_columns<double>();
    const auto narrow = matrix_for_columns<Half>();
    for (const std::string name : {"sell-spmm:steps=64", "sell-spmm:steps=64,rows=3", "csr-spmm"}) {
        const auto a = cuda::make_device_operator<double>(name, csr, Accumulator::float64, nullptr);
        const auto b = cuda::make_device_operator<Half>(name, narrow, Accumulator::float32, nullptr);
        for (const Layout layout : {Layout::row_major, Layout::column_major}) {
            for (const int columns : {2, 3, 8, 9, 32}) {
                const Way way{columns, layout, layout, 0, Memory::device};
                auto y = multiplied<double>(*a, way, 1, 0, 1);
                EXPECT_TRUE(check_product<double>(expected_product<double>(csr, 1, x_of<double>(csr.cols, 0), 0, {}),
                                                  y.column(0))
                                .ok);
                static_cast<void>(multiplied<Half>(*b, way, 1, 0, Half(1)));
            }
        }
    }
    const auto grid = cuda::make_device_operator<double>("sell-spmm", generate<double>("laplace2d:n=750"),
                                                         Accumulator::float64, nullptr);
    const auto apart = cuda::make_device_operator<double>("sell-spmm", generate<double>("delaunay:n=600000"),
                                                          Accumulator::float64, nullptr);
    const auto full = cuda::make_device_operator<double>("auto:columns=8", generate<double>("dense:rows=48,cols=1040"),
                                                         Accumulator::float64, nullptr);
    const auto long_rows = cuda::make_device_operator<double>(
        "csr-spmm", generate<double>("uniform:n=501,cols=2000,per_row=700"), Accumulator::float64, nullptr);
    expect_bits_of_rows(*long_rows, 9);
    for (const int columns : {2, 3, 8, 32}) {
        expect_bits_of_rows(*grid, columns);
        expect_bits_of_rows(*apart, columns);
        expect_bits_of_rows(*full, columns);
    }
}

}  // namespace
}  // namespace tilespmv::testing
