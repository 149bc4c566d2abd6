// Archives of strips: what is written comes back, what is damaged is refused or harmless.
#include "kernels/operators/strip/archive.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/operators/strip/strip.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "kernels/operators/strip/verify_strips.hpp"
#include "kernels/registry.hpp"
#include "tests/support/arrival.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/strip_sample.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/tile/archive/archive_bytes.hpp"

namespace tilespmv::testing {
namespace {

using archive::Header;
using test::message_of;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr double kAllStrips = std::numeric_limits<double>::infinity();

template <class T>
bool same_bytes(const Buffer<T>& a, const Buffer<T>& b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

template <Value V>
bool same_strips(const StripMatrix<V>& a, const StripMatrix<V>& b) {
    const Strips& s = a.strips;
    const Strips& t = b.strips;
    return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && same_bytes(s.runs, t.runs) &&
           same_bytes(s.tile_rows, t.tile_rows) && same_bytes(s.bases, t.bases) && same_bytes(s.codes, t.codes) &&
           same_bytes(s.masks, t.masks) && s.rest == t.rest && s.value_bytes == t.value_bytes &&
           s.together == t.together && s.slots == t.slots && s.nonzeros == t.nonzeros &&
           same_bytes(a.values, b.values) && same_matrix(a.rest, b.rest);
}

template <class V>
class StripArchive : public ::testing::Test {
protected:
    test::TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "A.tsp";
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(StripArchive, ValueTypes);

TYPED_TEST(StripArchive, GivesBackStripsAndCsrOfEveryMatrix) {
    for (const auto& [name, matrix] : matrix_battery()) {
        const auto a = convert_values<TypeParam>(matrix);
        for (const double most_bytes : {0.0, 1.0, kAllStrips}) {
            SCOPED_TRACE(name);
            const auto m = make_strip_matrix(a, most_bytes);
            EXPECT_TRUE(same_matrix(to_csr(m), a));
            write_archive(this->file_, m);
            const auto opened = open_strips<TypeParam>(this->file_);
            EXPECT_TRUE(same_strips(opened, m));
            EXPECT_TRUE(same_matrix(to_csr(opened), a));
        }
    }
}

TYPED_TEST(StripArchive, SaysWhatItHolds) {
    write_archive(this->file_, strip_sample<TypeParam>());
    EXPECT_EQ(archive_kind(Input(this->file_)), "strip");
    EXPECT_EQ(archive_value_type(Input(this->file_)), value_name<TypeParam>());
    const std::string about = "1: " + this->file_.string() + ": ";
    using Other = std::conditional_t<std::same_as<TypeParam, double>, float, double>;
    EXPECT_EQ(message_of([&] { open_strips<Other>(this->file_); }),
              about + "holds " + std::string(value_name<TypeParam>()) + " values, expected " +
                  std::string(value_name<Other>()));
    EXPECT_EQ(message_of([&] { open_archive<TypeParam>(this->file_, formats::format_table()); }),
              about + "holds a matrix of the kind 'strip', expected 'tile'");
}

using StripArchiveOfDoubles = StripArchive<double>;

/// The bytes that tile/FORMAT.md promises, read at the places that it names: 17 x 20, (0, 3), (1, 4) and (16, 3).
TEST_F(StripArchiveOfDoubles, HasTheDocumentedLayout) {
    CsrMatrix<double> a{17, 20, Buffer<offset_t>(18, 2), {3, 4, 3}, {1.5, 2.5, -1.0}};
    a.row_ptrs[0] = 0;
    a.row_ptrs[1] = 1;
    a.row_ptrs[17] = 3;
    write_archive(file_, make_strip_matrix(a, kAllStrips));
    const auto content = test::content_of(file_);
    const auto number = [&]<class T>(std::size_t offset, T value) {
        std::memcpy(&value, content.data() + offset, sizeof(value));
        return value;
    };
    const auto place = [&](std::size_t section) { return number(64 + section * 24, std::uint64_t{}); };
    const auto bytes = [&](std::size_t section) { return number(64 + section * 24 + 8, std::uint64_t{}); };
    EXPECT_EQ(number(8, std::uint32_t{}), 2u);
    EXPECT_EQ(content.substr(352, 1024), std::string(1024, '\0'));
    EXPECT_EQ(content.substr(1376, 16), std::string("strip").append(11, '\0'));
    EXPECT_EQ(number(1392, std::uint32_t{}), 2u) << "values of a row side by side";
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < 12; ++i) sizes.push_back(bytes(i));
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{16, 8, 32, 64, 16, 256, 0, 8, 0, 0, 0, 0}));
    EXPECT_EQ(number(place(0) + 12, std::uint16_t{}), 1) << "slots";
    EXPECT_EQ(number(place(0) + 14, std::uint8_t{}), 2) << "strips";
    EXPECT_EQ(number(place(0) + 15, std::uint8_t{}), 1 << 5) << "holes";
    EXPECT_EQ(number(place(1) + 4, std::uint32_t{}), 1u) << "tile row of the second strip";
    EXPECT_EQ(number(place(2), std::int32_t{}), 3) << "base of the first slot";
    EXPECT_EQ(number(place(2) + 16, std::int32_t{}), 3 - 16);
    EXPECT_EQ(number(place(3) + 2, std::uint16_t{}), 1) << "row 1 has its nonzero one column on";
    EXPECT_EQ(number(place(4), std::uint8_t{}), 0b0001'0001) << "rows 0 and 1 have the first slot";
    EXPECT_EQ(number(place(5) + 8, double{}), 2.5);
    EXPECT_EQ(number(place(5) + 128, double{}), -1.0);
    // Covers the sums of all sections, hence every byte: archives that exist depend on it.
    EXPECT_EQ(number(16, std::uint64_t{}), 920032391998540652u);
}

TEST(StripArchiveOfVersion2, IsStillUnderstood) {
    const auto m = open_strips<double>(TILESPMV_TEST_DATA "/archive/strips_version2.tsp");
    EXPECT_TRUE(same_matrix(to_csr(m), strip_sample_csr()));
    EXPECT_FALSE(m.strips.rest.empty());
}

TEST_F(StripArchiveOfDoubles, LeavesTheFileAlone) {
    const auto m = strip_sample();
    write_archive(file_, m);
    const auto before = test::content_of(file_);
    auto opened = open_strips<double>(file_);
    opened.values[0] = 7;
    EXPECT_EQ(test::content_of(file_), before);
    std::filesystem::remove(file_);
    EXPECT_EQ(opened.values[0], 7);
}

TEST(StripMatrix, ValuesAreRearrangedAsStripsThatAreMadeSo) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto m = make_strip_matrix(a, {.most_bytes = kAllStrips});
        ASSERT_EQ(m.strips.together, 2);
        for (const int together : {1, 2, 4}) {
            const auto made = make_strips(a, {.together = together, .most_bytes = kAllStrips});
            EXPECT_EQ(rearranged(m.strips, m.values, together), in_strips(made, a.row_ptrs, a.values));
        }
    }
}

