#pragma once

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"

/// Pages as headless Chromium shows them: it runs their scripts and writes down the elements that result.
namespace tilespmv::test {

inline std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return text;
    char piece[65536];
    for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) text.append(piece, got);
    return pclose(pipe) == 0 ? text : "";
}

inline std::string find_browser() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
        const std::string found = output_of(fmt::format("command -v {}", name));
        if (!found.empty()) return name;
    }
    return "";
}

/// Text between the first `from` and the next `to` behind it.
inline std::optional<std::string> between(const std::string& text, const std::string& from, const std::string& to) {
    const auto begin = text.find(from);
    if (begin == std::string::npos) return {};
    const auto end = text.find(to, begin + from.size());
    return text.substr(begin + from.size(), end - begin - from.size());
}

/// The number in an attribute of the element with this id; -1 without it.
inline int number_of(const std::string& dom, const std::string& id, const std::string& attribute) {
    const std::string element = between(dom, fmt::format("id=\"{}\"", id), ">").value_or("");
    const auto text = between(element, attribute + "=\"", "\"");
    return text ? std::stoi(*text) : -1;
}

/// A test that is skipped where there is no browser.
class InBrowser : public ::testing::Test {
protected:
    void SetUp() override {
        browser_ = find_browser();
        if (browser_.empty()) GTEST_SKIP() << "there is no chromium, chromium-browser or google-chrome in PATH";
    }

    /// A page after its script has run, without an error.
    [[nodiscard]] std::string dom(const std::filesystem::path& file, const std::string& fragment) const {
        const std::string text = output_of(fmt::format(
            "timeout 300 {} --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir='{}' "
            "--window-size=1000,900 --virtual-time-budget=5000 --dump-dom 'file://{}#{}' 2>'{}'",
            browser_, (folder_.path() / "user").string(), file.string(), fragment, (folder_.path() / "log").string()));
        EXPECT_THAT(text, ::testing::HasSubstr("</html>")) << content_of(folder_.path() / "log");
        EXPECT_EQ(number_of(text, "errors", "data-errors"), 0) << between(text, "id=\"errors\"", "</pre>").value_or("");
        return text;
    }

    std::string browser_;
    TemporaryDirectory folder_;
};

}  // namespace tilespmv::test
