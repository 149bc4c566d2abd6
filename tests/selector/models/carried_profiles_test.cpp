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
        const fs::path file = folder.path() / "carried.json.zst";
        write(file, carried.bytes);
        const Profile profile = read_profile(file);
        EXPECT_EQ(plain_machine_name(profile.probe.name), carried.machine);
        EXPECT_FALSE(profile.checks.empty()) << "or it would never decide";
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
    }
}

FoundProfile found_profile(std::string_view machine = kMachine) { return find_profile({}, machine, {8, 8}); }

TEST_F(CarriedProfiles, AreFoundWhereTheUserHasNone) {
    const FoundProfile found = found_profile();
    ASSERT_NE(found.profile, nullptr);
    EXPECT_EQ(found.name, "tilespmv's own of NVIDIA H200");
    EXPECT_EQ(found.decides, decides(*found.profile, {8, 8}));
    EXPECT_EQ(found_profile().profile, found.profile) << "read once";
    EXPECT_EQ(found_profile("NVIDIA H201").profile, nullptr);
    EXPECT_EQ(find_profile({}, kMachine, {2, 4}).decides, decides(*found.profile, {2, 4}));
    EXPECT_EQ(found_profile().profile, found.profile);
    setenv("TILESPMV_PROFILE", "none", 1);
    EXPECT_EQ(found_profile().profile, nullptr) << "at once";
}

TEST_F(CarriedProfiles, DecideUntilTheCheckOfTheUsersOwnSpeaksForIt) {
    const FoundProfile carried = found_profile();
    ASSERT_TRUE(carried.decides);
    Profile own = *carried.profile;
    const fs::path file = default_profile_file(kMachine);
    const auto name_with = [&](const Profile& profile) {
        fs::remove(file);
        write_profile(file, profile);
        return found_profile().name;
    };
    EXPECT_EQ(name_with(own), file.string());
    for (ProfileCheck& check : own.checks) check.models.mean_loss = check.sizes.value == 8 ? 1 : 2;
    EXPECT_EQ(name_with(own), file.string());
    EXPECT_EQ(find_profile({}, kMachine, {4, 8}).name, carried.name) << "worse than the rules in float32";
    EXPECT_EQ(found_profile().name, file.string());
    for (ProfileCheck& check : own.checks) check.models.mean_loss = 2;
    EXPECT_EQ(name_with(own), carried.name) << "worse than the rules";
    own.checks.clear();
    EXPECT_EQ(name_with(own), carried.name) << "not checked";
    write(file, "{");
    EXPECT_EQ(find_profile({}, kMachine, {4, 8}).name, carried.name) << "damaged, after a warning";
}

TEST_F(CarriedProfiles, ThatAreCutOffOrNotCompressedAreRefused) {
    const std::string_view bytes = carried_profiles()[0].bytes;
    const fs::path file = folder.path() / "p.json.zst";
    for (const std::size_t size : {bytes.size() / 2, bytes.size() - 1}) {
        write(file, bytes.substr(0, size));
        const std::string message = test::message_of([&] { read_profile(file); });
        EXPECT_THAT(message, HasSubstr("p.json.zst"));
        EXPECT_EQ(std::ranges::count(message, '\n'), 0);
    }
}

}  // namespace
}  // namespace tilespmv
