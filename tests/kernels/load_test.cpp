// Matrices by name, in any type of values.
#include "kernels/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/archive/archive.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

constexpr const char* kGrid = "laplace2d:n=20";

class LoadSource : public ::testing::Test {
protected:
    std::string file(const char* name, const std::string& text) { return directory_.file(name, text).string(); }
    std::string archive(const char* name, const TileMatrix<double>& m) {
        write_archive(directory_.path() / name, m, formats::format_table());
        return (directory_.path() / name).string();
    }
    test::TemporaryDirectory directory_;
};

TEST_F(LoadSource, GivesEachFormAsItIsStored) {
    const auto csr = generate<double>(kGrid);
    const auto tiles = convert(csr, *make_policy("paper"));
    const auto generated = std::string("gen:") + kGrid;
    const auto of_tiles = archive("tiles.tsp", tiles);
    EXPECT_EQ(stored_form(generated), Form::csr);
    EXPECT_EQ(stored_form(of_tiles), Form::tiles);
    EXPECT_NE(load_source<double>(generated).find_csr(), nullptr);
    ASSERT_NE(load_source<double>(of_tiles).find_tiles(), nullptr);
    EXPECT_EQ(load_source<double>(of_tiles).find_tiles()->bytes(), tiles.bytes());
    for (const auto& name : {generated, of_tiles}) {
        EXPECT_EQ(load_source<double>(name).csr(), csr) << name;
        EXPECT_EQ(load_csr<double>(name), csr) << name;
        std::vector<double> x(400, 0.5), y(400), expected(400);
        make_operator<double>("csr-omp", load_source<double>(name))->apply(1, x, 0, y);
        make_operator<double>("csr-omp", csr)->apply(1, x, 0, expected);
        EXPECT_EQ(y, expected) << name;
    }
}

TEST_F(LoadSource, ConvertsValues) {
    const auto csr = generate<double>(kGrid);
    const auto of_tiles = archive("tiles.tsp", convert(csr, *make_policy("paper")));
    EXPECT_EQ(stored_value_type(of_tiles), "float64");
    EXPECT_EQ(stored_value_type(std::string("gen:") + kGrid), "");
    EXPECT_EQ(load_source<float>(of_tiles).csr(), convert_values<float>(csr));
    EXPECT_EQ(load_source<Half>(of_tiles).csr(), convert_values<Half>(csr));
    auto large = csr.clone();
    large.values[7] = 1e300;
    const auto name = archive("large.tsp", convert(large, *make_policy("paper")));
    EXPECT_THAT(test::message_of([&] { (void)load_source<float>(name); }), ::testing::StartsWith("1: " + name + ": "));
}

TEST_F(LoadSource, ReadsMatrixMarketFilesAsItIsTold) {
    const auto name = file("p.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    ReadNotes notes;
    double last = 0;
    const LoadOptions options{
        .pattern_values = PatternValues::random, .progress = [&](double share) { last = share; }, .notes = &notes};
    const auto a = load_source<double>(name, options).csr().clone();
    EXPECT_TRUE(notes.is_pattern);
    EXPECT_EQ(last, 1);
    EXPECT_EQ(a.nnz(), 4);
    EXPECT_NE(a.values[0], 1);
    EXPECT_EQ(a.values[0], a.values[1]) << "symmetric";
    EXPECT_EQ(load_csr<double>(name).values[0], 1);
    LoadOptions limited;
    limited.limits.bytes = 16;
    limited.limits.ratio = 0;
    EXPECT_THROW((void)load_source<double>(name, limited), Error);
    int opened = 0;
    LoadOptions from_memory;
    from_memory.open = [&](const std::string& asked) {
        ++opened;
        return Input(asked, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n");
    };
    EXPECT_EQ(load_source<float>("any", from_memory).csr().values[0], 5);
    EXPECT_EQ(opened, 1) << "a pipe can be read once";
}

TEST_F(LoadSource, SaysWhatCannotBeRead) {
    EXPECT_THAT(test::message_of([&] { (void)load_source<double>("nowhere.mtx"); }),
                ::testing::StartsWith("1: nowhere.mtx: "));
    EXPECT_THAT(test::message_of([&] { (void)load_source<double>("gen:magic"); }), ::testing::StartsWith("2: "));
    const std::string strips = TILESPMV_TEST_DATA "/archive/strips_version2.tsp";
    EXPECT_THAT(test::message_of([&] { (void)load_source<double>(strips); }),
                ::testing::StartsWith("1: " + strips + ": an archive of strips; this version reads archives of tiles"));
}

}  // namespace
}  // namespace tilespmv
