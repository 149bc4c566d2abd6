#include "tests/tools/transcript.hpp"

#include <cstdio>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include "tests/support/lists.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"

namespace tilespmv::test {
namespace {

ExitCode parse(CLI::App& app, const std::string& command) {
    try {
        app.parse(command);
    } catch (const CLI::Success&) {
    } catch (const Error& error) {
        fmt::print(stderr, "tilespmv: {}\n", error.what());
        return error.code();
    }
    return ExitCode::ok;
}

}  // namespace

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

namespace {

/// Lists that messages end with, as placeholders: they grow.
std::string without_lists(std::string line) {
    line = replaced(line, "there are " + cpu_operator_names(), "there are {operators}");
    line = replaced(line, "there are " + selector_names(), "there are {selectors}");
    return replaced(line, "there are " + format_names(), "there are {formats}");
}

}  // namespace

void Transcript::run(const std::string& command) {
    CLI::App app{"test", "tilespmv"};
    tools::add_commands(app);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = parse(app, replaced(command, "{}", directory_.path().string() + "/"));
    std::fflush(stdout);
    text_ += "$ tilespmv " + replaced(command, "{}", "") + '\n';
    text_ += without_folder(::testing::internal::GetCapturedStdout());
    std::istringstream errors(without_folder(::testing::internal::GetCapturedStderr()));
    for (std::string line; std::getline(errors, line);) text_ += "! " + without_lists(line) + '\n';
    if (code != ExitCode::ok) text_ += fmt::format("= {}\n", static_cast<int>(code));
}

std::string Transcript::without_folder(const std::string& text) const {
    return replaced(text, directory_.path().string() + "/", "");
}

}  // namespace tilespmv::test
