#include "kernels/operators/csr/shape_options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/message_of.hpp"

namespace tilespmv::cuda {
namespace {

VectorShape vector_shape_of(const char* specification, const std::vector<offset_t>& lengths) {
    Options options("operator", specification);
    std::vector<offset_t> row_ptrs{0};
    for (const offset_t length : lengths) row_ptrs.push_back(row_ptrs.back() + length);
    const auto rows = static_cast<index_t>(row_ptrs.size() - 1);
    return read_vector_shape(options, rows, row_ptrs.back(), [&] { return row_lengths(row_ptrs); }, {});
}

TEST(CsrVectorOptions, AreFollowedAndCompleted) {
    const std::vector<offset_t> lengths(100, 8);
    EXPECT_EQ(vector_shape_of("csr-vector", lengths), (VectorShape{2, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=rows", lengths), (VectorShape{2, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:flight=1", lengths), (VectorShape{8, 1}));
    EXPECT_EQ(vector_shape_of("csr-vector:flight=8", {12, 16}), (VectorShape{2, 8}));
    EXPECT_EQ(vector_shape_of("csr-vector", std::vector<offset_t>(7'000, 64)), (VectorShape{16, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:threads=8", std::vector<offset_t>(100'000, 64)), (VectorShape{8, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean", lengths), (VectorShape{8, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean,flight=1", lengths), (VectorShape{8, 1}));
    EXPECT_EQ(vector_shape_of("csr-vector:threads=32", lengths), (VectorShape{32, 4}));
    EXPECT_EQ(vector_shape_of("csr-vector:rule=mean", {}), (VectorShape{2, 4}));
}

TEST(CsrVectorOptions, RefuseARuleBesideThreadsAndUnknownRules) {
    const auto expect_refused = [](const std::string& specification, const std::string& message) {
        EXPECT_EQ(test::message_of([&] { vector_shape_of(specification.c_str(), {8}); }),
                  "2: operator '" + specification + "': " + message);
    };
    expect_refused("csr-vector:rule=mean,threads=4", "threads are either given or chosen by a rule");
    expect_refused("csr-vector:rule=median", "rule=median, expected mean or rows");
}

/// `read(option=value)` gives each of `values` back and refuses their neighbours.
template <class Read>
void expect_values(const std::string& option, const std::vector<int>& values, Read&& read) {
    for (const int value : values) {
        EXPECT_EQ(read(option + std::to_string(value)), value) << option;
        for (const int other : {value - 1, value + 1}) {
            if (std::ranges::count(values, other) > 0 || other == 0) continue;
            EXPECT_THROW(read(option + std::to_string(other)), Error) << option << other;
        }
    }
}

TEST(CsrShapeOptions, TakeThePowersOfTwoThatTheyList) {
    const auto vector = [](int VectorShape::*member) {
        return [member](const std::string& text) { return vector_shape_of(text.c_str(), {8}).*member; };
    };
    expect_values("csr-vector:threads=", {2, 4, 8, 16, 32}, vector(&VectorShape::threads));
    expect_values("csr-vector:flight=", {1, 4, 8}, vector(&VectorShape::flight));
}

}  // namespace
}  // namespace tilespmv::cuda
