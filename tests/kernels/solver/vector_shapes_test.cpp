#include "kernels/solver/vector_shapes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "selector/models/profile.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/selector/models/synthetic.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::solver {
namespace {

/// Of a machine on which `axpy` was measured.
Profile profile_of_axpy() {
    Profile profile;
    profile.probe = test::h200_like();
    VectorProfile axpy{.work = {"axpy", false, 2, 1, 8}, .values = "float64", .points = {}, .model = {}};
    for (const auto& [n, shapes] : plan_of_measurements(axpy.work, profile.probe)) {
        for (const auto& shape : shapes) {
            axpy.points.push_back({n, shape, test::vector_seconds(axpy.work, shape, n)});
        }
    }
    profile.vectors = {axpy, axpy};
    profile.vectors[1].work.kernel = "a kernel of another version";
    fit_models(profile);
    return profile;
}

TEST(ShapesOn, AreThoseOfTheProfileThatDecides) {
    constexpr std::size_t n = 40'000;
    const Profile profile = profile_of_axpy();
    const VectorShapes by_default(n, 8, 132);
    ChosenShapes by_tree;
    choose_vector_shapes(profile, n, 8, by_tree);
    const LaunchShape of_tree = by_tree.at("axpy").shape;
    ASSERT_NE(of_tree, by_default.of(VectorKernelId::axpy)) << "the test needs another one";
    const test::TemporaryDirectory folder;
    write_profile(folder.path() / "profile.json", profile);
    setenv("TILESPMV_PROFILE", (folder.path() / "profile.json").c_str(), 1);
    const VectorShapes shapes = shapes_on("any GPU", n, 8, 132);
    setenv("TILESPMV_PROFILE", "none", 1);
    const VectorShapes without = shapes_on("any GPU", n, 8, 132);
    unsetenv("TILESPMV_PROFILE");
    EXPECT_EQ(shapes.of(VectorKernelId::axpy), of_tree);
    EXPECT_EQ(shapes.of(VectorKernelId::copy), by_default.of(VectorKernelId::copy));
    EXPECT_EQ(without.of(VectorKernelId::axpy), by_default.of(VectorKernelId::axpy));
}

TEST(ShapesOn, OfOneKernelAreTheUsersAndOfOthersThoseThatTheLibraryCarries) {
    constexpr std::size_t n = 40'000;
    constexpr const char* gpu = "NVIDIA H200";
    const test::TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    unsetenv("TILESPMV_PROFILE");
    const VectorShapes carried = shapes_on(gpu, n, 8, 132);
    ASSERT_NE(carried.of(VectorKernelId::direction), VectorShapes(n, 8, 132).of(VectorKernelId::direction));
    Profile own = profile_of_axpy();
    own.vectors[0].model.tree = {{0, kEndless, {64, 3, 7}}};
    write_profile(default_profile_file(gpu), own);  // not checked
    const VectorShapes shapes = shapes_on(gpu, n, 8, 132);
    EXPECT_EQ(shapes.of(VectorKernelId::axpy), (LaunchShape{64, 3, 7}));
    EXPECT_EQ(shapes.of(VectorKernelId::direction), carried.of(VectorKernelId::direction));
    EXPECT_NE(shapes_on(gpu, n, 4, 132).of(VectorKernelId::axpy), (LaunchShape{64, 3, 7})) << "carried for float32";
}

}  // namespace
}  // namespace tilespmv::solver
