#pragma once

#include <cstddef>

#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"
#include "tests/tools/tune/fake_measurer.hpp"
#include "tools/tune/benchmark_set.hpp"
#include "tools/tune/tune.hpp"

namespace tilespmv::tools {

/// Tunes with the tiny set into a file of its own, by times that are planted.
class TuneTest : public ::testing::Test {
protected:
    TuneTest() {
        options.file = folder.path() / "profile.json";
        options.set = "tiny";
        options.sources = find_benchmark_set("tiny").sources;
        options.date = "2026-11-22T20:31:00Z";
        options.build = {"0.1.0", "abc", 13000, 12080};
    }
    [[nodiscard]] static std::size_t points(const Profile& profile) {
        std::size_t sum = 0;
        for (const auto& one : profile.matrices) sum += one.products.size();
        return sum;
    }

    test::TemporaryDirectory folder;
    test::FakeMeasurer gpu;
    TuneOptions options;
};

}  // namespace tilespmv::tools
