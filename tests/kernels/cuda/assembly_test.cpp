// Matrices that are assembled on a GPU from entries in any order.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/source.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/message_of.hpp"
#include "tile/csr.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

template <class Index>
struct Entries {
    index_t rows;
    index_t cols;
    std::vector<Index> row_idxs;
    std::vector<Index> col_idxs;
};

/// Some of them at the same place, some with a negative row or column.
template <class Index>
Entries<Index> entries(index_t rows, index_t cols, std::size_t count, index_t distinct_rows, index_t distinct_cols,
                       double skipped = 0.01) {
    std::mt19937 random(static_cast<unsigned>(count));
    const auto index = [&](index_t size, index_t distinct) {
        const auto one = std::uniform_int_distribution<std::int64_t>(0, distinct - 1)(random);
        return static_cast<Index>(one * (std::int64_t{size} / distinct));
    };
    Entries<Index> e{rows, cols, {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_skipped = std::uniform_real_distribution<double>()(random) < skipped;
        e.row_idxs.push_back(is_skipped && i % 2 == 0 ? Index{-1} : index(rows, distinct_rows));
        e.col_idxs.push_back(is_skipped && i % 2 == 1 ? Index{-7} : index(cols, distinct_cols));
    }
    return e;
}

/// By a stable sort on the host, every partial sum rounded to V.
template <class V, class Index>
CsrMatrix<V> assembled(const Entries<Index>& e, const std::vector<V>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) { return e.row_idxs[i] < 0 || e.col_idxs[i] < 0; });
    const auto place = [&](std::size_t i) { return std::pair(e.row_idxs[i], e.col_idxs[i]); };
    std::ranges::stable_sort(order, {}, place);
    std::vector<index_t> cols;
    std::vector<V> sums;
    Buffer<offset_t> row_ptrs(static_cast<std::size_t>(e.rows) + 1, 0);
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t i = order[k];
        if (k > 0 && place(order[k - 1]) == place(i)) {
            sums.back() = static_cast<V>(widened(sums.back()) + widened(values[i]));
            continue;
        }
        ++row_ptrs[static_cast<std::size_t>(e.row_idxs[i]) + 1];
        cols.push_back(static_cast<index_t>(e.col_idxs[i]));
        sums.push_back(values[i]);
    }
    std::partial_sum(row_ptrs.begin(), row_ptrs.end(), row_ptrs.begin());
    return {e.rows, e.cols, std::move(row_ptrs), Buffer<index_t>(std::span<const index_t>(cols)),
            Buffer<V>(std::span<const V>(sums))};
}

template <class Index>
class Assemblies : public OnDevice {};
using IndexTypes = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Assemblies, IndexTypes);

template <class V, class Index>
void expect_assembled(const Entries<Index>& e) {
    const auto rows = on_gpu(e.row_idxs);
    const auto cols = on_gpu(e.col_idxs);
    const auto count = static_cast<offset_t>(e.row_idxs.size());
    const cuda::Assembly assembly(e.rows, e.cols, rows.data(), cols.data(), count, nullptr);
    cuda::DeviceBuffer<V> values(static_cast<std::size_t>(assembly.nnz()), nullptr);
    const auto view = assembly.view(values.data());
    EXPECT_NO_THROW(cuda::validate(view));
    for (const int seed : {1, 2}) {
        const auto of_entries = numbers<V>(static_cast<index_t>(count), seed);
        const auto there = on_gpu(of_entries);
        assembly.sum(there.data(), values.data(), nullptr);
        const auto expected = assembled(e, of_entries);
        ASSERT_EQ(assembly.nnz(), expected.nnz());
        const Source<V> source(view);
        const CsrMatrix<V>& got = source.csr();
        EXPECT_TRUE(got.row_ptrs == expected.row_ptrs);
        EXPECT_TRUE(got.col_idxs == expected.col_idxs);
        EXPECT_EQ(std::memcmp(got.values.data(), expected.values.data(), expected.values.bytes()), 0);
    }
}

