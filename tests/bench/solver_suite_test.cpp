#include "bench/solver_suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::bench {
namespace {

using test::message_of;
using ::testing::ElementsAre;

TEST(SolverSuites, NameSystemsToRepeat) {
    EXPECT_EQ(solver_suites().front().name, "systems") << "the default";
    EXPECT_EQ(systems_of(find_solver_suite("systems"), "nowhere").size(), 10U);
    const SolverSuite& on_two = find_solver_suite("two-gpus");
    EXPECT_EQ(on_two.gpus, 2);
    EXPECT_THAT(systems_of(on_two, "nowhere"), ElementsAre("laplace3d:n=244", "stencil27:n=156"));
    EXPECT_EQ(message_of([] { find_solver_suite("magic"); }),
              "2: unknown suite 'magic'; there are systems, real, two-gpus");
}

TEST(SolverSuites, RealSystemsAreFilesOfAFolder) {
    const test::TemporaryDirectory folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    for (const char* name : {"ibmpg1.mtx.xz", "ibmpg2.mtx", "bcsstk16.mtx.gz", "bcsstk25.mtx", "bcsstk28.mtx.xz"})
        folder.file(name, "");
    const auto systems = [&] { return systems_of(find_solver_suite("real"), folder.path()); };
    EXPECT_EQ(
        message_of(systems),
        "1: " + folder.path().string() +
            ": has no fem_cylhead_poisson.mtx, .mtx.gz, .mtx.xz or .mtx.zst; say with --matrices where these are");
    folder.file("fem_cylhead_poisson.mtx", "");
    EXPECT_THAT(systems(), ElementsAre(path("ibmpg1.mtx.xz"), path("ibmpg2.mtx"), path("bcsstk16.mtx.gz"),
                                       path("bcsstk25.mtx"), path("bcsstk28.mtx.xz"), path("fem_cylhead_poisson.mtx")));
}

}  // namespace
}  // namespace tilespmv::bench
