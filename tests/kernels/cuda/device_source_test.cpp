// Matrices that are in the memory of a GPU: what is checked of them, what `auto` takes, whose arrays are multiplied.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/source.hpp"
#include "selector/csr_shapes.hpp"
#include "tests/kernels/cuda/counting_memory.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::DeviceArrays;
using ::testing::HasSubstr;

template <class P>
class DeviceSource : public OnDevice {};
using RowPointers = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(DeviceSource, RowPointers);

TYPED_TEST(DeviceSource, IsValidWhereTheMatrixIs) {
    for (const auto& [name, csr] : matrix_battery()) {
        SCOPED_TRACE(name);
        EXPECT_NO_THROW(cuda::validate(MatrixOnGpu<TypeParam>(csr).view));
    }
    EXPECT_NO_THROW(cuda::validate(MatrixOnGpu<TypeParam>(generate<double>("rmat:scale=14,degree=20")).view));
}

TYPED_TEST(DeviceSource, IsRefusedWithTheWordsOfTheHost) {
    const auto right = generate<double>("rmat:scale=12,degree=8");
    const auto nnz = static_cast<std::size_t>(right.nnz());
    const auto rows = static_cast<std::size_t>(right.rows);
    std::size_t row = rows / 2;  // of two nonzeros and more
    while (right.row_ptrs[row + 1] - right.row_ptrs[row] < 2) ++row;
    const auto first = static_cast<std::size_t>(right.row_ptrs[row]);
    const std::vector<std::function<void(CsrMatrix<double>&)>> faults{
        [&](auto& a) { a.col_idxs[first] = -1; },
        [&](auto& a) { a.col_idxs[nnz - 1] = a.cols; },
        [&](auto& a) { a.col_idxs[0] = std::numeric_limits<index_t>::min(); },
        [&](auto& a) { a.col_idxs[first + 1] = a.col_idxs[first]; },
        [&](auto& a) { std::swap(a.col_idxs[first + 1], a.col_idxs[first]); },
        [&](auto& a) { a.row_ptrs[row] = a.row_ptrs[row + 1] + 1; },
        [&](auto& a) { a.row_ptrs[row] = -5; },
        [&](auto& a) { a.row_ptrs[row] = a.nnz() + 100'000'000; },
        [&](auto& a) { a.row_ptrs[0] = 1; },
        [&](auto& a) { a.row_ptrs[rows] = a.nnz() - 1; },
    };
    for (std::size_t i = 0; i < faults.size(); ++i) {
        SCOPED_TRACE(i);
        auto a = right.clone();
        faults[i](a);
        const auto message = test::message_of([&] { validate(a); });
        EXPECT_NE(message, "");
        EXPECT_EQ(test::message_of([&] { cuda::validate(MatrixOnGpu<TypeParam>(a).view); }), message);
    }
    auto on_host = MatrixOnGpu<TypeParam>(right).view;
    on_host.col_idxs = right.col_idxs.data();
    EXPECT_EQ(test::message_of([&] { cuda::validate(on_host); }),
              "1: the columns of a matrix in device memory are not in device memory");
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

/// `auto` takes the operator that it takes for the matrix on the host, which multiplies to the same bits.
template <class P, class V>
void expect_same_choice(const std::string& generator) {
    SCOPED_TRACE(generator);
    const auto csr = generate<V>(generator);
    const auto of_host = cuda::make_device_operator<V>(csr, nullptr);
    std::unique_ptr<cuda::DeviceOperator<V>> a;
    {
        const MatrixOnGpu<P, V> there(csr);
        a = cuda::make_device_operator<V>(there.view, nullptr);
    }  // it has arrays of its own
    EXPECT_EQ(a->specification(), of_host->specification());
    EXPECT_EQ(a->matrix_bytes(), of_host->matrix_bytes());
    expect_csr_back(*a, csr);
    const auto x = numbers<V>(csr.cols, 1);
    const std::vector<V> nan(static_cast<std::size_t>(csr.rows), static_cast<V>(kNaN));
    EXPECT_TRUE(same_bits(product<V>(*a, 1, x, 0, nan), product<V>(*of_host, 1, x, 0, nan))) << a->specification();
    const std::size_t row_bytes = (static_cast<std::size_t>(csr.rows) + 1) * sizeof(P);
    const std::size_t all = static_cast<std::size_t>(csr.nnz()) * sizeof(index_t);
    EXPECT_LE(a->facts().bytes_to_host, row_bytes + all + std::max<std::size_t>(all / 4, 4'000'000));
    const std::vector<V> ones(static_cast<std::size_t>(csr.nnz()), static_cast<V>(1));
    if (!a->takes_new_values()) return;
    const auto values = on_gpu(ones);
    a->update_values(values.span(), nullptr);
    of_host->update_values(std::span<const V>(ones), nullptr);
    TILESPMV_CUDA(cudaDeviceSynchronize());
    EXPECT_TRUE(same_bits(product<V>(*a, 1, x, 0, nan), product<V>(*of_host, 1, x, 0, nan))) << a->specification();
}

constexpr const char* kGenerators[] = {
    "laplace2d:n=60",
    "laplace2d:n=500",
    "laplace3d:n=60",
    "fem:n=12,dof=3",
    "rmat:scale=15,degree=16",
    "arrow:n=90000",
    "banded:n=90000,half=3",
    "dense:rows=640,cols=640",
    "stencil27:n=30",
    "uniform:n=20,cols=90000,per_row=20000",
    "uniform:n=300000,cols=300000,per_row=8",
    "hypersparse:n=900000,nnz=300000",
    "uniform:n=3000,cols=90000,per_row=150",
};

TYPED_TEST(DeviceSource, IsChosenForAsTheMatrixOnTheHostIs) {
    for (const char* generator : kGenerators) {
        expect_same_choice<TypeParam, double>(generator);
        expect_same_choice<TypeParam, float>(generator);
        expect_same_choice<TypeParam, Half>(generator);
    }
}

TYPED_TEST(DeviceSource, IsKeptWhereAnOperatorDoesNotGiveItBack) {
    const MatrixOnGpu<TypeParam> there(generate<double>("rmat:scale=9,degree=9"));
    const auto a = cuda::make_device_operator<double>("coo", there.view, Accumulator::float64, nullptr);
    EXPECT_EQ(test::message_of([&] { a->to_csr({}, nullptr); }),
              "1: operator coo does not give its matrix back; keep its CSR form");
}

TYPED_TEST(DeviceSource, IsReadInPlaceOrCopiedAsItsViewSays) {
    const auto csr = generate<double>("uniform:n=300000,cols=300000,per_row=8");
    MatrixOnGpu<TypeParam> there(csr);
    const auto is_in_place = [&](const char* specification, DeviceArrays arrays) {
        auto view = there.view;
        view.arrays = arrays;
        const auto a = cuda::make_device_operator<double>(specification, view, Accumulator::float64, nullptr);
        return a->facts().no_new_values == kReadInPlace;
    };
    EXPECT_TRUE(is_in_place("csr-vector", DeviceArrays::by_operator));
    EXPECT_TRUE(is_in_place("csr-vector", DeviceArrays::in_place));
    EXPECT_FALSE(is_in_place("csr-vector", DeviceArrays::copied));
    EXPECT_FALSE(is_in_place("auto", DeviceArrays::by_operator));
    EXPECT_FALSE(is_in_place("sell", DeviceArrays::in_place)) << "it has a form of its own";
}

template <class P, class V>
void expect_same_as_of_host(const char* name, const CsrMatrix<V>& csr) {
    SCOPED_TRACE(name);
    const auto& info = find_operator<V>(Backend::cuda, name);
    const auto make = [&](const Source<V>& source) {
        return unless_refused(
            info, [&] { return cuda::make_device_operator<V>(name, source, default_accumulator<V>(), nullptr); });
    };
    const MatrixOnGpu<P, V> there(csr);
    const auto a = make(there.view);
    const auto of_host = make(csr);
    ASSERT_EQ(a == nullptr, of_host == nullptr);
    if (!a) return;
    // Row pointers of 64 bits are read where they are; of the host's 32 are copied.
    const std::size_t wider = info.reads_csr_in_place ? there.row_ptrs.size() * (sizeof(P) - sizeof(std::int32_t)) : 0;
    EXPECT_EQ(a->matrix_bytes(), of_host->matrix_bytes() + wider);
    const auto x = numbers<V>(csr.cols, 1);
    const std::vector<V> nan(static_cast<std::size_t>(csr.rows), static_cast<V>(kNaN));
    EXPECT_TRUE(same_bits(product<V>(*a, 1, x, 0, nan), product<V>(*of_host, 1, x, 0, nan)));
    expect_csr_back(*a, csr);
    expect_csr_back(*of_host, csr);
}

// Codes of 16 and of 32 bits, inodes, diagonals: what is found on the GPU is what the host finds.
TYPED_TEST(DeviceSource, HasTheFormsThatTheHostMakes) {
    for (const char* one : {"csr-inode", "csr-inode:rows=3", "dia", "sell", "ell", "strip", "strip:bytes=0,ranks=1000",
                            "strip:bytes=1.2,ranks=1.1", "csr-vector", "csr-merge"}) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(name);
            expect_same_as_of_host<TypeParam, double>(one, csr);
        }
        for (const char* name : {"laplace2d:n=90", "fem:n=7,dof=3", "banded:n=9000,half=3", "stencil27:n=12",
                                 "uniform:n=3000,cols=900000,per_row=20", "arrow:n=30000", "rmat:scale=12,degree=9"}) {
            SCOPED_TRACE(name);
            expect_same_as_of_host<TypeParam, double>(one, generate<double>(name));
            expect_same_as_of_host<TypeParam, Half>(one, generate<Half>(name));
        }
    }
}

