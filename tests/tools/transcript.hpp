#pragma once

#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"

namespace tilespmv::test {

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Runs commands on the files of a folder of its own and writes down what they say, as the cases in tests/tools/cli do:
/// the command after "$ ", its standard output, standard error after "! ", its exit code after "= " if it is not 0.
class Transcript {
public:
    /// `{}` in an argument stands for the folder; the name of the folder is left out of what is written down.
    void run(const std::string& command) {
        CLI::App app{"test", "tilespmv"};
        tools::add_convert(app);
        tools::add_stats(app);
        tools::add_spmv(app);
        tools::add_solve(app);
        tools::add_generate_solver(app);
        tools::add_explain(app);
        tools::add_verify(app);
        tools::add_generate(app);
        tools::add_compare(app);
        tools::add_plot(app);
        tools::add_paper(app);
        ::testing::internal::CaptureStdout();
        ::testing::internal::CaptureStderr();
        const auto code = parse(app, replaced(command, "{}", directory_.path().string() + "/"));
        std::fflush(stdout);
        text_ += "$ tilespmv " + replaced(command, "{}", "") + '\n';
        text_ += without_folder(::testing::internal::GetCapturedStdout());
        std::istringstream errors(without_folder(::testing::internal::GetCapturedStderr()));
        for (std::string line; std::getline(errors, line);) text_ += "! " + line + '\n';
        if (code != ExitCode::ok) text_ += fmt::format("= {}\n", static_cast<int>(code));
    }

    [[nodiscard]] const TemporaryDirectory& directory() const { return directory_; }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    static ExitCode parse(CLI::App& app, const std::string& command) {
        try {
            app.parse(command);
        } catch (const CLI::Success&) {
        } catch (const Error& error) {
            fmt::print(stderr, "tilespmv: {}\n", error.what());
            return error.code();
        }
        return ExitCode::ok;
    }

    [[nodiscard]] std::string without_folder(const std::string& text) const {
        return replaced(text, directory_.path().string() + "/", "");
    }

    TemporaryDirectory directory_;
    std::string text_;
};

}  // namespace tilespmv::test
