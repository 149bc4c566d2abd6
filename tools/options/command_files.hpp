#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tile/io/file_identity.hpp"
#include "tools/options/cli_forward.hpp"

namespace tilespmv::tools {

/// The files of a command: what it writes must neither be what it reads nor be written twice. Which files are the same
/// `file_identity` says. `role` is what messages call a file: an option, or the name of a positional argument.
class CommandFiles {
public:
    /// Inputs come first.
    void input(const std::string& role, const std::filesystem::path& file);
    /// Throws a usage `Error` for an input or another output. What is no ordinary file (a pipe, /dev/null, /dev/stdout)
    /// may be several outputs.
    void output(const std::string& role, const std::filesystem::path& file);

private:
    std::map<FileIdentity, std::string> inputs_;
    std::map<FileIdentity, std::string> outputs_;
};

/// Checks every option that a command line gave for what the functions below declared it to be, and refuses empty
/// values. Throws a usage `Error`; to be called before the command reads anything.
void check_files(const CLI::App& command);

/// "-", the name of standard output for options that `add_output_or_stdout` added.
inline constexpr std::string_view kStdout = "-";

/// An option or positional argument that names a file to read, or several.
CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& file, const std::string& help);
CLI::Option* add_input(CLI::App& command, const std::string& name, std::vector<std::string>& files,
                       const std::string& help);

/// An option that names a file to write, which `kStdout` does not.
CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& file, const std::string& help);

/// An option that names a file to write, or `kStdout`; at most one option of a command line may name that.
CLI::Option* add_output_or_stdout(CLI::App& command, const std::string& name, std::string& file,
                                  const std::string& help);

/// Writes a file that such an option names, or to standard output.
void write_text(const std::string& file, std::string_view text);

}  // namespace tilespmv::tools