template <class P>
void expect_same_statistics(const CsrMatrix<double>& csr) {
    const MatrixOnGpu<P> there(csr);
    const Source<double> source(there.view);
    const RowStatistics& found = source.row_statistics();
    const RowStatistics expected = row_statistics({csr.row_ptrs.data(), csr.row_ptrs.size()});
    EXPECT_EQ(found.rounds, expected.rounds);
    EXPECT_EQ(found.squares, expected.squares);
    EXPECT_EQ(found.longest, expected.longest);
    EXPECT_EQ(found.empty, expected.empty);
    EXPECT_EQ(found.even, expected.even);
    EXPECT_EQ(found.tile_rows, expected.tile_rows);
    EXPECT_EQ(found.tile_rows, occupied_tile_rows(csr.row_ptrs, 0, csr.rows));
}

TYPED_TEST(DeviceSource, HasTheRowsThatTheHostCounts) {
    for (const auto& [name, csr] : matrix_battery()) {
        SCOPED_TRACE(name);
        expect_same_statistics<TypeParam>(csr);
    }
    for (const char* name : {"rmat:scale=16,degree=9", "dense:rows=640,cols=640", "arrow:n=30000",
                             "hypersparse:n=900000,nnz=300000", "uniform:n=20,cols=90000,per_row=20000"}) {
        SCOPED_TRACE(name);
        expect_same_statistics<TypeParam>(generate<double>(name));
    }
}

