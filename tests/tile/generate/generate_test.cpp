#include "tile/generate/generate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tile/error.hpp"
#include "tile/generate/generator.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

/// A small matrix of every kind and what it hashes to: generators must not change from one version to the next, or
/// measurements could not be repeated.
const std::map<std::string, std::uint64_t> kGolden{
    {"laplace2d:n=37,contrast=0.5", 0xe1fea03e464f1e9c},
    {"laplace3d:n=9,ny=11", 0x1b6458313bd27d15},
    {"stencil27:n=9,nz=5", 0x5a10e6a045c64c53},
    {"fem:n=7,dof=3,jitter=0.3", 0xe671f0ffdfd7ff86},
    {"elasticity:n=4", 0xc0364584ecc57ede},
    {"banded:n=501,half=25", 0xe46c200cc1b587b1},
    {"block-dense:n=333,blocks_per_row=4", 0x85782d1fd8b8029c},
    {"uniform:n=300,cols=451,per_row=20", 0xf61952e3a2035f2e},
    {"rmat:scale=9,degree=8", 0x8a1475c2e90c4bc4},
    {"kronecker:scale=9,degree=8", 0x96923e7221d4aaa1},
    {"delaunay:n=24001", 0xbaf23e5b0533a50},
    {"rgg:n=5003", 0x4337a5ab2c9fdaab},
    {"road-like:n=70", 0xd9528df500d057ba},
    {"powerlaw:n=1111", 0xe91e0f1bb8f0296e},
    {"circuit:n=5555", 0x6f9f4a0b45b21315},
    {"arrow:n=601,width=3,half=2", 0x54d078fb440f32f4},
    {"kkt:n=5001", 0x44d8b7fa07a04da7},
    {"qcd:n=3,nt=4", 0x2cd2754735d4d286},
    {"dense:rows=37,cols=50", 0xee5b11f54a00f403},
    {"hypersparse:n=20000,nnz=3000", 0xc94af6dc43506432},
    {"web:n=3000,degree=9", 0x6040b5a781d2b94d},
    {"pose-graph:n=70,dof=3", 0xb9040f4ea86f05ce},
    {"volumes:n=300,dof=2", 0x47e4807ce80b6dba},
};