TYPED_TEST(Assemblies, AreThoseOfTheHostBitByBit) {
    for (const auto& e :
         {entries<TypeParam>(3000, 2000, 100'000, 300, 200),    // many duplicates
          entries<TypeParam>(3000, 2000, 100'000, 3000, 2000),  // few
          entries<TypeParam>(50'000, 70'000, 90'000, 50'000, 70'000, 0),
          entries<TypeParam>(7, 2'000'000'000, 5000, 7, 2000), entries<TypeParam>(3'000'000, 5, 5000, 4000, 5),
          entries<TypeParam>(1, 1, 3000, 1, 1),      // one place
          entries<TypeParam>(4, 4, 100, 4, 4, 1.1),  // none of them
          entries<TypeParam>(5, 3, 0, 1, 1)}) {
        SCOPED_TRACE(std::to_string(e.rows) + " x " + std::to_string(e.cols));
        expect_assembled<double>(e);
        expect_assembled<float>(e);
        expect_assembled<Half>(e);
        expect_assembled<Bfloat16>(e);
    }
}

TYPED_TEST(Assemblies, OfDifferentPlacesOnlyArePutInOrder) {
    Entries<TypeParam> e{500, 400, {}, {}};
    for (int i = 0; i < 200'000; ++i) {
        const int place = static_cast<int>((std::int64_t{i} * 7919) % 200'000);
        e.row_idxs.push_back(place / 400);
        e.col_idxs.push_back(place % 400);
    }
    expect_assembled<double>(e);
    expect_assembled<Half>(e);
}

TYPED_TEST(Assemblies, NameTheFirstEntryOutside) {
    auto e = entries<TypeParam>(300, 200, 5000, 300, 200);
    const auto error = [&] {
        const auto rows = on_gpu(e.row_idxs);
        const auto cols = on_gpu(e.col_idxs);
        return test::message_of([&] { cuda::Assembly(300, 200, rows.data(), cols.data(), 5000, nullptr); });
    };
    e.row_idxs[4000] = 300;
    e.col_idxs[4000] = 5;
    EXPECT_EQ(error(), "2: entry 4000 is at row 300, column 5 (from 0) of a matrix of 300 x 200");
    e.row_idxs[17] = 0;
    e.col_idxs[17] = std::numeric_limits<TypeParam>::max();
    EXPECT_THAT(error(), HasSubstr("entry 17 is at row 0, column "));
    e.row_idxs[17] = -1;
    EXPECT_THAT(error(), HasSubstr("entry 4000")) << "a negative row leaves the entry out";
}

using SanitizerAssembly = OnDevice;
TEST_F(SanitizerAssembly, OfFewEntries) {
    expect_assembled<double>(entries<std::int32_t>(300, 200, 3000, 100, 100));
    expect_assembled<Half>(entries<std::int64_t>(300, 200, 1000, 300, 200));
}

using AssembledOperators = OnDevice;
TEST_F(AssembledOperators, TakeNewSumsInAGraph) {
    const auto e = entries<std::int32_t>(9000, 9000, 400'000, 3000, 9000);
    const auto rows = on_gpu(e.row_idxs);
    const auto cols = on_gpu(e.col_idxs);
    const auto count = static_cast<index_t>(e.row_idxs.size());
    const cuda::Stream stream;
    const cuda::Assembly assembly(e.rows, e.cols, rows.data(), cols.data(), count, stream.get());
    cuda::DeviceBuffer<double> values(static_cast<std::size_t>(assembly.nnz()), stream.get());
    auto there = on_gpu(numbers<double>(count, 1));
    assembly.sum(there.data(), values.data(), stream.get());
    const auto x = numbers<double>(e.cols, 1);
    const std::vector<double> nan(static_cast<std::size_t>(e.rows), kNaN);
    for (const char* name : {"auto", "csr-merge", "sell", "strip"}) {
        SCOPED_TRACE(name);
        auto view = assembly.view(values.data());
        view.arrays = cuda::DeviceArrays::copied;
        const auto a = cuda::make_device_operator<double>(name, view, Accumulator::float64, stream.get());
        const cuda::Graph graph(stream.get(), [&] {
            assembly.sum(there.data(), values.data(), stream.get());
            a->update_values(values.span(), stream.get());
        });
        for (const int seed : {2, 3}) {
            const auto of_entries = numbers<double>(count, seed);
            there.upload(std::span<const double>(of_entries), stream.get());
            graph.launch();
            stream.synchronize();
            const auto expected = cuda::make_device_operator<double>(a->specification(), assembled(e, of_entries),
                                                                     Accumulator::float64, nullptr);
            const auto y = product<double>(*a, 1, x, 0, nan);
            const auto z = product<double>(*expected, 1, x, 0, nan);
            EXPECT_EQ(std::memcmp(y.data(), z.data(), y.size() * sizeof(double)), 0);
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