// Slices of rows of all lengths, cut rows, empty rows, padding.
TYPED_TEST(DeviceSource, HasTheSlicesThatAMatrixOfTheHostGets) {
    for (const char* name : {"rmat:scale=16,degree=9", "arrow:n=300000", "uniform:n=20,cols=90000,per_row=20000",
                             "hypersparse:n=900000,nnz=300000", "uniform:n=45000,cols=90000,per_row=20"}) {
        SCOPED_TRACE(name);
        const auto csr = generate<double>(name);
        for (const char* one : {"sell", "sell:steps=1", "sell:steps=3", "sell:steps=1024"})
            expect_same_as_of_host<TypeParam, double>(one, csr);
        expect_same_as_of_host<TypeParam, float>("sell", generate<float>(name));
    }
}

using DeviceSourceForAuto = OnDevice;
// Of a matrix that is in the memory of the GPU: it, the operator, and what its preparation takes for a while.
TEST_F(DeviceSourceForAuto, TakesAtMostHalfMoreThanMatrixAndOperatorAtThePeak) {
    for (const char* name : {"laplace2d:n=400", "rmat:scale=16,degree=9", "fem:n=20,dof=3", "banded:n=40000,half=9"}) {
        const auto csr = generate<double>(name);
        const MatrixOnGpu<std::int32_t> there(csr);
        const std::size_t matrix = there.row_ptrs.bytes() + there.col_idxs.bytes() + there.values.bytes();
        auto view = there.view;
        view.arrays = DeviceArrays::copied;
        for (const char* one : {"csr-vector", "csr-merge", "sell", "csr-inode", "ell", "dia", "strip"}) {
            SCOPED_TRACE(std::string(name) + ' ' + one);
            const auto memory = std::make_shared<CountingMemory>();
            const auto a = unless_refused(find_operator<double>(Backend::cuda, one), [&] {
                return cuda::make_device_operator<double>(one, view, Accumulator::float64, {nullptr, memory});
            });
            if (!a) continue;
            EXPECT_GT(memory->held, a->device_bytes() / 2);
            EXPECT_LE(matrix + memory->most, (matrix + a->device_bytes()) * 3 / 2);
        }
    }
}

