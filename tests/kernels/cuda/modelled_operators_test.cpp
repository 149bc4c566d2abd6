// That every operator with a model of the GPU can be made: one with a wrong option would never be measured.
#include "selector/models/modelled_operators.hpp"

#include <set>

#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

/// A grid, in the two forms that operators are made from.
template <class V>
struct Grid {
    CsrMatrix<V> csr = generate<V>("laplace2d:n=20");
    TileMatrix<V> tiles = convert(csr, *make_policy("paper"));

    void make(const std::string& specification) const {
        (void)cuda::make_device_operator<V>(specification, {csr, tiles}, default_accumulator<V>(), nullptr);
    }
};

std::vector<std::string> modelled_specifications() {
    std::vector<std::string> all;
    for (const auto& one : modelled_operators(true)) {
        if (!is_baseline(one)) all.push_back(specification_of(one));
    }
    return all;
}

/// What is wrong with a specification, as far as a machine without a GPU tells; else empty.
std::string usage_error_of(const std::string& specification) {
    try {
        Grid<double>().make(specification);
    } catch (const Error& error) {
        if (error.code() == ExitCode::usage) return error.what();
    }
    return "";
}

/// Their options have defaults that depend on the GPU, so that without one no option of theirs is read.
const std::set<std::string> kAskTheGpuFirst{"strip", "dia"};

TEST(ModelledDeviceOperators, HaveOptionsThatTheirOperatorsHave) {
    for (const auto& one : modelled_specifications()) {
        EXPECT_EQ(usage_error_of(one), "") << one;
        if (kAskTheGpuFirst.contains(one)) continue;
        const char next = one.find(':') == std::string::npos ? ':' : ',';
        EXPECT_NE(usage_error_of(one + next + "no-such-option=1"), "") << one << ": this test must see a wrong one";
    }
    EXPECT_NE(usage_error_of("coo:updatable=1"), "");
    EXPECT_NE(usage_error_of("csr-vector:threads=3"), "");
}

class ModelledOnDevice : public OnDevice {};

TEST_F(ModelledOnDevice, AreMadeForEveryTypeOfValues) {
    for (const auto& one : modelled_specifications()) {
        SCOPED_TRACE(one);
        EXPECT_NO_THROW(Grid<double>().make(one));
        EXPECT_NO_THROW(Grid<float>().make(one));
        EXPECT_NO_THROW(Grid<Half>().make(one));
        EXPECT_NO_THROW(Grid<Bfloat16>().make(one));
    }
}

}  // namespace
}  // namespace tilespmv::testing
