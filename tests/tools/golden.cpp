#include "tests/tools/golden.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"

namespace tilespmv::test {
namespace {

constexpr const char* kHowToUpdate =
    "if the new output is right, rewrite the files with: TILESPMV_UPDATE_GOLDEN=1 ctest -R Golden";

std::filesystem::path path_of(const std::string& name) { return std::filesystem::path(TILESPMV_GOLDEN) / name; }

bool updates() {
    const char* update = std::getenv("TILESPMV_UPDATE_GOLDEN");
    return update != nullptr && std::string_view(update) == "1";
}

void write(const std::string& name, std::string_view content) {
    std::ofstream(path_of(name), std::ios::binary) << content;
}

/// Takes the first line off a text, with its newline.
std::string_view next_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n') + 1);
    const auto taken = line.empty() ? text : line;
    text.remove_prefix(taken.size());
    return taken;
}

std::string shown(std::string_view line) {
    if (line.empty()) return "(the end)";
    if (!line.ends_with('\n')) return fmt::format("{}(no newline)", line);
    return std::string(line.substr(0, line.size() - 1));
}

std::string first_difference(std::string_view expected, std::string_view actual) {
    for (int number = 1;; ++number) {
        const auto wanted = next_line(expected);
        const auto found = next_line(actual);
        if (wanted != found)
            return fmt::format("line {}\nexpected: {}\nfound:    {}", number, shown(wanted), shown(found));
    }
}

}  // namespace

void expect_golden(const std::string& name, const std::string& actual) {
    if (updates()) return write(name, actual);
    const std::string expected = content_of(path_of(name));
    if (actual == expected) return;
    ADD_FAILURE() << path_of(name).string() << ": " << first_difference(expected, actual) << '\n' << kHowToUpdate;
}

}  // namespace tilespmv::test
