#include "tile/generate/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tile/generate/generator.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A number before each specification of a file.
std::map<std::string, std::uint64_t> table(const std::string& name) {
    std::ifstream in(std::string(TILESPMV_TEST_DATA "/generate/") + name);
    std::map<std::string, std::uint64_t> rows;
    std::string specification;
    for (std::string number; in >> number >> specification;) rows[specification] = std::stoull(number, nullptr, 0);
    return rows;
}

/// A small matrix of every kind and what it hashes to: generators must not change from one version to the next, or
/// measurements could not be repeated.
const auto kGolden = table("kinds.txt");
/// The same of other parameters: each of every kind, at its ends where those are small.
const auto kGoldenOfParameters = table("parameters.txt");

template <class T>
std::uint64_t hash(const Buffer<T>& buffer, std::uint64_t seed) {
    return XXH3_64bits_withSeed(buffer.data(), buffer.bytes(), seed);
}

template <Value V>
std::uint64_t hash(const CsrMatrix<V>& a) {
    return hash(a.values, hash(a.col_idxs, hash(a.row_ptrs, static_cast<std::uint64_t>(a.cols))));
}

std::string kind_of(const std::string& specification) { return specification.substr(0, specification.find(':')); }

std::vector<std::string> golden_specifications() {
    std::vector<std::string> specifications(kGolden.size());
    std::ranges::transform(kGolden, specifications.begin(), [](const auto& entry) { return entry.first; });
    return specifications;
}

class EveryKind : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Generate, EveryKind, ::testing::ValuesIn(golden_specifications()), [](const auto& test) {
    std::string name = kind_of(test.param);
    std::erase(name, '-');
    return name;
});

TEST_P(EveryKind, IsValidAndHasItsGoldenHash) {
    const auto a = generate<double>(GetParam());
    validate(a);
    EXPECT_GT(a.nnz(), 1000);
    EXPECT_EQ(hash(a), kGolden.at(GetParam())) << std::hex << "0x" << hash(a);
}

TEST_P(EveryKind, DoesNotDependOnTheNumberOfThreads) {
    const auto expected = generate<double>(GetParam());
    for (const int count : {1, 2, 5}) {
        const test::Threads threads(count);
        EXPECT_EQ(generate<double>(GetParam()), expected) << count << " threads";
    }
}

TEST_P(EveryKind, NarrowerValuesAreTheRoundedDoubles) {
    const auto doubles = generate<double>(GetParam());
    EXPECT_EQ(generate<float>(GetParam()), convert_values<float>(doubles));
    EXPECT_EQ(generate<Half>(GetParam()), convert_values<Half>(doubles));
    EXPECT_EQ(generate<Bfloat16>(GetParam()), convert_values<Bfloat16>(doubles));
}

TEST_P(EveryKind, SeedChangesTheValues) {
    const std::string specification = GetParam();
    const std::string kind = kind_of(specification);
    if (kind == "laplace3d" || kind == "stencil27" || kind == "elasticity") {
        EXPECT_EQ(generate<double>(specification + ",seed=5"), generate<double>(specification)) << "textbook matrix";
    } else {
        EXPECT_FALSE(generate<double>(specification + ",seed=5") == generate<double>(specification));
    }
}

TEST(Generate, OtherParametersHaveTheirGoldenHashes) {
    for (const auto& [specification, expected] : kGoldenOfParameters) {
        const auto a = generate<double>(specification);
        validate(a);
        EXPECT_EQ(hash(a), expected) << std::hex << "0x" << hash(a) << ' ' << specification;
    }
}

TEST(Generate, EveryParameterHasAGoldenHash) {
    const auto is_given = [](const std::string& kind, const std::string& option, const auto& golden) {
        return std::ranges::any_of(golden, [&](const auto& entry) {
            const std::string& specification = entry.first;
            return kind_of(specification) == kind && (specification.find(':' + option) != std::string::npos ||
                                                      specification.find(',' + option) != std::string::npos);
        });
    };
    for (const auto& info : generators()) {
        const std::string kind(info.name);
        for (const auto& p : info.parameters) {
            const auto option = std::string(p.name) + '=';
            EXPECT_TRUE(p.name == "seed" || is_given(kind, option, kGolden) ||
                        is_given(kind, option, kGoldenOfParameters))
                << kind << ' ' << p.name;
        }
    }
}

TEST(Generate, ListsEveryKindWithWhatItNeeds) {
    std::vector<std::string> listed, tested;
    for (const auto& info : generators()) {
        listed.emplace_back(info.name);
        EXPECT_FALSE(info.summary.empty() || info.resembles.empty()) << info.name;
        EXPECT_EQ(info.parameters.back().name, "seed") << info.name;
        for (const auto& p : info.parameters) {
            EXPECT_LE(p.min, p.default_value) << info.name << " " << p.name;
            EXPECT_GE(p.max, p.default_value) << info.name << " " << p.name;
        }
    }
    for (const auto& specification : golden_specifications()) tested.push_back(kind_of(specification));
    EXPECT_THAT(listed, ::testing::UnorderedElementsAreArray(tested));
}