/// The same of other parameters: each of every kind, at its ends where those are small.
const std::map<std::string, std::uint64_t> kGoldenOfParameters{
    {"laplace2d:nx=31,ny=7,contrast=0.99", 0x90e533933d4f1c41},
    {"laplace3d:nx=5,ny=6,nz=7,contrast=0.25", 0xa5820a7d23e5846b},
    {"laplace2d:n=30,jump=1e6", 0xf61a476a2b81dc8e},
    {"laplace2d:n=23,contrast=0.5,jump=1000,block=3,aniso=0.01", 0x26653e6755257ccd},
    {"laplace3d:n=9,jump=1e12,block=1", 0xc2cf60e164a949ee},
    {"laplace3d:nx=4,ny=9,nz=7,contrast=0.25,jump=7,block=2,aniso=1e12", 0xd64d8c3314a30768},
    {"stencil27:nx=7,ny=1,nz=6,contrast=0.5", 0x415ff1add4b7b308},
    {"fem:n=4,dof=1,jitter=1", 0x8841853474bdf84},
    {"fem:n=9,nx=3,ny=5,nz=1,dof=5", 0x254ba8651c2da466},
    {"elasticity:nx=3,ny=1,nz=5,nu=0", 0xfeef621eaa83443},
    {"elasticity:n=5,nu=0.4999,jump=1e12,block=2", 0xb2428d71189bb323},
    {"elasticity:n=10,nu=0.25,jump=3", 0x98ec93807a6340fd},
    {"banded:n=60,half=59", 0xe7bb9cc2ff9e9418},
    {"block-dense:n=100,block=7,blocks_per_row=14", 0x5cfb7d5651bf6fab},
    {"block-dense:n=64,block=1,blocks_per_row=5", 0x1a0f55a0ec72d39f},
    {"uniform:n=50,cols=64,per_row=33", 0x64fdc28e194485aa},
    {"uniform:n=50,cols=64,per_row=32", 0x641b0c87c5a9f10f},
    {"uniform:n=50,cols=0,per_row=16", 0xcbaf6292df9d5e2b},
    {"rmat:scale=6,degree=3,a=0.25,b=0.125,c=0.5", 0xcd68b5cc36101cc4},
    {"rmat:scale=7,degree=2,a=0,b=1,c=0", 0x1c8876d4301c2b0f},
    {"kronecker:scale=6,degree=3,seed=9007199254740991", 0xf3d608c7d61426de},
    {"delaunay:n=500,seed=0", 0x3f4eaed28d027c80},
    {"rgg:n=700,degree=0.5", 0x81ace217d4e4159b},
    {"rgg:n=700,degree=150", 0xd127963fc2c2246},
    {"road-like:n=9,chain=0", 0xfd6f83b4300a3243},
    {"road-like:n=9,chain=7", 0x520a0927ba098805},
    {"powerlaw:n=700,exponent=0", 0xde4259c452dc172a},
    {"powerlaw:n=700,degree=3,exponent=0.25", 0xd367411281fe0f79},
    {"powerlaw:n=701,exponent=0.3125", 0x705aace0a831161d},
    {"powerlaw:n=702,exponent=0.75", 0xa8db4c0379fcde09},
    {"powerlaw:n=703,exponent=0.9375", 0x4200eae0859cd409},
    {"circuit:n=400,near=5,reach=3,far=1,rails=2,fill=0.5", 0x9ff1e47dd689076f},
    {"circuit:n=400,near=0,reach=1,far=0,rails=1,fill=1", 0x236a7b7b0bac6b0},
    {"arrow:n=90,width=90,half=0", 0x396bda2ae1dd089e},
    {"arrow:n=90,width=0,half=7", 0x945c302fbfbe918f},
    {"kkt:n=90,m=70,coupling=1,per_row=2,reach=5", 0x46a15116e90c565b},
    {"kkt:n=91,m=120,coupling=9,per_row=9,reach=200", 0x347bbfc819c83a0},
    {"qcd:n=4,nt=1", 0x8bb8e4095402c9c},
    {"dense:rows=3,cols=70,seed=12", 0x8fa669dbb4b339a5},
    {"hypersparse:n=300,nnz=5", 0xd15c6f0c51652be3},
    {"uniform:n=90,cols=70,per_row=40,spread=1", 0x4d49a7d29f833845},
    {"web:n=501,exponent=0.75,site=100,near=1,run=9", 0x7bd1e5ddd110fcab},
    {"web:n=77,exponent=0,site=1,near=0", 0x4796d283b369623a},
    {"pose-graph:n=200,dof=1,closures=2.5,lap=30", 0xce3928ecf791a323},
    {"volumes:n=90,dof=1,jitter=1", 0x98b24f4b38b7dceb},
    {"volumes:n=200,dof=3,jitter=0.4", 0x3a790c10db02a979},
};

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
    const int before = omp_get_max_threads();
    const auto expected = generate<double>(GetParam());
    for (const int threads : {1, 2, 5}) {
        omp_set_num_threads(threads);
        EXPECT_EQ(generate<double>(GetParam()), expected) << threads << " threads";
    }
    omp_set_num_threads(before);
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
        EXPECT_EQ(hash(a), expected) << "{\"" << specification << std::hex << "\", 0x" << hash(a) << "},";
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
    const std::map<std::string, offset_t> nnz{
        {"laplace2d:n=1", 1},
        {"laplace3d:n=1", 1},
        {"stencil27:n=1", 1},
        {"fem:n=1,dof=2", 4},
        {"elasticity:n=1", 144},
        {"banded:n=1", 1},
        {"banded:n=0", 0},
        {"banded:n=5,half=0", 5},
        {"banded:n=10,half=2147483647", 100},
        {"arrow:n=10,width=1,half=2147483647", 100},
        {"arrow:n=10,width=10,half=2147483647", 100},
        {"rgg:n=5,degree=2147483647", 20},
        {"powerlaw:n=1,degree=2147483647", 1},
        {"uniform:n=2,cols=2147483647,per_row=1", 2},
        {"uniform:n=40,cols=9,per_row=9,spread=0", 360},
        {"web:n=1,near=1", 1},
        {"web:n=3,near=1,site=2,run=1000000", 6},
        {"pose-graph:n=1,dof=5", 25},
        {"pose-graph:n=4,dof=1,closures=1000", 16},
        {"volumes:n=1,dof=4", 16},
        {"volumes:n=2,dof=1,jitter=1", 4},
        {"circuit:n=1,near=0,far=0,rails=0", 1},
        {"circuit:n=1,near=1,reach=2147483647,far=0,rails=0", 1},
        {"kkt:n=1,m=1,per_row=1000000,reach=2147483647", 3},
        {"block-dense:n=0,blocks_per_row=0", 0},
        {"block-dense:n=1,blocks_per_row=1", 1},
        {"uniform:n=0,per_row=0", 0},
        {"uniform:n=1,per_row=1", 1},
        {"uniform:n=0,cols=5,per_row=5", 0},
        {"uniform:n=4,cols=5,per_row=5", 20},
        {"rmat:scale=0", 1},
        {"kronecker:scale=0", 0},
        {"delaunay:n=0", 0},
        {"delaunay:n=1", 0},
        {"delaunay:n=2", 2},
        {"delaunay:n=3", 6},
        {"rgg:n=0", 0},
        {"rgg:n=1", 0},
        {"rgg:n=7,degree=100", 42},
        {"road-like:n=1", 0},
        {"powerlaw:n=1", 1},
        {"circuit:n=0,rails=0", 0},
        {"circuit:n=1,rails=1", 1},
        {"arrow:n=1,width=1", 1},
        {"arrow:n=0,width=0", 0},
        {"kkt:n=1,m=1", 3},
        {"qcd:n=3,nt=1", 12636},
        {"dense:rows=0,cols=9", 0},
        {"dense:rows=9,cols=0", 0},
        {"hypersparse:n=0,nnz=0", 0},
        {"hypersparse:n=1,nnz=9", 1},
    };
    for (const auto& [specification, expected] : nnz) {
        SCOPED_TRACE(specification);
        const auto a = generate<double>(specification);
        validate(a);
        EXPECT_EQ(a.nnz(), expected);
    }
}

struct Mistake {
    std::string specification;
    std::string message;
};

TEST(Generate, SaysWhatIsWrongWithASpecification) {
    const std::vector<Mistake> mistakes{
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
        SCOPED_TRACE(specification);
        try {
            generate<double>(specification);
            ADD_FAILURE() << "accepted";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr(message));
            EXPECT_EQ(error.code(), ExitCode::usage);
        }
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
    try {
        generate<double>("dense:rows=2e9,cols=2e9");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("out of memory: about 4e+18 nonzeros"));
        EXPECT_EQ(error.code(), ExitCode::failure);
    }
}

}  // namespace
}  // namespace tilespmv::testing