/// Products of strips that are made as strip-omp makes them from CSR.
template <class V>
void expect_same_products(const CsrMatrix<V>& a, const test::TemporaryDirectory& directory) {
    constexpr double most_bytes = static_cast<double>(sizeof(V) + 4) / (sizeof(V) + 2);
    write_archive(directory.path() / "A.tsp",
                  make_strip_matrix(a, {.value_bytes = sizeof(V), .most_bytes = most_bytes}));
    const auto m = open_strips<V>(directory.path() / "A.tsp");
    std::vector<V> x(static_cast<std::size_t>(a.cols));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<V>(1 + i % 97) / V{7};
    const std::vector<V> poison(static_cast<std::size_t>(a.rows), std::numeric_limits<V>::quiet_NaN());
    auto expected = poison;
    const auto of_csr = make_operator<V>("strip-omp", a);
    of_csr->apply(V{2}, x, V{0}, expected);
    for (const auto* name : {"strip-omp", "auto"}) {
        auto y = poison;
        const auto of_strips = make_operator<V>(name, m);
        of_strips->apply(V{2}, x, V{0}, y);
        EXPECT_EQ(of_strips->name(), "strip-omp");
        EXPECT_EQ(of_strips->executed(), of_csr->executed());
        EXPECT_EQ(y, expected);
    }
}

template <class V>
class StripArchiveOnCpu : public ::testing::Test {};
using CpuTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(StripArchiveOnCpu, CpuTypes);

