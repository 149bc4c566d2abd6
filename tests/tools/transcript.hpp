#pragma once

#include <string>

#include "tests/temporary_directory.hpp"

namespace tilespmv::test {

std::string replaced(std::string text, const std::string& what, const std::string& by);

/// Runs commands on the files of a folder of its own and writes down what they say, as the cases in tests/tools/cli do:
/// the command after "$ ", its standard output, standard error after "! ", its exit code after "= " if it is not 0.
class Transcript {
public:
    /// `{}` in an argument stands for the folder; the name of the folder is left out of what is written down.
    void run(const std::string& command);

    [[nodiscard]] const TemporaryDirectory& directory() const { return directory_; }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    [[nodiscard]] std::string without_folder(const std::string& text) const;

    TemporaryDirectory directory_;
    std::string text_;
};

}  // namespace tilespmv::test