using LargeHostSource = OnDevice;
TEST_F(LargeHostSource, HasItsPlansMadeOnTheGpu) {
    const auto csr = generate<double>("rmat:scale=17,degree=9");
    ASSERT_GT(csr.nnz(), cuda::kMostPlannedOnHost);
    for (const char* one : {"sell", "csr-inode"}) expect_same_as_of_host<std::int32_t, double>(one, csr);
}

// Of these nothing but what is found of the rows, or row pointers, goes to the host; of others their columns do.
TYPED_TEST(DeviceSource, GoesToTheHostAsFarAsAPlanNeedsIt) {
    const auto csr = generate<double>("fem:n=12,dof=3");
    const MatrixOnGpu<TypeParam> there(csr);
    const auto bytes = [&](const char* specification) {
        return cuda::make_device_operator<double>(specification, there.view, Accumulator::float64, nullptr)
            ->facts()
            .bytes_to_host;
    };
    const std::size_t rows = (static_cast<std::size_t>(csr.rows) + 1) * sizeof(TypeParam);
    const std::size_t columns = csr.col_idxs.bytes();
    for (const char* name : {"csr-scalar", "csr-vector", "csr-merge", "ell"})
        EXPECT_EQ(bytes(name), sizeof(RowStatistics)) << name;
    for (const char* name : {"sell", "csr-inode"}) EXPECT_LT(bytes(name), sizeof(RowStatistics) + 4096) << name;
    EXPECT_LT(bytes("strip"), sizeof(RowStatistics) + 1000) << "sizes";
    EXPECT_EQ(bytes("coo"), rows + columns + csr.values.bytes());
    EXPECT_EQ(cuda::make_device_operator<double>("sell", csr, Accumulator::float64, nullptr)->facts().bytes_to_host,
              0U);
}

using SanitizerDeviceSource = OnDevice;
TEST_F(SanitizerDeviceSource, IsMadeIntoEveryFormThatIsMadeThere) {
    for (const char* name : {"rmat:scale=9,degree=9", "arrow:n=3000", "fem:n=4,dof=3", "hypersparse:n=9000,nnz=300"}) {
        SCOPED_TRACE(name);
        const auto csr = generate<double>(name);
        for (const char* one : {"csr-vector", "csr-merge", "strip", "csr-inode", "ell", "dia", "sell", "sell:steps=8"})
            expect_same_as_of_host<std::int32_t, double>(one, csr);
    }
}

TEST_F(SanitizerDeviceSource, IsCheckedSampledAndMultiplied) {
    const auto csr = generate<double>("rmat:scale=13,degree=32");
    const MatrixOnGpu<std::int32_t> there(csr);
    EXPECT_NO_THROW(cuda::validate(there.view));
    const auto a = cuda::make_device_operator<double>(there.view, nullptr);
    const auto x = numbers<double>(csr.cols, 1);
    const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
    const auto result =
        check_product<double>(expected_product<double>(csr, 1, x, 0, {}), product<double>(*a, 1, x, 0, nan));
    EXPECT_TRUE(result.ok) << result.message();
    expect_same_choice<std::int64_t, double>("laplace2d:n=220");  // whose diagonals are counted
}

TEST_F(DeviceSourceForAuto, WithRowPointersThatFallIsRefused) {
    const MatrixOnGpu<std::int64_t> there(matrix_of(3, 5, {{0, 0}, {1, 2}}));
    const auto descending = on_gpu<std::int32_t>({0, 2, 1, 2});
    auto view = there.view;
    view.row_ptrs = descending.data();
    for (const char* name : {"auto", "csr-vector", "csr-merge", "sell", "ell", "strip"}) {
        EXPECT_EQ(test::message_of(
                      [&] { (void)cuda::make_device_operator<double>(name, view, Accumulator::float64, nullptr); }),
                  "1: CSR: row_ptrs descends from 2 to 1 at row 1")
            << name;
    }
}

}  // namespace
}  // namespace tilespmv::testing
