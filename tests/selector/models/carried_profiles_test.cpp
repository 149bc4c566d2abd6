#include "selector/models/carried_profiles.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/models/modelled_operators.hpp"
#include "selector/models/profile_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kMachine = "NVIDIA H200";

class CarriedProfiles : public ::testing::Test {
protected:
    CarriedProfiles() {
        setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
        unsetenv("TILESPMV_PROFILE");
    }
    void write(const fs::path& file, std::string_view bytes) const { std::ofstream(file, std::ios::binary) << bytes; }

    const test::TemporaryDirectory folder;
};

TEST_F(CarriedProfiles, AreCheckedModelsOfTheMachinesOfTheirNames) {
    ASSERT_FALSE(carried_profiles().empty());
    for (const CarriedProfile& carried : carried_profiles()) {
        const fs::path file = folder.path() / "carried.json.xz";
        write(file, carried.bytes);
        const Profile profile = read_profile(file);
        EXPECT_EQ(plain_machine_name(profile.probe.name), carried.machine);
        EXPECT_TRUE(profile.check.has_value()) << "or it would never decide";
        EXPECT_TRUE(profile.matrices.empty()) << "what was measured is not needed";
        std::set<std::string> modelled;
        for (const SpmvModel& model : profile.models) {
            EXPECT_EQ(model.costs.size(), model_terms().size()) << model.specification;
            if (model.sizes.value == 8) modelled.insert(model.specification);
        }
        const CostTable& rules = profile.probe.is_gpu ? gpu_costs() : cpu_costs();
        for (const Candidate& candidate : rules.candidates) {
            EXPECT_EQ(modelled.count(specification_of(candidate)), 1U) << specification_of(candidate);
        }
        for (const VectorProfile& one : profile.vectors) {
            EXPECT_TRUE(one.points.empty());
            EXPECT_FALSE(one.model.tree.empty()) << one.work.kernel;
        }
    }
}

TEST_F(CarriedProfiles, AreFoundWhereTheUserHasNone) {
    const FoundProfile found = find_profile({}, kMachine);
    ASSERT_NE(found.profile, nullptr);
    EXPECT_EQ(found.name, "tilespmv's own of NVIDIA H200");
    EXPECT_EQ(found.decides, decides(*found.profile));
    EXPECT_EQ(find_profile({}, kMachine).profile, found.profile) << "read once";
    EXPECT_EQ(find_profile({}, "NVIDIA H201").profile, nullptr);
    setenv("TILESPMV_PROFILE", "none", 1);
    EXPECT_EQ(find_profile({}, kMachine).profile, nullptr);
    unsetenv("TILESPMV_PROFILE");

    Profile own = *found.profile;
    own.check.reset();
    write_profile(default_profile_file(kMachine), own);
    EXPECT_EQ(find_profile({}, kMachine).name, default_profile_file(kMachine).string());
    EXPECT_FALSE(find_profile({}, kMachine).decides) << "the user's own is not checked";
}

TEST_F(CarriedProfiles, ThatAreCutOffOrNotCompressedAreRefused) {
    const std::string_view bytes = carried_profiles()[0].bytes;
    const fs::path file = folder.path() / "p.json.xz";
    for (const std::size_t size : {bytes.size() / 2, bytes.size() - 1}) {
        write(file, bytes.substr(0, size));
        const std::string message = test::message_of([&] { read_profile(file); });
        EXPECT_THAT(message, HasSubstr("p.json.xz"));
        EXPECT_EQ(std::ranges::count(message, '\n'), 0);
    }
}

}  // namespace
}  // namespace tilespmv