TYPED_TEST(StripArchiveOnCpu, GivesTheProductsOfCsrBitForBit) {
    const test::TemporaryDirectory directory;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        expect_same_products(convert_values<TypeParam>(matrix), directory);
    }
    expect_same_products(convert_values<TypeParam>(strips_beside_others()), directory);
}

std::string archived(const StripMatrix<double>& m) {
    const test::TemporaryDirectory directory;
    write_archive(directory.path() / "A.tsp", m);
    return test::content_of(directory.path() / "A.tsp");
}

const std::string& sample() {
    static const std::string content = archived(strip_sample());
    return content;
}

/// What opening says.
std::string verdict(std::string_view content) {
    return test::error_of([&] { test::open_strip_bytes<double>(content); });
}

TEST(StripArchiveDamage, TheSampleHasSomethingInEverySection) {
    EXPECT_EQ(verdict(sample()), "no error");
    for (std::size_t i = 0; i < 10; ++i) EXPECT_GT(test::header_of(sample()).sections[i].bytes, 0u) << i;
}

TEST(StripArchiveDamage, EveryChangedByteIsNoticed) {
    std::string content = sample();
    for (std::size_t i = 0; i < content.size(); ++i) {
        content[i] = static_cast<char>(content[i] ^ 1 << i % 8);
        ASSERT_THAT(verdict(content), AllOf(StartsWith("A.tsp: "), Not(HasSubstr("\n")))) << "byte " << i;
        content[i] = sample()[i];
    }
}

TEST(StripArchiveDamage, EveryTruncationIsNoticed) {
    for (std::size_t size = 0; size < sample().size(); size += 7) {
        ASSERT_THAT(verdict(sample().substr(0, size)),
                    StartsWith(size < 8 ? "A.tsp: not a .tsp archive" : "A.tsp: truncated: "))
            << size;
    }
}

/// Every bit of the header and of every array but the values, with checksums that are right: whoever changes strips so
/// is refused, or has made strips of some matrix.
TEST(StripArchiveDamage, EveryBitThatMeansHarmIsRefusedOrHarmless) {
    const Header header = test::header_of(sample());
    std::string content = sample();
    int accepted = 0;
    const auto flip = [&](std::size_t first, std::size_t end) {
        for (std::size_t bit = first * 8; bit < end * 8; ++bit) {
            content[bit / 8] = static_cast<char>(content[bit / 8] ^ 1 << bit % 8);
            test::reseal(content);
            const auto said = test::error_of([&] { test::use(test::open_strip_bytes<double>(content)); });
            accepted += said == "no error" ? 1 : 0;
            ASSERT_THAT(said, AnyOf("no error", AllOf(StartsWith("A.tsp: "), Not(HasSubstr("\n"))))) << "bit " << bit;
            content = sample();
        }
    };
    flip(12, 64);
    flip(1376, sizeof(Header));
    for (std::size_t i = 0; i < archive::kSections; ++i) {
        const auto section = header.sections[i];
        const bool has_values = i == 5 || i == 9;
        flip(64 + i * 24, 64 + i * 24 + 16);
        if (!has_values) flip(section.offset, section.offset + section.bytes);
    }
    EXPECT_GT(accepted, 0) << "a column that moves";
}

struct Damage {
    std::string name;
    std::string message;
    std::function<void(StripMatrix<double>&)> apply;
};