TEST(Generate, DefaultsGiveAboutAMillionNonzeros) {
    for (const auto& info : generators()) {
        const auto nnz = generate<float>(info.name).nnz();
        EXPECT_GT(nnz, 800'000) << info.name;
        EXPECT_LT(nnz, 2'000'000) << info.name;
    }
}

TEST(Generate, SmallestSizesAndLargestParameters) {
    const auto nonzeros = table("nonzeros.txt");
    ASSERT_GT(nonzeros.size(), 40U);
    for (const auto& [specification, expected] : nonzeros) {
        const auto a = generate<double>(specification);
        validate(a);
        EXPECT_EQ(a.nnz(), static_cast<offset_t>(expected)) << specification;
    }
}

TEST(Generate, SaysWhatIsWrongWithASpecification) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"", "unknown generator ''; there are laplace2d, laplace3d, "},
        {"laplace4d:n=3", "unknown generator 'laplace4d'; there are laplace2d, "},
        {"rmat:n=3", "generator 'rmat:n=3': no option 'n'; it takes scale, degree, a, b, c, seed"},
        {"banded:n", "generator 'banded:n': found 'n', expected option=value"},
        {"banded:,n=3", "generator 'banded:,n=3': found '', expected option=value"},
        {"banded:n=", "found 'n=', expected option=value"},
        {"banded:", "found '', expected option=value"},
        {"banded:n=3,", "found '', expected option=value"},
        {"banded:n=3x", "n=3x, expected a whole number from 0 to 2147483647"},
        {"banded:n=1e999", "n=1e999, expected a whole number"},
        {"banded:n=3,n=4", "generator 'banded:n=3,n=4': 'n' is given twice"},
        {"banded:n=-1", "generator 'banded:n=-1': n=-1, expected a whole number from 0 to 2147483647"},
        {"banded:n=1.5", "n=1.5, expected a whole number from 0 to 2147483647"},
        {"banded:n=nan", "n=nan, expected a whole number"},
        {"banded:n=inf", "n=inf, expected a whole number"},
        {"banded:n=2147483648", "n=2147483648, expected a whole number"},
        {"banded:seed=9007199254740992", "expected a whole number from 0 to 9007199254740991"},
        {"banded:seed=18446744073709551616", "expected a whole number from 0 to 9007199254740991"},
        {"laplace2d:contrast=1", "contrast=1, expected a number from 0 to 0.99"},
        {"laplace2d:n=46341",
         "generator 'laplace2d:n=46341': 46341 x 46341 x 1 rows or columns are more than 2147483647"},
        {"stencil27:n=2147483647", "rows or columns are more than 2147483647"},
        {"fem:n=1000,dof=3", "1000000000 x 3 rows or columns are more than 2147483647"},
        {"laplace2d:jump=0.5", "jump=0.5, expected a number from 1 to 1000000000000"},
        {"laplace3d:jump=inf", "jump=inf, expected a number from 1 to 1000000000000"},
        {"laplace3d:block=0", "block=0, expected a whole number from 1 to 2147483647"},
        {"laplace2d:aniso=0", "aniso=0, expected a number from 1e-12 to 1000000000000"},
        {"elasticity:n=0", "generator 'elasticity:n=0': n=0, expected a whole number from 1 to 2147483647"},
        {"elasticity:nu=0.5", "nu=0.5, expected a number from 0 to 0.4999"},
        {"elasticity:nu=-0.1", "nu=-0.1, expected a number from 0 to 0.4999"},
        {"elasticity:jump=0", "jump=0, expected a number from 1 to 1000000000000"},
        {"elasticity:dof=2", "no option 'dof'; it takes n, nu, jump, block, nx, ny, nz, seed"},
        {"elasticity:n=1000", "3 x 1001 x 1001 x 1000 rows or columns are more than 2147483647"},
        {"kkt:n=2e9", "generator 'kkt:n=2e9': 3000000000 rows or columns are more than 2147483647"},
        {"uniform:n=5,per_row=6", "generator 'uniform:n=5,per_row=6': per_row=6, expected a whole number from 0 to 5"},
        {"block-dense:n=33,blocks_per_row=4", "blocks_per_row=4, expected a whole number from 0 to 3"},
        {"arrow:n=2,width=3", "width=3, expected a whole number from 0 to 2"},
        {"circuit:n=2,rails=3", "rails=3, expected a whole number from 0 to 2"},
        {"rmat:a=0.5,b=0.5,c=0.5", "generator 'rmat:a=0.5,b=0.5,c=0.5': a + b + c is more than 1"},
        {"hypersparse:n=0,nnz=1", "nnz=1, expected a whole number from 0 to 0"},
    };
    for (const auto& [specification, message] : mistakes) {
        const auto said = test::message_of([&] { generate<double>(specification); });
        EXPECT_THAT(said, AllOf(::testing::StartsWith("2: "), HasSubstr(message))) << specification;
    }
}

TEST(GeneratorParameters, DimensionsReachTheLargestIndex) {
    const GeneratorInfo kind{"kind", "", "", {}};
    const synthetic::Parameters parameters(kind, Options("generator", "kind"));
    EXPECT_EQ(parameters.dimension({2147483647}), 2147483647);
    EXPECT_EQ(parameters.dimension({1, 2147483647, 1}), 2147483647);
    EXPECT_THROW(static_cast<void>(parameters.dimension({2147483648})), Error);
}

TEST(Generate, RefusesWhatNoMachineCanHoldAtOnce) {
    EXPECT_THAT(test::message_of([] { generate<double>("dense:rows=2e9,cols=2e9"); }),
                AllOf(::testing::StartsWith("1: "), HasSubstr("out of memory: about 4e+18 nonzeros")));
}

}  // namespace
}  // namespace tilespmv::testing
