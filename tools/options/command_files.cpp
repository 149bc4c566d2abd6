#include "tools/options/command_files.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv::tools {
namespace {

// Types of options, shown in the help.
constexpr const char* kInputType = "INPUT";
constexpr const char* kOutputType = "OUTPUT";
constexpr const char* kOutputOrStdoutType = "OUTPUT|-";

template <class F>
void for_each_value(const CLI::App& command, std::string_view type, F&& f) {
    for (const auto* option : command.get_options()) {
        if (option->get_type_name() != type) continue;
        for (const auto& value : option->results()) f(option->get_name(), value);
    }
}

void refuse_empty_values(const CLI::App& command) {
    for (const auto* option : command.get_options()) {
        for (const auto& value : option->results()) {
            if (value.empty()) throw Error(option->get_name() + ": found nothing, expected a value", ExitCode::usage);
        }
    }
}

}  // namespace

void CommandFiles::input(const std::string& role, const std::filesystem::path& file) {
    if (const auto id = file_identity(file)) inputs_.try_emplace(*id, role);
}

void CommandFiles::output(const std::string& role, const std::filesystem::path& file) {
    const auto id = file_identity(file);
    if (!id) return;
    if (const auto input = inputs_.find(*id); input != inputs_.end()) {
        throw Error(
            fmt::format("{}: {} would replace the input {}; choose another name", file.string(), role, input->second),
            ExitCode::usage);
    }
    if (output_target(file).descriptor >= 0) return;
    const auto [other, added] = outputs_.try_emplace(*id, role);
    if (!added) {
        throw Error(fmt::format("{}: {} would replace the output of {}; give each a file of its own", file.string(),
                                role, other->second),
                    ExitCode::usage);
    }
}

void check_files(const CLI::App& command) {
    refuse_empty_values(command);
    CommandFiles files;
    const auto read = [&](const std::string& role, const std::string& file) {
        if (file == kStdout)
            throw Error(role + ": found -, expected a file; standard input is /dev/stdin here", ExitCode::usage);
        files.input(role, file);
    };
    for_each_value(command, kInputType, read);
    std::string stdout_role;
    const auto add = [&](const std::string& role, const std::string& file) { files.output(role, file); };
    for_each_value(command, kOutputType, [&](const std::string& role, const std::string& file) {
        if (file == kStdout)
            throw Error(role + ": found -, expected a file; standard output is /dev/stdout here", ExitCode::usage);
        add(role, file);
    });
    for_each_value(command, kOutputOrStdoutType, [&](const std::string& role, const std::string& file) {
        if (file != kStdout) return add(role, file);
        if (!stdout_role.empty()) {
            throw Error(
                fmt::format("{} - and {} - would mix on standard output; give one of them a file", stdout_role, role),
                ExitCode::usage);
        }
        stdout_role = role;
    });
}

CLI::Option* add_input(CLI::App& command, const std::string& name, std::string& file, const std::string& help) {
    return command.add_option(name, file, help)->type_name(kInputType);
}

CLI::Option* add_input(CLI::App& command, const std::string& name, std::vector<std::string>& files,
                       const std::string& help) {
    return command.add_option(name, files, help)->type_name(kInputType);
}

CLI::Option* add_output(CLI::App& command, const std::string& name, std::string& file, const std::string& help) {
    return command.add_option(name, file, help)->type_name(kOutputType);
}

CLI::Option* add_output_or_stdout(CLI::App& command, const std::string& name, std::string& file,
                                  const std::string& help) {
    return command.add_option(name, file, help + " (- for standard output)")->type_name(kOutputOrStdoutType);
}

void write_text(const std::string& file, std::string_view text) {
    if (file == kStdout) {
        fmt::print("{}", text);
        return;
    }
    OutputFile out(file);
    out.write(text);
    out.commit();
}

}  // namespace tilespmv::tools