/// What differs from the good sample.
std::vector<Damage> broken_strips() {
    const auto at = [](auto& buffer, auto... place) -> auto& {
        return buffer[static_cast<std::size_t>((place + ...))];
    };
    return {
        {"together", "3 values of a row side by side, expected 1, 2 or 4", [](auto& m) { m.strips.together = 3; }},
        {"negative", "negative size -1 x", [](auto& m) { m.rows = -1; }},
        {"first_slot", "run 1 does not go on", [](auto& m) { ++m.strips.runs[1].first_slot; }},
        {"first_strip", "run 1 does not go on", [](auto& m) { --m.strips.runs[1].first_strip; }},
        {"first_quad", "run 1 does not go on", [](auto& m) { ++m.strips.runs[1].first_quad; }},
        {"groups", "run 0 is none", [](auto& m) { m.strips.runs[0].groups_log2 = 2; }},
        {"no_strips", "run 0 is none", [](auto& m) { m.strips.runs[0].strips = 0; }},
        {"unused", "run 0 is none", [](auto& m) { m.strips.runs[0].unused = 1; }},
        {"values", "runs of ", [](auto& m) { m.values.truncate(m.values.size() - 16); }},
        {"tile_rows", "runs of ", [](auto& m) { m.strips.tile_rows.truncate(1); }},
        {"masks", "runs of ", [](auto& m) { m.strips.masks.truncate(8); }},
        {"twice", "tile row ", [at](auto& m) { at(m.strips.tile_rows, 0) = at(m.strips.tile_rows, 1); }},
        {"outside", "tile row ", [at](auto& m) { at(m.strips.tile_rows, 0) = 1U << 30; }},
        {"range", "rest: rows ", [](auto& m) { m.strips.rest[0].end += 1; }},
        {"range_beyond", "rest: rows ", [](auto& m) { m.strips.rest.back().end = m.rows + 16; }},
        {"missing", "6 tile rows in strips and rest, expected 7", [](auto& m) { m.strips.rest.pop_back(); }},
        {"base", "tile row 6: a nonzero is not in the matrix of 102 x 90",
         [](auto& m) { m.strips.bases[0] += 1 << 20; }},
        {"rest_column", "rest: CSR: row ", [](auto& m) { m.rest.col_idxs[0] = m.cols; }},
        {"rest_outside", "rest: nonzeros in rows 96 to 102 of strips",
         [](auto& m) {
             for (std::size_t r = 95; r < 102; ++r) --m.rest.row_ptrs[r];
         }},
        {"nnz", "328 nonzeros in strips and 23 in the rest, expected 352 in all", [](auto& m) { ++m.nnz; }},
    };
}

class StripsDamaged : public ::testing::TestWithParam<Damage> {};

TEST_P(StripsDamaged, AreRefusedInOneLineThatSaysWhy) {
    auto m = strip_sample();
    ASSERT_NO_THROW(validate(m));
    GetParam().apply(m);
    EXPECT_THAT(message_of([&] { validate(m); }), StartsWith("1: " + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Every, StripsDamaged, ::testing::ValuesIn(broken_strips()),
                         [](const auto& instance) { return instance.param.name; });

TEST(StripsDamaged, HolesThatAreNone) {
    const CsrMatrix<double> a{3, 20, {0, 2, 2, 4}, {0, 17, 1, 18}, {1.0, 2.0, 3.0, 4.0}};
    const auto refused = [&](auto&& damage) {
        auto bad = make_strip_matrix(a, kAllStrips);
        damage(bad);
        return message_of([&] { validate(bad); });
    };
    EXPECT_EQ(refused([](auto&) {}), "0: ");
    EXPECT_EQ(refused([](auto& b) { b.values[1] = -0.0; }), "1: tile row 0: a hole has a value");
    EXPECT_EQ(refused([](auto& b) { b.strips.runs[0].holes = 0; }), "1: tile row 0 has holes, its run has none");
    EXPECT_EQ(refused([](auto& b) { b.strips.codes[1] = 1; }), "1: run 0: a hole has a column");
    EXPECT_EQ(refused([](auto& b) { b.strips.codes[0] = 1; }), "1: run 0: a slot has no nonzero at its base");
    EXPECT_EQ(refused([](auto& b) { b.strips.bases[1] = 0; }), "1: run 0: columns of a row do not ascend");
    EXPECT_EQ(refused([](auto& b) { b.strips.bases[2] = 1; }), "1: run 0: bits behind the last slot");
    EXPECT_EQ(refused([](auto& b) { b.strips.masks[0] |= 4; }), "1: run 0: bits behind the last slot");
    EXPECT_EQ(refused([](auto& b) { b.strips.bases[1] = 19; }),
              "1: tile row 0: a nonzero is not in the matrix of 3 x 20");
    EXPECT_EQ(refused([](auto& b) { b.strips.masks[2] |= 1; }),
              "1: tile row 0: a nonzero is not in the matrix of 3 x 20");
    EXPECT_EQ(refused([](auto& b) { b.strips.masks[0] &= 0xfd; }), "1: run 0: a slot has no nonzero at its base");
}

}  // namespace
}  // namespace tilespmv::testing
